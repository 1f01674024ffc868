//! A play: the moves of a person on a puzzle, each with the time since the one before it.

use std::fmt;
use std::str::FromStr;

use hyperslide_puzzle::{BoardSpec, IllegalMove, Move, Puzzle, Vertex, shorten};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most moves of a play: hours of play at a move a second.
pub const MAX_MOVES: usize = 20_000;
/// The longest that a person may think before a move, in milliseconds: a day.
const MAX_PAUSE: u32 = 86_400_000;

/// The longest that a play may take, in milliseconds: 30 days.
const MAX_PLAY: u64 = 30 * 86_400_000;

/// How a play is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// With hints, distances and free undo; never ranked.
    Explore,
    /// Ranked by time, from a start that the server issued.
    Timed,
    /// Ranked by the number of moves, from a start that the server issued.
    Fewest,
}

/// With what a play was made: plays are compared with plays of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Tiles follow the mouse.
    Hover,
    /// The mouse is clicked or dragged.
    Click,
    /// The keyboard.
    Keys,
    /// A finger.
    Touch,
    /// Moves are typed.
    Typed,
}

macro_rules! named {
    ($type:ty, $what:literal, $($name:literal => $value:path),+) => {
        impl $type {
            /// Its name, as it is kept and sent.
            pub fn name(self) -> &'static str {
                match self {
                    $($value => $name),+
                }
            }
        }

        impl FromStr for $type {
            type Err = PlayError;

            fn from_str(text: &str) -> Result<Self, PlayError> {
                match text {
                    $($name => Ok($value),)+
                    _ => {
                        let names = [$($name),+].join(", ");
                        Err(PlayError::Name { what: $what, text: shorten(text), names })
                    }
                }
            }
        }
    };
}

named!(Kind, "kind of play", "explore" => Kind::Explore, "timed" => Kind::Timed, "fewest" => Kind::Fewest);
named!(Control, "control", "hover" => Control::Hover, "click" => Control::Click, "keys" => Control::Keys,
       "touch" => Control::Touch, "typed" => Control::Typed);

/// A move, and the milliseconds since the one before it, or since the play began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedMove {
    /// The move.
    pub mv: Move,
    /// Milliseconds.
    pub ms: u32,
}

/// The moves of a play. They are written `13-5@240 5-4@1200`: from, to, and milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Play {
    /// The moves in order.
    pub moves: Vec<TimedMove>,
}

/// Why a play is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum PlayError {
    #[error("move {number} is '{text}': write from, to and milliseconds, as in 13-5@240")]
    Malformed { number: usize, text: String },
    #[error("{0} moves are too many: a play has at most {MAX_MOVES}")]
    TooMany(usize),
    #[error(
        "the times of the moves add up to {0} ms: a play takes at most {MAX_PLAY} ms, which is 30 days"
    )]
    TooLong(u64),
    #[error(
        "the puzzle has {0} bytes: plays are kept of puzzles that take at most {MAX_PUZZLE} bytes in one line"
    )]
    LongPuzzle(usize),
    #[error("move {number} of {count} is illegal: {source}")]
    Illegal { number: usize, count: usize, source: IllegalMove },
    #[error("the {what} '{text}' is unknown: write one of {names}")]
    Name { what: &'static str, text: String, names: String },
}

/// The longest puzzle whose plays are kept, in bytes of its line: what PostgreSQL can have in an
/// index.
pub const MAX_PUZZLE: usize = 2_000;

/// Refuses puzzles that are too long for their plays to be kept.
///
/// # Errors
///
/// The number of bytes of the line.
pub fn check_puzzle(line: &str) -> Result<(), PlayError> {
    match line.len() {
        0..=MAX_PUZZLE => Ok(()),
        bytes => Err(PlayError::LongPuzzle(bytes)),
    }
}

/// A play that the rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of its moves.
    pub moves: u32,
    /// Milliseconds from its beginning to its last move.
    pub ms: u64,
    /// The least number of milliseconds between two moves; none when there are fewer than two.
    pub least_ms: Option<u32>,
    /// Moves in which tokens that slide one after the other in the same direction count once, on a
    /// grid with one empty cell; none on other boards.
    pub multi: Option<u32>,
    /// Whether it ends in the goal.
    pub solved: bool,
}

impl Play {
    /// Plays the moves from the puzzle's start by the rule.
    ///
    /// # Errors
    ///
    /// The first move that is illegal, or that it takes longer than people play.
    pub fn verify(&self, puzzle: &Puzzle) -> Result<Verified, PlayError> {
        let moves: Vec<Move> = self.moves.iter().map(|timed| timed.mv).collect();
        let count = moves.len();
        let end = puzzle.replay(&moves).map_err(|(place, source)| PlayError::Illegal {
            number: place + 1,
            count,
            source,
        })?;
        let ms = self.moves.iter().map(|timed| u64::from(timed.ms)).sum();
        if ms > MAX_PLAY {
            return Err(PlayError::TooLong(ms));
        }
        Ok(Verified {
            moves: count as u32,
            ms,
            least_ms: self.moves.iter().skip(1).map(|timed| timed.ms).min(),
            multi: multi_tile_moves(puzzle, &moves),
            solved: puzzle.goal().is_met(&end),
        })
    }
}

/// The board with its metric, the number of tokens and the number of multi-tile moves of a play
/// that was kept; a question mark and nothing when it cannot be read.
pub(crate) fn facts(puzzle: &str, moves: &str) -> (String, i64, Option<i64>) {
    let Ok(puzzle) = Puzzle::from_line(puzzle) else { return ("?".to_owned(), 0, None) };
    let tokens = puzzle.start().occupied().len() as i64;
    let moves: Option<Vec<Move>> =
        moves.parse().ok().map(|play: Play| play.moves.iter().map(|timed| timed.mv).collect());
    let multi = moves.and_then(|moves| multi_tile_moves(&puzzle, &moves)).map(i64::from);
    (puzzle.board().to_string(), tokens, multi)
}

/// The number of moves where tiles that a single push could slide together count once: slides in
/// the same direction, one after the other, each by the next tile of the row or column.
fn multi_tile_moves(puzzle: &Puzzle, moves: &[Move]) -> Option<u32> {
    let BoardSpec::Grid { columns, .. } = *puzzle.board().spec() else { return None };
    if puzzle.start().occupied().len() + 1 != puzzle.board().vertex_count() {
        return None;
    }
    let direction = |mv: &Move| mv.to.index() as i64 - mv.from.index() as i64;
    assert!(moves.iter().all(|mv| [1, columns as i64].contains(&direction(mv).abs())));
    let starts_anew = |pair: &[Move]| direction(&pair[0]) != direction(&pair[1]);
    let turns = moves.windows(2).filter(|pair| starts_anew(pair)).count();
    Some((turns + usize::from(!moves.is_empty())) as u32)
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, TimedMove { mv, ms }) in self.moves.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            write!(f, "{space}{}-{}@{ms}", mv.from, mv.to)?;
        }
        Ok(())
    }
}

impl FromStr for Play {
    type Err = PlayError;

    fn from_str(text: &str) -> Result<Play, PlayError> {
        let count = text.split_whitespace().count();
        if count > MAX_MOVES {
            return Err(PlayError::TooMany(count));
        }
        let read = |(place, word): (usize, &str)| {
            let parsed = word.split_once('@').and_then(|(mv, ms)| {
                let (from, to) = mv.split_once('-')?;
                let ms = ms.parse().ok().filter(|&ms| ms <= MAX_PAUSE)?;
                let vertex = |text: &str| Vertex::new(text.parse().ok()?);
                Some(TimedMove { mv: Move { from: vertex(from)?, to: vertex(to)? }, ms })
            });
            parsed.ok_or_else(|| PlayError::Malformed { number: place + 1, text: shorten(word) })
        };
        Ok(Play { moves: text.split_whitespace().enumerate().map(read).collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_are_read_as_they_are_written() {
        let text = "13-5@240 5-4@0 4-6@86400000";
        let play: Play = text.parse().unwrap();
        assert_eq!(play.to_string(), text);
        assert_eq!("".parse::<Play>().unwrap().moves, []);
        for wrong in ["13-5", "13@5", "a-5@1", "13-64@1", "13-5@-1", "13-5@86400001", "13-5@1.5"] {
            let error = wrong.parse::<Play>().unwrap_err().to_string();
            assert!(error.contains(wrong), "{error}");
        }
        let many = "0-1@1 ".repeat(MAX_MOVES + 1);
        assert_eq!(many.parse::<Play>(), Err(PlayError::TooMany(MAX_MOVES + 1)));
    }

    #[test]
    fn only_what_the_rule_allows_is_verified() {
        let puzzle = Puzzle::from_line("grid:2:2 1,2,0,3 -> 1,2,3,0").unwrap();
        let verify = |text: &str| text.parse::<Play>().unwrap().verify(&puzzle);
        let facts = |text: &str| {
            let Verified { moves, ms, least_ms, multi, solved } = verify(text).unwrap();
            (moves, ms, least_ms, multi, solved)
        };
        assert_eq!(facts("3-2@500"), (1, 500, None, Some(1), true));
        assert_eq!(facts("0-2@20 2-0@30"), (2, 50, Some(30), Some(2), false));
        let days =
            |days: usize| verify(&["3-2@86400000", "2-3@86400000"].repeat(days / 2).join(" "));
        assert!(days(30).is_ok());
        assert_eq!(days(32), Err(PlayError::TooLong(32 * 86_400_000)));
        let error = verify("3-2@500 0-2@1").unwrap_err().to_string();
        assert!(error.contains("move 2 of 2 is illegal"), "{error}");
    }

    #[test]
    fn tiles_that_slide_together_count_once_on_grids() {
        let multi = |line: &str, text: &str| {
            let puzzle = Puzzle::from_line(line).unwrap();
            text.parse::<Play>().unwrap().verify(&puzzle).unwrap().multi
        };
        let grid = "grid:3:3 1,2,3,4,5,6,7,8,0";
        assert_eq!(multi(grid, "7-8@1 6-7@1 3-6@1 4-3@1 5-4@1"), Some(3));
        assert_eq!(multi(grid, ""), Some(0));
        assert_eq!(multi("cube:3:2 a=0 -> a=7", "0-3@1 3-7@1"), None);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in [Kind::Explore, Kind::Timed, Kind::Fewest] {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        for control in
            [Control::Hover, Control::Click, Control::Keys, Control::Touch, Control::Typed]
        {
            assert_eq!(control.name().parse(), Ok(control));
        }
        assert!("mouse".parse::<Control>().unwrap_err().to_string().contains("hover"));
    }
}
