//! The open list of best-first search: buckets by priority.

use crate::nodes::NodeId;

/// Pops the smallest priority first; among equals the larger depth, then the last pushed.
///
/// Equal priorities are common on cubes, and deeper first expands fewer states. Priorities are
/// small numbers, so a bucket each; 4 bytes an entry in blocks that are used again.
#[derive(Default)]
pub(crate) struct OpenList {
    /// Stacks by priority, then by depth.
    buckets: Vec<Vec<Stack>>,
    /// No bucket below this one holds anything.
    least: usize,
    free: Vec<Box<Block>>,
    blocks: usize,
}

const BLOCK: usize = 256;

type Block = [NodeId; BLOCK];

#[derive(Default)]
struct Stack {
    blocks: Vec<Box<Block>>,
    /// Entries in the last block.
    top: usize,
}

impl OpenList {
    pub fn push(&mut self, priority: u32, depth: u16, id: NodeId) {
        let (priority, depth) = (priority as usize, depth as usize);
        if self.buckets.len() <= priority {
            self.buckets.resize_with(priority + 1, Vec::new);
        }
        let bucket = &mut self.buckets[priority];
        if bucket.len() <= depth {
            bucket.resize_with(depth + 1, Stack::default);
        }
        let stack = &mut bucket[depth];
        if stack.blocks.is_empty() || stack.top == BLOCK {
            let block = self.free.pop().unwrap_or_else(|| {
                self.blocks += 1;
                Box::new([0; BLOCK])
            });
            stack.blocks.push(block);
            stack.top = 0;
        }
        if let Some(block) = stack.blocks.last_mut() {
            block[stack.top] = id;
            stack.top += 1;
        }
        self.least = self.least.min(priority);
    }

    /// The best entry with its priority and depth.
    pub fn pop(&mut self) -> Option<(u32, u16, NodeId)> {
        while let Some(bucket) = self.buckets.get_mut(self.least) {
            while let Some(stack) = bucket.last_mut() {
                if let Some(block) = stack.blocks.last() {
                    stack.top -= 1;
                    let id = block[stack.top];
                    if stack.top == 0 {
                        self.free.extend(stack.blocks.pop());
                        stack.top = BLOCK;
                    }
                    return Some((self.least as u32, bucket.len() as u16 - 1, id));
                }
                bucket.pop();
            }
            self.least += 1;
        }
        None
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.blocks * size_of::<Block>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_testkit::Random;

    #[test]
    fn pops_like_a_sorted_list() {
        let mut random = Random::new(3);
        let mut open = OpenList::default();
        let mut plain: Vec<(u32, u16, NodeId)> = Vec::new();
        for id in 0..20_000 {
            if random.below(5) < 3 {
                let (priority, depth) = (random.below(6) as u32, random.below(4) as u16);
                open.push(priority, depth, id);
                plain.push((priority, depth, id));
            } else {
                let best =
                    plain.iter().enumerate().min_by_key(|&(place, &(priority, depth, _))| {
                        (priority, std::cmp::Reverse(depth), std::cmp::Reverse(place))
                    });
                let best = best.map(|(place, _)| place).map(|place| plain.remove(place));
                assert_eq!(open.pop(), best);
            }
        }
    }
}
