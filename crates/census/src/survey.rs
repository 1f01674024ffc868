//! The survey of all occupied sets of a board with a given number of empty vertices: components,
//! orbits and classes.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

use hyperslide_puzzle::{
    Board, Regime, SymmetryGroup, VertexSet, classify_with_group, factorial, symmetry_group,
};
use hyperslide_table::{Watch, available_threads, binomial, subset_rank};
use num_bigint::BigUint;
use thiserror::Error;

use crate::marked_component::{MarkedComponent, Marks, SETS_FOR_THE_GROUP};

/// An orbit of occupied sets of one component under the board's symmetries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit {
    /// The first set of the orbit in numeric order.
    pub representative: VertexSet,
    /// The number of sets of the orbit in the component.
    pub sets: u64,
}

/// A class of components: those that the board's symmetries and relabelling take to each other.
///
/// They are isomorphic, so a result about one of them holds for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentClass {
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
    /// The number of components of the occupancy graph of this class.
    pub occupancy_components: u64,
    /// The orbits of the occupied sets of one component, in ascending order.
    pub orbits: Vec<Orbit>,
}

impl ComponentClass {
    /// Returns the number of configurations in each component, |K| |H|.
    pub fn size(&self) -> BigUint {
        &self.arrangements * self.occupied_sets
    }

    /// Returns the number of components of this class in the puzzle graph of the given number of
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
    /// The classes of the components in which some token moves, the largest first.
    pub classes: Vec<ComponentClass>,
    /// The automorphisms of the board.
    pub symmetry: SymmetryGroup,
}

/// Why the occupied sets of a board cannot be surveyed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SurveyError {
    /// The board has more occupied sets than a survey allows.
    #[error(
        "{board} with {empty} empty vertices has {sets} occupied sets, more than the {MAX_OCCUPIED_SETS} that can be surveyed for searches: choose fewer tokens or fewer empty vertices"
    )]
    TooManySets {
        /// The board.
        board: String,
        /// The number of empty vertices.
        empty: usize,
        /// The number of occupied sets.
        sets: u64,
    },
    /// The survey needs more memory than allowed.
    #[error(
        "a survey of {sets} occupied sets needs {needed} bytes or more, but only {limit} may be used"
    )]
    Memory {
        /// The number of occupied sets.
        sets: u64,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The survey was stopped.
    #[error("stopped before the occupied sets were surveyed")]
    Stopped,
}

/// The greatest number of occupied sets that [`Survey::new`] surveys, in 1.25 GB and more.
pub const MAX_OCCUPIED_SETS: u64 = 100_000_000;

/// Random closed walks that are followed before all of them are.
const WALKS_BEFORE_ALL: usize = 100;

const UNSEEN: u32 = u32::MAX;
const ISOLATED: u32 = u32::MAX - 1;

impl Survey {
    /// Surveys all occupied sets of a board with the given number of empty vertices.
    ///
    /// Takes time O(slides between occupied sets), and more where closed walks generate neither all
    /// permutations nor all even ones. Memory: 12.5 bytes for each occupied set, 16 for
    /// each set of the two largest layers of a component, and 16 for each orbit.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than [`MAX_OCCUPIED_SETS`].
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn new(board: &Board, empty: usize) -> Result<Survey, SurveyError> {
        Survey::within(board, empty, u64::MAX, Watch::default())
    }

    /// Does the same as [`Survey::new`] with at most `memory` bytes, and stops when the watch says
    /// so.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than [`MAX_OCCUPIED_SETS`], or if the survey needs more
    /// memory than allowed or is stopped.
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn within(
        board: &Board,
        empty: usize,
        memory: u64,
        watch: Watch<'_>,
    ) -> Result<Survey, SurveyError> {
        let vertices = board.vertex_count();
        assert!(empty <= vertices, "{empty} empty vertices of {vertices}");
        let tokens = vertices - empty;
        let occupied_sets = binomial(vertices, tokens);
        if occupied_sets > MAX_OCCUPIED_SETS {
            let board = board.to_string();
            return Err(SurveyError::TooManySets { board, empty, sets: occupied_sets });
        }
        // The numbers of its component and of its orbit's root, the place of the orbit, and a mark.
        let bytes = occupied_sets * 25 / 2;
        let limits = SurveyLimits { sets: occupied_sets, bytes, memory, watch };
        limits.check(0)?;
        let components = Components::new(board, tokens, limits)?;
        let symmetry = symmetry_group(board);
        let mut alike = components.alike(&symmetry)?;
        let mut orbits = components.orbits(&symmetry)?;
        let mut classes = components.classes(board, &mut alike)?;
        components.add_orbits(&mut classes, &mut alike, &mut orbits)?;
        let mut classes: Vec<ComponentClass> = classes.into_values().collect();
        classes.sort_by(|a, b| {
            let key = |kind: &ComponentClass| (kind.size(), kind.occupied_sets);
            key(b).cmp(&key(a)).then(a.representative.cmp(&b.representative))
        });
        let isolated_sets = components.isolated;
        Ok(Survey { tokens, occupied_sets, isolated_sets, classes, symmetry })
    }
}

/// What a survey may use.
#[derive(Clone, Copy)]
pub(crate) struct SurveyLimits<'a> {
    /// The number of occupied sets.
    pub sets: u64,
    /// The bytes that all of them take.
    pub bytes: u64,
    pub memory: u64,
    pub watch: Watch<'a>,
}

impl SurveyLimits<'_> {
    /// Checks the limits when the survey holds `more` bytes in addition to those of all sets.
    pub fn check(&self, more: usize) -> Result<(), SurveyError> {
        if self.watch.is_over() {
            return Err(SurveyError::Stopped);
        }
        let &SurveyLimits { sets, bytes, memory: limit, .. } = self;
        let needed = bytes + more as u64;
        if needed > limit {
            return Err(SurveyError::Memory { sets, needed, limit });
        }
        Ok(())
    }

    /// Does the same at every 4,096th occupied set.
    fn check_at(&self, set: usize, more: impl FnOnce() -> usize) -> Result<(), SurveyError> {
        if set.is_multiple_of(1 << 12) { self.check(more()) } else { Ok(()) }
    }
}

/// The components of the occupancy graph.
struct Components<'a> {
    vertices: usize,
    tokens: usize,
    /// For each occupied set, by its rank, the number of its component, or [`ISOLATED`].
    number: Vec<u32>,
    /// The first occupied set of each component and the number of its sets, without isolated sets.
    firsts: Vec<(VertexSet, u64)>,
    /// The number of occupied sets on which no token can move.
    isolated: u64,
    limits: SurveyLimits<'a>,
}

/// Returns the images of an occupied set under the generators of the symmetry group.
pub(crate) fn images(symmetry: &SymmetryGroup, set: VertexSet) -> impl Iterator<Item = VertexSet> {
    symmetry.generators.iter().map(move |generator| {
        let bits: u64 = set.into_iter().map(|v| 1 << generator.image(v.index())).sum();
        VertexSet::from_bits(bits)
    })
}

impl<'a> Components<'a> {
    /// Explores the occupancy graph.
    fn new(
        board: &Board,
        tokens: usize,
        limits: SurveyLimits<'a>,
    ) -> Result<Components<'a>, SurveyError> {
        let vertices = board.vertex_count();
        let mut number = vec![UNSEEN; binomial(vertices, tokens) as usize];
        let mut firsts: Vec<(VertexSet, u64)> = Vec::new();
        let mut isolated = 0;
        // The sets whose slides have not been followed yet.
        let mut open = VecDeque::new();
        for (rank, set) in subsets(vertices, tokens).enumerate() {
            let held = |open: &VecDeque<VertexSet>| {
                open.capacity() * size_of::<VertexSet>()
                    + firsts.capacity() * size_of::<(VertexSet, u64)>()
            };
            limits.check_at(rank, || held(&open))?;
            if number[rank] != UNSEEN {
                continue;
            }
            let own = firsts.len() as u32;
            number[rank] = own;
            open.push_back(set);
            let mut size = 0;
            while let Some(set) = open.pop_front() {
                limits.check_at(size, || held(&open))?;
                size += 1;
                for from in set {
                    for to in board.destinations(from, set) {
                        let target = set.moved(from, to);
                        let entry = &mut number[subset_rank(target.bits()) as usize];
                        if *entry == UNSEEN {
                            *entry = own;
                            open.push_back(target);
                        }
                    }
                }
            }
            if size == 1 {
                number[rank] = ISOLATED;
                isolated += 1;
            } else {
                firsts.push((set, size as u64));
            }
        }
        Ok(Components { vertices, tokens, number, firsts, isolated, limits })
    }

    fn sets(&self) -> impl Iterator<Item = (usize, VertexSet)> + use<> {
        subsets(self.vertices, self.tokens).enumerate()
    }

    /// Joins the components that symmetries take to each other.
    fn alike(&self, symmetry: &SymmetryGroup) -> Result<DisjointSets, SurveyError> {
        let mut alike = DisjointSets::new(self.firsts.len());
        for (number, &(set, _)) in self.firsts.iter().enumerate() {
            self.limits.check_at(number, || self.bytes())?;
            for image in images(symmetry, set) {
                alike.join(number as u32, self.number[subset_rank(image.bits()) as usize]);
            }
        }
        Ok(alike)
    }

    /// Joins the occupied sets that symmetries take to each other.
    fn orbits(&self, symmetry: &SymmetryGroup) -> Result<DisjointSets, SurveyError> {
        let mut orbits = DisjointSets::new(self.number.len());
        for (rank, set) in self.sets() {
            self.limits.check_at(rank, || self.bytes())?;
            if self.number[rank] != ISOLATED {
                for image in images(symmetry, set) {
                    orbits.join(rank as u32, subset_rank(image.bits()) as u32);
                }
            }
        }
        Ok(orbits)
    }

    /// Bytes of what is known of each component.
    fn bytes(&self) -> usize {
        self.firsts.capacity() * size_of::<(VertexSet, u64)>()
            + self.firsts.len() * size_of::<u32>()
    }

    /// Returns the classes of components without their orbits, by the number of the first component
    /// of each.
    fn classes(
        &self,
        board: &Board,
        alike: &mut DisjointSets,
    ) -> Result<BTreeMap<u32, ComponentClass>, SurveyError> {
        let marks = Marks::new(board, self.tokens);
        let mut classes: BTreeMap<u32, ComponentClass> = BTreeMap::new();
        for (number, &(set, size)) in self.firsts.iter().enumerate() {
            let bytes = |classes: &BTreeMap<u32, ComponentClass>| {
                self.bytes() + classes.len() * size_of::<ComponentClass>()
            };
            self.limits.check_at(number, || bytes(&classes))?;
            let root = alike.root(number as u32);
            if let Some(known) = classes.get_mut(&root) {
                known.occupancy_components += 1;
                continue;
            }
            let bytes = bytes(&classes);
            let check = |more: usize| self.limits.check(bytes + more);
            let found = classify_component(board, &marks, (set, size), &check)?;
            classes.insert(root, found);
        }
        Ok(classes)
    }

    /// Adds the orbits of the first component of each class.
    fn add_orbits(
        &self,
        classes: &mut BTreeMap<u32, ComponentClass>,
        alike: &mut DisjointSets,
        orbits: &mut DisjointSets,
    ) -> Result<(), SurveyError> {
        // For the root of each orbit its place among the orbits of the class, from 1.
        let mut places = vec![0; self.number.len()];
        let mut bytes = self.bytes() + classes.len() * size_of::<ComponentClass>();
        for (rank, set) in self.sets() {
            self.limits.check_at(rank, || bytes)?;
            let number = self.number[rank];
            if number == ISOLATED || alike.root(number) != number {
                continue;
            }
            let Some(kind) = classes.get_mut(&number) else { continue };
            let place: &mut u32 = &mut places[orbits.root(rank as u32) as usize];
            if *place == 0 {
                kind.orbits.push(Orbit { representative: set, sets: 0 });
                bytes += size_of::<Orbit>();
                *place = kind.orbits.len() as u32;
            }
            kind.orbits[*place as usize - 1].sets += 1;
        }
        Ok(())
    }
}

/// Returns the class of the component of a set, without its orbits. `check` is called regularly
/// with the number of bytes held.
fn classify_component(
    board: &Board,
    marks: &Marks,
    (representative, size): (VertexSet, u64),
    check: &dyn Fn(usize) -> Result<(), SurveyError>,
) -> Result<ComponentClass, SurveyError> {
    let kind = |regime, stuck, arrangements, even_only| ComponentClass {
        representative,
        regime,
        stuck,
        occupied_sets: size,
        arrangements,
        even_only,
        occupancy_components: 1,
        orbits: Vec::new(),
    };
    if size > SETS_FOR_THE_GROUP {
        let threads = available_threads();
        let mut step = |_, bytes| check(bytes);
        let found = MarkedComponent::explore(board, marks, representative, threads, &mut step)?;
        let mut check = || check(0);
        let order = found.group_order(board, marks, WALKS_BEFORE_ALL, &mut check)?;
        if let Ok(arrangements) = order {
            return Ok(kind(found.regime(), found.stuck, arrangements, found.even_only));
        }
    }
    // The group may be neither symmetric nor alternating: all closed walks count.
    let failed = Cell::new(None);
    let stop = |bytes| {
        let checked = check(bytes as usize);
        let is_over = checked.is_err();
        failed.set(checked.err());
        is_over
    };
    let (found, _) = classify_with_group(board, representative, size as usize, &stop);
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let known = found.component.expect("as many sets as the component has may be explored");
    let regime = found.regime.expect("a component that was explored has a regime");
    Ok(kind(regime, found.stuck, known.arrangements, known.even_only))
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
            let classes = survey.classes.iter();
            let of = |t: &ComponentClass| (t.size(), t.count(survey.tokens), t.regime);
            (survey.isolated_sets, classes.map(of).collect::<Vec<_>>())
        };
        let big = BigUint::from;
        assert_eq!(sizes(2), (28, vec![]));
        assert_eq!(sizes(3).1, [(big(4u32), big(720u32), Regime::SemiIsolated)]);
        assert_eq!(sizes(4).1[0], (big(672u32), big(2u32), Regime::Mobile));
        assert_eq!(sizes(5).1[0], (big(336u32), big(1u32), Regime::Mobile));
    }
}
