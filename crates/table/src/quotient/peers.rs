//! Several processes that search together: which blocks each has, and which it sends to whom when.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::cache::BlockCache;
use super::sweep::{Sides, Task};
use super::sweep_order::SweepOrder;

/// A block on its way to another process, as it lies in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentBlock {
    /// The block's number.
    pub block: u32,
    /// The number of its states.
    pub states: u32,
    /// The checksum of its bytes.
    pub checksum: u32,
    /// Its bytes; none if it has no states, or all.
    pub bytes: Vec<u8>,
}

/// A process of a search has ended too early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("process {process} of the search is gone ({reason})")]
pub struct PeerGone {
    /// The process, counted from 0.
    pub process: usize,
    /// What is known of its end.
    pub reason: String,
}

/// The processes of a search, of which this is one.
///
/// All processes call `gather` and `new_windows` equally often and in the same order, and send and
/// close the same windows. Calls of one kind come from one thread at a time.
pub trait Peers: Debug + Send + Sync {
    /// Returns the number of this process, from 0.
    fn process(&self) -> usize;

    /// Returns the number of processes.
    fn processes(&self) -> usize;

    /// Returns the number of processes on the machine of this one, which share its memory and its
    /// processors.
    fn on_this_machine(&self) -> usize;

    /// Sends bytes to all processes, and returns what each has sent, by process. No process returns
    /// before all have called.
    ///
    /// # Errors
    ///
    /// Returns an error if a process is gone.
    fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, PeerGone>;

    /// Returns the number of the first of this many new windows. All processes ask for the same.
    fn new_windows(&self, count: u64) -> u64;

    /// Sends a block to another process in this window.
    ///
    /// # Errors
    ///
    /// Returns an error if a process is gone.
    fn send(&self, window: u64, to: usize, sent: SentBlock) -> Result<(), PeerGone>;

    /// Ends a window, of which this process sends nothing any more, and waits until all processes
    /// have received what was sent to them in the window before. So there are never more than two
    /// windows of blocks on their way.
    ///
    /// # Errors
    ///
    /// Returns an error if a process is gone.
    fn close(&self, window: u64) -> Result<(), PeerGone>;

    /// Waits for the next block of a window.
    ///
    /// # Errors
    ///
    /// Returns an error if a process is gone.
    fn receive(&self, window: u64) -> Result<SentBlock, PeerGone>;

    /// Ends this process's part early: whoever waits for it is told that it is gone, and so is
    /// every thread of this process that waits.
    fn leave(&self);
}

/// The numbers that all processes give, by process.
pub(super) fn gather_number(peers: &dyn Peers, own: u64) -> Result<Vec<u64>, PeerGone> {
    let all = peers.gather(own.to_le_bytes().to_vec())?;
    Ok(all.iter().map(|bytes| bytes[..].try_into().map_or(0, u64::from_le_bytes)).collect())
}

/// Which process has which blocks: each a range of the order of either side.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub process: usize,
    pub order: SweepOrder,
    /// For each side, where the range of each process begins, and the end.
    bounds: [Vec<usize>; 2],
}

impl Share {
    /// Equal ranges of an order in which blocks that lead to each other are near each other, so
    /// that few blocks of other processes are needed.
    pub fn of(sides: Sides, order: SweepOrder, process: usize, processes: usize) -> Share {
        let bounds = [0, 1].map(|side| {
            let Range { start, end } = sides.blocks(side);
            (0..=processes).map(|number| start + (end - start) * number / processes).collect()
        });
        Share { process, order, bounds }
    }

    /// The numbers of blocks that this process has of the sides.
    pub fn lengths(&self) -> [usize; 2] {
        [0, 1].map(|side| self.bounds[side][self.process + 1] - self.bounds[side][self.process])
    }

    /// The process that has a block of a side.
    pub fn owner(&self, side: usize, block: usize) -> usize {
        self.bounds[side].partition_point(|&begin| begin <= self.order.place(block)) - 1
    }

    /// Returns whether this process has a block of a side.
    pub fn has(&self, side: usize, block: usize) -> bool {
        self.owner(side, block) == self.process
    }

    /// The number of a block of this process in its files.
    pub fn slot(&self, side: usize, block: usize) -> usize {
        self.order.place(block) - self.bounds[side][self.process]
    }
}

/// The blocks of other processes that a process must be sent for its tasks, in the order in which
/// it uses them, if it keeps at most `capacity` of them. One that it could not keep until it is
/// needed again is there more than once.
pub(crate) fn fetches(tasks: &[Task], capacity: usize) -> Vec<u32> {
    let mut cache: BlockCache<()> = BlockCache::new(capacity);
    cache.begin(tasks.iter().map(|task| &task.remote[..]));
    let mut fetches = Vec::new();
    for &source in tasks.iter().flat_map(|task| &task.remote) {
        if cache.get(source).is_none() {
            fetches.push(source);
            cache.insert(source, ());
        }
    }
    fetches
}

/// What a half-sweep needs to know of the other processes.
pub(crate) struct Exchange {
    pub peers: Arc<dyn Peers>,
    /// What each process is sent, in order.
    pub fetches: Vec<Vec<u32>>,
    /// The number of them that are sent together.
    pub window: usize,
    /// The number of the first window among all of the search.
    pub first: u64,
    /// Blocks of others that a process keeps.
    pub capacity: usize,
}

impl Exchange {
    /// The number of windows of the process that has the most.
    pub fn windows(&self) -> usize {
        let lengths = self.fetches.iter().map(|fetches| fetches.len().div_ceil(self.window));
        lengths.max().unwrap_or(0)
    }

    /// What a process is sent in a window.
    pub fn sent(&self, process: usize, window: usize) -> &[u32] {
        self.fetches[process].chunks(self.window).nth(window).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(remote: &[u32]) -> Task {
        Task { target: 0, sources: Vec::new(), remote: remote.to_vec() }
    }

    #[test]
    fn blocks_are_sent_again_only_if_there_was_no_room() {
        let tasks = [task(&[1, 2]), task(&[3]), task(&[]), task(&[1, 3]), task(&[2])];
        assert_eq!(fetches(&tasks, 3), [1, 2, 3]);
        // Block 2 is needed last, so it makes room for block 3.
        assert_eq!(fetches(&tasks, 2), [1, 2, 3, 2]);
        // Block 1 is kept, and block 3 is sent twice in a row.
        assert_eq!(fetches(&tasks, 1), [1, 2, 3, 3, 2]);
    }

    #[test]
    fn each_block_has_one_owner() {
        for processes in 1..5 {
            for sides in [Sides::Colours { first: 3, blocks: 10 }, Sides::Generations { blocks: 6 }]
            {
                let order = SweepOrder::by(sides, |block| block * 7 % 11);
                let share = |process| Share::of(sides, order.clone(), process, processes);
                let shares: Vec<Share> = (0..processes).map(share).collect();
                for side in 0..2 {
                    let mut slots = vec![Vec::new(); processes];
                    for block in sides.blocks(side) {
                        let mut owners = shares.iter().filter(|share| share.has(side, block));
                        let owner = owners.next().expect("one process has it");
                        assert!(owners.next().is_none());
                        slots[owner.process].push(owner.slot(side, block));
                    }
                    for (share, mut slots) in shares.iter().zip(slots) {
                        slots.sort_unstable();
                        assert_eq!(slots, (0..share.lengths()[side]).collect::<Vec<_>>());
                    }
                }
            }
        }
    }
}
