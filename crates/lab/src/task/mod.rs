//! What is run and recorded as one piece: its key decides which record answers it.

mod census;
mod layers;
mod solve;
mod stages;
mod theorems;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperslide_search::{Progress, TableCache};
use serde::{Deserialize, Serialize};

pub use census::{CensusData, CensusTask, Origin};
pub use hyperslide_search::{Analysis, Iterated, StageShares, SubProblemRecord};
pub use layers::{LayersData, LayersTask};
pub use solve::{RunSummary, Runs, SolveTask};
pub use stages::{RegionRun, Sample, StagesTask, StagesWork};
pub use theorems::{Statement, TheoremsData, TheoremsTask};

/// One piece of work of an experiment. A record answers it when both are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Task {
    /// A solver on puzzles, one run each.
    Solve(SolveTask),
    /// The components and diameters of a puzzle graph.
    Census(CensusTask),
    /// The number of states at every distance from the usual goal of a grid.
    Layers(LayersTask),
    /// The stages of local value iteration.
    Stages(StagesTask),
    /// The statements of the cubical paper.
    Theorems(TheoremsTask),
}

/// What a task found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskData {
    /// A summary of every run.
    Runs(Vec<RunSummary>),
    /// Every run with its solution.
    Results(Vec<crate::result::SolveResult>),
    /// The report on a puzzle graph.
    Census(Box<CensusData>),
    /// A distribution of distances.
    Layers(LayersData),
    /// What each stage of local value iteration needs.
    Analysis(Analysis),
    /// Random puzzles solved by local value iteration.
    Sample(Sample),
    /// What became of every statement.
    Theorems(TheoremsData),
}

/// Why a task has no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoData {
    /// It was cancelled.
    Cancelled,
    /// A limit ended it, or something is missing; the reason in a sentence.
    Failed(String),
}

impl NoData {
    /// Something went wrong.
    fn failed(error: impl std::fmt::Display) -> NoData {
        NoData::Failed(error.to_string())
    }
}

/// How far a task is.
pub struct TaskProgress<'a> {
    /// The runs that have ended.
    pub done: u64,
    /// All its runs; 0 where that is not known.
    pub of: u64,
    /// The state of its only search, where it makes just one at a time.
    pub search: Option<&'a Progress>,
}

/// What a task may use, and whom it reports to.
pub struct TaskContext<'a> {
    /// Threads for its runs.
    pub threads: usize,
    /// Bytes that it may use in all.
    pub memory: u64,
    /// Whether whole graphs are searched only where that takes a moment.
    pub quick: bool,
    /// Tables that its searches share with those of other tasks.
    pub cache: Arc<TableCache>,
    /// Ends the task when it becomes true.
    pub cancel: &'a AtomicBool,
    /// Receives the progress, on the thread that runs the task or on those of its searches.
    pub progress: &'a (dyn Fn(&TaskProgress<'_>) + Sync),
    /// Keeps the runs of a task so far, as those of a task of these runs alone, so that nothing but
    /// the rest has to be run again; false where that is not possible. Without it, a task is kept
    /// as a whole.
    pub keep: Option<&'a (dyn Fn(Task, TaskData) -> bool + Sync)>,
}

impl Task {
    /// What it is, in a few words.
    pub fn title(&self) -> String {
        match self {
            Task::Solve(task) => task.title(),
            Task::Census(task) => task.title(),
            Task::Layers(task) => task.board.clone(),
            Task::Stages(task) => task.title(),
            Task::Theorems(task) => format!("theorems up to d = {}", task.max_d),
        }
    }

    /// Bytes that one of its runs may need; 0 where no limit says.
    pub fn bytes(&self) -> u64 {
        match self {
            Task::Solve(task) => task.limits.memory_bytes.unwrap_or(0),
            _ => 0,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// Why there is no data.
    pub fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        match self {
            Task::Solve(task) => task.run(context),
            Task::Census(task) => task.run(context),
            Task::Layers(task) => task.run(context),
            Task::Stages(task) => task.run(context),
            Task::Theorems(task) => task.run(context),
        }
    }

    /// Checks data that claims to be this task's: nothing is believed because it is written.
    ///
    /// # Errors
    ///
    /// What is wrong, in a sentence.
    pub fn check(&self, data: &TaskData) -> Result<(), String> {
        match (self, data) {
            (Task::Solve(task), TaskData::Runs(runs)) => task.check_runs(runs),
            (Task::Solve(task), TaskData::Results(results)) => task.check_results(results),
            (Task::Stages(_), TaskData::Sample(sample)) => sample.check(),
            (Task::Stages(_), TaskData::Analysis(_))
            | (Task::Census(_), TaskData::Census(_))
            | (Task::Layers(_), TaskData::Layers(_))
            | (Task::Theorems(_), TaskData::Theorems(_)) => Ok(()),
            _ => Err("its data are of another kind than its task".to_owned()),
        }
    }
}

impl TaskData {
    /// CPU seconds that it took, where that is recorded.
    pub fn cpu_s(&self) -> f64 {
        match self {
            TaskData::Runs(runs) => runs.iter().map(|run| run.cpu_s).sum(),
            TaskData::Results(results) => {
                results.iter().filter_map(|result| result.stats).map(|stats| stats.cpu_s).sum()
            }
            TaskData::Sample(sample) => {
                sample.runs.iter().map(|run| run.solving_cpu_s + run.training_cpu_s()).sum()
            }
            TaskData::Analysis(analysis) => {
                analysis.sub_problems.iter().map(|problem| problem.training_cpu_s).sum()
            }
            TaskData::Census(_) | TaskData::Layers(_) | TaskData::Theorems(_) => 0.0,
        }
    }
}
