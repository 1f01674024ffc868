//! The survey of all occupied sets of a board with a given number of empty vertices: components,
//! orbits and types.

use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{
    Board, Regime, SymmetryGroup, VertexSet, classify, factorial, symmetry_group,
};
use hyperslide_table::{binomial, subset_rank};
use num_bigint::BigUint;
use thiserror::Error;

/// An orbit of occupied sets of one component under the board's symmetries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit {
    /// The first set of the orbit in numeric order.
    pub representative: VertexSet,
    /// The number of sets of the orbit in the component.
    pub sets: u64,
}

/// A type of components: those that the board's symmetries and relabelling take to each other.
///
/// They are isomorphic, so a result about one of them holds for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentType {
    /// An occupied set of one of the components.
    pub representative: VertexSet,
    /// How freely the tokens move.
    pub regime: Regime,
    /// The vertices of the tokens of the representative that never move.
    pub stuck: VertexSet,
    /// The number of occupied sets of each component, |K|.
    pub occupied_sets: u64,
    /// The number of arrangements of the tokens on each set: |H|, the order of the group of closed
    /// walks.
    pub arrangements: BigUint,
    /// Whether every closed walk induces an even permutation of the tokens.
    pub even_only: bool,
    /// The number of components of the occupancy graph of this type.
    pub occupancy_components: u64,
    /// The orbits of the occupied sets of one component, in ascending order.
    pub orbits: Vec<Orbit>,
}

impl ComponentType {
    /// Returns the number of configurations in each component, |K| |H|.
    pub fn size(&self) -> BigUint {
        &self.arrangements * self.occupied_sets
    }

    /// Returns the number of components of this type in the puzzle graph of the given number of
    /// distinguishable tokens.
    pub fn count(&self, tokens: usize) -> BigUint {
        factorial(tokens) / &self.arrangements * self.occupancy_components
    }
}

/// The occupancy graph of a board with a given number of tokens.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The number of tokens.
    pub tokens: usize,
    /// The number of occupied sets, a binomial coefficient: vertices over tokens.
    pub occupied_sets: u64,
    /// The number of occupied sets on which no token can move.
    pub isolated_sets: u64,
    /// The types of the components in which some token moves, the largest first.
    pub types: Vec<ComponentType>,
    /// The automorphisms of the board.
    pub symmetry: SymmetryGroup,
}

/// The error for a board with more occupied sets than a survey allows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{board} with {empty} empty vertices has {sets} occupied sets, more than the {limit} that can be surveyed: choose fewer tokens or fewer empty vertices"
)]
pub struct TooManySets {
    /// The board.
    pub board: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of occupied sets.
    pub sets: u64,
    /// The number of occupied sets allowed.
    pub limit: u64,
}

/// The greatest number of occupied sets that [`Survey::new`] surveys, at 4 bytes each for the
/// component and 4 for the orbit, 800 MB in total.
pub const MAX_OCCUPIED_SETS: u64 = 100_000_000;

const UNSEEN: u32 = u32::MAX;
const ISOLATED: u32 = u32::MAX - 1;

impl Survey {
    /// Surveys all occupied sets of a board with the given number of empty vertices.
    ///
    /// Takes time O(slides between occupied sets).
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than [`MAX_OCCUPIED_SETS`].
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn new(board: &Board, empty: usize) -> Result<Survey, TooManySets> {
        let survey = Survey::until_cancelled(board, empty, &AtomicBool::new(false))?;
        Ok(survey.expect("nobody cancels it"))
    }

    /// Does the same as [`Survey::new`], but returns `None` if `cancel` becomes true before the
    /// end.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Survey::new`].
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn until_cancelled(
        board: &Board,
        empty: usize,
        cancel: &AtomicBool,
    ) -> Result<Option<Survey>, TooManySets> {
        let vertices = board.vertex_count();
        assert!(empty <= vertices, "{empty} empty vertices of {vertices}");
        let tokens = vertices - empty;
        let occupied_sets = binomial(vertices, tokens);
        if occupied_sets > MAX_OCCUPIED_SETS {
            return Err(TooManySets {
                board: board.to_string(),
                empty,
                sets: occupied_sets,
                limit: MAX_OCCUPIED_SETS,
            });
        }
        let survey = || {
            let components = Components::new(board, tokens, cancel)?;
            let symmetry = symmetry_group(board);
            let mut alike = components.alike(&symmetry);
            let mut orbits = components.orbits(&symmetry, cancel)?;
            let types = components.types(board, &mut alike, &mut orbits, cancel)?;
            let isolated_sets = components.isolated;
            Some(Survey { tokens, occupied_sets, isolated_sets, types, symmetry })
        };
        Ok(survey())
    }
}

/// The components of the occupancy graph.
struct Components {
    vertices: usize,
    tokens: usize,
    /// For each occupied set, by its rank, the number of its component, or [`ISOLATED`].
    number: Vec<u32>,
    /// The first occupied set of each component and the number of its sets, without isolated sets.
    firsts: Vec<(VertexSet, u64)>,
    /// The number of occupied sets on which no token can move.
    isolated: u64,
}

/// The number of occupied sets between two checks of the cancel flag.
const SETS_UNASKED: usize = 1 << 12;

/// Returns whether the survey is cancelled, which is checked at every 4,096th occupied set.
fn is_cancelled(cancel: &AtomicBool, rank: usize) -> bool {
    rank.is_multiple_of(SETS_UNASKED) && cancel.load(Ordering::Relaxed)
}

/// Returns the images of an occupied set under the generators of the symmetry group.
pub(crate) fn images(symmetry: &SymmetryGroup, set: VertexSet) -> impl Iterator<Item = VertexSet> {
    symmetry.generators.iter().map(move |generator| {
        let bits: u64 = set.into_iter().map(|v| 1 << generator.image(v.index())).sum();
        VertexSet::from_bits(bits)
    })
}

impl Components {
    /// Explores the occupancy graph, or returns `None` if cancelled.
    fn new(board: &Board, tokens: usize, cancel: &AtomicBool) -> Option<Components> {
        let vertices = board.vertex_count();
        let mut number = vec![UNSEEN; binomial(vertices, tokens) as usize];
        let mut firsts: Vec<(VertexSet, u64)> = Vec::new();
        let mut isolated = 0;
        let mut queue = Vec::new();
        for (rank, set) in subsets(vertices, tokens).enumerate() {
            if is_cancelled(cancel, rank) {
                return None;
            }
            if number[rank] != UNSEEN {
                continue;
            }
            let own = firsts.len() as u32;
            number[rank] = own;
            queue.clear();
            queue.push(set);
            let mut next = 0;
            while next < queue.len() {
                if is_cancelled(cancel, next) {
                    return None;
                }
                let set = queue[next];
                next += 1;
                for from in set {
                    for to in board.destinations(from, set) {
                        let target = set.moved(from, to);
                        let entry = &mut number[subset_rank(target.bits()) as usize];
                        if *entry == UNSEEN {
                            *entry = own;
                            queue.push(target);
                        }
                    }
                }
            }
            if queue.len() == 1 {
                number[rank] = ISOLATED;
                isolated += 1;
            } else {
                firsts.push((set, queue.len() as u64));
            }
        }
        Some(Components { vertices, tokens, number, firsts, isolated })
    }

    fn sets(&self) -> impl Iterator<Item = (usize, VertexSet)> + use<> {
        subsets(self.vertices, self.tokens).enumerate()
    }

    /// Joins the components that symmetries take to each other.
    fn alike(&self, symmetry: &SymmetryGroup) -> DisjointSets {
        let mut alike = DisjointSets::new(self.firsts.len());
        for (number, &(set, _)) in self.firsts.iter().enumerate() {
            for image in images(symmetry, set) {
                alike.join(number as u32, self.number[subset_rank(image.bits()) as usize]);
            }
        }
        alike
    }

    /// Joins the occupied sets that symmetries take to each other, or returns `None` if cancelled.
    fn orbits(&self, symmetry: &SymmetryGroup, cancel: &AtomicBool) -> Option<DisjointSets> {
        let mut orbits = DisjointSets::new(self.number.len());
        for (rank, set) in self.sets() {
            if is_cancelled(cancel, rank) {
                return None;
            }
            if self.number[rank] != ISOLATED {
                for image in images(symmetry, set) {
                    orbits.join(rank as u32, subset_rank(image.bits()) as u32);
                }
            }
        }
        Some(orbits)
    }

    /// Returns the types of components, the largest first, each classified by its first component,
    /// or `None` if cancelled.
    fn types(
        &self,
        board: &Board,
        alike: &mut DisjointSets,
        orbits: &mut DisjointSets,
        cancel: &AtomicBool,
    ) -> Option<Vec<ComponentType>> {
        let mut type_of: Vec<Option<usize>> = vec![None; self.firsts.len()];
        let mut types: Vec<ComponentType> = Vec::new();
        for (number, &(set, size)) in self.firsts.iter().enumerate() {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            let root = alike.root(number as u32) as usize;
            if let Some(known) = type_of[root] {
                types[known].occupancy_components += 1;
                continue;
            }
            type_of[root] = Some(types.len());
            let found = classify(board, set, size as usize);
            let known = found.component.expect("the component has just been counted");
            types.push(ComponentType {
                representative: set,
                regime: found.regime.expect("a component that was explored has a regime"),
                stuck: found.stuck,
                occupied_sets: size,
                arrangements: known.arrangements,
                even_only: known.even_only,
                occupancy_components: 1,
                orbits: Vec::new(),
            });
        }
        let mut orbit_number = rustc_hash::FxHashMap::default();
        for (rank, set) in self.sets() {
            if is_cancelled(cancel, rank) {
                return None;
            }
            let number = self.number[rank];
            if number == ISOLATED || alike.root(number) != number {
                continue;
            }
            let Some(kind) = type_of[number as usize] else { continue };
            let known = &mut types[kind].orbits;
            let orbit = orbit_number.entry(orbits.root(rank as u32)).or_insert_with(|| {
                known.push(Orbit { representative: set, sets: 0 });
                known.len() - 1
            });
            known[*orbit].sets += 1;
        }
        types.sort_by(|a, b| {
            let key = |kind: &ComponentType| (kind.size(), kind.occupied_sets);
            key(b).cmp(&key(a)).then(a.representative.cmp(&b.representative))
        });
        Some(types)
    }
}

/// Returns all subsets of the given size of the first `count` vertices in numeric order, which is
/// that of their ranks.
pub fn subsets(count: usize, size: usize) -> impl Iterator<Item = VertexSet> {
    let all = VertexSet::first(count).bits();
    let mut next = Some(VertexSet::first(size).bits());
    std::iter::from_fn(move || {
        let set = next.filter(|set| set & !all == 0)?;
        // The next greater number with the same number of bits (Gosper's hack).
        let lowest = set & set.wrapping_neg();
        next = set
            .checked_add(lowest)
            .filter(|_| lowest != 0)
            .map(|higher| higher | (((set ^ higher) >> 2) / lowest));
        Some(VertexSet::from_bits(set))
    })
}

/// A partition of numbers into disjoint sets, whose smallest members are their roots.
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    pub fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count as u32).collect())
    }

    pub fn root(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let above = self.0[self.0[number as usize] as usize];
            self.0[number as usize] = above;
            number = above;
        }
        number
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_puzzle::{BoardSpec, Metric};

    #[test]
    fn subsets_come_in_the_order_of_their_ranks() {
        for (count, size) in [(5, 2), (6, 0), (6, 6), (64, 64), (64, 1), (64, 63)] {
            let mut expected = 0;
            for (rank, set) in subsets(count, size).enumerate() {
                assert_eq!(set.len(), size);
                assert_eq!(subset_rank(set.bits()), rank as u64, "{count} {size}");
                expected += 1;
            }
            assert_eq!(expected, binomial(count, size), "{count} {size}");
        }
    }

    #[test]
    fn the_cube_with_the_2_rule() {
        // Table 4 of Beyer et al.
        let board = Board::new(BoardSpec::Cube { d: 3, k: 2 }, Metric::Face).unwrap();
        let sizes = |empty| {
            let survey = Survey::new(&board, empty).unwrap();
            let types = survey.types.iter();
            let of = |t: &ComponentType| (t.size(), t.count(survey.tokens), t.regime);
            (survey.isolated_sets, types.map(of).collect::<Vec<_>>())
        };
        let big = BigUint::from;
        assert_eq!(sizes(2), (28, vec![]));
        assert_eq!(sizes(3).1, [(big(4u32), big(720u32), Regime::SemiIsolated)]);
        assert_eq!(sizes(4).1[0], (big(672u32), big(2u32), Regime::Mobile));
        assert_eq!(sizes(5).1[0], (big(336u32), big(1u32), Regime::Mobile));
    }
}
