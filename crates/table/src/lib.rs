//! Whole puzzle graphs: numbers for states, breadth-first search over blocks of arrangements.
//!
//! This crate never prints and never searches for a single solution.

mod arrangements;
mod graph;
mod kernel;
mod layout;
mod search;
mod space;
mod storage;
mod sweep;

pub use arrangements::{Arrangements, binomial, subset_rank, subset_unrank};
pub use graph::VertexOrder;
pub use kernel::Path;
pub use search::{
    BreadthFirst, Layers, SearchOptions, Signals, StartOutside, available_threads,
};
pub use storage::{FileWords, Memory, Storage};
pub use space::{Space, SpaceError, SpaceOptions};
