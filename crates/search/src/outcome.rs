//! What a search answers: its outcome and its statistics.

use std::fmt;

use hyperslide_puzzle::{Move, UnsolvableReason};
use hyperslide_table::StopReason;
use serde::{Deserialize, Serialize};

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A solution was found, and the rules accept it.
    Solved {
        /// The moves from the start to a goal state.
        moves: Vec<Move>,
        /// Whether no shorter solution exists.
        optimal: bool,
        /// No solution is shorter than this; equal to the length when optimal.
        lower_bound: u32,
    },
    /// No solution exists.
    Unsolvable(UnsolvableReason),
    /// A limit was reached before anything was found.
    LimitReached {
        /// Which one.
        limit: Limit,
        /// No solution is shorter than this.
        lower_bound: u32,
    },
}

/// What stopped a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The wall-clock time was used up.
    Time,
    /// The memory was used up.
    Memory,
    /// The number of generated states was used up.
    Nodes,
    /// The algorithm cannot follow ways as long as this puzzle needs.
    Length,
    /// The search left out so much that nothing was left to expand.
    Width,
    /// The generations, episodes or attempts allowed were over.
    Generations,
    /// The caller asked to stop.
    Cancelled,
}

impl From<StopReason> for Limit {
    fn from(reason: StopReason) -> Limit {
        match reason {
            StopReason::Cancelled => Limit::Cancelled,
            StopReason::Memory => Limit::Memory,
            StopReason::Time => Limit::Time,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Time => "time limit",
            Limit::Memory => "memory limit",
            Limit::Nodes => "node limit",
            Limit::Length => "length limit",
            Limit::Width => "nothing left to expand",
            Limit::Generations => "end of the last generation, episode or attempt",
            Limit::Cancelled => "cancelled",
        })
    }
}

/// What a search cost.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Stats {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated, also those met before or beyond IDA*'s bound. IDA* does not generate
    /// moves that it knows to be detours, such as the one straight back.
    pub generated: u64,
    /// Closed states that were opened again because a shorter way to them was found.
    pub reopened: u64,
    /// The most states held at a time, of both searches for a bidirectional one; 0 for IDA*.
    #[serde(default)]
    pub stored: u64,
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// CPU seconds of all threads that search; additional threads that build tables are not
    /// counted.
    pub cpu_s: f64,
    /// The most bytes that the search's own data structures and its tables held at a time.
    pub peak_bytes: u64,
}

/// What a solver returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// What it cost.
    pub stats: Stats,
    /// The algorithm that gave the answer: for `auto`, the one it chose.
    pub algorithm: &'static str,
    /// Why `auto` chose that one, as a clause; `None` for all others, and where nothing was
    /// searched.
    pub choice: Option<&'static str>,
    /// The heuristic that a long search found best for the puzzle, as a choice of one; `None` where
    /// it compared none, and where an earlier run finished the proof.
    pub heuristic: Option<String>,
    /// The seed it was given.
    pub seed: u64,
}
