//! What an iteration of IDA* has seen, which tells where the next one is likely to find a solution,
//! and which subtrees will be large.
//!
//! Ordering nodes by the last iteration was studied by Powley and Korf (IEEE PAMI 13, 1991, pp.
//! 466-477) and by Reinefeld and Marsland (IEEE PAMI 16, 1994, pp. 701-710).

use hyperslide_puzzle::Move;

use crate::proof::SeenSubtree;

/// The path of the empty vertex to a node.
pub(crate) type Trail = Vec<u8>;

/// Returns the path of the empty vertex that some moves make.
pub(crate) fn trail(path: &[Move]) -> Trail {
    path.iter().map(|mv| mv.from.index() as u8).collect()
}

/// What was seen below a node. The lesser is searched sooner: a solution is most likely where the
/// search came closest to the goal, and of several such subtrees the smallest takes the least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    least_h: u32,
    expanded: u64,
}

impl Seen {
    fn of(subtree: &SeenSubtree) -> Seen {
        Seen { least_h: subtree.least_h.unwrap_or(u32::MAX), expanded: subtree.expanded }
    }

    fn and(self, other: Seen) -> Seen {
        Seen {
            least_h: self.least_h.min(other.least_h),
            expanded: self.expanded.saturating_add(other.expanded),
        }
    }
}

/// What an iteration saw below each of the nodes that it was divided at, none of which is below
/// another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// Ascending by trail.
    subtrees: Vec<SeenSubtree>,
}

impl Outline {
    pub fn new(mut subtrees: Vec<SeenSubtree>) -> Outline {
        subtrees.sort_unstable_by(|one, other| one.trail.cmp(&other.trail));
        Outline { subtrees }
    }

    pub fn subtrees(&self) -> &[SeenSubtree] {
        &self.subtrees
    }

    /// Returns the number of expanded states.
    pub fn expanded(&self) -> u64 {
        self.at_or_below(&[]).map_or(0, |seen| seen.expanded)
    }

    /// Returns the order in which the next iteration is to search its subtrees, as their numbers.
    /// Those of which nothing was seen, since they are new within the bound, come last.
    pub fn order(&self, roots: &[Trail]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..roots.len() as u32).collect();
        order.sort_by_cached_key(|&number| {
            let root = &roots[number as usize];
            let seen = self.at_or_below(root).or_else(|| self.above(root).map(Seen::of));
            (seen.is_none(), seen)
        });
        order
    }

    /// Returns how many states were expanded below a node: `share` if it is below one of the
    /// outline's nodes, and 0 if it is new within the bound.
    pub fn expanded_below(&self, node: &[u8], share: u64) -> u64 {
        let shared = || self.above(node).map_or(0, |_| share);
        self.at_or_below(node).map_or_else(shared, |seen| seen.expanded)
    }

    /// What was seen at the outline's nodes that are this node or below it.
    fn at_or_below(&self, node: &[u8]) -> Option<Seen> {
        let from = &self.subtrees[self.first_from(node)..];
        let below = from.iter().take_while(|subtree| subtree.trail.starts_with(node));
        below.map(Seen::of).reduce(Seen::and)
    }

    /// The outline's node that is above this node.
    fn above(&self, node: &[u8]) -> Option<&SeenSubtree> {
        let before = self.subtrees[..self.first_from(node)].last();
        before.filter(|subtree| node.starts_with(&subtree.trail))
    }

    fn first_from(&self, node: &[u8]) -> usize {
        self.subtrees.partition_point(|subtree| *subtree.trail < *node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_found_above_and_below() {
        let seen = |trail: &[u8], least_h, expanded| SeenSubtree {
            trail: trail.to_vec(),
            least_h: Some(least_h),
            expanded,
        };
        let outline = Outline::new(vec![
            seen(&[3, 1], 9, 30),
            seen(&[1, 2], 7, 5),
            seen(&[1, 0], 8, 20),
            seen(&[2, 2], 7, 4),
        ]);
        assert_eq!(outline.expanded(), 59);
        for (node, expected) in [
            (vec![], 59),
            (vec![1], 25),
            (vec![1, 0], 20),
            (vec![1, 0, 5], 3),
            (vec![1, 2, 0], 3),
            (vec![1, 1], 0),
            (vec![0], 0),
            (vec![4, 0], 0),
        ] {
            assert_eq!(outline.expanded_below(&node, 3), expected, "{node:?}");
        }
        let roots = [vec![4], vec![3, 1, 0], vec![1], vec![0], vec![2]];
        assert_eq!(outline.order(&roots), [4, 2, 1, 0, 3]);
        assert_eq!(Outline::default().order(&roots), [0, 1, 2, 3, 4]);
        assert_eq!(Outline::default().expanded_below(&roots[0], 3), 0);
    }
}
