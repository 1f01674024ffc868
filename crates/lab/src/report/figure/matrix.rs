//! The figure of a count for each row and solver.

use super::{Drawing, equal_runs, shown_solvers};
use crate::compare::{Found, Value};
use crate::experiment::Experiment;
use crate::experiment::file::FigureSpec;
use crate::record::TaskRecord;
use crate::report::svg::{Matrix, MatrixRow};

/// The matrix of a figure, and what was run.
pub(super) fn matrix(
    experiment: &Experiment,
    spec: &FigureSpec,
    records: &[TaskRecord],
) -> (Drawing, String) {
    let file = &experiment.file;
    let solvers = shown_solvers(file, spec);
    let rows = file.row.iter().map(|row| {
        let found = Found::new(experiment, row, records);
        let count = |value| match value {
            Some(Value::OutOf(count, all)) => Some((count, all)),
            _ => None,
        };
        let cell = |solver: &&_| count(found.group(Some(solver)).measure(spec.measure, "").value);
        MatrixRow {
            name: row.title.clone().unwrap_or_default(),
            cells: solvers.iter().map(cell).collect(),
        }
    });
    let matrix = Matrix {
        title: spec.title.clone(),
        columns: solvers.iter().map(|solver| solver.title.clone()).collect(),
        rows: rows.collect(),
    };
    (Drawing::Matrix(matrix), equal_runs(experiment))
}
