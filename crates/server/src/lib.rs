//! Hyperslide over HTTP: the web application, and the interface that it stands on.
//!
//! A thin face over the other rooms. Requests are answered on a few threads that never search:
//! short questions about positions are answered on threads that may block, few at a time
//! ([`Options`] says how many searches run at the same time), and searches are jobs on threads of
//! their own. By default it listens on this machine only.

mod advisor;
mod answers;
mod api;
mod assets;
mod connections;
mod error;
mod extract;
mod guard;
mod input;
mod jobs;
mod lesson;
mod levels;
mod logging;
mod metrics;
mod options;
mod questions;
mod shares;
mod site;
mod state;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

pub use jiff::civil::Date;
pub use logging::start_logging;
pub use options::Options;
pub use site::{SiteError, SiteSummary, write_site};

use crate::error::Refusal;
use crate::state::App;

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It cannot listen where it should.
    #[error("cannot listen on {0}: {1}: choose another --port")]
    Listen(SocketAddr, std::io::Error),
    /// The database of plays cannot be used.
    #[error("{0}: name another --database, or none")]
    Database(#[from] hyperslide_plays::StoreError),
    /// The system has no threads or files left.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
}

/// How long open requests may take to end when the server does.
const DRAIN: Duration = Duration::from_secs(3);
/// The longest that a request may take, streams apart.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Serves until the process is interrupted or terminated. `ready` is told the address.
///
/// # Errors
///
/// When it cannot listen there, the database cannot be opened, or the system has no threads left.
pub fn serve(options: Options, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    serve_until(options, ready, interrupted())
}

/// Serves until `ended` does, for programs that have a server in them.
///
/// # Errors
///
/// Those of [`serve`].
pub fn serve_until(
    options: Options,
    ready: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    let served = runtime.block_on(run(options, ready, ended));
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

/// Ends when the process is asked to.
async fn interrupted() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}

/// Serves until `ended` does, and then gives open requests a few seconds.
async fn run(
    options: Options,
    ready: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let failed = |error| ServeError::Listen(options.listen, error);
    let listener = TcpListener::bind(options.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let store = match &options.database {
        Some(address) => Some(hyperslide_plays::connect(address).await?),
        None => None,
    };
    let app = App::new(options, store);
    ready(address);
    let shutdown = app.shutdown.clone();
    let server = connections::serve(listener, router(&app), Arc::clone(&app));
    let server = tokio::spawn(server);
    ended.await;
    tracing::info!("the server ends");
    shutdown.cancel();
    app.jobs.close();
    app.advisor.stop();
    // A client that does not read must not keep the server from ending.
    if tokio::time::timeout(DRAIN, server).await.is_err() {
        tracing::warn!("some requests were cut off");
    }
    if let Some(store) = &app.store
        && let Err(error) = store.close().await
    {
        tracing::warn!(%error, "the database was not closed");
    }
    Ok(())
}

fn router(app: &Arc<App>) -> axum::Router {
    api::router()
        .layer(middleware::from_fn(time_limit))
        .layer(middleware::from_fn_with_state(Arc::clone(app), answers::limit))
        .layer(DefaultBodyLimit::max(extract::MAX_BODY))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(|_| Refusal::internal().into_response()))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::guard))
        .with_state(Arc::clone(app))
}

/// Refuses a request whose answer does not begin in time.
async fn time_limit(request: Request, next: Next) -> Response {
    match tokio::time::timeout(TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("this takes longer than {} s: ask for less", TIMEOUT.as_secs());
            Refusal::unavailable(message).into_response()
        }
    }
}

/// The day that it is now, in UTC.
pub fn today() -> Date {
    hyperslide_plays::date(hyperslide_plays::today())
}
