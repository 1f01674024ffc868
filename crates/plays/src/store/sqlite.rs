//! Plays in a file of SQLite.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{Connection, Row};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

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
    number: "INTEGER PRIMARY KEY AUTOINCREMENT",
    random_code: "lower(hex(randomblob(8)))",
    // A transaction that reads first and writes then would fail when somebody else wrote in
    // between.
    begin: "BEGIN IMMEDIATE",
    begin_snapshot: "BEGIN",
    // There is one writer at a time.
    lock_version: None,
    lock_person: None,
    lock_all: None,
    count_plays: &[],
};

/// The most plays that are kept in one transaction.
const MOST_AT_ONCE: usize = 256;

/// Plays in a file of SQLite. One connection writes, since SQLite has one writer at a time, and
/// others read at the same time. To make a transaction durable takes milliseconds, whatever is in
/// it: plays that arrive meanwhile are kept in the next one together.
pub struct SqliteStore {
    read: SqlitePool,
    write: SqlitePool,
    arrivals: UnboundedSender<Arrival>,
    /// A file that goes with the store.
    _copy: Option<Copy>,
}

/// A copy of a database of an earlier version, which is read as one of the present version.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        for file in sqlite_files(&self.0) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Returns the files that SQLite may have for a database: its own and those next to it.
pub fn sqlite_files(database: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|ending| with_ending(database, ending))
}

/// The name of a file that SQLite has next to a database.
fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes a file that only its owner reads, unless it is there: others on the machine have no
/// business with the plays of people. SQLite gives the files next to it the same mode.
fn make_private(file: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(|_| ())
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
inserts_of!(SqliteStore, SqliteRow, SqliteConnection, DIALECT);
store_of!(SqliteStore, SqliteRow, SqliteConnection, DIALECT);

impl SqliteStore {
    /// Opens a file, which is made when it is missing.
    ///
    /// # Errors
    ///
    /// When it is not a database, or cannot be read and written.
    pub async fn open(file: &Path) -> Result<SqliteStore, StoreError> {
        // SQLite reports what is wrong with the name.
        let _ = make_private(file);
        let options = Self::options(file);
        // A file of another program is left as it is: not even its log is turned on.
        Self::read_version(&options).await?;
        let options = options
            .journal_mode(SqliteJournalMode::Wal)
            // What was acknowledged survives a power failure.
            .synchronous(SqliteSynchronous::Full)
            // What is deleted is overwritten.
            .pragma("secure_delete", "ON");
        let write = Self::pool(1).connect_with(options.clone()).await?;
        let read = Self::pool(4).connect_lazy_with(options);
        let (arrivals, waiting) = unbounded_channel();
        let store = SqliteStore { read, write: write.clone(), arrivals, _copy: None };
        store.prepare().await?;
        tokio::spawn(Self::keep_arrivals(write, waiting));
        Ok(store)
    }

    /// Opens a file from which plays are only read, and which stays as it is. What it has of an
    /// earlier version is read from a copy.
    ///
    /// # Errors
    ///
    /// When it has no plays in it, or cannot be read.
    pub async fn open_to_read(file: &Path) -> Result<SqliteStore, StoreError> {
        let mut options = Self::options(file);
        let keeps_log = Self::keeps_log(file)?;
        let log = std::fs::metadata(with_ending(file, "-wal")).map_or(0, |log| log.len());
        options = if keeps_log && log == 0 {
            // A connection that may write removes what it makes next to the file.
            options.pragma("query_only", "ON")
        } else {
            options.read_only(true)
        };
        let version = match Self::read_version(&options).await {
            // Where nothing can be made next to the file, nobody else changes it either.
            Err(StoreError::Database(_)) if keeps_log && log == 0 => {
                options = options.read_only(true).immutable(true);
                Self::read_version(&options).await
            }
            found => found,
        };
        match version?.ok_or(StoreError::NoPlays)? {
            VERSION => {
                let read = Self::pool(4).connect_with(options).await?;
                Ok(SqliteStore {
                    write: read.clone(),
                    read,
                    arrivals: unbounded_channel().0,
                    _copy: None,
                })
            }
            later @ VERSION.. => Err(StoreError::Version(later)),
            _ => Self::open_copy(&options).await,
        }
    }

    /// Opens a copy of a file of an earlier version, as one of the present version.
    async fn open_copy(options: &SqliteConnectOptions) -> Result<SqliteStore, StoreError> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("hyperslide-{}-{}.sqlite", std::process::id(), now.as_nanos());
        let copy = Copy(std::env::temp_dir().join(name));
        let failed = |error: std::io::Error| StoreError::File {
            path: copy.0.display().to_string(),
            reason: error.to_string(),
        };
        make_private(&copy.0).map_err(failed)?;
        let mut from = SqliteConnection::connect_with(options).await?;
        sqlx::query("PRAGMA query_only = OFF").execute(&mut from).await?;
        let name = copy.0.display().to_string();
        sqlx::query("VACUUM INTO $1").bind(name).execute(&mut from).await?;
        from.close().await?;
        let store = Self::open(&copy.0).await?;
        Ok(SqliteStore { _copy: Some(copy), ..store })
    }

    /// Returns whether a database keeps a log next to it, as those of this program do.
    fn keeps_log(file: &Path) -> Result<bool, StoreError> {
        let mut head = Vec::new();
        let read = std::fs::File::open(file).and_then(|file| file.take(100).read_to_end(&mut head));
        read.map_err(|error| StoreError::Database(sqlx::Error::Io(error)))?;
        // The format has these bytes at the beginning, and the version of who may read it at 19.
        match head.strip_prefix(b"SQLite format 3\0") {
            Some(rest) if head.len() == 100 => Ok(rest[3] == 2),
            _ => Err(StoreError::NoPlays),
        }
    }

    /// The version of the plays in a file; none when nothing is in it yet.
    async fn read_version(options: &SqliteConnectOptions) -> Result<Option<i64>, StoreError> {
        let mut looks = SqliteConnection::connect_with(options).await?;
        let version = Self::found_version(&mut looks).await?;
        looks.close().await?;
        Ok(version)
    }

    /// The version of the plays in a database; none when nothing is in it yet.
    async fn found_version(looks: &mut SqliteConnection) -> Result<Option<i64>, StoreError> {
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'")
                .fetch_all(&mut *looks)
                .await?;
        if tables.is_empty() {
            return Ok(None);
        }
        let is_there = |(name, _): &(&str, _)| tables.iter().any(|table| table == name);
        if !FIRST_TABLES.iter().all(is_there) {
            return Err(StoreError::NoPlays);
        }
        let rows: Vec<i64> =
            sqlx::query_scalar("SELECT version FROM version").fetch_all(looks).await?;
        only_version(&rows).map(Some)
    }

    fn options(file: &Path) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(file)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
    }

    /// Connections whose transaction SQLite has ended by itself, as it does when the disk is full,
    /// are replaced: they would take every later one for a part of it.
    fn pool(most: u32) -> SqlitePoolOptions {
        SqlitePoolOptions::new().max_connections(most).before_acquire(|connection, _| {
            Box::pin(async move { Ok(!connection.is_in_transaction()) })
        })
    }

    /// Writes what is in the log into the file and empties the log, in which one could read what
    /// was deleted. Somebody who reads meanwhile, as an export does, keeps it from that; the next
    /// time does it.
    async fn clean_up(&self) {
        let Ok(mut connection) = self.write.acquire().await else { return };
        let cleaned = tokio::spawn(async move {
            for statement in [
                // Plays that arrive are not kept waiting for readers.
                "PRAGMA busy_timeout = 500",
                "PRAGMA wal_checkpoint(TRUNCATE)",
                "PRAGMA busy_timeout = 5000",
            ] {
                // What was deleted is, whether this succeeds or not.
                let _ = sqlx::query(statement).execute(&mut *connection).await;
            }
        });
        let _ = cleaned.await;
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
            match Self::keep_together(&write, &arrivals).await {
                Ok(results) => {
                    for (arrival, result) in arrivals.drain(..).zip(results) {
                        let _ = arrival.kept.send(result);
                    }
                }
                Err(error) => {
                    // Who has waited for another program does not wait again.
                    let mut busy = matches!(error, StoreError::Busy);
                    let mut only = (arrivals.len() == 1).then_some(error);
                    for arrival in arrivals.drain(..) {
                        let result = match only.take() {
                            Some(error) => Err(error),
                            None if busy => Err(StoreError::Busy),
                            // One of them may be too large for what is left of the disk.
                            None => Self::keep_together(&write, std::slice::from_ref(&arrival))
                                .await
                                .and_then(|mut results| results.pop().unwrap_or(Ok(false))),
                        };
                        busy |= matches!(result, Err(StoreError::Busy));
                        let _ = arrival.kept.send(result);
                    }
                }
            }
        }
    }

    /// Keeps plays in one transaction. A play that the database refuses does not keep the others
    /// out.
    async fn keep_together(
        write: &SqlitePool,
        arrivals: &[Arrival],
    ) -> Result<Vec<Result<bool, StoreError>>, StoreError> {
        let mut change = write.begin_with(DIALECT.begin).await?;
        let mut results = Vec::with_capacity(arrivals.len());
        let mut changes = Changes::default();
        for Arrival { start, play, kept } in arrivals {
            // Who has gone away was refused, or will send the play again.
            if kept.is_closed() {
                results.push(Ok(false));
                continue;
            }
            let mut own_changes = Changes::default();
            // A play that is refused takes no start away.
            let mut one = change.begin().await?;
            let is_there = match start {
                Some(start) => Self::take_start(&mut one, start, play.person).await?,
                None => true,
            };
            let result = match is_there {
                true => Self::keep_play(&mut one, play, &mut own_changes).await,
                false => Ok(false),
            };
            match result.map_err(StoreError::from) {
                // These end the transaction.
                Err(error @ (StoreError::Full | StoreError::Busy)) => return Err(error),
                Err(error) => {
                    one.rollback().await?;
                    results.push(Err(error));
                }
                Ok(is_kept) => {
                    one.commit().await?;
                    changes.add(own_changes);
                    results.push(Ok(is_kept));
                }
            }
        }
        Self::summarise(&mut change, changes).await?;
        change.commit().await?;
        Ok(results)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::play::{Control, Kind};

    /// A file of a test's own, and a person in it.
    async fn with_somebody(name: &str) -> (PathBuf, SqliteStore, i64) {
        let file =
            std::env::temp_dir().join(format!("hyperslide-{name}-{}.sqlite", std::process::id()));
        for file in sqlite_files(&file) {
            let _ = std::fs::remove_file(file);
        }
        let store = SqliteStore::open(&file).await.unwrap();
        let who = store.add_person(&somebody("ada")).await.unwrap();
        (file, store, who)
    }

    fn somebody(name: &str) -> NewPerson {
        NewPerson {
            name: name.to_owned(),
            code: format!("code of {name}"),
            secret: Some(format!("digest of {name}")),
            consent: 1,
            day: 20_000,
            simulated: None,
        }
    }

    fn play(id: &str, person: i64, moves: &str) -> KeptPlay {
        let (kind, control) = (Kind::Explore, Control::Keys);
        KeptPlay {
            id: id.to_owned(),
            person,
            number: 0,
            puzzle: "grid:2:2 1,2,0,3 -> 1,2,3,0".to_owned(),
            group: Group { board: "grid:2:2".to_owned(), tokens: 3, kind, control, blind: false },
            moves: moves.to_owned(),
            length: 1,
            multi: Some(1),
            ms: 500,
            solved: true,
            helped: false,
            day: 20_001,
        }
    }

    async fn pragma(store: &SqliteStore, statement: &'static str) {
        sqlx::query(statement).execute(&store.write).await.unwrap();
    }

    async fn count(store: &SqliteStore) -> usize {
        store.plays("", 1000).await.unwrap().len()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn plays_are_kept_after_sqlite_has_ended_a_transaction_by_itself() {
        let (file, store, who) = with_somebody("full").await;
        let mut change = store.write.begin_with(DIALECT.begin).await.unwrap();
        // As it does when the disk is full.
        sqlx::query("ROLLBACK").execute(&mut *change).await.unwrap();
        drop(change);
        assert!(store.add_play(&play("p", who, "3-2@500")).await.unwrap());
        store.add_person(&somebody("ben")).await.unwrap();
        assert_eq!(
            store.forget(&store.person("digest of ada").await.unwrap().unwrap()).await.unwrap(),
            1
        );
        store.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }

    /// Another program that changes the file.
    async fn change(file: &Path) -> SqlitePool {
        let options = SqliteConnectOptions::new().filename(file);
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&pool).await.unwrap();
        pool
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn plays_that_wait_too_long_are_refused_together() {
        let (file, store, who) = with_somebody("busy").await;
        pragma(&store, "PRAGMA busy_timeout = 1000").await;
        let other = change(&file).await;
        let began = Instant::now();
        let plays: Vec<KeptPlay> =
            (0..8).map(|number| play(&format!("p{number}"), who, "3-2@500")).collect();
        let mut answers = tokio::task::JoinSet::new();
        let store = std::sync::Arc::new(store);
        for play in plays {
            let store = std::sync::Arc::clone(&store);
            answers.spawn(async move { store.add_play(&play).await });
        }
        for answer in answers.join_all().await {
            assert!(matches!(answer, Err(StoreError::Busy)), "{answer:?}");
        }
        // The first alone, and the others together.
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        other.close().await;
        assert!(store.add_play(&play("late", who, "3-2@500")).await.unwrap());
        assert_eq!(count(&store).await, 1);
        store.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_play_whose_client_was_refused_is_not_kept_later() {
        let (file, store, who) = with_somebody("gone").await;
        let other = change(&file).await;
        let plays = ["p0", "p1", "p2"].map(|id| play(id, who, "3-2@500"));
        let [patient, first, second] = &plays;
        let moment = Duration::from_millis(300);
        let leaves = async {
            let first = tokio::time::timeout(moment, store.add_play(first));
            let second = tokio::time::timeout(moment, store.add_play(second));
            let (first, second) = tokio::join!(first, second);
            assert!(first.is_err() && second.is_err());
            other.close().await;
        };
        let (kept, ()) = tokio::join!(store.add_play(patient), leaves);
        assert!(kept.unwrap());
        assert!(store.add_play(&play("later", who, "3-2@500")).await.unwrap());
        let ids: Vec<String> =
            store.plays("", 9).await.unwrap().into_iter().map(|(play, _)| play.id).collect();
        assert_eq!(ids, ["later", "p0"]);
        store.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }

    /// What is in the files of a database.
    fn bytes(file: &Path) -> Vec<u8> {
        ["", "-wal"]
            .iter()
            .flat_map(|end| std::fs::read(with_ending(file, end)).unwrap_or_default())
            .collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nothing_that_was_deleted_is_left_in_the_files() {
        let (file, store, who) = with_somebody("deleted").await;
        let ben = store.add_person(&somebody("ben")).await.unwrap();
        let moves = "3-2@7654321 2-3@7654321 ".repeat(100);
        for number in 0..20 {
            assert!(store.add_play(&play(&format!("p{number}"), who, &moves)).await.unwrap());
            assert!(
                store.add_play(&play(&format!("q{number}"), ben, "3-2@1234567")).await.unwrap()
            );
        }
        let has = |text: &str| bytes(&file).windows(text.len()).any(|part| part == text.as_bytes());
        assert!(has("7654321") && has("digest of ada"));
        let ada = store.person("digest of ada").await.unwrap().unwrap();
        assert_eq!(store.forget(&ada).await.unwrap(), 20);
        assert!(!has("7654321") && !has("digest of ada"));
        assert!(has("1234567"));
        store.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test(flavor = "multi_thread")]
    async fn new_files_are_of_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (file, store, who) = with_somebody("mode").await;
        assert!(store.add_play(&play("p", who, "3-2@500")).await.unwrap());
        for ending in ["", "-wal", "-shm"] {
            let mode = std::fs::metadata(with_ending(&file, ending)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{ending}");
        }
        // Who gave others access knows why.
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        store.close().await.unwrap();
        SqliteStore::open(&file).await.unwrap().close().await.unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_closed_database_is_one_file() {
        let (file, store, who) = with_somebody("closed").await;
        assert!(store.add_play(&play("p", who, "3-2@500")).await.unwrap());
        assert_eq!(count(&store).await, 1);
        assert!(with_ending(&file, "-wal").exists());
        store.close().await.unwrap();
        assert!(!with_ending(&file, "-wal").exists() && !with_ending(&file, "-shm").exists());
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_only_read_stays_as_it_is() {
        let (file, store, who) = with_somebody("read").await;
        assert!(store.add_play(&play("p", who, "3-2@500")).await.unwrap());
        // While somebody has it open, and when nobody has.
        let reads = SqliteStore::open_to_read(&file).await.unwrap();
        assert_eq!(count(&reads).await, 1);
        assert!(store.add_play(&play("q", who, "3-2@500")).await.unwrap());
        assert_eq!(count(&reads).await, 2);
        assert!(reads.add_play(&play("r", who, "3-2@500")).await.is_err());
        assert!(reads.add_person(&somebody("ben")).await.is_err());
        reads.close().await.unwrap();
        store.close().await.unwrap();
        let before = std::fs::read(&file).unwrap();
        let reads = SqliteStore::open_to_read(&file).await.unwrap();
        assert_eq!(count(&reads).await, 2);
        assert!(reads.add_person(&somebody("ben")).await.is_err());
        reads.close().await.unwrap();
        assert!(std::fs::read(&file).unwrap() == before);
        assert!(!with_ending(&file, "-wal").exists() && !with_ending(&file, "-shm").exists());
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_earlier_version_is_read_from_a_copy() {
        let (file, store, who) = with_somebody("earlier").await;
        assert!(store.add_play(&play("p", who, "3-2@500")).await.unwrap());
        pragma(&store, "DROP TABLE standings").await;
        pragma(&store, "DROP TABLE first_counts").await;
        pragma(&store, "CREATE INDEX first_lengths ON plays (length)").await;
        pragma(&store, "UPDATE version SET version = 2").await;
        store.close().await.unwrap();
        let before = std::fs::read(&file).unwrap();
        let reads = SqliteStore::open_to_read(&file).await.unwrap();
        let copy = reads._copy.as_ref().unwrap().0.clone();
        assert_eq!(count(&reads).await, 1);
        let puzzle = "grid:2:2 1,2,0,3 -> 1,2,3,0";
        assert_eq!(reads.firsts(puzzle, Players::People).await.unwrap().lengths, [(1, 1)]);
        reads.close().await.unwrap();
        drop(reads);
        assert!(!copy.exists() && std::fs::read(&file).unwrap() == before);
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn files_of_something_else_are_refused_and_stay_as_they_are() {
        let (file, store, _) = with_somebody("other").await;
        store.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
        let other = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
        let mut other = SqliteConnection::connect_with(&other).await.unwrap();
        sqlx::query("CREATE TABLE letters (text TEXT)").execute(&mut other).await.unwrap();
        other.close().await.unwrap();
        let letters = std::fs::read(&file).unwrap();
        for bytes in [letters, Vec::new(), b"dear ".repeat(2000), b"SQLite format 3\0".to_vec()] {
            std::fs::write(&file, &bytes).unwrap();
            let error = SqliteStore::open_to_read(&file).await.err().unwrap();
            assert!(matches!(error, StoreError::NoPlays), "{error}");
            // An empty file becomes a database.
            if !bytes.is_empty() {
                assert!(SqliteStore::open(&file).await.is_err());
            }
            assert!(std::fs::read(&file).unwrap() == bytes);
            assert!(!with_ending(&file, "-wal").exists());
        }
        // One that holds nothing yet has no plays to read, but takes some.
        std::fs::write(&file, []).unwrap();
        SqliteStore::open(&file).await.unwrap().close().await.unwrap();
        let reads = SqliteStore::open_to_read(&file).await.unwrap();
        assert_eq!(count(&reads).await, 0);
        reads.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }
}
