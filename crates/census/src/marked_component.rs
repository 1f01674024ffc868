//! Components of the occupancy graph explored with four bits per set, and their groups of closed
//! walks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use hyperslide_puzzle::{
    Board, Permutation, PermutationGroup, Regime, Vertex, VertexSet, classify, factorial,
};
use hyperslide_table::{binomial, spawn, subset_rank};
use num_bigint::BigUint;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::survey::subsets;

/// The greatest number of occupied sets of a component whose group is computed from all closed
/// walks. In larger components, random closed walks are added until they generate all permutations,
/// or all even ones.
pub(crate) const SETS_FOR_THE_GROUP: u64 = 20_000;

/// The greatest number of random closed walks that are tried where there is no other way.
pub(crate) const WALKS: usize = 1_000;

/// The number of sets of a layer that are explored between two checks.
const PART: usize = 1 << 18;

/// The number of sets of a layer from which on several threads are worth their cost.
const SHARED: usize = 1 << 14;

/// The mark of a visited set: the parity of a walk to it, and the length of a shortest walk modulo
/// 3.
#[derive(Clone, Copy)]
struct Mark {
    odd: bool,
    depth: u64,
}

/// Four bits for the set of each rank: whether it was visited, and its [`Mark`].
pub(crate) struct Marks {
    words: Vec<AtomicU64>,
    vertices: VertexSet,
    by_empty: bool,
}

impl Marks {
    pub fn new(board: &Board, tokens: usize) -> Marks {
        let vertices = board.vertex_count();
        let words = binomial(vertices, tokens).div_ceil(16) as usize;
        Marks {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            vertices: VertexSet::first(vertices),
            // The rank of the smaller of the two sets is a shorter sum.
            by_empty: tokens * 2 > vertices,
        }
    }

    /// Returns all sets of `tokens` vertices with their ranks, in ascending order of rank.
    pub fn sets(&self, tokens: usize) -> impl Iterator<Item = (u64, VertexSet)> + use<> {
        let (vertices, by_empty) = (self.vertices, self.by_empty);
        let size = if by_empty { vertices.len() - tokens } else { tokens };
        let set = move |set| if by_empty { vertices - set } else { set };
        (0..).zip(subsets(vertices.len(), size).map(set))
    }

    /// Returns whether the set of this rank has been visited.
    pub fn is_marked(&self, rank: u64) -> bool {
        self.get(rank).is_some()
    }

    fn rank(&self, set: VertexSet) -> u64 {
        subset_rank(if self.by_empty { self.vertices - set } else { set }.bits())
    }

    fn at(&self, rank: u64) -> (&AtomicU64, u64) {
        (&self.words[rank as usize / 16], rank % 16 * 4)
    }

    fn get(&self, rank: u64) -> Option<Mark> {
        let (word, shift) = self.at(rank);
        Self::read(word.load(Ordering::Relaxed) >> shift)
    }

    fn read(bits: u64) -> Option<Mark> {
        (bits & 1 == 1).then_some(Mark { odd: bits & 2 == 2, depth: bits >> 2 & 3 })
    }

    /// Marks a set. If it is already marked, leaves the mark and returns it.
    fn mark(&self, set: VertexSet, mark: Mark) -> Option<Mark> {
        let (word, shift) = self.at(self.rank(set));
        let bits = (1 | u64::from(mark.odd) << 1 | mark.depth << 2) << shift;
        let mut known = word.load(Ordering::Relaxed);
        loop {
            if let Some(mark) = Self::read(known >> shift) {
                return Some(mark);
            }
            match word.compare_exchange_weak(
                known,
                known | bits,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return None,
                Err(now) => known = now,
            }
        }
    }
}

/// The results of one thread for its share of a layer.
struct LayerShare {
    next: Vec<(u64, bool)>,
    even_only: bool,
    still: VertexSet,
}

/// A component of the occupancy graph whose sets have been marked.
pub(crate) struct MarkedComponent {
    first: VertexSet,
    /// One more than the greatest distance from the first set.
    depth: u64,
    /// The number of occupied sets.
    pub occupied_sets: u64,
    /// Whether every closed walk induces an even permutation of the tokens.
    pub even_only: bool,
    /// The vertices of the first set whose tokens never move.
    pub stuck: VertexSet,
}

/// The closed walks tried do not determine the group of a component.
pub(crate) struct GroupUnknown {
    /// The number of closed walks tried.
    pub walks: usize,
    /// The order of the group that they generate.
    pub order: BigUint,
}

impl MarkedComponent {
    /// Explores the component of an unmarked set layer by layer and marks all of its sets. `check`
    /// is called regularly with the number of sets so far and the number of bytes held.
    ///
    /// # Errors
    ///
    /// Returns the error of `check`.
    pub fn explore<E>(
        board: &Board,
        marks: &Marks,
        first: VertexSet,
        threads: usize,
        check: &mut dyn FnMut(u64, usize) -> Result<(), E>,
    ) -> Result<MarkedComponent, E> {
        marks.mark(first, Mark { odd: false, depth: 0 });
        let mut found =
            MarkedComponent { first, depth: 0, occupied_sets: 1, even_only: true, stuck: first };
        let mut layer = vec![(first.bits(), false)];
        while !layer.is_empty() {
            found.depth += 1;
            let mut next: Vec<(u64, bool)> = Vec::new();
            for part in layer.chunks(PART) {
                let bytes = (layer.capacity() + next.capacity()) * size_of::<(u64, bool)>();
                check(found.occupied_sets, bytes)?;
                let depth = found.depth % 3;
                for share in explore_layer(board, marks, part, depth, found.stuck, threads) {
                    found.even_only &= share.even_only;
                    found.stuck = found.stuck & share.still;
                    found.occupied_sets += share.next.len() as u64;
                    next.extend(share.next);
                }
            }
            layer = next;
        }
        Ok(found)
    }

    /// Returns how freely the tokens move.
    pub fn regime(&self) -> Regime {
        if self.stuck.is_empty() { Regime::Mobile } else { Regime::SemiIsolated }
    }

    /// Returns the order of the group of all closed walks, or what is known of it if the component
    /// is large and `most` random closed walks generate neither all permutations nor all even
    /// ones. `check` is called before each walk.
    ///
    /// # Errors
    ///
    /// Returns the error of `check`.
    pub fn group_order<E>(
        &self,
        board: &Board,
        marks: &Marks,
        most: usize,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Result<BigUint, GroupUnknown>, E> {
        if self.occupied_sets <= SETS_FOR_THE_GROUP {
            let found = classify(board, self.first, SETS_FOR_THE_GROUP as usize);
            return Ok(Ok(found.component.expect("the component has no more sets").arrangements));
        }
        // The group found is a subgroup of that of all closed walks. With `even_only`, the latter
        // is a subgroup of the alternating group of the tokens that move; otherwise it has an odd
        // permutation. Three tokens or more move, since fewer would have fewer sets.
        let alternating = factorial(self.first.len() - self.stuck.len()) / 2u32;
        let mut group = PermutationGroup::trivial(self.first.len());
        let mut random = SplitMix64::seed_from_u64(0);
        let mut walks = 0;
        while group.order() < alternating {
            if walks == most {
                return Ok(Err(GroupUnknown { walks, order: group.order() }));
            }
            check()?;
            // Tokens that are far apart in a narrow graph are exchanged by long walks only.
            let length = (4 * self.depth) << (walks / 100);
            walks += 1;
            group.insert(&closed_walk(board, marks, self.first, length, &mut random));
        }
        Ok(Ok(if self.even_only { alternating } else { alternating * 2u32 }))
    }
}

/// Follows all slides from a layer, with several threads if it is large.
fn explore_layer(
    board: &Board,
    marks: &Marks,
    layer: &[(u64, bool)],
    depth: u64,
    still: VertexSet,
    threads: usize,
) -> Vec<LayerShare> {
    if layer.len() < SHARED || threads <= 1 {
        return vec![explore(board, marks, layer, depth, still)];
    }
    std::thread::scope(|scope| {
        let shares = layer.chunks(layer.len().div_ceil(threads));
        let begun: Vec<_> = shares
            .map(|share| (share, spawn(scope, move || explore(board, marks, share, depth, still))))
            .collect();
        let end = |(share, thread): (_, Option<ScopedJoinHandle<'_, LayerShare>>)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system has no thread left.
            None => explore(board, marks, share, depth, still),
        };
        begun.into_iter().map(end).collect()
    })
}

/// Follows all slides from some sets of a layer.
fn explore(
    board: &Board,
    marks: &Marks,
    layer: &[(u64, bool)],
    depth: u64,
    still: VertexSet,
) -> LayerShare {
    let mut part = LayerShare { next: Vec::new(), even_only: true, still };
    for &(bits, odd) in layer {
        let set = VertexSet::from_bits(bits);
        part.still = part.still & set;
        for from in set {
            let destinations = board.destinations(from, set);
            if !destinations.is_empty() {
                part.still.remove(from);
            }
            for to in destinations {
                let target = set.moved(from, to);
                // In the row, the token passes all tokens between the two vertices.
                let (low, high) = (from.index().min(to.index()), from.index().max(to.index()));
                let between = (bits >> low >> 1) & ((1u64 << (high - low - 1)) - 1);
                let target_odd = odd != (between.count_ones() % 2 == 1);
                match marks.mark(target, Mark { odd: target_odd, depth }) {
                    None => part.next.push((target.bits(), target_odd)),
                    Some(known) => part.even_only &= known.odd == target_odd,
                }
            }
        }
    }
    part
}

/// Walks at random from a set and returns on a shortest path. Returns the permutation of the tokens
/// that this closed walk makes.
fn closed_walk(
    board: &Board,
    marks: &Marks,
    first: VertexSet,
    length: u64,
    random: &mut SplitMix64,
) -> Permutation {
    let slot_of: Vec<Vertex> = first.into_iter().collect();
    let mut places = slot_of.clone();
    let mut set = first;
    let mut slide = |set: &mut VertexSet, from: Vertex, to: Vertex| {
        let slot = places.iter().position(|&place| place == from).expect("a token slides");
        places[slot] = to;
        *set = set.moved(from, to);
    };
    let slides = |set: VertexSet| {
        let from = set.into_iter();
        from.flat_map(move |from| {
            board.destinations(from, set).into_iter().map(move |to| (from, to))
        })
    };
    for _ in 0..length {
        let all: Vec<(Vertex, Vertex)> = slides(set).collect();
        let (from, to) = all[(random.next_u64() % all.len() as u64) as usize];
        slide(&mut set, from, to);
    }
    while set != first {
        let depth_of = |set| marks.get(marks.rank(set)).expect("the component was explored").depth;
        let nearer = (depth_of(set) + 2) % 3;
        let (from, to) = slides(set)
            .find(|&(from, to)| depth_of(set.moved(from, to)) == nearer)
            .expect("a shortest walk leads to every set");
        slide(&mut set, from, to);
    }
    let images: Vec<usize> = places
        .iter()
        .map(|place| slot_of.iter().position(|slot| slot == place).expect("the walk is closed"))
        .collect();
    Permutation::from_images(&images).expect("a walk permutes the tokens")
}
