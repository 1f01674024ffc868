//! Experiments: declared as data in `experiments/`, or in a file of one's own.

mod check;
pub(crate) mod file;
mod papers;
mod puzzles;
mod solver;

use std::path::Path;
use std::sync::LazyLock;

use hyperslide_puzzle::Metric;
use include_dir::{Dir, include_dir};
use thiserror::Error;

pub use papers::{PAPERS, Paper};
pub(crate) use puzzles::board;
pub use puzzles::{NamedPuzzle, Puzzles, RandomSet};
pub(crate) use solver::{RunError, is_program};
pub use solver::{RunLimits, Solver};

use crate::compare::Judge;
use crate::measure::Measure;
use crate::task::{CensusTask, LayersTask, SolveTask, StagesTask, StagesWork, Task, TheoremsTask};
use file::{File, RowSpec, SolverSpec};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");

/// What is run, what a paper printed, and how both are compared.
#[derive(Clone, Debug)]
pub struct Experiment {
    paper: Option<Paper>,
    pub(crate) file: File,
    pub(crate) is_quick: bool,
}

/// Why a file is not an experiment.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// Reading failed.
    #[error("cannot read the experiment {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What went wrong.
        source: std::io::Error,
    },
    /// What it says is wrong.
    #[error("{path} is not an experiment: {message}")]
    Wrong {
        /// The file.
        path: String,
        /// The place and what is allowed there.
        message: String,
    },
}

/// The experiments that come with the program, in the order of the papers and then of their names.
pub fn experiments() -> &'static [Experiment] {
    static ALL: LazyLock<Vec<Experiment>> = LazyLock::new(|| {
        let files = FILES.files().map(|file| (file.path(), file.contents_utf8()));
        let read = |(path, text): (&Path, Option<&str>)| {
            Experiment::parse(&path.display().to_string(), text.unwrap_or_default())
                .unwrap_or_else(|error| panic!("{error}"))
        };
        let mut all: Vec<Experiment> = files.map(read).collect();
        // Those of other papers, or of none, come last.
        let place = |experiment: &Experiment| {
            let known = PAPERS.iter().position(|paper| experiment.paper() == Some(paper));
            known.unwrap_or(PAPERS.len())
        };
        all.sort_by_key(|experiment| (place(experiment), experiment.name().to_owned()));
        all
    });
    &ALL
}

/// The experiment with this name.
pub fn find_experiment(name: &str) -> Option<&'static Experiment> {
    experiments().iter().find(|experiment| experiment.name() == name)
}

impl Experiment {
    /// Reads an experiment from a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or what is wrong with it and where.
    pub fn read(path: &Path) -> Result<Experiment, ExperimentError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Experiment::parse(&name, &text),
            Err(source) => Err(ExperimentError::Read { path: name, source }),
        }
    }

    /// Reads an experiment from text; `path` says where that comes from.
    ///
    /// # Errors
    ///
    /// What is wrong with it and where.
    pub fn parse(path: &str, text: &str) -> Result<Experiment, ExperimentError> {
        match File::read(text) {
            Ok((file, paper)) => Ok(Experiment { paper, file, is_quick: false }),
            Err(message) => Err(ExperimentError::Wrong { path: path.to_owned(), message }),
        }
    }

    /// Its name on the command line and in records.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// What it is.
    pub fn title(&self) -> &str {
        &self.file.title
    }

    /// The paper whose table it repeats.
    pub fn paper(&self) -> Option<&Paper> {
        self.paper.as_ref()
    }

    /// The table, figure or theorems.
    pub fn table(&self) -> &str {
        &self.file.table
    }

    /// CPU seconds of a full run, as recorded.
    pub fn cpu_s(&self) -> Option<f64> {
        self.file.cpu_s
    }

    /// Returns whether it draws figures.
    pub fn has_figures(&self) -> bool {
        !self.file.figure.is_empty()
    }

    /// Returns whether it judges by the smaller samples of a quick run, which prove nothing against
    /// the paper.
    pub fn is_small_sample(&self) -> bool {
        self.is_quick && self.file.quick.runs.is_some()
    }

    /// Returns whether its tables are about proven lengths, so that one that is not proven is a
    /// limit that was reached.
    pub fn expects_proofs(&self) -> bool {
        let mut columns = self.file.view.iter().flat_map(|view| &view.columns);
        columns.any(|column| column.judge == Some(Judge::Optimum))
    }

    /// The experiment with less to do: fewer runs, fewer solvers, narrower limits, smaller regions,
    /// no long searches.
    #[must_use]
    pub fn quick(&self) -> Experiment {
        let mut file = self.file.clone();
        let quick = file.quick.clone();
        if let Some(runs) = quick.runs {
            file.runs = runs;
            for stages in &mut file.stages {
                stages.count = stages.count.map(|count| count.min(runs));
            }
        }
        file.limits = quick.limits.unwrap_or(file.limits);
        for (row, whole) in file.row.iter_mut().zip(&self.file.row) {
            let keys = self.file.solvers_of(whole).map(|solver| &solver.key);
            let keys = keys.filter(|&key| {
                quick.solvers.as_ref().is_none_or(|keys| keys.contains(key))
                    && !whole.portion.contains_key(key)
            });
            row.solvers = Some(keys.cloned().collect());
        }
        file.row.retain(|row| row.census.is_some() || row.solvers != Some(Vec::new()));
        if let Some(most) = quick.region {
            file.stages.retain_mut(|stages| {
                let is_analysis = stages.regions.is_empty();
                stages.regions.retain(|&region| region <= most);
                is_analysis || !stages.regions.is_empty()
            });
        }
        Experiment { file, is_quick: true, ..self.clone() }
    }

    /// Its tasks, in the order in which they are run.
    pub fn tasks(&self) -> Vec<Task> {
        let file = &self.file;
        let rows = file.row.iter().flat_map(|row| self.row_tasks(row)).map(|(_, task)| task);
        let layers = file.layers.iter().map(|_| self.layers_task());
        let theorems = file.theorems.iter().map(|spec| self.theorems_task(spec));
        let stages = file.stages.iter().map(|spec| self.stages_task(spec));
        rows.chain(layers).chain(theorems).chain(stages).collect()
    }

    /// The tasks of a row, each with the solver that it belongs to.
    pub(crate) fn row_tasks<'a>(&'a self, row: &'a RowSpec) -> Vec<(Option<&'a SolverSpec>, Task)> {
        let file = &self.file;
        if let Some(empty) = row.census {
            // The edge metric explains some printed diameters.
            let is_diameter = |name: &String| {
                let mut columns = file.view.iter().flat_map(|view| &view.columns);
                columns.any(|column| column.name == *name && column.measure == Measure::Diameter)
            };
            let edge = row.wrong.keys().any(is_diameter).then_some(Metric::Edge);
            let metrics = [Some(file.metric), edge];
            let task = |metric: Metric| {
                let board = file.board.clone().unwrap_or_default();
                (None, Task::Census(CensusTask { board, metric, empty }))
            };
            return metrics.into_iter().flatten().map(task).collect();
        }
        let puzzles = match (row.named(file.metric), &row.random, row.listed(file.metric)) {
            (Some(named), ..) => Puzzles::Named(named.expect("rows were checked")),
            (None, Some(random), _) => Puzzles::Random(file.random(random)),
            (None, None, Some(list)) => Puzzles::Listed(list.expect("rows were checked")),
            (None, None, None) => return Vec::new(),
        };
        let all = match &puzzles {
            // Each is solved once, or the first of them in a quick run.
            Puzzles::Listed(list) => {
                let most = if self.is_small_sample() { file.runs } else { u64::MAX };
                most.min(list.puzzles.len() as u64)
            }
            _ => file.runs,
        };
        let mut tasks = Vec::new();
        for solver in file.solvers_of(row) {
            let portion = row.portion.get(&solver.key).copied().unwrap_or(all).max(1);
            for first in (0..all).step_by(portion as usize) {
                let task = Task::Solve(SolveTask {
                    puzzles: puzzles.clone(),
                    solver: file.solver_text(row, solver),
                    limits: file.limits_of(row, solver),
                    seed: file.seed,
                    first,
                    runs: portion.min(all - first),
                    solutions: file.solutions,
                });
                tasks.push((Some(solver), task));
            }
        }
        tasks
    }

    pub(crate) fn layers_task(&self) -> Task {
        Task::Layers(LayersTask { board: self.file.board.clone().unwrap_or_default() })
    }

    pub(crate) fn theorems_task(&self, spec: &file::TheoremsSpec) -> Task {
        Task::Theorems(TheoremsTask { max_d: spec.max_d })
    }

    pub(crate) fn stages_task(&self, spec: &file::StagesSpec) -> Task {
        let work = if spec.regions.is_empty() {
            StagesWork::Analyse { count_all: spec.count_all }
        } else {
            let count = spec.count.unwrap_or(self.file.runs);
            StagesWork::Solve { count, regions: spec.regions.clone() }
        };
        Task::Stages(StagesTask { puzzles: self.file.random(&spec.random), work })
    }
}
