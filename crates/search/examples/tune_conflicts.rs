//! Looks for weights of the heuristic `weighted-conflicts` under which beams find short solutions.
//!
//! An evolution strategy: each generation draws random-walk puzzles and candidates around the mean of the weights,
//! solves all puzzles by each candidate, and moves the mean towards the four with the least mean length; how far
//! candidates are drawn follows what those four have in common. Prints the mean after each generation; never ends.
//!
//! `cargo run --release -p hyperslide-search --example tune_conflicts -- SIDE WALK WIDTH PUZZLES`, as `7 1650 1000 48`.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread::{available_parallelism, scope};

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Outcome, Settings, solve};
use hyperslide_testkit::Random;

/// The weights, where the search for them starts, and how far it looks at first.
const WEIGHTS: [(&str, f64, f64); 13] = [
    ("square", 0.08, 0.03),
    ("cube", 0.03, 0.008),
    ("line-cube", 0.03, 0.008),
    ("away", 0.3, 0.3),
    ("away-late", -1.0, 0.3),
    ("conflict", 5.0, 1.0),
    ("next", 2.0, 0.5),
    ("half-conflict", 1.2, 0.3),
    ("guest-conflict", 0.2, 0.3),
    ("head-on", 1.0, 0.5),
    ("blocked", 1.0, 0.5),
    ("following", -0.4, 0.3),
    ("empty", -0.3, 0.05),
];
const CANDIDATES: usize = 14;
/// What each of the best counts towards the next mean.
const SHARES: [f64; 4] = [0.4, 0.3, 0.2, 0.1];
/// States generated for one puzzle at most, for each of the beam's width.
const PATIENCE: u64 = 1_000;

type Values = [f64; WEIGHTS.len()];

fn main() {
    let numbers: Result<Vec<usize>, _> = std::env::args().skip(1).map(|a| a.parse()).collect();
    let Ok([side @ (2..=8), walk, width @ (1..), count @ (1..)]) = numbers.as_deref() else {
        eprintln!("tune_conflicts: write SIDE (2 to 8) WALK WIDTH PUZZLES, as 7 1650 1000 48");
        std::process::exit(2);
    };
    let (side, walk, width, count) = (*side, *walk, *width, *count);
    let mut random = Random::new(1);
    let mut mean: Values = WEIGHTS.map(|(_, value, _)| value);
    let mut reach: Values = WEIGHTS.map(|(_, _, reach)| reach);
    for generation in 1.. {
        let puzzles: Vec<Puzzle> = (0..count).map(|_| scramble(&mut random, side, walk)).collect();
        let mut tried: Vec<(f64, Values)> = Vec::new();
        for number in 0..CANDIDATES {
            let mut values = mean;
            if number > 0 {
                values
                    .iter_mut()
                    .zip(reach)
                    .for_each(|(value, by)| *value += by * normal(&mut random));
            }
            tried.push((mean_length(&puzzles, &values, width), values));
        }
        let of_mean = tried[0].0;
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        let old = mean;
        for (place, value) in mean.iter_mut().enumerate() {
            let best =
                || SHARES.iter().zip(&tried).map(|(share, (_, values))| (share, values[place]));
            *value = best().map(|(share, value)| share * value).sum();
            let spread = best().map(|(share, v)| share * (v - old[place]).powi(2)).sum::<f64>();
            let least = 0.03 * WEIGHTS[place].2;
            reach[place] = (0.85 * reach[place] + 0.15 * spread.sqrt()).max(least);
        }
        println!("{generation}: {of_mean:.1} moves; {}", text(&mean));
    }
}

/// As the heuristic reads it.
fn text(values: &Values) -> String {
    let weight = |((name, ..), value): (&(&str, f64, f64), &f64)| format!("{name}={value:.3}");
    WEIGHTS.iter().zip(values).map(weight).collect::<Vec<_>>().join("+")
}

/// About normally distributed, with mean 0 and variance 1.
fn normal(random: &mut Random) -> f64 {
    const STEPS: usize = 1 << 20;

    (0..12).map(|_| random.below(STEPS) as f64 / STEPS as f64).sum::<f64>() - 6.0
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

/// What beams find on average; a puzzle that is not solved counts ten moves a vertex.
fn mean_length(puzzles: &[Puzzle], values: &Values, width: usize) -> f64 {
    let heuristic = format!("weighted-conflicts:{}", text(values));
    let config = Config {
        heuristic: heuristic.parse().expect("weights are written as they are read"),
        settings: Settings { width, ..Settings::default() },
        threads: 1,
        ..Config::named("beam").expect("beam search has a name")
    };
    let nodes = Some(width as u64 * PATIENCE);
    let control = Control { limits: Limits { nodes, ..Limits::default() }, ..Control::default() };
    let (left, sum) = (Mutex::new(puzzles.iter()), Mutex::new(0));
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                loop {
                    let Some(puzzle) = left.lock().expect("no thread fails").next() else { break };
                    let report = solve(puzzle, &config, &control).expect("the puzzle is a grid");
                    *sum.lock().expect("no thread fails") += match report.outcome {
                        Outcome::Solved { moves, .. } => moves.len(),
                        _ => 10 * puzzle.board().vertex_count(),
                    };
                }
            });
        }
    });
    sum.into_inner().expect("no thread fails") as f64 / puzzles.len() as f64
}
