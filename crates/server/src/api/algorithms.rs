//! Algorithms and heuristics with their settings, from which forms are made.

use axum::Json;
use hyperslide_lab::Registry;

/// Every algorithm and heuristic with its settings, their types, ranges and defaults.
#[utoipa::path(get, path = "/api/algorithms", tag = "search", responses((status = 200, body = Registry)))]
pub async fn algorithms() -> Json<Registry> {
    Json(Registry::all())
}
