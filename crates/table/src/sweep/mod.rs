//! One breadth-first layer over all blocks.

mod block;

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread::ScopedJoinHandle;

use crate::allocation::spawn;
use crate::distances::{Distances, Encoding};
use crate::kernel::{InstructionSet, Kind};
use crate::lock::lock;
use crate::new_states::NewStates;
use crate::search::Signals;
use crate::space::Space;

use block::BlockUpdate;

/// Where the distances of a block's states are written.
pub(crate) enum BlockDistances<'a> {
    /// Nowhere.
    None,
    /// As in [`Encoding::Mod3`].
    Mod3(&'a mut [u64]),
    /// As in [`Encoding::Byte`].
    Bytes(&'a mut [u8]),
}

/// What of the visited states a layer reads and writes.
pub(crate) struct Target<'a> {
    /// The set's number.
    pub set: usize,
    /// Its block, to be completed.
    pub block: &'a mut [u64],
    /// Which of its runs have changed; overwritten.
    pub changed: &'a mut [u64],
    pub distances: BlockDistances<'a>,
}

/// What all blocks of a layer share.
pub(crate) struct Layer<'a> {
    pub space: &'a Space,
    /// The number of simultaneous searches. A block stores one word per search for each word of the
    /// layout.
    pub searches: usize,
    /// The states visited so far, from the block of set `first_source` on.
    pub visited: &'a [u64],
    pub first_source: usize,
    /// Which runs of those blocks have changes that have not been passed on.
    pub changed: &'a [u64],
    /// When targets lie in another array than the visited states: which runs differ there, and have
    /// to be brought up to date first.
    pub stale: Option<&'a [u64]>,
    pub depth: u32,
    pub instruction_set: InstructionSet,
    pub signals: &'a Signals<'a>,
    /// New states are collected here, up to a number of them.
    pub collect: Option<&'a NewStates>,
}

/// All blocks of an array, from that of set `first` on.
pub(crate) fn targets<'a>(
    space: &Space,
    searches: usize,
    blocks: &'a mut [u64],
    flags: &'a mut [u64],
    first: usize,
    distances: Option<&'a mut Distances>,
) -> impl Iterator<Item = Target<'a>> + Send + use<'a> {
    let layout = space.layout();
    let block_words = Layer::block_words(space, searches);
    let blocks = blocks.chunks_exact_mut(block_words);
    let flags = flags.chunks_exact_mut(Layer::flag_words(space));
    let (mut planes, mut bytes) = (None, None);
    if let Some(distances) = distances {
        match distances.encoding() {
            Encoding::Mod3 => {
                let words = &mut distances.words_mut()[first * 2 * block_words..];
                planes = Some(words.chunks_exact_mut(2 * block_words));
            }
            Encoding::Byte => {
                let size = layout.arrangements() as usize;
                let values: &mut [u8] = bytemuck::cast_slice_mut(distances.words_mut());
                bytes = Some(values[first * size..].chunks_exact_mut(size));
            }
        }
    }
    blocks.zip(flags).zip(first..).map(move |((block, changed), set)| {
        let planes = planes.as_mut().and_then(Iterator::next).map(BlockDistances::Mod3);
        let bytes = bytes.as_mut().and_then(Iterator::next).map(BlockDistances::Bytes);
        Target { set, block, changed, distances: planes.or(bytes).unwrap_or(BlockDistances::None) }
    })
}

/// Words of blocks that a thread takes at once.
const WORDS_AT_A_TIME: usize = 1 << 12;

/// Returns `words` words of this memory, from the beginning of a cache line on: vectors that
/// straddle two lines take twice as long.
fn aligned(memory: &mut Vec<u64>, words: usize) -> &mut [u64] {
    const LINE_BYTES: usize = 64;
    memory.resize(words + LINE_BYTES / size_of::<u64>(), 0);
    let start = memory.as_ptr().align_offset(LINE_BYTES);
    &mut memory[start..start + words]
}

/// Memory of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    /// What reaches the runs of the tile.
    reached: Vec<u64>,
    /// Which runs changed in any source of a shift.
    changed: Vec<u64>,
    /// Runs that have states left to find.
    open: Vec<u32>,
    /// What several sources have, before the same shift is applied to all of it.
    gathered: Vec<u64>,
    /// New states of each search.
    found: Vec<u64>,
}

impl Layer<'_> {
    /// Completes the targets; returns the number of new states of each search.
    ///
    /// All threads take from the same sequence, so that they work close together and share what is
    /// in the cache. Where there is no more than what one of them takes at once, no others are
    /// spawned: in small spaces that takes longer than a whole search.
    pub fn run<'t>(
        &self,
        mut targets: impl Iterator<Item = Target<'t>> + Send,
        threads: usize,
    ) -> Vec<u64> {
        let words = Layer::block_words(self.space, self.searches);
        let batch = (WORDS_AT_A_TIME / words).max(1);
        let first: Vec<_> = targets.by_ref().take(batch).collect();
        let threads = if first.len() < batch { 1 } else { threads };
        let targets = Mutex::new(targets);
        let work = |mut taken: Vec<Target<'t>>| {
            let mut scratch = Scratch { found: vec![0; self.searches], ..Scratch::default() };
            loop {
                if taken.is_empty() {
                    taken.extend(lock(&targets).by_ref().take(batch));
                }
                if taken.is_empty() || self.signals.cancel.load(Ordering::Relaxed) {
                    return scratch.found;
                }
                self.signals.done.fetch_add(taken.len() as u64, Ordering::Relaxed);
                for target in taken.drain(..) {
                    self.update(target, &mut scratch);
                }
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> =
                (1..threads).filter_map(|_| spawn(scope, || work(Vec::new()))).collect();
            let mut found = work(first);
            let join = |other: ScopedJoinHandle<'_, Vec<u64>>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            for other in others.into_iter().map(join) {
                found.iter_mut().zip(other).for_each(|(found, other)| *found += other);
            }
            found
        })
    }

    /// The number of words in a block shared by `searches` searches.
    pub fn block_words(space: &Space, searches: usize) -> usize {
        space.layout().bytes() as usize / 8 * searches
    }

    /// Words of flags for each set: a bit for each run.
    pub fn flag_words(space: &Space) -> usize {
        (space.layout().runs() as usize).div_ceil(64)
    }

    #[allow(unsafe_code, reason = "each function is called only where its instructions are there")]
    fn update(&self, target: Target<'_>, scratch: &mut Scratch) {
        match self.instruction_set.kind() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `InstructionSet` is one that this machine has.
            Kind::Avx512 => unsafe { self.update_avx512(target, scratch) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the same.
            Kind::Avx2 => unsafe { self.update_avx2(target, scratch) },
            _ => self.update_sized(target, scratch),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,bmi2,popcnt")]
    fn update_avx512(&self, target: Target<'_>, scratch: &mut Scratch) {
        self.update_sized(target, scratch);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn update_avx2(&self, target: Target<'_>, scratch: &mut Scratch) {
        self.update_sized(target, scratch);
    }

    /// Short runs, those of up to nine distinct tokens, with their length known to the compiler.
    #[inline(always)]
    fn update_sized(&self, target: Target<'_>, scratch: &mut Scratch) {
        match (self.space.layout().words(), self.searches) {
            (1, 1) => BlockUpdate::<1, 1>::run(self, target, scratch),
            (2, 1) => BlockUpdate::<2, 1>::run(self, target, scratch),
            (6, 1) => BlockUpdate::<6, 1>::run(self, target, scratch),
            (24, 1) => BlockUpdate::<24, 1>::run(self, target, scratch),
            (1, 8) => BlockUpdate::<1, 8>::run(self, target, scratch),
            (2, 4) => BlockUpdate::<2, 4>::run(self, target, scratch),
            _ => BlockUpdate::<0, 0>::run(self, target, scratch),
        }
    }

    /// Passes on the new states of a run of the only search.
    #[inline(never)]
    fn record(&self, set: usize, run: usize, new: &[u64], distances: &mut BlockDistances<'_>) {
        for (word, &new) in new.iter().enumerate().filter(|&(_, &new)| new != 0) {
            let word = run * self.space.layout().words() as usize + word;
            if let Some(collect) = self.collect.filter(|collect| collect.has_room()) {
                collect.add(set, [(word, new)]);
            }
            distances.mark(word, new, self.depth, self.space.layout().lanes());
        }
    }
}

/// The greatest distance that a byte holds; 255 is a state not reached.
pub(crate) const MAX_BYTE: u32 = 254;

impl BlockDistances<'_> {
    /// Writes the distance of the states in one word of the block.
    pub fn mark(&mut self, word: usize, mut new: u64, depth: u32, lanes: u64) {
        match self {
            BlockDistances::None => {}
            BlockDistances::Mod3(planes) => {
                // 3, all bits set, is a state not visited.
                let class = depth % 3;
                if class & 1 == 0 {
                    planes[2 * word] &= !new;
                }
                if class & 2 == 0 {
                    planes[2 * word + 1] &= !new;
                }
            }
            BlockDistances::Bytes(bytes) => {
                while new != 0 {
                    let rank = word as u64 * lanes + u64::from(new.trailing_zeros());
                    bytes[rank as usize] = depth.min(MAX_BYTE) as u8;
                    new &= new - 1;
                }
            }
        }
    }
}
