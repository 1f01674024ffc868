//! Plays in PostgreSQL.

use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgPool, PgPoolOptions, PgRow};

use super::statements::{SCHEMA, VERSION, store_of};
use super::{KeptPlay, NewPerson, Pending, Person, Store, StoreError};
use crate::play::PlayError;
use crate::ranked::Issued;

const PEOPLE: &str = "CREATE TABLE IF NOT EXISTS people (
    id BIGSERIAL PRIMARY KEY,
    name TEXT NOT NULL,
    secret TEXT NOT NULL UNIQUE,
    consent BIGINT NOT NULL,
    day BIGINT NOT NULL
)";

/// Plays in a database of PostgreSQL.
pub struct PostgresStore {
    read: PgPool,
    write: PgPool,
}

store_of!(PostgresStore, PgRow);

impl PostgresStore {
    /// Connects to a server: `postgres://USER:PASSWORD@HOST:PORT/NAME`.
    ///
    /// # Errors
    ///
    /// When it does not answer, or refuses.
    pub async fn connect(address: &str) -> Result<PostgresStore, StoreError> {
        let pool = PgPoolOptions::new()
            .max_connections(8)
            .acquire_timeout(Duration::from_secs(5))
            .connect(address)
            .await?;
        let store = PostgresStore { read: pool.clone(), write: pool };
        store.prepare(PEOPLE).await?;
        Ok(store)
    }
}
