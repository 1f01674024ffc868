//! Diameters of puzzle graphs as methods that need not be optimal would estimate them, beside the exact ones.

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_search::{Config, Control, Limit, Outcome, Report, TableCache, solve};
use serde::{Deserialize, Serialize};

use crate::compare::Verdict;
use crate::experiment::{RunLimits, Solver, declared};
use crate::heading::Heading;
use crate::mean_experiment::RowRun;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::papers::{Paper, find_paper};
use crate::parted_experiment::PartedExperiment;
use crate::provenance::Provenance;
use crate::random::{Law, RandomPuzzles};
use crate::record::Recorded;
use crate::statistics::median;

/// Their files. A new one is a file and a line here.
const FILES: &[&str] = &[include_str!("../../../experiments/cubical-diameter-estimates.toml")];

/// Estimates of diameters: random pairs of states of each graph, solved by each method.
#[derive(Clone, Debug)]
pub struct DiameterExperiment {
    /// The paper that set the task.
    pub paper: &'static Paper,
    file: File,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    title: String,
    paper: String,
    table: String,
    section: String,
    /// Random pairs of a start and a goal on each graph.
    pairs: usize,
    quick: usize,
    /// The seed of the pairs; pair i is solved with the seed `seed + i`.
    seed: u64,
    #[serde(default)]
    notes: Vec<String>,
    /// What proves the distances of pairs.
    exact: Method,
    /// What estimates.
    method: Vec<Method>,
    graph: Vec<Graph>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Method {
    title: String,
    solver: String,
    #[serde(default)]
    limits: RunLimits,
}

/// `puz[d,k,l]`: the states of the d-cube with l empty vertices, all tokens told apart, and the slides in k-faces.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    /// d, k and l.
    puz: [usize; 3],
    /// The greatest distance between two states of one component.
    diameter: u32,
    /// What shows it.
    shown_by: String,
}

impl Graph {
    fn name(&self) -> String {
        let [d, k, l] = self.puz;
        format!("puz[{d},{k},{l}]")
    }

    /// Pairs of states of one component, each as likely as any other.
    fn pairs(&self, seed: u64) -> Result<RandomPuzzles, String> {
        let [d, k, l] = self.puz;
        let board = Board::new(BoardSpec::Cube { d, k }, Metric::Face);
        let board = board.map_err(|error| error.to_string())?;
        let tokens = board.vertex_count().saturating_sub(l);
        if !(1..board.vertex_count()).contains(&tokens) {
            return Err(format!("there is no {}", self.name()));
        }
        Ok(RandomPuzzles { board, tokens, goal: None, law: Law::Uniform, seed })
    }
}

/// The pairs of one graph solved by one method: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairsRecord {
    /// The experiment.
    pub experiment: String,
    /// The graph: d, k and l.
    pub puz: [usize; 3],
    /// The solver with its parameters.
    pub solver: String,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The seed of the pairs, and of the first run; each further run has the next.
    pub seed: u64,
    /// One entry a pair.
    pub runs: Vec<RowRun>,
    /// When, where and by what it was made.
    pub provenance: Provenance,
}

impl Recorded for PairsRecord {
    /// Whether its solver is one.
    fn check(&self) -> Result<(), String> {
        self.solver.parse::<Solver>().map(|_| ())
    }
}

/// What one method finds on one graph.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// The method.
    pub method: String,
    /// The solver with its parameters.
    pub solver: String,
    /// Pairs that it solved.
    pub solved: usize,
    /// Moves of the longest solution: the estimate.
    pub longest: Option<u32>,
    /// Mean of moves beyond the distance, over the pairs that are solved and have a proven distance.
    pub mean_excess: Option<f64>,
    /// Median CPU seconds of a run.
    pub cpu_s: f64,
}

/// A graph: what is known, and what is estimated.
#[derive(Clone, Debug, Serialize)]
pub struct DiameterRow {
    /// The graph, as the cubical paper writes it.
    pub graph: String,
    /// The exact diameter.
    pub diameter: u32,
    /// What shows it.
    pub shown_by: String,
    /// Pairs.
    pub pairs: usize,
    /// Pairs whose distance is proven.
    pub proven: usize,
    /// The greatest proven distance of a pair: no more than the diameter.
    pub lower_bound: Option<u32>,
    /// The methods in order.
    pub estimates: Vec<Estimate>,
    /// [`Verdict::Contradiction`] when a solution is shorter than a proven distance, or a distance greater than the
    /// diameter.
    pub verdict: Option<Verdict>,
}

/// Estimates beside exact diameters.
#[derive(Clone, Debug, Serialize)]
pub struct DiameterComparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// The graphs in order.
    pub rows: Vec<DiameterRow>,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
}

/// All of them, in order.
pub static DIAMETER_EXPERIMENTS: LazyLock<Vec<DiameterExperiment>> =
    LazyLock::new(|| declared(FILES, read));

fn read(text: &str) -> Result<DiameterExperiment, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let in_file = |error: String| format!("{}: {error}", file.name);
    let paper = find_paper(&file.paper).map_err(in_file)?;
    for method in file.methods() {
        method.solver.parse::<Solver>().map_err(in_file)?;
        method.limits.limits().map_err(in_file)?;
    }
    for graph in &file.graph {
        graph.pairs(file.seed).map_err(in_file)?;
    }
    Ok(DiameterExperiment { paper, file })
}

impl File {
    /// The methods of a graph's parts, in order.
    fn methods(&self) -> impl Iterator<Item = &Method> {
        std::iter::once(&self.exact).chain(&self.method)
    }
}

impl DiameterExperiment {
    /// The graph and the method of a part.
    fn part(&self, number: usize) -> (&Graph, &Method) {
        let methods: Vec<&Method> = self.file.methods().collect();
        (&self.file.graph[number / methods.len()], methods[number % methods.len()])
    }

    fn find_pairs<'r>(
        &self,
        graph: &Graph,
        method: &Method,
        records: &'r [PairsRecord],
    ) -> Option<&'r PairsRecord> {
        records.iter().find(|record| {
            record.experiment == self.file.name
                && record.puz == graph.puz
                && (&record.solver, record.limits) == (&method.solver, method.limits)
                && (record.seed, record.runs.len()) == (self.file.seed, self.file.pairs)
        })
    }

    /// The row of a graph, of the methods that there are records of; `None` without one of exact distances.
    fn row(&self, graph: &Graph, records: &[PairsRecord]) -> Option<DiameterRow> {
        let exact = self.find_pairs(graph, &self.file.exact, records)?;
        let proven = |run: &RowRun| run.length.filter(|_| run.optimal);
        let distances: Vec<Option<u32>> = exact.runs.iter().map(proven).collect();
        let lower_bound = distances.iter().flatten().max().copied();
        let mut is_possible = lower_bound <= Some(graph.diameter);
        let mut estimates = Vec::new();
        for method in &self.file.method {
            let Some(record) = self.find_pairs(graph, method, records) else { continue };
            let pairs = record.runs.iter().zip(&distances);
            let excess: Vec<i64> = pairs
                .filter_map(|(run, distance)| {
                    Some(i64::from(run.length?) - i64::from((*distance)?))
                })
                .collect();
            is_possible &= excess.iter().all(|&moves| moves >= 0);
            let lengths = || record.runs.iter().filter_map(|run| run.length);
            let mut cpu: Vec<f64> = record.runs.iter().map(|run| run.cpu_s).collect();
            cpu.sort_unstable_by(f64::total_cmp);
            estimates.push(Estimate {
                method: method.title.clone(),
                solver: method.solver.clone(),
                solved: lengths().count(),
                longest: lengths().max(),
                mean_excess: (!excess.is_empty())
                    .then(|| excess.iter().sum::<i64>() as f64 / excess.len() as f64),
                cpu_s: median(&cpu),
            });
        }
        Some(DiameterRow {
            graph: graph.name(),
            diameter: graph.diameter,
            shown_by: graph.shown_by.clone(),
            pairs: exact.runs.len(),
            proven: distances.iter().flatten().count(),
            lower_bound,
            estimates,
            verdict: (!is_possible).then_some(Verdict::Contradiction),
        })
    }
}

impl PartedExperiment for DiameterExperiment {
    type Record = PairsRecord;
    type Comparison = DiameterComparison;

    fn name(&self) -> &str {
        &self.file.name
    }

    fn quick(&self) -> DiameterExperiment {
        let file = File { pairs: self.file.quick, ..self.file.clone() };
        DiameterExperiment { file, ..self.clone() }
    }

    fn parts(&self) -> usize {
        self.file.graph.len() * self.file.methods().count()
    }

    fn title_of(&self, part: usize) -> String {
        let (graph, method) = self.part(part);
        format!("{}, {}", graph.name(), method.title)
    }

    fn find<'r>(&self, part: usize, records: &'r [PairsRecord]) -> Option<&'r PairsRecord> {
        let (graph, method) = self.part(part);
        self.find_pairs(graph, method, records)
    }

    // Panics when no pair can be drawn: declared graphs are tested.
    fn run_part(
        &self,
        part: usize,
        threads: usize,
        cache: &Arc<TableCache>,
        control: &Control<'_>,
        command: &str,
    ) -> Option<PairsRecord> {
        let (graph, method) = self.part(part);
        let solver: Solver = method.solver.parse().expect("solvers were checked");
        let limits = method.limits.limits().expect("limits were checked");
        let random = graph.pairs(self.file.seed).expect("graphs were checked");
        let run = |number: u64| -> Report {
            let puzzle = random.nth(number).unwrap_or_else(|error| panic!("experiments: {error}"));
            let config = solver.config(self.file.seed + number).expect("solvers were checked");
            let config = Config { cache: Arc::clone(cache), threads: 1, ..config };
            solve(&puzzle, &config, &Control { limits, ..*control })
                .expect("the experiment's solvers fit its puzzles")
        };
        let mut runs = Vec::new();
        let cancelled = ordered_parallel_map(threads, 0..self.file.pairs as u64, run, |report| {
            if matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }) {
                return ControlFlow::Break(());
            }
            runs.push(RowRun::of(&report));
            ControlFlow::Continue(())
        });
        cancelled.is_none().then(|| PairsRecord {
            experiment: self.file.name.clone(),
            puz: graph.puz,
            solver: method.solver.clone(),
            limits: method.limits,
            seed: self.file.seed,
            runs,
            provenance: Provenance::now(command),
        })
    }

    fn compare(&self, records: &[PairsRecord]) -> DiameterComparison {
        DiameterComparison {
            heading: Heading::new(
                &self.file.name,
                &self.file.title,
                self.paper,
                &self.file.table,
                &self.file.section,
            ),
            rows: self.file.graph.iter().filter_map(|graph| self.row(graph, records)).collect(),
            notes: self.file.notes.clone(),
        }
    }

    fn verdicts(comparison: &DiameterComparison) -> Vec<Verdict> {
        comparison.rows.iter().filter_map(|row| row.verdict).collect()
    }
}
