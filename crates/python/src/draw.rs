//! How random states are drawn.

use std::sync::atomic::AtomicBool;

use hyperslide_lab::StateSampler;
use hyperslide_puzzle::State;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// How long the walks are when nobody says it.
pub const DEFAULT_WALK: u32 = 100;

/// How states are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Every solvable state is equally likely.
    Uniform,
    /// A random walk of the given number of slides from the goal.
    Walk(u32, u32),
    /// Every state at this distance is equally likely.
    Distance(u32),
}

impl Draw {
    /// Draws a state, unless that takes a table.
    pub fn draw(
        self,
        sampler: &mut StateSampler,
        cancel: &AtomicBool,
    ) -> Result<State, hyperslide_lab::RandomError> {
        match self {
            Draw::Walk(least, most) => sampler.walk(least, most, cancel),
            Draw::Uniform | Draw::Distance(_) => sampler.uniform(),
        }
    }
}

/// Reads the length of walks: a number, or a pair of bounds.
pub fn read_walk(walk: &Bound<'_, PyAny>) -> PyResult<(u32, u32)> {
    let bounds = match walk.extract::<u32>() {
        Ok(length) => (length, length),
        Err(no_number) => walk.extract().map_err(|no_pair: PyErr| {
            let message = format!("walk is {walk}: write a number of moves, or a pair of bounds");
            let is_type = |wrong: &PyErr| wrong.is_instance_of::<PyTypeError>(walk.py());
            match is_type(&no_number) && is_type(&no_pair) {
                true => PyTypeError::new_err(message),
                false => {
                    error(Kind::Setting, format_args!("{message}, each from 0 to {}", u32::MAX))
                }
            }
        })?,
    };
    if bounds.0 > bounds.1 {
        return Err(error(
            Kind::Setting,
            format_args!("walk is {walk}: write the lesser bound first"),
        ));
    }
    Ok(bounds)
}
