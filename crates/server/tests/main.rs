//! The server as clients see it, a module for each file. `cargo xtask test` runs each as a process
//! of its own.

mod api;
mod bundle;
mod plays;
mod security;
mod support;
mod vectors;
