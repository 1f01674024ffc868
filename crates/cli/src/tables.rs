//! Where tables are kept, and which one answers a puzzle.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{Abstraction, DistanceTable, StoreEvent, TableError, TableStore, file_name};

use crate::commands::solve::SolveArguments;
use crate::failure::Failure;
use crate::options::StoredArguments;
use crate::terminal::{bytes, complain};

/// The directory in which tables are kept, if the environment names a place for it.
pub fn directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let under = |base: OsString, rest: &str| PathBuf::from(base).join(rest);
    variable("HYPERSLIDE_TABLES").map(PathBuf::from).or_else(|| {
        variable("XDG_CACHE_HOME")
            .map(|base| under(base, "hyperslide/tables"))
            .or_else(|| variable("HOME").map(|base| under(base, ".cache/hyperslide/tables")))
    })
}

/// Refuses a place for tables that is something else than a directory, before anything is computed that could
/// not be kept there.
pub fn check_directory() -> Result<(), Failure> {
    match std::env::var_os("HYPERSLIDE_TABLES").map(PathBuf::from) {
        Some(path) if path.exists() && !path.is_dir() => Err(Failure::Input(format!(
            "HYPERSLIDE_TABLES is {}, which is no directory: set it to a directory, or unset it",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The file in which a table of this text is kept.
pub fn file_of(directory: &Path, puzzle: &Puzzle, text: &str) -> PathBuf {
    directory.join(file_name(&puzzle.board().spec().to_string(), text))
}

/// Where heuristics get their tables: from the directory, or built and told of.
pub fn store(arguments: &StoredArguments) -> TableStore {
    let store = TableStore::new(directory(), |event| match event {
        StoreEvent::Building { abstraction, bytes: size, file } => {
            let kept = abstraction.kept().len();
            let board = abstraction.puzzle().board();
            let place =
                file.map_or("in memory".to_owned(), |file| format!("in {}", file.display()));
            complain(&format_args!(
                "building a pattern database of {kept} tokens on {board}: {}, kept {place}",
                bytes(size)
            ));
        }
        StoreEvent::Damaged(error) => {
            complain(&format_args!("{error}; it is built again now"));
        }
        StoreEvent::NotKept(error) => complain(error),
    });
    if arguments.no_build { store.reading_only() } else { store }
}

/// The tables that a solver may use.
pub struct Tables {
    given: Option<Arc<DistanceTable>>,
    directory: Option<PathBuf>,
    opened: Mutex<HashMap<PathBuf, Option<Arc<DistanceTable>>>>,
}

impl Tables {
    /// Those that the command line allows. A file that is named must be a table.
    pub fn new(arguments: &SolveArguments) -> Result<Tables, Failure> {
        let given = match &arguments.table {
            Some(path) => Some(Arc::new(DistanceTable::open(path)?)),
            None => None,
        };
        let uses_tables = ["auto", "table"].contains(&arguments.algorithm.as_str());
        let looks = given.is_none() && !arguments.no_table && uses_tables;
        let directory = directory().filter(|_| looks);
        Ok(Tables { given, directory, opened: Mutex::default() })
    }

    /// The table for a puzzle. A damaged one in the directory is told of, and passed over.
    pub fn find(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        if let Some(given) = &self.given {
            if !given.answers(puzzle) {
                complain(&"the table is of another puzzle and is not used");
            }
            return self.given.clone();
        }
        let text = Abstraction::whole_text(puzzle);
        let path = file_of(self.directory.as_ref()?, puzzle, &text);
        let open = |path: &Path| match DistanceTable::open(path) {
            Ok(table) => Some(Arc::new(table)),
            Err(TableError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                None
            }
            Err(error) => {
                complain(&error);
                None
            }
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.entry(path.clone()).or_insert_with(|| open(&path)).clone()
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        match error {
            TableError::Cancelled => Failure::Other(error.to_string()),
            TableError::Io { source, what }
                if source.kind() != std::io::ErrorKind::NotFound
                    && !what.starts_with("cannot read") =>
            {
                Failure::Other(format!("{what}: {source}"))
            }
            _ => Failure::input(error),
        }
    }
}
