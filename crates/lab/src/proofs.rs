//! Proofs that are kept on disk while they are searched, so that they can be killed at any moment.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{fs, io, mem};

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Outcome, Proof, ProofState, Report, SolveError, solve};
use hyperslide_table::{DirectoryLock, LockError, lock_directory, replace_file};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a puzzle has no result, or its proof cannot be kept.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The algorithm does not take the puzzle.
    #[error(transparent)]
    Search(#[from] SolveError),
    /// The directory cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file of a proof is damaged.
    #[error("{path} is damaged ({message}): remove it to begin this proof again")]
    Damaged {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
    /// The file is of another proof.
    #[error("{path} has the proof of {found}: choose another directory")]
    Other {
        /// The file.
        path: String,
        /// The puzzle and the heuristic of the proof in it.
        found: String,
    },
    /// The subtrees in the file are not those of this search.
    #[error(
        "{0} was searched with other tables, by another version or with another memory limit: use the same, or \
         remove it to begin this proof again"
    )]
    OtherTables(String),
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
    /// The files of the searches under way, each of which one search uses at a time.
    in_use: Mutex<HashSet<PathBuf>>,
    is_given_back: Condvar,
    /// A file that stays locked as long as the directory is in use.
    _lock: DirectoryLock,
}

/// What is saved of a proof.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedProof {
    puzzle: String,
    heuristic: String,
    iteration: ProofState,
    /// The checksum of the iteration as it is written.
    crc32: u32,
}

/// The time between two savings in proportion to what one takes: at most a hundredth is spent on them.
const SAVING_SHARE: u32 = 100;

const PROOF_SUFFIX: &str = ".proof.json";

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> ProofError + use<> {
    let path = path.display().to_string();
    move |source| ProofError::Io { path: path.clone(), source }
}

impl Proofs {
    /// Opens a directory, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be used.
    pub fn open(directory: &Path) -> Result<Proofs, ProofError> {
        let lock = lock_directory(directory)?;
        Ok(Proofs {
            directory: directory.to_owned(),
            in_use: Mutex::default(),
            is_given_back: Condvar::new(),
            _lock: lock,
        })
    }

    /// Refuses a configuration of which nothing can be kept.
    ///
    /// # Errors
    ///
    /// What to use instead.
    pub fn check(config: &Config) -> Result<(), ProofError> {
        match config.algorithm.name == "idastar"
            && config.heuristic.to_string().contains("patterns")
        {
            true => Ok(()),
            false => Err(ProofError::Search(SolveError::NotKept)),
        }
    }

    /// Solves a puzzle, and saves the progress. Subtrees that earlier runs searched are counted in the
    /// statistics; the wall-clock time is that of this run. If the puzzle is being solved already, it waits.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing can be kept of the configuration or the puzzle, if the file of an
    /// earlier run is damaged or does not belong to this search, and as soon as the progress cannot be saved:
    /// what was saved before is then still there.
    pub fn solve(
        &self,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
    ) -> Result<Report, ProofError> {
        Proofs::check(config)?;
        let (puzzle_line, heuristic) = (puzzle.to_string(), config.heuristic.to_string());
        let identity = format!("{puzzle_line} {heuristic}");
        let name = format!("{:08x}{PROOF_SUFFIX}", crc32fast::hash(identity.as_bytes()));
        let file = ProofFile { path: self.directory.join(name), puzzle: puzzle_line, heuristic };
        self.take(&file.path);
        let report = self.solve_into(&file, puzzle, config, control);
        self.lock_in_use().remove(&file.path);
        self.is_given_back.notify_all();
        report
    }

    fn lock_in_use(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other search uses the file.
    fn take(&self, path: &Path) {
        let is_taken = |in_use: &mut HashSet<PathBuf>| in_use.contains(path);
        let in_use = self.is_given_back.wait_while(self.lock_in_use(), is_taken);
        in_use.unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }

    fn solve_into(
        &self,
        file: &ProofFile,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
    ) -> Result<Report, ProofError> {
        let path = || file.path.display().to_string();
        let earlier = file.read()?;
        let proven = earlier.as_ref().map_or(0, |iteration| iteration.bound);
        let saved = Mutex::new(Saved { again: Instant::now(), result: Ok(()) });
        let keep = |iteration: &ProofState| {
            let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
            let began = Instant::now();
            if began >= saved.again {
                saved.result = file.write(iteration);
                saved.again = Instant::now() + began.elapsed() * SAVING_SHARE;
            }
            if saved.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let proof = Proof::new(earlier, &keep);
        let mut report = solve(puzzle, config, &Control { proof: Some(&proof), ..*control })?;
        if proof.is_divided_otherwise() {
            return Err(ProofError::OtherTables(path()));
        }
        if let Outcome::LimitReached { lower_bound, .. } = &mut report.outcome {
            let failed = |error| cannot_use(&file.path)(error);
            let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
            mem::replace(&mut saved.result, Ok(())).map_err(failed)?;
            proof.state().map_or(Ok(()), |last| file.write(&last)).map_err(failed)?;
            // The limit may have been reached before the search began.
            if config.heuristic.is_admissible() {
                *lower_bound = proven.max(*lower_bound);
            }
        } else if let Some(last) = proof.state() {
            // With an answer it is no loss if the last subtrees are not saved.
            let _ = file.write(&last);
        }
        Ok(report)
    }
}

/// How the progress of a search was last saved.
struct Saved {
    /// When it may be saved again.
    again: Instant,
    result: io::Result<()>,
}

/// Where a proof is saved.
struct ProofFile {
    path: PathBuf,
    puzzle: String,
    heuristic: String,
}

impl ProofFile {
    /// Writes an iteration in place of what was saved before, which stays if this fails.
    fn write(&self, iteration: &ProofState) -> io::Result<()> {
        let saved = SavedProof {
            puzzle: self.puzzle.clone(),
            heuristic: self.heuristic.clone(),
            iteration: iteration.clone(),
            crc32: checksum(iteration)?,
        };
        replace_file(&self.path, &serde_json::to_vec(&saved)?)
    }

    /// What an earlier run saved.
    fn read(&self) -> Result<Option<ProofState>, ProofError> {
        let path = || self.path.display().to_string();
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot_use(&self.path)(error)),
        };
        let damaged = |message: String| ProofError::Damaged { path: path(), message };
        let SavedProof { puzzle, heuristic, iteration, crc32 } =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if checksum(&iteration).ok() != Some(crc32) {
            return Err(damaged("its checksum is wrong".to_owned()));
        }
        if (&puzzle, &heuristic) != (&self.puzzle, &self.heuristic) {
            return Err(ProofError::Other { path: path(), found: format!("{puzzle} {heuristic}") });
        }
        Ok(Some(iteration))
    }
}

fn checksum(iteration: &ProofState) -> io::Result<u32> {
    Ok(crc32fast::hash(&serde_json::to_vec(iteration)?))
}
