//! Whole puzzle graphs: censuses, layers, and how freely tokens move.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hyperslide_census::{
    CensusEvent, CensusJob, CensusOptions, LabelledError, LabelledSurvey, token_counts,
};
use hyperslide_lab::report::layers_svg;
use hyperslide_lab::{ClassifiedPuzzle, Machine};
use hyperslide_table::{Distance, LayerCountOptions, Signals, Watch, count_layers};
use pyo3::prelude::*;
use serde_json::json;

use crate::board::Board;
use crate::errors::{Kind, error};
use crate::numbers::argument;
use crate::puzzle::Puzzle;
use crate::reading::read_puzzle;
use crate::run::run;
use crate::solve::{read_seconds, to_json};

/// The census of a board, in JSON.
#[pyfunction]
#[pyo3(signature = (board, empty, limit_time, limit_memory, progress))]
pub fn census(
    py: Python<'_>,
    board: &Board,
    #[pyo3(from_py_with = argument::empty)] empty: usize,
    limit_time: Option<f64>,
    #[pyo3(from_py_with = argument::limit_memory)] limit_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = CensusOptions {
        memory: Machine::memory_limit(limit_memory),
        time: limit_time.map(read_seconds).transpose()?,
        ..CensusOptions::default()
    };
    let failed = |problem: &dyn std::fmt::Display| error(Kind::Census, problem);
    let job =
        CensusJob::new(board.board.clone(), empty, options).map_err(|problem| failed(&problem))?;
    let progress = progress.map(Arc::new);
    let census = run(py, |caller| {
        job.run(caller.cancel(), &mut |event| {
            if let (CensusEvent::Searching(now), Some(progress)) = (event, progress.clone()) {
                let told = now.starts;
                caller.post(move |py| progress.call1(py, told).map(|_| ()));
            }
            ControlFlow::Continue(())
        })
    })?
    .map_err(|problem| failed(&problem))?;
    to_json(&json!({
        "report": census.report,
        "wall_s": census.wall_s,
        "is_finished": census.is_finished,
    }))
}

/// The census of a board with tokens of which several may share a label, in JSON.
#[pyfunction]
#[pyo3(signature = (board, tokens, empty, limit_time, limit_memory, progress))]
pub fn labelled_census(
    py: Python<'_>,
    board: &Board,
    tokens: &str,
    #[pyo3(from_py_with = argument::empty)] empty: Option<usize>,
    limit_time: Option<f64>,
    #[pyo3(from_py_with = argument::limit_memory)] limit_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let failed = |problem: &dyn std::fmt::Display| error(Kind::Census, problem);
    let labels = token_counts(tokens)
        .map_err(|wrong| error(Kind::Setting, format_args!("tokens: {wrong}")))?;
    let (count, vertices) = (labels.iter().sum::<usize>(), board.board.vertex_count());
    if let Some(empty) = empty
        && empty.checked_add(count) != Some(vertices)
    {
        return Err(error(
            Kind::Setting,
            format_args!(
                "empty={empty} does not agree with {count} tokens on {vertices} vertices: leave it out"
            ),
        ));
    }
    let memory = Machine::memory_limit(limit_memory);
    let limit = limit_time.map(read_seconds).transpose()?;
    let progress = progress.map(Arc::new);
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let report = run(py, |caller| {
        let watch = Watch::for_preparation(caller.cancel(), deadline);
        let survey = LabelledSurvey::new(&board.board, &labels, memory, watch)?;
        let all = survey.orbits();
        let watch = Watch::new(Some(caller.cancel()), deadline);
        let on_progress = &mut |done| {
            if let Some(progress) = progress.clone() {
                caller.post(move |py| progress.call1(py, (done, all)).map(|_| ()));
            }
            if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // Some searches are always made, so that there are bounds.
        let least = Watch::for_preparation(caller.cancel(), deadline);
        let starts = least.during(|stop| survey.run(memory, &Signals::new(stop), on_progress))?;
        Ok::<_, LabelledError>(survey.report(&starts))
    })?
    .map_err(|problem| failed(&problem))?;
    to_json(&report)
}

/// The number of states at each distance, in JSON.
#[pyfunction]
#[pyo3(signature = (puzzle, to_goal, farthest, limit_time, limit_memory, progress))]
pub fn layers(
    py: Python<'_>,
    puzzle: &Puzzle,
    to_goal: bool,
    #[pyo3(from_py_with = argument::farthest)] farthest: usize,
    limit_time: Option<f64>,
    #[pyo3(from_py_with = argument::limit_memory)] limit_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let puzzle = &puzzle.data.puzzle;
    let options = LayerCountOptions {
        distance: if to_goal { Distance::ToGoal } else { Distance::FromStart },
        memory: Machine::memory_limit(limit_memory),
        time: limit_time.map(read_seconds).transpose()?,
        farthest,
        checkpoint: None,
    };
    let progress = progress.map(Arc::new);
    let count = run(py, |caller| {
        count_layers(puzzle, &options, &Signals::new(caller.cancel()), &mut |layers, _| {
            if let Some(progress) = progress.clone() {
                let told = (layers.depth(), layers.total());
                caller.post(move |py| progress.call1(py, told).map(|_| ()));
            }
            ControlFlow::Continue(())
        })
    })?
    .map_err(|problem| error(Kind::Census, problem))?;
    let layers = &count.layers;
    let farthest = count
        .farthest
        .map(|states| states.iter().map(|state| puzzle.write_state(state)).collect::<Vec<_>>());
    to_json(&json!({
        "puzzle": puzzle.to_string(),
        "board": puzzle.board().to_string(),
        "states": layers.states,
        "complete": layers.complete,
        "farthest": farthest,
        "svg": layers_svg(&puzzle.board().to_string(), &layers.states),
    }))
}

/// How freely the tokens of a puzzle's start move, in JSON, with the group of its closed walks
/// where it is asked for. A text needs no goal.
#[pyfunction]
pub fn classify(
    py: Python<'_>,
    puzzle: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = argument::limit)] limit: usize,
    group: bool,
) -> PyResult<String> {
    let puzzle = match puzzle.cast::<Puzzle>() {
        Ok(puzzle) => puzzle.get().data.puzzle.clone(),
        Err(_) => read_puzzle(&puzzle.extract::<String>()?, None, None, None, true)?,
    };
    let classified = run(py, |caller| {
        let stop = || caller.cancel().load(Ordering::Relaxed);
        ClassifiedPuzzle::new(puzzle, limit, &stop)
    })?;
    let mut answer = if group { classified.json_with_group() } else { classified.json() };
    if let Some(component) = answer["component"].as_object_mut() {
        // Where labels repeat, it is only known where it can be counted.
        let told_apart = classified.puzzle.has_distinct_labels();
        let states = if told_apart { &component["size"] } else { &component["alike"]["size"] };
        component.insert("states".to_owned(), states.clone());
    }
    if let (true, Some(walks), Some(text)) = (group, &classified.group, classified.gap()) {
        let images = walks.group.generators().iter().map(|generator| {
            (0..generator.degree()).map(|token| generator.image(token)).collect::<Vec<_>>()
        });
        answer["group"]["permutations"] = json!(images.collect::<Vec<_>>());
        answer["group"]["gap"] = json!(text);
    }
    to_json(&answer)
}
