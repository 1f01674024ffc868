//! What a beam search under way holds: its layers, and the candidates for the next one.

use std::ops::{Deref, DerefMut};

use hyperslide_puzzle::MAX_VERTICES;
use hyperslide_table::prefetch;

use super::{AHEAD, BeamGuide, DRAWN_BITS, Slides};
use crate::algorithms::beam::Beam;
use crate::control::{Meter, is_available};
use crate::heuristics::Cells;
use crate::outcome::Limit;

/// The number of pieces of a layer that are expanded one by one, and of parts of the next layer by
/// the hashes of its states. It does not depend on the number of threads, and so neither does the
/// result.
pub(super) const PIECES: usize = 32;
/// The most states that each part of a layer remembers as kept: 16 MB.
const MOST_SEEN: usize = 1 << 21;
/// Parts that keep fewer states have cutoffs that cannot be foreseen.
const FORESEEN: usize = 1 << 8;

/// A layer: each array has one entry for each state unless its comment says otherwise.
#[derive(Default)]
pub(crate) struct Layer<A> {
    /// The token on each vertex, which is its label unless the guide assigns homes; the entries of
    /// empty ones mean nothing.
    pub cells: Vec<CacheLine>,
    /// The vertex of each label; an empty array when the guide does not read it.
    pub places: Vec<[u8; MAX_VERTICES]>,
    /// The guide's marks, several for each state.
    pub(super) marks: Vec<u32>,
    pub states: Vec<State<A>>,
}

/// The cells of a state, which are read from memory as one line of the cache, not as parts of two.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct CacheLine(pub Cells);

impl Deref for CacheLine {
    type Target = Cells;

    fn deref(&self) -> &Cells {
        &self.0
    }
}

impl DerefMut for CacheLine {
    fn deref_mut(&mut self) -> &mut Cells {
        &mut self.0
    }
}

impl<A: Copy + Default> Layer<A> {
    pub(super) fn resize<S: Slides, G: BeamGuide<S>>(&mut self, states: usize, guide: &G) {
        self.cells.resize(states, CacheLine([0; MAX_VERTICES]));
        self.places.resize(states * usize::from(G::READS_PLACES), [0; MAX_VERTICES]);
        self.marks.resize(states * guide.marks(), 0);
        self.states.resize(states, State::default());
    }

    /// The guide's marks of a state.
    #[inline]
    pub fn marks(&self, number: usize) -> &[u32] {
        let count = self.marks.len() / self.states.len();
        &self.marks[number * count..(number + 1) * count]
    }

    /// Bytes of a state.
    pub(super) fn bytes<S: Slides, G: BeamGuide<S>>(guide: &G) -> usize {
        size_of::<State<A>>()
            + MAX_VERTICES * (1 + usize::from(G::READS_PLACES))
            + guide.marks() * size_of::<u32>()
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct State<A> {
    pub(super) hash: u64,
    pub arrival: A,
}

/// A successor that may be kept.
#[derive(Clone, Copy)]
pub(super) struct Candidate<A, N> {
    pub hash: u64,
    pub parent: u32,
    pub next: A,
    pub from: u8,
    pub to: u8,
    /// The guide's, and below it a few bits that are drawn: the least are kept.
    pub rank: u32,
    pub note: N,
}

/// How each state of a layer was reached: 5 bytes a state with one empty vertex, 6 with several.
pub(crate) struct Trace<T> {
    /// The number of its parent in the layer before.
    pub parents: Vec<u32>,
    pub(super) taken: Vec<T>,
}

/// The successors of a piece of a layer.
pub(super) struct Piece<A, N> {
    /// For each part of the next layer, by the states' hashes, the candidates.
    pub parts: Vec<Vec<Candidate<A, N>>>,
    /// The number of successors that were generated.
    pub generated: u64,
    /// Whether there are others, of too high a rank.
    pub left_out: bool,
}

impl<A, N> Piece<A, N> {
    fn new() -> Piece<A, N> {
        Piece { parts: (0..PIECES).map(|_| Vec::new()).collect(), generated: 0, left_out: false }
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(Vec::capacity).sum::<usize>() * size_of::<Candidate<A, N>>()
    }
}

/// A beam search under way: its last two layers, and the candidates for the next one.
pub(super) struct Growth<S: Slides, G: BeamGuide<S>> {
    /// The last layer.
    pub layer: Layer<S::Arrival>,
    /// The layer before it, which the next one is written over.
    pub next: Layer<S::Arrival>,
    /// Which states were kept: for each part of a layer a table that forgets the older of two
    /// states with one place.
    pub seen: Vec<Vec<u64>>,
    pub pieces: Vec<Piece<S::Arrival, G::Note>>,
    pub traces: Vec<Trace<S::Taken>>,
    /// The mean number of successors of a state in the layer before.
    pub branching: f64,
    /// The greatest rank chosen in each of the last three layers, where they were full.
    cutoffs: [Option<u32>; 3],
    /// As [`Ended::is_cut`](crate::algorithms::beam::Ended::is_cut), so far.
    pub is_cut: bool,
}

impl<S: Slides, G: BeamGuide<S>> Growth<S, G> {
    /// Bytes of a state in the trace.
    const TRACED: usize = size_of::<u32>() + size_of::<S::Taken>();

    pub fn new(
        start: Layer<S::Arrival>,
        beam: Beam,
        meter: &mut Meter<'_>,
    ) -> Result<Growth<S, G>, Limit> {
        let slots = (beam.width / PIECES).saturating_mul(4).clamp(1 << 10, MOST_SEEN);
        let mut slots = slots.next_power_of_two();
        while slots > 1 && (PIECES * slots * 8) as u64 > meter.memory_limit() / 4 {
            slots /= 2;
        }
        meter.poll((PIECES * slots * 8) as u64, 0)?;
        Ok(Growth {
            layer: start,
            next: Layer::default(),
            // Each is zeroed by the system, page by page on first use; clones would touch all of
            // it.
            seen: (0..PIECES).map(|_| vec![0; slots]).collect(),
            pieces: (0..PIECES).map(|_| Piece::new()).collect(),
            traces: Vec::new(),
            branching: 4.0,
            cutoffs: [None; 3],
            is_cut: false,
        })
    }

    /// The guide's rank above which successors are left out.
    pub fn worst(&self) -> u32 {
        match self.cutoffs {
            // Cutoffs fall from layer to layer, in turns by more and by less.
            [Some(last), Some(one), Some(two)] => last - two.saturating_sub(one).min(last) + 1,
            _ => u32::MAX,
        }
    }

    /// Returns whether no successor that was left out could have been chosen. If one could, those
    /// that were chosen are forgotten, and none is left out next.
    pub fn is_enough(
        &mut self,
        chosen: &[Vec<Candidate<S::Arrival, G::Note>>],
        room: usize,
    ) -> bool {
        let is_full = chosen.iter().all(|part| part.len() >= room);
        if !is_full && self.pieces.iter().any(|piece| piece.left_out) {
            self.cutoffs = [None; 3];
            for (part, seen) in chosen.iter().zip(&mut self.seen) {
                for candidate in part {
                    let slot = slot(candidate.hash, seen);
                    seen[slot] = 0;
                }
            }
            return false;
        }
        let ranks = chosen.iter().flatten().map(|candidate| candidate.rank >> DRAWN_BITS);
        let [one, two, _] = self.cutoffs;
        self.cutoffs = [ranks.max().filter(|_| is_full && room >= FORESEEN), one, two];
        let candidates = |part: usize| self.pieces.iter().map(move |piece| piece.parts[part].len());
        self.is_cut = self.is_cut
            || self.pieces.iter().any(|piece| piece.left_out)
            || (0..PIECES).any(|part| candidates(part).sum::<usize>() > room);
        true
    }

    /// Bytes of a state that is kept: as a candidate, in its layer and in the trace.
    pub fn bytes_of_kept(guide: &G) -> usize {
        size_of::<Candidate<S::Arrival, G::Note>>()
            + Layer::<S::Arrival>::bytes::<S, G>(guide)
            + Self::TRACED
    }

    /// Bytes held without candidates.
    fn bytes_of_layers(&self, guide: &G) -> usize {
        let traced =
            self.traces.iter().map(|trace| trace.parents.len() * Self::TRACED).sum::<usize>();
        let seen = self.seen.iter().map(Vec::len).sum::<usize>() * 8;
        seen + traced + self.layer.states.len() * Layer::<S::Arrival>::bytes::<S, G>(guide)
    }

    /// Bytes held.
    pub fn bytes(&self, guide: &G) -> u64 {
        let candidates: usize = self.pieces.iter().map(Piece::bytes).sum();
        (self.bytes_of_layers(guide) + candidates) as u64
    }

    /// Returns the memory limit as an error when the next layer would exceed it.
    pub fn check_memory(&self, guide: &G, width: usize, meter: &Meter<'_>) -> Result<(), Limit> {
        // What the next layer takes, which may be twice as large as this one.
        let successors = (self.layer.states.len() as f64 * self.branching) as usize;
        let coming = successors * 2 * size_of::<Candidate<S::Arrival, G::Note>>()
            + successors.min(width) * Self::bytes_of_kept(guide);
        // What the last layers took is used again.
        let retained = self.pieces.iter().map(Piece::bytes).sum::<usize>()
            + self.next.states.capacity() * Layer::<S::Arrival>::bytes::<S, G>(guide);
        let fits = meter.fits((self.bytes_of_layers(guide) + coming) as u64);
        let is_free = || is_available(coming.saturating_sub(retained) as u64);
        if fits && is_free() { Ok(()) } else { Err(Limit::Memory) }
    }
}

/// Chooses the candidates of least rank, each state once and none that was kept before. They stay
/// in their own order, which is that of their parents, so that parents are read one after the
/// other.
pub(super) fn choose<'c, A: Copy + 'c, N: Copy + 'c>(
    candidates: impl Iterator<Item = &'c Candidate<A, N>> + Clone,
    room: usize,
    seen: &mut [u64],
) -> Vec<Candidate<A, N>> {
    let places = candidates.clone().zip(0u32..);
    // A rank, and below it the place, so that of two equal candidates always the same is kept.
    let mut order: Vec<u64> = places
        .map(|(candidate, place)| u64::from(candidate.rank) << u32::BITS | u64::from(place))
        .collect();
    let mut is_chosen = vec![false; order.len()];
    let is_new = |seen: &mut [u64], hash: u64| {
        let slot = slot(hash, seen);
        std::mem::replace(&mut seen[slot], hash) != hash
    };
    let mut left = &mut order[..];
    let mut chosen = 0;
    // Nearly all are chosen at once, without sorting them.
    let first = left_of(&mut left, room);
    if let Some(&last) = first.iter().max() {
        let mut ahead = candidates.clone().skip(AHEAD);
        for ((candidate, is_chosen), place) in candidates.clone().zip(&mut is_chosen).zip(0u64..) {
            if let Some(ahead) = ahead.next() {
                prefetch(&raw const seen[slot(ahead.hash, seen)]);
            }
            if u64::from(candidate.rank) << u32::BITS | place <= last {
                *is_chosen = is_new(seen, candidate.hash);
                chosen += usize::from(*is_chosen);
            }
        }
    }
    if chosen < room && !left.is_empty() {
        let hashes: Vec<u64> = candidates.clone().map(|candidate| candidate.hash).collect();
        while chosen < room && !left.is_empty() {
            let taken = left_of(&mut left, room - chosen);
            taken.sort_unstable_by_key(|&key| key as u32);
            for place in taken.iter().map(|&key| key as u32 as usize) {
                is_chosen[place] = is_new(seen, hashes[place]);
                chosen += usize::from(is_chosen[place]);
            }
        }
    }
    let mut all = Vec::with_capacity(chosen);
    all.extend(candidates.zip(is_chosen).filter(|&(_, chosen)| chosen).map(|(c, _)| *c));
    all
}

/// Where a table of a power of two of hashes has one.
fn slot(hash: u64, seen: &[u64]) -> usize {
    hash as usize & (seen.len() - 1)
}

/// Takes the least keys away, as many as wanted, in any order.
fn left_of<'k>(left: &mut &'k mut [u64], wanted: usize) -> &'k mut [u64] {
    if wanted < left.len() {
        left.select_nth_unstable(wanted);
    }
    left.split_off_mut(..wanted.min(left.len())).unwrap_or_default()
}
