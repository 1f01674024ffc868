//! Where tokens are on an occupied set.

use hyperslide_puzzle::MAX_VERTICES;

/// The slot of each token, the rank of its vertex in the occupied set: a byte each. The entries
/// of absent tokens are the remaining slots.
///
/// Of a walk: the slot where the token of each slot goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Places([u8; MAX_VERTICES]);

impl Places {
    pub fn new(slots: &[usize]) -> Places {
        let slot = |token: usize| slots.get(token).copied().unwrap_or(token);
        Places(std::array::from_fn(|token| slot(token) as u8))
    }

    #[inline]
    pub fn slot(&self, token: usize) -> usize {
        self.0[token].into()
    }

    /// Returns the places after a walk.
    #[inline]
    pub fn then(&self, walk: &Places) -> Places {
        Places(self.0.map(|slot| walk.0[usize::from(slot) % MAX_VERTICES]))
    }

    /// Returns the token in each slot; of a walk, the way back.
    pub fn inverse(&self) -> Places {
        let mut tokens = [0; MAX_VERTICES];
        for (token, &slot) in (0..).zip(&self.0) {
            tokens[usize::from(slot)] = token;
        }
        Places(tokens)
    }

    /// Returns the slots that a walk changes.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        (0..MAX_VERTICES).filter(|&slot| self.slot(slot) != slot)
    }

    /// Returns all slots in eight words.
    pub fn words(&self) -> [u64; MAX_VERTICES / 8] {
        let (words, _) = self.0.as_chunks();
        std::array::from_fn(|word| u64::from_le_bytes(words[word]))
    }

    /// Returns what begins with these words; tokens beyond them are in slots that a puzzle has not
    /// got.
    pub fn from_words(words: &[u64]) -> Places {
        let mut places = Places::new(&[]);
        for (bytes, word) in places.0.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        places
    }
}
