//! The Python package.
use pyo3::prelude::*;

/// The compiled part.
#[pymodule(gil_used = false)]
mod _core {}
