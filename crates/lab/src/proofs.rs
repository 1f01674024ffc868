//! Proofs that are kept on disk while they are searched, so that they can be killed at any moment.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Outcome, Proof, ProofState, Report, SolveError, solve};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a puzzle has no result, or its proof cannot be kept.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The algorithm does not take the puzzle.
    #[error(transparent)]
    Search(#[from] SolveError),
    /// The directory has proofs that were not to be resumed.
    #[error("{0} already has proofs: add --resume to continue them, or choose another directory")]
    Exists(String),
    /// The directory of the proofs to be resumed does not exist.
    #[error(
        "{0} does not exist, so there are no proofs to resume: name their directory, or leave out --resume \
         to begin there"
    )]
    Missing(String),
    /// Another process is using the directory.
    #[error("another search is using {0}: wait until it ends, or choose another directory")]
    InUse(String),
    /// The solver keeps nothing.
    #[error(
        "only IDA* over pattern databases can be continued: use --algorithm idastar --heuristic patterns, or for \
         compare --solver 'idastar heuristic=patterns', or leave out --checkpoint"
    )]
    OtherSolver,
    /// The file of a proof is damaged.
    #[error("{path} is damaged ({message}): remove it to begin this proof again")]
    Damaged {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
    /// Reading or writing failed.
    #[error("cannot keep proofs in {path}: {source}")]
    Io {
        /// The file or directory.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

/// A directory with a file for each proof that was begun. One process uses it at a time.
#[derive(Debug)]
pub struct Proofs {
    directory: PathBuf,
    interval: Duration,
    /// A file that stays locked as long as the directory is in use.
    _lock: File,
}

/// What is kept of a proof.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    puzzle: String,
    heuristic: String,
    iteration: ProofState,
    /// The checksum of the iteration as it is written.
    crc32: u32,
}

const LOCK: &str = "lock";
const ENDING: &str = ".proof.json";

/// How long a process that was killed may take to give the directory up.
const GIVES_IT_UP: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> ProofError + use<> {
    let path = path.display().to_string();
    move |source| ProofError::Io { path: path.clone(), source }
}

impl Proofs {
    /// Opens a directory, which without `resume` is created if it does not exist. What is searched is
    /// written at most once in `interval`, and when a search ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be used, with `resume` if it does not exist, and
    /// without `resume` if it has proofs.
    pub fn open(directory: &Path, resume: bool, interval: Duration) -> Result<Proofs, ProofError> {
        let name = || directory.display().to_string();
        if resume && !directory.exists() {
            return Err(ProofError::Missing(name()));
        }
        fs::create_dir_all(directory).map_err(cannot_use(directory))?;
        let path = directory.join(LOCK);
        let lock = File::create(&path).map_err(cannot_use(&path))?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < GIVES_IT_UP => {
                    thread::sleep(LOOK_AGAIN);
                }
                Err(TryLockError::WouldBlock) => return Err(ProofError::InUse(name())),
                Err(TryLockError::Error(error)) => return Err(cannot_use(&path)(error)),
            }
        }
        for entry in fs::read_dir(directory).map_err(cannot_use(directory))? {
            let entry = entry.map_err(cannot_use(directory))?;
            if !resume && entry.file_name().to_string_lossy().ends_with(ENDING) {
                return Err(ProofError::Exists(name()));
            }
        }
        Ok(Proofs { directory: directory.to_owned(), interval, _lock: lock })
    }

    /// Solves a puzzle, and keeps what the search has proven. What earlier runs did is counted in the
    /// statistics, except for the wall-clock time.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration does not fit the puzzle or keeps nothing, if the file of
    /// an earlier run is damaged, and if nothing was found and what was searched cannot be written.
    pub fn solve(
        &self,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
    ) -> Result<Report, ProofError> {
        let heuristic = config.heuristic.to_string();
        if config.algorithm.name != "idastar" || !heuristic.contains("patterns") {
            return Err(ProofError::OtherSolver);
        }
        let puzzle_line = puzzle.to_string();
        let identity = format!("{puzzle_line} {heuristic}");
        let name = format!("{:08x}{ENDING}", crc32fast::hash(identity.as_bytes()));
        let path = self.directory.join(name);
        let earlier = read(&path, &puzzle_line, &heuristic)?;
        let file = ProofFile { path, puzzle: puzzle_line, heuristic };
        let written: Mutex<(Option<Instant>, io::Result<()>)> = Mutex::new((None, Ok(())));
        let keep = |state: &ProofState| {
            let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
            if written.0.is_none_or(|when| when.elapsed() >= self.interval) {
                *written = (Some(Instant::now()), file.write(state));
            }
        };
        let proof = Proof::new(earlier, &keep);
        let report = solve(puzzle, config, &Control { proof: Some(&proof), ..*control })?;
        let last = proof.state().map_or(Ok(()), |state| file.write(&state));
        match (last, &report.outcome) {
            (Err(error), Outcome::LimitReached { .. }) => Err(cannot_use(&file.path)(error)),
            _ => Ok(report),
        }
    }
}

/// Where a proof is kept.
struct ProofFile {
    path: PathBuf,
    puzzle: String,
    heuristic: String,
}

impl ProofFile {
    /// Writes an iteration in place of what was kept before, which stays if this fails.
    fn write(&self, iteration: &ProofState) -> io::Result<()> {
        let kept = Kept {
            puzzle: self.puzzle.clone(),
            heuristic: self.heuristic.clone(),
            iteration: iteration.clone(),
            crc32: checksum(iteration)?,
        };
        let mut temporary = self.path.clone().into_os_string();
        temporary.push(".new");
        let mut out = File::create(&temporary)?;
        out.write_all(&serde_json::to_vec(&kept)?)?;
        out.sync_all()?;
        fs::rename(&temporary, &self.path)
    }
}

fn checksum(iteration: &ProofState) -> io::Result<u32> {
    Ok(crc32fast::hash(&serde_json::to_vec(iteration)?))
}

/// What an earlier run kept of a proof.
fn read(path: &Path, puzzle: &str, heuristic: &str) -> Result<Option<ProofState>, ProofError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot_use(path)(error)),
    };
    let damaged =
        |message: String| ProofError::Damaged { path: path.display().to_string(), message };
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if checksum(&kept.iteration).ok() != Some(kept.crc32) {
        return Err(damaged("its checksum is wrong".to_owned()));
    }
    if (&*kept.puzzle, &*kept.heuristic) != (puzzle, heuristic) {
        return Err(damaged(format!("it is of {} with {}", kept.puzzle, kept.heuristic)));
    }
    Ok(Some(kept.iteration))
}
