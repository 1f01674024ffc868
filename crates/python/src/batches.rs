//! Batches of states: in parts, between which Ctrl-C ends the work, and looked up in tables.

use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_lab::ExactDistances;
use hyperslide_puzzle::State;
use hyperslide_table::DistanceTable;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::rows;
use crate::numbers::check_room;
use crate::puzzle_data::PuzzleData;
use crate::run::stoppable;

/// Rows that are worked on between two looks at the flag of Ctrl-C.
pub const PART: usize = 1 << 12;

/// The rows of an array in parts, until the flag becomes true.
pub fn parts<'a, T>(
    rows: &'a [T],
    columns: usize,
    cancel: &'a AtomicBool,
) -> impl Iterator<Item = &'a [T]> {
    rows.chunks(PART * columns).take_while(|_| !cancel.load(Ordering::Relaxed))
}

/// The cells of states, one after the other.
pub fn cells_of(states: &[State], vertices: usize, cancel: &AtomicBool) -> Vec<u8> {
    let mut cells = Vec::with_capacity(states.len() * vertices);
    for state in parts(states, 1, cancel).flatten() {
        cells.extend_from_slice(&state.cells()[..vertices]);
    }
    cells
}

/// The distances of checked states from a table.
pub fn cost_to_go<'py>(
    py: Python<'py>,
    data: &PuzzleData,
    table: &DistanceTable,
    states: &[u8],
) -> PyResult<Bound<'py, PyArray1<i16>>> {
    let (vertices, count) = (data.cells.vertices, states.len() / data.cells.vertices);
    let distances = stoppable(py, count as u64, |cancel| {
        let mut distances = vec![-1; count];
        if let Some(exact) = ExactDistances::new(table) {
            let parts = parts(states, vertices, cancel).zip(distances.chunks_mut(PART));
            parts.for_each(|(states, distances)| exact.distances(states, distances));
        }
        distances
    })?;
    Ok(PyArray1::from_vec(py, distances))
}

/// The best actions of checked states from a table.
pub fn optimal_actions<'py>(
    py: Python<'py>,
    data: &PuzzleData,
    table: &DistanceTable,
    states: &[u8],
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let actions = data.kernel.actions();
    let (count, all) = (states.len() / data.cells.vertices, actions.count());
    check_room(count, all)?;
    let mask = stoppable(py, count as u64, |cancel| {
        let mut mask = vec![false; count * all];
        if let Some(exact) = ExactDistances::new(table) {
            let parts = parts(states, data.cells.vertices, cancel).zip(mask.chunks_mut(PART * all));
            parts.for_each(|(states, mask)| exact.optimal_actions(actions, states, mask));
        }
        mask
    })?;
    rows(py, mask, count, all)
}
