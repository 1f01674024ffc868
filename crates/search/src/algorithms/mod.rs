//! The algorithms, one file each, and their registry.
//!
//! A new one is a file here and its line in [`ALGORITHMS`].

use crate::algorithm::Algorithm;
use crate::registry::registry;

registry! {
    /// Every algorithm there is, the default first.
    ALGORITHMS: Algorithm, ALGORITHM of
    auto;
    // They store every state they meet.
    best_first {
        breadth_first;
        bidirectional;
        nbs;
        astar;
        weighted_astar;
        xdp;
        greedy;
    } sharing {}
    staged;
    closed_walks;
    idastar;
    table;
    beam;
    anytime;
    // They work on one graph of the states they have met.
    learned {
        evolution;
        reinforcement;
        hybrid;
        humanlike;
    } sharing {
        move_model;
        population;
        settings;
        state_graph;
    }
    local_value_iteration;
}

pub use auto::patterns_suit;
pub(crate) use beam::WIDTH;
pub use beam::weight_learning;
pub(crate) use best_first::weighted_astar::WEIGHT;
pub use learned::move_model::{MOVE_FEATURES, MoveOption, MoveWeights, PlayWalk, TIME_FEATURES};

pub use local_value_iteration::{
    GoalReading, Stage, StageReport, StateValues, TrainedSubProblem, trained_sub_problems,
    value_iteration,
};
pub(crate) use local_value_iteration::{check_region, run_in_stages};
