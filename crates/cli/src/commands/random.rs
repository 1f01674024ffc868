//! `hyperslide random`: random puzzles that can be solved, a line each.

use std::time::Duration;

use clap::Args;
use hyperslide_census::token_labels;
use hyperslide_lab::{Drawing, Law, RandomError, RandomPuzzles};
use hyperslide_puzzle::Arrangement;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::{MetricArgument, parse_seconds, parse_whole};
use crate::terminal::{SearchProgress, counted, grouped, print};

#[derive(Args)]
pub struct RandomArguments {
    /// The board, as in grid:3:3 or cube:4:2
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// The number of tokens, all with different labels, or their labels: 2xa,b are two tokens a and
    /// one b [default: as many as --goal has, otherwise one fewer than the board has vertices]
    #[arg(long, value_name = "N|LABELS", value_parser = parse_tokens)]
    pub tokens: Option<Tokens>,
    /// The goal [default: the usual one on grids with one empty vertex, otherwise one is drawn for
    /// each puzzle]
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// The number of puzzles
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub count: usize,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    pub seed: u64,
    /// Draws by a random walk of N slides, or N to M, from the goal; no slide undoes the one before
    /// it while there is another
    #[arg(long, value_name = "N..M", value_parser = parse_range, conflicts_with_all = ["attempts", "distance"])]
    pub walk: Option<(u32, u32)>,
    /// Draws by N attempts, or N to M, to slide in a random direction from the goal; an attempt may
    /// fail, or undo the one before it
    #[arg(long, value_name = "N..M", value_parser = parse_range, conflicts_with = "distance")]
    pub attempts: Option<(u32, u32)>,
    /// Draws starts whose shortest solution has this many moves; builds a table of all states first
    #[arg(long, value_name = "MOVES")]
    pub distance: Option<u32>,
    /// Gives up when no puzzle that can be solved has been drawn for this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub limit_time: Option<Duration>,
}

/// How many tokens there are, and their labels where some are alike.
#[derive(Clone, Debug)]
pub struct Tokens {
    count: usize,
    labels: Option<Vec<String>>,
}

fn parse_tokens(text: &str) -> Result<Tokens, String> {
    let is_count = text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    if is_count {
        let count = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
        return Ok(Tokens { count, labels: None });
    }
    let labels = token_labels(text).map_err(|error| error.to_string())?;
    let labels: Vec<String> = labels.into_iter().map(str::to_owned).collect();
    Ok(Tokens { count: labels.len(), labels: Some(labels) })
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok());
    range
        .filter(|&(least, most): &(u32, u32)| least <= most && most <= 10_000_000)
        .ok_or_else(|| "write a number, or two as in 100..200, up to 10000000".to_owned())
}

pub fn run(arguments: &RandomArguments) -> Result<ExitStatus, Failure> {
    let board = named_board(&arguments.board, arguments.metric.metric)?;
    let vertices = board.vertex_count();
    let goal: Option<Arrangement> = match &arguments.goal {
        Some(goal) => Some(goal.parse().map_err(Failure::input)?),
        None => None,
    };
    let of_goal = goal.as_ref().map(Arrangement::token_count);
    let (count, labels) = match &arguments.tokens {
        Some(tokens) => (Some(tokens.count), tokens.labels.clone()),
        None => (None, None),
    };
    let tokens = count.or(of_goal).unwrap_or(vertices - 1);
    let law = match (arguments.walk, arguments.attempts, arguments.distance) {
        (Some((least, most)), ..) => Law::Walk { least, most },
        (_, Some((least, most)), _) => Law::Attempts { least, most },
        (.., Some(distance)) => Law::Distance(distance),
        (None, None, None) => Law::Uniform,
    };
    let random = RandomPuzzles {
        board,
        tokens,
        labels,
        goal,
        law,
        seed: arguments.seed,
        time: arguments.limit_time,
    };
    let line = SearchProgress::new("");
    let report = |drawing: &Drawing| {
        if drawing.refused > 0 {
            line.say(&describe(drawing, arguments.count));
        }
    };
    for puzzle in random.each(arguments.count, report)? {
        print(&format!("{}\n", puzzle?))?;
    }
    Ok(ExitStatus::Done)
}

/// Why a puzzle takes time.
fn describe(drawing: &Drawing, count: usize) -> String {
    let Drawing { number, refused, undecided } = *drawing;
    let undecided = match undecided {
        0 => String::new(),
        undecided => format!(", of which {undecided} were not decided"),
    };
    format!(
        "puzzle {} of {}: {} that could not be used{undecided}",
        grouped(number + 1),
        grouped(count as u64),
        counted(u64::from(refused), "draw"),
    )
}

impl From<RandomError> for Failure {
    fn from(error: RandomError) -> Failure {
        match error {
            RandomError::Table(error) => error.into(),
            RandomError::Time(_) | RandomError::TableTime(_) => Failure::Limit(error.to_string()),
            _ => Failure::input(error),
        }
    }
}
