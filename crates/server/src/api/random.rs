//! Random puzzles, and by which law they are drawn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::{Extension, Json};
use hyperslide_lab::{Law, RandomPuzzles, draw_at_distance, draw_nearby};
use hyperslide_puzzle::{Arrangement, shorten};
use hyperslide_table::Watch;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::Parameters;
use crate::guard::Client;
use crate::input::read_board;
use crate::state::App;

/// The longest that drawing a puzzle may take.
const DRAWING_TIME: Duration = Duration::from_secs(2);

/// Which puzzle to draw.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RandomQuery {
    /// The board, as in grid:3:3 or cube:4:2.
    #[param(example = "cube:4:2")]
    board: String,
    /// `face` (the default) or `edge`.
    metric: Option<String>,
    /// The number of tokens; as many as the goal has, otherwise one fewer than the board has
    /// vertices.
    #[param(example = 5)]
    tokens: Option<u32>,
    /// The goal; the usual one on grids with one empty vertex, otherwise one is drawn, too.
    goal: Option<String>,
    /// `uniform` over the solvable starts (the default), uniform at an exact `distance`, or the end
    /// of a random `walk` from the goal, which never undoes a slide while there is another.
    law: Option<String>,
    /// The distance, in moves, when the law is `distance`.
    distance: Option<u32>,
    /// The slides of the walk, when the law is `walk`.
    #[param(minimum = 1, maximum = 100_000, example = 200)]
    slides: Option<u32>,
    /// The seed; another one every time when it is left out. At most 2^53 - 1, which browsers count
    /// to exactly.
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_u64)]
    seed: Option<u64>,
}

/// A puzzle that was drawn.
#[derive(Serialize, ToSchema)]
pub struct RandomAnswer {
    /// The puzzle in one line.
    puzzle: String,
    /// The seed that draws it again.
    seed: u64,
    /// By which law it was drawn, in a sentence.
    law: String,
    /// Its exact distance, when the law says it.
    distance: Option<u32>,
}

/// Draws a solvable puzzle.
#[utoipa::path(get, path = "/api/random", tag = "puzzles", params(RandomQuery), responses(
    (status = 200, body = RandomAnswer), (status = 400, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
pub async fn random(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Parameters(query): Parameters<RandomQuery>,
) -> Answer<RandomAnswer> {
    const MAX_SEED: u64 = (1 << 53) - 1;
    let seed = query.seed.unwrap_or_else(|| rand::random_range(0..=MAX_SEED));
    if seed > MAX_SEED {
        return Err(Refusal::bad_request(format!(
            "the seed {seed} is too large: use at most {MAX_SEED}"
        )));
    }
    let board = read_board(&query.board, query.metric.as_deref())?;
    let goal: Option<Arrangement> = match query.goal.as_deref() {
        Some(goal) => Some(goal.parse().map_err(Refusal::bad_request)?),
        None => None,
    };
    let of_goal = goal.as_ref().map(Arrangement::token_count);
    let tokens = query.tokens.map(|tokens| tokens as usize).or(of_goal);
    let tokens = tokens.unwrap_or(board.vertex_count() - 1);
    let law = law(&query)?;
    // An exact distance is drawn from a table of the goal of a uniform puzzle.
    let drawn_by = if matches!(law, Law::Distance(_)) { Law::Uniform } else { law };
    let time = Some(DRAWING_TIME);
    let random = RandomPuzzles { board, tokens, labels: None, goal, law: drawn_by, seed, time };
    let answer = app.run(client, move |app| draw(app, &random, law)).await??;
    Ok(Json(answer))
}

/// The law that was asked for, with its number.
fn law(query: &RandomQuery) -> Result<Law, Refusal> {
    /// A longer walk takes more than a second on a large board.
    const MOST_SLIDES: u32 = 100_000;
    match (query.law.as_deref(), query.distance, query.slides) {
        (None | Some("uniform"), None, None) => Ok(Law::Uniform),
        (None | Some("distance"), Some(distance), None) => Ok(Law::Distance(distance)),
        (None | Some("walk"), None, Some(slides @ 1..=MOST_SLIDES)) => {
            Ok(Law::Walk { least: slides, most: slides })
        }
        (None | Some("walk"), None, Some(slides)) => Err(Refusal::bad_request(format!(
            "a walk of {slides} slides is out of range: use 1 to {MOST_SLIDES}"
        ))),
        (Some("distance"), None, _) => {
            Err(Refusal::bad_request("the law distance needs a distance: add distance=12"))
        }
        (Some("walk"), _, None) => {
            Err(Refusal::bad_request("the law walk needs a number of slides: add slides=200"))
        }
        (Some("uniform"), Some(_), _) => {
            Err(Refusal::bad_request("the law uniform takes no distance: leave it out"))
        }
        (None | Some("uniform" | "distance"), _, Some(_)) => {
            Err(Refusal::bad_request("only the law walk takes slides: leave them out"))
        }
        (Some("walk"), Some(_), _) => {
            Err(Refusal::bad_request("the law walk takes no distance: leave it out"))
        }
        (Some(law), ..) => {
            let law = shorten(law);
            let message = format!("the law '{law}' is unknown: write uniform, distance or walk");
            Err(Refusal::bad_request(message))
        }
    }
}

fn draw(app: &App, random: &RandomPuzzles, law: Law) -> Result<RandomAnswer, Refusal> {
    let seed = random.seed;
    let uniform = random.draw(1).map_err(Refusal::impossible)?.swap_remove(0);
    let Law::Distance(distance) = law else {
        let law = match law {
            Law::Walk { most: slides, .. } => format!(
                "The end of a random walk of {slides} slides from the goal, none of which undoes the one \
                 before it while there is another."
            ),
            _ => "Every solvable start is equally likely.".to_owned(),
        };
        return Ok(RandomAnswer { puzzle: uniform.to_string(), seed, law, distance: None });
    };
    // The goal of the uniform puzzle is the usual one, or as good as any.
    let puzzle = match app.advisor.table(&uniform) {
        Some(table) => {
            draw_at_distance(&table, distance, seed, DRAWING_TIME).map_err(Refusal::impossible)?
        }
        None => {
            /// Some fifty megabytes.
            const MOST: u64 = 200_000;

            let watch = Watch::new(None, Instant::now().checked_add(DRAWING_TIME));
            let drawn = draw_nearby(&uniform, distance, seed, MOST, watch);
            drawn.map_err(Refusal::impossible)?.ok_or_else(|| {
                Refusal::impossible(format!(
                    "exact distances of all positions of this puzzle are not available, and those of {distance} \
                     moves are too many to be found now: ask for a smaller distance, draw uniformly, or use \
                     fewer tokens"
                ))
            })?
        }
    };
    let law = format!("Every start exactly {distance} moves from the goal is equally likely.");
    Ok(RandomAnswer { puzzle: puzzle.to_string(), seed, law, distance: Some(distance) })
}
