//! Which algorithm solves a puzzle, and how it is set.

use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{DistanceTable, available_threads};

use crate::algorithm::{Algorithm, Task};
use crate::algorithms::ALGORITHMS;
use crate::control::Meter;
use crate::heuristics::{HeuristicChoice, Resources};
use crate::settings::Settings;
use crate::table_cache::TableCache;

/// Which algorithm, and how it is set.
#[derive(Clone)]
pub struct Config {
    /// The algorithm, one of [`ALGORITHMS`].
    pub algorithm: &'static Algorithm,
    /// The heuristic of those that use one.
    pub heuristic: HeuristicChoice,
    /// What else it can be told.
    pub settings: Settings,
    /// The seed of those that draw random numbers.
    pub seed: u64,
    /// A table that may answer the puzzle; one that does not is passed over.
    pub table: Option<Arc<DistanceTable>>,
    /// Where tables of heuristics come from; the same for all puzzles of a batch.
    pub cache: Arc<TableCache>,
    /// How many threads build tables and search where an algorithm can use several.
    pub threads: usize,
}

impl Config {
    /// What the algorithm is given.
    pub(crate) fn task<'a>(&'a self, puzzle: &'a Puzzle, meter: &Meter<'a>) -> Task<'a> {
        let resources = Resources {
            cache: Arc::clone(&self.cache),
            memory: meter.memory_limit(),
            threads: self.threads,
            cancel: meter.cancel(),
            deadline: meter.deadline(),
        };
        let (heuristic, table) = (&self.heuristic, self.table.as_deref());
        Task { puzzle, heuristic, table, resources, settings: &self.settings, seed: self.seed }
    }

    /// The defaults of an algorithm by its name.
    pub fn named(algorithm: &str) -> Option<Config> {
        let algorithm = ALGORITHMS.iter().find(|known| known.name == algorithm)?;
        Some(Config { algorithm, ..Config::default() })
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            algorithm: &ALGORITHMS[0],
            heuristic: HeuristicChoice::default(),
            settings: Settings::default(),
            seed: 0,
            table: None,
            cache: Arc::default(),
            threads: available_threads(),
        }
    }
}
