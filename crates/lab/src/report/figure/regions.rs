//! The figure of local value iteration.

use super::ChartRow;
use crate::compare::{Cell, Value, stages_tables};
use crate::experiment::Experiment;
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};

/// Figure 2: mean and greatest number of moves, and the time of training, by the size of the region
/// on the first board; and what was run.
pub(super) fn charts(experiment: &Experiment, records: &[TaskRecord]) -> (Vec<ChartRow>, String) {
    let table = stages_tables(experiment, records).into_iter().next().unwrap_or_default();
    let line = |name: &str, column: &str, colour: usize, mark: Mark| {
        let of = |cell: &Cell| match mark {
            Mark::Published => cell.published.as_ref().and_then(Value::number),
            _ => cell.ours.as_ref().and_then(Value::number),
        };
        let cells = table.places().filter(|(_, own, _)| own.name == column);
        let point = cells.map(|(row, _, cell)| Some((row.keys[0].parse().ok()?, of(cell)?)));
        Series::new(name, colour, mark, point.flatten())
    };
    let chart = |title: &str, y: Axis, series: Vec<Series>| {
        Chart::new(title, Axis::whole("tokens of a region"), y, series)
    };
    let moves = vec![
        line("greatest", "maximum", 1, Mark::Line),
        line("mean", "mean", 0, Mark::Line),
        line("greatest", "maximum", 1, Mark::Published),
        line("mean", "mean", 0, Mark::Published),
    ];
    let training = vec![
        line("training", "training", 2, Mark::Line),
        line("training", "training", 2, Mark::Published),
    ];
    let charts = vec![
        chart("Moves of a solution", Axis::whole("moves"), moves),
        chart("Time of training", Axis::seconds("time"), training),
    ];
    let file = &experiment.file;
    let (board, puzzles) = file.stages.first().map_or_else(Default::default, |stages| {
        (stages.random.board.clone(), stages.count.unwrap_or(file.runs))
    });
    let run = format!("{puzzles} random puzzles of {board}, seed {}.", file.seed);
    (vec![ChartRow { charts, size: (440.0, 300.0) }], run)
}
