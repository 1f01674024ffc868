//! The statements of the cubical paper about one puzzle graph.

use std::collections::HashMap;

use hyperslide_puzzle::{Board, BoardSpec, Metric, Regime, Vertex, VertexSet};
use hyperslide_table::{binomial, subset_rank};
use num_bigint::BigUint;

use super::lifts::lifts;
use super::{MOST_SETS, TheoremCheck};
use crate::survey::{ComponentClass, Survey, subsets};
use crate::threshold::threshold;

/// The part of Lemma 2.6 that does not hold. A counterexample in puz[5,3,.]: take the lift of the
/// 2-isolated set {0, ..., 11} on the tesseract, whose other four vertices form an empty 2-face.
/// The added token can move down to that face, and the result is not a lift for any embedding.
pub const LIFTS_ONLY: &str = "Lemma 2.6 (components of 1-lifts have 1-lifts only)";

/// The other statement that does not hold as printed. A counterexample on the 5-cube with the
/// 2-rule: all tokens are mobile if the empty vertices are 0, 8, 16, 29, 30 and 31, but every pair
/// of parallel facets divides these six into four and two or three and three, and the tesseract
/// needs five.
pub const MOBILE_FACET: &str = "Lemma 3.10";

/// The statements that are known to fail.
pub const KNOWN_TO_FAIL: [&str; 2] = [LIFTS_ONLY, MOBILE_FACET];

/// A checker of the statements on puzzle graphs of cubes, which caches surveys of smaller cubes.
#[derive(Default)]
pub struct Theorems {
    surveys: HashMap<(usize, usize, usize), Option<Surveyed>>,
}

/// The survey of puz[d, k, l].
struct Surveyed {
    survey: Survey,
    /// For the occupied set of each rank, whether all its tokens can move sooner or later.
    mobile: Vec<bool>,
}

impl Theorems {
    /// Checks the paper's statements on the puzzle graph of this cube with `l` empty vertices.
    /// Returns no checks if there are too many occupied sets.
    ///
    /// # Panics
    ///
    /// Panics if there is no such cube.
    pub fn check(&mut self, d: usize, k: usize, l: usize) -> Vec<TheoremCheck> {
        let Some(Surveyed { survey, .. }) = self.surveyed(d, k, l) else { return Vec::new() };
        let mut checks = Checks { d, k, l, all: Vec::new() };
        check_components(survey, &mut checks);
        let (cases, wrong) = check_degrees(d, k, l);
        checks.add("Lemma 2.1", cases, wrong);
        if d >= 3 && k > 1 && k < d && survey.tokens > 0 {
            let (cases, lemma, proposition) = self.splits(d, k, l);
            checks.add(MOBILE_FACET, cases, lemma);
            checks.add("Proposition 3.12 (i)", cases, proposition);
        }
        if k < d && d < 5 {
            let (cases, semi_isolated, lifts_only) = lifts(d, k, l);
            if cases > 0 {
                checks.add("Lemma 2.6 (1-lifts are semi-isolated)", cases, semi_isolated);
                checks.add(LIFTS_ONLY, cases, lifts_only);
            }
        }
        checks.all
    }

    fn surveyed(&mut self, d: usize, k: usize, l: usize) -> Option<&Surveyed> {
        let entry = self.surveys.entry((d, k, l)).or_insert_with(|| {
            let tokens = (1usize << d) - l;
            if binomial(1 << d, tokens) > MOST_SETS {
                return None;
            }
            let board = cube(d, k);
            let survey = Survey::new(&board, l).ok()?;
            let stuck = stuck_anywhere(&board, tokens);
            let mobile = stuck.into_iter().map(|stuck| !stuck).collect();
            Some(Surveyed { survey, mobile })
        });
        entry.as_ref()
    }

    /// Returns whether all tokens on these vertices of a smaller cube are mobile, which is true if
    /// there are none.
    fn is_mobile(&mut self, d: usize, k: usize, occupied: VertexSet) -> bool {
        let l = (1usize << d) - occupied.len();
        let known = self.surveyed(d, k, l).expect("a smaller cube has fewer occupied sets");
        known.mobile[subset_rank(occupied.bits()) as usize]
    }

    /// Checks that an occupied set is mobile if and only if some pair of parallel facets splits it
    /// into a k-mobile and a (k-1)-mobile part. Returns the number of sets, and the first
    /// counterexamples of Lemma 3.10 and of Proposition 3.12 (i).
    fn splits(&mut self, d: usize, k: usize, l: usize) -> (u64, Option<String>, Option<String>) {
        let tokens = (1usize << d) - l;
        let (mut cases, mut lemma, mut proposition) = (0, None, None);
        for set in subsets(1 << d, tokens) {
            cases += 1;
            let mut splits = false;
            for coordinate in 0..d {
                let low = restrict(set, coordinate, false);
                let high = restrict(set, coordinate, true);
                splits |= (self.is_mobile(d - 1, k, low) && self.is_mobile(d - 1, k - 1, high))
                    || (self.is_mobile(d - 1, k, high) && self.is_mobile(d - 1, k - 1, low));
                if splits {
                    break;
                }
            }
            let is_mobile = self.is_mobile(d, k, set);
            if is_mobile && !splits {
                lemma.get_or_insert_with(|| format!("{set:?} is mobile but has no such facets"));
            }
            if splits && !is_mobile {
                proposition
                    .get_or_insert_with(|| format!("{set:?} has such facets but is not mobile"));
            }
        }
        (cases, lemma, proposition)
    }
}

/// The checks made for one (d, k, l).
struct Checks {
    d: usize,
    k: usize,
    l: usize,
    all: Vec<TheoremCheck>,
}

impl Checks {
    fn add(&mut self, statement: &'static str, cases: u64, counterexample: Option<String>) {
        let Checks { d, k, l, .. } = *self;
        self.all.push(TheoremCheck { statement, d, k, l, cases, counterexample });
    }

    /// Adds a statement about the whole graph; `found` is the counterexample if it does not hold.
    fn add_if(&mut self, statement: &'static str, cases: u64, holds: bool, found: &str) {
        self.add(statement, cases, (!holds).then(|| found.to_owned()));
    }
}

/// Checks the statements on the number and the regimes of the components.
fn check_components(survey: &Survey, checks: &mut Checks) {
    let Checks { d, k, l, .. } = *checks;
    let classes = survey.classes.len() as u64;
    let is_mobile = |kind: &&ComponentClass| kind.regime == Regime::Mobile;
    let mobile: Vec<&ComponentClass> = survey.classes.iter().filter(is_mobile).collect();
    let mobile_count: BigUint = mobile.iter().map(|kind| kind.count(survey.tokens)).sum();
    let (one, two) = (BigUint::from(1u32), BigUint::from(2u32));
    if d > k && k >= 2 && l == (1 << k) - 1 {
        let has_semi = survey.classes.iter().any(|kind| kind.regime == Regime::SemiIsolated);
        let found = format!("semi-isolated: {has_semi}; mobile components: {mobile_count}");
        checks.add_if("Theorem 1.6", classes, has_semi && mobile.is_empty(), &found);
    }
    if survey.tokens == 0 {
        return;
    }
    let s = threshold(d, k) as usize;
    let found = format!("S = {s}, mobile components: {mobile_count}");
    let holds = (l >= s) == (mobile_count > BigUint::ZERO);
    checks.add_if("Theorem 1.9 (first mobile at S)", classes, holds, &found);
    if l == s {
        let holds = mobile_count == one || mobile_count == two;
        checks.add_if("Theorem 1.9 (one or two mobile components)", classes, holds, &found);
        // For k = d there is a single token, which has no odd permutation.
        if k < d {
            let holds = mobile_count == two && mobile.iter().all(|kind| kind.even_only);
            checks.add_if("Conjecture 1.12 (strong parity at S)", classes, holds, &found);
        }
    }
    if l > s {
        checks.add_if("Theorem 1.11 (connected beyond S)", classes, mobile_count == one, &found);
    }
    if l >= s {
        let occupancy: u64 = mobile.iter().map(|kind| kind.occupancy_components).sum();
        let found = format!("{occupancy} components of mobile occupied sets");
        checks.add_if("Proposition 3.12 (ii)", classes, occupancy == 1, &found);
    }
}

/// Checks the degrees of all configurations (Lemma 2.1). Returns the number of occupied sets, and
/// the first counterexample.
fn check_degrees(d: usize, k: usize, l: usize) -> (u64, Option<String>) {
    let board = cube(d, k);
    let (mut cases, mut wrong) = (0, None);
    // The degree of a configuration is the number of moves from its occupied set, because each
    // leads to another configuration.
    for set in subsets(1 << d, (1 << d) - l) {
        let degree: usize = set.into_iter().map(|v| board.destinations(v, set).len()).sum();
        cases += 1;
        if degree > 0 && degree < (1 << k) - 1 {
            wrong.get_or_insert_with(|| format!("{set:?} has degree {degree}"));
        }
    }
    (cases, wrong)
}

pub(super) fn cube(d: usize, k: usize) -> Board {
    Board::new(BoardSpec::Cube { d, k }, Metric::Face).expect("the caller names a cube")
}

/// Returns, for the set of each rank with the given number of tokens, whether some token of it
/// never moves.
fn stuck_anywhere(board: &Board, tokens: usize) -> Vec<bool> {
    let vertices = board.vertex_count();
    let count = binomial(vertices, tokens) as usize;
    let mut stuck = vec![false; count];
    let mut seen = vec![false; count];
    let mut queue = Vec::new();
    for (rank, set) in subsets(vertices, tokens).enumerate() {
        if seen[rank] {
            continue;
        }
        seen[rank] = true;
        queue.clear();
        queue.push(set);
        let mut still = set;
        let mut next = 0;
        while next < queue.len() {
            let set = queue[next];
            next += 1;
            for from in set {
                let destinations = board.destinations(from, set);
                if !destinations.is_empty() {
                    still.remove(from);
                }
                for to in destinations {
                    let target = set.moved(from, to);
                    let target_rank = subset_rank(target.bits()) as usize;
                    if !seen[target_rank] {
                        seen[target_rank] = true;
                        queue.push(target);
                    }
                }
            }
            still = still & set;
        }
        for set in &queue {
            stuck[subset_rank(set.bits()) as usize] = !still.is_empty();
        }
    }
    stuck
}

/// Returns the tokens on one facet as a set on the cube of one dimension less.
fn restrict(set: VertexSet, coordinate: usize, high: bool) -> VertexSet {
    let low_bits = (1usize << coordinate) - 1;
    set.into_iter()
        .map(Vertex::index)
        .filter(|vertex| (vertex >> coordinate & 1 == 1) == high)
        .filter_map(|vertex| Vertex::new(vertex & low_bits | (vertex >> 1) & !low_bits))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_the_paper_says_holds_up_to_the_tesseract() {
        let mut theorems = Theorems::default();
        let mut by_statement: HashMap<&str, u64> = HashMap::new();
        let mut fails = Vec::new();
        for d in 2..=4 {
            for k in 1..=d {
                for l in 1..1 << d {
                    for check in theorems.check(d, k, l) {
                        if check.statement == LIFTS_ONLY && check.counterexample.is_some() {
                            fails.push((d, k, l));
                        } else {
                            assert_eq!(check.counterexample, None, "{check:?}");
                        }
                        *by_statement.entry(check.statement).or_default() += check.cases;
                    }
                }
            }
        }
        // The one statement that does not hold, and where.
        assert_eq!(fails, [(4, 2, 4), (4, 2, 5), (4, 2, 6), (4, 2, 8)]);
        assert_eq!(by_statement.len(), 11, "{by_statement:?}");
        assert!(by_statement.values().all(|&cases| cases > 0), "{by_statement:?}");
    }

    #[test]
    fn a_mobile_configuration_without_a_mobile_facet() {
        let empty: VertexSet = [0, 8, 16, 29, 30, 31].into_iter().filter_map(Vertex::new).collect();
        let occupied = VertexSet::first(32) - empty;
        let found = hyperslide_puzzle::classify(&cube(5, 2), occupied, 1 << 20);
        assert_eq!(found.regime, Some(Regime::Mobile));
        assert_eq!(found.component.unwrap().occupied_sets, 242_432);
        let mut theorems = Theorems::default();
        for coordinate in 0..5 {
            for high in [false, true] {
                assert!(!theorems.is_mobile(4, 2, restrict(occupied, coordinate, high)));
            }
        }
    }

    #[test]
    fn facets_are_cubes() {
        let set = |vertices: &[usize]| -> VertexSet {
            vertices.iter().map(|&v| Vertex::new(v).unwrap()).collect()
        };
        assert_eq!(restrict(set(&[0, 3, 5, 6]), 0, false), set(&[0, 3]));
        assert_eq!(restrict(set(&[0, 3, 5, 6]), 0, true), set(&[1, 2]));
        assert_eq!(restrict(set(&[0, 3, 5, 6]), 2, true), set(&[1, 2]));
    }
}
