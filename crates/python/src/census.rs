//! Whole puzzle graphs: censuses, layers, and how freely tokens move.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_census::{CensusEvent, CensusJob, CensusOptions};
use hyperslide_lab::Machine;
use hyperslide_lab::report::layers_svg;
use hyperslide_puzzle::{Vertex, VertexSet, classify as classify_plain};
use hyperslide_table::{Distance, LayerCountOptions, Signals, count_layers};
use pyo3::prelude::*;
use serde_json::json;

use crate::board::Board;
use crate::errors::{Kind, error};
use crate::puzzle::Puzzle;
use crate::run::{detached, run};
use crate::solve::{read_seconds, to_json};

/// The census of a board, in JSON.
#[pyfunction]
#[pyo3(signature = (board, empty, limit_time, limit_memory, progress))]
pub fn census(
    py: Python<'_>,
    board: &Board,
    empty: usize,
    limit_time: Option<f64>,
    limit_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = CensusOptions {
        memory: limit_memory.unwrap_or_else(Machine::memory_to_use),
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
                caller.tell(move |py| progress.call1(py, told).map(|_| ()));
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

/// The number of states at each distance, in JSON.
#[pyfunction]
#[pyo3(signature = (puzzle, to_goal, farthest, limit_time, limit_memory, progress))]
pub fn layers(
    py: Python<'_>,
    puzzle: &Puzzle,
    to_goal: bool,
    farthest: usize,
    limit_time: Option<f64>,
    limit_memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let puzzle = &puzzle.data.puzzle;
    let options = LayerCountOptions {
        distance: if to_goal { Distance::ToGoal } else { Distance::FromStart },
        memory: limit_memory.unwrap_or_else(Machine::memory_to_use),
        time: limit_time.map(read_seconds).transpose()?,
        farthest,
        checkpoint: None,
    };
    let progress = progress.map(Arc::new);
    let count = run(py, |caller| {
        count_layers(puzzle, &options, &Signals::new(caller.cancel()), &mut |layers, _| {
            if let Some(progress) = progress.clone() {
                let told = (layers.depth(), layers.total());
                caller.tell(move |py| progress.call1(py, told).map(|_| ()));
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

/// How freely the tokens of a puzzle's start move, in JSON.
#[pyfunction]
pub fn classify(py: Python<'_>, puzzle: &Puzzle, limit: usize) -> PyResult<String> {
    let puzzle = &puzzle.data.puzzle;
    let found = detached(py, || classify_plain(puzzle.board(), puzzle.start().occupied(), limit))?;
    let vertices = |set: VertexSet| set.into_iter().map(Vertex::index).collect::<Vec<_>>();
    to_json(&json!({
        "regime": found.regime.map(|regime| regime.to_string()),
        "stuck": vertices(found.stuck),
        "undecided": vertices(found.undecided),
        "component": found.component.as_ref().map(|component| json!({
            "occupied_sets": component.occupied_sets,
            "arrangements": component.arrangements.to_string(),
            "size": component.size.to_string(),
            "count": component.count.to_string(),
            "even_permutations_only": component.even_only,
        })),
    }))
}
