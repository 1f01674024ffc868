//! Experiments declared as data, read from `experiments/`.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use hyperslide_puzzle::Metric;
use hyperslide_search::{ALGORITHMS, Config, Limits, SettingError, UnknownHeuristic};
use serde::{Deserialize, Serialize};

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

/// An algorithm with its parameters. Parameters of later algorithms are further fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solver {
    /// The algorithm's name.
    pub algorithm: String,
    /// The heuristic's name; the default one when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<String>,
    /// The weight of its estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// In which order a staged search puts tokens in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// `published` or `improved`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// States that a beam keeps of each layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Tokens that local value iteration takes at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<u64>,
}

/// `astar`, or with parameters `weighted-astar weight=3 heuristic=linear-conflict`.
impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.algorithm)?;
        let width = self.width.map(|width| width.to_string());
        let region = self.region.map(|region| region.to_string());
        for (name, value) in [
            ("heuristic", &self.heuristic),
            ("weight", &self.weight),
            ("schedule", &self.schedule),
            ("profile", &self.profile),
            ("width", &width),
            ("region", &region),
        ] {
            if let Some(value) = value {
                write!(f, " {name}={value}")?;
            }
        }
        Ok(())
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
            let value_text = Some(value.to_owned());
            match name {
                "heuristic" => solver.heuristic = value_text,
                "weight" => solver.weight = value_text,
                "schedule" => solver.schedule = value_text,
                "profile" => solver.profile = value_text,
                "width" => {
                    let width =
                        value.parse().ok().filter(|width| (1..=1_000_000_000).contains(width));
                    let wrong = || format!("width '{value}': write a number from 1 to 1000000000");
                    solver.width = Some(width.ok_or_else(wrong)?);
                }
                "region" => {
                    let region = value.parse().ok().filter(|region| (1..=63).contains(region));
                    let wrong = || format!("region '{value}': write a number from 1 to 63");
                    solver.region = Some(region.ok_or_else(wrong)?);
                }
                _ => {
                    return Err(format!(
                        "a solver has no '{name}': write ALGORITHM and then heuristic=, weight=, \
                         schedule=, profile=, width= or region= and a value"
                    ));
                }
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
    /// Which name is unknown.
    pub fn config(&self, seed: u64) -> Result<Config, String> {
        let config =
            Config::named(&self.algorithm).ok_or_else(|| unknown_algorithm(&self.algorithm))?;
        let heuristic = match &self.heuristic {
            None => config.heuristic,
            Some(name) => name.parse().map_err(|error: UnknownHeuristic| error.to_string())?,
        };
        let mut settings = config.settings;
        let read = |error: SettingError| error.to_string();
        if let Some(weight) = &self.weight {
            settings.weight = weight.parse().map_err(read)?;
        }
        if let Some(schedule) = &self.schedule {
            settings.schedule = schedule.parse().map_err(read)?;
        }
        if let Some(profile) = &self.profile {
            settings.profile = profile.parse().map_err(read)?;
        }
        if let Some(width) = self.width {
            settings.width = width as usize;
        }
        if let Some(region) = self.region {
            settings.region = region as usize;
        }
        Ok(Config { heuristic, settings, seed, ..config })
    }
}

fn unknown_algorithm(name: &str) -> String {
    let known: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    let name: String = name.chars().take(40).collect();
    format!("no algorithm is called '{name}': write {}", known.join(", "))
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
pub static EXPERIMENTS: LazyLock<Vec<Experiment>> = LazyLock::new(|| {
    let read =
        |text: &&str| read_experiment(text).unwrap_or_else(|error| panic!("experiments: {error}"));
    FILES.iter().map(read).collect()
});

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
    solver: Vec<Solver>,
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
    for solver in &file.solver {
        solver.config(0).map_err(|error| format!("{name}: {error}"))?;
    }
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
        solvers: file.solver,
        metric: file.metric,
        seeds: file.seeds,
        limits: file.limits,
        rows: file.row,
        notes: file.notes,
    })
}
