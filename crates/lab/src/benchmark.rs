//! Several solvers on the same puzzles: their runs, and how they compare.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_search::{Control, Limits, TableCache};
use hyperslide_table::available_threads;
use serde::Serialize;
use thiserror::Error;

use crate::each_once::each_once;
use crate::experiment::{NamedPuzzle, RunError, RunLimits, Solver, is_program};
use crate::instances::KnownLength;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::proofs::{ProofError, Proofs};
use crate::record::{Machine, RecordError, RecordFile, TaskRecord};
use crate::result::{SolveResult, Status};
use crate::statistics::Gap;
use crate::task::{SolveTask, Task, TaskData};
use crate::work_progress::{WorkMeter, WorkProgress};

/// What is compared: every solver on every puzzle.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The puzzles.
    pub puzzles: Vec<NamedPuzzle>,
    /// The solvers.
    pub solvers: Vec<Solver>,
    /// The seed of solvers that draw random numbers.
    pub seed: u64,
    /// What each run may use, except that the memory is that of all runs at once.
    pub limits: RunLimits,
    /// The number of runs at once. With one, their times do not disturb each other.
    pub jobs: usize,
}

/// What a benchmark may use, and what it leaves behind.
#[derive(Default)]
pub struct BenchmarkOptions<'a> {
    /// Tables that the runs share.
    pub cache: Arc<TableCache>,
    /// A file of records: runs that it holds are not repeated, and each other run is added to it as
    /// soon as it ends.
    pub records: Option<&'a mut RecordFile>,
    /// The command that the records name as theirs.
    pub command: String,
    /// Stops the benchmark when it becomes true. Runs that it cuts short do not count.
    pub cancel: Option<&'a AtomicBool>,
    /// Where proofs are kept while they are searched.
    pub proofs: Option<&'a Proofs>,
}

/// What a benchmark found.
#[derive(Clone, Debug)]
pub struct BenchmarkReport {
    /// The runs, by solver and then by puzzle. Each knows the optimum that any of them proved.
    pub runs: Vec<BenchmarkRun>,
    /// How the solvers compare, in their order.
    pub standings: Vec<SolverStanding>,
    /// The number of runs in all: more than there are in `runs` when the benchmark was cancelled.
    pub total: usize,
    /// What solvers said of the puzzles that they do not take, and of which their runs are errors.
    pub refusals: Vec<String>,
    /// The number of runs that were in the records already.
    pub recorded: usize,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
}

/// Why a benchmark cannot be finished.
#[derive(Debug, Error)]
pub enum BenchmarkError {
    /// A run cannot be recorded.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// A proof cannot be kept.
    #[error(transparent)]
    Proof(ProofError),
    /// Limits out of range.
    #[error("{0}")]
    Limits(String),
    /// Two runs contradict each other: a bug.
    #[error("{0}")]
    Contradiction(String),
}

/// One solver on one puzzle.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkRun {
    /// The puzzle's name.
    pub instance: String,
    /// The solver with its parameters.
    pub solver: String,
    /// The length of a shortest solution: known before, or proven by any of the solvers.
    pub optimum: Option<u32>,
    /// What the solver found.
    #[serde(flatten)]
    pub result: SolveResult,
}

impl BenchmarkRun {
    /// Returns whether the solver is another program, whose numbers of states are not known.
    pub fn is_of_program(&self) -> bool {
        is_program(&self.solver)
    }
}

/// How one solver did on all puzzles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolverStanding {
    /// The solver with its parameters.
    pub solver: String,
    /// The number of puzzles that it was given.
    pub instances: usize,
    /// The number of puzzles for which it found a solution.
    pub solved: usize,
    /// The number of puzzles that it answered for certain: with a shortest solution, or with a
    /// proof that there is none.
    pub proven: usize,
    /// Mean length of its solutions.
    pub mean_length: Option<f64>,
    /// Mean number of moves above the optimum, of the solutions whose optimum is known.
    pub mean_excess: Option<f64>,
    /// The sum of these numbers in percent of the sum of the optima.
    pub excess_percent: Option<f64>,
    /// The number of solutions whose optimum is known.
    pub excess_instances: usize,
    /// Mean gap between its solutions and its own lower bounds.
    pub mean_gap: Option<f64>,
    /// Mean number of states expanded; of other programs it is not known.
    pub expanded: Option<f64>,
    /// Mean number of states generated; of other programs it is not known.
    pub generated: Option<f64>,
    /// Mean wall-clock seconds.
    pub wall_s: f64,
    /// Mean CPU seconds.
    pub cpu_s: f64,
    /// The most bytes that any of its searches held.
    pub peak_bytes: u64,
}

/// What the runs of a benchmark are recorded as.
const EXPERIMENT: &str = "compare";

impl Benchmark {
    /// Lets every solver try every puzzle, each pair once, and calls `report` before the first run
    /// and after each.
    ///
    /// # Errors
    ///
    /// When a run cannot be recorded or its proof cannot be kept, or when two runs contradict each
    /// other. A solver that does not take a puzzle is not an error: the report says so.
    pub fn run(
        &self,
        options: BenchmarkOptions<'_>,
        report: &mut dyn FnMut(&WorkProgress),
    ) -> Result<BenchmarkReport, BenchmarkError> {
        let BenchmarkOptions { cache, mut records, command, cancel, proofs } = options;
        let is_cancelled = || cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        let pairs = self.pairs();
        // A proof that is kept is not over when a limit is reached.
        let is_over =
            |result: &SolveResult| proofs.is_none() || result.status != Status::LimitReached;
        // A program that failed may be repaired since.
        let is_worth = |result: &SolveResult| is_over(result) && result.status != Status::Error;
        let known = |pair: &Pair<'_>| recorded(records.as_ref()?, &pair.task).filter(is_worth);
        let mut results: Vec<Option<SolveResult>> = pairs.iter().map(known).collect();
        let recorded = results.iter().flatten().count();
        let missing: Vec<usize> =
            (0..pairs.len()).filter(|&pair| results[pair].is_none()).collect();
        let at_once = self.jobs.min(missing.len()).max(1);
        let control =
            Control { limits: self.limits(pairs.len(), at_once)?, cancel, ..Control::default() };
        let threads = (available_threads() / at_once).max(1);
        let mut meter = WorkMeter::new(pairs.len() - missing.len(), Some(pairs.len()));
        report(&meter.progress());
        let mut refusals = Vec::new();
        let run = |number: usize| {
            let Pair { puzzle, solver, .. } = &pairs[number];
            let run = |puzzle| solver.run(&puzzle, self.seed, &cache, threads, &control, proofs);
            let result = puzzle.puzzle().map_err(RunError::Refused).and_then(run);
            // What was cut short is not a run of this task.
            (number, result, is_cancelled())
        };
        let missing = missing.into_iter().take_while(|_| !is_cancelled());
        ordered_parallel_map(at_once, missing, run, |(number, result, is_cut)| {
            if is_cut && result.is_ok() {
                return Ok(());
            }
            let Pair { puzzle, solver, task } = &pairs[number];
            match result {
                Err(RunError::Proof(error)) => return Err(BenchmarkError::Proof(error)),
                Err(RunError::Refused(error)) => {
                    results[number] = Some(SolveResult::error(&error));
                    refusals.push(format!("{solver} on {}: {error}", puzzle.instance));
                }
                Ok(result) => {
                    let data = TaskData::Results(vec![result.clone()]);
                    let record = TaskRecord::new(EXPERIMENT, task, data, &command);
                    if let Some(file) = records.as_mut().filter(|_| is_over(&result)) {
                        file.append(&record)?;
                    }
                    results[number] = Some(result);
                }
            }
            report(&meter.add());
            Ok::<(), BenchmarkError>(())
        })?;
        let total = pairs.len();
        let mut runs: Vec<BenchmarkRun> = { pairs.into_iter().zip(results) }
            .filter_map(|(Pair { puzzle, solver, .. }, result)| {
                let (instance, solver) = (puzzle.instance.clone(), solver.to_string());
                let optimum = puzzle.known_length().and_then(KnownLength::moves);
                Some(BenchmarkRun { instance, solver, optimum, result: result? })
            })
            .collect();
        share_optima(&mut runs).map_err(BenchmarkError::Contradiction)?;
        let standings = standings(&runs);
        let is_cancelled = is_cancelled();
        Ok(BenchmarkReport { runs, standings, total, refusals, recorded, is_cancelled })
    }

    /// Each solver with each puzzle once.
    fn pairs(&self) -> Vec<Pair<'_>> {
        let mut seen = HashSet::new();
        let of_solver = |solver| self.puzzles.iter().map(move |puzzle| (puzzle, solver));
        let all = self.solvers.iter().flat_map(of_solver);
        let once: Vec<(&NamedPuzzle, &Solver)> = all
            .filter(|&(puzzle, solver)| seen.insert((&puzzle.instance, &puzzle.line, solver)))
            .collect();
        let limits = self.limits_of_a_run(once.len());
        once.into_iter()
            .map(|(puzzle, solver)| {
                let task = SolveTask::single(puzzle.clone(), solver, limits, self.seed);
                Pair { puzzle, solver, task: Task::Solve(task) }
            })
            .collect()
    }

    /// The limits of each of this many runs, as they are recorded: those at the same time share the
    /// memory. How many of them are in the records already makes no difference.
    fn limits_of_a_run(&self, runs: usize) -> RunLimits {
        let share = |bytes: u64| bytes / self.jobs.min(runs).max(1) as u64;
        RunLimits { memory_bytes: self.limits.memory_bytes.map(share), ..self.limits }
    }

    /// The limits of each of this many runs, of which some are made at once. Where nobody has set
    /// one, these share the memory of the machine.
    fn limits(&self, runs: usize, at_once: usize) -> Result<Limits, BenchmarkError> {
        let limits = self.limits_of_a_run(runs).limits().map_err(BenchmarkError::Limits)?;
        let memory = || Machine::memory_to_use() / at_once as u64;
        Ok(Limits { memory: Some(limits.memory.unwrap_or_else(memory)), ..limits })
    }
}

/// A solver with a puzzle, and the task as which their run is recorded.
struct Pair<'a> {
    puzzle: &'a NamedPuzzle,
    solver: &'a Solver,
    task: Task,
}

/// The recorded result of a run, if there is one.
fn recorded(file: &RecordFile, task: &Task) -> Option<SolveResult> {
    match &file.find(EXPERIMENT, task)?.data {
        TaskData::Results(results) => results.first().cloned(),
        _ => None,
    }
}

/// Notes in each run the optimum that any of them proved.
///
/// # Errors
///
/// When runs contradict each other, which is a bug or a record that was changed: two prove
/// different lengths, one finds a shorter solution than another proved or a solution of what
/// another proved unsolvable, or a lower bound is above a solution.
fn share_optima(runs: &mut [BenchmarkRun]) -> Result<(), String> {
    let mut proven: BTreeMap<String, u32> = BTreeMap::new();
    for run in &*runs {
        let is_proven = run.result.optimal == Some(true);
        let own = run.result.length.filter(|_| is_proven);
        for length in run.optimum.into_iter().chain(own) {
            let known = *proven.entry(run.instance.clone()).or_insert(length);
            if known != length {
                return Err(format!("{}: proven {known} and {length} moves", run.instance));
            }
        }
    }
    let mut shortest: BTreeMap<&str, u32> = BTreeMap::new();
    for run in &*runs {
        for length in run.result.length.into_iter().chain(proven.get(&run.instance).copied()) {
            let known = shortest.entry(&run.instance).or_insert(length);
            *known = length.min(*known);
        }
    }
    for run in &*runs {
        let (instance, solver) = (&run.instance, &run.solver);
        let Some(&least) = shortest.get(instance.as_str()) else { continue };
        if let Some(&optimum) = proven.get(instance)
            && least < optimum
            && run.result.length == Some(least)
        {
            return Err(format!("{instance}: {solver} found {least} moves, {optimum} were proven"));
        }
        if run.result.status == Status::Unsolvable {
            return Err(format!(
                "{instance}: {solver} proved that it cannot be solved, but {least} moves solve it"
            ));
        }
        if let Some(bound) = run.result.lower_bound
            && bound > least
        {
            return Err(format!(
                "{instance}: {solver} proved at least {bound} moves, but {least} solve it"
            ));
        }
    }
    for run in runs {
        run.optimum = proven.get(&run.instance).copied();
    }
    Ok(())
}

/// How the solvers did, in the order in which they first ran.
fn standings(runs: &[BenchmarkRun]) -> Vec<SolverStanding> {
    let solvers = each_once(runs.iter().map(|run| run.solver.as_str()));
    solvers.into_iter().map(|solver| standing(solver, runs)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn standing(solver: &str, runs: &[BenchmarkRun]) -> SolverStanding {
    let own: Vec<&BenchmarkRun> = runs.iter().filter(|run| run.solver == solver).collect();
    let is_program = own.first().is_some_and(|run| run.is_of_program());
    let lengths = || own.iter().filter_map(|run| Some((run, run.result.length?)));
    let judged = || lengths().filter_map(|(run, length)| Some((length, run.optimum?)));
    let stats = || own.iter().filter_map(|run| run.result.stats);
    let to_optimum = Gap::new(judged());
    let is_proven = |run: &&&BenchmarkRun| {
        run.result.optimal == Some(true) || run.result.status == Status::Unsolvable
    };
    let gap = |(run, length): (&&BenchmarkRun, u32)| {
        Some(f64::from(length.checked_sub(run.result.lower_bound?)?))
    };
    SolverStanding {
        solver: solver.to_owned(),
        instances: own.len(),
        solved: lengths().count(),
        proven: own.iter().filter(is_proven).count(),
        mean_length: mean(lengths().map(|(_, length)| f64::from(length))),
        mean_excess: to_optimum.map(|gap| gap.mean_moves),
        excess_percent: to_optimum.and_then(|gap| gap.percent),
        excess_instances: to_optimum.map_or(0, |gap| gap.solutions),
        mean_gap: mean(lengths().filter_map(gap)),
        expanded: mean(stats().map(|stats| stats.expanded as f64)).filter(|_| !is_program),
        generated: mean(stats().map(|stats| stats.generated as f64)).filter(|_| !is_program),
        wall_s: mean(stats().map(|stats| stats.wall_s)).unwrap_or(0.0),
        cpu_s: mean(stats().map(|stats| stats.cpu_s)).unwrap_or(0.0),
        peak_bytes: stats().map(|stats| stats.peak_bytes).max().unwrap_or(0),
    }
}
