//! The figure of local value iteration.

use super::ChartRow;
use crate::compare::{RegionPoint, region_points};
use crate::experiment::Experiment;
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};

/// Figure 2: mean and greatest number of moves, and the time of training, by the size of the region
/// on the first board; and what was run.
pub(super) fn charts(experiment: &Experiment, records: &[TaskRecord]) -> (Vec<ChartRow>, String) {
    let (board, points) = region_points(experiment, records);
    let line =
        |name: &str, colour: usize, mark: Mark, of: &dyn Fn(&RegionPoint<'_>) -> Option<f64>| {
            let points =
                points.iter().filter_map(|point| Some((point.run.region as f64, of(point)?)));
            Series::new(name, colour, mark, points)
        };
    let chart = |title: &str, y: Axis, series: Vec<Series>| {
        Chart::new(title, Axis::whole("tokens of a region"), y, series)
    };
    let moves = vec![
        line("greatest", 1, Mark::Line, &|point| Some(point.lengths.maximum.into())),
        line("mean", 0, Mark::Line, &|point| Some(point.lengths.mean)),
        line("greatest", 1, Mark::Published, &|point| Some(point.printed?.maximum.into())),
        line("mean", 0, Mark::Published, &|point| Some(point.printed?.mean)),
    ];
    let training = vec![
        line("training", 2, Mark::Line, &|point| Some(point.run.training_cpu_s())),
        line("training", 2, Mark::Published, &|point| point.published_training_s()),
    ];
    let charts = vec![
        chart("Moves of a solution", Axis::whole("moves"), moves),
        chart("Time of training", Axis::seconds("time"), training),
    ];
    let puzzles = points.first().map_or(0.0, |point| point.lengths.puzzles);
    let run = format!("{puzzles} random puzzles of {board}, seed {}.", experiment.file.seed);
    (vec![ChartRow { charts, size: (440.0, 300.0) }], run)
}
