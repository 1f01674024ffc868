//! Breadth-first search of a whole [`Space`].

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path as FilePath, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hyperslide_puzzle::State;
use thiserror::Error;

use crate::distances::{Distances, Encoding};
use crate::kernel::Path;
use crate::layout::Place;
use crate::space::{NEVER, Space};
use crate::storage::{FileWords, Memory, Storage};
use crate::sweep::{Collector, Layer, targets};

/// Options of a search that change no result.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Which compilation of the inner loops to use.
    pub path: Path,
    /// Update one array in place where every slide changes the colour of the occupied set.
    pub in_place: bool,
    /// How many threads to use.
    pub threads: usize,
    /// List the states of the last layer when they are at most so many.
    pub farthest: usize,
    /// Keep the blocks in files in this directory instead of in memory.
    pub directory: Option<PathBuf>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            path: Path::best(),
            in_place: true,
            threads: available_threads(),
            farthest: 0,
            directory: None,
        }
    }
}

/// One thread for each core that this process may use.
pub fn available_threads() -> usize {
    // To ask the system takes as long as an easy search.
    static THREADS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *THREADS
}

/// The distances from the starts: how many states there are at each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Layers {
    /// Number of states at distance 0, 1, ...
    pub states: Vec<u64>,
    /// Whether there are no more.
    pub complete: bool,
}

impl Layers {
    /// The greatest distance found: the eccentricity of the start when complete.
    pub fn depth(&self) -> u32 {
        self.states.len().saturating_sub(1) as u32
    }

    /// Number of states found.
    pub fn total(&self) -> u64 {
        self.states.iter().sum()
    }

    /// The mean distance of the states found.
    pub fn mean(&self) -> f64 {
        let sum: u128 = self.states.iter().zip(0u128..).map(|(&n, d)| u128::from(n) * d).sum();
        sum as f64 / self.total() as f64
    }
}

/// What a running search looks at and tells, from any thread.
#[derive(Debug)]
pub struct Signals<'a> {
    /// Stops the search soon after it becomes true.
    pub cancel: &'a AtomicBool,
    /// Occupied sets that the layer in the making has done.
    pub done: AtomicU64,
    /// Words of blocks that were read or written, whether they came from memory or a cache.
    pub words: AtomicU64,
}

impl<'a> Signals<'a> {
    /// Signals that stop the search when this becomes true.
    pub fn new(cancel: &'a AtomicBool) -> Signals<'a> {
        Signals { cancel, done: AtomicU64::new(0), words: AtomicU64::new(0) }
    }
}

impl Default for Signals<'_> {
    /// Signals that never stop the search.
    fn default() -> Self {
        Signals::new(&NEVER)
    }
}

/// A start that is not in the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a start is not among the numbered states")]
pub struct StartOutside;

/// A breadth-first search with everything it has found, or several of them side by side.
///
/// Where runs are short the work for each run and slide takes longer than that for its words. Several
/// searches share it: each word of a block is there for all of them, one after the other, and what a slide
/// does to one it does to all. They go from layer to layer together; one that has ended waits.
///
/// Memory: one bit a numbered state where the occupied sets have two colours and the array is updated
/// in place, otherwise two; words are filled to 60 of 64 bits where five tokens or more are told
/// apart. A bit more for each run of a block. That for each search, but the runs' bits are shared.
///
/// Two arrays suffice for any graph: a layer is what slides from *all* visited states reach and the
/// one array has not, so that no frontier is kept beside them.
pub struct BreadthFirst<'s> {
    space: &'s Space,
    options: SearchOptions,
    visited: Box<dyn Storage>,
    /// The array that the next layer is written to; without words when updated in place.
    next: Box<dyn Storage>,
    /// Which runs changed in the last layer.
    changed: Vec<u64>,
    next_changed: Vec<u64>,
    /// Whether nothing has been written to the arrays since they were made.
    is_clean: bool,
    distances: Option<Distances>,
    /// Those of each search.
    layers: Vec<Layers>,
    /// The last layer's states as set, word and lane, unless they are too many.
    farthest: Vec<(u32, u32, u8)>,
}

impl<'s> BreadthFirst<'s> {
    /// Bytes of the arrays that so many searches of this space side by side need, beside [`Space::bytes`].
    pub fn bytes(space: &Space, in_place: bool, searches: usize) -> u128 {
        let flags = 8 * Layer::flag_words(space) as u128;
        let block = u128::from(space.layout().bytes()) * searches as u128;
        let is_single = in_place && space.graph().colour_boundary().is_some();
        let arrays = if is_single { 1 } else { 2 };
        space.occupied_sets() as u128 * arrays * (block + flags)
    }

    /// A search of the space that has not begun.
    ///
    /// # Errors
    ///
    /// When the system does not give the memory, or the files cannot be made.
    pub fn new(space: &'s Space, options: SearchOptions) -> io::Result<BreadthFirst<'s>> {
        BreadthFirst::side_by_side(space, options, 1)
    }

    /// So many searches of the space side by side, which have not begun. More than one tell their layers and
    /// nothing else.
    ///
    /// # Errors
    ///
    /// As [`BreadthFirst::new`].
    ///
    /// # Panics
    ///
    /// When there are none, or several are to list their farthest states.
    pub fn side_by_side(
        space: &'s Space,
        options: SearchOptions,
        searches: usize,
    ) -> io::Result<BreadthFirst<'s>> {
        assert!(searches == 1 || searches > 1 && options.farthest == 0, "{searches} searches");
        let is_single = options.in_place && space.graph().colour_boundary().is_some();
        let sets = space.occupied_sets();
        let words = sets
            .checked_mul(Layer::block_words(space, searches))
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let flags = sets * Layer::flag_words(space);
        let array = |words: usize| -> io::Result<Box<dyn Storage>> {
            Ok(match &options.directory {
                Some(directory) if words > 0 => Box::new(FileWords::create(directory, words)?),
                _ => Box::new(Memory::new(words)?),
            })
        };
        let visited = array(words)?;
        let next = array(if is_single { 0 } else { words })?;
        Ok(BreadthFirst {
            space,
            options,
            visited,
            next,
            changed: vec![0; flags],
            next_changed: vec![0; if is_single { 0 } else { flags }],
            is_clean: true,
            distances: None,
            layers: vec![Layers::default(); searches],
            farthest: Vec::new(),
        })
    }

    /// Writes down the distance of every state that is found.
    ///
    /// # Errors
    ///
    /// When the system does not give the memory.
    ///
    /// # Panics
    ///
    /// When there are several searches.
    pub fn with_distances(mut self, encoding: Encoding) -> io::Result<Self> {
        assert_eq!(self.layers.len(), 1, "distances are those of one search");
        self.distances = Some(Distances::new(self.space, encoding)?);
        Ok(self)
    }

    /// The distances, if they were to be written down.
    pub fn into_distances(self) -> Option<Distances> {
        self.distances
    }

    /// Forgets everything and begins with these starts, at distance 0.
    ///
    /// # Errors
    ///
    /// When a start is not a state of the space.
    ///
    /// # Panics
    ///
    /// When there are several searches, or the search is in place and the starts' occupied sets are of
    /// both colours.
    pub fn start(&mut self, starts: &[State]) -> Result<(), StartOutside> {
        assert_eq!(self.layers.len(), 1, "several searches have a start each");
        self.begin(starts.iter().map(|start| (0, start)))
    }

    /// Forgets everything and begins with a start for each of the searches.
    ///
    /// # Errors
    ///
    /// When a start is not a state of the space.
    ///
    /// # Panics
    ///
    /// When there are not as many starts as searches, or the search is in place and the starts' occupied
    /// sets are of both colours ([`Space::colour`]).
    pub fn start_each(&mut self, starts: &[State]) -> Result<(), StartOutside> {
        assert_eq!(self.layers.len(), starts.len(), "each search has a start");
        self.begin(starts.iter().enumerate())
    }

    fn begin<'a>(
        &mut self,
        starts: impl Iterator<Item = (usize, &'a State)>,
    ) -> Result<(), StartOutside> {
        let layout = self.space.layout();
        let places = starts.map(|(search, start)| {
            let (set, place) = self.space.locate(start).ok_or(StartOutside)?;
            Ok((search, set, place))
        });
        let places: Vec<(usize, usize, Place)> = places.collect::<Result<_, _>>()?;
        if self.is_in_place() {
            let colour = |set| self.space.graph().colour(set);
            let is_same = places.windows(2).all(|p| colour(p[0].1) == colour(p[1].1));
            assert!(is_same, "a search in place starts from one colour");
        }
        if !std::mem::take(&mut self.is_clean) {
            fill(self.visited.words_mut(), self.options.threads);
            fill(self.next.words_mut(), self.options.threads);
            self.changed.fill(0);
            self.next_changed.fill(0);
            if let Some(distances) = &mut self.distances {
                distances.clear();
            }
        }
        let searches = self.layers.len();
        self.layers.fill(Layers { states: vec![0], complete: false });
        self.farthest.clear();
        let block_words = Layer::block_words(self.space, searches);
        let flag_words = Layer::flag_words(self.space);
        for (search, set, place) in places {
            let in_block = place.run as usize * layout.words() as usize + place.word as usize;
            let word = set * block_words + in_block * searches + search;
            let word = &mut self.visited.words_mut()[word];
            if *word >> place.lane & 1 == 0 {
                *word |= 1 << place.lane;
                self.layers[search].states[0] += 1;
                if searches == 1 {
                    self.farthest.push((set as u32, in_block as u32, place.lane as u8));
                }
            }
            self.changed[set * flag_words + place.run as usize / 64] |= 1 << (place.run % 64);
            if let Some(distances) = &mut self.distances {
                distances.mark_start(self.space, set, in_block, place.lane);
            }
        }
        Ok(())
    }

    /// The layers so far, of the first search where there are several.
    pub fn layers(&self) -> &Layers {
        &self.layers[0]
    }

    /// The layers of each search so far.
    pub fn all_layers(&self) -> &[Layers] {
        &self.layers
    }

    /// Whether a state has been reached, by the first search where there are several.
    pub fn has_visited(&self, state: &State) -> bool {
        let (layout, searches) = (self.space.layout(), self.layers.len());
        self.space.locate(state).is_some_and(|(set, place)| {
            let word = u64::from(place.run) * layout.words() + u64::from(place.word);
            let block = set * Layer::block_words(self.space, searches);
            self.visited.words()[block + word as usize * searches] >> place.lane & 1 == 1
        })
    }

    /// The states of the last layer by rank, when they are not more than asked for.
    pub fn farthest(&self) -> Option<Vec<State>> {
        let words = self.space.layout().words() as u32;
        let last = *self.layers().states.last()?;
        (self.farthest.len() as u64 == last).then(|| {
            let state = |&(set, word, lane): &(u32, u32, u8)| {
                let place = Place { run: word / words, word: word % words, lane: u32::from(lane) };
                self.space.state_at(set as usize, place)
            };
            self.farthest.iter().map(state).collect()
        })
    }

    /// Searches until there is no new state, in any of the searches, or until told to stop.
    ///
    /// A layer that `signals.cancel` interrupts is as if it had not begun, but what it wrote stays:
    /// after that the search can only be started again. `tell` is asked after each layer.
    pub fn run(
        &mut self,
        signals: &Signals<'_>,
        mut tell: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> &Layers {
        // Those that have not ended have come equally far.
        while let Some(layers) = self.layers.iter().find(|layers| !layers.complete) {
            let depth = layers.states.len() as u32;
            let Some(new) = self.advance(signals, depth) else { break };
            for (layers, &new) in self.layers.iter_mut().zip(&new) {
                if new > 0 {
                    layers.states.push(new);
                } else {
                    layers.complete = true;
                }
            }
            if new.iter().any(|&new| new > 0) && tell(self).is_break() {
                break;
            }
        }
        self.layers()
    }

    fn is_in_place(&self) -> bool {
        self.next.words().is_empty() && !self.visited.words().is_empty()
    }

    /// Follows all slides from what has changed; returns the number of new states of each search, or `None`
    /// when cancelled.
    fn advance(&mut self, signals: &Signals<'_>, depth: u32) -> Option<Vec<u64>> {
        let (space, searches) = (self.space, self.layers.len());
        let block_words = Layer::block_words(space, searches);
        let flag_words = Layer::flag_words(space);
        let collector = Collector::new(self.options.farthest);
        signals.done.store(0, Ordering::Relaxed);
        let layer = Layer {
            space,
            searches,
            visited: &[],
            first_source: 0,
            changed: &[],
            stale: None,
            depth,
            path: self.options.path,
            signals,
            collect: (self.options.farthest > 0).then_some(&collector),
        };
        let threads = self.options.threads;
        let new;
        if self.is_in_place() {
            let boundary = space.graph().colour_boundary().unwrap_or(0);
            let flags_boundary = boundary * flag_words;
            // Which colour the last layer has: that of any set that changed in it.
            let is_first = self.changed[..flags_boundary].iter().any(|&flags| flags != 0);
            let (first, second) = self.visited.words_mut().split_at_mut(boundary * block_words);
            let (first_flags, second_flags) = self.changed.split_at_mut(flags_boundary);
            let (visited, changed, first_source, blocks, flags, first_target) = if is_first {
                (first, first_flags, 0, second, second_flags, boundary)
            } else {
                (second, second_flags, boundary, first, first_flags, 0)
            };
            let layer = Layer { visited, changed, first_source, ..layer };
            let distances = self.distances.as_mut();
            let targets = targets(space, searches, blocks, flags, first_target, distances);
            new = layer.run(targets, threads);
            // What changed there has been passed on; what changed now is on the other side.
            changed.fill(0);
        } else {
            let visited = self.visited.words();
            let changed = &self.changed[..];
            let layer = Layer { visited, changed, stale: Some(changed), ..layer };
            let (blocks, flags) = (self.next.words_mut(), &mut self.next_changed);
            let distances = self.distances.as_mut();
            new = layer.run(targets(space, searches, blocks, flags, 0, distances), threads);
            std::mem::swap(&mut self.visited, &mut self.next);
            std::mem::swap(&mut self.changed, &mut self.next_changed);
        }
        if signals.cancel.load(Ordering::Relaxed) {
            return None;
        }
        if new.iter().any(|&new| new > 0) {
            self.farthest = collector.into_places();
        }
        Some(new)
    }

    /// Writes what is needed to go on from the last complete layer of the only search, and returns its
    /// checksum.
    ///
    /// The file has a word for each word of the visited states and of the flags: little-endian.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    ///
    /// # Panics
    ///
    /// When there are several searches.
    pub fn save(&self, path: &FilePath) -> io::Result<u32> {
        assert_eq!(self.layers.len(), 1, "one search can be saved");
        let mut file = Checked { inner: File::create(path)?, hash: crc32fast::Hasher::new() };
        let mut out = BufWriter::with_capacity(1 << 20, &mut file);
        for words in [self.visited.words(), &self.changed] {
            for chunk in words.chunks(1 << 16) {
                out.write_all(bytemuck::cast_slice(chunk))?;
            }
        }
        out.flush()?;
        drop(out);
        file.inner.sync_all()?;
        Ok(file.hash.finalize())
    }

    /// Goes on where [`BreadthFirst::save`] was called, with the layers that were known then. The
    /// states of the last layer are not known until there is another.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not the one with this checksum.
    ///
    /// # Panics
    ///
    /// When there are several searches.
    pub fn resume(&mut self, path: &FilePath, checksum: u32, layers: Layers) -> io::Result<()> {
        assert_eq!(self.layers.len(), 1, "one search was saved");
        let mut file = Checked { inner: File::open(path)?, hash: crc32fast::Hasher::new() };
        let mut input = BufReader::with_capacity(1 << 20, &mut file);
        self.is_clean = false;
        for words in [self.visited.words_mut(), &mut self.changed] {
            for chunk in words.chunks_mut(1 << 16) {
                input.read_exact(bytemuck::cast_slice_mut(chunk))?;
            }
        }
        let is_longer = input.read(&mut [0])? > 0;
        drop(input);
        if is_longer || file.hash.finalize() != checksum {
            return Err(io::Error::other("its checksum is not that of its manifest"));
        }
        if !self.is_in_place() {
            self.next.words_mut().copy_from_slice(self.visited.words());
            self.next_changed.fill(0);
        }
        self.layers = vec![layers];
        self.farthest.clear();
        Ok(())
    }
}

/// Computes the checksum of what passes through.
struct Checked<T> {
    inner: T,
    hash: crc32fast::Hasher,
}

impl<T: Write> Write for Checked<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Checked<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hash.update(&bytes[..read]);
        Ok(read)
    }
}

/// Zeroes words with all threads.
fn fill(words: &mut [u64], threads: usize) {
    let share = words.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        for part in words.chunks_mut(share) {
            scope.spawn(|| part.fill(0));
        }
    });
}
