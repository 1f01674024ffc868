//! Comparisons as text for people.

use serde::Serialize;

use super::numbers::{grouped, percent, seconds, short};
use super::{ColumnKind, TextColumn, TextTable, fold};
use crate::compare::{Cell, Column, Comparison, Row, Sample, Table, Value, Verdict, VerdictCounts};
use crate::experiment::PAPERS;

/// A comparison: its heading, its tables, the remarks on them, and how often each verdict was
/// given, in lines of at most this width. No word is broken to fit it.
pub fn text(comparison: &Comparison, width: Option<usize>) -> String {
    let heading = &comparison.heading;
    let place = [
        heading.table.clone(),
        with_prefix("section ", &heading.section),
        heading.page.map(|page| format!("page {page}")).unwrap_or_default(),
    ];
    let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let lines = [heading.title.clone(), place.join(", "), heading.paper.clone()];
    let lines = lines.iter().filter(|line| !line.is_empty());
    let mut text: String = lines.map(|line| fold(line, width)).collect();
    if !comparison.findings.is_empty() {
        text.push('\n');
    }
    for finding in &comparison.findings {
        text.push_str(&fold(&finding.to_string(), width));
    }
    let mut remarks = Remarks::default();
    for table in &comparison.tables {
        text.push('\n');
        if let Some(title) = table.title.as_ref().or(table.label.as_ref()) {
            text.push_str(&fold(title, width));
        }
        text.push_str(&grid(table, &mut remarks).render(width));
    }
    text.push('\n');
    if comparison.cells().any(|cell| cell.standard_error.is_some()) {
        text.push_str(&fold(ERRORS, width));
    }
    for remark in remarks.list(&comparison.notes) {
        text.push_str(&fold(&remark, width));
    }
    if comparison.verdicts.total() > 0 {
        let judged = comparison.verdicts.total();
        let cells = if judged == 1 { "judged cell" } else { "judged cells" };
        let judged = comparison.proven.clone().unwrap_or_else(|| format!("{judged} {cells}"));
        text.push_str(&format!("\n{}", fold(&format!("{judged}: {}", comparison.verdicts), width)));
    }
    text
}

/// What the numbers after means are.
pub(super) const ERRORS: &str = "\u{b1}: one standard error of the mean";

fn with_prefix(prefix: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{prefix}{text}") }
}

/// A table. Where one column alone is judged, the published value and the verdict have columns of
/// their own; elsewhere a published value that differs stands in parentheses. Columns without a
/// published value are left out where there is no room.
fn grid(table: &Table, remarks: &mut Remarks) -> TextTable {
    let has =
        |number: usize, is: fn(&Cell) -> bool| table.rows.iter().any(|r| is(&r.cells[number]));
    let columns = || 0..table.columns.len();
    let judged: Vec<usize> = columns().filter(|&n| has(n, |cell| cell.verdict.is_some())).collect();
    let printed: Vec<usize> =
        columns().filter(|&n| has(n, |cell| cell.published.is_some())).collect();
    let single = match (&judged[..], &printed[..]) {
        ([judged], [printed]) if judged == printed => Some(*judged),
        _ => None,
    };
    let keys = table.keys.iter().enumerate().map(|(number, key)| {
        let is_number = |row: &Row| row.keys[number].parse::<f64>().is_ok();
        column(key, !table.rows.is_empty() && table.rows.iter().all(is_number))
    });
    let mut layout: Vec<TextColumn> = keys.collect();
    for (number, own) in table.columns.iter().enumerate() {
        if single == Some(number) {
            layout.extend([column("published", true), column("ours", true)]);
        } else {
            let is_extra = !printed.contains(&number) && !judged.contains(&number);
            let is_optional = is_extra && !judged.is_empty();
            layout.push(TextColumn { is_optional, ..column(&own.name, own.is_numeric) });
        }
    }
    let has_remarks = !judged.is_empty() || table.rows.iter().any(|row| row.note.is_some());
    if has_remarks {
        layout.push(column(if judged.is_empty() { "remark" } else { "verdict" }, false));
    }
    let mut grid = TextTable::with_columns(layout);
    for row in &table.rows {
        let mut cells = row.keys.clone();
        for (number, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
            if single == Some(number) {
                cells.push(published(column, cell).unwrap_or_default());
                cells.push(ours(row, column, cell));
            } else {
                cells.push(both(row, column, cell, remarks));
            }
        }
        if has_remarks {
            cells.push(verdict(row, single, remarks));
        }
        grid.add_row(cells);
    }
    grid
}

fn column(header: &str, is_numeric: bool) -> TextColumn {
    let kind = if is_numeric { ColumnKind::Numbers } else { ColumnKind::Text };
    TextColumn { header: header.to_owned(), kind, is_optional: false }
}

fn ours(row: &Row, column: &Column, cell: &Cell) -> String {
    let unknown = || if cell.verdict.is_some() { "-".to_owned() } else { String::new() };
    let mut text = cell.ours.as_ref().map_or_else(unknown, |value| shown(column, value));
    if let Some(error) = cell.standard_error {
        text.push_str(&format!(" \u{b1}{}", standard_error(column, error)));
    }
    if let Some(size) = partial_sample(row, cell) {
        text.push_str(&format!(", n = {size}"));
    }
    text
}

pub(super) fn published(column: &Column, cell: &Cell) -> Option<String> {
    let value = cell.published.as_ref().map(|value| shown(column, value));
    cell.printed.clone().or(value)
}

/// Ours, and the published value where it is another.
fn both(row: &Row, column: &Column, cell: &Cell, remarks: &mut Remarks) -> String {
    let mut text = ours(row, column, cell);
    // A fraction that is printed in other terms is the same value.
    let is_exact = cell.standard_error.is_none() && cell.p.is_none();
    let is_same = cell.ours == cell.published || (is_exact && cell.verdict == Some(Verdict::Equal));
    if let Some(published) = published(column, cell).filter(|_| !is_same) {
        text.push_str(&format!(" ({published})"));
    }
    if let Some(reason) = &cell.reason {
        text.push_str(&remarks.mark(reason));
    }
    text
}

/// The verdict on a row: that of all its cells, or the worst of them.
fn verdict(row: &Row, single: Option<usize>, remarks: &mut Remarks) -> String {
    let worst = row.cells.iter().filter_map(|cell| cell.verdict).max();
    let mut text = worst.map(|verdict| verdict.to_string()).unwrap_or_default();
    let reason = single.and_then(|number| row.cells[number].reason.as_ref());
    for remark in reason.into_iter().chain(&row.note) {
        text.push_str(&remarks.mark(remark));
    }
    text.trim_start().to_owned()
}

pub(super) fn shown(column: &Column, value: &Value) -> String {
    match value {
        Value::Count(count) => grouped(count),
        Value::Seconds(value) => seconds(*value),
        Value::Number(value, _) if column.unit == "s" => seconds(*value),
        Value::Number(value, decimals) => {
            grouped(format_args!("{value:.*}", usize::from(*decimals)))
        }
        Value::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => grouped(text),
        value => value.to_string(),
    }
}

/// The size of the sample that ours is a statistic of, where some runs are not in it and no other
/// cell of the row, such as that of the solved puzzles, says how many are.
pub(super) fn partial_sample(row: &Row, cell: &Cell) -> Option<u64> {
    let Sample { count, of } = cell.sample.filter(|sample| sample.count < sample.of)?;
    let is_said = row.cells.iter().any(|other| other.ours == Some(Value::OutOf(count, of)));
    (!is_said).then_some(count)
}

/// The 95 % interval of ours: `[12.5, 14] %` of a rate, `[12, 15]` of a median.
pub(super) fn interval(cell: &Cell) -> Option<String> {
    let (low, high) = cell.interval?;
    Some(match cell.ours {
        Some(Value::OutOf(..)) => format!("[{}, {}] %", percent(low), percent(high)),
        _ => format!("[{}, {}]", short(low), short(high)),
    })
}

/// A standard error, of times in a fitting unit and of others with some three digits.
pub(super) fn standard_error(column: &Column, error: f64) -> String {
    let places = match error {
        _ if column.unit == "s" => return seconds(error),
        100.0.. => 1.0,
        10.0.. => 10.0,
        _ => 100.0,
    };
    short((error * places).round() / places)
}

/// Remarks on the cells of tables, each written once below them.
#[derive(Default)]
struct Remarks {
    texts: Vec<String>,
}

impl Remarks {
    /// The mark of a remark, to stand in its cell.
    fn mark(&mut self, text: &str) -> String {
        let known = self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        });
        format!(" [{}]", known + 1)
    }

    /// The paragraphs below the tables: the remarks, and the notes on the whole.
    fn list(&self, notes: &[String]) -> impl Iterator<Item = String> {
        let remarks = self.texts.iter().zip(1..);
        let remarks = remarks.map(|(remark, number)| format!("[{number}] {remark}"));
        remarks.chain(notes.iter().map(|note| format!("Note: {note}")))
    }
}

/// How often each verdict was given in several comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// A row for each comparison.
    pub rows: Vec<SummaryRow>,
    /// All of them together.
    pub total: VerdictCounts,
}

/// The verdicts of one comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SummaryRow {
    /// The experiment.
    pub experiment: String,
    /// The paper's key.
    pub document: String,
    /// The table, figure or theorems.
    pub table: String,
    /// How often each verdict was given.
    pub verdicts: VerdictCounts,
    /// Whether there is a record of every task.
    pub complete: bool,
}

impl Summary {
    /// Adds a comparison.
    pub fn add(&mut self, comparison: &Comparison) {
        let heading = &comparison.heading;
        self.total.add(&comparison.verdicts);
        self.rows.push(SummaryRow {
            experiment: heading.experiment.clone(),
            document: heading.document.clone(),
            table: heading.table.clone(),
            verdicts: comparison.verdicts.clone(),
            complete: comparison.complete,
        });
    }
}

/// A matrix of documents and tables with the counts of each verdict, in lines of at most this
/// width.
pub fn summary(summary: &Summary, width: Option<usize>) -> String {
    let given = || summary.total.0.keys();
    let names = given().map(|verdict| column(&verdict.to_string(), true));
    let layout = [column("document", false), column("table", false)].into_iter();
    let mut grid = TextTable::with_columns(layout.chain(names).chain([column("complete", false)]));
    let counts = |counts: &VerdictCounts| -> Vec<String> {
        let count = |verdict: &Verdict| match counts.of(*verdict) {
            0 => String::new(),
            count => count.to_string(),
        };
        given().map(count).collect()
    };
    let mut last = None;
    for row in &summary.rows {
        // The document's number in the list of papers, once.
        let is_new = last.replace(&row.document) != Some(&row.document);
        let number = PAPERS.iter().position(|paper| paper.key == row.document);
        let document = match number {
            _ if !is_new => String::new(),
            Some(number) => format!("{} {}", number + 1, row.document),
            None if row.document.is_empty() => "no paper".to_owned(),
            None => row.document.clone(),
        };
        let table = if row.table.is_empty() { &row.experiment } else { &row.table };
        let is_complete = if row.complete { "yes" } else { "no" };
        let head = [document, table.clone()].into_iter();
        grid.add_row(head.chain(counts(&row.verdicts)).chain([is_complete.to_owned()]));
    }
    let head = ["all".to_owned(), String::new()].into_iter();
    grid.add_row(head.chain(counts(&summary.total)).chain([String::new()]));
    grid.render(width)
}
