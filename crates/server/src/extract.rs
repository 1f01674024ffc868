//! Bodies and queries as typed values, refused in the server's own words.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::error::Refusal;
use hyperslide_puzzle::shorten;

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
        let bytes = arrives(Bytes::from_request(request, state), BODY_TIME).await?;
        let bytes = bytes.map_err(|rejection| {
            let what = format!("the body cannot be read or has more than {MAX_BODY} bytes");
            Refusal::new(rejection.status(), what)
        })?;
        serde_json::from_slice(&bytes).map(Body).map_err(|error| {
            Refusal::bad_request(format!("the body is not what is asked for: {error}"))
        })
    }
}

/// The longest that a body may take to arrive: less than its answer may, so that a slow line is not
/// mistaken for slow work.
const BODY_TIME: Duration = Duration::from_secs(20);

/// What a client sends, unless it takes longer than this.
async fn arrives<T>(sent: impl Future<Output = T>, time: Duration) -> Result<T, Refusal> {
    tokio::time::timeout(time, sent).await.map_err(|_| {
        let message = format!("the body did not arrive within {} s: send it again", time.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
    })
}

/// The parameters of a query.
pub struct Parameters<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Parameters<T>, Refusal> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Parameters(value)),
            Err(error) => {
                let given = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
                let given = given.map_or_else(|_| Vec::new(), |Query(given)| given);
                Err(Refusal::bad_request(why_unreadable(&error.body_text(), &given)))
            }
        }
    }
}

/// What is wrong with a query, given the words of the library that reads it.
fn why_unreadable(words: &str, given: &[(String, String)]) -> String {
    let reason = words.strip_prefix("Failed to deserialize query string: ").unwrap_or(words);
    let between = |before: &str| reason.strip_prefix(before)?.split('`').nth(1);
    if let Some(name) = between("missing field ") {
        return format!("the parameter {name} is missing: add {name}=...");
    }
    let value = |name: &str| given.iter().find(|(given, _)| given == name).map(|(_, value)| value);
    if let Some(name) = between("duplicate field ") {
        return format!("the parameter {name} is given twice: give it once");
    }
    if let Some((_, unknown)) = reason.split_once("unknown field `")
        && let Some((name, known)) = unknown.split_once("`, expected ")
    {
        return format!(
            "there is no parameter '{}': use {}",
            shorten(name),
            known.replace('`', "")
        );
    }
    match reason.split_once(": ").and_then(|(name, why)| Some((name, value(name)?, why))) {
        Some((name, value, why)) => {
            let value = shorten(value);
            let repair = match why {
                "invalid digit found in string" | "cannot parse integer from empty string" => {
                    "write a whole number from 0 on"
                }
                "number too large to fit in target type" => "write a smaller number",
                why => why,
            };
            format!("the parameter {name} is '{value}': {repair}")
        }
        None => format!("the query cannot be read: {reason}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_does_not_arrive_is_named() {
        let time = Duration::from_millis(5);
        let refused = arrives(std::future::pending::<()>(), time).await.unwrap_err();
        assert_eq!(refused.status(), StatusCode::REQUEST_TIMEOUT);
        assert_eq!(arrives(async { 7 }, BODY_TIME).await.unwrap(), 7);
        assert!(BODY_TIME < crate::TIMEOUT);
    }

    #[test]
    fn what_is_wrong_with_a_query_names_parameter_and_value() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only errors matter")]
        struct Asked {
            board: String,
            seed: Option<u64>,
        }
        for (query, message) in [
            ("seed=1", "the parameter board is missing: add board=..."),
            ("board=a&seed=-4", "the parameter seed is '-4': write a whole number from 0 on"),
            ("board=a&seed=", "the parameter seed is '': write a whole number from 0 on"),
            (
                "board=a&seed=99999999999999999999",
                "seed is '99999999999999999999': write a smaller",
            ),
            ("board=a&seed=1&seed=2", "the parameter seed is given twice: give it once"),
            ("board=a&x=1", "there is no parameter 'x': use board or seed"),
        ] {
            let uri = format!("/?{query}").parse().unwrap();
            let error = Query::<Asked>::try_from_uri(&uri).unwrap_err();
            let Query(given) = Query::<Vec<(String, String)>>::try_from_uri(&uri).unwrap();
            let found = why_unreadable(&error.body_text(), &given);
            assert!(found.contains(message), "{query}: {found}");
        }
    }
}
