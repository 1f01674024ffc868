//! Facts about a puzzle itself, which need no run: what a column shows of a row that only
//! describes.

use hyperslide_puzzle::{
    Classification, Effort, GoalCell, Metric, Puzzle, Solvability, State, Vertex, classify,
    decide_solvability,
};
use serde::Deserialize;

use crate::compare::Value;
use crate::experiment::board;

/// What is asked of a puzzle or a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The start, as `LABEL=VERTEX` by label.
    Start,
    /// The goal, where it is a single state.
    Goal,
    /// The number of empty vertices.
    Empty,
    /// How freely the tokens move: isolated, semi-isolated or mobile.
    #[serde(rename = "mobility")]
    Regime,
    /// The labels of the tokens that can never move.
    Stuck,
    /// The tokens that can move at once.
    Movable,
    /// Whether the goal can be reached from the start.
    Solvable,
    /// Whether the text names a board.
    Accepted,
}

/// The most occupied sets that are looked at to tell how freely tokens move.
const SETS: usize = 1_000_000;

impl Fact {
    /// The fact about a puzzle; none where it has none, as a goal that leaves vertices open.
    pub(crate) fn of(self, puzzle: &Puzzle) -> Option<Value> {
        let start = puzzle.start();
        let classified = || classify(puzzle.board(), start.occupied(), SETS);
        Some(match self {
            Fact::Start => Value::Text(written(puzzle, start)),
            Fact::Goal => Value::Text(goal(puzzle)?),
            Fact::Empty => {
                let tokens = start.tokens().count();
                Value::Count((puzzle.board().vertex_count() - tokens) as u64)
            }
            Fact::Regime => Value::Text(classified().regime?.to_string()),
            Fact::Stuck => {
                let Classification { stuck, .. } = classified();
                labels(puzzle, |vertex| stuck.contains(vertex))
            }
            Fact::Movable => {
                let moves = puzzle.board().legal_moves(start);
                labels(puzzle, |vertex| moves.iter().any(|mv| mv.from == vertex))
            }
            Fact::Solvable => {
                Value::Text(match decide_solvability(puzzle, Effort::THOROUGH, &|_| false) {
                    Solvability::Solvable => "yes".to_owned(),
                    Solvability::Unsolvable(_) => "no".to_owned(),
                    Solvability::Undecided => return None,
                })
            }
            Fact::Accepted => Value::Text("yes".to_owned()),
        })
    }

    /// The fact about a text that may or may not name a board.
    pub(crate) fn of_board(self, text: &str) -> Option<Value> {
        let answer = if board(text, Metric::Face).is_ok() { "yes" } else { "no" };
        (self == Fact::Accepted).then(|| Value::Text(answer.to_owned()))
    }
}

/// A state as `LABEL=VERTEX` by label.
fn written(puzzle: &Puzzle, state: &State) -> String {
    let tokens = state.tokens();
    let name = |label| puzzle.labels().name(label).to_owned();
    let mut tokens: Vec<(String, usize)> =
        tokens.map(|(vertex, label)| (name(label), vertex.index())).collect();
    tokens.sort();
    let tokens: Vec<String> =
        tokens.into_iter().map(|(label, vertex)| format!("{label}={vertex}")).collect();
    tokens.join(",")
}

/// The goal likewise; none where it leaves vertices open.
fn goal(puzzle: &Puzzle) -> Option<String> {
    let mut tokens = Vec::new();
    for (vertex, cell) in puzzle.goal().cells().iter().enumerate() {
        match cell {
            GoalCell::Any => return None,
            GoalCell::Empty => {}
            GoalCell::Label(label) => {
                tokens.push(format!("{}={vertex}", puzzle.labels().name(*label)));
            }
        }
    }
    tokens.sort();
    Some(tokens.join(","))
}

/// The labels of the tokens on some vertices, in order.
fn labels(puzzle: &Puzzle, is_meant: impl Fn(Vertex) -> bool) -> Value {
    let tokens = puzzle.start().tokens().filter(|&(vertex, _)| is_meant(vertex));
    let mut labels: Vec<&str> = tokens.map(|(_, label)| puzzle.labels().name(label)).collect();
    labels.sort_unstable();
    Value::Text(if labels.is_empty() { "none".to_owned() } else { labels.join(",") })
}
