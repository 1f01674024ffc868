//! A solver as an experiment names it, an algorithm with its heuristic and settings or another
//! program, and the limits of its runs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hyperslide_puzzle::{Puzzle, shorten};
use hyperslide_search::{Config, Control, Limits, SolveError, TableCache, solve};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(unix)]
use crate::external::run_program;
use crate::proofs::{ProofError, Proofs};
use crate::reading::read_seconds;
use crate::report::{bytes, grouped};
use crate::result::SolveResult;

/// An algorithm with its heuristic and settings, or another program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Solver {
    /// The algorithm's name, or `exec:` and the shell command of a program.
    pub algorithm: String,
    /// The heuristic's name; the default one when missing.
    pub heuristic: Option<String>,
    /// The settings that differ from the defaults, by their names.
    pub settings: BTreeMap<String, String>,
}

/// What precedes the command of another program.
const PROGRAM: &str = "exec:";

/// Returns whether a solver's name is that of another program.
pub(crate) fn is_program(solver: &str) -> bool {
    solver.trim_start().starts_with(PROGRAM)
}

/// `astar`, with parameters `weighted-astar heuristic=linear-conflict weight=3`, or a program,
/// `exec:./solve --fast`.
impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.algorithm)?;
        if let Some(heuristic) = &self.heuristic {
            write!(f, " heuristic={heuristic}")?;
        }
        self.settings.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Solver, String> {
        if let Some(command) = text.trim().strip_prefix(PROGRAM) {
            if command.trim().is_empty() {
                return Err(format!(
                    "{PROGRAM} names no command: write it, as in {PROGRAM}./solve"
                ));
            }
            return Ok(Solver { algorithm: text.trim().to_owned(), ..Solver::default() });
        }
        let mut words = text.split_whitespace();
        let mut solver =
            Solver { algorithm: words.next().unwrap_or_default().to_owned(), ..Solver::default() };
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let before = match name {
                "heuristic" => solver.heuristic.replace(value.to_owned()),
                _ => solver.settings.insert(name.to_owned(), value.to_owned()),
            };
            if before.is_some() {
                return Err(format!("{} is given twice: leave one out", shorten(name)));
            }
        }
        solver.config(0)?;
        Ok(solver)
    }
}

impl Solver {
    /// The shell command, where the solver is another program.
    pub fn program(&self) -> Option<&str> {
        self.algorithm.strip_prefix(PROGRAM)
    }

    /// Solves a puzzle with this seed, the cache's tables and the given number of threads. A
    /// program gets the puzzle, the limits of time and memory and the seed, and knows nothing of
    /// threads. Where there are `proofs`, what is searched is kept there.
    ///
    /// # Errors
    ///
    /// Why the solver does not take the puzzle. That a program fails is a result.
    pub(crate) fn run(
        &self,
        puzzle: &Puzzle,
        seed: u64,
        cache: &Arc<TableCache>,
        threads: usize,
        control: &Control<'_>,
        proofs: Option<&Proofs>,
    ) -> Result<SolveResult, RunError> {
        if let Some(command) = self.program() {
            if proofs.is_some() {
                return Err(RunError::Refused(SolveError::NotKept.to_string()));
            }
            #[cfg(unix)]
            return Ok(run_program(command, puzzle, seed, &control.limits, control.cancel));
            #[cfg(not(unix))]
            return Err(RunError::Refused(format!(
                "{command}: other programs are run on Unix only"
            )));
        }
        let config = self.config(seed).map_err(RunError::Refused)?;
        let config = Config { cache: Arc::clone(cache), threads, ..config };
        match proofs {
            Some(proofs) => proofs.solve(puzzle, &config, control).map_err(|error| match error {
                ProofError::Search(error) => RunError::Refused(error.to_string()),
                error => RunError::Proof(error),
            }),
            None => solve(puzzle, &config, control)
                .map(|report| SolveResult::new(puzzle, &report))
                .map_err(|error| RunError::Refused(error.to_string())),
        }
    }

    /// The configuration it stands for.
    ///
    /// # Errors
    ///
    /// Which name is unknown, or what a setting may be. Programs have no configuration.
    pub fn config(&self, seed: u64) -> Result<Config, String> {
        let settings = self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Config::new(&self.algorithm, self.heuristic.as_deref(), settings, seed)
            .map_err(|error| error.to_string())
    }
}

/// Why a solver has no result.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// It does not take the puzzle.
    #[error("{0}")]
    Refused(String),
    /// Its proof cannot be kept.
    #[error(transparent)]
    Proof(ProofError),
}

/// Limits as they are declared and recorded.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// Wall-clock seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// Bytes of the search's own data structures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Generated states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl RunLimits {
    /// What they allow, as in `1,200 generated states, 5 s and 64.0 MB`; `None` where there are
    /// none.
    pub(crate) fn words(&self) -> Option<String> {
        let nodes = self.nodes.map(|nodes| format!("{} generated states", grouped(nodes)));
        let time = self.time_s.map(|seconds| format!("{seconds} s"));
        let memory = self.memory_bytes.map(bytes);
        let mut all: Vec<String> = [nodes, time, memory].into_iter().flatten().collect();
        let last = all.pop()?;
        Some(if all.is_empty() { last } else { format!("{} and {last}", all.join(", ")) })
    }

    /// The limits as searches take them.
    ///
    /// # Errors
    ///
    /// When the time is not a number of seconds that can pass.
    pub fn limits(&self) -> Result<Limits, String> {
        let read = |seconds| {
            read_seconds(seconds).map_err(|problem| format!("time_s = {seconds}: {problem}"))
        };
        let time = self.time_s.map(read).transpose()?;
        Ok(Limits { time, memory: self.memory_bytes, nodes: self.nodes })
    }
}
