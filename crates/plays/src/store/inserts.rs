//! What a change writes into the tables: people, their plays and their starts, row by row.

/// The rows of one statement that inserts many: SQLite takes 32,766 parameters.
pub(super) const ROWS_AT_ONCE: usize = 250;

/// The columns of a play whose values [`with_play`] gives, in its order.
macro_rules! play_columns {
    () => {
        "id, person, puzzle, board, tokens, kind, control, blind, moves, length, multi, ms, solved, \
         helped, day, number"
    };
}

/// Gives the values of a play to a statement or to a row, by this method.
macro_rules! with_play {
    ($to:expr, $bind:ident, $play:expr) => {
        $to.$bind(&$play.id)
            .$bind($play.person)
            .$bind(&$play.puzzle)
            .$bind(&$play.group.board)
            .$bind($play.group.tokens)
            .$bind($play.group.kind.name())
            .$bind($play.group.control.name())
            .$bind($play.group.blind)
            .$bind(&$play.moves)
            .$bind($play.length)
            .$bind($play.multi)
            .$bind($play.ms)
            .$bind($play.solved)
            .$bind($play.helped)
            .$bind($play.day)
            .$bind($play.number)
    };
}

/// Makes what the changes of a store of a type write.
macro_rules! inserts_of {
    ($store:ty, $row:ty, $connection:ty, $dialect:expr) => {
        impl $store {
            /// Waits until nobody else changes plays of these people.
            async fn lock_people(
                change: &mut $connection,
                people: impl IntoIterator<Item = i64>,
            ) -> Result<(), sqlx::Error> {
                if let Some(statement) = $dialect.lock_person {
                    // All in one order, so that no two transactions wait for each other.
                    for person in people.into_iter().collect::<BTreeSet<i64>>() {
                        sqlx::query(statement).bind(person).execute(&mut *change).await?;
                    }
                }
                Ok(())
            }

            async fn insert_person(
                change: &mut $connection,
                number: Option<i64>,
                person: &NewPerson,
            ) -> Result<i64, sqlx::Error> {
                // The column of secrets has no room for none, and no digest begins so.
                let none = || format!("none {}", person.code);
                let secret = person.secret.clone().unwrap_or_else(none);
                let statement = match number {
                    None => {
                        "INSERT INTO people (name, secret, consent, day, code, simulated) \
                         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id"
                    }
                    Some(_) => {
                        "INSERT INTO people (name, secret, consent, day, code, simulated, id) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id"
                    }
                };
                let mut add = sqlx::query_scalar(statement)
                    .bind(&person.name)
                    .bind(secret)
                    .bind(person.consent)
                    .bind(person.day)
                    .bind(&person.code)
                    .bind(&person.simulated);
                if let Some(number) = number {
                    add = add.bind(number);
                }
                add.fetch_one(change).await
            }

            /// Keeps a play, and notes what that changes in the summaries; false when it is kept
            /// already.
            async fn keep_play(
                change: &mut $connection,
                play: &KeptPlay,
                changes: &mut Changes,
            ) -> Result<bool, sqlx::Error> {
                let Some(row) = Self::insert_play(change, play).await? else { return Ok(false) };
                let first = row.try_get("first")?;
                changes.kept(play, first, row.try_get("simulated")?);
                if first && play.number > 0 {
                    // It may come before one that was the first until now.
                    let statement = "UPDATE plays SET first = FALSE WHERE person = $1 AND puzzle = $2 \
                                     AND solved AND NOT helped AND first AND id <> $3 \
                                     RETURNING simulated, length, ms";
                    let find = sqlx::query(statement).bind(play.person).bind(&play.puzzle).bind(&play.id);
                    for row in find.fetch_all(change).await? {
                        let (length, ms) = (row.try_get("length")?, row.try_get("ms")?);
                        changes.count(&play.puzzle, row.try_get("simulated")?, length, ms, -1);
                    }
                }
                Ok(true)
            }

            /// Keeps a play, and returns whether it is a first solution among those that are there,
            /// and simulated; none when it is kept already.
            async fn insert_play(
                change: &mut $connection,
                play: &KeptPlay,
            ) -> Result<Option<$row>, sqlx::Error> {
                let statement = concat!(
                    "INSERT INTO plays (",
                    super::inserts::play_columns!(),
                    ", first, simulated) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, \
                     COALESCE(NULLIF($16, 0), (SELECT COALESCE(MAX(number), 0) + 1 FROM plays WHERE person = $2)), \
                     $13 AND NOT $14 AND NOT EXISTS (SELECT 1 FROM plays WHERE person = $2 AND puzzle = $3 \
                         AND solved AND NOT helped AND ($16 = 0 OR (number, id) < ($16, $1))), \
                     COALESCE((SELECT simulated IS NOT NULL FROM people WHERE id = $2), FALSE)) \
                     ON CONFLICT (id) DO NOTHING RETURNING first, simulated"
                );
                let add = super::inserts::with_play!(sqlx::query(statement), bind, play);
                add.fetch_optional(change).await
            }

            /// Keeps plays that have their numbers, many at a time. None of them is marked as a
            /// first solution.
            async fn insert_plays(
                change: &mut $connection,
                plays: &[KeptPlay],
                simulated: &BTreeSet<i64>,
            ) -> Result<(), sqlx::Error> {
                for part in plays.chunks(super::inserts::ROWS_AT_ONCE) {
                    let mut insert = sqlx::QueryBuilder::<<$connection as sqlx::Connection>::Database>::new(
                        concat!("INSERT INTO plays (", super::inserts::play_columns!(), ", simulated) "),
                    );
                    insert.push_values(part, |mut row, play| {
                        super::inserts::with_play!(row, push_bind, play)
                            .push_bind(simulated.contains(&play.person));
                    });
                    // Few parts have the same length as the last.
                    let is_whole = part.len() == super::inserts::ROWS_AT_ONCE;
                    insert.build().persistent(is_whole).execute(&mut *change).await?;
                }
                Ok(())
            }

            /// Takes the start of a play away from its person; false when it is not there.
            async fn take_start(
                change: &mut $connection,
                start: &str,
                person: i64,
            ) -> Result<bool, sqlx::Error> {
                let take = sqlx::query("DELETE FROM issued WHERE id = $1 AND person = $2");
                Ok(take.bind(start).bind(person).execute(change).await?.rows_affected() == 1)
            }

            async fn insert_start(change: &mut $connection, start: &Issued) -> Result<(), sqlx::Error> {
                let statement = "INSERT INTO issued (id, person, puzzle, kind, blind, issued_ms) \
                                 VALUES ($1, $2, $3, $4, $5, $6)";
                let add = sqlx::query(statement).bind(&start.id).bind(start.person).bind(&start.puzzle);
                add.bind(start.kind.name()).bind(start.blind).bind(start.issued_ms).execute(change).await?;
                Ok(())
            }

            async fn remember_forgotten(change: &mut $connection, code: &str) -> Result<(), sqlx::Error> {
                let statement = "INSERT INTO forgotten (code) VALUES ($1) ON CONFLICT (code) DO NOTHING";
                sqlx::query(statement).bind(code).execute(change).await?;
                Ok(())
            }
        }
    };
}

pub(super) use {inserts_of, play_columns, with_play};
