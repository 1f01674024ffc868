//! What numberings, searches and tables promise, a module for each file. `cargo xtask test` runs
//! each as a process of its own.

mod agreement;
mod processes;
mod quotient;
mod tables;
