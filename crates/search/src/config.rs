//! Which algorithm solves a puzzle, and how it is set.

use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
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
            return Err(ConfigError::UnknownAlgorithm { name: short(algorithm) });
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
                return Err(ConfigError::Twice(short(name)));
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
    /// As of [`Config::set`].
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
    #[error("no algorithm is called '{name}': write {}", names_of_algorithms())]
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

fn names_of_algorithms() -> String {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
}

fn not_taken(algorithm: &Algorithm, name: &str) -> ConfigError {
    let settings = algorithm.settings.iter().map(|setting| setting.name);
    let takes = algorithm.uses_heuristic.then_some("heuristic").into_iter().chain(settings);
    ConfigError::NotTaken { algorithm: algorithm.name, name: short(name), takes: takes.collect() }
}

/// Names for people.
fn listed(names: &[&str]) -> String {
    match names.split_last() {
        None => "no heuristic and no settings".to_owned(),
        Some((only, [])) => format!("{only} only"),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Domain;

    /// Texts that a setting must take, and some that it must refuse, by what it says of itself.
    fn examples(domain: Domain) -> (Vec<String>, Vec<String>) {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let whole = |least: u64, most: u64| {
            let below = least.checked_sub(1).map(|below| below.to_string());
            let refused = texts(&["", "-1", "1.5", "many"]);
            let beyond = most.saturating_add(1).to_string();
            let good = vec![least.to_string(), most.to_string()];
            (good, refused.into_iter().chain(below).chain([beyond]).collect::<Vec<_>>())
        };
        match domain {
            Domain::Whole { least, most } => whole(least, most),
            Domain::WholeOrAuto { least, most } => {
                let (good, bad) = whole(least, most);
                (good.into_iter().chain(["auto".to_owned()]).collect(), bad)
            }
            Domain::Decimal { most, places } => {
                let last = places as usize;
                let good = vec!["0".to_owned(), format!("{:.last$}", 0.125), most.to_string()];
                let bad = [format!("0.{}1", "0".repeat(last)), (most + 1).to_string()];
                let refused = texts(&["", "-1", "x", "nan", "inf", "1e9"]);
                (good, refused.into_iter().chain(bad).collect())
            }
            Domain::Choice(words) => (texts(words), vec![String::new(), words[0].to_uppercase()]),
            Domain::Some(words) => {
                let some = vec!["nothing".to_owned(), words.join("+")];
                let bad = texts(&["", "all", &format!("{}+", words[0])]);
                (some.into_iter().chain(texts(words)).collect(), bad)
            }
            Domain::Text(_) => (Vec::new(), Vec::new()),
        }
    }

    /// What settings that only their owners can read must take and refuse as well.
    const TEXTS: &[(&str, &[&str], &[&str])] = &[
        ("schedule", &["rows", "border", "1+2/3/4"], &["", "1//2", "1+/2"]),
        (
            "mutation",
            &["zipf:1.8", "zipf:0.001", "zipf:100", "binomial:0.5", "binomial:0"],
            &["zipf:0", "zipf:-1", "zipf:101", "zipf", "binomial:2", "1.8"],
        ),
    ];

    #[test]
    fn settings_take_what_they_say() {
        for algorithm in ALGORITHMS {
            for setting in algorithm.settings {
                let name = setting.name;
                let (mut good, mut bad) = examples(setting.domain);
                for (_, taken, refused) in TEXTS.iter().filter(|(known, ..)| *known == name) {
                    good.extend(taken.iter().map(|&text| text.to_owned()));
                    bad.extend(refused.iter().map(|&text| text.to_owned()));
                }
                for value in good.iter().map(String::as_str).chain([setting.default]) {
                    let config = Config::new(algorithm.name, None, [(name, value)], 0);
                    let config = config.unwrap_or_else(|error| panic!("{name}={value}: {error}"));
                    assert_eq!(config.settings.iter().collect::<Vec<_>>(), [(name, value)]);
                }
                for value in &bad {
                    let error = setting.check(value).unwrap_err().to_string();
                    let says = [name, &setting.domain.to_string()].map(|word| error.contains(word));
                    assert_eq!(says, [true; 2], "{error}");
                    let refused = Config::new(algorithm.name, None, [(name, value.as_str())], 0);
                    assert_eq!(refused.err().unwrap().to_string(), error);
                }
            }
        }
    }

    /// A name means one thing, whichever algorithm it is given to.
    #[test]
    fn settings_of_one_name_are_one() {
        for setting in ALGORITHMS.iter().flat_map(|algorithm| algorithm.settings) {
            let of_this_name = all_settings().into_iter().find(|known| known.name == setting.name);
            assert!(std::ptr::eq(of_this_name.unwrap(), *setting), "{}", setting.name);
        }
    }

    #[test]
    fn what_an_algorithm_does_not_take_is_refused() {
        let error = |algorithm, heuristic, settings: &[(&'static str, &'static str)]| {
            let settings = settings.iter().copied();
            Config::new(algorithm, heuristic, settings, 0).err().unwrap().to_string()
        };
        assert_eq!(
            error("astar", None, &[("width", "5"), ("population", "3")]),
            "astar takes no 'width': it takes heuristic and profile"
        );
        assert_eq!(
            error("breadth-first", Some("blind"), &[]),
            "breadth-first takes no 'heuristic': it takes no heuristic and no settings"
        );
        assert_eq!(
            error("idastar", None, &[("weight", "2")]),
            "idastar takes no 'weight': it takes heuristic only"
        );
        assert!(
            error("astr", None, &[]).starts_with("no algorithm is called 'astr': write auto, ")
        );
        assert!(error("astar", Some("x"), &[]).starts_with("no heuristic is called 'x': write "));
        assert!(error("beam", None, &[("width", "5"), ("width", "5")]).contains("given twice"));
    }
}
