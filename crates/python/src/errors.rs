//! The typed exceptions, which are declared in `python/hyperslide/_errors.py`.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::PyType;

/// An exception of the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A board cannot be built.
    Board,
    /// A puzzle cannot be built or read.
    Puzzle,
    /// An algorithm, a heuristic, a setting or another argument is wrong.
    Setting,
    /// An array has a wrong shape, type or content.
    Array,
    /// An action is not legal.
    Action,
    /// A table cannot be built, read or used.
    Table,
    /// A census or a count cannot be run.
    Census,
    /// An experiment cannot be run.
    Experiment,
    /// A bug.
    Internal,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Board => "BoardError",
            Kind::Puzzle => "PuzzleError",
            Kind::Setting => "SettingError",
            Kind::Array => "ArrayError",
            Kind::Action => "IllegalActionError",
            Kind::Table => "TableError",
            Kind::Census => "CensusError",
            Kind::Experiment => "ExperimentError",
            Kind::Internal => "InternalError",
        }
    }
}

/// The exception with this message, in one line whatever a text or a file had in it.
pub fn error(kind: Kind, message: impl Display) -> PyErr {
    let message = message.to_string().replace(char::is_control, " ");
    Python::attach(|py| {
        let class = py.import("hyperslide._errors").and_then(|errors| errors.getattr(kind.name()));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, message),
            Err(error) => error,
        }
    })
}

/// What a panic said.
pub fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

/// The exception of a panic. It is a bug, which callers can catch as any other exception.
pub fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let said = said(panic);
    error(Kind::Internal, format_args!("this is a bug in hyperslide, please report it: {said}"))
}
