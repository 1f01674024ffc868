//! Two solvers compared on the same puzzles: medians with intervals, effect sizes and tests.

use super::{Cell, Column, Found, Row, Table, Value, Verdict};
use crate::experiment::Experiment;
use crate::experiment::file::{ContrastSpec, RowSpec, SolverSpec};
use crate::measure::Quantity;
use crate::record::{Provenance, TaskRecord};
use crate::statistics::{
    bootstrap_interval, cliffs_delta, holm, mann_whitney, mean, median, sorted, student_t_test,
    wilcoxon_signed_rank,
};

/// Why a row has no probability.
const NO_CHANCE: &str = "all runs of each solver are the same, so there is nothing to test";

/// What the two solvers did on one puzzle.
struct Contrast {
    keys: Vec<String>,
    dimension: Option<usize>,
    /// The lengths of all runs, in ascending order; infinity where a run did not solve the puzzle.
    lengths: [Vec<f64>; 2],
    /// What made the runs.
    records: Vec<Provenance>,
}

/// A table of puzzles for each contrast, and one of the tests that the document prints.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let mut tables = Vec::new();
    for spec in &experiment.file.contrast {
        let solvers = spec.solvers.each_ref().map(|key| experiment.file.solver_of(key));
        let rows = experiment.file.row.iter().filter(|row| spec.is_of(row));
        let contrasts: Vec<Contrast> =
            rows.filter_map(|row| contrast(experiment, row, spec, records)).collect();
        if contrasts.is_empty() {
            continue;
        }
        tables.push(puzzles(spec, &solvers, &contrasts));
        if !spec.published.is_empty() {
            tables.push(published(spec, &contrasts));
        }
    }
    tables
}

fn contrast(
    experiment: &Experiment,
    row: &RowSpec,
    spec: &ContrastSpec,
    records: &[TaskRecord],
) -> Option<Contrast> {
    let found = Found::new(experiment, row, records);
    let lengths = spec.solvers.each_ref().map(|key| sorted(found.costs(key, Quantity::Length)));
    let instance = row.instance.as_ref().or(row.name()).cloned().unwrap_or_default();
    let dimension = instance.strip_prefix("cubical/d").and_then(|rest| rest.get(..1)?.parse().ok());
    let rule = row.rule.map(|rule| rule.to_string()).unwrap_or_default();
    let is_whole = lengths.iter().all(|lengths| !lengths.is_empty());
    let records = found.programs();
    is_whole.then_some(Contrast { keys: vec![instance, rule], dimension, lengths, records })
}

fn number(value: f64, decimals: u8) -> Cell {
    let unsolved = || Value::Text("unsolved".to_owned());
    let value = value.is_finite().then_some(Value::Number(value, decimals));
    Cell::ours(value.unwrap_or_else(unsolved))
}

impl Contrast {
    /// The probability of rank sums as unequal as these by chance; none where all runs of a solver
    /// are the same, for both solvers: however often they are repeated, chance has no part in it.
    fn probability(&self) -> Option<f64> {
        let [one, other] = &self.lengths;
        let is_constant = |lengths: &[f64]| lengths.first() == lengths.last();
        let has_chance = !(is_constant(one) && is_constant(other));
        has_chance.then(|| mann_whitney(one, other))
    }
}

fn puzzles(spec: &ContrastSpec, solvers: &[&SolverSpec; 2], contrasts: &[Contrast]) -> Table {
    let p: Vec<Option<f64>> = contrasts.iter().map(Contrast::probability).collect();
    let mut adjusted = holm(&p.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    let row = |(contrast, p): (&Contrast, Option<f64>)| {
        let medians = contrast.lengths.each_ref().map(|lengths| {
            let interval = bootstrap_interval(lengths);
            let interval = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
            Cell { interval, ..number(median(lengths), 1) }
        });
        let delta = cliffs_delta(&contrast.lengths[0], &contrast.lengths[1]).unwrap_or(0.0);
        let mut cells = Vec::from(medians);
        let adjusted = p.and_then(|_| adjusted.next());
        let probability = |p: Option<f64>| p.map_or_else(Cell::default, Cell::probability);
        cells.extend([number(delta, 2), probability(p), probability(adjusted)]);
        let note = p.is_none().then(|| NO_CHANCE.to_owned());
        let (keys, records) = (contrast.keys.clone(), contrast.records.clone());
        Row { keys, cells, note, records }
    };
    let rows = contrasts.iter().zip(p).map(row);
    let [one, other] = solvers.map(|solver| solver.title.as_str());
    let columns = vec![
        Column::number(&format!("median, {one}"), "moves"),
        Column::number(&format!("median, {other}"), "moves"),
        Column::number("Cliff's delta", ""),
        Column::number("p, rank sums", ""),
        Column::number("p, Holm", ""),
    ];
    Table::new(Some(spec.title.clone()), &["instance", "k"], columns, rows.collect())
}

/// The tests that a document prints, next to the same test of our means, and a test of ranks.
fn published(spec: &ContrastSpec, contrasts: &[Contrast]) -> Table {
    let row = |&(dimension, p): &(usize, f64)| {
        let here: Vec<&Contrast> =
            contrasts.iter().filter(|contrast| contrast.dimension == Some(dimension)).collect();
        let means = |nth: usize| -> Vec<f64> {
            here.iter().map(|contrast| mean(&contrast.lengths[nth]).0).collect()
        };
        let (one, other) = (means(0), means(1));
        let ours = student_t_test(&one, &other).map(|test| Value::Number(test.p, 2));
        // Two means of runs without solutions are infinite, and do not differ.
        let difference = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { a - b };
        let differences: Vec<f64> = one.iter().zip(&other).map(difference).collect();
        let t_test = Cell {
            ours,
            published: Some(Value::Number(p, 2)),
            verdict: Some(Verdict::Explained),
            reason: Some(spec.reason.clone()),
            ..Cell::default()
        };
        let ranks = Cell::probability(wilcoxon_signed_rank(&differences).p);
        let count = Cell::ours(Value::Count(here.len() as u64));
        let records = here.first().map(|contrast| contrast.records.clone()).unwrap_or_default();
        let keys = vec![format!("d = {dimension}")];
        Row { keys, cells: vec![count, t_test, ranks], records, ..Row::default() }
    };
    let title = format!("{}: the printed tests", spec.title);
    let columns = ["levels", "p, t-test of level means", "p, signed ranks of levels"];
    let columns = columns.map(|name| Column::number(name, "")).to_vec();
    Table::new(Some(title), &["puzzles"], columns, spec.published.iter().map(row).collect())
}
