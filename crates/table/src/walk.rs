//! A pattern database followed slide by slide, where one vertex is empty.

use std::sync::Arc;

use hyperslide_puzzle::{State, Vertex, VertexSet};

use crate::abstraction::Rest;
use crate::distances::Encoding;
use crate::layout::{Action, Layout};
use crate::space::Space;
use crate::table::DistanceTable;

/// The most arrangements times words of padding that fit in [`WalkState`]: nine kept tokens and more
/// are refused.
const MAX_SLOTS: u64 = 1 << 16;
/// Marks an entry of [`Walk::nodes`] as a row of [`Walk::regions`].
const MANY: u32 = 1 << 31;

/// Looks distances up in a pattern database ([`Rest::Free`], two bits a state) for puzzles with one
/// empty vertex on a graph, given what they were before a slide.
///
/// A second way to number the states, for measured speed, tested against [`Space::rank`]: a slide
/// costs two population counts and three to five reads, none of them from a state that is written out.
///
/// Memory beside the table: 2 bytes for each arrangement and pair of places (6 tokens: 55 KB, 8: 5.5 MB),
/// 4 bytes a set of kept vertices, and where the others fall apart 4 for each of the empty vertex's places.
pub struct Walk {
    table: Arc<DistanceTable>,
    /// For each vertex its bit in [`WalkState`]: its place in the order of the space.
    bits: [u8; 64],
    kept: usize,
    vertices: usize,
    split: u32,
    /// The rank of a set of kept vertices is the sum of what its lower and its upper half say.
    lower: Vec<u32>,
    upper: Vec<u32>,
    /// For each rank its node, or [`MANY`] and the row of `regions` that has one for each empty vertex.
    nodes: Vec<u32>,
    regions: Vec<u32>,
    /// Where an arrangement goes when the token at place i becomes that at place j:
    /// `turns[(slot * kept + i) * kept + j]`.
    turns: Vec<u16>,
    block_words: usize,
}

/// Where a [`Walk`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct WalkState {
    /// The vertices of the kept tokens.
    set: u64,
    /// Their arrangement: word of the block and bit.
    slot: u16,
    /// The distance modulo 3.
    value: u8,
}

impl WalkState {
    /// By how much the distance differs from that before a slide: -1, 0 or 1.
    #[inline]
    pub fn change_since(self, before: WalkState) -> i32 {
        const CHANGES: [i8; 5] = [1, -1, 0, 1, -1];
        i32::from(CHANGES[(2 + self.value - before.value) as usize & 7])
    }
}

impl Walk {
    /// Prepares a table to be followed; `None` when it is of another kind.
    pub fn new(table: &Arc<DistanceTable>) -> Option<Walk> {
        let (space, abstraction) = (table.space(), table.abstraction());
        let puzzle = abstraction.puzzle();
        let (board, layout) = (puzzle.board(), space.layout());
        let (vertices, kept) = (board.vertex_count(), layout.places());
        let slots = layout.runs() * layout.words() * 64;
        let is_distinct = layout.multiplicities().iter().all(|&count| count == 1);
        let suits = board.is_graph()
            && puzzle.start().occupied().len() + 1 == vertices
            && abstraction.rest() == Rest::Free
            && abstraction.walls().is_empty()
            && table.encoding() == Encoding::Mod3
            && table.layers().complete
            && is_distinct
            && slots <= MAX_SLOTS;
        if !suits {
            return None;
        }
        let mut bits = [0; 64];
        for vertex in board.vertices() {
            bits[vertex.index()] = space.order().position(vertex) as u8;
        }
        let mut walk = Walk {
            bits,
            kept,
            vertices,
            split: vertices as u32 / 2,
            lower: Vec::new(),
            upper: Vec::new(),
            nodes: Vec::new(),
            regions: Vec::new(),
            turns: turns(space, slots as usize),
            block_words: layout.bytes() as usize / 8,
            table: Arc::clone(table),
        };
        walk.number_sets();
        walk.find_nodes(space);
        Some(walk)
    }

    /// The table that is followed.
    pub fn table(&self) -> &Arc<DistanceTable> {
        &self.table
    }

    /// Bytes held beside the table.
    pub fn bytes(&self) -> u64 {
        let words = self.lower.len() + self.upper.len() + self.nodes.len() + self.regions.len();
        (words * 4 + self.turns.len() * 2) as u64
    }

    /// Ranks of sets with `kept` members: halves with `n` members get a number each, and the upper half
    /// says where the sets that it belongs to begin.
    fn number_sets(&mut self) {
        let (split, kept) = (self.split as usize, self.kept);
        let mut of_size = vec![0u32; kept + 1];
        self.lower = vec![0; 1 << split];
        for (half, number) in self.lower.iter_mut().enumerate() {
            if let Some(count) = of_size.get_mut(half.count_ones() as usize) {
                *number = *count;
                *count += 1;
            }
        }
        let mut next = 0;
        self.upper = (0..1u64 << (self.vertices - split))
            .map(|half| {
                let begin = next;
                if let Some(below) = kept.checked_sub(half.count_ones() as usize) {
                    next += of_size[below];
                }
                begin
            })
            .collect();
        self.nodes = vec![0; next as usize];
    }

    fn rank(&self, set: u64) -> usize {
        let lower = self.lower[(set & ((1 << self.split) - 1)) as usize];
        (lower + self.upper[(set >> self.split) as usize]) as usize
    }

    fn find_nodes(&mut self, space: &Space) {
        let all = VertexSet::first(self.vertices);
        let mut met = vec![false; self.nodes.len()];
        for pass in 0..2 {
            for (node, &set) in space.sets().iter().enumerate() {
                let rank = self.rank(self.bits_of(set));
                if pass == 0 {
                    if std::mem::replace(&mut met[rank], true) && self.nodes[rank] < MANY {
                        self.nodes[rank] = MANY | (self.regions.len() / self.vertices) as u32;
                        self.regions.resize(self.regions.len() + self.vertices, u32::MAX);
                    } else if self.nodes[rank] < MANY {
                        self.nodes[rank] = node as u32;
                    }
                } else if self.nodes[rank] >= MANY {
                    let row = (self.nodes[rank] & !MANY) as usize * self.vertices;
                    for free in space.graph().region(node) {
                        for empty in all - set - free {
                            self.regions[row + self.bits[empty.index()] as usize] = node as u32;
                        }
                    }
                }
            }
        }
    }

    fn bits_of(&self, set: VertexSet) -> u64 {
        set.into_iter().map(|vertex| 1 << self.bits[vertex.index()]).sum()
    }

    /// Where a vertex's token has its bit in a state.
    pub fn bit(&self, vertex: Vertex) -> u8 {
        self.bits[vertex.index()]
    }

    /// The walk's beginning at a state of the table's puzzle, with the distance there; `None` when the goal
    /// cannot be reached from it.
    pub fn start(&self, state: &State) -> Option<(WalkState, u32)> {
        let distance = self.table.distance(state)?;
        let seen = self.table.abstraction().of(state)?;
        let (node, place) = self.table.space().locate(&seen)?;
        let words = self.table.space().layout().words() as u32;
        let slot = (place.run * words + place.word) * 64 + place.lane;
        let set = self.bits_of(self.table.space().sets()[node]);
        let start = WalkState { set, slot: slot as u16, value: (distance % 3) as u8 };
        Some((start, distance))
    }

    /// The distances, to be given to [`Walk::slide`].
    #[inline]
    pub fn distances(&self) -> &[u64] {
        self.table.words()
    }

    /// The state after a kept token slid from one bit's vertex to another's, which was empty.
    #[inline]
    pub fn slide(&self, distances: &[u64], at: WalkState, from: u8, to: u8) -> WalkState {
        let below = |set: u64, bit: u8| (set & ((1 << bit) - 1)).count_ones() as usize;
        let start = below(at.set, from);
        let set = at.set ^ 1 << from;
        let end = below(set, to);
        let set = set | 1 << to;
        let slot = if start == end {
            at.slot
        } else {
            self.turns[(at.slot as usize * self.kept + start) * self.kept + end]
        };
        let mut node = self.nodes[self.rank(set)];
        if node >= MANY {
            node = self.regions[(node & !MANY) as usize * self.vertices + from as usize];
        }
        let word = 2 * (node as usize * self.block_words + (slot >> 6) as usize);
        let pair = &distances[word..word + 2];
        let value = (pair[0] >> (slot & 63) & 1) | (pair[1] >> (slot & 63) & 1) << 1;
        WalkState { set, slot, value: value as u8 }
    }
}

/// What every shift that occurs does to every slot.
fn turns(space: &Space, slots: usize) -> Vec<u16> {
    let (layout, shifts): (&Layout, _) = (space.layout(), space.shifts());
    let (kept, words) = (layout.places(), layout.words() as usize);
    let mut turns = vec![0; slots * kept * kept];
    for (from, to) in space.graph().shifts() {
        let shift = crate::layout::Shifts::number(kept, from, to);
        for (run, origin) in shifts.origins(shift).iter().enumerate() {
            let source_run = origin.run as usize;
            for word in 0..words {
                let mut turn = |source: (usize, u32), lane: u32| {
                    let source = (source_run * words + source.0) * 64 + source.1 as usize;
                    let target = (run * words + word) * 64 + lane as usize;
                    turns[source * kept * kept + shift] = target as u16;
                };
                let lanes = 0..layout.lanes() as u32;
                match origin.action {
                    Action::Copy => lanes.for_each(|lane| turn((word, lane), lane)),
                    Action::Words(number) => {
                        let source = shifts.word_permutation(number)[word] as usize;
                        lanes.for_each(|lane| turn((source, lane), lane));
                    }
                    Action::Lanes(number) => {
                        for step in shifts.lane_permutation(number) {
                            for lane in lanes.clone().filter(|lane| step.mask >> lane & 1 == 1) {
                                turn((word, lane.wrapping_sub(step.rotation) & 63), lane);
                            }
                        }
                    }
                }
            }
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hyperslide_puzzle::Puzzle;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::abstraction::Abstraction;
    use crate::search::Signals;
    use crate::table::BuildOptions;

    /// Random walks, on which every distance is looked up in both ways.
    #[test]
    fn a_walk_sees_what_the_table_says() {
        let mut random = SplitMix64::seed_from_u64(15);
        for (line, kept) in [
            ("grid:3:3 1,2,3,4,5,6,7,8,0", "1 2 5"),
            ("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0", "1 5 6 9 10"),
            ("grid:3:4 0,1,2,3,4,5,6,7,8,9,10,11", "2 3 4 7 8 11"),
            ("grid:2:5 1,2,3,4,0,5,6,7,8,9", "1 2 3 4 6 7 8 9"),
            ("cube:3:1 1,2,3,4,5,6,7,0 -> 1,2,3,4,5,6,7,0", "2 4 5"),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let kept: Vec<String> = kept.split(' ').map(str::to_owned).collect();
            let abstraction = Abstraction::new(&puzzle, &kept, &[], Rest::Free).unwrap();
            let options = BuildOptions::default();
            let table =
                DistanceTable::build(abstraction, &options, &Signals::default(), &mut |_| {
                    ControlFlow::Continue(())
                });
            let walk = Walk::new(&Arc::new(table.unwrap())).unwrap();
            let is_kept = |state: &State, vertex| {
                let name = puzzle.labels().name(state.label_at(vertex).unwrap());
                kept.iter().any(|kept| kept == name)
            };
            let mut state = *puzzle.start();
            let (mut at, mut distance) = walk.start(&state).unwrap();
            for number in 0..4000 {
                let moves = puzzle.board().legal_moves(&state);
                let mv = moves[random.next_u64() as usize % moves.len()];
                if is_kept(&state, mv.from) {
                    let (from, to) = (walk.bit(mv.from), walk.bit(mv.to));
                    let after = walk.slide(walk.distances(), at, from, to);
                    distance = distance.wrapping_add_signed(after.change_since(at));
                    at = after;
                }
                state.slide(mv);
                if number % 50 == 0 {
                    assert_eq!(walk.start(&state), Some((at, distance)), "{line} {state:?}");
                }
            }
        }
    }
}
