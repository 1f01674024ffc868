//! `hyperslide replay`: checks a solution by the rules and shows where it ends.

use std::io::Read;

use clap::Args;
use hyperslide_lab::{Replay, move_texts, replay};
use hyperslide_puzzle::Puzzle;
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{Format, PuzzleArguments};
use crate::picture;
use crate::terminal::{counted, print, print_json};

#[derive(Args)]
pub struct ReplayArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The moves: pairs of vertices as in '13-5 5-4', directions of tiles as in URDL2UR2, the JSON
    /// of a solution, a planner's plan, or - for standard input
    pub moves: String,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// The most bytes of moves that are read from standard input.
const MAX_BYTES: u64 = 64 << 20;

pub fn run(arguments: &ReplayArguments) -> Result<ExitStatus, Failure> {
    if arguments.puzzle.puzzle == "-" && arguments.moves == "-" {
        let message = "the puzzle and the moves cannot both come from standard input: give one of them as an argument";
        return Err(Failure::Input(message.to_owned()));
    }
    let puzzle = Source::open(&arguments.puzzle.puzzle)?.only()?.puzzle(&arguments.puzzle)?;
    let moves = match arguments.moves.as_str() {
        "-" => read_input()?,
        moves => moves.to_owned(),
    };
    let replay = replay(&puzzle, &moves).map_err(Failure::input)?;
    match arguments.format {
        Format::Json => print_json(&json!({
            "puzzle": puzzle.to_string(),
            "reaches_goal": replay.reaches_goal,
            "length": replay.moves.len(),
            "moves": move_texts(&puzzle, &replay.moves),
            "end": puzzle.write_state(&replay.end),
        }))?,
        Format::Text => print(&describe(&puzzle, &replay))?,
    }
    Ok(if replay.reaches_goal { ExitStatus::Done } else { ExitStatus::Other })
}

fn read_input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|error| Failure::Input(format!("cannot read the moves: {error}")))?;
    Ok(text)
}

fn describe(puzzle: &Puzzle, replay: &Replay) -> String {
    let start = ("start", picture::draw(puzzle, puzzle.start()));
    let end = ("end", picture::draw(puzzle, &replay.end));
    let verdict =
        if replay.reaches_goal { "the goal is reached" } else { "the goal is not reached" };
    format!(
        "{puzzle}\n\n{}\n{}, all legal: {verdict}\nend: {}\n",
        picture::side_by_side(start, end),
        counted(replay.moves.len() as u64, "move"),
        puzzle.write_state(&replay.end),
    )
}
