//! `hyperslide paths`: the number of shortest solutions of a puzzle.

use clap::Args;
use hyperslide_census::count_shortest_solutions;
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{Format, PuzzleArguments};
use crate::terminal::{complain, counted, print, print_json};

#[derive(Args)]
pub struct PathsArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The greatest number of states to keep
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub limit_states: usize,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(arguments: &PathsArguments) -> Result<ExitStatus, Failure> {
    let puzzle = Source::open(&arguments.puzzle.puzzle)?.only()?.puzzle(&arguments.puzzle)?;
    let (found, states) = count_shortest_solutions(&puzzle, arguments.limit_states);
    let is_cut = found.is_none() && states >= arguments.limit_states;
    match arguments.format {
        Format::Json => print_json(&json!({
            "puzzle": puzzle.to_string(),
            "length": found.as_ref().map(|(length, _)| length),
            "count": found.as_ref().map(|(_, count)| count.to_string()),
            "states": states,
        }))?,
        Format::Text => match &found {
            Some((length, count)) => print(&format!(
                "{count} shortest solution{} of {}\n",
                if count.to_string() == "1" { "" } else { "s" },
                counted(u64::from(*length), "move")
            ))?,
            None if is_cut => complain(&format_args!(
                "no solution among the nearest {}: raise --limit-states",
                counted(states as u64, "state")
            )),
            None => print("unsolvable: the goal is not in the start's component\n")?,
        },
    }
    Ok(match found {
        Some(_) => ExitStatus::Done,
        None if is_cut => ExitStatus::LimitReached,
        None => ExitStatus::Unsolvable,
    })
}
