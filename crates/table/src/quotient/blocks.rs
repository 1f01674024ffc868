//! The files of a search's blocks.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nix::fcntl::{FallocateFlags, OFlag, PosixFadviseAdvice, fallocate, posix_fadvise};

use super::packing::Packing;
use crate::layout::BlockLayout;
use crate::lock::lock;
use crate::memory::Memory;

/// What reads and writes have to be aligned to when they bypass the system's cache.
const PAGE: usize = 4096;
/// Slots of at least this size are read and written past the system's cache. Smaller ones would
/// wait for the disk one by one; the cache joins neighbours, reads ahead and writes behind.
const MIN_DIRECT_BYTES: usize = 256 << 10;

/// How many of a run's states a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// None.
    Empty,
    /// Some.
    Some,
    /// All.
    Full,
}

/// Words for one block, on pages of their own.
pub(crate) struct Buffer {
    memory: Memory,
    words: usize,
    fills: Vec<Fill>,
}

impl Buffer {
    /// The block.
    pub fn words(&self) -> &[u64] {
        &self.memory.words()[..self.words]
    }

    /// The block, to be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.memory.words_mut()[..self.words]
    }

    /// How many of its states each run has.
    pub fn fills(&self) -> &[Fill] {
        &self.fills
    }

    /// The block and its fills, to be changed together.
    pub fn parts_mut(&mut self) -> (&mut [u64], &mut [Fill]) {
        (&mut self.memory.words_mut()[..self.words], &mut self.fills)
    }

    /// Finds the fill of each run.
    fn survey(&mut self, full_word: u64) {
        let run_words = self.words / self.fills.len().max(1);
        let runs = self.memory.words()[..self.words].chunks_exact(run_words.max(1));
        for (fill, run) in self.fills.iter_mut().zip(runs) {
            *fill = Fill::of(run, full_word);
        }
    }

    fn bytes(&self, length: usize) -> &[u8] {
        &bytemuck::cast_slice(self.memory.words())[..length.next_multiple_of(PAGE)]
    }

    fn bytes_mut(&mut self, length: usize) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(self.memory.words_mut())[..length.next_multiple_of(PAGE)]
    }
}

impl Fill {
    /// The fill of a run; a word of the run with all its states is `full_word`.
    fn of(run: &[u64], full_word: u64) -> Fill {
        // The first word that is neither ends the search.
        let is = |word: u64| run.iter().all(|&other| other == word);
        match run.first() {
            Some(0) if is(0) => Fill::Empty,
            Some(&word) if word == full_word && is(full_word) => Fill::Full,
            _ => Fill::Some,
        }
    }
}

/// How a block lies in its slot, which follows from the number of its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Not at all: it has no states, or all.
    Nothing,
    /// The positions of its states as 32-bit numbers: 64 times the word plus the bit.
    States(usize),
    /// The positions of the states that it lacks.
    Gaps(usize),
    /// Its words, packed where that saves much.
    Words,
}

/// Blocks in preallocated files of fixed slots, one file for each side, or two where the first
/// blocks of each side lie in another directory.
///
/// Empty and full blocks are not stored; blocks with few states or with few gaps are stored as
/// lists. Reads and writes are positioned and bypass the system's cache where it allows that, since
/// the search knows better which block it needs next.
pub(crate) struct BlockFiles {
    /// For each side, the file of the slots from each number on.
    files: [Vec<(usize, File)>; 2],
    /// Whether reads and writes bypass the system's cache where they can.
    is_direct: bool,
    slot_bytes: usize,
    packing: Option<Packing>,
    stored_words: usize,
    block_words: usize,
    runs: usize,
    states: u64,
    full_word: u64,
    pool: Mutex<Vec<Buffer>>,
    pub read: AtomicU64,
    pub written: AtomicU64,
}

/// Where the files of a search lie.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub directory: PathBuf,
    /// A directory for the first blocks of each side, and how many.
    pub first: Option<(PathBuf, [usize; 2])>,
}

impl BlockFiles {
    /// Bytes of a slot for blocks of this layout.
    pub fn slot_bytes(layout: &BlockLayout) -> u64 {
        let packed = Packing::of(layout).map(|packing| 8 * packing.packed_words() as u64);
        packed.unwrap_or(layout.bytes()).next_multiple_of(PAGE as u64)
    }

    /// Opens the files of sides with these numbers of blocks, and makes and reserves them if need
    /// be.
    pub fn open(
        places: &Places,
        sides: [usize; 2],
        layout: &BlockLayout,
    ) -> io::Result<BlockFiles> {
        let block_words = layout.bytes() as usize / 8;
        let slot_bytes = BlockFiles::slot_bytes(layout) as usize;
        let packing = Packing::of(layout);
        let is_direct = slot_bytes >= MIN_DIRECT_BYTES;
        let mut files = [Vec::new(), Vec::new()];
        for (side, files) in files.iter_mut().enumerate() {
            let first =
                places.first.as_ref().map_or(0, |(_, counts)| counts[side].min(sides[side]));
            if let Some((directory, _)) = places.first.as_ref().filter(|_| first > 0) {
                let path = &block_files(directory)[side];
                files.push((0, reserve(path, first * slot_bytes, is_direct)?));
            }
            let rest = sides[side] - first;
            let path = &block_files(&places.directory)[side];
            files.push((first, reserve(path, rest * slot_bytes, is_direct)?));
        }
        Ok(BlockFiles {
            files,
            is_direct,
            slot_bytes,
            packing,
            stored_words: packing.map_or(block_words, Packing::packed_words),
            block_words,
            runs: layout.runs() as usize,
            states: layout.arrangements(),
            full_word: layout.full_word(),
            pool: Mutex::default(),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    /// A buffer, its contents arbitrary.
    pub fn buffer(&self) -> io::Result<Buffer> {
        let pooled = lock(&self.pool).pop();
        match pooled {
            Some(buffer) => Ok(buffer),
            None => {
                let memory = Memory::new((8 * self.block_words).next_multiple_of(PAGE) / 8)?;
                Ok(Buffer { memory, words: self.block_words, fills: vec![Fill::Some; self.runs] })
            }
        }
    }

    /// Takes a buffer back for the next one who needs one.
    pub fn recycle(&self, buffer: Buffer) {
        lock(&self.pool).push(buffer);
    }

    /// Reads a block with this number of states; `None` if its checksum is another one.
    pub fn read(
        &self,
        side: usize,
        slot: usize,
        states: u64,
        checksum: u32,
    ) -> io::Result<Option<Buffer>> {
        let buffer = self.read_stored(side, slot, states)?;
        self.decode(buffer, states, checksum)
    }

    /// Returns whether reads go through the system's cache, so that announcing one makes it faster.
    pub fn reads_ahead(&self) -> bool {
        !self.is_direct
    }

    /// Announces to the system that a block will be read soon.
    pub fn will_read(&self, side: usize, slot: usize, states: u64) {
        let bytes = self.stored_bytes(states) as i64;
        if bytes > 0 {
            let (file, offset) = self.file(side, slot);
            // Without it the block is read when it is needed.
            let advice = PosixFadviseAdvice::POSIX_FADV_WILLNEED;
            let _ = posix_fadvise(file, offset as i64, bytes, advice);
        }
    }

    /// Reads the bytes of a block as they are stored.
    pub fn read_bytes(&self, side: usize, slot: usize, states: u64) -> io::Result<Vec<u8>> {
        let buffer = self.read_stored(side, slot, states)?;
        let bytes = self.stored_bytes(states);
        let stored = buffer.bytes(bytes)[..bytes].to_vec();
        self.recycle(buffer);
        Ok(stored)
    }

    /// The bytes of a block in memory, as they are stored.
    pub fn to_bytes(&self, block: &Buffer, states: u64) -> io::Result<Vec<u8>> {
        let bytes = self.stored_bytes(states);
        let encoded = self.encode(block, self.form(states))?;
        let stored = encoded.as_ref().unwrap_or(block).bytes(bytes)[..bytes].to_vec();
        if let Some(buffer) = encoded {
            self.recycle(buffer);
        }
        Ok(stored)
    }

    /// A buffer that begins with the bytes of a block as they are stored.
    fn read_stored(&self, side: usize, slot: usize, states: u64) -> io::Result<Buffer> {
        let mut buffer = self.buffer()?;
        let bytes = self.stored_bytes(states);
        if bytes > 0 {
            let (file, offset) = self.file(side, slot);
            let page_bytes = buffer.bytes_mut(bytes);
            file.read_exact_at(page_bytes, offset)?;
            self.read.fetch_add(page_bytes.len() as u64, Ordering::Relaxed);
        }
        Ok(buffer)
    }

    /// The block that is stored in these bytes; `None` if it is not one with this number of states
    /// and this checksum.
    pub fn of_bytes(
        &self,
        stored: &[u8],
        states: u64,
        checksum: u32,
    ) -> io::Result<Option<Buffer>> {
        if states > self.states || stored.len() != self.stored_bytes(states) {
            return Ok(None);
        }
        let mut buffer = self.buffer()?;
        buffer.bytes_mut(stored.len())[..stored.len()].copy_from_slice(stored);
        self.decode(buffer, states, checksum)
    }

    /// The number of bytes in which a block with this number of states is stored.
    fn stored_bytes(&self, states: u64) -> usize {
        match self.form(states) {
            Form::Nothing => 0,
            Form::States(count) | Form::Gaps(count) => count * 4,
            Form::Words => self.stored_words * 8,
        }
    }

    /// The block whose stored bytes are in a buffer; `None` if their checksum is another one.
    fn decode(&self, mut buffer: Buffer, states: u64, checksum: u32) -> io::Result<Option<Buffer>> {
        let form = self.form(states);
        if form == Form::Nothing {
            self.fill(&mut buffer, states == self.states);
            return Ok(Some(buffer));
        }
        let bytes = self.stored_bytes(states);
        if crc32fast::hash(&buffer.bytes(bytes)[..bytes]) != checksum {
            self.recycle(buffer);
            return Ok(None);
        }
        if form == Form::Words && self.packing.is_none() {
            buffer.survey(self.full_word);
            return Ok(Some(buffer));
        }
        let mut block = self.buffer()?;
        if let (Form::Words, Some(packing)) = (form, self.packing) {
            packing.unpack(buffer.words(), block.words_mut());
        } else {
            self.fill(&mut block, matches!(form, Form::Gaps(_)));
            let words = block.words_mut();
            let positions: &[u32] = bytemuck::cast_slice(&buffer.bytes(bytes)[..bytes]);
            for &position in positions {
                words[position as usize >> 6] ^= 1 << (position & 63);
            }
        }
        block.survey(self.full_word);
        self.recycle(buffer);
        Ok(Some(block))
    }

    /// Writes a block with this number of states, and returns its checksum.
    pub fn write(&self, side: usize, slot: usize, block: &Buffer, states: u64) -> io::Result<u32> {
        let form = self.form(states);
        if form == Form::Nothing {
            return Ok(0);
        }
        let bytes = self.stored_bytes(states);
        let encoded = self.encode(block, form)?;
        let stored = encoded.as_ref().unwrap_or(block).bytes(bytes);
        self.write_bytes(side, slot, stored)?;
        let checksum = crc32fast::hash(&stored[..bytes]);
        if let Some(buffer) = encoded {
            self.recycle(buffer);
        }
        Ok(checksum)
    }

    /// A buffer that begins with the bytes of a block in this form; `None` if they are the block's
    /// own.
    fn encode(&self, block: &Buffer, form: Form) -> io::Result<Option<Buffer>> {
        let (count, mask) = match (form, self.packing) {
            (Form::Nothing, _) | (Form::Words, None) => return Ok(None),
            (Form::Words, Some(packing)) => {
                let mut packed = self.buffer()?;
                packed.bytes_mut(self.stored_words * 8).fill(0);
                packing.pack(block.words(), &mut packed.words_mut()[..self.stored_words]);
                return Ok(Some(packed));
            }
            (Form::States(count), _) => (count, 0),
            (Form::Gaps(count), _) => (count, self.full_word),
        };
        let mut list = self.buffer()?;
        let bytes = count * 4;
        list.bytes_mut(bytes).fill(0);
        let positions: &mut [u32] = bytemuck::cast_slice_mut(list.bytes_mut(bytes));
        let mut next = 0;
        for (number, &word) in block.words().iter().enumerate() {
            let mut rest = word ^ mask;
            while rest != 0 {
                positions[next] = (number as u32) << 6 | rest.trailing_zeros();
                rest &= rest - 1;
                next += 1;
            }
        }
        Ok(Some(list))
    }

    /// Writes and reads this many slots that have no blocks yet, and returns the bytes per second.
    pub fn trial(&self, slots: usize) -> io::Result<f64> {
        let (_, file) = self.files[1].last().ok_or(io::ErrorKind::NotFound)?;
        let there = file.metadata()?.len() as usize / self.slot_bytes;
        let slots = slots.min(there);
        let mut buffer = self.buffer()?;
        buffer.words_mut().fill(0x5555_5555_5555_5555);
        let bytes = self.slot_bytes;
        let began = Instant::now();
        for slot in 0..slots {
            file.write_all_at(buffer.bytes(bytes), (slot * bytes) as u64)?;
        }
        file.sync_data()?;
        for slot in 0..slots {
            file.read_exact_at(buffer.bytes_mut(bytes), (slot * bytes) as u64)?;
        }
        let seconds = began.elapsed().as_secs_f64();
        self.recycle(buffer);
        Ok((2 * slots * bytes) as f64 / seconds.max(1e-9))
    }

    /// Makes what was written durable on one side.
    pub fn sync(&self, side: usize) -> io::Result<()> {
        self.files[side].iter().try_for_each(|(_, file)| file.sync_data())
    }

    fn write_bytes(&self, side: usize, slot: usize, bytes: &[u8]) -> io::Result<()> {
        let (file, offset) = self.file(side, slot);
        file.write_all_at(bytes, offset)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn fill(&self, buffer: &mut Buffer, is_full: bool) {
        let (words, fills) = buffer.parts_mut();
        words.fill(if is_full { self.full_word } else { 0 });
        fills.fill(if is_full { Fill::Full } else { Fill::Empty });
    }

    fn form(&self, states: u64) -> Form {
        // A list that is half as long as the words is worth its making.
        let is_short = |count: u64| count * 4 <= self.stored_words as u64 * 4;
        let gaps = self.states - states;
        match states {
            0 => Form::Nothing,
            _ if gaps == 0 => Form::Nothing,
            _ if is_short(states) => Form::States(states as usize),
            _ if is_short(gaps) => Form::Gaps(gaps as usize),
            _ => Form::Words,
        }
    }

    fn file(&self, side: usize, slot: usize) -> (&File, u64) {
        let files = &self.files[side];
        let (first, file) = files.iter().rfind(|(first, _)| *first <= slot).unwrap_or(&files[0]);
        (file, (slot - first) as u64 * self.slot_bytes as u64)
    }
}

/// The files of either side in a directory.
pub(crate) fn block_files(directory: &Path) -> [PathBuf; 2] {
    [0, 1].map(|side| directory.join(format!("side-{side}.blocks")))
}

/// Opens a file and reserves its bytes, so that a full disk is found out now and not later.
fn reserve(path: &Path, bytes: usize, is_direct: bool) -> io::Result<File> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let direct = is_direct.then(|| options.clone().custom_flags(OFlag::O_DIRECT.bits()).open(path));
    // File systems in memory know no way past a cache.
    let file = direct.and_then(Result::ok).map_or_else(|| options.open(path), Ok).map_err(named)?;
    if bytes > 0 && file.metadata().map_err(named)?.len() < bytes as u64 {
        fallocate(&file, FallocateFlags::empty(), 0, bytes as i64)
            .map_err(|error| named(io::Error::from(error)))?;
    }
    Ok(file)
}
