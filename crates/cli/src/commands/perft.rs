use hyperslide_puzzle::perft;
use serde_json::json;

use crate::arguments::{Format, PerftArguments};
use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::terminal::{print, print_json};

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
    if arguments.format == Format::Json {
        let start = puzzle.write_state(puzzle.start());
        let board = puzzle.board().to_string();
        print_json(&json!({ "board": board, "start": start, "sequences": counts }))?;
    }
    Ok(ExitStatus::Done)
}
