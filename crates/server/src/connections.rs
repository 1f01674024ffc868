//! The connections of the server: how many there may be, and how long a client may take to ask and
//! to read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_io_timeout::TimeoutStream;

use crate::guard::Client;
use crate::shares::Shares;
use crate::state::App;

/// The longest that the head of a request may take, and that a connection may rest between two.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// The longest that a client may read nothing of its answer.
const READING_TIME: Duration = Duration::from_secs(60);
/// The most connections at a time.
const CONNECTIONS: usize = 700;
/// The most of them of one client, unless it is a proxy.
const OF_ONE_CLIENT: usize = 256;
/// How long to wait when the system has no files left.
const REST: Duration = Duration::from_millis(200);

/// How often the log may say that connections are closed.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(60);

/// Serves connections until the server is to end, and then until those that are open have got their
/// answers.
pub async fn serve(listener: TcpListener, router: Router, app: Arc<App>) {
    let shutdown = app.shutdown.clone();
    let of_one = if app.options.trusts_proxy { CONNECTIONS } else { OF_ONE_CLIENT };
    let mut warned: Option<Instant> = None;
    let places = Shares::new(CONNECTIONS, of_one);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(REST).await;
            continue;
        };
        let Some(place) = places.take(Client::new(peer.ip())) else {
            // Dropping the connection closes it.
            drop(stream);
            app.metrics.count_dropped();
            if warned.is_none_or(|at| at.elapsed() >= BETWEEN_WARNINGS) {
                warned = Some(Instant::now());
                let repair = match app.options.trusts_proxy {
                    true => "let the proxy open fewer",
                    false => "behind a proxy, start the server with --trust-proxy",
                };
                tracing::warn!(
                    "connections are closed unheard, since {CONNECTIONS} are open, or {of_one} of one client: {repair}"
                );
            }
            continue;
        };
        // Small answers go out at once.
        let _ = stream.set_nodelay(true);
        let answer = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            answer.call(request)
        });
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(READING_TIME));
        let stream = TokioIo::new(Box::pin(stream));
        let connection = graceful.watch(builder.serve_connection(stream, service));
        tokio::spawn(async move {
            let _place = place;
            // Clients go away as they like.
            let _ = connection.await;
        });
    }
    drop(listener);
    graceful.shutdown().await;
}
