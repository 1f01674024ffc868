//! All occupied sets of a board with a number of empty vertices, and how they hang together.

use hyperslide_puzzle::{Board, Regime, SymmetryGroup, VertexSet, classify, symmetry_group};
use hyperslide_table::{binomial, subset_rank};
use num_bigint::BigUint;
use thiserror::Error;

/// Occupied sets that are alike under the board's symmetries, within one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit {
    /// One of them, the first in numeric order.
    pub representative: VertexSet,
    /// How many there are in the component.
    pub sets: u64,
}

/// Components that are alike under the board's symmetries and relabelling.
///
/// They are isomorphic, so what is found out about one of them holds for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentType {
    /// An occupied set in one of them.
    pub representative: VertexSet,
    /// Isolated, semi-isolated or mobile.
    pub regime: Regime,
    /// Tokens of the representative that never move, by their vertices.
    pub stuck: VertexSet,
    /// Occupied sets in one component: |K|.
    pub occupied_sets: u64,
    /// Arrangements of the tokens on each: |H|, the order of the group of closed walks.
    pub arrangements: BigUint,
    /// Whether every closed walk permutes the tokens evenly.
    pub even_only: bool,
    /// Components of the occupancy graph of this type.
    pub occupancy_components: u64,
    /// Occupied sets of one component by symmetry; ascending.
    pub orbits: Vec<Orbit>,
}

impl ComponentType {
    /// Configurations in one component: |K| |H|.
    pub fn size(&self) -> BigUint {
        &self.arrangements * self.occupied_sets
    }

    /// Components of the puzzle graph of this type, all tokens told apart.
    pub fn count(&self, tokens: usize) -> BigUint {
        factorial(tokens) / &self.arrangements * self.occupancy_components
    }
}

/// The occupancy graph of a board with so many tokens.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Number of tokens.
    pub tokens: usize,
    /// Number of occupied sets: vertices over tokens.
    pub occupied_sets: u64,
    /// Of these, the ones on which no token can move.
    pub isolated_sets: u64,
    /// The components in which some token moves, the largest first.
    pub types: Vec<ComponentType>,
    /// The automorphisms of the board that were used.
    pub symmetry: SymmetryGroup,
}

/// There are more occupied sets than allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{board} with {empty} empty vertices has {sets} occupied sets, more than the {limit} that are surveyed: choose fewer tokens or fewer empty vertices"
)]
pub struct TooManySets {
    /// The board.
    pub board: String,
    /// Its empty vertices.
    pub empty: usize,
    /// How many occupied sets that makes.
    pub sets: u64,
    /// How many are allowed.
    pub limit: u64,
}

/// Occupied sets that [`Survey::new`] goes through at most: 4 bytes each for the component and 4 for
/// the orbit, 800 MB in all.
pub const MAX_OCCUPIED_SETS: u64 = 100_000_000;

/// n!
pub fn factorial(n: usize) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

const UNSEEN: u32 = u32::MAX;
const ISOLATED: u32 = u32::MAX - 1;

impl Survey {
    /// Goes through all occupied sets.
    ///
    /// Time O(slides between occupied sets).
    ///
    /// # Errors
    ///
    /// When there are more than [`MAX_OCCUPIED_SETS`].
    ///
    /// # Panics
    ///
    /// When the board has fewer vertices than are to be empty.
    pub fn new(board: &Board, empty: usize) -> Result<Survey, TooManySets> {
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
        let symmetry = symmetry_group(board);
        // For each occupied set, by its rank, the number of its component.
        let mut component = vec![UNSEEN; occupied_sets as usize];
        let mut firsts: Vec<(VertexSet, u64)> = Vec::new();
        let mut isolated_sets = 0;
        let mut queue = Vec::new();
        for (rank, set) in subsets(vertices, tokens).enumerate() {
            if component[rank] != UNSEEN {
                continue;
            }
            let number = firsts.len() as u32;
            component[rank] = number;
            queue.clear();
            queue.push(set);
            let mut next = 0;
            while next < queue.len() {
                let set = queue[next];
                next += 1;
                for from in set {
                    for to in board.destinations(from, set) {
                        let target = set.moved(from, to);
                        let entry = &mut component[subset_rank(target.bits()) as usize];
                        if *entry == UNSEEN {
                            *entry = number;
                            queue.push(target);
                        }
                    }
                }
            }
            if queue.len() == 1 {
                component[rank] = ISOLATED;
                isolated_sets += 1;
            } else {
                firsts.push((set, queue.len() as u64));
            }
        }
        let images = |set: VertexSet| {
            let image = |generator: &hyperslide_puzzle::Permutation| -> VertexSet {
                let bits: u64 = set.into_iter().map(|v| 1 << generator.image(v.index())).sum();
                VertexSet::from_bits(bits)
            };
            symmetry.generators.iter().map(image).collect::<Vec<_>>()
        };
        let mut alike = DisjointSets::new(firsts.len());
        for (number, &(set, _)) in firsts.iter().enumerate() {
            for image in images(set) {
                alike.join(number as u32, component[subset_rank(image.bits()) as usize]);
            }
        }
        let mut orbit = DisjointSets::new(occupied_sets as usize);
        for (rank, set) in subsets(vertices, tokens).enumerate() {
            if component[rank] != ISOLATED {
                for image in images(set) {
                    orbit.join(rank as u32, subset_rank(image.bits()) as u32);
                }
            }
        }
        // The first component of each type stands for it.
        let mut type_of = vec![None; firsts.len()];
        let mut types: Vec<ComponentType> = Vec::new();
        for (number, &(set, size)) in firsts.iter().enumerate() {
            let root = alike.root(number as u32) as usize;
            if let Some(known) = type_of[root] {
                let known: &mut ComponentType = &mut types[known];
                known.occupancy_components += 1;
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
        for (rank, set) in subsets(vertices, tokens).enumerate() {
            let number = component[rank];
            if number == ISOLATED || alike.root(number) != number {
                continue;
            }
            let Some(kind) = type_of[alike.root(number) as usize] else { continue };
            let orbits = &mut types[kind].orbits;
            let known = orbit_number.entry(orbit.root(rank as u32)).or_insert_with(|| {
                orbits.push(Orbit { representative: set, sets: 0 });
                orbits.len() - 1
            });
            orbits[*known].sets += 1;
        }
        types.sort_by(|a, b| {
            let key = |kind: &ComponentType| (kind.size(), kind.occupied_sets);
            key(b).cmp(&key(a)).then(a.representative.cmp(&b.representative))
        });
        Ok(Survey { tokens, occupied_sets, isolated_sets, types, symmetry })
    }
}

/// All subsets of the first `count` vertices of one size, in numeric order: that of their ranks.
pub fn subsets(count: usize, size: usize) -> impl Iterator<Item = VertexSet> {
    let all = VertexSet::first(count).bits();
    let mut next = Some(VertexSet::first(size).bits());
    std::iter::from_fn(move || {
        let set = next.filter(|set| set & !all == 0)?;
        // The next number with as many bits (Gosper).
        let lowest = set & set.wrapping_neg();
        next = set
            .checked_add(lowest)
            .filter(|_| lowest != 0)
            .map(|higher| higher | (((set ^ higher) >> 2) / lowest));
        Some(VertexSet::from_bits(set))
    })
}

/// Disjoint sets of numbers; the smallest member of each is its root.
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count as u32).collect())
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let above = self.0[self.0[number as usize] as usize];
            self.0[number as usize] = above;
            number = above;
        }
        number
    }

    fn join(&mut self, a: u32, b: u32) {
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
