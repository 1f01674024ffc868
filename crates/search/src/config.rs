//! Which algorithm solves a puzzle, and how it is set.

use std::sync::Arc;

use hyperslide_puzzle::{Puzzle, shorten};
use hyperslide_table::{DistanceTable, available_threads};
use thiserror::Error;

use crate::algorithm::{Algorithm, Task};
use crate::algorithms::ALGORITHMS;
use crate::control::Meter;
use crate::heuristics::{HeuristicChoice, HeuristicChoiceError, Resources};
use crate::settings::{Setting, SettingError, Settings};
use crate::table_cache::TableCache;

/// Which algorithm, and how it is set.
#[derive(Clone)]
pub struct Config {
    /// The algorithm, one of [`ALGORITHMS`].
    pub algorithm: &'static Algorithm,
    /// The heuristic of those that use one.
    pub heuristic: HeuristicChoice,
    /// The settings of the algorithm.
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

    /// The configuration that names and texts describe: an algorithm, heuristics where they are not
    /// left to the algorithm, and settings by their names. The command line, the text of a solver
    /// in an experiment, and every other face build it here.
    ///
    /// ```
    /// use hyperslide_search::Config;
    ///
    /// let config = Config::new("weighted-astar", Some("linear-conflict"), [("weight", "2")], 0)?;
    /// assert_eq!(config.algorithm.name, "weighted-astar");
    ///
    /// let refused = Config::new("astar", None, [("width", "5")], 0);
    /// let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
    /// assert_eq!(error, "astar takes no 'width': it takes heuristic and profile");
    /// # Ok::<(), hyperslide_search::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When a name is unknown, the algorithm does not take what is given, or a value cannot be
    /// read; the error says what it takes.
    pub fn new<'a>(
        algorithm: &str,
        heuristic: Option<&str>,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
        seed: u64,
    ) -> Result<Config, ConfigError> {
        let find = |known: &&Algorithm| known.name == algorithm;
        let Some(algorithm) = ALGORITHMS.iter().find(find) else {
            return Err(ConfigError::UnknownAlgorithm { name: shorten(algorithm) });
        };
        let mut config = Config { algorithm, seed, ..Config::default() };
        if let Some(text) = heuristic {
            if !algorithm.uses_heuristic {
                return Err(not_taken(algorithm, "heuristic"));
            }
            config.heuristic = text.parse()?;
        }
        let mut given = Vec::new();
        for (name, value) in settings {
            if given.contains(&name) {
                return Err(ConfigError::Twice(shorten(name)));
            }
            given.push(name);
            config.set(name, value)?;
        }
        Ok(config)
    }

    /// The defaults of an algorithm by its name.
    pub fn named(algorithm: &str) -> Option<Config> {
        Config::new(algorithm, None, [], 0).ok()
    }

    /// Sets one of the algorithm's settings.
    ///
    /// # Errors
    ///
    /// When the algorithm does not take it, or the value cannot be read.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ConfigError> {
        let Some(setting) = self.algorithm.setting(name) else {
            return Err(not_taken(self.algorithm, name));
        };
        Ok(self.settings.set(setting, value)?)
    }

    /// The same with one of the algorithm's settings set.
    ///
    /// # Errors
    ///
    /// Those of [`Config::set`].
    pub fn with(mut self, name: &str, value: &str) -> Result<Config, ConfigError> {
        self.set(name, value)?;
        Ok(self)
    }
}

/// Every setting of every algorithm, each once, in the order of [`ALGORITHMS`].
pub fn all_settings() -> Vec<&'static Setting> {
    let mut all: Vec<&'static Setting> = Vec::new();
    for setting in ALGORITHMS.iter().flat_map(|algorithm| algorithm.settings) {
        if all.iter().all(|known| known.name != setting.name) {
            all.push(setting);
        }
    }
    all
}

/// Why names and texts do not describe a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// No algorithm has this name.
    #[error("no algorithm is called '{name}': write {}{}", names_of_algorithms(), usual(.name))]
    UnknownAlgorithm {
        /// What was written.
        name: String,
    },
    /// No heuristic has this name, or it takes no such parameter.
    #[error(transparent)]
    Heuristic(#[from] HeuristicChoiceError),
    /// The algorithm does not take what is given.
    #[error("{algorithm} takes no '{name}': it takes {}", listed(.takes))]
    NotTaken {
        /// The algorithm.
        algorithm: &'static str,
        /// What was given: `heuristic`, or the name of a setting.
        name: String,
        /// What it takes: `heuristic`, and the names of its settings.
        takes: Vec<&'static str>,
    },
    /// A value cannot be read.
    #[error(transparent)]
    Value(#[from] SettingError),
    /// A setting is given twice.
    #[error("{0} is given twice: leave one out")]
    Twice(String),
}

/// What an algorithm is called here that others call so; an empty text for other names.
fn usual(name: &str) -> String {
    let known = match name.to_lowercase().as_str() {
        "bfs" | "breadth-first-search" => "breadth-first",
        "a*" | "a-star" => "astar",
        "ida*" | "ida" | "ida-star" => "idastar",
        "wa*" | "weighted-a*" => "weighted-astar",
        _ => return String::new(),
    };
    format!("; it is called {known} here")
}

fn names_of_algorithms() -> String {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
}

fn not_taken(algorithm: &Algorithm, name: &str) -> ConfigError {
    let settings = algorithm.settings.iter().map(|setting| setting.name);
    let takes = algorithm.uses_heuristic.then_some("heuristic").into_iter().chain(settings);
    ConfigError::NotTaken { algorithm: algorithm.name, name: shorten(name), takes: takes.collect() }
}

/// Names for people.
fn listed(names: &[&str]) -> String {
    match names.split_last() {
        None => "no heuristic and no settings".to_owned(),
        Some((only, [])) => format!("{only} only"),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
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
