//! `hyperslide compare`: several solvers on the same puzzles, in one table.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hyperslide_lab::{
    Benchmark, BenchmarkError, BenchmarkOptions, BenchmarkReport, BenchmarkRun, NamedPuzzle,
    PROVEN_EARLIER, Provenance, RecordFile, Solver, SolverStanding, Status, find_instance,
};
use hyperslide_puzzle::Metric;
use hyperslide_search::{Limit, SolveError, TableCache};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{
    LimitArguments, ProofArguments, PuzzleArguments, StoredArguments, TableFormat, parse_jobs,
    parse_whole,
};
use crate::tables::store;
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, counted, grouped, print,
    print_json, prose, render, seconds, table, work_text,
};

#[derive(Args)]
pub struct CompareArguments {
    /// Names of suites or instances, files of puzzles, or puzzle lines
    #[arg(required = true, value_name = "PUZZLES")]
    pub puzzles: Vec<String>,
    /// An algorithm with its settings, as in 'weighted-astar weight=2 heuristic=patterns', or
    /// another program, as in 'exec:python3 solve.py', which reads a puzzle's line and writes
    /// moves; repeat the option for several solvers [default: auto, greedy, weighted-astar, staged
    /// and anytime]
    #[arg(long, value_name = "SOLVER", value_parser = |text: &str| text.parse::<Solver>())]
    pub solver: Vec<Solver>,
    /// Uses only the first N puzzles
    #[arg(long, value_name = "N")]
    pub first: Option<usize>,
    /// The rule k of cubical instances [default: d - 1]
    #[arg(long, value_name = "K")]
    pub rule: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub proofs: ProofArguments,
    #[command(flatten)]
    pub stored: StoredArguments,
    /// The seed of solvers that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    pub seed: u64,
    /// The number of runs at the same time; simultaneous runs disturb each other's times
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    pub jobs: usize,
    /// Prints a line for each run instead of each solver; JSON always has both
    #[arg(long)]
    pub runs: bool,
    /// Adds the runs to this file of records and does not repeat those that it already holds
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// How to print the table
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

/// The solvers that are compared when none is named; the help of --solver lists them.
const DEFAULT: &[&str] = &["auto", "greedy", "weighted-astar", "staged", "anytime"];

pub fn run(arguments: &CompareArguments) -> Result<ExitStatus, Failure> {
    let mut solvers = arguments.solver.clone();
    if solvers.is_empty() {
        solvers = DEFAULT.iter().filter_map(|name| name.parse().ok()).collect();
    }
    let benchmark = Benchmark {
        puzzles: puzzles(arguments)?,
        solvers,
        seed: arguments.seed,
        limits: arguments.limits.asked(),
        jobs: arguments.jobs,
    };
    let mut records: Option<RecordFile> =
        arguments.records.as_ref().map(|path| RecordFile::open(path)).transpose()?;
    let config = |solver: &Solver| match solver.program() {
        Some(_) => Err(Failure::input(SolveError::NotKept)),
        None => solver.config(arguments.seed).map_err(Failure::Input),
    };
    let configs = match arguments.proofs.checkpoint {
        Some(_) => benchmark.solvers.iter().map(config).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let proofs = arguments.proofs.open(&configs)?;
    let line = SearchProgress::new("");
    let report = cancellable(|cancel| {
        let options = BenchmarkOptions {
            cache: Arc::new(TableCache::new(store(&arguments.stored))),
            records: records.as_mut(),
            command: command_line(),
            cancel: Some(cancel),
            proofs: proofs.as_ref(),
        };
        benchmark.run(options, &mut |progress| line.say(&work_text(progress, "runs")))
    });
    drop(line);
    let mut report = report?;
    if report.recorded > 0 {
        complain(&format_args!(
            "{} in the records already and not repeated",
            counted(report.recorded as u64, "run")
        ));
    }
    let is_remembered =
        |run: &&BenchmarkRun| run.result.explanation.as_deref() == Some(PROVEN_EARLIER);
    let remembered = report.runs.iter().filter(is_remembered).count();
    if remembered > 0 {
        complain(&format_args!(
            "{} with a proof that an earlier run finished",
            counted(remembered as u64, "run")
        ));
    }
    // There is nothing to show where no solver takes any puzzle.
    if report.refusals.len() == report.total {
        return Err(Failure::Input(report.refusals.swap_remove(0)));
    }
    show(arguments, &report)?;
    if report.is_cancelled {
        let (done, total) = (report.runs.len(), report.total);
        let (done, total) = (grouped(done as u64), grouped(total as u64));
        complain(&format_args!("cancelled after {done} of {total} runs"));
        return Ok(ExitStatus::LimitReached);
    }
    if let Some(refusal) = report.refusals.first() {
        complain(refusal);
    }
    let failed = report_failures(&report.runs);
    Ok(if report.refusals.is_empty() { failed } else { ExitStatus::BadInput })
}

/// Says of each program that failed how often it did, and why it did so first.
fn report_failures(runs: &[BenchmarkRun]) -> ExitStatus {
    let has_failed =
        |run: &&BenchmarkRun| run.is_of_program() && run.result.status == Status::Error;
    let mut told: Vec<&str> = Vec::new();
    for run in runs.iter().filter(has_failed) {
        let BenchmarkRun { instance, solver, result, .. } = run;
        if told.contains(&solver.as_str()) {
            continue;
        }
        told.push(solver);
        let own = || runs.iter().filter(|run| &run.solver == solver);
        let (failed, all) = (own().filter(has_failed).count(), own().count());
        let why = result.explanation.as_deref().unwrap_or("no reason is known");
        complain(&format_args!("{solver} failed on {failed} of {all}, first on {instance}: {why}"));
    }
    if told.is_empty() { ExitStatus::Done } else { ExitStatus::Other }
}

impl From<BenchmarkError> for Failure {
    fn from(error: BenchmarkError) -> Failure {
        match error {
            BenchmarkError::Records(error) => error.into(),
            BenchmarkError::Proof(error) => error.into(),
            BenchmarkError::Limits(_) => Failure::input(error),
            BenchmarkError::Contradiction(_) => Failure::Other(error.to_string()),
        }
    }
}

/// The puzzles: of suites, instances, files and lines.
fn puzzles(arguments: &CompareArguments) -> Result<Vec<NamedPuzzle>, Failure> {
    let rule = arguments.rule;
    let mut puzzles = Vec::new();
    for name in &arguments.puzzles {
        let options = PuzzleArguments { puzzle: name.clone(), goal: None, metric: None, rule };
        let of_suite = NamedPuzzle::suite(name, rule, Metric::Face).map_err(Failure::Input)?;
        if !of_suite.is_empty() {
            puzzles.extend(of_suite);
            continue;
        }
        match Source::open(name)? {
            Source::One(text) => {
                let line = text.puzzle(&options)?.to_string();
                let rule = find_instance(name).and_then(|(_, own)| own.or(rule));
                puzzles.push(NamedPuzzle { instance: name.clone(), rule, line });
            }
            Source::Many(lines) => {
                for (number, text) in lines {
                    let line = text?.puzzle(&options)?.to_string();
                    let instance = format!("{name}:{number}");
                    puzzles.push(NamedPuzzle { instance, rule: None, line });
                }
            }
        }
    }
    if let Some(rule) = rule.filter(|_| puzzles.iter().all(|puzzle| puzzle.rule.is_none())) {
        return Err(Failure::Input(format!(
            "--rule {rule} is for cubical instances, and none of these puzzles is one: leave it out"
        )));
    }
    if let Some(count) = arguments.first {
        puzzles.truncate(count);
    }
    if puzzles.is_empty() {
        return Err(Failure::Input("there is no puzzle to compare solvers on".to_owned()));
    }
    Ok(puzzles)
}

fn show(arguments: &CompareArguments, report: &BenchmarkReport) -> Result<(), Failure> {
    let BenchmarkReport { runs, standings, .. } = report;
    match arguments.format {
        TableFormat::Json => print_json(&json!({
            "solvers": standings,
            "runs": run_values(runs)?,
            "provenance": Provenance::now(&command_line()),
        })),
        TableFormat::Csv if arguments.runs => print(&csv(runs.iter().map(RunLine::new))?),
        TableFormat::Csv => print(&csv(standings.iter())?),
        TableFormat::Text if standings.is_empty() => Ok(()),
        TableFormat::Text if arguments.runs => print(&text_of_runs(runs)),
        TableFormat::Text => print(&text(standings)),
    }
}

/// The standings for people.
fn text(standings: &[SolverStanding]) -> String {
    let states = |value: Option<f64>| {
        value.map_or_else(|| "?".to_owned(), |value| grouped(value.round() as u64))
    };
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
    let mut rows = table(&[
        "=solver",
        "#solved",
        "#proven",
        "#length",
        "#excess",
        "?#gap",
        "?#expanded",
        "?#generated",
        "#CPU",
        "?#wall",
        "?#memory",
    ]);
    for standing in standings {
        let of = match standing.excess_instances {
            all if all == standing.solved => String::new(),
            known => format!(" of {known}"),
        };
        let excess = match (standing.mean_excess, standing.excess_percent) {
            (Some(moves), Some(percent)) => format!("{moves:.2} ({percent:.1} %){of}"),
            _ => "?".to_owned(),
        };
        rows.add_row([
            standing.solver.clone(),
            format!("{} of {}", standing.solved, standing.instances),
            standing.proven.to_string(),
            number(standing.mean_length),
            excess,
            number(standing.mean_gap),
            states(standing.expanded),
            states(standing.generated),
            seconds(standing.cpu_s),
            seconds(standing.wall_s),
            bytes(standing.peak_bytes),
        ]);
    }
    let notes = "length, excess and gap are means over the puzzles that the solver solved; states, CPU time \
                 and wall time are means over all puzzles, with what a run took until it was stopped, and \
                 memory is the greatest; proven: shortest, or without a solution; excess: moves more than \
                 the shortest solution, and all of them in percent of the shortest, over the puzzles for \
                 which that is known or was proven here; gap: moves more than the solver's own lower bound";
    format!("{}\n{}", render(&rows), prose(notes))
}

/// The runs for people.
fn text_of_runs(runs: &[BenchmarkRun]) -> String {
    let states = |states: Option<u64>| states.map_or_else(|| "?".to_owned(), grouped);
    let number = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
    let mut rows = table(&[
        "=puzzle",
        "=solver",
        "#length",
        "#shortest",
        "=result",
        "?#expanded",
        "?#generated",
        "#CPU",
        "?#wall",
        "?#memory",
    ]);
    for run in runs {
        let line = RunLine::new(run);
        rows.add_row([
            line.instance.to_owned(),
            line.solver.to_owned(),
            number(line.length),
            number(line.optimum),
            line.ending(),
            states(line.expanded),
            states(line.generated),
            seconds(line.cpu_s),
            seconds(line.wall_s),
            bytes(line.peak_bytes),
        ]);
    }
    let notes =
        "shortest: the length of a shortest solution, where that is known or was proven here";
    format!("{}\n{}", render(&rows), prose(notes))
}

/// One run as a line.
#[derive(Serialize)]
struct RunLine<'a> {
    instance: &'a str,
    solver: &'a str,
    status: Status,
    optimal: Option<bool>,
    length: Option<u32>,
    optimum: Option<u32>,
    lower_bound: Option<u32>,
    expanded: Option<u64>,
    generated: Option<u64>,
    wall_s: f64,
    cpu_s: f64,
    peak_bytes: u64,
    limit: Option<Limit>,
    reason: Option<&'a str>,
    explanation: Option<&'a str>,
}

impl<'a> RunLine<'a> {
    fn new(run: &'a BenchmarkRun) -> RunLine<'a> {
        let BenchmarkRun { instance, solver, optimum, result } = run;
        let stats = result.stats.unwrap_or_default();
        let known = |states: u64| Some(states).filter(|_| !run.is_of_program());
        RunLine {
            instance,
            solver,
            status: result.status,
            optimal: result.optimal,
            length: result.length,
            optimum: *optimum,
            lower_bound: result.lower_bound,
            expanded: known(stats.expanded),
            generated: known(stats.generated),
            wall_s: stats.wall_s,
            cpu_s: stats.cpu_s,
            peak_bytes: stats.peak_bytes,
            limit: result.limit,
            reason: result.reason.as_deref(),
            explanation: result.explanation.as_deref(),
        }
    }

    /// How the run ended, in a few words.
    fn ending(&self) -> String {
        let because = |why: Option<&str>| why.map_or(String::new(), |why| format!(" ({why})"));
        match (self.status, self.lower_bound) {
            (Status::Solved, _) if self.optimal == Some(true) => "proven optimal".to_owned(),
            (Status::Solved, Some(bound)) => format!("at least {bound} needed"),
            (Status::Solved, None) => "solved".to_owned(),
            (Status::Unsolvable, _) => format!("unsolvable{}", because(self.reason)),
            (Status::LimitReached, _) => {
                self.limit.map_or_else(|| "limit".to_owned(), |limit| limit.to_string())
            }
            (Status::Error, _) => format!("failed{}", because(self.reason)),
        }
    }
}

/// The runs as JSON.
fn run_values(runs: &[BenchmarkRun]) -> Result<Vec<Value>, Failure> {
    let value = |run: &BenchmarkRun| {
        let mut value = serde_json::to_value(run)?;
        if run.is_of_program() {
            for name in ["expanded", "generated"] {
                if let Some(states) = value.pointer_mut(&format!("/stats/{name}")) {
                    *states = Value::Null;
                }
            }
        }
        Ok(value)
    };
    let values: Result<_, serde_json::Error> = runs.iter().map(value).collect();
    values.map_err(|error| Failure::Other(error.to_string()))
}

/// Lines of comma-separated values under a header.
fn csv(lines: impl Iterator<Item = impl Serialize>) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Other(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}
