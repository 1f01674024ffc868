//! Proofs that a goal can be reached among more occupied sets than can be explored.
//!
//! Two things suffice: one path of slides from the start's occupied set to the goal's, and enough
//! closed walks to rearrange the tokens after it. Around the start, many tokens are often blocked
//! by each other, so that an exploration finds few closed walks however far it goes. A long random
//! walk moves all tokens that can move, and a path from its end to the goal's set closes it.

use std::collections::BTreeSet;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashSet;

use crate::board::Board;
use crate::occupancy::ranks;
use crate::permutation_group::{Found, PermutationGroup};
use crate::slot_goals::SlotGoals;
use crate::state::Move;
use crate::vertex::{Vertex, VertexSet};

/// The greatest number of occupied sets that the path from the start to the goal may see.
const PATH_SETS: usize = 1 << 14;
/// The number of slides of a random walk. All 16 tokens of random states on `cube:5:3` that can move
/// at all have moved after some 1,500.
const SLIDES: usize = 1 << 12;
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
    /// All arrangements of one parity can be reached, and the goal has the other. Only exploring the
    /// whole component can exclude that some closed walk is odd, and the component has far more
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
    let start = goals.puzzle.start().occupied();
    let Some(end) = path(board, start, set, stop) else { return FarWalks::Nothing };
    let vertices: Vec<u8> = end.iter().map(|vertex| vertex.index() as u8).collect();
    let mut is_met = |group: &PermutationGroup| {
        matches!(goals.met(group, &vertices, &mut steps), Found::Element(_))
    };
    if is_met(group) {
        return FarWalks::Reached;
    }
    let mut group = group.clone();
    let mut random = SplitMix64::seed_from_u64(0);
    let home = ranks(&end, set).inverse();
    let (mut here, mut places) = (start, Vec::from_iter(start));
    let mut unchanged = 0;
    let mut seen = [FxHashSet::default(), FxHashSet::default()];
    for walk in 0..WALKS {
        for step in 0..SLIDES {
            let slides: Vec<Move> = slides(board, here).collect();
            if slides.is_empty() {
                return FarWalks::Nothing;
            }
            let slide = slides[(random.next_u64() % slides.len() as u64) as usize];
            here = here.moved(slide.from, slide.to);
            follow(&mut places, slide);
            // Its first half may still be near the end of the walk before.
            if step >= SLIDES / 2 {
                seen[walk % 2].insert(here.bits());
            }
        }
        let held: u64 = seen.iter().map(hash_set_bytes).sum();
        if let Some(end) = path(board, here, set, &|bytes| stop(held + bytes)) {
            // Along the random walk, on to the goal's set, and back along the first path.
            let walk = ranks(&places, here).then(&ranks(&end, set)).then(&home);
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

/// Finds some path of slides from one occupied set to another, always from the set that shares the
/// most vertices with the goal. Returns the vertex of each slot's token at its end.
fn path(
    board: &Board,
    start: VertexSet,
    goal: VertexSet,
    stop: &dyn Fn(u64) -> bool,
) -> Option<Vec<Vertex>> {
    let missing = |set: VertexSet| (goal - set).len();
    let mut seen = FxHashSet::from_iter([start.bits()]);
    let mut sets = vec![(start, Vec::from_iter(start))];
    let mut open = BTreeSet::from([(missing(start), 0)]);
    // Bytes of a set with its places, and of its entry in the tree, whose nodes are half full or more.
    let each =
        size_of::<(VertexSet, Vec<Vertex>)>() + start.len() + 2 * size_of::<(usize, usize)>();
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
