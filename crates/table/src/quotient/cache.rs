//! Which blocks stay in memory during a half-sweep.

use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::blocks::Buffer;

/// The blocks in memory: sources that are needed again, and targets that the next half-sweep reads.
///
/// The order of the targets is fixed before a half-sweep, so it is known when each source is needed
/// again, and the one whose next use is farthest away makes room (Belady 1966). What then remains
/// of the memory keeps the last targets: the next half-sweep goes the other way and begins with
/// them.
///
/// `B` is what a block is here: its contents, or nothing where only their coming and going is of
/// interest.
pub(crate) struct BlockCache<B = Arc<Buffer>> {
    capacity: usize,
    sources: FxHashMap<u32, B>,
    /// Next uses of the sources, some of them out of date.
    next_uses: BinaryHeap<(u32, u32)>,
    /// For each source of the half-sweep, the tasks that need it.
    uses: FxHashMap<u32, VecDeque<u32>>,
    targets: VecDeque<(u32, B)>,
    /// Blocks that made room, the first one first. Workers may still read the last ones.
    freed: VecDeque<B>,
}

impl<B: Clone> BlockCache<B> {
    /// A cache for this many blocks.
    pub fn new(capacity: usize) -> BlockCache<B> {
        BlockCache {
            capacity,
            sources: FxHashMap::default(),
            next_uses: BinaryHeap::new(),
            uses: FxHashMap::default(),
            targets: VecDeque::new(),
            freed: VecDeque::new(),
        }
    }

    /// Begins a half-sweep whose tasks need these sources: the targets of the last one are sources
    /// now.
    pub fn begin<'a>(&mut self, tasks: impl Iterator<Item = &'a [u32]>) {
        self.uses.clear();
        for (task, sources) in (0..).zip(tasks) {
            for &source in sources {
                self.uses.entry(source).or_default().push_back(task);
            }
        }
        self.next_uses.clear();
        self.freed.extend(self.sources.drain().map(|(_, block)| block));
        for (number, block) in std::mem::take(&mut self.targets) {
            match self.uses.get(&number).and_then(VecDeque::front) {
                Some(&next) => {
                    self.next_uses.push((next, number));
                    self.sources.insert(number, block);
                }
                None => self.freed.push_back(block),
            }
        }
    }

    /// Returns whether a block is in memory.
    pub fn has(&self, source: u32) -> bool {
        self.sources.contains_key(&source)
    }

    /// A block for another process, if it is in memory.
    pub fn peek(&self, source: u32) -> Option<B> {
        self.sources.get(&source).cloned()
    }

    /// A block that the task needs, if it is in memory.
    pub fn get(&mut self, source: u32) -> Option<B> {
        let block = self.sources.get(&source).cloned()?;
        self.used(source);
        Some(block)
    }

    /// Keeps a block that the task needed and that was read for it, if it is needed again soon.
    pub fn insert(&mut self, source: u32, block: B) {
        self.sources.insert(source, block);
        self.used(source);
        self.make_room();
    }

    /// Keeps a target for the next half-sweep while there is room.
    pub fn keep(&mut self, target: u32, block: B) {
        if self.sources.len() >= self.capacity {
            self.freed.push_back(block);
            return;
        }
        self.targets.push_back((target, block));
        self.make_room();
    }

    /// Notes that the current task has used a source.
    fn used(&mut self, source: u32) {
        let uses = self.uses.entry(source).or_default();
        uses.pop_front();
        match uses.front() {
            Some(&next) => self.next_uses.push((next, source)),
            None => self.freed.extend(self.sources.remove(&source)),
        }
    }

    fn make_room(&mut self) {
        while self.sources.len() + self.targets.len() > self.capacity {
            if let Some((_, block)) = self.targets.pop_front() {
                self.freed.push_back(block);
                continue;
            }
            let Some((next, source)) = self.next_uses.pop() else { return };
            if self.uses.get(&source).and_then(VecDeque::front) == Some(&next) {
                self.freed.extend(self.sources.remove(&source));
            }
        }
    }
}

impl BlockCache {
    /// A block that is no longer needed, for its memory.
    pub fn take_freed(&mut self) -> Option<Buffer> {
        let number =
            (0..self.freed.len().min(8)).find(|&i| Arc::strong_count(&self.freed[i]) == 1)?;
        Arc::into_inner(self.freed.remove(number)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_last_makes_room() {
        let tasks: [&[u32]; 5] = [&[1, 2], &[3], &[1], &[3], &[2]];
        let mut cache = BlockCache::new(2);
        cache.begin(tasks.into_iter());
        let (mut reads, mut hits) = (0, Vec::new());
        for (number, sources) in tasks.iter().enumerate() {
            for &source in *sources {
                if cache.get(source).is_some() {
                    hits.push((number, source));
                } else {
                    reads += 1;
                    cache.insert(source, ());
                }
            }
        }
        // Block 2 is needed last, so it makes room for block 3 and is read again.
        assert_eq!((reads, hits), (4, vec![(2, 1), (3, 3)]));
    }

    #[test]
    fn the_last_targets_are_the_first_sources() {
        let mut cache = BlockCache::new(2);
        cache.begin([&[][..]].into_iter());
        for target in 0..5 {
            cache.keep(target, ());
        }
        cache.begin([&[4, 3][..], &[2]].into_iter());
        assert!(cache.get(4).is_some() && cache.get(3).is_some() && cache.get(2).is_none());
    }
}
