//! A solver on puzzles: one run for each seed of a named puzzle, or for each random puzzle.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hyperslide_puzzle::Puzzle;
use hyperslide_search::Control;
use serde::{Deserialize, Serialize};

use super::{NoData, Task, TaskContext, TaskData, TaskProgress};
use crate::experiment::{NamedPuzzle, Puzzles, RunLimits, Solver};
use crate::instances::KnownLength;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::result::{SolveResult, Status};

/// Runs `first` to `first + runs - 1` of a solver. Run i has the seed `seed + i` and, of random
/// puzzles, the i-th.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveTask {
    /// The puzzles.
    pub puzzles: Puzzles,
    /// The solver, as [`Solver`] reads it.
    pub solver: String,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The seed of run 0.
    pub seed: u64,
    /// The first of these runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: u64,
    /// The number of runs.
    pub runs: u64,
    /// Whether the solutions are recorded, and not only how long they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solutions: bool,
}

impl Eq for SolveTask {}

/// How often finished runs of a task are kept: what a run that is killed loses at most, in addition
/// to the searches under way.
const KEEP_INTERVAL: Duration = Duration::from_secs(5);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSummary {
    /// Moves of the solution, when there is one.
    pub length: Option<u32>,
    /// Whether it is proven shortest.
    pub optimal: bool,
    /// Whether it is proven that there is none; records of earlier versions do not say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsolvable: bool,
    /// Moves that every solution has, as far as the run proved; nothing in records that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u32>,
    /// States held at a time.
    pub stored: u64,
    /// States generated.
    pub generated: u64,
    /// States expanded.
    pub expanded: u64,
    /// CPU seconds.
    pub cpu_s: f64,
    /// The most bytes held at a time; 0 in records that do not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub peak_bytes: u64,
}

impl RunSummary {
    pub(crate) fn new(result: &SolveResult) -> RunSummary {
        let stats = result.stats.unwrap_or_default();
        RunSummary {
            length: result.length,
            optimal: result.optimal == Some(true),
            unsolvable: result.status == Status::Unsolvable,
            lower_bound: result.lower_bound,
            stored: stats.stored,
            generated: stats.generated,
            expanded: stats.expanded,
            cpu_s: stats.cpu_s,
            peak_bytes: stats.peak_bytes,
        }
    }
}

impl RunSummary {
    /// Returns whether its answer is proven: a shortest solution, or that there is none.
    pub(crate) fn is_proven(&self) -> bool {
        self.optimal || self.unsolvable
    }

    /// Checks that it does not contradict itself.
    fn check(&self) -> Result<(), String> {
        let Some(length) = self.length else {
            return match self.optimal {
                true => Err("it is proven shortest, but has no length".to_owned()),
                false => Ok(()),
            };
        };
        if self.unsolvable {
            return Err("it has a length, but is proven to have no solution".to_owned());
        }
        match self.lower_bound {
            Some(bound) if bound > length || (self.optimal && bound < length) => {
                Err(format!("a lower bound of {bound} for a solution of {length} moves"))
            }
            _ => Ok(()),
        }
    }
}

/// The runs of records, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// A summary of each.
    pub summaries: Vec<RunSummary>,
    /// Each with its solution, where solutions are recorded.
    pub results: Vec<SolveResult>,
    /// Whether another program made them, whose numbers of states are not known.
    pub is_of_program: bool,
}

impl Runs {
    /// How often each length of a solution came.
    pub(crate) fn histogram(&self) -> BTreeMap<u32, u64> {
        let mut histogram = BTreeMap::new();
        for length in self.summaries.iter().filter_map(|run| run.length) {
            *histogram.entry(length).or_default() += 1;
        }
        histogram
    }

    /// Appends those of a record.
    pub(crate) fn extend(&mut self, data: &TaskData) {
        match data {
            TaskData::Runs(runs) => self.summaries.extend(runs),
            TaskData::Results(results) => {
                self.summaries.extend(results.iter().map(RunSummary::new));
                self.results.extend(results.iter().cloned());
            }
            _ => {}
        }
    }
}

impl SolveTask {
    /// One run on a named puzzle, recorded with its solution.
    pub fn single(named: NamedPuzzle, solver: &Solver, limits: RunLimits, seed: u64) -> SolveTask {
        SolveTask {
            puzzles: Puzzles::Named(named),
            solver: solver.to_string(),
            limits,
            seed,
            first: 0,
            runs: 1,
            solutions: true,
        }
    }

    /// The task of some of its runs.
    pub(crate) fn part(&self, first: u64, runs: u64) -> SolveTask {
        SolveTask { first, runs, ..self.clone() }
    }

    /// Returns whether all its runs are runs of another task.
    pub(crate) fn is_part_of(&self, whole: &SolveTask) -> bool {
        self.first >= whole.first
            && self.first + self.runs <= whole.first + whole.runs
            && *self == whole.part(self.first, self.runs)
    }

    pub(super) fn title(&self) -> String {
        let puzzles = match &self.puzzles {
            Puzzles::Named(named) => {
                let rule = named.rule.map(|rule| format!(" k={rule}")).unwrap_or_default();
                format!("{}{rule}", named.instance)
            }
            Puzzles::Random(random) => random.title(),
            Puzzles::Listed(list) => list.title.clone(),
        };
        let portion = if self.first > 0 {
            format!(", puzzles {} to {}", self.first + 1, self.first + self.runs)
        } else {
            String::new()
        };
        format!("{puzzles}, {}{portion}", self.solver)
    }

    /// How many runs may be made at once in the memory that there is.
    fn runs_at_once(&self, context: &TaskContext<'_>) -> usize {
        let fit = |bytes: u64| usize::try_from(context.memory / bytes.max(1)).unwrap_or(usize::MAX);
        let fit = self.limits.memory_bytes.map_or(usize::MAX, fit);
        fit.clamp(1, context.threads.max(1))
    }

    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        let solver: Solver = self.solver.parse().map_err(NoData::Failed)?;
        let limits = self.limits.limits().map_err(NoData::Failed)?;
        let is_single = self.runs == 1;
        let show = |progress: &hyperslide_search::Progress| {
            let search = Some(progress);
            (context.progress)(&TaskProgress { done: 0, of: 1, search });
        };
        let control = Control {
            limits,
            cancel: Some(context.cancel),
            progress: is_single.then_some(&show as _),
            ..Control::default()
        };
        let threads = if is_single { context.threads } else { 1 };
        let puzzles = self.puzzles.of_runs().map_err(NoData::Failed)?;
        let solve_one = |number: u64| {
            let puzzle = puzzles(number)?;
            let seed = self.seed + number;
            let result = solver.run(&puzzle, seed, &context.cache, threads, &control, None);
            result.map_err(|error| format!("{puzzle}: {error}"))
        };
        let numbers = self.first..self.first + self.runs;
        let at_once = self.runs_at_once(context);
        let mut runs = Runs::default();
        let (mut kept, mut last_kept) = (0, Instant::now());
        // The runs that are finished and not kept yet.
        let keep = |runs: &mut Runs, kept: &mut u64| {
            let count = runs.summaries.len() as u64;
            let Some(keep) = context.keep.filter(|_| count > 0) else { return Ok(()) };
            let part = Task::Solve(self.part(self.first + *kept, count));
            *kept += count;
            match keep(part, self.data(std::mem::take(runs))) {
                true => Ok(()),
                false => Err(NoData::Cancelled),
            }
        };
        ordered_parallel_map(at_once, numbers, solve_one, |solved| {
            // A cancelled search may still report a solution.
            if context.cancel.load(Ordering::Relaxed) {
                keep(&mut runs, &mut kept)?;
                return Err(NoData::Cancelled);
            }
            let result = solved.map_err(NoData::Failed)?;
            // A program that failed may be repaired: the task is not recorded, and is run again.
            if result.status == Status::Error {
                let why = result.explanation.as_deref().unwrap_or("no reason is known");
                let number = kept + runs.summaries.len() as u64 + 1;
                let message = format!("{} failed on puzzle {number}: {why}", self.solver);
                return Err(NoData::Failed(message));
            }
            runs.summaries.push(RunSummary::new(&result));
            if self.solutions {
                runs.results.push(result);
            }
            let done = kept + runs.summaries.len() as u64;
            (context.progress)(&TaskProgress { done, of: self.runs, search: None });
            if done < self.runs && last_kept.elapsed() >= KEEP_INTERVAL {
                keep(&mut runs, &mut kept)?;
                last_kept = Instant::now();
            }
            Ok(())
        })?;
        Ok(self.data(runs))
    }

    fn data(&self, runs: Runs) -> TaskData {
        match self.solutions {
            true => TaskData::Results(runs.results),
            false => TaskData::Runs(runs.summaries),
        }
    }

    fn check_count(&self, runs: usize) -> Result<(), String> {
        self.solver.parse::<Solver>()?;
        let end = self.first.checked_add(self.runs).filter(|_| self.runs > 0);
        let end = end.ok_or("its task has no runs, or more than there can be")?;
        if let Puzzles::Listed(list) = &self.puzzles
            && list.nth(end - 1).is_none()
        {
            return Err(format!("{} has only {} puzzles", list.title, list.puzzles.len()));
        }
        if runs as u64 == self.runs {
            Ok(())
        } else {
            Err(format!("it has {runs} runs, its task has {}", self.runs))
        }
    }

    /// Refuses runs that contradict themselves, or are shorter than what is known to be shortest.
    pub(super) fn check_runs(&self, runs: &[RunSummary]) -> Result<(), String> {
        self.check_count(runs.len())?;
        runs.iter().try_for_each(RunSummary::check)?;
        let is_too_short = |named: &NamedPuzzle, length: u32| match named.known_length() {
            Some(KnownLength::Moves(optimum)) => length < optimum,
            Some(KnownLength::Unsolvable) => true,
            None => false,
        };
        for (number, run) in (self.first..).zip(runs) {
            let named = match &self.puzzles {
                Puzzles::Named(named) => Some(named),
                Puzzles::Random(_) => None,
                Puzzles::Listed(list) => list.nth(number),
            };
            if let (Some(named), Some(length)) = (named, run.length)
                && is_too_short(named, length)
            {
                return Err(format!("a solution of {length} moves is impossible"));
            }
        }
        Ok(())
    }

    /// Replays the solutions.
    pub(super) fn check_results(&self, results: &[SolveResult]) -> Result<(), String> {
        self.check_count(results.len())?;
        for (number, result) in (self.first..).zip(results) {
            let own = match &self.puzzles {
                Puzzles::Named(named) => Some(named.line.as_str()),
                Puzzles::Random(_) => None,
                Puzzles::Listed(list) => list.nth(number).map(|named| named.line.as_str()),
            };
            let line = result.puzzle.as_deref().or(own).ok_or("it names no puzzle")?;
            if own.is_some_and(|own| own != line) {
                return Err("its result is of another puzzle".to_owned());
            }
            replay(line, result)?;
        }
        Ok(())
    }
}

/// Checks a result against the rules: a claim of a solution must be one.
///
/// # Errors
///
/// What is wrong with it.
fn replay(line: &str, result: &SolveResult) -> Result<(), String> {
    let moves = result.moves.as_deref().unwrap_or_default();
    let is_solution = result.status == Status::Solved;
    if result.moves.is_some() != is_solution
        || result.length != is_solution.then_some(moves.len() as u32)
    {
        let length = result.length.map_or("no length".to_owned(), |n| format!("length {n}"));
        return Err(format!("{length} with {} moves", moves.len()));
    }
    if !is_solution {
        return Ok(());
    }
    if result.optimal == Some(true) && result.lower_bound != result.length {
        return Err("optimal, with a lower bound other than its length".to_owned());
    }
    if result.optimal == Some(false) && result.lower_bound == result.length {
        return Err("not optimal, with a lower bound equal to its length".to_owned());
    }
    let least = result.lower_bound.unwrap_or(0);
    if let Some(gap) = result.gap.filter(|gap| gap.checked_add(least) != Some(moves.len() as u32)) {
        return Err(format!("a gap of {gap} from {least} to {} moves", moves.len()));
    }
    let puzzle = Puzzle::from_line(line).map_err(|error| error.to_string())?;
    let moves = result.solution().ok_or("its moves name a vertex that no board has")?;
    match puzzle.replay(&moves) {
        Ok(end) if puzzle.goal().is_met(&end) => Ok(()),
        Ok(_) => Err("its moves miss the goal".to_owned()),
        Err((_, error)) => Err(error.to_string()),
    }
}
