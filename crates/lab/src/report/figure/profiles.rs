//! The figure of performance profiles over all rows.

use super::runtimes::{cost_name, in_percent};
use super::{ChartRow, equal_runs, positive, shown_solvers};
use crate::compare::Found;
use crate::experiment::Experiment;
use crate::experiment::file::FigureSpec;
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};
use crate::statistics::performance_profiles;

/// The charts of a figure, and what was run.
pub(super) fn charts(
    experiment: &Experiment,
    spec: &FigureSpec,
    records: &[TaskRecord],
) -> (Vec<ChartRow>, String) {
    let solvers = shown_solvers(&experiment.file, spec);
    let mut all = vec![Vec::new(); solvers.len()];
    for found in Found::of_rows(experiment, records) {
        if let Some(row) = found.costs_of_puzzles(&solvers, spec.cost) {
            all.iter_mut().zip(row).for_each(|(all, own)| all.extend(positive(own, spec.cost)));
        }
    }
    let profiles = performance_profiles(&all);
    let series = (0..).zip(solvers.iter().zip(&profiles)).map(|(colour, (solver, points))| {
        Series::new(&solver.title, colour, Mark::Cumulative, in_percent(points))
    });
    let cost = format!("{}, times the least of these solvers", cost_name(spec.cost));
    let (x, y) = (Axis::logarithmic(&cost), Axis::percent("puzzles solved"));
    let chart = Chart { names_lines: true, ..Chart::new("All puzzles", x, y, series.collect()) };
    (vec![ChartRow { charts: vec![chart], size: (840.0, 440.0) }], equal_runs(experiment, &solvers))
}
