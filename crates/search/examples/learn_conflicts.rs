//! Learns weights of the heuristic `weighted-conflicts` on random-walk puzzles.
//!
//! `cargo run --release -p hyperslide-search --example learn_conflicts -- FILE WIDTH ROUNDS SIDE:WALK:PUZZLES...`
//!
//! In every round so many walks on square boards of each side are drawn and solved by beams of the width. The weights are
//! written to the file after each round; where it exists, learning goes on from them, otherwise from plain ones. The
//! rate falls to nothing over the rounds. Good weights take ten minutes on two cores:
//! `weights.txt 1000 24 4:400:32 5:2000:48 6:1100:64 7:1650:64 8:2300:32`, then the same with `2000 36`.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{ConflictWeights, Learner, Lesson};
use hyperslide_table::available_threads;
use hyperslide_testkit::Random;

/// Walks on boards of one side.
struct Walks {
    side: usize,
    length: usize,
    count: usize,
}

impl FromStr for Walks {
    type Err = String;

    fn from_str(text: &str) -> Result<Walks, String> {
        let numbers: Result<Vec<usize>, _> = text.split(':').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[side @ 2..=8, length @ (1..), count @ (1..)]) => Ok(Walks { side, length, count }),
            _ => Err(format!("'{text}': write SIDE:WALK:PUZZLES, SIDE from 2 to 8, as 7:1650:96")),
        }
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
    let seed = 1;
    let (mut learner, mut random) = (Learner::new(&start, seed), Random::new(seed));
    for round in 0..rounds {
        let mut puzzles = Vec::new();
        for walk in &walks {
            puzzles.extend((0..walk.count).map(|_| scramble(&mut random, walk.side, walk.length)));
        }
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

/// A walk from the goal, never straight back, with the goal's empty vertex last.
fn scramble(random: &mut Random, side: usize, walk: usize) -> Puzzle {
    let write = |cells: &[usize]| cells.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let goal: Vec<usize> = (1..side * side).chain([0]).collect();
    let mut cells = goal.clone();
    let (mut empty, mut before) = (side * side - 1, usize::MAX);
    for _ in 0..walk {
        let (row, column) = (empty / side, empty % side);
        let mut next = Vec::new();
        next.extend((row > 0).then(|| empty - side));
        next.extend((row + 1 < side).then(|| empty + side));
        next.extend((column > 0).then(|| empty - 1));
        next.extend((column + 1 < side).then(|| empty + 1));
        next.retain(|&vertex| vertex != before);
        let to = next[random.below(next.len())];
        cells.swap(empty, to);
        (before, empty) = (empty, to);
    }
    let line = format!("grid:{side}:{side} {} -> {}", write(&cells), write(&goal));
    Puzzle::from_line(&line).expect("a walk leads to a puzzle")
}
