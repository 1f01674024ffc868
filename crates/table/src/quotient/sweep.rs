//! One half-sweep: the blocks of one side, from those of the other.

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::blocks::{BlockFiles, Buffer, Fill};
use super::cache::BlockCache;
use super::explorer::Edge;
use super::peers::{Exchange, PeerGone, SentBlock, Share};
use super::space::QuotientSpace;
use crate::allocation::spawn;
use crate::kernel::{InstructionSet, Kind, add, add_shifted};
use crate::lock::lock;
use crate::new_states::NewStates;

/// Small blocks wait for the next thread in queues of this many bytes, so that a thread that gets a
/// processor has work for longer than it takes to wake the next one; large blocks wait one by one.
const QUEUE_BYTES: u64 = 8 << 20;
/// Blocks in a queue at most.
const MAX_QUEUE: u64 = 256;
/// The system reads the blocks of this many tasks ahead, so that the disk has several reads to do.
const READ_AHEAD: usize = 64;
/// How often the number of completed targets is reported.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(20);

/// What ends a half-sweep early.
#[derive(Debug)]
pub(crate) enum SweepEnd {
    Cancelled,
    Io(io::Error),
    /// A block's contents differ from what was written.
    Damaged {
        block: usize,
    },
    /// A block is not closed under a symmetry that fixes it.
    NotClosed {
        block: usize,
    },
    /// Another process has ended.
    Gone(PeerGone),
}

impl From<PeerGone> for SweepEnd {
    fn from(gone: PeerGone) -> SweepEnd {
        SweepEnd::Gone(gone)
    }
}

impl From<io::Error> for SweepEnd {
    fn from(error: io::Error) -> SweepEnd {
        SweepEnd::Io(error)
    }
}

/// A target to be completed.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub target: u32,
    /// The blocks of this process that it reads, each once, those without states left out.
    pub sources: Vec<u32>,
    /// The same of other processes.
    pub remote: Vec<u32>,
}

/// What is known of a block that is in the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    pub states: u32,
    pub checksum: u32,
}

/// What the two sides of the files are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sides {
    /// The blocks of either colour; those of the start's colour are this many.
    Colours { first: usize, blocks: usize },
    /// All blocks, after an even and after an odd number of layers.
    Generations { blocks: usize },
}

impl Sides {
    pub fn of(space: &QuotientSpace) -> Sides {
        let blocks = space.blocks();
        match space.blocks_of_start_colour() {
            Some(first) => Sides::Colours { first, blocks },
            None => Sides::Generations { blocks },
        }
    }

    /// The number of blocks of all sides, each once.
    pub fn all(self) -> usize {
        let (Sides::Colours { blocks, .. } | Sides::Generations { blocks }) = self;
        blocks
    }

    pub fn is_in_place(self) -> bool {
        matches!(self, Sides::Colours { .. })
    }

    /// The blocks of a side.
    pub fn blocks(self, side: usize) -> Range<usize> {
        match self {
            Sides::Colours { first, .. } if side == 0 => 0..first,
            Sides::Colours { first, blocks } => first..blocks,
            Sides::Generations { blocks } => 0..blocks,
        }
    }

    /// The number of a block of this side in its files.
    pub fn slot(self, side: usize, block: usize) -> usize {
        block - self.blocks(side).start
    }
}

/// A half-sweep.
pub(crate) struct HalfSweep<'a> {
    pub space: &'a QuotientSpace,
    pub files: &'a BlockFiles,
    pub sides: Sides,
    /// The side of the targets.
    pub side: usize,
    /// What is stored on each side; that of the targets is as it was before the half-sweep.
    pub stored: &'a [Vec<Stored>; 2],
    pub tasks: &'a [Task],
    /// Which blocks this process has.
    pub share: &'a Share,
    /// What is exchanged with other processes, if there are any.
    pub exchange: Option<&'a Exchange>,
    pub cache: &'a Mutex<BlockCache>,
    pub instruction_set: InstructionSet,
    pub threads: usize,
    /// Collects new states, as block, word and bit, if they are wanted.
    pub new_states: Option<&'a NewStates>,
    /// Bytes that were sent to other processes.
    pub sent: &'a AtomicU64,
    pub cancel: &'a AtomicBool,
}

/// The blocks of other processes that this one has.
struct Received {
    cache: BlockCache,
    /// Those that have been sent and are not yet needed. One may be there twice.
    early: FxHashMap<u32, Vec<Buffer>>,
    /// Windows of which blocks were received, and how many of the last one are still to come.
    windows: usize,
    left: usize,
}

impl Received {
    /// Nothing, before a half-sweep with these tasks.
    fn new(exchange: &Exchange, tasks: &[Task]) -> Received {
        let mut cache = BlockCache::new(exchange.capacity);
        cache.begin(tasks.iter().map(|task| &task.remote[..]));
        Received { cache, early: FxHashMap::default(), windows: 0, left: 0 }
    }
}

/// A target with the blocks that it reads.
struct Loaded {
    task: usize,
    sources: Vec<(u32, Arc<Buffer>)>,
}

/// A completed target.
struct Completed {
    target: u32,
    block: Buffer,
    states: u32,
}

impl HalfSweep<'_> {
    /// Runs the half-sweep: one thread reads, some compute, one writes. Returns what is stored of
    /// each target afterwards. `on_progress` is called before the first target and from time to
    /// time with the number of completed targets, and cancels by breaking.
    pub fn run(
        &self,
        on_progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<(u32, Stored)>, SweepEnd> {
        // A small half-sweep may be over before anybody has asked how far it is.
        if on_progress(0).is_break() || self.cancel.load(Ordering::Relaxed) {
            if let Some(exchange) = self.exchange {
                exchange.peers.leave();
            }
            return Err(SweepEnd::Cancelled);
        }
        lock(self.cache).begin(self.tasks.iter().map(|task| &task.sources[..]));
        let end: Mutex<Option<SweepEnd>> = Mutex::new(None);
        let stop = AtomicBool::new(false);
        let (done, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let fail = |error: SweepEnd| {
            stop.store(true, Ordering::Relaxed);
            lock(&end).get_or_insert(error);
            // Those who wait for another process, here or there, wait no longer.
            if let Some(exchange) = self.exchange {
                exchange.peers.leave();
            }
        };
        let stored = std::thread::scope(|scope| {
            let room = (QUEUE_BYTES / self.space.block_bytes()).min(MAX_QUEUE) as usize;
            let room = room.max(self.threads);
            let (load, loaded) = sync_channel::<Loaded>(room);
            let (complete, completed) = sync_channel::<Completed>(room);
            let loaded = Arc::new(Mutex::new(loaded));
            let (stop, fail, done, is_over) = (&stop, &fail, &done, &is_over);
            // What a thread that cannot be had would have taken or sent is dropped, so that the
            // others end.
            let refuse = || fail(io::Error::other("the system has no thread left").into());
            let loader = spawn(scope, move || {
                if let Err(error) = self.load(&load, stop) {
                    fail(error);
                }
            });
            if loader.is_none() {
                refuse();
            }
            if let Some(exchange) = self.exchange {
                let sender = spawn(scope, move || {
                    if let Err(error) = self.send(exchange) {
                        fail(error);
                    }
                });
                if sender.is_none() {
                    refuse();
                }
            }
            let mut workers = 0;
            for _ in 0..self.threads.max(1) {
                let (loaded, complete) = (Arc::clone(&loaded), complete.clone());
                let worker = spawn(scope, move || {
                    if let Err(error) = self.work(&loaded, &complete) {
                        fail(error);
                    }
                });
                workers += usize::from(worker.is_some());
            }
            if workers == 0 {
                refuse();
            }
            drop((loaded, complete));
            let waiting = std::thread::current();
            let writer = spawn(scope, move || {
                let written = self.write(&completed, done).unwrap_or_else(|error| {
                    fail(error);
                    // The workers wait for somebody to take what they have completed.
                    completed.iter().for_each(drop);
                    Vec::new()
                });
                is_over.store(true, Ordering::Release);
                waiting.unpark();
                written
            });
            let Some(writer) = writer else {
                refuse();
                return Vec::new();
            };
            // A writer that panics says nothing.
            while !is_over.load(Ordering::Acquire) && !writer.is_finished() {
                std::thread::park_timeout(PROGRESS_INTERVAL);
                let is_cancelled = on_progress(done.load(Ordering::Relaxed)).is_break();
                if is_cancelled || self.cancel.load(Ordering::Relaxed) {
                    fail(SweepEnd::Cancelled);
                }
            }
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        match end.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(stored),
        }
    }

    /// Reads a block as it is stored on one side.
    fn read(&self, side: usize, block: u32) -> Result<Buffer, SweepEnd> {
        let Stored { states, checksum } = self.stored[side][self.sides.slot(side, block as usize)];
        let slot = self.share.slot(side, block as usize);
        let read = self.files.read(side, slot, u64::from(states), checksum)?;
        read.ok_or(SweepEnd::Damaged { block: block as usize })
    }

    /// Makes the memory of blocks that have left a cache available again.
    fn recycle(&self, cache: &mut BlockCache) {
        while let Some(freed) = cache.take_freed() {
            self.files.recycle(freed);
        }
    }

    fn load(&self, load: &SyncSender<Loaded>, stop: &AtomicBool) -> Result<(), SweepEnd> {
        let mut exchange =
            self.exchange.map(|exchange| (exchange, Received::new(exchange, self.tasks)));
        for (number, task) in self.tasks.iter().enumerate() {
            self.read_ahead(number + READ_AHEAD);
            let mut sources = Vec::with_capacity(task.sources.len() + task.remote.len());
            if let Some((exchange, received)) = &mut exchange {
                for &source in &task.remote {
                    sources.push((source, self.receive(exchange, source, received)?));
                }
            }
            for &source in &task.sources {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let cached = lock(self.cache).get(source);
                let block = match cached {
                    Some(block) => block,
                    None => {
                        let block = Arc::new(self.read(1 - self.side, source)?);
                        let mut cache = lock(self.cache);
                        cache.insert(source, Arc::clone(&block));
                        self.recycle(&mut cache);
                        block
                    }
                };
                sources.push((source, block));
            }
            if load.send(Loaded { task: number, sources }).is_err() {
                return Ok(());
            }
        }
        if let Some((_, received)) = &mut exchange {
            received.cache.begin(std::iter::empty());
            self.recycle(&mut received.cache);
        }
        Ok(())
    }

    /// Lets the system read the blocks that a task will need.
    fn read_ahead(&self, task: usize) {
        let Some(task) = self.tasks.get(task).filter(|_| self.files.reads_ahead()) else { return };
        let cache = lock(self.cache);
        let missing: Vec<u32> =
            task.sources.iter().copied().filter(|&source| !cache.has(source)).collect();
        drop(cache);
        let side = 1 - self.side;
        for block in missing {
            let stored = self.stored[side][self.sides.slot(side, block as usize)];
            let slot = self.share.slot(side, block as usize);
            self.files.will_read(side, slot, u64::from(stored.states));
        }
    }

    /// A block of another process: one that was kept, or the next one that was sent.
    fn receive(
        &self,
        exchange: &Exchange,
        source: u32,
        received: &mut Received,
    ) -> Result<Arc<Buffer>, SweepEnd> {
        let Received { cache, early, windows, left } = received;
        if let Some(kept) = cache.get(source) {
            return Ok(kept);
        }
        let block = loop {
            if let Some(block) = early.get_mut(&source).and_then(Vec::pop) {
                break Arc::new(block);
            }
            if *left == 0 {
                if *windows == exchange.windows() {
                    return Err(SweepEnd::Damaged { block: source as usize });
                }
                *left = exchange.sent(self.share.process, *windows).len();
                *windows += 1;
                continue;
            }
            let window = exchange.first + (*windows - 1) as u64;
            let SentBlock { block, states, checksum, bytes } = exchange.peers.receive(window)?;
            let buffer = self.files.of_bytes(&bytes, u64::from(states), checksum)?;
            let buffer = buffer.ok_or(SweepEnd::Damaged { block: block as usize })?;
            early.entry(block).or_default().push(buffer);
            *left -= 1;
        };
        cache.insert(source, Arc::clone(&block));
        self.recycle(cache);
        Ok(block)
    }

    /// Sends to each process what it wants in each window.
    fn send(&self, exchange: &Exchange) -> Result<(), SweepEnd> {
        let side = 1 - self.side;
        for number in 0..exchange.windows() {
            let window = exchange.first + number as u64;
            for process in 0..exchange.fetches.len() {
                for &block in exchange.sent(process, number) {
                    if !self.share.has(side, block as usize) {
                        continue;
                    }
                    let stored = self.stored[side][self.sides.slot(side, block as usize)];
                    let Stored { states, checksum } = stored;
                    let slot = self.share.slot(side, block as usize);
                    let cached = lock(self.cache).peek(block);
                    let bytes = match cached {
                        Some(cached) => self.files.to_bytes(&cached, u64::from(states))?,
                        None => self.files.read_bytes(side, slot, u64::from(states))?,
                    };
                    self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    let sent = SentBlock { block, states, checksum, bytes };
                    exchange.peers.send(window, process, sent)?;
                }
            }
            exchange.peers.close(window)?;
        }
        Ok(())
    }

    fn work(
        &self,
        loaded: &Mutex<Receiver<Loaded>>,
        complete: &SyncSender<Completed>,
    ) -> Result<(), SweepEnd> {
        let mut scratch = vec![0; self.space.layout().words() as usize];
        loop {
            let next = lock(loaded).recv();
            let Ok(Loaded { task, sources }) = next else { return Ok(()) };
            let target = self.tasks[task].target;
            let mut block = self.files.buffer()?;
            let states = self.reach(target as usize, &sources, &mut block, &mut scratch);
            drop(sources);
            self.check_closed(target as usize, block.words(), &mut scratch)?;
            if let Some(new_states) = self.new_states {
                self.collect(target, block.words(), new_states)?;
            }
            let states = states as u32;
            if complete.send(Completed { target, block, states }).is_err() {
                return Ok(());
            }
        }
    }

    fn write(
        &self,
        completed: &Receiver<Completed>,
        done: &AtomicUsize,
    ) -> Result<Vec<(u32, Stored)>, SweepEnd> {
        let mut stored = Vec::with_capacity(self.tasks.len());
        for Completed { target, block, states } in completed {
            let slot = self.share.slot(self.side, target as usize);
            let checksum = self.files.write(self.side, slot, &block, u64::from(states))?;
            stored.push((target, Stored { states, checksum }));
            let mut cache = lock(self.cache);
            cache.keep(target, Arc::new(block));
            self.recycle(&mut cache);
            drop(cache);
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(stored)
    }

    /// Writes the states that slides from the sources lead to, and returns their number.
    #[allow(unsafe_code, reason = "each function is called only where its instructions are there")]
    fn reach(
        &self,
        target: usize,
        sources: &[(u32, Arc<Buffer>)],
        block: &mut Buffer,
        scratch: &mut [u64],
    ) -> u64 {
        match self.instruction_set.kind() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `InstructionSet` is one that this machine has.
            Kind::Avx512 => unsafe { self.reach_avx512(target, sources, block, scratch) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the same.
            Kind::Avx2 => unsafe { self.reach_avx2(target, sources, block, scratch) },
            _ => self.reach_here(target, sources, block, scratch),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,bmi2,popcnt")]
    fn reach_avx512(
        &self,
        target: usize,
        sources: &[(u32, Arc<Buffer>)],
        block: &mut Buffer,
        scratch: &mut [u64],
    ) -> u64 {
        self.reach_here(target, sources, block, scratch)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn reach_avx2(
        &self,
        target: usize,
        sources: &[(u32, Arc<Buffer>)],
        block: &mut Buffer,
        scratch: &mut [u64],
    ) -> u64 {
        self.reach_here(target, sources, block, scratch)
    }

    #[inline(always)]
    fn reach_here(
        &self,
        target: usize,
        sources: &[(u32, Arc<Buffer>)],
        block: &mut Buffer,
        scratch: &mut [u64],
    ) -> u64 {
        let (layout, shifts) = (self.space.layout(), self.space.shifts());
        let run_states = layout.arrangements() / layout.runs();
        let (words, full_word) = (layout.words() as usize, layout.full_word());
        let find = |edge: &Edge| {
            let (_, block) = sources.iter().find(|(source, _)| *source == edge.source)?;
            Some((*edge, &**block))
        };
        let mut edges: Vec<(Edge, &Buffer)> =
            self.space.slides_into(target).iter().filter_map(find).collect();
        if !self.sides.is_in_place() {
            // What was visited before stays visited.
            let own = Edge { source: target as u32, relabelling: None, shift: None };
            edges.extend(find(&own));
        }
        let (block, fills) = block.parts_mut();
        let mut states = 0;
        for (number, (run, fill)) in block.chunks_exact_mut(words).zip(fills).enumerate() {
            run.fill(0);
            *fill = Fill::Empty;
            for &(edge, source) in &edges {
                let shifted = edge.shift.map(|shift| shifts.origins(usize::from(shift))[number]);
                let source_run = shifted.map_or(number, |origin| origin.run as usize);
                let relabelled = edge.relabelling.map(|relabelling| {
                    let relabelling = self.space.relabelling(relabelling);
                    (relabelling, self.space.relabeller().origin(relabelling, source_run))
                });
                let origin = relabelled.as_ref().map_or(source_run, |(_, origin)| origin.run);
                match source.fills()[origin] {
                    Fill::Empty => continue,
                    // Slides and symmetries map whole runs to whole runs.
                    Fill::Full => {
                        run.fill(full_word);
                        *fill = Fill::Full;
                        break;
                    }
                    Fill::Some => {}
                }
                let from = match &relabelled {
                    None => &source.words()[source_run * words..][..words],
                    Some((relabelling, origin)) => {
                        self.space.relabeller().relabel_run(
                            relabelling,
                            origin,
                            source.words(),
                            self.space.is_odd(edge.source as usize),
                            scratch,
                        );
                        &*scratch
                    }
                };
                match shifted {
                    None => add(run, from),
                    Some(origin) => add_shifted(run, from, origin.action, shifts, 1),
                }
                *fill = Fill::Some;
                if run.iter().all(|&word| word == full_word) {
                    *fill = Fill::Full;
                    break;
                }
            }
            match fill {
                Fill::Empty => {}
                Fill::Some => {
                    states += run.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                }
                Fill::Full => states += run_states,
            }
        }
        states
    }

    /// Checks that a block is closed under the symmetries that fix it.
    fn check_closed(
        &self,
        target: usize,
        block: &[u64],
        scratch: &mut [u64],
    ) -> Result<(), SweepEnd> {
        if self.space.orbit(target) == self.space.symmetries() as u64 {
            return Ok(());
        }
        for relabelling in self.space.stabiliser(target) {
            let is_odd = self.space.is_odd(target);
            for (number, run) in block.chunks_exact(scratch.len()).enumerate() {
                let relabeller = self.space.relabeller();
                let origin = relabeller.origin(&relabelling, number);
                relabeller.relabel_run(&relabelling, &origin, block, is_odd, scratch);
                if *scratch != *run {
                    return Err(SweepEnd::NotClosed { block: target });
                }
            }
        }
        Ok(())
    }

    /// Collects the states that the target did not have before.
    fn collect(&self, target: u32, block: &[u64], new_states: &NewStates) -> Result<(), SweepEnd> {
        if !new_states.has_room() {
            return Ok(());
        }
        // Where each side has all blocks, the other side has the states before the layer.
        let side = if self.sides.is_in_place() { self.side } else { 1 - self.side };
        let before = match self.read(side, target) {
            Ok(before) => before,
            // An interrupted half-sweep may have written it already: nothing is known of it.
            Err(SweepEnd::Damaged { .. }) => {
                new_states.cut();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let words = block.iter().zip(before.words()).enumerate();
        new_states.add(target as usize, words.map(|(word, (&now, &old))| (word, now & !old)));
        self.files.recycle(before);
        Ok(())
    }
}
