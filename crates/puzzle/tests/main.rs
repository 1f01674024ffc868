//! What boards, rules and notations promise, a module for each file. `cargo xtask test` runs each
//! as a process of its own.

mod notations;
mod perft;
mod rules;
mod solvability;
