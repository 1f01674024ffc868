//! The stages of local value iteration: what each needs, found from the tables of its sub-problems,
//! and random puzzles that it solves.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    Config, Control, Limit, Limits, StagesError, SubProblemRecord, TableCache, analyse_stages,
    describe_sub_problem, run_stages, trained_sub_problems,
};
use serde::{Deserialize, Serialize};

use super::{NoData, TaskContext, TaskData, TaskProgress};
use crate::experiment::{RandomSet, Solver};
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::random::RandomPuzzles;

/// Local value iteration on one board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagesTask {
    /// The board, its tokens and its goal.
    pub puzzles: RandomSet,
    /// What is done there.
    pub work: StagesWork,
}

/// What is done with the stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum StagesWork {
    /// The stages are analysed with a region of one token.
    Analyse {
        /// Whether all states are also solved and counted.
        count_all: bool,
    },
    /// Random puzzles are solved with regions of these sizes.
    Solve {
        /// The number of puzzles.
        count: u64,
        /// The sizes.
        regions: Vec<usize>,
    },
}

impl StagesTask {
    pub(super) fn title(&self) -> String {
        match &self.work {
            StagesWork::Solve { regions, .. } if regions.len() == 1 => {
                format!("{}, region {}", self.puzzles.title(), regions[0])
            }
            _ => self.puzzles.title(),
        }
    }

    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        let random = self.puzzles.law().map_err(NoData::Failed)?;
        let limits = Limits { memory: Some(context.memory), ..Limits::default() };
        let control = Control { limits, cancel: Some(context.cancel), ..Control::default() };
        match &self.work {
            StagesWork::Analyse { count_all } => {
                let goal = goal_of(&random)?;
                let analysis = analyse_stages(&goal, *count_all, &config(1)?, &control);
                Ok(TaskData::Analysis(analysis.map_err(stopped)?))
            }
            StagesWork::Solve { count, regions } => {
                sample(&random, *count, regions, context, &control).map(TaskData::Sample)
            }
        }
    }
}

/// Random puzzles, solved with regions of several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The seed of the puzzles.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// The sizes in order.
    pub runs: Vec<RegionRun>,
}

impl Sample {
    /// Checks that every region has all puzzles.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.runs.iter().find(|run| run.puzzles() != self.count) {
            Some(run) => Err(format!("region {} has other puzzles", run.region)),
            None => Ok(()),
        }
    }
}

/// All puzzles with one size of the region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRun {
    /// The size.
    pub region: usize,
    /// How many puzzles had how many moves, by the number of tokens that they needed at once.
    pub lengths: BTreeMap<usize, BTreeMap<u32, u64>>,
    /// CPU seconds of solving all, training apart.
    pub solving_cpu_s: f64,
    /// The sub-problems that were trained.
    pub sub_problems: Vec<SubProblemRecord>,
}

impl RegionRun {
    /// The lengths of all classes together.
    pub(crate) fn all_lengths(&self) -> BTreeMap<u32, u64> {
        let mut all = BTreeMap::new();
        for (&length, &puzzles) in self.lengths.values().flatten() {
            let all = all.entry(length).or_insert(0u64);
            *all = all.saturating_add(puzzles);
        }
        all
    }

    fn puzzles(&self) -> u64 {
        self.lengths.values().flat_map(BTreeMap::values).copied().fold(0, u64::saturating_add)
    }

    /// CPU seconds of all training.
    pub(crate) fn training_cpu_s(&self) -> f64 {
        self.sub_problems.iter().map(|problem| problem.training_cpu_s).sum()
    }
}

fn goal_of(random: &RandomPuzzles) -> Result<Puzzle, NoData> {
    let none = || NoData::failed("the puzzles have no common goal: write goal = \"...\"");
    random.usual_goal().ok().flatten().ok_or_else(none)
}

fn stopped(error: StagesError) -> NoData {
    match error {
        StagesError::Stopped(Limit::Cancelled) => NoData::Cancelled,
        error => NoData::failed(error),
    }
}

/// A configuration of local value iteration with tables of its own, trained by one thread.
fn config(region: usize) -> Result<Config, NoData> {
    let solver: Solver =
        format!("local-value-iteration region={region}").parse().map_err(NoData::Failed)?;
    let config = solver.config(0).map_err(NoData::Failed)?;
    Ok(Config { cache: Arc::new(TableCache::default()), threads: 1, ..config })
}

/// Solves random puzzles with regions of these sizes.
fn sample(
    random: &RandomPuzzles,
    count: u64,
    regions: &[usize],
    context: &TaskContext<'_>,
    control: &Control<'_>,
) -> Result<Sample, NoData> {
    let configs: Vec<Config> =
        regions.iter().map(|&region| config(region)).collect::<Result<_, _>>()?;
    let empty = |&region| RegionRun {
        region,
        lengths: BTreeMap::new(),
        solving_cpu_s: 0.0,
        sub_problems: Vec::new(),
    };
    let mut runs: Vec<RegionRun> = regions.iter().map(empty).collect();
    let work = |number: u64| -> Result<Vec<(usize, u32, f64)>, NoData> {
        let puzzle = random.nth(number).map_err(NoData::failed)?;
        let solved = configs.iter().map(|config| {
            let (tokens, report) =
                run_stages(&puzzle, puzzle.start(), config, control).map_err(stopped)?;
            let moves: usize = report.stages.iter().map(|stage| stage.moves).sum();
            Ok((tokens, moves as u32, report.stats.cpu_s))
        });
        solved.collect()
    };
    let mut done = 0;
    ordered_parallel_map(context.threads, 0..count, work, |solved| {
        let solved = solved?;
        done += 1;
        (context.progress)(&TaskProgress { done, of: count, search: None });
        for (run, (tokens, moves, cpu_s)) in runs.iter_mut().zip(solved) {
            *run.lengths.entry(tokens).or_default().entry(moves).or_default() += 1;
            run.solving_cpu_s += cpu_s;
        }
        Ok(())
    })?;
    let goal = goal_of(random)?;
    for (run, config) in runs.iter_mut().zip(&configs) {
        let trained = trained_sub_problems(&config.cache, &goal);
        run.sub_problems =
            trained.iter().map(|problem| describe_sub_problem(problem, false)).collect();
        run.solving_cpu_s = (run.solving_cpu_s - run.training_cpu_s()).max(0.0);
    }
    Ok(Sample { seed: random.seed, count, runs })
}
