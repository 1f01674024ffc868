//! Plays in a file of SQLite.

use std::path::Path;
use std::time::Duration;

use sqlx::Row;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};

use super::statements::{SCHEMA, VERSION, store_of};
use super::{KeptPlay, NewPerson, Pending, Person, Store, StoreError};
use crate::play::PlayError;
use crate::ranked::Issued;

const PEOPLE: &str = "CREATE TABLE IF NOT EXISTS people (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    secret TEXT NOT NULL UNIQUE,
    consent BIGINT NOT NULL,
    day BIGINT NOT NULL
)";

/// Plays in a file of SQLite. One connection writes, since SQLite has one writer at a time, and others
/// read beside it.
pub struct SqliteStore {
    read: SqlitePool,
    write: SqlitePool,
}

store_of!(SqliteStore, SqliteRow);

impl SqliteStore {
    /// Opens a file, which is made when it is missing.
    ///
    /// # Errors
    ///
    /// When it is no database, or cannot be read and written.
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
        let store = SqliteStore { read, write };
        store.prepare(PEOPLE).await?;
        Ok(store)
    }
}
