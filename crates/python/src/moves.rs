//! Moves and actions as callers write them.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// The token of a move, where it is a triple, and its two vertices.
pub fn read_move<'py>(
    number: usize,
    written: &Bound<'py, PyAny>,
) -> PyResult<(Option<String>, [Bound<'py, PyAny>; 2])> {
    let parts: Vec<Bound<'py, PyAny>> = written.extract().unwrap_or_default();
    let is_whole = |end: &Bound<'py, PyAny>| {
        let problem = end.extract::<i64>().err();
        problem.is_none_or(|problem| problem.is_instance_of::<PyOverflowError>(end.py()))
    };
    let read = match &parts[..] {
        [from, to] => Some((None, [from.clone(), to.clone()])),
        [token, from, to] => {
            let token: Option<String> = token.extract().ok();
            token.map(|token| (Some(token), [from.clone(), to.clone()]))
        }
        _ => None,
    };
    read.filter(|(_, ends)| ends.iter().all(is_whole)).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "move {number} is {written}: write a pair of vertices, as in (5, 8) for the token that \
             slides from 5 to 8, or a Move"
        ))
    })
}

/// Refuses numbers that are not those of actions.
pub fn check_actions(actions: &[i64], all: usize) -> PyResult<()> {
    // Numbers whose bits together are less than the bound all are.
    if (actions.iter().fold(0, |bits, &action| bits | action) as u64) < all as u64 {
        return Ok(());
    }
    let wrong =
        actions.iter().position(|&action| usize::try_from(action).map_or(true, |a| a >= all));
    match wrong {
        None => Ok(()),
        Some(number) => Err(error(
            Kind::Action,
            format_args!(
                "action {number} is {}: the actions of this puzzle are 0 to {}",
                actions[number],
                all - 1
            ),
        )),
    }
}
