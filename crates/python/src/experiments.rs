//! Instances, random puzzles and experiments.

use std::path::PathBuf;
use std::sync::Arc;

use hyperslide_lab::{
    Machine, RandomPuzzles, RecordFile, RunEvent, RunOptions, experiments, instances,
    named_experiment, report, run_experiment,
};
use hyperslide_search::TableCache;
use hyperslide_table::available_threads;
use pyo3::prelude::*;
use serde_json::json;

use crate::board::Board;
use crate::draw::read_walk;
use crate::errors::{Kind, error};
use crate::numbers::{argument, check_room};
use crate::puzzle::Puzzle;
use crate::puzzle_data::PuzzleData;
use crate::run::run;
use crate::solve::to_json;

/// The names of all instances, with their boards, sources and known lengths under their usual rule,
/// in JSON.
#[pyfunction]
pub fn instance_names() -> PyResult<String> {
    let all: Vec<serde_json::Value> = instances()
        .map(|instance| {
            let known = instance.known_length(None).and_then(|known| known.moves());
            json!({
                "name": instance.name,
                "source": instance.source,
                "board": instance.board(),
                "length": known,
            })
        })
        .collect();
    to_json(&all)
}

/// About the bytes of a puzzle that is ready for batches of its states.
const PUZZLE_BYTES: usize = 4096;

/// Draws random puzzles on a board.
#[pyfunction]
pub fn random_puzzles(
    py: Python<'_>,
    board: &Board,
    #[pyo3(from_py_with = argument::count)] count: usize,
    #[pyo3(from_py_with = argument::tokens)] tokens: Option<usize>,
    labels: Option<&str>,
    goal: Option<&str>,
    walk: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::distance)] distance: Option<u32>,
    #[pyo3(from_py_with = argument::seed)] seed: u64,
) -> PyResult<Vec<Puzzle>> {
    let law = match (walk.map(read_walk).transpose()?, distance) {
        (None, None) => hyperslide_lab::Law::Uniform,
        (Some((least, most)), None) => hyperslide_lab::Law::Walk { least, most },
        (None, Some(distance)) => hyperslide_lab::Law::Distance(distance),
        (Some(_), Some(_)) => {
            return Err(error(Kind::Setting, "write either walk or distance, not both"));
        }
    };
    if check_room(count, PUZZLE_BYTES).is_err() {
        return Err(error(
            Kind::Setting,
            format_args!("count is {count}, which do not fit in memory: write fewer"),
        ));
    }
    let goal: Option<hyperslide_puzzle::Arrangement> =
        goal.map(str::parse).transpose().map_err(|problem| error(Kind::Puzzle, problem))?;
    let of_goal = goal.as_ref().map(hyperslide_puzzle::Arrangement::token_count);
    let labels = labels.map(hyperslide_census::token_labels).transpose();
    let labels = labels.map_err(|problem| error(Kind::Setting, problem))?;
    let tokens = tokens.or(labels.as_ref().map(Vec::len)).or(of_goal);
    let random = RandomPuzzles {
        tokens: tokens.unwrap_or(board.board.vertex_count() - 1),
        labels: labels.map(|labels| labels.into_iter().map(str::to_owned).collect()),
        board: board.board.clone(),
        goal,
        law,
        seed,
        time: None,
    };
    let drawn = run(py, |caller| {
        let puzzles = random.each_until(count, |_| (), caller.cancel())?;
        puzzles.map(|drawn| drawn.map(PuzzleData::new)).collect::<Result<Vec<_>, _>>()
    })?;
    let drawn = drawn.map_err(|problem| error(Kind::Puzzle, problem))?;
    Ok(drawn.into_iter().map(|data| Puzzle { data: Arc::new(data) }).collect())
}

/// The names, titles and papers of all experiments, in JSON.
#[pyfunction]
pub fn experiment_names() -> PyResult<String> {
    let all: Vec<serde_json::Value> = experiments()
        .iter()
        .map(|experiment| {
            json!({
                "name": experiment.name(),
                "title": experiment.title(),
                "table": experiment.table(),
                "cpu_s": experiment.cpu_s(),
            })
        })
        .collect();
    to_json(&all)
}

/// Runs an experiment and returns its comparison as JSON and as text. Tasks of which the file has
/// records are not run, and a record of each other task is added to it.
#[pyfunction]
pub fn experiment(
    py: Python<'_>,
    name: &str,
    quick: bool,
    records: Option<PathBuf>,
    #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let failed = |problem: &dyn std::fmt::Display| error(Kind::Experiment, problem);
    let experiment = &named_experiment(name, "").map_err(|problem| failed(&problem))?;
    let shortened;
    let experiment = if quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let progress = progress.map(Arc::new);
    let command = match quick {
        true => format!("hyperslide.experiment({name:?}, quick=True)"),
        false => format!("hyperslide.experiment({name:?})"),
    };
    let records = run(py, |caller| {
        let mut file = records.as_deref().map(RecordFile::open).transpose()?;
        let jobs = caller.poster();
        let report = |event: &RunEvent<'_>| {
            if let (RunEvent::Begin { work, task }, Some(progress)) = (event, progress.clone()) {
                let told = (work.done, work.total, task.title());
                jobs.post(move |py| progress.call1(py, told).map(|_| ()));
            }
        };
        let options = RunOptions {
            threads: threads.unwrap_or_else(available_threads),
            memory: Machine::memory_to_use(),
            cache: Arc::new(TableCache::default()),
            cancel: caller.cancel(),
            command,
            report: &report,
        };
        run_experiment(experiment, file.as_mut(), &options)
    })?
    .map_err(|problem| failed(&problem))?;
    let comparison = experiment.compare(&records);
    Ok((report::json(&comparison), report::text(&comparison, None)))
}
