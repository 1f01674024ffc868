//! What all requests share.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use hyperslide_lab::{TableSource, Tables};
use hyperslide_plays::Store;
use hyperslide_search::TableCache;
use jiff::civil::Date;
use lru::LruCache;
use tokio_util::sync::CancellationToken;

use crate::advisor::Advisor;
use crate::answers;
use crate::error::Refusal;
use crate::guard::{Client, Guard};
use crate::jobs::Jobs;
use crate::levels::Day;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::questions::{Questions, Turn, Work};
use crate::shares::Shares;

/// Streams of events that may be open at the same time.
const STREAMS: usize = 256;
/// Those of one client, so that others can follow their searches, too.
const STREAMS_OF_ONE: usize = 64;

/// Days whose puzzles are remembered.
const DAYS: NonZeroUsize = NonZeroUsize::new(512).expect("512 is not 0");

/// What all requests share.
pub struct App {
    pub options: Options,
    pub guard: Guard,
    pub metrics: Metrics,
    pub advisor: Advisor,
    pub jobs: Arc<Jobs>,
    /// Cancelled when the server is to end.
    pub shutdown: CancellationToken,
    questions: Questions,
    pub streams: Shares<Client>,
    /// Large answers that are being sent.
    pub large_answers: Shares<Client>,
    /// The puzzles of the days that were asked for last and whose minimum was proven, which takes
    /// seconds on some boards.
    pub days: Mutex<LruCache<Date, Day>>,
    /// Where plays are kept, when they are.
    pub store: Option<Box<dyn Store>>,
}

impl App {
    /// The state of a server that has just started.
    pub fn new(options: Options, store: Option<Box<dyn Store>>) -> Arc<App> {
        let source = options.tables.clone().map_or(TableSource::None, TableSource::Directory);
        let tables = Tables::new(source, |notice| tracing::warn!(?notice, "a table is not used"));
        Arc::new(App {
            guard: Guard::new(&options),
            metrics: Metrics::default(),
            advisor: Advisor::new(&options),
            jobs: Jobs::start(options.workers, tables, TableCache::default()),
            shutdown: CancellationToken::new(),
            questions: Questions::new(),
            streams: Shares::new(STREAMS, STREAMS_OF_ONE),
            large_answers: Shares::new(answers::AT_ONCE, answers::AT_ONCE_TO_ONE),
            days: Mutex::new(LruCache::new(DAYS)),
            options,
            store,
        })
    }

    /// Runs work on a thread that may block. Little runs at the same time, and the rest waits.
    pub async fn run<T: Send + 'static>(
        self: &Arc<App>,
        client: Client,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.run_in(self.questions.turn(client, Work::Quick).await?, work).await
    }

    /// The same for work that may take many seconds, which is not to hold up all that is quick.
    pub async fn run_long<T: Send + 'static>(
        self: &Arc<App>,
        client: Client,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.run_in(self.questions.turn(client, Work::Long).await?, work).await
    }

    /// Waits for a turn to read many rows of the database. Hold it until the answer is written.
    pub async fn turn_to_read(&self, client: Client) -> Result<Turn, Refusal> {
        self.questions.turn(client, Work::Reading).await
    }

    async fn run_in<T: Send + 'static>(
        self: &Arc<App>,
        turn: Turn,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = Arc::clone(self);
        // The turn belongs to the work, which continues when its client goes away.
        let work = move || {
            let _turn = turn;
            work(&app)
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Refusal::internal())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use hyperslide_table::lock;

    use crate::questions::AT_ONCE;

    use super::*;

    /// Work cannot be interrupted: it keeps its turn until it ends, whoever has stopped waiting.
    #[tokio::test(flavor = "multi_thread")]
    async fn clients_that_go_away_do_not_let_more_run_at_once() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let app = App::new(Options::default(), None);
        let mut impatient = Vec::new();
        for number in 0..4 * AT_ONCE as u8 {
            let client = Client::numbered(number % 3);
            let app = Arc::clone(&app);
            impatient.push(tokio::spawn(async move {
                let answer = app.run(client, |_| {
                    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
                    MOST.fetch_max(running, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(150));
                    RUNNING.fetch_sub(1, Ordering::SeqCst);
                });
                tokio::time::timeout(Duration::from_millis(20), answer).await
            }));
        }
        for client in impatient {
            assert!(client.await.unwrap().is_err(), "the client has gone away");
        }
        app.run(Client::numbered(1), |_| ()).await.unwrap();
        assert!(MOST.load(Ordering::SeqCst) <= AT_ONCE, "{MOST:?} at once");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn long_questions_leave_a_turn_for_quick_ones() {
        let app = App::new(Options::default(), None);
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        for number in 0..2 * AT_ONCE as u8 {
            let client = Client::numbered(number % 2);
            let (app, ended) = (Arc::clone(&app), Arc::clone(&ended));
            tokio::spawn(async move { app.run_long(client, move |_| lock(&ended).recv()).await });
        }
        // All of them have asked when all turns for long work are taken.
        while !app.questions.is_long_taken() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for _ in 0..2 * AT_ONCE {
            let quick = app.run(Client::numbered(1), |_| ());
            tokio::time::timeout(Duration::from_secs(20), quick).await.unwrap().unwrap();
        }
        drop(end);
    }
}
