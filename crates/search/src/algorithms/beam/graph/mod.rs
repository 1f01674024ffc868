//! Beam search for graphs, under a [`BeamGuide`].
//!
//! A second representation for measured speed: a state carries what its guide knows about it, so
//! that a successor costs a few look-ups, and only those that are kept are written out.

mod growth;
mod slides;

use std::ops::Range;
use std::time::Instant;

use hyperslide_puzzle::{MAX_VERTICES, Move, Puzzle, SearchEnd, Vertex, VertexSet, mix};
use hyperslide_table::{Watch, prefetch};

use self::growth::{CacheLine, Candidate, Growth, PIECES, Piece, State, choose};
pub(crate) use self::growth::{Layer, Trace};
use self::slides::Slide;
pub(crate) use self::slides::{AllSlides, Slides};
use super::{ALGORITHM, Beam, Ended, Pace};
use crate::control::Meter;
use crate::engine::cells::{slide_of, state_on};
use crate::heuristics::{Cells, TokenHomes};
use crate::observer::{Expanded, Recorder};
use crate::outcome::Limit;
use crate::parallel::each;

/// Decides which successors are kept: pattern databases, learned weights, or both.
pub(crate) trait BeamGuide<S: Slides>: Sync {
    /// What it knows about a successor, from which the marks of that state are made.
    type Note: Copy + Send + Sync;

    /// Whether it reads [`Layer::places`], which are not kept otherwise.
    const READS_PLACES: bool;

    /// The number of marks that it has on a state.
    fn marks(&self) -> usize;

    /// The marks of the start; `None` when the goal cannot be reached from it.
    fn start(&self) -> Option<Vec<u32>>;

    /// Judges every successor of some states of a layer, in order; overwrites `judged`.
    fn judge(
        &self,
        layer: &Layer<S::Arrival>,
        slides: &S,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    );

    /// The estimate of the moves left at a state of a layer, for observers.
    fn estimate(
        &self,
        layer: &Layer<S::Arrival>,
        number: usize,
        state: &hyperslide_puzzle::State,
    ) -> Option<u32>;

    /// Writes the marks of a state after a slide of a token, given those before it.
    fn write(&self, token: usize, note: Self::Note, before: &[u32], marks: &mut [u32]);

    /// The homes of tokens with repeated labels, if it distinguishes them.
    fn homes(&self) -> Option<&TokenHomes> {
        None
    }

    /// Assigns the tokens with one label again after a slide to a vertex, and updates the marks;
    /// for guides that distinguish such tokens.
    fn settle(&self, cells: &mut Cells, occupied: VertexSet, to: Vertex, marks: &mut [u32]) {
        let _ = (cells, occupied, to, marks);
    }
}

/// What a guide knows about a successor.
#[derive(Clone, Copy)]
pub(crate) struct Judged<N> {
    /// A lower bound on the number of moves that are left, or an estimate of it.
    pub least: u32,
    /// Successors of the least rank are kept; below 65,535.
    pub rank: u32,
    pub note: N,
}

/// States whose successors are judged together: enough to have many reads under way.
const TOGETHER: usize = 16;
/// The number of those groups between two checks of the limits.
const LOOK_INTERVAL: usize = 1 << 8;
/// Layers of fewer states are left to one thread: starting another takes as long as the work it
/// saves, and on a busy machine it has to wait for a core.
const SHARED: usize = 1 << 11;
/// How many states later what is requested from memory is read.
const AHEAD: usize = 16;
/// Bits below a guide's rank, which are drawn.
const DRAWN_BITS: u32 = 16;

pub(crate) struct GraphBeam<'a, S, G> {
    puzzle: &'a Puzzle,
    slides: &'a S,
    guide: G,
    /// The label of each token.
    labels: Cells,
    /// The hash of the goal.
    goal: u64,
    threads: usize,
}

/// The candidates that are kept, for each part of a layer.
type Parts<S, G> = Vec<Vec<CandidateOf<S, G>>>;

type CandidateOf<S, G> = Candidate<<S as Slides>::Arrival, <G as BeamGuide<S>>::Note>;

/// Which successors of a layer may be kept.
#[derive(Clone, Copy)]
struct Wanted {
    /// Their moves from the start.
    g: u32,
    beam: Beam,
    /// The guide's greatest rank among them.
    worst: u32,
}

/// A path to the goal.
pub(crate) struct Found<T> {
    /// How the states of each layer but the start's were reached.
    pub traces: Vec<Trace<T>>,
    /// The number of the goal's parent in the last layer.
    pub parent: u32,
    /// The slide to the goal.
    taken: T,
}

impl<'a, S: Slides, G: BeamGuide<S>> GraphBeam<'a, S, G> {
    pub fn new(puzzle: &'a Puzzle, guide: G, slides: &'a S, threads: usize) -> Self {
        let goal = puzzle.goal().labelled().tokens();
        let goal = goal.fold(0, |hash, (v, label)| hash ^ token_hash(label.index(), v.index()));
        let homes = guide.homes();
        let label = |token| homes.map_or(token, |homes| homes.label(token)) as u8;
        let labels = std::array::from_fn(label);
        GraphBeam { puzzle, slides, guide, labels, goal, threads }
    }

    /// As [`super::search`].
    pub fn search(&self, beam: Beam, meter: &mut Meter<'_>) -> Result<Ended<Vec<Move>>, Limit> {
        let Ended { found, is_cut } = self.layers(beam, meter, |_| {})?;
        Ok(Ended { found: found.map(|found| self.path(&found)), is_cut })
    }

    /// Searches layer by layer, and calls `call` with each layer except the start's.
    pub fn layers(
        &self,
        beam: Beam,
        meter: &mut Meter<'_>,
        mut call: impl FnMut(&Layer<S::Arrival>),
    ) -> Result<Ended<Found<S::Taken>>, Limit> {
        let Some(start) = self.first_layer() else { return Ok(Ended::EMPTY) };
        let mut growth = Growth::new(start, beam, meter)?;
        let mut pace = Pace::new(beam);
        let recorder = meter.recorder(ALGORITHM.name, self.puzzle);
        for g in 0.. {
            let states = growth.layer.states.len();
            if states == 0 {
                break;
            }
            let width = pace.width(g + 1, states, Instant::now());
            growth.check_memory(&self.guide, width, meter)?;
            if let Some(recorder) = &recorder {
                self.record(recorder, &growth, g);
            }
            let (chosen, bytes) = self.next_layer(&mut growth, g, beam, width, meter)?;
            let reaches_goal = |candidate: &&CandidateOf<S, G>| {
                candidate.hash == self.goal && self.is_goal(&growth.layer, candidate)
            };
            if let Some(last) = chosen.iter().flatten().find(reaches_goal) {
                let (parent, taken) = (last.parent, S::taken(last.from, last.to));
                let found = Some(Found { traces: growth.traces, parent, taken });
                return Ok(Ended { found, is_cut: growth.is_cut });
            }
            let trace = self.write_all(meter, &growth.layer, &chosen, &mut growth.next);
            growth.traces.push(trace);
            let kept = growth.next.states.len();
            let of_kept = kept * Growth::<S, G>::bytes_of_kept(&self.guide);
            meter.note_end(bytes + of_kept as u64, (states + kept) as u64);
            std::mem::swap(&mut growth.layer, &mut growth.next);
            call(&growth.layer);
            meter.poll(bytes, 0)?;
        }
        Ok(Ended { found: None, is_cut: growth.is_cut })
    }

    /// The layer of the start, or `None` when the goal cannot be reached from it.
    fn first_layer(&self) -> Option<Layer<S::Arrival>> {
        let marks = self.guide.start()?;
        let (mut cells, mut places) = ([0; MAX_VERTICES], [0; MAX_VERTICES]);
        let mut hash = 0;
        let start = *self.puzzle.start();
        let start = self.guide.homes().map_or(start, |homes| homes.assign(&start));
        for (vertex, token) in start.tokens() {
            cells[vertex.index()] = token.index() as u8;
            places[token.index()] = vertex.index() as u8;
            hash ^= token_hash(self.label(token.index()), vertex.index());
        }
        let arrival = self.slides.root(self.first_empty());
        Some(Layer {
            cells: vec![CacheLine(cells)],
            places: if G::READS_PLACES { vec![places] } else { Vec::new() },
            marks,
            states: vec![State { hash, arrival }],
        })
    }

    /// The candidates of the next layer, `g + 1` moves from the start, for each of its parts, and
    /// the bytes held with them.
    ///
    /// Successors of a rank above the expected cutoff are not even hashed; if any of them turn out
    /// to be needed, the layer is made again with all of them.
    fn next_layer(
        &self,
        growth: &mut Growth<S, G>,
        g: u32,
        beam: Beam,
        width: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(Parts<S, G>, u64), Limit> {
        loop {
            let wanted = Wanted { g: g + 1, beam, worst: growth.worst() };
            self.expand_all(growth, wanted, meter);
            let bytes = growth.bytes(&self.guide);
            meter.poll(bytes, 0)?;
            let chosen = self.choose_all(growth, width, meter);
            meter.poll(bytes, 0)?;
            if growth.is_enough(&chosen, width.div_ceil(PIECES)) {
                return Ok((chosen, bytes));
            }
        }
    }

    /// Generates the successors of a layer, piece by piece.
    fn expand_all(&self, growth: &mut Growth<S, G>, wanted: Wanted, meter: &mut Meter<'_>) {
        let (layer, watch) = (&growth.layer, meter.watch());
        self.each(layer.states.len(), meter, growth.pieces.iter_mut(), |number, piece| {
            self.expand(layer, number, wanted, watch, piece);
        });
        let states = layer.states.len();
        let generated = growth.pieces.iter().map(|piece| piece.generated).sum::<u64>();
        growth.branching = generated as f64 / states as f64;
        meter.stats.expanded += states as u64;
        meter.stats.generated += generated;
    }

    /// Chooses the successors that are kept, for each part of the next layer; none of some parts
    /// when it is time to stop.
    fn choose_all(
        &self,
        growth: &mut Growth<S, G>,
        width: usize,
        meter: &mut Meter<'_>,
    ) -> Parts<S, G> {
        let (pieces, watch) = (&growth.pieces, meter.watch());
        self.each(growth.layer.states.len(), meter, growth.seen.iter_mut(), |part, seen| {
            if watch.is_over() {
                return Vec::new();
            }
            let candidates = pieces.iter().flat_map(|piece| &piece.parts[part]);
            choose(candidates, width.div_ceil(PIECES), seen)
        })
    }

    /// Reports the expansions of a layer, `g` moves from the start.
    fn record(&self, recorder: &Recorder<'_>, growth: &Growth<S, G>, g: u32) {
        let layer = &growth.layer;
        // The layer was swapped for the one before it.
        let before = growth.traces.last().map(|trace| (&growth.next, trace));
        let vertices = self.puzzle.board().vertex_set();
        let state = |layer: &Layer<S::Arrival>, number: usize| {
            let empty = self.slides.empty(layer.states[number].arrival);
            let cells = layer.cells[number].map(|token| self.label(token as usize) as u8);
            state_on(&cells, vertices - empty)
        };
        for number in 0..layer.states.len() {
            recorder.expand(|| {
                let parent = before.map(|(layer, trace)| {
                    let number = trace.parents[number] as usize;
                    state(layer, number)
                });
                let state = state(layer, number);
                let h = self.guide.estimate(layer, number, &state);
                Expanded { state, parent, g, h, end: SearchEnd::Start }
            });
        }
    }

    /// The label of a token.
    #[inline]
    fn label(&self, token: usize) -> usize {
        self.labels[token % MAX_VERTICES] as usize
    }

    /// The vertices that are empty in the start.
    fn first_empty(&self) -> VertexSet {
        self.puzzle.board().vertex_set() - self.puzzle.start().occupied()
    }

    fn path(&self, found: &Found<S::Taken>) -> Vec<Move> {
        let mut taken = vec![found.taken];
        let mut at = found.parent;
        for trace in found.traces.iter().rev() {
            taken.push(trace.taken[at as usize]);
            at = trace.parents[at as usize];
        }
        taken.reverse();
        S::moves(self.first_empty(), taken)
    }

    /// Works on each part of a layer, on all threads if it has many states, and returns the results
    /// in order.
    fn each<I: Send, T: Send>(
        &self,
        states: usize,
        meter: &mut Meter<'_>,
        items: impl ExactSizeIterator<Item = I> + Send,
        work: impl Fn(usize, I) -> T + Sync,
    ) -> Vec<T> {
        let threads = if states < SHARED { 1 } else { self.threads };
        let (done, other_cpu_s) = each(threads, items, work);
        meter.add_cpu(other_cpu_s);
        done
    }

    /// Generates the successors of the states in a piece of a layer, or of only some of them when
    /// it is time to stop.
    fn expand(
        &self,
        layer: &Layer<S::Arrival>,
        number: usize,
        wanted: Wanted,
        watch: Watch<'_>,
        piece: &mut Piece<S::Arrival, G::Note>,
    ) {
        let Wanted { g, beam, worst } = wanted;
        piece.generated = 0;
        piece.left_out = false;
        piece.parts.iter_mut().for_each(Vec::clear);
        let states = layer.states.len();
        let all = states * number / PIECES..states * (number + 1) / PIECES;
        let mut judged = Vec::new();
        for (group, first) in all.clone().step_by(TOGETHER).enumerate() {
            if group % LOOK_INTERVAL == 0 && watch.is_over() {
                break;
            }
            let together = first..(first + TOGETHER).min(all.end);
            self.guide.judge(layer, self.slides, together.clone(), &mut judged);
            let mut judged = judged.iter();
            for number in together {
                let state = layer.states[number];
                let slides = self.slides.after(state.arrival);
                for (slide, &Judged { least, rank, note }) in slides.zip(&mut judged) {
                    piece.generated += 1;
                    if g.saturating_add(least) >= beam.below {
                        continue;
                    }
                    // Only the goal has to be known by its hash.
                    if rank > worst && least > 0 {
                        piece.left_out = true;
                        continue;
                    }
                    let Slide { from, to, next } = slide;
                    let label = self.label(layer.cells[number][(from & 63) as usize] as usize);
                    let hash = state.hash
                        ^ token_hash(label, from as usize)
                        ^ token_hash(label, to as usize);
                    // The goal comes before all others; among those of one rank, the order is
                    // drawn.
                    let rank = if hash == self.goal {
                        0
                    } else {
                        (rank + 1) << DRAWN_BITS
                            | (mix(hash ^ beam.seed) >> (64 - DRAWN_BITS)) as u32
                    };
                    let parent = number as u32;
                    let candidate = Candidate { hash, parent, next, from, to, rank, note };
                    piece.parts[(hash >> 58) as usize % PIECES].push(candidate);
                }
            }
        }
    }

    /// Writes out the states of the candidates of all parts, and returns how they were reached.
    fn write_all(
        &self,
        meter: &mut Meter<'_>,
        layer: &Layer<S::Arrival>,
        parts: &[Vec<CandidateOf<S, G>>],
        next: &mut Layer<S::Arrival>,
    ) -> Trace<S::Taken> {
        let states = parts.iter().map(Vec::len).sum();
        next.resize::<S, G>(states, &self.guide);
        let mut trace =
            Trace { parents: vec![0; states], taken: vec![S::Taken::default(); states] };
        let mut left = (
            &mut next.cells[..],
            &mut next.places[..],
            &mut next.marks[..],
            &mut next.states[..],
            &mut trace.parents[..],
            &mut trace.taken[..],
        );
        let places_of = |count: usize| count * usize::from(G::READS_PLACES);
        let share = |part: &Vec<CandidateOf<S, G>>| {
            let count = part.len();
            Share {
                cells: left.0.split_off_mut(..count).unwrap_or_default(),
                places: left.1.split_off_mut(..places_of(count)).unwrap_or_default(),
                marks: left.2.split_off_mut(..count * self.guide.marks()).unwrap_or_default(),
                states: left.3.split_off_mut(..count).unwrap_or_default(),
                parents: left.4.split_off_mut(..count).unwrap_or_default(),
                taken: left.5.split_off_mut(..count).unwrap_or_default(),
            }
        };
        let shares: Vec<Share<'_, S>> = parts.iter().map(share).collect();
        self.each(states, meter, parts.iter().zip(shares), |_, (part, mut share)| {
            for (number, candidate) in part.iter().enumerate() {
                if let Some(ahead) = part.get(number + AHEAD) {
                    prefetch(&raw const layer.cells[ahead.parent as usize]);
                }
                self.write(layer, candidate, &mut share, number);
            }
        });
        trace
    }

    /// Returns whether a candidate with the goal's hash is the goal.
    fn is_goal(&self, layer: &Layer<S::Arrival>, candidate: &CandidateOf<S, G>) -> bool {
        let mut cells = *layer.cells[candidate.parent as usize];
        cells[candidate.to as usize] = cells[candidate.from as usize];
        let empty = self.slides.empty(candidate.next);
        self.puzzle.goal().labelled().tokens().all(|(vertex, label)| {
            let token = cells[vertex.index()] as usize;
            !empty.contains(vertex) && self.label(token) == label.index()
        })
    }

    /// Writes out the state of a candidate.
    fn write(
        &self,
        layer: &Layer<S::Arrival>,
        candidate: &CandidateOf<S, G>,
        share: &mut Share<'_, S>,
        number: usize,
    ) {
        let parent = candidate.parent as usize;
        let cells = &mut share.cells[number];
        *cells = layer.cells[parent];
        let token = cells[candidate.from as usize];
        cells[candidate.to as usize] = token;
        if G::READS_PLACES {
            let places = &mut share.places[number];
            *places = layer.places[parent];
            places[(token & 63) as usize] = candidate.to;
        }
        let count = self.guide.marks();
        let marks = &mut share.marks[number * count..(number + 1) * count];
        self.guide.write(token as usize, candidate.note, layer.marks(parent), marks);
        if self.guide.homes().is_some() {
            let occupied = self.puzzle.board().vertex_set() - self.slides.empty(candidate.next);
            let to = slide_of(candidate.from, candidate.to).to;
            self.guide.settle(cells, occupied, to, marks);
        }
        share.states[number] = State { hash: candidate.hash, arrival: candidate.next };
        share.parents[number] = candidate.parent;
        share.taken[number] = S::taken(candidate.from, candidate.to);
    }
}

/// Where the states of one part of a layer are written.
struct Share<'l, S: Slides> {
    cells: &'l mut [CacheLine],
    places: &'l mut [[u8; MAX_VERTICES]],
    marks: &'l mut [u32],
    states: &'l mut [State<S::Arrival>],
    parents: &'l mut [u32],
    taken: &'l mut [S::Taken],
}

/// A state's hash is the exclusive or of those of its tokens on their vertices (Zobrist 1970).
fn token_hash(label: usize, vertex: usize) -> u64 {
    mix((label * MAX_VERTICES + vertex) as u64)
}
