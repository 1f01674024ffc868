//! `hyperslide layers`: the number of states at each distance.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use hyperslide_puzzle::{Arrangement, BoardSpec, Puzzle, Setup};
use hyperslide_table::{
    Distance, LayerCount, LayerCountError, LayerCountOptions, Signals, count_layers,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::{BoardArgument, MemoryArgument, MetricArgument, TableFormat, parse_seconds};
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, counted, grouped, is_cancelled, print,
    print_json, render, seconds, table,
};

#[derive(Args)]
pub struct LayersArguments {
    #[command(flatten)]
    pub board: BoardArgument,
    /// The number of empty vertices, as a check of --start
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub empty: Option<usize>,
    /// The start, as in 1=0,2=3; a grid with one empty vertex needs none
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Counts the distances to this goal, in which 0 and * mean what they do in `hyperslide solve`
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Lists the farthest states when there are at most N, or 100 when no N is given
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100", allow_negative_numbers = true)]
    pub farthest: Option<usize>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Stops after this many seconds, at the end of a layer
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// How to print the layers
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

pub fn run(arguments: &LayersArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let puzzle = puzzle(arguments)?;
    let empty = puzzle.board().vertex_count() - puzzle.start().occupied().len();
    if let Some(said) = arguments.empty.filter(|&said| said != empty) {
        return Err(Failure::Input(format!(
            "--empty {said} does not agree with the start, which leaves {empty} vertices empty"
        )));
    }
    let options = LayerCountOptions {
        distance: match arguments.goal {
            None => Distance::FromStart,
            Some(_) => Distance::ToGoal,
        },
        memory: arguments.memory.limit(),
        time: arguments.limit_time,
        farthest: arguments.farthest.unwrap_or(0),
    };
    let line = SearchProgress::new("");
    let count = cancellable(|cancel| {
        count_layers(&puzzle, &options, &Signals::new(cancel), &mut |layers, states| {
            line.say(&format!(
                "layer {}: {} of at most {states} states",
                layers.depth(),
                grouped(layers.total()),
            ));
            ControlFlow::Continue(())
        })
    });
    drop(line);
    let count = count?;
    let wall_s = began.elapsed().as_secs_f64();
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
            "farthest": farthest(&puzzle, &count),
            "wall_s": wall_s,
        }))?,
        TableFormat::Text => print(&describe(arguments, &puzzle, &count, wall_s))?,
    }
    if arguments.farthest.is_some() && layers.complete && count.farthest.is_none() {
        complain(&format_args!(
            "the {} farthest away are not listed: raise --farthest",
            counted(layers.states.last().copied().unwrap_or(0), "state")
        ));
    }
    if layers.complete {
        return Ok(ExitStatus::Done);
    }
    let why = if is_cancelled() { "cancelled" } else { "out of time" };
    complain(&format_args!("{why}: some state is at least {} moves away", layers.depth()));
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
    if let Some(states) = farthest(puzzle, count) {
        text.push_str(&format!("\nat distance {}:\n", layers.depth()));
        for state in states {
            text.push_str(&format!("  {state}\n"));
        }
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
    let goal = match &arguments.goal {
        Some(goal) => goal.parse().map_err(Failure::input)?,
        None => start.clone(),
    };
    Puzzle::new(board, &Setup { start, goal: Some(goal) }).map_err(Failure::input)
}

impl From<LayerCountError> for Failure {
    fn from(error: LayerCountError) -> Failure {
        match error {
            LayerCountError::TooMuchMemory { states, needed, limit } => Failure::Input(format!(
                "a search of {states} states needs {}, but only {} may be used: raise --limit-memory \
                 on a machine that has it, or choose fewer tokens",
                bytes(needed),
                bytes(limit)
            )),
            LayerCountError::NoMemory { .. } => Failure::Other(error.to_string()),
            _ => Failure::input(error),
        }
    }
}
