//! The checkpoint of a count of layers in memory, so that it can be killed at any moment.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use hyperslide_puzzle::State;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::durable::{
    DirectoryLock, LockError, json_checksum, lock_directory, remove_saved_states, replace_file,
};
use crate::search::{BreadthFirst, Layers};

const MANIFEST: &str = "layers.json";

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
    layers: Vec<u64>,
    complete: bool,
    /// The file of the visited states, and its checksum.
    file: String,
    crc32: u32,
    /// The cells of the states of the last layer, if they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    farthest: Vec<Vec<u8>>,
    /// The checksum of all this, without itself; 0 in manifests of versions that had none.
    #[serde(default)]
    check: u32,
}

impl Manifest {
    fn checksum(&self) -> io::Result<u32> {
        let Manifest { search, layers, complete, file, crc32, farthest, check: _ } = self;
        let others = (search, layers, complete, file, crc32);
        // Versions that kept no states had none in the checksum.
        match farthest.is_empty() {
            true => json_checksum(&others),
            false => json_checksum(&(others, farthest)),
        }
    }
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
            let file_damaged = |path: &Path, error: &dyn std::fmt::Display| {
                let (path, reason) = (path.to_owned(), error.to_string());
                LayerCheckpointError::Damaged { path, reason }
            };
            let damaged = |error: &dyn std::fmt::Display| file_damaged(&path, error);
            let text = fs::read(&path).map_err(cannot_use(&path))?;
            let manifest: Manifest =
                serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
            if manifest.check != 0 && manifest.checksum().ok() != Some(manifest.check) {
                return Err(damaged(&"its checksum is wrong"));
            }
            if manifest.search != what {
                let (found, expected) = (manifest.search, what.to_owned());
                return Err(LayerCheckpointError::Other { path: directory, found, expected });
            }
            if manifest.file.contains(['/', '\\']) {
                return Err(damaged(&"it names a file elsewhere"));
            }
            let layers = Layers { states: manifest.layers, complete: manifest.complete };
            let file = directory.join(&manifest.file);
            let farthest = manifest.farthest.iter().map(|cells| State::from_cells(cells));
            let farthest = farthest.collect::<Option<Vec<State>>>();
            let farthest = farthest.ok_or_else(|| damaged(&"a state has too many cells"))?;
            search
                .resume(&file, manifest.crc32, layers, None, &farthest)
                .map_err(|error| file_damaged(&file, &error))?;
        }
        let (interval, last_saved) = (options.interval, Instant::now());
        Ok(LayerCheckpoint { directory, interval, last_saved, _lock: lock })
    }

    /// Whether it is time to save.
    pub fn is_due(&self) -> bool {
        self.last_saved.elapsed() >= self.interval
    }

    /// Saves the search after its last complete layer.
    pub fn save(
        &mut self,
        what: &str,
        search: &BreadthFirst<'_>,
    ) -> Result<(), LayerCheckpointError> {
        let layers = search.layers();
        let name = format!("layer-{}.words", layers.states.len());
        let manifest_path = self.directory.join(MANIFEST);
        let saved = (|| {
            let crc32 = search.save(&self.directory.join(&name))?;
            let cells = |state: &State| {
                let end =
                    state.cells().iter().rposition(|&cell| cell > 0).map_or(0, |last| last + 1);
                state.cells()[..end].to_vec()
            };
            let farthest = search.farthest().unwrap_or_default();
            let mut manifest = Manifest {
                farthest: farthest.iter().map(cells).collect(),
                search: what.to_owned(),
                layers: layers.states.clone(),
                complete: layers.complete,
                file: name.clone(),
                crc32,
                check: 0,
            };
            manifest.check = manifest.checksum()?;
            replace_file(&manifest_path, &serde_json::to_vec(&manifest)?)
        })();
        saved.map_err(cannot_use(&self.directory))?;
        remove_saved_states(&self.directory, "layer-", Some(&name));
        self.last_saved = Instant::now();
        Ok(())
    }
}

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> LayerCheckpointError + use<> {
    let path = path.to_owned();
    move |source| LayerCheckpointError::Io { path: path.clone(), source }
}
