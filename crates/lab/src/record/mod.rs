//! Records: what was run, what it found, and what made it.

mod census;
mod directory;
mod file;
mod legacy;
mod provenance;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use census::{CensusRecord, LabelledRecord, SurveyRecord, known_censuses};
pub use directory::{RecordDirectory, Unread};
pub use file::{RecordError, RecordFile};
pub(crate) use provenance::programs;
pub use provenance::{Machine, Provenance, REVISION};

use crate::task::{SolveTask, Task, TaskData};

/// One recorded task: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRecord {
    /// The experiment's name.
    pub experiment: String,
    /// What was run.
    pub task: Task,
    /// What it found.
    pub data: TaskData,
    /// What made it, where and when.
    pub provenance: Provenance,
}

impl TaskRecord {
    /// Reads a line of a file, in the format of this version or of an earlier one.
    ///
    /// # Errors
    ///
    /// What is wrong with the line.
    pub fn read(line: &[u8]) -> Result<TaskRecord, serde_json::Error> {
        let value: Value = serde_json::from_slice(line)?;
        match value.get("task") {
            Some(_) => serde_json::from_value(value),
            None => legacy::read(value),
        }
    }

    /// The record of a task that has just ended.
    pub(crate) fn new(experiment: &str, task: &Task, data: TaskData, command: &str) -> TaskRecord {
        let (experiment, task) = (experiment.to_owned(), task.clone());
        TaskRecord { experiment, task, data, provenance: Provenance::now(command) }
    }

    /// Returns whether it is the record of this experiment's task.
    pub fn is_of(&self, experiment: &str, task: &Task) -> bool {
        self.experiment == experiment && self.task == *task
    }

    /// The last record of an experiment's task, if there is one among these: a proof that was
    /// continued has a record after that of a run which reached its limit.
    pub fn last_of<'r>(
        experiment: &str,
        task: &Task,
        records: &'r [TaskRecord],
    ) -> Option<&'r TaskRecord> {
        records.iter().rfind(|record| record.is_of(experiment, task))
    }

    /// The records that answer an experiment's task: the last one of the whole task, or those of
    /// its first runs, in order. They need not be of all its runs.
    pub fn answers<'r>(
        experiment: &str,
        task: &Task,
        records: &'r [TaskRecord],
    ) -> Vec<&'r TaskRecord> {
        if let Some(whole) = TaskRecord::last_of(experiment, task, records) {
            return vec![whole];
        }
        let Task::Solve(whole) = task else { return Vec::new() };
        let part = |record: &'r TaskRecord| match &record.task {
            Task::Solve(part) if record.experiment == experiment && part.is_part_of(whole) => {
                Some((part, record))
            }
            _ => None,
        };
        let parts: Vec<(&SolveTask, &TaskRecord)> = records.iter().filter_map(part).collect();
        let (mut answers, mut next) = (Vec::new(), whole.first);
        while let Some((part, record)) = parts.iter().rfind(|(part, _)| part.first == next) {
            next += part.runs;
            answers.push(*record);
        }
        answers
    }

    /// Checks what it claims, although it could be read: solutions are replayed by the rules.
    ///
    /// # Errors
    ///
    /// What is wrong, in a sentence.
    pub fn check(&self) -> Result<(), String> {
        self.task.check(&self.data)
    }
}
