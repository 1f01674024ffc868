//! Solving a puzzle, with a heuristic of the caller's own or without.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyperslide_lab::{Machine, Registry, SolveResult, TableSource, Tables, tables_directory};
use hyperslide_puzzle::State;
use hyperslide_search::{
    Config, Control, Guide, GuidedError, Limits, Progress, SolveError, TableCache, solve as search,
    solve_guided,
};
use hyperslide_table::{TableStore, lock};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{read_floats, rows};
use crate::errors::{Kind, error};
use crate::numbers::argument;
use crate::puzzle::Puzzle;
use crate::run::{Callback, Caller, run};
use crate::table::Table;

/// The algorithms and heuristics with their settings, in JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    to_json(&Registry::all())
}

/// The JSON of something.
pub fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|problem| error(Kind::Internal, problem))
}

/// A number of seconds.
pub fn read_seconds(seconds: f64) -> PyResult<Duration> {
    hyperslide_lab::read_seconds(seconds)
        .map_err(|wrong| error(Kind::Setting, format_args!("limit_time is {seconds}: {wrong}")))
}

/// What tells the caller how far a search is. A report that the caller has no time to take gives
/// way to the next one, so that a slow call does not hold the answer up.
fn progress_poster(
    caller: &Caller<'_>,
    progress: Option<&Callback>,
) -> impl Fn(&Progress) + Sync + use<> {
    let (jobs, progress) = (caller.poster(), progress.cloned());
    let latest: Arc<Mutex<Option<Progress>>> = Arc::default();
    move |now: &Progress| {
        let Some(progress) = progress.clone() else { return };
        if lock(&latest).replace(*now).is_some() {
            return;
        }
        let latest = Arc::clone(&latest);
        jobs.post(move |py| {
            let Some(Progress { stats, lower_bound, length }) = lock(&latest).take() else {
                return Ok(());
            };
            let told = PyDict::new(py);
            told.set_item("expanded", stats.expanded)?;
            told.set_item("generated", stats.generated)?;
            told.set_item("wall_s", stats.wall_s)?;
            told.set_item("lower_bound", lower_bound)?;
            told.set_item("length", length)?;
            progress.call1(py, (told,)).map(|_| ())
        });
    }
}

/// Solves a puzzle and returns its result in JSON.
#[pyfunction]
#[pyo3(signature = (
    puzzle, algorithm, heuristic, settings, seed, limit_time, limit_memory, limit_nodes, table, threads,
    progress, estimate, batch, admissible,
))]
pub fn solve(
    py: Python<'_>,
    puzzle: &Puzzle,
    algorithm: &str,
    heuristic: Option<&str>,
    settings: Vec<(String, String)>,
    #[pyo3(from_py_with = argument::seed)] seed: u64,
    limit_time: Option<f64>,
    #[pyo3(from_py_with = argument::limit_memory)] limit_memory: Option<u64>,
    #[pyo3(from_py_with = argument::limit_nodes)] limit_nodes: Option<u64>,
    table: Option<&Table>,
    #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    estimate: Option<Py<PyAny>>,
    #[pyo3(from_py_with = argument::batch)] batch: usize,
    admissible: bool,
) -> PyResult<String> {
    let data = Arc::clone(&puzzle.data);
    let settings = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut config = Config::new(algorithm, heuristic, settings, seed)
        .map_err(|problem| error(Kind::Setting, problem))?;
    if batch == 0 {
        return Err(error(Kind::Setting, "batch is 0: write 1 or more"));
    }
    config.threads = threads.unwrap_or(config.threads);
    add_tables(&mut config, &data.puzzle, table)?;
    let limits = Limits {
        time: limit_time.map(read_seconds).transpose()?,
        memory: Some(Machine::memory_limit(limit_memory)),
        nodes: limit_nodes,
    };
    let vertices = data.cells.vertices;
    let (progress, estimate) = (progress.map(Arc::new), estimate.map(Arc::new));
    let report = run(py, |caller| {
        let on_progress = progress_poster(caller, progress.as_ref());
        let control = Control {
            limits,
            cancel: Some(caller.cancel()),
            progress: Some(&on_progress),
            ..Control::default()
        };
        let Some(estimate) = &estimate else {
            return search(&data.puzzle, &config, &control).map_err(|problem| {
                let is_table = problem == SolveError::WrongTable;
                (if is_table { Kind::Table } else { Kind::Setting }, problem.to_string())
            });
        };
        let mut ask = |states: &[State]| ask_estimates(caller, estimate, states, vertices);
        let guide = Guide { estimate: &mut ask, batch, admissible };
        solve_guided(&data.puzzle, &config, guide, &control)
            .map_err(|problem: GuidedError<()>| (Kind::Setting, problem.to_string()))
    })?
    .map_err(|(kind, problem)| error(kind, problem))?;
    to_json(&SolveResult::new(&data.puzzle, &report))
}

/// Gives a search the table to look its puzzle up in, and the directory of other tables.
fn add_tables(
    config: &mut Config,
    puzzle: &hyperslide_puzzle::Puzzle,
    table: Option<&Table>,
) -> PyResult<()> {
    let directory = tables_directory();
    config.cache = Arc::new(TableCache::new(TableStore::new(directory.clone(), |_| ())));
    config.table = match table {
        Some(table) => {
            let table = table.shared()?;
            if !table.answers(puzzle) {
                return Err(error(
                    Kind::Table,
                    "the table is that of another puzzle: build one for this puzzle",
                ));
            }
            Some(table)
        }
        None if config.algorithm.looks_up_tables => directory.and_then(|directory| {
            Tables::new(TableSource::Directory(directory), |_| ()).find(puzzle)
        }),
        None => None,
    };
    Ok(())
}

/// Asks the caller's heuristic for its estimates of states: `Err` when it raised an exception.
fn ask_estimates(
    caller: &Caller<'_>,
    estimate: &Callback,
    states: &[State],
    vertices: usize,
) -> Result<Vec<f64>, ()> {
    let count = states.len();
    let mut cells = Vec::with_capacity(count * vertices);
    for state in states {
        cells.extend_from_slice(&state.cells()[..vertices]);
    }
    let estimate = Arc::clone(estimate);
    let asked = caller.ask(move |py| {
        let answer = estimate.call1(py, (rows(py, cells, count, vertices)?,))?;
        read_floats(answer.bind(py), "what the heuristic returns", count)
    });
    asked.ok_or(())
}
