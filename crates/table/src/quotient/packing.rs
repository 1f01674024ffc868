//! Blocks without the bits that stand for no state, as they lie in files.

use crate::layout::BlockLayout;

/// Packs the words of a block, of which only the lowest bits are used.
///
/// The words are cut into stretches of equal length, as many as there are before their bits fill
/// whole words: eight stretches of words of 24 bits make three of 64. All words of a stretch are
/// shifted alike, so that they are packed several at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Bits of a word that are used.
    bits: u32,
    /// Words of a stretch.
    stretch: usize,
}

impl Packing {
    /// How blocks of this layout are packed; `None` where that is not worth its time.
    pub fn of(layout: &BlockLayout) -> Option<Packing> {
        Packing::new(layout.lanes(), layout.bytes() / 8)
    }

    /// How blocks of this many words with this many bits each are packed.
    fn new(bits: u64, words: u64) -> Option<Packing> {
        let stretches = 64 >> bits.trailing_zeros();
        let packing = Packing { bits: bits as u32, stretch: words.div_ceil(stretches) as usize };
        // What saves less than a quarter is not worth its time.
        (4 * packing.packed_words() as u64 <= 3 * words).then_some(packing)
    }

    /// The words of a packed block.
    pub fn packed_words(self) -> usize {
        (self.bits >> self.bits.trailing_zeros()) as usize * self.stretch
    }

    /// For each stretch, the first packed word that it is in, and the bit at which it begins there.
    fn shifts(self) -> impl Iterator<Item = (usize, u32)> {
        (0..).step_by(self.bits as usize).map(move |bit| (bit / 64 * self.stretch, bit as u32 % 64))
    }

    /// Writes the words, packed, to `packed`.
    pub fn pack(self, words: &[u64], packed: &mut [u64]) {
        packed.fill(0);
        for (part, (first, shift)) in words.chunks(self.stretch).zip(self.shifts()) {
            for (packed, &word) in packed[first..].iter_mut().zip(part) {
                *packed |= word << shift;
            }
            if shift + self.bits > 64 {
                for (packed, &word) in packed[first + self.stretch..].iter_mut().zip(part) {
                    *packed |= word >> (64 - shift);
                }
            }
        }
    }

    /// Writes what is packed to `words`.
    pub fn unpack(self, packed: &[u64], words: &mut [u64]) {
        let mask = (1 << self.bits) - 1;
        for (part, (first, shift)) in words.chunks_mut(self.stretch).zip(self.shifts()) {
            let firsts = &packed[first..];
            if shift + self.bits > 64 {
                let seconds = &firsts[self.stretch..];
                for (word, (&first, &second)) in part.iter_mut().zip(firsts.iter().zip(seconds)) {
                    *word = (first >> shift | second << (64 - shift)) & mask;
                }
            } else {
                for (word, &first) in part.iter_mut().zip(firsts) {
                    *word = first >> shift & mask;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(24);
        for bits in 1..=47 {
            for count in [64, 100, 1_000] {
                let Some(packing) = Packing::new(bits, count as u64) else {
                    assert!(bits > 37, "{bits} bits, {count} words");
                    continue;
                };
                let words: Vec<u64> =
                    (0..count).map(|_| random.next_u64() & ((1 << bits) - 1)).collect();
                let mut packed = vec![random.next_u64(); packing.packed_words()];
                packing.pack(&words, &mut packed);
                let mut unpacked = vec![random.next_u64(); count];
                packing.unpack(&packed, &mut unpacked);
                assert_eq!(unpacked, words, "{bits} bits, {count} words");
            }
        }
    }

    #[test]
    fn packed_blocks_have_no_spare_bits() {
        let packed = |bits, words| Packing::new(bits, words).map(Packing::packed_words);
        // 210 runs of 720 words of 24 bits: as many bits as there are orders of ten tokens.
        assert_eq!(packed(24, 210 * 720), Some(3_628_800 / 64));
        assert_eq!(packed(6, 100), Some(12));
        assert_eq!(packed(60, 1_000), None);
        assert_eq!(packed(24, 1), None);
    }
}
