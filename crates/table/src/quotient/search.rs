//! The search: half-sweeps, what is known after each, and how it survives being killed.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use hyperslide_puzzle::State;

use super::blocks::{BlockFiles, Buffer, Places, block_files};
use super::cache::BlockCache;
use super::error::FilesError;
use super::estimate::FilesEstimate;
use super::manifest::{LayerCost, Manifest, description};
use super::options::{FilesOptions, Resume};
use super::peers::Share;
use super::second::{SecondDirectory, is_of, remove_owner};
use super::space::QuotientSpace;
use super::sweep::{HalfSweep, Sides, Stored, SweepEnd, Task};
use super::sweep_order::SweepOrder;
use super::sweep_result::SweepResult;
use crate::durable::{DirectoryLock, lock_directory};
use crate::layout::Place;
use crate::new_states::NewStates;
use crate::search::Layers;

pub(super) const COUNTS: &str = "counts.u32";

/// States of a layer that are listed even if nobody asks for them now: the blocks are gone
/// afterwards.
const MIN_LISTED: usize = 10_000;
/// New states are collected when the layer before had at most this many.
const MAX_STATES_BEFORE_LAST: u64 = 1 << 26;

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
/// Where each slide changes the colour of the occupied set, the visited states of one colour at
/// depth `d + 1` are the neighbours of those of the other at depth `d`, and nothing else has to be
/// known: no frontier and no second copy. Elsewhere there are two copies, one for even and one for
/// odd depths. Either way a half-sweep computes one side of the files from the other, and a layer's
/// size is the difference of two counts. A half-sweep that was interrupted is done again: it reads
/// only what it does not write.
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
    _lock: DirectoryLock,
    _second: Option<SecondDirectory>,
    cache: Mutex<BlockCache>,
    pub(super) manifest: Manifest,
    /// What the manifest says of the blocks of each side.
    pub(super) stored: [Vec<Stored>; 2],
}

impl<'s> QuotientSearch<'s> {
    /// Returns the bytes of the files of a search.
    pub fn file_bytes(space: &QuotientSpace) -> u64 {
        lengths(Sides::of(space)).iter().sum::<usize>() as u64 * space.slot_bytes()
    }

    /// The bytes of the files of one process.
    pub(super) fn share_bytes(space: &QuotientSpace, share: &Share) -> u64 {
        let slots: usize = share.lengths().iter().sum();
        slots as u64 * space.slot_bytes()
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
        // Of several processes, one may have been killed before it began.
        if options.resume == Resume::Always
            && options.peers.is_none()
            && !Manifest::is_in(&options.directory)
        {
            return Err(FilesError::Missing { path: options.directory });
        }
        // Locked first: a search that another process is running cannot be resumed.
        let lock = lock_directory(&options.directory)?;
        if options.resume == Resume::Never && Manifest::is_in(&options.directory) {
            return Err(FilesError::Exists { path: options.directory });
        }
        let sides = Sides::of(space);
        let (process, processes) = options.process();
        let share = Share::of(sides, SweepOrder::of(space, sides), process, processes);
        let description = description(space, process, processes);
        let known = Manifest::agreed(&options, &description)?;
        // A search that is complete has no blocks.
        let is_complete = known.as_ref().is_some_and(|manifest| manifest.complete);
        let slots = if is_complete { [0; 2] } else { share.lengths() };
        let second = match &known {
            Some(known) if known.complete => None,
            Some(known) => {
                let resume = |share| SecondDirectory::resume(&options, share, space.slot_bytes());
                known.second.clone().map(resume).transpose()?
            }
            None => SecondDirectory::begin(&options, second_blocks(space, &share, &options))?,
        };
        let places = Places {
            directory: options.directory.clone(),
            first: second.as_ref().map(|second| (second.directory.clone(), second.share.blocks)),
        };
        if !is_complete {
            check_room(space, &share, &places)?;
        }
        let files = BlockFiles::open(&places, slots, space.layout())
            .map_err(failed_at(&options.directory))?;
        let counts_path = options.directory.join(COUNTS);
        let counts = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&counts_path)
            .map_err(failed_at(&counts_path))?;
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
            manifest: Manifest::new(
                description,
                second.as_ref().map(|second| second.share.clone()),
                blocks,
            ),
            _second: second,
            stored: lengths(sides).map(|blocks| vec![Stored::default(); blocks]),
        };
        match known {
            Some(manifest) => search.resume(manifest)?,
            None => {
                search.manifest.estimate = search.new_estimate()?;
                search.start()?;
            }
        }
        Ok(search)
    }

    /// Takes over what a manifest says of the blocks.
    fn resume(&mut self, manifest: Manifest) -> Result<(), FilesError> {
        let blocks: usize = lengths(self.sides).iter().sum();
        if manifest.states.len() != blocks || manifest.checksums.len() != blocks {
            let reason = "it is damaged".to_owned();
            let path = Manifest::path(&self.options.directory);
            return Err(FilesError::Manifest { path, reason });
        }
        let known = manifest.states.iter().zip(&manifest.checksums);
        for (own, (&states, &checksum)) in self.stored.iter_mut().flatten().zip(known) {
            *own = Stored { states, checksum };
        }
        self.manifest = manifest;
        Ok(())
    }

    /// Blocks that fit in the cache; a few where hardly any memory is allowed.
    fn cached_blocks(space: &QuotientSpace, options: &FilesOptions) -> usize {
        let remote = options.peers.as_ref().map_or(0, |_| options.exchange_bytes());
        // The numbering, and for each block the tasks that read it.
        let (slides, _) = space.slides();
        let numbering = space.bytes() + 200 * space.blocks() as u64 + 16 * slides as u64;
        let room = options.cache.saturating_sub(remote + numbering);
        let fitting = room / space.block_bytes().max(space.slot_bytes());
        fitting.clamp(8, space.blocks() as u64 + 8) as usize
    }

    /// Writes the block of the start, and the first layer.
    fn start(&mut self) -> Result<(), FilesError> {
        let (block, place) = self.space.locate(self.space.start()).expect("the start is numbered");
        let layout = self.space.layout();
        let word = u64::from(place.run) * layout.words() + u64::from(place.word);
        let mut checksum = 0;
        if self.share.has(0, block) {
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

    /// Searches until there are no new states, until `on_progress` breaks, or until `cancel`
    /// becomes true. `on_progress` is called before each layer and several times a second. An
    /// interrupted search continues with the layer that it was at when it is opened again.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or written, if a block is damaged, or if a check
    /// fails. No layer is counted whose checks failed.
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Layers, FilesError> {
        while !self.manifest.complete && !cancel.load(Ordering::Relaxed) {
            if self.half_sweep(cancel, on_progress)?.is_break() {
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

    /// Returns one state of each orbit of the last layer, or `None` if they are more than 10,000
    /// and more than [`FilesOptions::farthest`], or if the layer was interrupted.
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
        let remove = |directory: &Path| {
            for path in block_files(directory) {
                match std::fs::remove_file(&path) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(FilesError::Io { path, source });
                    }
                    _ => {}
                }
            }
            Ok(())
        };
        if let (Some((second, _)), Some(share)) = (&self.options.second, &self.manifest.second)
            && is_of(second, &share.owner)
        {
            remove(second)?;
            remove_owner(second).map_err(failed_at(second))?;
            remove_owner(&self.options.directory).map_err(failed_at(&self.options.directory))?;
        }
        remove(&self.options.directory)
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

    /// The side that the last layer wrote.
    fn last_side(&self) -> usize {
        (self.manifest.layers.len() + 1) % 2
    }

    pub(super) fn failed(&self, source: io::Error) -> FilesError {
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

    /// Computes a layer and makes it durable. Breaks if it was interrupted.
    fn half_sweep(
        &mut self,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, FilesError> {
        let began = Instant::now();
        let layer = self.manifest.layers.len() as u32;
        let side = layer as usize % 2;
        let is_late =
            self.manifest.layers.last().is_some_and(|&last| last <= MAX_STATES_BEFORE_LAST);
        let (full, tasks) = self.plan(side, is_late);
        let Some(mut result) = self.compute(side, tasks, is_late, cancel, on_progress)? else {
            return Ok(ControlFlow::Break(()));
        };
        if let Some(peers) = &self.options.peers {
            let all = peers.gather(result.to_bytes())?;
            result.add_others(&all, self.share.process)?;
        }
        let states = self.space.block_states() as u32;
        let full = full.into_iter().map(|block| (block, Stored { states, checksum: 0 }));
        result.completed.extend(full);
        let (new_states, changed) = self.update_stored(side, &result.completed);
        let own_blocks = result.completed.iter().map(|&(block, _)| block as usize);
        let own_blocks: Vec<usize> =
            own_blocks.filter(|&block| self.share.has(side, block)).collect();
        self.check(layer, side, &own_blocks)?;
        if new_states == 0 {
            // The last layer stays the last one, with what is known of its states.
            self.manifest.complete = true;
        } else {
            let SweepResult { completed, mut found, overflowed, cost } = result;
            found.sort_unstable();
            self.manifest.layers.push(new_states);
            self.manifest.changed = changed;
            self.manifest.farthest = (is_late && !overflowed).then_some(found);
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

    /// Computes and writes the targets of this process, given the tasks of each, and collects their
    /// new states if it is to. `None` if it was interrupted.
    fn compute(
        &mut self,
        side: usize,
        mut all_tasks: Vec<Vec<Task>>,
        is_collecting: bool,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Option<SweepResult>, FilesError> {
        let exchange = self.exchange(&all_tasks);
        let tasks = std::mem::take(&mut all_tasks[self.share.process]);
        drop(all_tasks);
        let new_states = NewStates::new(self.options.farthest.max(MIN_LISTED));
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
            instruction_set: self.options.instruction_set,
            threads: self.options.threads,
            new_states: is_collecting.then_some(&new_states),
            sent: &self.sent,
            cancel,
        };
        let (layers, estimate) = (&self.manifest.layers, self.manifest.estimate);
        let completed = sweep.run(&mut |done| {
            on_progress(FilesProgress { layers, done, tasks: tasks.len(), estimate })
        });
        let after = bytes();
        if completed.is_err() {
            // Parts of the side are written, so what the cache has of it is not to be trusted.
            let capacity = Self::cached_blocks(self.space, &self.options);
            self.cache = Mutex::new(BlockCache::new(capacity));
        }
        let completed = match completed {
            Ok(completed) => completed,
            Err(SweepEnd::Cancelled) => return Ok(None),
            Err(SweepEnd::Io(source)) => return Err(self.failed(source)),
            Err(SweepEnd::Damaged { block }) => return Err(FilesError::Damaged { block }),
            Err(SweepEnd::NotClosed { block }) => return Err(FilesError::NotClosed { block }),
            Err(SweepEnd::Gone(gone)) => return Err(gone.into()),
        };
        let [read, written, sent] = [0, 1, 2].map(|kind| after[kind] - before[kind]);
        let listed = new_states.into_listed();
        Ok(Some(SweepResult {
            completed,
            overflowed: listed.is_none(),
            found: listed.unwrap_or_default(),
            cost: LayerCost { read, written, sent, ..LayerCost::default() },
        }))
    }

    /// Notes what is stored of completed blocks. Returns the number of their new states in all
    /// blocks of their orbits, and which of them have any, in ascending order.
    fn update_stored(&mut self, side: usize, completed: &[(u32, Stored)]) -> (u64, Vec<u32>) {
        let (mut new_states, mut changed) = (0, Vec::new());
        let before_side = if self.sides.is_in_place() { side } else { 1 - side };
        for &(block, now) in completed {
            let slot = self.sides.slot(side, block as usize);
            let before = self.stored[before_side][slot].states;
            if now.states != before {
                changed.push(block);
                new_states += u64::from(now.states - before) * self.space.orbit(block as usize);
            }
            self.stored[side][slot] = now;
        }
        changed.sort_unstable();
        (new_states, changed)
    }

    /// Makes a layer durable: the counts of the side that it wrote, then the manifest.
    fn commit(&mut self, side: usize) -> Result<(), FilesError> {
        let all = || self.stored.iter().flatten();
        self.manifest.states = all().map(|stored| stored.states).collect();
        self.manifest.checksums = all().map(|stored| stored.checksum).collect();
        let counts: Vec<u32> = self.stored[side].iter().map(|stored| stored.states).collect();
        let offset = counts_offset(self.sides, self.manifest.layers.len() - 1);
        let directory = &self.options.directory;
        let written = (|| {
            if !self.manifest.complete {
                self.counts.write_all_at(bytemuck::cast_slice(&counts), offset)?;
                self.counts.sync_data()?;
            }
            self.manifest.write(directory, self.options.peers.is_some())
        })();
        written.map_err(|source| self.failed(source))
    }
}

/// Where the file of counts has those after a layer: of the blocks of the side that the layer
/// wrote.
pub(super) fn counts_offset(sides: Sides, layer: usize) -> u64 {
    let bytes = lengths(sides).map(|blocks| blocks as u64 * 4);
    (layer / 2) as u64 * (bytes[0] + bytes[1]) + (layer % 2) as u64 * bytes[0]
}

/// The numbers of blocks of the sides.
pub(super) fn lengths(sides: Sides) -> [usize; 2] {
    [0, 1].map(|side| sides.blocks(side).len())
}

/// The number of blocks of each side that a new search keeps in its second directory.
fn second_blocks(space: &QuotientSpace, share: &Share, options: &FilesOptions) -> [usize; 2] {
    let Some((_, bytes)) = options.second else { return [0, 0] };
    let part = (bytes as f64 / QuotientSearch::share_bytes(space, share) as f64).min(1.0);
    share.lengths().map(|blocks| (blocks as f64 * part) as usize)
}

/// Checks that the directories have room for the blocks that are not there yet.
fn check_room(space: &QuotientSpace, share: &Share, places: &Places) -> Result<(), FilesError> {
    let second = places.first.as_ref().map(|(directory, blocks)| {
        (directory, blocks.iter().sum::<usize>() as u64 * space.slot_bytes())
    });
    let rest = QuotientSearch::share_bytes(space, share) - second.map_or(0, |(_, bytes)| bytes);
    for (directory, needed) in [(&places.directory, rest)].into_iter().chain(second) {
        let free = free_bytes(directory).map_err(failed_at(directory))?;
        let there = own_bytes(directory);
        if needed > free + there {
            let directory = directory.clone();
            return Err(FilesError::NoRoom { directory, needed: needed - there, free });
        }
    }
    Ok(())
}

/// Makes an error of what fails at a path.
fn failed_at(path: &Path) -> impl Fn(io::Error) -> FilesError + '_ {
    |source| FilesError::Io { path: path.to_owned(), source }
}

fn free_bytes(directory: &Path) -> io::Result<u64> {
    let status = nix::sys::statvfs::statvfs(directory)?;
    Ok(status.blocks_available() as u64 * status.fragment_size() as u64)
}

/// Bytes that the files of a search already have in this directory.
fn own_bytes(directory: &Path) -> u64 {
    let length = |path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    block_files(directory).map(length).iter().sum()
}
