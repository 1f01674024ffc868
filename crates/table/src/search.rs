//! Breadth-first search of a whole [`Space`].

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64};

use hyperslide_puzzle::State;
use thiserror::Error;

use crate::kernel::Path;
use crate::layout::Place;
use crate::space::Space;
use crate::storage::{Memory, Storage};
use crate::sweep::{BlockDistances, Collector, Layer, Target};

/// Options of a search that change no result.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Which compilation of the inner loops to use.
    pub path: Path,
    /// Update one array in place where every slide changes the colour of the occupied set.
    pub in_place: bool,
    /// How many threads to use.
    pub threads: usize,
    /// List the states of the last layer when they are at most so many.
    pub farthest: usize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions { path: Path::best(), in_place: true, threads: available_threads(), farthest: 0 }
    }
}

/// One thread a core that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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

    /// The mean distance.
    pub fn mean(&self) -> f64 {
        let sum: u128 = self.states.iter().zip(0u128..).map(|(&n, d)| u128::from(n) * d).sum();
        sum as f64 / self.total() as f64
    }
}

/// How far a search has come, after each layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerProgress<'a> {
    /// The layers so far.
    pub layers: &'a Layers,
}

/// A start that is not in the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a start is not among the numbered states")]
pub struct StartOutside;

/// A breadth-first search with everything it has found.
///
/// Memory: one bit a numbered state where the occupied sets have two colours and the array is updated
/// in place, otherwise two; words are filled to 60 of 64 bits where five tokens or more are told
/// apart. A bit more for each run of a block.
pub struct BreadthFirst<'s> {
    space: &'s Space,
    options: SearchOptions,
    visited: Memory,
    /// The array that the next layer is written to; empty when updated in place.
    next: Memory,
    /// Which runs changed in the last layer.
    changed: Vec<u64>,
    next_changed: Vec<u64>,
    layers: Layers,
    farthest: Vec<(u32, u32, u8)>,
}

impl<'s> BreadthFirst<'s> {
    /// Bytes of the arrays that a search of this space needs, beside the space itself.
    pub fn bytes(space: &Space, in_place: bool) -> u128 {
        let layout = space.layout();
        let block = u128::from(layout.runs()) * u128::from(layout.words()) * 8;
        let flags = 8 * Layer::flag_words(space) as u128;
        let is_single = in_place && space.graph().colour_boundary().is_some();
        let arrays = if is_single { 1 } else { 2 };
        space.graph().len() as u128 * arrays * (block + flags)
    }

    /// A search that has visited the starts only.
    ///
    /// # Errors
    ///
    /// When a start is not a state of the space.
    pub fn new(
        space: &'s Space,
        starts: &[State],
        options: SearchOptions,
    ) -> Result<BreadthFirst<'s>, StartOutside> {
        let layout = space.layout();
        let block_words = (layout.runs() * layout.words()) as usize;
        let sets = space.graph().len();
        let places: Vec<(usize, Place)> = starts
            .iter()
            .map(|start| space.locate(start).ok_or(StartOutside))
            .collect::<Result<_, _>>()?;
        // One array suffices when all starts have one colour.
        let boundary = space.graph().colour_boundary().filter(|_| options.in_place);
        let colour = |set: usize| boundary.is_some_and(|boundary| set >= boundary);
        let is_single = boundary.is_some()
            && places.windows(2).all(|pair| colour(pair[0].0) == colour(pair[1].0));
        let flag_words = Layer::flag_words(space);
        let mut search = BreadthFirst {
            space,
            options,
            visited: Memory::new(sets * block_words).unwrap(),
            next: Memory::new(if is_single { 0 } else { sets * block_words }).unwrap(),
            changed: vec![0; sets * flag_words],
            next_changed: vec![0; if is_single { 0 } else { sets * flag_words }],
            layers: Layers::default(),
            farthest: Vec::new(),
        };
        let mut count = 0;
        for (set, place) in places {
            let in_block = place.run as usize * layout.words() as usize + place.word as usize;
            let word = &mut search.visited.words_mut()[set * block_words + in_block];
            if *word >> place.lane & 1 == 0 {
                *word |= 1 << place.lane;
                count += 1;
                search.farthest.push((set as u32, in_block as u32, place.lane as u8));
            }
            search.changed[set * flag_words + place.run as usize / 64] |=
                1 << (place.run % 64);
        }
        search.layers.states.push(count);
        Ok(search)
    }

    /// The layers so far.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The states of the last layer, when they are not more than asked for.
    pub fn farthest(&self) -> Option<Vec<State>> {
        let layout = self.space.layout();
        let last = *self.layers.states.last()?;
        (self.farthest.len() as u64 == last).then(|| {
            let state = |&(set, word, lane): &(u32, u32, u8)| {
                let (run, word) = (word / layout.words() as u32, word % layout.words() as u32);
                self.space.state_at(set as usize, Place { run, word, lane: u32::from(lane) })
            };
            self.farthest.iter().map(state).collect()
        })
    }

    /// Searches until there is no new state, or until told to stop.
    ///
    /// `cancel` is looked at all the time, and a layer that it interrupts is as if it had not begun;
    /// `tell` is asked after each layer.
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        mut tell: impl FnMut(&Layers) -> ControlFlow<()>,
    ) -> &Layers {
        while !self.layers.complete {
            let Some(new) = self.advance(cancel) else { break };
            if new == 0 {
                self.layers.complete = true;
            } else {
                self.layers.states.push(new);
                if tell(&self.layers).is_break() {
                    break;
                }
            }
        }
        &self.layers
    }

    /// Makes the next layer; returns its number of states, or `None` when cancelled.
    fn advance(&mut self, cancel: &AtomicBool) -> Option<u64> {
        let space = self.space;
        let layout = space.layout();
        let block_words = (layout.runs() * layout.words()) as usize;
        let flag_words = Layer::flag_words(space);
        let depth = self.layers.states.len() as u32;
        let done = AtomicU64::new(0);
        let collector = Collector::new(self.options.farthest);
        let layer = Layer {
            space,
            visited: &[],
            first_source: 0,
            changed: &[],
            is_double: false,
            depth,
            path: self.options.path,
            cancel,
            done: &done,
            collect: (self.options.farthest > 0).then_some(&collector),
        };
        let new;
        if self.next.words().is_empty() {
            let boundary = space.graph().colour_boundary().unwrap_or(0);
            // Which colour the last layer has: the colour of any set that changed in it.
            let last_is_first =
                self.changed[..boundary * flag_words].iter().any(|&flags| flags != 0);
            let (first, second) = self.visited.words_mut().split_at_mut(boundary * block_words);
            let (first_flags, second_flags) = self.changed.split_at_mut(boundary * flag_words);
            let (visited, source_flags, target, target_flags, first_source, first_target) =
                if last_is_first {
                    (first, first_flags, second, second_flags, 0, boundary)
                } else {
                    (second, second_flags, first, first_flags, boundary, 0)
                };
            let layer = Layer { visited, changed: source_flags, first_source, ..layer };
            new = layer.run(targets(target, target_flags, block_words, flag_words, first_target), self.options.threads);
            // Their changes have been passed on; what changed now is on the other side.
            source_flags.fill(0);
        } else {
            let layer =
                Layer { visited: self.visited.words(), changed: &self.changed, is_double: true, ..layer };
            new = layer.run(targets(
                self.next.words_mut(),
                &mut self.next_changed,
                block_words,
                flag_words,
                0,
            ), self.options.threads);
            std::mem::swap(&mut self.visited, &mut self.next);
            std::mem::swap(&mut self.changed, &mut self.next_changed);
        }
        if cancel.load(std::sync::atomic::Ordering::Relaxed) {
            return None;
        }
        if new > 0 {
            self.farthest =
                collector.places.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            self.farthest.sort_unstable();
        }
        Some(new)
    }
}

fn targets<'a>(
    blocks: &'a mut [u64],
    flags: &'a mut [u64],
    block_words: usize,
    flag_words: usize,
    first: usize,
) -> impl Iterator<Item = Target<'a>> + Send {
    let blocks = blocks.chunks_exact_mut(block_words);
    let flags = flags.chunks_exact_mut(flag_words);
    blocks.zip(flags).enumerate().map(move |(number, (block, changed))| Target {
        set: first + number,
        block,
        changed,
        distances: BlockDistances::None,
    })
}
