//! What an iteration of IDA* has seen, which tells where the next one is likely to find a solution, and which
//! subtrees will be large.
//!
//! Ordering nodes by the last iteration was studied by Powley and Korf (IEEE PAMI 13, 1991, pp. 466-477) and by
//! Reinefeld and Marsland (IEEE PAMI 16, 1994, pp. 701-710).

use std::cmp::Reverse;

use hyperslide_puzzle::Move;
use rustc_hash::FxHashMap;

use crate::proof::SeenSubtree;

/// The path of the empty vertex to a node.
pub(crate) type Trail = Vec<u8>;

/// Returns the path of the empty vertex that some moves make.
pub(crate) fn trail(path: &[Move]) -> Trail {
    path.iter().map(|mv| mv.from.index() as u8).collect()
}

/// What was seen below a node. The greater, the sooner the node's turn: a solution is most likely where the search
/// came closest to the goal, and of several such subtrees the smallest takes the least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    least_h: Reverse<u32>,
    expanded: Reverse<u64>,
}

/// What an iteration saw below each of the nodes that it was divided at, none of which is below another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// Ascending by trail.
    subtrees: Vec<SeenSubtree>,
}

/// Where an outline has a node.
enum Found {
    /// It, or nodes below it.
    Below(Seen),
    /// The number of the node above it.
    Above(usize),
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
        self.subtrees.iter().map(|subtree| subtree.expanded).sum()
    }

    /// Returns the order in which the next iteration is to search its subtrees, as their numbers. Those of
    /// which nothing was seen, since they are new within the bound, come last.
    pub fn order(&self, roots: &[Trail]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..roots.len() as u32).collect();
        order.sort_by_cached_key(|&number| {
            Reverse(self.find(&roots[number as usize]).map(|found| match found {
                Found::Below(seen) => seen,
                Found::Above(above) => seen_in(&self.subtrees[above]),
            }))
        });
        order
    }

    /// Returns how many states were expanded below each of some nodes. Those below a node of this outline share
    /// what was expanded there; of nodes that are new it is 0.
    pub fn shares(&self, nodes: &[Trail]) -> Vec<u64> {
        let found: Vec<Option<Found>> = nodes.iter().map(|trail| self.find(trail)).collect();
        let mut sharing: FxHashMap<usize, u64> = FxHashMap::default();
        for found in &found {
            if let Some(Found::Above(above)) = found {
                *sharing.entry(*above).or_default() += 1;
            }
        }
        let share = |found: &Option<Found>| match found {
            None => 0,
            Some(Found::Below(seen)) => seen.expanded.0,
            Some(Found::Above(above)) => self.subtrees[*above].expanded / sharing[above],
        };
        found.iter().map(share).collect()
    }

    /// Returns how many states were expanded below one node, given the share of a node below one of this outline.
    pub fn share(&self, node: &Trail, share: u64) -> u64 {
        self.find(node).map_or(0, |found| match found {
            Found::Below(seen) => seen.expanded.0,
            Found::Above(_) => share,
        })
    }

    fn find(&self, trail: &Trail) -> Option<Found> {
        let first = self.subtrees.partition_point(|subtree| subtree.trail < *trail);
        let below = self.subtrees[first..].iter().take_while(|one| one.trail.starts_with(trail));
        let both = |one: Seen, other: Seen| Seen {
            least_h: one.least_h.max(other.least_h),
            expanded: Reverse(one.expanded.0 + other.expanded.0),
        };
        if let Some(seen) = below.map(seen_in).reduce(both) {
            return Some(Found::Below(seen));
        }
        let above = first.checked_sub(1)?;
        trail.starts_with(&self.subtrees[above].trail).then_some(Found::Above(above))
    }
}

fn seen_in(subtree: &SeenSubtree) -> Seen {
    let least_h = Reverse(subtree.least_h.unwrap_or(u32::MAX));
    Seen { least_h, expanded: Reverse(subtree.expanded) }
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
        let nodes = [
            vec![1],
            vec![1, 0],
            vec![1, 0, 5],
            vec![1, 0, 6],
            vec![1, 2, 0],
            vec![],
            vec![1, 1],
            vec![0],
            vec![4, 0],
        ];
        assert_eq!(outline.shares(&nodes), [25, 20, 10, 10, 5, 59, 0, 0, 0]);
        let shares = [vec![1], vec![1, 0, 5], vec![4]].map(|node| outline.share(&node, 3));
        assert_eq!(shares, [25, 3, 0]);
        let roots = [vec![4], vec![3, 1, 0], vec![1], vec![0], vec![2]];
        assert_eq!(outline.order(&roots), [4, 2, 1, 0, 3]);
        assert_eq!(Outline::default().order(&roots), [0, 1, 2, 3, 4]);
        assert_eq!(Outline::default().shares(&roots), [0; 5]);
    }
}
