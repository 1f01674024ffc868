//! The service itself: its health, its counters, the report and the front-end.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyperslide_puzzle::shorten;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::assets;
use crate::error::{ErrorBody, Refusal};
use crate::extract::Parameters;
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
    /// `ok`, or `none` where no plays are kept; only when it was asked with `ready`.
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'static str>,
}

/// How much is looked at.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HealthQuery {
    /// Asks the database, too, whatever the value: the answer is 503 when it does not answer within
    /// two seconds.
    #[param(example = "")]
    ready: Option<String>,
}

/// The longest that the database may take to answer that it is there.
const DATABASE_TIME: Duration = Duration::from_secs(2);

/// Says that the server is there and, with `?ready`, that it can do everything. A server whose
/// database is away goes on answering what needs none, and finds it again by itself: use the first
/// to decide when to restart it, and the second to decide whether to send people to it.
#[utoipa::path(get, path = "/health", tag = "service", params(HealthQuery), responses(
    (status = 200, body = Health), (status = 400, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn health(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<HealthQuery>,
) -> Answer<Health> {
    let database = match (query.ready, &app.store) {
        (None, _) => None,
        (Some(_), None) => Some("none"),
        (Some(_), Some(store)) => match tokio::time::timeout(DATABASE_TIME, store.check()).await {
            Ok(Ok(())) => Some("ok"),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database does not answer");
                return Err(Refusal::unavailable(
                    "the database does not answer: look into the log",
                ));
            }
            Err(_) => {
                let message = format!(
                    "the database does not answer within {} s: check that it is running",
                    DATABASE_TIME.as_secs()
                );
                return Err(Refusal::unavailable(message));
            }
        },
    };
    let (jobs_waiting, jobs_running) = app.jobs.counts();
    let version = env!("CARGO_PKG_VERSION");
    Ok(Json(Health { status: "ok", version, jobs_waiting, jobs_running, database }))
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
