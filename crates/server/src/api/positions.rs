//! Questions about a position: whether it can be solved, how far it is, and where to go.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use hyperslide_lab::{MoveText, SolveResult, move_texts};
use hyperslide_puzzle::{Effort, Move, Puzzle, Solvability, decide_solvability};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::Answer;
use crate::advisor::{Known, Source};
use crate::error::{ErrorBody, Refusal};
use crate::extract::Body;
use crate::guard::Client;
use crate::input::read_puzzle;
use crate::state::App;

/// A position: a puzzle whose start is where one is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The puzzle in one line, or the name of an instance.
    #[schema(example = "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0")]
    puzzle: String,
}

/// Whether a position can be solved.
#[derive(Serialize, ToSchema)]
pub struct SolvabilityAnswer {
    /// Null when it was not decided in the time.
    solvable: Option<bool>,
    /// Why not: `parity`, `permutation-group`, `stuck-token` or `component`.
    reason: Option<String>,
    /// The same in a sentence.
    explanation: Option<String>,
    /// What is needed to check the reason.
    #[schema(value_type = Option<Object>)]
    certificate: Option<Value>,
}

/// Decides whether a position can be solved, with the reason when it cannot.
#[utoipa::path(post, path = "/api/solvability", tag = "positions", request_body = Position, responses(
    (status = 200, body = SolvabilityAnswer), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn solvability(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(position): Body<Position>,
) -> Answer<SolvabilityAnswer> {
    /// Enough for some hundred thousand occupied sets, in half a second.
    const EFFORT: Effort = Effort { occupied_sets: 1 << 18, slides: 1 << 23, group_steps: 1 << 20 };
    let puzzle = read_puzzle(&position.puzzle)?;
    let decided = app.run(client, move |_| decide_solvability(&puzzle, EFFORT, &|_| false)).await?;
    let (solvable, why) = match decided {
        Solvability::Solvable => (Some(true), None),
        Solvability::Undecided => (None, None),
        Solvability::Unsolvable(reason) => (Some(false), Some(SolveResult::unsolvable(&reason))),
    };
    let why = why.unwrap_or_default();
    let SolveResult { reason, explanation, certificate, .. } = why;
    Ok(Json(SolvabilityAnswer { solvable, reason, explanation, certificate }))
}

/// Where to go from a position.
#[derive(Serialize, ToSchema)]
pub struct Hint {
    /// The number of moves of the solution; null when there is none, or none is known.
    distance: Option<u32>,
    /// Whether no solution is shorter, or there is none.
    proven: bool,
    /// How it is known: `table`, `search`, `unsolvable` or `unknown`.
    source: &'static str,
    /// All moves that are known to begin a solution of this length.
    moves: Vec<MoveText>,
    /// One solution of this length.
    solution: Vec<MoveText>,
    /// The same in a sentence.
    explanation: String,
}

/// A move that leads to the goal, and whether it begins a shortest solution.
#[utoipa::path(post, path = "/api/hint", tag = "positions", request_body = Position, responses(
    (status = 200, body = Hint), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn hint(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(position): Body<Position>,
) -> Answer<Hint> {
    let puzzle = read_puzzle(&position.puzzle)?;
    let hint =
        app.run(client, move |app| describe(&puzzle, app.advisor.best_known(&puzzle))).await?;
    Ok(Json(hint))
}

fn describe(puzzle: &Puzzle, known: Known) -> Hint {
    let one = |mv: &Move| move_texts(puzzle, std::slice::from_ref(mv));
    let nothing = Hint {
        distance: None,
        proven: false,
        source: "unknown",
        moves: Vec::new(),
        solution: Vec::new(),
        explanation: "No solution was found in time. Ask again, or use Solve.".to_owned(),
    };
    match known {
        Known::Unknown => nothing,
        Known::Unsolvable(reason) => Hint {
            proven: true,
            source: "unsolvable",
            explanation: reason.map_or_else(
                || {
                    "The goal cannot be reached: this position is not among those of its table."
                        .to_owned()
                },
                |reason| format!("The goal cannot be reached: {reason}."),
            ),
            ..nothing
        },
        Known::Solution { moves, proven, source, first } => {
            let length = moves.len() as u32;
            let counted = if length == 1 { "1 move".to_owned() } else { format!("{length} moves") };
            let explanation = match (source, proven) {
                (Source::Table, _) => format!("{counted} to go, by the table of all positions."),
                (Source::Search, true) => format!("{counted} to go, proven by a search."),
                (Source::Search, false) => {
                    format!("{counted} to go by the best solution known; a shorter one may exist.")
                }
            };
            Hint {
                distance: Some(length),
                proven,
                source: source.name(),
                moves: first.iter().flat_map(one).collect(),
                solution: move_texts(puzzle, &moves),
                explanation,
            }
        }
    }
}

/// How far all positions are from the goal.
#[derive(Serialize, ToSchema)]
pub struct Distribution {
    /// The number of positions from which the goal can be reached.
    states: u64,
    /// The number of them at distance 0, 1, ...
    counts: Vec<u64>,
    /// The distance of this position; null when the goal cannot be reached from it.
    distance: Option<u32>,
    /// Whether the goal cannot be reached from this position.
    unreachable: bool,
}

/// The number of positions at every distance from the goal, for puzzles small enough that all of
/// them are in a table.
#[utoipa::path(post, path = "/api/distribution", tag = "positions", request_body = Position, responses(
    (status = 200, body = Distribution), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn distribution(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(position): Body<Position>,
) -> Answer<Distribution> {
    let puzzle = read_puzzle(&position.puzzle)?;
    let found = app
        .run(client, move |app| {
            let table = app.advisor.table(&puzzle)?;
            let layers = table.layers();
            let distance = table.distance(puzzle.start());
            Some(Distribution {
                states: layers.total(),
                counts: layers.states.clone(),
                distance,
                unreachable: distance.is_none() && layers.complete,
            })
        })
        .await?;
    found.map(Json).ok_or_else(|| {
        Refusal::impossible(
            "this puzzle has too many positions for their distances to be computed now: build a table of \
             them first, with `hyperslide table build`",
        )
    })
}
