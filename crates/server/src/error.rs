//! What a request is refused with.

use std::fmt;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hyperslide_puzzle::one_line;
use serde::Serialize;
use utoipa::ToSchema;

/// A refusal: its status, and one line that names the value and the repair.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    message: String,
    code: Option<&'static str>,
}

/// The body of a refusal.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody {
    /// What is wrong, with the value and the repair, in one line.
    error: String,
    /// What programs recognise the refusal by, where they have to: `unknown-secret` when nobody has
    /// the secret that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

/// The greatest length of a message, in characters: values may be long.
const SHOWN: usize = 400;

impl Refusal {
    /// A refusal with this status.
    pub fn new(status: StatusCode, message: impl fmt::Display) -> Refusal {
        Refusal { status, message: one_line(&message.to_string(), SHOWN), code: None }
    }

    #[cfg(test)]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The same refusal with a code for programs.
    pub fn with_code(self, code: &'static str) -> Refusal {
        Refusal { code: Some(code), ..self }
    }

    /// The request is malformed, or names something that does not exist.
    pub fn bad_request(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request is well formed, but what it asks for is impossible.
    pub fn impossible(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The server is at fault.
    pub fn internal() -> Refusal {
        let message = "the server made a mistake: please report what you asked for";
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The server has too much to do.
    pub fn busy(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The server cannot do this, or not now, whoever asks.
    pub fn unavailable(message: impl fmt::Display) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response =
            (self.status, Json(ErrorBody { error: self.message, code: self.code })).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            let seconds = axum::http::HeaderValue::from_static("1");
            response.headers_mut().insert(axum::http::header::RETRY_AFTER, seconds);
        }
        response
    }
}
