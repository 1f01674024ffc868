use hyperslide_puzzle::perft;
use serde_json::json;

use crate::arguments::{Format, PerftArguments};
use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::terminal::{print, print_json};

pub fn run(arguments: &PerftArguments) -> Result<ExitStatus, Failure> {
    let puzzle =
        Source::open(&arguments.puzzle.puzzle)?.only()?.configuration(&arguments.puzzle)?;
    for length in 0..=arguments.length {
        let count = perft(puzzle.board(), puzzle.start(), length);
        match arguments.format {
            Format::Text => print(&format!("{length} {count}\n"))?,
            Format::Json => {
                print_json(&json!({ "length": length, "sequences": count.to_string() }))?
            }
        }
        if count == 0 || count == u128::MAX {
            break;
        }
    }
    Ok(ExitStatus::Done)
}
