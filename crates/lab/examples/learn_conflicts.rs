//! Learns weights of the heuristic `weighted-conflicts` on random-walk puzzles.
//!
//! `cargo run --release -p hyperslide-lab --example learn_conflicts -- FILE WIDTH ROUNDS SIDE:WALK:PUZZLES...`
//!
//! In every round so many walks on square boards of each side are drawn and solved by beams of the width. The weights are
//! written to the file after each round; where it exists, learning goes on from them, otherwise from plain ones. The
//! rate falls to nothing over the rounds: `weights.txt 1000 24 4:400:32 5:2000:48 6:1100:64 7:1650:64 8:2300:32`, then the
//! same with `3000 24`. What the weights in the repository took is in decision 9.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use hyperslide_lab::{Law, RandomPuzzles};
use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_search::ConflictWeights;
use hyperslide_search::conflict_learning::{Learner, Lesson};
use hyperslide_table::available_threads;

const SEED: u64 = 1;

/// Walks on boards of one side.
struct Walks {
    puzzles: RandomPuzzles,
    /// In each round.
    count: u64,
}

impl FromStr for Walks {
    type Err = String;

    fn from_str(text: &str) -> Result<Walks, String> {
        let numbers: Result<Vec<u32>, _> = text.split(':').map(str::parse).collect();
        let Ok(&[side @ 2..=8, length @ (1..), count @ (1..)]) = numbers.as_deref() else {
            return Err(format!(
                "'{text}': write SIDE:WALK:PUZZLES, SIDE from 2 to 8, as 7:1650:96"
            ));
        };
        let side = side as usize;
        let board = Board::new(BoardSpec::Grid { rows: side, columns: side }, Metric::Face);
        let board = board.map_err(|error| error.to_string())?;
        let law = Law::Walk { least: length, most: length };
        let puzzles = RandomPuzzles {
            board,
            tokens: side * side - 1,
            goal: None,
            law,
            seed: SEED,
            time: None,
        };
        Ok(Walks { puzzles, count: u64::from(count) })
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("learn_conflicts: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [file, width, rounds, first, others @ ..] = arguments else {
        return Err("write FILE WIDTH ROUNDS SIDE:WALK:PUZZLES...".to_owned());
    };
    let number = |text: &String| match text.parse() {
        Ok(number @ 1usize..) => Ok(number),
        _ => Err(format!("'{text}': write a whole number of at least 1")),
    };
    let (width, rounds) = (number(width)?, number(rounds)?);
    let walks = std::iter::once(first).chain(others).map(|text| text.parse());
    let walks = walks.collect::<Result<Vec<Walks>, _>>()?;
    let start = read(Path::new(file))?;
    let mut learner = Learner::new(&start, SEED);
    for round in 0..rounds {
        let draw = |walks: &'_ Walks| {
            let first = round as u64 * walks.count;
            (first..first + walks.count).map(|number| walks.puzzles.nth(number)).collect::<Vec<_>>()
        };
        let puzzles = walks.iter().flat_map(draw).collect::<Result<Vec<_>, _>>();
        let puzzles = puzzles.map_err(|error| error.to_string())?;
        let rate = 0.005 * (1.0 - round as f32 / rounds as f32);
        let lesson = Lesson { width, look: 80, rate, threads: available_threads() };
        let done = learner.round(&puzzles, lesson).map_err(|error| error.to_string())?;
        write(Path::new(file), &learner.weights())?;
        eprintln!(
            "{}: {} of {} solved, {:.2} moves; {} layers, loss {:.4}",
            round + 1,
            done.solved,
            puzzles.len(),
            done.mean_length,
            done.layers,
            done.loss,
        );
    }
    Ok(())
}

fn read(file: &Path) -> Result<ConflictWeights, String> {
    let name = file.display();
    match std::fs::read_to_string(file) {
        Ok(text) => text.parse().map_err(|error| format!("'{name}': {error}")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(ConflictWeights::plain()),
        Err(error) => Err(format!("'{name}' cannot be read: {error}")),
    }
}

/// Whole or not at all.
fn write(file: &Path, weights: &ConflictWeights) -> Result<(), String> {
    let new = file.with_added_extension("new");
    std::fs::write(&new, weights.to_text())
        .and_then(|()| std::fs::rename(&new, file))
        .map_err(|error| format!("'{}' cannot be written: {error}", file.display()))
}
