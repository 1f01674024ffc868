//! Permutations of the bits of a word.

/// The distances of the swaps in the stages of a network.
const DISTANCES: [u32; STAGES] = [32, 16, 8, 4, 2, 1, 2, 4, 8, 16, 32];
const STAGES: usize = 11;
const MIDDLE: usize = STAGES / 2;

/// The number of words that are permuted together: a vector of 512 bits.
pub(crate) const CHUNK: usize = 8;

/// A permutation of the 64 bits of a word as a Beneš network: eleven stages, each of which swaps
/// some pairs of bits at one distance (Knuth, *The Art of Computer Programming* 4A, 7.1.3).
///
/// Any permutation costs the same 66 operations, which the compiler vectorises over several words;
/// a mask and a rotation for each distance, as shifts use, would need up to 60 of them here.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// For each stage, the lower bits of the pairs that are swapped.
    masks: [u64; STAGES],
}

impl Network {
    /// The network that moves bit `i` to bit `targets[i]`, which must be a permutation.
    pub fn new(targets: &[u8; 64]) -> Network {
        let mut sources = [0; 64];
        for (source, &target) in targets.iter().enumerate() {
            sources[target as usize] = source;
        }
        let mut network = Network { masks: [0; STAGES] };
        network.route(&sources, 0, 0);
        network
    }

    /// Routes the bits from `base` on: output `j` takes input `sources[j]`. The first and the last
    /// stage of this level send each pair of inputs and each pair of outputs through different
    /// halves, which are networks of the next level.
    fn route(&mut self, sources: &[usize], base: usize, level: usize) {
        let half = sources.len() / 2;
        if level == MIDDLE {
            self.masks[MIDDLE] |= (sources[0] as u64) << base;
            return;
        }
        let mut targets = [0; 64];
        for (target, &source) in sources.iter().enumerate() {
            targets[source] = target;
        }
        let (mut input_is_upper, mut output_is_upper) = ([false; 64], [None; 64]);
        for first in 0..sources.len() {
            let mut output = first;
            while output_is_upper[output].is_none() {
                output_is_upper[output] = Some(false);
                let partner = sources[output] ^ half;
                input_is_upper[partner] = true;
                let reached = targets[partner];
                output_is_upper[reached] = Some(true);
                output = reached ^ half;
            }
        }
        let output_is_upper = output_is_upper.map(|is_upper| is_upper == Some(true));
        let mut parts = [[0; 32]; 2];
        for pair in 0..half {
            self.masks[level] |= u64::from(input_is_upper[pair]) << (base + pair);
            self.masks[STAGES - 1 - level] |= u64::from(output_is_upper[pair]) << (base + pair);
            for (part, is_upper) in parts.iter_mut().zip([false, true]) {
                let output = if output_is_upper[pair] == is_upper { pair } else { pair + half };
                part[pair] = sources[output] % half;
            }
        }
        for (number, part) in parts.iter().enumerate() {
            self.route(&part[..half], base + number * half, level + 1);
        }
    }

    /// Permutes the bits of each word.
    #[inline(always)]
    pub fn apply(&self, words: &mut [u64; CHUNK]) {
        for (&mask, distance) in self.masks.iter().zip(DISTANCES) {
            for word in words.iter_mut() {
                let swapped = (*word >> distance ^ *word) & mask;
                *word ^= swapped ^ swapped << distance;
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
    fn every_bit_arrives() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for round in 0..200 {
            let mut targets: [u8; 64] = std::array::from_fn(|bit| bit as u8);
            if round > 0 {
                for last in (1..64).rev() {
                    targets.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
                }
            }
            let network = Network::new(&targets);
            for (bit, &target) in targets.iter().enumerate() {
                let mut words = [1 << bit; CHUNK];
                network.apply(&mut words);
                assert_eq!(words, [1 << target; CHUNK], "{targets:?}");
            }
        }
    }
}
