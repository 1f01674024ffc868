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
}

impl Spill {
    /// Each queue keeps this many bytes in memory, and writes more to files in the directory, which
    /// have no names and so vanish with the process.
    pub fn new(directory: &Path, bytes: usize) -> Spill {
        Spill { directory: directory.to_owned(), bytes }
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
        let (mut offset, mut written) = (0, 0);
        for chunk in &*chunks {
            if file.write_all_at(chunk, offset).is_err() {
                break;
            }
            handles.push(Box::new(Spilled { file: Arc::clone(&file), offset, bytes: chunk.len() }));
            offset += chunk.len() as u64;
            written += 1;
        }
        chunks.drain(..written);
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use timely::communication::allocator::zero_copy::bytes_exchange::QueueEntry;

    use super::*;

    #[test]
    fn what_a_queue_cannot_keep_waits_in_files() {
        let directory =
            std::env::temp_dir().join(format!("hyperslide-spill-{}", std::process::id()));
        let (mut writer, mut reader) = Spill::new(&directory, 4000).policy()();
        let chunk = |number: usize| vec![number as u8; 100 + number];
        let mut queue = VecDeque::new();
        let mut most = 0;
        let resident = |queue: &VecDeque<QueueEntry>| -> usize {
            let bytes = queue.iter().map(|entry| match entry {
                QueueEntry::Bytes(bytes) => bytes.len(),
                QueueEntry::Paged(_) => 0,
            });
            bytes.sum()
        };
        for number in 0..200 {
            queue.push_back(QueueEntry::Bytes(BytesMut::from(chunk(number)).freeze()));
            writer.apply(&mut queue);
            most = most.max(resident(&queue));
        }
        assert!(most <= 4000 + 300, "{most} bytes in memory");
        assert!(queue.iter().any(|entry| matches!(entry, QueueEntry::Paged(_))));
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
        for number in 0..200 {
            reader.apply(&mut queue);
            match queue.pop_front() {
                Some(QueueEntry::Bytes(bytes)) => assert!(*bytes == chunk(number), "{number}"),
                _ => panic!("part {number} was not read back"),
            }
        }
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn without_a_directory_a_queue_stays_in_memory() {
        let file =
            std::env::temp_dir().join(format!("hyperslide-spill-file-{}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let (mut writer, _) = Spill::new(&file, 10).policy()();
        let mut queue: VecDeque<QueueEntry> =
            (0..9).map(|_| QueueEntry::Bytes(BytesMut::from(vec![1; 100]).freeze())).collect();
        writer.apply(&mut queue);
        assert!(queue.iter().all(|entry| matches!(entry, QueueEntry::Bytes(_))));
        remove_file(&file).unwrap();
    }
}
