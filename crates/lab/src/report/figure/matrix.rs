//! The figure of a count for each row and solver.

use super::{Drawing, equal_runs, shown_solvers};
use crate::compare::Found;
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
    let solvers = shown_solvers(&experiment.file, spec);
    let rows = Found::of_rows(experiment, records).map(|found| MatrixRow {
        name: found.spec.title.clone().unwrap_or_default(),
        cells: solvers.iter().map(|solver| found.share(solver, spec.measure)).collect(),
    });
    let matrix = Matrix {
        title: spec.title.clone(),
        columns: solvers.iter().map(|solver| solver.title.clone()).collect(),
        rows: rows.collect(),
    };
    (Drawing::Matrix(matrix), equal_runs(experiment, &solvers))
}
