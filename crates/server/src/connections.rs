//! The connections of the server: how many there may be, and how long a client may take to ask and
//! to read.

use std::time::Duration;

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
use tokio_util::sync::CancellationToken;

use crate::guard::Client;
use crate::shares::Shares;

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

/// Serves connections until the token is cancelled, and then until those that are open have got
/// their answers.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    trusts_proxy: bool,
    shutdown: CancellationToken,
) {
    let of_one = if trusts_proxy { CONNECTIONS } else { OF_ONE_CLIENT };
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
        // Dropping the connection closes it.
        let Some(place) = places.take(Client::new(peer.ip())) else { continue };
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
