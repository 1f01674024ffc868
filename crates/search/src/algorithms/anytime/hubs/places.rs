//! Where tokens are on an occupied set.

/// Four bits for each token are as many as there are.
pub(super) const MOST_TOKENS: usize = 16;
/// Bits of a slot.
const BITS: usize = 4;

/// The slot of each token, the rank of its vertex in the occupied set: four bits each, the first
/// token in the lowest. Tokens that a puzzle has not got are in slots that it has not got.
///
/// Of a walk: the slot where the token of each slot goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Places(pub u64);

impl Places {
    pub fn new(slots: &[usize]) -> Places {
        let missing = slots.len()..MOST_TOKENS;
        let all = slots.iter().copied().chain(missing);
        Places(all.rev().fold(0, |places, slot| places << BITS | slot as u64))
    }

    fn slot(self, token: usize) -> usize {
        (self.0 >> (BITS * token)) as usize % MOST_TOKENS
    }

    /// Returns the places after a walk.
    #[inline]
    pub fn then(self, walk: Places) -> Places {
        Places(follow(self.0, MOST_TOKENS, walk))
    }

    /// Returns the token in each slot; of a walk, the way back.
    pub fn inverse(self) -> Places {
        let mut tokens = [0; MOST_TOKENS];
        for token in 0..MOST_TOKENS {
            tokens[self.slot(token)] = token;
        }
        Places::new(&tokens)
    }
}

/// Returns the slots of a number of tokens after a walk.
#[inline]
pub(super) fn follow(slots: u64, tokens: usize, walk: Places) -> u64 {
    (0..tokens).map(|token| BITS * token).fold(0, |after, shift| {
        let slot = slots >> shift & (MOST_TOKENS as u64 - 1);
        after | (walk.0 >> (BITS as u64 * slot) & (MOST_TOKENS as u64 - 1)) << shift
    })
}
