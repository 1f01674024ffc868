//! Comparisons as text for people.

use std::collections::BTreeMap;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table as Grid, TableStyle,
};
use serde::Serialize;

use crate::compare::{Cell, Column, Comparison, Row, Table, Value, Verdict, VerdictCounts};
use crate::experiment::PAPERS;

/// A comparison: its heading, its tables, the remarks on them, and how often each verdict was given.
/// Lines are at most `width` columns wide where a table can be folded so far.
pub fn text(comparison: &Comparison, width: Option<u16>) -> String {
    let heading = &comparison.heading;
    let mut text = format!("{}\n", heading.title);
    let place = [
        heading.table.clone(),
        with_prefix("section ", &heading.section),
        heading.page.map(|page| format!("page {page}")).unwrap_or_default(),
    ];
    let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
    for line in [place.join(", "), heading.paper.clone()] {
        if !line.is_empty() {
            text.push_str(&format!("{line}\n"));
        }
    }
    let mut remarks = Remarks::default();
    for table in &comparison.tables {
        text.push('\n');
        if let Some(title) = &table.title {
            text.push_str(&format!("{title}\n"));
        }
        text.push_str(&grid(table, &mut remarks, width));
    }
    text.push('\n');
    text.push_str(&remarks.list(&comparison.notes));
    if comparison.verdicts.total() > 0 {
        let judged = comparison.verdicts.total();
        let cells = if judged == 1 { "judged cell" } else { "judged cells" };
        let judged = comparison.proven.clone().unwrap_or_else(|| format!("{judged} {cells}"));
        text.push_str(&format!("\n{judged}: {}\n", comparison.verdicts));
    }
    text
}

fn with_prefix(prefix: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{prefix}{text}") }
}

/// A table. Where one column alone is judged, the published value and the verdict have columns of
/// their own; elsewhere a published value that differs stands in parentheses.
fn grid(table: &Table, remarks: &mut Remarks, width: Option<u16>) -> String {
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
    // Columns that hold nothing but a value that all rows have.
    let mut layout: Vec<(String, bool)> =
        table.keys.iter().map(|key| (key.clone(), false)).collect();
    for (layout_key, number) in layout.iter_mut().zip(0..) {
        layout_key.1 = table.rows.iter().all(|row| row.keys[number].parse::<f64>().is_ok())
            && !table.rows.is_empty();
    }
    for (number, column) in table.columns.iter().enumerate() {
        if single == Some(number) {
            layout.push(("published".to_owned(), true));
            layout.push(("ours".to_owned(), true));
        } else {
            layout.push((column.name.clone(), column.is_numeric));
        }
    }
    let has_remarks = !judged.is_empty() || table.rows.iter().any(|row| row.note.is_some());
    if has_remarks {
        layout.push(("verdict".to_owned(), false));
    }
    let mut grid = new_grid(&layout, width);
    for row in &table.rows {
        let mut cells = row.keys.clone();
        for (number, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
            if single == Some(number) {
                cells.push(published(column, cell).unwrap_or_default());
                cells.push(ours(column, cell));
            } else {
                cells.push(both(column, cell, remarks));
            }
        }
        if has_remarks {
            cells.push(verdict(row, single, remarks));
        }
        grid.add_row(cells);
    }
    grid.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn new_grid(layout: &[(String, bool)], width: Option<u16>) -> Grid {
    let mut grid = Grid::new();
    let rule = LineStyle::none().fill('\u{2500}').junction('\u{2500}');
    grid.load_style(TableStyle::new().header_separator(rule));
    grid.set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        grid.set_width(width);
    }
    grid.set_header(layout.iter().map(|(name, _)| name));
    let last = layout.len() - 1;
    for (number, (column, (_, is_numeric))) in grid.column_iter_mut().zip(layout).enumerate() {
        column.set_padding((0, 1));
        if *is_numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if number < last {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    grid
}

fn ours(column: &Column, cell: &Cell) -> String {
    let unknown = || if cell.verdict.is_some() { "-".to_owned() } else { String::new() };
    let mut text = cell.ours.as_ref().map_or_else(unknown, |value| shown(column, value));
    if let Some(error) = cell.standard_error {
        text.push_str(&format!(" \u{b1}{error:.2}"));
    }
    text
}

fn published(column: &Column, cell: &Cell) -> Option<String> {
    let value = cell.published.as_ref().map(|value| shown(column, value));
    cell.printed.clone().or(value)
}

/// Ours, and the published value where it is another.
fn both(column: &Column, cell: &Cell, remarks: &mut Remarks) -> String {
    let mut text = ours(column, cell);
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

fn shown(column: &Column, value: &Value) -> String {
    match value {
        Value::Count(count) => grouped(&count.to_string()),
        Value::Seconds(seconds) => self::seconds(*seconds),
        Value::Number(value, _) if column.unit == "s" => seconds(*value),
        Value::Number(value, decimals) => grouped(&format!("{value:.*}", usize::from(*decimals))),
        Value::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => grouped(text),
        value => value.to_string(),
    }
}

/// A number with its thousands separated.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// Seconds in a fitting unit.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} \u{b5}s", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
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

    /// The lines below the tables: the remarks, and the notes on the whole.
    fn list(&self, notes: &[String]) -> String {
        let remarks = self.texts.iter().enumerate();
        let remarks = remarks.map(|(number, remark)| format!("[{}] {remark}\n", number + 1));
        remarks.chain(notes.iter().map(|note| format!("Note: {note}\n"))).collect()
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
        for (&verdict, &count) in &comparison.verdicts.0 {
            *self.total.0.entry(verdict).or_default() += count;
        }
        self.rows.push(SummaryRow {
            experiment: heading.experiment.clone(),
            document: heading.document.clone(),
            table: heading.table.clone(),
            verdicts: comparison.verdicts.clone(),
            complete: comparison.complete,
        });
    }
}

/// A matrix of documents and tables with the counts of each verdict.
pub fn summary(summary: &Summary, width: Option<u16>) -> String {
    let given: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|verdict| summary.total.of(*verdict) > 0).collect();
    let mut layout = vec![("document".to_owned(), false), ("table".to_owned(), false)];
    layout.extend(given.iter().map(|verdict| (verdict.to_string(), true)));
    layout.push(("complete".to_owned(), false));
    let mut grid = new_grid(&layout, width);
    let counts = |counts: &VerdictCounts| -> Vec<String> {
        let count = |verdict: &Verdict| match counts.of(*verdict) {
            0 => String::new(),
            count => count.to_string(),
        };
        given.iter().map(count).collect()
    };
    let mut shown: BTreeMap<&str, ()> = BTreeMap::new();
    for row in &summary.rows {
        // The document's number in the list of papers, once.
        let number = PAPERS.iter().position(|paper| paper.key == row.document);
        let document = number.map_or(String::new(), |n| format!("{} {}", n + 1, row.document));
        let is_new = shown.insert(&row.document, ()).is_none();
        let mut cells = vec![if is_new { document } else { String::new() }, row.table.clone()];
        cells.extend(counts(&row.verdicts));
        cells.push(if row.complete { "yes" } else { "no" }.to_owned());
        grid.add_row(cells);
    }
    let mut all = vec!["all".to_owned(), String::new()];
    all.extend(counts(&summary.total));
    grid.add_row(all);
    grid.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
