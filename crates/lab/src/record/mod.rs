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

use crate::task::{Task, TaskData};

/// One recorded task: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    experiment: String,
    task: Task,
    data: TaskData,
    provenance: Provenance,
}

impl TryFrom<Value> for TaskRecord {
    type Error = String;

    /// Reads a record of this version or of an earlier one.
    fn try_from(value: Value) -> Result<TaskRecord, String> {
        if value.get("task").is_none() {
            return legacy::read(value);
        }
        let Line { experiment, task, data, provenance } =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(TaskRecord { experiment, task, data, provenance })
    }
}

impl TaskRecord {
    /// The record of a task that has just ended.
    pub(crate) fn new(experiment: &str, task: &Task, data: TaskData, command: &str) -> TaskRecord {
        let (experiment, task) = (experiment.to_owned(), task.clone());
        TaskRecord { experiment, task, data, provenance: Provenance::now(command) }
    }

    /// Returns whether it is the record of this experiment's task.
    pub fn is_of(&self, experiment: &str, task: &Task) -> bool {
        self.experiment == experiment && self.task == *task
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
