//! Large arrays of words in memory.

use std::io;

use memmap2::{Advice, MmapMut};

/// Words in anonymous memory, zero at first, on large pages where the system has them: blocks are
/// read all over the array, and with small pages half the time goes into finding them.
pub struct Memory(Option<MmapMut>);

impl Memory {
    /// Returns this many words of zero.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not give that much memory.
    pub fn new(words: usize) -> io::Result<Memory> {
        if words == 0 {
            return Ok(Memory(None));
        }
        let bytes = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        {
            // Where large pages are not to be had, small ones do.
            let _ = map.advise(Advice::HugePage);
        }
        Ok(Memory(Some(map)))
    }

    /// Returns the words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.0.as_deref().map_or(&[], bytemuck::cast_slice)
    }

    /// Returns the words, to be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.0.as_deref_mut().map_or(&mut [], bytemuck::cast_slice_mut)
    }
}
