//! Experiments declared as data, read from `experiments/`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use hyperslide_puzzle::Metric;
use hyperslide_search::{Config, Limits, all_settings};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::instances::find_instance;
use crate::papers::{Paper, find_paper};

/// The experiments, one file each. A new one is a file and a line here.
const FILES: &[&str] = &[include_str!("../../../experiments/cubical-table-2.toml")];

/// A declared experiment: what is run, and what a paper printed.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: String,
    /// What it is.
    pub title: String,
    /// The paper whose table it repeats.
    pub paper: &'static Paper,
    /// The table or figure, such as `Table 2`.
    pub table: String,
    /// The section it stands in.
    pub section: String,
    /// Its page in the published version, where somebody has looked it up.
    pub page: Option<u32>,
    /// What to run on every instance.
    pub solvers: Vec<Solver>,
    /// What counts as one move.
    pub metric: Metric,
    /// Seeds to run each with.
    pub seeds: Vec<u64>,
    /// Limits of each run.
    pub limits: RunLimits,
    /// The rows of the published table, in its order; each is an instance to run.
    pub rows: Vec<PublishedRow>,
    /// What is wrong with the table as a whole.
    pub notes: Vec<String>,
}

impl Experiment {
    /// The same with its first solver and first seed only.
    pub fn quick(&self) -> Experiment {
        Experiment {
            solvers: self.solvers.iter().take(1).cloned().collect(),
            seeds: self.seeds.iter().take(1).copied().collect(),
            ..self.clone()
        }
    }
}

/// An algorithm with its heuristic and settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Solver {
    /// The algorithm's name.
    pub algorithm: String,
    /// The heuristic's name; the default one when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<String>,
    /// The settings that differ from the defaults, by their names.
    #[serde(flatten, deserialize_with = "known_settings")]
    pub settings: BTreeMap<String, String>,
}

/// Of all fields that stand beside each other those that are settings: a record has its other fields there too.
fn known_settings<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let fields = BTreeMap::<String, Value>::deserialize(deserializer)?;
    let known = all_settings();
    let is_known = |name: &str| known.iter().any(|setting| setting.name == name);
    let setting = |(name, value): (String, Value)| match value {
        Value::String(value) if is_known(&name) => Some((name, value)),
        _ => None,
    };
    Ok(fields.into_iter().filter_map(setting).collect())
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

/// One row of a published table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// The row's number in the table, from 1.
    pub row: usize,
    /// The instance's name.
    pub instance: String,
    /// Its rule k, for cubes.
    pub rule: Option<usize>,
    /// The length the paper prints; none where its method failed.
    pub moves: Option<u32>,
    /// Why the printed value is wrong, when it is.
    pub wrong: Option<String>,
    /// What else is to be known about it.
    pub note: Option<String>,
}

/// All experiments in order.
pub static EXPERIMENTS: LazyLock<Vec<Experiment>> =
    LazyLock::new(|| declared(FILES, read_experiment));

/// The experiments that these files declare.
///
/// # Panics
///
/// When one is wrong: they are part of the program.
pub(crate) fn declared<E>(files: &[&str], read: fn(&str) -> Result<E, String>) -> Vec<E> {
    let wrong = |error: String| -> E { panic!("experiments: {error}") };
    files.iter().map(|text| read(text).unwrap_or_else(wrong)).collect()
}

/// The experiment with this name.
pub fn find_experiment(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    name: String,
    title: String,
    paper: String,
    table: String,
    section: String,
    page: Option<u32>,
    /// As text, so that an unknown setting is refused.
    solver: Vec<String>,
    #[serde(default)]
    metric: Metric,
    seeds: Vec<u64>,
    limits: RunLimits,
    #[serde(default)]
    notes: Vec<String>,
    row: Vec<PublishedRow>,
}

fn read_experiment(text: &str) -> Result<Experiment, String> {
    let file: ExperimentFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let name = &file.name;
    let paper = find_paper(&file.paper).map_err(|error| format!("{name}: {error}"))?;
    let solvers: Result<Vec<Solver>, String> =
        file.solver.iter().map(|text| text.parse()).collect();
    let solvers = solvers.map_err(|error| format!("{name}: {error}"))?;
    file.limits.limits().map_err(|error| format!("{name}: {error}"))?;
    for row in &file.row {
        let (instance, _) = find_instance(&row.instance)
            .ok_or_else(|| format!("{name}: unknown instance {}", row.instance))?;
        instance.puzzle(row.rule, file.metric).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(Experiment {
        name: file.name,
        title: file.title,
        paper,
        table: file.table,
        section: file.section,
        page: file.page,
        solvers,
        metric: file.metric,
        seeds: file.seeds,
        limits: file.limits,
        rows: file.row,
        notes: file.notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_is_refused() {
        let [text] = FILES else { panic!("one file is enough here") };
        let solvers = r#"solver = ["astar heuristic=lone-token", "bidirectional"]"#;
        let with = |solver: &str| read_experiment(&text.replace(solvers, solver));
        assert_eq!(with(r#"solver = ["weighted-astar weight=2"]"#).unwrap().solvers.len(), 1);
        for (solver, word) in [("astar heuristics=blind", "heuristics"), ("astr", "astr")] {
            let error = with(&format!("solver = [\"{solver}\"]")).unwrap_err();
            assert!(error.contains(&format!("'{word}'")), "{error}");
        }
        assert!(with("[[solver]]\nalgorithm = \"astar\"").is_err());
    }
}
