//! Bodies and queries as typed values, refused in the server's own words.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::error::Refusal;

/// The most bytes of a body: a puzzle line of the greatest length, and room for the rest.
pub const MAX_BODY: usize = hyperslide_puzzle::MAX_PUZZLE_LENGTH + (1 << 16);

/// A body of JSON. Its content type must say so: a form of another site cannot send that without
/// being asked first.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Refusal> {
        let content_type = request.headers().get(header::CONTENT_TYPE);
        let media = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("application/json") {
            return Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("the body is '{media}': send Content-Type: application/json"),
            ));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            let what = format!("the body cannot be read or has more than {MAX_BODY} bytes");
            Refusal::new(rejection.status(), what)
        })?;
        serde_json::from_slice(&bytes).map(Body).map_err(|error| {
            Refusal::bad_request(format!("the body is not what is asked for: {error}"))
        })
    }
}

/// The parameters of a query.
pub struct Parameters<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Parameters<T>, Refusal> {
        let Query(value) = Query::from_request_parts(parts, state)
            .await
            .map_err(|error| Refusal::bad_request(error.body_text()))?;
        Ok(Parameters(value))
    }
}

/// The parameter in a path.
pub struct Segment(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Segment, Refusal> {
        let Path(value) = Path::from_request_parts(parts, state)
            .await
            .map_err(|error| Refusal::bad_request(error.body_text()))?;
        Ok(Segment(value))
    }
}
