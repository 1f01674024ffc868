//! Ranks of the vertex sets of a given size, looked up in a few small tables.

use hyperslide_puzzle::{Vertex, VertexSet};

use crate::arrangements::binomial;

/// The number of vertices that one table covers.
const PIECE: usize = 13;
/// A table of constant length, so that look-ups need no bounds check.
type Table = Box<[u32; 1 << PIECE]>;

/// The ranks, in colexicographic order, of all sets of a given size of some vertices. A rank is a sum
/// over pieces of 13 vertices, each of which depends on the number of members before
/// it.
///
/// Memory: 32 KiB for each of the first and the last piece, and 32 KiB (size + 1) for each piece
/// between them.
#[derive(Clone, Debug)]
pub(crate) struct SetRanks {
    count: u64,
    first: Table,
    /// The tables of each piece between the first and the last, as `[number of members before
    /// it][its members]`.
    middle: Vec<Vec<Table>>,
    /// The table of the last piece, whose members determine the number of members before it.
    last: Table,
    last_shift: u32,
}

impl SetRanks {
    /// Computes the tables, or returns `None` if there are more than 2^31 sets.
    pub fn new(vertices: usize, size: usize) -> Option<SetRanks> {
        SetRanks::within(Vertex::first(vertices).collect(), size)
    }

    /// Does the same for the sets of `size` of certain vertices. Other sets have no ranks of their own.
    pub fn within(all: VertexSet, size: usize) -> Option<SetRanks> {
        let count = binomial(all.len(), size);
        if count >= 1 << 31 {
            return None;
        }
        let vertices = u64::BITS as usize - all.bits().leading_zeros() as usize;
        // How many of all vertices are before each vertex.
        let place = |vertex: usize| (all.bits() & ((1 << vertex) - 1)).count_ones() as usize;
        // What the members of a piece add to the rank if others come before the first of them.
        let table = |start: usize, before: &dyn Fn(usize) -> usize| -> Table {
            let mut table = Box::new([0u32; 1 << PIECE]);
            for members in 1usize..1 << vertices.saturating_sub(start).min(PIECE) {
                let first = before(members);
                let added = (0..PIECE).filter(|v| members >> v & 1 == 1).zip(first + 1..);
                let added = added.map(|(v, number)| binomial(place(start + v), number));
                // Sets with more members than the size are never looked up.
                let sum = added.fold(0, u64::saturating_add).min(u64::from(u32::MAX));
                table[members] = sum as u32;
            }
            table
        };
        let pieces = vertices.div_ceil(PIECE).max(1);
        let last_start = (pieces - 1) * PIECE;
        let first = table(0, &|_| 0);
        let middle = (1..pieces.saturating_sub(1))
            .map(|number| (0..=size).map(|before| table(number * PIECE, &|_| before)).collect())
            .collect();
        // With one piece only, there is nothing to add.
        let last_end = if pieces > 1 { last_start } else { vertices };
        let last = table(last_end, &|members| size.saturating_sub(members.count_ones() as usize));
        Some(SetRanks { count, first, middle, last, last_shift: last_start as u32 })
    }

    /// Returns the number of sets.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the rank of a set that is given with one bit per vertex.
    #[inline(always)]
    pub fn rank(&self, set: u64) -> usize {
        const MASK: u64 = (1 << PIECE) - 1;
        let mut rank = self.first[(set & MASK) as usize];
        for (number, table) in (1..).zip(&self.middle) {
            let start = number * PIECE as u32;
            let before = (set & ((1 << start) - 1)).count_ones() as usize;
            rank += table[before][(set >> start & MASK) as usize];
        }
        rank += self.last[(set >> self.last_shift & MASK) as usize];
        rank as usize
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let middle: usize = self.middle.iter().map(Vec::len).sum();
        ((2 + middle) * size_of_val(&*self.first)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_own_rank() {
        for (vertices, size) in
            [(1, 1), (5, 0), (13, 6), (14, 3), (16, 8), (25, 4), (27, 3), (64, 2)]
        {
            let ranks = SetRanks::new(vertices, size).unwrap();
            let mut set: u64 = (1 << size) - 1;
            for rank in 0..binomial(vertices, size) {
                assert_eq!(ranks.rank(set) as u64, rank, "{size} of {vertices}: {set:b}");
                // The next set in colexicographic order (Gosper).
                if set > 0 {
                    let low = set & set.wrapping_neg();
                    let (sum, over) = set.overflowing_add(low);
                    set = if over { 0 } else { sum | (((set ^ sum) / low) >> 2) };
                }
            }
        }
        assert!(SetRanks::new(64, 20).is_none());
    }
}
