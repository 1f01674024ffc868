//! Lessons: a small search by A\* to go through step by step.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::Body;
use crate::guard::Client;
use crate::input::read_puzzle;
use crate::lesson::{Lesson, LessonError};
use crate::state::App;

/// Which lesson.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonRequest {
    /// The puzzle in one line, or the name of an instance.
    #[schema(example = "cubical/d3-level0:2")]
    puzzle: String,
    /// The heuristic; lone-token when it is left out.
    #[schema(example = "blind")]
    heuristic: Option<String>,
}

/// A search by A* with every state that it generates; it may expand 200 states at most.
#[utoipa::path(post, path = "/api/lessons", tag = "search", request_body = LessonRequest, responses(
    (status = 200, body = Lesson), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn lesson(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(asked): Body<LessonRequest>,
) -> Answer<Lesson> {
    let puzzle = read_puzzle(&asked.puzzle)?;
    let heuristic = asked.heuristic.unwrap_or_else(|| "lone-token".to_owned());
    let lesson = app.run_long(client, move |_| Lesson::new(&puzzle, &heuristic)).await?;
    lesson.map(Json).map_err(|error| match error {
        LessonError::Heuristic(_) => Refusal::bad_request(error),
        LessonError::TooLong(_) | LessonError::Unsolvable(_) => Refusal::impossible(error),
    })
}
