//! The checkpoint of a count of layers in memory, so that it can be killed at any moment.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::durable::{DirectoryLock, LockError, lock_directory, remove_saved_states, replace_file};
use crate::sealed::{seal, unseal};
use crate::search::{BreadthFirst, SavedSearch};

const MANIFEST: &str = "layers.json";
/// How the files of saved states begin.
const PREFIX: &str = "layer-";

/// Where a count of layers is saved while it runs, and how often.
#[derive(Clone, Debug)]
pub struct LayerCheckpointOptions {
    /// The directory, which is created if necessary.
    pub directory: PathBuf,
    /// Whether to continue the count in the directory.
    pub resume: bool,
    /// The time between two checkpoints.
    pub interval: Duration,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum LayerCheckpointError {
    #[error("cannot use {} for checkpoints: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} already has a search", .0.display())]
    Exists(PathBuf),
    #[error("{} has no search to resume", .0.display())]
    Missing(PathBuf),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{} has the search of {found}, not of {expected}: choose another directory", path.display())]
    Other { path: PathBuf, found: String, expected: String },
    #[error("{} is damaged ({reason}): remove its directory to begin again", path.display())]
    Damaged { path: PathBuf, reason: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// What is counted.
    search: String,
    saved: SavedSearch,
}

/// A directory with the last saved state of a search. The manifest, which names the file of the
/// states, is put in place last, by renaming.
pub(crate) struct LayerCheckpoint {
    directory: PathBuf,
    interval: Duration,
    last_saved: Instant,
    _lock: DirectoryLock,
}

impl LayerCheckpoint {
    /// Opens the directory, and restores the search that is to be resumed from it.
    pub fn open(
        options: &LayerCheckpointOptions,
        what: &str,
        search: &mut BreadthFirst<'_>,
    ) -> Result<LayerCheckpoint, LayerCheckpointError> {
        let directory = options.directory.clone();
        let path = directory.join(MANIFEST);
        if options.resume && !path.exists() {
            return Err(LayerCheckpointError::Missing(directory));
        }
        let lock = lock_directory(&directory)?;
        // Another process may have begun one there until now.
        if !options.resume && path.exists() {
            return Err(LayerCheckpointError::Exists(directory));
        }
        if options.resume {
            let damaged = |path: PathBuf, error: &dyn std::fmt::Display| {
                LayerCheckpointError::Damaged { path, reason: error.to_string() }
            };
            let text = fs::read(&path).map_err(cannot_use(&path))?;
            let Manifest { search: found, saved } =
                unseal(&text).map_err(|error| damaged(path.clone(), &error))?;
            if found != what {
                let expected = what.to_owned();
                return Err(LayerCheckpointError::Other { path: directory, found, expected });
            }
            let file = directory.join(&saved.file);
            search.resume(&directory, saved).map_err(|error| damaged(file, &error))?;
        }
        let (interval, last_saved) = (options.interval, Instant::now());
        Ok(LayerCheckpoint { directory, interval, last_saved, _lock: lock })
    }

    /// Returns whether it is time to save.
    pub fn is_due(&self) -> bool {
        self.last_saved.elapsed() >= self.interval
    }

    /// Saves the search after its last complete layer.
    pub fn save(
        &mut self,
        what: &str,
        search: &BreadthFirst<'_>,
    ) -> Result<(), LayerCheckpointError> {
        let name = format!("{PREFIX}{}.words", search.layers().states.len());
        let saved = search.save(&self.directory, name.clone()).and_then(|saved| {
            let manifest = seal(&Manifest { search: what.to_owned(), saved })?;
            replace_file(&self.directory.join(MANIFEST), &manifest)
        });
        saved.map_err(cannot_use(&self.directory))?;
        remove_saved_states(&self.directory, PREFIX, Some(&name));
        self.last_saved = Instant::now();
        Ok(())
    }
}

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> LayerCheckpointError + use<> {
    let path = path.to_owned();
    move |source| LayerCheckpointError::Io { path: path.clone(), source }
}
