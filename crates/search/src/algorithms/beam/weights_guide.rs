//! Guides a beam by learnt weights.

use std::ops::Range;

use hyperslide_puzzle::{Puzzle, State};

use super::one_empty::{Guide, Judged, Layer};
use crate::engine::move_pruning::MovePruning;
use crate::heuristics::{GridWeights, Seen, UNIT_BITS};

/// Ranks states by their learnt weights.
///
/// A state's marks are the sum of its weights, except those around the empty vertex, and its
/// Manhattan distance.
pub(crate) struct WeightsGuide<'a> {
    weights: &'a GridWeights,
    start: [u32; 2],
}

/// The binary logarithm of a quarter of a move: states of about the same value have the same rank,
/// and those that are kept are drawn from them.
const RANK_BITS: u32 = UNIT_BITS - 2;
/// The goal's rank: weights put some states near the goal even below it.
const GOAL: i32 = 1 << 12;
/// Above all ranks.
const RANKS: i32 = u16::MAX as i32;

impl<'a> WeightsGuide<'a> {
    pub fn new(puzzle: &Puzzle, weights: &'a GridWeights) -> WeightsGuide<'a> {
        let start = puzzle.start();
        let start = [weights.rest(start).cast_unsigned(), weights.manhattan(start)];
        WeightsGuide { weights, start }
    }
}

impl Guide for WeightsGuide<'_> {
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
        layer: &Layer,
        pruning: &MovePruning,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    ) {
        judged.clear();
        let mut seen = Seen::default();
        for number in states {
            let cells = &layer.cells[number];
            let arrival = layer.states[number].arrival;
            let mut changes = self.weights.changes(cells, pruning.empty(arrival), &mut seen);
            let (rest, manhattan) = (layer.marks[2 * number], layer.marks[2 * number + 1]);
            for step in pruning.steps(arrival) {
                let change = changes.slide(step.from);
                let rest = rest.wrapping_add_signed(change.rest);
                let least = manhattan.wrapping_add_signed(change.manhattan);
                let rank = ((rest.cast_signed() + change.around) >> RANK_BITS) + GOAL;
                let rank = rank.clamp(0, RANKS - 1) as u32;
                judged.push(Judged { least, rank, note: [rest, least] });
            }
        }
    }

    fn estimate(&self, _layer: &Layer, _number: usize, state: &State) -> Option<u32> {
        Some(self.weights.estimate(state))
    }

    fn write(&self, _label: usize, note: Self::Note, marks: &mut [u32]) {
        marks.copy_from_slice(&note);
    }
}
