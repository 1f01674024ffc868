//! The statements, which both databases understand, and a store made of them.

/// The ranked plays of a group by person, each person's in their order.
pub(super) const RANKED_PLAYS: &str = "SELECT person, id, length, multi, ms FROM plays WHERE kind <> 'explore' \
     AND board = $1 AND tokens = $2 AND kind = $3 AND control = $4 AND blind = $5 \
     ORDER BY person, number, id";

/// The bytes of moves after which a page of plays ends.
pub(super) const PAGE_BYTES: i64 = 1_000_000;

/// The plays that a statement finds, in this order of theirs, until their moves take as many bytes
/// as a parameter allows.
macro_rules! page_of {
    ($find:literal, $order:literal, $bytes:literal) => {
        concat!(
            "SELECT * FROM (SELECT page.*, SUM(LENGTH(moves)) OVER (ORDER BY ",
            $order,
            ") - LENGTH(moves) AS before FROM (",
            $find,
            ") AS page) AS sized WHERE before < ",
            $bytes,
            " ORDER BY ",
            $order
        )
    };
}

/// At most $2 plays after the one named $1.
pub(super) const PLAYS: &str =
    page_of!("SELECT * FROM plays WHERE id > $1 ORDER BY id LIMIT $2", "id", "$3");

/// The same, each with its person.
pub(super) const NAMED_PLAYS: &str = page_of!(
    "SELECT plays.*, people.name, people.code, people.simulated AS policy \
     FROM plays JOIN people ON people.id = person WHERE plays.id > $1 ORDER BY plays.id LIMIT $2",
    "id",
    "$3"
);

/// At most $3 plays of the person $1 after the one named $2.
pub(super) const PLAYS_OF: &str =
    page_of!("SELECT * FROM plays WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3", "id", "$4");

/// At most $3 solutions of the puzzle $1 without help, each with its person; if $2, those of
/// simulated people too.
pub(super) const SOLUTIONS: &str = page_of!(
    "SELECT plays.*, people.name, people.code, people.simulated AS policy \
     FROM plays JOIN people ON people.id = person \
     WHERE puzzle = $1 AND solved AND NOT helped AND ($2 OR people.simulated IS NULL) \
     ORDER BY length, ms, plays.id LIMIT $3",
    "length, ms, id",
    "$4"
);

/// The longest text of a timed move with a space, as in `255-255@86400000 `, rounded up.
pub(super) const MAX_MOVE_LENGTH: u32 = 20;

/// A statement for a connection of this type.
pub(super) type Statement<C> = sqlx::query::Query<
    'static,
    <C as sqlx::Connection>::Database,
    <<C as sqlx::Connection>::Database as sqlx::Database>::Arguments,
>;

/// Makes a store of the two pools of a type, `read` and `write`. `add_play` and `keep_ranked` are
/// the type's own: SQLite keeps many plays in one transaction, and PostgreSQL does so by itself.
macro_rules! store_of {
    ($store:ty, $row:ty, $connection:ty, $dialect:expr) => {
        impl $store {
            /// A statement whose first five parameters are a group.
            fn of_group(statement: &'static str, group: &Group) -> super::statements::Statement<$connection> {
                sqlx::query(statement)
                    .bind(group.board.clone())
                    .bind(group.tokens)
                    .bind(group.kind.name())
                    .bind(group.control.name())
                    .bind(group.blind)
            }
        }

        impl Store for $store {
            fn add_person<'a>(&'a self, person: &'a NewPerson) -> Pending<'a, i64> {
                Box::pin(async move {
                    let mut connection = self.write.acquire().await?;
                    Ok(Self::insert_person(&mut connection, None, person).await?)
                })
            }

            fn person<'a>(&'a self, secret: &'a str) -> Pending<'a, Option<Person>> {
                Box::pin(async move {
                    let statement = "SELECT id, name, code, simulated AS policy FROM people WHERE secret = $1";
                    let found = sqlx::query(statement).bind(secret).fetch_optional(&self.read).await?;
                    Ok(found.map(|row| Self::read_person(&row, "id")).transpose()?)
                })
            }

            fn person_by_code<'a>(&'a self, code: &'a str) -> Pending<'a, Option<Person>> {
                Box::pin(async move {
                    let statement = "SELECT id, name, code, simulated AS policy FROM people WHERE code = $1";
                    let found = sqlx::query(statement).bind(code).fetch_optional(&self.read).await?;
                    Ok(found.map(|row| Self::read_person(&row, "id")).transpose()?)
                })
            }

            fn record(&self, person: i64) -> Pending<'_, Option<Record>> {
                Box::pin(async move {
                    let find = sqlx::query_as("SELECT consent, day FROM people WHERE id = $1").bind(person);
                    let Some((consent, day)) = find.fetch_optional(&self.read).await? else { return Ok(None) };
                    let starts = sqlx::query("SELECT * FROM issued WHERE person = $1 ORDER BY issued_ms, id");
                    let starts = starts.bind(person).fetch_all(&self.read).await?;
                    let starts = starts.iter().map(Self::read_issued).collect::<Result<_, _>>()?;
                    Ok(Some(Record { consent, day, starts }))
                })
            }

            fn forget<'a>(&'a self, person: &'a Person) -> Pending<'a, u64> {
                Box::pin(async move {
                    let Person { id: person, code, .. } = person;
                    let mut change = self.write.begin_with($dialect.begin).await?;
                    Self::lock_people(&mut change, [*person]).await?;
                    let statement = "SELECT puzzle, simulated, length, ms FROM plays WHERE person = $1 AND first";
                    let firsts = sqlx::query(statement).bind(person).fetch_all(&mut *change).await?;
                    let mut changes = Changes::default();
                    for row in &firsts {
                        let puzzle: String = row.try_get("puzzle")?;
                        let (length, ms) = (row.try_get("length")?, row.try_get("ms")?);
                        changes.count(&puzzle, row.try_get("simulated")?, length, ms, -1);
                    }
                    Self::summarise(&mut change, changes).await?;
                    let standings = sqlx::query("DELETE FROM standings WHERE person = $1").bind(person);
                    standings.execute(&mut *change).await?;
                    let plays = sqlx::query("DELETE FROM plays WHERE person = $1").bind(person);
                    let forgotten = plays.execute(&mut *change).await?.rows_affected();
                    let starts = sqlx::query("DELETE FROM issued WHERE person = $1").bind(person);
                    starts.execute(&mut *change).await?;
                    sqlx::query("DELETE FROM people WHERE id = $1").bind(person).execute(&mut *change).await?;
                    Self::remember_forgotten(&mut change, code).await?;
                    change.commit().await?;
                    self.clean_up().await;
                    Ok(forgotten)
                })
            }

            fn is_forgotten<'a>(&'a self, code: &'a str) -> Pending<'a, bool> {
                Box::pin(async move {
                    let statement = "SELECT 1 FROM forgotten WHERE code = $1";
                    let found = sqlx::query(statement).bind(code).fetch_optional(&self.read).await?;
                    Ok(found.is_some())
                })
            }

            fn add_play<'a>(&'a self, play: &'a KeptPlay) -> Pending<'a, bool> {
                Box::pin(self.keep(None, play))
            }

            fn add_plays<'a>(&'a self, plays: &'a [KeptPlay]) -> Pending<'a, u64> {
                Box::pin(async move {
                    let mut change = self.write.begin_with($dialect.begin).await?;
                    Self::lock_people(&mut change, plays.iter().map(|play| play.person)).await?;
                    let mut changes = Changes::default();
                    let mut added = 0;
                    for play in plays {
                        added += u64::from(Self::keep_play(&mut change, play, &mut changes).await?);
                    }
                    Self::summarise(&mut change, changes).await?;
                    change.commit().await?;
                    Ok(added)
                })
            }

            fn keep_ranked<'a>(&'a self, start: &'a str, play: &'a KeptPlay) -> Pending<'a, bool> {
                Box::pin(self.keep(Some(start), play))
            }

            fn play<'a>(&'a self, id: &'a str) -> Pending<'a, Option<(KeptPlay, Person)>> {
                Box::pin(async move {
                    let statement = "SELECT plays.*, people.name, people.code, people.simulated AS policy \
                                     FROM plays JOIN people ON people.id = person WHERE plays.id = $1";
                    let rows = sqlx::query(statement).bind(id).fetch_all(&self.read).await?;
                    Ok(Self::named_plays(&rows)?.pop())
                })
            }

            fn plays_of<'a>(
                &'a self,
                person: i64,
                after: &'a str,
                limit: u32,
            ) -> Pending<'a, Vec<KeptPlay>> {
                Box::pin(async move {
                    let find = sqlx::query(super::statements::PLAYS_OF).bind(person).bind(after);
                    let find = find.bind(i64::from(limit)).bind(super::statements::PAGE_BYTES);
                    let rows = find.fetch_all(&self.read).await?;
                    rows.iter().map(|row| Ok(Self::read_play(row)?)).collect()
                })
            }

            fn plays<'a>(&'a self, after: &'a str, limit: u32) -> Pending<'a, Vec<(KeptPlay, Person)>> {
                Box::pin(async move {
                    let find = sqlx::query(super::statements::NAMED_PLAYS).bind(after);
                    let find = find.bind(i64::from(limit)).bind(super::statements::PAGE_BYTES);
                    Self::named_plays(&find.fetch_all(&self.read).await?)
                })
            }

            fn solutions<'a>(
                &'a self,
                puzzle: &'a str,
                with_simulated: bool,
                limit: u32,
            ) -> Pending<'a, Vec<(KeptPlay, Person)>> {
                Box::pin(async move {
                    let find = sqlx::query(super::statements::SOLUTIONS).bind(puzzle).bind(with_simulated);
                    let find = find.bind(i64::from(limit)).bind(super::statements::PAGE_BYTES);
                    Self::named_plays(&find.fetch_all(&self.read).await?)
                })
            }

            fn solution_costs<'a>(
                &'a self,
                puzzle: &'a str,
                limit: u32,
            ) -> Pending<'a, (i64, Vec<(i64, i64)>)> {
                Box::pin(async move {
                    let people = "SELECT COUNT(DISTINCT person) FROM plays JOIN people ON people.id = person \
                                  WHERE puzzle = $1 AND solved AND NOT helped AND people.simulated IS NULL";
                    let people = sqlx::query_scalar(people).bind(puzzle).fetch_one(&self.read).await?;
                    let costs = "SELECT length, ms FROM plays JOIN people ON people.id = person \
                                 WHERE puzzle = $1 AND solved AND NOT helped AND people.simulated IS NULL \
                                 ORDER BY length, ms, plays.id LIMIT $2";
                    let costs = sqlx::query_as(costs).bind(puzzle).bind(i64::from(limit));
                    Ok((people, costs.fetch_all(&self.read).await?))
                })
            }

            fn firsts<'a>(&'a self, puzzle: &'a str, players: Players) -> Pending<'a, Firsts> {
                Box::pin(async move {
                    let statement = "SELECT measure, value, plays FROM first_counts \
                                     WHERE puzzle = $1 AND simulated = $2 ORDER BY measure, value";
                    let find = sqlx::query(statement).bind(puzzle).bind(players.are_simulated());
                    let rows = find.fetch_all(&self.read).await?;
                    let mut firsts = Firsts::default();
                    for row in &rows {
                        let measure: String = row.try_get("measure")?;
                        let counts = if measure == "length" { &mut firsts.lengths } else { &mut firsts.tenths };
                        counts.push((row.try_get("value")?, row.try_get("plays")?));
                    }
                    Ok(firsts)
                })
            }

            fn first_moves<'a>(
                &'a self,
                puzzle: &'a str,
                players: Players,
                limit: u32,
                moves: u32,
            ) -> Pending<'a, Vec<String>> {
                Box::pin(async move {
                    let statement = "SELECT SUBSTR(moves, 1, $4) FROM plays \
                                     WHERE first AND puzzle = $1 AND simulated = $2 ORDER BY ms LIMIT $3";
                    let find = sqlx::query_scalar(statement).bind(puzzle).bind(players.are_simulated());
                    let find = find.bind(i64::from(limit)).bind((moves * super::statements::MAX_MOVE_LENGTH) as i32);
                    let texts: Vec<String> = find.fetch_all(&self.read).await?;
                    let begin = |text: &String| text.split(' ').take(moves as usize).collect::<Vec<_>>().join(" ");
                    Ok(texts.iter().map(begin).collect())
                })
            }

            fn groups(&self) -> Pending<'_, Vec<GroupCount>> {
                Box::pin(async move {
                    let statement =
                        "SELECT board, tokens, kind, control, blind, CAST(SUM(solves) AS BIGINT) AS plays, \
                         CAST(SUM(CASE WHEN simulated THEN solves ELSE 0 END) AS BIGINT) AS simulated \
                         FROM standings GROUP BY board, tokens, kind, control, blind \
                         ORDER BY plays DESC, board, tokens, kind, control, blind";
                    let rows = sqlx::query(statement).fetch_all(&self.read).await?;
                    let read = |row: &$row| {
                        let (plays, simulated) = (row.try_get("plays")?, row.try_get("simulated")?);
                        Ok(GroupCount { group: Self::read_group(row)?, plays, simulated })
                    };
                    rows.iter().map(read).collect()
                })
            }

            fn ranked<'a>(&'a self, group: &'a Group) -> Pending<'a, Vec<RankedPlay>> {
                Box::pin(async move {
                    let rows = Self::of_group(super::statements::RANKED_PLAYS, group).fetch_all(&self.read).await?;
                    rows.iter().map(|row| Ok(Self::read_ranked(row)?)).collect()
                })
            }

            fn best<'a>(&'a self, group: &'a Group, limit: u32) -> Pending<'a, BestList> {
                Box::pin(async move {
                    let statement =
                        "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN simulated THEN 1 ELSE 0 END), 0) AS BIGINT) \
                         FROM standings \
                         WHERE board = $1 AND tokens = $2 AND kind = $3 AND control = $4 AND blind = $5";
                    let count = Self::of_group(statement, group);
                    let count = count.fetch_one(&self.read).await?;
                    let (all, simulated): (i64, i64) = (count.try_get(0)?, count.try_get(1)?);
                    let statement =
                        "SELECT standings.*, people.name, people.code, people.simulated AS policy \
                         FROM standings JOIN people ON people.id = person \
                         WHERE board = $1 AND tokens = $2 AND kind = $3 AND control = $4 AND blind = $5 \
                         ORDER BY ranked_by, then_by, play LIMIT $6";
                    let find = Self::of_group(statement, group)
                        .bind(i64::from(limit));
                    let rows = find.fetch_all(&self.read).await?;
                    let read = |row: &$row| -> Result<(Standing, Person), sqlx::Error> {
                        Ok((Self::read_standing(row)?, Self::read_person(row, "person")?))
                    };
                    Ok(BestList {
                        people: (all - simulated).unsigned_abs(),
                        simulated: simulated.unsigned_abs(),
                        best: rows.iter().map(read).collect::<Result<_, _>>()?,
                    })
                })
            }

            fn issue<'a>(&'a self, start: &'a Issued) -> Pending<'a, ()> {
                Box::pin(async move {
                    let mut change = self.write.begin_with($dialect.begin).await?;
                    Self::lock_people(&mut change, [start.person]).await?;
                    Self::insert_start(&mut change, start).await?;
                    let statement = "DELETE FROM issued WHERE person = $1 AND id NOT IN \
                                     (SELECT id FROM issued WHERE person = $1 ORDER BY issued_ms DESC LIMIT 100)";
                    sqlx::query(statement).bind(start.person).execute(&mut *change).await?;
                    change.commit().await?;
                    Ok(())
                })
            }

            fn issued<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>> {
                Box::pin(async move {
                    let find = sqlx::query("SELECT * FROM issued WHERE id = $1").bind(id);
                    let found = find.fetch_optional(&self.read).await?;
                    Ok(found.map(|row| Self::read_issued(&row)).transpose()?)
                })
            }

            fn take<'a>(&'a self, id: &'a str) -> Pending<'a, Option<Issued>> {
                Box::pin(async move {
                    let take = sqlx::query("DELETE FROM issued WHERE id = $1 RETURNING *").bind(id);
                    let found = take.fetch_optional(&self.write).await?;
                    Ok(found.map(|row| Self::read_issued(&row)).transpose()?)
                })
            }

            fn send_all(&self, parts: Sender<Part>) -> Pending<'_, ()> {
                const PART: i64 = 1000;
                Box::pin(async move {
                    let mut snapshot = self.read.begin_with($dialect.begin_snapshot).await?;
                    let codes = sqlx::query_scalar("SELECT code FROM forgotten").fetch_all(&mut *snapshot).await?;
                    // Who does not listen any more has said why elsewhere.
                    let mut listens = parts.send(Part::Forgotten(codes)).await.is_ok();
                    let mut last = i64::MIN;
                    while listens {
                        let statement = "SELECT *, simulated AS policy FROM people WHERE id > $1 ORDER BY id LIMIT $2";
                        let find = sqlx::query(statement).bind(last).bind(PART);
                        let rows = find.fetch_all(&mut *snapshot).await?;
                        let read = |row: &$row| -> Result<(i64, NewPerson), sqlx::Error> {
                            let secret: String = row.try_get("secret")?;
                            let person = NewPerson {
                                name: row.try_get("name")?,
                                code: row.try_get("code")?,
                                secret: (!secret.starts_with("none ")).then_some(secret),
                                consent: row.try_get("consent")?,
                                day: row.try_get("day")?,
                                simulated: row.try_get("policy")?,
                            };
                            Ok((row.try_get("id")?, person))
                        };
                        let people = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
                        let Some((number, _)) = people.last() else { break };
                        last = *number;
                        listens = parts.send(Part::People(people)).await.is_ok();
                    }
                    let mut last = String::new();
                    while listens {
                        let find = sqlx::query("SELECT * FROM issued WHERE id > $1 ORDER BY id LIMIT $2");
                        let rows = find.bind(&last).bind(PART).fetch_all(&mut *snapshot).await?;
                        let starts = rows.iter().map(Self::read_issued).collect::<Result<Vec<_>, _>>()?;
                        let Some(start) = starts.last() else { break };
                        last.clone_from(&start.id);
                        listens = parts.send(Part::Starts(starts)).await.is_ok();
                    }
                    let mut last = String::new();
                    while listens {
                        let find = sqlx::query(super::statements::PLAYS).bind(&last).bind(PART).bind(super::statements::PAGE_BYTES);
                        let rows = find.fetch_all(&mut *snapshot).await?;
                        let plays = rows.iter().map(Self::read_play).collect::<Result<Vec<_>, _>>()?;
                        let Some(play) = plays.last() else { break };
                        last.clone_from(&play.id);
                        listens = parts.send(Part::Plays(plays)).await.is_ok();
                    }
                    if listens {
                        let _ = parts.send(Part::End).await;
                    }
                    snapshot.rollback().await?;
                    Ok(())
                })
            }

            fn replace_all(&self, mut parts: Receiver<Part>) -> Pending<'_, Copied> {
                Box::pin(async move {
                    let mut change = self.write.begin_with($dialect.begin).await?;
                    if let Some(statement) = $dialect.lock_all {
                        sqlx::query(statement).execute(&mut *change).await?;
                    }
                    // What waits until this has ended carries numbers of people: those who are in
                    // both keep theirs, and the others get new ones, which nobody had before.
                    let known: HashMap<String, i64> =
                        sqlx::query_as("SELECT code, id FROM people").fetch_all(&mut *change).await?.into_iter().collect();
                    let mut numbers: HashMap<i64, i64> = HashMap::new();
                    let mut simulated: BTreeSet<i64> = BTreeSet::new();
                    let number_of = |numbers: &HashMap<i64, i64>, number: i64| {
                        numbers.get(&number).copied().ok_or(sqlx::Error::RowNotFound)
                    };
                    for statement in ["DELETE FROM standings", "DELETE FROM plays", "DELETE FROM issued", "DELETE FROM people"] {
                        sqlx::query(statement).execute(&mut *change).await?;
                    }
                    let mut copied = Copied::default();
                    loop {
                        let Some(part) = parts.recv().await else {
                            // Dropping the change takes it back.
                            return Err(StoreError::Database(sqlx::Error::WorkerCrashed));
                        };
                        match part {
                            Part::End => break,
                            Part::Forgotten(codes) => {
                                for code in &codes {
                                    Self::remember_forgotten(&mut change, code).await?;
                                }
                            }
                            Part::People(people) => {
                                for (number, person) in &people {
                                    let here = known.get(&person.code).copied();
                                    let here = Self::insert_person(&mut change, here, person).await?;
                                    numbers.insert(*number, here);
                                    if person.simulated.is_some() {
                                        simulated.insert(here);
                                    }
                                }
                            }
                            Part::Starts(starts) => {
                                for mut start in starts {
                                    start.person = number_of(&numbers, start.person)?;
                                    Self::insert_start(&mut change, &start).await?;
                                }
                            }
                            Part::Plays(plays) => {
                                let place = |mut play: KeptPlay| {
                                    play.person = number_of(&numbers, play.person)?;
                                    Ok::<_, sqlx::Error>(play)
                                };
                                let plays = plays.into_iter().map(place).collect::<Result<Vec<_>, _>>()?;
                                Self::insert_plays(&mut change, &plays, &simulated).await?;
                            }
                        }
                    }
                    for statement in $dialect.count_plays {
                        sqlx::query(*statement).execute(&mut *change).await?;
                    }
                    // Plays came by name, and not by number.
                    for statement in [
                        "DELETE FROM plays WHERE person IN \
                         (SELECT id FROM people WHERE code IN (SELECT code FROM forgotten))",
                        "DELETE FROM issued WHERE person IN \
                         (SELECT id FROM people WHERE code IN (SELECT code FROM forgotten))",
                        "DELETE FROM people WHERE code IN (SELECT code FROM forgotten)",
                        NOT_FIRST,
                        FIRST,
                        "DELETE FROM first_counts",
                        COUNT_LENGTHS,
                        COUNT_TENTHS,
                    ] {
                        sqlx::query(statement).execute(&mut *change).await?;
                    }
                    Self::fill_standings(&mut change).await?;
                    for (statement, count) in [
                        ("SELECT COUNT(*) FROM people", &mut copied.people),
                        ("SELECT COUNT(*) FROM plays", &mut copied.plays),
                    ] {
                        let found: i64 = sqlx::query_scalar(statement).fetch_one(&mut *change).await?;
                        *count = found.unsigned_abs();
                    }
                    change.commit().await?;
                    self.clean_up().await;
                    Ok(copied)
                })
            }

            fn simulated(&self, limit: u32) -> Pending<'_, Vec<Person>> {
                Box::pin(async move {
                    let statement = "SELECT id, name, code, simulated AS policy FROM people \
                                     WHERE simulated IS NOT NULL ORDER BY id LIMIT $1";
                    let find = sqlx::query(statement).bind(i64::from(limit));
                    let rows = find.fetch_all(&self.read).await?;
                    rows.iter().map(|row| Ok(Self::read_person(row, "id")?)).collect()
                })
            }

            fn is_empty(&self) -> Pending<'_, bool> {
                Box::pin(async move {
                    let statement = "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM people LIMIT 1) AS some_people) \
                                     + (SELECT COUNT(*) FROM (SELECT 1 FROM forgotten LIMIT 1) AS some_codes)";
                    let known: i64 = sqlx::query_scalar(statement).fetch_one(&self.read).await?;
                    Ok(known == 0)
                })
            }

            fn check(&self) -> Pending<'_, ()> {
                Box::pin(async move {
                    sqlx::query("SELECT version FROM version").fetch_one(&self.read).await?;
                    Ok(())
                })
            }

            fn close(&self) -> Pending<'_, ()> {
                Box::pin(async move {
                    self.read.close().await;
                    self.clean_up().await;
                    self.write.close().await;
                    Ok(())
                })
            }
        }
    };
}

pub(super) use store_of;
