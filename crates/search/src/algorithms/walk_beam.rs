//! Beam search over pattern databases, for graphs with one empty vertex.
//!
//! A second representation for measured speed: a state has its patterns' arrangements with it, so that a successor
//! costs one look-up a partition, and only those that are kept are written out.

use std::sync::Mutex;
use std::sync::PoisonError;

use cpu_time::ThreadTime;
use hyperslide_puzzle::{MAX_VERTICES, Move, Puzzle, Vertex};
use hyperslide_table::{Aim, Walk, WalkState, change};

use super::beam::{Beam, mix};
use super::move_words::{Arrival, MoveWords};
use crate::control::Meter;
use crate::heuristics::{PARTITIONS, PatternWalks, WalkPart};
use crate::outcome::Limit;

/// Pieces of a layer that are expanded one by one, and parts of the next by the states' hashes: so many whatever the
/// number of threads, so that the result does not depend on it.
const PIECES: usize = 32;
/// States that each part of a layer remembers as kept, at most: 16 MB.
const MOST_SEEN: usize = 1 << 21;

/// States whose successors are looked up together: enough to have many reads under way.
const TOGETHER: usize = 16;
/// Bits of a rank below the estimate's, which are drawn.
const DRAWN_BITS: u32 = 16;

pub(super) struct WalkBeam<'a> {
    puzzle: &'a Puzzle,
    words: &'a MoveWords,
    parts: Vec<Part<'a>>,
    part_of: &'a [[u8; MAX_VERTICES]],
    /// The marks of the start and the sum of each partition.
    start: Option<(Vec<Mark>, Vec<u32>)>,
    /// The hash of the goal.
    goal: u64,
    threads: usize,
    /// CPU seconds of threads other than the search's own.
    other_cpu_s: Mutex<f64>,
}

/// A layer: one entry a state in each array, as many marks a state as there are parts.
#[derive(Default)]
struct Layer {
    /// The label on each vertex; what the empty one has means nothing.
    cells: Vec<[u8; MAX_VERTICES]>,
    /// The vertex of each label.
    places: Vec<[u8; MAX_VERTICES]>,
    marks: Vec<Mark>,
    states: Vec<State>,
}

impl Layer {
    fn resize(&mut self, states: usize, parts: usize) {
        self.cells.resize(states, [0; MAX_VERTICES]);
        self.places.resize(states, [0; MAX_VERTICES]);
        self.marks.resize(states * parts, Mark::default());
        self.states.resize(states, State::default());
    }

    /// Bytes of a state.
    fn bytes(parts: usize) -> usize {
        size_of::<State>() + 2 * MAX_VERTICES + parts * size_of::<Mark>()
    }
}

/// Where a walk is, its vertices apart, which are those of its tokens: the arrangement and the distance modulo 3. A
/// quarter of a [`hyperslide_table::WalkState`], for memory is what this search waits for.
#[derive(Clone, Copy, Default)]
struct Mark(u32);

impl Mark {
    fn new(slot: u16, value: u8) -> Mark {
        Mark(u32::from(slot) << 2 | u32::from(value))
    }

    fn slot(self) -> u16 {
        (self.0 >> 2) as u16
    }

    fn value(self) -> u8 {
        (self.0 & 3) as u8
    }
}

/// A pattern database and how the puzzle is seen there.
struct Part<'a> {
    walk: &'a Walk,
    /// For each vertex its bit in the walk.
    bits: &'a [u8; MAX_VERTICES],
    labels: Vec<u8>,
}

impl Part<'_> {
    fn bit(&self, vertex: u8) -> u8 {
        self.bits[(vertex & 63) as usize]
    }

    /// The bits of the vertices of its tokens.
    fn set(&self, places: &[u8; MAX_VERTICES]) -> u64 {
        let place = |label: &u8| places[(label & 63) as usize];
        self.labels.iter().fold(0, |set, label| set | 1 << self.bit(place(label)))
    }
}

#[derive(Clone, Copy, Default)]
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
    /// The sum of all partitions, and below it [`DRAWN_BITS`] that are drawn: the least are kept.
    rank: u32,
    /// The mark of the part that changes in each partition.
    marks: [Mark; PARTITIONS],
}

/// How each state of a layer was reached: the number of its parent and the vertex whose token slid.
type Trace = Vec<(u32, u8)>;

/// The successors of a piece of a layer.
#[derive(Clone)]
struct Piece {
    /// For each part of the next layer, by the states' hashes, the candidates.
    parts: Vec<Vec<Candidate>>,
    /// How many successors were looked at.
    generated: u64,
}

impl Default for Piece {
    fn default() -> Piece {
        Piece { parts: vec![Vec::new(); PIECES], generated: 0 }
    }
}

impl Piece {
    fn bytes(&self) -> usize {
        self.parts.iter().map(Vec::capacity).sum::<usize>() * size_of::<Candidate>()
    }
}

impl<'a> WalkBeam<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        walks: &'a PatternWalks,
        words: &'a MoveWords,
        threads: usize,
    ) -> WalkBeam<'a> {
        let part = |(number, part): (usize, &'a WalkPart)| {
            let is_of = |label: &u8| {
                walks.part_of.iter().any(|part_of| part_of[*label as usize] as usize == number)
            };
            let labels = (0..puzzle.labels().len() as u8).filter(is_of).collect();
            Part { walk: &part.walk, bits: &part.bits, labels }
        };
        let parts = walks.parts.iter().enumerate().map(part).collect();
        let marks = |walks: Vec<WalkState>| {
            walks.into_iter().map(|at| Mark::new(at.slot(), at.value())).collect()
        };
        let goal = puzzle.goal().labelled().tokens();
        let goal = goal.fold(0, |hash, (v, label)| hash ^ token_hash(label.index(), v.index()));
        WalkBeam {
            puzzle,
            words,
            parts,
            part_of: &walks.part_of,
            start: walks.start(puzzle.start()).map(|(at, sums)| (marks(at), sums)),
            goal,
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
        let Some((marks, sums)) = &self.start else { return Ok(None) };
        let (mut cells, mut places) = ([0; MAX_VERTICES], [0; MAX_VERTICES]);
        let mut hash = 0;
        for (vertex, label) in self.puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
            places[label.index()] = vertex.index() as u8;
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
            places: vec![places],
            marks: marks.clone(),
            states: vec![State { hash, arrival, h }],
        };
        let mut next = Layer::default();
        // Which states were kept: for each part of a layer a table that forgets the older of two
        // states with one place.
        let slots = (beam.width / PIECES).saturating_mul(4).clamp(1 << 10, MOST_SEEN);
        let slots = slots.next_power_of_two();
        meter.poll((PIECES * slots * 8) as u64, 0)?;
        let mut seen = vec![vec![0; slots]; PIECES];
        let mut pieces: Vec<Piece> = vec![Piece::default(); PIECES];
        let mut traces: Vec<Trace> = Vec::new();
        let mut g = 0;
        while !layer.states.is_empty() {
            g += 1;
            self.each(pieces.iter_mut(), |number, piece| {
                self.expand(&layer, number, g, beam, piece);
            });
            meter.stats.expanded += layer.states.len() as u64;
            meter.stats.generated += pieces.iter().map(|piece| piece.generated).sum::<u64>();
            let parts = self.each(seen.iter_mut(), |part, seen| {
                let candidates = pieces.iter().flat_map(|piece| &piece.parts[part]);
                choose(candidates, beam.width.div_ceil(PIECES), seen)
            });
            let reaches_goal = |candidate: &&Candidate| {
                candidate.hash == self.goal && self.is_goal(&layer, candidate)
            };
            if let Some(last) = parts.iter().flatten().find(reaches_goal) {
                return Ok(Some(self.path(&traces, last.parent, last.from)));
            }
            traces.push(self.write_all(&layer, &parts, &mut next));
            std::mem::swap(&mut layer, &mut next);
            let candidates: usize = pieces.iter().map(Piece::bytes).sum();
            let bytes = 2 * layer.states.len() * Layer::bytes(self.parts.len())
                + candidates
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

    /// Works on each item, on all threads; results in order.
    fn each<I: Send, T: Send>(
        &self,
        items: impl ExactSizeIterator<Item = I> + Send,
        work: impl Fn(usize, I) -> T + Sync,
    ) -> Vec<T> {
        let mut done: Vec<Option<T>> = (0..items.len()).map(|_| None).collect();
        let left = Mutex::new(items.zip(&mut done).enumerate());
        let run = || {
            loop {
                let taken = left.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, (item, done))) = taken else { break };
                *done = Some(work(number, item));
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
        drop(left);
        done.into_iter().flatten().collect()
    }

    /// The successors of the states in a piece of a layer.
    fn expand(&self, layer: &Layer, number: usize, g: u32, beam: Beam, piece: &mut Piece) {
        piece.generated = 0;
        piece.parts.iter_mut().for_each(Vec::clear);
        let states = layer.states.len();
        let all = states * number / PIECES..states * (number + 1) / PIECES;
        let mut looks: Vec<Look> = Vec::new();
        for first in all.clone().step_by(TOGETHER) {
            let together = first..(first + TOGETHER).min(all.end);
            // First where to look, then the looks, which do not wait for each other, then what they say.
            looks.clear();
            for number in together.clone() {
                self.aim(layer, number, &mut looks);
            }
            for look in &mut looks {
                if let Some(part) = self.parts.get(look.part as usize) {
                    look.value = part.walk.value(look.aim);
                }
            }
            let mut looks = looks.chunks_exact(self.part_of.len());
            for number in together {
                let state = layer.states[number];
                let (empty, steps) =
                    (self.words.empty(state.arrival), self.words.steps(state.arrival));
                piece.generated += steps.len() as u64;
                for (step, looks) in steps.iter().zip(&mut looks) {
                    let label = layer.cells[number][(step.from & 63) as usize] as usize;
                    let hash = state.hash
                        ^ token_hash(label, step.from as usize)
                        ^ token_hash(label, empty as usize);
                    let (mut greatest, mut sum) = (0, 0);
                    let mut marks = [Mark::default(); PARTITIONS];
                    for ((look, &h), mark) in looks.iter().zip(&state.h).zip(&mut marks) {
                        let h = look.sum_after(h);
                        *mark = Mark::new(look.aim.slot, look.value);
                        greatest = greatest.max(h);
                        sum += u32::from(h);
                    }
                    if g + u32::from(greatest) >= beam.below {
                        continue;
                    }
                    // The goal before all others, and of those of one estimate which is drawn.
                    let rank = if hash == self.goal {
                        0
                    } else {
                        (sum + 1) << DRAWN_BITS
                            | (mix(hash ^ beam.seed) >> (64 - DRAWN_BITS)) as u32
                    };
                    let (parent, next, from) = (number as u32, step.next, step.from);
                    let candidate = Candidate { hash, parent, next, from, rank, marks };
                    piece.parts[(hash >> 58) as usize % PIECES].push(candidate);
                }
            }
        }
    }

    /// What has to be looked up for a state's successors: for each of them and each partition one entry.
    fn aim(&self, layer: &Layer, number: usize, looks: &mut Vec<Look>) {
        let arrival = layer.states[number].arrival;
        let empty = self.words.empty(arrival);
        let marks = &layer.marks[number * self.parts.len()..(number + 1) * self.parts.len()];
        for step in self.words.steps(arrival) {
            let label = layer.cells[number][(step.from & 63) as usize];
            for part_of in self.part_of {
                let part = part_of[(label & 63) as usize];
                looks.push(match self.parts.get(part as usize) {
                    None => Look { part, ..Look::default() },
                    Some(at) => {
                        let (set, mark) = (at.set(&layer.places[number]), marks[part as usize]);
                        let (from, to) = (at.bit(step.from), at.bit(empty));
                        let aim = at.walk.aim(set, mark.slot(), from, to);
                        Look { part, before: mark.value(), value: mark.value(), aim }
                    }
                });
            }
        }
    }

    /// Writes out the states of the candidates of all parts, and returns how they were reached.
    fn write_all(&self, layer: &Layer, parts: &[Vec<Candidate>], next: &mut Layer) -> Trace {
        let states = parts.iter().map(Vec::len).sum();
        next.resize(states, self.parts.len());
        let mut trace = vec![(0, 0); states];
        let mut left = (
            &mut next.cells[..],
            &mut next.places[..],
            &mut next.marks[..],
            &mut next.states[..],
            &mut trace[..],
        );
        let share = |part: &Vec<Candidate>| {
            let count = part.len();
            let cells = left.0.split_off_mut(..count).unwrap_or_default();
            let places = left.1.split_off_mut(..count).unwrap_or_default();
            let marks = left.2.split_off_mut(..count * self.parts.len()).unwrap_or_default();
            let states = left.3.split_off_mut(..count).unwrap_or_default();
            let trace = left.4.split_off_mut(..count).unwrap_or_default();
            (cells, places, marks, states, trace)
        };
        let shares: Vec<_> = parts.iter().map(share).collect();
        self.each(parts.iter().zip(shares), |_, (part, (cells, places, marks, states, trace))| {
            let marks = marks.chunks_exact_mut(self.parts.len());
            let targets = cells.iter_mut().zip(places).zip(marks).zip(states).zip(trace);
            for (candidate, ((((cells, places), marks), state), trace)) in part.iter().zip(targets)
            {
                *trace = (candidate.parent, candidate.from);
                *state = self.write(layer, candidate, cells, places, marks);
            }
        });
        trace
    }

    /// Whether a candidate with the goal's hash is the goal.
    fn is_goal(&self, layer: &Layer, candidate: &Candidate) -> bool {
        let mut cells = layer.cells[candidate.parent as usize];
        let empty = self.words.empty(layer.states[candidate.parent as usize].arrival);
        cells[empty as usize] = cells[candidate.from as usize];
        self.puzzle.goal().labelled().tokens().all(|(vertex, label)| {
            vertex.index() != candidate.from as usize
                && cells[vertex.index()] as usize == label.index()
        })
    }

    /// Writes the state of a candidate out.
    fn write(
        &self,
        layer: &Layer,
        candidate: &Candidate,
        cells: &mut [u8; MAX_VERTICES],
        places: &mut [u8; MAX_VERTICES],
        marks: &mut [Mark],
    ) -> State {
        let parent = candidate.parent as usize;
        let before = layer.states[parent];
        let empty = self.words.empty(before.arrival);
        *cells = layer.cells[parent];
        *places = layer.places[parent];
        marks.copy_from_slice(&layer.marks[parent * marks.len()..(parent + 1) * marks.len()]);
        let label = cells[candidate.from as usize];
        cells[empty as usize] = label;
        places[(label & 63) as usize] = empty;
        let mut h = before.h;
        for ((part_of, &after), h) in self.part_of.iter().zip(&candidate.marks).zip(&mut h) {
            if let Some(mark) = marks.get_mut(part_of[(label & 63) as usize] as usize) {
                *h = h.wrapping_add_signed(change(mark.value(), after.value()) as i16);
                *mark = after;
            }
        }
        State { hash: candidate.hash, arrival: candidate.next, h }
    }
}

/// What one partition says of a successor.
#[derive(Clone, Copy, Default)]
struct Look {
    /// The part that changes, or [`crate::heuristics::NO_PART`].
    part: u8,
    /// Its distance modulo 3 before and after.
    before: u8,
    value: u8,
    aim: Aim,
}

impl Look {
    fn sum_after(&self, sum: u16) -> u16 {
        sum.wrapping_add_signed(change(self.before, self.value) as i16)
    }
}

/// Of candidates those of least rank, each once, none that was kept before; in their own order, which is that
/// of their parents, so that these are read one after the other.
fn choose<'c>(
    candidates: impl Iterator<Item = &'c Candidate> + Clone,
    room: usize,
    seen: &mut [u64],
) -> Vec<Candidate> {
    let places = candidates.clone().zip(0u32..);
    let mut order: Vec<(u32, u32, u64)> =
        places.map(|(candidate, place)| (candidate.rank, place, candidate.hash)).collect();
    let mut is_chosen = vec![false; order.len()];
    let mut chosen = 0;
    let mut left = &mut order[..];
    while chosen < room && !left.is_empty() {
        let wanted = room - chosen;
        if wanted < left.len() {
            left.select_nth_unstable(wanted);
        }
        let taken = left.split_off_mut(..wanted.min(left.len())).unwrap_or_default();
        // In the order of their places, so that of two like candidates always the same is kept.
        taken.sort_unstable_by_key(|&(_, place, _)| place);
        for &mut (_, place, hash) in taken {
            let slot = (hash as usize) & (seen.len() - 1);
            if std::mem::replace(&mut seen[slot], hash) != hash {
                is_chosen[place as usize] = true;
                chosen += 1;
            }
        }
    }
    let mut all = Vec::with_capacity(chosen);
    all.extend(candidates.zip(is_chosen).filter(|&(_, chosen)| chosen).map(|(c, _)| *c));
    all
}

/// A state's hash is the exclusive or of those of its tokens on their vertices (Zobrist 1970).
fn token_hash(label: usize, vertex: usize) -> u64 {
    mix((label * MAX_VERTICES + vertex) as u64)
}
