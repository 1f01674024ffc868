//! The interface over HTTP, a file for each kind of thing that can be asked for.

#![allow(unused_qualifications, reason = "the macros of utoipa write whole paths")]

mod algorithms;
mod boards;
mod comparison;
mod jobs;
mod lessons;
mod levels;
mod people;
mod plays;
mod positions;
mod random;
mod ranks;
mod service;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::error::{ErrorBody, Refusal};
use crate::state::App;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Hyperslide",
        description = "Sliding puzzles in two to six dimensions: boards, levels, hints with exact distances, \
                       and searches as jobs. Puzzles are written in one line, as in `cube:4:2 r=13,p=7 -> \
                       p=1,r=0`. Refusals have one line that names the value and the repair.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
        contact(name = "", url = "")
    ),
    components(schemas(ErrorBody))
)]
struct Document;

/// All routes, and the one that describes them.
pub fn router() -> Router<Arc<App>> {
    let (router, mut document) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(boards::families))
        .routes(routes!(boards::board))
        .routes(routes!(boards::read))
        .routes(routes!(boards::replay_moves))
        .routes(routes!(levels::ladder))
        .routes(routes!(levels::daily))
        .routes(routes!(random::random))
        .routes(routes!(positions::solvability))
        .routes(routes!(positions::hint))
        .routes(routes!(positions::distribution))
        .routes(routes!(algorithms::algorithms))
        .routes(routes!(jobs::create))
        .routes(routes!(jobs::show, jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(jobs::expansions))
        .routes(routes!(lessons::lesson))
        .routes(routes!(people::consent))
        .routes(routes!(people::agree))
        .routes(routes!(people::me, people::forget))
        .routes(routes!(plays::issue))
        .routes(routes!(plays::people, plays::keep))
        .routes(routes!(plays::show))
        .routes(routes!(ranks::groups))
        .routes(routes!(ranks::list))
        .routes(routes!(comparison::comparison))
        .routes(routes!(comparison::losses))
        .routes(routes!(service::health))
        .routes(routes!(service::metrics))
        .routes(routes!(service::report))
        .split_for_parts();
    document.info.contact = None;
    router
        .route(
            "/api/openapi.json",
            get(move || {
                let document = document.clone();
                async move { axum::Json(document) }
            }),
        )
        .fallback(service::front_end)
        .method_not_allowed_fallback(service::wrong_method)
}

/// What handlers return.
type Answer<T> = Result<axum::Json<T>, Refusal>;
