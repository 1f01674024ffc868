//! Incremental look-ups in a pattern database, slide by slide, for puzzles with one empty vertex.

use std::io;
use std::sync::Arc;

use hyperslide_puzzle::{State, Vertex, VertexSet};

use crate::abstraction::Rest;
use crate::distances::Encoding;
use crate::layout::{Action, BlockLayout};
use crate::memory::Memory;
use crate::prefetch::prefetch;
use crate::set_ranks::SetRanks;
use crate::space::Space;
use crate::table::DistanceTable;

/// The greatest number of bits of a block, padding included, that fits in [`CursorState`]; nine or
/// more kept tokens are refused.
const MAX_SLOTS: u64 = 1 << 16;
/// The greatest number of kept tokens, so that the rank of one takes three bits.
const MAX_KEPT: usize = 8;

/// Looks up distances in a pattern database ([`Rest::Free`], two bits per state) for puzzles with
/// one empty vertex on a graph, given the cursor's state before a slide.
///
/// This is a second numbering of the states, which is measurably faster and is tested against
/// [`Space::rank`]: a slide costs two population counts and three to five reads, without a full
/// representation of the state.
///
/// Memory in addition to the table: a copy of its distances, in large pages and ordered by the rank
/// of the kept tokens' vertex set, so that only sets that separate the other vertices into several
/// regions need a further look-up; 2 bytes for each arrangement and pair of ranks of a token (6
/// tokens: 55 KB, 8: 5.5 MB); 4 bytes per set, and for each set with several regions 4 more and a
/// byte per vertex.
pub struct PatternCursor {
    table: Arc<DistanceTable>,
    /// The bit of each vertex in [`CursorState`]: its position in the vertex order of the space.
    bits: [u8; 64],
    vertices: usize,
    ranks: SetRanks,
    /// One bit for the set of each rank: whether the other vertices form several regions.
    many: Vec<u64>,
    /// For each set with several regions, its row in `regions`, which has a byte for each empty
    /// vertex: 0 if the block is the one at the set's rank, and otherwise its offset from
    /// `further`.
    rows: Vec<u32>,
    regions: Vec<u8>,
    further: Vec<u32>,
    /// The blocks of the sets by rank, followed by those of further regions.
    distances: Memory,
    /// The arrangement after the token of rank i becomes that of rank j: `turns[slot << 6 | i << 3
    /// | j]`.
    turns: Vec<u16>,
    block_words: usize,
}

/// The state of the kept tokens at which a [`PatternCursor`] is, with its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CursorState {
    /// The vertices of the kept tokens.
    set: u64,
    /// Their arrangement, as a bit number in the block.
    slot: u16,
    /// The distance modulo 3.
    value: u8,
}

impl CursorState {
    /// Returns the difference between this distance and the one before a slide: -1, 0 or 1.
    #[inline]
    pub fn change_since(self, before: CursorState) -> i32 {
        distance_change(before.value, self.value)
    }

    /// Returns the arrangement of the kept tokens on their set.
    pub fn slot(self) -> u16 {
        self.slot
    }

    /// Returns the distance modulo 3.
    pub fn value(self) -> u8 {
        self.value
    }
}

/// Returns the change of a distance by a slide, -1, 0 or 1, given the distance modulo 3 before and
/// after it.
#[inline]
pub fn distance_change(before: u8, after: u8) -> i32 {
    const CHANGES: [i8; 8] = [1, -1, 0, 1, -1, 0, 0, 0];
    i32::from(CHANGES[(2 + after - before) as usize & 7])
}

/// The position of an entry in a [`PatternCursor`]'s table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lookup {
    block: u32,
    /// The arrangement, as [`CursorState::slot`].
    pub slot: u16,
}

impl PatternCursor {
    /// Prepares look-ups in a table, or returns `None` if the table is not of the kind that
    /// [`PatternCursor`] describes.
    pub fn new(table: &Arc<DistanceTable>) -> Option<PatternCursor> {
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
            && slots <= MAX_SLOTS
            && kept <= MAX_KEPT;
        if !suits {
            return None;
        }
        let ranks = SetRanks::new(board.vertex_set(), kept)?;
        let mut bits = [0; 64];
        for vertex in board.vertices() {
            bits[vertex.index()] = space.order().position(vertex) as u8;
        }
        let mut cursor = PatternCursor {
            bits,
            vertices,
            many: vec![0; (ranks.count() as usize).div_ceil(64)],
            rows: vec![0; ranks.count() as usize],
            ranks,
            distances: Memory::new(0).ok()?,
            regions: Vec::new(),
            further: Vec::new(),
            turns: turns(space, slots as usize),
            block_words: layout.bytes() as usize / 8,
            table: Arc::clone(table),
        };
        cursor.place_blocks().ok()?;
        Some(cursor)
    }

    /// Returns the table.
    pub fn table(&self) -> &Arc<DistanceTable> {
        &self.table
    }

    /// Returns the size in bytes of the block of one set of vertices, within which nearly all
    /// changes of the arrangement remain.
    pub fn block_bytes(&self) -> usize {
        self.block_words * 16
    }

    /// Returns the number of bytes held in addition to the table.
    pub fn bytes(&self) -> u64 {
        let words = self.rows.len() + self.further.len();
        let distances = (self.many.len() + self.distances.words().len()) * 8;
        self.ranks.bytes()
            + (words * 4 + self.regions.len() + self.turns.len() * 2 + distances) as u64
    }

    fn place_blocks(&mut self) -> io::Result<()> {
        let table = Arc::clone(&self.table);
        let space = table.space();
        let all = VertexSet::first(self.vertices);
        let ranks: Vec<usize> =
            space.sets().iter().map(|&set| self.ranks.rank(self.bits_of(set))).collect();
        let mut count = vec![0u8; self.rows.len()];
        for &rank in &ranks {
            count[rank] += 1;
        }
        let mut blocks = self.rows.len() as u32;
        for (rank, _) in count.iter().enumerate().filter(|&(_, &count)| count > 1) {
            self.many[rank / 64] |= 1 << (rank % 64);
            self.rows[rank] = self.further.len() as u32;
            self.further.push(blocks - 1);
            blocks += u32::from(count[rank]) - 1;
        }
        self.regions = vec![0; self.further.len() * self.vertices];
        let size = 2 * self.block_words;
        let words = blocks.max(1) as usize * size;
        self.distances = Memory::new(words)?;
        let mut next = vec![0u8; self.rows.len()];
        for (node, &rank) in ranks.iter().enumerate() {
            let region = next[rank];
            next[rank] += 1;
            let row = self.rows[rank] as usize;
            let block =
                if region == 0 { rank } else { (self.further[row] + u32::from(region)) as usize };
            let source = &table.words()[node * size..(node + 1) * size];
            self.distances.words_mut()[block * size..(block + 1) * size].copy_from_slice(source);
            if region > 0 {
                for free in space.graph().region(node) {
                    for empty in all - space.sets()[node] - free {
                        let place = row * self.vertices + self.bits[empty.index()] as usize;
                        self.regions[place] = region;
                    }
                }
            }
        }
        Ok(())
    }

    fn bits_of(&self, set: VertexSet) -> u64 {
        set.into_iter().map(|vertex| 1 << self.bits[vertex.index()]).sum()
    }

    /// Returns the bit of a vertex in the set of a [`CursorState`].
    pub fn bit(&self, vertex: Vertex) -> u8 {
        self.bits[vertex.index()]
    }

    /// Returns the cursor's state at a state of the table's puzzle, with the distance there, or
    /// `None` if the goal cannot be reached from it.
    pub fn start(&self, state: &State) -> Option<(CursorState, u32)> {
        let distance = self.table.distance(state)?;
        let seen = self.table.abstraction().of(state)?;
        let (node, place) = self.table.space().locate(&seen)?;
        let words = self.table.space().layout().words() as u32;
        let slot = (place.run * words + place.word) * 64 + place.lane;
        let set = self.bits_of(self.table.space().sets()[node]);
        let start = CursorState { set, slot: slot as u16, value: (distance % 3) as u8 };
        Some((start, distance))
    }

    /// Returns the cursor's state after a kept token slides from the vertex of bit `from` to the
    /// empty vertex of bit `to`.
    #[inline(always)]
    pub fn slide(&self, at: CursorState, from: u8, to: u8) -> CursorState {
        let lookup = self.lookup(at, from, to);
        self.arrive(at, from, to, lookup)
    }

    /// Returns the position in the table of the state after such a slide. It is separate from
    /// [`PatternCursor::value`], which waits for memory, so that many entries can be requested at
    /// once.
    #[inline(always)]
    pub fn lookup(&self, at: CursorState, from: u8, to: u8) -> Lookup {
        self.lookup_from(at.set, at.slot, from, to)
    }

    /// Returns the cursor's state after such a slide, given its [`PatternCursor::lookup`].
    #[inline(always)]
    pub fn arrive(&self, at: CursorState, from: u8, to: u8, lookup: Lookup) -> CursorState {
        let set = at.set ^ 1 << from | 1 << to;
        CursorState { set, slot: lookup.slot, value: self.value(lookup) }
    }

    /// Requests the memory that [`PatternCursor::value`] will read, without waiting for it.
    #[inline(always)]
    pub fn prefetch(&self, lookup: Lookup) {
        prefetch(self.distances.words().as_ptr().wrapping_add(self.word(lookup)));
    }

    #[inline(always)]
    fn word(&self, lookup: Lookup) -> usize {
        2 * (lookup.block as usize * self.block_words + (lookup.slot >> 6) as usize)
    }

    /// Does the same as [`PatternCursor::lookup`], given the fields of a cursor's state.
    #[inline(always)]
    pub fn lookup_from(&self, set: u64, slot: u16, from: u8, to: u8) -> Lookup {
        let below = |set: u64, bit: u8| (set & ((1 << bit) - 1)).count_ones() as usize;
        let start = below(set, from);
        let set = set ^ 1 << from;
        let end = below(set, to);
        let set = set | 1 << to;
        // This look-up is not skipped if the arrangement stays, because the branch would be
        // mispredicted half the time.
        let slot = self.turns[(slot as usize) << 6 | start << 3 | end];
        let rank = self.ranks.rank(set);
        let mut block = rank as u32;
        if self.many[rank / 64] >> (rank % 64) & 1 == 1 {
            let row = self.rows[rank] as usize;
            let region = self.regions[row * self.vertices + from as usize];
            if region > 0 {
                block = self.further[row] + u32::from(region);
            }
        }
        Lookup { block, slot }
    }

    /// Returns the distance modulo 3 at a position in the table.
    #[inline(always)]
    pub fn value(&self, lookup: Lookup) -> u8 {
        let word = self.word(lookup);
        let pair = &self.distances.words()[word..word + 2];
        ((pair[0] >> (lookup.slot & 63) & 1) | (pair[1] >> (lookup.slot & 63) & 1) << 1) as u8
    }
}

/// Returns the arrangement after each possible shift of each arrangement, including shifts that
/// change nothing.
fn turns(space: &Space, slots: usize) -> Vec<u16> {
    let (layout, shifts): (&BlockLayout, _) = (space.layout(), space.shifts());
    let (kept, words) = (layout.places(), layout.words() as usize);
    let mut turns = vec![0; slots << 6];
    for (entry, turn) in turns.iter_mut().enumerate() {
        *turn = (entry >> 6) as u16;
    }
    for (from, to) in space.graph().shifts() {
        let shift = crate::layout::Shifts::number(kept, from, to);
        for (run, origin) in shifts.origins(shift).iter().enumerate() {
            let source_run = origin.run as usize;
            for word in 0..words {
                let mut turn = |source: (usize, u32), lane: u32| {
                    let source = (source_run * words + source.0) * 64 + source.1 as usize;
                    let target = (run * words + word) * 64 + lane as usize;
                    turns[source << 6 | from << 3 | to] = target as u16;
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
    fn a_cursor_sees_what_the_table_says() {
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
            let cursor = PatternCursor::new(&Arc::new(table.unwrap())).unwrap();
            let is_kept = |state: &State, vertex| {
                let name = puzzle.labels().name(state.label_at(vertex).unwrap());
                kept.iter().any(|kept| kept == name)
            };
            let mut state = *puzzle.start();
            let (mut at, mut distance) = cursor.start(&state).unwrap();
            for number in 0..4000 {
                let moves = puzzle.board().legal_moves(&state);
                let mv = moves[random.next_u64() as usize % moves.len()];
                if is_kept(&state, mv.from) {
                    let (from, to) = (cursor.bit(mv.from), cursor.bit(mv.to));
                    let after = cursor.slide(at, from, to);
                    distance = distance.wrapping_add_signed(after.change_since(at));
                    at = after;
                }
                state.slide(mv);
                if number % 50 == 0 {
                    assert_eq!(cursor.start(&state), Some((at, distance)), "{line} {state:?}");
                }
            }
        }
    }
}
