//! Experiments declared as data, read from `experiments/`.

use std::sync::LazyLock;
use std::time::Duration;

use hyperslide_search::{Config, Limits};
use serde::Deserialize;

use crate::instances::find_instance;
use crate::papers::{PAPERS, Paper};

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
    /// The table or figure, and where it is.
    pub table: String,
    /// Algorithms to run on every instance, by name.
    pub algorithms: Vec<String>,
    /// Seeds to run each with.
    pub seeds: Vec<u64>,
    /// Limits of each run.
    pub limits: Limits,
    /// The rows of the published table, in its order; each is an instance to run.
    pub rows: Vec<PublishedRow>,
    /// What is wrong with the table as a whole.
    pub notes: Vec<String>,
}

impl Experiment {
    /// The same with its first algorithm and first seed only.
    pub fn quick(&self) -> Experiment {
        Experiment {
            algorithms: self.algorithms.iter().take(1).cloned().collect(),
            seeds: self.seeds.iter().take(1).copied().collect(),
            ..self.clone()
        }
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
    algorithms: Vec<String>,
    seeds: Vec<u64>,
    limits: LimitsField,
    #[serde(default)]
    notes: Vec<String>,
    row: Vec<PublishedRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsField {
    time_s: Option<f64>,
    memory_bytes: Option<u64>,
    nodes: Option<u64>,
}

fn read_experiment(text: &str) -> Result<Experiment, String> {
    let file: ExperimentFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let name = &file.name;
    let paper = PAPERS.iter().find(|paper| paper.key == file.paper);
    let paper = paper.ok_or_else(|| format!("{name}: unknown paper {}", file.paper))?;
    for algorithm in &file.algorithms {
        Config::named(algorithm).ok_or_else(|| format!("{name}: unknown algorithm {algorithm}"))?;
    }
    for row in &file.row {
        let (instance, _) = find_instance(&row.instance)
            .ok_or_else(|| format!("{name}: unknown instance {}", row.instance))?;
        let metric = hyperslide_puzzle::Metric::Face;
        instance.puzzle(row.rule, metric).map_err(|error| format!("{name}: {error}"))?;
    }
    let time = file.limits.time_s.map(Duration::try_from_secs_f64).transpose();
    let limits = Limits {
        time: time.map_err(|error| format!("{name}: {error}"))?,
        memory: file.limits.memory_bytes,
        nodes: file.limits.nodes,
    };
    Ok(Experiment {
        name: file.name,
        title: file.title,
        paper,
        table: file.table,
        algorithms: file.algorithms,
        seeds: file.seeds,
        limits,
        rows: file.row,
        notes: file.notes,
    })
}
