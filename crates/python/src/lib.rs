//! The compiled part of the Python package `hyperslide`, its module `hyperslide._core`.
//!
//! It is a face like the command line and the server: it converts arguments and results, and
//! everything that it computes is computed by the crates below it. Dataclasses, environments,
//! graphs and documentation are in Python, in the folder `python`.
//!
//! Every entry point keeps three promises. No array of a caller is read after the interpreter
//! was released, since another thread may write to it: input is copied, and output is handed over
//! without a copy. Searches and the building of tables run on a thread of their own while the
//! caller's thread handles signals (`run::run`). A panic would be a bug here, and reaches Python as
//! an `InternalError`.

// Functions of Python take keyword arguments, by value, and return tuples.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::type_complexity)]

mod arrays;
mod batches;
mod board;
mod census;
mod draw;
mod environment;
mod errors;
mod experiments;
mod kernel;
mod moves;
mod numbers;
mod puzzle;
mod puzzle_data;
mod reading;
mod run;
mod solve;
mod table;
mod vector;

use pyo3::prelude::*;

/// The compiled part of hyperslide.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::census::{census, classify, labelled_census, layers};
    #[pymodule_export]
    use super::environment::Environment;
    #[pymodule_export]
    use super::experiments::{experiment, experiment_names, instance_names, random_puzzles};
    #[pymodule_export]
    use super::puzzle::Puzzle;
    #[pymodule_export]
    use super::solve::{registry, solve};
    #[pymodule_export]
    use super::table::{Table, read_dataset, write_dataset};
    #[pymodule_export]
    use super::vector::VectorEnvironment;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        arrays::load_interface(module.py())?;
        run::silence_guarded();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
