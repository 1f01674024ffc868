//! Solves by way of hubs, occupied sets on which many tokens can slide.
//!
//! A hub has many short closed walks, each of which moves only a few tokens. So both ends of the
//! puzzle are joined to a hub, and there a beam of closed walks takes the tokens home. Estimates
//! from a few tokens at a time lead it well, since on the hub none is in another's way.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Board, Move, Permutation, VertexSet, symmetry_group};
use hyperslide_table::Watch;
use rustc_hash::FxHashSet;

use super::beam::{self, Root};
use super::places::Places;
use super::stations::Stations;
use super::walk::{Walk, in_order, join};
use super::{MOST_NODES, slots};
use crate::algorithm::Task;
use crate::control::Meter;
use crate::engine::nodes::NodeId;
use crate::parallel;

/// With more tokens walks to hubs are too long for balls to find them.
pub(super) const MOST_TOKENS: usize = 16;
/// Balls of states with that many tokens.
type Ball = super::ball::Ball<{ MOST_TOKENS / 8 }>;
/// The words of their arrangements in beams.
const WORDS: usize = MOST_TOKENS / 8 + 1;
/// Arrangements that a beam keeps for each number of slides. Four times as many found no shorter
/// solutions.
const WIDTH: usize = 1 << 9;
/// Occupied sets among which a hub is sought.
const SETS: usize = 1 << 14;
/// The symmetries of a board that has more are not used.
const MOST_SYMMETRIES: usize = 1 << 16;
/// The number of hubs to which walks are sought.
const HUBS: usize = 16;
/// The number of hubs on which beams are searched.
const BASES: usize = 8;
/// States around each hub, which contain its shortest closed walks and those to its neighbours.
const HUB_STATES: NodeId = 300_000;
/// States around each end of the puzzle.
const END_STATES: NodeId = 500_000;
/// States around each hub on which a beam is searched.
const BASE_STATES: NodeId = 1_000_000;
/// All of these are fewer when they would take more than one part in this many of the memory.
const MEMORY_SHARE: u64 = 2;
/// Bytes that a beam takes at most.
const BEAM_BYTES: u64 = 1 << 24;
/// The number of closed walks of a hub, of such walks by way of others, and of walks to it from
/// each end of the puzzle.
const MOST_WALKS: usize = 1 << 9;
/// The part of the time that is left which the search may take.
const SHARE: f64 = 0.75;
/// With less time left even two idle cores would hardly find a solution, and others would lack the
/// time.
const LEAST_TIME: Duration = Duration::from_secs(3);

/// A hub and what is around it.
struct Hub {
    ball: Ball,
    closed: Vec<Walk>,
    /// Walks from both ends of the puzzle.
    entries: [Vec<Walk>; 2],
}

/// A hub on which a beam can be searched.
struct Base {
    set: VertexSet,
    /// Walks from both ends of the puzzle, at least one from each.
    roots: [Vec<Root>; 2],
    /// Closed walks by way of other hubs: they move tokens that are locked in on this one.
    detours: Vec<Walk>,
}

/// Returns the shortest of the solutions by way of a few hubs; `None` where there is no such
/// solution, or too little time, memory or nodes to find one.
pub(super) fn search(task: &Task<'_>, meter: &mut Meter<'_>) -> Option<Vec<Move>> {
    let (puzzle, threads) = (task.puzzle, task.resources.threads);
    let states = [*puzzle.start(), *puzzle.goal().labelled()];
    let [start, goal] = states.map(|state| state.occupied());
    let has_room = meter.fits(MEMORY_SHARE * BASES as u64 * BEAM_BYTES);
    if !has_room || meter.nodes_left() < MOST_NODES {
        return None;
    }
    let now = Instant::now();
    let time = meter.deadline().map(|end| end.saturating_duration_since(now));
    if time.is_some_and(|time| time < LEAST_TIME) {
        return None;
    }
    let watch = Watch::new(meter.cancel(), time.map(|time| now + time.mul_f64(SHARE)));
    // First the balls around hubs and ends are held, then those of as many bases as there are
    // threads: as if of all, so that the result is the same on any number.
    let first = HUBS as u64 * u64::from(HUB_STATES) + 2 * u64::from(END_STATES);
    let all = first.max(BASES as u64 * u64::from(BASE_STATES));
    let memory = meter.memory_limit() / MEMORY_SHARE;
    let part = (memory as f64 / (all * Ball::STATE_BYTES) as f64).min(1.0);
    let fewer = |states: NodeId| (f64::from(states) * part) as NodeId;
    let generated = AtomicU64::new(0);
    let stop = &|| watch.is_over();
    let grow = |centre: VertexSet, most: NodeId| {
        let ball = Ball::grow(puzzle.board(), centre, fewer(most), stop)?;
        generated.fetch_add(ball.len().into(), Ordering::Relaxed);
        Some(ball)
    };

    let (ends, cpu) =
        parallel::each(threads, [start, goal].into_iter(), |_, set| grow(set, END_STATES));
    meter.add_cpu(cpu);
    let ends = ends.into_iter().collect::<Option<Vec<Ball>>>()?;
    let sets = hubs(puzzle.board(), [start, goal]);
    let (hubs, cpu) = parallel::each(threads, sets.iter(), |_, &set| {
        let ball = grow(set, HUB_STATES)?;
        let closed = join([&ball, &ball], MOST_WALKS, stop);
        let entries = [0, 1].map(|end| join([&ends[end], &ball], MOST_WALKS, stop));
        Some(Hub { ball, closed, entries })
    });
    meter.add_cpu(cpu);
    let hubs = hubs.into_iter().collect::<Option<Vec<Hub>>>()?;
    let (bases, cpu) = parallel::each(threads, sets.iter().zip(&hubs), |_, (&set, hub)| {
        if stop() { None } else { base(set, hub, &hubs, stop) }
    });
    meter.add_cpu(cpu);
    meter.note_bytes(generated.load(Ordering::Relaxed) * Ball::STATE_BYTES);
    drop((hubs, ends));

    let mut bases: Vec<Base> = bases.into_iter().flatten().collect();
    bases.sort_by_key(|base| {
        base.roots.iter().map(|roots| roots[0].walk.moves.len()).sum::<usize>()
    });
    bases.truncate(BASES);
    let ends = states.map(|state| slots(&state));
    let (solutions, cpu) = parallel::each(threads, bases.iter(), |_, base| {
        let ball = grow(base.set, BASE_STATES)?;
        let mut walks = join([&ball, &ball], MOST_WALKS, stop);
        drop(ball);
        walks.retain(|walk| !walk.moves.is_empty());
        walks.extend(base.detours.iter().cloned());
        in_order(&mut walks);
        let mut stations = Stations::new(1, start.len());
        stations.add(0, 0, walks);
        let (solution, count) =
            beam::search::<WORDS>(ends, &base.roots, &stations, WIDTH, usize::MAX, stop);
        generated.fetch_add(count, Ordering::Relaxed);
        solution
    });
    meter.add_cpu(cpu);
    meter.stats.generated += generated.into_inner();
    solutions.into_iter().flatten().min_by_key(Vec::len)
}

/// Returns the surroundings of a hub, unless no walk joins it to both ends of the puzzle.
fn base(set: VertexSet, base: &Hub, hubs: &[Hub], stop: &dyn Fn() -> bool) -> Option<Base> {
    let (mut roots, mut detours) = ([Vec::new(), Vec::new()], Vec::new());
    for hub in hubs {
        let Some(link) = join([&base.ball, &hub.ball], 1, stop).into_iter().next() else {
            continue;
        };
        let back = link.reversed();
        detours.extend(hub.closed.iter().map(|walk| link.then(walk).then(&back)));
        for (roots, entries) in roots.iter_mut().zip(&hub.entries) {
            roots.extend(entries.iter().map(|entry| entry.then(&back)));
        }
    }
    // Some of these closed walks rearrange tokens as shorter ones do.
    let known: FxHashSet<Places> = base.closed.iter().map(|walk| walk.ends).collect();
    detours.retain(|walk| !known.contains(&walk.ends));
    for walks in roots.iter_mut().chain([&mut detours]) {
        in_order(walks);
        walks.truncate(MOST_WALKS);
    }
    let is_joined = roots.iter().all(|roots| !roots.is_empty());
    let roots =
        roots.map(|walks| walks.into_iter().map(|walk| Root { walk, station: 0 }).collect());
    is_joined.then_some(Base { set, roots, detours })
}

/// Returns hubs, beginning with those that share the most vertices with both ends of the puzzle.
fn hubs(board: &Board, ends: [VertexSet; 2]) -> Vec<VertexSet> {
    let hub = climb(board, ends[0]);
    let image = |symmetry: &Permutation| {
        hub.into_iter().fold(0, |image, vertex| image | 1 << symmetry.image(vertex.index()))
    };
    let symmetries = symmetry_group(board).elements(board.vertex_count(), MOST_SYMMETRIES);
    let mut hubs = vec![hub.bits()];
    hubs.extend(symmetries.iter().flatten().map(image));
    let missing =
        |hub: u64| ends.iter().map(|&end| (VertexSet::from_bits(hub) - end).len()).sum::<usize>();
    hubs.sort_unstable_by_key(|&hub| (missing(hub), hub));
    hubs.dedup();
    hubs.into_iter().take(HUBS).map(VertexSet::from_bits).collect()
}

/// Returns the occupied set with the most slides that a search finds which always continues there.
fn climb(board: &Board, start: VertexSet) -> VertexSet {
    let slides = |set: VertexSet| {
        set.into_iter().map(|from| board.destinations(from, set).len()).sum::<usize>()
    };
    let first = (slides(start), start.bits());
    let (mut best, mut open) = (first, BinaryHeap::from([first]));
    let mut known = FxHashSet::from_iter([start.bits()]);
    while let Some(next) = open.pop()
        && known.len() < SETS
    {
        best = best.max(next);
        let set = VertexSet::from_bits(next.1);
        for from in set {
            for to in board.destinations(from, set) {
                let next = set.moved(from, to);
                if known.insert(next.bits()) {
                    open.push((slides(next), next.bits()));
                }
            }
        }
    }
    VertexSet::from_bits(best.1)
}
