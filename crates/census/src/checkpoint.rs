//! The checkpoint that a long census keeps on disk, so that it can be killed at any moment.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyperslide_puzzle::{Board, VertexSet};
use hyperslide_table::{
    BreadthFirst, DirectoryLock, LockError, SavedSearch, lock_directory, remove_saved_states,
    replace_file, seal, unseal,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::start::StartResult;

/// The identity of a census: its board and the number of empty vertices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusKey {
    /// The board, in one word, as in `cube:4:3`.
    pub board: String,
    /// The metric.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
}

impl CensusKey {
    /// Returns the key of the census of a board with the given number of empty vertices.
    pub fn new(board: &Board, empty: usize) -> CensusKey {
        CensusKey {
            board: board.spec().to_string(),
            metric: board.metric().name().to_owned(),
            empty,
        }
    }
}

/// Writes `BOARD METRIC with EMPTY empty`.
impl fmt::Display for CensusKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} with {} empty", self.board, self.metric, self.empty)
    }
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The directory has a census that was not to be resumed.
    #[error("{0} already has a census")]
    Exists(String),
    /// The directory of the census to be resumed does not exist.
    #[error("{0} does not exist, so there is no census to resume")]
    Missing(String),
    /// The line that identifies the census is damaged.
    #[error(
        "the first line of {path}, which identifies its census, is damaged ({message}): its starts \
         cannot be used, so remove the directory and begin again, or choose another"
    )]
    DamagedHeader {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
    /// The directory has another census.
    #[error("{path} has the census of {found}, not of {expected}: choose another directory")]
    Other {
        /// The directory.
        path: String,
        /// The census in the directory.
        found: String,
        /// The census asked for.
        expected: String,
    },
    /// The directory cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The line of a start is damaged.
    #[error("{path}, line {line}: {message}: remove the line to search from its start again")]
    Damaged {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// Reading or writing failed.
    #[error("cannot use {path} for checkpoints: {source}")]
    Io {
        /// The file or directory.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

/// A directory with the starts that are done, one on each line, and the search in progress.
///
/// A start's line is written when it is done. While a start is searched alone, its blocks are saved
/// in a file of their own; the manifest, which names this file and its checksum, is put in place
/// last, by renaming.
#[derive(Debug)]
pub struct Checkpoint {
    directory: PathBuf,
    file: File,
    key: CensusKey,
    interval: Duration,
    /// A file that stays locked as long as the checkpoint is open.
    _lock: DirectoryLock,
}

/// The search of a start that has been saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    census: CensusKey,
    occupied: u64,
    saved: SavedSearch,
}

const STARTS: &str = "starts.jsonl";
const MANIFEST: &str = "manifest.json";
/// How the files of saved states begin.
const PREFIX: &str = "search-";

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> CheckpointError + use<> {
    let path = path.display().to_string();
    move |source| CheckpointError::Io { path: path.clone(), source }
}

/// A value as a line of the file with the starts.
fn sealed_line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = seal(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads the starts that are done from the file of a census, and the number of bytes of all
/// complete lines.
fn read_starts(
    path: &Path,
    bytes: &[u8],
    key: &CensusKey,
) -> Result<(Vec<StartResult>, u64), CheckpointError> {
    let name = || path.display().to_string();
    let mut done = Vec::new();
    let mut length = 0;
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        // The last line may be incomplete because the process was killed.
        if !line.ends_with(b"\n") {
            break;
        }
        if number == 0 {
            let found: CensusKey = unseal(line).map_err(|error| {
                CheckpointError::DamagedHeader { path: name(), message: error.to_string() }
            })?;
            if found != *key {
                let directory = path.parent().unwrap_or(path);
                return Err(CheckpointError::Other {
                    path: directory.display().to_string(),
                    found: found.to_string(),
                    expected: key.to_string(),
                });
            }
        } else {
            done.push(unseal(line).map_err(|error| CheckpointError::Damaged {
                path: name(),
                line: number + 1,
                message: error.to_string(),
            })?);
        }
        length += line.len() as u64;
    }
    Ok((done, length))
}

impl Checkpoint {
    /// Opens a directory and reads the starts that are done. Without `resume`, the directory is
    /// created if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be used or has another census; with `resume` if it
    /// does not exist, and without `resume` if it already has a census.
    pub fn open(
        directory: &Path,
        key: &CensusKey,
        resume: bool,
        interval: Duration,
    ) -> Result<(Checkpoint, Vec<StartResult>), CheckpointError> {
        if resume && !directory.exists() {
            return Err(CheckpointError::Missing(directory.display().to_string()));
        }
        let lock = lock_directory(directory)?;
        let path = directory.join(STARTS);
        let io_error = || cannot_use(&path);
        let (mut done, mut length) = (Vec::new(), 0);
        if path.exists() {
            if !resume {
                return Err(CheckpointError::Exists(directory.display().to_string()));
            }
            let bytes = fs::read(&path).map_err(io_error())?;
            (done, length) = read_starts(&path, &bytes, key)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(&path).map_err(io_error())?;
        file.set_len(length).map_err(io_error())?;
        if length == 0 {
            let written = sealed_line(key)
                .and_then(|header| file.write_all(&header))
                .and_then(|()| file.sync_all());
            written.map_err(io_error())?;
        }
        let checkpoint = Checkpoint {
            directory: directory.to_owned(),
            file,
            key: key.clone(),
            interval,
            _lock: lock,
        };
        Ok((checkpoint, done))
    }

    /// Returns the time between two checkpoints within the search from one start.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Adds a start that is done.
    ///
    /// # Errors
    ///
    /// Returns an error if the start cannot be written; earlier starts stay as they were.
    pub fn add(&mut self, start: &StartResult) -> io::Result<()> {
        let line = sealed_line(start)?;
        let length = self.file.metadata()?.len();
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // A full disk leaves an incomplete line, which is removed if that is possible.
            let _ = self.file.set_len(length);
        }
        written?;
        self.remove_saved_search();
        Ok(())
    }

    /// Saves the current state of the search from a start.
    ///
    /// # Errors
    ///
    /// Returns an error if the search cannot be written; the previous checkpoint then stays.
    pub fn save_inside(
        &mut self,
        occupied: VertexSet,
        search: &BreadthFirst<'_>,
    ) -> io::Result<()> {
        let layers = search.layers().states.len();
        let file = format!("{PREFIX}{}-{layers}.words", occupied.bits());
        let saved = search.save(&self.directory, file).and_then(|saved| {
            let (census, occupied) = (self.key.clone(), occupied.bits());
            let manifest = seal(&Manifest { census, occupied, saved })?;
            replace_file(&self.directory.join(MANIFEST), &manifest)
        });
        // What no manifest names is of no use to anybody.
        let named = self.manifest().map(|manifest| manifest.saved.file);
        remove_saved_states(&self.directory, PREFIX, named.as_deref());
        saved
    }

    /// Returns the start whose search is saved, which is kept until another start is added.
    pub fn unfinished(&self) -> Option<VertexSet> {
        Some(VertexSet::from_bits(self.manifest()?.occupied))
    }

    /// Restores the search from a start, and returns whether there was a valid checkpoint of it.
    pub fn resume(&self, occupied: VertexSet, search: &mut BreadthFirst<'_>) -> bool {
        let Some(manifest) = self.manifest() else { return false };
        manifest.occupied == occupied.bits()
            && search.resume(&self.directory, manifest.saved).is_ok()
    }

    /// Returns the manifest if it is undamaged and belongs to this census.
    fn manifest(&self) -> Option<Manifest> {
        let bytes = fs::read(self.directory.join(MANIFEST)).ok()?;
        let manifest: Manifest = unseal(&bytes).ok()?;
        (manifest.census == self.key).then_some(manifest)
    }

    /// Removes the saved search, because its start is done.
    fn remove_saved_search(&self) {
        // A manifest without its file is not a checkpoint, so the order does not matter, and a file
        // that cannot be removed does no harm.
        let _ = fs::remove_file(self.directory.join(MANIFEST));
        remove_saved_states(&self.directory, PREFIX, None);
    }
}
