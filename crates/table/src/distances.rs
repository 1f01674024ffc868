//! The distances of all states of a space, in two encodings.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use crate::layout::Place;
use crate::memory::{Memory, fill};
use crate::space::Space;
use crate::sweep::BlockDistances;

/// How distances are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Two bits per state: the distance modulo 3, or a mark that the state was not reached. The
    /// distances of neighbours differ by at most one, so a descent to the goal yields the distance
    /// itself.
    Mod3,
    /// One byte per state, for distances up to 254.
    Byte,
}

impl Encoding {
    /// Returns the number of bits per state, 2 or 8.
    pub fn bits(self) -> u8 {
        match self {
            Encoding::Mod3 => 2,
            Encoding::Byte => 8,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits().fmt(f)
    }
}

/// The error for a number of bits that is not that of an encoding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("tables have 2 or 8 bits per state, not {0}")]
pub struct UnknownEncoding(String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Encoding, UnknownEncoding> {
        match text {
            "2" => Ok(Encoding::Mod3),
            "8" => Ok(Encoding::Byte),
            _ => Err(UnknownEncoding(text.to_owned())),
        }
    }
}

/// The distances of all numbered states, as a search writes them.
///
/// With [`Encoding::Mod3`], each word of a block has two consecutive words here: the low and the
/// high bits of the distance modulo 3, both of which are set for a state that was not reached. With
/// [`Encoding::Byte`], each rank has a byte, which is 255 for a state that was not reached.
pub struct Distances {
    encoding: Encoding,
    words: Memory,
}

/// Returns the size of the distances of a space in bytes.
pub(crate) fn payload_bytes(space: &Space, encoding: Encoding) -> u128 {
    match encoding {
        Encoding::Mod3 => space.occupied_sets() as u128 * u128::from(space.layout().bytes()) * 2,
        Encoding::Byte => space.states().next_multiple_of(8),
    }
}

impl Distances {
    /// Returns distances that mark every state as not reached. Filling several gigabytes takes
    /// seconds, so this fails with `Interrupted` if `cancel` becomes true.
    pub(crate) fn new(
        space: &Space,
        encoding: Encoding,
        threads: usize,
        cancel: &AtomicBool,
    ) -> io::Result<Distances> {
        let bytes = usize::try_from(payload_bytes(space, encoding))
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut distances = Distances { encoding, words: Memory::new(bytes / 8)? };
        distances.clear(threads, cancel);
        match cancel.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(distances),
        }
    }

    /// Returns the encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns all distances as little-endian words.
    pub(crate) fn words(&self) -> &[u64] {
        self.words.words()
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        self.words.words_mut()
    }

    pub(crate) fn clear(&mut self, threads: usize, cancel: &AtomicBool) {
        fill(self.words_mut(), u64::MAX, threads, cancel);
    }

    #[cfg(test)]
    pub(crate) fn set(&mut self, space: &Space, set: usize, place: Place, value: Option<u8>) {
        let layout = space.layout();
        let word = place.run as usize * layout.words() as usize + place.word as usize;
        match self.encoding {
            Encoding::Mod3 => {
                let at = 2 * (set * layout.bytes() as usize / 8 + word);
                for (plane, bit) in [(0, value.unwrap_or(3) & 1), (1, value.unwrap_or(3) >> 1)] {
                    let words = &mut self.words_mut()[at + plane];
                    *words = *words & !(1 << place.lane) | u64::from(bit) << place.lane;
                }
            }
            Encoding::Byte => {
                let rank = word * layout.lanes() as usize + place.lane as usize;
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.words_mut());
                bytes[set * layout.arrangements() as usize + rank] = value.unwrap_or(u8::MAX);
            }
        }
    }

    pub(crate) fn mark_start(&mut self, space: &Space, set: usize, word: usize, lane: u32) {
        let layout = space.layout();
        let mut target = match self.encoding {
            Encoding::Mod3 => {
                let size = layout.bytes() as usize / 4;
                BlockDistances::Mod3(&mut self.words_mut()[set * size..(set + 1) * size])
            }
            Encoding::Byte => {
                let size = layout.arrangements() as usize;
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.words_mut());
                BlockDistances::Bytes(&mut bytes[set * size..(set + 1) * size])
            }
        };
        target.mark(word, 1 << lane, 0, layout.lanes());
    }
}

/// Returns the stored value of one state: its distance modulo 3, or its distance; `None` where it
/// was not reached.
pub(crate) fn stored(
    space: &Space,
    encoding: Encoding,
    words: &[u64],
    set: usize,
    place: Place,
) -> Option<u8> {
    let Place { run, word, lane } = place;
    stored_at(space, encoding, words, space.number(set, run.into(), word.into(), lane.into()))
}

/// Returns the stored value of the state with this rank likewise.
#[inline]
pub(crate) fn stored_at(space: &Space, encoding: Encoding, words: &[u64], rank: u64) -> Option<u8> {
    match encoding {
        Encoding::Mod3 => {
            // Each run of 64 bits holds the lanes of one word, which are all consecutive ranks.
            let lanes = space.layout().lanes();
            let (at, lane) = (2 * (rank / lanes) as usize, rank % lanes);
            let bit = |word: u64| (word >> lane & 1) as u8;
            let value = bit(words[at]) | bit(words[at + 1]) << 1;
            (value < 3).then_some(value)
        }
        Encoding::Byte => {
            let value = bytemuck::cast_slice::<u64, u8>(words)[rank as usize];
            (value < u8::MAX).then_some(value)
        }
    }
}
