//! Ranks of the vertex sets of a given size, looked up in a few small tables.

use hyperslide_puzzle::VertexSet;

use crate::arrangements::binomial;

/// The number of vertices that one table covers.
const PIECE: usize = 13;
const MASK: usize = (1 << PIECE) - 1;
/// A table of constant length, so that look-ups need no bounds check.
type Table = Box<[u32; 1 << PIECE]>;

/// The ranks, in colexicographic order, of all sets of a given size that are part of another set. A
/// rank is a sum over pieces of 13 vertices, each of which depends on the number of members before
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
    /// Computes the tables for the subsets of `all`, or returns `None` if there are more than 2^31.
    /// What is not a subset of this size has no rank of its own.
    pub fn new(all: VertexSet, size: usize) -> Option<SetRanks> {
        let count = binomial(all.len(), size);
        if count >= 1 << 31 {
            return None;
        }
        let all = all.bits();
        let vertices = (u64::BITS - all.leading_zeros()) as usize;
        // What the members of a piece add to the rank, given how many come before them.
        let table = |start: usize, before: &dyn Fn(usize) -> usize| -> Table {
            let mut table = Box::new([0; 1 << PIECE]);
            let own = all.checked_shr(start as u32).map_or(0, |rest| rest as usize & MASK);
            let mut members = own;
            while members != 0 {
                let (mut number, mut sum, mut rest) = (before(members), 0u64, members);
                while rest != 0 {
                    let vertex = start + rest.trailing_zeros() as usize;
                    let place = (all & ((1 << vertex) - 1)).count_ones() as usize;
                    number += 1;
                    // Sets with more members than the size are never looked up.
                    sum = sum.saturating_add(binomial(place, number));
                    rest &= rest - 1;
                }
                table[members] = sum.min(u64::from(u32::MAX)) as u32;
                members = (members - 1) & own;
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
        let mut rank = self.first[set as usize & MASK];
        for (number, table) in (1..).zip(&self.middle) {
            let start = number * PIECE as u32;
            let before = (set & ((1 << start) - 1)).count_ones() as usize;
            rank += table[before][(set >> start) as usize & MASK];
        }
        rank += self.last[(set >> self.last_shift) as usize & MASK];
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
        for (all, size) in [
            (VertexSet::first(1), 1),
            (VertexSet::first(5), 0),
            (VertexSet::first(13), 6),
            (VertexSet::first(14), 3),
            (VertexSet::first(16), 8),
            (VertexSet::first(25), 4),
            (VertexSet::first(27), 3),
            (VertexSet::first(64), 2),
            (VertexSet::EMPTY, 0),
            (VertexSet::from_bits(0b1011_0110), 3),
            (VertexSet::from_bits(0xF0F0_5A00_0FF0), 4),
            (VertexSet::from_bits(0x8421_0000_0000_0137), 3),
        ] {
            let ranks = SetRanks::new(all, size).unwrap();
            assert_eq!(ranks.count(), binomial(all.len(), size));
            let vertices: Vec<_> = all.into_iter().collect();
            // Which of them are members.
            let mut chosen: u64 = (1 << size) - 1;
            for rank in 0..ranks.count() {
                let set = VertexSet::from_bits(chosen).into_iter();
                let set: VertexSet = set.map(|number| vertices[number.index()]).collect();
                assert_eq!(ranks.rank(set.bits()) as u64, rank, "{size} of {all:?}: {set:?}");
                // The next set in colexicographic order (Gosper).
                if chosen > 0 {
                    let low = chosen & chosen.wrapping_neg();
                    let (sum, over) = chosen.overflowing_add(low);
                    chosen = if over { 0 } else { sum | (((chosen ^ sum) / low) >> 2) };
                }
            }
        }
        assert!(SetRanks::new(VertexSet::first(64), 20).is_none());
    }
}
