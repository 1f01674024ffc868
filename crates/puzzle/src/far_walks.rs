//! Proofs that a goal can be reached among more occupied sets than can be explored.
//!
//! Two things suffice: one path of slides from the start's occupied set to the goal's, and enough
//! closed walks to rearrange the tokens after it. Around the start and the goal, many tokens are
//! often blocked by each other, so that an exploration finds few closed walks however far it goes,
//! and a path into that region is hard to find. A long random walk moves all tokens that can move.
//! So one leads away from the goal, others away from the start, and paths join their ends.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashSet;

use crate::board::Board;
use crate::occupancy::ranks;
use crate::permutation_group::{Found, PermutationGroup};
use crate::slot_goals::SlotGoals;
use crate::state::Move;
use crate::vertex::{Vertex, VertexSet};

/// The greatest number of occupied sets that a path between the ends of two walks may see.
const PATH_SETS: usize = 1 << 14;
/// The number of slides of a random walk. All 16 tokens of random states on `cube:5:3` that can
/// move at all have moved after some 1,500.
const SLIDES: usize = 1 << 12;
/// The greatest number of paths that are tried, between the start and the goal and then between the
/// ends of longer and longer walks from both: about half of those that exist are missed.
const ATTEMPTS: usize = 8;
/// The greatest number of random walks.
const WALKS: usize = 32;
/// The number of walks in a row that rearrange nothing new after which no more are made.
const UNCHANGED: usize = 4;

/// A component counts as too large to be explored if it seems to have more than this many times the
/// occupied sets that may be explored.
const LARGER: usize = 8;

/// What walks far from the start show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FarWalks {
    /// The goal can be reached.
    Reached,
    /// All arrangements of one parity can be reached, and the goal has the other. Only exploring
    /// the whole component can exclude that some closed walk is odd, and the component has far more
    /// occupied sets than may be explored.
    OtherParity,
    /// Nothing.
    Nothing,
}

/// Looks for a way to the goal, whose occupied set is `set`. The group holds the closed walks that
/// are known already, and `limit` is the number of occupied sets that may be explored.
pub(crate) fn walk_far(
    goals: &SlotGoals<'_>,
    set: VertexSet,
    group: &PermutationGroup,
    limit: usize,
    mut steps: u64,
    stop: &dyn Fn(u64) -> bool,
) -> FarWalks {
    let board = goals.puzzle.board();
    let mut random = SplitMix64::seed_from_u64(0);
    let mut from_goal = Walker::new(set);
    let mut from_start = Walker::new(goals.puzzle.start().occupied());
    let first = (0..ATTEMPTS).find_map(|attempt| {
        if attempt > 0 {
            from_goal.walk(board, &mut random, |_| ());
            from_start.walk(board, &mut random, |_| ());
        }
        from_start.path_to(board, from_goal.set, stop)
    });
    let Some(first) = first else { return FarWalks::Nothing };
    // On the way back to the goal, a token on a vertex of this set goes to where the walk from the
    // goal came from.
    let end = |place: &Vertex| {
        let rank = from_goal.places.iter().position(|other| other == place);
        let vertex = set.into_iter().nth(rank.expect("both occupy the same vertices"));
        vertex.expect("a walk keeps the number of tokens").index() as u8
    };
    let vertices: Vec<u8> = first.iter().map(end).collect();
    let mut is_met = |group: &PermutationGroup| {
        matches!(goals.met(group, &vertices, &mut steps), Found::Element(_))
    };
    if is_met(group) {
        return FarWalks::Reached;
    }
    let mut group = group.clone();
    let back = ranks(&first, from_goal.set).inverse();
    let mut unchanged = 0;
    let mut seen = [FxHashSet::default(), FxHashSet::default()];
    for walk in 0..WALKS {
        let mut step = 0;
        from_start.walk(board, &mut random, |set| {
            // Its first half may still be near the end of the walk before.
            if step >= SLIDES / 2 {
                seen[walk % 2].insert(set.bits());
            }
            step += 1;
        });
        let held: u64 = seen.iter().map(hash_set_bytes).sum();
        let path = from_start.path_to(board, from_goal.set, &|bytes| stop(held + bytes));
        if let Some(places) = path {
            // Along the random walk, on to the end of the walk from the goal, and back along the
            // first path.
            let walk = ranks(&places, from_goal.set).then(&back);
            unchanged = if group.insert_unproven(&walk) { 0 } else { unchanged + 1 };
            if unchanged == 0 && is_met(&group) {
                return FarWalks::Reached;
            }
        }
        if stop(held) {
            return FarWalks::Nothing;
        }
        if unchanged == UNCHANGED {
            break;
        }
    }
    let [first, second] = &seen;
    // In a component of `limit` occupied sets, two random samples would share this many.
    let expected = first.len() * second.len() / limit;
    if group.is_alternating() && first.intersection(second).count() * LARGER < expected {
        return FarWalks::OtherParity;
    }
    FarWalks::Nothing
}

/// A random walk, and the vertex that each slot's token has come to.
struct Walker {
    set: VertexSet,
    places: Vec<Vertex>,
}

impl Walker {
    fn new(set: VertexSet) -> Walker {
        Walker { set, places: Vec::from_iter(set) }
    }

    /// Walks on by [`SLIDES`] slides and passes every occupied set on the way to `visit`.
    fn walk(&mut self, board: &Board, random: &mut SplitMix64, mut visit: impl FnMut(VertexSet)) {
        let mut ways: Vec<Move> = Vec::new();
        for _ in 0..SLIDES {
            ways.clear();
            ways.extend(slides(board, self.set));
            let Some(count) = NonZeroU64::new(ways.len() as u64) else { return };
            let slide = ways[(random.next_u64() % count) as usize];
            self.set = self.set.moved(slide.from, slide.to);
            follow(&mut self.places, slide);
            visit(self.set);
        }
    }

    /// Finds some path of slides from the end of the walk to an occupied set, always from the set
    /// that shares the most vertices with that one. Returns the vertex of each slot's token at its
    /// end.
    fn path_to(
        &self,
        board: &Board,
        goal: VertexSet,
        stop: &dyn Fn(u64) -> bool,
    ) -> Option<Vec<Vertex>> {
        let missing = |set: VertexSet| (goal - set).len();
        let mut seen = FxHashSet::from_iter([self.set.bits()]);
        let mut sets = vec![(self.set, self.places.clone())];
        let mut open = BTreeSet::from([(missing(self.set), 0)]);
        // Bytes of a set with its places, and of its entry in the tree, whose nodes are half full
        // or more.
        let each = size_of::<(VertexSet, Vec<Vertex>)>()
            + self.places.len()
            + 2 * size_of::<(usize, usize)>();
        let bytes = |sets: &Vec<_>, seen: &FxHashSet<u64>| {
            (sets.capacity() * each) as u64 + hash_set_bytes(seen)
        };
        while let Some((_, number)) = open.pop_first() {
            let (set, places) = sets[number].clone();
            if set == goal {
                return (!stop(bytes(&sets, &seen))).then_some(places);
            }
            for slide in slides(board, set) {
                let next = set.moved(slide.from, slide.to);
                if !seen.insert(next.bits()) {
                    continue;
                }
                let is_time = sets.len().is_multiple_of(1 << 10);
                if (is_time && stop(bytes(&sets, &seen))) || sets.len() == PATH_SETS {
                    return None;
                }
                let mut places = places.clone();
                follow(&mut places, slide);
                open.insert((missing(next), sets.len()));
                sets.push((next, places));
            }
        }
        None
    }
}

/// Bytes of a set of hashes: an entry and a byte for each of eight sevenths of its capacity.
fn hash_set_bytes(set: &FxHashSet<u64>) -> u64 {
    set.capacity() as u64 * 8 / 7 * (size_of::<u64>() as u64 + 1)
}

fn slides(board: &Board, set: VertexSet) -> impl Iterator<Item = Move> {
    set.into_iter().flat_map(move |from| {
        board.destinations(from, set).into_iter().map(move |to| Move { from, to })
    })
}

fn follow(places: &mut [Vertex], slide: Move) {
    for place in places.iter_mut().filter(|place| **place == slide.from) {
        *place = slide.to;
    }
}
