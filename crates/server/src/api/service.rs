//! The service itself: its health, its counters, the report and the front-end.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyperslide_puzzle::shorten;
use serde::Serialize;
use utoipa::ToSchema;

use crate::assets;
use crate::error::Refusal;
use crate::state::App;

/// How the server is.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
    /// Searches that wait.
    jobs_waiting: usize,
    /// Searches that run.
    jobs_running: usize,
}

/// Says that the server is there.
#[utoipa::path(get, path = "/health", tag = "service", responses((status = 200, body = Health)))]
pub async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    let (jobs_waiting, jobs_running) = app.jobs.counts();
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), jobs_waiting, jobs_running })
}

/// The counters in the format of Prometheus; shown on the server's own machine only.
#[utoipa::path(get, path = "/metrics", tag = "service", responses(
    (status = 200, body = String, content_type = "application/openmetrics-text"),
    (status = 403, body = crate::error::ErrorBody)
))]
pub async fn metrics(State(app): State<Arc<App>>) -> Response {
    let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, media)], app.metrics.text(app.jobs.counts())).into_response()
}

/// The report: every table and figure of the papers.
#[utoipa::path(get, path = "/report", tag = "service", responses(
    (status = 200, body = String, content_type = "text/html"),
    (status = 304, description = "It is the one that the client has.")
))]
pub async fn report(headers: HeaderMap) -> Response {
    assets::report(&headers)
}

/// A file of the front-end.
pub async fn front_end(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    match method {
        Method::GET | Method::HEAD => assets::file(uri.path(), &headers),
        _ => wrong_method(method, uri).await,
    }
}

/// Refuses a method that a path does not have.
pub async fn wrong_method(method: Method, uri: Uri) -> Response {
    let path = shorten(uri.path());
    let message = format!("{path} takes no {method}: see /api/openapi.json");
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message).into_response()
}
