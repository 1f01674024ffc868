//! The algorithms, one file each, and their registry.
//!
//! A new one is a file here, its `mod` and its line in [`ALGORITHMS`].

mod anytime;
mod auto;
mod beam;
mod best_first;
mod closed_walks;
mod idastar;
mod learned;
mod local_value_iteration;
mod staged;
mod table;

pub use beam::conflict_learning;
pub(crate) use beam::{WIDTH, mix};
pub(crate) use best_first::weighted_astar::WEIGHT;

pub use local_value_iteration::{
    GoalReading, Stage, StageReport, StateValues, TrainedSubProblem, trained_sub_problems,
    value_iteration,
};
pub(crate) use local_value_iteration::{check_region, run_in_stages};

use crate::algorithm::Algorithm;

/// Every algorithm there is, the default first.
pub const ALGORITHMS: &[Algorithm] = &[
    auto::ALGORITHM,
    best_first::breadth_first::ALGORITHM,
    best_first::bidirectional::ALGORITHM,
    best_first::astar::ALGORITHM,
    best_first::weighted_astar::ALGORITHM,
    best_first::greedy::ALGORITHM,
    staged::ALGORITHM,
    closed_walks::ALGORITHM,
    idastar::ALGORITHM,
    table::ALGORITHM,
    beam::ALGORITHM,
    anytime::ALGORITHM,
    learned::evolution::ALGORITHM,
    learned::reinforcement::ALGORITHM,
    learned::hybrid::ALGORITHM,
    local_value_iteration::ALGORITHM,
];
