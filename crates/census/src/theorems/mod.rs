//! The theorems and lemmas of the cubical paper, checked case by case.

mod lifts;
mod statements;

use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_table::binomial;
use serde::{Deserialize, Serialize};

use crate::threshold::{threshold, threshold_as_printed, threshold_by_search, threshold_by_sum};

pub use statements::{KNOWN_TO_FAIL, LIFTS_ONLY, MOBILE_FACET, Theorems};

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

/// The greatest number of occupied sets of a graph that is checked.
const MOST_SETS: u64 = 1_000_000;

/// The greatest number of occupied sets of a survey in the search for S(d, k).
const MOST_SETS_FOR_THRESHOLD: u64 = 5_000_000;

/// The formulas of S(d, k) are compared at least up to this dimension.
const THRESHOLDS_TO: usize = 6;

/// S(d, k), determined in four ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdCheck {
    /// The dimension of the cube.
    pub d: usize,
    /// The rule: the dimension of the faces.
    pub k: usize,
    /// The value of the recursion of Theorem 1.14.
    pub recursion: u64,
    /// The value of the sum that the paper prints, where the paper claims it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_printed: Option<u64>,
    /// The value of the corrected sum, where it is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_sum: Option<u64>,
    /// The value found by a search, if one was possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// Checks every statement up to this dimension. `on_progress` is called before each graph.
    ///
    /// # Panics
    ///
    /// Panics if the dimension is 0 or greater than that of the largest cube, 6.
    pub fn new(
        max_d: usize,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(&TheoremsProgress),
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
            on_progress(&progress);
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
            on_progress(&progress);
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
