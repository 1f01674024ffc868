//! Tables of the page.

use hyperslide_puzzle::Metric;
use maud::{Markup, html};

use super::{CLOSE, class, letter, meaning};
use crate::compare::{Cell, Column, Row, Table, Value, Verdict};
use crate::instances::find_instance;
use crate::report::Figure;
use crate::report::numbers::percent;
use crate::report::svg::{Matrix, MatrixRow, Number, ink, share, strength};
use crate::report::text::{interval, partial_sample, published, shown, standard_error};

/// A table with the published values next to ours, and why they differ.
pub(super) fn table(table: &Table) -> Markup {
    let columns: Vec<Shown<'_>> = (0..table.columns.len())
        .filter(|&number| table.rows.iter().any(|row| !row.cells[number].is_empty()))
        .map(|number| Shown::new(table, number))
        .collect();
    let is_paired = columns.iter().any(|column| column.is_pair);
    let keys = Keys::new(table);
    let is_wide = !is_paired && columns.len() > MANY;
    if let (true, Some(title)) = (is_wide, &table.title) {
        return html! {
            details class="folded" {
                summary { (title) }
                (wide(table, &columns, &keys))
            }
        };
    }
    let width = table.keys.len() + columns.iter().map(Shown::width).sum::<usize>();
    let footnotes = Footnotes::new(table);
    let folding = Folding::new(table, &keys);
    let two = is_paired.then_some("2");
    let is_dense = columns.iter().filter(|column| column.has_errors(table)).count() > 2;
    html! {
        div class={ "wrap" @if table.rows.len() > LONG { " long" } @if is_dense { " dense" } } tabindex="0" role="group"
            aria-label=(table.title.as_deref().unwrap_or("table")) {
            table {
                @if let Some(title) = &table.title { caption { span { (with_boards_in_words(title)) } } }
                thead {
                    tr {
                        @for (key, is_number) in table.keys.iter().zip(&keys.is_number) {
                            th scope="col" class=[is_number.then_some("number")] rowspan=[two] { (key) }
                        }
                        @for column in &columns { (column.head(two)) }
                    }
                    @if is_paired {
                        tr { @for column in columns.iter().filter(|column| column.is_pair) {
                            th scope="col" class=(column.alignment) { "published" }
                            th scope="col" class=(column.alignment) { "ours" }
                        } }
                    }
                }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        @let rest = folding.hides(number).then_some("rest");
                        @let continued = keys.is_continued(table, number).then_some("continued");
                        @let classes = [continued, rest].into_iter().flatten().collect::<Vec<_>>().join(" ");
                        tr class=[(!classes.is_empty()).then_some(classes)] {
                            (keys.cells(row, &footnotes.mark(row.note.as_deref())))
                            @for column in &columns { (column.cells(row, &footnotes)) }
                        }
                        @let remarks = footnotes.remarks(table, row);
                        @if !remarks.is_empty() {
                            tr class={ "remark" @if rest.is_some() { " rest" } } {
                                td class="why" colspan=(width) {
                                    @for (columns, remark) in &remarks {
                                        p { @if !columns.is_empty() { b { (columns) ": " } } (remark) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        (folding.switch(table))
        (footnotes.list())
    }
}

/// With more rows the heading of a table stays in sight.
const LONG: usize = 12;

/// Which rows of a long table are folded away at first: those after the first few of which there is
/// nothing to say but that they are equal.
struct Folding {
    /// The number of rows that are shown in any case.
    first: usize,
    hidden: Vec<bool>,
    keeps_others: bool,
}

impl Folding {
    /// The number of rows that are always shown.
    const FIRST: usize = 8;
    /// As many rows at least are worth folding.
    const LEAST: usize = 8;
    /// As many rows that are not equal are kept in sight.
    const MOST_KEPT: usize = 12;

    fn new(table: &Table, keys: &Keys) -> Folding {
        let count = table.rows.len();
        // Rows of the same thing stay together where they are few.
        let is_start = |number: &usize| !keys.is_continued(table, *number);
        let first = (Self::FIRST..count.min(2 * Self::FIRST)).find(is_start);
        let first = first.unwrap_or(Self::FIRST).min(count);
        let is_notable = |row: &Row| {
            row.note.is_some()
                || row.cells.iter().filter_map(|cell| cell.verdict).any(|own| own != Verdict::Equal)
        };
        let notable = table.rows[first..].iter().filter(|row| is_notable(row)).count();
        let keeps_others = (1..=Self::MOST_KEPT).contains(&notable);
        let hidden: Vec<bool> = (0..)
            .zip(&table.rows)
            .map(|(number, row)| number >= first && !(keeps_others && is_notable(row)))
            .collect();
        if hidden.iter().filter(|&&hides| hides).count() < Self::LEAST {
            return Folding { first: count, hidden: vec![false; count], keeps_others: false };
        }
        Folding { first, hidden, keeps_others }
    }

    fn hides(&self, number: usize) -> bool {
        self.hidden[number]
    }

    /// What unfolds the table that stands before it.
    fn switch(&self, table: &Table) -> Markup {
        let shown = match self.keeps_others {
            true => format!("the first {} and those that are not equal", self.first),
            false => format!("the first {}", self.first),
        };
        html! { @if self.hidden.contains(&true) { (unfold(table.rows.len(), &shown)) } }
    }
}

/// What unfolds the table that stands before it: its rows of the class `rest` are hidden until
/// then.
pub(super) fn unfold(rows: usize, shown: &str) -> Markup {
    html! {
        details class="more" {
            summary {
                span { "Show all " (rows) " rows" small { " \u{b7} here are " (shown) } }
                span { "Show fewer rows" }
            }
        }
    }
}

/// What is said of several rows of a table: once, below it.
struct Footnotes<'a>(Vec<&'a str>);

impl<'a> Footnotes<'a> {
    fn new(table: &'a Table) -> Footnotes<'a> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for row in &table.rows {
            for text in row.remarks() {
                match counts.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((text, 1)),
                }
            }
        }
        let often = counts.into_iter().filter(|(_, count)| *count > 1);
        Footnotes(often.map(|(text, _)| text).collect())
    }

    /// The sign of what is said of a cell or a row, where it stands below the table.
    fn mark(&self, said: Option<&str>) -> Markup {
        let number = said.and_then(|said| self.0.iter().position(|&known| known == said));
        html! { @if let Some(number) = number { sup { (sign(number)) } } }
    }

    /// What stands below a row: why its values differ, each reason once with its columns, and what
    /// else is to be known.
    fn remarks<'b>(&self, table: &'b Table, row: &'b Row) -> Vec<(String, &'b str)> {
        let mut remarks: Vec<(Vec<&str>, &str)> = Vec::new();
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let Some(reason) = cell.reason.as_deref() else { continue };
            match remarks.iter_mut().find(|(_, known)| *known == reason) {
                Some((columns, _)) => columns.push(&column.name),
                None => remarks.push((vec![&column.name], reason)),
            }
        }
        let has_columns = table.columns.len() > 1;
        let names =
            |columns: Vec<&str>| if has_columns { columns.join(", ") } else { String::new() };
        let reasons = remarks.into_iter().map(|(columns, reason)| (names(columns), reason));
        let note = row.note.as_deref().map(|note| (String::new(), note));
        reasons.chain(note).filter(|(_, text)| !self.0.contains(text)).collect()
    }

    fn list(&self) -> Markup {
        html! {
            @if !self.0.is_empty() {
                ul class="footnotes" {
                    @for (number, text) in self.0.iter().enumerate() { li { sup { (sign(number)) } " " (text) } }
                }
            }
        }
    }
}

/// `a` to `z`, then numbers.
fn sign(number: usize) -> String {
    let letter = u8::try_from(number).ok().filter(|&number| number < 26);
    letter.map_or_else(|| number.to_string(), |number| char::from(b'a' + number).to_string())
}

/// With more columns the names of the rows stay in sight, those of the columns stand upright, and
/// numbers are short.
const MANY: usize = 10;

/// A table with many columns of one measure.
fn wide(table: &Table, columns: &[Shown<'_>], keys: &Keys) -> Markup {
    html! {
        div class={ "wrap many" @if table.rows.len() > LONG { " long" } } tabindex="0" role="group"
            aria-label=(table.title.as_deref().unwrap_or("table")) {
            table {
                thead { tr {
                    @for key in &table.keys { th scope="col" { (key) } }
                    @for column in columns { th scope="col" { span { (column.column.name) } } }
                } }
                tbody {
                    @for row in &table.rows { tr {
                        (keys.cells(row, &html! {}))
                        @for column in columns { (column.short_cell(row)) }
                    } }
                }
            }
        }
    }
}

/// A text in which boards have names for readers: `4x4 grid` for `grid:4:4` and `4-cube, k = 2` for
/// `cube:4:2`.
pub(super) fn with_boards_in_words(text: &str) -> String {
    let in_words = |word: &str| {
        let board = word.trim_end_matches([':', ',']);
        let end = &word[board.len()..];
        let (kind, size) = board.split_once(':')?;
        let (first, second) = size.split_once(':')?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        match kind {
            _ if !is_number(first) || !is_number(second) => None,
            "grid" => Some(format!("{first}x{second} grid{end}")),
            "cube" => Some(format!("{first}-cube, k = {second}{end}")),
            _ => None,
        }
    };
    let words = text.split(' ').map(|word| in_words(word).unwrap_or_else(|| word.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

/// The columns that name a row.
struct Keys {
    is_number: Vec<bool>,
    /// The places of the name of an instance and of its rule.
    instance: Option<(usize, usize)>,
}

impl Keys {
    fn new(table: &Table) -> Keys {
        let is_number =
            |number: usize| table.rows.iter().all(|row| row.keys[number].parse::<f64>().is_ok());
        let place = |name: &str| table.keys.iter().position(|key| key == name);
        Keys {
            is_number: (0..table.keys.len()).map(is_number).collect(),
            instance: place("instance").zip(place("k")),
        }
    }

    /// The line of the puzzle whose name is in this place of a row.
    fn puzzle(&self, row: &Row, number: usize) -> Option<String> {
        let (_, rule) = self.instance.filter(|&(name, _)| name == number)?;
        let (instance, rule) = find_instance(&format!("{}:{}", row.keys[number], row.keys[rule]))?;
        Some(instance.puzzle(rule, Metric::Face).ok()?.to_string())
    }

    /// Returns whether a row is of the same thing as the one above it.
    fn is_continued(&self, table: &Table, number: usize) -> bool {
        let named = self.is_number.len().min(2);
        number > 0
            && self.is_number.len() > 2
            && table.rows[number].keys[..named] == table.rows[number - 1].keys[..named]
    }

    fn cells(&self, row: &Row, mark: &Markup) -> Markup {
        html! {
            @for (number, (key, is_number)) in row.keys.iter().zip(&self.is_number).enumerate() {
                @let class = match (is_number, key.chars().count() < 44) {
                    (true, _) => "number",
                    (false, true) => "key",
                    (false, false) => "",
                };
                @let key = named(&with_boards_in_words(key), self.puzzle(row, number));
                // The sign of what is said of the row stands after all that names it.
                @let mark = (number + 1 == row.keys.len()).then_some(mark);
                @if number == 0 { th scope="row" class=(class) { (key) @if let Some(mark) = mark { (mark) } } }
                @else { td class=(class) { (key) @if let Some(mark) = mark { (mark) } } }
            }
        }
    }
}

/// The name of a puzzle. The page on its own has no player, so a link to one is without an address:
/// the server puts that of its player before what it has.
fn named(name: &str, puzzle: Option<String>) -> Markup {
    html! {
        @match puzzle {
            Some(line) => { a data-play=(in_fragment(&line)) { (name) } }
            None => { (name) }
        }
    }
}

/// A text as it stands in the fragment of an address.
fn in_fragment(text: &str) -> String {
    let write = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b',' | b'=' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(write).collect()
}

/// Texts with more bytes take several lines.
const SENTENCE: usize = 36;

/// A column as it is shown.
struct Shown<'a> {
    /// Its number among the columns of the table.
    number: usize,
    column: &'a Column,
    /// Whether the published value has a column of its own. Texts that are the same as ours are
    /// shown once.
    is_pair: bool,
    alignment: &'static str,
}

impl<'a> Shown<'a> {
    fn new(table: &'a Table, number: usize) -> Shown<'a> {
        let column = &table.columns[number];
        let cells = || table.rows.iter().map(|row| &row.cells[number]);
        let differs = |cell: &Cell| {
            cell.published.is_some()
                && (column.is_numeric || cell.printed.is_some() || cell.published != cell.ours)
        };
        let is_sentence = |cell: &Cell| match &cell.ours {
            Some(Value::Text(text)) => text.len() > SENTENCE,
            _ => false,
        };
        let alignment = match column.is_numeric {
            _ if cells().any(is_sentence) => "sentence",
            true => "number",
            false => "text",
        };
        Shown { number, column, is_pair: cells().any(differs), alignment }
    }

    /// Returns whether its values have standard errors.
    fn has_errors(&self, table: &Table) -> bool {
        table.rows.iter().any(|row| row.cells[self.number].standard_error.is_some())
    }

    fn width(&self) -> usize {
        if self.is_pair { 2 } else { 1 }
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
                th scope="col" class=(self.alignment) rowspan=[two] {
                    (self.column.name) @if shows_unit { small { ", " (unit) } }
                }
            }
        }
    }

    fn cells(&self, row: &Row, footnotes: &Footnotes<'_>) -> Markup {
        let cell = &row.cells[self.number];
        html! {
            @if self.is_pair {
                td class={ (self.alignment) " print" } { (published(self.column, cell).unwrap_or_default()) }
            }
            td class=(self.alignment) {
                @if cell.is_close() {
                    span class={ "v " (class(cell.verdict)) } title=(CLOSE.1) { (CLOSE.0) } " "
                } @else if let Some(verdict) = cell.verdict {
                    span class={ "v " (class(Some(verdict))) } title=(meaning(verdict)) { (letter(Some(verdict))) }
                    " "
                }
                (self.ours(row, &footnotes.mark(cell.reason.as_deref())))
            }
        }
    }

    /// A cell with a short number, and all that is known of it as a tooltip.
    fn short_cell(&self, row: &Row) -> Markup {
        let cell = &row.cells[self.number];
        let Some(value) = &cell.ours else { return html! { td class=(self.alignment) {} } };
        let size =
            partial_sample(row, cell).map(|size| format!(", n = {size}")).unwrap_or_default();
        let error = cell.standard_error.map(|error| standard_error(self.column, error));
        let error = error.map(|error| format!(" \u{b1} {error} (standard error)"));
        let full = shown(self.column, value) + &error.unwrap_or_default() + &size;
        let interval = cell.interval.filter(|_| matches!(value, Value::OutOf(..)));
        let interval = interval
            .map(|(low, high)| format!(", 95 % interval {} to {} %", percent(low), percent(high)))
            .unwrap_or_default();
        let (text, number) = match value {
            Value::OutOf(count, _) => (count.to_string(), Some(*count as f64)),
            Value::Count(count) => (rounded_count(*count), Some(*count as f64)),
            value => (shown(self.column, value), value.number()),
        };
        html! {
            td class=(self.alignment) title={ (self.column.name) ": " (full) (interval) }
                data-value=[number] { (text) }
        }
    }

    fn ours(&self, row: &Row, mark: &Markup) -> Markup {
        let cell = &row.cells[self.number];
        html! {
            @match &cell.ours {
                None => @if cell.verdict.is_some() { "\u{2013}" },
                Some(Value::Histogram(counts)) => (spark(counts)),
                Some(value) => {
                    @let text = shown(self.column, value);
                    @if cell.verdict.is_some_and(|verdict| verdict != Verdict::Equal) { b { (text) } } @else { (text) }
                }
            }
            (mark)
            @if let Some(error) = cell.standard_error { small title="One standard error of the mean." { " \u{b1} " (standard_error(self.column, error)) } }
            @if let Some(size) = partial_sample(row, cell) {
                small title="The other runs have no value, such as those without a solution." { ", n = " (size) }
            }
            @if let Some(interval) = interval(cell) {
                @let is_rate = matches!(cell.ours, Some(Value::OutOf(..)));
                small title=(if is_rate { "95 % interval (Wilson)" } else { "95 % interval (bootstrap)" }) {
                    " " (interval)
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
        div class={ "wrap many" @if matrix.rows.len() > LONG { " long" } } tabindex="0" role="group"
            aria-label=(matrix.title) {
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
                caption { span {
                    @if !figure.label.is_empty() { (figure.label) ". " }
                    (figure.title)
                } }
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

    /// A table of a value in each row, with a verdict and a reason.
    fn judged(rows: &[(Verdict, Option<&str>)]) -> Table {
        let row = |(number, (verdict, reason)): (usize, &(Verdict, Option<&str>))| Row {
            keys: vec![format!("row {number}")],
            cells: vec![Cell {
                ours: Some(Value::Count(number as u64)),
                published: Some(Value::Count(number as u64)),
                verdict: Some(*verdict),
                reason: reason.map(str::to_owned),
                ..Cell::default()
            }],
            ..Row::default()
        };
        let column = Column { name: "moves".to_owned(), unit: "", is_numeric: true };
        let rows = rows.iter().enumerate().map(row).collect();
        Table { keys: vec!["row".to_owned()], columns: vec![column], rows, ..Table::default() }
    }

    #[test]
    fn a_reason_of_several_rows_is_said_once_and_one_of_a_single_row_below_it() {
        let explained = |reason| (Verdict::Explained, Some(reason));
        let rows = [explained("often"), explained("once"), explained("often")];
        let page = table(&judged(&rows)).into_string();
        assert_eq!(page.matches("often").count(), 1, "{page}");
        assert_eq!(page.matches("<sup>a</sup>").count(), 3, "two rows and the note: {page}");
        assert_eq!(page.matches("class=\"remark\"").count(), 1, "{page}");
        assert!(page.contains("once") && !page.contains("<sup>b</sup>"), "{page}");
    }

    #[test]
    fn a_long_table_folds_rows_that_are_equal_and_has_them_all() {
        let mut rows = vec![(Verdict::Equal, None); 40];
        rows[30] = (Verdict::Better, None);
        let page = table(&judged(&rows)).into_string();
        assert_eq!(page.matches("<th scope=\"row\"").count(), 40);
        assert_eq!(page.matches("<tr class=\"rest\">").count(), 40 - Folding::FIRST - 1);
        assert!(page.contains("Show all 40 rows"), "{page}");
        // With many of them there is nothing to tell from them.
        let page = table(&judged(&[(Verdict::Better, None); 40])).into_string();
        assert_eq!(page.matches("<tr class=\"rest\">").count(), 40 - Folding::FIRST);
        // A few rows are not worth it.
        let page = table(&judged(&[(Verdict::Equal, None); 12])).into_string();
        assert!(!page.contains("rest") && !page.contains("Show all"), "{page}");
    }

    #[test]
    fn another_number_that_a_test_calls_equal_has_a_sign_of_its_own() {
        let mut own = judged(&[(Verdict::Equal, None), (Verdict::Equal, None)]);
        own.rows[1].cells[0].published = Some(Value::Count(7));
        let page = table(&own).into_string();
        assert_eq!(page.matches(CLOSE.0).count(), 1, "{page}");
        // Words that differ are not close: the judge knows what they mean.
        own.rows[1].cells[0].published = Some(Value::Text("conjectured".to_owned()));
        assert!(!table(&own).into_string().contains(CLOSE.0));
    }

    #[test]
    fn boards_are_named_in_words() {
        for (text, words) in [
            ("grid:4:4: 100 random puzzles", "4x4 grid: 100 random puzzles"),
            ("cube:4:2, 8 tokens: all", "4-cube, k = 2, 8 tokens: all"),
            ("grid:3:4", "3x4 grid"),
            ("grid:x:4 cube:3 a:1:2", "grid:x:4 cube:3 a:1:2"),
        ] {
            assert_eq!(with_boards_in_words(text), words);
        }
    }

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
