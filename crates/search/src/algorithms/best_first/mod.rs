//! Searches that store every state they meet: A\* and its relatives, breadth-first and
//! bidirectional search.

pub(crate) mod astar;
pub(crate) mod bidirectional;
pub(crate) mod breadth_first;
pub(crate) mod greedy;
pub(crate) mod weighted_astar;
