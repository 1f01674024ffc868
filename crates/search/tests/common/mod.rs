//! What several test programs need.

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Report, solve};

/// The puzzle of a line.
pub fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Runs a search within limits.
pub fn run(puzzle: &Puzzle, config: &Config, limits: Limits) -> Report {
    solve(puzzle, config, &Control { limits, ..Control::default() }).unwrap()
}
