use std::ops::Range;

use hyperslide_puzzle::{MAX_VERTICES, Puzzle};

use super::move_words::MoveWords;
use super::one_empty_beam::{Guide, Judged, Layer};
use crate::heuristics::LineWeights;

/// Ranks states by weights on the tokens of every line.
///
/// A state's marks are the sum of its weights and its Manhattan distance.
pub(super) struct LineGuide<'a> {
    weights: &'a LineWeights,
    start: [u32; 2],
}

/// Bits of a sum that are too fine for a rank: states of nearly the same sum are drawn from.
const FINE_BITS: u32 = 5;
/// Above all ranks.
const RANKS: i32 = u16::MAX as i32;

impl<'a> LineGuide<'a> {
    pub fn new(puzzle: &Puzzle, weights: &'a LineWeights) -> LineGuide<'a> {
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        let empty = puzzle.start().occupied().bits().trailing_ones() as u8;
        let sum = weights.value(&cells, empty).cast_unsigned();
        LineGuide { weights, start: [sum, weights.manhattan(&cells, empty)] }
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
                let rank = (sum.cast_signed() >> FINE_BITS).clamp(0, RANKS - 1) as u32;
                judged.push(Judged { least, rank, note: [sum, least] });
            }
        }
    }

    fn write(&self, _label: usize, note: Self::Note, marks: &mut [u32]) {
        marks.copy_from_slice(&note);
    }
}
