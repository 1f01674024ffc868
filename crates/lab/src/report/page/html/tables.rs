//! Tables of the page.

use maud::{Markup, html};

use super::{class, letter, meaning};
use crate::compare::{Cell, Column, Row, Table, Value, Verdict};
use crate::report::Figure;
use crate::report::svg::{Matrix, MatrixRow, Number, ink, share, short, strength};
use crate::report::text::{published, shown};

/// A table with the published values next to ours, and why they differ.
pub(super) fn table(table: &Table) -> Markup {
    let columns: Vec<Shown<'_>> = (0..table.columns.len())
        .filter(|&number| table.rows.iter().any(|row| !row.cells[number].is_empty()))
        .map(|number| Shown::new(table, number))
        .collect();
    let is_paired = columns.iter().any(|column| column.is_pair);
    let width = table.keys.len() + columns.iter().map(Shown::width).sum::<usize>();
    let keys = Keys::new(table);
    let two = is_paired.then_some("2");
    let is_wide = !is_paired && columns.len() > MANY;
    if let (true, Some(title)) = (is_wide, &table.title) {
        return html! {
            details class="folded" {
                summary { (title) }
                (wide(table, &columns, &keys))
            }
        };
    }
    html! {
        div class="wrap" tabindex="0" role="group" aria-label=(table.title.as_deref().unwrap_or("table")) {
            table {
                @if let Some(title) = &table.title { caption { (title) } }
                thead {
                    tr {
                        @for (key, is_number) in table.keys.iter().zip(&keys.is_number) {
                            th scope="col" class=[is_number.then_some("number")] rowspan=[two] { (key) }
                        }
                        @for column in &columns { (column.head(two)) }
                    }
                    @if is_paired {
                        tr { @for column in columns.iter().filter(|column| column.is_pair) {
                            th scope="col" class=(column.alignment()) { "published" }
                            th scope="col" class=(column.alignment()) { "ours" }
                        } }
                    }
                }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        tr class=[keys.is_continued(table, number).then_some("continued")] {
                            (keys.cells(row))
                            @for column in &columns { (column.cells(&row.cells[column.number])) }
                        }
                        @if has_remarks(row) {
                            tr class="remark" { td class="why" colspan=(width) { (remarks(table, row)) } }
                        }
                    }
                }
            }
        }
    }
}

/// With more columns the names of the rows stay in sight, those of the columns stand upright, and
/// numbers are short.
const MANY: usize = 10;

/// A table with many columns of one measure.
fn wide(table: &Table, columns: &[Shown<'_>], keys: &Keys) -> Markup {
    html! {
        div class="wrap many" tabindex="0" role="group" aria-label=(table.title.as_deref().unwrap_or("table")) {
            table {
                thead { tr {
                    @for key in &table.keys { th scope="col" { (key) } }
                    @for column in columns { th scope="col" { span { (column.column.name) } } }
                } }
                tbody {
                    @for row in &table.rows { tr {
                        (keys.cells(row))
                        @for column in columns { (column.short_cell(&row.cells[column.number])) }
                    } }
                }
            }
        }
    }
}

fn has_remarks(row: &Row) -> bool {
    row.note.is_some() || row.cells.iter().any(|cell| cell.reason.is_some())
}

/// The columns that name a row.
struct Keys {
    is_number: Vec<bool>,
}

impl Keys {
    fn new(table: &Table) -> Keys {
        let is_number =
            |number: usize| table.rows.iter().all(|row| row.keys[number].parse::<f64>().is_ok());
        Keys { is_number: (0..table.keys.len()).map(is_number).collect() }
    }

    /// Returns whether a row is of the same thing as the one above it.
    fn is_continued(&self, table: &Table, number: usize) -> bool {
        let named = self.is_number.len().min(2);
        number > 0
            && self.is_number.len() > 2
            && table.rows[number].keys[..named] == table.rows[number - 1].keys[..named]
    }

    fn cells(&self, row: &Row) -> Markup {
        html! {
            @for (number, (key, is_number)) in row.keys.iter().zip(&self.is_number).enumerate() {
                @let class = match (is_number, key.chars().count() < 44) {
                    (true, _) => "number",
                    (false, true) => "key",
                    (false, false) => "",
                };
                @if number == 0 { th scope="row" class=(class) { (key) } }
                @else { td class=(class) { (key) } }
            }
        }
    }
}

/// A column as it is shown.
struct Shown<'a> {
    /// Its number among the columns of the table.
    number: usize,
    column: &'a Column,
    /// Whether the published value has a column of its own. Texts that are the same as ours are
    /// shown once.
    is_pair: bool,
}

impl<'a> Shown<'a> {
    fn new(table: &'a Table, number: usize) -> Shown<'a> {
        let column = &table.columns[number];
        let cells = || table.rows.iter().map(|row| &row.cells[number]);
        let differs = |cell: &Cell| {
            cell.published.is_some()
                && (column.is_numeric || cell.printed.is_some() || cell.published != cell.ours)
        };
        Shown { number, column, is_pair: cells().any(differs) }
    }

    fn width(&self) -> usize {
        if self.is_pair { 2 } else { 1 }
    }

    fn alignment(&self) -> &'static str {
        if self.column.is_numeric { "number" } else { "text" }
    }

    fn head(&self, two: Option<&str>) -> Markup {
        let unit = self.column.unit;
        let shows_unit = !unit.is_empty() && !self.column.name.contains(unit);
        html! {
            @if self.is_pair {
                th scope="colgroup" colspan="2" class="pair" {
                    (self.column.name) @if shows_unit { small { ", " (unit) } }
                }
            } @else {
                th scope="col" class=(self.alignment()) rowspan=[two] {
                    (self.column.name) @if shows_unit { small { ", " (unit) } }
                }
            }
        }
    }

    fn cells(&self, cell: &Cell) -> Markup {
        html! {
            @if self.is_pair {
                td class={ (self.alignment()) " print" } { (published(self.column, cell).unwrap_or_default()) }
            }
            td class=(self.alignment()) {
                @if let Some(verdict) = cell.verdict {
                    span class={ "v " (class(Some(verdict))) } title=(meaning(verdict)) { (letter(Some(verdict))) }
                    " "
                }
                (self.ours(cell))
            }
        }
    }

    /// A cell with a short number, and all that is known of it as a tooltip.
    fn short_cell(&self, cell: &Cell) -> Markup {
        let Some(value) = &cell.ours else { return html! { td class=(self.alignment()) {} } };
        let full = shown(self.column, value);
        let interval = cell.interval.filter(|_| matches!(value, Value::OutOf(..)));
        let interval = interval
            .map(|(low, high)| format!(", 95 % interval {} to {} %", percent(low), percent(high)))
            .unwrap_or_default();
        let (text, number) = match value {
            Value::OutOf(count, _) => (count.to_string(), Some(*count as f64)),
            Value::Count(count) => (rounded_count(*count), Some(*count as f64)),
            value => (full.clone(), value.number()),
        };
        html! {
            td class=(self.alignment()) title={ (self.column.name) ": " (full) (interval) }
                data-value=[number] { (text) }
        }
    }

    fn ours(&self, cell: &Cell) -> Markup {
        html! {
            @match &cell.ours {
                None => @if cell.verdict.is_some() { "\u{2013}" },
                Some(Value::Histogram(counts)) => (spark(counts)),
                Some(value) => {
                    @let text = shown(self.column, value);
                    @if cell.verdict.is_some_and(|verdict| verdict != Verdict::Equal) { b { (text) } } @else { (text) }
                }
            }
            @if let Some(error) = cell.standard_error { small { " \u{b1} " (rounded(error)) } }
            @if let Some((low, high)) = cell.interval {
                @if matches!(cell.ours, Some(Value::OutOf(..))) {
                    small title="95 % interval (Wilson)" { " [" (percent(low)) ", " (percent(high)) "] %" }
                } @else {
                    small title="95 % interval (bootstrap)" { " [" (short(low)) ", " (short(high)) "]" }
                }
            }
        }
    }
}

/// A count with three digits: `16`, `21.8 k`, `1.29 M`.
fn rounded_count(count: u64) -> String {
    let (mut value, mut unit) = (count as f64, "");
    for larger in ["\u{202f}k", "\u{202f}M", "\u{202f}G"] {
        // What would be rounded to a thousand is one of the next unit.
        if value >= 999.5 {
            (value, unit) = (value / 1000.0, larger);
        }
    }
    let places = match value {
        _ if unit.is_empty() => 0,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$}{unit}")
}

/// A standard error with some three digits.
fn rounded(error: f64) -> String {
    let places = if error >= 100.0 {
        1.0
    } else if error >= 10.0 {
        10.0
    } else {
        100.0
    };
    short((error * places).round() / places)
}

/// A share in percent with a decimal place.
fn percent(share: f64) -> String {
    short((share * 1000.0).round() / 10.0)
}

/// How often each number came, as a picture of the height of a line.
fn spark(counts: &std::collections::BTreeMap<u32, u64>) -> Markup {
    let (Some((&first, _)), Some((&last, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return html! {};
    };
    let most = counts.values().copied().max().unwrap_or(1) as f64;
    let width = f64::from(last - first + 1);
    let text: Vec<String> =
        counts.iter().map(|(length, count)| format!("{length}: {count}")).collect();
    html! {
        span class="spark" title=(text.join(", ")) {
            small { (first) }
            svg viewBox={ "0 0 " (Number(width)) " 20" } preserveAspectRatio="none" role="img" aria-label=(text.join(", ")) class="c0" {
                @for (&length, &count) in counts {
                    @let height = (count as f64 / most * 20.0).max(1.0);
                    rect class="fill" x=(length - first) y=(Number(20.0 - height)) width="0.9" height=(Number(height)) {}
                }
            }
            @if last > first { small { (last) } }
        }
    }
}

/// Why the values of a row differ, each reason once, and what else is to be known.
fn remarks(table: &Table, row: &Row) -> Markup {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (column, cell) in table.columns.iter().zip(&row.cells) {
        let Some(reason) = &cell.reason else { continue };
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, columns)) => columns.push(&column.name),
            None => reasons.push((reason, vec![&column.name])),
        }
    }
    html! {
        @for (reason, columns) in &reasons {
            p { @if table.columns.len() > 1 { b { (columns.join(", ")) ": " } } (reason) }
        }
        @if let Some(note) = &row.note { p { (note) } }
    }
}

/// A heat matrix. Its names stay in sight while the rest scrolls.
pub(super) fn heat(matrix: &Matrix) -> Markup {
    let cells = |row: &MatrixRow| {
        html! {
            th scope="row" { (row.name) }
            td class="of" { (row.all()) }
            @for (column, cell) in matrix.columns.iter().zip(&row.cells) {
                @if let Some((count, all)) = cell {
                    @let share = share(*count, *all);
                    td class=(ink(share)) style={ "--heat:" (Number(100.0 * strength(share))) "%" }
                        title={ (column) ", " (row.name) ": " (count) " of " (all) } { (row.write(*count, *all)) }
                } @else { td {} }
            }
        }
    };
    html! {
        div class="wrap many" tabindex="0" role="group" aria-label=(matrix.title) {
            table class="heat" {
                thead { tr {
                    th scope="col" { "puzzles" } th scope="col" class="of" { "of" }
                    @for column in &matrix.columns { th scope="col" { span { (column) } } }
                } }
                tbody { @for row in &matrix.rows { tr { (cells(row)) } } }
                tfoot { tr { (cells(&matrix.total())) } }
            }
        }
    }
}

/// The numbers of a figure.
pub(super) fn points(figure: &Figure) -> Markup {
    let points = figure.points();
    html! {
        div class="wrap tall" tabindex="0" role="group" aria-label={ "Numbers of " (figure.label) } {
            table {
                caption { (figure.label) ". " (figure.title) }
                thead { tr { @for column in &points.columns { th scope="col" { (column) } } } }
                tbody {
                    @for row in &points.rows { tr { @for cell in row { td { (cell) } } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_three_digits() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1.00\u{202f}k"),
            (21_845, "21.8\u{202f}k"),
            (999_499, "999\u{202f}k"),
            (999_500, "1.00\u{202f}M"),
            (2_500_000_000, "2.50\u{202f}G"),
        ] {
            assert_eq!(rounded_count(count), text);
        }
    }
}
