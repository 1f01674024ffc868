//! Guides a beam by learned weights.

use std::ops::Range;

use hyperslide_puzzle::{Puzzle, State, Vertex, VertexSet};

use super::graph::{BeamGuide, Judged, Layer, Slides};
use crate::engine::cells::state_on;
use crate::heuristics::{Cells, Followed, TokenHomes, UNIT_BITS};

/// Ranks states by their learned weights.
///
/// A state's marks end with the sum of its weights, except those around empty vertices, and its
/// distance.
pub(crate) struct WeightsGuide<'a, W> {
    weights: &'a W,
    /// Where labels are repeated.
    homes: Option<&'a TokenHomes>,
    start: [u32; 2],
}

/// Ranks of a move: states of about the same value have the same rank, and those that are kept are
/// drawn from them.
pub(super) const RANKS_OF_A_MOVE: u32 = 4;
const RANK_BITS: u32 = UNIT_BITS - RANKS_OF_A_MOVE.ilog2();
/// The goal's rank: weights put some states near the goal even below it.
const GOAL: i32 = 1 << 12;
/// The greatest rank that a guide may give.
pub(super) const GREATEST_RANK: u32 = u16::MAX as u32 - 1;

impl<'a, W: Followed> WeightsGuide<'a, W> {
    /// By the weights for a puzzle, or for its tokens with homes of their own.
    pub fn new(
        puzzle: &Puzzle,
        homes: Option<&'a TokenHomes>,
        weights: &'a W,
    ) -> WeightsGuide<'a, W> {
        let start = *puzzle.start();
        let start = marks(weights, &homes.map_or(start, |homes| homes.assign(&start)));
        WeightsGuide { weights, homes, start }
    }
}

/// The marks of a state.
fn marks<W: Followed>(weights: &W, state: &State) -> [u32; 2] {
    [weights.rest(state).cast_unsigned(), weights.distance(state)]
}

impl<W: Followed, S: Slides> BeamGuide<S> for WeightsGuide<'_, W> {
    /// The marks of the successor.
    type Note = [u32; 2];

    const READS_PLACES: bool = false;

    fn marks(&self) -> usize {
        2
    }

    fn start(&self) -> Option<Vec<u32>> {
        Some(self.start.to_vec())
    }

    fn judge(
        &self,
        layer: &Layer<S::Arrival>,
        slides: &S,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    ) {
        judged.clear();
        let mut seen = W::Seen::default();
        for number in states {
            let cells = &layer.cells[number];
            let arrival = layer.states[number].arrival;
            let &[.., rest, distance] = layer.marks(number) else { unreachable!("two marks") };
            let ways = slides.after(arrival).map(|slide| (slide.from, slide.to));
            self.weights.slides(cells, slides.empty(arrival), ways, &mut seen, |change| {
                let rest = rest.wrapping_add_signed(change.rest);
                let least = distance.wrapping_add_signed(change.distance);
                let rank = ((rest.cast_signed() + change.around) >> RANK_BITS) + GOAL;
                let rank = rank.max(0).cast_unsigned().min(GREATEST_RANK);
                judged.push(Judged { least, rank, note: [rest, least] });
            });
        }
    }

    fn estimate(&self, _layer: &Layer<S::Arrival>, _number: usize, state: &State) -> Option<u32> {
        let assigned = self.homes.map(|homes| homes.assign(state));
        Some(self.weights.estimate(assigned.as_ref().unwrap_or(state)))
    }

    fn write(&self, _token: usize, note: Self::Note, _before: &[u32], marks: &mut [u32]) {
        marks.copy_from_slice(&note);
    }

    fn homes(&self) -> Option<&TokenHomes> {
        self.homes
    }

    fn settle(&self, cells: &mut Cells, occupied: VertexSet, to: Vertex, written: &mut [u32]) {
        if self.homes.is_some_and(|homes| homes.reassign(cells, occupied, to)) {
            written.copy_from_slice(&marks(self.weights, &state_on(cells, occupied)));
        }
    }
}
