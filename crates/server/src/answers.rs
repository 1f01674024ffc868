//! Limits how many large answers are in memory while slow clients read them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};

use crate::error::Refusal;
use crate::guard::Client;
use crate::shares::{Share, Shares};
use crate::state::App;

/// The size in bytes from which an answer is large. The largest have some two megabytes.
const LARGE: u64 = 256 << 10;
/// Large answers that are being sent at the same time.
pub const AT_ONCE: usize = 200;
/// Those to one client.
pub const AT_ONCE_TO_ONE: usize = 8;
/// The bytes that a connection gets at a time, and keeps until its client reads on.
const PIECE: usize = 64 << 10;

/// The body of an answer, which counts as large until it has been sent.
struct Counted {
    rest: Bytes,
    _share: Share<Client>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// Refuses a large answer to a client that is still reading several. Files of the front-end do not
/// count, since all clients share one copy in memory.
pub async fn limit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let client = request.extensions().get::<Client>().copied();
    let client = client.filter(|_| request.uri().path().starts_with("/api/"));
    let response = next.run(request).await;
    match client {
        Some(client) => counted(&app.large_answers, client, response).await,
        None => response,
    }
}

async fn counted(answers: &Shares<Client>, client: Client, response: Response) -> Response {
    if response.body().size_hint().lower() < LARGE {
        return response;
    }
    let Some(share) = answers.take(client) else {
        let message = "you are still reading several large answers: finish those first";
        return Refusal::busy(message).into_response();
    };
    let (parts, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(rest) => Response::from_parts(parts, Body::new(Counted { rest, _share: share })),
        Err(error) => {
            tracing::error!(%error, "an answer was lost");
            Refusal::internal().into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[tokio::test]
    async fn a_client_reads_few_large_answers_at_a_time() {
        let answers = Shares::new(AT_ONCE, AT_ONCE_TO_ONE);
        let [reader, other] = [1, 2].map(Client::numbered);
        let answer = async |client, length| {
            let response = Response::new(Body::from(vec![7; length]));
            counted(&answers, client, response).await
        };
        let large = LARGE as usize + 1;
        let mut unread = Vec::new();
        for _ in 0..AT_ONCE_TO_ONE {
            unread.push(answer(reader, large).await);
        }
        let refused = StatusCode::TOO_MANY_REQUESTS;
        assert_eq!(answer(reader, large).await.status(), refused);
        assert_eq!(answer(reader, 1000).await.status(), StatusCode::OK);
        assert_eq!(answer(other, large).await.status(), StatusCode::OK);
        let read = to_bytes(unread.pop().unwrap().into_body(), usize::MAX).await.unwrap();
        assert_eq!(read, vec![7; large]);
        assert_eq!(answer(reader, large).await.status(), StatusCode::OK, "one has been read");
    }
}
