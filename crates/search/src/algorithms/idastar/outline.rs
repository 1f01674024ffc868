//! What an iteration of IDA* has seen, which tells where the next one is likely to find a solution.
//!
//! Ordering nodes by the last iteration was studied by Powley and Korf (IEEE PAMI 13, 1991, pp. 466-477) and by
//! Reinefeld and Marsland (IEEE PAMI 16, 1994, pp. 701-710).

use hyperslide_puzzle::Move;

/// What was seen below a node. The less, the sooner the node's turn: a solution is most likely where the
/// search came closest to the goal, and of several such subtrees the smallest takes the least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    /// The least estimate of an expanded state.
    pub least_h: u32,
    /// The number of expanded states.
    pub expanded: u64,
}

/// The path of the empty vertex to a node.
pub(crate) type Trail = Vec<u8>;

/// Returns the path of the empty vertex that some moves make.
pub(crate) fn trail(path: &[Move]) -> Trail {
    path.iter().map(|mv| mv.from.index() as u8).collect()
}

/// What an iteration saw below each of the nodes that it was divided at, none of which is below another.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Ascending by trail.
    subtrees: Vec<(Trail, Seen)>,
}

impl Outline {
    pub fn new(mut subtrees: Vec<(Trail, Seen)>) -> Outline {
        subtrees.sort_unstable();
        Outline { subtrees }
    }

    /// Returns the order in which the next iteration is to search its subtrees, as their numbers. Those of
    /// which nothing was seen, since they are new within the bound, come last.
    pub fn order(&self, roots: &[Trail]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..roots.len() as u32).collect();
        if !self.subtrees.is_empty() {
            order.sort_by_cached_key(|&number| {
                let seen = self.below(&roots[number as usize]);
                (seen.is_none(), seen)
            });
        }
        order
    }

    /// What was seen below a node, or else below the node above it at which the iteration was divided.
    fn below(&self, trail: &Trail) -> Option<Seen> {
        let first = self.subtrees.partition_point(|(other, _)| other < trail);
        let (before, from) = self.subtrees.split_at(first);
        let below = from.iter().take_while(|(other, _)| other.starts_with(trail));
        let both = |one: Seen, other: Seen| Seen {
            least_h: one.least_h.min(other.least_h),
            expanded: one.expanded + other.expanded,
        };
        let above = || before.last().filter(|(other, _)| trail.starts_with(other));
        below.map(|&(_, seen)| seen).reduce(both).or_else(|| above().map(|&(_, seen)| seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_found_above_and_below() {
        let seen = |least_h, expanded| Seen { least_h, expanded };
        let outline = Outline::new(vec![
            (vec![3, 1], seen(9, 30)),
            (vec![1, 2], seen(7, 5)),
            (vec![1, 0], seen(8, 20)),
            (vec![2, 2], seen(7, 4)),
        ]);
        for (trail, expected) in [
            (vec![1], Some(seen(7, 25))),
            (vec![1, 0], Some(seen(8, 20))),
            (vec![1, 0, 5], Some(seen(8, 20))),
            (vec![1, 2, 0], Some(seen(7, 5))),
            (vec![], Some(seen(7, 59))),
            (vec![1, 1], None),
            (vec![0], None),
            (vec![4, 0], None),
        ] {
            assert_eq!(outline.below(&trail), expected, "{trail:?}");
        }
        let roots = [vec![4], vec![3, 1, 0], vec![1], vec![0], vec![2]];
        assert_eq!(outline.order(&roots), [4, 2, 1, 0, 3]);
        assert_eq!(Outline::default().order(&roots), [0, 1, 2, 3, 4]);
    }
}
