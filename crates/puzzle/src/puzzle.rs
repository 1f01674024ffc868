//! Puzzles: a board, a start and a goal that fit each other.

use std::fmt;

use thiserror::Error;

use crate::arrangement::Arrangement;
use crate::board::Board;
use crate::boards::InvalidBoard;
use crate::file::FileError;
use crate::goal::Goal;
use crate::invalid::Invalid;
use crate::label::LabelTable;
use crate::notation::PuzzleLine;
use crate::notation_error::NotationError;
use crate::setup::{InvalidPuzzle, Problem, Setup, Which, read_goal, read_start, usual_goal};
use crate::state::{IllegalMove, Move, State};
use crate::text::quote;

/// Why a text does not describe a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PuzzleError {
    /// The text is not in the notation.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The file is not in the format.
    #[error(transparent)]
    File(#[from] FileError),
    /// The board cannot be built.
    #[error(transparent)]
    Board(#[from] InvalidBoard),
    /// The start and the goal do not fit the board or each other.
    #[error(transparent)]
    Puzzle(#[from] InvalidPuzzle),
    /// The board is in a file, and this crate reads no files.
    #[error("the board is in the file {}, and this function reads no files: write it out", quote(.0))]
    BoardInFile(String),
}

/// A board, a start and a goal that fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    board: Board,
    labels: LabelTable,
    start: State,
    goal: Goal,
}

impl Puzzle {
    /// Builds a puzzle.
    ///
    /// # Errors
    ///
    /// Returns every reason at once why the setup does not fit the board.
    pub fn new(board: Board, setup: &Setup) -> Result<Puzzle, InvalidPuzzle> {
        let setup = &setup.with_usual_signs();
        let mut problems = Vec::new();
        let start = read_start(&board, &setup.start, &mut problems);
        // The labels of misplaced tokens are included, because the goal may name them.
        let Some(labels) = LabelTable::new(setup.start.label_names()) else {
            // With more tokens than vertices, some are off the board or share a vertex.
            return Err(Invalid { reasons: problems });
        };
        let label_of =
            |name: &str| labels.find(name).expect("the table has every name of the start");
        let start: State = start.iter().map(|(vertex, name)| (*vertex, label_of(name))).collect();
        if start.occupied().is_empty() && problems.is_empty() {
            problems.push(Problem::NoTokens);
        }
        let goal = match &setup.goal {
            Some(goal) => read_goal(&board, goal, &setup.start, &labels, &mut problems),
            None => usual_goal(&board, &start, &labels, &mut problems),
        };
        if problems.is_empty() {
            Ok(Puzzle { board, labels, start, goal })
        } else {
            Err(Invalid { reasons: problems })
        }
    }

    /// Builds the puzzle whose goal is its start, for what looks at the start alone.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the start.
    pub fn of_start(board: Board, start: Arrangement) -> Result<Puzzle, InvalidPuzzle> {
        let setup = Setup { goal: Some(start.clone()), start };
        Puzzle::new(board, &setup).map_err(|invalid| invalid.of(Which::Start))
    }

    /// Reads a puzzle in the one-line notation, `BOARD [face|edge] START [-> GOAL]`. The board must
    /// be written out.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the line, the board, the start or the goal.
    pub fn from_line(line: &str) -> Result<Puzzle, PuzzleError> {
        let PuzzleLine { board, metric, start, goal } = line.parse()?;
        let spec = board.into_spec().map_err(PuzzleError::BoardInFile)?;
        let board = Board::new(spec, metric.unwrap_or_default())?;
        Ok(Puzzle::new(board, &Setup { start, goal })?)
    }

    /// Returns the same puzzle with another start, or `None` if the start has other tokens or
    /// tokens off the board.
    pub fn with_start(&self, start: State) -> Option<Puzzle> {
        let as_many = |label| self.start.vertices_of(label).len() == start.vertices_of(label).len();
        let fits = start.occupied().is_subset(self.board.vertex_set())
            && start.occupied().len() == self.start.occupied().len()
            && self.labels.iter().all(|(label, _)| as_many(label));
        fits.then(|| Puzzle { start, ..self.clone() })
    }

    /// Returns the board with its metric.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the names of the labels.
    pub fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// Returns the start state.
    pub fn start(&self) -> &State {
        &self.start
    }

    /// Returns what a solved state looks like.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// Returns whether all vertices but one of a graph have tokens, so that each slide moves the
    /// empty vertex along an edge.
    pub fn has_one_empty(&self) -> bool {
        self.board.is_graph() && self.start.occupied().len() + 1 == self.board.vertex_count()
    }

    /// Returns whether no two tokens share a label.
    pub fn has_distinct_labels(&self) -> bool {
        self.labels.len() == self.start.occupied().len()
    }

    /// Returns whether another puzzle differs at most in its start state, so that distances to the
    /// goal hold for both: same board, labels, number of tokens with each label, and goal.
    pub fn shares_goal_with(&self, other: &Puzzle) -> bool {
        let as_many =
            |label| self.start.vertices_of(label).len() == other.start.vertices_of(label).len();
        self.goal == other.goal
            && self.board == other.board
            && self.labels == other.labels
            && self.labels.iter().all(|(label, _)| as_many(label))
    }

    /// Returns the number of tokens that the goal leaves free.
    pub fn free_tokens(&self) -> usize {
        self.start.occupied().len() - self.goal.labelled().occupied().len()
    }

    /// Plays the moves from the start and returns the state they lead to.
    ///
    /// # Errors
    ///
    /// Returns the number of the first move that breaks the rule, counted from 0, and why.
    pub fn replay(&self, moves: &[Move]) -> Result<State, (usize, IllegalMove)> {
        let play = |state: State, (number, &mv): (usize, &Move)| {
            self.board.play(&state, mv).map_err(|error| (number, error))
        };
        moves.iter().enumerate().try_fold(self.start, play)
    }

    /// Returns the start and the goal as they are written.
    pub fn setup(&self) -> Setup {
        let by_vertex = self.written_by_vertex();
        Setup {
            start: Arrangement::of_state(&self.start, &self.labels, by_vertex),
            goal: Some(Arrangement::of_goal(&self.goal, &self.start, &self.labels, by_vertex)),
        }
    }

    /// Returns the number of vertices on boards of rows and columns, where arrangements are written
    /// by vertex, and `None` on other boards.
    fn written_by_vertex(&self) -> Option<usize> {
        let rows = self.board.spec().rows_and_columns();
        rows.map(|_| self.board.vertex_count())
    }

    /// Writes the goal in the notation.
    pub fn write_goal(&self) -> String {
        let by_vertex = self.written_by_vertex();
        Arrangement::of_goal(&self.goal, &self.start, &self.labels, by_vertex).to_string()
    }

    /// Writes a state of this puzzle in the notation.
    pub fn write_state(&self, state: &State) -> String {
        let by_vertex = self.written_by_vertex();
        Arrangement::of_state(state, &self.labels, by_vertex).to_string()
    }
}

/// The one-line notation.
impl fmt::Display for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setup { start, goal } = self.setup();
        write!(f, "{} {start}", self.board)?;
        goal.map_or(Ok(()), |goal| write!(f, " -> {goal}"))
    }
}
