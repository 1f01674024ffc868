//! The reasons why a text is not in the notation of puzzles.

use thiserror::Error;

use crate::bare_grid::BareGridError;
use crate::boards::BoardNotationError;
use crate::invalid::Invalid;
use crate::label::{EMPTY, MAX_LABEL_LENGTH};
use crate::notation::MAX_PUZZLE_LENGTH;
use crate::text::quote;
use crate::vertex::MAX_VERTICES;

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
pub(crate) fn several(mut errors: Vec<NotationError>) -> Option<NotationError> {
    match errors.len() {
        0 | 1 => errors.pop(),
        _ => Some(NotationError::Several(Invalid { reasons: errors })),
    }
}
