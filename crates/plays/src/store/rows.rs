//! What rows of the databases say, read as the values that the program works with.

/// Makes the readers of the rows of a store of a type.
macro_rules! rows_of {
    ($store:ty, $row:ty) => {
        impl $store {
            fn read_standing(row: &$row) -> Result<Standing, sqlx::Error> {
                Ok(Standing {
                    person: row.try_get("person")?,
                    solves: usize::try_from(row.try_get::<i64, _>("solves")?).unwrap_or(0),
                    best: Single {
                        play: row.try_get("play")?,
                        length: row.try_get("length")?,
                        multi: row.try_get("multi")?,
                        ms: row.try_get("ms")?,
                    },
                    averages: [
                        row.try_get("average_5")?,
                        row.try_get("average_12")?,
                        row.try_get("average_50")?,
                        row.try_get("average_100")?,
                    ],
                    most_per_second: row.try_get("most_per_second")?,
                })
            }

            fn read_ranked(row: &$row) -> Result<RankedPlay, sqlx::Error> {
                Ok(RankedPlay {
                    person: row.try_get("person")?,
                    id: row.try_get("id")?,
                    length: row.try_get("length")?,
                    multi: row.try_get("multi")?,
                    ms: row.try_get("ms")?,
                })
            }

            fn read_play(row: &$row) -> Result<KeptPlay, sqlx::Error> {
                let text = |name: &str| row.try_get::<String, _>(name);
                let number = |name: &str| row.try_get::<i64, _>(name);
                Ok(KeptPlay {
                    id: text("id")?,
                    person: number("person")?,
                    number: number("number")?,
                    puzzle: text("puzzle")?,
                    group: Self::read_group(row)?,
                    moves: text("moves")?,
                    length: number("length")?,
                    multi: row.try_get("multi")?,
                    ms: number("ms")?,
                    solved: row.try_get("solved")?,
                    helped: row.try_get("helped")?,
                    day: number("day")?,
                })
            }

            fn read_group(row: &$row) -> Result<Group, sqlx::Error> {
                let unknown = |error: PlayError| sqlx::Error::Decode(Box::new(error));
                Ok(Group {
                    board: row.try_get("board")?,
                    tokens: row.try_get("tokens")?,
                    kind: row.try_get::<String, _>("kind")?.parse().map_err(unknown)?,
                    control: row.try_get::<String, _>("control")?.parse().map_err(unknown)?,
                    blind: row.try_get("blind")?,
                })
            }

            fn read_person(row: &$row, id: &str) -> Result<Person, sqlx::Error> {
                Ok(Person {
                    id: row.try_get(id)?,
                    name: row.try_get("name")?,
                    code: row.try_get("code")?,
                    simulated: row.try_get("policy")?,
                })
            }

            fn named_plays(rows: &[$row]) -> Result<Vec<(KeptPlay, Person)>, StoreError> {
                let read =
                    |row: &$row| Ok((Self::read_play(row)?, Self::read_person(row, "person")?));
                rows.iter().map(read).collect()
            }

            fn read_issued(row: &$row) -> Result<Issued, sqlx::Error> {
                let unknown = |error: PlayError| sqlx::Error::Decode(Box::new(error));
                Ok(Issued {
                    id: row.try_get("id")?,
                    person: row.try_get("person")?,
                    puzzle: row.try_get("puzzle")?,
                    kind: row.try_get::<String, _>("kind")?.parse().map_err(unknown)?,
                    blind: row.try_get("blind")?,
                    issued_ms: row.try_get("issued_ms")?,
                })
            }
        }
    };
}

pub(super) use rows_of;
