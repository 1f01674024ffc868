//! Best lists: the groups of plays that are compared, and the standings in each.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use hyperslide_plays::{AVERAGES, Group, Kind, Person, Single, Standing};
use hyperslide_puzzle::shorten;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use super::people::{failed, store};
use crate::error::{ErrorBody, Refusal};
use crate::extract::Parameters;
use crate::state::App;

/// The most people of a list.
const LISTED: u32 = 100;

/// A group of ranked plays that are compared with each other.
#[derive(Serialize, ToSchema)]
pub struct GroupBody {
    /// The board, as in grid:4:4.
    board: String,
    /// The number of tokens.
    tokens: i64,
    /// `timed` or `fewest`.
    kind: &'static str,
    /// With what the plays were made: `hover`, `click`, `keys`, `touch` or `typed`.
    control: &'static str,
    /// Whether the numbers of the tiles vanished after the first move.
    blind: bool,
    /// The number of plays.
    plays: i64,
    /// How many of these are simulated.
    simulated: i64,
}

/// All groups that have ranked plays, those with the most plays first.
#[utoipa::path(get, path = "/api/ranks", tag = "plays", responses(
    (status = 200, body = [GroupBody]), (status = 503, body = ErrorBody)))]
pub async fn groups(State(app): State<Arc<App>>) -> Answer<Vec<GroupBody>> {
    let groups = store(&app)?.groups().await.map_err(failed)?;
    let body = groups.into_iter().map(|count| {
        let Group { board, tokens, kind, control, blind } = count.group;
        GroupBody {
            board,
            tokens,
            kind: kind.name(),
            control: control.name(),
            blind,
            plays: count.plays,
            simulated: count.simulated,
        }
    });
    Ok(Json(body.collect()))
}

/// Which group.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GroupQuery {
    /// The board with its metric, as in grid:4:4.
    #[param(example = "grid:3:3")]
    board: String,
    /// The number of tokens.
    #[param(example = 8)]
    tokens: u32,
    /// `timed` or `fewest`.
    #[param(example = "timed")]
    kind: String,
    /// `hover`, `click`, `keys`, `touch` or `typed`.
    #[param(example = "keys")]
    control: String,
    /// Whether the numbers of the tiles vanished after the first move.
    #[serde(default)]
    blind: bool,
}

/// The best of a person in a group.
#[derive(Serialize, ToSchema)]
pub struct StandingBody {
    /// The random name.
    name: String,
    /// The policy that made the plays, when the person does not exist; null for people.
    simulated: Option<String>,
    /// The number of ranked plays.
    solves: usize,
    /// The name of the best play.
    play: String,
    /// Its number of moves.
    length: i64,
    /// Its number of moves where tiles that slide together count once, on grids.
    multi: Option<i64>,
    /// Its time in milliseconds.
    ms: i64,
    /// The best averages of 5, 12, 50 and 100 plays in a row without the best and the worst
    /// twentieth of them: in milliseconds when timed, otherwise in moves; null for those with fewer
    /// plays.
    averages: Vec<Option<f64>>,
    /// The most moves per second of a play, its first move left out: the clock starts with it.
    most_per_second: f64,
}

/// The standings of a group.
#[derive(Serialize, ToSchema)]
pub struct StandingsBody {
    /// The number of people with plays, simulated ones left out.
    people: usize,
    /// The number of simulated ones.
    simulated: usize,
    /// The numbers of plays of the averages.
    averages: [usize; 4],
    /// The best, at most a hundred, by their best single play.
    best: Vec<StandingBody>,
}

/// The best list of a group: best plays and best averages of each person.
#[utoipa::path(get, path = "/api/ranks/list", tag = "plays", params(GroupQuery), responses(
    (status = 200, body = StandingsBody), (status = 400, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub async fn list(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<GroupQuery>,
) -> Answer<StandingsBody> {
    let kind: Kind = query.kind.parse().map_err(Refusal::bad_request)?;
    if kind == Kind::Explore {
        return Err(Refusal::bad_request("explored plays are not ranked: write timed or fewest"));
    }
    let control = query.control.parse().map_err(Refusal::bad_request)?;
    let board = query.board.trim().to_owned();
    if board.contains(char::is_control) {
        return Err(Refusal::bad_request(format!(
            "'{}' is not a board: write one as in grid:4:4",
            shorten(&board)
        )));
    }
    let tokens = i64::from(query.tokens);
    let group = Group { board, tokens, kind, control, blind: query.blind };
    let list = store(&app)?.best(&group, LISTED).await.map_err(failed)?;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let body = list.best.into_iter().map(|(standing, person)| StandingBody::new(standing, &person));
    Ok(Json(StandingsBody {
        people: count(list.people),
        simulated: count(list.simulated),
        averages: AVERAGES,
        best: body.collect(),
    }))
}

impl StandingBody {
    fn new(standing: Standing, person: &Person) -> StandingBody {
        let Standing { solves, best, averages, most_per_second, .. } = standing;
        let Single { play, length, multi, ms } = best;
        StandingBody {
            name: person.name.clone(),
            simulated: person.simulated.clone(),
            solves,
            play,
            length,
            multi,
            ms,
            averages: averages.to_vec(),
            most_per_second,
        }
    }
}
