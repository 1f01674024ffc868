//! Why a search in files ends without a result.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::peers::PeerGone;
use super::space::QuotientError;
use crate::durable::LockError;

/// Why a search in files ends without a result.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum FilesError {
    #[error(transparent)]
    Space(#[from] QuotientError),
    #[error("cannot keep the search's blocks in {}: {source}: name another directory", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} already has a search", path.display())]
    Exists { path: PathBuf },
    #[error("{} has no search to resume", path.display())]
    Missing { path: PathBuf },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(
        "the search's blocks need {:.1} GB more in {}, but only {:.1} GB are free there",
        *needed as f64 / 1e9, directory.display(), *free as f64 / 1e9
    )]
    NoRoom { directory: PathBuf, needed: u64, free: u64 },
    #[error("the second directory is the first one, {}: name another", directory.display())]
    OneDirectory { directory: PathBuf },
    #[error(
        "{} has blocks of {}: name another directory, or remove this one if that search is given up",
        directory.display(), search.as_ref().map_or_else(
            || "another search".to_owned(), |search| format!("the search in {search}")
        )
    )]
    SecondInUse { directory: PathBuf, search: Option<String> },
    #[error(
        "the search in {} keeps blocks in {}, {}: name the directory that has them, or, if they are \
         lost, remove {} to begin again",
        search.display(), recorded,
        named.as_ref().map_or_else(
            || "which is not named".to_owned(),
            |named| format!("and {} does not have them", named.display())
        ),
        search.display()
    )]
    SecondLost { search: PathBuf, named: Option<PathBuf>, recorded: String },
    #[error("{} cannot be used ({reason}): remove its directory to begin again", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error(
        "{} belongs to another search ({found}): name another directory, or remove this one",
        path.display()
    )]
    Foreign { path: PathBuf, found: String },
    #[error(
        "block {block} is not what was written: the disk or the memory is damaged, or another program \
         has changed the files; remove the directory to begin again"
    )]
    Damaged { block: usize },
    #[error(
        "block {block} is not closed under a symmetry that fixes it: this is a mistake of the program"
    )]
    NotClosed { block: usize },
    #[error(transparent)]
    Gone(#[from] PeerGone),
    #[error(
        "process {process} of the search has other layers than this one: remove the directories of all \
         processes to begin again"
    )]
    Disagree { process: usize },
    #[error(
        "process 0 searches {other}, but this process was started for {own}: start all with the same \
         board"
    )]
    OtherBoard { own: String, other: String },
    #[error(
        "process 0 searches {board} in the {other} metric, but this process was started for another: start \
         all with the same metric"
    )]
    OtherMetric { board: String, other: String },
    #[error(
        "layer {layer}: a state of block {block} was computed again from the rule, with another result: \
         this is a mistake of the program or a fault of the machine"
    )]
    Differs { layer: u32, block: usize },
}
