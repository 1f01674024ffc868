//! Tables of ours next to what papers print. Reads records only.

mod contrasts;
mod draft;
mod findings;
mod graphs;
mod judge;
mod pairings;
mod rows;
mod stages;
mod theorems;
mod value;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

pub use findings::{Finding, Tally};
pub(crate) use graphs::found_layers;
pub use judge::Judge;
use judge::{Claim, Judgement};
pub(crate) use rows::Found;
pub(crate) use stages::{is_stages_column, tables as stages_tables};
pub use value::{Fraction, Value};

use crate::each_once::each_once;
use crate::experiment::Experiment;
use crate::measure::Measured;
use crate::record::{Provenance, TaskRecord};
use crate::task::Task;

/// How our value compares with the published one; the good verdicts come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same value, proven, or the same as far as a test can tell.
    Equal,
    /// Shorter or cheaper, or solved where the paper's method failed.
    Better,
    /// Proven where the paper prints bounds or that it is unknown.
    Settled,
    /// The published value is wrong, and the cell says why.
    PublishedWrong,
    /// Different, and the cell says why neither value is wrong.
    Explained,
    /// Not proven by us.
    NotReached,
    /// There is no record of it.
    Missing,
    /// Different, and nobody has explained why: look into it.
    Unexplained,
    /// Our own runs contradict each other: a bug.
    Contradiction,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Equal => "equal",
            Verdict::Better => "better",
            Verdict::Settled => "settled",
            Verdict::PublishedWrong => "published value wrong",
            Verdict::Explained => "difference explained",
            Verdict::NotReached => "not reached",
            Verdict::Missing => "no record",
            Verdict::Unexplained => "unexplained difference",
            Verdict::Contradiction => "contradiction",
        })
    }
}

/// How often each verdict was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct VerdictCounts(pub BTreeMap<Verdict, usize>);

impl VerdictCounts {
    /// All judged cells.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The number of cells with this verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.0.get(&verdict).copied().unwrap_or(0)
    }

    /// The counts of the cells of these tables.
    pub(crate) fn of_tables(tables: &[Table]) -> VerdictCounts {
        tables.iter().flat_map(Table::cells).filter_map(|cell| cell.verdict).collect()
    }

    /// Adds the counts of something else.
    pub(crate) fn add(&mut self, other: &VerdictCounts) {
        for (&verdict, &count) in &other.0 {
            *self.0.entry(verdict).or_default() += count;
        }
    }
}

impl FromIterator<Verdict> for VerdictCounts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        for verdict in verdicts {
            *counts.0.entry(verdict).or_default() += 1;
        }
        counts
    }
}

/// `18 equal, 6 better, 1 published value wrong`.
impl fmt::Display for VerdictCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        self.0.iter().try_for_each(|(verdict, count)| {
            write!(f, "{}{count} {verdict}", std::mem::replace(&mut separator, ", "))
        })
    }
}

/// What a comparison is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heading {
    /// The experiment.
    pub experiment: String,
    /// What it is.
    pub title: String,
    /// The paper's key; empty for experiments of one's own.
    pub document: String,
    /// The paper: authors, title, where.
    pub paper: String,
    /// The table, figure or theorems, or that there is none.
    pub table: String,
    /// The section where it stands, or which sets the task.
    pub section: String,
    /// Its page, where somebody has looked it up.
    pub page: Option<u32>,
}

/// Published tables next to ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// The tables in order.
    pub tables: Vec<Table>,
    /// What the records show, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What is to be known about all of them.
    pub notes: Vec<String>,
    /// How many rows are proven, and by which algorithms, where that is the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven: Option<String>,
    /// How often each verdict was given.
    pub verdicts: VerdictCounts,
    /// Whether there is a record of every task.
    pub complete: bool,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What the document calls it, where the comparison is of several of its tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it is of, where the comparison has several.
    pub title: Option<String>,
    /// The columns that name a row.
    pub keys: Vec<String>,
    /// The other columns.
    pub columns: Vec<Column>,
    /// Its rows in the published order.
    pub rows: Vec<Row>,
}

/// A column of values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The unit of its values: `moves`, `states`, `s` or nothing.
    pub unit: &'static str,
    /// Whether its values are numbers.
    #[serde(skip)]
    pub is_numeric: bool,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Its name: a text for each of the table's keys.
    pub keys: Vec<String>,
    /// Its cells, one for each of the table's columns.
    pub cells: Vec<Cell>,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What made our values, each once.
    pub records: Vec<Provenance>,
}

/// One value, ours next to the published one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Ours; none where there is none.
    pub ours: Option<Value>,
    /// The published value, or the one that ours must equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Value>,
    /// The published value as printed, where that is otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// How they compare, where ours is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many of the runs ours is a statistic of, where it is one: runs without a solution have
    /// no length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// The standard error of ours, where it is a mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The 95 % interval of ours, where it is a rate or a median of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// How likely a difference as large comes by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// How many runs of all have what a statistic is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// The number of runs in the sample.
    pub count: u64,
    /// The number of all runs.
    pub of: u64,
}

impl Table {
    /// A table that the document does not name.
    fn new(title: Option<String>, keys: &[&str], columns: Vec<Column>, rows: Vec<Row>) -> Table {
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        Table { label: None, title, keys, columns, rows }
    }

    /// The name of a row: `instance=korf15/1 k=2`.
    pub(crate) fn row_name(&self, keys: &[String]) -> String {
        let names = self.keys.iter().zip(keys).map(|(key, value)| format!("{key}={value}"));
        names.collect::<Vec<_>>().join(" ")
    }

    /// All its cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// The same, each with its row and its column.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Row, &Column, &Cell)> {
        self.rows.iter().flat_map(|row| {
            self.columns.iter().zip(&row.cells).map(move |(column, cell)| (row, column, cell))
        })
    }
}

impl Cell {
    /// Our value, where there is one, compared with nothing.
    fn ours(value: impl Into<Option<Value>>) -> Cell {
        Cell { ours: value.into(), ..Cell::default() }
    }

    /// Our value next to what is claimed of it, and judged, where there is a judge and a record.
    fn judged(judge: Option<Judge>, is_recorded: bool, ours: Measured, claim: Claim) -> Cell {
        let missing = claim.published.as_ref().map(|_| Verdict::Missing);
        let Judgement { verdict, reason, p } = match judge {
            // A contradiction is a bug, whether or not a judge looks at the value.
            None if ours.is_contradiction => {
                Judgement { verdict: Some(Verdict::Contradiction), ..Judgement::default() }
            }
            Some(judge) if is_recorded => judge.judge(&ours, &claim),
            judge => Judgement { verdict: judge.and(missing), ..Judgement::default() },
        };
        let published = claim.published.or(claim.data);
        let Measured { value: ours, error: standard_error, interval, sample, runs, .. } = ours;
        let sample = runs.map(|of| Sample { count: sample.len() as u64, of });
        let printed = None;
        Cell { ours, published, verdict, reason, sample, standard_error, interval, p, printed }
    }

    /// A probability: three decimal places suffice above a thousandth.
    fn probability(p: f64) -> Cell {
        Cell::ours(match p {
            ..0.001 => Value::Text("< 0.001".to_owned()),
            _ => Value::Number(p, 3),
        })
    }

    /// Returns whether ours is another number than the published one, and the same as far as a test
    /// can tell.
    pub fn is_close(&self) -> bool {
        let are_other_numbers = |(ours, published): (&Value, &Value)| {
            ours.number().is_some() && published.number().is_some() && !ours.is_same(published)
        };
        let both = self.ours.as_ref().zip(self.published.as_ref());
        self.verdict == Some(Verdict::Equal) && both.is_some_and(are_other_numbers)
    }

    /// Returns whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.ours.is_none() && self.published.is_none() && self.verdict.is_none()
    }
}

impl Column {
    fn number(name: &str, unit: &'static str) -> Column {
        Column { name: name.to_owned(), unit, is_numeric: true }
    }
}

impl Row {
    /// Why its values differ, and its note, each once.
    pub(crate) fn remarks(&self) -> Vec<&str> {
        let reasons = self.cells.iter().filter_map(|cell| cell.reason.as_deref());
        each_once(reasons.chain(self.note.as_deref()))
    }
}

/// What made these records, each once.
fn provenances<'r>(records: impl IntoIterator<Item = &'r TaskRecord>) -> Vec<Provenance> {
    let all = records.into_iter().map(|record| &record.provenance);
    each_once(all).into_iter().cloned().collect()
}

impl Comparison {
    /// All its cells.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.tables.iter().flat_map(Table::cells)
    }
}

impl Experiment {
    /// Puts records next to what is published. Records of other tasks than the experiment's do not
    /// count.
    pub fn compare(&self, records: &[TaskRecord]) -> Comparison {
        let mut tables = rows::tables(self, records);
        tables.extend(graphs::layers_table(self, records));
        tables.extend(theorems::tables(self, records));
        tables.extend(contrasts::tables(self, records));
        tables.extend(pairings::tables(self, records));
        tables.extend(stages::tables(self, records));
        let paper = self.paper();
        Comparison {
            heading: Heading {
                experiment: self.name().to_owned(),
                title: self.title().to_owned(),
                document: paper.map(|paper| paper.key.to_string()).unwrap_or_default(),
                paper: paper.map(ToString::to_string).unwrap_or_default(),
                table: self.file.table.clone(),
                section: self.file.section.clone(),
                page: self.file.page,
            },
            verdicts: VerdictCounts::of_tables(&tables),
            tables,
            findings: findings::findings(self, records),
            notes: self.file.notes.clone(),
            proven: rows::proven(self, records),
            complete: self.tasks().iter().all(|task| self.has_all_of(task, records)),
        }
    }

    /// Returns whether these records have all runs of a task.
    pub fn has_all_of(&self, task: &Task, records: &[TaskRecord]) -> bool {
        self.missing_of(task, records).is_none()
    }

    /// What of a task is not in these records: the whole task, or its last runs.
    pub(crate) fn missing_of(&self, task: &Task, records: &[TaskRecord]) -> Option<Task> {
        let answers = TaskRecord::answers(self.name(), task, records);
        let Some(last) = answers.last() else { return Some(task.clone()) };
        match (task, &last.task) {
            (Task::Solve(whole), Task::Solve(last)) => {
                let (next, end) = (last.first + last.runs, whole.first + whole.runs);
                (next < end).then(|| Task::Solve(whole.part(next, end - next)))
            }
            _ => None,
        }
    }

    /// The last record of a task, if there is one among these.
    pub fn find<'r>(&self, task: &Task, records: &'r [TaskRecord]) -> Option<&'r TaskRecord> {
        TaskRecord::last_of(self.name(), task, records)
    }
}
