//! What a symmetry of the board does to the blocks of a quotient.

use std::sync::OnceLock;

use super::network::{CHUNK, Network};
use crate::arrangements::{Arrangements, is_odd, subset_rank, subset_unrank};
use crate::layout::BlockLayout;

/// A symmetry between two blocks: it moves the free places of one set to those of another, and
/// renames the tokens on them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Relabelling {
    /// The symmetry, by its number.
    pub symmetry: u16,
    /// For each place of the target's row, the place of the source's row that is moved to it.
    pub sources: Vec<u8>,
}

/// Where a run of a relabelled block comes from.
pub(crate) struct RelabelledRun {
    /// The run of the source.
    pub run: usize,
    /// For each place of a token among those of its kind, the place from which it comes.
    lane_sources: [u8; 64],
    word_sources: [u8; 64],
}

/// What a symmetry does to the labels.
struct LabelAction {
    /// For each order of the word tokens, the one with the renamed tokens on the same places.
    words: Vec<u32>,
    /// The same for the orders of the lane tokens: for even rows and for odd rows where two lane
    /// tokens share their bits, twice the same otherwise.
    lanes: [Vec<u8>; 2],
    /// Whether it permutes the lane tokens oddly.
    is_lane_odd: bool,
}

/// Applies symmetries to whole blocks of distinct tokens.
///
/// A symmetry keeps the lane tokens and the word tokens apart. So it maps a run to a run, a word to
/// a word, and the bits of all words of a run (of those with the same parity, where two lane tokens
/// share their bits) by the same permutation, which is a [`Network`].
///
/// Memory: 4 bytes for each order of the word tokens and each permutation of their places, 88 bytes
/// for each permutation of bits; both are made when they are first needed.
pub(crate) struct Relabeller {
    lane_count: usize,
    halves: u64,
    is_merged: bool,
    lanes: Arrangements,
    words: Arrangements,
    /// The places of the lane tokens of each run, halves not counted.
    patterns: Vec<u64>,
    /// Whether a row with these places of its lane tokens is odd when the lane tokens and the word
    /// tokens are even among themselves.
    is_pattern_odd: Vec<bool>,
    /// The words whose tokens are in an even, and in an odd order.
    words_by_parity: [Vec<u32>; 2],
    actions: Vec<LabelAction>,
    /// All orders of the places of the lane tokens, and of the word tokens.
    lane_places: Arrangements,
    word_places: Arrangements,
    /// By the order of the places: for each word, the one with its tokens moved.
    moved_words: Vec<OnceLock<Vec<u32>>>,
    /// By the order of the places, the symmetry, and the parity of the source.
    networks: Vec<OnceLock<Network>>,
}

impl Relabeller {
    /// A relabeller for symmetries with these effects on the classes: class `c` becomes class
    /// `symmetries[s][c]`. Lane tokens come first and stay lane tokens.
    pub fn new(layout: &BlockLayout, symmetries: &[Vec<u8>]) -> Relabeller {
        let (places, lane_count) = (layout.places(), layout.lane_count());
        let word_count = places - lane_count;
        let patterns: Vec<u64> = (0..layout.runs() / layout.halves())
            .map(|rank| subset_unrank(rank, lane_count))
            .collect();
        let is_pattern_odd = |&pattern: &u64| {
            let row: Vec<u8> =
                (0..places).map(|place| u8::from(pattern >> place & 1 == 0)).collect();
            is_odd(&row)
        };
        let words = layout.word_orders().clone();
        let mut words_by_parity = [Vec::new(), Vec::new()];
        let mut row = vec![0; word_count];
        for word in 0..words.count() {
            words.unrank(word, &mut row);
            words_by_parity[usize::from(is_odd(&row))].push(word as u32);
        }
        let distinct = |count: usize| {
            Arrangements::new(&vec![1; count]).expect("a run has few tokens of either kind")
        };
        let mut relabeller = Relabeller {
            lane_count,
            halves: layout.halves(),
            is_merged: layout.is_merged(),
            lanes: layout.lane_orders().clone(),
            is_pattern_odd: patterns.iter().map(is_pattern_odd).collect(),
            patterns,
            words_by_parity,
            actions: Vec::new(),
            lane_places: distinct(lane_count),
            word_places: distinct(word_count),
            moved_words: Vec::new(),
            networks: Vec::new(),
            words,
        };
        relabeller.actions = symmetries.iter().map(|classes| relabeller.action(classes)).collect();
        relabeller.moved_words =
            (0..relabeller.word_places.count()).map(|_| OnceLock::new()).collect();
        let networks = relabeller.lane_places.count() as usize * symmetries.len() * 2;
        relabeller.networks = (0..networks).map(|_| OnceLock::new()).collect();
        relabeller
    }

    /// Returns where the run `target` of the relabelled block comes from.
    #[inline(always)]
    pub fn origin(&self, relabelling: &Relabelling, target: usize) -> RelabelledRun {
        let action = &self.actions[relabelling.symmetry as usize];
        let pattern = self.patterns[target / self.halves as usize];
        let mut source_pattern = 0u64;
        for (place, &source) in relabelling.sources.iter().enumerate() {
            source_pattern |= (pattern >> place & 1) << source;
        }
        let (mut lane_sources, mut word_sources) = ([0u8; 64], [0u8; 64]);
        let (mut lane, mut word) = (0, 0);
        for (place, &source) in relabelling.sources.iter().enumerate() {
            let before = (source_pattern & ((1 << source) - 1)).count_ones() as u8;
            if pattern >> place & 1 == 1 {
                lane_sources[lane] = before;
                lane += 1;
            } else {
                word_sources[word] = source - before;
                word += 1;
            }
        }
        let source_rank = subset_rank(source_pattern);
        let half = target as u64 % self.halves;
        let source_half = if self.halves == 2 {
            half ^ u64::from(is_odd(&lane_sources[..lane]) != action.is_lane_odd)
        } else {
            0
        };
        RelabelledRun {
            run: (source_rank * self.halves + source_half) as usize,
            lane_sources,
            word_sources,
        }
    }

    /// Writes a run of the relabelled block to `run`. `is_source_odd` says which rows the source
    /// has, where it has those of one parity only.
    #[inline(always)]
    pub fn relabel_run(
        &self,
        relabelling: &Relabelling,
        origin: &RelabelledRun,
        source: &[u64],
        is_source_odd: bool,
        run: &mut [u64],
    ) {
        let action = &self.actions[relabelling.symmetry as usize];
        let (lane_count, places) = (self.lane_count, relabelling.sources.len());
        let lane_sources = &origin.lane_sources[..lane_count];
        let word_sources = &origin.word_sources[..places - lane_count];
        let source_rank = origin.run as u64 / self.halves;
        let source_half = origin.run as u64 % self.halves;
        let source = &source[origin.run * run.len()..][..run.len()];
        let lane_order = self.lane_places.rank(lane_sources);
        let moved = self.moved_words(word_sources);
        let network =
            |is_odd: bool| self.network(lane_order, lane_sources, relabelling.symmetry, is_odd);
        if self.halves == 2 || !self.is_merged {
            let network = network(source_half == 1);
            self.relabel_words(0..run.len() as u32, source, run, network, &action.words, moved);
            return;
        }
        for (words, is_word_odd) in self.words_by_parity.iter().zip([false, true]) {
            let is_lane_odd =
                is_source_odd ^ self.is_pattern_odd[source_rank as usize] ^ is_word_odd;
            let words = words.iter().copied();
            self.relabel_words(words, source, run, network(is_lane_odd), &action.words, moved);
        }
    }

    /// Permutes the bits of some words of a run and puts them where they belong.
    #[inline(always)]
    fn relabel_words(
        &self,
        mut words: impl Iterator<Item = u32>,
        source: &[u64],
        run: &mut [u64],
        network: &Network,
        renamed: &[u32],
        moved: &[u32],
    ) {
        loop {
            let (mut bits, mut targets, mut count) = ([0; CHUNK], [0; CHUNK], 0);
            for word in words.by_ref().take(CHUNK) {
                bits[count] = source[word as usize];
                targets[count] = moved[renamed[word as usize] as usize];
                count += 1;
            }
            network.apply(&mut bits);
            for (&target, &bits) in targets.iter().zip(&bits).take(count) {
                run[target as usize] = bits;
            }
            if count < CHUNK {
                return;
            }
        }
    }

    /// For each order of the word tokens, the one in which place `i` has the token of place
    /// `sources[i]`.
    fn moved_words(&self, sources: &[u8]) -> &[u32] {
        let order = self.word_places.rank(sources) as usize;
        self.moved_words[order].get_or_init(|| moved(&self.words, sources))
    }

    fn network(&self, lane_order: u64, sources: &[u8], symmetry: u16, is_odd: bool) -> &Network {
        let number = lane_order as usize * self.actions.len() + symmetry as usize;
        self.networks[number * 2 + usize::from(is_odd)].get_or_init(|| {
            let renamed = &self.actions[symmetry as usize].lanes[usize::from(is_odd)];
            let moved = moved(&self.lanes, sources);
            let mut targets: [u8; 64] = std::array::from_fn(|bit| bit as u8);
            for (target, &renamed) in targets.iter_mut().zip(renamed) {
                *target = moved[renamed as usize] as u8;
            }
            Network::new(&targets)
        })
    }

    fn action(&self, classes: &[u8]) -> LabelAction {
        let (lane_classes, word_classes) = classes.split_at(self.lane_count);
        let first = self.lane_count as u8;
        let word_classes: Vec<u8> = word_classes.iter().map(|class| class - first).collect();
        let renamed = |all: &Arrangements, rename: &dyn Fn(&mut [u8])| -> Vec<u32> {
            let mut row = vec![0; all.places()];
            let orders = (0..all.count()).map(|order| {
                all.unrank(order, &mut row);
                rename(&mut row);
                all.rank(&row) as u32
            });
            orders.collect()
        };
        let words = renamed(&self.words, &|row| {
            row.iter_mut().for_each(|class| *class = word_classes[*class as usize]);
        });
        let lanes = [false, true].map(|is_row_odd| {
            let lanes = renamed(&self.lanes, &|row| {
                self.distinguish(row, is_row_odd);
                row.iter_mut().for_each(|class| *class = lane_classes[*class as usize]);
                self.merge(row);
            });
            lanes.into_iter().map(|lane| lane as u8).collect()
        });
        LabelAction { words, lanes, is_lane_odd: is_odd(lane_classes) }
    }

    /// Replaces the two classes that share their bits by two different ones, so that the row has
    /// this parity.
    fn distinguish(&self, row: &mut [u8], is_row_odd: bool) {
        if !self.is_merged {
            return;
        }
        let merged = self.lane_count as u8 - 2;
        let first = row.iter().position(|&class| class == merged).unwrap_or(0);
        let last = row.iter().rposition(|&class| class == merged).unwrap_or(0);
        row[last] = merged + 1;
        if is_odd(row) != is_row_odd {
            row.swap(first, last);
        }
    }

    fn merge(&self, row: &mut [u8]) {
        if self.is_merged {
            let merged = self.lane_count as u8 - 2;
            row.iter_mut().for_each(|class| *class = merged.min(*class));
        }
    }
}

/// For each arrangement, the one in which place `i` has the token of place `sources[i]`.
fn moved(all: &Arrangements, sources: &[u8]) -> Vec<u32> {
    let (mut row, mut target) = (vec![0; all.places()], vec![0; all.places()]);
    let orders = (0..all.count()).map(|order| {
        all.unrank(order, &mut row);
        for (target, &source) in target.iter_mut().zip(sources) {
            *target = row[source as usize];
        }
        all.rank(&target) as u32
    });
    orders.collect()
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::layout::Parity;

    fn shuffled(random: &mut impl Rng, range: std::ops::Range<u8>) -> Vec<u8> {
        let mut items: Vec<u8> = range.collect();
        for last in (1..items.len()).rev() {
            items.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        items
    }

    #[test]
    fn blocks_are_relabelled_as_rows_are() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let cases = [
            (7, 5, Parity::Fixed),
            (8, 5, Parity::Both),
            (7, 4, Parity::Fixed),
            (6, 3, Parity::Both),
            (5, 5, Parity::Fixed),
            (4, 2, Parity::Fixed),
        ];
        for (tokens, lanes, parity) in cases {
            let layout = BlockLayout::of_distinct(tokens, lanes, parity).unwrap();
            let symmetries: Vec<Vec<u8>> = (0..4)
                .map(|_| {
                    let lane_classes = shuffled(&mut random, 0..lanes as u8);
                    let word_classes = shuffled(&mut random, lanes as u8..tokens as u8);
                    [lane_classes, word_classes].concat()
                })
                .collect();
            let relabeller = Relabeller::new(&layout, &symmetries);
            let words = layout.words() as usize;
            for round in 0..40 {
                let relabelling = Relabelling {
                    symmetry: round % 4,
                    sources: shuffled(&mut random, 0..tokens as u8),
                };
                let is_source_odd = random.next_u64() % 2 == 1;
                // One row, renamed and moved by hand.
                let mut row = shuffled(&mut random, 0..tokens as u8);
                if parity == Parity::Fixed && is_odd(&row) != is_source_odd {
                    row.swap(0, 1);
                }
                let source = layout.place(&row).unwrap();
                let classes = &symmetries[relabelling.symmetry as usize];
                let renamed: Vec<u8> = relabelling
                    .sources
                    .iter()
                    .map(|&source| classes[row[source as usize] as usize])
                    .collect();
                let is_odd_relabelling = is_odd(&relabelling.sources) != is_odd(classes);
                assert_eq!(is_odd(&renamed) != is_odd(&row), is_odd_relabelling);
                let target = layout.place(&renamed).unwrap();
                let mut block = vec![0u64; layout.runs() as usize * words];
                block[source.run as usize * words + source.word as usize] |= 1 << source.lane;
                let mut relabelled = vec![0u64; block.len()];
                for (number, run) in relabelled.chunks_mut(words).enumerate() {
                    let origin = relabeller.origin(&relabelling, number);
                    relabeller.relabel_run(&relabelling, &origin, &block, is_source_odd, run);
                }
                let mut expected = vec![0u64; block.len()];
                expected[target.run as usize * words + target.word as usize] |= 1 << target.lane;
                assert_eq!(relabelled, expected, "{tokens} {lanes} {parity:?} {row:?}");
            }
        }
    }
}
