//! Puzzles and boards as requests name them.

use hyperslide_lab::{find_instance, graph_hint};
use hyperslide_puzzle::{
    Board, BoardFile, BoardSource, FileFormat, Metric, Puzzle, PuzzleFile, PuzzleLine, shorten,
};

use crate::error::Refusal;

/// Reads a puzzle: the name of an instance, or a line in the notation.
pub fn read_puzzle(text: &str) -> Result<Puzzle, Refusal> {
    let text = text.trim();
    match find_instance(text) {
        Some((instance, rule)) => instance.puzzle(rule, Metric::Face).map_err(Refusal::bad_request),
        None if PuzzleLine::is_meant_by(text) || text.is_empty() => {
            Puzzle::from_line(text).map_err(Refusal::bad_request)
        }
        None => {
            let shown = shorten(text);
            Err(Refusal::bad_request(format!(
                "'{shown}' is neither an instance nor a puzzle line: write one such as grid:3:3 \
                 8,6,7,2,5,4,3,0,1"
            )))
        }
    }
}

/// Reads the text of a puzzle file, in JSON or TOML.
pub fn read_file(text: &str) -> Result<Puzzle, Refusal> {
    PuzzleFile::parse(text, FileFormat::of_text(text))
        .map_err(Refusal::bad_request)?
        .build()
        .map_err(Refusal::bad_request)
}

/// Reads a board: its notation, as in `cube:4:2`.
pub fn read_board(text: &str, metric: Option<&str>) -> Result<Board, Refusal> {
    let metric = match metric {
        Some(metric) => metric.parse().map_err(Refusal::bad_request)?,
        None => Metric::default(),
    };
    let source: BoardSource = text.parse().map_err(Refusal::bad_request)?;
    let spec = source.into_spec().map_err(|path| {
        let shown = shorten(&path);
        Refusal::bad_request(format!(
            "'{shown}' is not the name of a graph, and a board in a file has to be written out.{}",
            graph_hint(&path)
        ))
    })?;
    Board::new(spec, metric).map_err(Refusal::bad_request)
}

/// Reads the text of a board file, in JSON or TOML: one with faces, or a graph.
pub fn read_board_file(text: &str) -> Result<Board, Refusal> {
    let spec =
        BoardFile::parse(text, FileFormat::of_text(text), None).map_err(Refusal::bad_request)?;
    Board::new(spec, Metric::Face).map_err(Refusal::bad_request)
}
