//! How the arrangements of one occupied set lie in memory, and what a slide does to them.

use crate::arrangements::{Arrangements, binomial, is_odd, shift, subset_rank, subset_unrank};
use crate::watch::Watch;

/// Arrangements in one machine word, at most.
const WORD: u64 = 64;

/// What is done about the parity of rows of distinct tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parity {
    /// Rows of both parities occur.
    Both,
    /// Only rows of one parity occur on each occupied set: half the arrangements are kept.
    Fixed,
}

/// Where one arrangement lies in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The run, `0..runs`.
    pub run: u32,
    /// The word in the run, `0..words`.
    pub word: u32,
    /// The bit in the word, `0..lanes`.
    pub lane: u32,
}

/// What a slide does to the words of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing: the run is taken as it is.
    Copy,
    /// The bits of every word are permuted, by the lane permutation with this number.
    Lanes(u32),
    /// The words are permuted, by the word permutation with this number.
    Words(u32),
}

/// Where a run's arrangements come from under one shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The run of the source block.
    pub run: u32,
    /// What is done to it.
    pub action: Action,
}

/// One distance by which bits move: those in `mask`, after rotating left by `rotation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub mask: u64,
    pub rotation: u32,
}

/// The arrangements of the tokens on one occupied set, as a block of runs of words of bits.
///
/// The classes are divided in two, the **lane** tokens (five of them, when all are distinct) and
/// the **word** tokens. A run holds the arrangements in which the lane tokens stand on the same
/// places: a word for each order of the word tokens, in it a bit for each order of the lane tokens.
/// A slide shifts one token past some others. When it is a word token, whole words change places;
/// when it is a lane token, the same permutation is applied to the bits of every word; where it
/// passes none of its own kind nothing changes but the run. No arrangement is looked at alone.
///
/// The word does not distinguish two of five distinct lane tokens: 60 bits, whose missing half is
/// another run ([`Parity::Both`]) or not there at all ([`Parity::Fixed`]).
#[derive(Clone, Debug)]
pub(crate) struct BlockLayout {
    /// For each class: whether it is a lane class, and its number among them.
    part: Vec<(bool, u8)>,
    lane_count: usize,
    lanes: Arrangements,
    words: Arrangements,
    /// Two lane classes that share their bits.
    merged: Option<[u8; 2]>,
    /// Runs that hold the same places of the lane tokens: 2 when the parity is kept beside them.
    halves: u64,
    patterns: u64,
    places: usize,
    multiplicities: Vec<usize>,
}

impl BlockLayout {
    /// Divides the classes so that the words are as full as can be; `None` when a block has more
    /// than 2^32 words.
    pub fn new(multiplicities: &[usize], parity: Parity) -> Option<BlockLayout> {
        let places: usize = multiplicities.iter().sum();
        let all_distinct = multiplicities.iter().all(|&m| m == 1);
        assert!(parity == Parity::Both || all_distinct);
        let singles: Vec<usize> =
            (0..multiplicities.len()).filter(|&c| multiplicities[c] == 1).collect();
        let merges = match parity {
            Parity::Fixed => places >= 2,
            Parity::Both => singles.len() >= 5,
        };
        let mut lane_classes =
            if merges { singles[..singles.len().min(5)].to_vec() } else { fullest(multiplicities) };
        // Few first: that keeps the distances of the steps few.
        lane_classes.sort_by_key(|&class| multiplicities[class]);
        BlockLayout::divided(multiplicities, &lane_classes, merges, parity)
    }

    /// The layout of distinct tokens of which the first ones, two to five of them, are the lane
    /// tokens; `None` when a block has more than 2^32 words.
    pub fn of_distinct(tokens: usize, lane_count: usize, parity: Parity) -> Option<BlockLayout> {
        assert!((2..=5).contains(&lane_count) && lane_count <= tokens);
        let lane_classes: Vec<usize> = (0..lane_count).collect();
        let merges = parity == Parity::Fixed || lane_count == 5;
        BlockLayout::divided(&vec![1; tokens], &lane_classes, merges, parity)
    }

    /// The layout with these lane classes, of which the last two share their bits if `merges`.
    fn divided(
        multiplicities: &[usize],
        lane_classes: &[usize],
        merges: bool,
        parity: Parity,
    ) -> Option<BlockLayout> {
        let places: usize = multiplicities.iter().sum();
        let merged = merges.then(|| {
            let last = lane_classes.len();
            [lane_classes[last - 2] as u8, lane_classes[last - 1] as u8]
        });
        let mut lane_multiplicities: Vec<usize> =
            lane_classes.iter().map(|&class| multiplicities[class]).collect();
        let lane_count: usize = lane_multiplicities.iter().sum();
        let mut part = vec![(false, 0); multiplicities.len()];
        for (number, &class) in lane_classes.iter().enumerate() {
            part[class] = (true, number as u8);
        }
        if let Some([first, second]) = merged {
            lane_multiplicities.pop();
            *lane_multiplicities.last_mut()? = 2;
            part[second as usize] = part[first as usize];
        }
        let word_classes: Vec<usize> =
            (0..multiplicities.len()).filter(|&class| !part[class].0).collect();
        for (number, &class) in word_classes.iter().enumerate() {
            part[class] = (false, number as u8);
        }
        let word_multiplicities: Vec<usize> =
            word_classes.iter().map(|&class| multiplicities[class]).collect();
        let layout = BlockLayout {
            part,
            lane_count,
            lanes: Arrangements::new(&lane_multiplicities)?,
            words: Arrangements::new(&word_multiplicities)?,
            merged,
            halves: if merges && parity == Parity::Both { 2 } else { 1 },
            patterns: binomial(places, lane_count),
            places,
            multiplicities: multiplicities.to_vec(),
        };
        assert!(layout.lanes.count() <= WORD);
        let words = layout.patterns.checked_mul(layout.halves)?.checked_mul(layout.words())?;
        (words < 1 << 32).then_some(layout)
    }

    /// Arrangements in a word: at most 64.
    pub fn lanes(&self) -> u64 {
        self.lanes.count()
    }

    /// Words in a run.
    pub fn words(&self) -> u64 {
        self.words.count()
    }

    /// Runs in a block.
    pub fn runs(&self) -> u64 {
        self.patterns * self.halves
    }

    /// Arrangements in a block.
    pub fn arrangements(&self) -> u64 {
        self.runs() * self.words() * self.lanes()
    }

    /// Bytes of a block.
    pub fn bytes(&self) -> u64 {
        self.runs() * self.words() * 8
    }

    /// The number of lane tokens.
    pub fn lane_count(&self) -> usize {
        self.lane_count
    }

    /// The orders of the lane tokens, the bits of a word.
    pub fn lane_orders(&self) -> &Arrangements {
        &self.lanes
    }

    /// The orders of the word tokens, the words of a run.
    pub fn word_orders(&self) -> &Arrangements {
        &self.words
    }

    /// Returns whether two of the lane tokens are not distinguished within a word.
    pub fn is_merged(&self) -> bool {
        self.merged.is_some()
    }

    /// Runs that hold the same places of the lane tokens, 1 or 2.
    pub fn halves(&self) -> u64 {
        self.halves
    }

    /// Tokens of each class.
    pub fn multiplicities(&self) -> &[usize] {
        &self.multiplicities
    }

    /// Places of a row.
    pub fn places(&self) -> usize {
        self.places
    }

    /// The bits of a word that stand for arrangements.
    pub fn full_word(&self) -> u64 {
        u64::MAX >> (WORD - self.lanes())
    }

    /// Where a row of classes lies; `None` if it does not have the right number of tokens of each
    /// class.
    pub fn place(&self, row: &[u8]) -> Option<Place> {
        let (mut lane_row, mut word_row) = ([0u8; 64], [0u8; 64]);
        let (mut lane_places, mut word_places, mut pattern) = (0, 0, 0u64);
        let mut lane_tokens = [0u8; 64];
        for (place, &class) in row.iter().enumerate() {
            let (is_lane, number) = *self.part.get(class as usize)?;
            if is_lane {
                pattern |= 1 << place;
                lane_row[lane_places] = number;
                lane_tokens[lane_places] = class;
                lane_places += 1;
            } else {
                word_row[word_places] = number;
                word_places += 1;
            }
        }
        let lane_tokens = &lane_tokens[..lane_places];
        // Merged classes have one number, so that their tokens are counted together.
        if let Some(merged) = self.merged {
            let is_there = |class: u8| lane_tokens.contains(&class);
            if !merged.into_iter().all(is_there) {
                return None;
            }
        }
        let half = self.halves == 2 && is_odd(lane_tokens);
        Some(Place {
            run: (subset_rank(pattern) * self.halves + u64::from(half)) as u32,
            word: self.words.try_rank(&word_row[..word_places])? as u32,
            lane: self.lanes.try_rank(&lane_row[..lane_places])? as u32,
        })
    }

    /// Returns the classes of the lanes and of the words, each with the weight of the number of its
    /// token's free places to the left; their sums are the lane and the word. All classes have one
    /// token.
    pub fn digits(&self) -> [Vec<(u8, u64)>; 2] {
        let of = |is_lane: bool, arrangements: &Arrangements| {
            let digit = |(class, &(of_lane, number)): (usize, &(bool, u8))| {
                if of_lane != is_lane {
                    return None;
                }
                // Merged classes are the last, and have the places that are left.
                let is_merged = self.merged.is_some_and(|merged| merged.contains(&(class as u8)));
                let weight = if is_merged { 0 } else { arrangements.weights()[number as usize] };
                Some((number, class as u8, weight))
            };
            let mut digits: Vec<_> = self.part.iter().enumerate().filter_map(digit).collect();
            digits.sort_unstable();
            digits.into_iter().map(|(_, class, weight)| (class, weight)).collect()
        };
        [of(true, &self.lanes), of(false, &self.words)]
    }

    /// Writes the row at a place. With [`Parity::Fixed`], `is_odd_row` says which of the two rows
    /// that share the place it is; otherwise it is not looked at.
    pub fn row(&self, place: Place, is_odd_row: bool, row: &mut [u8]) {
        let pattern = subset_unrank(u64::from(place.run) / self.halves, self.lane_count);
        let mut lane_row = vec![0; self.lane_count];
        let mut word_row = vec![0; self.places - self.lane_count];
        self.lanes.unrank(u64::from(place.lane), &mut lane_row);
        self.words.unrank(u64::from(place.word), &mut word_row);
        let class_of = |part: (bool, u8)| {
            // Of two merged classes the first.
            self.part.iter().position(|&other| other == part).unwrap_or(0) as u8
        };
        let (mut lane_place, mut word_place) = (0, 0);
        let mut merged_place = None;
        for (place, class) in row.iter_mut().enumerate() {
            *class = if pattern >> place & 1 == 1 {
                lane_place += 1;
                class_of((true, lane_row[lane_place - 1]))
            } else {
                word_place += 1;
                class_of((false, word_row[word_place - 1]))
            };
            if self.merged.is_some_and(|[first, _]| first == *class) {
                merged_place = Some(place);
            }
        }
        if let (Some([first, second]), Some(last)) = (self.merged, merged_place) {
            row[last] = second;
            let odd = if self.halves == 2 {
                let lane_tokens: Vec<u8> =
                    row.iter().copied().filter(|&class| self.part[class as usize].0).collect();
                is_odd(&lane_tokens) != (u64::from(place.run) % 2 == 1)
            } else {
                is_odd(row) != is_odd_row
            };
            if odd {
                let other = row.iter().position(|&class| class == first).unwrap_or(last);
                row.swap(other, last);
            }
        }
    }
}

/// The classes whose arrangements fill a word best, of those that fit in one.
fn fullest(multiplicities: &[usize]) -> Vec<usize> {
    fn extend(
        multiplicities: &[usize],
        chosen: &mut Vec<usize>,
        next: usize,
        best: &mut (u64, Vec<usize>),
    ) {
        let sizes: Vec<usize> = chosen.iter().map(|&class| multiplicities[class]).collect();
        match Arrangements::new(&sizes) {
            Some(all) if all.count() <= WORD => {
                if all.count() > best.0 {
                    *best = (all.count(), chosen.clone());
                }
            }
            _ => return,
        }
        for class in next..multiplicities.len() {
            // Of classes of the same size the first ones: the others give nothing new.
            let is_first = class == next || multiplicities[class] != multiplicities[class - 1];
            if is_first {
                chosen.push(class);
                extend(multiplicities, chosen, class + 1, best);
                chosen.pop();
            }
        }
    }
    let mut order: Vec<usize> = (0..multiplicities.len()).collect();
    order.sort_by_key(|&class| multiplicities[class]);
    let sorted: Vec<usize> = order.iter().map(|&class| multiplicities[class]).collect();
    let mut best = (0, Vec::new());
    extend(&sorted, &mut Vec::new(), 0, &mut best);
    best.1.into_iter().map(|number| order[number]).collect()
}

/// What every shift `(from, to)` of a row does to the runs of a [`BlockLayout`].
///
/// Memory: 12 bytes a run for each shift that occurs, and the permutations.
#[derive(Clone, Debug)]
pub(crate) struct Shifts {
    /// For each shift, numbered `from * places + to`, the origin of each run; empty where it was
    /// not asked for.
    origins: Vec<Vec<Origin>>,
    lane_permutations: Vec<Vec<Step>>,
    word_permutations: Vec<Vec<u32>>,
}

impl Shifts {
    /// The tables for these shifts, each made in time O(arrangements of one kind of tokens); `None`
    /// if stopped.
    pub fn new(
        layout: &BlockLayout,
        wanted: impl IntoIterator<Item = (usize, usize)>,
        watch: Watch<'_>,
    ) -> Option<Shifts> {
        let mut shifts = Shifts {
            origins: vec![Vec::new(); layout.places * layout.places],
            lane_permutations: Vec::new(),
            word_permutations: Vec::new(),
        };
        let size = layout.lane_count + 1;
        let mut lane_actions = vec![None; size * size];
        let size = layout.places - layout.lane_count + 1;
        let mut word_actions = vec![None; size * size];
        for (from, to) in wanted {
            if watch.is_over() {
                return None;
            }
            let number = Self::number(layout.places, from, to);
            if shifts.origins[number].is_empty() {
                let runs = 0..layout.runs() as u32;
                let origins = runs.map(|run| {
                    shifts.origin(layout, run, from, to, &mut lane_actions, &mut word_actions)
                });
                let origins = origins.collect();
                shifts.origins[number] = origins;
            }
        }
        Some(shifts)
    }

    /// The number of a shift.
    pub fn number(places: usize, from: usize, to: usize) -> usize {
        from * places + to
    }

    /// The origin of each run.
    pub fn origins(&self, shift: usize) -> &[Origin] {
        &self.origins[shift]
    }

    /// How the bits of a word move.
    pub fn lane_permutation(&self, number: u32) -> &[Step] {
        &self.lane_permutations[number as usize]
    }

    /// For each word of a run the one it comes from.
    pub fn word_permutation(&self, number: u32) -> &[u32] {
        &self.word_permutations[number as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let origins: usize = self.origins.iter().map(Vec::len).sum();
        let words: usize = self.word_permutations.iter().map(Vec::len).sum();
        (origins * size_of::<Origin>() + words * 4) as u64
    }

    fn origin(
        &mut self,
        layout: &BlockLayout,
        run: u32,
        from: usize,
        to: usize,
        lane_actions: &mut [Option<Action>],
        word_actions: &mut [Option<Action>],
    ) -> Origin {
        let (pattern, half) = (u64::from(run) / layout.halves, u64::from(run) % layout.halves);
        let target = subset_unrank(pattern, layout.lane_count);
        let mut places: Vec<bool> = (0..layout.places).map(|p| target >> p & 1 == 1).collect();
        let is_lane = places[to];
        let place_of = |places: &[bool], at: usize| {
            places[..at].iter().filter(|&&lane| lane == is_lane).count()
        };
        let end = place_of(&places, to);
        shift(&mut places, to, from);
        let start = place_of(&places, from);
        let source: u64 = places.iter().zip(0..).map(|(&lane, p)| u64::from(lane) << p).sum();
        let passed = start.abs_diff(end);
        let half = if layout.halves == 2 && is_lane { half ^ (passed as u64 & 1) } else { half };
        let actions = if is_lane { lane_actions } else { word_actions };
        let size = if is_lane { layout.lane_count } else { layout.places - layout.lane_count };
        let action = *actions[start * size + end]
            .get_or_insert_with(|| self.action(layout, is_lane, start, end));
        Origin { run: (subset_rank(source) * layout.halves + half) as u32, action }
    }

    fn action(&mut self, layout: &BlockLayout, is_lane: bool, start: usize, end: usize) -> Action {
        let arrangements = if is_lane { &layout.lanes } else { &layout.words };
        let sources = arrangements.sources_of_shift(start, end);
        if sources.iter().zip(0..).all(|(&source, target)| source == target) {
            return Action::Copy;
        }
        if is_lane {
            let mut steps: Vec<Step> = Vec::new();
            for (target, &source) in sources.iter().enumerate() {
                let rotation = (target as u32).wrapping_sub(source) & 63;
                match steps.iter_mut().find(|step| step.rotation == rotation) {
                    Some(step) => step.mask |= 1 << target,
                    None => steps.push(Step { mask: 1 << target, rotation }),
                }
            }
            self.lane_permutations.push(steps);
            Action::Lanes(self.lane_permutations.len() as u32 - 1)
        } else {
            self.word_permutations.push(sources);
            Action::Words(self.word_permutations.len() as u32 - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangements::Arrangements;

    const CASES: &[(&[usize], Parity)] = &[
        (&[], Parity::Both),
        (&[3], Parity::Both),
        (&[1, 1], Parity::Fixed),
        (&[1, 1, 1, 1], Parity::Both),
        (&[1, 1, 1, 1], Parity::Fixed),
        (&[1; 6], Parity::Both),
        (&[1; 7], Parity::Fixed),
        (&[2, 1, 3], Parity::Both),
        (&[2, 2, 2], Parity::Both),
        (&[4, 1, 1, 1, 1, 1], Parity::Both),
        (&[1, 5, 1], Parity::Both),
    ];

    fn rows(multiplicities: &[usize]) -> impl Iterator<Item = Vec<u8>> {
        let all = Arrangements::new(multiplicities).unwrap();
        (0..all.count()).map(move |rank| {
            let mut row = vec![0; all.places()];
            all.unrank(rank, &mut row);
            row
        })
    }

    #[test]
    fn every_arrangement_has_its_own_place() {
        for &(multiplicities, parity) in CASES {
            let layout = BlockLayout::new(multiplicities, parity).unwrap();
            let mut seen = std::collections::HashSet::new();
            for row in rows(multiplicities) {
                let place = layout.place(&row).unwrap();
                assert!(u64::from(place.run) < layout.runs(), "{multiplicities:?}");
                assert!(u64::from(place.word) < layout.words(), "{multiplicities:?}");
                assert!(u64::from(place.lane) < layout.lanes(), "{multiplicities:?}");
                let mut back = vec![0; row.len()];
                layout.row(place, is_odd(&row), &mut back);
                assert_eq!(back, row, "{multiplicities:?} {parity:?} {place:?}");
                let parity = parity == Parity::Fixed && is_odd(&row);
                assert!(seen.insert((place.run, place.word, place.lane, parity)));
            }
            let kept = if parity == Parity::Fixed { 2 } else { 1 };
            assert_eq!(seen.len() as u64, layout.arrangements() * kept, "{multiplicities:?}");
        }
    }

    #[test]
    fn rows_of_other_tokens_have_no_place() {
        for &(multiplicities, parity) in CASES {
            let layout = BlockLayout::new(multiplicities, parity).unwrap();
            for row in rows(multiplicities) {
                for place in 0..row.len() {
                    for class in
                        (0..=multiplicities.len() as u8).filter(|&class| class != row[place])
                    {
                        let mut other = row.clone();
                        other[place] = class;
                        assert_eq!(layout.place(&other), None, "{multiplicities:?} {other:?}");
                    }
                }
                assert_eq!(layout.place(&[&[0], &row[..]].concat()), None, "{multiplicities:?}");
            }
        }
    }

    #[test]
    fn words_are_full() {
        let layout = BlockLayout::new(&[1; 9], Parity::Both).unwrap();
        assert_eq!((layout.lanes(), layout.words(), layout.runs()), (60, 24, 252));
        let layout = BlockLayout::new(&[1; 9], Parity::Fixed).unwrap();
        assert_eq!((layout.lanes(), layout.words(), layout.runs()), (60, 24, 126));
        assert_eq!(BlockLayout::new(&[9, 1, 1, 1], Parity::Both).unwrap().lanes(), 10);
        assert_eq!(BlockLayout::new(&[6, 1, 1, 2, 3], Parity::Both).unwrap().lanes(), 60);
    }

    #[test]
    fn shifts_do_to_blocks_what_they_do_to_rows() {
        for &(multiplicities, parity) in CASES {
            let layout = BlockLayout::new(multiplicities, parity).unwrap();
            let n = layout.places();
            let all = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
            let shifts = Shifts::new(&layout, all.clone(), Watch::default()).unwrap();
            for (from, to) in all {
                for row in rows(multiplicities) {
                    let source = layout.place(&row).unwrap();
                    let mut shifted = row.clone();
                    shift(&mut shifted, from, to);
                    let target = layout.place(&shifted).unwrap();
                    let origin = shifts.origins(Shifts::number(n, from, to))[target.run as usize];
                    assert_eq!(origin.run, source.run, "{row:?} {from} {to}");
                    let (word, lane) = match origin.action {
                        Action::Copy => (target.word, target.lane),
                        Action::Words(p) => {
                            (shifts.word_permutation(p)[target.word as usize], target.lane)
                        }
                        Action::Lanes(p) => {
                            let moved = shifts.lane_permutation(p).iter().fold(0, |bits, step| {
                                bits | (1u64 << source.lane).rotate_left(step.rotation) & step.mask
                            });
                            assert_eq!(moved, 1 << target.lane, "{row:?} {from} {to}");
                            (target.word, source.lane)
                        }
                    };
                    assert_eq!((word, lane), (source.word, source.lane), "{row:?} {from} {to}");
                }
            }
        }
    }
}
