//! Beam search over pattern databases, for graphs with one empty vertex.
//!
//! A second representation for measured speed: a state has its patterns' walks with it, so that a successor
//! costs one look-up a partition, and only those that are kept are written out.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use cpu_time::ThreadTime;
use hyperslide_puzzle::{MAX_VERTICES, Move, Puzzle, Vertex};
use hyperslide_table::{Walk, WalkState};

use super::beam::{Beam, mix};
use super::move_words::{Arrival, MoveWords};
use crate::control::Meter;
use crate::heuristics::{PARTITIONS, PatternWalks};
use crate::outcome::Limit;

/// Pieces of a layer that are expanded one by one, and parts of the next by the states' hashes: so many whatever the
/// number of threads, so that the result does not depend on it.
const PIECES: usize = 32;
/// States that each part of a layer remembers as kept, at most: 16 MB.
const MOST_SEEN: usize = 1 << 21;

pub(super) struct WalkBeam<'a> {
    puzzle: &'a Puzzle,
    words: &'a MoveWords,
    parts: Vec<(&'a Walk, &'a [u8; MAX_VERTICES])>,
    part_of: &'a [[u8; MAX_VERTICES]],
    start: Option<(Vec<WalkState>, Vec<u32>)>,
    threads: usize,
    /// CPU seconds of threads other than the search's own.
    other_cpu_s: Mutex<f64>,
}

/// A layer: one entry a state in each array, so many walks a state.
#[derive(Default)]
struct Layer {
    cells: Vec<[u8; MAX_VERTICES]>,
    walks: Vec<WalkState>,
    states: Vec<State>,
}

#[derive(Clone, Copy)]
struct State {
    hash: u64,
    arrival: Arrival,
    /// The sum of each partition.
    h: [u16; PARTITIONS],
}

/// A successor that may be kept.
#[derive(Clone, Copy)]
struct Candidate {
    hash: u64,
    parent: u32,
    next: Arrival,
    from: u8,
    /// The sum of all partitions: the least is kept.
    rank: u16,
    /// By how much each partition's sum changes.
    change: [i8; PARTITIONS],
}

/// How each state of a layer was reached: the number of its parent and the vertex whose token slid.
type Trace = Vec<(u32, u8)>;

/// For each part of the next layer, by the states' hashes, the candidates.
type Parted = Vec<Vec<Candidate>>;

impl<'a> WalkBeam<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        walks: &'a PatternWalks,
        words: &'a MoveWords,
        threads: usize,
    ) -> WalkBeam<'a> {
        let parts = walks.parts.iter().map(|part| (&*part.walk, &part.bits)).collect();
        WalkBeam {
            puzzle,
            words,
            parts,
            part_of: &walks.part_of,
            start: walks.start(puzzle.start()),
            threads,
            other_cpu_s: Mutex::default(),
        }
    }

    /// As [`super::beam::search`].
    pub fn search(&self, beam: Beam, meter: &mut Meter<'_>) -> Result<Option<Vec<Move>>, Limit> {
        let found = self.layers(beam, meter);
        let mut others = self.other_cpu_s.lock().unwrap_or_else(PoisonError::into_inner);
        meter.add_cpu(std::mem::take(&mut *others));
        found
    }

    fn layers(&self, beam: Beam, meter: &mut Meter<'_>) -> Result<Option<Vec<Move>>, Limit> {
        let Some((walks, sums)) = &self.start else { return Ok(None) };
        let mut cells = [0; MAX_VERTICES];
        let mut hash = 0;
        for (vertex, label) in self.puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
            hash ^= token_hash(label.index(), vertex.index());
        }
        let empty = self.puzzle.board().vertex_set() - self.puzzle.start().occupied();
        let arrival = MoveWords::root(empty.lowest().expect("one vertex is empty"));
        let mut h = [0; PARTITIONS];
        for (h, &sum) in h.iter_mut().zip(sums) {
            *h = sum as u16;
        }
        let mut layer = Layer {
            cells: vec![cells],
            walks: walks.clone(),
            states: vec![State { hash, arrival, h }],
        };
        let mut goal = 0;
        for (vertex, label) in self.puzzle.goal().labelled().tokens() {
            goal ^= token_hash(label.index(), vertex.index());
        }
        // Which states were kept: for each part of a layer a table that forgets the older of two
        // states with one place.
        let slots = (beam.width / PIECES).saturating_mul(4).clamp(1 << 10, MOST_SEEN);
        let slots = slots.next_power_of_two();
        meter.poll((PIECES * slots * 8) as u64, 0)?;
        let seen: Vec<Mutex<Vec<u64>>> = (0..PIECES).map(|_| Mutex::new(vec![0; slots])).collect();
        let mut traces: Vec<Trace> = Vec::new();
        let mut g = 0;
        while !layer.states.is_empty() {
            g += 1;
            let parted = self.expand(&layer, g, beam.below);
            meter.stats.expanded += layer.states.len() as u64;
            meter.stats.generated += parted.iter().map(|(_, generated)| generated).sum::<u64>();
            let (next, trace, found) = self.keep(&layer, &parted, &seen, beam, goal);
            if let Some((parent, from)) = found {
                return Ok(Some(self.path(&traces, parent, from)));
            }
            traces.push(trace);
            layer = next;
            let of_state = size_of::<State>() + MAX_VERTICES + self.parts.len() * 16;
            let bytes = 2 * layer.states.len() * (of_state + 4 * size_of::<Candidate>())
                + traces.iter().map(|trace| trace.len() * 8).sum::<usize>()
                + PIECES * slots * 8;
            meter.poll(bytes as u64, 0)?;
        }
        Ok(None)
    }

    /// The moves to a state of the last layer but one, and one more.
    fn path(&self, traces: &[Trace], parent: u32, from: u8) -> Vec<Move> {
        let mut taken = vec![from];
        let mut at = parent;
        for trace in traces.iter().rev() {
            let (parent, from) = trace[at as usize];
            taken.push(from);
            at = parent;
        }
        taken.reverse();
        let mut empty =
            (self.puzzle.board().vertex_set() - self.puzzle.start().occupied()).lowest();
        let step = |from: u8| {
            let from = Vertex::new(from as usize)?;
            Some(Move { from, to: empty.replace(from)? })
        };
        taken.into_iter().filter_map(step).collect()
    }

    /// Runs a piece of work for each number, on all threads; results in order.
    fn each<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, T)>> = Mutex::default();
        let run = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= PIECES {
                    break;
                }
                let result = work(number);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(|| {
                    let began = ThreadTime::now();
                    run();
                    let own = began.elapsed().as_secs_f64();
                    *self.other_cpu_s.lock().unwrap_or_else(PoisonError::into_inner) += own;
                });
            }
            run();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|&(number, _)| number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// The successors of all states of a layer, and how many were looked at.
    fn expand(&self, layer: &Layer, g: u32, below: u32) -> Vec<(Parted, u64)> {
        let states = layer.states.len();
        self.each(|piece| {
            let range = states * piece / PIECES..states * (piece + 1) / PIECES;
            let mut parted: Parted = vec![Vec::new(); PIECES];
            let mut generated = 0;
            for number in range {
                let state = layer.states[number];
                let (empty, steps) =
                    (self.words.empty(state.arrival), self.words.steps(state.arrival));
                let cells = &layer.cells[number];
                let walks =
                    &layer.walks[number * self.parts.len()..(number + 1) * self.parts.len()];
                for step in steps {
                    generated += 1;
                    let label = cells[(step.from & 63) as usize];
                    let mut candidate = Candidate {
                        hash: state.hash
                            ^ token_hash(label as usize, step.from as usize)
                            ^ token_hash(label as usize, empty as usize),
                        parent: number as u32,
                        next: step.next,
                        from: step.from,
                        rank: 0,
                        change: [0; PARTITIONS],
                    };
                    let mut greatest = 0;
                    for (partition, part_of) in self.part_of.iter().enumerate() {
                        let part = part_of[(label & 63) as usize];
                        let mut h = i32::from(state.h[partition]);
                        if let Some((walk, bits)) = self.parts.get(part as usize) {
                            let at = walks[part as usize];
                            let bit = |vertex: u8| bits[(vertex & 63) as usize];
                            let after = walk.slide(at, bit(step.from), bit(empty));
                            candidate.change[partition] = after.change_since(at) as i8;
                            h += after.change_since(at);
                        }
                        greatest = greatest.max(h);
                        candidate.rank += h as u16;
                    }
                    if g + greatest as u32 >= below {
                        continue;
                    }
                    parted[(candidate.hash >> 58) as usize % PIECES].push(candidate);
                }
            }
            (parted, generated)
        })
    }

    /// Of all candidates those of least rank, each once, none that was kept before; or how the goal was
    /// reached.
    fn keep(
        &self,
        layer: &Layer,
        parted: &[(Parted, u64)],
        seen: &[Mutex<Vec<u64>>],
        beam: Beam,
        goal: u64,
    ) -> (Layer, Trace, Option<(u32, u8)>) {
        let room = beam.width.div_ceil(PIECES);
        let kept = self.each(|part| {
            let mut next = Layer::default();
            let mut trace = Trace::new();
            let mut seen = seen[part].lock().unwrap_or_else(PoisonError::into_inner);
            let candidates = || parted.iter().flat_map(|(piece, _)| &piece[part]);
            // Where each rank begins, and then the candidates in the order of their ranks.
            let mut begins: Vec<u32> = Vec::new();
            for candidate in candidates() {
                let rank = candidate.rank as usize + 1;
                if begins.len() <= rank {
                    begins.resize(rank + 1, 0);
                }
                begins[rank] += 1;
            }
            for rank in 1..begins.len() {
                begins[rank] += begins[rank - 1];
            }
            let mut order: Vec<&Candidate> = candidates().collect();
            let mut next_place = begins.clone();
            for candidate in candidates() {
                let place = &mut next_place[candidate.rank as usize];
                order[*place as usize] = candidate;
                *place += 1;
            }
            next.states.reserve(room.min(order.len()));
            for rank in begins.windows(2) {
                let order = &mut order[rank[0] as usize..rank[1] as usize];
                if next.states.len() + order.len() > room {
                    // Which are kept is drawn, so that another seed is another beam.
                    order.sort_unstable_by_key(|candidate| mix(candidate.hash ^ beam.seed));
                }
                for candidate in order.iter() {
                    if next.states.len() == room {
                        return (next, trace, None);
                    }
                    let slot = (candidate.hash as usize) & (seen.len() - 1);
                    if std::mem::replace(&mut seen[slot], candidate.hash) == candidate.hash {
                        continue;
                    }
                    if candidate.hash == goal && self.is_goal(layer, candidate) {
                        return (next, trace, Some((candidate.parent, candidate.from)));
                    }
                    self.write(layer, candidate, &mut next);
                    trace.push((candidate.parent, candidate.from));
                }
            }
            (next, trace, None)
        });
        let (mut all, mut all_traces) = (Layer::default(), Trace::new());
        for (next, trace, found) in kept {
            if found.is_some() {
                return (all, all_traces, found);
            }
            all.cells.extend(next.cells);
            all.walks.extend(next.walks);
            all.states.extend(next.states);
            all_traces.extend(trace);
        }
        (all, all_traces, None)
    }

    /// Whether a candidate with the goal's hash is the goal.
    fn is_goal(&self, layer: &Layer, candidate: &Candidate) -> bool {
        let mut next = Layer::default();
        self.write(layer, candidate, &mut next);
        let empty = self.words.empty(candidate.next) as usize;
        self.puzzle.goal().labelled().tokens().all(|(vertex, label)| {
            vertex.index() != empty && next.cells[0][vertex.index()] as usize == label.index()
        })
    }

    /// Writes the state of a candidate out.
    fn write(&self, layer: &Layer, candidate: &Candidate, next: &mut Layer) {
        let parent = candidate.parent as usize;
        let before = layer.states[parent];
        let empty = self.words.empty(before.arrival);
        let mut cells = layer.cells[parent];
        let label = cells[candidate.from as usize];
        cells[empty as usize] = label;
        next.cells.push(cells);
        let first = next.walks.len();
        next.walks.extend(&layer.walks[parent * self.parts.len()..(parent + 1) * self.parts.len()]);
        let mut h = before.h;
        for (partition, part_of) in self.part_of.iter().enumerate() {
            let part = part_of[(label & 63) as usize] as usize;
            if let Some((walk, bits)) = self.parts.get(part) {
                let walk_state = &mut next.walks[first + part];
                *walk_state =
                    walk.slide(*walk_state, bits[candidate.from as usize], bits[empty as usize]);
            }
            h[partition] = h[partition].wrapping_add_signed(i16::from(candidate.change[partition]));
        }
        next.states.push(State { hash: candidate.hash, arrival: candidate.next, h });
    }
}

/// A state's hash is the exclusive or of those of its tokens on their vertices (Zobrist 1970).
fn token_hash(label: usize, vertex: usize) -> u64 {
    mix((label * MAX_VERTICES + vertex) as u64)
}
