//! Arrangements: the positions of tokens in a start or a goal as written, by vertex or by label.

use std::fmt;
use std::str::FromStr;

use crate::goal::{Goal, GoalCell};
use crate::label::{ANY, EMPTY, LabelTable, is_label};
use crate::notation_error::{NotationError, several};
use crate::state::State;
use crate::text::parse_number;
use crate::vertex::{MAX_VERTICES, Vertex};

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
        let cells = Vertex::first(all).map(|v| match state.label_at(v) {
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
                vertices: placed.into_iter().map(Vertex::index).collect(),
                others_anywhere: placed.len() < start.vertices_of(label).len(),
            });
        }
        // Without free tokens all other vertices are empty anyway, so listing them says nothing.
        if entries.iter().any(|entry| entry.others_anywhere) && !goal.empty().is_empty() {
            entries.push(LabelPositions {
                label: EMPTY.to_owned(),
                vertices: goal.empty().into_iter().map(Vertex::index).collect(),
                others_anywhere: false,
            });
        }
        Arrangement::ByLabel(entries)
    }
}

/// Reads the cells of a grid with a slash between rows.
pub(crate) fn read_rows(
    text: &str,
    rows: usize,
    columns: usize,
) -> Result<Arrangement, NotationError> {
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
