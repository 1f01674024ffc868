//! Proofs that are kept on disk while they are searched, so that they can be killed at any moment.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;
use std::{fs, io, mem};

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    Config, Control, Outcome, Proof, ProofState, Report, SolveError, Stats, check_kept, solve,
};
use hyperslide_table::{
    DirectoryLock, KeyLocks, LockError, lock, lock_directory, replace_file, seal, unseal,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::result::{MoveText, SolveResult, move_texts, read_moves};

/// Why a puzzle has no result, or its proof cannot be kept.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The algorithm does not take the puzzle.
    #[error(transparent)]
    Search(#[from] SolveError),
    /// The directory cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file of a proof is damaged, or is one of another version.
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
         remove it to begin this proof again, with the sizes of the tables named (as patterns:6-6-6-6) so that they \
         do not depend on the memory"
    )]
    OtherTables(String),
    /// Reading failed.
    #[error("cannot read the proof in {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot keep the proof in {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

type ReportUnsaved = dyn Fn(&ProofError) + Send + Sync;

/// A directory with a file for each proof that was begun. One process uses it at a time.
pub struct Proofs {
    directory: PathBuf,
    /// The files of the searches under way, each of which one search uses at a time.
    in_use: KeyLocks<PathBuf>,
    report_unsaved: Option<Box<ReportUnsaved>>,
    /// A file that stays locked as long as the directory is in use.
    _lock: DirectoryLock,
}

/// What is saved of a proof.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedProof {
    puzzle: String,
    heuristic: String,
    /// The last long iteration, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    iteration: Option<ProofState>,
    /// What was proven, once the proof is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
}

/// A shortest solution, and what its proof cost in all runs.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    moves: Vec<MoveText>,
    stats: Stats,
}

impl Answer {
    /// The answer of a finished proof.
    fn new(puzzle: &Puzzle, report: &Report) -> Option<Answer> {
        match &report.outcome {
            Outcome::Solved { moves, optimal: true, .. } => {
                Some(Answer { moves: move_texts(puzzle, moves), stats: report.stats })
            }
            _ => None,
        }
    }

    /// The report of the run that finished the proof; `None` if the moves do not solve the puzzle.
    fn report(&self, puzzle: &Puzzle, config: &Config) -> Option<Report> {
        let moves = read_moves(&self.moves)?;
        let end = puzzle.replay(&moves).ok()?;
        if !puzzle.goal().is_met(&end) {
            return None;
        }
        let lower_bound = moves.len() as u32;
        Some(Report {
            outcome: Outcome::Solved { moves, optimal: true, lower_bound },
            stats: self.stats,
            algorithm: config.algorithm.name,
            choice: None,
            heuristic: None,
            seed: config.seed,
        })
    }
}

/// The explanation of a result whose proof is not searched again.
pub const PROVEN_EARLIER: &str = "an earlier run finished this proof";

/// The time between two savings in proportion to what one takes: at most a hundredth is spent on
/// them.
const SAVING_SHARE: u32 = 100;
const PROOF_SUFFIX: &str = ".proof.json";

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
            in_use: KeyLocks::default(),
            report_unsaved: None,
            _lock: lock,
        })
    }

    /// Calls this when an answer cannot be saved, which is returned all the same.
    #[must_use]
    pub fn reporting(self, report: impl Fn(&ProofError) + Send + Sync + 'static) -> Proofs {
        Proofs { report_unsaved: Some(Box::new(report)), ..self }
    }

    /// Solves a puzzle, and saves the progress and the answer. Subtrees that earlier runs searched
    /// are counted in the statistics; the wall-clock time is that of this run. A proof that an
    /// earlier run finished is not searched again: the result has that run's statistics, and an
    /// explanation that says so. If the puzzle is being solved already, it waits until that search
    /// ends or this one is cancelled.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing can be kept of the configuration or the puzzle, if the file of
    /// an earlier run is damaged or does not belong to this search, and as soon as the progress
    /// cannot be saved: what was saved before is then still there.
    pub fn solve(
        &self,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
    ) -> Result<SolveResult, ProofError> {
        check_kept(config)?;
        let file = self.file(puzzle, config);
        let is_cancelled = || control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        match self.in_use.lock(&file.path, is_cancelled) {
            Some(_in_use) => file.solve(puzzle, config, control),
            // It ends at once.
            None => Ok(SolveResult::new(puzzle, &solve(puzzle, config, control)?)),
        }
    }

    /// Returns whether something is kept from which a run can continue.
    pub fn has(&self, puzzle: &Puzzle, config: &Config) -> bool {
        self.file(puzzle, config).path.exists()
    }

    fn file(&self, puzzle: &Puzzle, config: &Config) -> ProofFile<'_> {
        let (puzzle, heuristic) = (puzzle.to_string(), config.heuristic.to_string());
        let identity = format!("{puzzle} {heuristic}");
        let digest = Sha256::digest(identity.as_bytes());
        let name = format!("{}{PROOF_SUFFIX}", hex::encode(&digest[..8]));
        ProofFile { proofs: self, path: self.directory.join(name), puzzle, heuristic }
    }
}

/// How the progress of a search was last saved.
struct Saved {
    /// When it may be saved again.
    again: Instant,
    result: io::Result<()>,
}

/// Where a proof is saved.
struct ProofFile<'p> {
    proofs: &'p Proofs,
    path: PathBuf,
    puzzle: String,
    heuristic: String,
}

impl ProofFile<'_> {
    /// Returns the answer that is saved, continues the search that is saved, or begins it.
    fn solve(
        &self,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
    ) -> Result<SolveResult, ProofError> {
        let (earlier, answer) = match self.read()? {
            Some(SavedProof { iteration, answer, .. }) => (iteration, answer),
            None => (None, None),
        };
        let Some(answer) = answer else {
            return Ok(SolveResult::new(puzzle, &self.search(puzzle, config, control, earlier)?));
        };
        let report = answer.report(puzzle, config).ok_or_else(|| ProofError::Damaged {
            path: self.path.display().to_string(),
            message: "its moves do not solve the puzzle".to_owned(),
        })?;
        let explanation = Some(PROVEN_EARLIER.to_owned());
        Ok(SolveResult { explanation, ..SolveResult::new(puzzle, &report) })
    }

    /// Continues the search, if there was one, or begins it.
    fn search(
        &self,
        puzzle: &Puzzle,
        config: &Config,
        control: &Control<'_>,
        earlier: Option<ProofState>,
    ) -> Result<Report, ProofError> {
        let proven = earlier.as_ref().map_or(0, |iteration| iteration.bound);
        let cost = earlier.as_ref().map(ProofState::cost);
        let saved = Mutex::new(Saved { again: Instant::now(), result: Ok(()) });
        let keep = |iteration: &ProofState| {
            let mut saved = lock(&saved);
            let began = Instant::now();
            if began >= saved.again {
                saved.result = self.write(Some(iteration), None);
                saved.again = Instant::now() + began.elapsed() * SAVING_SHARE;
            }
            if saved.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let proof = Proof::new(earlier, &keep);
        let mut report = solve(puzzle, config, &Control { proof: Some(&proof), ..*control })?;
        if let Outcome::LimitReached { lower_bound, .. } = &mut report.outcome {
            if proof.is_divided_otherwise() {
                return Err(ProofError::OtherTables(self.path.display().to_string()));
            }
            let failed =
                |source| ProofError::Write { path: self.path.display().to_string(), source };
            let mut saved = lock(&saved);
            mem::replace(&mut saved.result, Ok(())).map_err(failed)?;
            proof.state().map_or(Ok(()), |last| self.write(Some(&last), None)).map_err(failed)?;
            // The limit may have been reached before the search began.
            if config.heuristic.is_admissible() {
                *lower_bound = proven.max(*lower_bound);
            }
            if let Some(cost) = cost.filter(|cost| report.stats.generated < cost.generated) {
                report.stats.expanded += cost.expanded;
                report.stats.generated += cost.generated;
                report.stats.cpu_s += cost.cpu_s;
            }
        } else if let Some(answer) = Answer::new(puzzle, &report) {
            // The answer is there, even if it cannot be saved.
            if let Err(source) = self.write(proof.state().as_ref(), Some(answer))
                && let Some(report) = &self.proofs.report_unsaved
            {
                report(&ProofError::Write { path: self.path.display().to_string(), source });
            }
        }
        Ok(report)
    }

    /// Writes an iteration, or the answer, in place of what was saved before, which stays if this
    /// fails.
    fn write(&self, iteration: Option<&ProofState>, answer: Option<Answer>) -> io::Result<()> {
        let saved = SavedProof {
            puzzle: self.puzzle.clone(),
            heuristic: self.heuristic.clone(),
            iteration: iteration.cloned(),
            answer,
        };
        replace_file(&self.path, &seal(&saved)?)
    }

    /// What an earlier run saved.
    fn read(&self) -> Result<Option<SavedProof>, ProofError> {
        let path = || self.path.display().to_string();
        // Reading a named pipe would block.
        if self.path.exists() && !self.path.is_file() {
            return Err(ProofError::Damaged { path: path(), message: "not a file".to_owned() });
        }
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ProofError::Read { path: path(), source }),
        };
        let saved: SavedProof = unseal(&bytes)
            .map_err(|error| ProofError::Damaged { path: path(), message: error.to_string() })?;
        if (&saved.puzzle, &saved.heuristic) != (&self.puzzle, &self.heuristic) {
            let found = format!("{} {}", saved.puzzle, saved.heuristic);
            return Err(ProofError::Other { path: path(), found });
        }
        Ok(Some(saved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_does_not_solve_the_puzzle_is_not_believed() {
        let puzzle = Puzzle::from_line("grid:2:3 4,1,2,5,0,3").unwrap();
        let config = Config::named("idastar").unwrap();
        let report = solve(&puzzle, &config, &Control::default()).unwrap();
        let answer = Answer::new(&puzzle, &report).unwrap();
        assert_eq!(answer.report(&puzzle, &config).unwrap().outcome, report.outcome);
        let changed = |change: fn(&mut Vec<MoveText>)| {
            let mut answer = answer.clone();
            change(&mut answer.moves);
            answer.report(&puzzle, &config)
        };
        assert_eq!(changed(|moves| drop(moves.pop())), None);
        assert_eq!(changed(|moves| moves[0].to = 64), None);
        assert_eq!(changed(|moves| moves.swap(0, 1)), None);
    }
}
