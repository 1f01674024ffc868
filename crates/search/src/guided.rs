//! Search guided by an estimate that a caller makes of many states at once, such as a neural network.
//!
//! Greedy search, A\*, weighted A\* and beam search as they are defined in `algorithms`, except that
//! states are expanded until a batch of new ones is there to be estimated together (batch weighted
//! A\*: Agostinelli, McAleer, Shmakov and Baldi, Nature Machine Intelligence 1, 2019, pp. 356-363),
//! and that estimates are fractions.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State, UnsolvableReason};
use thiserror::Error;

use crate::algorithms::{WEIGHT, WIDTH, mix};
use crate::config::Config;
use crate::control::{Control, Meter};
use crate::engine::codec::{Codec, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome, Report};
use crate::solve::{answer_without_search, conclude};

/// Returns an estimate of the moves to the goal for each of some states.
pub type Estimate<'a, E> = dyn FnMut(&[State]) -> Result<Vec<f64>, E> + 'a;

/// The estimates of a caller.
pub struct Guide<'a, E> {
    /// Makes them. Negative estimates count as 0; an infinite one says that the goal cannot be
    /// reached.
    pub estimate: &'a mut Estimate<'a, E>,
    /// The most states that are estimated together.
    pub batch: usize,
    /// Whether the caller declares that no estimate is greater than the number of moves to the goal.
    /// Only then is anything concluded about the length of the shortest solution.
    pub admissible: bool,
}

/// Why a guided search has no outcome.
#[derive(Debug, Error)]
pub enum GuidedError<E> {
    /// The caller could not make an estimate.
    #[error("the estimate failed")]
    Estimate(E),
    /// The algorithm takes no estimate of a caller.
    #[error("{0} takes no heuristic of your own: use beam, greedy, astar or weighted-astar")]
    Algorithm(&'static str),
    /// An estimate is not a number.
    #[error("the heuristic is not a number in state {0} of a batch: return floats of 0 or more")]
    NotANumber(usize),
    /// There is another number of estimates than of states.
    #[error("the heuristic made {estimates} estimates of {states} states: return one for each")]
    Count {
        /// The number of estimates.
        estimates: usize,
        /// The number of states.
        states: usize,
    },
    /// The puzzle cannot be searched.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Solves a puzzle as [`crate::solve()`] does, with the estimates of a caller in place of the heuristic
/// of the configuration.
///
/// # Errors
///
/// When the algorithm takes no such estimates, or an estimate fails or is not a number.
pub fn solve_guided<E>(
    puzzle: &Puzzle,
    config: &Config,
    guide: Guide<'_, E>,
    control: &Control<'_>,
) -> Result<Report, GuidedError<E>> {
    let mut meter = Meter::new(control);
    let algorithm = config.algorithm;
    let kind = match algorithm.name {
        "beam" => Kind::Beam { width: config.settings.get(&WIDTH) },
        "greedy" => Kind::BestFirst { of_path: 0.0, weight: 1.0 },
        "astar" => Kind::BestFirst { of_path: 1.0, weight: 1.0 },
        "weighted-astar" => {
            let weight = config.settings.get(&WEIGHT);
            let weight = f64::from(weight.numerator) / f64::from(weight.denominator);
            Kind::BestFirst { of_path: 1.0, weight }
        }
        other => return Err(GuidedError::Algorithm(other)),
    };
    let outcome = match answer_without_search(puzzle, algorithm, &mut meter) {
        Some(outcome) => outcome,
        None => with_codec!(puzzle, |codec| {
            Search { puzzle, codec: &codec, nodes: Nodes::new(), estimates: Vec::new(), guide }
                .run(algorithm.name, kind, &mut meter)?
        }),
    };
    Ok(conclude(puzzle, outcome, algorithm.name, meter, config.seed)?)
}

#[derive(Clone, Copy)]
enum Kind {
    Beam {
        width: usize,
    },
    /// f = `of_path` g + `weight` h.
    BestFirst {
        of_path: f64,
        weight: f64,
    },
}

/// Estimates that should be whole may be greater by the error of a computation.
const TOLERANCE: f64 = 1e-4;

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

struct Search<'a, 'g, const WORDS: usize, E> {
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    nodes: Nodes<WORDS>,
    /// The estimate of each node.
    estimates: Vec<f64>,
    guide: Guide<'g, E>,
}

impl<const WORDS: usize, E> Search<'_, '_, WORDS, E> {
    fn run(
        mut self,
        algorithm: &'static str,
        kind: Kind,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, GuidedError<E>> {
        let outcome = match kind {
            Kind::Beam { width } => self.beam(width, meter),
            Kind::BestFirst { of_path, weight } => {
                self.best_first(algorithm, (of_path, weight), meter)
            }
        };
        meter.note_end(self.bytes(), self.nodes.len().into());
        outcome
    }

    fn bytes(&self) -> u64 {
        let estimates = self.estimates.capacity() * size_of::<f64>();
        self.nodes.bytes().saturating_add(estimates as u64)
    }

    /// Estimates states that were added to the nodes in this order.
    fn estimate(&mut self, states: &[State]) -> Result<(), GuidedError<E>> {
        for states in states.chunks(self.guide.batch.max(1)) {
            let estimates = (self.guide.estimate)(states).map_err(GuidedError::Estimate)?;
            if estimates.len() != states.len() {
                let (estimates, states) = (estimates.len(), states.len());
                return Err(GuidedError::Count { estimates, states });
            }
            if let Some(number) = estimates.iter().position(|estimate| estimate.is_nan()) {
                return Err(GuidedError::NotANumber(number));
            }
            self.estimates.extend(estimates.into_iter().map(|estimate| estimate.max(0.0)));
        }
        Ok(())
    }

    /// The number of moves that no solution is shorter than, when none has an f below this.
    fn bound(&self, f: f64, weight: f64) -> u32 {
        let unit = weight.max(1.0);
        if self.guide.admissible {
            ((f / unit) - TOLERANCE).ceil().clamp(0.0, 1e9) as u32
        } else {
            0
        }
    }

    /// In a note: the cost so far times two, plus one when the state is closed.
    fn best_first(
        &mut self,
        algorithm: &'static str,
        (of_path, weight): (f64, f64),
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, GuidedError<E>> {
        const CLOSED: u32 = 1;

        let (puzzle, codec) = (self.puzzle, self.codec);
        let recorder = meter.recorder(algorithm, puzzle);
        let root = match self.nodes.insert_root(&codec.pack(puzzle.start()), 0) {
            Ok(root) => root,
            Err(limit) => return Ok(Outcome::LimitReached { limit, lower_bound: 0 }),
        };
        self.estimate(std::slice::from_ref(puzzle.start()))?;
        let mut open = BinaryHeap::new();
        let f = |g: u32, h: f64| of_path * f64::from(g) + weight * h;
        // A start that is given up is expanded all the same.
        let first = self.estimates[root as usize];
        open.push(Open { f: f(0, first.min(1e9)), g: 0, id: root });
        let (mut solution, mut lower_bound): (Option<(u32, NodeId)>, u32) = (None, 0);
        let mut has_given_up = false;
        let (mut states, mut reached) = (Vec::new(), Vec::new());
        'search: loop {
            let mut is_first = true;
            states.clear();
            reached.clear();
            let first_new = self.nodes.len();
            while let Some(&Open { f: least, g, id }) = open.peek() {
                let note = self.nodes.get(id).note;
                if note != g << 1 {
                    open.pop();
                    continue; // Closed, or a shorter way was found.
                }
                if is_first {
                    // No shorter solution has an open state with a smaller f.
                    if of_path > 0.0 {
                        lower_bound = lower_bound.max(self.bound(least, weight));
                    }
                    if solution.is_some_and(|(length, _)| least + TOLERANCE >= f64::from(length)) {
                        break 'search;
                    }
                    is_first = false;
                } else if states.len() >= self.guide.batch {
                    break;
                }
                open.pop();
                self.nodes.get_mut(id).note |= CLOSED;
                let key = self.nodes.get(id).key;
                let state = codec.unpack(&key);
                meter.stats.expanded += 1;
                if let Some(recorder) = &recorder {
                    let h = self.estimates[id as usize].min(1e9) as u32;
                    recorder
                        .expand(|| self.nodes.expanded(codec, id, (g, Some(h)), SearchEnd::Start));
                }
                let g = g + 1;
                for (from, label) in state.tokens() {
                    for to in puzzle.board().destinations(from, state.occupied()) {
                        let mv = Move { from, to };
                        meter.stats.generated += 1;
                        if solution.is_some_and(|(length, _)| g >= length) {
                            continue;
                        }
                        let moved = codec.moved(&key, label, mv);
                        let (child, is_new) = self.nodes.insert(&moved, id, g << 1);
                        if self.nodes.is_full() {
                            return Ok(Outcome::LimitReached { limit: Limit::Memory, lower_bound });
                        }
                        let mut next = state;
                        next.slide(mv);
                        if !is_new {
                            let known = self.nodes.get_mut(child);
                            if known.note >> 1 <= g {
                                continue;
                            }
                            meter.stats.reopened += u64::from(known.note & CLOSED);
                            (known.note, known.parent) = (g << 1, id);
                        } else {
                            states.push(next);
                        }
                        reached.push((child, g));
                        if puzzle.goal().is_met(&next) {
                            solution = Some((g, child));
                        }
                    }
                }
                if solution.is_some() && of_path == 0.0 {
                    break 'search;
                }
            }
            if is_first {
                break; // Nothing is open.
            }
            debug_assert_eq!(self.nodes.len() - first_new, states.len() as u32);
            self.estimate(&states)?;
            for &(id, g) in &reached {
                let h = self.estimates[id as usize];
                let is_last = self.nodes.get(id).note == g << 1;
                if h.is_infinite() {
                    has_given_up = true;
                } else if is_last && solution.is_none_or(|(length, _)| g < length) {
                    open.push(Open { f: f(g, h), g, id });
                }
            }
            let bytes = self.bytes() + (open.capacity() * size_of::<Open>()) as u64;
            if let Err(limit) = meter.check(|| bytes, lower_bound) {
                let Some((length, id)) = solution else {
                    return Ok(Outcome::LimitReached { limit, lower_bound });
                };
                let moves = self.nodes.path(codec, id);
                let lower_bound = lower_bound.min(length);
                return Ok(Outcome::Solved { moves, optimal: lower_bound == length, lower_bound });
            }
            meter.note_best(solution.map(|(length, _)| length), lower_bound);
        }
        Ok(match solution {
            Some((_, id)) => {
                let moves = self.nodes.path(codec, id);
                let length = moves.len() as u32;
                if of_path > 0.0 && open.is_empty() && self.guide.admissible && weight <= 1.0 {
                    lower_bound = length;
                }
                let lower_bound = lower_bound.min(length);
                Outcome::Solved { moves, optimal: lower_bound == length, lower_bound }
            }
            None if has_given_up => Outcome::LimitReached { limit: Limit::Width, lower_bound: 0 },
            None => Outcome::Unsolvable(UnsolvableReason::Exhausted {
                end: SearchEnd::Start,
                states: self.nodes.len().into(),
                labelled: None,
            }),
        })
    }

    /// In a note: the layer in which the state was met last times two, plus one when it was kept.
    fn beam(&mut self, width: usize, meter: &mut Meter<'_>) -> Result<Outcome, GuidedError<E>> {
        const KEPT: u32 = 1;

        let (puzzle, codec) = (self.puzzle, self.codec);
        let root = match self.nodes.insert_root(&codec.pack(puzzle.start()), KEPT) {
            Ok(root) => root,
            Err(limit) => return Ok(Outcome::LimitReached { limit, lower_bound: 0 }),
        };
        self.estimate(std::slice::from_ref(puzzle.start()))?;
        let lower_bound = self.bound(self.estimates[root as usize], 1.0);
        let recorder = meter.recorder("beam", puzzle);
        let (mut layer, mut states, mut reached) = (vec![root], Vec::new(), Vec::new());
        let mut g = 0;
        while !layer.is_empty() {
            g += 1;
            states.clear();
            reached.clear();
            for &id in &layer {
                let key = self.nodes.get(id).key;
                let state = codec.unpack(&key);
                meter.stats.expanded += 1;
                if let Some(recorder) = &recorder {
                    let h = self.estimates[id as usize].min(1e9) as u32;
                    recorder.expand(|| {
                        self.nodes.expanded(codec, id, (g - 1, Some(h)), SearchEnd::Start)
                    });
                }
                for (from, label) in state.tokens() {
                    for to in puzzle.board().destinations(from, state.occupied()) {
                        let mv = Move { from, to };
                        meter.stats.generated += 1;
                        let moved = codec.moved(&key, label, mv);
                        let (child, is_new) = self.nodes.insert(&moved, id, g << 1);
                        let mut next = state;
                        next.slide(mv);
                        if is_new {
                            states.push(next);
                        } else {
                            let known = self.nodes.get_mut(child);
                            if known.note & KEPT != 0 || known.note == g << 1 {
                                continue;
                            }
                            (known.parent, known.note) = (id, g << 1);
                        }
                        if puzzle.goal().is_met(&next) {
                            let moves = self.nodes.path(codec, child);
                            let lower_bound = lower_bound.min(g);
                            let optimal = lower_bound == g;
                            return Ok(Outcome::Solved { moves, optimal, lower_bound });
                        }
                        reached.push(child);
                    }
                }
                let others =
                    (reached.capacity() * 4 + states.capacity() * size_of::<State>()) as u64;
                let bytes = || self.bytes().saturating_add(others);
                if let Err(limit) = meter.check_storage(self.nodes.is_full(), bytes, lower_bound) {
                    return Ok(Outcome::LimitReached { limit, lower_bound });
                }
            }
            self.estimate(&states)?;
            let estimates = &self.estimates;
            reached.retain(|&id: &NodeId| estimates[id as usize].is_finite());
            reached.sort_unstable_by(|&a, &b| {
                let by_estimate = estimates[a as usize].total_cmp(&estimates[b as usize]);
                by_estimate.then_with(|| mix(a.into()).cmp(&mix(b.into())))
            });
            reached.truncate(width);
            std::mem::swap(&mut layer, &mut reached);
            for &id in &layer {
                self.nodes.get_mut(id).note |= KEPT;
            }
        }
        Ok(Outcome::LimitReached { limit: Limit::Width, lower_bound })
    }
}
