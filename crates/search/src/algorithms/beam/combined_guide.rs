//! Guides a beam by pattern databases and learned weights together.

use std::ops::Range;

use hyperslide_puzzle::State;

use super::graph::{BeamGuide, Judged, Layer};
use super::pattern_guide::{Mark, PatternGuide};
use super::weights_guide::{GREATEST_RANK, RANKS_OF_A_MOVE, WeightsGuide};
use crate::engine::move_pruning::{MovePruning, PruningState};
use crate::heuristics::{Followed, PARTITIONS};

/// Ranks states by a weighted sum of both: pattern databases know what the tokens of a pattern cost
/// each other, and weights know what is usual near the empty vertex. For one empty vertex and
/// distinct labels.
///
/// A state's marks are those of the pattern databases and then those of the weights.
pub(crate) struct CombinedGuide<'a, W> {
    patterns: PatternGuide<'a>,
    weights: WeightsGuide<'a, W>,
    /// Ranks of a move by the sum of all partitions; one by the weights has [`RANKS_OF_A_MOVE`].
    of_patterns: u32,
}

/// A move by the mean of the partitions counts as much as this many by the weights: on hexagonal
/// boards 3 to 6 make little difference, and 1 is worse.
const PATTERN_SHARE: u32 = 4;

impl<'a, W: Followed> CombinedGuide<'a, W> {
    pub fn new(patterns: PatternGuide<'a>, weights: WeightsGuide<'a, W>) -> Self {
        let of_patterns = PATTERN_SHARE * RANKS_OF_A_MOVE / patterns.partitions().max(1);
        CombinedGuide { patterns, weights, of_patterns }
    }
}

impl<W: Followed> BeamGuide<MovePruning> for CombinedGuide<'_, W> {
    type Note = ([Mark; PARTITIONS], [u32; 2]);

    const READS_PLACES: bool = true;

    fn marks(&self) -> usize {
        self.patterns.marks() + BeamGuide::<MovePruning>::marks(&self.weights)
    }

    fn start(&self) -> Option<Vec<u32>> {
        let mut marks = self.patterns.start()?;
        marks.extend(BeamGuide::<MovePruning>::start(&self.weights)?);
        Some(marks)
    }

    fn judge(
        &self,
        layer: &Layer<PruningState>,
        pruning: &MovePruning,
        states: Range<usize>,
        judged: &mut Vec<Judged<Self::Note>>,
    ) {
        let (mut by_patterns, mut by_weights) = (Vec::new(), Vec::new());
        self.patterns.judge(layer, pruning, states.clone(), &mut by_patterns);
        self.weights.judge(layer, pruning, states, &mut by_weights);
        judged.clear();
        judged.extend(by_patterns.iter().zip(&by_weights).map(|(one, other)| {
            let rank = (self.of_patterns * one.rank + other.rank).min(GREATEST_RANK);
            Judged { least: one.least, rank, note: (one.note, other.note) }
        }));
    }

    fn estimate(&self, layer: &Layer<PruningState>, number: usize, state: &State) -> Option<u32> {
        self.patterns.estimate(layer, number, state)
    }

    fn write(&self, token: usize, note: Self::Note, before: &[u32], marks: &mut [u32]) {
        let count = self.patterns.marks();
        let (of_patterns, of_weights) = marks.split_at_mut(count);
        self.patterns.write(token, note.0, &before[..count], of_patterns);
        BeamGuide::<MovePruning>::write(&self.weights, token, note.1, &before[count..], of_weights);
    }
}
