//! The estimate that knows nothing.

use hyperslide_puzzle::State;

use super::{Heuristic, HeuristicEntry};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "blind",
    summary: "0 everywhere (the null heuristic): A* becomes uniform-cost search",
    admissible: true,
    consistent: true,
    parameter: None,
    build: |_| Ok(Box::new(Blind)),
};

struct Blind;

impl Heuristic for Blind {
    fn estimate(&self, _: &State) -> Option<u32> {
        Some(0)
    }
}
