//! Learns a family of weights, such as those of the heuristic `weighted-conflicts`, on random
//! puzzles.
//!
//! `cargo run --release -p hyperslide-lab --example learn_weights -- FAMILY FILE WIDTH ROUNDS
//! BOARD@EMPTY@WALK@PUZZLES...`
//!
//! Each round draws PUZZLES puzzles of each board with EMPTY empty vertices, by walks of WALK
//! slides or, where WALK is 0, uniformly, and solves them by beams of the given width. The weights
//! are written to the file after each round; if the file exists, learning goes on from its weights,
//! otherwise from plain ones. The rate falls to nothing over the rounds: `weighted-conflicts
//! weights.txt 1000 24 grid:4:4@1@400@32 grid:5:5@1@2000@48 grid:6:6@1@1100@64 grid:7:7@1@1650@64
//! grid:8:8@1@2300@32`, then the same with `3000 24`. Decision 9 says what the weights in the
//! repository took.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use hyperslide_lab::{Law, RandomPuzzles};
use hyperslide_puzzle::{Board, BoardSource, Metric};
use hyperslide_search::weight_learning::{Learner, Lesson};
use hyperslide_search::{LearnedWeights, WEIGHT_FAMILIES, WeightFamily};
use hyperslide_table::{available_threads, replace_file};

const SEED: u64 = 1;

/// Puzzles of one board.
struct Lot {
    puzzles: RandomPuzzles,
    /// In each round.
    count: u64,
}

impl FromStr for Lot {
    type Err = String;

    fn from_str(text: &str) -> Result<Lot, String> {
        let wrong =
            || format!("'{text}': write BOARD@EMPTY@WALK@PUZZLES, as in grid:7:7@1@1650@96");
        let [board, empty, walk, count] = text.split('@').collect::<Vec<_>>()[..] else {
            return Err(wrong());
        };
        let source: BoardSource = board.parse().map_err(|error| format!("'{board}': {error}"))?;
        let spec =
            source.into_spec().map_err(|path| format!("'{path}' is a file: write the board"))?;
        let board = Board::new(spec, Metric::Face).map_err(|error| error.to_string())?;
        let law = match walk.parse().map_err(|_| wrong())? {
            0 => Law::Uniform,
            length => Law::Walk { least: length, most: length },
        };
        let empty: usize = empty.parse().map_err(|_| wrong())?;
        let tokens = board.vertex_count().saturating_sub(empty);
        let puzzles =
            RandomPuzzles { board, tokens, labels: None, goal: None, law, seed: SEED, time: None };
        Ok(Lot { puzzles, count: count.parse().map_err(|_| wrong())? })
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("learn_weights: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [name, file, width, rounds, first, others @ ..] = arguments else {
        return Err("write FAMILY FILE WIDTH ROUNDS BOARD@EMPTY@WALK@PUZZLES...".to_owned());
    };
    let names = || WEIGHT_FAMILIES.map(|family| family.name).join(" or ");
    let family = WEIGHT_FAMILIES.into_iter().find(|family| family.name == name);
    let family = family.ok_or_else(|| format!("'{name}' has no weights: write {}", names()))?;
    let number = |text: &String| match text.parse() {
        Ok(number @ 1usize..) => Ok(number),
        _ => Err(format!("'{text}': write a whole number of at least 1")),
    };
    let (width, rounds) = (number(width)?, number(rounds)?);
    let lots = std::iter::once(first).chain(others).map(|text| text.parse());
    let lots = lots.collect::<Result<Vec<Lot>, _>>()?;
    let start = read(family, Path::new(file))?;
    let mut learner = Learner::new(&start, SEED);
    for round in 0..rounds {
        let draw = |lot: &'_ Lot| {
            let first = round as u64 * lot.count;
            (first..first + lot.count).map(|number| lot.puzzles.nth(number)).collect::<Vec<_>>()
        };
        let puzzles = lots.iter().flat_map(draw).collect::<Result<Vec<_>, _>>();
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

fn read(family: &'static WeightFamily, file: &Path) -> Result<LearnedWeights, String> {
    let name = file.display();
    match std::fs::read_to_string(file) {
        Ok(text) => {
            LearnedWeights::read(family, &text).map_err(|error| format!("'{name}': {error}"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(LearnedWeights::plain(family)),
        Err(error) => Err(format!("'{name}' cannot be read: {error}")),
    }
}

/// Whole or not at all.
fn write(file: &Path, weights: &LearnedWeights) -> Result<(), String> {
    replace_file(file, weights.to_text().as_bytes())
        .map_err(|error| format!("'{}' cannot be written: {error}", file.display()))
}
