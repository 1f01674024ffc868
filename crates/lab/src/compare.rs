//! A published table beside our records. Reads records only.

use std::fmt;

use serde::Serialize;

use crate::experiment::{Experiment, PublishedRow};
use crate::heading::Heading;
use crate::instances::find_instance;
use crate::record::Record;
use crate::result::Status;

/// How our value stands to the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same value, proven.
    Equal,
    /// Shorter, or solved where the paper's method failed.
    Better,
    /// The published value is wrong, and the row says why.
    PublishedWrong,
    /// Different, and the row says why neither value is wrong.
    Explained,
    /// Not proven by us.
    NotReached,
    /// Proven different, and nobody has explained why: look into it.
    Unexplained,
    /// Our own runs contradict each other: a bug.
    Contradiction,
    /// There is no record of it.
    Missing,
}

impl Verdict {
    /// All verdicts, the good ones first.
    pub const ALL: [Verdict; 8] = [
        Verdict::Equal,
        Verdict::Better,
        Verdict::PublishedWrong,
        Verdict::Explained,
        Verdict::NotReached,
        Verdict::Unexplained,
        Verdict::Contradiction,
        Verdict::Missing,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Equal => "equal",
            Verdict::Better => "better",
            Verdict::PublishedWrong => "published value wrong",
            Verdict::Explained => "difference explained",
            Verdict::NotReached => "not reached",
            Verdict::Unexplained => "unexplained difference",
            Verdict::Contradiction => "contradiction",
            Verdict::Missing => "no record",
        })
    }
}

/// A published row beside our records of it.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonRow {
    /// The row's number in the published table.
    pub row: usize,
    /// The instance.
    pub instance: String,
    /// Its rule k.
    pub rule: Option<usize>,
    /// The published length; none where the paper's method failed.
    pub published: Option<u32>,
    /// Our length, when it is proven.
    pub ours: Option<u32>,
    /// Whether our answer is proven: optimal, or unsolvable.
    pub proven: bool,
    /// How they stand to each other.
    pub verdict: Verdict,
    /// Why the published value is wrong, and other remarks.
    pub remarks: Vec<String>,
    /// Our records, in the order of the experiment's solvers.
    pub records: Vec<Record>,
}

/// A published table beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// Its page, where known.
    pub page: Option<u32>,
    /// The rows in the published order.
    pub rows: Vec<ComparisonRow>,
    /// What is wrong with the table as a whole.
    pub notes: Vec<String>,
}

/// Puts the records of an experiment beside the published rows. Records of another puzzle than the
/// row's do not count, whatever they are called.
///
/// # Panics
///
/// When a row names an instance or rule that does not exist; those of [`crate::EXPERIMENTS`] do.
pub fn compare(experiment: &Experiment, records: &[Record]) -> Comparison {
    Comparison {
        heading: Heading::new(
            &experiment.name,
            &experiment.title,
            experiment.paper,
            &experiment.table,
            &experiment.section,
        ),
        page: experiment.page,
        rows: experiment.rows.iter().map(|row| compare_row(experiment, row, records)).collect(),
        notes: experiment.notes.clone(),
    }
}

fn compare_row(experiment: &Experiment, row: &PublishedRow, records: &[Record]) -> ComparisonRow {
    let (instance, _) = find_instance(&row.instance).expect("declared instances exist");
    let puzzle = instance.puzzle(row.rule, experiment.metric).expect("declared rules are in range");
    let puzzle = puzzle.to_string();
    let mut ours: Vec<Record> = Vec::new();
    for solver in &experiment.solvers {
        let is_of_row = |record: &&Record| {
            let key = &record.key;
            key.experiment == experiment.name
                && (key.instance == row.instance && key.rule == row.rule)
                && key.solver == *solver
                && key.puzzle == puzzle
        };
        ours.extend(records.iter().filter(is_of_row).cloned());
    }
    // What is proven: a length, or (as none) that there is no solution.
    let mut proven: Vec<Option<u32>> = ours
        .iter()
        .filter_map(|record| match (record.result.status, record.result.optimal) {
            (Status::Solved, Some(true)) => Some(record.result.length),
            (Status::Unsolvable, _) => Some(None),
            _ => None,
        })
        .collect();
    proven.dedup();
    let verdict = match (&proven[..], row.moves) {
        _ if ours.is_empty() => Verdict::Missing,
        ([], _) => Verdict::NotReached,
        ([_, _, ..], _) => Verdict::Contradiction,
        // Said to be wrong, and yet the same as ours: one of the two is not.
        ([ours], published) if row.wrong.is_some() => {
            if published.is_some() && *ours == published {
                Verdict::Unexplained
            } else {
                Verdict::PublishedWrong
            }
        }
        ([_], None) => Verdict::Better,
        ([Some(length)], Some(published)) if *length == published => Verdict::Equal,
        ([Some(length)], Some(published)) if *length < published => Verdict::Better,
        ([_], Some(_)) => Verdict::Unexplained,
    };
    ComparisonRow {
        row: row.row,
        instance: row.instance.clone(),
        rule: row.rule,
        published: row.moves,
        ours: proven.first().copied().flatten(),
        proven: proven.len() == 1,
        verdict,
        remarks: row.wrong.iter().chain(&row.note).cloned().collect(),
        records: ours,
    }
}
