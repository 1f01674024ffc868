//! Where the blocks of a search lie.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{Advice, MmapMut};

/// An array of words in memory or in a file. The engine reads and writes nothing else, so that
/// another place for blocks is another implementation of this.
pub trait Storage: Send + Sync {
    /// The words.
    fn words(&self) -> &[u64];
    /// The words, to be changed.
    fn words_mut(&mut self) -> &mut [u64];
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
}

/// Words in a file that the system maps into memory, for more of them than memory holds.
pub struct FileWords(MmapMut);

impl FileWords {
    /// So many words of zero in a new file in this directory. Its name is taken away at once where
    /// the system allows it, so that the file is gone with the search, however that ends.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    #[allow(unsafe_code, reason = "a mapping is only sound while nobody else changes the file")]
    pub fn create(directory: &Path, words: usize) -> io::Result<FileWords> {
        let mut options = OpenOptions::new();
        static FILES: AtomicU64 = AtomicU64::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("hyperslide-{}-{number}.words", std::process::id()));
        let file: File = options.read(true).write(true).create_new(true).open(&path)?;
        let _ = std::fs::remove_file(&path);
        file.set_len(words as u64 * 8)?;
        // SAFETY: the file is new and is ours: it is a scratch file that no other program is to
        // open. Truncating it from outside ends the program with a signal, as losing the disk would.
        Ok(FileWords(unsafe { MmapMut::map_mut(&file)? }))
    }
}

impl Storage for FileWords {
    fn words(&self) -> &[u64] {
        bytemuck::cast_slice(&self.0)
    }

    fn words_mut(&mut self) -> &mut [u64] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
