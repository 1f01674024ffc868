//! Plays in a file of SQLite.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use sqlx::Row;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::rows::rows_of;
use super::schema::{COUNT_LENGTHS, COUNT_TENTHS, Dialect, VERSION, VERSIONS, versions_of};
use super::statements::store_of;
use super::summaries::{Changes, summaries_of};
use super::{
    BestList, Copied, Firsts, Group, GroupCount, KeptPlay, NewPerson, Part, Pending, Person,
    RankedPlay, Store, StoreError,
};
use crate::play::{PlayError, facts};
use crate::ranked::Issued;
use crate::standings::{Single, Standing, standings};

const DIALECT: Dialect = Dialect {
    number: "INTEGER PRIMARY KEY AUTOINCREMENT",
    random_code: "lower(hex(randomblob(8)))",
    // A transaction that reads first and writes then would fail when somebody else wrote in between.
    begin: "BEGIN IMMEDIATE",
    begin_snapshot: "BEGIN",
    // There is one writer at a time.
    lock_person: None,
    after_numbers: None,
};

/// The most plays that are kept in one transaction.
const MOST_AT_ONCE: usize = 256;

/// Plays in a file of SQLite. One connection writes, since SQLite has one writer at a time, and others
/// read beside it. To make a transaction durable takes milliseconds, whatever is in it: plays that
/// arrive meanwhile are kept in the next one together.
pub struct SqliteStore {
    read: SqlitePool,
    write: SqlitePool,
    arrivals: UnboundedSender<Arrival>,
}

/// A play that waits to be kept.
struct Arrival {
    start: Option<String>,
    play: KeptPlay,
    kept: oneshot::Sender<Result<bool, StoreError>>,
}

versions_of!(SqliteStore, SqliteConnection, DIALECT);
rows_of!(SqliteStore, SqliteRow);
summaries_of!(SqliteStore, SqliteConnection);
store_of!(SqliteStore, SqliteRow, SqliteConnection, DIALECT);

impl SqliteStore {
    /// Opens a file, which is made when it is missing.
    ///
    /// # Errors
    ///
    /// When it is not a database, or cannot be read and written.
    pub async fn open(file: &Path) -> Result<SqliteStore, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .journal_mode(SqliteJournalMode::Wal)
            // What was acknowledged survives a power failure.
            .synchronous(SqliteSynchronous::Full);
        let write =
            SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await?;
        let read = SqlitePoolOptions::new().max_connections(4).connect_lazy_with(options);
        let (arrivals, waiting) = unbounded_channel();
        let store = SqliteStore { read, write: write.clone(), arrivals };
        store.prepare().await?;
        tokio::spawn(Self::keep_arrivals(write, waiting));
        Ok(store)
    }

    /// Keeps a play, taking its start away at the same moment where it has one.
    async fn keep(&self, start: Option<&str>, play: &KeptPlay) -> Result<bool, StoreError> {
        let gone = || StoreError::Database(sqlx::Error::PoolClosed);
        let (kept, answer) = oneshot::channel();
        let arrival = Arrival { start: start.map(str::to_owned), play: play.clone(), kept };
        self.arrivals.send(arrival).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Keeps what arrives until the store is dropped.
    async fn keep_arrivals(write: SqlitePool, mut waiting: UnboundedReceiver<Arrival>) {
        let mut arrivals = Vec::new();
        while waiting.recv_many(&mut arrivals, MOST_AT_ONCE).await > 0 {
            // A client that has gone away gets no answer.
            match Self::keep_together(&write, &arrivals).await {
                Ok(results) => {
                    for (arrival, result) in arrivals.drain(..).zip(results) {
                        let _ = arrival.kept.send(result);
                    }
                }
                Err(error) if arrivals.len() == 1 => {
                    if let Some(arrival) = arrivals.pop() {
                        let _ = arrival.kept.send(Err(error));
                    }
                }
                // One of them may be too large for what is left of the disk.
                Err(_) => {
                    for arrival in arrivals.drain(..) {
                        let alone =
                            Self::keep_together(&write, std::slice::from_ref(&arrival)).await;
                        let result =
                            alone.and_then(|mut results| results.pop().unwrap_or(Ok(false)));
                        let _ = arrival.kept.send(result);
                    }
                }
            }
        }
    }

    /// Keeps plays in one transaction. A play that the database refuses does not keep the others out.
    async fn keep_together(
        write: &SqlitePool,
        arrivals: &[Arrival],
    ) -> Result<Vec<Result<bool, StoreError>>, StoreError> {
        let mut change = write.begin_with(DIALECT.begin).await?;
        let mut results = Vec::with_capacity(arrivals.len());
        let mut changes = Changes::default();
        for Arrival { start, play, .. } in arrivals {
            let is_there = match start {
                Some(start) => Self::take_start(&mut change, start, play.person).await?,
                None => true,
            };
            results.push(if is_there {
                match Self::keep_play(&mut change, play, &mut changes)
                    .await
                    .map_err(StoreError::from)
                {
                    // These end the transaction.
                    Err(error @ (StoreError::Full | StoreError::Busy)) => return Err(error),
                    result => result,
                }
            } else {
                Ok(false)
            });
        }
        Self::summarise(&mut change, changes).await?;
        change.commit().await?;
        Ok(results)
    }
}
