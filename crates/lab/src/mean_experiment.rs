//! Experiments whose rows are means over random puzzles.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, LazyLock};

use hyperslide_puzzle::{Board, BoardSource, Metric, Puzzle};
use hyperslide_search::{Config, Control, Limit, Outcome, Report, TableCache, solve};
use serde::{Deserialize, Serialize};

use crate::compare::Verdict;
use crate::experiment::{RunLimits, Solver, declared};
use crate::graph_experiment::Cell;
use crate::heading::Heading;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::papers::{Paper, find_paper};
use crate::parted_experiment::PartedExperiment;
use crate::provenance::Provenance;
use crate::random::{Law, RandomPuzzles};
use crate::record::Recorded;

/// Their files. A new one is a file and a line here.
const FILES: &[&str] = &[include_str!("../../../experiments/sliding-block-study.toml")];

/// A published table of means over random puzzles.
#[derive(Clone, Debug)]
pub struct MeanExperiment {
    /// The paper.
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
    count: usize,
    quick: usize,
    seed: u64,
    #[serde(default)]
    notes: Vec<String>,
    row: Vec<Row>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    board: String,
    method: String,
    solver: String,
    #[serde(default)]
    limits: RunLimits,
    /// Its searches take minutes and most of a machine's memory: they run one at a time, are recorded [`PORTION`] by
    /// `PORTION`, and a quick run leaves them out.
    #[serde(default)]
    long: bool,
    published: Option<Means>,
    /// Why the published means are no sample of what ours are of: they are then never called equal.
    other_puzzles: Option<String>,
    /// Why our values are others, by the cell's name.
    #[serde(default)]
    differs: BTreeMap<String, String>,
}

/// What the study prints of a method, in its words.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Means {
    expanded: u64,
    explored: u64,
    moves: u64,
}

/// Puzzles of one record of a long row: what a run that is stopped loses at most.
const PORTION: usize = 10;

/// The runs of one row, or of a portion of a long one: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowRecord {
    /// The experiment.
    pub experiment: String,
    /// The board.
    pub board: String,
    /// The solver with its parameters.
    pub solver: String,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The seed of the puzzles.
    pub seed: u64,
    /// The first of these puzzles, counted from 0 among the board's.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: usize,
    /// One entry a puzzle.
    pub runs: Vec<RowRun>,
    /// When, where and by what it was made.
    pub provenance: Provenance,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(first: &usize) -> bool {
    *first == 0
}

impl Recorded for RowRecord {
    /// Whether its solver is one.
    fn check(&self) -> Result<(), String> {
        self.solver.parse::<Solver>().map(|_| ())
    }
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowRun {
    /// Moves of the solution, when there is one.
    pub length: Option<u32>,
    /// Whether it is proven shortest.
    pub optimal: bool,
    /// States held at a time.
    pub stored: u64,
    /// States generated.
    pub generated: u64,
    /// States expanded.
    pub expanded: u64,
    /// CPU seconds.
    pub cpu_s: f64,
}

impl RowRun {
    /// What is recorded of a report.
    pub(crate) fn of(report: &Report) -> RowRun {
        let (length, optimal) = match &report.outcome {
            Outcome::Solved { moves, optimal, .. } => (Some(moves.len() as u32), *optimal),
            Outcome::LimitReached { .. } | Outcome::Unsolvable(_) => (None, false),
        };
        let stats = report.stats;
        RowRun {
            length,
            optimal,
            stored: stats.stored,
            generated: stats.generated,
            expanded: stats.expanded,
            cpu_s: stats.cpu_s,
        }
    }
}

/// A row beside the published one.
#[derive(Clone, Debug, Serialize)]
pub struct MeanRow {
    /// The board.
    pub board: String,
    /// The method in the paper's words.
    pub method: String,
    /// The solver with its parameters.
    pub solver: String,
    /// How many puzzles it was given, solved, and proved.
    pub puzzles: (usize, usize, usize),
    /// Means: states stored, generated, expanded, and CPU seconds.
    pub stored: f64,
    /// See `stored`.
    pub generated: f64,
    /// See `stored`.
    pub expanded: f64,
    /// See `stored`.
    pub cpu_s: f64,
    /// Mean length of the solutions.
    pub moves: Option<f64>,
    /// What the paper calls expanded, when it has this row.
    pub published_expanded: Option<u64>,
    /// The cells that are judged: what the paper calls explored, and moves.
    pub cells: Vec<Cell>,
}

/// A published table beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct MeanComparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// The rows in order.
    pub rows: Vec<MeanRow>,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
}

/// All of them, in order.
pub static MEAN_EXPERIMENTS: LazyLock<Vec<MeanExperiment>> =
    LazyLock::new(|| declared(FILES, read));

fn read(text: &str) -> Result<MeanExperiment, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let paper = find_paper(&file.paper).map_err(|error| format!("{}: {error}", file.name))?;
    for row in &file.row {
        row.solver.parse::<Solver>().map_err(|error| format!("{}: {error}", file.name))?;
        row.limits.limits()?;
        if let Some(cell) = row.differs.keys().find(|cell| !COLUMNS.contains(&cell.as_str())) {
            return Err(format!("{}: there is no column {cell}", file.name));
        }
    }
    Ok(MeanExperiment { paper, file })
}

/// The columns that are judged.
const COLUMNS: [&str; 2] = ["explored", "moves"];

impl MeanExperiment {
    fn is_of(&self, (row, puzzles): &(&Row, Range<usize>), record: &RowRecord) -> bool {
        record.experiment == self.file.name
            && (record.board == row.board && record.solver == row.solver)
            && record.limits == row.limits
            && record.seed == self.file.seed
            && (record.first == puzzles.start && record.runs.len() == puzzles.len())
    }

    /// Its parts in order: rows, or portions of long ones.
    fn row_parts(&self) -> impl Iterator<Item = (&Row, Range<usize>)> {
        let count = self.file.count;
        self.file.row.iter().flat_map(move |row| {
            let portion = if row.long { PORTION } else { count };
            let starts = (0..count).step_by(portion);
            starts.map(move |start| (row, start..count.min(start + portion)))
        })
    }

    fn row_part(&self, number: usize) -> (&Row, Range<usize>) {
        self.row_parts().nth(number).expect("parts are asked for by their numbers")
    }

    /// The puzzles of a board, the same for all its rows.
    fn puzzles(&self, board: &str) -> Vec<Puzzle> {
        let Ok(BoardSource::Spec(spec)) = board.parse() else {
            panic!("experiments: {board} is no board");
        };
        let board = Board::new(spec, Metric::Face).expect("the study's boards are boards");
        let tokens = board.vertex_count() - 1;
        let (law, seed) = (Law::Uniform, self.file.seed);
        let random = RandomPuzzles { board, tokens, goal: None, law, seed };
        random.draw(self.file.count).expect("half of all starts can be solved")
    }
}

impl PartedExperiment for MeanExperiment {
    type Record = RowRecord;
    type Comparison = MeanComparison;

    fn name(&self) -> &str {
        &self.file.name
    }

    fn parts(&self) -> usize {
        self.row_parts().count()
    }

    fn quick(&self) -> MeanExperiment {
        let row = self.file.row.iter().filter(|row| !row.long).cloned().collect();
        let file = File { count: self.file.quick, row, ..self.file.clone() };
        MeanExperiment { file, ..self.clone() }
    }

    fn run_part(
        &self,
        number: usize,
        threads: usize,
        cache: &Arc<TableCache>,
        control: &Control<'_>,
        command: &str,
    ) -> Option<RowRecord> {
        let (row, numbers) = self.row_part(number);
        let solver: Solver = row.solver.parse().expect("solvers were checked");
        let limits = row.limits.limits().expect("limits were checked");
        let run = |puzzle: Puzzle| -> Report {
            let config = solver.config(0).expect("solvers were checked");
            let config = Config { cache: Arc::clone(cache), threads: 1, ..config };
            solve(&puzzle, &config, &Control { limits, ..*control })
                .expect("the study's solvers fit its puzzles")
        };
        let mut runs = Vec::new();
        let threads = if row.long { 1 } else { threads };
        let mut puzzles = self.puzzles(&row.board);
        let cancelled =
            ordered_parallel_map(threads, puzzles.drain(numbers.clone()), run, |report| {
                if matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }) {
                    return ControlFlow::Break(());
                }
                runs.push(RowRun::of(&report));
                ControlFlow::Continue(())
            });
        cancelled.is_none().then(|| RowRecord {
            experiment: self.file.name.clone(),
            board: row.board.clone(),
            solver: row.solver.clone(),
            limits: row.limits,
            seed: self.file.seed,
            first: numbers.start,
            runs,
            provenance: Provenance::now(command),
        })
    }

    fn find<'r>(&self, number: usize, records: &'r [RowRecord]) -> Option<&'r RowRecord> {
        let part = self.row_part(number);
        records.iter().find(|record| self.is_of(&part, record))
    }

    fn title_of(&self, number: usize) -> String {
        let (row, puzzles) = self.row_part(number);
        let portion = if puzzles.len() < self.file.count {
            format!(", puzzles {} to {}", puzzles.start + 1, puzzles.end)
        } else {
            String::new()
        };
        format!("{}, {}{portion}", row.board, row.method)
    }

    fn memory_of(&self, number: usize) -> u64 {
        self.row_part(number).0.limits.memory_bytes.unwrap_or(0)
    }

    fn compare(&self, records: &[RowRecord]) -> MeanComparison {
        let mut rows: Vec<(&Row, Vec<RowRun>)> = Vec::new();
        for (number, (row, _)) in self.row_parts().enumerate() {
            let Some(record) = self.find(number, records) else { continue };
            match rows.last_mut() {
                Some((known, runs)) if std::ptr::eq(*known, row) => runs.extend(&record.runs),
                _ => rows.push((row, record.runs.clone())),
            }
        }
        let rows = rows.iter().map(|(row, runs)| compare_row(row, runs)).collect();
        MeanComparison {
            heading: Heading::new(
                &self.file.name,
                &self.file.title,
                self.paper,
                &self.file.table,
                &self.file.section,
            ),
            rows,
            notes: self.file.notes.clone(),
        }
    }

    fn verdicts(comparison: &MeanComparison) -> Vec<Verdict> {
        let cells = comparison.rows.iter().flat_map(|row| &row.cells);
        cells.map(|cell| cell.verdict).collect()
    }
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

fn compare_row(row: &Row, runs: &[RowRun]) -> MeanRow {
    let of = |value: &dyn Fn(&RowRun) -> f64| -> Vec<f64> { runs.iter().map(value).collect() };
    let lengths: Vec<f64> = runs.iter().filter_map(|run| run.length.map(f64::from)).collect();
    let solved = lengths.len();
    let expanded = of(&|run| run.expanded as f64);
    let cell = |column: &str, published: u64, values: &[f64]| {
        let (ours, error) = mean(values);
        let reason = row.other_puzzles.as_ref().or(row.differs.get(column)).cloned();
        // Both means are off, by as much.
        let is_equal = row.other_puzzles.is_none()
            && (ours - published as f64).abs() < 3.0 * error * std::f64::consts::SQRT_2;
        let verdict = match (&reason, is_equal) {
            (_, _) if values.is_empty() => Verdict::NotReached,
            (None, true) => Verdict::Equal,
            (Some(_), false) => Verdict::Explained,
            _ => Verdict::Unexplained,
        };
        Cell {
            column: column.to_owned(),
            published: published.to_string(),
            ours: Some(format!("{ours:.1}")),
            verdict,
            reason,
        }
    };
    let cells = row.published.map_or_else(Vec::new, |published| {
        vec![
            cell("explored", published.explored, &expanded),
            cell("moves", published.moves, &lengths),
        ]
    });
    MeanRow {
        board: row.board.clone(),
        method: row.method.clone(),
        solver: row.solver.clone(),
        puzzles: (runs.len(), solved, runs.iter().filter(|run| run.optimal).count()),
        stored: mean(&of(&|run| run.stored as f64)).0,
        generated: mean(&of(&|run| run.generated as f64)).0,
        expanded: mean(&expanded).0,
        cpu_s: mean(&of(&|run| run.cpu_s)).0,
        moves: (solved > 0).then(|| mean(&lengths).0),
        published_expanded: row.published.map(|published| published.expanded),
        cells,
    }
}
