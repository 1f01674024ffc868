//! What people see: tables, numbers, progress, and the end by Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};
use hyperslide_search::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()?;
    Ok(())
}

/// Prints a line to standard error. Nobody can be told when that fails.
pub fn complain(message: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "hyperslide: {message}");
}

/// The command as it was typed, but for the program's path.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("hyperslide".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Prints one JSON value as one line.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::Other(error.to_string()))?;
    print(&(text + "\n"))
}

/// A table with these headers. Columns whose header begins with `#` hold numbers, those with `=`
/// words that must not be folded on a narrow terminal.
pub fn table(headers: &[&str]) -> Table {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(rule));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(headers.iter().map(|header| header.trim_start_matches(['#', '='])));
    for (column, header) in table.column_iter_mut().zip(headers) {
        column.set_padding((0, 1));
        if header.starts_with('#') {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if header.starts_with(['#', '=']) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// A table's lines without the spaces at their ends.
pub fn render(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A number with thousands apart.
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

/// So many of a thing: `1 state`, `2,300 states`.
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
/// How many searches are under way.
static SEARCHING: AtomicUsize = AtomicUsize::new(0);

/// Whether Ctrl-C has been pressed during a search.
pub fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Runs a search with a flag that the first Ctrl-C sets. A second one, or one while nothing is being
/// searched, ends the program at once.
pub fn cancellable<T>(search: impl FnOnce(&'static AtomicBool) -> T) -> T {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C ends the program as it always does.
        let _ = ctrlc::set_handler(|| {
            if SEARCHING.load(Ordering::Relaxed) == 0 || CANCELLED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    SEARCHING.fetch_add(1, Ordering::Relaxed);
    let result = search(&CANCELLED);
    SEARCHING.fetch_sub(1, Ordering::Relaxed);
    result
}

/// A line about a running search on standard error; nothing when that is not a terminal.
pub struct SearchProgress(ProgressBar);

impl SearchProgress {
    /// A line that begins with this.
    pub fn new(prefix: &str) -> SearchProgress {
        if !std::io::stderr().is_terminal() {
            return SearchProgress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}{msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(prefix.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        SearchProgress(bar)
    }

    /// Begins another part.
    pub fn set_prefix(&self, prefix: &str) {
        self.0.set_prefix(prefix.to_owned());
        self.0.set_message("");
    }

    /// Shows any text.
    pub fn say(&self, text: String) {
        self.0.set_message(text);
    }

    /// Shows where the search is.
    pub fn show(&self, progress: &Progress) {
        let stats = &progress.stats;
        let best = progress.length.map_or(String::new(), |length| format!("found {length}, "));
        self.0.set_message(format!(
            "{} generated, {best}at least {} moves, {}, {}",
            grouped(stats.generated),
            progress.lower_bound,
            bytes(stats.peak_bytes),
            seconds(stats.wall_s),
        ));
    }
}

impl Drop for SearchProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
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
}
