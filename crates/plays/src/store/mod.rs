//! Where plays are kept: one interface, in SQLite or PostgreSQL.

mod postgres;
mod sqlite;
mod statements;

use std::pin::Pin;

use thiserror::Error;

pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;

use crate::play::{Control, Kind};
use crate::ranked::Issued;

/// An answer of a database that is on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a database does not answer.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The address of the database is none.
    #[error(
        "the database '{0}' is neither a file nor a PostgreSQL server: write sqlite:FILE or \
         postgres://USER@HOST/NAME"
    )]
    Address(String),
    /// It was made by a later version of the program.
    #[error("the database was made by a later version of this program ({0}): use that one")]
    Version(i64),
    /// The database refuses, or is not there.
    #[error("the database does not answer: {0}")]
    Database(#[from] sqlx::Error),
}

/// A person, of whom nothing else is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPerson {
    /// A random pseudonym.
    pub name: String,
    /// The digest of the person's secret, in hexadecimal digits.
    pub secret: String,
    /// The version of the text that the person agreed to.
    pub consent: i64,
    /// The day on which that was, in days since 1970.
    pub day: i64,
}

/// A person whose plays are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The number in the database.
    pub id: i64,
    /// The pseudonym.
    pub name: String,
}

/// A play as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlay {
    /// Its name.
    pub id: String,
    /// Whose it is.
    pub person: i64,
    /// The puzzle in one line.
    pub puzzle: String,
    /// How it was meant.
    pub kind: Kind,
    /// With what it was made.
    pub control: Control,
    /// The moves, as `13-5@240 5-4@1200`.
    pub moves: String,
    /// The number of moves.
    pub length: i64,
    /// Milliseconds from its beginning to its last move.
    pub ms: i64,
    /// Whether it ends in the goal.
    pub solved: bool,
    /// Whether hints or distances were used.
    pub helped: bool,
    /// The day on which it was kept, in days since 1970.
    pub day: i64,
}

/// What every database of plays does. Each method either happens as a whole or not at all, and what it
/// has acknowledged survives the end of the process.
pub trait Store: Send + Sync {
    /// Keeps a person, and returns the number.
    fn add_person<'a>(&'a self, person: &'a NewPerson) -> Pending<'a, i64>;

    /// The person with this digest of a secret.
    fn person<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<Person>>;

    /// Forgets a person with all plays and starts, and returns the number of plays.
    fn forget(&self, person: i64) -> Pending<'_, u64>;

    /// Keeps a play; false when one with this name is kept already.
    fn add_play<'a>(&'a self, play: &'a KeptPlay) -> Pending<'a, bool>;

    /// The plays of a person by their names, at most `limit` after the one named `after`.
    fn plays_of<'a>(
        &'a self,
        person: i64,
        after: &'a str,
        limit: u32,
    ) -> Pending<'a, Vec<KeptPlay>>;

    /// All plays by their names, at most `limit` after the one named `after`, each with the pseudonym.
    fn plays<'a>(&'a self, after: &'a str, limit: u32) -> Pending<'a, Vec<(KeptPlay, String)>>;

    /// The plays of a puzzle that end in the goal, those with the fewest moves first, at most `limit`,
    /// each with the pseudonym.
    fn solutions<'a>(&'a self, puzzle: &'a str, limit: u32)
    -> Pending<'a, Vec<(KeptPlay, String)>>;

    /// Keeps a start that was issued.
    fn issue<'a>(&'a self, start: &'a Issued) -> Pending<'a, ()>;

    /// Takes a start away, so that nobody uses it again.
    fn take<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>>;
}

/// Opens a database: `sqlite:FILE`, which is created when it is missing, or `postgres://...`.
///
/// # Errors
///
/// When the address is none, or the database does not answer.
pub async fn connect(address: &str) -> Result<Box<dyn Store>, StoreError> {
    if let Some(file) = address.strip_prefix("sqlite:") {
        return Ok(Box::new(SqliteStore::open(file.as_ref()).await?));
    }
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok(Box::new(PostgresStore::connect(address).await?));
    }
    let shown: String = address.chars().take(80).collect();
    // Between :// and @ there may be a password.
    let shown = match (shown.split_once("://"), shown.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://...@{host}"),
        _ => shown,
    };
    Err(StoreError::Address(shown))
}
