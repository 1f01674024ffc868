//! The one-line notation of puzzles: `BOARD [face|edge] START [-> GOAL]`.
//!
//! START and GOAL are written in one of two ways, with entries separated by commas or, if there is
//! no comma, by spaces. **By vertex**: one entry for each vertex in order, `15,2,1,...,0`. **By
//! label**: `r=13,p=7`, and `a=1+2` for two tokens with one label. In both, `0` means "must be
//! empty" and `*` means "any": as entries by vertex, or by label as in `0=3+4` (these vertices must
//! be empty) and `p=*` (p may end anywhere).
//!
//! A grid may also be written without its board, as other programs do: `1 2 3/4 5 6/7 0 8`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bare_grid::{self, BareGridError};
use crate::boards::{BoardFamily, BoardNotationError, BoardSource, BoardSpec, FAMILIES};
use crate::goal::{Goal, GoalCell};
use crate::invalid::Invalid;
use crate::label::{ANY, EMPTY, LabelTable, MAX_LABEL_LENGTH, is_label};
use crate::metric::Metric;
use crate::state::State;
use crate::text::{parse_number, quote};
use crate::vertex::MAX_VERTICES;

/// The greatest length of a puzzle's text, in bytes: enough to write out the largest possible
/// board.
pub const MAX_PUZZLE_LENGTH: usize = 1 << 18;

/// Why a text is not in the notation. Each message is one line that quotes the value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum NotationError {
    #[error("the puzzle line is empty: write BOARD START [-> GOAL]")]
    EmptyLine,
    #[error("a puzzle line has at most {MAX_PUZZLE_LENGTH} bytes, and this one has {0}")]
    LongLine(usize),
    #[error(transparent)]
    Board(#[from] BoardNotationError),
    #[error(transparent)]
    BareGrid(#[from] BareGridError),
    #[error(
        "{} has slashes between rows, as only a puzzle line may, as in '1 2 3/4 5 6/7 0 8': write the \
         cells row by row with commas",
        quote(.0)
    )]
    Rows(String),
    #[error("the slashes do not make {rows} rows of {columns} cells, as the board has them")]
    OtherRows { rows: usize, columns: usize },
    #[error(
        "the cells of the start make {start}, and those of the goal {goal}: write both in one shape"
    )]
    GoalShape { start: String, goal: String },
    #[error("no start after the board: write BOARD START [-> GOAL]")]
    NoStart,
    #[error("nothing after '->': write the goal there")]
    NoGoal,
    #[error("'->' appears twice: a puzzle has one goal")]
    TwoGoals,
    #[error("the arrangement is empty: write LABEL=VERTEX, or an entry for each vertex")]
    NoEntry,
    #[error("the arrangement has an empty entry: write {EMPTY} for an empty vertex")]
    EmptyEntry,
    #[error("an arrangement has at most {MAX_VERTICES} entries, and this one has {0}")]
    ManyEntries(usize),
    #[error(
        "label {} is malformed: write 1 to {MAX_LABEL_LENGTH} letters, digits or underscores",
        quote(.0)
    )]
    BadLabel(String),
    #[error("entry {} is malformed: write LABEL=VERTEX, as in r=13 or r=13+7", quote(.0))]
    BadPlacement(String),
    #[error("label {} has no vertex: write LABEL=VERTEX, as in r=13", quote(.0))]
    NoVertex(String),
    #[error(transparent)]
    Several(Invalid<NotationError>),
    #[error("vertex {} of label {} is not a number", quote(.vertex), quote(.label))]
    BadVertex { label: String, vertex: String },
    #[error("{EMPTY}= appears twice: write {EMPTY}=VERTEX+VERTEX for two empty vertices")]
    RepeatedEmpty,
    #[error("label {label} appears twice: write {label}=VERTEX+VERTEX for two tokens with it", label = .0)]
    RepeatedLabel(String),
}

/// Combines the errors into one, or returns `None` if there are none.
fn several(mut errors: Vec<NotationError>) -> Option<NotationError> {
    match errors.len() {
        0 | 1 => errors.pop(),
        _ => Some(NotationError::Several(Invalid { reasons: errors })),
    }
}

/// The positions of tokens in a start or a goal as written, which may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One entry for each vertex in order: a label, [`EMPTY`] or [`ANY`].
    ByVertex(Vec<String>),
    /// The vertices of each label; those of the label [`EMPTY`] must be empty.
    ByLabel(Vec<LabelPositions>),
}

/// The vertices of the tokens with one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPositions {
    /// The label's name, or [`EMPTY`].
    pub label: String,
    /// The numbers of the vertices.
    pub vertices: Vec<usize>,
    /// Whether the other tokens with this label may be anywhere (`*`).
    pub others_anywhere: bool,
}

impl LabelPositions {
    /// Reads the words of one entry. `before` are the entries before it, whose labels it must not
    /// repeat.
    fn read(
        label: String,
        places: Vec<String>,
        before: &[LabelPositions],
    ) -> Result<LabelPositions, NotationError> {
        if !is_label(&label) && label != EMPTY {
            return Err(NotationError::BadLabel(label));
        }
        if before.iter().any(|known| known.label == label) {
            return Err(match label.as_str() {
                EMPTY => NotationError::RepeatedEmpty,
                _ => NotationError::RepeatedLabel(label),
            });
        }
        let others = before.iter().filter(|known| known.label != EMPTY).count();
        if (others == MAX_VERTICES && label != EMPTY) || places.len() > MAX_VERTICES {
            return Err(NotationError::ManyEntries((others + 1).max(places.len())));
        }
        if places.is_empty() {
            return Err(NotationError::NoVertex(label));
        }
        let mut parsed = LabelPositions { label, vertices: Vec::new(), others_anywhere: false };
        for place in places {
            if place == ANY && !parsed.others_anywhere && parsed.label != EMPTY {
                parsed.others_anywhere = true;
            } else if let Some(vertex) = parse_number(&place) {
                parsed.vertices.push(vertex);
            } else {
                return Err(NotationError::BadVertex { label: parsed.label, vertex: place });
            }
        }
        Ok(parsed)
    }
}

impl FromStr for Arrangement {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Arrangement, NotationError> {
        let entries: Vec<&str> = if text.contains(',') {
            text.split(',').map(str::trim).collect()
        } else {
            text.split_whitespace().collect()
        };
        if entries.iter().any(|entry| entry.is_empty()) {
            return Err(NotationError::EmptyEntry);
        }
        if text.contains('/') {
            return Err(NotationError::Rows(text.to_owned()));
        }
        if text.contains('=') {
            Arrangement::by_label(entries.into_iter().map(|entry| {
                let (label, places) = entry
                    .split_once('=')
                    .ok_or_else(|| NotationError::BadPlacement(entry.to_owned()))?;
                Ok((label.to_owned(), places.split('+').map(str::to_owned).collect()))
            }))
        } else {
            Arrangement::by_vertex(entries.into_iter().map(str::to_owned).collect())
        }
    }
}

impl Arrangement {
    /// Reads the words of the entries of an arrangement by vertex.
    pub(crate) fn by_vertex(mut entries: Vec<String>) -> Result<Arrangement, NotationError> {
        match entries.len() {
            0 => return Err(NotationError::NoEntry),
            1..=MAX_VERTICES => {}
            more => return Err(NotationError::ManyEntries(more)),
        }
        // Some programs write the empty cell as a dot, which cannot be a label.
        for entry in entries.iter_mut().filter(|entry| *entry == ".") {
            EMPTY.clone_into(entry);
        }
        let is_known = |entry: &String| is_label(entry) || entry == EMPTY || entry == ANY;
        let mut bad: Vec<&String> = entries.iter().filter(|entry| !is_known(entry)).collect();
        bad.dedup();
        match several(bad.into_iter().cloned().map(NotationError::BadLabel).collect()) {
            Some(error) => Err(error),
            None => Ok(Arrangement::ByVertex(entries)),
        }
    }

    /// Reads the words of the `(label, vertices)` entries of an arrangement by label.
    pub(crate) fn by_label(
        entries: impl Iterator<Item = Result<(String, Vec<String>), NotationError>>,
    ) -> Result<Arrangement, NotationError> {
        let mut labels: Vec<LabelPositions> = Vec::new();
        let mut errors = Vec::new();
        for (number, entry) in entries.enumerate() {
            if number > MAX_VERTICES {
                return Err(NotationError::ManyEntries(number + 1));
            }
            match entry.and_then(|(label, places)| LabelPositions::read(label, places, &labels)) {
                Ok(places) => labels.push(places),
                Err(error) => errors.push(error),
            }
        }
        match several(errors) {
            Some(error) => Err(error),
            None if labels.is_empty() => Err(NotationError::NoEntry),
            None => Ok(Arrangement::ByLabel(labels)),
        }
    }

    /// Returns the labels that the arrangement names, each as often as it appears.
    pub(crate) fn label_names(&self) -> impl Iterator<Item = &str> {
        let (by_vertex, by_label) = match self {
            Arrangement::ByVertex(entries) => (&entries[..], &[][..]),
            Arrangement::ByLabel(labels) => (&[][..], &labels[..]),
        };
        let names = by_vertex.iter().chain(by_label.iter().map(|entry| &entry.label));
        names.map(String::as_str).filter(|&name| name != EMPTY && name != ANY)
    }

    /// Returns the number of tokens that the arrangement places, valid or not.
    pub fn token_count(&self) -> usize {
        match self {
            Arrangement::ByVertex(_) => self.label_names().count(),
            Arrangement::ByLabel(_) => self.label_names().map(|name| self.count(name)).sum(),
        }
    }

    /// Returns the number of tokens with this label that the arrangement places, valid or not.
    pub(crate) fn count(&self, name: &str) -> usize {
        match self {
            Arrangement::ByVertex(entries) => entries.iter().filter(|entry| *entry == name).count(),
            Arrangement::ByLabel(labels) => labels
                .iter()
                .find(|entry| entry.label == name)
                .map_or(0, |entry| entry.vertices.len()),
        }
    }

    /// Writes a state by vertex, where `by_vertex` gives the number of vertices (on grids), or by
    /// label.
    pub(crate) fn of_state(state: &State, labels: &LabelTable, by_vertex: Option<usize>) -> Self {
        let all = by_vertex.unwrap_or(MAX_VERTICES);
        let cells = crate::Vertex::first(all).map(|v| match state.label_at(v) {
            Some(label) => GoalCell::Label(label),
            None => GoalCell::Empty,
        });
        let goal = Goal::new(cells.collect());
        Arrangement::of_goal(&goal, state, labels, by_vertex)
    }

    /// Writes a goal by vertex (on grids) or by label. The tokens that it leaves free are those
    /// that only `start` has.
    pub(crate) fn of_goal(
        goal: &Goal,
        start: &State,
        labels: &LabelTable,
        by_vertex: Option<usize>,
    ) -> Self {
        if by_vertex.is_some() {
            let entry = |cell: &GoalCell| match cell {
                GoalCell::Any => ANY.to_owned(),
                GoalCell::Empty => EMPTY.to_owned(),
                GoalCell::Label(label) => labels.name(*label).to_owned(),
            };
            return Arrangement::ByVertex(goal.cells().iter().map(entry).collect());
        }
        let mut entries = Vec::new();
        for (label, name) in labels.iter() {
            let placed = goal.labelled().vertices_of(label);
            entries.push(LabelPositions {
                label: name.to_owned(),
                vertices: placed.into_iter().map(crate::Vertex::index).collect(),
                others_anywhere: placed.len() < start.vertices_of(label).len(),
            });
        }
        // Without free tokens all other vertices are empty anyway, so listing them says nothing.
        if entries.iter().any(|entry| entry.others_anywhere) && !goal.empty().is_empty() {
            entries.push(LabelPositions {
                label: EMPTY.to_owned(),
                vertices: goal.empty().into_iter().map(crate::Vertex::index).collect(),
                others_anywhere: false,
            });
        }
        Arrangement::ByLabel(entries)
    }
}

/// Reads the cells of a grid with a slash between rows.
fn read_rows(text: &str, rows: usize, columns: usize) -> Result<Arrangement, NotationError> {
    let cells = |row: &str| -> Vec<String> {
        let words = row.split(|c: char| c.is_whitespace() || c == ',');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let read: Vec<Vec<String>> = text.split('/').map(cells).collect();
    if read.len() != rows || read.iter().any(|row| row.len() != columns) {
        return Err(NotationError::OtherRows { rows, columns });
    }
    Arrangement::by_vertex(read.concat())
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arrangement::ByVertex(entries) => f.write_str(&entries.join(",")),
            Arrangement::ByLabel(labels) => {
                for (number, entry) in labels.iter().enumerate() {
                    let places = entry.vertices.iter().map(usize::to_string);
                    let any = entry.others_anywhere.then(|| ANY.to_owned());
                    let places: Vec<String> = places.chain(any).collect();
                    let comma = if number > 0 { "," } else { "" };
                    write!(f, "{comma}{}={}", entry.label, places.join("+"))?;
                }
                Ok(())
            }
        }
    }
}

/// The parts of a puzzle line, before its board is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleLine {
    /// The board, or the file that holds it.
    pub board: BoardSource,
    /// The metric, if the line names one.
    pub metric: Option<Metric>,
    /// Where the tokens are.
    pub start: Arrangement,
    /// Where the goal wants them, if the line has a goal.
    pub goal: Option<Arrangement>,
}

impl PuzzleLine {
    /// Returns whether a text is meant as a puzzle line, valid or not: it begins with a board,
    /// contains `->`, or looks like the cells of a grid.
    pub fn is_meant_by(text: &str) -> bool {
        let text = text.trim();
        let is_family = |known: &BoardFamily| {
            text.strip_prefix(known.name).is_some_and(|rest| rest.starts_with(':'))
        };
        text.contains("->") || FAMILIES.iter().any(is_family) || bare_grid::read(text).is_some()
    }

    /// Reads a puzzle line that is a grid without its board; returns `None` if the line does not
    /// look like one.
    fn read_bare(line: &str) -> Option<Result<PuzzleLine, NotationError>> {
        let (start, goal) = match line.split_once("->") {
            Some((start, goal)) => (start, Some(goal.trim())),
            None => (line, None),
        };
        let (spec, cells) = match bare_grid::read(start)? {
            Ok(bare) => bare,
            Err(error) => return Some(Err(error.into())),
        };
        let goal = match goal {
            None => Ok(None),
            Some("") => Err(NotationError::NoGoal),
            Some(goal) if goal.contains("->") => Err(NotationError::TwoGoals),
            Some(goal) => match bare_grid::read(goal) {
                Some(Ok((same, cells))) if same == spec => Ok(Some(Arrangement::ByVertex(cells))),
                Some(Ok((other, _))) => Err(NotationError::GoalShape {
                    start: spec.to_string(),
                    goal: other.to_string(),
                }),
                Some(Err(error)) => Err(error.into()),
                None => goal.parse().map(Some),
            },
        };
        Some(goal.map(|goal| PuzzleLine {
            board: BoardSource::Spec(spec),
            metric: None,
            start: Arrangement::ByVertex(cells),
            goal,
        }))
    }
}

impl FromStr for PuzzleLine {
    type Err = NotationError;

    fn from_str(line: &str) -> Result<PuzzleLine, NotationError> {
        if line.len() > MAX_PUZZLE_LENGTH {
            return Err(NotationError::LongLine(line.len()));
        }
        if let Some(bare) = PuzzleLine::read_bare(line) {
            return bare;
        }
        let next_word = |text: &'_ str| -> (usize, usize) {
            let start = text.len() - text.trim_start().len();
            let length = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
            (start, start + length)
        };
        let (start, end) = next_word(line);
        if start == end {
            return Err(NotationError::EmptyLine);
        }
        let board = line[start..end].parse().map_err(NotationError::Board);
        let mut rest = &line[end..];
        let (start, end) = next_word(rest);
        let metric = rest[start..end].parse().ok();
        if metric.is_some() {
            rest = &rest[end..];
        }
        let read = |text: &str| match &board {
            Ok(BoardSource::Spec(BoardSpec::Grid { rows, columns })) if text.contains('/') => {
                read_rows(text, *rows, *columns)
            }
            _ => text.parse(),
        };
        let mut parts = rest.split("->");
        let start = match parts.next().map(str::trim) {
            None | Some("") => Err(NotationError::NoStart),
            Some(text) => read(text),
        };
        let goal = match parts.next().map(str::trim) {
            None => Ok(None),
            Some("") => Err(NotationError::NoGoal),
            Some(text) => read(text).map(Some),
        };
        let end = parts.next().map_or(Ok(()), |_| Err(NotationError::TwoGoals));
        let (board, start, goal) = match (board, start, goal, end) {
            (Ok(board), Ok(start), Ok(goal), Ok(())) => (board, start, goal),
            (board, start, goal, end) => {
                let errors = [board.err(), start.err(), goal.err(), end.err()];
                let errors = errors.into_iter().flatten().collect();
                return Err(several(errors).expect("one of the four failed"));
            }
        };
        Ok(PuzzleLine { board, metric, start, goal })
    }
}
