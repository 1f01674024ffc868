use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use hyperslide_puzzle::{
    Arrangement, BoardSpec, Puzzle, Setup, State, VertexSet, goal_states, provably_stuck,
};
use hyperslide_table::{BreadthFirst, SearchOptions, Signals, Space, SpaceOptions};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::{MemoryArgument, MetricArgument, TableFormat, parse_seconds};
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, counted, grouped, is_cancelled, print,
    print_json, render, seconds, table,
};

#[derive(Args)]
pub struct LayersArguments {
    /// The board
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// The number of empty vertices: of a grid without --start 1, else what the start has
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub empty: Option<usize>,
    /// Where the tokens start; with --goal, which tokens there are
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Counts the distances to this goal instead; 0 and * as in solve
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Lists the farthest states, if they are at most N
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100", allow_negative_numbers = true)]
    pub farthest: Option<usize>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// Stops after the layer in which these seconds are over
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// How to print the layers
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

/// Goal states that are listed at most.
const MAX_GOAL_STATES: usize = 1 << 20;

pub fn run(arguments: &LayersArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let puzzle = puzzle(arguments)?;
    let board = puzzle.board();
    let occupied = puzzle.start().occupied();
    let empty = board.vertex_count() - occupied.len();
    if let Some(said) = arguments.empty.filter(|&said| said != empty) {
        return Err(Failure::Input(format!(
            "--empty {said} does not agree with the start, which leaves {empty} vertices empty"
        )));
    }
    let starts = match arguments.goal {
        None => vec![*puzzle.start()],
        Some(_) => goal_states(&puzzle, MAX_GOAL_STATES).ok_or_else(|| {
            Failure::Input(format!(
                "more than {} states meet the goal: leave less of it free",
                grouped(MAX_GOAL_STATES as u64)
            ))
        })?,
    };
    let is_single = arguments.goal.is_none();
    let options = SpaceOptions {
        walls: if is_single { provably_stuck(board, occupied) } else { VertexSet::EMPTY },
        halve: is_single,
        ..SpaceOptions::default()
    };
    let space = Space::new(board, puzzle.start(), &options).map_err(Failure::input)?;
    let starts: Vec<State> =
        starts.into_iter().filter(|state| space.rank(state).is_some()).collect();
    if starts.is_empty() {
        return Err(Failure::Input(
            "no state that meets the goal has its tokens on vertices that slides from the start \
             lead to: the goal is out of reach"
                .to_owned(),
        ));
    }
    let limit = arguments.memory.limit();
    let needed = BreadthFirst::bytes(&space, is_single, 1) + u128::from(space.bytes());
    if needed > u128::from(limit) {
        return Err(Failure::Input(format!(
            "a search of {} states needs {}, but only {} may be used: raise --limit-memory on a \
             machine that has it, or choose fewer tokens",
            space.states(),
            bytes(u64::try_from(needed).unwrap_or(u64::MAX)),
            bytes(limit)
        )));
    }
    let options = SearchOptions {
        in_place: is_single,
        farthest: arguments.farthest.unwrap_or(0),
        ..SearchOptions::default()
    };
    let out_of_memory =
        |error| Failure::Other(format!("cannot get {needed} bytes of memory: {error}"));
    let mut search = BreadthFirst::new(&space, options).map_err(out_of_memory)?;
    search.start(&starts).map_err(|error| Failure::Other(error.to_string()))?;
    let line = SearchProgress::new("");
    let layers = cancellable(|cancel| {
        let signals = Signals::new(cancel);
        let tell = |search: &BreadthFirst<'_>| {
            let layers = search.layers();
            line.say(format!(
                "layer {}: {} of at most {} states",
                layers.depth(),
                grouped(layers.total()),
                space.states()
            ));
            match arguments.limit_time {
                Some(limit) if began.elapsed() >= limit => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        search.run(&signals, tell).clone()
    });
    drop(line);
    let farthest = (arguments.farthest.is_some() && layers.complete)
        .then(|| search.farthest())
        .flatten()
        .map(|states| states.iter().map(|state| puzzle.write_state(state)).collect::<Vec<_>>());
    match arguments.format {
        TableFormat::Csv => {
            let rows = layers.states.iter().enumerate();
            let rows: String = rows.map(|(depth, states)| format!("{depth},{states}\n")).collect();
            print(&format!("depth,states\n{rows}"))?;
        }
        TableFormat::Json => print_json(&json!({
            "board": board.spec().to_string(),
            "metric": board.metric().name(),
            "empty": empty,
            "start": is_single.then(|| puzzle.write_state(puzzle.start())),
            "goal": arguments.goal,
            "layers": layers.states,
            "depth": layers.depth(),
            "states": layers.total(),
            "mean": layers.mean(),
            "complete": layers.complete,
            "farthest": farthest,
            "wall_s": began.elapsed().as_secs_f64(),
        }))?,
        TableFormat::Text => {
            let end = if is_single { "from" } else { "to" };
            let what = match &arguments.goal {
                Some(goal) => goal.clone(),
                None => puzzle.write_state(puzzle.start()),
            };
            let mut text = format!("{board}: distances {end} {what}\n\n");
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
                seconds(began.elapsed().as_secs_f64()),
            ));
            if let Some(states) = &farthest {
                text.push_str(&format!("\nat distance {}:\n", layers.depth()));
                for state in states {
                    text.push_str(&format!("  {state}\n"));
                }
            }
            print(&text)?;
        }
    }
    if arguments.farthest.is_some() && layers.complete && farthest.is_none() {
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

/// The board with the start, or with what stands for it, and the goal.
fn puzzle(arguments: &LayersArguments) -> Result<Puzzle, Failure> {
    let board = named_board(&arguments.board, arguments.metric.metric)?;
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
