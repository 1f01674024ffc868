//! Tables of exact distances that answer puzzles: where they are kept, and which one is for a
//! puzzle.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{Abstraction, DistanceTable, TableError, file_name, lock};

/// The directory in which tables are kept, if the environment names a place for it:
/// `$HYPERSLIDE_TABLES`, or `hyperslide/tables` under `$XDG_CACHE_HOME` or `~/.cache`.
pub fn tables_directory() -> Option<PathBuf> {
    variable("HYPERSLIDE_TABLES")
        .map(PathBuf::from)
        .or_else(|| user_folder("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("tables")))
}

/// The directory in which a person's data are kept, if the environment names a place for it:
/// `hyperslide` under `$XDG_DATA_HOME` or `~/.local/share`.
pub fn data_directory() -> Option<PathBuf> {
    user_folder("XDG_DATA_HOME", ".local/share")
}

/// The folder of this program under the place that a variable names, or else under one in the home.
fn user_folder(name: &str, in_home: &str) -> Option<PathBuf> {
    let in_home = || variable("HOME").map(|home| PathBuf::from(home).join(in_home));
    let base = variable(name).map(PathBuf::from).or_else(in_home);
    base.map(|base| base.join("hyperslide"))
}

/// A variable of the environment. An empty one counts as missing.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
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
    /// The table that was given has only the states nearest to the goal, and the puzzle is not one.
    NotSoFar,
    /// The table of the puzzle cannot be read.
    Unreadable(TableError),
}

type Report = Box<dyn Fn(TableNotice) + Send + Sync>;

/// A table that is opened when it is first wanted; `None` if it cannot be used.
type Opened = Arc<OnceLock<Option<Arc<DistanceTable>>>>;

/// The tables that may answer the puzzles of a batch. Each is opened once.
pub struct Tables {
    source: TableSource,
    /// The files that exist: a missing one is looked for each time, because it may be built.
    opened: Mutex<HashMap<PathBuf, Opened>>,
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
            TableSource::Given(table) => {
                let is_known = || table.distance(puzzle.start()).is_some();
                let notice = match table.answers(puzzle) {
                    false => TableNotice::OfAnotherPuzzle,
                    true if table.layers().complete || is_known() => {
                        return Some(Arc::clone(table));
                    }
                    true => TableNotice::NotSoFar,
                };
                (self.report)(notice);
                None
            }
            TableSource::Directory(directory) => {
                let path = table_file(directory, puzzle, &Abstraction::whole_text(puzzle));
                // Others need not wait while this file is read.
                let cell = self.opened_file(&path)?;
                cell.get_or_init(|| self.open(&path)).clone()
            }
        }
    }

    /// The entry of a file, which is made if the file exists.
    fn opened_file(&self, path: &Path) -> Option<Opened> {
        let mut opened = lock(&self.opened);
        match opened.get(path) {
            Some(known) => Some(Arc::clone(known)),
            None if path.exists() => Some(Arc::clone(opened.entry(path.to_owned()).or_default())),
            None => None,
        }
    }

    fn open(&self, path: &Path) -> Option<Arc<DistanceTable>> {
        match DistanceTable::open(path) {
            Ok(table) => Some(Arc::new(table)),
            Err(error) => {
                (self.report)(TableNotice::Unreadable(error));
                None
            }
        }
    }
}
