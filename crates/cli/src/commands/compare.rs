use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hyperslide_lab::{
    BenchmarkPuzzle, BenchmarkRun, KnownLength, Provenance, Record, RecordFile, RunKey,
    SolveResult, Solver, Status, instances, ordered_parallel_map, share_optima, standings,
};
use hyperslide_puzzle::Metric;
use hyperslide_search::{Control, TableCache};
use serde::Serialize;
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{
    LimitArguments, PuzzleArguments, StoredArguments, TableFormat, parse_jobs, parse_whole,
};
use crate::tables::store;
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, grouped, is_cancelled, print,
    print_json, render, seconds, table,
};

#[derive(Args)]
pub struct CompareArguments {
    /// Suites, instances, files of puzzles, or puzzle lines
    #[arg(required = true, value_name = "PUZZLES")]
    pub puzzles: Vec<String>,
    /// An algorithm with its parameters, as in 'weighted-astar weight=2 heuristic=patterns'; give several
    #[arg(long, value_name = "SOLVER", value_parser = |text: &str| text.parse::<Solver>())]
    pub solver: Vec<Solver>,
    /// Only the first N puzzles
    #[arg(long, value_name = "N")]
    pub first: Option<usize>,
    /// The rule k of cubical instances
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub rule: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub stored: StoredArguments,
    /// The seed of solvers that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole, allow_negative_numbers = true)]
    pub seed: u64,
    /// Runs at once; with one their times are not disturbed by each other
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    pub jobs: usize,
    /// With --format csv a line for each run instead of one for each solver
    #[arg(long)]
    pub runs: bool,
    /// Adds the runs to this file of records; runs that it holds already are not repeated
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// How to print the table
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

/// Who is compared when nobody is named.
const DEFAULT: &[&str] = &["auto", "greedy", "weighted-astar", "staged", "anytime"];

pub fn run(arguments: &CompareArguments) -> Result<ExitStatus, Failure> {
    let mut solvers = arguments.solver.clone();
    if solvers.is_empty() {
        solvers = DEFAULT.iter().filter_map(|name| name.parse().ok()).collect();
    }
    let entries = entries(arguments)?;
    let (solvers, entries) =
        (once_each(solvers, Solver::to_string), once_each(entries, BenchmarkPuzzle::id));
    let mut file: Option<RecordFile> =
        arguments.records.as_ref().map(|path| RecordFile::open(path)).transpose()?;
    let cache = Arc::new(TableCache::new(store(&arguments.stored)));
    let limits_asked = arguments.limits.asked();
    let runs: Vec<(&BenchmarkPuzzle, RunKey)> = solvers
        .iter()
        .flat_map(|solver| entries.iter().map(move |entry| (entry, solver)))
        .map(|(entry, solver)| (entry, entry.key(solver, arguments.seed, limits_asked)))
        .collect();
    let known = |key: &RunKey| Some(file.as_ref()?.find(key)?.result.clone());
    let mut results: Vec<Option<SolveResult>> = runs.iter().map(|(_, key)| known(key)).collect();
    let missing: Vec<usize> = (0..runs.len()).filter(|&number| results[number].is_none()).collect();
    let at_once = arguments.jobs.min(missing.len()).max(1);
    let limits = arguments.limits.limits(at_once);
    let mut done = runs.len() - missing.len();
    let line = SearchProgress::new("");
    // The first run of a solver that is not for its puzzle: the others are worth something.
    let mut unfit = None;
    let failed: Option<Failure> = cancellable(|cancel| {
        let control = Control { limits, cancel: Some(cancel), progress: None };
        let run = |number: usize| {
            let (entry, key) = &runs[number];
            let adapt = |config: &mut hyperslide_search::Config| {
                config.cache = Arc::clone(&cache);
                config.threads = (config.threads / at_once).max(1);
            };
            let result = entry.run(key, &adapt, &control);
            let result =
                result.map_err(|error| format!("{} on {}: {error}", key.solver, key.instance));
            // What was cut short is no run of this key.
            (number, result, is_cancelled())
        };
        let missing = missing.into_iter().take_while(|_| !is_cancelled());
        ordered_parallel_map(at_once, missing, run, |(number, result, is_cut)| {
            if is_cut {
                return ControlFlow::Continue(());
            }
            let result = match result {
                Ok(result) => result,
                Err(error) => {
                    unfit.get_or_insert(error);
                    return ControlFlow::Continue(());
                }
            };
            if let Some(file) = &mut file {
                let key = runs[number].1.clone();
                let provenance = Provenance::now(&command_line());
                let record = Record { key, result: result.clone(), provenance };
                if let Err(error) = file.append(&record) {
                    return ControlFlow::Break(error.into());
                }
            }
            results[number] = Some(result);
            done += 1;
            line.say(format!("{done} of {} runs", runs.len()));
            ControlFlow::Continue(())
        })
    });
    drop(line);
    if let Some(failure) = failed {
        return Err(failure);
    }
    let found = runs.iter().zip(results);
    let mut found: Vec<BenchmarkRun> = found
        .filter_map(|((entry, key), result)| Some(BenchmarkRun::new(entry, &key.solver, result?)))
        .collect();
    share_optima(&mut found).map_err(Failure::Other)?;
    show(arguments, &found)?;
    if is_cancelled() {
        complain(&format_args!("cancelled after {done} of {} runs", runs.len()));
        return Ok(ExitStatus::LimitReached);
    }
    unfit.map_or(Ok(ExitStatus::Done), |error| Err(Failure::Input(error)))
}

/// Each thing where it stands first.
fn once_each<T>(things: Vec<T>, id: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = HashSet::new();
    things.into_iter().filter(|thing| seen.insert(id(thing))).collect()
}

/// The puzzles: of suites, instances, files and lines.
fn entries(arguments: &CompareArguments) -> Result<Vec<BenchmarkPuzzle>, Failure> {
    let mut entries = Vec::new();
    for name in &arguments.puzzles {
        let options = PuzzleArguments {
            puzzle: name.clone(),
            goal: None,
            metric: None,
            rule: arguments.rule,
        };
        let prefix = format!("{name}/");
        let of_suite: Vec<_> = instances().filter(|i| i.name.starts_with(&prefix)).collect();
        for instance in &of_suite {
            let rule = arguments.rule.filter(|_| instance.default_rule().is_some());
            let puzzle = instance.puzzle(rule, Metric::Face).map_err(Failure::input)?;
            let known = instance.known_length(rule).and_then(KnownLength::moves);
            entries.push(BenchmarkPuzzle { name: instance.name.clone(), rule, puzzle, known });
        }
        if !of_suite.is_empty() {
            continue;
        }
        match Source::open(name)? {
            Source::One(text) => {
                let puzzle = text.puzzle(&options)?;
                let named = hyperslide_lab::find_instance(name);
                let known =
                    { named }.and_then(|(instance, rule)| instance.known_length(rule)?.moves());
                let rule = named.and_then(|(_, rule)| rule.or(arguments.rule));
                entries.push(BenchmarkPuzzle { name: name.clone(), rule, puzzle, known });
            }
            Source::Many(lines) => {
                for (number, text) in lines {
                    let puzzle = text?.puzzle(&options)?;
                    let name = format!("{name}:{number}");
                    entries.push(BenchmarkPuzzle { name, rule: None, puzzle, known: None });
                }
            }
        }
    }
    if let Some(count) = arguments.first {
        entries.truncate(count);
    }
    if entries.is_empty() {
        return Err(Failure::Input("there is no puzzle to compare solvers on".to_owned()));
    }
    Ok(entries)
}

fn show(arguments: &CompareArguments, runs: &[BenchmarkRun]) -> Result<(), Failure> {
    let standings = standings(runs);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
    match arguments.format {
        TableFormat::Json => print_json(&json!({
            "solvers": standings,
            "runs": runs,
            "provenance": Provenance::now(&command_line()),
        })),
        TableFormat::Csv if arguments.runs => print(&csv(runs.iter().map(RunLine::new))?),
        TableFormat::Csv => print(&csv(standings.iter())?),
        TableFormat::Text => {
            let mut rows = table(&[
                "=solver",
                "#solved",
                "#proven",
                "#length",
                "#excess",
                "#gap",
                "#expanded",
                "#generated",
                "#time",
                "#memory",
            ]);
            for standing in &standings {
                let excess = match (standing.mean_excess, standing.excess_percent) {
                    (Some(moves), Some(percent)) => format!("{moves:.2} ({percent:.1} %)"),
                    _ => "?".to_owned(),
                };
                rows.add_row([
                    standing.solver.clone(),
                    format!("{} of {}", standing.solved, standing.instances),
                    standing.proven.to_string(),
                    number(standing.mean_length),
                    excess,
                    number(standing.mean_gap),
                    grouped(standing.expanded.round() as u64),
                    grouped(standing.generated.round() as u64),
                    seconds(standing.wall_s),
                    bytes(standing.peak_bytes),
                ]);
            }
            print(&format!(
                "{}\nmeans over the puzzles, of lengths over those solved; excess: over the shortest solution where \
                 it is known or was proven here; gap: over the solver's own lower bound; memory: the most\n",
                render(&rows)
            ))
        }
    }
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
    expanded: u64,
    generated: u64,
    wall_s: f64,
    cpu_s: f64,
    peak_bytes: u64,
}

impl<'a> RunLine<'a> {
    fn new(run: &'a BenchmarkRun) -> RunLine<'a> {
        let BenchmarkRun { instance, solver, optimum, result } = run;
        let stats = result.stats.unwrap_or_default();
        RunLine {
            instance,
            solver,
            status: result.status,
            optimal: result.optimal,
            length: result.length,
            optimum: *optimum,
            lower_bound: result.lower_bound,
            expanded: stats.expanded,
            generated: stats.generated,
            wall_s: stats.wall_s,
            cpu_s: stats.cpu_s,
            peak_bytes: stats.peak_bytes,
        }
    }
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
