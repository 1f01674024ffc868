//! The progress of a long proof by IDA* over pattern databases, from which a later run can
//! continue.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use hyperslide_table::lock;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::SolveError;

/// Refuses a configuration of which no proof can be kept.
///
/// # Errors
///
/// What to use instead.
pub fn check_kept(config: &Config) -> Result<(), SolveError> {
    match config.algorithm.keeps_proofs && config.heuristic.has_patterns() {
        true => Ok(()),
        false => Err(SolveError::NotKept),
    }
}

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
        self.expanded = self.expanded.saturating_add(other.expanded);
        self.generated = self.generated.saturating_add(other.generated);
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
    /// The least estimate of its expanded states, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_h: Option<u32>,
    /// What it cost.
    pub cost: ProofCost,
}

/// What an iteration saw below a node at which it was divided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenSubtree {
    /// The path of the empty vertex to the node: the vertices that become empty.
    pub trail: Vec<u8>,
    /// The least estimate of an expanded state, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_h: Option<u32>,
    /// States expanded.
    pub expanded: u64,
}

/// An iteration in progress. Nothing before it has to be searched again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofState {
    /// The bound of the iteration: no solution is shorter.
    pub bound: u32,
    /// The checksum of the roots of its subtrees, which depend on the tables and on the version.
    pub roots: u32,
    /// The pattern databases that were found best for the puzzle, as a choice of a heuristic, once
    /// those known to be good have been compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
    /// What the iteration before it saw, if it was divided: this one is divided and ordered by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<SeenSubtree>,
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

/// Saves the progress of a proof; breaks where that fails, which stops the search.
type Keep<'a> = &'a (dyn Fn(&ProofState) -> ControlFlow<()> + Sync);

/// A proof that may have begun in an earlier run, and tells its caller what to keep.
///
/// Only IDA\* over pattern databases takes one, of puzzles with one empty vertex and no two tokens
/// alike.
pub struct Proof<'a> {
    state: Mutex<Option<ProofState>>,
    keep: Keep<'a>,
    is_stopped: AtomicBool,
    is_divided_otherwise: AtomicBool,
}

impl<'a> Proof<'a> {
    /// A proof that continues what was kept earlier of the same puzzle with the same heuristic.
    /// `keep` is called whenever there is more to keep, on any thread, all of which wait for it. It
    /// must not ask for [`Proof::state`].
    pub fn new(earlier: Option<ProofState>, keep: Keep<'a>) -> Proof<'a> {
        Proof {
            state: Mutex::new(earlier),
            keep,
            is_stopped: AtomicBool::new(false),
            is_divided_otherwise: AtomicBool::new(false),
        }
    }

    /// What to keep, once a long iteration has begun.
    pub fn state(&self) -> Option<ProofState> {
        self.lock().clone()
    }

    /// Returns whether the search stopped because the subtrees that were kept are not those of this
    /// search, which has other tables or is of another version.
    pub fn is_divided_otherwise(&self) -> bool {
        self.is_divided_otherwise.load(Ordering::Relaxed)
    }

    /// Returns whether the search has to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProofState>> {
        lock(&self.state)
    }

    /// Begins an iteration whose tree is divided at roots with this checksum, and returns its
    /// subtrees that an earlier run searched.
    pub(crate) fn begin(&self, iteration: ProofState) -> Vec<SearchedSubtree> {
        let mut state = self.lock();
        match &*state {
            Some(known) if known.bound == iteration.bound && known.roots == iteration.roots => {
                known.subtrees.clone()
            }
            Some(known) if known.bound == iteration.bound && !known.subtrees.is_empty() => {
                self.is_divided_otherwise.store(true, Ordering::Relaxed);
                self.stop();
                Vec::new()
            }
            _ => {
                if (self.keep)(state.insert(iteration)).is_break() {
                    self.stop();
                }
                Vec::new()
            }
        }
    }

    /// Adds a subtree of the iteration.
    pub(crate) fn add(&self, subtree: SearchedSubtree) {
        if self.is_divided_otherwise() {
            return;
        }
        if let Some(state) = &mut *self.lock() {
            state.subtrees.push(subtree);
            if (self.keep)(state).is_break() {
                self.stop();
            }
        }
    }
}
