//! Where plays are kept: one interface, in SQLite or PostgreSQL.

mod inserts;
mod postgres;
mod rows;
mod schema;
mod sqlite;
mod statements;
mod summaries;

use std::path::Path;
use std::pin::Pin;

use hyperslide_puzzle::{Puzzle, shorten};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::mpsc::{Receiver, Sender};

pub use postgres::PostgresStore;
pub use sqlite::{SqliteStore, sqlite_files};

use crate::play::{Control, Kind, Play, Verified};
use crate::ranked::Issued;
use crate::standings::Standing;

/// An answer of a database that is on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a database does not answer.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The address is neither a file nor a PostgreSQL server.
    #[error(
        "the database '{0}' is neither a file nor a PostgreSQL server: write sqlite:FILE or \
         postgres://USER@HOST/NAME"
    )]
    Address(String),
    /// The address begins like that of a file and names none.
    #[error(
        "the database '{0}' names no file: write sqlite:FILE, as in \
         sqlite:/var/lib/hyperslide/plays.sqlite"
    )]
    NoFile(String),
    /// The database was made by a later version of the program.
    #[error("the database was made by a later version of this program ({0}): use that one")]
    Version(i64),
    /// The database was made by an earlier version of the program, and may only be read.
    #[error(
        "the database was made by an earlier version of this program ({0}): start the server with \
         it once, which brings it up to date"
    )]
    Earlier(i64),
    /// There is no room left for it.
    #[error("the disk of the database is full: make room, and try again")]
    Full,
    /// Somebody else is changing it, for longer than we wait.
    #[error("the database is being changed by another program: try again when that has ended")]
    Busy,
    /// Nobody has the number of the person: the plays were deleted, or a backup without them was
    /// restored.
    #[error("the person is not in the database any more, and nothing was kept")]
    UnknownPerson,
    /// The database is empty or belongs to another program; it is left unchanged.
    #[error("the database has no plays in it, nor the tables for them")]
    NoPlays,
    /// The database refuses, or is not there.
    #[error("the database does not answer: {0}")]
    Database(sqlx::Error),
    /// A file that is to be made is there already, or cannot be made.
    #[error("cannot write {path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let Some(refused) = error.as_database_error() else { return StoreError::Database(error) };
        if refused.is_foreign_key_violation() {
            return StoreError::UnknownPerson;
        }
        match refused.code().as_deref() {
            // SQLITE_FULL, and disk_full of PostgreSQL.
            Some("13" | "53100") => StoreError::Full,
            // SQLITE_BUSY and SQLITE_BUSY_SNAPSHOT, and lock_not_available of PostgreSQL.
            Some("5" | "517" | "55P03") => StoreError::Busy,
            // SQLITE_NOTADB, and undefined_table and duplicate_table of PostgreSQL: another program
            // has something of the name of a table or an index of ours.
            Some("26" | "42P01" | "42P07") => StoreError::NoPlays,
            _ => StoreError::Database(error),
        }
    }
}

/// A person, of whom nothing else is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPerson {
    /// A random pseudonym, which others may have, too.
    pub name: String,
    /// A random code that no two people have: it says in exports whose a play is.
    pub code: String,
    /// The digest of the person's secret, in hexadecimal digits; none of somebody who was imported,
    /// or does not exist.
    pub secret: Option<String>,
    /// The version of the text that the person agreed to.
    pub consent: i64,
    /// The day on which that was, in days since 1970.
    pub day: i64,
    /// The policy that made the plays, when the person does not exist.
    pub simulated: Option<String>,
}

/// A person whose plays are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The number in the database.
    pub id: i64,
    /// The pseudonym.
    pub name: String,
    /// The code.
    pub code: String,
    /// The policy that made the plays, when the person does not exist.
    pub simulated: Option<String>,
}

/// What is kept of a person besides the plays, the names and the secret's digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The version of the text that the person agreed to.
    pub consent: i64,
    /// The day on which that was, in days since 1970.
    pub day: i64,
    /// The starts that were issued and not used, the oldest first.
    pub starts: Vec<Issued>,
}

/// A play as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlay {
    /// Its name.
    pub id: String,
    /// Whose it is.
    pub person: i64,
    /// Its place among the plays of its person, from 1; 0 for one that is to come after them.
    pub number: i64,
    /// The puzzle in one line.
    pub puzzle: String,
    /// What it is compared with: plays of the same group.
    pub group: Group,
    /// The moves, as `13-5@240 5-4@1200`.
    pub moves: String,
    /// The number of moves.
    pub length: i64,
    /// The number of moves where tiles that slide together count once, on grids with one empty
    /// cell.
    pub multi: Option<i64>,
    /// Milliseconds from its beginning to its last move.
    pub ms: i64,
    /// Whether it ends in the goal.
    pub solved: bool,
    /// Whether hints or distances were used.
    pub helped: bool,
    /// The day on which it was kept, in days since 1970.
    pub day: i64,
}

/// Plays that are compared with each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The board with its metric, as at the beginning of a puzzle's line: `cube:4:2 edge`.
    pub board: String,
    /// The number of tokens.
    pub tokens: i64,
    /// How the plays were meant.
    pub kind: Kind,
    /// With what they were made.
    pub control: Control,
    /// Whether the numbers of the tiles vanished after the first move.
    pub blind: bool,
}

/// A group, and the number of plays in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCount {
    /// The group.
    pub group: Group,
    /// The number of ranked plays.
    pub plays: i64,
    /// How many of these are simulated.
    pub simulated: i64,
}

/// What the best list needs to know of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedPlay {
    /// Whose it is.
    pub person: i64,
    /// Its name.
    pub id: String,
    /// The number of moves.
    pub length: i64,
    /// The number of moves where tiles that slide together count once, on grids.
    pub multi: Option<i64>,
    /// Milliseconds.
    pub ms: i64,
}

/// The best of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BestList {
    /// The number of people with ranked plays in the group, simulated ones left out.
    pub people: u64,
    /// The number of simulated ones.
    pub simulated: u64,
    /// The best of them all, each with the person.
    pub best: Vec<(Standing, Person)>,
}

/// How often each value was seen, ascending.
pub type Counts = Vec<(i64, i64)>;

/// Who made plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Players {
    /// People.
    People,
    /// Simulated people, who do not exist.
    Simulated,
}

impl Players {
    /// Returns whether they are simulated.
    pub(crate) fn are_simulated(self) -> bool {
        self == Players::Simulated
    }
}

/// The first solutions of a puzzle, one for each person, found without help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firsts {
    /// The numbers of moves.
    pub lengths: Counts,
    /// The times in tenths of a second, rounded down.
    pub tenths: Counts,
}

/// A part of a database, on its way from one to another.
#[derive(Debug)]
pub enum Part {
    /// The codes of those who were forgotten.
    Forgotten(Vec<String>),
    /// People with their numbers.
    People(Vec<(i64, NewPerson)>),
    /// Starts that were issued.
    Starts(Vec<Issued>),
    /// Plays.
    Plays(Vec<KeptPlay>),
    /// There is nothing more. A database that is not told so takes nothing over.
    End,
}

/// How much there was to copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The number of people.
    pub people: u64,
    /// The number of plays.
    pub plays: u64,
}

/// What every database of plays does. Each method either happens as a whole or not at all, and what
/// it has acknowledged survives the end of the process. The number of a person is nobody else's,
/// now or later, also when a backup is restored: whoever holds one may wait.
pub trait Store: Send + Sync {
    /// Keeps a person, and returns the number.
    fn add_person<'a>(&'a self, person: &'a NewPerson) -> Pending<'a, i64>;

    /// The person with this digest of a secret.
    fn person<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<Person>>;

    /// The person with this code.
    fn person_by_code<'a>(&'a self, code: &'a str) -> Pending<'a, Option<Person>>;

    /// What is kept of a person besides the plays.
    fn record(&self, person: i64) -> Pending<'_, Option<Record>>;

    /// Forgets a person with all plays and starts, and returns the number of plays. The code is
    /// remembered, also of somebody who is not there, so that no import or restored backup brings
    /// the plays back.
    fn forget<'a>(&'a self, person: &'a Person) -> Pending<'a, u64>;

    /// Returns whether somebody with this code was forgotten.
    fn is_forgotten<'a>(&'a self, code: &'a str) -> Pending<'a, bool>;

    /// Keeps a play; false when one with this name is kept already.
    fn add_play<'a>(&'a self, play: &'a KeptPlay) -> Pending<'a, bool>;

    /// Keeps plays, and returns how many of them were not kept before.
    fn add_plays<'a>(&'a self, plays: &'a [KeptPlay]) -> Pending<'a, u64>;

    /// Keeps a ranked play and takes its start away at the same moment; false, and nothing happens,
    /// when the start is not there for this person.
    fn keep_ranked<'a>(&'a self, start: &'a str, play: &'a KeptPlay) -> Pending<'a, bool>;

    /// The play with this name.
    fn play<'a>(&'a self, id: &'a str) -> Pending<'a, Option<(KeptPlay, Person)>>;

    /// The plays of a person by their names, at most `limit` after the one named `after`. A page
    /// ends early once the moves in it reach a megabyte.
    fn plays_of<'a>(
        &'a self,
        person: i64,
        after: &'a str,
        limit: u32,
    ) -> Pending<'a, Vec<KeptPlay>>;

    /// All plays by their names, at most `limit` after the one named `after`, each with its person.
    /// A page ends early as that of [`Store::plays_of`].
    fn plays<'a>(&'a self, after: &'a str, limit: u32) -> Pending<'a, Vec<(KeptPlay, Person)>>;

    /// The plays of a puzzle that end in the goal without help, those with the fewest moves first,
    /// at most `limit`, each with its person: of people only, or of simulated ones, too. The list
    /// ends early as a page of [`Store::plays_of`].
    fn solutions<'a>(
        &'a self,
        puzzle: &'a str,
        with_simulated: bool,
        limit: u32,
    ) -> Pending<'a, Vec<(KeptPlay, Person)>>;

    /// The number of people, simulated ones left out, who solved a puzzle without help, and the
    /// moves and milliseconds of these solutions, those with the fewest moves first, at most
    /// `limit`.
    fn solution_costs<'a>(
        &'a self,
        puzzle: &'a str,
        limit: u32,
    ) -> Pending<'a, (i64, Vec<(i64, i64)>)>;

    /// The first solutions of a puzzle that each of these players found without help.
    fn firsts<'a>(&'a self, puzzle: &'a str, players: Players) -> Pending<'a, Firsts>;

    /// The first `moves` moves of at most `limit` of them, the fastest first.
    fn first_moves<'a>(
        &'a self,
        puzzle: &'a str,
        players: Players,
        limit: u32,
        moves: u32,
    ) -> Pending<'a, Vec<String>>;

    /// All groups that have ranked plays, those with the most plays first.
    fn groups(&self) -> Pending<'_, Vec<GroupCount>>;

    /// The ranked plays of a group, person by person, each in the order in which they were made.
    fn ranked<'a>(&'a self, group: &'a Group) -> Pending<'a, Vec<RankedPlay>>;

    /// The standings in a group, the best single first, at most `limit`. They are kept up to date
    /// with every play, so that this takes no longer for more plays.
    fn best<'a>(&'a self, group: &'a Group, limit: u32) -> Pending<'a, BestList>;

    /// Keeps a start that was issued. The oldest of a person that are more than a hundred are
    /// forgotten.
    fn issue<'a>(&'a self, start: &'a Issued) -> Pending<'a, ()>;

    /// A start that was issued and not used.
    fn issued<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>>;

    /// Takes a start away, so that nobody uses it again.
    fn take<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>>;

    /// Sends everything, as it is at one moment, while others continue to write.
    fn send_all(&self, parts: Sender<Part>) -> Pending<'_, ()>;

    /// Puts what is sent in place of everything, at one moment, while others continue to read; what
    /// they want to write is refused after some seconds. Those who were forgotten before stay
    /// forgotten, and those who are known here by their code keep their numbers.
    fn replace_all(&self, parts: Receiver<Part>) -> Pending<'_, Copied>;

    /// Some of the simulated people, at most `limit`; none when there are none.
    fn simulated(&self, limit: u32) -> Pending<'_, Vec<Person>>;

    /// Returns whether the database knows nobody, not even of those who were forgotten.
    fn is_empty(&self) -> Pending<'_, bool>;

    /// Asks the database for next to nothing, to see whether it answers.
    fn check(&self) -> Pending<'_, ()>;

    /// Ends the connections. A database of SQLite is one file then, unless another program has it
    /// open.
    fn close(&self) -> Pending<'_, ()>;
}

/// Opens a database: `sqlite:FILE`, which is created when it is missing, or `postgres://...`.
///
/// # Errors
///
/// When the address is none, or the database does not answer.
pub async fn connect(address: &str) -> Result<Box<dyn Store>, StoreError> {
    match sqlite_file(address)? {
        Some(file) => Ok(Box::new(SqliteStore::open(file).await?)),
        None => {
            check_address(address)?;
            Ok(Box::new(PostgresStore::connect(address).await?))
        }
    }
}

/// Opens a database from which something is only read, and which stays as it is. A file of SQLite
/// must exist; it may lie where nothing can be written.
///
/// # Errors
///
/// Those of [`connect`], when there are no plays in it, and when PostgreSQL has those of an earlier
/// version.
pub async fn connect_to_read(address: &str) -> Result<Box<dyn Store>, StoreError> {
    match sqlite_file(address)? {
        Some(file) => Ok(Box::new(SqliteStore::open_to_read(file).await?)),
        None => {
            check_address(address)?;
            Ok(Box::new(PostgresStore::connect_to_read(address).await?))
        }
    }
}

/// Refuses what is not the address of a server of PostgreSQL.
fn check_address(address: &str) -> Result<(), StoreError> {
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok(());
    }
    Err(StoreError::Address(shorten(&shown_address(address))))
}

/// The file of the address of a database, when it is that of a file: `sqlite:FILE`, or
/// `sqlite:///FILE` as other programs write it.
///
/// # Errors
///
/// When it begins so and names no file. Other programs take some such names for a database in
/// memory, or for a file with options, and we would keep plays where nobody expects them.
pub fn sqlite_file(address: &str) -> Result<Option<&Path>, StoreError> {
    let Some(name) = address.strip_prefix("sqlite:") else { return Ok(None) };
    let file = name.strip_prefix("//").unwrap_or(name);
    let is_file = !file.is_empty()
        && (file.len() == name.len() || file.starts_with('/'))
        && !file.contains('?')
        && !file.starts_with(':')
        && !file.starts_with("file:");
    match is_file {
        true => Ok(Some(Path::new(file))),
        false => Err(StoreError::NoFile(shorten(address))),
    }
}

/// The address of a database as it may be shown: without the password that may stand before the @,
/// or after the question mark.
pub fn shown_address(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let place = rest.split('?').next().unwrap_or_default();
    match (place.rsplit_once('@'), rest.contains('@')) {
        (Some((_, host)), _) => format!("{scheme}://...@{host}"),
        // A password with a question mark in it, or an @ in an option.
        (None, true) => format!("{scheme}://..."),
        (None, false) => format!("{scheme}://{place}"),
    }
}

/// Puts everything that one database has in place of what another has. Both go on serving: the
/// first as it is at one moment, the second as it was until all is there.
///
/// # Errors
///
/// When one of them fails; the second is then as it was.
pub async fn copy(from: &dyn Store, to: &dyn Store) -> Result<Copied, StoreError> {
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let (sent, copied) = tokio::join!(from.send_all(sender), to.replace_all(receiver));
    // Where reading failed, writing failed for want of it.
    sent.and(copied)
}

impl Group {
    /// The group of plays of a puzzle's board with this number of tokens.
    pub fn of(puzzle: &Puzzle, kind: Kind, control: Control, blind: bool) -> Group {
        let tokens = puzzle.start().occupied().len() as i64;
        Group { board: puzzle.board().to_string(), tokens, kind, control, blind }
    }
}

impl KeptPlay {
    /// A play that the rule has verified, to be kept under a name.
    pub fn new(
        id: String,
        person: i64,
        puzzle: &Puzzle,
        group: Group,
        (play, verified): (&Play, &Verified),
        helped: bool,
        day: i64,
    ) -> KeptPlay {
        KeptPlay {
            id,
            person,
            number: 0,
            puzzle: puzzle.to_string(),
            group,
            moves: play.to_string(),
            length: verified.moves.into(),
            multi: verified.multi.map(i64::from),
            ms: i64::try_from(verified.ms).unwrap_or(i64::MAX),
            solved: verified.solved,
            helped,
            day,
        }
    }
}
