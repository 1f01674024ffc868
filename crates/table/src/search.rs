//! Breadth-first search of a whole [`Space`].

mod saved;

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use hyperslide_puzzle::State;
use thiserror::Error;

use crate::distances::{Distances, Encoding};
use crate::kernel::InstructionSet;
use crate::layout::Place;
use crate::memory::{Memory, fill};
use crate::new_states::{ListedState, NewStates};
use crate::space::Space;
use crate::sweep::{Layer, targets};

pub use saved::SavedSearch;

/// Options of a search, none of which changes its results.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The instruction set to use in the inner loops.
    pub instruction_set: InstructionSet,
    /// Whether to update one array in place if every slide changes the colour of the occupied set.
    pub in_place: bool,
    /// The number of threads.
    pub threads: usize,
    /// The states of the last layer are listed if there are at most this many.
    pub farthest: usize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            instruction_set: InstructionSet::best(),
            in_place: true,
            threads: available_threads(),
            farthest: 0,
        }
    }
}

/// What [`available_threads`] returns; 0 until it is known.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of cores that this process may use, or what [`limit_threads`] set.
pub fn available_threads() -> usize {
    // The system call takes as long as an easy search, so it is made only once.
    match THREADS.load(Ordering::Relaxed) {
        0 => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            match THREADS.compare_exchange(0, cores, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => cores,
                Err(threads) => threads,
            }
        }
        threads => threads,
    }
}

/// Lets this process use this many threads from now on where nobody asks for another number.
pub fn limit_threads(threads: usize) {
    THREADS.store(threads.max(1), Ordering::Relaxed);
}

/// The numbers of states at each distance from the starts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Layers {
    /// The number of states at distance 0, 1, ...
    pub states: Vec<u64>,
    /// Whether there are no further states.
    pub complete: bool,
}

impl Layers {
    /// Returns the greatest distance found, which is the eccentricity of the start if the layers
    /// are complete.
    pub fn depth(&self) -> u32 {
        self.states.len().saturating_sub(1) as u32
    }

    /// Returns the number of states found.
    pub fn total(&self) -> u64 {
        self.states.iter().sum()
    }

    /// Returns the mean distance of the states found.
    pub fn mean(&self) -> f64 {
        let sum: u128 = self.states.iter().zip(0u128..).map(|(&n, d)| u128::from(n) * d).sum();
        sum as f64 / self.total() as f64
    }
}

/// The flags and counters through which other threads cancel and observe a running search.
#[derive(Debug)]
pub struct Signals<'a> {
    /// A flag that stops the search soon after it becomes true.
    pub cancel: &'a AtomicBool,
    /// The number of occupied sets that are complete in the current layer.
    pub done: AtomicU64,
    /// The number of words of blocks read or written so far, from memory or a cache.
    pub words: AtomicU64,
}

impl<'a> Signals<'a> {
    /// Returns signals that stop the search when `cancel` becomes true.
    pub fn new(cancel: &'a AtomicBool) -> Signals<'a> {
        Signals { cancel, done: AtomicU64::new(0), words: AtomicU64::new(0) }
    }
}

/// The flag of work that nothing stops.
pub static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Signals<'_> {
    /// Returns signals that never stop the search.
    fn default() -> Self {
        Signals::new(&NEVER)
    }
}

/// The error for a start that is not in the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a start is not among the numbered states")]
pub struct StartOutside;

/// A breadth-first search with its results so far, or several searches side by side.
///
/// If runs are short, the fixed work for each run and slide takes longer than the work for its
/// words. Searches side by side share it: each word of a block is stored for all of them
/// consecutively, and a slide permutes them in the same way. They proceed layer by layer together;
/// a search that has ended waits for the others.
///
/// Memory for each search: one bit per numbered state if the occupied sets have two colours and the
/// array is updated in place, otherwise two bits; words have 60 bits in use of 64 if five or more
/// tokens have distinct labels. All searches together take one more bit for each run of a block.
///
/// Two arrays suffice for any graph: a layer consists of the states that slides from *all* visited
/// states reach and that the array of visited states does not have, so that no frontier is stored.
pub struct BreadthFirst<'s> {
    space: &'s Space,
    options: SearchOptions,
    visited: Memory,
    /// The array to which the next layer is written; it is empty if the search is in place.
    next: Memory,
    /// One flag for each run: whether it changed in the last layer.
    changed: Vec<u64>,
    next_changed: Vec<u64>,
    /// Whether nothing has been written to the arrays since they were allocated.
    is_clean: bool,
    distances: Option<Distances>,
    /// The layers of each search.
    layers: Vec<Layers>,
    /// The states of the last layer as set, word and lane, unless there are too many.
    farthest: Vec<ListedState>,
    /// The greatest distance at which each occupied set has a state, if it is wanted.
    set_depths: Option<Vec<u32>>,
}

impl<'s> BreadthFirst<'s> {
    /// Returns the size in bytes of the arrays of the given number of searches side by side. The
    /// space itself takes [`Space::bytes`] more.
    pub fn bytes(space: &Space, in_place: bool, searches: usize) -> u128 {
        let flags = 8 * Layer::flag_words(space) as u128;
        let block = u128::from(space.layout().bytes()) * searches as u128;
        let is_single = in_place && space.graph().colour_boundary().is_some();
        let arrays = if is_single { 1 } else { 2 };
        space.occupied_sets() as u128 * arrays * (block + flags)
    }

    /// Returns a search of the space that has not begun.
    ///
    /// # Errors
    ///
    /// Returns an error if memory cannot be allocated.
    pub fn new(space: &'s Space, options: SearchOptions) -> io::Result<BreadthFirst<'s>> {
        BreadthFirst::side_by_side(space, options, 1)
    }

    /// Returns the given number of searches of the space side by side, which have not begun. If
    /// there is more than one, their layers are the only result.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`BreadthFirst::new`].
    ///
    /// # Panics
    ///
    /// Panics if `searches` is 0, or if several searches are to list their farthest states.
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
        let visited = Memory::new(words)?;
        let next = Memory::new(if is_single { 0 } else { words })?;
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
            set_depths: None,
        })
    }

    /// Makes the search record the distance of every state.
    ///
    /// # Errors
    ///
    /// Returns an error if memory cannot be allocated, or, of the kind `Interrupted`, if `cancel`
    /// becomes true while it is filled.
    ///
    /// # Panics
    ///
    /// Panics if there are several searches.
    pub fn with_distances(mut self, encoding: Encoding, cancel: &AtomicBool) -> io::Result<Self> {
        assert_eq!(self.layers.len(), 1, "distances are those of one search");
        let distances = Distances::new(self.space, encoding, self.options.threads, cancel);
        self.distances = Some(distances?);
        Ok(self)
    }

    /// Makes the search record the greatest distance at which each occupied set has a state.
    ///
    /// # Panics
    ///
    /// Panics if there are several searches.
    #[must_use]
    pub fn with_set_depths(mut self) -> Self {
        assert_eq!(
            self.layers.len(),
            1,
            "searches side by side share what says where they changed"
        );
        self.set_depths = Some(vec![0; self.space.occupied_sets()]);
        self
    }

    /// Returns the greatest distance at which each occupied set has a state so far, in the order of
    /// [`Space::sets`], or `None` if that is not recorded.
    pub fn set_depths(&self) -> Option<&[u32]> {
        self.set_depths.as_deref()
    }

    /// Returns the distances, or `None` if they were not recorded.
    pub fn into_distances(self) -> Option<Distances> {
        self.distances
    }

    /// Begins a new search with these starts at distance 0.
    ///
    /// # Errors
    ///
    /// Returns an error if a start is not a state of the space.
    ///
    /// # Panics
    ///
    /// Panics if there are several searches, or if the search is in place and the occupied sets of
    /// the starts do not have the same colour.
    pub fn start(&mut self, starts: &[State]) -> Result<(), StartOutside> {
        assert_eq!(self.layers.len(), 1, "several searches have a start each");
        self.begin(starts.iter().map(|start| (0, start)))
    }

    /// Begins new searches, each with one of these starts.
    ///
    /// # Errors
    ///
    /// Returns an error if a start is not a state of the space.
    ///
    /// # Panics
    ///
    /// Panics if the number of starts differs from that of searches, or if the search is in place
    /// and the occupied sets of the starts do not have the same colour ([`Space::colour`]).
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
            let threads = self.options.threads;
            fill(self.visited.words_mut(), 0, threads, &NEVER);
            fill(self.next.words_mut(), 0, threads, &NEVER);
            self.changed.fill(0);
            self.next_changed.fill(0);
            if let Some(distances) = &mut self.distances {
                distances.clear(threads, &NEVER);
            }
            if let Some(depths) = &mut self.set_depths {
                depths.fill(0);
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
                    self.farthest.push(listed(self.space, set, place));
                }
            }
            self.changed[set * flag_words + place.run as usize / 64] |= 1 << (place.run % 64);
            if let Some(distances) = &mut self.distances {
                distances.mark_start(self.space, set, in_block, place.lane);
            }
        }
        Ok(())
    }

    /// Returns the space that is searched.
    pub fn space(&self) -> &'s Space {
        self.space
    }

    /// Returns the layers so far; those of the first search if there are several.
    pub fn layers(&self) -> &Layers {
        &self.layers[0]
    }

    /// Returns the layers of each search so far.
    pub fn all_layers(&self) -> &[Layers] {
        &self.layers
    }

    /// Returns whether a state has been reached; by the first search if there are several.
    pub fn has_visited(&self, state: &State) -> bool {
        let (layout, searches) = (self.space.layout(), self.layers.len());
        self.space.locate(state).is_some_and(|(set, place)| {
            let word = u64::from(place.run) * layout.words() + u64::from(place.word);
            let block = set * Layer::block_words(self.space, searches);
            self.visited.words()[block + word as usize * searches] >> place.lane & 1 == 1
        })
    }

    /// Returns the states of the last layer in order of rank, or `None` if there are more than
    /// [`SearchOptions::farthest`].
    pub fn farthest(&self) -> Option<Vec<State>> {
        let words = self.space.layout().words() as u32;
        let last = *self.layers().states.last()?;
        let listed = self.farthest.len();
        (listed as u64 == last && listed <= self.options.farthest).then(|| {
            let state = |&(set, word, lane): &ListedState| {
                let place = Place { run: word / words, word: word % words, lane: u32::from(lane) };
                self.space.state_at(set as usize, place)
            };
            self.farthest.iter().map(state).collect()
        })
    }

    /// Searches until no search finds a new state, until `on_progress`, which is called after each
    /// layer, breaks, or until `signals.cancel` becomes true.
    ///
    /// A cancelled layer is not counted, but the arrays may contain parts of it, so that a
    /// cancelled search cannot be continued, only started again.
    pub fn run(
        &mut self,
        signals: &Signals<'_>,
        mut on_progress: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> &Layers {
        // All searches that have not ended are at the same depth.
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
            if new.iter().any(|&new| new > 0) && on_progress(self).is_break() {
                break;
            }
        }
        self.layers()
    }

    fn is_in_place(&self) -> bool {
        self.next.words().is_empty() && !self.visited.words().is_empty()
    }

    /// Follows all slides from the runs that have changed. Returns the number of new states of each
    /// search, or `None` if cancelled.
    fn advance(&mut self, signals: &Signals<'_>, depth: u32) -> Option<Vec<u64>> {
        let (space, searches) = (self.space, self.layers.len());
        let block_words = Layer::block_words(space, searches);
        let flag_words = Layer::flag_words(space);
        let collector = NewStates::new(self.options.farthest);
        signals.done.store(0, Ordering::Relaxed);
        let layer = Layer {
            space,
            searches,
            visited: &[],
            first_source: 0,
            changed: &[],
            stale: None,
            depth,
            instruction_set: self.options.instruction_set,
            signals,
            collect: (self.options.farthest > 0).then_some(&collector),
        };
        let threads = self.options.threads;
        let new;
        if self.is_in_place() {
            let boundary = space.graph().colour_boundary().unwrap_or(0);
            let flags_boundary = boundary * flag_words;
            // The last layer has the colour of any set that changed in it.
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
            // These changes have been propagated; the new ones are in the sets of the other colour.
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
            self.farthest = collector.into_listed().unwrap_or_default();
        }
        if let Some(depths) = &mut self.set_depths {
            for (set, flags) in depths.iter_mut().zip(self.changed.chunks_exact(flag_words)) {
                if flags.iter().any(|&flags| flags != 0) {
                    *set = depth;
                }
            }
        }
        Some(new)
    }
}

/// A place as the farthest ones are listed: the occupied set, the word in its block, the bit.
fn listed(space: &Space, set: usize, place: Place) -> ListedState {
    let word = place.run * space.layout().words() as u32 + place.word;
    (set as u32, word, place.lane as u8)
}
