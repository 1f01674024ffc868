//! Comparisons rendered: text for people, JSON and CSV for programs, figures.

mod csv;
mod distribution_figures;
mod figure;
mod json;
mod region_figure;
mod text;
mod text_table;

use serde::Deserialize;

pub use csv::{CSV_HEADER, csv};
pub use figure::Figure;
pub use json::{FORMAT, VERSION, json, summary_json};
pub use text::{Summary, grouped, seconds, summary, text};
pub(crate) use text_table::fold;
pub use text_table::{ColumnKind, TextColumn, TextTable};

use crate::experiment::Experiment;
use crate::record::TaskRecord;

/// What a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// How often each length came: a row for each dimension and rule, a column for each level.
    Histograms,
    /// CPU seconds over the level.
    Times,
    /// Success and generations over c.
    Success,
    /// Runs of optimal length over c, and the lengths for two of its values.
    Optimal,
    /// Moves and training over the size of the region.
    Regions,
}

/// The figures of an experiment, drawn of its records.
pub fn figures(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Figure> {
    let figures = experiment.file.figure.iter();
    let drawn = figures.map(|spec| match spec.draw {
        FigureKind::Regions => region_figure::draw(experiment, spec, records),
        _ => distribution_figures::draw(experiment, spec, records),
    });
    drawn.collect()
}
