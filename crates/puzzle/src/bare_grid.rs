//! Grids as other sliding-tile programs write them: cells row by row, without a board.
//!
//! In `1 2 3/4 5 6/7 0 8`, slashes separate the rows. `1 2 3 4 5 6 7 0 8`, with spaces or commas,
//! and `123456708`, with one digit per cell, are squares that hold every number from 0 once. The
//! empty cell is `0`, `_`, `x` or `.`. Anything ambiguous is refused, with the unambiguous
//! notation.

use thiserror::Error;

use crate::boards::BoardSpec;
use crate::label::EMPTY;
use crate::text::{is_number, quote};
use crate::vertex::MAX_VERTICES;

/// The signs with which programs write the empty cell.
pub(crate) const EMPTY_SIGNS: [&str; 5] = [EMPTY, "_", "x", "X", "."];

/// Why cells without a board are not read as a grid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{} looks like the cells of a grid without its board, but {reason}: write grid:ROWS:COLUMNS \
     before the cells, row by row, with 0 for each empty cell, as in grid:3:3 1,2,3,4,5,6,7,0,8",
    quote(.text)
)]
pub struct BareGridError {
    /// The cells as written.
    pub text: String,
    /// What is unclear about them.
    pub reason: BareGridProblem,
}

/// What is unclear about cells without a board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum BareGridProblem {
    #[error("the rows have {first} and {other} cells")]
    Ragged { first: usize, other: usize },
    #[error("{0} cells do not make a square, so the number of rows is not clear")]
    NotASquare(usize),
    #[error("no cell is empty")]
    NoEmptyCell,
    #[error("both {first} and {second} seem to mark empty cells")]
    TwoSigns { first: &'static str, second: &'static str },
    #[error("{0} appears twice")]
    Repeated(String),
    #[error("{number} is greater than the number of tokens, {tokens}")]
    TooLarge { number: String, tokens: usize },
    #[error("a grid has at most {MAX_VERTICES} cells, and this one has {0}")]
    TooMany(usize),
}

/// A grid and the contents of its cells, row by row, in the notation of [`crate::Arrangement`].
pub(crate) type BareGrid = (BoardSpec, Vec<String>);

/// Reads the cells of a grid that is written without its board; returns `None` if the text does not
/// look like one.
pub(crate) fn read(text: &str) -> Option<Result<BareGrid, BareGridError>> {
    let text = text.trim();
    let cells = cells(text)?;
    let error = |reason| BareGridError { text: text.to_owned(), reason };
    Some(grid(text, cells).map_err(error))
}

/// Splits a text that looks like a grid into its cells; returns `None` for any other text.
fn cells(text: &str) -> Option<Vec<&str>> {
    let is_separator = |c: char| c.is_whitespace() || c == ',' || c == '/';
    let words: Vec<&str> = text.split(is_separator).filter(|word| !word.is_empty()).collect();
    match words[..] {
        [word] => one_digit_each(word),
        _ => {
            let is_cell = |word: &&str| is_number(word) || EMPTY_SIGNS.contains(word);
            let has_divided = text.contains(|c: char| c.is_whitespace() || c == ',');
            (words.len() >= 4 && has_divided && words.iter().all(is_cell)).then_some(words)
        }
    }
}

/// Splits a word such as `123456708`, or one of sixteen hexadecimal digits, into its cells. A word
/// of four digits counts as a grid only if the digits are 0 to 3, because it could be anything
/// else.
fn one_digit_each(word: &str) -> Option<Vec<&str>> {
    let base = match word.len() {
        4 | 9 => 10,
        16 => 16,
        _ => return None,
    };
    let is_digit = |c: char| c.is_digit(base) || EMPTY_SIGNS.contains(&c.to_string().as_str());
    if !word.is_ascii() || !word.chars().all(is_digit) {
        return None;
    }
    let cells: Vec<&str> = (0..word.len()).map(|at| &word[at..=at]).collect();
    let is_square = word.len() == 9 || numbered(&cells).is_ok();
    is_square.then_some(cells)
}

fn grid(text: &str, cells: Vec<&str>) -> Result<BareGrid, BareGridProblem> {
    let count = cells.len();
    if count > MAX_VERTICES {
        return Err(BareGridProblem::TooMany(count));
    }
    if text.contains('/') {
        let is_divider = |c: char| c.is_whitespace() || c == ',';
        let lengths: Vec<usize> = text
            .split('/')
            .map(|row| row.split(is_divider).filter(|cell| !cell.is_empty()).count())
            .collect();
        let columns = lengths[0];
        if let Some(&other) = lengths.iter().find(|&&length| length != columns) {
            return Err(BareGridProblem::Ragged { first: columns, other });
        }
        let sign = empty_sign(&cells)?;
        let cells = cells.into_iter().map(|cell| if cell == sign { EMPTY } else { cell });
        let cells = cells.map(str::to_owned).collect();
        return Ok((BoardSpec::Grid { rows: lengths.len(), columns }, cells));
    }
    let side = count.isqrt();
    if side * side != count {
        return Err(BareGridProblem::NotASquare(count));
    }
    Ok((BoardSpec::Grid { rows: side, columns: side }, numbered(&cells)?))
}

/// Returns the sign of the empty cells, which is `0` if any cell has it.
fn empty_sign(cells: &[&str]) -> Result<&'static str, BareGridProblem> {
    let mut signs = EMPTY_SIGNS.into_iter().filter(|sign| cells.contains(sign));
    match (signs.next(), signs.next()) {
        (None, _) => Err(BareGridProblem::NoEmptyCell),
        (Some(sign), None) => Ok(sign),
        (Some(first), Some(second)) => Err(BareGridProblem::TwoSigns { first, second }),
    }
}

/// Returns the cells in decimal, provided that they are every number from 0 once.
fn numbered(cells: &[&str]) -> Result<Vec<String>, BareGridProblem> {
    let sign = empty_sign(cells)?;
    let base = if cells.len() == 16 && cells.iter().all(|cell| cell.len() == 1) { 16 } else { 10 };
    let tokens = cells.len() - 1;
    let mut seen = vec![false; cells.len()];
    let mut numbers = Vec::with_capacity(cells.len());
    for &cell in cells {
        let number = if cell == sign { Some(0) } else { usize::from_str_radix(cell, base).ok() };
        let Some(number) = number.filter(|&number| number <= tokens) else {
            return Err(BareGridProblem::TooLarge { number: cell.to_owned(), tokens });
        };
        if std::mem::replace(&mut seen[number], true) {
            return Err(BareGridProblem::Repeated(cell.to_owned()));
        }
        numbers.push(number.to_string());
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<Result<String, String>> {
        let write = |(board, cells): BareGrid| format!("{board} {}", cells.join(","));
        read(text).map(|read| read.map(write).map_err(|error| error.to_string()))
    }

    #[test]
    fn grids_of_other_programs_are_understood() {
        let eight = "grid:3:3 1,2,3,4,5,6,7,0,8";
        for (text, expected) in [
            ("1 2 3/4 5 6/7 0 8", eight),
            (" 1 2 3 / 4 5 6 / 7 0 8 ", eight),
            ("1,2,3/4,5,6/7,_,8", eight),
            ("1 2 3 4 5 6 7 0 8", eight),
            ("1, 2, 3, 4, 5, 6, 7, 0, 8", eight),
            ("1 2 3 4 5 6 7 x 8", eight),
            ("1 2 3 4 5 6 7 . 8", eight),
            ("123456708", eight),
            ("1234567_8", eight),
            ("1230", "grid:2:2 1,2,3,0"),
            ("123456789abcde0f", "grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,0,15"),
            ("123456789ABCDE.F", "grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,0,15"),
            ("1 2 3/4 0 5", "grid:2:3 1,2,3,4,0,5"),
            ("1 x/x 2", "grid:2:2 1,0,0,2"),
        ] {
            assert_eq!(line(text), Some(Ok(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_unclear_is_refused_with_the_reason() {
        for (text, reason) in [
            ("1 2 3/4 5/6 0", "the rows have 3 and 2 cells"),
            ("1 2 3 4 5 0", "6 cells do not make a square"),
            ("1 2 3 4 5 6 7 8 9", "no cell is empty"),
            ("123456789", "no cell is empty"),
            ("1 2 3 4 5 6 7 0 9", "9 is greater than the number of tokens, 8"),
            ("1 2 3 4 5 6 7 0 7", "7 appears twice"),
            ("1 2 3 4 5 6 7 0 0", "0 appears twice"),
            ("1 2 3 4 5 6 7 0 x", "both 0 and x seem to mark empty cells"),
            (&["1"; 65].join(" "), "a grid has at most 64 cells, and this one has 65"),
        ] {
            let error = line(text).unwrap_or_else(|| panic!("{text} does not look like a grid"));
            let error = error.unwrap_err();
            assert!(error.contains(&format!("but {reason}")), "{text}: {error}");
            assert!(error.contains("grid:3:3 1,2,3,4,5,6,7,0,8") && !error.contains('\n'));
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "korf15/1", "2024", "12345678", "a b c 0", "1 2 3", "1/2/3/0", "r=1 p=2"] {
            assert_eq!(line(text), None, "{text}");
        }
    }
}
