//! What the fuzzer runs, and the tests on what it found. Parsers: no panic, messages of one line,
//! and whatever is accepted round-trips. Searches: incremental values are those computed anew.

pub mod incremental;

use hyperslide_lab::TaskRecord;
use hyperslide_puzzle::{Board, BoardFile, Effort, FileFormat, Metric, Puzzle, PuzzleFile};
use hyperslide_puzzle::{classify, decide_solvability, perft};

/// A target's name and what is run on each input.
pub type Target = (&'static str, fn(&[u8]));

/// All targets by name.
pub const TARGETS: [Target; 6] = [
    ("puzzle_line", puzzle_line),
    ("puzzle_json", puzzle_json),
    ("puzzle_toml", puzzle_toml),
    ("board_file", board_file),
    ("record_line", record_line),
    ("incremental_values", incremental_values),
];

/// The one-line notation.
pub fn puzzle_line(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Puzzle::from_line(text) {
        Ok(puzzle) => check_puzzle(&puzzle),
        Err(error) => check_message(&error.to_string()),
    }
}

/// Puzzle files in JSON.
pub fn puzzle_json(data: &[u8]) {
    puzzle_file(data, FileFormat::Json);
}

/// Puzzle files in TOML.
pub fn puzzle_toml(data: &[u8]) {
    puzzle_file(data, FileFormat::Toml);
}

fn puzzle_file(data: &[u8], format: FileFormat) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match PuzzleFile::parse(text, format) {
        Ok(file) => {
            let again = PuzzleFile::parse(&file.to_text(format), format);
            assert_eq!(again.as_ref(), Ok(&file));
            match file.build() {
                Ok(puzzle) => check_puzzle(&puzzle),
                Err(error) => check_message(&error.to_string()),
            }
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Board files: the first byte chooses family and format.
pub fn board_file(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    let family = if choice & 1 == 0 { "graph" } else { "faces" };
    let format = if choice & 2 == 0 { FileFormat::Json } else { FileFormat::Toml };
    match BoardFile::parse(text, format, Some(family)) {
        Ok(spec) => {
            for metric in Metric::ALL {
                match Board::new(spec.clone(), metric) {
                    Ok(board) => {
                        let line = format!("{board} a=0 -> a=0");
                        let again =
                            Puzzle::from_line(&line).expect("boards print as they are read");
                        assert_eq!(*again.board(), board);
                    }
                    Err(error) => check_message(&error.to_string()),
                }
            }
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Lines of record files.
pub fn record_line(data: &[u8]) {
    if let Ok(record) = serde_json::from_slice::<TaskRecord>(data)
        && let Err(message) = record.check()
    {
        check_message(&message);
    }
}

/// Random play on random boards: see [`incremental::play`].
pub fn incremental_values(data: &[u8]) {
    incremental::play(data);
}

fn check_message(message: &str) {
    assert!(!message.is_empty());
    assert!(!message.contains(['\n', '\r', '\u{1b}']), "{message:?}");
}

/// What holds of every puzzle that could be built.
fn check_puzzle(puzzle: &Puzzle) {
    let line = puzzle.to_string();
    assert_eq!(Puzzle::from_line(&line).as_ref(), Ok(puzzle), "{line}");
    for format in [FileFormat::Json, FileFormat::Toml] {
        let text = PuzzleFile::from(puzzle).to_text(format);
        let again = PuzzleFile::parse(&text, format).map(PuzzleFile::build);
        assert_eq!(again, Ok(Ok(puzzle.clone())), "{text}");
    }
    let moves = puzzle.board().legal_moves(puzzle.start());
    assert_eq!(perft(puzzle.board(), puzzle.start(), 1), moves.len() as u128);
    for &mv in moves.iter().take(3) {
        let next = puzzle.board().play(puzzle.start(), mv).expect("a listed move is legal");
        assert_eq!(puzzle.board().play(&next, mv.reversed()).as_ref(), Ok(puzzle.start()));
    }
    // Little effort: the fuzzer wants thousands of inputs a second.
    let effort = Effort { occupied_sets: 64, slides: 1024, group_steps: 256 };
    let _ = decide_solvability(puzzle, effort, &|_| false);
    let _ = classify(puzzle.board(), puzzle.start().occupied(), 64);
}
