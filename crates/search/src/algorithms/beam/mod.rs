//! Beam search.

use std::time::Instant;

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, mix};

mod combined_guide;
mod graph;
mod pattern_guide;
pub mod weight_learning;
mod weights_guide;

use self::combined_guide::CombinedGuide;
use self::graph::{AllSlides, GraphBeam};
use self::pattern_guide::PatternGuide;
use self::weights_guide::WeightsGuide;
use super::auto;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::{Codec, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::error::SolveError;
use crate::heuristics::{
    Followed, Heuristic, Incremental, IncrementalPatterns, Successor, TokenHomes,
};
use crate::outcome::{Limit, Outcome};
use crate::settings::{Domain, Setting, Typed};

/// The number of states that are kept of each layer.
pub(crate) static WIDTH: Typed<usize> = Setting::typed(
    "width",
    "N",
    "10000",
    Domain::Whole { least: 1, most: 1_000_000_000 },
    "The number of states that are kept of each layer",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "beam",
    summary: "beam search: breadth-first, but keeps only the states of least estimate of each \
              layer; quick and close to shortest, and it may miss a solution",
    guarantee: Guarantee::None,
    source: "B. T. Lowerre, The Harpy Speech Recognition System, 1976; its measurements here are in \
             docs/decisions/0009-near-optimal.md",
    when: "a short solution of a large puzzle is wanted in a time that you choose by the width",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[WIDTH.setting()],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// Above the length of all solutions that a beam looks for while none is known: it could wander
/// indefinitely.
pub(crate) fn longest(lower_bound: u32) -> u32 {
    /// Beams may be this many times as long as the lower bound.
    const LONGEST: u32 = 64;

    lower_bound.saturating_add(1).saturating_mul(LONGEST)
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    /// Beams may be this long even if the lower bound is small: on rings with few chords, solutions
    /// are long.
    const ALWAYS: u32 = 10_000;

    let mut heuristic = task.build_heuristic(meter)?;
    let mut least = task.least(&*heuristic);
    if task.heuristic.is_default() {
        let leading = &Task { heuristic: &auto::leading(task.puzzle), ..task.clone() };
        heuristic = leading.build_heuristic(meter)?;
        least = least.max(leading.least(&*heuristic));
    }
    let below = longest(least).max(ALWAYS);
    let beam = Beam { width: task.get(&WIDTH), seed: 0, below, end: None };
    let ended = search(task, &*heuristic, beam, meter);
    let outcome = match ended.map(|ended| ended.found) {
        Ok(Some(moves)) => {
            let optimal = moves.len() as u32 == least;
            Outcome::Solved { moves, optimal, lower_bound: least }
        }
        Ok(None) => Outcome::LimitReached { limit: Limit::Width, lower_bound: least },
        Err(limit) => Outcome::LimitReached { limit, lower_bound: least },
    };
    Ok((outcome, ALGORITHM.name))
}

/// One beam search.
#[derive(Clone, Copy)]
pub(crate) struct Beam {
    /// States kept of each layer.
    pub width: usize,
    /// Decides which of the states with the same estimate are kept.
    pub seed: u64,
    /// Only solutions with fewer moves are wanted.
    pub below: u32,
    /// When the search should end: layers become narrower where that is necessary.
    pub end: Option<Instant>,
}

/// How a beam search ended that no limit stopped.
pub(crate) struct Ended<T> {
    /// A solution of fewer moves than [`Beam::below`], if there is one in the beam.
    pub found: Option<T>,
    /// Whether a full layer may have left states out. If not, a wider beam finds the same.
    pub is_cut: bool,
}

impl<T> Ended<T> {
    /// The goal cannot be reached.
    const EMPTY: Ended<T> = Ended { found: None, is_cut: false };
}

/// The speed of a beam so far, and therefore how wide it may be to end in time.
pub(crate) struct Pace {
    beam: Beam,
    began: Instant,
    /// The number of states of all layers so far.
    states: usize,
}

impl Pace {
    pub fn new(beam: Beam) -> Pace {
        Pace { beam, began: Instant::now(), states: 0 }
    }

    /// The width of layer `g`, where the layer before it has `before` states.
    pub fn width(&mut self, g: u32, before: usize, now: Instant) -> usize {
        self.states += before;
        let width = self.beam.width;
        // Nothing is known about the speed before that.
        let Some(end) = self.beam.end.filter(|_| self.states >= width) else { return width };
        let state = (now - self.began).as_secs_f64() / self.states as f64;
        let layers = f64::from(self.beam.below.saturating_sub(g).max(1));
        let fits = end.saturating_duration_since(now).as_secs_f64() / (state * layers);
        (fits as usize).clamp(1, width)
    }
}

/// Searches until a solution is found or a layer is empty.
pub(crate) fn search(
    task: &Task<'_>,
    heuristic: &dyn Heuristic,
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Ended<Vec<Move>>, Limit> {
    let (puzzle, threads) = (task.puzzle, task.resources.threads);
    match heuristic.incremental() {
        Some(Incremental::Patterns(patterns)) => match patterns.and_weights() {
            Some((patterns, Incremental::GridWeights(weights))) => {
                follow_both(task, patterns, weights, beam, meter)
            }
            Some((patterns, Incremental::NeighbourWeights(weights))) => {
                follow_both(task, patterns, weights, beam, meter)
            }
            _ => {
                let guide = PatternGuide::new(puzzle, patterns);
                GraphBeam::new(puzzle, guide, &*task.move_pruning(), threads).search(beam, meter)
            }
        },
        Some(Incremental::GridWeights(weights)) => follow(task, weights, beam, meter),
        Some(Incremental::NeighbourWeights(weights)) => follow(task, weights, beam, meter),
        Some(Incremental::TokenCosts(_)) | None => {
            with_codec!(puzzle, |codec| search_any(puzzle, &codec, heuristic, beam, meter))
        }
    }
}

/// Beam search guided by pattern databases and learned weights together.
fn follow_both<W: Followed>(
    task: &Task<'_>,
    patterns: IncrementalPatterns<'_>,
    weights: &W,
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Ended<Vec<Move>>, Limit> {
    let (puzzle, threads) = (task.puzzle, task.resources.threads);
    let weights = WeightsGuide::new(puzzle, None, weights);
    let guide = CombinedGuide::new(PatternGuide::new(puzzle, patterns), weights);
    GraphBeam::new(puzzle, guide, &*task.move_pruning(), threads).search(beam, meter)
}

/// Beam search guided by learned weights.
fn follow<W: Followed>(
    task: &Task<'_>,
    weights: &W,
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Ended<Vec<Move>>, Limit> {
    let (puzzle, threads) = (task.puzzle, task.resources.threads);
    let homes = TokenHomes::new(puzzle);
    let guide = WeightsGuide::new(puzzle, homes.as_ref(), weights);
    if puzzle.has_one_empty() {
        return GraphBeam::new(puzzle, guide, &*task.move_pruning(), threads).search(beam, meter);
    }
    let slides = AllSlides::new(puzzle.board());
    GraphBeam::new(puzzle, guide, &slides, threads).search(beam, meter)
}

/// Beam search on any board. A state that was left out may come back by a longer path; one that was
/// kept may not.
fn search_any<const WORDS: usize>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    heuristic: &dyn Heuristic,
    beam: Beam,
    meter: &mut Meter<'_>,
) -> Result<Ended<Vec<Move>>, Limit> {
    /// In a note: the state was kept. Above it, the layer in which it was met last.
    const KEPT: u32 = 1;

    let board = puzzle.board();
    let mut nodes = Nodes::<WORDS>::new();
    let Some(h) = heuristic.estimate(puzzle.start()) else { return Ok(Ended::EMPTY) };
    let root = nodes.insert_root(&codec.pack(puzzle.start()), KEPT)?;
    let mut layer: Vec<(u32, NodeId)> = vec![(h, root)];
    // The candidates for the next layer by their estimate.
    let mut buckets: Vec<Vec<NodeId>> = Vec::new();
    let mut successors = Vec::new();
    let mut pace = Pace::new(beam);
    let recorder = meter.recorder(ALGORITHM.name, puzzle);
    let (mut g, mut is_cut) = (0, false);
    while !layer.is_empty() {
        g += 1;
        let width = pace.width(g, layer.len(), Instant::now());
        buckets.iter_mut().for_each(Vec::clear);
        for &(h, id) in &layer {
            let key = nodes.get(id).key;
            let state = codec.unpack(&key);
            meter.stats.expanded += 1;
            if let Some(recorder) = &recorder {
                recorder.expand(|| nodes.expanded(codec, id, (g - 1, Some(h)), SearchEnd::Start));
            }
            Successor::list(&mut successors, board, &state);
            heuristic.estimate_successors(h, &state, &mut successors);
            for &Successor { label, mv, h } in &successors {
                meter.stats.generated += 1;
                let Some(h) = h else { continue };
                if g + h >= beam.below {
                    continue;
                }
                let moved = codec.moved(&key, label, mv);
                let (child, is_new) = nodes.insert(&moved, id, g << 1);
                if !is_new {
                    let known = nodes.get_mut(child);
                    if known.note & KEPT != 0 || known.note == g << 1 {
                        continue;
                    }
                    (known.parent, known.note) = (id, g << 1);
                }
                if h == 0 {
                    let mut next = state;
                    next.slide(mv);
                    if puzzle.goal().is_met(&next) {
                        meter.note_end(nodes.bytes(), nodes.len().into());
                        let found = Some(nodes.path(codec, child));
                        return Ok(Ended { found, is_cut });
                    }
                }
                if buckets.len() <= h as usize {
                    buckets.resize_with(h as usize + 1, Vec::new);
                }
                buckets[h as usize].push(child);
            }
            let bytes = || {
                let of_buckets: usize = buckets.iter().map(Vec::capacity).sum();
                let others = of_buckets * 4 + layer.capacity() * 8;
                nodes.bytes().saturating_add(others as u64)
            };
            if let Err(limit) = meter.check_storage(nodes.is_full(), bytes, 0) {
                meter.note_end(bytes(), nodes.len().into());
                return Err(limit);
            }
        }
        layer.clear();
        for (h, bucket) in (0..).zip(&mut buckets) {
            let room = width - layer.len();
            if bucket.len() > room {
                is_cut = true;
                // Which are kept is drawn, so that another seed is another beam.
                bucket.sort_unstable_by_key(|&id| mix(u64::from(id) ^ beam.seed));
                bucket.truncate(room);
            }
            layer.extend(bucket.iter().map(|&id| (h, id)));
        }
        for &(_, id) in &layer {
            nodes.get_mut(id).note |= KEPT;
        }
    }
    meter.note_end(nodes.bytes(), nodes.len().into());
    Ok(Ended { found: None, is_cut })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_beam_that_is_slow_becomes_narrower() {
        let second = Duration::from_secs(1);
        let beam = Beam { width: 1_000, seed: 0, below: 21, end: None };
        let mut pace = Pace::new(beam);
        let (began, states) = (pace.began, 4_000);
        assert_eq!(pace.width(1, states, began + second), 1_000, "as long as it likes");

        // 20 layers are left, 4,000 states a second.
        for (seconds, width) in [(9, 1_000), (6, 1_000), (5, 800), (2, 200), (1, 1), (0, 1)] {
            pace = Pace {
                beam: Beam { end: Some(began + seconds * second), ..beam },
                began,
                states: 0,
            };
            assert_eq!(pace.width(1, 999, began + second), 1_000, "nothing is known yet");
            assert_eq!(pace.width(1, states - 999, began + second), width, "{seconds} s");
        }
    }
}
