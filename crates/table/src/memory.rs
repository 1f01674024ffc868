//! Large arrays of words in memory.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Advice, MmapMut};

use crate::allocation::spawn;
use crate::lock::lock;

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

/// Sets all words to a value on several threads, unless `cancel` becomes true.
pub(crate) fn fill(words: &mut [u64], value: u64, threads: usize, cancel: &AtomicBool) {
    /// How many words a thread fills before it checks the flag again: 16 MB.
    const PART: usize = 1 << 21;

    let threads = threads.min(words.len().div_ceil(PART));
    // Work that no thread takes is the caller's, so that it is done where a thread is refused.
    let parts = Mutex::new(words.chunks_mut(PART));
    let fill = || {
        while !cancel.load(Ordering::Relaxed) {
            let part = lock(&parts).next();
            let Some(part) = part else { break };
            part.fill(value);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            spawn(scope, fill);
        }
        fill();
    });
}
