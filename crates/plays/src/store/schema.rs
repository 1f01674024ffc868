//! The tables, version by version. Both databases take the same statements but for those of
//! [`Dialect`]. A version that was released is never changed: what is new is a version more.

use super::StoreError;

/// What the databases write differently.
pub struct Dialect {
    /// A number that the database gives.
    pub number: &'static str,
    /// A random text of 16 hexadecimal digits, a new one for each row.
    pub random_code: &'static str,
    /// How a transaction begins that will write.
    pub begin: &'static str,
    /// How a transaction begins that sees everything as it is at one moment.
    pub begin_snapshot: &'static str,
    /// Keeps others who prepare the tables waiting until this transaction ends.
    pub lock_version: Option<&'static str>,
    /// Keeps transactions that change plays of the same person one after the other.
    pub lock_person: Option<&'static str>,
    /// Keeps all transactions that write waiting until this one ends.
    pub lock_all: Option<&'static str>,
    /// Counts the plays anew for the planner, after all of them were replaced.
    pub count_plays: &'static [&'static str],
}

/// The version that this program works with.
pub const VERSION: i64 = 4;

/// The statements that lead from the version before to each version; `{number}` and `{code}` are of
/// the dialect.
pub const VERSIONS: [&[&str]; VERSION as usize] = [
    &[
        "CREATE TABLE version (version BIGINT NOT NULL)",
        "CREATE TABLE people (
            id {number},
            name TEXT NOT NULL,
            secret TEXT NOT NULL UNIQUE,
            consent BIGINT NOT NULL,
            day BIGINT NOT NULL
        )",
        "CREATE TABLE issued (
            id TEXT PRIMARY KEY,
            person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            puzzle TEXT NOT NULL,
            kind TEXT NOT NULL,
            issued_ms BIGINT NOT NULL
        )",
        "CREATE TABLE plays (
            id TEXT PRIMARY KEY,
            person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            puzzle TEXT NOT NULL,
            kind TEXT NOT NULL,
            control TEXT NOT NULL,
            moves TEXT NOT NULL,
            length BIGINT NOT NULL,
            ms BIGINT NOT NULL,
            solved BOOLEAN NOT NULL,
            helped BOOLEAN NOT NULL,
            day BIGINT NOT NULL
        )",
        "CREATE INDEX plays_of_person ON plays (person, id)",
        "CREATE INDEX plays_of_puzzle ON plays (puzzle, length, ms, id)",
    ],
    // Groups, best lists, people who do not exist or come from elsewhere. What follows from a
    // play's puzzle and moves is filled in by the program (`plays_without_group`).
    &[
        "CREATE TABLE forgotten (code TEXT PRIMARY KEY)",
        "ALTER TABLE people ADD COLUMN code TEXT",
        "UPDATE people SET code = {code}",
        "CREATE UNIQUE INDEX people_by_code ON people (code)",
        "ALTER TABLE people ADD COLUMN simulated TEXT",
        "ALTER TABLE issued ADD COLUMN blind BOOLEAN NOT NULL DEFAULT FALSE",
        "CREATE INDEX issued_to_person ON issued (person, issued_ms)",
        "ALTER TABLE plays ADD COLUMN board TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE plays ADD COLUMN tokens BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE plays ADD COLUMN blind BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE plays ADD COLUMN multi BIGINT",
        "ALTER TABLE plays ADD COLUMN simulated BOOLEAN NOT NULL DEFAULT FALSE",
        // The place among the plays of the person, from 1.
        "ALTER TABLE plays ADD COLUMN number BIGINT NOT NULL DEFAULT 0",
        "UPDATE plays SET number = (SELECT COUNT(*) FROM plays AS other WHERE other.person = plays.person
            AND (other.day < plays.day OR (other.day = plays.day AND other.id <= plays.id)))",
        "CREATE INDEX plays_in_order ON plays (person, number)",
        // Whether it is the person's first solution of the puzzle without help.
        "ALTER TABLE plays ADD COLUMN first BOOLEAN NOT NULL DEFAULT FALSE",
        "CREATE INDEX solved_by_person ON plays (person, puzzle) WHERE solved AND NOT helped",
        "UPDATE plays SET first = solved AND NOT helped AND NOT EXISTS (SELECT 1 FROM plays AS other
            WHERE other.person = plays.person AND other.puzzle = plays.puzzle AND other.solved
            AND NOT other.helped AND other.number < plays.number)",
        "CREATE INDEX first_lengths ON plays (puzzle, simulated, length) WHERE first",
        "CREATE INDEX first_times ON plays (puzzle, simulated, ms) WHERE first",
        "CREATE INDEX ranked_plays ON plays
            (board, tokens, kind, control, blind, person, number, ms, length, multi, id, simulated)
            WHERE kind <> 'explore'",
    ],
    // What the comparison page and the best lists show, kept up to date with every change of the
    // plays, so that a page costs the same whether a hundred people have played or a million. The
    // standings are filled in by the program (`fill_standings`).
    &[
        "CREATE TABLE first_counts (
            puzzle TEXT NOT NULL,
            simulated BOOLEAN NOT NULL,
            measure TEXT NOT NULL,
            value BIGINT NOT NULL,
            plays BIGINT NOT NULL,
            PRIMARY KEY (puzzle, simulated, measure, value)
        )",
        COUNT_LENGTHS,
        COUNT_TENTHS,
        "DROP INDEX first_lengths",
        "CREATE TABLE standings (
            board TEXT NOT NULL,
            tokens BIGINT NOT NULL,
            kind TEXT NOT NULL,
            control TEXT NOT NULL,
            blind BOOLEAN NOT NULL,
            person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            simulated BOOLEAN NOT NULL,
            solves BIGINT NOT NULL,
            play TEXT NOT NULL,
            length BIGINT NOT NULL,
            multi BIGINT,
            ms BIGINT NOT NULL,
            ranked_by BIGINT NOT NULL,
            then_by BIGINT NOT NULL,
            average_5 DOUBLE PRECISION,
            average_12 DOUBLE PRECISION,
            average_50 DOUBLE PRECISION,
            average_100 DOUBLE PRECISION,
            most_per_second DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (board, tokens, kind, control, blind, person)
        )",
        "CREATE INDEX standings_in_order ON standings
            (board, tokens, kind, control, blind, ranked_by, then_by, play, simulated)",
        "CREATE INDEX standings_of_person ON standings (person)",
        "CREATE INDEX standings_by_group ON standings (board, tokens, kind, control, blind, simulated, solves)",
    ],
    // First solutions are those with the least number, also where an import brought them in another
    // order. The standings are computed again, since the first move does not count in speeds any
    // more.
    &[NOT_FIRST, FIRST, "DELETE FROM first_counts", COUNT_LENGTHS, COUNT_TENTHS],
];

/// Takes the mark of a first solution from plays that are none.
pub const NOT_FIRST: &str = "UPDATE plays SET first = FALSE WHERE first AND EXISTS
    (SELECT 1 FROM plays AS other WHERE other.person = plays.person AND other.puzzle = plays.puzzle
    AND other.solved AND NOT other.helped AND (other.number, other.id) < (plays.number, plays.id))";

/// Marks the first solution without help of each person and puzzle.
pub const FIRST: &str =
    "UPDATE plays SET first = TRUE WHERE solved AND NOT helped AND NOT first AND NOT EXISTS
    (SELECT 1 FROM plays AS other WHERE other.person = plays.person AND other.puzzle = plays.puzzle
    AND other.solved AND NOT other.helped AND (other.number, other.id) < (plays.number, plays.id))";

/// Counts the lengths of all first solutions.
pub const COUNT_LENGTHS: &str =
    "INSERT INTO first_counts SELECT puzzle, simulated, 'length', length, COUNT(*)
    FROM plays WHERE first GROUP BY puzzle, simulated, length";

/// Counts the times of all first solutions, in tenths of a second.
pub const COUNT_TENTHS: &str =
    "INSERT INTO first_counts SELECT puzzle, simulated, 'tenth', ms / 100, COUNT(*)
    FROM plays WHERE first GROUP BY puzzle, simulated, ms / 100";

/// The tables of the first version, which all have, with their columns and the types of these in
/// PostgreSQL. Where one of them is missing or is another, they belong to another program.
pub const FIRST_TABLES: [(&str, &[(&str, &str)]); 4] = [
    ("version", &[("version", "bigint")]),
    (
        "people",
        &[
            ("id", "bigint"),
            ("name", "text"),
            ("secret", "text"),
            ("consent", "bigint"),
            ("day", "bigint"),
        ],
    ),
    (
        "issued",
        &[
            ("id", "text"),
            ("person", "bigint"),
            ("puzzle", "text"),
            ("kind", "text"),
            ("issued_ms", "bigint"),
        ],
    ),
    (
        "plays",
        &[
            ("id", "text"),
            ("person", "bigint"),
            ("puzzle", "text"),
            ("kind", "text"),
            ("control", "text"),
            ("moves", "text"),
            ("length", "bigint"),
            ("ms", "bigint"),
            ("solved", "boolean"),
            ("helped", "boolean"),
            ("day", "bigint"),
        ],
    ),
];

/// The one version that a table of versions has; another program's has none, several, or others.
pub fn only_version(rows: &[i64]) -> Result<i64, StoreError> {
    match rows {
        [version] if *version > 0 => Ok(*version),
        _ => Err(StoreError::NoPlays),
    }
}

/// Makes what brings the tables of a store of a type to the present version.
macro_rules! versions_of {
    ($store:ty, $connection:ty, $dialect:expr) => {
        impl $store {
            /// Brings the tables to the present version.
            async fn prepare(&self) -> Result<(), StoreError> {
                let mut looks = self.write.acquire().await?;
                // Who may read and write rows only can serve what is up to date.
                if Self::found_version(&mut looks).await? == Some(VERSION) {
                    return Ok(());
                }
                drop(looks);
                let mut change = self.write.begin_with($dialect.begin).await?;
                if let Some(lock) = $dialect.lock_version {
                    sqlx::query(lock).execute(&mut *change).await?;
                }
                // Somebody else may have prepared them meanwhile.
                let found = Self::found_version(&mut change).await?;
                let version = found.unwrap_or(0);
                if version > VERSION {
                    return Err(StoreError::Version(version));
                }
                for statements in VERSIONS.iter().skip(usize::try_from(version).unwrap_or(0)) {
                    for statement in *statements {
                        let statement = statement
                            .replace("{number}", $dialect.number)
                            .replace("{code}", $dialect.random_code);
                        // It is made of the texts of this program alone.
                        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *change).await?;
                    }
                }
                if version == 1 {
                    Self::fill_groups(&mut change).await?;
                }
                if (1..VERSION).contains(&version) {
                    Self::fill_standings(&mut change).await?;
                }
                let note = match found {
                    None => "INSERT INTO version (version) VALUES ($1)",
                    Some(_) => "UPDATE version SET version = $1",
                };
                if version < VERSION {
                    sqlx::query(note).bind(VERSION).execute(&mut *change).await?;
                }
                change.commit().await?;
                Ok(())
            }

            /// Fills in what the first version did not keep of a play.
            async fn fill_groups(change: &mut $connection) -> Result<(), StoreError> {
                loop {
                    let statement =
                        "SELECT id, puzzle, moves FROM plays WHERE board = '' LIMIT 1000";
                    let rows = sqlx::query(statement).fetch_all(&mut *change).await?;
                    if rows.is_empty() {
                        return Ok(());
                    }
                    for row in rows {
                        let text = |name: &str| row.try_get::<String, _>(name);
                        let (board, tokens, multi) = facts(&text("puzzle")?, &text("moves")?);
                        sqlx::query(
                            "UPDATE plays SET board = $2, tokens = $3, multi = $4 WHERE id = $1",
                        )
                        .bind(text("id")?)
                        .bind(board)
                        .bind(tokens)
                        .bind(multi)
                        .execute(&mut *change)
                        .await?;
                    }
                }
            }
        }
    };
}

pub(super) use versions_of;
