//! The ranks of many states that are given as cells, without building each as a [`State`].

use hyperslide_puzzle::{MAX_VERTICES, State, Vertex, VertexSet};

use crate::layout::Parity;
use crate::space::Space;

/// The most tokens whose positions fit in a word of four-bit numbers.
const MAX_PLACES: usize = 16;

/// Ranks states of a [`Space`] that are given as [`State::from_cells`] takes them.
///
/// This is a second way to the numbers of [`Space::rank`], which is measurably faster for distinct
/// tokens and is tested against the first: the positions of the tokens give all digits of the rank
/// by additions to 16 numbers of four bits in one word, without an allocation.
pub struct CellRanks<'a> {
    space: &'a Space,
    quick: Option<Quick>,
}

/// What the fast way looks up.
struct Quick {
    /// The vertices in the order of their places.
    order: Vec<u8>,
    tokens: usize,
    /// For each cell, the class of its label plus 1; 0 where it is empty, and [`UNKNOWN`].
    classes: [u8; 256],
    /// The classes of the lanes with the weights of their digits.
    lanes: Vec<(u8, u64)>,
    /// The classes of the words likewise.
    words: Vec<(u8, u64)>,
    /// Where one vertex is empty: the occupied set for each such vertex, [`NO_SET`] for none.
    by_empty: Option<Vec<u32>>,
    /// The lowest bits, one for each token.
    all: u64,
}

const UNKNOWN: u8 = 63;
const NO_SET: u32 = u32::MAX;
/// One in each number, and the numbers 0 to 15.
const ONES: u64 = 0x1111_1111_1111_1111;
const IDENTITY: u64 = 0xfedc_ba98_7654_3210;

/// The numbers above a position.
#[inline(always)]
fn above(position: u8) -> u64 {
    (ONES << 4) << (4 * position)
}

#[inline(always)]
fn digit(numbers: u64, position: u8) -> u64 {
    numbers >> (4 * position) & 15
}

impl<'a> CellRanks<'a> {
    /// Prepares the ranks of a space.
    pub fn new(space: &'a Space) -> CellRanks<'a> {
        CellRanks { space, quick: Quick::new(space) }
    }

    /// Returns the number of the state with these cells, one for each vertex, or `None` if it is not
    /// numbered in the space. Any bytes are allowed.
    #[inline]
    pub fn rank(&self, cells: &[u8]) -> Option<u64> {
        match &self.quick {
            Some(quick) => quick.rank(self.space, cells),
            None => {
                let rank = self.space.rank(&State::from_cells(cells)?)?;
                u64::try_from(rank).ok()
            }
        }
    }
}

impl Quick {
    fn new(space: &Space) -> Option<Quick> {
        let layout = space.layout();
        let tokens = layout.places();
        let suits = space.is_plain()
            && tokens <= MAX_PLACES
            && layout.multiplicities().iter().all(|&count| count == 1);
        if !suits {
            return None;
        }
        let mut classes = [UNKNOWN; 256];
        classes[0] = 0;
        for (class, label) in (1..).zip(space.classes()) {
            classes[label.index() + 1] = class;
        }
        let order: Vec<u8> =
            space.order().vertices().iter().map(|vertex| vertex.index() as u8).collect();
        let by_empty = (tokens + 1 == order.len()).then(|| {
            let all = VertexSet::first(order.len());
            let set = |empty| space.find_set(all - VertexSet::single(empty));
            let sets = Vertex::first(order.len()).map(set);
            sets.map(|set| set.map_or(NO_SET, |set| set as u32)).collect()
        });
        let [lanes, words] = layout.digits();
        Some(Quick { order, tokens, classes, lanes, words, by_empty, all: (1 << tokens) - 1 })
    }

    #[inline]
    fn rank(&self, space: &Space, cells: &[u8]) -> Option<u64> {
        if cells.len() != self.order.len() {
            return None;
        }
        let mut positions = [0u8; 64];
        let (mut position, mut empty) = (0u8, 0u8);
        let (mut seen, mut occupied) = (0u64, 0u64);
        for &vertex in &self.order {
            let class = self.classes[cells[vertex as usize] as usize];
            positions[class as usize & 63] = position;
            seen |= 1 << (class & 63);
            let is_token = class != 0;
            position += u8::from(is_token);
            occupied |= u64::from(is_token) << (vertex as usize % MAX_VERTICES);
            empty = if is_token { empty } else { vertex };
        }
        // Every label once, no other ones, and as many tokens as there are labels.
        if position as usize != self.tokens || seen >> 1 != self.all {
            return None;
        }
        let set = match &self.by_empty {
            Some(sets) => sets[empty as usize],
            None => space.find_set(VertexSet::from_bits(occupied))? as u32,
        };
        if set == NO_SET {
            return None;
        }
        let layout = space.layout();
        if space.parity() == Parity::Fixed {
            let (mut numbers, mut odd) = (IDENTITY, 0);
            for &position in &positions[1..=self.tokens] {
                odd ^= digit(numbers, position);
                numbers = numbers.wrapping_sub(above(position));
            }
            if (odd & 1 == 1) != space.has_odd_rows(set as usize) {
                return None;
            }
        }
        let (mut of_lanes, mut pattern) = (0u64, 0u64);
        for &(class, _) in &self.lanes {
            let position = positions[(class as usize + 1) & 63];
            pattern |= 1 << position;
            of_lanes = of_lanes.wrapping_add(above(position));
        }
        let mut of_words = IDENTITY.wrapping_sub(of_lanes);
        let (mut lane, mut odd) = (0, 0);
        for &(class, weight) in &self.lanes {
            let position = positions[(class as usize + 1) & 63];
            let digit = digit(of_lanes, position);
            lane += digit * weight;
            odd ^= digit;
            of_lanes = of_lanes.wrapping_sub(above(position));
        }
        let mut word = 0;
        for &(class, weight) in &self.words {
            let position = positions[(class as usize + 1) & 63];
            word += digit(of_words, position) * weight;
            of_words = of_words.wrapping_sub(above(position));
        }
        Some(space.number(set as usize, layout.run(pattern, odd & 1 == 1), word, lane))
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;

    use super::*;
    use crate::space::SpaceOptions;

    /// Every numbered state, and changes of it that may not be numbered.
    #[test]
    fn both_ways_to_a_rank_agree() {
        for (line, halve) in [
            ("grid:2:3 1,2,3,4,5,0", true),
            ("grid:2:3 1,2,3,4,5,0", false),
            ("grid:3:3 1,2,3,4,5,6,7,8,0", true),
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
            for rank in (0..space.states()).step_by(step) {
                let state = space.unrank(rank);
                let cells = &state.cells()[..vertices];
                assert_eq!(ranks.rank(cells), Some(rank as u64), "{line}: {state:?}");
                for (at, change) in [(0, 1), (1, 0), (2, 2), (0, 7), (1, 65), (2, 255), (0, 128)] {
                    let mut cells = cells.to_vec();
                    cells[at] = change;
                    let plain = State::from_cells(&cells).and_then(|state| space.rank(&state));
                    assert_eq!(ranks.rank(&cells), plain.map(|r| r as u64), "{line}: {cells:?}");
                    cells.swap(at, vertices - 1);
                    let plain = State::from_cells(&cells).and_then(|state| space.rank(&state));
                    assert_eq!(ranks.rank(&cells), plain.map(|r| r as u64), "{line}: {cells:?}");
                }
            }
            assert_eq!(ranks.rank(&[0; 5]), None);
            assert_eq!(ranks.rank(&[]), None);
        }
    }
}
