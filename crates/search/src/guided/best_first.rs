//! Best-first searches: the states with the least f are expanded first, until a batch of new ones
//! is there to be estimated.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hyperslide_puzzle::{SearchEnd, State, UnsolvableReason};

use super::{GuidedError, Search, Stop, TOLERANCE, children};
use crate::control::Meter;
use crate::engine::nodes::NodeId;
use crate::observer::Recorder;
use crate::outcome::{Limit, Outcome};

/// In a note: the cost so far times two, plus this when the state is closed.
const CLOSED: u32 = 1;

/// An open state; the one that comes first is the greatest.
#[derive(PartialEq)]
struct Open {
    f: f64,
    g: u32,
    id: NodeId,
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        // The least f; of these the deeper, then the later.
        other.f.total_cmp(&self.f).then(self.g.cmp(&other.g)).then(self.id.cmp(&other.id))
    }
}

struct BestFirst<'s, 'a, 'g, const WORDS: usize, E> {
    search: &'s mut Search<'a, 'g, WORDS, E>,
    recorder: Option<&'s Recorder<'s>>,
    /// f = `of_path` g + `weight` h.
    of_path: f64,
    weight: f64,
    open: BinaryHeap<Open>,
    /// The shortest solution so far, by its length and its last state.
    solution: Option<(u32, NodeId)>,
    lower_bound: u32,
    /// Whether the caller said of a state that the goal cannot be reached from it.
    has_given_up: bool,
    /// The new states that wait for their estimates.
    states: Vec<State>,
    /// What the last expansions reached, old or new, and the moves to it.
    reached: Vec<(NodeId, u32)>,
}

/// Searches with f = `of_path` g + `weight` h.
pub(super) fn search<const WORDS: usize, E>(
    search: &mut Search<'_, '_, WORDS, E>,
    (of_path, weight): (f64, f64),
    recorder: Option<&Recorder<'_>>,
    meter: &mut Meter<'_>,
) -> Result<Outcome, GuidedError<E>> {
    let mut search = BestFirst {
        search,
        recorder,
        of_path,
        weight,
        open: BinaryHeap::new(),
        solution: None,
        lower_bound: 0,
        has_given_up: false,
        states: Vec::new(),
        reached: Vec::new(),
    };
    match search.run(meter) {
        Ok(()) => Ok(search.conclude()),
        Err(Stop::Limit(limit)) => Ok(search.stopped(limit)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

impl<const WORDS: usize, E> BestFirst<'_, '_, '_, WORDS, E> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Stop<E>> {
        let root = self.search.begin(0, meter)?;
        // A start that is given up is expanded all the same.
        let first = self.search.estimates[root as usize].min(1e9);
        self.open.push(Open { f: self.f(0, first), g: 0, id: root });
        while self.expand_batch(meter)? {
            let bytes = self.bytes();
            self.search.estimate(&self.states, bytes, self.lower_bound, meter)?;
            self.open_reached();
            meter.check(|| self.search.bytes() + self.bytes(), self.lower_bound)?;
            meter.note_best(self.solution.map(|(length, _)| length), self.lower_bound);
        }
        Ok(())
    }

    fn f(&self, g: u32, h: f64) -> f64 {
        self.of_path * f64::from(g) + self.weight * h
    }

    /// The bytes of what is open, waits or was reached.
    fn bytes(&self) -> u64 {
        let open = self.open.capacity() * size_of::<Open>();
        let reached = self.reached.capacity() * size_of::<(NodeId, u32)>();
        (open + reached + self.states.capacity() * size_of::<State>()) as u64
    }

    /// Expands open states until a batch of new ones waits for its estimates, and returns whether
    /// the search goes on.
    fn expand_batch(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        self.states.clear();
        self.reached.clear();
        let Some(&Open { f: least, .. }) = self.peek() else { return Ok(false) };
        // No shorter solution has an open state with a smaller f.
        if self.of_path > 0.0 {
            self.lower_bound = self.lower_bound.max(self.search.bound(least, self.weight));
        }
        if self.solution.is_some_and(|(length, _)| least + TOLERANCE >= f64::from(length)) {
            return Ok(false);
        }
        while let Some(&Open { g, id, .. }) = self.peek() {
            self.open.pop();
            self.expand(id, g, meter)?;
            if self.solution.is_some() && self.of_path == 0.0 {
                return Ok(false);
            }
            if self.states.len() >= self.search.guide.batch {
                break;
            }
        }
        Ok(true)
    }

    /// The state that is expanded next.
    fn peek(&mut self) -> Option<&Open> {
        while let Some(&Open { g, id, .. }) = self.open.peek() {
            if self.search.nodes.get(id).note == g << 1 {
                break;
            }
            self.open.pop(); // Closed, or a shorter way was found.
        }
        self.open.peek()
    }

    fn expand(&mut self, id: NodeId, g: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let (puzzle, codec) = (self.search.puzzle, self.search.codec);
        self.search.nodes.get_mut(id).note |= CLOSED;
        let (key, state) = self.search.expand(id, g, self.recorder, meter);
        let g = g + 1;
        for (moved, next) in children(puzzle, codec, (key, &state)) {
            meter.stats.generated += 1;
            if self.solution.is_some_and(|(length, _)| g >= length) {
                continue;
            }
            let nodes = &mut self.search.nodes;
            let (child, is_new) = nodes.insert(&moved, id, g << 1);
            if nodes.is_full() {
                return Err(Limit::Memory);
            }
            if is_new {
                self.states.push(next);
            } else {
                let known = nodes.get_mut(child);
                if known.note >> 1 <= g {
                    continue;
                }
                meter.stats.reopened += u64::from(known.note & CLOSED);
                (known.note, known.parent) = (g << 1, id);
            }
            self.reached.push((child, g));
            if puzzle.goal().is_met(&next) {
                self.solution = Some((g, child));
            }
        }
        meter.check(|| self.search.bytes() + self.bytes(), self.lower_bound)
    }

    /// Opens what was reached, now that all of it is estimated.
    fn open_reached(&mut self) {
        for place in 0..self.reached.len() {
            let (id, g) = self.reached[place];
            let h = self.search.estimates[id as usize];
            let is_last = self.search.nodes.get(id).note == g << 1;
            if h.is_infinite() {
                self.has_given_up = true;
            } else if is_last && self.solution.is_none_or(|(length, _)| g < length) {
                self.open.push(Open { f: self.f(g, h), g, id });
            }
        }
    }

    /// The outcome when nothing is left to expand, or nothing that would be better.
    fn conclude(&self) -> Outcome {
        match self.solution {
            Some((length, id)) => {
                let is_whole = self.open.is_empty() && self.search.guide.admissible;
                let is_least = is_whole && self.of_path > 0.0 && self.weight <= 1.0;
                self.search.solved(id, if is_least { length } else { self.lower_bound })
            }
            None if self.has_given_up => {
                Outcome::LimitReached { limit: Limit::Width, lower_bound: 0 }
            }
            None => Outcome::Unsolvable(UnsolvableReason::Exhausted {
                end: SearchEnd::Start,
                states: self.search.nodes.len().into(),
                labelled: None,
            }),
        }
    }

    /// The outcome at a limit: with a solution if there is one.
    fn stopped(&self, limit: Limit) -> Outcome {
        let lower_bound = self.lower_bound;
        let unsolved = Outcome::LimitReached { limit, lower_bound };
        self.solution.map_or(unsolved, |(_, id)| self.search.solved(id, lower_bound))
    }
}
