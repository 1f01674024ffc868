//! Runs experiments: what the command line, a server and Python all call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyperslide_search::TableCache;
use hyperslide_table::lock;

use crate::experiment::Experiment;
use crate::record::{RecordError, RecordFile, TaskRecord};
use crate::task::{NoData, Task, TaskContext, TaskProgress};
use crate::work_progress::{WorkMeter, WorkProgress};

/// What a run of an experiment may use, and whom it reports to.
pub struct RunOptions<'a> {
    /// Threads in all.
    pub threads: usize,
    /// Bytes in all; tasks that may need more are left out.
    pub memory: u64,
    /// Tables that the searches share.
    pub cache: Arc<TableCache>,
    /// Ends the run when it becomes true. What is finished is kept.
    pub cancel: &'a AtomicBool,
    /// The command that is noted as the origin of the records.
    pub command: String,
    /// Receives what happens.
    pub report: &'a (dyn Fn(&RunEvent<'_>) + Sync),
}

/// What happens during a run.
pub enum RunEvent<'a> {
    /// A task begins.
    Begin {
        /// The tasks that are done, and how long the others may take.
        work: WorkProgress,
        /// The task.
        task: &'a Task,
    },
    /// A task makes progress.
    Progress {
        /// The task.
        task: &'a Task,
        /// How far it is.
        progress: &'a TaskProgress<'a>,
    },
    /// Tasks were found in the file of records and are not repeated.
    Known {
        /// Their number.
        tasks: usize,
    },
    /// A task is left out, since it may need more memory than there is.
    LeftOut {
        /// The task.
        task: &'a Task,
        /// Bytes that it may need.
        needs: u64,
        /// Bytes that it may use.
        has: u64,
    },
    /// A task ended without data.
    Failed {
        /// The task.
        task: &'a Task,
        /// The reason in a sentence.
        reason: &'a str,
    },
}

/// Runs the tasks of an experiment that there are no records of, and returns the records of all.
/// Each is appended to `file` as soon as it is made, and finished runs of long tasks every few
/// seconds, so that a run that was stopped can be resumed.
///
/// # Errors
///
/// When a record cannot be written.
pub fn run_experiment(
    experiment: &Experiment,
    mut file: Option<&mut RecordFile>,
    options: &RunOptions<'_>,
) -> Result<Vec<TaskRecord>, RecordError> {
    let records = file.as_ref().map_or_else(Vec::new, |file| file.records().to_vec());
    let tasks = experiment.tasks();
    let known = tasks.iter().filter(|task| experiment.has_all_of(task, &records)).count();
    if known > 0 {
        (options.report)(&RunEvent::Known { tasks: known });
    }
    let mut meter = WorkMeter::new(known, Some(tasks.len()));
    let keeper = Mutex::new(Keeper { records, file: file.take(), error: None });
    for task in &tasks {
        // Some of its runs may have been kept by a run that was stopped.
        let Some(task) = &experiment.missing_of(task, &lock(&keeper).records) else { continue };
        let (needs, has) = (task.bytes(), options.memory);
        if needs > has {
            (options.report)(&RunEvent::LeftOut { task, needs, has });
            continue;
        }
        (options.report)(&RunEvent::Begin { work: meter.progress(), task });
        let keep = |task: Task, data| {
            let record = TaskRecord::new(experiment.name(), &task, data, &options.command);
            lock(&keeper).keep(record)
        };
        let context = TaskContext {
            threads: options.threads,
            memory: options.memory,
            quick: experiment.is_quick,
            cache: Arc::clone(&options.cache),
            cancel: options.cancel,
            progress: &|progress| (options.report)(&RunEvent::Progress { task, progress }),
            keep: Some(&keep),
        };
        let ended = task.run(&context);
        // Whatever was kept meanwhile is not in the data.
        let rest = experiment.missing_of(task, &lock(&keeper).records);
        match ended {
            Ok(data) => {
                if let Some(rest) = rest
                    && !keep(rest, data)
                {
                    break;
                }
            }
            Err(NoData::Cancelled) => break,
            Err(NoData::Failed(_)) if options.cancel.load(Ordering::Relaxed) => break,
            Err(NoData::Failed(reason)) => {
                (options.report)(&RunEvent::Failed { task, reason: &reason });
                continue;
            }
        }
        meter.add();
    }
    let Keeper { records, error, .. } = keeper.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(records), Err)
}

/// The records of a run, and where they are kept.
struct Keeper<'f> {
    records: Vec<TaskRecord>,
    file: Option<&'f mut RecordFile>,
    /// Why one could not be written.
    error: Option<RecordError>,
}

impl Keeper<'_> {
    /// Keeps a record; false if it cannot be written.
    fn keep(&mut self, record: TaskRecord) -> bool {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.append(&record)) {
            self.error = Some(error);
            return false;
        }
        self.records.push(record);
        true
    }
}
