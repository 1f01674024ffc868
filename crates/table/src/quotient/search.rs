//! The search: half-sweeps, what is known after each, and how it survives being killed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hyperslide_puzzle::{Label, State};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::blocks::{BlockFiles, Buffer, Places, block_files};
use super::cache::BlockCache;
use super::peers::{Exchange, PeerGone, Peers, Share, windows};
use super::space::{QuotientError, QuotientSpace};
use super::sweep::{HalfSweep, NewStates, Sides, Stored, SweepEnd, Task};
use crate::kernel::Path;
use crate::layout::Place;
use crate::search::{Layers, available_threads};

const MANIFEST: &str = "manifest.json";
/// The manifest of the layer before, which is needed where other processes have not got further.
const PREVIOUS: &str = "manifest.previous.json";
const COUNTS: &str = "counts.u32";
const LOCK: &str = "lock";
/// The version of the manifest. A search of another version is refused.
const VERSION: u32 = 1;

/// States of a layer that are listed even if nobody asks for them now: the blocks are gone afterwards.
const MIN_LISTED: usize = 10_000;
/// Memory in bytes of a search in addition to its cache: the numbering of blocks, and the blocks that
/// are being read, computed and written.
const MEMORY_BESIDE_CACHE: u64 = 200_000_000;
/// The disk is tried with this many bytes.
const TRIAL_BYTES: u64 = 512 << 20;
/// It is tried when it will hold at least this many.
const MIN_BYTES_FOR_TRIAL: u64 = 4 << 30;
/// Bytes of blocks that a thread shifts per second, for estimates: measured on an EPYC with AVX2.
const SLIDES_PER_THREAD: f64 = 3.8e9;
/// New states are collected when the layer before had at most this many.
const MAX_STATES_BEFORE_LAST: u64 = 1 << 26;

/// What is done about a search that is in the directory already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resume {
    /// It is an error, so that nothing is lost by mistake.
    Never,
    /// It is resumed, and it is an error if there is none.
    Always,
    /// It is resumed if there is one.
    IfPresent,
}

/// Options of a search in files, none of which changes its results.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The instruction set to use in the inner loops.
    pub path: Path,
    /// The number of threads that compute; one more reads and one writes.
    pub threads: usize,
    /// The directory of the searches of a run.
    pub directory: PathBuf,
    /// The name of the search's own directory in there, and in the second directory; empty if it has
    /// none. Where several processes share a search, each has a directory `process-N` in that one.
    pub name: String,
    /// Bytes of memory for blocks that are needed again.
    pub cache: u64,
    /// A second directory, in memory for instance, and the number of bytes of blocks to keep there.
    pub second: Option<(PathBuf, u64)>,
    /// What is done about a search that is in the directory.
    pub resume: Resume,
    /// The states of the last layer are listed if there are at most this many.
    pub farthest: usize,
    /// Drawn states of each layer that are computed again one by one from the rule before the layer
    /// is committed.
    pub checks: usize,
    /// The processes that share the search, if there are several.
    pub peers: Option<Arc<dyn Peers>>,
}

impl FilesOptions {
    /// Options for a search in this directory.
    pub fn new(directory: PathBuf) -> FilesOptions {
        FilesOptions {
            path: Path::best(),
            threads: available_threads(),
            directory,
            name: String::new(),
            cache: 1 << 30,
            second: None,
            resume: Resume::Never,
            farthest: 0,
            checks: 4_000,
            peers: None,
        }
    }

    /// Lets the search use this many bytes of memory: nearly all of them for blocks that are needed
    /// again. Processes on one machine share them.
    pub fn set_memory(&mut self, bytes: u64) {
        self.cache = bytes.saturating_sub(MEMORY_BESIDE_CACHE);
    }

    /// The same with the directories of this process's part of the search, and with the memory that
    /// all processes may use. Those on one machine share its processors, too.
    fn placed(mut self) -> Result<FilesOptions, FilesError> {
        let mut name = std::mem::take(&mut self.name);
        if let Some(peers) = &self.peers {
            name = format!("{name}/process-{}", peers.process());
            let sharing = peers.on_this_machine().max(1);
            let memory = (self.cache + MEMORY_BESIDE_CACHE) / sharing as u64;
            self.cache = memory.saturating_sub(MEMORY_BESIDE_CACHE).min(self.cache);
            self.threads = (self.threads / sharing).max(1);
            let all = peers.gather(self.cache.to_le_bytes().to_vec())?;
            let caches = all.iter().map(|bytes| bytes[..].try_into().map_or(0, u64::from_le_bytes));
            self.cache = caches.min().unwrap_or(0);
        }
        let second = self.second.as_mut().map(|(directory, _)| directory);
        for directory in second.into_iter().chain([&mut self.directory]) {
            directory.extend(name.split('/').filter(|part| !part.is_empty()));
        }
        Ok(self)
    }

    /// The number of this process and that of all.
    fn process(&self) -> (usize, usize) {
        self.peers.as_ref().map_or((0, 1), |peers| (peers.process(), peers.processes()))
    }

    /// Bytes of blocks of other processes that are on their way to this one at most: with those of
    /// the window before and those that both want, they are half of the cache.
    fn window_bytes(&self) -> u64 {
        self.cache / 6
    }
}

/// Why a search in files ends without a result.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum FilesError {
    #[error(transparent)]
    Space(#[from] QuotientError),
    #[error("cannot keep the search's blocks in {}: {source}: name another directory", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} already has a search: add --resume to continue it, or choose another directory", path.display())]
    Exists { path: PathBuf },
    #[error(
        "{} has no search to resume: name its directory, or leave out --resume to begin one there",
        path.display()
    )]
    Missing { path: PathBuf },
    #[error("another search is using {}: wait until it ends, or choose another directory", path.display())]
    InUse { path: PathBuf },
    #[error(
        "the search's blocks need {:.1} GB more in {}, but only {:.1} GB are free there: free some, or \
         keep a part of them elsewhere with --blocks-also",
        *needed as f64 / 1e9, directory.display(), *free as f64 / 1e9
    )]
    NoRoom { directory: PathBuf, needed: u64, free: u64 },
    #[error("{} cannot be used ({reason}): remove its directory to begin anew", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error(
        "{} belongs to another search ({found}): name another directory, or remove this one",
        path.display()
    )]
    Foreign { path: PathBuf, found: String },
    #[error(
        "block {block} is not what was written: the disk or the memory is damaged, or another program \
         has changed the files; remove the directory to begin anew"
    )]
    Damaged { block: usize },
    #[error(
        "block {block} is not closed under a symmetry that fixes it: this is a mistake of the program"
    )]
    NotClosed { block: usize },
    #[error(transparent)]
    Gone(#[from] PeerGone),
    #[error(
        "process {process} of the search has other layers than this one: remove the directories of all \
         processes to begin anew"
    )]
    Disagree { process: usize },
    #[error(
        "process 0 searches {other}, but this process was started for {own}: start all with the same \
         board"
    )]
    OtherBoard { own: String, other: String },
    #[error(
        "layer {layer}: a state of block {block} was computed again from the rule, with another result: \
         this is a mistake of the program or a fault of the machine"
    )]
    Differs { layer: u32, block: usize },
}

/// What one layer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerCost {
    /// Elapsed time in seconds.
    pub wall_s: f64,
    /// Blocks that were completed; the others could not change.
    pub blocks: u64,
    /// Bytes read from the files.
    pub read: u64,
    /// Bytes written to the files.
    pub written: u64,
    /// Bytes of blocks that processes sent to each other.
    #[serde(default)]
    pub sent: u64,
}

/// What a search will use, known before its first layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesEstimate {
    /// Bytes of this process's blocks, and those of them that lie in the second directory.
    pub bytes: u64,
    /// The same in the second directory.
    pub second_bytes: u64,
    /// Bytes of blocks that may stay in memory.
    pub cache: u64,
    /// What the disk of the first directory wrote and read in a trial, in bytes per second; 0 if the
    /// blocks are too few for one.
    pub disk: f64,
    /// The time in seconds that a layer takes at most: that of the slides between all blocks, or that
    /// of reading one side and writing the other, whichever is longer. Typically half of the layers
    /// take about as long.
    pub layer_s: f64,
}

/// What a search has found so far, as it is kept between half-sweeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    /// The board, its metric and the start, and how states are numbered.
    search: String,
    /// Blocks of each side that lie in the second directory.
    second: [usize; 2],
    layers: Vec<u64>,
    complete: bool,
    costs: Vec<LayerCost>,
    #[serde(default)]
    estimate: FilesEstimate,
    /// States and checksum of each block.
    states: Vec<u32>,
    checksums: Vec<u32>,
    /// Blocks that changed in the last layer.
    changed: Vec<u32>,
    /// The new states of the last layer, as block, word and bit, unless they are too many.
    farthest: Option<Vec<(u32, u32, u8)>>,
}

/// How far a layer has got.
#[derive(Clone, Copy, Debug)]
pub struct FilesProgress<'a> {
    /// The layers so far.
    pub layers: &'a [u64],
    /// Blocks completed of the current layer.
    pub done: usize,
    /// Blocks to be completed in it.
    pub tasks: usize,
    /// What the search will use.
    pub estimate: FilesEstimate,
}

/// A breadth-first search of a [`QuotientSpace`] whose blocks lie in files.
///
/// Where each slide changes the colour of the occupied set, the visited states of one colour at depth
/// `d + 1` are the neighbours of those of the other at depth `d`, and nothing else has to be known:
/// no frontier and no second copy. Elsewhere there are two copies, one for even and one for odd
/// depths. Either way a half-sweep computes one side of the files from the other, and a layer's size
/// is the difference of two counts. A half-sweep that was interrupted is done again: it reads only
/// what it does not write.
///
/// A half-sweep ends by making the blocks durable, then the counts, then a manifest under a new
/// name, which is renamed. A killed search loses one half-sweep at most.
pub struct QuotientSearch<'s> {
    pub(super) space: &'s QuotientSpace,
    pub(super) sides: Sides,
    pub(super) options: FilesOptions,
    pub(super) files: BlockFiles,
    /// Which blocks this process has.
    pub(super) share: Share,
    sent: AtomicU64,
    counts: File,
    /// A file that stays locked as long as the search is open.
    _lock: File,
    cache: Mutex<BlockCache>,
    manifest: Manifest,
    /// What the manifest says of the blocks of each side.
    stored: [Vec<Stored>; 2],
}

impl<'s> QuotientSearch<'s> {
    /// Returns the bytes of the files of a search.
    pub fn file_bytes(space: &QuotientSpace) -> u64 {
        Self::share_bytes(space, &Share::of(Sides::of(space), 0, 1))
    }

    /// The bytes of the files of one process.
    fn share_bytes(space: &QuotientSpace, share: &Share) -> u64 {
        let slots = share.own(0).len() + share.own(1).len();
        slots as u64 * BlockFiles::slot_bytes(space.block_bytes())
    }

    /// Begins a search in an empty directory, which is made if need be, or resumes the one that is
    /// there.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be used, has too little room, or has files of
    /// another search.
    pub fn open(
        space: &'s QuotientSpace,
        options: FilesOptions,
    ) -> Result<QuotientSearch<'s>, FilesError> {
        let options = options.placed()?;
        let io = |path: &FilePath| {
            let path = path.to_owned();
            move |source| FilesError::Io { path, source }
        };
        let path = options.directory.join(MANIFEST);
        let previous = options.directory.join(PREVIOUS);
        match (options.resume, path.exists() || previous.exists()) {
            (Resume::Always, false) => return Err(FilesError::Missing { path: options.directory }),
            (Resume::Never, true) => return Err(FilesError::Exists { path: options.directory }),
            _ => {}
        }
        std::fs::create_dir_all(&options.directory).map_err(io(&options.directory))?;
        let lock_path = options.directory.join(LOCK);
        let lock = File::create(&lock_path).map_err(io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FilesError::InUse { path: options.directory });
            }
            Err(TryLockError::Error(error)) => return Err(io(&lock_path)(error)),
        }
        let sides = Sides::of(space);
        let (process, processes) = options.process();
        let share = Share::of(sides, process, processes);
        let slots = [share.own(0).len(), share.own(1).len()];
        let slot_bytes = BlockFiles::slot_bytes(space.block_bytes());
        let description = description(space, process, processes);
        let known = Manifest::agreed(&options, &description)?;
        let second_counts = match (&known, &options.second) {
            (Some(manifest), _) => manifest.second,
            (None, None) => [0, 0],
            (None, Some((_, bytes))) => {
                let part = (*bytes as f64 / Self::share_bytes(space, &share) as f64).min(1.0);
                slots.map(|blocks| (blocks as f64 * part) as usize)
            }
        };
        let second_blocks: usize = second_counts.iter().sum();
        // A search that is complete has no blocks.
        let is_complete = known.as_ref().is_some_and(|manifest| manifest.complete);
        let second = match &options.second {
            _ if second_blocks == 0 || is_complete => None,
            Some((directory, _)) => Some((directory.clone(), second_counts)),
            None => {
                let reason = "its first blocks lie in a second directory, which is not named";
                return Err(FilesError::Manifest { path, reason: reason.to_owned() });
            }
        };
        if let Some((directory, _)) = &second {
            std::fs::create_dir_all(directory).map_err(io(directory))?;
        }
        let rest = Self::share_bytes(space, &share) - second_blocks as u64 * slot_bytes;
        let places = [(Some(&options.directory), rest)].into_iter().chain([(
            second.as_ref().map(|(directory, _)| directory),
            second_blocks as u64 * slot_bytes,
        )]);
        for (directory, needed) in places {
            let Some(directory) = directory else { continue };
            let free = free_bytes(directory).map_err(io(directory))?;
            let there = own_bytes(directory);
            if !is_complete && needed > free + there {
                let directory = directory.clone();
                return Err(FilesError::NoRoom { directory, needed: needed - there, free });
            }
        }
        let files = BlockFiles::open(
            &Places { directory: options.directory.clone(), first: second },
            if is_complete { [0; 2] } else { slots },
            space.layout(),
        )
        .map_err(io(&options.directory))?;
        let counts_path = options.directory.join(COUNTS);
        let counts = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&counts_path)
            .map_err(io(&counts_path))?;
        let cache = BlockCache::new(Self::cached_blocks(space, &options));
        let blocks: usize = lengths(sides).iter().sum();
        let mut search = QuotientSearch {
            space,
            sides,
            options,
            files,
            share,
            sent: AtomicU64::new(0),
            counts,
            _lock: lock,
            cache: Mutex::new(cache),
            manifest: Manifest {
                version: VERSION,
                search: description,
                second: second_counts,
                layers: Vec::new(),
                complete: false,
                costs: Vec::new(),
                estimate: FilesEstimate::default(),
                states: vec![0; blocks],
                checksums: vec![0; blocks],
                changed: Vec::new(),
                farthest: None,
            },
            stored: lengths(sides).map(|blocks| vec![Stored::default(); blocks]),
        };
        match known {
            Some(manifest) => {
                if manifest.states.len() != blocks || manifest.checksums.len() != blocks {
                    let reason = "it is damaged".to_owned();
                    return Err(FilesError::Manifest { path, reason });
                }
                let stored = manifest.states.iter().zip(&manifest.checksums);
                let mut stored = stored.map(|(&states, &checksum)| Stored { states, checksum });
                for side in &mut search.stored {
                    side.iter_mut().zip(&mut stored).for_each(|(own, known)| *own = known);
                }
                search.manifest = manifest;
            }
            None => {
                search.manifest.estimate = search.new_estimate()?;
                search.start()?;
            }
        }
        Ok(search)
    }

    /// What the search will use. The disk is tried where there are enough blocks to make that
    /// worth its time.
    fn new_estimate(&self) -> Result<FilesEstimate, FilesError> {
        let slot_bytes = BlockFiles::slot_bytes(self.space.block_bytes());
        let bytes = Self::share_bytes(self.space, &self.share);
        let second_bytes = self.manifest.second.iter().sum::<usize>() as u64 * slot_bytes;
        let cache = self.options.cache.min(bytes);
        let trial = (TRIAL_BYTES / slot_bytes).max(1) as usize;
        let disk = if bytes - second_bytes < MIN_BYTES_FOR_TRIAL {
            0.0
        } else {
            self.files.trial(trial).map_err(|source| self.failed(source))?
        };
        let (slides, _) = self.space.slides();
        let part = bytes as f64 / Self::file_bytes(self.space) as f64;
        let slid = slides as f64 * slot_bytes as f64 * part / 2.0;
        let computing = slid / (SLIDES_PER_THREAD * self.options.threads as f64);
        // One side is written while the other is read; what is in memory is not read.
        let moved = (bytes - second_bytes) as f64 - cache as f64;
        let moving = if disk > 0.0 { moved.max(0.0) / disk } else { 0.0 };
        Ok(FilesEstimate { bytes, second_bytes, cache, disk, layer_s: computing.max(moving) })
    }

    /// Returns what the search uses, as it was known before its first layer.
    pub fn estimate(&self) -> FilesEstimate {
        self.manifest.estimate
    }

    /// Blocks that fit in the cache; a few where hardly any memory is allowed.
    fn cached_blocks(space: &QuotientSpace, options: &FilesOptions) -> usize {
        let windows = options.peers.as_ref().map_or(0, |_| 3 * options.window_bytes());
        let fitting = (options.cache - windows) / BlockFiles::slot_bytes(space.block_bytes());
        fitting.clamp(8, space.blocks() as u64 + 8) as usize
    }

    /// Writes the block of the start, and the first layer.
    fn start(&mut self) -> Result<(), FilesError> {
        let (block, place) = self.space.locate(self.space.start()).expect("the start is numbered");
        let layout = self.space.layout();
        let word = u64::from(place.run) * layout.words() + u64::from(place.word);
        let mut checksum = 0;
        if self.share.own(0).contains(&block) {
            let failed = |source| self.failed(source);
            let mut buffer = self.files.buffer().map_err(failed)?;
            buffer.words_mut().fill(0);
            buffer.words_mut()[word as usize] |= 1 << place.lane;
            let slot = self.share.slot(0, block);
            checksum = self.files.write(0, slot, &buffer, 1).map_err(failed)?;
            self.files.recycle(buffer);
            self.files.sync(0).map_err(failed)?;
        }
        let slot = self.sides.slot(0, block);
        self.stored[0][slot] = Stored { states: 1, checksum };
        self.manifest.layers = vec![self.space.orbit(block)];
        self.manifest.changed = vec![block as u32];
        self.manifest.costs = vec![LayerCost::default()];
        self.manifest.farthest = Some(vec![(block as u32, word as u32, place.lane as u8)]);
        self.commit(0)
    }

    /// Searches until there are no new states, until `tell` breaks, or until `cancel` becomes true.
    /// `tell` is called several times a second. Interrupted searches go on with the layer that they
    /// were at when they are opened again.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or written, if a block is damaged, or if a check
    /// fails. No layer is counted whose checks failed.
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Layers, FilesError> {
        while !self.manifest.complete && !cancel.load(Ordering::Relaxed) {
            if self.half_sweep(cancel, tell)?.is_break() {
                break;
            }
        }
        Ok(self.layers())
    }

    /// Returns the layers so far.
    pub fn layers(&self) -> Layers {
        Layers { states: self.manifest.layers.clone(), complete: self.manifest.complete }
    }

    /// Returns what each layer took, the layer of the start first.
    pub fn costs(&self) -> &[LayerCost] {
        &self.manifest.costs
    }

    /// Returns one state of each orbit of the last layer, or `None` if there are more than
    /// [`FilesOptions::farthest`] or if the layer was interrupted.
    pub fn farthest(&self) -> Option<Vec<State>> {
        let mut orbits: Vec<State> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let words = self.space.layout().words() as u32;
        for &(block, word, lane) in self.manifest.farthest.as_ref()? {
            let place = Place { run: word / words, word: word % words, lane: u32::from(lane) };
            let state = self.space.state_at(block as usize, place);
            if !seen.contains(&state) {
                seen.extend(self.space.orbit_of(&state));
                orbits.push(state);
            }
        }
        Some(orbits)
    }

    /// Removes the blocks of a search that is complete. What it found stays.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be removed.
    pub fn remove_blocks(self) -> Result<(), FilesError> {
        let second = self.options.second.iter().map(|(directory, _)| directory);
        for directory in second.chain([&self.options.directory]) {
            for path in block_files(directory) {
                match std::fs::remove_file(&path) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(FilesError::Io { path, source });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Returns whether the search has reached a state; `None` if it is not numbered.
    ///
    /// # Errors
    ///
    /// Returns an error if the state's block cannot be read.
    pub fn has_visited(&self, state: &State) -> Result<Option<bool>, FilesError> {
        let Some((block, place)) = self.space.locate(state) else { return Ok(None) };
        let last = self.last_side();
        let is_of_last = self.sides.blocks(last).contains(&block);
        let buffer = self.read(if is_of_last { last } else { 1 - last }, block)?;
        let is_visited = self.bit(&buffer, place);
        self.files.recycle(buffer);
        Ok(Some(is_visited))
    }

    /// Returns the number of states of each block after the half-sweep of a layer, as they are kept in
    /// the file of counts. Where states have two colours, these are the blocks of the start's colour
    /// for even layers and the others for odd ones.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn block_counts(&self, layer: u32) -> Result<Vec<u32>, FilesError> {
        let blocks = lengths(self.sides)[layer as usize % 2];
        let mut counts = vec![0u32; blocks];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut counts);
        self.counts
            .read_exact_at(bytes, self.counts_offset(layer))
            .map_err(|source| self.failed(source))?;
        Ok(counts)
    }

    fn counts_offset(&self, layer: u32) -> u64 {
        let sides = lengths(self.sides).map(|blocks| blocks as u64 * 4);
        u64::from(layer / 2) * (sides[0] + sides[1]) + u64::from(layer % 2) * sides[0]
    }

    /// The side that the last layer wrote.
    fn last_side(&self) -> usize {
        (self.manifest.layers.len() + 1) % 2
    }

    fn failed(&self, source: io::Error) -> FilesError {
        FilesError::Io { path: self.options.directory.clone(), source }
    }

    /// Reads a block of this process.
    pub(super) fn read(&self, side: usize, block: usize) -> Result<Buffer, FilesError> {
        let Stored { states, checksum } = self.stored[side][self.sides.slot(side, block)];
        let slot = self.share.slot(side, block);
        let read = self.files.read(side, slot, u64::from(states), checksum);
        read.map_err(|source| self.failed(source))?.ok_or(FilesError::Damaged { block })
    }

    pub(super) fn bit(&self, buffer: &Buffer, place: Place) -> bool {
        let word = u64::from(place.run) * self.space.layout().words() + u64::from(place.word);
        buffer.words()[word as usize] >> place.lane & 1 == 1
    }

    fn half_sweep(
        &mut self,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, FilesError> {
        let began = Instant::now();
        let layer = self.manifest.layers.len() as u32;
        let side = layer as usize % 2;
        let is_late =
            self.manifest.layers.last().is_some_and(|&last| last <= MAX_STATES_BEFORE_LAST);
        let (mut full, mut all_tasks) = self.plan(side, is_late);
        let exchange = self.exchange(&all_tasks);
        let tasks = std::mem::take(&mut all_tasks[self.share.process]);
        drop(all_tasks);
        let new_states = NewStates {
            limit: self.options.farthest.max(MIN_LISTED),
            found: Mutex::default(),
            overflowed: AtomicBool::new(false),
        };
        let bytes = || {
            [&self.files.read, &self.files.written, &self.sent]
                .map(|bytes| bytes.load(Ordering::Relaxed))
        };
        let before = bytes();
        let sweep = HalfSweep {
            space: self.space,
            files: &self.files,
            sides: self.sides,
            side,
            stored: &self.stored,
            tasks: &tasks,
            share: &self.share,
            exchange: exchange.as_ref(),
            cache: &self.cache,
            path: self.options.path,
            threads: self.options.threads,
            new_states: is_late.then_some(&new_states),
            sent: &self.sent,
            cancel,
        };
        let (layers, estimate) = (&self.manifest.layers, self.manifest.estimate);
        let result = sweep
            .run(&mut |done| tell(FilesProgress { layers, done, tasks: tasks.len(), estimate }));
        let mut completed = match result {
            Ok(completed) => completed,
            Err(SweepEnd::Cancelled) => {
                // Parts of the side are written, so what the cache has of it is not to be trusted.
                let capacity = Self::cached_blocks(self.space, &self.options);
                self.cache = Mutex::new(BlockCache::new(capacity));
                return Ok(ControlFlow::Break(()));
            }
            Err(SweepEnd::Io(source)) => return Err(self.failed(source)),
            Err(SweepEnd::Damaged { block }) => return Err(FilesError::Damaged { block }),
            Err(SweepEnd::NotClosed { block }) => return Err(FilesError::NotClosed { block }),
            Err(SweepEnd::Gone(gone)) => return Err(gone.into()),
        };
        let own = completed.clone();
        let mut cost = LayerCost::default();
        let after = bytes();
        [cost.read, cost.written, cost.sent] = [0, 1, 2].map(|kind| after[kind] - before[kind]);
        let mut found = new_states.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut overflowed = new_states.overflowed.into_inner();
        if let Some(peers) = &self.options.peers {
            let own = SweepResult { completed, found, overflowed, cost };
            let all = peers.gather(own.to_bytes())?;
            let all = SweepResult::of_all(&all)?;
            SweepResult { completed, found, overflowed, cost } = all;
        }
        let states = self.space.block_states() as u32;
        completed.extend(full.drain(..).map(|block| (block, Stored { states, checksum: 0 })));
        let old = std::mem::take(&mut self.manifest.changed);
        let mut new_in_layer = 0;
        for &(block, now) in &completed {
            let slot = self.sides.slot(side, block as usize);
            let before = if self.sides.is_in_place() { side } else { 1 - side };
            let before = self.stored[before][slot].states;
            if now.states != before {
                self.manifest.changed.push(block);
                new_in_layer += u64::from(now.states - before) * self.space.orbit(block as usize);
            }
            self.stored[side][slot] = now;
        }
        for &(block, stored) in &own {
            self.stored[side][self.sides.slot(side, block as usize)] = stored;
        }
        self.manifest.changed.sort_unstable();
        self.check(layer, side, &own)?;
        if new_in_layer == 0 {
            // The last layer stays the last one, with what is known of its states.
            self.manifest.changed = old;
            self.manifest.complete = true;
        } else {
            self.manifest.layers.push(new_in_layer);
            let is_known = is_late && !overflowed;
            found.sort_unstable();
            self.manifest.farthest = is_known.then_some(found);
            self.manifest.costs.push(LayerCost {
                wall_s: began.elapsed().as_secs_f64(),
                blocks: completed.len() as u64,
                ..cost
            });
        }
        self.files.sync(side).map_err(|source| self.failed(source))?;
        self.commit(side)?;
        // Nobody writes the next layer before everybody has this one.
        if let Some(peers) = &self.options.peers {
            peers.gather(Vec::new())?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What this process exchanges with others in a half-sweep with these tasks of each.
    fn exchange(&self, tasks: &[Vec<Task>]) -> Option<Exchange> {
        let peers = Arc::clone(self.options.peers.as_ref()?);
        let slot_bytes = BlockFiles::slot_bytes(self.space.block_bytes());
        let limit = (self.options.window_bytes() / slot_bytes).max(1) as usize;
        let windows: Vec<_> = tasks.iter().map(|tasks| windows(tasks, limit)).collect();
        let count = windows.iter().map(Vec::len).max().unwrap_or(0);
        let first = peers.new_windows(count as u64);
        Some(Exchange { peers, windows, first, count })
    }

    /// The targets of a half-sweep: those that are full because one of their sources is, and, by
    /// process, those to be computed, in the order in which the cache is used best. Where new states
    /// are collected, all are computed. All processes make the same plan.
    fn plan(&self, side: usize, is_collecting: bool) -> (Vec<u32>, Vec<Vec<Task>>) {
        let is_changed = |block: &u32| self.manifest.changed.binary_search(block).is_ok();
        let full = self.space.block_states() as u32;
        let (_, processes) = self.options.process();
        let (mut filled, mut tasks) = (Vec::new(), vec![Vec::new(); processes]);
        for target in self.sides.blocks(side) {
            if self.stored[side][self.sides.slot(side, target)].states == full {
                continue;
            }
            let mut sources: Vec<u32> =
                self.space.slides_into(target).iter().map(|edge| edge.source).collect();
            if !self.sides.is_in_place() {
                sources.push(target as u32);
            }
            sources.sort_unstable();
            sources.dedup();
            if !sources.iter().any(is_changed) {
                continue;
            }
            // A slide maps the whole block of its source to a whole block.
            let states = |&source: &u32| {
                let source = self.sides.slot(1 - side, source as usize);
                self.stored[1 - side][source].states
            };
            let is_full = |source: &u32| states(source) == full;
            if !is_collecting && sources.iter().any(is_full) {
                filled.push(target as u32);
                continue;
            }
            sources.retain(|source| states(source) > 0);
            let owner = self.share.owner(side, target);
            let is_own = |source: &u32| self.share.owner(1 - side, *source as usize) == owner;
            let (sources, remote) = sources.into_iter().partition(is_own);
            tasks[owner].push(Task { target: target as u32, sources, remote });
        }
        if self.manifest.layers.len() % 2 == 1 {
            tasks.iter_mut().for_each(|tasks| tasks.reverse());
        }
        (filled, tasks)
    }

    /// Makes a layer durable: the counts of the side that it wrote, then the manifest.
    fn commit(&mut self, side: usize) -> Result<(), FilesError> {
        let all = || self.stored.iter().flatten();
        self.manifest.states = all().map(|stored| stored.states).collect();
        self.manifest.checksums = all().map(|stored| stored.checksum).collect();
        let counts: Vec<u32> = self.stored[side].iter().map(|stored| stored.states).collect();
        let offset = self.counts_offset(self.manifest.layers.len() as u32 - 1);
        let directory = &self.options.directory;
        let written = (|| {
            if !self.manifest.complete {
                self.counts.write_all_at(bytemuck::cast_slice(&counts), offset)?;
                self.counts.sync_data()?;
            }
            let path = directory.join(MANIFEST);
            let new = path.with_extension("json.new");
            let mut file = File::create(&new)?;
            file.write_all(serde_json::to_string(&self.manifest)?.as_bytes())?;
            file.sync_all()?;
            if self.options.peers.is_some() && path.exists() {
                std::fs::rename(&path, directory.join(PREVIOUS))?;
            }
            std::fs::rename(&new, &path)?;
            File::open(directory)?.sync_all()
        })();
        written.map_err(|source| self.failed(source))
    }
}

impl Manifest {
    /// The manifest from which all processes go on: that of the last layer that all of them have.
    fn agreed(options: &FilesOptions, search: &str) -> Result<Option<Manifest>, FilesError> {
        let read = |name| Manifest::read(&options.directory.join(name), search);
        let last = read(MANIFEST)?;
        let Some(peers) = &options.peers else { return Ok(last) };
        // A process that was killed between two renamings has the previous one only.
        let last = last.map_or_else(|| read(PREVIOUS), |last| Ok(Some(last)))?;
        let restore = || {
            let [from, to] = [PREVIOUS, MANIFEST].map(|name| options.directory.join(name));
            std::fs::rename(from, &to).map_err(|source| FilesError::Io { path: to, source })
        };
        let own = last.as_ref().map_or(0, |last| last.step());
        let all = peers.gather(own.to_le_bytes().to_vec())?;
        let steps: Vec<u64> = all
            .iter()
            .map(|bytes| bytes[..].try_into().map_or(u64::MAX, u64::from_le_bytes))
            .collect();
        let least = steps.iter().copied().min().unwrap_or(0);
        if let Some(process) = steps.iter().position(|&step| step > least + 1) {
            return Err(FilesError::Disagree { process });
        }
        match last {
            Some(last) if last.step() > least => {
                let previous = if least == 0 { None } else { read(PREVIOUS)? };
                let has = previous.as_ref().map_or(0, Manifest::step);
                if has == least {
                    // What is kept as the previous one from now on must be older than the last.
                    previous.as_ref().map_or(Ok(()), |_| restore())?;
                    return Ok(previous);
                }
                Err(FilesError::Disagree { process: peers.process() })
            }
            Some(last) if !options.directory.join(MANIFEST).exists() => {
                restore()?;
                Ok(Some(last))
            }
            last => Ok(last),
        }
    }

    /// The number of times that it was committed.
    fn step(&self) -> u64 {
        self.layers.len() as u64 + u64::from(self.complete)
    }

    /// Reads the manifest of a search; `None` if there is none.
    fn read(path: &FilePath, search: &str) -> Result<Option<Manifest>, FilesError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FilesError::Io { path: path.to_owned(), source }),
        };
        let wrong = |reason: String| FilesError::Manifest { path: path.to_owned(), reason };
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.version != VERSION {
            return Err(wrong(format!("it has version {}", manifest.version)));
        }
        if manifest.search != search {
            let (path, found) = (path.to_owned(), manifest.search);
            return Err(FilesError::Foreign { path, found });
        }
        Ok(Some(manifest))
    }
}

/// What a process has found in a half-sweep.
struct SweepResult {
    completed: Vec<(u32, Stored)>,
    /// New states, as block, word and bit, and whether there were too many.
    found: Vec<(u32, u32, u8)>,
    overflowed: bool,
    cost: LayerCost,
}

impl SweepResult {
    fn to_bytes(&self) -> Vec<u8> {
        let LayerCost { read, written, sent, .. } = self.cost;
        let mut numbers = vec![read, written, sent, u64::from(self.overflowed)];
        numbers.push(self.completed.len() as u64);
        let pair = |first: u32, second: u32| u64::from(first) << 32 | u64::from(second);
        numbers.extend(self.completed.iter().map(|&(block, stored)| pair(block, stored.states)));
        for &(block, word, lane) in &self.found {
            numbers.extend([pair(block, word), u64::from(lane)]);
        }
        bytemuck::cast_slice(&numbers).to_vec()
    }

    /// The results of all processes together, without the checksums, of which each process needs only
    /// its own.
    fn of_all(all: &[Vec<u8>]) -> Result<SweepResult, FilesError> {
        let mut sum = SweepResult {
            completed: Vec::new(),
            found: Vec::new(),
            overflowed: false,
            cost: LayerCost::default(),
        };
        for (process, bytes) in all.iter().enumerate() {
            let numbers: Vec<u64> =
                bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
            let wrong = FilesError::Disagree { process };
            let [read, written, sent, overflowed, count, rest @ ..] = &numbers[..] else {
                return Err(wrong);
            };
            let Some((completed, found)) = rest.split_at_checked(*count as usize) else {
                return Err(wrong);
            };
            sum.cost.read += read;
            sum.cost.written += written;
            sum.cost.sent += sent;
            sum.overflowed |= *overflowed != 0;
            let halves = |number: u64| ((number >> 32) as u32, number as u32);
            sum.completed.extend(completed.iter().map(|&number| {
                let (block, states) = halves(number);
                (block, Stored { states, checksum: 0 })
            }));
            sum.found.extend(found.chunks_exact(2).map(|state| {
                let (block, word) = halves(state[0]);
                (block, word, state[1] as u8)
            }));
        }
        Ok(sum)
    }
}

/// The numbers of blocks of the sides.
fn lengths(sides: Sides) -> [usize; 2] {
    [0, 1].map(|side| sides.blocks(side).len())
}

/// What distinguishes a search from others, in terms of vertices: names of labels do not matter.
fn description(space: &QuotientSpace, process: usize, processes: usize) -> String {
    let vertices = |labels: &[Label]| {
        let vertex = |&label: &Label| space.start().vertices_of(label).lowest();
        let vertices: Vec<String> =
            labels.iter().filter_map(vertex).map(|vertex| vertex.to_string()).collect();
        vertices.join(",")
    };
    let empty = space.board().vertex_set() - space.start().occupied();
    let empty: Vec<String> = empty.into_iter().map(|vertex| vertex.to_string()).collect();
    let part =
        if processes == 1 { String::new() } else { format!(", process {process} of {processes}") };
    format!(
        "{} {}, vertices {} empty, {} blocks of {} states up to {} symmetries, tokens of vertices {} \
         fixed in a block, {} in a row{part}",
        space.board().spec(),
        space.board().metric().name(),
        empty.join(","),
        space.blocks(),
        space.block_states(),
        space.symmetries(),
        vertices(space.prefix()),
        vertices(&space.rest()),
    )
}

fn free_bytes(directory: &FilePath) -> io::Result<u64> {
    let status = nix::sys::statvfs::statvfs(directory)?;
    Ok(status.blocks_available() as u64 * status.fragment_size() as u64)
}

/// Bytes that the files of a search already have in this directory.
fn own_bytes(directory: &FilePath) -> u64 {
    let length = |path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    block_files(directory).map(length).iter().sum()
}
