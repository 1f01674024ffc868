use std::time::{SystemTime, UNIX_EPOCH};

use hyperslide_puzzle::Metric;
use hyperslide_search::{Config, Control, Limit, Outcome, solve};

use crate::experiment::Experiment;
use crate::instances::find_instance;
use crate::provenance::{Machine, REVISION};
use crate::record::{Record, RecordError, RecordFile, RunKey};
use crate::result::SolveResult;

/// What a running experiment tells.
pub enum RunEvent<'a> {
    /// A run begins: its number from 0, how many there are, and which it is.
    Begin(usize, usize, &'a RunKey),
    /// A run was found in the record file and is not repeated.
    Known(&'a RunKey),
}

/// Runs an experiment and returns its records, those already in `file` included; they are not run
/// again. Each run is written to `file` as soon as it ends, so that nothing finished is lost.
///
/// Stops early, with the records so far, when `control` is cancelled.
///
/// # Errors
///
/// When a record cannot be written.
///
/// # Panics
///
/// When an algorithm cannot be used on an instance: declared experiments are tested.
pub fn run_experiment(
    experiment: &Experiment,
    mut file: Option<&mut RecordFile>,
    control: &Control<'_>,
    command: &str,
    tell: &mut dyn FnMut(RunEvent<'_>),
) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    let machine = Machine::current();
    let runs = run_keys(experiment);
    for (number, key) in runs.iter().enumerate() {
        let known = |file: &&mut RecordFile| {
            file.records().iter().find(|record| record.key == *key).cloned()
        };
        if let Some(record) = file.as_ref().and_then(known) {
            tell(RunEvent::Known(key));
            records.push(record);
            continue;
        }
        tell(RunEvent::Begin(number, runs.len(), key));
        let (instance, _) = find_instance(&key.instance).expect("declared instances exist");
        let puzzle = instance.puzzle(key.rule, Metric::Face).expect("declared rules are in range");
        let config = Config::named(&key.algorithm).expect("declared algorithms exist");
        let config = Config { seed: key.seed, ..config };
        let control = Control { limits: experiment.limits, ..*control };
        let report =
            solve(&puzzle, &config, &control).expect("declared algorithms fit their instances");
        if matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }) {
            break;
        }
        let record = Record {
            key: key.clone(),
            result: SolveResult::new(&puzzle, &report),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: REVISION.to_owned(),
            machine: machine.clone(),
            command: command.to_owned(),
            finished_unix: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
        };
        if let Some(file) = &mut file {
            file.append(&record)?;
        }
        records.push(record);
    }
    Ok(records)
}

/// Instances x algorithms x seeds, in the order of the table.
fn run_keys(experiment: &Experiment) -> Vec<RunKey> {
    let mut keys = Vec::new();
    for row in &experiment.rows {
        for algorithm in &experiment.algorithms {
            for &seed in &experiment.seeds {
                keys.push(RunKey {
                    experiment: experiment.name.clone(),
                    instance: row.instance.clone(),
                    rule: row.rule,
                    algorithm: algorithm.clone(),
                    seed,
                });
            }
        }
    }
    keys
}
