//! Pictures for those who show a puzzle or a count of states on its own.

use hyperslide_puzzle::{Board, Puzzle};

use super::svg::{Axis, Chart, Mark, Series, board};

/// Pictures of the start and the goal of a puzzle, as files in SVG.
pub fn puzzle_svg(puzzle: &Puzzle) -> (String, String) {
    (board::start(puzzle).file(), board::goal(puzzle).file())
}

/// A picture of a board with the numbers of its vertices, as a file in SVG.
pub fn board_svg(of: &Board) -> String {
    board::vertices(of).file()
}

/// A picture of the number of states at each distance, as a file in SVG.
pub fn layers_svg(title: &str, states: &[u64]) -> String {
    let points = (0u32..).zip(states).map(|(depth, &count)| (f64::from(depth), count as f64));
    let series = vec![Series::new("states", 0, Mark::Bars(0, 1), points)];
    let chart = Chart::new(title, Axis::whole("distance in moves"), Axis::new("states"), series);
    chart.draw((440.0, 280.0)).file()
}
