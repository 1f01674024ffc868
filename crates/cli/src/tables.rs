//! Where the command line keeps tables, and which of them it may use.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use hyperslide_lab::{TableNotice, TableSource, Tables, tables_directory};
use hyperslide_puzzle::shorten;
use hyperslide_search::Algorithm;
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Signals, StoreEvent, TableError, TableStore,
};

use crate::failure::Failure;
use crate::options::{StoredArguments, TableArguments};
use crate::terminal::{SearchProgress, bytes, cancellable, complain, counted, grouped};

/// Refuses a place for tables that is not a directory, before anything is computed that could not
/// be kept there.
pub fn check_directory() -> Result<(), Failure> {
    match std::env::var_os("HYPERSLIDE_TABLES").map(PathBuf::from) {
        Some(path) if path.exists() && !path.is_dir() => Err(Failure::Input(format!(
            "HYPERSLIDE_TABLES is {}, which is not a directory: set it to a directory, or unset it",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Where heuristics get their tables: from the directory, or built, which is reported.
pub fn store(arguments: &StoredArguments) -> TableStore {
    let store = TableStore::new(tables_directory(), |event| match event {
        StoreEvent::Building { abstraction, bytes: size, file } => {
            let kept = counted(abstraction.kept().len() as u64, "token");
            // A graph with all its edges fills lines.
            let shown = shorten(&abstraction.puzzle().board().to_string());
            let place =
                file.map_or("in memory".to_owned(), |file| format!("in {}", file.display()));
            complain(&format_args!(
                "building a pattern database of {kept} on {shown}: {}, kept {place}",
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

/// Builds a table and says on the line how far it has got.
pub fn build(
    abstraction: Abstraction,
    options: &BuildOptions,
    line: &SearchProgress,
) -> Result<DistanceTable, TableError> {
    cancellable(|cancel| {
        let signals = Signals::new(cancel);
        DistanceTable::build(abstraction, options, &signals, &mut |layers| {
            let (depth, states) = (layers.depth(), grouped(layers.total()));
            line.say(&format!("distance {depth}: {states} states"));
            ControlFlow::Continue(())
        })
    })
}

/// The tables of exact distances that the command line allows an algorithm. A file that is named
/// must be a table.
pub fn tables(arguments: &TableArguments, algorithm: &Algorithm) -> Result<Tables, Failure> {
    let source = match &arguments.table {
        Some(path) => {
            let table = DistanceTable::open(path)?;
            if !algorithm.looks_up_tables {
                complain(&format_args!(
                    "{} does not look puzzles up, and the table is not used: choose auto or table",
                    algorithm.name
                ));
            }
            TableSource::Given(Arc::new(table))
        }
        None => {
            match tables_directory().filter(|_| !arguments.no_table && algorithm.looks_up_tables) {
                Some(directory) => TableSource::Directory(directory),
                None => TableSource::None,
            }
        }
    };
    Ok(Tables::new(source, |notice| match notice {
        TableNotice::OfAnotherPuzzle => {
            complain(&"the table is of another puzzle and is not used");
        }
        TableNotice::NotSoFar => {
            complain(&"the table has only states nearer to the goal than this one and is not used");
        }
        TableNotice::Unreadable(error) => complain(&error),
    }))
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        match error {
            TableError::Cancelled => Failure::Limit(error.to_string()),
            TableError::Memory { needed, limit } => Failure::Input(format!(
                "the table and the search for it need {} or more, but only {} may be used: keep fewer tokens, \
                 use 2 bits per state, or allow more memory",
                bytes(u64::try_from(needed).unwrap_or(u64::MAX)),
                bytes(limit)
            )),
            TableError::Io { ref source, .. } if source.kind() != std::io::ErrorKind::NotFound => {
                Failure::Other(error.to_string())
            }
            _ => Failure::input(error),
        }
    }
}
