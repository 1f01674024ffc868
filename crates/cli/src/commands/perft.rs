//! `hyperslide perft`: the number of legal move sequences of each length.

use clap::Args;
use hyperslide_puzzle::perft;
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{Format, PuzzleArguments};
use crate::terminal::{print, print_json};

#[derive(Args)]
pub struct PerftArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The greatest number of moves; all shorter lengths are counted, too
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub length: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(arguments: &PerftArguments) -> Result<ExitStatus, Failure> {
    let puzzle =
        Source::open(&arguments.puzzle.puzzle)?.only()?.configuration(&arguments.puzzle)?;
    let mut counts = Vec::new();
    for length in 0..=arguments.length {
        let count = perft(puzzle.board(), puzzle.start(), length);
        counts.push(count.to_string());
        if arguments.format == Format::Text {
            print(&format!("{length} {count}\n"))?;
        }
        if count == 0 || count == u128::MAX {
            break;
        }
    }
    if counts.last().is_some_and(|count| count == "0") {
        counts.resize(arguments.length as usize + 1, "0".to_owned());
    }
    if arguments.format == Format::Json {
        let start = puzzle.write_state(puzzle.start());
        let board = puzzle.board().to_string();
        print_json(&json!({ "board": board, "start": start, "sequences": counts }))?;
    }
    Ok(ExitStatus::Done)
}
