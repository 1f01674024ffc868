//! `hyperslide experiment`: runs experiments, or reads their records, and prints the comparisons.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hyperslide_lab::report::{self, Summary};
use hyperslide_lab::{
    Comparison, Experiment, Machine, RecordDirectory, RecordFile, RunEvent, RunOptions, TaskRecord,
    Verdict, experiments, named_experiment, run_experiment,
};
use hyperslide_search::TableCache;
use hyperslide_table::{available_threads, replace_unlocked_file};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::make_directory;
use crate::options::{StoredArguments, TableFormat};
use crate::tables::store;
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, counted, duration, is_cancelled,
    print, print_json, prose, render, table, unwritten, width, work_text,
};

#[derive(Args)]
pub struct ExperimentArguments {
    /// The name of an experiment, a file that declares one, or all [default: lists the experiments]
    #[arg(value_name = "NAME|FILE|all")]
    pub name: Option<String>,
    /// Makes fewer runs with fewer solvers, and searches only small graphs
    #[arg(long)]
    pub quick: bool,
    /// Adds the runs to this file of records and does not repeat those that it already holds
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Runs nothing, and reads the records of this file or of all files in this directory instead
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["records", "quick"])]
    pub from: Option<PathBuf>,
    /// Writes the figures of the experiment into this directory as SVG files
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// How to print the tables
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

/// What runs without any argument.
const DEFAULT: &str = "cubical-table-2";

/// What to try after that, and what it shows.
const NEXT: [(&str, &str); 6] = [
    ("solve cubical/d4-level4 --rule 3", "the moves of one of these rows"),
    ("solve cubical/d3-level3 --rule 2", "an impossible level, and why"),
    ("solve 'grid:4:4 3,6,4,8,2,11,7,1,5,9,12,15,10,13,14,0'", "a 15-puzzle"),
    ("classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'", "which tokens can ever move"),
    ("instances", "all named puzzles"),
    ("--help", "everything else"),
];

pub fn run_default() -> Result<ExitStatus, Failure> {
    let status = run(&ExperimentArguments {
        name: Some(DEFAULT.to_owned()),
        quick: false,
        records: None,
        from: None,
        figures: None,
        format: TableFormat::Text,
    })?;
    // The command may not be on the path when it was run through cargo.
    let command = match std::env::var_os("CARGO") {
        Some(_) => "cargo run -q --release --",
        None => "hyperslide",
    };
    let lines = NEXT.map(|(arguments, what)| format!("  # {what}\n  {command} {arguments}\n"));
    print(&format!("\nTry next:\n{}", lines.concat()))?;
    Ok(status)
}

pub fn run(arguments: &ExperimentArguments) -> Result<ExitStatus, Failure> {
    let Some(name) = arguments.name.as_deref() else {
        refuse_without_name(arguments)?;
        return list(arguments.format);
    };
    let mut chosen = chosen(name)?;
    if arguments.quick {
        chosen = chosen.iter().map(Experiment::quick).collect();
    }
    check_figures(name, &chosen, arguments)?;
    let mut file = arguments.records.as_deref().map(RecordFile::open).transpose()?;
    let recorded = arguments.from.as_deref().map(read_records).transpose()?;
    if arguments.format == TableFormat::Csv {
        print(&format!("{}\n", report::CSV_HEADER))?;
    }
    let mut status = ExitStatus::Done;
    let mut summary = Summary::default();
    for (number, experiment) in chosen.iter().enumerate() {
        let records = match &recorded {
            Some(records) => records.clone(),
            None => run_with_progress(experiment, file.as_mut())?,
        };
        let comparison = experiment.compare(&records);
        if recorded.is_some() && !comparison.complete {
            complain(&without_record(experiment, &records));
        }
        draw_figures(experiment, &records, arguments.figures.as_deref())?;
        if number > 0 && arguments.format == TableFormat::Text {
            print("\n\n")?;
        }
        show(&comparison, arguments.format)?;
        summary.add(&comparison);
        status = status.worse(status_of(experiment, &comparison));
        if is_cancelled() {
            break;
        }
    }
    if is_cancelled() {
        complain(&"cancelled; the tables show what was finished");
    }
    if name == "all" {
        match arguments.format {
            TableFormat::Text => print(&format!("\n\n{}", report::summary(&summary, width())))?,
            TableFormat::Json => print(&format!("{}\n", report::summary_json(&summary)))?,
            TableFormat::Csv => {}
        }
    }
    Ok(status)
}

/// The experiments that a name means: one, all, or that of a file.
pub(super) fn chosen(name: &str) -> Result<Vec<Experiment>, Failure> {
    if name == "all" {
        return Ok(experiments().to_vec());
    }
    Ok(vec![named_experiment(name, "all, ").map_err(Failure::Input)?])
}

fn refuse_without_name(arguments: &ExperimentArguments) -> Result<(), Failure> {
    let ExperimentArguments { quick, records, from, figures, .. } = arguments;
    if *quick || records.is_some() || from.is_some() || figures.is_some() {
        return Err(Failure::Input(
            "name an experiment, or all: these options are for a run".to_owned(),
        ));
    }
    Ok(())
}

/// The experiments with their papers and what a full run costs.
fn list(format: TableFormat) -> Result<ExitStatus, Failure> {
    if format == TableFormat::Csv {
        return Err(Failure::Input(
            "the list of experiments has no CSV format: write --format json".to_owned(),
        ));
    }
    let mut rows = table(&["=name", "=CPU time", "paper and table"]);
    for experiment in experiments() {
        let key = experiment.paper().map_or("", |paper| &*paper.key);
        let table = experiment.table();
        let cost = match experiment.cpu_s() {
            None => String::new(),
            Some(seconds) if seconds < 1.0 => "< 1 s".to_owned(),
            Some(seconds) => duration(seconds),
        };
        let what = match experiment.paper() {
            Some(paper) => format!("{}: {table}", paper.key),
            None => format!("no paper: {}", experiment.title()),
        };
        rows.add_row([experiment.name().to_owned(), cost, what]);
        if format == TableFormat::Json {
            print_json(&json!({
                "experiment": experiment.name(),
                "title": experiment.title(),
                "document": key,
                "table": table,
                "tasks": experiment.tasks().len(),
                "cpu_s": experiment.cpu_s(),
            }))?;
        }
    }
    if format == TableFormat::Text {
        print(&render(&rows))?;
        let note = "hyperslide experiment NAME runs one and prints its table next to the published one; \
                    --quick takes less time, --from FILE reads records instead of running.";
        print(&format!("\n{}", prose(note)))?;
    }
    Ok(ExitStatus::Done)
}

/// Refuses experiments without figures before they are run, and makes the directory of figures.
fn check_figures(
    name: &str,
    chosen: &[Experiment],
    arguments: &ExperimentArguments,
) -> Result<(), Failure> {
    let Some(directory) = &arguments.figures else { return Ok(()) };
    if chosen.iter().any(Experiment::has_figures) {
        return make_directory(directory, "--figures");
    }
    let known: Vec<&str> = experiments()
        .iter()
        .filter(|experiment| experiment.has_figures())
        .map(Experiment::name)
        .collect();
    let known = known.join(", ");
    Err(Failure::Input(format!("{name} has no figures: leave out --figures, or name {known}")))
}

/// What is missing in records that are read and not completed.
fn without_record(experiment: &Experiment, records: &[TaskRecord]) -> String {
    let tasks = experiment.tasks();
    let missing = tasks.iter().filter(|task| !experiment.has_all_of(task, records)).count();
    let name = experiment.name();
    let others = records.iter().filter(|record| record.experiment == name).count();
    let why = match (tasks.len() - missing, others) {
        (found, others) if others > found => {
            "; records of other runs, seeds, limits, puzzles or solvers do not count"
        }
        _ => "",
    };
    format!("{name}: {missing} of {} have no record{why}", counted(tasks.len() as u64, "task"))
}

fn draw_figures(
    experiment: &Experiment,
    records: &[TaskRecord],
    directory: Option<&Path>,
) -> Result<(), Failure> {
    let Some(directory) = directory else { return Ok(()) };
    for figure in report::figures(experiment, records) {
        let path = directory.join(format!("{}.svg", figure.name));
        replace_unlocked_file(&path, figure.svg().as_bytes())
            .map_err(|error| unwritten(&path, &error))?;
    }
    Ok(())
}

/// The records of a file, or of all files of a directory whose names end in `.jsonl`.
fn read_records(path: &Path) -> Result<Vec<TaskRecord>, Failure> {
    if !path.is_dir() {
        return Ok(RecordFile::read(path)?);
    }
    let RecordDirectory { records, unread, .. } = RecordDirectory::read(path)?;
    for unread in unread {
        complain(&format_args!("left out: {unread}"));
    }
    if records.is_empty() {
        return Err(Failure::Input(format!(
            "{} has no records of experiments: name a directory of .jsonl files",
            path.display()
        )));
    }
    Ok(records)
}

fn run_with_progress(
    experiment: &Experiment,
    file: Option<&mut RecordFile>,
) -> Result<Vec<TaskRecord>, Failure> {
    let line = SearchProgress::new(experiment.name());
    let report = |event: &RunEvent<'_>| match event {
        RunEvent::Begin { work, task } => {
            let work = work_text(work, "tasks");
            line.set_prefix(&format!("{}: {work}; {}: ", experiment.name(), task.title()));
        }
        RunEvent::Progress { progress, .. } => match progress.search {
            Some(search) => line.show(search),
            None => line.say(&format!("{} of {} runs", progress.done, progress.of)),
        },
        RunEvent::Known { tasks } => complain(&format_args!(
            "{} in the records already and not repeated",
            counted(*tasks as u64, "task")
        )),
        RunEvent::LeftOut { task, needs, has } => complain(&format_args!(
            "{}: left out, it may take {} of memory and has {}",
            task.title(),
            bytes(*needs),
            bytes(*has)
        )),
        RunEvent::Failed { task, reason } => {
            complain(&format_args!("{}: no result: {reason}", task.title()));
        }
    };
    cancellable(|cancel| {
        let options = RunOptions {
            threads: available_threads(),
            memory: Machine::memory_to_use(),
            cache: Arc::new(TableCache::new(store(&StoredArguments::default()))),
            cancel,
            command: command_line(),
            report: &report,
        };
        Ok(run_experiment(experiment, file, &options)?)
    })
}

fn show(comparison: &Comparison, format: TableFormat) -> Result<(), Failure> {
    match format {
        TableFormat::Text => print(&report::text(comparison, width())),
        TableFormat::Json => print(&format!("{}\n", report::json(comparison))),
        TableFormat::Csv => print(&report::csv(comparison)),
    }
}

fn status_of(experiment: &Experiment, comparison: &Comparison) -> ExitStatus {
    let verdicts = &comparison.verdicts;
    let has_news = verdicts.of(Verdict::Contradiction) > 0
        || (verdicts.of(Verdict::Unexplained) > 0 && !experiment.is_small_sample());
    if has_news {
        ExitStatus::Other
    } else if is_cancelled()
        || !comparison.complete
        || (experiment.expects_proofs() && verdicts.of(Verdict::NotReached) > 0)
    {
        ExitStatus::LimitReached
    } else {
        ExitStatus::Done
    }
}
