//! The theorems and lemmas of the cubical paper, checked case by case.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Board, BoardSpec, Metric, Regime, Vertex, VertexSet};
use hyperslide_table::{binomial, subset_rank};
use num_bigint::BigUint;
use serde::Serialize;

use crate::survey::{Survey, subsets};
use crate::threshold::{threshold, threshold_as_printed, threshold_by_search, threshold_by_sum};

/// The check of a statement for one (d, k, l).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TheoremCheck {
    /// The statement's number, as in `Theorem 1.6`.
    pub statement: &'static str,
    /// The dimension of the cube.
    pub d: usize,
    /// The rule: the dimension of the faces.
    pub k: usize,
    /// The number of empty vertices.
    pub l: usize,
    /// The number of cases checked: occupied sets, or components.
    pub cases: u64,
    /// The first case in which the statement fails, if there is one.
    pub counterexample: Option<String>,
}

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

/// The greatest number of occupied sets of a graph that is checked.
const MOST_SETS: u64 = 1_000_000;

/// The greatest number of occupied sets of a survey in the search for S(d, k).
const MOST_SETS_FOR_THRESHOLD: u64 = 5_000_000;

/// The formulas of S(d, k) are compared at least up to this dimension.
const THRESHOLDS_TO: usize = 6;

/// S(d, k), determined in four ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdCheck {
    /// The dimension of the cube.
    pub d: usize,
    /// The rule: the dimension of the faces.
    pub k: usize,
    /// The value of the recursion of Theorem 1.14.
    pub recursion: u64,
    /// The value of the sum that the paper prints, where the paper claims it.
    pub as_printed: Option<u64>,
    /// The value of the corrected sum, where it is defined.
    pub by_sum: Option<u64>,
    /// The value found by a search, if one was possible.
    pub by_search: Option<u64>,
}

/// The progress of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoremsProgress {
    /// The current subject, as in `puz[4,2,5]` or `S(4, 2)`.
    pub subject: String,
    /// The amount of work done, roughly proportional to time.
    pub done: u64,
    /// The amount of all work, in the same unit.
    pub total: u64,
}

/// The paper's statements about all puzzle graphs of cubes up to a dimension.
#[derive(Clone, Debug, Default)]
pub struct TheoremsReport {
    /// The checks, in the order of their graphs.
    pub checks: Vec<TheoremCheck>,
    /// The number of graphs that were skipped because they have too many occupied sets.
    pub passed_over: usize,
    /// The values of S(d, k), each determined in four ways.
    pub thresholds: Vec<ThresholdCheck>,
    /// Whether everything was checked, without being cancelled.
    pub complete: bool,
}

impl TheoremsReport {
    /// Checks every statement up to this dimension. `tell` is called before each graph.
    ///
    /// # Panics
    ///
    /// Panics if the dimension is 0 or greater than that of the largest cube, 6.
    pub fn new(
        max_d: usize,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&TheoremsProgress),
    ) -> TheoremsReport {
        let graphs: Vec<(usize, usize, usize)> = (1..=max_d)
            .flat_map(|d| (1..=d).flat_map(move |k| (1..1 << d).map(move |l| (d, k, l))))
            .collect();
        let rules: Vec<(usize, usize)> =
            (1..=max_d.max(THRESHOLDS_TO)).flat_map(|d| (1..=d).map(move |k| (d, k))).collect();
        let searched = |d: usize| d <= max_d;
        let work_of_rule = |&(d, k): &(usize, usize)| {
            let least = threshold(d, k) as usize;
            let work = |l| work(d, l, MOST_SETS_FOR_THRESHOLD);
            if searched(d) { work(least) + work(least - 1) } else { 0 }
        };
        let mut progress = TheoremsProgress {
            subject: String::new(),
            done: 0,
            total: graphs.iter().map(|&(d, _, l)| work(d, l, MOST_SETS)).sum::<u64>()
                + rules.iter().map(work_of_rule).sum::<u64>(),
        };
        let mut report = TheoremsReport::default();
        let mut theorems = Theorems::default();
        for (d, k, l) in graphs {
            if cancel.load(Ordering::Relaxed) {
                return report;
            }
            progress.subject = format!("puz[{d},{k},{l}]");
            tell(&progress);
            let found = theorems.check(d, k, l);
            report.passed_over += usize::from(found.is_empty());
            report.checks.extend(found);
            progress.done += work(d, l, MOST_SETS);
        }
        for (d, k) in rules {
            if cancel.load(Ordering::Relaxed) {
                return report;
            }
            progress.subject = format!("S({d}, {k})");
            tell(&progress);
            let by_search =
                searched(d).then(|| threshold_by_search(d, k, MOST_SETS_FOR_THRESHOLD)).flatten();
            report.thresholds.push(ThresholdCheck {
                d,
                k,
                recursion: threshold(d, k),
                as_printed: threshold_as_printed(d, k),
                by_sum: threshold_by_sum(d, k),
                by_search,
            });
            progress.done += work_of_rule(&(d, k));
        }
        report.complete = true;
        report
    }

    /// Returns whether a statement fails that is not in [`KNOWN_TO_FAIL`].
    pub fn has_news(&self) -> bool {
        let is_news = |check: &TheoremCheck| {
            check.counterexample.is_some() && !KNOWN_TO_FAIL.contains(&check.statement)
        };
        self.checks.iter().any(is_news)
    }
}

/// Returns the amount of work for the occupied sets of a cube with the given number of empty
/// vertices, or 0 if there are too many.
fn work(d: usize, empty: usize, most: u64) -> u64 {
    let sets = binomial(1 << d, empty);
    if sets > most { 0 } else { sets << d }
}

impl Theorems {
    /// Checks the paper's statements on the puzzle graph of this cube with `l` empty vertices.
    /// Returns no checks if there are too many occupied sets.
    ///
    /// # Panics
    ///
    /// Panics if there is no such cube.
    pub fn check(&mut self, d: usize, k: usize, l: usize) -> Vec<TheoremCheck> {
        let board = cube(d, k);
        let tokens = (1 << d) - l;
        if self.surveyed(d, k, l).is_none() {
            return Vec::new();
        }
        let mut checks = Vec::new();
        let mut add = |statement, cases, counterexample| {
            checks.push(TheoremCheck { statement, d, k, l, cases, counterexample });
        };
        let survey = &self.surveyed(d, k, l).expect("it has just been surveyed").survey;
        let mobile: Vec<_> =
            survey.types.iter().filter(|kind| kind.regime == Regime::Mobile).collect();
        let mobile_count: BigUint = mobile.iter().map(|kind| kind.count(tokens)).sum();
        let has_semi = survey.types.iter().any(|kind| kind.regime == Regime::SemiIsolated);
        let (one, two) = (BigUint::from(1u32), BigUint::from(2u32));
        let s = threshold(d, k) as usize;
        let failing = |holds: bool, found: String| (!holds).then_some(found);
        let types = survey.types.len() as u64;

        if d > k && k >= 2 && l == (1 << k) - 1 {
            let holds = has_semi && mobile.is_empty();
            let found = format!("semi-isolated: {has_semi}; mobile components: {mobile_count}");
            add("Theorem 1.6", types, failing(holds, found));
        }
        if tokens > 0 {
            let found = format!("S = {s}, mobile components: {mobile_count}");
            let holds = (l >= s) == (mobile_count > BigUint::ZERO);
            add("Theorem 1.9 (first mobile at S)", types, failing(holds, found.clone()));
            if l == s {
                let holds = mobile_count == one || mobile_count == two;
                add(
                    "Theorem 1.9 (one or two mobile components)",
                    types,
                    failing(holds, found.clone()),
                );
                let holds = mobile_count == two && mobile.iter().all(|kind| kind.even_only);
                // For k = d there is a single token, which has no odd permutation.
                if k < d {
                    add(
                        "Conjecture 1.12 (strong parity at S)",
                        types,
                        failing(holds, found.clone()),
                    );
                }
            }
            if l > s {
                add(
                    "Theorem 1.11 (connected beyond S)",
                    types,
                    failing(mobile_count == one, found.clone()),
                );
            }
            let occupancy: u64 = mobile.iter().map(|kind| kind.occupancy_components).sum();
            if l >= s {
                let found = format!("{occupancy} components of mobile occupied sets");
                add("Proposition 3.12 (ii)", types, failing(occupancy == 1, found));
            }
        }

        // The degree of a configuration is the number of moves from its occupied set, because each
        // leads to another configuration.
        let (mut cases, mut wrong) = (0, None);
        for set in subsets(1 << d, tokens) {
            let degree: usize = set.into_iter().map(|v| board.destinations(v, set).len()).sum();
            cases += 1;
            if degree > 0 && degree < (1 << k) - 1 {
                wrong.get_or_insert_with(|| format!("{set:?} has degree {degree}"));
            }
        }
        add("Lemma 2.1", cases, wrong);

        if d >= 3 && k > 1 && k < d && tokens > 0 {
            let (cases, lemma, proposition) = self.splits(d, k, l);
            let mut add = |statement, counterexample| {
                checks.push(TheoremCheck { statement, d, k, l, cases, counterexample });
            };
            add(MOBILE_FACET, lemma);
            add("Proposition 3.12 (i)", proposition);
        }
        if k < d && d < 5 {
            let (cases, semi_isolated, lifts_only) = lifts(d, k, l);
            if cases > 0 {
                let mut add = |statement, counterexample| {
                    checks.push(TheoremCheck { statement, d, k, l, cases, counterexample });
                };
                add("Lemma 2.6 (1-lifts are semi-isolated)", semi_isolated);
                add(LIFTS_ONLY, lifts_only);
            }
        }
        checks
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

/// Checks the 1-lifts of k-isolated configurations. Returns their number, one that is not
/// (k+1)-semi-isolated, and one whose component has a configuration that is not a lift of it.
///
/// The embedding of a lift may vary: the added token may be on any facet whose opposite facet
/// contains all other tokens.
fn lifts(d: usize, k: usize, l: usize) -> (u64, Option<String>, Option<String>) {
    let (small, large) = (cube(d, k), cube(d + 1, k + 1));
    let tokens = (1usize << d) - l;
    let half = 1usize << d;
    let (mut cases, mut not_semi_isolated, mut no_lift) = (0, None, None);
    for set in subsets(half, tokens) {
        if set.is_empty() || !set.into_iter().all(|v| small.destinations(v, set).is_empty()) {
            continue;
        }
        cases += 1;
        let is_lifted_to = |place: Vertex| {
            (0..=d).any(|coordinate| {
                let side = place.index() >> coordinate & 1;
                set.into_iter().all(|v| v.index() >> coordinate & 1 != side)
            })
        };
        // The positions that the added token can reach from each vertex of the other facet.
        let mut places = VertexSet::EMPTY;
        for start in (half..2 * half).filter_map(Vertex::new) {
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                if places.contains(place) {
                    continue;
                }
                places.insert(place);
                let mut occupied = set;
                occupied.insert(place);
                let destinations = large.destinations(place, occupied);
                let others_stuck =
                    set.into_iter().all(|v| large.destinations(v, occupied).is_empty());
                if !others_stuck || destinations.is_empty() {
                    not_semi_isolated
                        .get_or_insert_with(|| format!("{set:?} with a token on {place}"));
                }
                if !is_lifted_to(place) {
                    no_lift.get_or_insert_with(|| format!("{set:?} with a token on {place}"));
                }
                open.extend(destinations);
            }
        }
    }
    (cases, not_semi_isolated, no_lift)
}

fn cube(d: usize, k: usize) -> Board {
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
    fn a_report_says_how_much_is_left_and_can_be_cancelled() {
        let cancel = AtomicBool::new(false);
        let mut told = Vec::new();
        let report = TheoremsReport::new(3, &cancel, &mut |progress| told.push(progress.clone()));
        assert!(report.complete && !report.has_news());
        assert_eq!((report.checks.is_empty(), report.thresholds.len()), (false, 21));
        assert_eq!(told[0].done, 0);
        assert!(told.is_sorted_by_key(|progress| progress.done));
        assert!(told.iter().all(|progress| progress.done <= progress.total));
        let report = TheoremsReport::new(5, &cancel, &mut |progress| {
            cancel.store(progress.subject == "puz[3,2,1]", Ordering::Relaxed);
        });
        assert!(!report.complete && report.thresholds.is_empty());
        assert!(report.checks.iter().all(|check| (check.d, check.k) <= (3, 2)));
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
