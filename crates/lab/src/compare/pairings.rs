//! Pairs of solvers on the same puzzles: which of two costs less, by a paired test of ranks.

use super::{Cell, Column, Found, Row, Table, Value};
use crate::experiment::Experiment;
use crate::experiment::file::{PairingSpec, SolverSpec};
use crate::record::{Provenance, TaskRecord, programs};
use crate::statistics::{holm, median, sorted, wilcoxon_signed_rank};

/// One table per set of solvers, with one row per pair.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    experiment.file.pairing.iter().filter_map(|spec| table(experiment, spec, records)).collect()
}

fn table(experiment: &Experiment, spec: &PairingSpec, all: &[TaskRecord]) -> Option<Table> {
    let solvers: Vec<&SolverSpec> =
        spec.solvers.iter().map(|key| experiment.file.solver_of(key)).collect();
    let mut costs: Vec<Vec<f64>> = vec![Vec::new(); solvers.len()];
    let mut records: Vec<Provenance> = Vec::new();
    for found in Found::of_rows(experiment, all) {
        if let Some(here) = found.costs_of_puzzles(&solvers, spec.cost) {
            costs.iter_mut().zip(here).for_each(|(costs, own)| costs.extend(own));
            records.extend(found.programs());
        }
    }
    if costs.iter().all(Vec::is_empty) {
        return None;
    }
    let programs = programs(&records);
    let pairs: Vec<(usize, usize)> = (0..solvers.len())
        .flat_map(|one| (one + 1..solvers.len()).map(move |other| (one, other)))
        .collect();
    let tests: Vec<Pair> =
        pairs.iter().map(|&(one, other)| Pair::new(&costs[one], &costs[other])).collect();
    let adjusted = holm(&tests.iter().map(|pair| pair.p).collect::<Vec<_>>());
    let row = |((&(one, other), pair), adjusted): ((&(usize, usize), &Pair), f64)| Row {
        keys: vec![solvers[one].title.clone(), solvers[other].title.clone()],
        cells: pair.cells(adjusted),
        note: other_limits(experiment, solvers[one], solvers[other]),
        records: programs.clone(),
    };
    let rows = pairs.iter().zip(&tests).zip(adjusted).map(row).collect();
    let columns = COLUMNS.map(|name| Column::number(name, "")).to_vec();
    Some(Table::new(Some(spec.title.clone()), &["one", "other"], columns, rows))
}

/// A remark where two solvers do not have the same limits everywhere.
fn other_limits(experiment: &Experiment, one: &SolverSpec, other: &SolverSpec) -> Option<String> {
    let file = &experiment.file;
    let limits = |row| [one, other].map(|solver| file.limits_of(row, solver));
    let unequal = file.row.iter().map(limits).find(|[one, other]| one != other)?;
    let [own, others] = unequal.map(|limits| limits.words().unwrap_or("no limit".to_owned()));
    Some(format!("the limits are unequal: {} has {own}, {} {others}", one.title, other.title))
}

/// What is said of a pair.
const COLUMNS: [&str; 7] = [
    "puzzles",
    "one needs less",
    "other needs less",
    "median ratio, one to other",
    "rank-biserial correlation",
    "p, signed ranks",
    "p, Holm",
];

/// Two solvers on the same puzzles.
struct Pair {
    puzzles: usize,
    less: usize,
    more: usize,
    /// The median of the ratios of their costs over the puzzles that both solved.
    ratio: Option<f64>,
    correlation: f64,
    p: f64,
}

impl Pair {
    fn new(one: &[f64], other: &[f64]) -> Pair {
        let differences: Vec<f64> =
            one.iter().zip(other).map(|(&a, &b)| difference(a, b)).collect();
        let test = wilcoxon_signed_rank(&differences);
        let costs = one.iter().zip(other).zip(&differences);
        let both = costs.filter(|((one, other), _)| one.is_finite() && other.is_finite());
        let both = sorted(both.map(|(_, &difference)| difference));
        let ratio = (!both.is_empty()).then(|| median(&both).exp());
        Pair {
            puzzles: differences.len(),
            less: differences.iter().filter(|own| **own < 0.0).count(),
            more: differences.iter().filter(|own| **own > 0.0).count(),
            ratio,
            // Positive where the first one costs less.
            correlation: 0.0 - test.rank_biserial(),
            p: test.p,
        }
    }

    /// A cell for each of the columns.
    fn cells(&self, adjusted: f64) -> Vec<Cell> {
        let count = |count: usize| Cell::ours(Value::Count(count as u64));
        vec![
            count(self.puzzles),
            count(self.less),
            count(self.more),
            Cell::ours(self.ratio.map(|ratio| Value::Number(ratio, 2))),
            Cell::ours(Value::Number(self.correlation, 2)),
            Cell::probability(self.p),
            Cell::probability(adjusted),
        ]
    }
}

/// The logarithm of the ratio of two costs. A puzzle that only one solved is as great a difference
/// as can be, and one that neither solved is none. Equal ratios give equal differences, and inverse
/// ones opposite differences, so that they share their ranks.
fn difference(one: f64, other: f64) -> f64 {
    let (one, other) = (one.max(f64::MIN_POSITIVE), other.max(f64::MIN_POSITIVE));
    match (one.is_finite(), other.is_finite()) {
        (false, false) => 0.0,
        _ if one >= other => (one / other).ln(),
        _ => -(other / one).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_tied() {
        // In floating point, ln 1 - ln 2 and ln 3 - ln 6 differ.
        let few: Vec<f64> = (1..=36).map(f64::from).collect();
        let cost = |number: usize, is_double: bool| few[number] * if is_double { 2.0 } else { 1.0 };
        let one: Vec<f64> = (0..36).map(|number| cost(number, number < 18)).collect();
        let other: Vec<f64> = (0..36).map(|number| cost(number, number >= 18)).collect();
        let pair = Pair::new(&one, &other);
        assert_eq!((pair.less, pair.more, pair.correlation, pair.p), (18, 18, 0.0, 1.0));
    }

    #[test]
    fn unsolved_puzzles_are_the_greatest_differences_and_none_where_both_failed() {
        let never = f64::INFINITY;
        let pair = Pair::new(&[10.0, 20.0, never, never, 7.0], &[20.0, 10.0, 5.0, never, 7.0]);
        assert_eq!((pair.puzzles, pair.less, pair.more), (5, 1, 2));
        // The ranks 1.5 and 1.5 cancel each other; that of the unsolved puzzle, 3, is left of 6.
        assert_eq!(pair.correlation, -0.5);
        assert_eq!(pair.ratio, Some(1.0));
    }

    #[test]
    fn solvers_that_cost_the_same_do_not_differ() {
        let pair = Pair::new(&[1.0, 2.0, f64::INFINITY], &[1.0, 2.0, f64::INFINITY]);
        assert_eq!((pair.less, pair.more, pair.p), (0, 0, 1.0));
        assert_eq!(pair.correlation, 0.0);
    }
}
