//! `hyperslide census`: whole puzzle graphs, and checking their records.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use hyperslide_census::{
    Again, Census, CensusError, CensusEvent, CensusJob, CensusOptions, CensusReport,
    CheckpointOptions, Diameter, MAX_OCCUPIED_SETS, ParityError, ParitySurvey, Progress, RunError,
    StartResult, StartsToVerify, Survey, VerifyError, verify,
};
use hyperslide_lab::{
    CensusRecord, CensusRecordError, Provenance, SampleError, SampleOptions, SurveyRecord,
    sample_census,
};
use hyperslide_puzzle::Board;
use hyperslide_search::Limits;
use hyperslide_table::{FilesOptions, Layers, Signals, binomial};
use serde_json::json;

use super::layers::describe_estimate;
use super::{census_labelled, census_lines};
use crate::failure::{ExitStatus, Failure};
use crate::input::{check_target, named_board};
use crate::options::{
    BlocksArguments, BoardArgument, Format, MemoryArgument, MetricArgument, parse_seconds,
};
use crate::processes::{ProcessArguments, Together};
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, counted, duration, fact, grouped,
    is_cancelled, print, print_json, prose, render, seconds, table,
};

#[derive(Args)]
pub struct CensusArguments {
    #[command(flatten)]
    pub board: BoardArgument,
    /// The number of empty vertices
    #[arg(
        long,
        value_name = "L",
        required_unless_present_any = ["verify", "tokens"],
        allow_negative_numbers = true
    )]
    pub empty: Option<usize>,
    /// The labels of the tokens, of which several may be alike: 2xa,b are two tokens a and one b
    #[arg(long, value_name = "LABELS")]
    pub tokens: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Finds components and parity only, without searches and so without diameters; takes more than a hundred million
    /// occupied sets, too, at four bits each
    #[arg(long, conflicts_with = "checkpoint")]
    pub survey_only: bool,
    /// Keeps the census in this directory while it runs; creates the directory if necessary
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Continues the census in the directory of --checkpoint
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    #[command(flatten)]
    pub blocks: BlocksArguments,
    #[command(flatten)]
    pub processes: ProcessArguments,
    /// The time between two checkpoints during one search, at most 600 seconds
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_interval, allow_negative_numbers = true)]
    pub checkpoint_every: Duration,
    /// Writes the finished census to this file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Checks a record, and repeats the search from one of its starts, drawn by the size of its component; where that
    /// would take too much memory, solves random puzzles instead
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["named", "board", "empty", "tokens", "metric", "checkpoint", "checkpoint_every", "blocks", "blocks_also", "processes", "hosts", "record", "survey_only"])]
    pub verify: Option<PathBuf>,
    /// The number of starts from which --verify searches again, or all
    #[arg(long, value_name = "N", value_parser = parse_starts, requires = "verify", conflicts_with = "samples")]
    pub starts: Option<StartsToVerify>,
    /// Makes --verify solve this many random puzzles with proof, and compare their lengths with the record
    #[arg(long, value_name = "N", requires = "verify")]
    pub samples: Option<usize>,
    /// The seed of --verify, for the start and for the order of the vertices [default: a different one each time]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Stops after this many seconds, at the end of a layer
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// How to print the census
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

fn parse_starts(text: &str) -> Result<StartsToVerify, String> {
    match text {
        "all" => Ok(StartsToVerify::All),
        _ => match text.parse() {
            Ok(0) | Err(_) => Err("write a number from 1 on, or all".to_owned()),
            Ok(count) => Ok(StartsToVerify::Drawn(count)),
        },
    }
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_seconds(text)?;
    if interval > Duration::from_secs(600) {
        return Err("write at most 600 seconds".to_owned());
    }
    Ok(interval)
}

pub fn run(arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    match (&arguments.verify, arguments.empty) {
        (Some(record), _) => run_verify(record, arguments),
        (None, empty) => {
            let board = arguments.board.get("census", " --empty 4")?;
            match (empty, &arguments.tokens) {
                (Some(empty), _) if board == "-" => census_lines::run(empty, arguments),
                (empty, Some(tokens)) => census_labelled::run(board, tokens, empty, arguments),
                (Some(empty), None) => run_new(board, empty, arguments),
                (None, None) => Err(Failure::Input(
                    "write how many vertices are empty, as in --empty 4, or the tokens, as in \
                     --tokens 2xa,b"
                        .to_owned(),
                )),
            }
        }
    }
}

/// The limits and directories of a census.
pub(super) fn options(arguments: &CensusArguments) -> CensusOptions {
    CensusOptions {
        memory: arguments.memory.limit(),
        time: arguments.limit_time,
        checkpoint: arguments.checkpoint.as_ref().map(|directory| CheckpointOptions {
            directory: directory.clone(),
            resume: arguments.resume,
            interval: arguments.checkpoint_every,
        }),
        blocks: arguments.blocks.blocks.clone(),
        blocks_also: arguments.blocks.also(),
        peers: None,
        survey_only: arguments.survey_only,
    }
}

pub(super) fn run_new(
    board: &str,
    empty: usize,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let board = named_board(board, arguments.metric.metric)?;
    if let Some(path) = &arguments.record {
        check_target(path)?;
    }
    let together = arguments.processes.connect(arguments.blocks.blocks.as_deref())?;
    if let Some(helper) = together.as_ref().filter(|together| together.is_helper()) {
        let directory = arguments.blocks.blocks.clone().unwrap_or_default();
        let mut options = FilesOptions::new(directory);
        options.second = arguments.blocks.also();
        options.set_memory(arguments.memory.limit());
        return helper.join(&board, options);
    }
    let peers = together.as_ref().map(Together::peers);
    let options = CensusOptions { peers, ..options(arguments) };
    let title = format!("{board} with {empty} empty vertices");
    let job = CensusJob::new(board.clone(), empty, options)?;
    let sets = binomial(board.vertex_count(), empty);
    if arguments.survey_only && (sets > MAX_OCCUPIED_SETS || arguments.record.is_some()) {
        return run_survey(&board, empty, arguments);
    }
    let line = SearchProgress::new("");
    let mut told = 0;
    let census = cancellable(|cancel| {
        job.run(cancel, &mut |event| {
            if let CensusEvent::Searching(Progress { starts, estimate: Some(estimate), .. }) =
                &event
                && told <= starts.0
            {
                told = starts.0 + 1;
                if estimate.disk > 0.0 {
                    let estimate = describe_estimate(estimate);
                    complain(&format_args!("search {told} of {}: {estimate}", starts.1));
                }
            }
            line.say(&match event {
                CensusEvent::Surveying => format!("surveying the occupied sets of {title}"),
                CensusEvent::Searching(progress) => describe_progress(&progress),
            });
            ControlFlow::Continue(())
        })
    });
    drop(line);
    if let Some(together) = together {
        let is_complete = census.as_ref().is_ok_and(|census| census.is_finished);
        together.end(is_complete && !is_cancelled());
    }
    let census = census?;
    match arguments.format {
        Format::Json => print_json(&census.report)?,
        Format::Text => print(&describe(&census.report, census.wall_s))?,
    }
    write_record(&census, arguments)?;
    if census.is_finished && !is_cancelled() {
        return Ok(ExitStatus::Done);
    }
    let rest = match &arguments.checkpoint {
        Some(_) => "add --resume to continue",
        None => "use --checkpoint to be able to continue",
    };
    complain(&format_args!(
        "stopped with {} of {} searches done: {rest}",
        census.report.searched, census.report.orbits
    ));
    Ok(ExitStatus::LimitReached)
}

fn write_record(census: &Census, arguments: &CensusArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.record else { return Ok(()) };
    match census.record(Provenance::now(&command_line())) {
        Some(record) => Ok(record.write(path)?),
        None => Ok(()),
    }
}

/// Surveys very many occupied sets.
fn run_survey(
    board: &Board,
    empty: usize,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let survey = survey_again(board, empty, arguments.memory.limit())?;
    let wall_s = began.elapsed().as_secs_f64();
    match arguments.format {
        Format::Json => print_json(&survey)?,
        Format::Text => {
            let mut rows =
                table(&["#sets", "=regime", "#stuck", "=parity", "#arrangements", "#components"]);
            for (kind, count) in &survey.components {
                rows.add_row([
                    grouped(kind.occupied_sets),
                    kind.regime.clone(),
                    kind.stuck_tokens.to_string(),
                    if kind.even_permutations_only { "even only" } else { "both" }.to_owned(),
                    kind.arrangements.clone().unwrap_or_else(|| "-".to_owned()),
                    grouped(*count),
                ]);
            }
            let title = format!(
                "{board} with {empty} empty vertices: {} occupied sets, {} of them isolated",
                grouped(survey.occupied_sets),
                grouped(survey.isolated_sets),
            );
            let notes = format!(
                "sets and components are of the occupancy graph; mobile components with \
                 distinguishable tokens: {}\nstrong parity: {}, {}",
                survey.mobile_components,
                if survey.strong_parity { "yes" } else { "no" },
                seconds(wall_s),
            );
            print(&format!("{}\n{}\n{}", prose(&title), render(&rows), prose(&notes)))?;
        }
    }
    if let Some(path) = &arguments.record {
        let record = SurveyRecord { survey, wall_s, provenance: Provenance::now(&command_line()) };
        record.write(path)?;
    }
    Ok(ExitStatus::Done)
}

fn survey_again(board: &Board, empty: usize, limit: u64) -> Result<ParitySurvey, Failure> {
    let line = SearchProgress::new("");
    let sets = binomial(board.vertex_count(), empty);
    let began = Instant::now();
    let mut tell = |seen: u64| {
        let rate = seen as f64 / began.elapsed().as_secs_f64();
        line.say(&format!(
            "{:.1} % of {} occupied sets, about {} left",
            100.0 * seen as f64 / sets as f64,
            grouped(sets),
            duration(sets.saturating_sub(seen) as f64 / rate)
        ));
    };
    let threads = hyperslide_table::available_threads();
    let survey =
        cancellable(|cancel| ParitySurvey::new(board, empty, limit, threads, cancel, &mut tell));
    survey.map_err(|error| match error {
        ParityError::TooManySets { .. } => Failure::input(error),
        _ => Failure::Other(error.to_string()),
    })
}

fn describe_progress(progress: &Progress<'_>) -> String {
    let Progress {
        starts: (done, all),
        layers,
        states,
        searched: (searched, since),
        left,
        blocks,
        ..
    } = progress;
    let found: u128 = layers.iter().map(|layers| u128::from(layers.total())).sum();
    let depth = layers.iter().map(Layers::depth).max().unwrap_or(0);
    let elapsed = since.elapsed().as_secs_f64();
    let rate = (searched + found) as f64 / elapsed;
    let left = left.saturating_sub(found) as f64 / rate;
    let which = match layers.len() {
        1 => format!("search {}", done + 1),
        searches => format!("searches {} to {}", done + 1, done + searches),
    };
    let blocks = blocks.map_or_else(String::new, |(done, all)| format!(", {done} of {all} blocks"));
    format!(
        "{which} of {all}, layer {depth}{blocks}: {:.1} % of {states} states; {:.0} million states/s, about {} left",
        100.0 * found as f64 / (layers.len() as f64 * *states as f64),
        rate / 1e6,
        duration(left),
    )
}

/// The census for people.
fn describe(report: &CensusReport, wall_s: f64) -> String {
    let mut text = format!(
        "{} {}, {} tokens, {} empty vertices\n\n",
        report.board, report.metric, report.tokens, report.empty
    );
    let parity = match (report.strong_parity, report.weak_parity) {
        (true, _) => "strong: two mobile components, which differ by parity",
        (false, true) => "weak: every closed walk permutes the tokens evenly",
        (false, false) => "none: some closed walk permutes the tokens oddly",
    };
    let sets = format!(
        "{}, of which {} can move, in {} under {} symmetries",
        grouped(report.occupied_sets),
        grouped(report.moving_sets),
        counted(report.orbits as u64, "orbit"),
        report.symmetries,
    );
    for (name, value) in [
        ("configurations", report.configurations.as_str()),
        ("regime", report.regime.name()),
        ("parity", parity),
        ("occupied sets", &sets),
    ] {
        text.push_str(&fact(name, value));
    }
    text.push('\n');
    let mut rows = table(&[
        "#size",
        "#count",
        "=regime",
        "#sets",
        "#stuck",
        "#diameter",
        "#radius",
        "#searches",
        "=eccentricities",
    ]);
    let unknown = || "?".to_owned();
    for component in &report.components {
        let eccentricities: Vec<String> = component
            .eccentricities
            .iter()
            .map(|entry| format!("{}: {}", entry.eccentricity, grouped(entry.occupied_sets)))
            .collect();
        rows.add_row([
            component.size.clone(),
            component.count.clone(),
            component.regime.to_string(),
            grouped(component.occupied_sets),
            component.stuck_tokens.to_string(),
            component.diameter.as_ref().map_or_else(unknown, Diameter::to_string),
            component.radius.map_or_else(unknown, |radius| radius.to_string()),
            format!("{} of {}", component.searched, component.orbits),
            eccentricities.join(", "),
        ]);
    }
    text.push_str(&render(&rows));
    let mut notes = "\nsize: configurations in each component; count: such components; sets: occupied \
                     sets of a component;\neccentricities: each with the number of occupied sets that \
                     have it\n"
        .to_owned();
    for check in &report.checks {
        let holds = if check.holds { "holds" } else { "FAILS" };
        notes.push_str(&format!("{holds}: {} ({})\n", check.statement, check.found));
    }
    let searches = counted(report.searched as u64, "search");
    notes.push_str(&format!("\n{searches}, {}\n", seconds(wall_s)));
    text + &prose(&notes)
}

fn run_verify(path: &Path, arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    if let Some(record) = SurveyRecord::read(path) {
        return verify_survey(path, &record, arguments);
    }
    let now = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |since| since.subsec_nanos().into())
    };
    let seed = arguments.seed.unwrap_or_else(now);
    if let Some(verified) = census_labelled::verify(path, seed, arguments) {
        return verified;
    }
    let (record, board, survey) = CensusRecord::read(path)?;
    if record.starts.is_empty() {
        return match arguments.format {
            Format::Json => print_json(&json!({ "record": path, "agrees": true, "starts": 0 })),
            Format::Text => {
                print("the survey agrees; no token can move, so no search was recorded\n")
            }
        }
        .map(|()| ExitStatus::Done);
    }
    if arguments.samples.is_none() {
        match search_again(path, &record, &board, &survey, seed, arguments) {
            Err(VerifyError::Memory { needed, .. }) if arguments.starts.is_none() => {
                complain(&format_args!(
                    "repeating the search would need {}: random puzzles are solved instead",
                    bytes(u64::try_from(needed).unwrap_or(u64::MAX))
                ));
            }
            result => return result.map_err(|error| Failure::Other(error.to_string()))?,
        }
    }
    sample(path, &record, &board, &survey, seed, arguments)
}

/// Repeats searches of a record, and says what share of it they are.
fn search_again(
    path: &Path,
    record: &CensusRecord,
    board: &Board,
    survey: &Survey,
    seed: u64,
    arguments: &CensusArguments,
) -> Result<Result<ExitStatus, Failure>, VerifyError> {
    let line = SearchProgress::new("");
    let began = Instant::now();
    let mut tell = |start: &StartResult, layers: &Layers| {
        line.say(&format!(
            "searching again from {:?}: layer {} of {}",
            start.occupied,
            layers.depth(),
            start.eccentricity()
        ));
        let limit = arguments.limit_time;
        if limit.is_some_and(|limit| began.elapsed() >= limit) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let which = arguments.starts.unwrap_or(StartsToVerify::Drawn(1));
    let limits = (seed, arguments.memory.limit());
    let found = cancellable(|cancel| {
        let signals = Signals::new(cancel);
        verify(board, survey, &record.starts, which, limits, &signals, &mut tell)
    });
    drop(line);
    let found = found?;
    Ok(show_again(path, record, seed, &found, began.elapsed().as_secs_f64(), arguments))
}

fn show_again(
    path: &Path,
    record: &CensusRecord,
    seed: u64,
    found: &[Again],
    wall_s: f64,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let is_stopped = found.iter().any(|again| !again.found.complete);
    if is_stopped {
        complain(&"stopped before the search was done; nothing is decided");
        if arguments.format == Format::Json {
            print_json(&json!({ "record": path, "agrees": null, "seed": seed }))?;
        }
        return Ok(ExitStatus::LimitReached);
    }
    let agrees = found.iter().all(Again::agrees);
    let visited = |starts: &mut dyn Iterator<Item = &StartResult>| -> u128 {
        starts.flat_map(|start| &start.layers).map(|&states| u128::from(states)).sum()
    };
    let share = visited(&mut found.iter().map(|again| &again.recorded)) as f64
        / visited(&mut record.starts.iter()) as f64;
    let Some(last) = found.last() else { return Ok(ExitStatus::Done) };
    match arguments.format {
        Format::Json => print_json(&json!({
            "record": path,
            "agrees": agrees,
            "seed": seed,
            "starts": last.drawn_from,
            "searched": found.len(),
            "share": share,
            "occupied": last.recorded.occupied,
            "recorded": last.recorded.layers,
            "found": last.found.states,
        }))?,
        Format::Text => {
            let mut text = format!(
                "{} {} with {} empty vertices: the digest, the survey's orbits and the report agree\n",
                record.census.board, record.census.metric, record.census.empty,
            );
            for again in found {
                text.push_str(&format!(
                    "searched again from tokens on {:?}, portable code, vertices in another order, two \
                     arrays: {} layers, {} states: {}\n",
                    again.recorded.occupied,
                    again.found.states.len(),
                    grouped(again.found.total()),
                    if again.agrees() { "all layers agree" } else { "THE LAYERS DIFFER" },
                ));
            }
            text.push_str(&format!(
                "these are {} of {} recorded (seed {seed}), {:.3} % of the states that its searches \
                 visited, {}\n",
                counted(found.len() as u64, "start"),
                last.drawn_from,
                100.0 * share,
                seconds(wall_s),
            ));
            print(&prose(&text))?;
        }
    }
    if agrees {
        Ok(ExitStatus::Done)
    } else {
        Err(Failure::Other(format!(
            "{}: recorded layers {:?}, found {:?}",
            path.display(),
            last.recorded.layers,
            last.found.states
        )))
    }
}

/// Random puzzles that are solved for a record whose search cannot be repeated.
const SAMPLES: usize = 10_000;

/// Solves random puzzles and compares their lengths with a record.
fn sample(
    path: &Path,
    record: &CensusRecord,
    board: &Board,
    survey: &Survey,
    seed: u64,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let puzzles = arguments.samples.unwrap_or(SAMPLES);
    let limits = Limits { memory: Some(arguments.memory.limit()), ..Limits::default() };
    let line = SearchProgress::new("");
    let sample = cancellable(|cancel| {
        sample_census(
            record,
            board,
            survey,
            &SampleOptions { puzzles, seed, limits },
            cancel,
            &mut |solved| {
                line.say(&format!("{} of {puzzles} random puzzles solved", grouped(solved as u64)));
                let limit = arguments.limit_time;
                let is_late = limit.is_some_and(|limit| began.elapsed() >= limit);
                if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
    });
    drop(line);
    let sample = match sample {
        Err(SampleError::Cancelled) => {
            complain(&"stopped before all puzzles were solved; nothing is decided");
            return Ok(ExitStatus::LimitReached);
        }
        sample => sample.map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?,
    };
    let longest = sample.solved.iter().rposition(|&count| count > 0).unwrap_or(0);
    match arguments.format {
        Format::Json => print_json(&json!({
            "record": path,
            "agrees": sample.agrees(),
            "seed": seed,
            "counted_layers": sample.counted_layers,
            "solved": sample.solved,
            "inverses": sample.inverses,
            "chi_squared": sample.fit.statistic,
            "degrees": sample.fit.degrees,
            "p": sample.fit.p,
        }))?,
        Format::Text => {
            let inverses = match sample.inverses {
                0 => String::new(),
                count => format!(
                    "; {} of them also by their inverses, each of the same length",
                    grouped(count as u64)
                ),
            };
            print(&prose(&format!(
                "{} {} with {} empty vertices: the digest, the survey's orbits and the report agree\n\
                 layers 0 to {} counted again from the rule alone: they agree\n\
                 {} random puzzles (seed {seed}) solved with proof, the longest of {longest} moves{inverses}\n\
                 their lengths against the recorded layers: chi-squared {:.1} with {} degrees of freedom, \
                 p = {:.3}: {}, {}\n",
                record.census.board,
                record.census.metric,
                record.census.empty,
                sample.counted_layers,
                grouped(puzzles as u64),
                sample.fit.statistic,
                sample.fit.degrees,
                sample.fit.p,
                if sample.agrees() { "they agree" } else { "THEY DIFFER" },
                seconds(began.elapsed().as_secs_f64()),
            )))?;
        }
    }
    if sample.agrees() {
        return Ok(ExitStatus::Done);
    }
    Err(Failure::Other(format!(
        "{}: lengths of random puzzles {:?}",
        path.display(),
        sample.solved
    )))
}

/// Surveys again what a record says was surveyed.
fn verify_survey(
    path: &Path,
    record: &SurveyRecord,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let recorded = &record.survey;
    let metric = recorded.metric.parse().map_err(Failure::input)?;
    let board = named_board(&recorded.board, metric)?;
    if recorded.empty > board.vertex_count() {
        return Err(Failure::Input(format!(
            "{}: {} empty vertices",
            path.display(),
            recorded.empty
        )));
    }
    let found = survey_again(&board, recorded.empty, arguments.memory.limit())?;
    let agrees = found == *recorded;
    match arguments.format {
        Format::Json => print_json(&json!({ "record": path, "agrees": agrees }))?,
        Format::Text if agrees => print("the survey was made again and agrees\n")?,
        Format::Text => {}
    }
    if agrees {
        Ok(ExitStatus::Done)
    } else {
        Err(Failure::Other(format!("{}: a new survey finds something else", path.display())))
    }
}

impl From<CensusError> for Failure {
    fn from(error: CensusError) -> Failure {
        match error {
            CensusError::Run(error) => error.into(),
            CensusError::Cancelled => Failure::Other(error.to_string()),
            CensusError::Memory { states, searches, needed, limit, seconds } => {
                Failure::Input(format!(
                    "a search of the component of {states} states needs {}, and {searches} searches of \
                     all orbits about {}, but only {} may be used: raise --limit-memory on a machine \
                     that has it, keep the blocks in files with --blocks, or use --survey-only",
                    bytes(needed),
                    duration(seconds),
                    bytes(limit),
                ))
            }
            CensusError::Time { seconds, limit } => Failure::Input(format!(
                "the searches take about {}, far more than the limit of {}: use --checkpoint, so that \
                 what they find is kept, or raise --limit-time",
                duration(seconds),
                duration(limit.as_secs_f64())
            )),
            _ => Failure::input(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Files(error) => error.into(),
            RunError::Space(_) => Failure::input(error),
            _ => Failure::Other(error.to_string()),
        }
    }
}

impl From<CensusRecordError> for Failure {
    fn from(error: CensusRecordError) -> Failure {
        match error {
            CensusRecordError::Write { .. } => Failure::Other(error.to_string()),
            _ => Failure::input(error),
        }
    }
}
