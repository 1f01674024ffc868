//! Puzzles and boards from texts and files.

use std::fmt::Display;
use std::path::Path;

use hyperslide_lab::{find_instance, no_puzzle, read_file};
use hyperslide_puzzle::{
    Arrangement, Board, BoardSource, FileFormat, Metric, Puzzle, PuzzleFile, PuzzleLine, Setup,
};
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// Reads the metric.
pub fn read_metric(metric: &str) -> PyResult<Metric> {
    metric.parse().map_err(|unknown| error(Kind::Setting, unknown))
}

/// Reads a board.
pub fn read_board(text: &str, metric: Metric) -> PyResult<Board> {
    let source = text.trim().parse().map_err(|problem| error(Kind::Board, problem))?;
    board_of(source, metric, Path::new(""))
}

/// The board of a source, whose files are in a folder.
fn board_of(source: BoardSource, metric: Metric, folder: &Path) -> PyResult<Board> {
    let spec = hyperslide_lab::read_board(source, folder)
        .map_err(|problem| error(Kind::Board, problem))?;
    Board::new(spec, metric).map_err(|problem| error(Kind::Board, problem))
}

/// Reads a puzzle from a file in JSON, or in TOML where its name says so.
pub fn read_puzzle_file(path: &Path) -> PyResult<Puzzle> {
    let refuse =
        |problem: &dyn Display| error(Kind::Puzzle, format_args!("{}: {problem}", path.display()));
    let text = read_file(path).map_err(|problem| error(Kind::Puzzle, problem))?;
    let is_toml = hyperslide_lab::is_toml(path);
    let format = if is_toml { FileFormat::Toml } else { FileFormat::Json };
    let file = PuzzleFile::parse(&text, format).map_err(|problem| refuse(&problem))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let spec =
        hyperslide_lab::read_board(file.board, folder).map_err(|problem| refuse(&problem))?;
    let board = Board::new(spec, file.metric).map_err(|problem| refuse(&problem))?;
    let setup = Setup { start: file.start, goal: file.goal };
    Puzzle::new(board, &setup).map_err(|problem| refuse(&problem))
}

/// Reads a puzzle: an instance, a line, or a board with its usual goal. With `start_only` a line
/// needs no goal: that is the start then.
pub fn read_puzzle(
    text: &str,
    metric: Option<Metric>,
    rule: Option<usize>,
    empty: Option<usize>,
    start_only: bool,
) -> PyResult<Puzzle> {
    let text = text.trim();
    let refuse = |problem: &dyn Display| error(Kind::Puzzle, problem);
    let instance = find_instance(text);
    let is_board = !text.contains(char::is_whitespace) && text.parse::<BoardSource>().is_ok();
    if empty.is_some() && (instance.is_some() || !is_board) {
        return Err(error(
            Kind::Setting,
            "the puzzle says which vertices are empty: leave empty out",
        ));
    }
    if let Some((instance, named_rule)) = instance {
        if let (Some(named), Some(asked)) = (named_rule, rule)
            && named != asked
        {
            return Err(error(
                Kind::Setting,
                format_args!("{text} says rule {named}, and rule={asked}"),
            ));
        }
        return instance
            .puzzle(rule.or(named_rule), metric.unwrap_or_default())
            .map_err(|problem| refuse(&problem));
    }
    if let Some(rule) = rule {
        return Err(error(
            Kind::Setting,
            format_args!(
                "rule={rule} is for cubical instances: a board says its rule, as in cube:4:3"
            ),
        ));
    }
    if is_board {
        return of_board(read_board(text, metric.unwrap_or_default())?, empty.unwrap_or(1));
    }
    if !PuzzleLine::is_meant_by(text) {
        return Err(refuse(&no_puzzle(
            text,
            "an instance, a board or a puzzle line",
            "hyperslide.instances(), and help(hyperslide.Puzzle)",
        )));
    }
    let mut line: PuzzleLine = text.parse().map_err(|problem| refuse(&problem))?;
    if let (Some(asked), Some(written)) = (metric, line.metric)
        && asked != written
    {
        return Err(error(
            Kind::Setting,
            format_args!("the puzzle says the {written} metric: leave metric={asked} out"),
        ));
    }
    let metric = line.metric.take().or(metric).unwrap_or_default();
    let board = board_of(line.board, metric, Path::new(""))?;
    let puzzle = match line.goal {
        None if start_only => Puzzle::of_start(board, line.start),
        goal => Puzzle::new(board, &Setup { start: line.start, goal }),
    };
    puzzle.map_err(|problem| refuse(&problem))
}

/// The puzzle of a board whose tokens 1, 2, ... stand on the first vertices.
fn of_board(board: Board, empty: usize) -> PyResult<Puzzle> {
    let vertices = board.vertex_count();
    if vertices == 1 {
        let problem = format_args!("{board} has one vertex, so no token can move on it");
        return Err(error(Kind::Puzzle, problem));
    }
    if !(1..vertices).contains(&empty) {
        return Err(error(
            Kind::Setting,
            format_args!(
                "empty is {empty}: {board} has {vertices} vertices, so write 1 to {}",
                vertices - 1
            ),
        ));
    }
    let cells = (1..=vertices)
        .map(|token| if token + empty <= vertices { token.to_string() } else { "0".to_owned() });
    let start = Arrangement::ByVertex(cells.collect());
    let puzzle = Puzzle::of_start(board, start).map_err(|problem| error(Kind::Puzzle, problem))?;
    if puzzle.board().legal_moves(puzzle.start()).is_empty() {
        return Err(error(
            Kind::Puzzle,
            format_args!(
                "no token can move when the first {} vertices of {} are occupied: write a puzzle with \
                 another goal",
                vertices - empty,
                puzzle.board(),
            ),
        ));
    }
    Ok(puzzle)
}
