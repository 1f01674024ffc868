//! Evolution, reinforcement learning and their hybrid, over one graph of the states they have met.

pub(crate) mod evolution;
pub(crate) mod hybrid;
mod population;
pub(crate) mod reinforcement;
pub(crate) mod state_graph;
