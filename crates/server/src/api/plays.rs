//! Plays of people: starts that are issued, plays that are kept, and the plays of a puzzle.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use hyperslide_lab::{Law, RandomPuzzles};
use hyperslide_plays::{
    Control, Group, Issued, KeptPlay, Kind, MAX_INSPECTION, Person, Play, check_puzzle,
    check_ranked, date, now_ms, today,
};
use hyperslide_puzzle::{BoardSpec, shorten};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use super::people::{digest, failed, person, store};
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters, Segment};
use crate::guard::Client;
use crate::input::{read_board, read_puzzle};
use crate::jobs::random_name;
use crate::state::App;

/// The plays of a puzzle's list.
const BEST: u32 = 20;

/// A start to be issued.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// The board, as in grid:4:4.
    #[schema(example = "grid:3:3")]
    board: String,
    /// The number of tokens; one fewer than there are vertices when it is left out.
    tokens: Option<u32>,
    /// `timed` or `fewest`.
    #[schema(example = "timed")]
    kind: String,
    /// Whether the numbers of the tiles will vanish after the first move: on grids only.
    #[serde(default)]
    blind: bool,
}

/// A start for one ranked play.
#[derive(Serialize, ToSchema)]
pub struct StartBody {
    /// Its name, which is used once.
    start: String,
    /// The puzzle in one line, drawn uniformly among the solvable ones.
    puzzle: String,
    /// How long it may be looked at before the first move of a timed play.
    inspection_ms: u64,
}

/// Issues the start of a ranked play. Every solvable start is equally likely.
#[utoipa::path(post, path = "/api/starts", tag = "plays", request_body = StartRequest,
    params(("X-Person-Secret" = String, Header, description = "The person's secret")),
    responses((status = 201, body = StartBody), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn issue(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    Body(request): Body<StartRequest>,
) -> Result<(StatusCode, Json<StartBody>), Refusal> {
    let person = person(&app, &headers).await?;
    let kind: Kind = request.kind.parse().map_err(Refusal::bad_request)?;
    if kind == Kind::Explore {
        let message = "an explored play needs no start: write timed or fewest";
        return Err(Refusal::bad_request(message));
    }
    let board = read_board(&request.board, None)?;
    if request.blind && !matches!(board.spec(), BoardSpec::Grid { .. }) {
        return Err(Refusal::bad_request(format!(
            "{board} is not a grid: only grids are played blind"
        )));
    }
    let tokens = request.tokens.map_or(board.vertex_count() - 1, |tokens| tokens as usize);
    let random = RandomPuzzles {
        board,
        tokens,
        labels: None,
        goal: None,
        law: Law::Uniform,
        seed: rand::random(),
        time: Some(Duration::from_secs(2)),
    };
    let drawn = app.run(client, move |_| random.first_unsolved(8)).await?;
    let puzzle = drawn.map_err(Refusal::impossible)?.ok_or_else(|| {
        Refusal::impossible(format!("{} has no start that is not solved", request.board))
    })?;
    let puzzle = puzzle.to_string();
    check_puzzle(&puzzle).map_err(Refusal::impossible)?;
    app.guard.check_kept(client, puzzle.len())?;
    let (id, blind) = (random_name(), request.blind);
    let start = Issued { id, person: person.id, puzzle, kind, blind, issued_ms: now_ms() };
    store(&app)?.issue(&start).await.map_err(failed)?;
    let Issued { id, puzzle, .. } = start;
    let body = StartBody { start: id, puzzle, inspection_ms: MAX_INSPECTION };
    Ok((StatusCode::CREATED, Json(body)))
}

/// A play to keep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// The puzzle of an explored play.
    #[schema(example = "grid:2:2 1,2,0,3 -> 1,2,3,0")]
    puzzle: Option<String>,
    /// The start of a ranked play.
    start: Option<String>,
    /// The moves with the milliseconds since the one before, as `13-5@240 5-4@1200`.
    #[schema(example = "3-2@500")]
    moves: String,
    /// With what it was made: `hover`, `click`, `keys`, `touch` or `typed`.
    #[schema(example = "click")]
    control: String,
    /// Whether hints or distances were used.
    #[serde(default)]
    helped: bool,
    /// A word of the client's for an explored play. Who gets no answer may send the same play with
    /// the same word again, and it is kept once. A ranked play has its start for that.
    #[schema(max_length = 100)]
    key: Option<String>,
}

/// A play that is kept.
#[derive(Serialize, ToSchema)]
pub struct PlayBody {
    /// Its name.
    id: String,
    /// The random name of the person.
    name: String,
    /// The policy that made it, when the person does not exist; null for people.
    simulated: Option<String>,
    /// The puzzle in one line.
    puzzle: String,
    /// Its board.
    board: String,
    /// The number of tokens.
    tokens: i64,
    /// `explore`, `timed` or `fewest`.
    kind: &'static str,
    /// With what it was made.
    control: &'static str,
    /// Whether the numbers of the tiles vanished after the first move.
    blind: bool,
    /// The moves with their times.
    moves: String,
    /// The number of moves.
    length: i64,
    /// The number of moves where tiles that slide together count once, on grids with one empty
    /// cell.
    multi: Option<i64>,
    /// Milliseconds from its beginning to its last move.
    ms: i64,
    /// Its place among the plays of its person, from 1; 0 in the answer that it is kept.
    number: i64,
    /// Whether it ends in the goal.
    solved: bool,
    /// Whether hints or distances were used.
    helped: bool,
    /// The day on which it was kept, in UTC.
    #[schema(value_type = String, format = Date, example = "2026-11-24")]
    day: Date,
}

impl PlayBody {
    pub(super) fn new(play: KeptPlay, person: &Person) -> PlayBody {
        let KeptPlay {
            id,
            number,
            puzzle,
            group,
            moves,
            length,
            multi,
            ms,
            solved,
            helped,
            day,
            person: _,
        } = play;
        let Group { board, tokens, kind, control, blind } = group;
        PlayBody {
            id,
            name: person.name.clone(),
            simulated: person.simulated.clone(),
            puzzle,
            board,
            tokens,
            kind: kind.name(),
            control: control.name(),
            blind,
            moves,
            length,
            multi,
            ms,
            number,
            solved,
            helped,
            day: date(day),
        }
    }
}

/// Keeps a play, after it was played again by the server's own rule. A ranked play is accepted once
/// for its start, and only when the server's clock allows its times.
#[utoipa::path(post, path = "/api/plays", tag = "plays", request_body = PlayRequest,
    params(("X-Person-Secret" = String, Header, description = "The person's secret")),
    responses((status = 201, body = PlayBody), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn keep(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    Body(request): Body<PlayRequest>,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let arrived = now_ms();
    let person = person(&app, &headers).await?;
    let puzzle_bytes = request.puzzle.as_ref().map_or(0, String::len);
    app.guard.check_kept(client, request.moves.len() + PUZZLE_COPIES * puzzle_bytes)?;
    let play = request.moves.parse().map_err(Refusal::bad_request)?;
    let control = request.control.parse().map_err(Refusal::bad_request)?;
    let sent = Sent { person, play, control, helped: request.helped, arrived };
    match (&request.puzzle, &request.start) {
        (Some(line), None) => keep_explored(&app, &sent, line, request.key.as_deref()).await,
        (None, Some(start)) => keep_ranked(&app, &sent, start).await,
        _ => Err(Refusal::bad_request("give the puzzle of an explored play, or a start")),
    }
}

/// A play that was sent.
struct Sent {
    person: Person,
    play: Play,
    control: Control,
    helped: bool,
    /// When it arrived, in milliseconds since 1970.
    arrived: i64,
}

/// Keeps an explored play of a puzzle; once for each of the person's keys.
async fn keep_explored(
    app: &App,
    sent: &Sent,
    line: &str,
    key: Option<&str>,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let Sent { person, play, .. } = sent;
    let puzzle = read_puzzle(line)?;
    check_puzzle(&puzzle.to_string()).map_err(Refusal::impossible)?;
    let verified = play.verify(&puzzle).map_err(Refusal::impossible)?;
    if key.is_some_and(|key| key.len() > MAX_KEY) {
        let message = format!("the key has more than {MAX_KEY} bytes: send a shorter one");
        return Err(Refusal::bad_request(message));
    }
    // A key is the person's own: nobody reaches the plays of others by it.
    let of_key = |key| digest(&format!("{} {key}", person.code))[..32].to_owned();
    let id = key.map_or_else(random_name, of_key);
    let group = Group::of(&puzzle, Kind::Explore, sent.control, false);
    let kept =
        KeptPlay::new(id, person.id, &puzzle, group, (play, &verified), sent.helped, today());
    if !store(app)?.add_play(&kept).await.map_err(failed)? {
        return kept_before(app, kept, person).await;
    }
    Ok((StatusCode::CREATED, Json(PlayBody::new(kept, person))))
}

/// Keeps a ranked play of a start that was issued to the person.
async fn keep_ranked(
    app: &App,
    sent: &Sent,
    start: &str,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let Sent { person, play, .. } = sent;
    if !is_name(start) {
        return Err(not_issued());
    }
    let issued = store(app)?.issued(start).await.map_err(failed)?;
    let Some(issued) = issued.filter(|issued| issued.person == person.id) else {
        return sent_again(app, start, play, person).await;
    };
    let puzzle = read_puzzle(&issued.puzzle)?;
    let checked = play.verify(&puzzle).map_err(Refusal::impossible).and_then(|verified| {
        check_ranked(&issued, sent.arrived, &verified, sent.helped).map_err(Refusal::impossible)?;
        Ok(verified)
    });
    let verified = match checked {
        Ok(verified) => verified,
        Err(refusal) => {
            // A start is used once, whatever is wrong with the play.
            store(app)?.take(start).await.map_err(failed)?;
            return Err(refusal);
        }
    };
    let group = Group::of(&puzzle, issued.kind, sent.control, issued.blind);
    let kept = (play, &verified);
    let kept = KeptPlay::new(issued.id.clone(), person.id, &puzzle, group, kept, false, today());
    if !store(app)?.keep_ranked(start, &kept).await.map_err(failed)? {
        return sent_again(app, start, play, person).await;
    }
    Ok((StatusCode::CREATED, Json(PlayBody::new(kept, person))))
}

fn not_issued() -> Refusal {
    Refusal::impossible("this start was not issued to you, or was used: ask for a new one")
}

/// Returns whether plays and starts may be called so. Other texts are not looked for: PostgreSQL
/// takes no text with a zero byte.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_control)
}

/// How often the text of a puzzle is stored with a play of it: in its row, in two indexes, and in
/// the counts of first solutions.
const PUZZLE_COPIES: usize = 4;

/// The most bytes of a key.
const MAX_KEY: usize = 100;

/// The answer to a play whose name is taken: by the same play, which was sent again, or by another.
async fn kept_before(
    app: &App,
    play: KeptPlay,
    person: &Person,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let found = store(app)?.play(&play.id).await.map_err(failed)?;
    let same = found.filter(|(kept, _)| kept.moves == play.moves && kept.puzzle == play.puzzle);
    let (kept, _) = same.ok_or_else(|| {
        Refusal::impossible("another play of yours was sent with this key: choose another key")
    })?;
    Ok((StatusCode::CREATED, Json(PlayBody::new(kept, person))))
}

/// The answer to a ranked play whose start is not there: the play that used it when it is the same
/// one, whose sender got no answer.
async fn sent_again(
    app: &App,
    start: &str,
    play: &Play,
    person: &Person,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let found = store(app)?.play(start).await.map_err(failed)?;
    let same = found.filter(|(kept, whose)| {
        whose.id == person.id && kept.group.kind != Kind::Explore && kept.moves == play.to_string()
    });
    let (kept, _) = same.ok_or_else(not_issued)?;
    Ok((StatusCode::CREATED, Json(PlayBody::new(kept, person))))
}

/// A play with all its moves and times.
#[utoipa::path(get, path = "/api/plays/{id}", tag = "plays",
    params(("id" = String, Path, description = "The play's name, as best lists have it")),
    responses((status = 200, body = PlayBody), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody),
              (status = 503, body = ErrorBody)))]
pub async fn show(State(app): State<Arc<App>>, Segment(id): Segment) -> Answer<PlayBody> {
    let shown = shorten(&id);
    let store = store(&app)?;
    let found = match is_name(&id) {
        true => store.play(&id).await.map_err(failed)?,
        false => None,
    };
    let (play, person) = found.ok_or_else(|| {
        Refusal::not_found(format!("no play is called '{shown}': it may be deleted"))
    })?;
    Ok(Json(PlayBody::new(play, &person)))
}

/// Which puzzle.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PuzzleQuery {
    /// The puzzle in one line, or the name of an instance.
    #[param(example = "grid:2:2 1,2,0,3 -> 1,2,3,0")]
    pub puzzle: String,
}

/// The most solutions whose lengths and times are sent.
const MOST_COSTS: u32 = 10_000;

/// How people play a puzzle.
#[derive(Serialize, ToSchema)]
pub struct PeopleBody {
    /// The puzzle in one line.
    puzzle: String,
    /// The number of people who solved it without help.
    people: i64,
    /// The numbers of moves of these solutions, ascending; of more than 10,000 solutions the
    /// shortest.
    lengths: Vec<i64>,
    /// Their times in milliseconds, in the same order.
    times: Vec<i64>,
    /// The best plays, those with the fewest moves first: at most twenty, and fewer where their
    /// moves take more than a megabyte.
    best: Vec<PlayBody>,
}

/// How people solved a puzzle without help, simulated ones left out: the lengths and times of their
/// solutions, and the best of them.
#[utoipa::path(get, path = "/api/plays", tag = "plays", params(PuzzleQuery), responses(
    (status = 200, body = PeopleBody), (status = 400, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub async fn people(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Parameters(query): Parameters<PuzzleQuery>,
) -> Answer<PeopleBody> {
    let puzzle = read_puzzle(&query.puzzle)?.to_string();
    let store = store(&app)?;
    let _turn = app.turn_to_read(client).await?;
    let (people, costs) = store.solution_costs(&puzzle, MOST_COSTS).await.map_err(failed)?;
    let (lengths, times) = costs.into_iter().unzip();
    let best = store.solutions(&puzzle, false, BEST).await.map_err(failed)?;
    let best = best.into_iter().map(|(play, person)| PlayBody::new(play, &person)).collect();
    Ok(Json(PeopleBody { puzzle, people, lengths, times, best }))
}
