//! Plays in PostgreSQL.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgPoolOptions, PgRow};
use tokio::sync::mpsc::{Receiver, Sender};

use super::inserts::inserts_of;
use super::rows::rows_of;
use super::schema::{
    COUNT_LENGTHS, COUNT_TENTHS, Dialect, FIRST, FIRST_TABLES, NOT_FIRST, VERSION, VERSIONS,
    only_version, versions_of,
};
use super::statements::store_of;
use super::summaries::{Changes, summaries_of};
use super::{
    BestList, Copied, Firsts, Group, GroupCount, KeptPlay, NewPerson, Part, Pending, Person,
    Players, RankedPlay, Record, Store, StoreError,
};
use crate::play::{PlayError, facts};
use crate::ranked::Issued;
use crate::standings::{Single, Standing, standings};

const DIALECT: Dialect = Dialect {
    number: "BIGSERIAL PRIMARY KEY",
    random_code: "substr(md5(random()::text || id::text || clock_timestamp()::text), 1, 16)",
    begin: "BEGIN",
    begin_snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    // Tables that are made at the same time would collide. The number is arbitrary.
    lock_version: Some("SELECT pg_advisory_xact_lock(4721836509123)"),
    // What refers to the person is not kept waiting by this.
    lock_person: Some("SELECT id FROM people WHERE id = $1 FOR NO KEY UPDATE"),
    // Whatever writes locks its person first.
    lock_all: Some("LOCK TABLE people IN EXCLUSIVE MODE"),
    // Whoever counted meanwhile saw no play of this transaction. A planner that takes the table for
    // empty compares each play with each. Maintenance of the table is waited for, however long.
    count_plays: &["SET LOCAL lock_timeout = 0", "ANALYZE plays"],
};

/// Plays in a database of PostgreSQL.
pub struct PostgresStore {
    read: PgPool,
    write: PgPool,
}

versions_of!(PostgresStore, PgConnection, DIALECT);
rows_of!(PostgresStore, PgRow);
summaries_of!(PostgresStore, PgConnection);
inserts_of!(PostgresStore, PgRow, PgConnection, DIALECT);
store_of!(PostgresStore, PgRow, PgConnection, DIALECT);

/// Returns whether the tables of the first version are among these, given as the names of table and
/// column, and the column's type.
fn has_first_tables(columns: &[(String, String, String)]) -> bool {
    let is_there = |table: &str, name: &str, kind: &str| {
        columns.iter().any(|found| (&*found.0, &*found.1, &*found.2) == (table, name, kind))
    };
    FIRST_TABLES
        .iter()
        .all(|(table, columns)| columns.iter().all(|(name, kind)| is_there(table, name, kind)))
}

impl PostgresStore {
    /// Connects to a server: `postgres://USER:PASSWORD@HOST:PORT/NAME`.
    ///
    /// # Errors
    ///
    /// When it does not answer or refuses, or tables in it are of another program.
    pub async fn connect(address: &str) -> Result<PostgresStore, StoreError> {
        // A play that waits for the end of a restore is refused, as it is by SQLite.
        let store = PostgresStore::open(address, "SET lock_timeout = '5s'").await?;
        store.prepare().await?;
        Ok(store)
    }

    /// Connects to a server from whose database plays are only read, and which stays as it is.
    ///
    /// # Errors
    ///
    /// Those of [`PostgresStore::connect`], and when the database has no plays in it, or those of
    /// an earlier version.
    pub async fn connect_to_read(address: &str) -> Result<PostgresStore, StoreError> {
        let store = PostgresStore::open(address, "SET default_transaction_read_only = on").await?;
        let mut looks = store.read.acquire().await?;
        match Self::found_version(&mut looks).await? {
            None => Err(StoreError::NoPlays),
            Some(version) if version > VERSION => Err(StoreError::Version(version)),
            Some(version) if version < VERSION => Err(StoreError::Earlier(version)),
            Some(_) => {
                drop(looks);
                Ok(store)
            }
        }
    }

    /// The version of the plays in a database; none when nothing of that name is in it yet. What
    /// another program has there is left as it is.
    async fn found_version(looks: &mut PgConnection) -> Result<Option<i64>, StoreError> {
        let statement = "SELECT name, attname::text, format_type(atttypid, NULL) \
                         FROM UNNEST($1) AS name JOIN pg_attribute ON attrelid = to_regclass(name) \
                         WHERE attnum > 0 AND NOT attisdropped";
        let names = FIRST_TABLES.map(|(name, _)| name.to_owned());
        let columns: Vec<(String, String, String)> =
            sqlx::query_as(statement).bind(names.to_vec()).fetch_all(&mut *looks).await?;
        if columns.is_empty() {
            return Ok(None);
        }
        if !has_first_tables(&columns) {
            return Err(StoreError::NoPlays);
        }
        let rows: Vec<i64> =
            sqlx::query_scalar("SELECT version FROM version").fetch_all(looks).await?;
        only_version(&rows).map(Some)
    }

    /// Connects to a server, and begins every connection with this statement.
    async fn open(address: &str, first: &'static str) -> Result<PostgresStore, StoreError> {
        let pool = PgPoolOptions::new()
            .max_connections(8)
            .acquire_timeout(Duration::from_secs(5))
            .after_connect(move |connection, _| {
                Box::pin(async move { sqlx::query(first).execute(connection).await.map(|_| ()) })
            })
            .connect(address)
            .await?;
        Ok(PostgresStore { read: pool.clone(), write: pool })
    }

    /// The server keeps its files clean by itself.
    async fn clean_up(&self) {}

    /// Keeps a play, taking its start away at the same moment where it has one.
    async fn keep(&self, start: Option<&str>, play: &KeptPlay) -> Result<bool, StoreError> {
        let mut change = self.write.begin_with(DIALECT.begin).await?;
        // In the order in which a person is forgotten, so that neither waits for the other.
        Self::lock_people(&mut change, [play.person]).await?;
        if let Some(start) = start
            && !Self::take_start(&mut change, start, play.person).await?
        {
            return Ok(false);
        }
        let mut changes = Changes::default();
        let is_new = Self::keep_play(&mut change, play, &mut changes).await?;
        Self::summarise(&mut change, changes).await?;
        change.commit().await?;
        Ok(is_new)
    }
}
