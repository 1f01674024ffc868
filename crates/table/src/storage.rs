//! Where the blocks of a search lie.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use memmap2::{Advice, MmapMut};

/// An array of words in memory or in a file. The engine reads and writes nothing else, so that
/// another place for blocks is another implementation of this.
pub trait Storage: Send + Sync {
    /// The words.
    fn words(&self) -> &[u64];
    /// The words, to be changed.
    fn words_mut(&mut self) -> &mut [u64];
    /// Writes what is only in memory to where it is kept, if anywhere.
    ///
    /// # Errors
    ///
    /// When that fails.
    fn flush(&self) -> io::Result<()>;
}

/// Words in anonymous memory, zero at first, on large pages where the system has them: blocks are
/// read all over the array, and with small pages half the time goes into finding them.
pub struct Memory(Option<MmapMut>);

impl Memory {
    /// So many words of zero.
    ///
    /// # Errors
    ///
    /// When the system does not give that much.
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
}

impl Storage for Memory {
    fn words(&self) -> &[u64] {
        self.0.as_deref().map_or(&[], bytemuck::cast_slice)
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self.0.as_deref_mut().map_or(&mut [], bytemuck::cast_slice_mut)
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

