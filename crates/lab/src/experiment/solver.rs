//! A solver as an experiment names it, an algorithm with its heuristic and settings, and the limits
//! of its runs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hyperslide_search::{Config, Limits};
use serde::{Deserialize, Serialize};

/// An algorithm with its heuristic and settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Solver {
    /// The algorithm's name.
    pub algorithm: String,
    /// The heuristic's name; the default one when missing.
    pub heuristic: Option<String>,
    /// The settings that differ from the defaults, by their names.
    pub settings: BTreeMap<String, String>,
}

/// `astar`, or with parameters `weighted-astar heuristic=linear-conflict weight=3`.
impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.algorithm)?;
        if let Some(heuristic) = &self.heuristic {
            write!(f, " heuristic={heuristic}")?;
        }
        self.settings.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Solver, String> {
        let mut words = text.split_whitespace();
        let mut solver =
            Solver { algorithm: words.next().unwrap_or_default().to_owned(), ..Solver::default() };
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let before = match name {
                "heuristic" => solver.heuristic.replace(value.to_owned()),
                _ => solver.settings.insert(name.to_owned(), value.to_owned()),
            };
            if before.is_some() {
                return Err(format!("{} is given twice: leave one out", short(name)));
            }
        }
        solver.config(0)?;
        Ok(solver)
    }
}

impl Solver {
    /// The configuration it stands for.
    ///
    /// # Errors
    ///
    /// Which name is unknown, or what a setting may be.
    pub fn config(&self, seed: u64) -> Result<Config, String> {
        let settings = self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Config::new(&self.algorithm, self.heuristic.as_deref(), settings, seed)
            .map_err(|error| error.to_string())
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Limits as they are declared and recorded.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// Wall-clock seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// Bytes of the search's own data structures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Generated states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl RunLimits {
    /// The limits as searches take them.
    ///
    /// # Errors
    ///
    /// When the time is no number of seconds.
    pub fn limits(&self) -> Result<Limits, String> {
        let time = self.time_s.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| format!("time_s: {error}"))?;
        Ok(Limits { time, memory: self.memory_bytes, nodes: self.nodes })
    }
}
