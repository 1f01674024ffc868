//! The cubical paper's statements, checked case by case.

use std::collections::BTreeMap;

use hyperslide_census::{TheoremsReport, ThresholdCheck};
use serde::{Deserialize, Serialize};

use super::{NoData, TaskContext, TaskData, TaskProgress};

/// Up to which dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheoremsTask {
    /// The greatest dimension of a cube.
    pub max_d: usize,
}

/// What became of every statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheoremsData {
    /// The statements, by name.
    pub statements: Vec<Statement>,
    /// S(d, k) found in several ways.
    pub thresholds: Vec<ThresholdCheck>,
    /// The number of graphs that have too many occupied sets and were passed over.
    pub passed_over: usize,
}

/// A statement on all graphs that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Which, as in `Theorem 1.6`.
    pub name: String,
    /// The number of puzzle graphs on which it was checked.
    pub graphs: u64,
    /// The number of cases: occupied sets, or components.
    pub cases: u64,
    /// The number of graphs on which it fails.
    pub failures: u64,
    /// The first counterexample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<String>,
}

impl TheoremsTask {
    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        let report = TheoremsReport::new(self.max_d, context.cancel, &mut |progress| {
            (context.progress)(&TaskProgress {
                done: progress.done,
                of: progress.total,
                search: None,
            });
        });
        if !report.complete {
            return Err(NoData::Cancelled);
        }
        Ok(TaskData::Theorems(TheoremsData::from(&report)))
    }
}

impl From<&TheoremsReport> for TheoremsData {
    fn from(report: &TheoremsReport) -> TheoremsData {
        let mut statements: BTreeMap<&str, Statement> = BTreeMap::new();
        for check in &report.checks {
            let statement = statements.entry(check.statement).or_default();
            statement.name = check.statement.to_owned();
            statement.graphs += 1;
            statement.cases += check.cases;
            if let Some(counterexample) = &check.counterexample {
                let (d, k, l) = (check.d, check.k, check.l);
                statement.failures += 1;
                statement
                    .counterexample
                    .get_or_insert_with(|| format!("puz[{d},{k},{l}]: {counterexample}"));
            }
        }
        TheoremsData {
            statements: statements.into_values().collect(),
            thresholds: report.thresholds.clone(),
            passed_over: report.passed_over,
        }
    }
}
