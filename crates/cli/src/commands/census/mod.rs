//! `hyperslide census`: whole puzzle graphs, and checking their records.

mod labelled;
mod lines;
mod survey;
mod text;
mod verify;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hyperslide_census::{
    BLOCK_DIRECTORY_PREFIX, BlockCounts, Census, CensusError, CensusEvent, CensusJob,
    CensusOptions, CensusProgress, CheckpointError, CheckpointOptions, MAX_OCCUPIED_SETS, RunError,
    StartsToVerify, SurveyError, is_sparse,
};
use hyperslide_lab::{CensusRecordError, Provenance};
use hyperslide_puzzle::Board;
use hyperslide_table::{FilesError, FilesOptions, SpaceError, binomial};

use super::layers::{HOW_TO_BEGIN, HOW_TO_RESUME, describe_estimate};
use crate::failure::{ExitStatus, Failure};
use crate::input::{check_apart, check_target, named_board};
use crate::options::{
    BlocksArguments, BoardArgument, Format, MemoryArgument, MetricArgument, parse_seconds,
};
use crate::processes::{ProcessArguments, Together};
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, counted, duration, grouped,
    is_cancelled, print, print_json, seconds,
};
use text::{describe, describe_progress};

#[derive(Args)]
pub struct CensusArguments {
    #[command(flatten)]
    pub board: BoardArgument,
    /// The number of empty vertices
    #[arg(
        long,
        value_name = "L",
        required_unless_present_any = ["verify", "tokens"]
    )]
    pub empty: Option<usize>,
    /// The labels of the tokens, of which several may be alike: 2xa,b are two tokens a and one b
    #[arg(long, value_name = "LABELS")]
    pub tokens: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Finds components and parity only; there are no searches, and so no diameters. This works
    /// even for more than a hundred million occupied sets, at four bits each
    #[arg(long, conflicts_with_all = ["checkpoint", "blocks"])]
    pub survey_only: bool,
    /// Finds the diameters only: searches from as few starts as settle them, which is often one;
    /// each start bounds the distances between all states that it does not search from
    #[arg(long, conflicts_with_all = ["survey_only", "tokens"])]
    pub diameters_only: bool,
    /// Keeps the census in this directory while it runs; creates the directory if necessary
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Continues the census in the directory of --checkpoint; with --blocks it is optional
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub blocks: BlocksArguments,
    #[command(flatten)]
    pub processes: ProcessArguments,
    /// The time between two checkpoints during one search, at most 600 seconds
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_interval, requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Writes the finished census to this file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Also writes how many states each block of --blocks has at each distance to this file, as CSV
    /// in gzip; the record names it, and --verify uses it
    #[arg(long, value_name = "FILE", requires_all = ["record", "blocks"])]
    pub block_counts: Option<PathBuf>,
    /// Checks a record, and repeats the search from one of its starts, drawn by the size of its
    /// component; where that would take too much memory, solves random puzzles instead
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["named", "board", "empty", "tokens", "metric", "checkpoint", "checkpoint_every", "resume", "blocks", "blocks_also", "processes", "hosts", "record", "block_counts", "survey_only", "diameters_only"])]
    pub verify: Option<PathBuf>,
    /// The number of starts from which --verify searches again, or all
    #[arg(long, value_name = "N", value_parser = parse_starts, conflicts_with = "samples")]
    pub starts: Option<StartsToVerify>,
    /// Makes --verify solve this many random puzzles with proof, or a few more so that each start
    /// of the record has as many, and compare their lengths with the record
    #[arg(long, value_name = "N", value_parser = parse_samples)]
    pub samples: Option<usize>,
    /// The seed of --verify, for the start and for the order of the vertices [default: a different
    /// one each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Stops after this many seconds, at the end of a layer, or during the survey; with --blocks it
    /// stops within a layer, which then starts over
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub limit_time: Option<Duration>,
    /// How to print the census [default: text, and json for boards from standard input]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

impl CensusArguments {
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }
}

fn parse_samples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("write a number from 1 on".to_owned()),
        Ok(count) => Ok(count),
    }
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
        (Some(record), _) => verify::run(record, arguments),
        // clap does not enforce `requires` when the required argument conflicts with one that is
        // given.
        (None, _)
            if arguments.starts.is_some()
                || arguments.samples.is_some()
                || arguments.seed.is_some() =>
        {
            Err(Failure::Input("--starts, --samples and --seed are for --verify RECORD".to_owned()))
        }
        (None, empty) => {
            let board = arguments.board.get("census", " --empty 4")?;
            match (empty, &arguments.tokens) {
                (Some(empty), _) if board == "-" => lines::run(empty, arguments),
                (_, Some(_)) if board == "-" => Err(Failure::Input(
                    "--tokens is for one board: write its name, or --empty for boards from \
                     standard input"
                        .to_owned(),
                )),
                (empty, Some(tokens)) => labelled::run(board, tokens, empty, arguments),
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
fn options(arguments: &CensusArguments) -> CensusOptions {
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
        diameters_only: arguments.diameters_only,
    }
}

fn run_new(board: &str, empty: usize, arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    if arguments.resume && arguments.checkpoint.is_none() {
        check_resumable(arguments.blocks.blocks.as_deref())?;
    }
    let board = named_board(board, arguments.metric.metric)?;
    for path in arguments.record.iter().chain(&arguments.block_counts) {
        check_target(path)?;
    }
    if let (Some(record), Some(counts)) = (&arguments.record, &arguments.block_counts)
        && (record == counts || check_apart(record, [counts]).is_err())
    {
        return Err(Failure::Input(format!(
            "{} cannot have both the record and the counts: name another for --block-counts",
            record.display()
        )));
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
    let title = format!("{board} with {}", counted(empty as u64, "empty vertex"));
    let job = CensusJob::new(board.clone(), empty, options)?;
    let sets = binomial(board.vertex_count(), empty);
    if arguments.survey_only && (sets > MAX_OCCUPIED_SETS || arguments.record.is_some()) {
        return survey::run(&board, empty, arguments);
    }
    let line = SearchProgress::new("");
    let mut told = 0;
    let census = cancellable(|cancel| {
        job.run(cancel, &mut |event| {
            if let CensusEvent::Searching(CensusProgress {
                starts, estimate: Some(estimate), ..
            }) = &event
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
    let census = census.map_err(|error| no_census(error, arguments))?;
    match arguments.format() {
        Format::Json => print_json(&census.report)?,
        Format::Text => print(&describe(&census.report, census.wall_s))?,
    }
    write_record(&board, &census, arguments)?;
    if census.is_finished && !is_cancelled() {
        return Ok(ExitStatus::Done);
    }
    let rest = match (&arguments.checkpoint, &arguments.blocks.blocks) {
        (Some(_), _) => "add --resume to continue",
        (None, Some(_)) => "the same command continues",
        (None, None) => "use --checkpoint to be able to continue",
    };
    complain(&format_args!(
        "stopped with {} of {} searches done: {rest}",
        census.report.searched, census.report.orbits
    ));
    Ok(ExitStatus::LimitReached)
}

/// Refuses to resume a census in a directory of blocks that has none.
fn check_resumable(blocks: Option<&Path>) -> Result<(), Failure> {
    let Some(directory) = blocks else {
        return Err(Failure::Input(
            "--resume continues the census of a directory: add --checkpoint DIR or --blocks DIR"
                .to_owned(),
        ));
    };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    if names.any(|name| name.to_string_lossy().starts_with(BLOCK_DIRECTORY_PREFIX)) {
        return Ok(());
    }
    let directory = directory.display();
    Err(Failure::Input(format!("{directory} has no census to resume: {HOW_TO_BEGIN}")))
}

fn write_record(
    board: &Board,
    census: &Census,
    arguments: &CensusArguments,
) -> Result<(), Failure> {
    let Some(path) = &arguments.record else { return Ok(()) };
    let Some(mut record) = census.record(Provenance::now(&command_line())) else { return Ok(()) };
    if let (Some(file), Some(blocks)) = (&arguments.block_counts, &arguments.blocks.blocks) {
        let (survey, starts) = (&census.survey, &record.starts);
        if survey.classes.iter().any(is_sparse) {
            record.write(path)?;
            return Err(Failure::Input(
                "a component has few of the arrangements of its tokens, and so no blocks to count: the record \
                 is written without; leave --block-counts out"
                    .to_owned(),
            ));
        }
        let counts =
            cancellable(|cancel| BlockCounts::of_searches(board, survey, starts, blocks, cancel))?;
        record.block_counts = Some(counts.write(survey, starts, file, path)?);
    }
    Ok(record.write(path)?)
}

/// Why there is no census, with what to do about it.
fn no_census(error: CensusError, arguments: &CensusArguments) -> Failure {
    match error {
        CensusError::Survey(error) => no_survey(error, arguments),
        CensusError::Space(SpaceError::Stopped) => {
            too_long("the numbering of the states", arguments.limit_time)
        }
        error => error.into(),
    }
}

/// Why the occupied sets were not surveyed, with what to do about it.
fn no_survey(error: SurveyError, arguments: &CensusArguments) -> Failure {
    let is_last = arguments.survey_only || arguments.verify.is_some();
    match error {
        SurveyError::Stopped => too_long("the survey", arguments.limit_time),
        SurveyError::Memory { sets, needed, limit } => {
            let other = match is_last {
                true => "",
                false => ", or find components and parity only with --survey-only --record FILE",
            };
            Failure::Input(format!(
                "a survey of {} occupied sets needs {} or more, but only {} may be used: raise \
                 --limit-memory on a machine that has it{other}",
                grouped(sets),
                bytes(needed),
                bytes(limit)
            ))
        }
        // At four bits each these take five gigabytes.
        SurveyError::TooManySets { sets: ..10_000_000_000, .. } if !is_last => {
            Failure::Input(format!("{error}, or use --survey-only"))
        }
        SurveyError::TooManySets { .. } => Failure::input(error),
    }
}

/// The end of work without a result, by Ctrl-C or at the limit of time.
fn too_long(what: &str, limit: Option<Duration>) -> Failure {
    Failure::Limit(match limit {
        Some(limit) if !is_cancelled() => {
            let limit = limit.as_secs_f64();
            let is_whole = limit >= 1.0 && limit.fract() == 0.0;
            let limit = if is_whole { duration(limit) } else { seconds(limit) };
            format!("{what} takes longer than the limit of {limit}: raise --limit-time")
        }
        _ if is_cancelled() => format!("cancelled before {what} was complete"),
        _ => format!("the system has no more memory for {what}: use a smaller board"),
    })
}

impl From<CensusError> for Failure {
    fn from(error: CensusError) -> Failure {
        match error {
            CensusError::Run(error) => error.into(),
            CensusError::Survey(SurveyError::Stopped) | CensusError::Space(SpaceError::Stopped) => {
                Failure::Limit(error.to_string())
            }
            CensusError::Memory { states, searches, needed, limit, seconds: time } => {
                let time = if time < 1.0 { seconds(time) } else { duration(time) };
                Failure::Input(format!(
                    "a search of the component of {states} states needs {}, but only {} may be used, \
                     and its {searches} searches take at least about {}: raise --limit-memory on a \
                     machine that has it, keep the blocks in files with --blocks, or use --survey-only",
                    bytes(needed),
                    bytes(limit),
                    time,
                ))
            }
            // Components and parity can be found where distances cannot.
            CensusError::Space(SpaceError::TooManyArrangements { .. }) => {
                Failure::Input(format!("{error}, or use --survey-only"))
            }
            CensusError::Stored { states, needed, limit } => Failure::Input(format!(
                "storing the {states} states of a component needs {}, but only {} may be used: raise \
                 --limit-memory",
                bytes(needed),
                bytes(limit)
            )),
            CensusError::EmptyVertices { board, vertices, empty } => Failure::Input(format!(
                "{board} has {vertices} vertices, so {empty} of them cannot be empty: write --empty 0 \
                 to {vertices}"
            )),
            CensusError::Checkpoint(CheckpointError::Exists(_)) => {
                Failure::Input(format!("{error}: {HOW_TO_RESUME}"))
            }
            CensusError::Checkpoint(CheckpointError::Missing(_)) => {
                Failure::Input(format!("{error}: {HOW_TO_BEGIN}"))
            }
            _ => Failure::input(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Files(FilesError::Gone(gone)) => Failure::Other(format!(
                "{gone}: start all processes again, and the search continues after the last layer \
                 that all of them had"
            )),
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
