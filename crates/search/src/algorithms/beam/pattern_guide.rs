//! Guides a beam by pattern databases.

use std::ops::Range;

use hyperslide_puzzle::{Label, MAX_VERTICES, Puzzle, State, Vertex};
use hyperslide_table::{CursorState, Lookup, PatternCursor, distance_change};

use super::graph::{BeamGuide, Judged, Layer};
use crate::engine::move_pruning::{MovePruning, PruningState, Step};
use crate::heuristics::{IncrementalPatterns, PARTITIONS, WalkPart};

/// Ranks states by the sum of all partitions into pattern databases and of the other heuristics,
/// which distinguishes states whose maximum is the same.
///
/// A state's marks begin with a [`Mark`] for each part and the sum of each partition.
pub(crate) struct PatternGuide<'a> {
    parts: Vec<Part<'a>>,
    part_of: &'a [[u8; MAX_VERTICES]],
    followed: IncrementalPatterns<'a>,
    labels: usize,
    start: Option<Vec<u32>>,
}

/// The position of a cursor without its vertices, which are those of its tokens: the arrangement
/// and the distance modulo 3. It is a quarter of a [`hyperslide_table::CursorState`], because this
/// search spends its time waiting for memory.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark(u32);

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

/// A pattern database, and how it sees the puzzle.
struct Part<'a> {
    walk: &'a PatternCursor,
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

/// What one partition says of a successor.
#[derive(Clone, Copy, Default)]
struct Look {
    /// The part that changes, or [`crate::heuristics::NO_PART`].
    part: u8,
    /// Its distance modulo 3 before and after.
    before: u8,
    value: u8,
    aim: Lookup,
}

impl<'a> PatternGuide<'a> {
    pub fn new(puzzle: &Puzzle, followed: IncrementalPatterns<'a>) -> PatternGuide<'a> {
        let walks = followed.walks;
        let part = |(number, part): (usize, &'a WalkPart)| {
            let is_of = |label: &u8| {
                walks.part_of.iter().any(|part_of| part_of[*label as usize] as usize == number)
            };
            let labels = (0..puzzle.labels().len() as u8).filter(is_of).collect();
            Part { walk: &part.walk, bits: &part.bits, labels }
        };
        let marks = |(at, sums): (Vec<CursorState>, Vec<u32>)| {
            at.into_iter().map(|at| Mark::new(at.slot(), at.value()).0).chain(sums).collect()
        };
        PatternGuide {
            parts: walks.parts.iter().enumerate().map(part).collect(),
            part_of: &walks.part_of,
            start: walks.start(puzzle.start()).map(marks),
            followed,
            labels: puzzle.labels().len(),
        }
    }

    /// The number of partitions, each of which adds its sum to the rank.
    pub fn partitions(&self) -> u32 {
        self.part_of.len() as u32
    }

    /// The estimate of the other heuristics after a step; `None` when the goal certainly cannot be
    /// reached.
    fn beside(
        &self,
        layer: &Layer<PruningState>,
        pruning: &MovePruning,
        number: usize,
        step: Step,
    ) -> Option<u32> {
        if self.followed.are_alone() {
            return Some(0);
        }
        let (empty, places) = (pruning.empty(layer.states[number].arrival), &layer.places[number]);
        let token = |(label, &place): (usize, &u8)| {
            let vertex = if place == step.from { empty } else { place };
            Some((Vertex::new(vertex as usize)?, Label::new(label)?))
        };
        let tokens = places[..self.labels].iter().enumerate();
        self.followed.beside(&tokens.filter_map(token).collect::<State>())
    }

    /// Lists what has to be looked up for a state's successors: one entry for each successor and
    /// partition.
    fn aim(
        &self,
        layer: &Layer<PruningState>,
        pruning: &MovePruning,
        number: usize,
        looks: &mut Vec<Look>,
    ) {
        let arrival = layer.states[number].arrival;
        let empty = pruning.empty(arrival);
        let marks = layer.marks(number);
        for step in pruning.steps(arrival) {
            let label = layer.cells[number][(step.from & 63) as usize];
            for part_of in self.part_of {
                let part = part_of[(label & 63) as usize];
                looks.push(match self.parts.get(part as usize) {
                    None => Look { part, ..Look::default() },
                    Some(at) => {
                        let set = at.set(&layer.places[number]);
                        let mark = Mark(marks[part as usize]);
                        let (from, to) = (at.bit(step.from), at.bit(empty));
                        let aim = at.walk.lookup_from(set, mark.slot(), from, to);
                        Look { part, before: mark.value(), value: mark.value(), aim }
                    }
                });
            }
        }
    }
}

impl BeamGuide<MovePruning> for PatternGuide<'_> {
    /// The mark of the part that changes in each partition.
    type Note = [Mark; PARTITIONS];

    const READS_PLACES: bool = true;

    fn marks(&self) -> usize {
        self.parts.len() + self.part_of.len()
    }

    fn start(&self) -> Option<Vec<u32>> {
        self.start.clone()
    }

    fn judge(
        &self,
        layer: &Layer<PruningState>,
        pruning: &MovePruning,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    ) {
        judged.clear();
        // First all places are determined, then all of them are read, so that no read waits for
        // another, and then the values are used.
        let mut looks: Vec<Look> = Vec::with_capacity(states.len() * 4 * PARTITIONS);
        for number in states.clone() {
            self.aim(layer, pruning, number, &mut looks);
        }
        for look in &mut looks {
            if let Some(part) = self.parts.get(look.part as usize) {
                look.value = part.walk.value(look.aim);
            }
        }
        let mut looks = looks.chunks_exact(self.part_of.len());
        for number in states {
            let sums = &layer.marks(number)[self.parts.len()..];
            let steps = pruning.steps(layer.states[number].arrival);
            for (step, looks) in steps.iter().zip(&mut looks) {
                let (mut least, mut rank) = match self.beside(layer, pruning, number, *step) {
                    Some(h) => (h, h),
                    None => (u32::MAX, 0),
                };
                let mut note = [Mark::default(); PARTITIONS];
                for ((look, &sum), mark) in looks.iter().zip(sums).zip(&mut note) {
                    let sum = sum.wrapping_add_signed(distance_change(look.before, look.value));
                    *mark = Mark::new(look.aim.slot, look.value);
                    least = least.max(sum);
                    rank += sum;
                }
                judged.push(Judged { least, rank, note });
            }
        }
    }

    fn estimate(&self, layer: &Layer<PruningState>, number: usize, state: &State) -> Option<u32> {
        let sums = &layer.marks(number)[self.parts.len()..][..self.part_of.len()];
        let greatest = sums.iter().copied().max()?;
        if self.followed.are_alone() {
            return Some(greatest);
        }
        Some(greatest.max(self.followed.beside(state)?))
    }

    fn write(&self, token: usize, note: Self::Note, before: &[u32], marks: &mut [u32]) {
        marks.copy_from_slice(before);
        let (parts, sums) = marks.split_at_mut(self.parts.len());
        for ((part_of, after), sum) in self.part_of.iter().zip(note).zip(sums) {
            if let Some(mark) = parts.get_mut(part_of[token & 63] as usize) {
                *sum = sum.wrapping_add_signed(distance_change(Mark(*mark).value(), after.value()));
                *mark = after.0;
            }
        }
    }
}
