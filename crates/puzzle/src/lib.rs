//! Boards, the one rule of motion, states, goals, notation, symmetry and solvability of sliding
//! puzzles.
//!
//! A **board** is a set of at most 64 vertices and a set of faces; a **puzzle** is a board, a start
//! and a goal. The one rule: a token on `v` may slide to `w` when some face contains both and every
//! other vertex of that face is empty ([`Board::destinations`]). Everything else in Hyperslide is
//! derived from that rule.
//!
//! This crate never reads or writes a file, never looks at a clock, and never searches for a
//! solution; [`ClosedWalks`] computes rearrangements of the tokens from the board alone. Its random
//! numbers depend on its input only.
//!
//! ```
//! use hyperslide_puzzle::Puzzle;
//!
//! let puzzle = Puzzle::from_line("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6")?;
//! assert_eq!(puzzle.board().legal_moves(puzzle.start()).len(), 6);
//! assert_eq!(Puzzle::from_line(&puzzle.to_string())?, puzzle);
//! # Ok::<(), hyperslide_puzzle::PuzzleError>(())
//! ```

mod actions;
mod arrangement;
mod assignment;
mod bare_grid;
mod board;
mod boards;
mod classify;
mod closed_walks;
mod distance;
mod far_walks;
mod file;
mod goal;
mod goal_states;
mod group_name;
mod group_words;
mod invalid;
mod label;
mod metric;
mod notation;
mod notation_error;
mod occupancy;
mod perft;
mod permutation;
mod permutation_group;
mod planning;
mod puzzle;
mod setup;
mod slot_goals;
mod solvability;
mod solvability_memo;
mod split_mix;
mod state;
mod stuck;
mod symmetry;
mod text;
mod tile_moves;
mod unsolvable;
mod vertex;
mod wilson;

pub use actions::{ActionScheme, Actions};
pub use arrangement::{Arrangement, LabelPositions};
pub use assignment::minimum_assignment;
pub use bare_grid::{BareGridError, BareGridProblem};
pub use board::Board;
pub use boards::{
    BoardError, BoardFamily, BoardNotationError, BoardSource, BoardSpec, FAMILIES, Graph6Error,
    Graph6Format, InvalidBoard, MAX_CUBE_DIMENSION, NAMED_GRAPHS, NamedGraph, named_family,
    named_graph, read_graph6_file, read_graph6_line, write_graph6,
};
pub use classify::{Classification, Component, Regime, classify, classify_with_group};
pub use closed_walks::ClosedWalks;
pub use distance::{LoneTokenDistances, UNREACHABLE};
pub use file::{BoardFile, FileError, FileFormat, PuzzleFile};
pub use goal::{Goal, GoalCell};
pub use goal_states::{goal_count, goal_states};
pub use group_name::{GroupName, group_name};
pub use invalid::Invalid;
pub use label::{ANY, EMPTY, Label, LabelTable, MAX_LABEL_LENGTH};
pub use metric::{Metric, UnknownMetric};
pub use notation::{MAX_PUZZLE_LENGTH, PuzzleLine};
pub use notation_error::NotationError;
pub use perft::perft;
pub use permutation::Permutation;
pub use permutation_group::{PermutationGroup, factorial};
pub use planning::{PddlDomain, PddlProblem, SasTask};
pub use puzzle::{Puzzle, PuzzleError};
pub use setup::{InvalidPuzzle, Problem, Setup, Which};
pub use solvability::{Effort, Solvability, decide_solvability};
pub use solvability_memo::SolvabilityMemo;
pub use split_mix::mix;
pub use state::{IllegalMove, Move, State};
pub use stuck::provably_stuck;
pub use symmetry::{SymmetryGroup, symmetry_group};
pub use text::{one_line, shorten};
pub use tile_moves::{TileMovesError, parse_tile_moves, write_tile_moves};
pub use unsolvable::{SearchEnd, UnsolvableReason, WalkGroup};
pub use vertex::{MAX_VERTICES, Vertex, VertexSet};
