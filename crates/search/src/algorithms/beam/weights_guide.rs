//! Guides a beam by learnt weights.

use std::ops::Range;

use hyperslide_puzzle::{Puzzle, State};

use super::graph::{Guide, Judged, Layer, Slides};
use crate::heuristics::{Followed, UNIT_BITS};

/// Ranks states by their learnt weights.
///
/// A state's marks are the sum of its weights, except those around empty vertices, and its
/// distance.
pub(crate) struct WeightsGuide<'a, W> {
    weights: &'a W,
    start: [u32; 2],
}

/// The binary logarithm of a quarter of a move: states of about the same value have the same rank,
/// and those that are kept are drawn from them.
const RANK_BITS: u32 = UNIT_BITS - 2;
/// The goal's rank: weights put some states near the goal even below it.
const GOAL: i32 = 1 << 12;
/// Above all ranks.
const RANKS: i32 = u16::MAX as i32;

impl<'a, W: Followed> WeightsGuide<'a, W> {
    pub fn new(puzzle: &Puzzle, weights: &'a W) -> WeightsGuide<'a, W> {
        let start = puzzle.start();
        let start = [weights.rest(start).cast_unsigned(), weights.distance(start)];
        WeightsGuide { weights, start }
    }
}

impl<W: Followed, S: Slides> Guide<S> for WeightsGuide<'_, W> {
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
            let (rest, distance) = (layer.marks[2 * number], layer.marks[2 * number + 1]);
            let ways = slides.after(arrival).map(|slide| (slide.from, slide.to));
            self.weights.slides(cells, slides.empty(arrival), ways, &mut seen, |change| {
                let rest = rest.wrapping_add_signed(change.rest);
                let least = distance.wrapping_add_signed(change.distance);
                let rank = ((rest.cast_signed() + change.around) >> RANK_BITS) + GOAL;
                let rank = rank.clamp(0, RANKS - 1) as u32;
                judged.push(Judged { least, rank, note: [rest, least] });
            });
        }
    }

    fn estimate(&self, _layer: &Layer<S::Arrival>, _number: usize, state: &State) -> Option<u32> {
        Some(self.weights.estimate(state))
    }

    fn write(&self, _label: usize, note: Self::Note, marks: &mut [u32]) {
        marks.copy_from_slice(&note);
    }
}
