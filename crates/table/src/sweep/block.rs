//! One block brought to the next depth.

use std::sync::atomic::Ordering;

use super::{BlockDistances, Layer, Scratch, Target, aligned};
use crate::kernel::{add, add_shifted, count, unite};
use crate::layout::Action;
use crate::new_states::NewStates;

/// Words of a block that are completed together: what reaches them stays in the second-level cache.
const TILE_WORDS: usize = 1 << 14;

/// Whole blocks are read when at least one run in this many has changed.
const WHOLE_FROM: usize = 8;

/// A block that is being completed. Its runs have `WORDS` words for each of `SEARCHES` searches;
/// where both are 0, the length and the number are read at run time.
///
/// A tile of its runs is completed at a time: runs that are stale are copied and those that are not
/// full are listed as open; what the sources of each shift have is added to what reaches the open
/// runs; and what of that is new is counted, noted and set. The methods are parts of one loop,
/// inlined into what is compiled for an instruction set.
pub(super) struct BlockUpdate<'l, const WORDS: usize, const SEARCHES: usize> {
    layer: &'l Layer<'l>,
    set: usize,
    block_words: usize,
    flag_words: usize,
}

/// Returns whether the bit of a run is set.
#[inline(always)]
fn has(flags: &[u64], run: usize) -> bool {
    flags[run / 64] >> (run % 64) & 1 == 1
}

impl<'l, const WORDS: usize, const SEARCHES: usize> BlockUpdate<'l, WORDS, SEARCHES> {
    /// Completes a block.
    #[inline(always)]
    pub fn run(layer: &'l Layer<'l>, target: Target<'_>, scratch: &mut Scratch) {
        let Target { set, block, changed: new_changed, mut distances } = target;
        let (block_words, flag_words) = (block.len(), new_changed.len());
        let update = Self { layer, set, block_words, flag_words };
        // Words that are read or written: the target, and what it shares with its sources where
        // they are.
        let mut touched = block_words;
        let words = update.words();
        let runs = layer.space.layout().runs() as usize;
        let tile = (TILE_WORDS / words).clamp(1, runs);
        let is_whole = tile == runs;
        let Scratch { reached, gathered, changed, open, found } = scratch;
        let reached = aligned(reached, tile * words);
        let gathered = aligned(gathered, if is_whole { block_words } else { words });
        changed.resize(flag_words, 0);
        new_changed.fill(0);
        for (first_run, tile) in (0..runs).step_by(tile).zip(block.chunks_mut(tile * words)) {
            touched += update.open_runs(first_run, tile, open);
            if open.is_empty() {
                continue;
            }
            reached.fill(0);
            // A source block is read from its beginning to its end, which the machine foresees.
            for (shift, sources) in layer.space.graph().slides_into(set) {
                let changed_runs = update.unite_changes(sources, changed);
                if changed_runs == 0 {
                    continue;
                }
                // Where many did it is quicker to take whole blocks than to ask each source.
                if is_whole && changed_runs * WHOLE_FROM >= runs * sources.len() {
                    touched += sources.len() * block_words;
                    update.add_blocks((shift, sources), (open, changed), reached, gathered);
                } else {
                    let gathered = &mut gathered[..words];
                    touched +=
                        update.add_runs((shift, sources), (first_run, open), reached, gathered);
                }
            }
            for &run in &*open {
                let start = (run as usize - first_run) * words;
                let own = start..start + words;
                let new = &mut reached[own.clone()];
                if !set_new(&mut tile[own], new) {
                    continue;
                }
                touched += words;
                count(&mut found[..update.searches()], new);
                new_changed[run as usize / 64] |= 1 << (run % 64);
                let collects = layer.collect.is_some_and(NewStates::has_room);
                if collects || !matches!(distances, BlockDistances::None) {
                    layer.record(set, run as usize, new, &mut distances);
                }
            }
        }
        layer.signals.words.fetch_add(touched as u64, Ordering::Relaxed);
    }

    #[inline(always)]
    fn searches(&self) -> usize {
        if SEARCHES > 0 { SEARCHES } else { self.layer.searches }
    }

    /// Words of a run: the same word of each search, then the next.
    #[inline(always)]
    fn words(&self) -> usize {
        let of_one = if WORDS > 0 { WORDS } else { self.layer.space.layout().words() as usize };
        self.searches() * of_one
    }

    #[inline(always)]
    fn source(&self, source: u32) -> &'l [u64] {
        let start = (source as usize - self.layer.first_source) * self.block_words;
        &self.layer.visited[start..start + self.block_words]
    }

    /// A word of the flags of a source's runs.
    #[inline(always)]
    fn changes(&self, source: u32, word: usize) -> u64 {
        self.layer.changed[(source as usize - self.layer.first_source) * self.flag_words + word]
    }

    /// Brings the stale runs of a tile up to date, and lists those that have states left to find.
    /// Returns the words that were copied.
    #[inline(always)]
    fn open_runs(&self, first_run: usize, tile: &mut [u64], open: &mut Vec<u32>) -> usize {
        let (words, full) = (self.words(), self.layer.space.layout().full_word());
        let stale = self.layer.stale.map(|stale| &stale[self.set * self.flag_words..]);
        let mut touched = 0;
        open.clear();
        for (run, target) in (first_run..).zip(tile.chunks_exact_mut(words)) {
            if stale.is_some_and(|stale| has(stale, run)) {
                target.copy_from_slice(&self.source(self.set as u32)[run * words..][..words]);
                touched += 2 * words;
            }
            if target.iter().any(|&word| word != full) {
                open.push(run as u32);
            }
        }
        touched
    }

    /// Finds which runs changed in any of the sources, since those of others add nothing, and
    /// returns the number of changes.
    #[inline(always)]
    fn unite_changes(&self, sources: &[u32], changed: &mut [u64]) -> usize {
        let mut changed_runs = 0;
        for (word, any) in changed.iter_mut().enumerate() {
            *any = 0;
            for &source in sources {
                let flags = self.changes(source, word);
                changed_runs += flags.count_ones() as usize;
                *any |= flags;
            }
        }
        changed_runs
    }

    /// Adds what reaches the open runs from whole blocks.
    #[inline(always)]
    fn add_blocks(
        &self,
        (shift, sources): (usize, &[u32]),
        (open, changed): (&[u32], &[u64]),
        reached: &mut [u64],
        gathered: &mut [u64],
    ) {
        let (layout, shifts) = (self.layer.space.layout(), self.layer.space.shifts());
        let (words, searches) = (self.words(), self.searches());
        if shift % (layout.places() + 1) == 0 {
            sources.iter().for_each(|&source| add(reached, self.source(source)));
            return;
        }
        let gathered = match *sources {
            [] => return,
            [source] => self.source(source),
            [first, second, ref others @ ..] => {
                unite(gathered, self.source(first), self.source(second));
                others.iter().for_each(|&source| add(gathered, self.source(source)));
                &*gathered
            }
        };
        let origins = shifts.origins(shift);
        for &run in open {
            let (run, origin) = (run as usize, origins[run as usize]);
            let source_run = origin.run as usize;
            if has(changed, source_run) {
                let source = &gathered[source_run * words..(source_run + 1) * words];
                let reached = &mut reached[run * words..(run + 1) * words];
                add_shifted(reached, source, origin.action, shifts, searches);
            }
        }
    }

    /// Adds what reaches the open runs of a tile from the runs that changed. Returns the words that
    /// were read.
    #[inline(always)]
    fn add_runs(
        &self,
        (shift, sources): (usize, &[u32]),
        (first_run, open): (usize, &[u32]),
        reached: &mut [u64],
        gathered: &mut [u64],
    ) -> usize {
        let shifts = self.layer.space.shifts();
        let (words, searches) = (self.words(), self.searches());
        let origins = shifts.origins(shift);
        let mut touched = 0;
        for &run in open {
            let origin = origins[run as usize];
            let source_run = origin.run as usize;
            let range = source_run * words..(source_run + 1) * words;
            let has_changed = |source: &&u32| {
                self.changes(**source, source_run / 64) >> (source_run % 64) & 1 == 1
            };
            let mut active = sources.iter().filter(has_changed);
            touched += active.clone().count() * words;
            let Some(&first) = active.next() else { continue };
            let first = &self.source(first)[range.clone()];
            let start = (run as usize - first_run) * words;
            let reached = &mut reached[start..start + words];
            if origin.action == Action::Copy {
                add(reached, first);
                active.for_each(|&source| add(reached, &self.source(source)[range.clone()]));
            } else if let Some(&second) = active.next() {
                unite(gathered, first, &self.source(second)[range.clone()]);
                active.for_each(|&source| add(gathered, &self.source(source)[range.clone()]));
                add_shifted(reached, gathered, origin.action, shifts, searches);
            } else {
                add_shifted(reached, first, origin.action, shifts, searches);
            }
        }
        touched
    }
}

/// Sets in a run what reaches it and is new, leaves only that in `reached`, and returns whether
/// there is any.
#[inline(always)]
fn set_new(run: &mut [u64], reached: &mut [u64]) -> bool {
    let mut any = 0;
    for (target, reached) in run.iter_mut().zip(reached) {
        let new = *reached & !*target;
        *target |= new;
        *reached = new;
        any |= new;
    }
    any != 0
}
