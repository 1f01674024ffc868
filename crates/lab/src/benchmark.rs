//! Solvers side by side on the same puzzles.

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Control, SolveError, solve};
use serde::Serialize;

use crate::experiment::{RunLimits, Solver};
use crate::record::RunKey;
use crate::result::{SolveResult, Status};

/// A puzzle that solvers are compared on.
#[derive(Clone, Debug)]
pub struct BenchmarkPuzzle {
    /// What it is called in the tables.
    pub name: String,
    /// The rule k, for named cubes.
    pub rule: Option<usize>,
    /// The puzzle.
    pub puzzle: Puzzle,
    /// The length of its shortest solution, where it is known.
    pub known: Option<u32>,
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

/// How one solver did on all puzzles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The solver with its parameters.
    pub solver: String,
    /// How many puzzles it was given.
    pub instances: usize,
    /// For how many it found a solution.
    pub solved: usize,
    /// How many it answered for certain: a shortest solution, or that there is none.
    pub proven: usize,
    /// Mean length of its solutions.
    pub mean_length: Option<f64>,
    /// Mean number of moves over the optimum, of the solutions whose optimum is known.
    pub mean_excess: Option<f64>,
    /// The same in percent of the optima.
    pub excess_percent: Option<f64>,
    /// Mean gap between its solutions and its own lower bounds.
    pub mean_gap: Option<f64>,
    /// Mean number of states expanded.
    pub expanded: f64,
    /// Mean number of states generated.
    pub generated: f64,
    /// Mean wall-clock seconds.
    pub wall_s: f64,
    /// Mean CPU seconds.
    pub cpu_s: f64,
    /// The most bytes that any of its searches held.
    pub peak_bytes: u64,
}

/// What the runs of a comparison are recorded as.
const EXPERIMENT: &str = "compare";

impl BenchmarkPuzzle {
    /// What tells it apart from other puzzles and names.
    pub fn id(&self) -> String {
        format!("{} {}", self.name, self.puzzle)
    }

    /// What tells the run of a solver on this puzzle apart.
    pub fn key(&self, solver: &Solver, seed: u64, limits: RunLimits) -> RunKey {
        RunKey {
            experiment: EXPERIMENT.to_owned(),
            instance: self.name.clone(),
            rule: self.rule,
            solver: solver.clone(),
            seed,
            limits,
            puzzle: self.puzzle.to_string(),
        }
    }

    /// Lets the solver of a key try, with its seed; `control` has the limits.
    ///
    /// # Errors
    ///
    /// When the solver is not for this puzzle.
    ///
    /// # Panics
    ///
    /// When the solver was not read from a text: those that were have a configuration.
    pub fn run(
        &self,
        key: &RunKey,
        adapt: &dyn Fn(&mut hyperslide_search::Config),
        control: &Control<'_>,
    ) -> Result<SolveResult, SolveError> {
        let config = key.solver.config(key.seed);
        let mut config = config.expect("solvers are checked when they are read");
        adapt(&mut config);
        let report = solve(&self.puzzle, &config, control)?;
        Ok(SolveResult::new(&self.puzzle, &report))
    }
}

impl BenchmarkRun {
    /// What a solver found on this puzzle.
    pub fn new(entry: &BenchmarkPuzzle, solver: &Solver, result: SolveResult) -> BenchmarkRun {
        let (instance, solver) = (entry.name.clone(), solver.to_string());
        BenchmarkRun { instance, solver, optimum: entry.known, result }
    }
}

/// Notes in each run the optimum that any of them proved.
///
/// # Errors
///
/// When two runs prove different lengths, or one finds a shorter solution than another proved: a bug.
pub fn share_optima(runs: &mut [BenchmarkRun]) -> Result<(), String> {
    let mut proven: std::collections::BTreeMap<String, u32> = std::collections::BTreeMap::new();
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
    for run in runs {
        run.optimum = proven.get(&run.instance).copied();
        if let (Some(optimum), Some(length)) = (run.optimum, run.result.length)
            && length < optimum
        {
            let (instance, solver) = (&run.instance, &run.solver);
            return Err(format!(
                "{instance}: {solver} found {length} moves, {optimum} were proven"
            ));
        }
    }
    Ok(())
}

/// How the solvers did, in the order in which they first ran.
pub fn standings(runs: &[BenchmarkRun]) -> Vec<Standing> {
    let mut solvers: Vec<&str> = Vec::new();
    for run in runs {
        if !solvers.contains(&run.solver.as_str()) {
            solvers.push(&run.solver);
        }
    }
    solvers.into_iter().map(|solver| standing(solver, runs)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn standing(solver: &str, runs: &[BenchmarkRun]) -> Standing {
    let own: Vec<&BenchmarkRun> = runs.iter().filter(|run| run.solver == solver).collect();
    let lengths = || own.iter().filter_map(|run| Some((run, run.result.length?)));
    let judged = || lengths().filter_map(|(run, length)| Some((length, run.optimum?)));
    let stats = || own.iter().filter_map(|run| run.result.stats);
    let (over, optima) = judged().fold((0, 0), |(over, optima), (length, optimum)| {
        (over + u64::from(length - optimum), optima + u64::from(optimum))
    });
    let is_proven = |run: &&&BenchmarkRun| {
        run.result.optimal == Some(true) || run.result.status == Status::Unsolvable
    };
    let gap = |(run, length): (&&BenchmarkRun, u32)| {
        Some(f64::from(length.checked_sub(run.result.lower_bound?)?))
    };
    Standing {
        solver: solver.to_owned(),
        instances: own.len(),
        solved: lengths().count(),
        proven: own.iter().filter(is_proven).count(),
        mean_length: mean(lengths().map(|(_, length)| f64::from(length))),
        mean_excess: mean(judged().map(|(length, optimum)| f64::from(length - optimum))),
        excess_percent: (optima > 0).then(|| 100.0 * over as f64 / optima as f64),
        mean_gap: mean(lengths().filter_map(gap)),
        expanded: mean(stats().map(|stats| stats.expanded as f64)).unwrap_or(0.0),
        generated: mean(stats().map(|stats| stats.generated as f64)).unwrap_or(0.0),
        wall_s: mean(stats().map(|stats| stats.wall_s)).unwrap_or(0.0),
        cpu_s: mean(stats().map(|stats| stats.cpu_s)).unwrap_or(0.0),
        peak_bytes: stats().map(|stats| stats.peak_bytes).max().unwrap_or(0),
    }
}
