//! What people see: tables, numbers, progress, and the end by Ctrl-C.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once};
use std::time::Duration;

use hyperslide_lab::WorkProgress;
use hyperslide_lab::report::{TextTable, fold};
pub use hyperslide_lab::report::{bytes, grouped, seconds};
use hyperslide_search::Progress;
use hyperslide_table::{lock, replace_unlocked_with};
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

/// Prints a line to standard error, folded between words where that is a terminal, and in one
/// piece: where both streams go to one place it must not land inside a line of output. That it
/// cannot be printed is not reported: there is no other place.
pub fn complain(message: &dyn Display) {
    let width = terminal_size::terminal_size_of(std::io::stderr());
    let width = width.map(|(width, _)| usize::from(width.0));
    let line = fold(&format!("hyperslide: {message}"), width);
    around_progress(|| {
        let _ = std::io::stderr().write_all(line.as_bytes());
    });
}

/// The command as it was typed, except for the program's path.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once("hyperslide".to_owned()).chain(words).collect();
    // No argument of a process has the null character that cannot be quoted.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Writes a file as its text is made. A file that was there before is replaced by a whole one.
pub fn write_file(path: &Path, text: &dyn Display) -> Result<(), Failure> {
    let write = |file: &mut File| {
        let mut output = BufWriter::new(file);
        write!(output, "{text}")?;
        output.flush()
    };
    replace_unlocked_with(path, write).map_err(|error| unwritten(path, &error))
}

/// What to say of a file or a directory that cannot be written.
pub fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    use ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    if matches!(error.kind(), StorageFull | FileTooLarge | QuotaExceeded) {
        return Failure::Other(format!("cannot write {}: {error}", path.display()));
    }
    Failure::Input(format!(
        "cannot write {}: {error}: name a path that can be written",
        path.display()
    ))
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

/// Lines of prose as they fit the terminal: those that are too long are folded between words.
/// Puzzles and moves, which people copy, are not prose.
pub fn prose(lines: &str) -> String {
    let folded = lines.lines().map(|line| fold(line, width()));
    folded.map(|line| if line.is_empty() { "\n".to_owned() } else { line }).collect()
}

/// The column in which the text of a [`fact`] begins.
const FACT_COLUMN: usize = 16;

/// A name and a text next to it, which is folded below itself where it does not fit the terminal.
pub fn fact(name: &str, text: &str) -> String {
    let room = width().map(|width| width.saturating_sub(FACT_COLUMN));
    let folded = fold(text, room);
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let lines = folded.lines().zip(names);
    lines.map(|(line, name)| format!("{name:FACT_COLUMN$}{line}\n")).collect()
}

/// A table whose headers say what its columns hold: see [`TextTable::new`].
pub fn table(headers: &[&str]) -> TextTable {
    TextTable::new(headers)
}

/// The lines of a table as they fit the terminal.
pub fn render(table: &TextTable) -> String {
    table.render(width())
}

/// A number of things: `1 state`, `2,300 states`.
pub fn counted(number: u64, thing: &str) -> String {
    with_noun(&grouped(number), thing)
}

/// The same for a number that is written already, however large.
pub fn with_noun(number: &str, thing: &str) -> String {
    if number == "1" {
        return format!("1 {thing}");
    }
    // A play and a key keep their y.
    let with_ies = thing.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (thing.strip_suffix("ex"), with_ies) {
        (Some(stem), _) => format!("{number} {stem}ices"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ if thing.ends_with("ch") => format!("{number} {thing}es"),
        _ => format!("{number} {thing}s"),
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

static CANCELLED: AtomicBool = AtomicBool::new(false);
/// The number of searches that are under way.
static SEARCHING: AtomicUsize = AtomicUsize::new(0);

/// Returns whether Ctrl-C has been pressed during a search.
pub fn is_cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Runs a search with a flag that the first Ctrl-C sets. A second one, or one while nothing is
/// being searched, ends the program at once.
pub fn cancellable<T>(search: impl FnOnce(&'static AtomicBool) -> T) -> T {
    let flag = cancel_flag();
    search_begins();
    let result = search(flag);
    search_ends();
    result
}

/// Room for the handler's thread: its stack of 2 MiB, and what the program asks for until it has
/// started.
const HANDLER_BYTES: usize = 6 << 20;

/// The flag that the first Ctrl-C sets between [`search_begins`] and [`search_ends`].
pub fn cancel_flag() -> &'static AtomicBool {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // If the system refuses what the thread needs to start, the standard library aborts.
        // Refused here instead, it ends the program with one line.
        drop(std::hint::black_box(Vec::<u8>::with_capacity(HANDLER_BYTES)));
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

/// Returns whether a search is under way.
pub fn is_searching() -> bool {
    SEARCHING.load(Ordering::Relaxed) > 0
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
    lock(&LINE).clone()
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
        // The handler of Ctrl-C removes the line, whatever the work is.
        cancel_flag();
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(prefix.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        *lock(&LINE) = Some(bar.clone());
        SearchProgress(bar)
    }

    /// Begins another part.
    pub fn set_prefix(&self, prefix: &str) {
        self.0.set_prefix(prefix.to_owned());
        self.say("");
    }

    /// Shows any text.
    pub fn say(&self, text: &str) {
        // The spinner and a space stand before the text; the ^C that a terminal shows for Ctrl-C,
        // and the cursor, must find room behind it.
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
        *lock(&LINE) = None;
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
    fn nouns_have_their_plurals() {
        for (thing, many) in [
            ("state", "2 states"),
            ("empty vertex", "2 empty vertices"),
            ("symmetry", "2 symmetries"),
            ("play", "2 plays"),
            ("branch", "2 branches"),
        ] {
            assert_eq!(
                (counted(1, thing), counted(2, thing)),
                (format!("1 {thing}"), many.to_owned())
            );
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(2300, "state"), "2,300 states");
        assert_eq!(duration(7000.0), "117 min");
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

    #[test]
    fn progress_is_cut_to_one_line() {
        assert_eq!(cut("12 of 40 runs", 20), "12 of 40 runs");
        assert_eq!(cut("12 of 40 runs", 8), "12 of 4…");
    }
}
