//! What a long proof by IDA* over pattern databases has searched, so that it goes on where it was.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// What states cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofCost {
    /// States expanded.
    pub expanded: u64,
    /// States generated.
    pub generated: u64,
    /// CPU seconds of all threads.
    pub cpu_s: f64,
}

impl ProofCost {
    fn add(&mut self, other: ProofCost) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.cpu_s += other.cpu_s;
    }
}

/// A subtree that was searched to its end and has no solution within the bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchedSubtree {
    /// Its number among the subtrees of the iteration.
    pub number: usize,
    /// How far the nearest state beyond the bound exceeds it, if there is one.
    pub least_excess: Option<i32>,
    /// What it cost.
    pub cost: ProofCost,
}

/// An iteration in progress. Nothing before it has to be searched again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofState {
    /// The bound of the iteration: no solution is shorter.
    pub bound: u32,
    /// The checksum of the roots of its subtrees. Another one means that the tree was divided in
    /// another way, as by another version, and that the subtrees are searched again.
    pub roots: u32,
    /// The cost of all iterations before it.
    pub before: ProofCost,
    /// The subtrees that are done, in the order in which they ended.
    pub subtrees: Vec<SearchedSubtree>,
}

impl ProofState {
    /// The cost of all that does not have to be searched again.
    pub fn cost(&self) -> ProofCost {
        let mut cost = self.before;
        self.subtrees.iter().for_each(|subtree| cost.add(subtree.cost));
        cost
    }
}

/// A proof that may have begun in an earlier run, and tells its caller what to keep.
///
/// Only the search by IDA\* over pattern databases uses it, in iterations that are long enough to be
/// divided.
pub struct Proof<'a> {
    state: Mutex<Option<ProofState>>,
    keep: &'a (dyn Fn(&ProofState) + Sync),
}

impl<'a> Proof<'a> {
    /// A proof that goes on from what was kept earlier of the same puzzle with the same pattern
    /// databases. `keep` is called whenever there is more to keep, on any thread, which waits for it.
    pub fn new(earlier: Option<ProofState>, keep: &'a (dyn Fn(&ProofState) + Sync)) -> Proof<'a> {
        Proof { state: Mutex::new(earlier), keep }
    }

    /// What to keep, once a long iteration has begun.
    pub fn state(&self) -> Option<ProofState> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProofState>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bound of the iteration that an earlier run was in, and the cost of those before it.
    pub(crate) fn resumes_at(&self) -> Option<(u32, ProofCost)> {
        self.lock().as_ref().map(|state| (state.bound, state.before))
    }

    /// Begins an iteration whose tree is divided at these roots, and returns its subtrees that an
    /// earlier run searched. `before` is the cost of the iterations before it.
    pub(crate) fn begin(&self, bound: u32, roots: u32, before: ProofCost) -> Vec<SearchedSubtree> {
        let mut state = self.lock();
        match &*state {
            Some(known) if (known.bound, known.roots) == (bound, roots) => known.subtrees.clone(),
            _ => {
                let begun = ProofState { bound, roots, before, subtrees: Vec::new() };
                (self.keep)(state.insert(begun));
                Vec::new()
            }
        }
    }

    /// Adds a subtree of the iteration.
    pub(crate) fn add(&self, subtree: SearchedSubtree) {
        if let Some(state) = &mut *self.lock() {
            state.subtrees.push(subtree);
            (self.keep)(state);
        }
    }
}
