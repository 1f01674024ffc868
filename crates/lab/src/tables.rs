//! Tables of exact distances that answer puzzles: where they are kept, and which one is for a puzzle.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{Abstraction, DistanceTable, TableError, file_name};

/// The directory in which tables are kept, if the environment names a place for it:
/// `$HYPERSLIDE_TABLES`, or `hyperslide/tables` under `$XDG_CACHE_HOME` or `~/.cache`.
pub fn tables_directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let under = |base: OsString, rest: &str| PathBuf::from(base).join(rest);
    variable("HYPERSLIDE_TABLES").map(PathBuf::from).or_else(|| {
        variable("XDG_CACHE_HOME")
            .map(|base| under(base, "hyperslide/tables"))
            .or_else(|| variable("HOME").map(|base| under(base, ".cache/hyperslide/tables")))
    })
}

/// The file in which the table of a puzzle's abstraction is kept, given the abstraction's text.
pub fn table_file(directory: &Path, puzzle: &Puzzle, text: &str) -> PathBuf {
    directory.join(file_name(&puzzle.board().spec().to_string(), text))
}

/// Why a table is not used.
#[derive(Debug)]
pub enum TableNotice {
    /// The table that was given does not answer the puzzle.
    OfAnotherPuzzle,
    /// The table of the puzzle cannot be read.
    Unreadable(TableError),
}

type Report = Box<dyn Fn(TableNotice) + Send + Sync>;

/// The tables that may answer the puzzles of a batch. Each is opened once.
pub struct Tables {
    source: TableSource,
    opened: Mutex<HashMap<PathBuf, Option<Arc<DistanceTable>>>>,
    report: Report,
}

/// Where [`Tables`] come from.
pub enum TableSource {
    /// There are none.
    None,
    /// One table for all puzzles.
    Given(Arc<DistanceTable>),
    /// The files of a directory, such as [`tables_directory`].
    Directory(PathBuf),
}

impl Tables {
    /// The tables of a source. A table that cannot be used is reported, and passed over.
    pub fn new(
        source: TableSource,
        report: impl Fn(TableNotice) + Send + Sync + 'static,
    ) -> Tables {
        Tables { source, opened: Mutex::default(), report: Box::new(report) }
    }

    /// The table for a puzzle, if there is one.
    pub fn find(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        match &self.source {
            TableSource::None => None,
            TableSource::Given(table) if table.answers(puzzle) => Some(Arc::clone(table)),
            TableSource::Given(_) => {
                (self.report)(TableNotice::OfAnotherPuzzle);
                None
            }
            TableSource::Directory(directory) => {
                let path = table_file(directory, puzzle, &Abstraction::whole_text(puzzle));
                let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
                opened.entry(path.clone()).or_insert_with(|| self.open(&path)).clone()
            }
        }
    }

    fn open(&self, path: &Path) -> Option<Arc<DistanceTable>> {
        match DistanceTable::open(path) {
            Ok(table) => Some(Arc::new(table)),
            Err(TableError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                (self.report)(TableNotice::Unreadable(error));
                None
            }
        }
    }
}
