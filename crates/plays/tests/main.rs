//! Databases of plays and tables of them, a module for each file. `cargo xtask test` runs each as a
//! process of its own.

mod addresses;
mod contract;
mod exchange;
mod fixtures;
mod migrations;
mod postgres;
mod support;
