//! One file for each command.

pub mod algorithms;
pub mod boards;
pub mod census;
pub mod classify;
pub mod compare;
pub mod completions;
pub mod dataset;
pub mod experiment;
pub mod export;
pub mod graph;
pub mod instances;
pub mod layers;
pub mod paths;
pub mod perft;
#[cfg(feature = "server")]
pub mod plays;
pub mod random;
pub mod replay;
pub mod report;
#[cfg(feature = "server")]
pub mod serve;
#[cfg(feature = "server")]
pub mod site;
pub mod solve;
pub mod table;
pub mod theorems;
