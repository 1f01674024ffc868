//! The figure of distributions of runtimes: the form of COCO's, a chart for each row.

use super::{ChartRow, equal_runs, positive, shown_solvers};
use crate::compare::Found;
use crate::experiment::Experiment;
use crate::experiment::file::{FigureSpec, SolverSpec};
use crate::measure::Quantity;
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};
use crate::statistics::{Point, runtime_distribution};

/// The charts of a figure, and what was run.
pub(super) fn charts(
    experiment: &Experiment,
    spec: &FigureSpec,
    records: &[TaskRecord],
) -> (Vec<ChartRow>, String) {
    let solvers = shown_solvers(&experiment.file, spec);
    let rows: Vec<(String, Vec<Vec<f64>>)> = Found::of_rows(experiment, records)
        .map(|found| {
            let costs = |solver: &&SolverSpec| found.costs(&solver.key, spec.cost);
            let of = solvers.iter().map(|solver| positive(costs(solver), spec.cost));
            (found.spec.title.clone().unwrap_or_default(), of.collect())
        })
        .collect();
    let finite = rows.iter().flat_map(|(_, costs)| costs.iter().flatten().copied());
    let finite = finite.filter(|cost| cost.is_finite());
    let range = finite.fold((f64::INFINITY, 0.0), |(low, high), x| (x.min(low), x.max(high)));
    let range = Some(range).filter(|(low, high)| low < high);
    let chart = |(title, costs): &(String, Vec<Vec<f64>>)| {
        let series = (0..).zip(solvers.iter().zip(costs)).map(|(colour, (solver, costs))| {
            let points = in_percent(&runtime_distribution(costs));
            Series::new(&solver.title, colour, Mark::Cumulative, points)
        });
        let x = Axis { range, hides_title: true, ..axis(spec.cost) };
        let y = Axis { hides_title: true, ..Axis::percent("puzzles solved") };
        Chart::new(title, x, y, series.collect())
    };
    let row = ChartRow { charts: rows.iter().map(chart).collect(), size: (184.0, 136.0) };
    (vec![row], equal_runs(experiment, &solvers))
}

/// The axis of a cost.
fn axis(cost: Quantity) -> Axis {
    let title = cost_name(cost);
    if cost == Quantity::Cpu { Axis::seconds(title) } else { Axis::logarithmic(title) }
}

/// What a cost is called.
pub(super) fn cost_name(cost: Quantity) -> &'static str {
    match cost {
        Quantity::Length => "moves",
        Quantity::Bound => "moves that are needed at least",
        Quantity::Excess => "moves beyond the shortest",
        Quantity::Expanded => "states expanded",
        Quantity::Generated => "states generated",
        Quantity::Stored => "states stored",
        Quantity::Cpu => "CPU time",
        Quantity::Memory => "bytes of memory",
    }
}

/// The points of a step function in percent.
pub(super) fn in_percent(points: &[Point]) -> Vec<(f64, f64)> {
    points.iter().map(|point| (point.x, 100.0 * point.share)).collect()
}
