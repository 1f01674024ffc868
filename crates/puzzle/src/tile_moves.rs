//! Solutions as other sliding-tile programs write them: `URDL2UR2`.
//!
//! Each letter is the direction in which a **tile** moves (up, right, down or left), and a number
//! after it repeats the move. On a grid with one empty vertex, the direction determines the tile.

use thiserror::Error;

use crate::board::Board;
use crate::boards::BoardSpec;
use crate::state::{Move, State};
use crate::vertex::Vertex;

/// The direction in which a tile moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    const fn letter(self) -> char {
        match self {
            Direction::Up => 'U',
            Direction::Right => 'R',
            Direction::Down => 'D',
            Direction::Left => 'L',
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        }
    }

    fn from_letter(letter: char) -> Option<Direction> {
        Direction::ALL
            .into_iter()
            .find(|direction| direction.letter() == letter.to_ascii_uppercase())
    }
}

/// Why moves cannot be written as, or read from, the directions of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TileMovesError {
    /// The board is not a grid, so that moves have no directions.
    #[error(
        "moves such as URDL2UR2 are for grids: on {0} a direction does not say where a token goes"
    )]
    NotAGrid(String),
    /// The number of empty vertices is not 1, so that a direction does not determine a tile.
    #[error(
        "moves such as URDL2UR2 need exactly one empty vertex, and here {0} are empty: a direction \
         does not say which tile moves"
    )]
    EmptyVertices(usize),
    /// A character is neither a letter of a direction nor a digit.
    #[error(
        "'{character}' (character {place} of the moves) is not a direction: write U, R, D or L, and a \
         number after it to repeat it, as in URDL2UR2"
    )]
    Character {
        /// The character.
        character: char,
        /// Its position in the text, from 1.
        place: usize,
    },
    /// A number is not the number of repetitions of a direction.
    #[error(
        "{number} (character {place} of the moves) does not say how often a tile moves: write a \
         number from 1 after a direction, as in L2"
    )]
    Repetition {
        /// The number as written.
        number: String,
        /// The position of its first digit in the text, from 1.
        place: usize,
    },
    /// There is no tile that could move in this direction.
    #[error(
        "move {number} ({letter}): no tile can move {direction}, for the empty vertex is at the edge \
         of the grid"
    )]
    NoTile {
        /// The number of the move, from 1.
        number: usize,
        /// Its letter.
        letter: char,
        /// The direction in words.
        direction: &'static str,
    },
    /// A move to be written does not slide a tile to the empty vertex.
    #[error("move {number} ({mv}) does not slide a tile to the empty vertex")]
    NotASlide {
        /// The number of the move, from 1.
        number: usize,
        /// The move.
        mv: Move,
    },
}

/// The grid of a state with one empty vertex.
struct EmptyOnGrid {
    rows: usize,
    columns: usize,
    empty: usize,
}

impl EmptyOnGrid {
    fn new(board: &Board, state: &State) -> Result<EmptyOnGrid, TileMovesError> {
        let BoardSpec::Grid { rows, columns } = *board.spec() else {
            return Err(TileMovesError::NotAGrid(board.to_string()));
        };
        let empty = board.vertex_set() - state.occupied();
        match empty.lowest() {
            Some(vertex) if empty.len() == 1 => {
                Ok(EmptyOnGrid { rows, columns, empty: vertex.index() })
            }
            _ => Err(TileMovesError::EmptyVertices(empty.len())),
        }
    }

    /// Returns the vertex of the tile that can move in this direction, if there is one.
    fn tile(&self, direction: Direction) -> Option<usize> {
        let (row, column) = (self.empty / self.columns, self.empty % self.columns);
        match direction {
            Direction::Up => (row + 1 < self.rows).then_some(self.empty + self.columns),
            Direction::Down => (row > 0).then(|| self.empty - self.columns),
            Direction::Left => (column + 1 < self.columns).then_some(self.empty + 1),
            Direction::Right => (column > 0).then(|| self.empty - 1),
        }
    }
}

/// Reads moves from a text such as `URDL2UR2`, played from `start`.
///
/// Lower-case letters, and spaces between moves, are accepted. Each move is legal after those
/// before it.
///
/// # Errors
///
/// Returns an error if the board is not a grid with exactly one empty vertex, if the text is
/// malformed, or if no tile can move in one of the directions.
///
/// ```
/// use hyperslide_puzzle::{Puzzle, parse_tile_moves, write_tile_moves};
///
/// let puzzle = Puzzle::from_line("grid:3:3 1,2,3,0,5,6,4,7,8")?;
/// let moves = parse_tile_moves(puzzle.board(), puzzle.start(), "UL2")?;
/// let end = puzzle.replay(&moves).map_err(|(_, error)| error)?;
/// assert_eq!(puzzle.write_state(&end), "1,2,3,4,5,6,7,8,0");
/// assert_eq!(write_tile_moves(puzzle.board(), puzzle.start(), &moves)?, "UL2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_tile_moves(
    board: &Board,
    start: &State,
    text: &str,
) -> Result<Vec<Move>, TileMovesError> {
    let mut at = EmptyOnGrid::new(board, start)?;
    let mut moves = Vec::new();
    let mut rest = text.chars().zip(1..).peekable();
    while let Some((character, place)) = rest.next() {
        if character.is_whitespace() {
            continue;
        }
        let mut digits = String::new();
        if character.is_ascii_digit() {
            digits.push(character);
        }
        while let Some((digit, _)) = rest.next_if(|(next, _)| next.is_ascii_digit()) {
            digits.push(digit);
        }
        let Some(direction) = Direction::from_letter(character) else {
            return Err(match character {
                '0'..='9' => TileMovesError::Repetition { number: digits, place },
                _ => TileMovesError::Character { character, place },
            });
        };
        let times: usize = match digits.as_str() {
            "" => 1,
            // A number that does not fit is more than any tile can move.
            digits => digits.parse().unwrap_or(usize::MAX),
        };
        if times == 0 {
            return Err(TileMovesError::Repetition { number: digits, place: place + 1 });
        }
        for _ in 0..times {
            let number = moves.len() + 1;
            let tile = at.tile(direction).ok_or_else(|| TileMovesError::NoTile {
                number,
                letter: direction.letter(),
                direction: direction.name(),
            })?;
            let vertex = |index| Vertex::new(index).expect("both vertices are on the board's grid");
            moves.push(Move { from: vertex(tile), to: vertex(at.empty) });
            at.empty = tile;
        }
    }
    Ok(moves)
}

/// Writes moves, played from `start`, as a text such as `URDL2UR2`.
///
/// # Errors
///
/// Returns an error if the board is not a grid with exactly one empty vertex, or if a move does not
/// slide a tile to that vertex.
pub fn write_tile_moves(
    board: &Board,
    start: &State,
    moves: &[Move],
) -> Result<String, TileMovesError> {
    let mut at = EmptyOnGrid::new(board, start)?;
    let mut directions = Vec::with_capacity(moves.len());
    for (&mv, number) in moves.iter().zip(1..) {
        let is_it = |&direction: &Direction| {
            mv.to.index() == at.empty && at.tile(direction) == Some(mv.from.index())
        };
        let direction = Direction::ALL.into_iter().find(is_it);
        directions.push(direction.ok_or(TileMovesError::NotASlide { number, mv })?);
        at.empty = mv.from.index();
    }
    let mut text = String::new();
    for same in directions.chunk_by(|a, b| a == b) {
        text.push(same[0].letter());
        if same.len() > 1 {
            text.push_str(&same.len().to_string());
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Puzzle;

    fn puzzle(line: &str) -> Puzzle {
        Puzzle::from_line(line).unwrap()
    }

    #[test]
    fn letters_are_the_directions_of_tiles() {
        // The empty vertex is in the middle; the tile that moves comes from the other side.
        let middle = puzzle("grid:3:3 1,2,3,4,0,5,6,7,8 -> 1,2,3,4,0,5,6,7,8");
        for (text, from) in [("U", 7), ("D", 1), ("L", 5), ("R", 3), ("r", 3)] {
            let moves = parse_tile_moves(middle.board(), middle.start(), text).unwrap();
            let pairs: Vec<_> = moves.iter().map(|mv| (mv.from.index(), mv.to.index())).collect();
            assert_eq!(pairs, [(from, 4)], "{text}");
        }
    }

    #[test]
    fn what_is_read_is_written_again() {
        let corner = puzzle("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0");
        for (text, length, written) in [
            ("", 0, ""),
            ("DRUL", 4, "DRUL"),
            ("D3R3U3L3", 12, "D3R3U3L3"),
            ("d d d R1 r2", 6, "D3R3"),
            ("DDDRRR", 6, "D3R3"),
        ] {
            let moves = parse_tile_moves(corner.board(), corner.start(), text).unwrap();
            assert_eq!(moves.len(), length, "{text}");
            corner.replay(&moves).unwrap();
            let found = write_tile_moves(corner.board(), corner.start(), &moves).unwrap();
            assert_eq!(found, written);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let corner = puzzle("grid:2:2 1,2,3,0");
        for (text, message) in [
            ("DX", "'X' (character 2 of the moves) is not a direction"),
            ("2D", "2 (character 1 of the moves) does not say how often"),
            ("D0", "0 (character 2 of the moves) does not say how often"),
            ("DU2", "move 3 (U): no tile can move up"),
            ("D99999999999999999999999", "move 2 (D): no tile can move down"),
        ] {
            let error = parse_tile_moves(corner.board(), corner.start(), text).unwrap_err();
            assert!(error.to_string().starts_with(message), "{text}: {error}");
        }
        let slide =
            |from, to| Move { from: Vertex::new(from).unwrap(), to: Vertex::new(to).unwrap() };
        for moves in [[slide(0, 1)], [slide(0, 3)]] {
            assert!(write_tile_moves(corner.board(), corner.start(), &moves).is_err());
        }
        for line in ["cube:2:1 a=0 -> a=1", "grid:2:2 1,2,0,0"] {
            let other = puzzle(line);
            assert!(parse_tile_moves(other.board(), other.start(), "U").is_err(), "{line}");
        }
    }
}
