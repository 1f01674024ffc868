//! What searches promise, a module for each file. `cargo xtask test` runs each as a process of its
//! own.

mod agreement;
mod anytime_tables;
mod beams;
mod common;
mod counts;
mod free_labels;
mod given_tables;
mod guarantees;
mod guided;
mod heuristics;
mod incremental_values;
mod local_value_iteration;
mod observer;
mod patterns;
mod settings;
mod staged;
mod state_graph;
mod table_limits;
mod weight_learning;
