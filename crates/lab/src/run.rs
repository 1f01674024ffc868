use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Control, Limit, Outcome, solve};

use crate::experiment::Experiment;
use crate::instances::find_instance;
use crate::provenance::Provenance;
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
    let runs = runs(experiment);
    for (number, (key, puzzle)) in runs.iter().enumerate() {
        if let Some(record) = file.as_ref().and_then(|file| file.find(key)) {
            tell(RunEvent::Known(key));
            records.push(record.clone());
            continue;
        }
        tell(RunEvent::Begin(number, runs.len(), key));
        let config = key.solver.config(key.seed).expect("declared solvers exist");
        let limits = key.limits.limits().expect("declared limits are in range");
        let control = Control { limits, ..*control };
        let report =
            solve(puzzle, &config, &control).expect("declared solvers fit their instances");
        if matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }) {
            break;
        }
        let record = Record {
            key: key.clone(),
            result: SolveResult::new(puzzle, &report),
            provenance: Provenance::now(command),
        };
        if let Some(file) = &mut file {
            file.append(&record)?;
        }
        records.push(record);
    }
    Ok(records)
}

/// Instances x solvers x seeds, in the order of the table.
fn runs(experiment: &Experiment) -> Vec<(RunKey, Puzzle)> {
    let mut runs = Vec::new();
    for row in &experiment.rows {
        let (instance, _) = find_instance(&row.instance).expect("declared instances exist");
        let puzzle =
            instance.puzzle(row.rule, experiment.metric).expect("declared rules are in range");
        for solver in &experiment.solvers {
            for &seed in &experiment.seeds {
                let key = RunKey {
                    experiment: experiment.name.clone(),
                    instance: row.instance.clone(),
                    rule: row.rule,
                    solver: solver.clone(),
                    seed,
                    limits: experiment.limits,
                    puzzle: puzzle.to_string(),
                };
                runs.push((key, puzzle.clone()));
            }
        }
    }
    runs
}
