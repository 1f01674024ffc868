//! Solves along a corridor, a path of occupied sets from the start to the goal.
//!
//! On each set of the path there are closed walks of a few slides which exchange a few tokens, and
//! tokens that are locked in on one set are free on another. A solution passes the path once, and
//! on its way makes the closed walks that a beam chooses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use hyperslide_puzzle::{Board, Move, State, Vertex, VertexSet};
use hyperslide_table::Watch;
use rustc_hash::FxHashSet;

use super::ball::Ball;
use super::beam::{self, Root};
use super::path::Beams;
use super::places::Places;
use super::stations::Stations;
use super::walk::{Walk, in_order, join};
use super::{MOST_NODES, approach, free_faces, path, slots};
use crate::algorithm::Task;
use crate::control::Meter;
use crate::engine::nodes::NodeId;
use crate::parallel;

/// The beams that look for a path, until one finds it. With more free faces there are more closed
/// walks on its sets, but not all beams that look for them arrive.
const PATHS: [Beams; 5] = [
    Beams { width: 1 << 9, free_faces: 3.0 },
    Beams { width: 1 << 9, free_faces: 1.0 },
    Beams { width: 1 << 11, free_faces: 1.0 },
    Beams { width: 1 << 13, free_faces: 1.0 },
    Beams { width: 1 << 15, free_faces: 1.0 },
];
/// Sets of the path around which closed walks are sought.
const STATIONS: usize = 32;
/// Closed walks on each of these.
const MOST_WALKS: usize = 1 << 10;
/// Occupied sets that are examined to free a token that is locked in on all sets of the path.
const SPUR_SETS: usize = 1 << 12;
/// Closed walks that are kept for each such token.
const SPUR_WALKS: usize = 1 << 3;
/// Slides at the beginning of each path that are chosen to take tokens home: how long solutions
/// become depends on the path, and cannot be known in advance.
const APPROACHES: [usize; 2] = [60, 30];
/// What is tried on each path, some 1.5 CPU s.
const FIRST: Attempt = Attempt { states: 80_000, width: 1 << 9 };
/// What is then tried, as long as there is time: at once while there is no solution, otherwise on
/// the path with the shortest solution first. It takes some 4 CPU s.
const SECOND: Attempt = Attempt { states: 240_000, width: 1 << 10 };
/// Bytes that paths and a beam take at most, of which the widest beams that look for a path take
/// most.
const OTHER_BYTES: u64 = 1 << 28;
/// The part of the time that is left which the search may take while it has no solution, and once
/// it has one, which searches of its neighbourhood then shorten.
const SHARES: [f64; 2] = [0.9, 0.75];

struct Attempt {
    /// States around each set on which closed walks are sought.
    states: NodeId,
    /// Arrangements that a beam keeps for each number of slides.
    width: usize,
}

/// Returns a solution; `None` where there is no path, where its closed walks do not suffice, or
/// where there is too little time, memory or nodes to find one.
pub(super) fn search(task: &Task<'_>, meter: &mut Meter<'_>) -> Option<Vec<Move>> {
    match task.puzzle.start().occupied().len() {
        ..=32 => along_paths::<4, 5>(&APPROACHES, [FIRST, SECOND], task, meter),
        _ => along_paths::<8, 9>(&APPROACHES, [FIRST, SECOND], task, meter),
    }
}

/// Searches along a path for each approach. A state's tokens take `WORDS` words, and `BEAM_WORDS`,
/// one more, in a beam.
fn along_paths<const WORDS: usize, const BEAM_WORDS: usize>(
    approaches: &[usize],
    [first, second]: [Attempt; 2],
    task: &Task<'_>,
    meter: &mut Meter<'_>,
) -> Option<Vec<Move>> {
    let board = task.puzzle.board();
    let ends = [*task.puzzle.start(), *task.puzzle.goal().labelled()];
    let now = Instant::now();
    let time = meter.deadline().map(|end| end.saturating_duration_since(now));
    let end = |share| time.map(|time| now + time.mul_f64(share));
    let watches = SHARES.map(|share| Watch::new(meter.cancel(), end(share)));
    let is_solved = &AtomicBool::new(false);
    let stop = &|| watches[usize::from(is_solved.load(Ordering::Relaxed))].is_over();
    if !meter.fits(OTHER_BYTES) {
        return None;
    }
    let direct = path_between(board, ends.map(|end| end.occupied()), stop)?;
    let mut best: Option<Vec<Move>> = None;
    let mut corridors = Vec::new();
    for &approach in approaches {
        let Some(path) = with_approach(board, ends, approach, &direct, stop) else { continue };
        let corridor = Corridor::new(board, ends[0].occupied(), &path);
        let mut along = |attempt: &Attempt, best: &mut Option<Vec<Move>>| {
            let found =
                attempt.along::<WORDS, BEAM_WORDS>(&corridor, best.as_deref(), task, meter, stop);
            let length = found.as_ref().map(Vec::len);
            *best = found.or(best.take());
            is_solved.store(best.is_some(), Ordering::Relaxed);
            length
        };
        match along(&first, &mut best) {
            Some(length) => corridors.push((length, corridor)),
            None if best.is_none() => _ = along(&second, &mut best),
            None => corridors.push((usize::MAX, corridor)),
        }
    }
    corridors.sort_by_key(|&(length, _)| length);
    for (_, corridor) in &corridors {
        let found = second.along::<WORDS, BEAM_WORDS>(corridor, best.as_deref(), task, meter, stop);
        best = found.or(best);
    }
    best
}

impl Attempt {
    /// Returns a solution along a corridor that is shorter than the best one so far; `None` where
    /// there is none, or too little time, memory or nodes to find it.
    fn along<const WORDS: usize, const BEAM_WORDS: usize>(
        &self,
        corridor: &Corridor,
        best: Option<&[Move]>,
        task: &Task<'_>,
        meter: &mut Meter<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Move>> {
        let &Attempt { states, width } = self;
        let (puzzle, threads) = (task.puzzle, task.resources.threads);
        let board = puzzle.board();
        let held = threads as u64 * u64::from(states) * Ball::<WORDS>::STATE_BYTES + OTHER_BYTES;
        if stop() || !meter.fits(held) || meter.nodes_left() < MOST_NODES / 2 {
            return None;
        }
        meter.note_bytes(held);
        let generated = AtomicU64::new(0);
        let closed = |set: VertexSet| {
            let ball = Ball::<WORDS>::grow(board, set, states, stop)?;
            generated.fetch_add(ball.len().into(), Ordering::Relaxed);
            let mut walks = join([&ball, &ball], MOST_WALKS, stop);
            walks.retain(|walk| !walk.moves.is_empty());
            Some(walks)
        };
        let (stations, cpu) = corridor.stations(board, threads, &closed, stop);
        meter.add_cpu(cpu);
        let shorter = stations.and_then(|stations| {
            let ends = [*puzzle.start(), *puzzle.goal().labelled()];
            let (slots, roots) = (ends.map(|state| slots(&state)), corridor.roots());
            let below = best.map_or(usize::MAX, <[Move]>::len);
            let (shorter, count) =
                beam::search::<BEAM_WORDS>(slots, &roots, &stations, width, below, stop);
            generated.fetch_add(count, Ordering::Relaxed);
            shorter
        });
        meter.stats.generated += generated.into_inner();
        shorter
    }
}

/// Finds a path between two occupied sets.
fn path_between(board: &Board, ends: [VertexSet; 2], stop: &dyn Fn() -> bool) -> Option<Vec<Move>> {
    PATHS.into_iter().find_map(|beams| path::find(board, ends, beams, stop))
}

/// Finds a path from start to goal whose first `slides` slides bring tokens closer to home. They
/// head for the state with the most free faces among those that lead to the goal along the direct
/// path.
fn with_approach(
    board: &Board,
    [start, goal]: [State; 2],
    slides: usize,
    direct: &[Move],
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Move>> {
    let mut states = vec![goal];
    states.extend(direct.iter().rev().scan(goal, |state, slide| {
        state.slide(slide.reversed());
        Some(*state)
    }));
    let free = |&back: &usize| free_faces(board, states[back].occupied());
    let back = (0..states.len()).max_by_key(free)?;
    let mut path = approach::find(board, &start, &states[back], slides, stop)?;
    let near = path.iter().fold(start.occupied(), |set, slide| set.moved(slide.from, slide.to));
    path.extend(path_between(board, [near, states[back].occupied()], stop)?);
    path.extend(&direct[direct.len() - back..]);
    Some(path)
}

/// A path of occupied sets.
struct Corridor {
    sets: Vec<VertexSet>,
    /// The numbers of those on which closed walks are sought: of each few that follow each other,
    /// the one with the most free faces.
    open: Vec<usize>,
    /// The walks from the first set to each. What a slot of the first set is after that walk is
    /// called so on all sets.
    frames: Vec<Walk>,
}

impl Corridor {
    fn new(board: &Board, start: VertexSet, path: &[Move]) -> Corridor {
        let frames = Vec::from_iter((0..=path.len()).map(|end| Walk::along(start, &path[..end])));
        let mut sets = vec![start];
        sets.extend(path.iter().scan(start, |set, slide| {
            *set = set.moved(slide.from, slide.to);
            Some(*set)
        }));
        let numbers = Vec::from_iter(0..sets.len());
        let free = |&&number: &&usize| free_faces(board, sets[number]);
        let open = numbers.chunks(sets.len().div_ceil(STATIONS));
        let open = open.filter_map(|few| few.iter().max_by_key(free).copied()).collect();
        Corridor { sets, open, frames }
    }

    /// Returns the ways from both ends of the puzzle to the ends of the path.
    fn roots(&self) -> [Vec<Root>; 2] {
        let last = self.sets.len() - 1;
        let root =
            |ends: Places, station| vec![Root { walk: Walk { moves: Vec::new(), ends }, station }];
        [root(Places::new(&[]), 0), root(self.frames[last].ends.inverse(), last)]
    }

    /// Returns the slots of the first set whose tokens no closed walk moves anywhere.
    fn locked(&self, walks: &[Vec<Walk>]) -> Vec<usize> {
        let mut is_locked = vec![true; self.sets[0].len()];
        for (frame, walks) in self.frames.iter().zip(walks) {
            let slots = frame.ends.inverse();
            for slot in walks.iter().flat_map(|walk| walk.ends.changed()) {
                is_locked[slots.slot(slot)] = false;
            }
        }
        (0..is_locked.len()).filter(|&slot| is_locked[slot]).collect()
    }

    /// Finds closed walks that move a token which is locked in on all sets of the path, by way of a
    /// set on which it can slide; returns also the station where they begin.
    fn spur(
        &self,
        board: &Board,
        slot: usize,
        closed: &impl Fn(VertexSet) -> Option<Vec<Walk>>,
        stop: &dyn Fn() -> bool,
    ) -> Option<(usize, Vec<Walk>)> {
        // The fewest tokens on a face with this one, and this one.
        let crowd = |set: VertexSet, at: Vertex| {
            let faces = board.faces().iter().filter(|face| face.contains(at));
            faces.map(|&face| (face & set).len()).min().unwrap_or(usize::MAX)
        };
        // The set, the token's vertex, the station, and the slides from there.
        let mut nodes: Vec<(VertexSet, Vertex, usize, Vec<Move>)> = Vec::new();
        let mut known = FxHashSet::default();
        let mut open = BinaryHeap::new();
        for (station, (&set, frame)) in self.sets.iter().zip(&self.frames).enumerate() {
            let at = set.into_iter().nth(frame.ends.slot(slot)).expect("a token is on a vertex");
            known.insert((set.bits(), at.index()));
            open.push(Reverse((2 * crowd(set, at), nodes.len())));
            nodes.push((set, at, station, Vec::new()));
        }
        while let Some(Reverse((_, node))) = open.pop()
            && nodes.len() < SPUR_SETS
            && !stop()
        {
            let (set, at, station, moves) = nodes[node].clone();
            if crowd(set, at) == 1 {
                let way = Walk::along(self.sets[station], &moves);
                let there = way.ends.slot(self.frames[station].ends.slot(slot));
                let mut walks = closed(set)?;
                walks.retain(|walk| walk.ends.slot(there) != there);
                walks.truncate(SPUR_WALKS);
                if !walks.is_empty() {
                    let back = way.reversed();
                    let walks = walks.iter().map(|walk| way.then(walk).then(&back));
                    return Some((station, walks.collect()));
                }
            }
            for from in set {
                for to in board.destinations(from, set) {
                    let (next, at) = (set.moved(from, to), if at == from { to } else { at });
                    if known.insert((next.bits(), at.index())) {
                        let way = [&moves[..], &[Move { from, to }]].concat();
                        open.push(Reverse((2 * crowd(next, at) + way.len(), nodes.len())));
                        nodes.push((next, at, station, way));
                    }
                }
            }
        }
        None
    }

    /// Returns the sets as stations, with the slides between them and closed walks, which `closed`
    /// finds unless it is time to stop; and the CPU seconds of other threads.
    fn stations(
        &self,
        board: &Board,
        threads: usize,
        closed: &(impl Fn(VertexSet) -> Option<Vec<Walk>> + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (Option<Stations>, f64) {
        let (found, cpu) =
            parallel::each(threads, self.open.iter(), |_, &number| closed(self.sets[number]));
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return (None, cpu) };
        let mut walks = vec![Vec::new(); self.sets.len()];
        { self.open.iter().zip(found) }.for_each(|(&number, found)| walks[number] = found);
        let locked = self.locked(&walks);
        let (spurs, spurs_cpu) =
            parallel::each(threads, locked.iter(), |_, &slot| self.spur(board, slot, closed, stop));
        for (number, spur) in spurs.into_iter().flatten() {
            walks[number].extend(spur);
        }
        let mut stations = Stations::new(self.sets.len(), self.sets[0].len());
        let nothing = Places::new(&[]);
        for (number, (frame, mut walks)) in self.frames.iter().zip(walks).enumerate() {
            in_order(&mut walks);
            let back = frame.ends.inverse();
            let in_frame =
                |walk: Walk| Walk { ends: frame.ends.then(&walk.ends).then(&back), ..walk };
            stations.add(number, number, walks.into_iter().map(in_frame));
            if let Some(&slide) = frame.moves.last() {
                let link = |slide| [Walk { moves: vec![slide], ends: nothing }];
                stations.add(number - 1, number, link(slide));
                stations.add(number, number - 1, link(slide.reversed()));
            }
        }
        (Some(stations), cpu + spurs_cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;
    use crate::heuristics::Resources;
    use hyperslide_puzzle::Puzzle;

    /// A solution along a corridor leads to the goal, and is the same on any number of threads.
    #[test]
    fn corridors_lead_home() {
        const ATTEMPT: Attempt = Attempt { states: 4_000, width: 64 };

        let line = "cube:5:3 1=0,2=1,3=2,4=4,5=8,6=16,7=3,8=5,9=9,10=17 \
            -> 1=31,2=1,3=2,4=4,5=8,6=30,7=29,8=5,9=6,10=17";
        let puzzle = Puzzle::from_line(line).unwrap();
        let solve = |threads| {
            let defaults = Defaults::default();
            let task = defaults.task(&puzzle, Resources { threads, ..Resources::default() });
            let mut meter = Meter::new(&Control::default());
            along_paths::<4, 5>(&[10], [ATTEMPT, ATTEMPT], &task, &mut meter).unwrap()
        };
        let moves = solve(1);
        assert!(puzzle.goal().is_met(&puzzle.replay(&moves).unwrap()));
        assert_eq!(solve(2), moves);
    }
}
