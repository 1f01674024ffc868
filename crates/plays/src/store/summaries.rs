//! The summaries that pages are made of: what a transaction changes in them, and how that is
//! written.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, KeptPlay};
use crate::play::Kind;

/// A row of the counts of first solutions: the puzzle, whether the people are simulated, the
/// measure and its value.
pub type CountKey = (String, bool, &'static str, i64);

/// What a transaction changes: it is written at the end, in one order, so that no two transactions
/// wait for each other.
#[derive(Debug, Default)]
pub struct Changes {
    /// By how much the counts of first solutions change.
    pub counts: BTreeMap<CountKey, i64>,
    /// The people and groups whose standings must be computed again.
    pub standings: BTreeSet<(Group, i64)>,
}

impl Changes {
    /// Adds other changes of the same transaction.
    pub fn add(&mut self, others: Changes) {
        for (key, by) in others.counts {
            *self.counts.entry(key).or_default() += by;
        }
        self.standings.extend(others.standings);
    }

    /// A play was kept.
    pub fn kept(&mut self, play: &KeptPlay, first: bool, simulated: bool) {
        if first {
            self.count(&play.puzzle, simulated, play.length, play.ms, 1);
        }
        if play.group.kind != Kind::Explore {
            self.standings.insert((play.group.clone(), play.person));
        }
    }

    /// The number of first solutions with this length and time changes.
    pub fn count(&mut self, puzzle: &str, simulated: bool, length: i64, ms: i64, by: i64) {
        for (measure, value) in [("length", length), ("tenth", ms / 100)] {
            *self.counts.entry((puzzle.to_owned(), simulated, measure, value)).or_default() += by;
        }
    }
}

/// Makes what a store of a type needs to keep its summaries.
macro_rules! summaries_of {
    ($store:ty, $connection:ty) => {
        impl $store {
            /// Computes the standings of everybody.
            async fn fill_standings(change: &mut $connection) -> Result<(), StoreError> {
                sqlx::query("DELETE FROM standings").execute(&mut *change).await?;
                let statement = "SELECT DISTINCT board, tokens, kind, control, blind FROM plays \
                                 WHERE kind <> 'explore'";
                let groups = sqlx::query(statement).fetch_all(&mut *change).await?;
                for row in &groups {
                    let group = Self::read_group(row)?;
                    let rows = Self::of_group(super::statements::RANKED_PLAYS, &group).fetch_all(&mut *change).await?;
                    let plays = rows.iter().map(Self::read_ranked).collect::<Result<Vec<_>, _>>()?;
                    for standing in standings(&plays, group.kind) {
                        Self::put_standing(change, &group, &standing).await?;
                    }
                }
                Ok(())
            }

            /// Writes what a transaction changed into the summaries.
            async fn summarise(change: &mut $connection, changes: Changes) -> Result<(), sqlx::Error> {
                for ((puzzle, simulated, measure, value), by) in changes.counts {
                    if by == 0 {
                        continue;
                    }
                    let statement = "INSERT INTO first_counts (puzzle, simulated, measure, value, plays) \
                                     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (puzzle, simulated, measure, value) \
                                     DO UPDATE SET plays = first_counts.plays + excluded.plays";
                    let put = sqlx::query(statement).bind(&puzzle).bind(simulated).bind(measure).bind(value);
                    put.bind(by).execute(&mut *change).await?;
                    if by < 0 {
                        let statement = "DELETE FROM first_counts WHERE puzzle = $1 AND simulated = $2 \
                                         AND measure = $3 AND value = $4 AND plays <= 0";
                        let remove = sqlx::query(statement).bind(&puzzle).bind(simulated);
                        remove.bind(measure).bind(value).execute(&mut *change).await?;
                    }
                }
                for (group, person) in changes.standings {
                    let statement = "SELECT person, id, length, multi, ms FROM plays WHERE kind <> 'explore' \
                                     AND board = $1 AND tokens = $2 AND kind = $3 AND control = $4 AND blind = $5 \
                                     AND person = $6 ORDER BY number, id";
                    let find = Self::of_group(statement, &group).bind(person);
                    let rows = find.fetch_all(&mut *change).await?;
                    let plays = rows.iter().map(Self::read_ranked).collect::<Result<Vec<_>, _>>()?;
                    for standing in standings(&plays, group.kind) {
                        Self::put_standing(change, &group, &standing).await?;
                    }
                }
                Ok(())
            }

            async fn put_standing(
                change: &mut $connection,
                group: &Group,
                standing: &Standing,
            ) -> Result<(), sqlx::Error> {
                let statement =
                    "INSERT INTO standings (board, tokens, kind, control, blind, person, simulated, solves, play, \
                     length, multi, ms, ranked_by, then_by, average_5, average_12, average_50, average_100, \
                     most_per_second) VALUES ($1, $2, $3, $4, $5, $6, \
                     COALESCE((SELECT simulated IS NOT NULL FROM people WHERE id = $6), FALSE), \
                     $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) \
                     ON CONFLICT (board, tokens, kind, control, blind, person) DO UPDATE SET \
                     solves = excluded.solves, play = excluded.play, length = excluded.length, \
                     multi = excluded.multi, ms = excluded.ms, ranked_by = excluded.ranked_by, \
                     then_by = excluded.then_by, average_5 = excluded.average_5, average_12 = excluded.average_12, \
                     average_50 = excluded.average_50, average_100 = excluded.average_100, \
                     most_per_second = excluded.most_per_second";
                let (ranked_by, then_by) = standing.best.key(group.kind);
                let mut put = Self::of_group(statement, group)
                    .bind(standing.person)
                    .bind(i64::try_from(standing.solves).unwrap_or(i64::MAX))
                    .bind(&standing.best.play)
                    .bind(standing.best.length)
                    .bind(standing.best.multi)
                    .bind(standing.best.ms)
                    .bind(ranked_by)
                    .bind(then_by);
                for average in standing.averages {
                    put = put.bind(average);
                }
                put.bind(standing.most_per_second).execute(change).await?;
                Ok(())
            }
        }
    };
}

pub(super) use summaries_of;
