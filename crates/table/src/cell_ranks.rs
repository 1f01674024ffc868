//! The ranks of many states that are given as cells, without building each as a [`State`].

use hyperslide_puzzle::{MAX_VERTICES, State, Vertex, VertexSet};

use crate::arrangements::{binomial, is_odd};
use crate::layout::Parity;
use crate::space::Space;

/// The most tokens of the fast way, so that tables of binomial coefficients stay small.
const MAX_PLACES: usize = 16;
/// The most tokens of the lanes of a word.
const MAX_LANE_TOKENS: usize = 5;
/// The states that are ranked together: a vector register has a byte for each.
const STATES: usize = 16;

/// A byte for each of the states that are ranked together.
type Bytes = [u8; STATES];

/// Ranks states of a [`Space`] that are given as [`State::from_cells`] takes them.
///
/// This is a second way to the numbers of [`Space::rank`], which is measurably faster for distinct
/// tokens and is tested against the first. The digits of a rank count, for each token, the later
/// tokens that stand to its left: comparisons of positions, which are made for 16 states at once.
pub struct CellRanks<'a> {
    space: &'a Space,
    quick: Option<Quick>,
}

/// What the fast way looks up.
struct Quick {
    /// The vertices in the order of their places.
    order: Vec<u8>,
    /// The cells of the tokens of the lanes, then of those of the words, each with the weight of
    /// its digit.
    tokens: Vec<(u8, u32)>,
    lane_tokens: usize,
    /// For each number of lane tokens up to a place and each place, what this place adds to the
    /// run.
    runs: [[u32; MAX_PLACES]; MAX_LANE_TOKENS],
    /// Whether the parity of the lane tokens makes two runs.
    has_halves: bool,
    /// Whether the lane and the word tokens in this order are an odd permutation of the classes,
    /// less the positions from which those of the lanes are counted.
    is_odd_order: bool,
    /// The occupied set for each empty vertex, where one is empty, and whether its rows are odd.
    by_empty: Option<Vec<Option<(usize, bool)>>>,
}

impl<'a> CellRanks<'a> {
    /// Prepares the ranks of a space.
    pub fn new(space: &'a Space) -> CellRanks<'a> {
        CellRanks { space, quick: Quick::new(space) }
    }

    /// Returns the number of the state with these cells, one for each vertex, or `None` if it is
    /// not numbered in the space. Any bytes are allowed.
    pub fn rank(&self, cells: &[u8]) -> Option<u64> {
        let mut rank = [None];
        if cells.len() == self.space.order().vertices().len() {
            self.ranks(cells, &mut rank);
        }
        rank[0]
    }

    /// Writes the number of each state likewise. `cells` are those of all states in their order.
    ///
    /// Takes some 150 instructions a state where the tokens are distinct and at most 16, and an
    /// allocation a state elsewhere.
    ///
    /// # Panics
    ///
    /// Panics if there is not one number for each state.
    pub fn ranks(&self, cells: &[u8], ranks: &mut [Option<u64>]) {
        let vertices = self.space.order().vertices().len();
        assert_eq!(cells.len(), ranks.len() * vertices, "one number for each state");
        match &self.quick {
            Some(quick) => {
                let groups = cells.chunks(STATES * vertices).zip(ranks.chunks_mut(STATES));
                groups.for_each(|(cells, ranks)| quick.ranks(self.space, cells, ranks));
            }
            None => {
                for (cells, rank) in cells.chunks_exact(vertices).zip(ranks) {
                    let number = |state: State| self.space.rank(&state);
                    *rank = State::from_cells(cells)
                        .and_then(number)
                        .and_then(|rank| u64::try_from(rank).ok());
                }
            }
        }
    }
}

impl Quick {
    fn new(space: &Space) -> Option<Quick> {
        let layout = space.layout();
        let count = layout.places();
        let suits = space.is_plain()
            && (1..=MAX_PLACES).contains(&count)
            && layout.multiplicities().iter().all(|&count| count == 1);
        if !suits {
            return None;
        }
        let order: Vec<u8> =
            space.order().vertices().iter().map(|vertex| vertex.index() as u8).collect();
        let [lanes, words] = layout.digits();
        let lane_tokens = lanes.len();
        let classes: Vec<u8> = lanes.iter().chain(&words).map(|&(class, _)| class).collect();
        // Tokens of the words stand at the left of those of the lanes as often as the positions of
        // the latter say, counted from 0, 1, ...
        let from = lane_tokens * lane_tokens.saturating_sub(1) / 2;
        let is_odd_order = is_odd(&classes) != (from % 2 == 1);
        let cell = |class: u8| space.classes()[class as usize].index() as u8 + 1;
        let tokens = lanes
            .iter()
            .chain(&words)
            .map(|&(class, weight)| Some((cell(class), u32::try_from(weight).ok()?)))
            .collect::<Option<Vec<_>>>()?;
        let mut runs = [[0; MAX_PLACES]; MAX_LANE_TOKENS];
        for (before, row) in runs.iter_mut().enumerate() {
            for (place, run) in row.iter_mut().enumerate() {
                *run = (binomial(place, before + 1) * layout.halves()) as u32;
            }
        }
        let by_empty = (count + 1 == order.len()).then(|| {
            let all = VertexSet::first(order.len());
            let set = |empty| {
                let set = space.find_set(all - VertexSet::single(empty))?;
                Some((set, space.has_odd_rows(set)))
            };
            Vertex::first(order.len()).map(set).collect()
        });
        let has_halves = layout.halves() == 2;
        (lane_tokens <= MAX_LANE_TOKENS).then_some(Quick {
            order,
            tokens,
            lane_tokens,
            runs,
            has_halves,
            is_odd_order,
            by_empty,
        })
    }

    /// Ranks up to 16 states.
    fn ranks(&self, space: &Space, cells: &[u8], ranks: &mut [Option<u64>]) {
        let (vertices, count) = (self.order.len(), self.tokens.len());
        // 1. The cells by their places: the cells of one vertex in all states are together.
        let mut by_vertex = [[0; STATES]; MAX_VERTICES];
        match vertices {
            9 => transpose::<9>(cells, &mut by_vertex),
            12 => transpose::<12>(cells, &mut by_vertex),
            16 => transpose::<16>(cells, &mut by_vertex),
            _ => {
                for (number, state) in cells.chunks_exact(vertices).enumerate() {
                    for (row, &cell) in by_vertex.iter_mut().zip(state) {
                        row[number % STATES] = cell;
                    }
                }
            }
        }
        // 2. How many tokens stand up to each place, and the vertex that is empty.
        let mut places = [([0; STATES], [0; STATES]); MAX_VERTICES];
        let (mut so_far, mut empty): (Bytes, Bytes) = ([0; STATES], [0; STATES]);
        for ((cells, up_to), &vertex) in places.iter_mut().zip(&self.order) {
            *cells = by_vertex[vertex as usize % MAX_VERTICES];
            for state in 0..STATES {
                let is_empty = if cells[state] == 0 { u8::MAX } else { 0 };
                so_far[state] += 1 & !is_empty;
                empty[state] |= is_empty & vertex;
            }
            *up_to = so_far;
        }
        let places = &places[..vertices.min(MAX_VERTICES)];
        // 3. The position of each token, counted from 1, and whether every token has one. Then each
        // has one only, since there are not more.
        let mut positions = [[0; STATES]; MAX_PLACES];
        let mut is_well = so_far.map(|tokens| tokens as usize == count);
        for (positions, &(token, _)) in positions.iter_mut().zip(&self.tokens) {
            for (cells, up_to) in places {
                for state in 0..STATES {
                    let is_here = if cells[state] == token { u8::MAX } else { 0 };
                    positions[state] |= is_here & up_to[state];
                }
            }
            for state in 0..STATES {
                is_well[state] &= positions[state] != 0;
            }
        }
        // 4. The digits, their sums, and the run of the lanes' positions.
        let (mut lane, mut word) = ([0u64; STATES], [0u64; STATES]);
        let (mut odd_lanes, mut odd_words): (Bytes, Bytes) = ([0; STATES], [0; STATES]);
        let mut run = [0u32; STATES];
        let (lanes, words) = positions[..count].split_at(self.lane_tokens);
        let (of_lanes, of_words) = self.tokens.split_at(self.lane_tokens);
        for (number, (own, &(_, weight))) in lanes.iter().zip(of_lanes).enumerate() {
            let digits = count_left(own, &lanes[number + 1..]);
            let before = count_left(own, &lanes[..number]);
            for state in 0..STATES {
                lane[state] += u64::from(digits[state]) * u64::from(weight);
                odd_lanes[state] ^= digits[state];
                odd_words[state] ^= own[state].wrapping_sub(1);
                let before = (digits[state] + before[state]) as usize % MAX_LANE_TOKENS;
                run[state] += self.runs[before][own[state].wrapping_sub(1) as usize % MAX_PLACES];
            }
        }
        for (number, (own, &(_, weight))) in words.iter().zip(of_words).enumerate() {
            let digits = count_left(own, &words[number + 1..]);
            for state in 0..STATES {
                word[state] += u64::from(digits[state]) * u64::from(weight);
                odd_words[state] ^= digits[state];
            }
        }
        // 5. The numbers.
        for (state, rank) in ranks.iter_mut().enumerate().take(STATES) {
            *rank = None;
            if !is_well[state] {
                continue;
            }
            let set = match &self.by_empty {
                Some(sets) => sets[empty[state] as usize],
                None => {
                    let cells = &cells[state * vertices..][..vertices];
                    let bit = |(vertex, &cell): (u64, &u8)| u64::from(cell != 0) << vertex;
                    let occupied = (0..).zip(cells).map(bit).fold(0, |set, bit| set | bit);
                    let set = space.find_set(VertexSet::from_bits(occupied));
                    set.map(|set| (set, space.has_odd_rows(set)))
                }
            };
            let Some((set, has_odd_rows)) = set else { continue };
            let odd_lanes = odd_lanes[state] & 1 == 1;
            let is_odd = odd_lanes != ((odd_words[state] & 1 == 1) != self.is_odd_order);
            if space.parity() == Parity::Fixed && is_odd != has_odd_rows {
                continue;
            }
            let run = u64::from(run[state]) + u64::from(self.has_halves & odd_lanes);
            *rank = Some(space.number(set, run, word[state], lane[state]));
        }
    }
}

/// Writes the cells of up to 16 states by their vertices.
fn transpose<const V: usize>(cells: &[u8], by_vertex: &mut [Bytes; MAX_VERTICES]) {
    for (number, state) in cells.as_chunks::<V>().0.iter().enumerate() {
        for (row, &cell) in by_vertex.iter_mut().zip(state) {
            row[number % STATES] = cell;
        }
    }
}

/// Counts for each state the tokens whose position is less than a token's own.
#[inline(always)]
fn count_left(own: &Bytes, others: &[Bytes]) -> Bytes {
    let mut counts = [0; STATES];
    for other in others {
        for state in 0..STATES {
            // Positions are small; vector registers compare numbers with a sign.
            counts[state] += u8::from((other[state] as i8) < own[state] as i8);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;
    use proptest::prelude::*;

    use super::*;
    use crate::space::SpaceOptions;

    /// Every numbered state, and changes of it that may not be numbered.
    #[test]
    fn both_ways_to_a_rank_agree() {
        for (line, halve) in [
            ("grid:2:3 1,2,3,4,5,0", true),
            ("grid:2:3 1,2,3,4,5,0", false),
            ("grid:3:3 1,2,3,4,5,6,7,8,0", true),
            ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", true),
            ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", false),
            ("cube:4:1 a=0,b=1,c=2,d=9,e=4,f=5 -> a=0,b=1,c=2,d=9,e=4,f=5", true),
            ("grid:2:4 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0", true),
            ("cube:3:1 a=0,b=1,c=2,d=3,e=4,f=5 -> a=0,b=1,c=2,d=3,e=4,f=5", false),
            ("cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4", true),
            ("cube:3:2 a=0,b=3,c=5,d=6,e=1 -> a=1,b=0,c=4,d=6,e=3", true),
            ("cube:3:2 a=0+3,c=5 -> a=1+0,c=4", true),
            ("grid:1:3 1,2,0", true),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let options = SpaceOptions { halve, ..SpaceOptions::default() };
            let space = Space::new(puzzle.board(), puzzle.start(), &options).unwrap();
            let ranks = CellRanks::new(&space);
            assert_eq!(ranks.quick.is_some(), puzzle.has_distinct_labels(), "{line}");
            let vertices = puzzle.board().vertex_count();
            let step = (space.states() / 5_000).max(1) as usize;
            let plain = |cells: &[u8]| {
                let state = State::from_cells(cells)?;
                space.rank(&state).map(|rank| rank as u64)
            };
            let mut all = Vec::new();
            for rank in (0..space.states()).step_by(step) {
                let state = space.unrank(rank);
                let cells = &state.cells()[..vertices];
                assert_eq!(plain(cells), Some(rank as u64), "{line}: {state:?}");
                all.extend_from_slice(cells);
                for (at, change) in [(0, 1), (1, 0), (2, 2), (0, 7), (1, 65), (2, 255), (0, 128)] {
                    let mut cells = cells.to_vec();
                    cells[at] = change;
                    all.extend_from_slice(&cells);
                    cells.swap(at, vertices - 1);
                    all.extend_from_slice(&cells);
                }
            }
            let mut found = vec![None; all.len() / vertices];
            ranks.ranks(&all, &mut found);
            for (cells, found) in all.chunks_exact(vertices).zip(found) {
                assert_eq!(found, plain(cells), "{line}: {cells:?}");
            }
            let some = all.chunks_exact(vertices).step_by(97);
            some.for_each(|cells| assert_eq!(ranks.rank(cells), plain(cells), "{line}: {cells:?}"));
            assert_eq!(ranks.rank(&[0; 5]), None);
            assert_eq!(ranks.rank(&[]), None);
        }
    }

    proptest! {
        /// Any bytes, of which few make a state, in groups of any size.
        #[test]
        fn any_bytes_are_ranked_alike(
            line in prop::sample::select(vec![
                "grid:2:3 1,2,3,4,5,0",
                "grid:3:3 1,2,3,4,5,6,7,8,0",
                "grid:2:4 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0",
                "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4",
                "cube:3:2 a=0+3,c=5 -> a=1+0,c=4",
            ]),
            seeds in prop::collection::vec(
                (any::<[u8; 9]>(), prop::option::of((0usize..9, any::<u8>()))),
                0..40,
            ),
        ) {
            let puzzle = Puzzle::from_line(line).unwrap();
            let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default()).unwrap();
            let vertices = puzzle.board().vertex_count();
            let mut all = Vec::new();
            for (keys, change) in &seeds {
                // The cells of the start in the order of random keys, and perhaps a wrong one.
                let mut order: Vec<usize> = (0..vertices).collect();
                order.sort_by_key(|&vertex| keys[vertex]);
                let start = puzzle.start().cells();
                let first = all.len();
                all.extend(order.iter().map(|&vertex| start[vertex]));
                if let Some((vertex, cell)) = change {
                    all[first + vertex % vertices] = *cell;
                }
            }
            let mut found = vec![None; seeds.len()];
            CellRanks::new(&space).ranks(&all, &mut found);
            for (cells, found) in all.chunks_exact(vertices).zip(found) {
                let plain = State::from_cells(cells).and_then(|state| space.rank(&state));
                prop_assert_eq!(found, plain.map(|rank| rank as u64));
            }
        }
    }
}
