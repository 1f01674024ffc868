//! Boards, puzzles and the moves that are played on them.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use hyperslide_lab::{BoardDescription, MoveText, PuzzleDescription, cells, move_texts};
use hyperslide_plays::MAX_MOVES;
use hyperslide_puzzle::{FAMILIES, Puzzle};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters, Segment};
use crate::guard::Client;
use crate::input::{read_board, read_board_file, read_file, read_puzzle};
use crate::state::App;

/// A kind of board.
#[derive(Serialize, ToSchema)]
pub struct Family {
    /// The word before the first colon.
    name: &'static str,
    /// How to write one.
    syntax: &'static str,
    /// What it is.
    summary: &'static str,
    /// A board of this kind.
    example: &'static str,
}

/// The kinds of boards.
#[utoipa::path(get, path = "/api/boards", tag = "puzzles", responses((status = 200, body = [Family])))]
pub async fn families() -> Json<Vec<Family>> {
    let described = FAMILIES.iter().map(|family| Family {
        name: family.name,
        syntax: family.syntax,
        summary: family.summary,
        example: family.example,
    });
    Json(described.collect())
}

/// What counts as one move.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BoardQuery {
    /// What counts as one move: `face` (the default) or `edge`.
    metric: Option<String>,
}

/// A board with its face lists.
#[utoipa::path(get, path = "/api/boards/{board}", tag = "puzzles",
    params(("board" = String, Path, description = "The board, as in cube:4:2", example = "cube:4:2"), BoardQuery),
    responses((status = 200, body = BoardDescription), (status = 400, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub async fn board(
    Segment(board): Segment,
    Parameters(query): Parameters<BoardQuery>,
) -> Answer<BoardDescription> {
    let board = read_board(&board, query.metric.as_deref())?;
    Ok(Json(BoardDescription::new(&board)))
}

/// A puzzle to read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PuzzleText {
    /// A puzzle line, or the name of an instance such as `cubical/d4-level4`.
    #[schema(example = "cubical/d4-level4:3")]
    puzzle: Option<String>,
    /// The text of a puzzle file, in JSON or TOML.
    file: Option<String>,
    /// The text of a board file, in JSON or TOML: the puzzle then stands without its board, as in
    /// `START -> GOAL`; without a puzzle the board is returned with one token and no way to go.
    board_file: Option<String>,
}

/// Reads a puzzle, or says all that is wrong with it.
#[utoipa::path(post, path = "/api/puzzles", tag = "puzzles", request_body = PuzzleText, responses(
    (status = 200, body = PuzzleDescription), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub async fn read(Body(text): Body<PuzzleText>) -> Answer<PuzzleDescription> {
    let puzzle = text.puzzle.filter(|line| !line.is_empty() || text.file.is_none());
    let puzzle = match (puzzle, text.file, text.board_file) {
        (Some(puzzle), None, None) => read_puzzle(&puzzle)?,
        (None, Some(file), None) => read_file(&file)?,
        (puzzle, None, Some(file)) => {
            let board = read_board_file(&file)?;
            let arrangement = puzzle.unwrap_or_else(|| "1=0 -> 1=0".to_owned());
            read_puzzle(&format!("{board} {arrangement}"))?
        }
        _ => return Err(Refusal::bad_request("give one of puzzle, file and board_file")),
    };
    Ok(Json(PuzzleDescription::new(&puzzle)))
}

/// Moves to play from a puzzle's start.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// The puzzle.
    #[schema(example = "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0")]
    puzzle: String,
    /// Its moves: pairs of vertices (`13-5 5-4`), directions of tiles (`URDL2UR2`), or a list in
    /// JSON; at most 20,000.
    #[schema(example = "DRUL")]
    moves: String,
}

/// Moves that were played.
#[derive(Serialize, ToSchema)]
pub struct Played {
    /// The moves, all of them legal.
    moves: Vec<MoveText>,
    /// The label on each vertex in the end; null where it is empty.
    end: Vec<Option<String>>,
    /// The position in the end, in the notation.
    end_text: String,
    /// Whether it meets the goal.
    reaches_goal: bool,
}

fn play(puzzle: &Puzzle, moves: &str) -> Result<Played, Refusal> {
    let replay = hyperslide_lab::replay(puzzle, moves).map_err(Refusal::impossible)?;
    let count = replay.moves.len();
    if count > MAX_MOVES {
        return Err(Refusal::bad_request(format!(
            "{count} moves are too many to be answered: send {MAX_MOVES} at most"
        )));
    }
    Ok(Played {
        moves: move_texts(puzzle, &replay.moves),
        end: cells(puzzle, &replay.end),
        end_text: puzzle.write_state(&replay.end),
        reaches_goal: replay.reaches_goal,
    })
}

/// Plays moves by the server's own rule.
#[utoipa::path(post, path = "/api/replay", tag = "puzzles", request_body = ReplayRequest, responses(
    (status = 200, body = Played), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn replay_moves(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(asked): Body<ReplayRequest>,
) -> Answer<Played> {
    let puzzle = read_puzzle(&asked.puzzle)?;
    let played = app.run(client, move |_| play(&puzzle, &asked.moves)).await?;
    played.map(Json)
}
