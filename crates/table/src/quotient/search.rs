//! The search: half-sweeps, what is known after each, and how it survives being killed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hyperslide_puzzle::{Label, State};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::blocks::{BlockFiles, Buffer, Places};
use super::cache::BlockCache;
use super::space::QuotientSpace;
use super::sweep::{HalfSweep, NewStates, Stored, SweepEnd, Task};
use crate::kernel::Path;
use crate::layout::Place;
use crate::search::{Layers, available_threads};

const MANIFEST: &str = "manifest.json";
const COUNTS: &str = "counts.u32";
/// The version of the manifest. A search of another version is refused.
const VERSION: u32 = 1;

/// New states are collected when the layer before had at most this many.
const MAX_STATES_BEFORE_LAST: u64 = 1 << 26;

/// Options of a search in files, none of which changes its results.
#[derive(Clone, Debug)]
pub struct QuotientOptions {
    /// The instruction set to use in the inner loops.
    pub path: Path,
    /// The number of threads that compute; one more reads and one writes.
    pub threads: usize,
    /// The directory of the search's files.
    pub directory: PathBuf,
    /// Bytes of memory for blocks that are needed again.
    pub cache: u64,
    /// A second directory, in memory for instance, and the number of bytes of blocks to keep there.
    pub second: Option<(PathBuf, u64)>,
    /// Orbits of the last layer that are listed at most.
    pub farthest: usize,
    /// Drawn states of each layer that are computed again one by one from the rule before the layer
    /// is committed.
    pub checks: usize,
}

impl QuotientOptions {
    /// Options for a search in this directory.
    pub fn new(directory: PathBuf) -> QuotientOptions {
        QuotientOptions {
            path: Path::best(),
            threads: available_threads(),
            directory,
            cache: 1 << 30,
            second: None,
            farthest: 10_000,
            checks: 4_000,
        }
    }
}

/// Why a search in files ends without a result.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum QuotientSearchError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "the blocks need {needed} bytes on the disk of {}, but only {free} are free: free some, or \
         name a second directory", directory.display()
    )]
    NoRoom { directory: PathBuf, needed: u64, free: u64 },
    #[error(
        "{} is not a manifest of this version ({reason}): remove the directory to begin anew",
        path.display()
    )]
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
    #[error("block {block} is not closed under a symmetry that fixes it: this is a mistake of the program")]
    NotClosed { block: usize },
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
pub struct QuotientProgress<'a> {
    /// The layers so far.
    pub layers: &'a [u64],
    /// Blocks completed of the current layer.
    pub done: usize,
    /// Blocks to be completed in it.
    pub tasks: usize,
}

/// A breadth-first search of a [`QuotientSpace`] whose blocks lie in files.
///
/// Each slide changes the colour of the occupied set. So the visited states of one side at depth
/// `d + 1` are the neighbours of those of the other side at depth `d`, and nothing else has to be
/// known: no frontier and no second copy. A half-sweep computes one side from the other, and a
/// layer's size is the difference of two counts. A half-sweep that was interrupted is done again:
/// it reads only what it does not write.
///
/// A half-sweep ends by making the blocks durable, then the counts, then a manifest under a new
/// name, which is renamed. A killed search loses one half-sweep at most.
pub struct QuotientSearch<'s> {
    space: &'s QuotientSpace,
    options: QuotientOptions,
    files: BlockFiles,
    counts: File,
    cache: Mutex<BlockCache>,
    manifest: Manifest,
}

impl<'s> QuotientSearch<'s> {
    /// Returns the bytes of the files of a search.
    pub fn file_bytes(space: &QuotientSpace) -> u64 {
        space.blocks() as u64 * BlockFiles::slot_bytes(space.block_bytes())
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
        options: QuotientOptions,
    ) -> Result<QuotientSearch<'s>, QuotientSearchError> {
        let io = |path: &FilePath| {
            let path = path.to_owned();
            move |source| QuotientSearchError::Io { path, source }
        };
        std::fs::create_dir_all(&options.directory).map_err(io(&options.directory))?;
        let sides = sides(space);
        let slot_bytes = BlockFiles::slot_bytes(space.block_bytes());
        let path = options.directory.join(MANIFEST);
        let known = Manifest::read(&path, &description(space))?;
        let second_counts = match (&known, &options.second) {
            (Some(manifest), _) => manifest.second,
            (None, None) => [0, 0],
            (None, Some((_, bytes))) => {
                let share = (*bytes as f64 / Self::file_bytes(space) as f64).min(1.0);
                sides.map(|blocks| (blocks as f64 * share) as usize)
            }
        };
        let second_blocks: usize = second_counts.iter().sum();
        let second = match &options.second {
            _ if second_blocks == 0 => None,
            Some((directory, _)) => Some((directory.clone(), second_counts)),
            None => {
                let reason = "its first blocks lie in a second directory, which is not named";
                return Err(QuotientSearchError::Manifest { path, reason: reason.to_owned() });
            }
        };
        if let Some((directory, _)) = &second {
            std::fs::create_dir_all(directory).map_err(io(directory))?;
        }
        let rest = (space.blocks() - second_blocks) as u64 * slot_bytes;
        let places = [(Some(&options.directory), rest)].into_iter().chain([(
            second.as_ref().map(|(directory, _)| directory),
            second_blocks as u64 * slot_bytes,
        )]);
        for (directory, needed) in places {
            let Some(directory) = directory else { continue };
            let free = free_bytes(directory).map_err(io(directory))?;
            let there = own_bytes(directory);
            if needed > free + there {
                let directory = directory.clone();
                return Err(QuotientSearchError::NoRoom { directory, needed: needed - there, free });
            }
        }
        let layout = space.layout();
        let files = BlockFiles::open(
            &Places { directory: options.directory.clone(), first: second },
            sides,
            layout.bytes() as usize / 8,
            layout.arrangements(),
            layout.full_word(),
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
        let capacity = (options.cache / slot_bytes).max(8) as usize;
        let mut search = QuotientSearch {
            space,
            options,
            files,
            counts,
            cache: Mutex::new(BlockCache::new(capacity)),
            manifest: Manifest {
                version: VERSION,
                search: description(space),
                second: second_counts,
                layers: Vec::new(),
                complete: false,
                costs: Vec::new(),
                states: vec![0; space.blocks()],
                checksums: vec![0; space.blocks()],
                changed: Vec::new(),
                farthest: None,
            },
        };
        match known {
            Some(manifest) => search.manifest = manifest,
            None => search.start()?,
        }
        Ok(search)
    }

    /// Writes the block of the start, and the first layer.
    fn start(&mut self) -> Result<(), QuotientSearchError> {
        let (block, place) =
            self.space.locate(self.space.start()).expect("the start is numbered");
        let layout = self.space.layout();
        let word = u64::from(place.run) * layout.words() + u64::from(place.word);
        let failed = |source| self.failed(source);
        let mut buffer = self.files.buffer().map_err(failed)?;
        buffer.words_mut().fill(0);
        buffer.words_mut()[word as usize] |= 1 << place.lane;
        let (side, slot) = self.slot(block);
        let checksum = self.files.write(side, slot, &buffer, 1).map_err(failed)?;
        self.files.recycle(buffer);
        self.files.sync(side).map_err(failed)?;
        self.manifest.states[block] = 1;
        self.manifest.checksums[block] = checksum;
        self.manifest.layers = vec![self.space.orbit(block)];
        self.manifest.changed = vec![block as u32];
        self.manifest.costs = vec![LayerCost::default()];
        self.manifest.farthest = Some(vec![(block as u32, word as u32, place.lane as u8)]);
        self.commit(side)
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
        tell: &mut dyn FnMut(QuotientProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Layers, QuotientSearchError> {
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
    /// [`QuotientOptions::farthest`] or if the layer was interrupted.
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

    /// Returns whether the search has reached a state; `None` if it is not numbered.
    ///
    /// # Errors
    ///
    /// Returns an error if the state's block cannot be read.
    pub fn has_visited(&self, state: &State) -> Result<Option<bool>, QuotientSearchError> {
        let Some((block, place)) = self.space.locate(state) else { return Ok(None) };
        let buffer = self.read(block)?;
        let is_visited = self.bit(&buffer, place);
        self.files.recycle(buffer);
        Ok(Some(is_visited))
    }

    /// Returns the number of states of each block after each half-sweep that wrote its side, as they
    /// are kept in the file of counts: for layer 0 and every second one after it the blocks of the
    /// start's colour, for the others the rest.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn block_counts(&self, layer: u32) -> Result<Vec<u32>, QuotientSearchError> {
        let blocks = sides(self.space)[layer as usize % 2];
        let mut counts = vec![0u32; blocks];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut counts);
        self.counts
            .read_exact_at(bytes, self.counts_offset(layer))
            .map_err(|source| self.failed(source))?;
        Ok(counts)
    }

    fn counts_offset(&self, layer: u32) -> u64 {
        let sides = sides(self.space).map(|blocks| blocks as u64 * 4);
        u64::from(layer / 2) * (sides[0] + sides[1]) + u64::from(layer % 2) * sides[0]
    }

    fn slot(&self, block: usize) -> (usize, usize) {
        let boundary = self.space.blocks_of_start_colour();
        if block < boundary { (0, block) } else { (1, block - boundary) }
    }

    fn failed(&self, source: io::Error) -> QuotientSearchError {
        QuotientSearchError::Io { path: self.options.directory.clone(), source }
    }

    fn read(&self, block: usize) -> Result<Buffer, QuotientSearchError> {
        let (side, slot) = self.slot(block);
        let states = u64::from(self.manifest.states[block]);
        let checksum = self.manifest.checksums[block];
        let read = self.files.read(side, slot, states, checksum);
        read.map_err(|source| self.failed(source))?.ok_or(QuotientSearchError::Damaged { block })
    }

    fn bit(&self, buffer: &Buffer, place: Place) -> bool {
        let word = u64::from(place.run) * self.space.layout().words() + u64::from(place.word);
        buffer.words()[word as usize] >> place.lane & 1 == 1
    }

    fn half_sweep(
        &mut self,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(QuotientProgress<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, QuotientSearchError> {
        let began = Instant::now();
        let layer = self.manifest.layers.len() as u32;
        let side = layer as usize % 2;
        let is_late = self.manifest.layers.last().is_some_and(|&last| last <= MAX_STATES_BEFORE_LAST);
        let (mut full, tasks) = self.plan(side, is_late);
        let stored: Vec<Stored> = self
            .manifest
            .states
            .iter()
            .zip(&self.manifest.checksums)
            .map(|(&states, &checksum)| Stored { states, checksum })
            .collect();
        let new_states = NewStates {
            limit: self.options.farthest,
            found: Mutex::default(),
            overflowed: AtomicBool::new(false),
        };
        let bytes = || [&self.files.read, &self.files.written].map(|bytes| bytes.load(Ordering::Relaxed));
        let before = bytes();
        let sweep = HalfSweep {
            space: self.space,
            files: &self.files,
            stored: &stored,
            tasks: &tasks,
            cache: &self.cache,
            path: self.options.path,
            threads: self.options.threads,
            new_states: is_late.then_some(&new_states),
            cancel,
        };
        let layers = &self.manifest.layers;
        let result = sweep.run(&mut |done| {
            tell(QuotientProgress { layers, done, tasks: tasks.len() })
        });
        let mut completed = match result {
            Ok(completed) => completed,
            Err(SweepEnd::Cancelled) => {
                // Parts of the side are written, so what the cache has of it is not to be trusted.
                *self.cache.get_mut().unwrap_or_else(PoisonError::into_inner) =
                    BlockCache::new((self.options.cache / BlockFiles::slot_bytes(self.space.block_bytes())).max(8) as usize);
                return Ok(ControlFlow::Break(()));
            }
            Err(SweepEnd::Io(source)) => return Err(self.failed(source)),
            Err(SweepEnd::Damaged { block }) => return Err(QuotientSearchError::Damaged { block }),
            Err(SweepEnd::NotClosed { block }) => return Err(QuotientSearchError::NotClosed { block }),
        };
        let states = self.space.block_states() as u32;
        completed.extend(full.drain(..).map(|block| (block, Stored { states, checksum: 0 })));
        let old = std::mem::take(&mut self.manifest.changed);
        let mut new_in_layer = 0;
        for &(block, now) in &completed {
            let before = self.manifest.states[block as usize];
            if now.states != before {
                self.manifest.changed.push(block);
                new_in_layer += u64::from(now.states - before) * self.space.orbit(block as usize);
            }
            self.manifest.states[block as usize] = now.states;
            self.manifest.checksums[block as usize] = now.checksum;
        }
        self.manifest.changed.sort_unstable();
        self.check(layer, &completed)?;
        let after = bytes();
        if new_in_layer == 0 {
            // The last layer stays the last one, with what is known of its states.
            self.manifest.changed = old;
            self.manifest.complete = true;
        } else {
            self.manifest.layers.push(new_in_layer);
            let is_known = is_late && !new_states.overflowed.load(Ordering::Relaxed);
            let mut found = new_states.found.into_inner().unwrap_or_else(PoisonError::into_inner);
            found.sort_unstable();
            self.manifest.farthest = is_known.then_some(found);
            self.manifest.costs.push(LayerCost {
                wall_s: began.elapsed().as_secs_f64(),
                blocks: completed.len() as u64,
                read: after[0] - before[0],
                written: after[1] - before[1],
            });
        }
        self.files.sync(side).map_err(|source| self.failed(source))?;
        self.commit(side)?;
        Ok(ControlFlow::Continue(()))
    }

    /// The targets of a half-sweep: those that are full because one of their sources is, and those to
    /// be computed, in the order in which the cache is used best. Where new states are collected, all
    /// are computed.
    fn plan(&self, side: usize, is_collecting: bool) -> (Vec<u32>, Vec<Task>) {
        let boundary = self.space.blocks_of_start_colour();
        let targets = if side == 0 { 0..boundary } else { boundary..self.space.blocks() };
        let is_changed = |block: &u32| self.manifest.changed.binary_search(block).is_ok();
        let full = self.space.block_states() as u32;
        let (mut filled, mut tasks) = (Vec::new(), Vec::new());
        for target in targets {
            if self.manifest.states[target] == full {
                continue;
            }
            let mut sources: Vec<u32> =
                self.space.slides_into(target).iter().map(|edge| edge.source).collect();
            sources.sort_unstable();
            sources.dedup();
            if !sources.iter().any(is_changed) {
                continue;
            }
            // A slide maps the whole block of its source to a whole block.
            let is_full = |&source: &u32| self.manifest.states[source as usize] == full;
            if !is_collecting && sources.iter().any(is_full) {
                filled.push(target as u32);
                continue;
            }
            sources.retain(|&source| self.manifest.states[source as usize] > 0);
            tasks.push(Task { target: target as u32, sources });
        }
        if self.manifest.layers.len() % 2 == 1 {
            tasks.reverse();
        }
        (filled, tasks)
    }

    /// Computes drawn states of the new side again, one by one from the rule, without symmetries of
    /// blocks, shifts or vector code.
    fn check(&self, layer: u32, completed: &[(u32, Stored)]) -> Result<(), QuotientSearchError> {
        const BLOCKS: usize = 2;
        if completed.is_empty() || self.options.checks == 0 {
            return Ok(());
        }
        let mut random = SplitMix64::seed_from_u64(u64::from(layer));
        let mut draw = |below: u64| random.next_u64() % below;
        let layout = self.space.layout();
        let words = layout.words();
        for _ in 0..BLOCKS {
            let block = completed[draw(completed.len() as u64) as usize].0 as usize;
            let target = self.read(block)?;
            let mut sources: FxHashMap<usize, Buffer> = FxHashMap::default();
            for number in 0..self.options.checks / BLOCKS {
                let mut place = Place {
                    run: draw(layout.runs()) as u32,
                    word: draw(words) as u32,
                    lane: draw(layout.lanes()) as u32,
                };
                if number % 2 == 0 {
                    // Half of them among those that were reached: few are, at first.
                    let first = (u64::from(place.run) * words + u64::from(place.word)) as usize;
                    let all = target.words();
                    let found = (0..all.len()).map(|step| (first + step) % all.len());
                    let Some(word) = found.into_iter().find(|&word| all[word] != 0) else { continue };
                    place = Place {
                        run: (word as u64 / words) as u32,
                        word: (word as u64 % words) as u32,
                        lane: all[word].trailing_zeros(),
                    };
                }
                let state = self.space.state_at(block, place);
                let mut is_reached = false;
                for mv in self.space.board().legal_moves(&state) {
                    let mut neighbour = state;
                    neighbour.slide(mv);
                    let Some((source, at)) = self.space.locate(&neighbour) else {
                        return Err(QuotientSearchError::Differs { layer, block });
                    };
                    if !sources.contains_key(&source) {
                        sources.insert(source, self.read(source)?);
                    }
                    is_reached |= self.bit(&sources[&source], at);
                }
                if is_reached != self.bit(&target, place) {
                    return Err(QuotientSearchError::Differs { layer, block });
                }
            }
            self.files.recycle(target);
            sources.into_values().for_each(|source| self.files.recycle(source));
        }
        Ok(())
    }

    /// Makes a layer durable: the counts of the side that it wrote, then the manifest.
    fn commit(&mut self, side: usize) -> Result<(), QuotientSearchError> {
        let boundary = self.space.blocks_of_start_colour();
        let states = &self.manifest.states;
        let counts = if side == 0 { &states[..boundary] } else { &states[boundary..] };
        let offset = self.counts_offset(self.manifest.layers.len() as u32 - 1);
        let directory = &self.options.directory;
        let written = (|| {
            if !self.manifest.complete {
                self.counts.write_all_at(bytemuck::cast_slice(counts), offset)?;
                self.counts.sync_data()?;
            }
            let path = directory.join(MANIFEST);
            let new = path.with_extension("json.new");
            let mut file = File::create(&new)?;
            file.write_all(serde_json::to_string(&self.manifest)?.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&new, &path)?;
            File::open(directory)?.sync_all()
        })();
        written.map_err(|source| self.failed(source))
    }
}

impl Manifest {
    /// Reads the manifest of a search; `None` if there is none.
    fn read(path: &FilePath, search: &str) -> Result<Option<Manifest>, QuotientSearchError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(QuotientSearchError::Io { path: path.to_owned(), source }),
        };
        let wrong =
            |reason: String| QuotientSearchError::Manifest { path: path.to_owned(), reason };
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.version != VERSION {
            return Err(wrong(format!("it has version {}", manifest.version)));
        }
        if manifest.search != search {
            let (path, found) = (path.to_owned(), manifest.search);
            return Err(QuotientSearchError::Foreign { path, found });
        }
        if manifest.states.len() != manifest.checksums.len() {
            return Err(wrong("it is damaged".to_owned()));
        }
        Ok(Some(manifest))
    }
}

/// Blocks of each side.
fn sides(space: &QuotientSpace) -> [usize; 2] {
    let first = space.blocks_of_start_colour();
    [first, space.blocks() - first]
}

/// What distinguishes a search from others, in terms of vertices: names of labels do not matter.
fn description(space: &QuotientSpace) -> String {
    let vertices = |labels: &[Label]| {
        let vertex = |&label: &Label| space.start().vertices_of(label).lowest();
        let vertices: Vec<String> =
            labels.iter().filter_map(vertex).map(|vertex| vertex.to_string()).collect();
        vertices.join(",")
    };
    let empty = space.board().vertex_set() - space.start().occupied();
    let empty: Vec<String> = empty.into_iter().map(|vertex| vertex.to_string()).collect();
    format!(
        "{} {}, vertices {} empty, {} blocks of {} states up to {} symmetries, tokens of vertices {} \
         fixed in a block, {} in a row",
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
    let length = |side: usize| {
        let path = directory.join(format!("side-{side}.blocks"));
        std::fs::metadata(path).map_or(0, |metadata| metadata.len())
    };
    length(0) + length(1)
}
