//! Several processes that search together: which blocks each has, and which it sends to whom when.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use thiserror::Error;

use super::sweep::{Sides, Task};

/// A block on its way to another process, as it lies in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
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
#[error(
    "process {process} of the search is gone ({reason}): start all processes again with --resume, and \
     the search continues after the last layer that all of them had"
)]
pub struct PeerGone {
    /// The process, counted from 0.
    pub process: usize,
    /// What is known of its end.
    pub reason: String,
}

/// The processes of a search, of which this is one.
///
/// All processes call `gather` and `new_windows` equally often and in the same order, and send and close the same
/// windows. Calls of one kind come from one thread at a time.
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
    fn send(&self, window: u64, to: usize, packet: Packet) -> Result<(), PeerGone>;

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
    fn receive(&self, window: u64) -> Result<Packet, PeerGone>;

    /// Ends this process's part early: whoever waits for it is told that it is gone, and so is every
    /// thread of this process that waits.
    fn leave(&self);
}

/// The numbers that all processes give, by process.
pub(super) fn gather_number(peers: &dyn Peers, own: u64) -> Result<Vec<u64>, PeerGone> {
    let all = peers.gather(own.to_le_bytes().to_vec())?;
    Ok(all.iter().map(|bytes| bytes[..].try_into().map_or(0, u64::from_le_bytes)).collect())
}

/// Which process has which blocks: each a range of either side.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub process: usize,
    /// For each side, where the range of each process begins, and the end.
    bounds: [Vec<usize>; 2],
}

impl Share {
    /// Equal ranges. Neighbours in the order of blocks mostly lead to each other, so ranges need few
    /// blocks of other processes.
    pub fn of(sides: Sides, process: usize, processes: usize) -> Share {
        let bounds = [0, 1].map(|side| {
            let Range { start, end } = sides.blocks(side);
            (0..=processes).map(|number| start + (end - start) * number / processes).collect()
        });
        Share { process, bounds }
    }

    /// The blocks that this process has of a side.
    pub fn own(&self, side: usize) -> Range<usize> {
        self.bounds[side][self.process]..self.bounds[side][self.process + 1]
    }

    /// The process that has a block of a side.
    pub fn owner(&self, side: usize, block: usize) -> usize {
        self.bounds[side].partition_point(|&begin| begin <= block) - 1
    }

    /// The number of a block of this process in its files.
    pub fn slot(&self, side: usize, block: usize) -> usize {
        block - self.own(side).start
    }
}

/// Consecutive tasks of a process, whose sources in other processes are sent to it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The number of the task after the last one.
    pub end: usize,
    /// The blocks of other processes that the tasks read, in rising order.
    pub wanted: Vec<u32>,
}

/// Cuts the tasks of a process into windows that want at most `limit` blocks of others, or as many
/// as one task does.
pub(crate) fn windows(tasks: &[Task], limit: usize) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut wanted: FxHashSet<u32> = FxHashSet::default();
    let mut close = |end: usize, wanted: &mut FxHashSet<u32>| {
        let mut wanted: Vec<u32> = wanted.drain().collect();
        wanted.sort_unstable();
        windows.push(Window { end, wanted });
    };
    for (number, task) in tasks.iter().enumerate() {
        let new = task.remote.iter().filter(|source| !wanted.contains(source)).count();
        if !wanted.is_empty() && wanted.len() + new > limit {
            close(number, &mut wanted);
        }
        wanted.extend(&task.remote);
    }
    close(tasks.len(), &mut wanted);
    windows
}

/// The blocks that are sent to a process for a window: those that it does not have from the window
/// before.
pub(crate) fn sent(windows: &[Window], number: usize) -> impl Iterator<Item = u32> {
    let wanted = windows.get(number).map_or(&[][..], |window| &window.wanted);
    let before = number.checked_sub(1).and_then(|before| windows.get(before));
    let before = before.map_or(&[][..], |window| &window.wanted);
    wanted.iter().copied().filter(|block| before.binary_search(block).is_err())
}

/// What a half-sweep needs to know of the other processes.
pub(crate) struct Exchange {
    pub peers: Arc<dyn Peers>,
    /// The windows of each process.
    pub windows: Vec<Vec<Window>>,
    /// The number of the first of them among all windows of the search.
    pub first: u64,
    /// The number of windows of the process that has the most.
    pub count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(remote: &[u32]) -> Task {
        Task { target: 0, sources: Vec::new(), remote: remote.to_vec() }
    }

    #[test]
    fn windows_keep_to_their_limit_and_send_nothing_twice_in_a_row() {
        let tasks = [task(&[1, 2]), task(&[2, 3]), task(&[]), task(&[3, 4]), task(&[5, 6, 7, 8])];
        let windows = windows(&tasks, 3);
        let found: Vec<(usize, &[u32])> =
            windows.iter().map(|window| (window.end, &window.wanted[..])).collect();
        assert_eq!(found, [(3, &[1, 2, 3][..]), (4, &[3, 4]), (5, &[5, 6, 7, 8])]);
        let found: Vec<Vec<u32>> = (0..4).map(|number| sent(&windows, number).collect()).collect();
        assert_eq!(found, [vec![1, 2, 3], vec![4], vec![5, 6, 7, 8], vec![]]);
    }

    #[test]
    fn each_block_has_one_owner() {
        for processes in 1..5 {
            for sides in [Sides::Colours { first: 3, blocks: 10 }, Sides::Generations { blocks: 6 }]
            {
                for side in 0..2 {
                    for block in sides.blocks(side) {
                        let shares = (0..processes).map(|own| Share::of(sides, own, processes));
                        let owners: Vec<usize> = shares
                            .filter(|share| share.own(side).contains(&block))
                            .map(|share| share.process)
                            .collect();
                        let share = Share::of(sides, 0, processes);
                        assert_eq!(owners, [share.owner(side, block)]);
                    }
                }
            }
        }
    }
}
