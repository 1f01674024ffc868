//! Where tables are kept, and which one answers a puzzle.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{DistanceTable, TableError};

use crate::arguments::SolveArguments;
use crate::failure::Failure;
use crate::terminal::complain;

/// How table files in the directory end.
pub const ENDING: &str = "table";

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

/// The file name of a table of this text, which says all that it is of.
pub fn file_name(board: &str, text: &str) -> String {
    // A board may be long and have any characters; the rest of the name tells it from others.
    let board: String =
        board.chars().take(40).map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    // FNV-1a, 64 bits.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{board}-{hash:016x}.{ENDING}")
}

/// What a table that keeps everything is of: all of the puzzle but its start.
pub fn whole_text(puzzle: &Puzzle) -> String {
    let tokens = puzzle
        .labels()
        .iter()
        .map(|(label, name)| format!("{name}x{}", puzzle.start().vertices_of(label).len()));
    let tokens: Vec<String> = tokens.collect();
    let line = puzzle.to_string();
    let goal = line.split_once("->").map_or("", |(_, goal)| goal).trim();
    let board = puzzle.board();
    format!("{} {} {} -> {goal}", board.spec(), board.metric(), tokens.join(","))
}

/// The tables that a solver may use.
pub struct Tables {
    given: Option<Arc<DistanceTable>>,
    directory: Option<PathBuf>,
    opened: HashMap<PathBuf, Option<Arc<DistanceTable>>>,
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
        Ok(Tables { given, directory, opened: HashMap::new() })
    }

    /// The table for a puzzle. A damaged one in the directory is told of, and passed over.
    pub fn find(&mut self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        if let Some(given) = &self.given {
            if !given.answers(puzzle) {
                complain(&"the table is of another puzzle and is not used");
            }
            return self.given.clone();
        }
        let name = file_name(&puzzle.board().spec().to_string(), &whole_text(puzzle));
        let path = self.directory.as_ref()?.join(name);
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
        self.opened.entry(path.clone()).or_insert_with(|| open(&path)).clone()
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
