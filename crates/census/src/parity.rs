//! Surveys of up to a billion occupied sets, which find components and parity at four bits per set.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hyperslide_puzzle::{
    Board, Permutation, PermutationGroup, Regime, Vertex, VertexSet, classify,
};
use hyperslide_table::{binomial, subset_rank};
use num_bigint::BigUint;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::survey::{factorial, subsets};

/// A kind of components: those that agree in everything that the survey determines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentKind {
    /// The number of occupied sets of each component, |K|.
    pub occupied_sets: u64,
    /// The regime, `semi-isolated` or `mobile`.
    pub regime: String,
    /// The number of tokens that never move.
    pub stuck_tokens: usize,
    /// Whether all closed walks permute the tokens evenly.
    pub even_permutations_only: bool,
    /// The order |H| of the group of closed walks in decimal, for mobile components only.
    pub arrangements: Option<String>,
}

/// The result of a survey of a very large number of occupied sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParitySurvey {
    /// The board.
    pub board: String,
    /// The metric.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of occupied sets.
    pub occupied_sets: u64,
    /// The number of occupied sets on which no token can move.
    pub isolated_sets: u64,
    /// The kinds of the other components of the occupancy graph, each with the number of
    /// components.
    pub components: Vec<(ComponentKind, u64)>,
    /// The number of components of the puzzle graph with distinguishable tokens whose
    /// configurations are mobile.
    pub mobile_components: String,
    /// Whether there are exactly two such components, which differ by parity.
    pub strong_parity: bool,
}

/// Why a survey failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParityError {
    /// The survey needs more memory than allowed.
    #[error(
        "{sets} occupied sets need {bytes} bytes at four bits each, but only {limit} may be used: \
         raise --limit-memory if the machine has more"
    )]
    TooManySets {
        /// The number of occupied sets.
        sets: u64,
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The closed walks tried do not determine the group of a component.
    #[error(
        "{walks} random closed walks in a component of {sets} occupied sets generate a group of order \
         {order}, but it is not known whether all closed walks generate a larger one"
    )]
    GroupUnknown {
        /// The number of closed walks tried.
        walks: usize,
        /// The number of occupied sets of the component.
        sets: u64,
        /// The order of the group found.
        order: String,
    },
    /// The survey was cancelled.
    #[error("cancelled before the survey was complete")]
    Cancelled,
}

/// The greatest number of occupied sets of a component whose group is computed from all closed
/// walks. In larger components, random closed walks are added until they generate all permutations,
/// or all even ones.
const SETS_FOR_THE_GROUP: u64 = 20_000;

/// The greatest number of random closed walks that are tried.
const WALKS: usize = 1_000;

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
struct Marks {
    words: Vec<AtomicU64>,
    vertices: VertexSet,
    by_empty: bool,
}

impl Marks {
    fn new(board: &Board, tokens: usize) -> Marks {
        let vertices = board.vertex_count();
        let words = binomial(vertices, tokens).div_ceil(16) as usize;
        Marks {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            vertices: VertexSet::first(vertices),
            // The rank of the smaller of the two sets is a shorter sum.
            by_empty: tokens * 2 > vertices,
        }
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

impl ParitySurvey {
    /// Surveys all occupied sets of a board with the given number of empty vertices. Each component
    /// is explored with the parity of one walk to each set; a slide closes an odd walk if the
    /// parities at its ends disagree (Lemmas 6.2 and 6.3 of Beyer et al. 2023, with the tree of a
    /// breadth-first search).
    ///
    /// Memory: four bits per occupied set, and 16 bytes for each set of the largest layer.
    ///
    /// # Errors
    ///
    /// Returns an error if the survey needs more than `memory` bytes, if the order of a group
    /// remains unknown, or if the survey is cancelled.
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn new(
        board: &Board,
        empty: usize,
        memory: u64,
        threads: usize,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(u64),
    ) -> Result<ParitySurvey, ParityError> {
        let vertices = board.vertex_count();
        assert!(empty <= vertices, "{empty} empty vertices of {vertices}");
        let tokens = vertices - empty;
        let sets = binomial(vertices, tokens);
        let bytes = sets.div_ceil(2);
        if bytes > memory {
            return Err(ParityError::TooManySets { sets, bytes, limit: memory });
        }
        let marks = Marks::new(board, tokens);
        let mut isolated_sets = 0;
        let mut seen = 0u64;
        let mut kinds: BTreeMap<ComponentKind, u64> = BTreeMap::new();
        let size = if marks.by_empty { empty } else { tokens };
        for (rank, subset) in subsets(vertices, size).enumerate() {
            if marks.get(rank as u64).is_some() {
                continue;
            }
            let first = if marks.by_empty { marks.vertices - subset } else { subset };
            if first.into_iter().all(|vertex| board.destinations(vertex, first).is_empty()) {
                isolated_sets += 1;
                seen += 1;
                if seen.is_multiple_of(1 << 20) {
                    tell(seen);
                    if cancel.load(Ordering::Relaxed) {
                        return Err(ParityError::Cancelled);
                    }
                }
                continue;
            }
            marks.mark(first, Mark { odd: false, depth: 0 });
            let mut depth = 0u64;
            let (mut occupied_sets, mut even_only, mut still) = (1u64, true, first);
            let mut layer = vec![(first.bits(), false)];
            while !layer.is_empty() {
                if cancel.load(Ordering::Relaxed) {
                    return Err(ParityError::Cancelled);
                }
                let share = if layer.len() < SHARED {
                    layer.len()
                } else {
                    layer.len().div_ceil(threads.max(1))
                };
                depth += 1;
                let explore = |part: &[(u64, bool)]| explore(board, &marks, part, depth % 3, still);
                let parts: Vec<LayerShare> = if share == layer.len() {
                    vec![explore(&layer)]
                } else {
                    std::thread::scope(|scope| {
                        let parts =
                            layer.chunks(share).map(|part| scope.spawn(move || explore(part)));
                        let parts: Vec<_> = parts.collect();
                        let join = |part: std::thread::ScopedJoinHandle<'_, LayerShare>| {
                            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                        };
                        parts.into_iter().map(join).collect()
                    })
                };
                layer.clear();
                for part in parts {
                    even_only &= part.even_only;
                    still = still & part.still;
                    layer.extend(part.next);
                }
                occupied_sets += layer.len() as u64;
                if layer.len() > SHARED {
                    tell(seen + occupied_sets);
                }
            }
            seen += occupied_sets;
            let kind = component(board, &marks, first, depth, occupied_sets, even_only, still)?;
            *kinds.entry(kind).or_default() += 1;
        }
        let mobile = |(kind, count): &(ComponentKind, u64)| -> Option<BigUint> {
            let order: BigUint = kind.arrangements.as_ref()?.parse().ok()?;
            Some(factorial(tokens) / order * *count)
        };
        let components: Vec<(ComponentKind, u64)> = kinds.into_iter().rev().collect();
        let mobile_components: BigUint = components.iter().filter_map(mobile).sum();
        let is_even = |(kind, _): &(ComponentKind, u64)| {
            kind.regime != Regime::Mobile.to_string() || kind.even_permutations_only
        };
        Ok(ParitySurvey {
            board: board.spec().to_string(),
            metric: board.metric().name().to_owned(),
            empty,
            occupied_sets: sets,
            isolated_sets,
            strong_parity: mobile_components == BigUint::from(2u32)
                && components.iter().all(is_even),
            components,
            mobile_components: mobile_components.to_string(),
        })
    }
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

/// Returns the kind of a component, given one of its sets.
fn component(
    board: &Board,
    marks: &Marks,
    first: VertexSet,
    depth: u64,
    occupied_sets: u64,
    even_only: bool,
    stuck: VertexSet,
) -> Result<ComponentKind, ParityError> {
    let regime = if stuck.is_empty() { Regime::Mobile } else { Regime::SemiIsolated };
    let kind = |arrangements: Option<BigUint>| ComponentKind {
        occupied_sets,
        regime: regime.to_string(),
        stuck_tokens: stuck.len(),
        even_permutations_only: even_only,
        arrangements: arrangements.map(|order| order.to_string()),
    };
    if regime != Regime::Mobile {
        return Ok(kind(None));
    }
    let arrangements = if occupied_sets <= SETS_FOR_THE_GROUP {
        let found = classify(board, first, SETS_FOR_THE_GROUP as usize);
        found.component.expect("the component has no more sets").arrangements
    } else {
        // The group found is a subgroup of that of all closed walks. With `even_only`, the latter
        // is a subgroup of the alternating group; otherwise it has an odd permutation.
        let alternating = factorial(first.len()) / 2u32;
        let mut group = PermutationGroup::trivial(first.len());
        let mut random = SplitMix64::seed_from_u64(0);
        let mut walks = 0;
        while group.order() < alternating {
            if walks == WALKS {
                let (sets, order) = (occupied_sets, group.order().to_string());
                return Err(ParityError::GroupUnknown { walks, sets, order });
            }
            // Tokens that are far apart in a narrow graph are exchanged by long walks only.
            let length = (4 * depth) << (walks / 100);
            walks += 1;
            group.insert(&closed_walk(board, marks, first, length, &mut random));
        }
        if even_only { alternating } else { alternating * 2u32 }
    };
    Ok(kind(Some(arrangements)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Survey;
    use hyperslide_puzzle::{BoardSpec, Metric};

    #[test]
    fn agrees_with_the_smaller_survey() {
        let never = AtomicBool::new(false);
        for (d, k) in [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)] {
            let board = Board::new(BoardSpec::Cube { d, k }, Metric::Face).unwrap();
            for empty in 1..1 << d {
                let large =
                    ParitySurvey::new(&board, empty, u64::MAX, 2, &never, &mut |_| {}).unwrap();
                let small = Survey::new(&board, empty).unwrap();
                assert_eq!(large.isolated_sets, small.isolated_sets, "{board} {empty}");
                let mut expected: BTreeMap<ComponentKind, u64> = BTreeMap::new();
                for kind in &small.types {
                    let key = ComponentKind {
                        occupied_sets: kind.occupied_sets,
                        regime: kind.regime.to_string(),
                        stuck_tokens: kind.stuck.len(),
                        even_permutations_only: kind.even_only,
                        arrangements: (kind.regime == Regime::Mobile)
                            .then(|| kind.arrangements.to_string()),
                    };
                    *expected.entry(key).or_default() += kind.occupancy_components;
                }
                let found: BTreeMap<ComponentKind, u64> = large.components.into_iter().collect();
                assert_eq!(found, expected, "{board} {empty}");
            }
        }
    }
}
