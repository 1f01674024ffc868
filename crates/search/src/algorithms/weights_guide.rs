use std::ops::Range;

use hyperslide_puzzle::Puzzle;

use super::move_words::MoveWords;
use super::one_empty_beam::{Guide, Judged, Layer};
use crate::heuristics::{GridWeights, UNIT_BITS};

/// Ranks states by their learnt weights.
///
/// A state's marks are the sum of its weights and its Manhattan distance.
pub(super) struct WeightsGuide<'a> {
    weights: &'a GridWeights,
    start: [u32; 2],
}

/// The binary logarithm of a quarter of a move: states of about one value have one rank, of which those kept are drawn.
const RANK_BITS: u32 = UNIT_BITS - 2;
/// The goal's rank: weights say of some states near it that they are nearer.
const GOAL: i32 = 1 << 12;
/// Above all ranks.
const RANKS: i32 = u16::MAX as i32;

impl<'a> WeightsGuide<'a> {
    pub fn new(puzzle: &Puzzle, weights: &'a GridWeights) -> WeightsGuide<'a> {
        let start = puzzle.start();
        let start = [weights.value(start).cast_unsigned(), weights.manhattan(start)];
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
        words: &MoveWords,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    ) {
        judged.clear();
        for number in states {
            let cells = &layer.cells[number];
            let arrival = layer.states[number].arrival;
            let empty = words.empty(arrival);
            let mut changes = self.weights.changes(cells, empty);
            for step in words.steps(arrival) {
                let sum = layer.marks[2 * number].wrapping_add_signed(changes.sum(step.from));
                let least =
                    layer.marks[2 * number + 1].wrapping_add_signed(changes.manhattan(step.from));
                let rank = (sum.cast_signed() >> RANK_BITS) + GOAL;
                let rank = rank.clamp(0, RANKS - 1) as u32;
                judged.push(Judged { least, rank, note: [sum, least] });
            }
        }
    }

    fn write(&self, _label: usize, note: Self::Note, marks: &mut [u32]) {
        marks.copy_from_slice(&note);
    }
}
