use std::ops::Range;

use hyperslide_puzzle::Puzzle;

use super::move_words::MoveWords;
use super::one_empty_beam::{Guide, Judged, Layer};
use crate::heuristics::{LineWeights, UNIT_BITS};

/// Ranks states by weights on the tokens of every line.
///
/// A state's marks are the sum of its weights and its Manhattan distance.
pub(super) struct LineGuide<'a> {
    weights: &'a LineWeights,
    start: [u32; 2],
}

/// The binary logarithm of a quarter of a move: states of about one value have one rank, of which those kept are drawn.
const RANK_BITS: u32 = UNIT_BITS - 2;
/// The goal's rank: weights say of some states near it that they are nearer.
const GOAL: i32 = 1 << 12;
/// Above all ranks.
const RANKS: i32 = u16::MAX as i32;

impl<'a> LineGuide<'a> {
    pub fn new(puzzle: &Puzzle, weights: &'a LineWeights) -> LineGuide<'a> {
        let start = puzzle.start();
        let start = [weights.value(start).cast_unsigned(), weights.manhattan(start)];
        LineGuide { weights, start }
    }
}

impl Guide for LineGuide<'_> {
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
            for step in words.steps(arrival) {
                let label = cells[(step.from & 63) as usize];
                let sum = layer.marks[2 * number]
                    .wrapping_add_signed(self.weights.change(cells, empty, step.from));
                let least = layer.marks[2 * number + 1]
                    .wrapping_add_signed(self.weights.manhattan_change(label, empty, step.from));
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
