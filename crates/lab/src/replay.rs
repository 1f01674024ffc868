//! Solutions checked by the rules, in the notations of this program and of others.

use hyperslide_puzzle::{
    IllegalMove, Move, Puzzle, State, TileMovesError, Vertex, parse_tile_moves, shorten,
};
use serde::Deserialize;
use thiserror::Error;

use crate::result::MoveText;

/// A solution that was played move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Its moves, all of them legal.
    pub moves: Vec<Move>,
    /// The state in which they end.
    pub end: State,
    /// Whether that state meets the goal.
    pub reaches_goal: bool,
}

/// Why moves cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// JSON that holds no moves.
    #[error(
        "the moves are not a list such as [{{\"token\":\"r\",\"from\":13,\"to\":5}}], nor a result \
         that has one: {0}"
    )]
    Json(String),
    /// A pair of vertices is malformed.
    #[error(
        "'{text}' (move {number}) is not a move: write the vertices that a token leaves and goes to, \
         as in 13-5, or the directions of tiles, as in URDL2UR2"
    )]
    Pair {
        /// The number of the move, from 1.
        number: usize,
        /// What was written.
        text: String,
    },
    /// Directions of tiles that cannot be read or played.
    #[error(transparent)]
    Tiles(#[from] TileMovesError),
    /// A vertex that the board does not have.
    #[error("move {number}: vertex {vertex} is not on the board")]
    Vertex {
        /// The number of the move, from 1.
        number: usize,
        /// The vertex.
        vertex: usize,
    },
    /// The token on the vertex is another one.
    #[error("move {number}: token {token} is not on vertex {from}, {}", holds(.found.as_deref()))]
    Token {
        /// The number of the move, from 1.
        number: usize,
        /// The token that the move names.
        token: String,
        /// The vertex that it is said to leave.
        from: usize,
        /// The token that is there.
        found: Option<String>,
    },
    /// A move breaks the rule.
    #[error("move {number} of {count} is illegal: {source}")]
    Illegal {
        /// The number of the move, from 1.
        number: usize,
        /// The number of moves in all.
        count: usize,
        /// Why it is illegal.
        source: IllegalMove,
    },
}

fn holds(found: Option<&str>) -> String {
    found.map_or("which is empty".to_owned(), |token| format!("which holds {token}"))
}

/// A result as JSON, of which only the moves matter.
#[derive(Deserialize)]
struct WithMoves {
    moves: Vec<MoveText>,
}

/// A move as it was written: the token where it is named, and two vertices.
type Written = (Option<String>, usize, usize);

/// Plays the moves that a text holds from a puzzle's start. They are written as JSON (a list of
/// moves, or a result that has one, as `hyperslide solve --format json` prints it), as pairs of
/// vertices (`13-5 5-4`), as the directions of tiles (`URDL2UR2`), or as the plan of a planning
/// program that was given the puzzle by [`hyperslide_puzzle::SasTask`] or in PDDL.
///
/// # Errors
///
/// What is wrong with the first move that cannot be read or played.
pub fn replay(puzzle: &Puzzle, text: &str) -> Result<Replay, ReplayError> {
    let text = text.trim();
    let moves = if text.is_empty() {
        Vec::new()
    } else if text.starts_with(['[', '{']) {
        check(puzzle, &read_json(text)?)?
    } else if text.starts_with(|c: char| c.is_ascii_digit()) {
        check(puzzle, &read_pairs(text)?)?
    } else if text.starts_with(['(', ';']) {
        check(puzzle, &read_plan(text)?)?
    } else {
        parse_tile_moves(puzzle.board(), puzzle.start(), text)?
    };
    let count = moves.len();
    let illegal = |(place, source)| ReplayError::Illegal { number: place + 1, count, source };
    let end = puzzle.replay(&moves).map_err(illegal)?;
    Ok(Replay { reaches_goal: puzzle.goal().is_met(&end), moves, end })
}

fn read_json(text: &str) -> Result<Vec<Written>, ReplayError> {
    let moves = match text.starts_with('{') {
        true => serde_json::from_str(text).map(|WithMoves { moves }| moves),
        false => serde_json::from_str(text),
    };
    let moves: Vec<MoveText> = moves.map_err(|error| ReplayError::Json(error.to_string()))?;
    Ok(moves.into_iter().map(|mv| (Some(mv.token), mv.from, mv.to)).collect())
}

fn read_pairs(text: &str) -> Result<Vec<Written>, ReplayError> {
    let words = text.split([',', ';', ' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let pairs = words.enumerate().map(|(place, word)| {
        let pair = word.split_once("->").or_else(|| word.split_once(['-', '>', ':']));
        let pair = pair.and_then(|(from, to)| Some((None, from.parse().ok()?, to.parse().ok()?)));
        pair.ok_or_else(|| ReplayError::Pair { number: place + 1, text: shorten(word) })
    });
    pairs.collect()
}

/// Reads a plan: a line `(slide-FROM-TO TOKEN)` for each move, and comments behind a semicolon.
fn read_plan(text: &str) -> Result<Vec<Written>, ReplayError> {
    let lines = text.lines().map(str::trim);
    let steps = lines.filter(|line| !line.is_empty() && !line.starts_with(';'));
    let read = steps.enumerate().map(|(place, line)| {
        // A number behind the vertices says by which of several ways.
        let name = line.strip_prefix('(').and_then(|step| step.split_whitespace().next());
        let mut vertices =
            name.and_then(|name| name.strip_prefix("slide-")).unwrap_or("").split('-');
        let mut vertex = || vertices.next()?.parse().ok();
        let ends = vertex().zip(vertex());
        ends.map(|(from, to)| (None, from, to))
            .ok_or_else(|| ReplayError::Pair { number: place + 1, text: shorten(line) })
    });
    read.collect()
}

/// The moves, each of the token that it names.
fn check(puzzle: &Puzzle, written: &[Written]) -> Result<Vec<Move>, ReplayError> {
    let mut state = *puzzle.start();
    let mut moves = Vec::with_capacity(written.len());
    for (place, (token, from, to)) in written.iter().enumerate() {
        let number = place + 1;
        let vertex = |vertex: usize| {
            let on_board = Vertex::new(vertex).filter(|_| vertex < puzzle.board().vertex_count());
            on_board.ok_or(ReplayError::Vertex { number, vertex })
        };
        let mv = Move { from: vertex(*from)?, to: vertex(*to)? };
        let found = state.label_at(mv.from).map(|label| puzzle.labels().name(label).to_owned());
        if let Some(token) = token.as_ref().filter(|token| found.as_ref() != Some(token)) {
            return Err(ReplayError::Token { number, token: token.clone(), from: *from, found });
        }
        let count = written.len();
        let played = puzzle.board().play(&state, mv);
        state = played.map_err(|source| ReplayError::Illegal { number, count, source })?;
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_says_the_same() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,0,5,6,4,7,8").unwrap();
        let json = r#"[{"token":"4","from":6,"to":3},{"token":"7","from":7,"to":6},
            {"token":"8","from":8,"to":7}]"#;
        let result = format!("{{\"status\":\"solved\",\"moves\":{json},\"length\":3}}");
        let expected = replay(&puzzle, "UL2").unwrap();
        assert!(expected.reaches_goal && expected.moves.len() == 3);
        let plan = "(slide-6-3 token-4)\n(slide-7-6-2 token-7)\n(slide-8-7 token-8)\n; cost = 3";
        for text in [json, &result, "6-3 7-6 8-7", "6->3,7->6,8->7", "ULL\n", plan] {
            assert_eq!(replay(&puzzle, text).as_ref(), Ok(&expected), "{text}");
        }
        let short = replay(&puzzle, "6-3").unwrap();
        assert!(!short.reaches_goal && short.moves.len() == 1);
        for nothing in ["[]", "; cost = 0 (unit cost)"] {
            assert_eq!(replay(&puzzle, nothing).unwrap().moves.len(), 0);
        }
    }

    #[test]
    fn the_first_wrong_move_is_named() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,0,5,6,4,7,8").unwrap();
        for (text, words) in [
            ("6-3 8-7", "move 2 of 2 is illegal: move 8->7: vertex 7 is occupied"),
            ("6-3 7", "'7' (move 2) is not a move"),
            ("; plan\n(slide-6-3 a)\n(jump-8-7 b)", "'(jump-8-7 b)' (move 2) is not a move"),
            ("6-3 99-6", "move 2: vertex 99 is not on the board"),
            (
                r#"[{"token":"5","from":6,"to":3}]"#,
                "move 1: token 5 is not on vertex 6, which holds 4",
            ),
            (r#"[{"token":"5","from":3,"to":6}]"#, "token 5 is not on vertex 3, which is empty"),
            (r#"{"status":"error"}"#, "nor a result that has one"),
            ("UR", "no tile can move right"),
        ] {
            let error = replay(&puzzle, text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
