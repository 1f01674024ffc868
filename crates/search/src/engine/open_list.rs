//! The open list of best-first search: buckets by priority.

use std::collections::BTreeMap;

use crate::engine::chunked_list::chunk_of;
use crate::engine::nodes::NodeId;

/// Pops the entry of smallest priority first; among equals that of larger depth, then the last one
/// pushed.
///
/// Equal priorities are common on cubes, and expanding deeper states first expands fewer of them.
/// Most priorities are small numbers and have a bucket each; those under large weights are large
/// and few, and are looked up. An entry takes 4 bytes, in blocks that are reused.
#[derive(Default)]
pub(crate) struct OpenList {
    /// For each priority, the depths that have entries, ascending. They are few at a time, and the
    /// last one is nearly always wanted.
    buckets: Vec<Vec<Stack>>,
    /// The buckets of priorities from [`DENSE`] on.
    far: BTreeMap<usize, Vec<Stack>>,
    /// No bucket below this one holds anything.
    least: usize,
    free: Blocks,
    blocks: usize,
    /// Stacks that all buckets have room for.
    room: usize,
    /// A block for the last entry that there is memory for.
    spare: Option<Box<Block>>,
    is_full: bool,
}

const BLOCK: usize = 256;

/// Priorities below this have a bucket each, 24 bytes, whether or not it holds anything.
const DENSE: usize = 1 << 16;

type Block = [NodeId; BLOCK];

/// Blocks of 1 KiB, which move between stacks by their pointers.
type Blocks = Vec<Box<Block>>;

/// Entries of one priority and depth; never empty.
struct Stack {
    depth: u32,
    blocks: Blocks,
    /// Entries in the last block, `1..=BLOCK`.
    top: usize,
}

impl OpenList {
    pub fn push(&mut self, priority: u32, depth: u32, id: NodeId) {
        let priority = priority as usize;
        let bucket = if priority < DENSE {
            if self.buckets.len() <= priority {
                self.buckets.resize_with(priority + 1, Vec::new);
            }
            self.least = self.least.min(priority);
            &mut self.buckets[priority]
        } else {
            self.far.entry(priority).or_default()
        };
        let deeper = bucket.iter().rev().take_while(|stack| stack.depth > depth).count();
        let mut place = bucket.len() - deeper;
        if place > 0 && bucket[place - 1].depth == depth {
            place -= 1;
        } else {
            self.room -= bucket.capacity();
            bucket.insert(place, Stack { depth, blocks: Vec::new(), top: BLOCK });
            self.room += bucket.capacity();
        }
        let stack = &mut bucket[place];
        if stack.top == BLOCK {
            if self.blocks == 0 {
                self.spare = Some(Box::new([0; BLOCK]));
            }
            let block = self.free.pop().or_else(|| {
                self.blocks += 1;
                chunk_of(0, BLOCK)?.try_into().ok()
            });
            // A stack is never empty, and this one may be new: the spare block is for the last
            // entry.
            self.is_full |= block.is_none();
            stack.blocks.extend(block.or_else(|| self.spare.take()));
            stack.top = 0;
        }
        if let Some(block) = stack.blocks.last_mut() {
            block[stack.top] = id;
            stack.top += 1;
        }
    }

    /// The best entry with its priority and depth, which stays.
    #[inline]
    pub fn first(&mut self) -> Option<(u32, u32, NodeId)> {
        self.drop_empty_buckets();
        let (priority, bucket) = match self.buckets.get(self.least) {
            Some(bucket) => (self.least, bucket),
            None => self.far.first_key_value().map(|(&priority, bucket)| (priority, bucket))?,
        };
        let stack = bucket.last()?;
        let block = stack.blocks.last()?;
        Some((priority as u32, stack.depth, block[stack.top - 1]))
    }

    /// Removes the best entry and returns it with its priority and depth.
    #[inline]
    pub fn pop(&mut self) -> Option<(u32, u32, NodeId)> {
        self.drop_empty_buckets();
        let (priority, bucket) = match self.buckets.get_mut(self.least) {
            Some(bucket) => (self.least, bucket),
            None => self.far.iter_mut().next().map(|(&priority, bucket)| (priority, bucket))?,
        };
        let (depth, id) = take(bucket, &mut self.free)?;
        Some((priority as u32, depth, id))
    }

    /// Gives up the buckets before the first one that holds anything.
    #[inline]
    fn drop_empty_buckets(&mut self) {
        while let Some(bucket) = self.buckets.get_mut(self.least)
            && bucket.is_empty()
        {
            self.room -= bucket.capacity();
            *bucket = Vec::new();
            self.least += 1;
        }
        if self.least >= self.buckets.len() {
            while let Some(entry) = self.far.first_entry()
                && entry.get().is_empty()
            {
                self.room -= entry.remove().capacity();
            }
        }
    }

    /// Returns whether the system had no memory for an entry.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let buckets = (self.buckets.capacity() + 2 * self.far.len()) * size_of::<Vec<Stack>>();
        let stacks = self.room * (size_of::<Stack>() + size_of::<Box<Block>>());
        (self.blocks * (size_of::<Block>() + size_of::<Box<Block>>()) + buckets + stacks) as u64
    }
}

/// The best entry of one priority.
#[inline]
fn take(bucket: &mut Vec<Stack>, free: &mut Blocks) -> Option<(u32, NodeId)> {
    let stack = bucket.last_mut()?;
    let block = stack.blocks.last()?;
    stack.top -= 1;
    let entry = (stack.depth, block[stack.top]);
    if stack.top == 0 {
        free.extend(stack.blocks.pop());
        stack.top = BLOCK;
        if stack.blocks.is_empty() {
            bucket.pop();
        }
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_testkit::Random;

    #[test]
    fn pops_like_a_sorted_list() {
        let mut random = Random::new(3);
        let mut open = OpenList::default();
        let mut plain: Vec<(u32, u32, NodeId)> = Vec::new();
        for id in 0..20_000 {
            if random.below(5) < 3 {
                // Some of them beyond the dense buckets.
                let priority = (random.below(6) * (DENSE / 3)) as u32;
                let depth = random.below(4) as u32;
                open.push(priority, depth, id);
                plain.push((priority, depth, id));
            } else {
                let best =
                    plain.iter().enumerate().min_by_key(|&(place, &(priority, depth, _))| {
                        (priority, std::cmp::Reverse(depth), std::cmp::Reverse(place))
                    });
                let best = best.map(|(place, _)| place).map(|place| plain.remove(place));
                assert_eq!((open.first(), open.pop()), (best, best));
            }
        }
    }
}
