//! What `hyperslide experiment` does, as a program of its own.
//!
//! ```text
//! cargo run --release -p hyperslide-lab --example experiment -- cubical-table-2
//! ```
//!
//! The runs are recorded in `experiment.jsonl`, so that the same command continues where it was
//! stopped.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperslide_lab::{
    Experiment, Machine, RecordFile, RunEvent, RunOptions, find_experiment, report, run_experiment,
};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cubical-table-2".to_owned());
    let experiment = match find_experiment(&name) {
        Some(experiment) => experiment.quick(),
        None => Experiment::read(Path::new(&name))?,
    };
    let mut records = RecordFile::open(Path::new("experiment.jsonl"))?;
    let show = |event: &RunEvent<'_>| match event {
        RunEvent::Begin { work, task } => {
            let left = work.left().map_or(f64::NAN, |left| left.as_secs_f64());
            let tasks = work.total.unwrap_or_default();
            eprintln!("{} of {tasks} tasks, {left:.0} s left: {}", work.done, task.title());
        }
        RunEvent::LeftOut { task, needs, has } => {
            eprintln!("{}: needs {needs} bytes of memory and has {has}", task.title());
        }
        RunEvent::Failed { task, reason } => eprintln!("{}: {reason}", task.title()),
        RunEvent::Progress { .. } | RunEvent::Known { .. } => {}
    };
    let options = RunOptions {
        threads: std::thread::available_parallelism()?.get(),
        memory: Machine::memory_to_use(),
        cache: Arc::default(),
        // Another thread that sets it ends the run; what is finished is kept.
        cancel: &AtomicBool::new(false),
        command: "examples/experiment".to_owned(),
        report: &show,
    };
    let records = run_experiment(&experiment, Some(&mut records), &options)?;
    let comparison = experiment.compare(&records);
    print!("{}", report::text(&comparison, None));
    for table in &comparison.tables {
        let judged = table.rows.iter().flat_map(|row| &row.cells);
        let verdicts = judged.filter_map(|cell| cell.verdict).count();
        println!("{} rows, {verdicts} verdicts", table.rows.len());
    }
    Ok(())
}
