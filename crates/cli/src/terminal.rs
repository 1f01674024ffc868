//! What people see: tables, numbers, progress, and the end by Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row, Table, TableStyle, Width,
};
use hyperslide_lab::WorkProgress;
use hyperslide_search::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let write = || {
        let mut output = std::io::stdout().lock();
        output.write_all(text.as_bytes())?;
        output.flush()
    };
    let written = if std::io::stdout().is_terminal() { around_progress(write) } else { write() };
    Ok(written?)
}

/// Prints a line to standard error, in one piece: where both streams go to one place it must not
/// land inside a line of output. If it cannot be printed, nobody can be told.
pub fn complain(message: &dyn std::fmt::Display) {
    let line = format!("hyperslide: {message}\n");
    around_progress(|| {
        let _ = std::io::stderr().write_all(line.as_bytes());
    });
}

/// The command as it was typed, except for the program's path.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("hyperslide".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Prints one JSON value as one line.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::Other(error.to_string()))?;
    print(&(text + "\n"))
}

/// The columns of the terminal that standard output goes to; `None` when it goes elsewhere, where
/// lines may have any length.
pub fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0))
}

/// A table for people.
pub struct TextTable {
    table: Table,
    headers: Vec<String>,
    columns: Vec<ColumnKind>,
}

/// What may be done with a column on a narrow terminal.
#[derive(Clone, Copy)]
struct ColumnKind {
    /// Its cells are not folded.
    is_rigid: bool,
    /// It is left out where there is no room.
    is_optional: bool,
}

/// A table with these headers. Columns whose header begins with `#` hold numbers, those with `=`
/// words that must not be folded on a narrow terminal. Columns whose header begins with `?`, before
/// any of these, are left out of a narrow terminal, the last ones first.
pub fn table(headers: &[&str]) -> TextTable {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(rule));
    table.force_no_tty();
    let plain: Vec<String> = headers
        .iter()
        .map(|header| header.trim_start_matches(['?', '#', '=']).to_owned())
        .collect();
    table.set_header(&plain);
    let mut columns = Vec::with_capacity(headers.len());
    for (column, header) in table.column_iter_mut().zip(headers) {
        let is_optional = header.starts_with('?');
        let header = header.trim_start_matches('?');
        let is_rigid = header.starts_with(['#', '=']);
        column.set_padding((0, 1));
        if header.starts_with('#') {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if is_rigid {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        columns.push(ColumnKind { is_rigid, is_optional });
    }
    TextTable { table, headers: plain, columns }
}

/// The lines of a table, without spaces at their ends, as they fit the terminal.
pub fn render(table: &TextTable) -> String {
    table.render(width())
}

/// Spaces between two columns.
const GAP: usize = 2;

impl TextTable {
    /// Adds a row of cells.
    pub fn add_row<T: Into<Row>>(&mut self, row: T) {
        self.table.add_row(row);
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The table in lines of at most this width: columns are folded between words or left out, and
    /// if that does not suffice every row becomes a list of its cells. Words are never broken.
    fn render(&self, width: Option<usize>) -> String {
        let mut table = self.table.clone();
        let mut left_out: Vec<&str> = Vec::new();
        if let Some(width) = width {
            let least: Vec<usize> = (0..self.columns.len()).map(|c| self.least_width(c)).collect();
            let mut shown: Vec<usize> = (0..self.columns.len()).collect();
            // A space comes behind the last column, too.
            let needed = |shown: &[usize], least: &[usize]| -> usize {
                shown.iter().map(|&column| least[column] + GAP).sum::<usize>() - 1
            };
            let readable: Vec<usize> =
                (0..self.columns.len()).map(|c| least[c].max(self.readable_width(c))).collect();
            while needed(&shown, &readable) > width {
                let last = shown.iter().rposition(|&column| self.columns[column].is_optional);
                let Some(last) = last else { break };
                left_out.insert(0, &self.headers[shown.remove(last)]);
            }
            if needed(&shown, &least) > width {
                return self.as_lists(width);
            }
            for (number, column) in table.column_iter_mut().enumerate() {
                if !shown.contains(&number) {
                    column.set_constraint(ColumnConstraint::Hidden);
                } else if !self.columns[number].is_rigid {
                    let least = Width::Fixed((least[number] + 1) as u16);
                    column.set_constraint(ColumnConstraint::LowerBoundary(least));
                }
            }
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width as u16);
        }
        let mut text: String =
            table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        if !left_out.is_empty() {
            let columns = if left_out.len() == 1 { "column" } else { "columns" };
            let note = format!("{columns} left out for lack of room: {}", left_out.join(", "));
            text.extend(fold(&note, width.unwrap_or(usize::MAX)).map(|line| line + "\n"));
        }
        text
    }

    /// The width below which a column would break a word, or fold what must not be folded.
    fn least_width(&self, column: usize) -> usize {
        match self.columns[column].is_rigid {
            true => self.widest(column, |text| text.lines().map(str::to_owned).collect()),
            false => {
                self.widest(column, |text| text.split_whitespace().map(str::to_owned).collect())
            }
        }
    }

    /// The width below which folded text is hard to read.
    fn readable_width(&self, column: usize) -> usize {
        const READABLE: usize = 24;
        self.widest(column, |text| text.lines().map(str::to_owned).collect()).min(READABLE)
    }

    /// The widest of the parts of a column's cells and its header.
    fn widest(&self, column: usize, parts: impl Fn(&str) -> Vec<String>) -> usize {
        let cells = self.table.row_iter().filter_map(|row| row.cell_iter().nth(column));
        let texts = cells.map(|cell| cell.content()).chain([self.headers[column].clone()]);
        let parts = texts.flat_map(|text| parts(&text));
        parts.map(|part| part.chars().count()).max().unwrap_or_default()
    }

    /// Every row as a list of its cells, one below the other.
    fn as_lists(&self, width: usize) -> String {
        let indent =
            self.headers.iter().map(|header| header.chars().count()).max().unwrap_or(0) + GAP;
        let list = |row: &Row| -> String {
            let cells = self.headers.iter().zip(row.cell_iter());
            let cells = cells.filter(|(_, cell)| !cell.content().is_empty());
            let lines = cells.flat_map(|(header, cell)| {
                let lines = fold(&cell.content(), width.saturating_sub(indent)).collect::<Vec<_>>();
                lines.into_iter().enumerate().map(move |(number, line)| {
                    let header = if number == 0 { header.as_str() } else { "" };
                    format!("{header:indent$}{line}\n")
                })
            });
            lines.collect()
        };
        self.table.row_iter().map(list).collect::<Vec<_>>().join("\n")
    }
}

/// The words of a text in lines of at most this width; a longer word has a line of its own.
fn fold(text: &str, width: usize) -> impl Iterator<Item = String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter()
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 state`, `2,300 states`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Seconds in a fitting unit.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// How long something takes, roughly.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

/// Bytes in a fitting unit.
pub fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e3 => format!("{b} bytes"),
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

static CANCELLED: AtomicBool = AtomicBool::new(false);
/// The number of searches that are under way.
static SEARCHING: AtomicUsize = AtomicUsize::new(0);

/// Returns whether Ctrl-C has been pressed during a search.
pub fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Runs a search with a flag that the first Ctrl-C sets. A second one, or one while nothing is being
/// searched, ends the program at once.
pub fn cancellable<T>(search: impl FnOnce(&'static AtomicBool) -> T) -> T {
    let flag = cancel_flag();
    search_begins();
    let result = search(flag);
    search_ends();
    result
}

/// The flag that the first Ctrl-C sets between [`search_begins`] and [`search_ends`].
pub fn cancel_flag() -> &'static AtomicBool {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C ends the program as it always does.
        let _ = ctrlc::set_handler(|| {
            if SEARCHING.load(Ordering::Relaxed) == 0 || CANCELLED.swap(true, Ordering::Relaxed) {
                if let Some(line) = progress_line() {
                    line.finish_and_clear();
                }
                std::process::exit(130);
            }
        });
    });
    &CANCELLED
}

/// Notes that a search has begun whose end is worth waiting for.
pub fn search_begins() {
    SEARCHING.fetch_add(1, Ordering::Relaxed);
}

/// Notes that a search has ended and what it found is printed.
pub fn search_ends() {
    SEARCHING.fetch_sub(1, Ordering::Relaxed);
}

/// The line that shows progress at the moment.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn progress_line() -> Option<ProgressBar> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes while the line that shows progress is out of the way.
fn around_progress<T>(write: impl FnOnce() -> T) -> T {
    match progress_line() {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

/// A line about long work on standard error; nothing when that is not a terminal. It never wraps.
pub struct SearchProgress(ProgressBar);

impl SearchProgress {
    /// A line that begins with this.
    pub fn new(prefix: &str) -> SearchProgress {
        if !std::io::stderr().is_terminal() {
            return SearchProgress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(prefix.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        *LINE.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        SearchProgress(bar)
    }

    /// Begins another part.
    pub fn set_prefix(&self, prefix: &str) {
        self.0.set_prefix(prefix.to_owned());
        self.say("");
    }

    /// Shows any text.
    pub fn say(&self, text: &str) {
        // The spinner and a space stand before the text; the ^C that a terminal shows for Ctrl-C, and
        // the cursor, must find room behind it.
        const RESERVED: usize = 6;
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .map_or(usize::MAX, |(width, _)| usize::from(width.0).saturating_sub(RESERVED));
        self.0.set_message(cut(&(self.0.prefix() + text), width));
    }

    /// Shows where the search is.
    pub fn show(&self, progress: &Progress) {
        self.say(&search_text(progress));
    }
}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        *LINE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The beginning of a text, of at most this width.
fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// Where a search is, the most interesting first.
pub fn search_text(progress: &Progress) -> String {
    let stats = &progress.stats;
    let best = progress.length.map_or(String::new(), |length| format!("found {length}, "));
    format!(
        "{} generated, {best}at least {} moves, {}, {}",
        grouped(stats.generated),
        progress.lower_bound,
        bytes(stats.peak_bytes),
        seconds(stats.wall_s),
    )
}

/// How far work has come: `3 of 40 puzzles, about 5 min left`.
pub fn work_text(progress: &WorkProgress, things: &str) -> String {
    let WorkProgress { done, total, .. } = progress;
    let Some(total) = total else { return format!("{} {things}", grouped(*done as u64)) };
    let left = progress.left().filter(|_| done < total);
    let left =
        left.map_or(String::new(), |left| format!(", about {} left", duration(left.as_secs_f64())));
    format!("{} of {} {things}{left}", grouped(*done as u64), grouped(*total as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(seconds(0.0000012), "1 µs");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(75.0), "75.0 s");
        assert_eq!(bytes(2_500_000), "2.5 MB");
    }

    #[test]
    fn work_that_is_left_is_shown_where_it_is_known() {
        let elapsed = Duration::from_secs(60);
        let progress = WorkProgress { done: 1200, total: Some(3600), fresh: 1200, elapsed };
        assert_eq!(work_text(&progress, "puzzles"), "1,200 of 3,600 puzzles, about 2 min left");
        let unknown = WorkProgress { total: None, ..progress };
        assert_eq!(work_text(&unknown, "puzzles"), "1,200 puzzles");
    }

    fn example() -> TextTable {
        let mut rows = table(&["=solver", "#solved", "#length", "?#gap", "what it is", "?#memory"]);
        let text = "a search that keeps every state in memory";
        rows.add_row(["weighted-astar", "3 of 4", "12", "0.25", text, "123.4 MB"]);
        rows.add_row(["auto", "4 of 4", "13", "0.00", "what fits best", "9.1 GB"]);
        rows
    }

    #[test]
    fn tables_fit_narrow_terminals_and_break_no_word() {
        let table = example();
        let whole = table.render(None);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for width in 26..100 {
            let text = table.render(Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} in {width}:\n{text}");
            // Lists repeat the headers; nothing is ever cut.
            let known = words(&whole);
            let note = "columns column left out for lack of room: gap, memory";
            let strange = |word: &String| !known.contains(word) && !note.contains(word.as_str());
            let strange: Vec<String> =
                words(&text).into_iter().filter(|w| strange(w) && !w.starts_with('─')).collect();
            assert_eq!(strange, Vec::<String>::new(), "{width}:\n{text}");
        }
        let narrow = table.render(Some(45));
        assert!(narrow.ends_with("columns left out for lack of room: gap,\nmemory\n"), "{narrow}");
        assert!(
            table.render(Some(30)).starts_with("solver      weighted-astar\nsolved      3 of 4\n")
        );
        assert_eq!(table.render(Some(200)), whole);
    }

    #[test]
    fn progress_is_cut_to_one_line() {
        assert_eq!(cut("12 of 40 runs", 20), "12 of 40 runs");
        assert_eq!(cut("12 of 40 runs", 8), "12 of 4…");
    }
}
