//! The command line as its users meet it, a module for each file. `cargo xtask test` runs each as a
//! process of its own. The documents are a program of their own, which changes its directory.

mod common;

mod bad_input;
mod comparing;
mod datasets;
mod exporting;
mod graph_files;
mod graphs;
#[cfg(feature = "server")]
mod help;
mod mathematicians;
#[cfg(feature = "server")]
mod plays;
mod process_limits;
mod processes;
mod programs;
mod proofs;
mod report;
#[cfg(feature = "server")]
mod serving;
mod streams;
mod terminal;
