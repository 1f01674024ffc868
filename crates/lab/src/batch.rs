//! Many puzzles solved side by side, their results reported in the order of the puzzles.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Progress, solve};
use serde::Serialize;

use crate::ordered_parallel_map::ordered_parallel_map;
use crate::proofs::{ProofError, Proofs};
use crate::result::{SolveResult, Status};
use crate::tables::Tables;
use crate::work_progress::{WorkMeter, WorkProgress};

/// How a batch of puzzles is solved.
///
/// ```
/// use std::convert::Infallible;
/// use hyperslide_lab::Batch;
/// use hyperslide_puzzle::Puzzle;
///
/// let lines = ["grid:2:2 1,0,3,2", "grid:2:2 2,1,3,0", "grid:2:2 1,1"];
/// let read = |(number, line): (usize, &str)| {
///     (number, Puzzle::from_line(line).map_err(|error| error.to_string()))
/// };
/// let mut lengths = Vec::new();
/// let Ok(summary) = Batch::default().run(lines.into_iter().enumerate(), read, |line, _| {
///     lengths.push(line.result.length);
///     Ok::<(), Infallible>(())
/// });
/// assert_eq!(lengths, [Some(1), None, None]);
/// assert_eq!((summary.solved, summary.unsolvable, summary.errors), (1, 1, 1));
/// ```
#[derive(Clone, Default)]
pub struct Batch<'a> {
    /// The algorithm with its settings. Its threads are divided among the searches at once.
    pub config: Config,
    /// What each search may use, except that the memory is that of all searches at once.
    pub limits: Limits,
    /// The number of puzzles that are solved at once; 0 counts as 1.
    pub jobs: usize,
    /// The number of puzzles, where it is known: if there are fewer of them than `jobs`, they share
    /// all threads and all memory.
    pub total: Option<usize>,
    /// Stops the batch when it becomes true: no further puzzle is begun, and the searches under way
    /// end with what they have.
    pub cancel: Option<&'a AtomicBool>,
    /// Where tables that answer puzzles are looked up.
    pub tables: Option<&'a Tables>,
    /// Follows the search under way. Of several at once none is shown.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Where proofs are kept while they are searched.
    pub proofs: Option<&'a Proofs>,
}

/// Algorithms that soon find a solution of almost any puzzle.
const QUICK_ALGORITHMS: [&str; 2] = ["staged", "closed-walks"];
/// What each of them may take.
const QUICK_TIME: Duration = Duration::from_secs(1);

/// The result of one puzzle of a batch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchLine {
    /// What was found.
    #[serde(flatten)]
    pub result: SolveResult,
    /// The puzzle's number, such as that of its line in a file.
    pub line: usize,
}

/// The results of a batch in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BatchSummary {
    /// Puzzles with a result.
    pub puzzles: usize,
    /// Those with a solution.
    pub solved: usize,
    /// Those with a solution that is proven to be a shortest one.
    pub optimal: usize,
    /// Those that are proven to have no solution.
    pub unsolvable: usize,
    /// Those for which a limit was reached first.
    pub limit_reached: usize,
    /// Those that could not be read, or that the algorithm does not take.
    pub errors: usize,
    /// The moves of all solutions.
    pub moves: u64,
}

impl BatchSummary {
    /// Counts one more result.
    pub fn add(&mut self, result: &SolveResult) {
        self.puzzles += 1;
        match result.status {
            Status::Solved => self.solved += 1,
            Status::Unsolvable => self.unsolvable += 1,
            Status::LimitReached => self.limit_reached += 1,
            Status::Error => self.errors += 1,
        }
        self.optimal += usize::from(result.optimal == Some(true));
        self.moves += result.length.map_or(0, u64::from);
    }
}

impl Batch<'_> {
    /// The number of searches at once.
    pub fn at_once(&self) -> usize {
        self.jobs.min(self.total.unwrap_or(usize::MAX)).max(1)
    }

    /// Solves the puzzles that `read` makes of `items`, and calls `report` with the results in the
    /// order of the items, on the calling thread, until it fails. Items are taken as they are
    /// needed, so that there may be any number of them. What is wrong with a puzzle is a result of
    /// its own and does not stop the others. Returns the results in numbers.
    ///
    /// # Errors
    ///
    /// The error of `report`.
    pub fn run<A: Send, E>(
        &self,
        items: impl Iterator<Item = A> + Send,
        read: impl Fn(A) -> (usize, Result<Puzzle, String>) + Sync,
        mut report: impl FnMut(&BatchLine, &WorkProgress) -> Result<(), E>,
    ) -> Result<BatchSummary, E> {
        let at_once = self.at_once();
        let mut meter = WorkMeter::new(0, self.total);
        let mut summary = BatchSummary::default();
        let solve = |item: A| {
            let (line, puzzle) = read(item);
            let result = puzzle
                .and_then(|puzzle| self.solve(&puzzle, at_once).map_err(|error| error.to_string()));
            BatchLine { result: result.unwrap_or_else(|error| SolveResult::error(&error)), line }
        };
        let items = items.take_while(|_| !self.is_cancelled());
        ordered_parallel_map(at_once, items, solve, |line| {
            summary.add(&line.result);
            report(&line, &meter.add())
        })?;
        Ok(summary)
    }

    /// Solves one puzzle with all threads and all memory.
    ///
    /// # Errors
    ///
    /// When the algorithm cannot be used on the puzzle, or its proof cannot be kept.
    pub fn solve_one(&self, puzzle: &Puzzle) -> Result<SolveResult, ProofError> {
        self.solve(puzzle, 1)
    }

    /// Looks for any solution, however long, after the search for a shortest one was cancelled with
    /// the result `before`. Its lower bound is that of both searches, and its cost that of
    /// `before`.
    ///
    /// It takes at most two seconds, which cancelling does not shorten: in practice milliseconds.
    pub fn any_solution(&self, puzzle: &Puzzle, before: &SolveResult) -> Option<SolveResult> {
        QUICK_ALGORITHMS.iter().find_map(|algorithm| {
            let cache = Arc::clone(&self.config.cache);
            let config = Config { cache, ..Config::named(algorithm)? };
            let limits = Limits { time: Some(QUICK_TIME), nodes: None, ..self.limits };
            let control = Control { limits, ..Control::default() };
            let found = SolveResult::new(puzzle, &solve(puzzle, &config, &control).ok()?);
            let length = found.length?;
            let lower_bound = found.lower_bound.max(before.lower_bound)?;
            Some(SolveResult {
                optimal: Some(length == lower_bound),
                lower_bound: Some(lower_bound),
                gap: Some(length - lower_bound),
                stats: before.stats,
                ..found
            })
        })
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    fn solve(&self, puzzle: &Puzzle, at_once: usize) -> Result<SolveResult, ProofError> {
        let config = Config {
            table: self.tables.and_then(|tables| tables.find(puzzle)),
            threads: (self.config.threads / at_once).max(1),
            ..self.config.clone()
        };
        let memory = self.limits.memory.map(|bytes| bytes / at_once as u64);
        let control = Control {
            limits: Limits { memory, ..self.limits },
            cancel: self.cancel,
            progress: self.progress.filter(|_| at_once == 1),
            ..Control::default()
        };
        match self.proofs {
            Some(proofs) => proofs.solve(puzzle, &config, &control),
            None => Ok(SolveResult::new(puzzle, &solve(puzzle, &config, &control)?)),
        }
    }
}
