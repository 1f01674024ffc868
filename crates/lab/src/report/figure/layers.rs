//! The figure of a distribution of distances.

use super::ChartRow;
use crate::compare::found_layers;
use crate::experiment::Experiment;
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};

/// The number of states at every distance, and what was run.
pub(super) fn charts(experiment: &Experiment, records: &[TaskRecord]) -> (Vec<ChartRow>, String) {
    let board = experiment.file.board.clone().unwrap_or_default();
    let found = found_layers(experiment, records);
    let states = found.map(|found| found.states.as_slice()).unwrap_or_default();
    let points: Vec<(f64, f64)> =
        states.iter().enumerate().map(|(depth, &count)| (depth as f64, count as f64)).collect();
    let chart = |title: &str, y: Axis, mark: Mark| {
        let series = vec![Series::new("states", 0, mark, points.clone())];
        Chart::new(title, Axis::whole("moves to the goal"), y, series)
    };
    let charts = vec![
        chart("States at each distance", Axis::logarithmic("states, logarithmic"), Mark::Steps),
        chart("The same on a linear axis", Axis::new("states"), Mark::Bars(0, 1)),
    ];
    let run = format!("All states of {board} from the usual goal, by breadth-first search.");
    (vec![ChartRow { charts, size: (440.0, 300.0) }], run)
}
