//! Why an algorithm cannot be used on a puzzle.

use thiserror::Error;

use crate::heuristics::HeuristicError;

/// Why an algorithm cannot be used on a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// The goal leaves so much open that there is no end to search back from.
    #[error(
        "the goal leaves more than {limit} states open, too many for {algorithm}: use astar or breadth-first"
    )]
    OpenGoal {
        /// The algorithm.
        algorithm: &'static str,
        /// How many states it takes.
        limit: usize,
    },
    /// A schedule names what the puzzle does not have.
    #[error("the schedule does not fit the puzzle: {0}")]
    Schedule(String),
    /// The region is empty or larger than the puzzle.
    #[error(
        "a region of {region} tokens is out of range: write 1 to {tokens}, the number of the puzzle's tokens"
    )]
    Region {
        /// The tokens asked for.
        region: usize,
        /// The tokens there are.
        tokens: usize,
    },
    /// Pattern databases from files rule out every solution of a solvable puzzle.
    #[error(
        "a stored pattern database is wrong: it rules out every solution, but the puzzle can be solved: \
         remove the file in which `hyperslide table verify` finds the mistake, or use lone-token"
    )]
    WrongTable,
    /// Nothing can be kept of the proof.
    #[error(
        "only IDA* over pattern databases can be continued, on puzzles with one empty vertex and no two \
         tokens alike: use --algorithm idastar --heuristic patterns, or for compare \
         --solver 'idastar heuristic=patterns', or leave out --checkpoint"
    )]
    NotKept,
    /// The heuristic cannot be used on the puzzle.
    #[error(transparent)]
    Heuristic(#[from] HeuristicError),
}
