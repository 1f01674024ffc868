//! The order in which a half-sweep goes through the blocks.

use hyperslide_puzzle::{LoneTokenDistances, Vertex, VertexSet};

use super::space::QuotientSpace;
use super::sweep::Sides;

/// Where blocks have more slides than this, the order is that of their numbers: such blocks are so
/// small that the system's cache and its pages decide.
const MAX_SLIDES: usize = 1 << 22;

/// An order of the blocks of each side in which the blocks that one block leads to are near each
/// other. So few blocks have to be in memory at once, and few lead from one part of the order to
/// another.
///
/// It is like a front that crosses the board: blocks whose tokens and empty vertices are near one
/// vertex come first, and those near another vertex come last. Of all second vertices, the one is
/// chosen with which the fewest blocks are held at once.
///
/// Memory: 8 bytes for each block.
#[derive(Clone, Debug)]
pub(crate) struct SweepOrder {
    /// The blocks in this order, those of each colour together.
    blocks: Vec<u32>,
    /// The place of each block in it.
    places: Vec<u32>,
}

impl SweepOrder {
    /// The order for the blocks of a space.
    pub fn of(space: &QuotientSpace, sides: Sides) -> SweepOrder {
        let by_number = SweepOrder::by(sides, |block| block);
        if space.slides().0 > MAX_SLIDES {
            return by_number;
        }
        let contents: Vec<(VertexSet, Vec<Vertex>)> = (0..space.blocks())
            .map(|block| {
                let (empty, tokens) = space.fixed_in(block);
                (empty, tokens.into_iter().map(|(vertex, _)| vertex).collect())
            })
            .collect();
        let distances = LoneTokenDistances::new(space.board());
        let steps = |from, to| i32::from(distances.get(from, to));
        let vertices = || space.board().vertices();
        let farthest = |from| vertices().max_by_key(|&vertex| (steps(from, vertex), vertex));
        // A vertex at the rim of the board.
        let Some(first) = vertices().next().and_then(farthest).and_then(farthest) else {
            return by_number;
        };
        let fronts = vertices().filter(|&last| last != first).map(|last| {
            let advance = |vertex: Vertex| steps(first, vertex) - steps(last, vertex);
            SweepOrder::by(sides, |block| {
                let (empty, tokens) = &contents[block as usize];
                let tokens: i32 = tokens.iter().map(|&vertex| advance(vertex)).sum();
                let empty: i32 = empty.into_iter().map(advance).sum();
                (tokens, empty, block)
            })
        });
        let orders = std::iter::once(by_number).chain(fronts);
        orders.min_by_key(|order| order.held(space)).expect("there is one at least")
    }

    /// The order by a key, within each side.
    pub fn by<K: Ord>(sides: Sides, key: impl Fn(u32) -> K) -> SweepOrder {
        let mut sorted: Vec<u32> = (0..sides.all() as u32).collect();
        let (one, other) = sorted.split_at_mut(sides.blocks(0).end);
        [one, other].into_iter().for_each(|side| side.sort_by_cached_key(|&block| key(block)));
        let mut places = vec![0; sorted.len()];
        for (place, &block) in (0..).zip(&sorted) {
            places[block as usize] = place;
        }
        SweepOrder { blocks: sorted, places }
    }

    /// For how many targets all blocks together are held, from the first that needs a block to the
    /// last.
    fn held(&self, space: &QuotientSpace) -> u64 {
        let held = |block: usize| {
            let places =
                space.slides_into(block).iter().map(|edge| self.place(edge.source as usize));
            let (first, last) = places
                .fold((usize::MAX, 0), |(first, last), place| (first.min(place), last.max(place)));
            last.saturating_sub(first) as u64
        };
        (0..space.blocks()).map(held).sum()
    }

    /// The place of a block among all.
    pub fn place(&self, block: usize) -> usize {
        self.places[block] as usize
    }

    /// The blocks of a side in this order.
    pub fn blocks(&self, sides: Sides, side: usize) -> &[u32] {
        &self.blocks[sides.blocks(side)]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, State, VertexSet};

    use super::*;

    /// The states of tokens on these vertices of the tesseract.
    fn space(k: usize, occupied: &[usize]) -> QuotientSpace {
        let board = Board::new(BoardSpec::Cube { d: 4, k }, Metric::Face).expect("a tesseract");
        let labels = (0..).map_while(Label::new);
        let vertices = occupied.iter().map_while(|&vertex| Vertex::new(vertex));
        let start: State = vertices.zip(labels).collect();
        let never = AtomicBool::new(false);
        QuotientSpace::new(&board, &start, VertexSet::EMPTY, 1 << 20, &never).expect("it is small")
    }

    /// Without symmetries.
    const TEN: [usize; 10] = [5, 6, 7, 8, 9, 10, 11, 12, 14, 15];

    #[test]
    fn every_block_has_a_place_on_its_side() {
        for space in [space(1, &TEN), space(2, &[0, 1, 2, 3])] {
            let sides = Sides::of(&space);
            let order = SweepOrder::of(&space, sides);
            for side in 0..2 {
                let mut blocks = order.blocks(sides, side).to_vec();
                let first = sides.blocks(side).start;
                for (place, &block) in blocks.iter().enumerate() {
                    assert_eq!(order.place(block as usize), first + place);
                }
                blocks.sort_unstable();
                assert!(blocks.iter().map(|&block| block as usize).eq(sides.blocks(side)));
            }
        }
    }

    #[test]
    fn fewer_blocks_are_held_at_once() {
        let space = space(1, &TEN);
        let sides = Sides::of(&space);
        let by_number = SweepOrder::by(sides, |block| block).held(&space);
        let held = SweepOrder::of(&space, sides).held(&space);
        assert!(held * 3 < by_number * 2, "{held} of {by_number}");
    }
}
