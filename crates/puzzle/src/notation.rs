//! The one-line notation of puzzles: `BOARD [face|edge] START [-> GOAL]`.
//!
//! START and GOAL are written in one of two ways, with entries separated by commas or, if there is
//! no comma, by spaces. **By vertex**: one entry for each vertex in order, `15,2,1,...,0`. **By
//! label**: `r=13,p=7`, and `a=1+2` for two tokens with one label. In both, `0` means "must be
//! empty" and `*` means "any": as entries by vertex, or by label as in `0=3+4` (these vertices must
//! be empty) and `p=*` (p may end anywhere).
//!
//! A grid may also be written without its board, as other programs do: `1 2 3/4 5 6/7 0 8`.

use std::str::FromStr;

use crate::arrangement::{Arrangement, read_rows};
use crate::bare_grid;
use crate::boards::{BoardFamily, BoardSource, FAMILIES};
use crate::metric::Metric;
use crate::notation_error::{NotationError, several};

/// The greatest length of a puzzle's text, in bytes: enough to write out the largest possible
/// board.
pub const MAX_PUZZLE_LENGTH: usize = 1 << 18;

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
            Ok(BoardSource::Spec(spec)) if text.contains('/') => match spec.rows_and_columns() {
                Some((rows, columns)) => read_rows(text, rows, columns),
                None => text.parse(),
            },
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
