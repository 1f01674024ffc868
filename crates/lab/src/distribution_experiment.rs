//! Experiments that repeat a randomised method many times on each puzzle.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use hyperslide_puzzle::{Metric, Puzzle};
use hyperslide_search::{Config, Control, Limit, Outcome, Report, TableCache, solve};
use serde::{Deserialize, Serialize};

use crate::compare::Verdict;
use crate::distribution_figures;
use crate::experiment::{RunLimits, Solver, declared};
use crate::figures::Figure;
use crate::heading::Heading;
use crate::instances::{KnownLength, find_instance};
use crate::mean_experiment::RowRun;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::papers::{Paper, find_paper};
use crate::parted_experiment::PartedExperiment;
use crate::provenance::Provenance;
use crate::record::Recorded;
use crate::statistics::{fisher_exact, median, quantile, sign_test, wilson_interval};

/// Their files. A new one is a file and a line here.
const FILES: &[&str] = &[
    include_str!("../../../experiments/cubical-ea-table-4.toml"),
    include_str!("../../../experiments/cubical-rl-table-5.toml"),
    include_str!("../../../experiments/cubical-ea-tuning.toml"),
    include_str!("../../../experiments/cubical-distributions.toml"),
    include_str!("../../../experiments/cubical-cpu.toml"),
    include_str!("../../../experiments/cubical-hybrid-ablation.toml"),
    include_str!("../../../experiments/cubical-rl-seeds.toml"),
];

/// A published table or figure of distributions.
#[derive(Clone, Debug)]
pub struct DistributionExperiment {
    /// The paper.
    pub paper: &'static Paper,
    pub(crate) file: File,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub name: String,
    title: String,
    paper: String,
    table: String,
    section: String,
    /// Runs of each method on each row.
    pub runs: usize,
    quick: usize,
    /// Run i has the seed `seed + i`.
    pub seed: u64,
    #[serde(default)]
    limits: RunLimits,
    #[serde(default)]
    show: Show,
    #[serde(default)]
    notes: Vec<String>,
    pub method: Vec<Method>,
    row: Vec<Row>,
    #[serde(default)]
    pub figure: Vec<FigureSpec>,
}

/// A figure to draw of the cells.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureSpec {
    pub name: String,
    pub title: String,
    pub draw: FigureKind,
    /// The methods it shows, by their keys; all when empty.
    #[serde(default)]
    pub methods: Vec<String>,
    /// The rules k it shows; all when empty.
    #[serde(default)]
    pub rules: Vec<usize>,
    /// Published points of a figure over a parameter: its value, and what is published there.
    #[serde(default)]
    pub published: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FigureKind {
    /// How often each length came: a row for each dimension and rule, a column for each level.
    Histograms,
    /// CPU seconds over the level.
    Times,
    /// Success and generations over c.
    Success,
    /// Runs of optimal length over c, and the lengths for two of its values.
    Optimal,
}

/// What is shown of each cell beside success, minimum, median and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Show {
    /// Nothing.
    #[default]
    Summary,
    /// How often each length came.
    Histogram,
    /// CPU seconds.
    Cpu,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Method {
    /// How rows name it.
    pub key: String,
    pub title: String,
    pub solver: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    instance: String,
    rule: Option<usize>,
    /// Settings of this row, by method, as in the text of a solver.
    #[serde(default)]
    with: BTreeMap<String, String>,
    /// What the paper prints, by method.
    #[serde(default)]
    published: BTreeMap<String, Summary>,
    /// What the data published with the code says, by method.
    #[serde(default)]
    data: BTreeMap<String, Summary>,
    /// Why the printed values are wrong, by method.
    #[serde(default)]
    wrong: BTreeMap<String, String>,
    /// Why ours are others although the published ones are right, by method.
    #[serde(default)]
    differs: BTreeMap<String, String>,
}

/// A distribution of lengths as a paper gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Runs that solved the puzzle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<u64>,
    /// Of so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// The least number of moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
    /// The median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Seconds of a run: see the experiment's notes for whose and which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// The runs of one method on one row: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellRecord {
    /// The experiment.
    pub experiment: String,
    /// The instance.
    pub instance: String,
    /// Its rule k, for cubes.
    pub rule: Option<usize>,
    /// The solver with its parameters.
    pub solver: String,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The seed of the first run; each further has the next.
    pub seed: u64,
    /// One entry a run.
    pub runs: Vec<RowRun>,
    /// When, where and by what it was made.
    pub provenance: Provenance,
}

impl Recorded for CellRecord {
    /// Whether its solver and instance are such, and no run is shorter than what is known to be shortest.
    fn check(&self) -> Result<(), String> {
        self.solver.parse::<Solver>()?;
        let (instance, _) = find_instance(&self.instance)
            .ok_or_else(|| format!("unknown instance {}", self.instance))?;
        let too_short = |length: u32| match instance.known_length(self.rule) {
            Some(KnownLength::Moves(optimum)) => length < optimum,
            Some(KnownLength::Unsolvable) => true,
            None => false,
        };
        match self.runs.iter().filter_map(|run| run.length).find(|&length| too_short(length)) {
            Some(length) => Err(format!("a solution of {length} moves is impossible")),
            None => Ok(()),
        }
    }
}

/// What was found of a cell, and what was printed.
#[derive(Clone, Debug, Serialize)]
pub struct DistributionCell {
    /// The instance.
    pub instance: String,
    /// Its rule k, for cubes.
    pub rule: Option<usize>,
    /// The method.
    pub method: String,
    /// The solver with its parameters.
    pub solver: String,
    /// Length of a shortest solution, where one is known.
    pub optimum: Option<u32>,
    /// Runs.
    pub runs: u64,
    /// Runs that solved the puzzle.
    pub solved: u64,
    /// The 95 % interval of the success rate (Wilson).
    pub success_interval: (f64, f64),
    /// The least number of moves.
    pub min: Option<u32>,
    /// Quartiles and median.
    pub quartiles: Option<[f64; 3]>,
    /// The greatest number of moves.
    pub max: Option<u32>,
    /// How often each length came.
    pub histogram: BTreeMap<u32, u64>,
    /// Least, median and greatest CPU seconds of a run.
    pub cpu_s: [f64; 3],
    /// Median of the states expanded (for an evolution: mutations).
    pub expanded: f64,
    /// What the paper prints.
    pub published: Option<Summary>,
    /// What the data published with its code says, where that is something else.
    pub data: Option<Summary>,
    /// Fisher's exact test: how likely success rates as different come by chance.
    pub success_p: Option<f64>,
    /// Sign test: how likely as many lengths on one side of the other median come by chance.
    pub median_p: Option<f64>,
    /// How ours stand to the published ones; none where nothing is published.
    pub verdict: Option<Verdict>,
    /// Why they differ.
    pub reason: Option<String>,
}

/// A published table beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct DistributionComparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// What is to be shown.
    pub show: Show,
    /// The cells in order.
    pub cells: Vec<DistributionCell>,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
}

/// All of them, in order.
pub static DISTRIBUTION_EXPERIMENTS: LazyLock<Vec<DistributionExperiment>> =
    LazyLock::new(|| declared(FILES, read));

fn read(text: &str) -> Result<DistributionExperiment, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let in_file = |error: String| format!("{}: {error}", file.name);
    let paper = find_paper(&file.paper).map_err(in_file)?;
    file.limits.limits().map_err(in_file)?;
    for row in &file.row {
        row.puzzle().map_err(in_file)?;
        for method in &file.method {
            row.solver(method).parse::<Solver>().map_err(in_file)?;
        }
        let named = (row.published.keys().chain(row.data.keys()))
            .chain(row.wrong.keys().chain(row.differs.keys()))
            .chain(row.with.keys());
        for key in named {
            if file.method.iter().all(|method| method.key != *key) {
                return Err(in_file(format!("there is no method {key}")));
            }
        }
    }
    let shown = file.figure.iter().flat_map(|figure| &figure.methods);
    if let Some(key) = { shown }.find(|key| file.method.iter().all(|method| method.key != **key)) {
        return Err(in_file(format!("there is no method {key}")));
    }
    Ok(DistributionExperiment { paper, file })
}

impl Row {
    fn solver(&self, method: &Method) -> String {
        match self.with.get(&method.key) {
            Some(settings) => format!("{} {settings}", method.solver),
            None => method.solver.clone(),
        }
    }

    fn puzzle(&self) -> Result<Puzzle, String> {
        let (instance, _) = find_instance(&self.instance)
            .ok_or_else(|| format!("unknown instance {}", self.instance))?;
        instance.puzzle(self.rule, Metric::Face).map_err(|error| error.to_string())
    }
}

impl DistributionExperiment {
    /// The row and the method of a part.
    fn cell(&self, number: usize) -> (&Row, &Method) {
        let methods = self.file.method.len();
        (&self.file.row[number / methods], &self.file.method[number % methods])
    }
}

impl PartedExperiment for DistributionExperiment {
    type Record = CellRecord;
    type Comparison = DistributionComparison;

    fn name(&self) -> &str {
        &self.file.name
    }

    fn parts(&self) -> usize {
        self.file.row.len() * self.file.method.len()
    }

    fn quick(&self) -> DistributionExperiment {
        let file = File { runs: self.file.quick, ..self.file.clone() };
        DistributionExperiment { file, ..self.clone() }
    }

    fn title_of(&self, number: usize) -> String {
        let (row, method) = self.cell(number);
        let rule = row.rule.map(|rule| format!(" k={rule}")).unwrap_or_default();
        format!("{}{rule}, {}", row.instance, method.title)
    }

    fn find<'r>(&self, number: usize, records: &'r [CellRecord]) -> Option<&'r CellRecord> {
        let (row, method) = self.cell(number);
        records.iter().find(|record| {
            record.experiment == self.file.name
                && (&record.instance, record.rule) == (&row.instance, row.rule)
                && (&record.solver, record.limits) == (&row.solver(method), self.file.limits)
                && (record.seed, record.runs.len()) == (self.file.seed, self.file.runs)
        })
    }

    fn run_part(
        &self,
        number: usize,
        threads: usize,
        cache: &Arc<TableCache>,
        control: &Control<'_>,
        command: &str,
    ) -> Option<CellRecord> {
        let (row, method) = self.cell(number);
        let puzzle = row.puzzle().expect("instances were checked");
        let solver: Solver = row.solver(method).parse().expect("solvers were checked");
        let limits = self.file.limits.limits().expect("limits were checked");
        let run = |seed: u64| -> Report {
            let config = solver.config(seed).expect("solvers were checked");
            let config = Config { cache: Arc::clone(cache), threads: 1, ..config };
            solve(&puzzle, &config, &Control { limits, ..*control })
                .expect("the experiment's solvers fit its puzzles")
        };
        let seeds = self.file.seed..self.file.seed + self.file.runs as u64;
        let mut runs = Vec::new();
        let cancelled = ordered_parallel_map(threads, seeds, run, |report| {
            if matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }) {
                return ControlFlow::Break(());
            }
            runs.push(RowRun::of(&report));
            ControlFlow::Continue(())
        });
        cancelled.is_none().then(|| CellRecord {
            experiment: self.file.name.clone(),
            instance: row.instance.clone(),
            rule: row.rule,
            solver: row.solver(method),
            limits: self.file.limits,
            seed: self.file.seed,
            runs,
            provenance: Provenance::now(command),
        })
    }

    fn compare(&self, records: &[CellRecord]) -> DistributionComparison {
        let cells = (0..self.parts())
            .filter_map(|number| {
                let (row, method) = self.cell(number);
                Some(compare_cell(row, method, self.find(number, records)?))
            })
            .collect();
        DistributionComparison {
            heading: Heading::new(
                &self.file.name,
                &self.file.title,
                self.paper,
                &self.file.table,
                &self.file.section,
            ),
            show: self.file.show,
            cells,
            notes: self.file.notes.clone(),
        }
    }

    fn has_figures(&self) -> bool {
        !self.file.figure.is_empty()
    }

    fn figures(&self, comparison: &DistributionComparison) -> Vec<Figure> {
        distribution_figures::draw(&self.file, comparison)
    }

    fn verdicts(comparison: &DistributionComparison) -> Vec<Verdict> {
        comparison.cells.iter().filter_map(|cell| cell.verdict).collect()
    }
}

/// Medians may differ by so many moves, or by as many as chance makes it, and still be called equal.
const MEDIAN_TOLERANCE: f64 = 2.0;
/// Medians of fewer lengths are not compared.
const FEW: u64 = 10;
/// Success rates and medians are called different when chance makes them so less often than this.
const UNLIKELY: f64 = 0.01;

fn compare_cell(row: &Row, method: &Method, record: &CellRecord) -> DistributionCell {
    let mut lengths: Vec<u32> = record.runs.iter().filter_map(|run| run.length).collect();
    lengths.sort_unstable();
    let (runs, solved) = (record.runs.len() as u64, lengths.len() as u64);
    let as_numbers: Vec<f64> = lengths.iter().map(|&length| f64::from(length)).collect();
    let quartiles =
        (solved > 0).then(|| [0.25, 0.5, 0.75].map(|share| quantile(&as_numbers, share)));
    let mut histogram = BTreeMap::new();
    for &length in &lengths {
        *histogram.entry(length).or_default() += 1;
    }
    let sorted = |value: &dyn Fn(&RowRun) -> f64| -> Vec<f64> {
        let mut values: Vec<f64> = record.runs.iter().map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let cpu = sorted(&|run| run.cpu_s);
    let (published, data) = (row.published.get(&method.key), row.data.get(&method.key));
    let wrong = row.wrong.get(&method.key);
    // What ours is measured against: the data where the print is known to be wrong.
    let right = data.or(published.filter(|_| wrong.is_none()));
    let success_p =
        right.and_then(|right| Some(fisher_exact((solved, runs), (right.solved?, right.runs?))));
    let median_p = right
        .and_then(|right| right.median)
        .filter(|_| solved > 0)
        .map(|other| sign_test(&as_numbers, other));
    // The median of a few solutions says little.
    let has_medians = solved >= FEW && right.is_some_and(|right| right.solved >= Some(FEW));
    let other = right.and_then(|right| right.median).filter(|_| has_medians);
    let has_same_median = other.is_none_or(|other| {
        let is_near = |[_, median, _]: [f64; 3]| (median - other).abs() <= MEDIAN_TOLERANCE;
        quartiles.is_some_and(is_near) || median_p >= Some(UNLIKELY)
    });
    let is_equal = success_p.is_none_or(|p| p >= UNLIKELY) && has_same_median;
    let differs = row.differs.get(&method.key);
    let verdict = match (published, right) {
        (None, _) => None,
        (Some(_), _) if wrong.is_some() && is_equal => Some(Verdict::PublishedWrong),
        (Some(_), Some(_)) if is_equal && wrong.is_none() => Some(Verdict::Equal),
        (Some(_), _) if differs.is_some() => Some(Verdict::Explained),
        (Some(_), _) => Some(Verdict::Unexplained),
    };
    let instance = find_instance(&row.instance).map(|(instance, _)| instance);
    let known = instance.and_then(|instance| instance.known_length(row.rule));
    DistributionCell {
        instance: row.instance.clone(),
        rule: row.rule,
        method: method.title.clone(),
        solver: row.solver(method),
        optimum: known.and_then(KnownLength::moves),
        runs,
        solved,
        success_interval: wilson_interval(solved, runs),
        min: lengths.first().copied(),
        quartiles,
        max: lengths.last().copied(),
        histogram,
        cpu_s: [0.0, 0.5, 1.0].map(|share| quantile(&cpu, share)),
        expanded: median(&sorted(&|run| run.expanded as f64)),
        published: published.copied(),
        data: data.copied(),
        success_p,
        median_p,
        verdict,
        reason: wrong.or(differs.filter(|_| !is_equal)).cloned(),
    }
}
