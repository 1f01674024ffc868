//! What censuses promise, a module for each file. `cargo xtask test` runs each as a process of its
//! own.

mod few_starts;
mod labelled;
mod side_by_side;
mod surveys;
