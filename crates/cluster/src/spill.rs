//! Where blocks wait that a queue between processes cannot keep in memory.

use std::fs::{File, OpenOptions, create_dir_all, remove_file};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use timely::bytes::arc::{Bytes, BytesMut};
use timely::communication::allocator::zero_copy::spill::{
    BytesFetch, BytesSpill, PrefetchPolicy, SpillPolicyFn, Threshold,
};

/// A limit for what the queues between processes keep in memory, and a directory for the rest.
///
/// Windows bound what is under way, so the queues should never get near the limit. It protects the
/// memory of a process whose neighbour reads nothing for a while.
#[derive(Clone, Debug)]
pub struct Spill {
    directory: PathBuf,
    bytes: usize,
    spilled: Arc<AtomicU64>,
}

impl Spill {
    /// Each queue keeps this many bytes in memory, and writes more to files in the directory, which
    /// have no names and so vanish with the process.
    pub fn new(directory: &Path, bytes: usize) -> Spill {
        Spill { directory: directory.to_owned(), bytes, spilled: Arc::default() }
    }

    /// Returns the number of bytes that have been written to files so far.
    pub fn spilled(&self) -> u64 {
        self.spilled.load(Ordering::Relaxed)
    }

    /// The policies of the writer and of the reader of each queue.
    pub(crate) fn policy(&self) -> SpillPolicyFn {
        let spill = self.clone();
        Arc::new(move || {
            let mut writer = Threshold::new(Box::new(spill.clone()));
            writer.head_reserve_bytes = spill.bytes / 4;
            writer.threshold_bytes = spill.bytes - writer.head_reserve_bytes;
            let reader = PrefetchPolicy::new(writer.head_reserve_bytes.max(1));
            (Box::new(writer), Box::new(reader))
        })
    }

    /// A new file without a name.
    fn file(&self) -> io::Result<File> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("queue-{}-{number}", std::process::id()));
        create_dir_all(&self.directory)?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        remove_file(&path)?;
        Ok(file)
    }
}

impl BytesSpill for Spill {
    /// What cannot be written stays in memory.
    fn spill(&mut self, chunks: &mut Vec<Bytes>, handles: &mut Vec<Box<dyn BytesFetch>>) {
        let Ok(file) = self.file().map(Arc::new) else { return };
        let mut offset = 0;
        while let Some(chunk) = chunks.first() {
            let bytes = chunk.len();
            if file.write_all_at(chunk, offset).is_err() {
                return;
            }
            chunks.remove(0);
            handles.push(Box::new(Spilled { file: Arc::clone(&file), offset, bytes }));
            offset += bytes as u64;
            self.spilled.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}

/// A part of a queue that lies in a file.
struct Spilled {
    file: Arc<File>,
    offset: u64,
    bytes: usize,
}

impl BytesFetch for Spilled {
    /// # Panics
    ///
    /// Panics if the file cannot be read: the queue would wait for it forever. The panic ends the
    /// search of this process like a broken connection.
    fn fetch(self: Box<Self>) -> Result<Vec<Bytes>, Box<dyn BytesFetch>> {
        let mut bytes = vec![0; self.bytes];
        self.file
            .read_exact_at(&mut bytes, self.offset)
            .unwrap_or_else(|error| panic!("a spilled part of a queue cannot be read: {error}"));
        Ok(vec![BytesMut::from(bytes).freeze()])
    }
}
