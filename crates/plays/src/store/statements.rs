//! The statements, which both databases understand, and a store made of them.

/// The version of the tables below.
pub const VERSION: i64 = 1;

pub const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS version (version BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS issued (
        id TEXT PRIMARY KEY,
        person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
        puzzle TEXT NOT NULL,
        kind TEXT NOT NULL,
        issued_ms BIGINT NOT NULL
    )",
    "CREATE TABLE IF NOT EXISTS plays (
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
    "CREATE INDEX IF NOT EXISTS plays_of_person ON plays (person, id)",
    "CREATE INDEX IF NOT EXISTS plays_of_puzzle ON plays (puzzle, length, ms, id)",
];

/// Makes a store of the two pools of a type, `read` and `write`.
macro_rules! store_of {
    ($store:ty, $row:ty) => {
        impl $store {
            /// Makes the tables that are missing.
            async fn prepare(&self, people: &'static str) -> Result<(), StoreError> {
                let mut change = self.write.begin().await?;
                sqlx::query(people).execute(&mut *change).await?;
                for &statement in SCHEMA {
                    sqlx::query(statement).execute(&mut *change).await?;
                }
                let version: Option<i64> =
                    sqlx::query_scalar("SELECT version FROM version").fetch_optional(&mut *change).await?;
                match version {
                    None => {
                        let add = sqlx::query("INSERT INTO version (version) VALUES ($1)").bind(VERSION);
                        add.execute(&mut *change).await?;
                    }
                    Some(version) if version > VERSION => return Err(StoreError::Version(version)),
                    Some(_) => {}
                }
                change.commit().await?;
                Ok(())
            }

            fn play(row: &$row) -> Result<KeptPlay, sqlx::Error> {
                let text = |name: &str| row.try_get::<String, _>(name);
                let number = |name: &str| row.try_get::<i64, _>(name);
                let unknown = |error: PlayError| sqlx::Error::Decode(Box::new(error));
                Ok(KeptPlay {
                    id: text("id")?,
                    person: number("person")?,
                    puzzle: text("puzzle")?,
                    kind: text("kind")?.parse().map_err(unknown)?,
                    control: text("control")?.parse().map_err(unknown)?,
                    moves: text("moves")?,
                    length: number("length")?,
                    ms: number("ms")?,
                    solved: row.try_get("solved")?,
                    helped: row.try_get("helped")?,
                    day: number("day")?,
                })
            }

            fn named_plays(rows: &[$row]) -> Result<Vec<(KeptPlay, String)>, StoreError> {
                let read = |row: &$row| Ok((Self::play(row)?, row.try_get("name")?));
                rows.iter().map(read).collect()
            }
        }

        impl Store for $store {
            fn add_person<'a>(&'a self, person: &'a NewPerson) -> Pending<'a, i64> {
                Box::pin(async move {
                    let statement = "INSERT INTO people (name, secret, consent, day) VALUES ($1, $2, $3, $4) \
                                     RETURNING id";
                    let add = sqlx::query_scalar(statement).bind(&person.name).bind(&person.secret);
                    Ok(add.bind(person.consent).bind(person.day).fetch_one(&self.write).await?)
                })
            }

            fn person<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<Person>> {
                Box::pin(async move {
                    let find = sqlx::query("SELECT id, name FROM people WHERE secret = $1").bind(secret);
                    let Some(row) = find.fetch_optional(&self.read).await? else { return Ok(None) };
                    Ok(Some(Person { id: row.try_get("id")?, name: row.try_get("name")? }))
                })
            }

            fn forget(&self, person: i64) -> Pending<'_, u64> {
                Box::pin(async move {
                    let mut change = self.write.begin().await?;
                    let plays = sqlx::query("DELETE FROM plays WHERE person = $1").bind(person);
                    let forgotten = plays.execute(&mut *change).await?.rows_affected();
                    let starts = sqlx::query("DELETE FROM issued WHERE person = $1").bind(person);
                    starts.execute(&mut *change).await?;
                    sqlx::query("DELETE FROM people WHERE id = $1").bind(person).execute(&mut *change).await?;
                    change.commit().await?;
                    Ok(forgotten)
                })
            }

            fn add_play<'a>(&'a self, play: &'a KeptPlay) -> Pending<'a, bool> {
                Box::pin(async move {
                    let statement = "INSERT INTO plays (id, person, puzzle, kind, control, moves, length, ms, \
                                     solved, helped, day) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                                     ON CONFLICT (id) DO NOTHING";
                    let add = sqlx::query(statement)
                        .bind(&play.id)
                        .bind(play.person)
                        .bind(&play.puzzle)
                        .bind(play.kind.name())
                        .bind(play.control.name())
                        .bind(&play.moves)
                        .bind(play.length)
                        .bind(play.ms)
                        .bind(play.solved)
                        .bind(play.helped)
                        .bind(play.day);
                    Ok(add.execute(&self.write).await?.rows_affected() == 1)
                })
            }

            fn plays_of<'a>(
                &'a self,
                person: i64,
                after: &'a str,
                limit: u32,
            ) -> Pending<'a, Vec<KeptPlay>> {
                Box::pin(async move {
                    let statement = "SELECT * FROM plays WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3";
                    let find = sqlx::query(statement).bind(person).bind(after).bind(i64::from(limit));
                    let rows = find.fetch_all(&self.read).await?;
                    rows.iter().map(|row| Ok(Self::play(row)?)).collect()
                })
            }

            fn plays<'a>(&'a self, after: &'a str, limit: u32) -> Pending<'a, Vec<(KeptPlay, String)>> {
                Box::pin(async move {
                    let statement = "SELECT plays.*, people.name FROM plays JOIN people ON people.id = person \
                                     WHERE plays.id > $1 ORDER BY plays.id LIMIT $2";
                    let find = sqlx::query(statement).bind(after).bind(i64::from(limit));
                    Self::named_plays(&find.fetch_all(&self.read).await?)
                })
            }

            fn solutions<'a>(
                &'a self,
                puzzle: &'a str,
                limit: u32,
            ) -> Pending<'a, Vec<(KeptPlay, String)>> {
                Box::pin(async move {
                    let statement = "SELECT plays.*, people.name FROM plays JOIN people ON people.id = person \
                                     WHERE puzzle = $1 AND solved ORDER BY length, ms, plays.id LIMIT $2";
                    let find = sqlx::query(statement).bind(puzzle).bind(i64::from(limit));
                    Self::named_plays(&find.fetch_all(&self.read).await?)
                })
            }

            fn issue<'a>(&'a self, start: &'a Issued) -> Pending<'a, ()> {
                Box::pin(async move {
                    let statement =
                        "INSERT INTO issued (id, person, puzzle, kind, issued_ms) VALUES ($1, $2, $3, $4, $5)";
                    let add = sqlx::query(statement).bind(&start.id).bind(start.person).bind(&start.puzzle);
                    add.bind(start.kind.name()).bind(start.issued_ms).execute(&self.write).await?;
                    Ok(())
                })
            }

            fn take<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>> {
                Box::pin(async move {
                    let take = sqlx::query("DELETE FROM issued WHERE id = $1 RETURNING *").bind(id);
                    let Some(row) = take.fetch_optional(&self.write).await? else { return Ok(None) };
                    let kind: String = row.try_get("kind")?;
                    let unknown = |error: PlayError| sqlx::Error::Decode(Box::new(error));
                    Ok(Some(Issued {
                        id: row.try_get("id")?,
                        person: row.try_get("person")?,
                        puzzle: row.try_get("puzzle")?,
                        kind: kind.parse().map_err(unknown)?,
                        issued_ms: row.try_get("issued_ms")?,
                    }))
                })
            }
        }
    };
}

pub(super) use store_of;
