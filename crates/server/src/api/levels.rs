//! The ladder, and the puzzle of the day.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use hyperslide_puzzle::shorten;
use hyperslide_table::lock;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::Parameters;
use crate::guard::Client;
use crate::levels::{Day, FIRST_DAY, Ladder, ladder as read_ladder};
use crate::state::App;

/// The ladder of levels with their true minima.
#[utoipa::path(get, path = "/api/levels", tag = "puzzles", responses((status = 200, body = Ladder)))]
pub async fn ladder() -> Json<&'static Ladder> {
    Json(read_ladder())
}

/// Days in UTC are of one length.
const SECONDS_OF_A_DAY: i64 = 86_400;

/// Which day.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DayQuery {
    /// The day, as in 2026-11-24; today in UTC when it is left out. From 2026-01-01 until tomorrow.
    #[param(format = Date, example = "2026-01-02")]
    date: Option<String>,
}

/// The puzzle of a day.
#[derive(Serialize, ToSchema)]
pub struct Daily {
    /// The day.
    date: String,
    /// Its number, from 1 on 2026-01-01.
    number: i32,
    /// What kind of puzzle it is.
    title: String,
    /// The puzzle in one line.
    puzzle: String,
    /// The number of moves of a shortest solution; null when none was proven in the time.
    minimum: Option<u32>,
    /// Seconds until the next one.
    next_s: i64,
    /// By which law it was drawn.
    law: &'static str,
}

/// The day that is asked for, given the day that the clock says.
fn asked_day(asked: Option<&str>, today: Date) -> Result<Date, Refusal> {
    if today < FIRST_DAY {
        return Err(Refusal::unavailable(format!(
            "the clock of this server says {today}, and puzzles begin on {FIRST_DAY}: set it"
        )));
    }
    let Some(text) = asked else { return Ok(today) };
    let shown = shorten(text);
    let parsed: Result<Date, _> = text.parse();
    let last = today.saturating_add(1.day());
    parsed.ok().filter(|&date| (FIRST_DAY..=last).contains(&date)).ok_or_else(|| {
        Refusal::bad_request(format!(
            "'{shown}' has no puzzle: write a day from {FIRST_DAY} to {last}"
        ))
    })
}

/// A day's puzzle. Everybody gets the same one.
#[utoipa::path(get, path = "/api/daily", tag = "puzzles", params(DayQuery), responses(
    (status = 200, body = Daily), (status = 400, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub async fn daily(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Parameters(query): Parameters<DayQuery>,
) -> Answer<Daily> {
    let today = crate::today();
    let date = asked_day(query.date.as_deref(), today)?;
    let since_midnight = Timestamp::now().as_second().rem_euclid(SECONDS_OF_A_DAY);
    let next_s = SECONDS_OF_A_DAY - since_midnight;
    let known = lock(&app.days).get(&date).cloned();
    let day = match known {
        Some(day) => day,
        None => {
            let draw = move |app: &App| {
                // Others may have asked while this question waited.
                let known = lock(&app.days).get(&date).cloned();
                if known.is_some() {
                    return known;
                }
                let day = Day::of(date)?;
                // A machine that was busy may prove the minimum the next time.
                if day.minimum.is_some() {
                    lock(&app.days).put(date, day.clone());
                }
                Some(day)
            };
            app.run_long(client, draw).await?.ok_or_else(|| {
                Refusal::busy("the puzzle of the day could not be drawn: try again")
            })?
        }
    };
    let Day { number, title, puzzle, minimum } = day;
    Ok(Json(Daily {
        date: date.to_string(),
        number,
        title: title.to_owned(),
        puzzle,
        minimum,
        next_s,
        law: "Drawn at random from all starts of this board that can be solved. The number of the day is the seed.",
    }))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_clock_that_was_not_set_is_named() {
        let refused = asked_day(None, date(1970, 1, 2)).unwrap_err();
        assert_eq!(refused.status(), axum::http::StatusCode::SERVICE_UNAVAILABLE);
        assert!(format!("{refused:?}").contains("the clock of this server says 1970-01-02"));
        let today = date(2026, 11, 24);
        assert_eq!(asked_day(None, today).unwrap(), today);
        assert_eq!(asked_day(Some("2026-11-25"), today).unwrap(), date(2026, 11, 25));
        for wrong in ["2026-11-26", "2025-12-31", "soon"] {
            assert_eq!(asked_day(Some(wrong), today).unwrap_err().status(), 400, "{wrong}");
        }
    }
}
