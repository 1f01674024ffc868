//! Records of version 1, when `compare` and each kind of experiment had a format of their own.
//!
//! They are read as they are; `cargo run --example migrate_records FILE...` in this crate writes
//! files of them in the present format.

use hyperslide_puzzle::Metric;
use hyperslide_search::all_settings;
use serde::Deserialize;
use serde::de::Error;
use serde_json::{Map, Value};

use super::TaskRecord;
use super::provenance::Provenance;
use crate::experiment::{NamedPuzzle, Puzzles, RandomSet, RunLimits, Solver};
use crate::result::SolveResult;
use crate::task::{
    Analysis, RunSummary, Sample, SolveTask, StagesTask, StagesWork, Task, TaskData,
};

/// One run with its solution, of `compare` or of an experiment.
#[derive(Deserialize)]
struct SingleRun {
    experiment: String,
    instance: String,
    rule: Option<usize>,
    algorithm: String,
    heuristic: Option<String>,
    seed: u64,
    limits: RunLimits,
    puzzle: String,
    result: SolveResult,
    #[serde(flatten)]
    provenance: Provenance,
    /// All other fields. Those that are settings belong to the solver.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// Runs of one solver, with their summaries: on a named puzzle, on random puzzles of a board, or on
/// pairs of states of `puz[d,k,l]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SummarisedRuns {
    experiment: String,
    instance: Option<String>,
    rule: Option<usize>,
    board: Option<String>,
    puz: Option<[usize; 3]>,
    solver: String,
    limits: RunLimits,
    seed: u64,
    #[serde(default)]
    first: u64,
    runs: Vec<RunSummary>,
    provenance: Provenance,
}

/// Local value iteration on one board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stages {
    experiment: String,
    board: String,
    tokens: Option<usize>,
    goal: Option<String>,
    analysis: Option<Analysis>,
    sample: Option<Sample>,
    provenance: Provenance,
}

/// Reads a record of version 1.
pub(super) fn read(value: Value) -> Result<TaskRecord, serde_json::Error> {
    if value.get("result").is_some() {
        serde_json::from_value(value).map(of_single_run)
    } else if value.get("runs").is_some() {
        of_runs(serde_json::from_value(value)?).map_err(Error::custom)
    } else if value.get("analysis").is_some() || value.get("sample").is_some() {
        of_stages(serde_json::from_value(value)?).map_err(Error::custom)
    } else {
        Err(Error::custom("it has no task"))
    }
}

fn of_single_run(record: SingleRun) -> TaskRecord {
    let SingleRun { instance, rule, algorithm, heuristic, seed, limits, .. } = record;
    let known = all_settings();
    let setting = |(name, value): (String, Value)| match value {
        Value::String(value) if known.iter().any(|setting| setting.name == name) => {
            Some((name, value))
        }
        _ => None,
    };
    let settings = record.others.into_iter().filter_map(setting).collect();
    let solver = Solver { algorithm, heuristic, settings };
    let named = NamedPuzzle { instance, rule, line: record.puzzle };
    TaskRecord {
        experiment: record.experiment,
        task: Task::Solve(SolveTask::single(named, &solver, limits, seed)),
        data: TaskData::Results(vec![record.result]),
        provenance: record.provenance,
    }
}

fn of_runs(record: SummarisedRuns) -> Result<TaskRecord, String> {
    let SummarisedRuns { instance, rule, board, puz, solver, limits, seed, first, .. } = record;
    let random = |board: String, tokens: Option<usize>| {
        let (goal, walk, labels, metric) = (None, None, None, Metric::Face);
        Puzzles::Random(RandomSet { board, tokens, goal, walk, labels, metric, seed })
    };
    let puzzles = match (instance, board, puz) {
        (Some(instance), None, None) => {
            Puzzles::Named(NamedPuzzle::new(&instance, rule, Metric::Face)?)
        }
        // The seeds of these runs were all 0; their solvers draw no random numbers.
        (None, Some(board), None) => random(board, None),
        (None, None, Some([d, k, l])) => {
            let vertices = 1usize.checked_shl(d as u32).unwrap_or(0);
            let tokens = vertices.checked_sub(l).ok_or("there is no such puzzle graph")?;
            random(format!("cube:{d}:{k}"), Some(tokens))
        }
        _ => return Err("it names no puzzles: one of instance, board and puz".to_owned()),
    };
    let runs = record.runs.len() as u64;
    let solutions = false;
    let task = Task::Solve(SolveTask { puzzles, solver, limits, seed, first, runs, solutions });
    let (experiment, provenance) = (record.experiment, record.provenance);
    Ok(TaskRecord { experiment, task, data: TaskData::Runs(record.runs), provenance })
}

fn of_stages(record: Stages) -> Result<TaskRecord, String> {
    let Stages { experiment, board, tokens, goal, analysis, sample, provenance } = record;
    let (seed, work, data) = match (analysis, sample) {
        (Some(analysis), None) => {
            // Theorems have no seed.
            let work = StagesWork::Analyse { count_all: analysis.counted.is_some() };
            (0, work, TaskData::Analysis(analysis))
        }
        (None, Some(sample)) => {
            let regions = sample.runs.iter().map(|run| run.region).collect();
            let work = StagesWork::Solve { count: sample.count, regions };
            (sample.seed, work, TaskData::Sample(sample))
        }
        _ => return Err("it has neither an analysis nor a sample".to_owned()),
    };
    let metric = Metric::Face;
    let puzzles = RandomSet { board, tokens, goal, walk: None, labels: None, metric, seed };
    let task = Task::Stages(StagesTask { puzzles, work });
    Ok(TaskRecord { experiment, task, data, provenance })
}
