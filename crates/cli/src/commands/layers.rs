//! `hyperslide layers`: the number of states at each distance.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use hyperslide_puzzle::{Arrangement, BoardSpec, Puzzle, Setup, provably_stuck};
use hyperslide_table::{
    Distance, FilesCount, FilesError, FilesEstimate, FilesOptions, LayerCheckpointError,
    LayerCheckpointOptions, LayerCost, LayerCount, LayerCountError, LayerCountOptions,
    QuotientError, Resume, Signals, SpaceError, count_layers, count_layers_in_files,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::{
    BlocksArguments, BoardArgument, MemoryArgument, MetricArgument, TableFormat, parse_seconds,
};
use crate::processes::{ProcessArguments, Together};
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, counted, duration, grouped, is_cancelled, print,
    print_json, render, seconds, table, with_noun,
};

#[derive(Args)]
pub struct LayersArguments {
    #[command(flatten)]
    pub board: BoardArgument,
    /// The number of empty vertices, as a check of --start
    #[arg(long, value_name = "L")]
    pub empty: Option<usize>,
    /// The start, as in 1=0,2=3; a grid with one empty vertex needs none
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Counts the distances to this goal, in which 0 and * mean what they do in `hyperslide solve`
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Lists the farthest states, in text and JSON, when there are at most N, or 100 when no N is
    /// given
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100")]
    pub farthest: Option<usize>,
    #[command(flatten)]
    pub blocks: BlocksArguments,
    #[command(flatten)]
    pub processes: ProcessArguments,
    /// Keeps a search in memory in this directory while it runs; creates the directory if necessary
    #[arg(long, value_name = "DIR", conflicts_with = "blocks")]
    pub checkpoint: Option<PathBuf>,
    /// The time between two checkpoints
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_seconds, requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Continues the search in the directory of --blocks or --checkpoint
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Stops after this many seconds, at the end of a layer, or while states are numbered; with
    /// --blocks it stops within a layer, which then starts over
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub limit_time: Option<Duration>,
    /// How to print the layers
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

pub fn run(arguments: &LayersArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    if arguments.farthest.is_some() && arguments.format == TableFormat::Csv {
        return Err(Failure::Input(
            "--farthest lists states, and CSV has only their number at each distance: use --format json, or leave \
             --farthest out"
                .to_owned(),
        ));
    }
    let puzzle = puzzle(arguments)?;
    let empty = puzzle.board().vertex_count() - puzzle.start().occupied().len();
    if let Some(said) = arguments.empty.filter(|&said| said != empty) {
        return Err(Failure::Input(format!(
            "--empty {said} does not agree with the start, which leaves {} empty",
            counted(empty as u64, "vertex")
        )));
    }
    if arguments.resume && arguments.checkpoint.is_none() && arguments.blocks.blocks.is_none() {
        return Err(Failure::Input(
            "--resume continues the search in a directory: add --blocks DIR or --checkpoint DIR"
                .to_owned(),
        ));
    }
    // clap does not enforce `requires` when the required argument conflicts with one that is given.
    let is_for_files = arguments.processes.is_given() || arguments.blocks.also().is_some();
    if is_for_files && arguments.blocks.blocks.is_none() {
        return Err(Failure::Input(
            "--processes, --hosts and --blocks-also are for a search in files: write --blocks DIR \
             instead of --checkpoint"
                .to_owned(),
        ));
    }
    if let Some(directory) = &arguments.blocks.blocks {
        return run_in_files(arguments, &puzzle, empty, directory);
    }
    let options = LayerCountOptions {
        distance: match arguments.goal {
            None => Distance::FromStart,
            Some(_) => Distance::ToGoal,
        },
        memory: arguments.memory.limit(),
        time: arguments.limit_time,
        farthest: arguments.farthest.unwrap_or(0),
        checkpoint: arguments.checkpoint.clone().map(|directory| LayerCheckpointOptions {
            directory,
            resume: arguments.resume,
            interval: arguments.checkpoint_every,
        }),
    };
    let line = SearchProgress::new("");
    let count = cancellable(|cancel| {
        count_layers(&puzzle, &options, &Signals::new(cancel), &mut |layers, states| {
            let most = states.map_or_else(String::new, |states| format!(" of at most {states}"));
            let found = grouped(layers.total());
            line.say(&format!("layer {}: {found}{most} states", layers.depth()));
            ControlFlow::Continue(())
        })
    });
    drop(line);
    let count = count?;
    show(arguments, &puzzle, empty, &count, None, began.elapsed().as_secs_f64())
}

/// The same with the blocks in files.
fn run_in_files(
    arguments: &LayersArguments,
    puzzle: &Puzzle,
    empty: usize,
    directory: &Path,
) -> Result<ExitStatus, Failure> {
    if arguments.goal.is_some() {
        return Err(Failure::Input(
            "--blocks counts the distances from a start: leave out --goal, and write it as the --start"
                .to_owned(),
        ));
    }
    let began = Instant::now();
    let (board, start) = (puzzle.board(), puzzle.start());
    let mut options = FilesOptions::new(directory.to_owned());
    options.resume = if arguments.resume { Resume::Always } else { Resume::Never };
    options.second = arguments.blocks.also();
    options.set_memory(arguments.memory.limit());
    options.farthest = arguments.farthest.unwrap_or(0);
    let walls = provably_stuck(board, start.occupied());
    let together = arguments.processes.connect(Some(directory))?;
    if let Some(helper) = together.as_ref().filter(|together| together.is_helper()) {
        return helper.join(board, options);
    }
    options.peers = together.as_ref().map(Together::peers);
    let line = SearchProgress::new("");
    let mut is_told = false;
    let found = cancellable(|cancel| {
        count_layers_in_files(board, start, walls, options, cancel, &mut |progress| {
            if !std::mem::replace(&mut is_told, true) && progress.estimate.disk > 0.0 {
                complain(&describe_estimate(&progress.estimate));
            }
            line.say(&format!(
                "layer {}: {} of {} blocks; {} states so far",
                progress.layers.len(),
                progress.done,
                progress.tasks,
                grouped(progress.layers.iter().sum::<u64>()),
            ));
            let is_late = arguments.limit_time.is_some_and(|limit| began.elapsed() >= limit);
            if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    drop(line);
    if let Some(together) = together {
        together.end(found.as_ref().is_ok_and(|found| found.count.layers.complete));
    }
    let found = found?;
    show(arguments, puzzle, empty, &found.count, Some(&found), began.elapsed().as_secs_f64())
}

/// Prints a count, and returns how it ended.
fn show(
    arguments: &LayersArguments,
    puzzle: &Puzzle,
    empty: usize,
    count: &LayerCount,
    files: Option<&FilesCount>,
    wall_s: f64,
) -> Result<ExitStatus, Failure> {
    let layers = &count.layers;
    match arguments.format {
        TableFormat::Csv => {
            let rows = layers.states.iter().enumerate();
            let rows: String = rows.map(|(depth, states)| format!("{depth},{states}\n")).collect();
            print(&format!("depth,states\n{rows}"))?;
        }
        TableFormat::Json => print_json(&json!({
            "board": puzzle.board().spec().to_string(),
            "metric": puzzle.board().metric().name(),
            "empty": empty,
            "start": arguments.goal.is_none().then(|| puzzle.write_state(puzzle.start())),
            "goal": arguments.goal,
            "layers": layers.states,
            "depth": layers.depth(),
            "states": layers.total(),
            "mean": layers.mean(),
            "complete": layers.complete,
            "farthest": farthest(puzzle, count),
            "files": files.map(|files| json!({
                "symmetries": files.symmetries,
                "farthest_orbits": files.farthest_orbits,
                "estimate": files.estimate,
                "disk_share": files.disk_share(),
                "processes": files.peak_memory.len(),
                "peak_memory_bytes": files.peak_memory,
                "costs": files.costs,
            })),
            "wall_s": wall_s,
        }))?,
        TableFormat::Text => print(&describe(arguments, puzzle, count, files, wall_s))?,
    }
    if arguments.farthest.is_some() && layers.complete && count.farthest.is_none() {
        let last = layers.states.last().copied().unwrap_or(0);
        let repair = match arguments.farthest {
            Some(most) if last <= most as u64 => {
                "the search was continued, and fewer were wanted when it was saved: begin it again"
            }
            _ => "raise --farthest",
        };
        complain(&format_args!(
            "the {} farthest away are not listed: {repair}",
            counted(last, "state")
        ));
    }
    if layers.complete {
        return Ok(ExitStatus::Done);
    }
    let why = if is_cancelled() { "cancelled" } else { "out of time" };
    let known = match layers.states.len() {
        0 => "nothing is known of the distances".to_owned(),
        _ => format!("some state is at least {} away", counted(layers.depth().into(), "move")),
    };
    complain(&format_args!("{why}: {known}"));
    Ok(ExitStatus::LimitReached)
}

/// The farthest states as they are written.
fn farthest(puzzle: &Puzzle, count: &LayerCount) -> Option<Vec<String>> {
    let states = count.farthest.as_ref()?;
    Some(states.iter().map(|state| puzzle.write_state(state)).collect())
}

/// The layers for people.
fn describe(
    arguments: &LayersArguments,
    puzzle: &Puzzle,
    count: &LayerCount,
    files: Option<&FilesCount>,
    wall_s: f64,
) -> String {
    let (board, layers) = (puzzle.board(), &count.layers);
    let mut text = match &arguments.goal {
        Some(goal) => format!("{board}: distances to {goal}\n\n"),
        None => format!("{board}: distances from {}\n\n", puzzle.write_state(puzzle.start())),
    };
    let mut rows = table(&["#depth", "#states"]);
    for (depth, &states) in layers.states.iter().enumerate() {
        rows.add_row([depth.to_string(), grouped(states)]);
    }
    if layers.states.is_empty() {
        return text + &format!("no layer was completed in {}\n", seconds(wall_s));
    }
    text.push_str(&render(&rows));
    text.push_str(&format!(
        "\n{}{}, {} {}, mean {:.1}, {}\n",
        counted(layers.total(), "state"),
        if layers.complete { "" } else { " so far" },
        if layers.complete { "the farthest at" } else { "up to" },
        layers.depth(),
        layers.mean(),
        seconds(wall_s),
    ));
    if let Some(files) = files {
        text.push_str(&describe_files(files));
    }
    if let Some(states) = farthest(puzzle, count) {
        text.push_str(&format!("\nat distance {}:\n", layers.depth()));
        for state in states {
            text.push_str(&format!("  {state}\n"));
        }
    }
    text
}

/// What a search in files will use, for people.
pub fn describe_estimate(estimate: &FilesEstimate) -> String {
    let FilesEstimate { bytes: all, second_bytes, cache, disk, layer_s } = *estimate;
    let second = if second_bytes > 0 {
        format!(", of which {} lie in the second directory", bytes(second_bytes))
    } else {
        String::new()
    };
    format!(
        "the blocks take {}{second}; up to {} of them stay in memory; the disk was measured at {}/s; a layer \
         takes about {} at most",
        bytes(all),
        bytes(cache),
        bytes(disk as u64),
        duration(layer_s),
    )
}

/// What a search in files was and what it cost.
fn describe_files(files: &FilesCount) -> String {
    let sum = |part: fn(&LayerCost) -> u64| files.costs.iter().map(part).sum::<u64>();
    let mut text = format!(
        "in files, up to {}: {} read, {} written in all runs, {}\n",
        counted(files.symmetries as u64, "symmetry"),
        bytes(sum(|cost| cost.read)),
        bytes(sum(|cost| cost.written)),
        seconds(files.costs.iter().map(|cost| cost.wall_s).sum()),
    );
    if let Some(share) = files.disk_share() {
        text.push_str(&format!(
            "the heaviest layer ran at {:.0} % of the disk's measured speed ({}/s)\n",
            100.0 * share,
            bytes(files.estimate.disk as u64),
        ));
    }
    if files.peak_memory.len() > 1 {
        let each: Vec<String> = files.peak_memory.iter().map(|&peak| bytes(peak)).collect();
        text.push_str(&format!(
            "{} sent between {} processes, with a peak memory of {}, {} in total\n",
            bytes(sum(|cost| cost.sent)),
            each.len(),
            each.join(", "),
            bytes(files.peak_memory.iter().sum()),
        ));
    }
    if let Some(orbits) = files.farthest_orbits {
        text.push_str(&format!("the farthest states make {}\n", counted(orbits as u64, "orbit")));
    }
    text
}

/// The board with the start, or a grid with its usual goal as the start, and the goal.
fn puzzle(arguments: &LayersArguments) -> Result<Puzzle, Failure> {
    let board =
        named_board(arguments.board.get("layers", " --start 1=0,2=3")?, arguments.metric.metric)?;
    let start: Arrangement = match (&arguments.start, board.spec()) {
        (Some(start), _) => start.parse().map_err(Failure::input)?,
        (None, BoardSpec::Grid { .. }) if arguments.empty.unwrap_or(1) == 1 => {
            let tokens = (1..board.vertex_count()).map(|token| token.to_string());
            let cells: Vec<String> = tokens.chain(["0".to_owned()]).collect();
            cells.join(",").parse().map_err(Failure::input)?
        }
        (None, _) => {
            return Err(Failure::Input(
                "where do the tokens start? Only a grid with one empty vertex has a usual goal: \
                 add --start, as in --start 1=0,2=3"
                    .to_owned(),
            ));
        }
    };
    match &arguments.goal {
        Some(goal) => {
            let goal = Some(goal.parse().map_err(Failure::input)?);
            Puzzle::new(board, &Setup { start, goal }).map_err(Failure::input)
        }
        None => Puzzle::of_start(board, start).map_err(Failure::input),
    }
}

/// What to do about a directory that already has a search.
pub const HOW_TO_RESUME: &str = "add --resume to continue it, or choose another directory";
/// What to do about one that has none.
pub const HOW_TO_BEGIN: &str = "name its directory, or leave out --resume to begin one there";

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Failure {
        match error {
            FilesError::Space(QuotientError::Cancelled) => Failure::Limit(error.to_string()),
            FilesError::NotClosed { .. } | FilesError::Differs { .. } => {
                Failure::Other(error.to_string())
            }
            FilesError::Gone(_) => Failure::Other(format!(
                "{error}: start all processes again with --resume, and the search continues after the \
                 last layer that all of them had"
            )),
            FilesError::Exists { .. } => Failure::Input(format!("{error}: {HOW_TO_RESUME}")),
            FilesError::Missing { .. } => Failure::Input(format!("{error}: {HOW_TO_BEGIN}")),
            FilesError::NoRoom { directory, needed, free } => Failure::Input(format!(
                "the search's blocks need {} more in {}, but only {} are free there: free some, or \
                 keep a part of them elsewhere with --blocks-also",
                bytes(needed),
                directory.display(),
                bytes(free)
            )),
            _ => Failure::input(error),
        }
    }
}

impl From<LayerCountError> for Failure {
    fn from(error: LayerCountError) -> Failure {
        match error {
            LayerCountError::TooMuchMemory { states, needed, limit } => Failure::Input(format!(
                "a search of {} needs {}, but only {} may be used: raise --limit-memory on a machine that \
                 has it, or choose fewer tokens",
                with_noun(&grouped(states), "state"),
                bytes(needed),
                bytes(limit)
            )),
            LayerCountError::Space(SpaceError::Memory { sets, limit, .. }) => {
                Failure::Input(format!(
                    "the tokens can occupy {} or more, and numbering these alone takes more than the {} that may \
                 be used: raise --limit-memory on a machine that has it, or choose fewer tokens",
                    with_noun(&grouped(sets), "set"),
                    bytes(limit)
                ))
            }
            LayerCountError::NoMemory { .. } => Failure::Other(error.to_string()),
            LayerCountError::Checkpoint(LayerCheckpointError::Exists(_)) => {
                Failure::Input(format!("{error}: {HOW_TO_RESUME}"))
            }
            LayerCountError::Checkpoint(LayerCheckpointError::Missing(_)) => {
                Failure::Input(format!("{error}: {HOW_TO_BEGIN}"))
            }
            _ => Failure::input(error),
        }
    }
}
