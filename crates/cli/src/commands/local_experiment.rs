//! Experiments on local value iteration.

use hyperslide_lab::{
    LocalCell, LocalComparison, LocalExperiment, LocalPart, LocalRecord, RecordFile, Verdict,
};
use hyperslide_search::Control;
use hyperslide_table::available_threads;

use super::experiment::{Remarks, count_verdicts};
use crate::arguments::{ExperimentArguments, Format};
use crate::failure::{ExitStatus, Failure};
use crate::terminal::{
    SearchProgress, cancellable, command_line, grouped, is_cancelled, print, print_json, render,
    table,
};

pub fn run(
    experiment: &LocalExperiment,
    arguments: &ExperimentArguments,
) -> Result<ExitStatus, Failure> {
    let shortened;
    let experiment = if arguments.quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let records = records(experiment, arguments)?;
    let comparison = experiment.compare(&records);
    match arguments.list.format {
        Format::Json => print_json(&comparison)?,
        Format::Text => print(&describe(&comparison))?,
    }
    let is_incomplete =
        (0..experiment.rows()).any(|number| experiment.find(number, &records).is_none());
    let has_news = cells(&comparison).any(|cell| cell.verdict == Some(Verdict::Unexplained));
    Ok(if is_cancelled() || is_incomplete {
        ExitStatus::LimitReached
    } else if has_news && !arguments.quick {
        ExitStatus::Other
    } else {
        ExitStatus::Done
    })
}

/// The records of the rows: from a file, or made now.
fn records(
    experiment: &LocalExperiment,
    arguments: &ExperimentArguments,
) -> Result<Vec<LocalRecord>, Failure> {
    if let Some(path) = &arguments.from {
        return Ok(RecordFile::read(path)?);
    }
    let mut file: Option<RecordFile<LocalRecord>> =
        arguments.records.as_ref().map(|path| RecordFile::open(path)).transpose()?;
    let mut records = file.as_ref().map_or_else(Vec::new, |file| file.records().to_vec());
    let line = SearchProgress::new(experiment.name());
    for number in 0..experiment.rows() {
        if experiment.find(number, &records).is_some() {
            continue;
        }
        line.say(format!(": {}", experiment.title_of(number)));
        let row = cancellable(|cancel| {
            let control = Control { cancel: Some(cancel), ..Control::default() };
            experiment.run_row(number, available_threads(), &control, &command_line())
        });
        let Some(row) = row else { break };
        if let Some(file) = &mut file {
            file.append(&row)?;
        }
        records.push(row);
    }
    Ok(records)
}

fn cells(comparison: &LocalComparison) -> impl Iterator<Item = &LocalCell> {
    comparison.parts.iter().flat_map(|part| &part.rows).flat_map(|row| &row.cells)
}

/// A comparison for people: ours, and the published value where it is another.
fn describe(comparison: &LocalComparison) -> String {
    let mut remarks = Remarks::default();
    let parts = comparison.parts.iter();
    let parts: Vec<String> = parts.map(|part| describe_part(part, &mut remarks)).collect();
    let verdicts = || cells(comparison).filter_map(|cell| cell.verdict);
    format!(
        "{}\n{}, section {}\n{}\n\n{}\n{}\n{} judged cells: {}\n",
        comparison.title,
        comparison.table,
        comparison.section,
        comparison.paper,
        parts.join("\n"),
        remarks.list(&comparison.notes),
        verdicts().count(),
        count_verdicts(verdicts(), &Verdict::Better.to_string()),
    )
}

fn describe_part(part: &LocalPart, remarks: &mut Remarks) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for cell in part.rows.iter().flat_map(|row| &row.cells) {
        if !columns.contains(&cell.column.as_str()) {
            columns.push(&cell.column);
        }
    }
    let mut headers = vec![format!("={}", part.key)];
    headers.extend(columns.iter().map(|column| format!("#{column}")));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers);
    for row in &part.rows {
        let cell = |column: &&str| row.cells.iter().find(|cell| cell.column == *column);
        let texts = columns.iter().map(|column| {
            cell(column).map_or_else(String::new, |cell| describe_cell(cell, remarks))
        });
        rows.add_row(std::iter::once(row.key.clone()).chain(texts));
    }
    format!("{}\n{}", part.title, render(&rows))
}

fn describe_cell(cell: &LocalCell, remarks: &mut Remarks) -> String {
    let number = |text: &String| text.parse().map_or(text.clone(), grouped);
    let mut text = number(&cell.ours);
    if let Some(error) = cell.standard_error {
        text.push_str(&format!(" \u{b1}{error:.2}"));
    }
    // A fraction that is printed in other terms is no other value.
    let is_same = cell.verdict == Some(Verdict::Equal) && cell.standard_error.is_none();
    if let Some(published) = cell.published.as_ref().filter(|_| !is_same) {
        text.push_str(&format!(" ({})", number(published)));
    }
    if let Some(reason) = &cell.reason {
        text.push_str(&remarks.mark(reason));
    }
    if cell.verdict == Some(Verdict::Unexplained) {
        text.push_str(" UNEXPLAINED");
    }
    text
}
