//! Plays of people: kept with consent under a pseudonym, ranked when the server's clock allows it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use hyperslide_lab::{Law, RandomPuzzles};
use hyperslide_plays::{
    Issued, KeptPlay, Kind, MAX_INSPECTION, NewPerson, Person, Play, Store, StoreError,
    check_ranked,
};
use hyperslide_puzzle::Puzzle;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters};
use crate::input::{read_board, read_puzzle};
use crate::jobs::random_name;
use crate::state::App;

/// The version of the text below; people agree to a version.
const CONSENT: i64 = 1;
const CONSENT_TEXT: &str = "Your plays are kept with the time of every move, under a random name. Nothing else about \
    you is kept: no address, no mail, no password. They are compared with the solutions of algorithms and may be \
    published. The secret that you get now lets you read them, and delete all of them, whenever you want; it cannot \
    be replaced. Plays are kept until you delete them.";

/// The most plays that one answer has.
const PAGE: u32 = 500;
/// The plays of a best list.
const BEST: usize = 20;

/// What people agree to before a play of theirs is kept.
#[derive(Serialize, ToSchema)]
pub struct Consent {
    /// Whether this server keeps plays.
    kept: bool,
    /// The version of the text.
    version: i64,
    /// The text.
    text: &'static str,
}

/// The text that people agree to before their plays are kept.
#[utoipa::path(get, path = "/api/consent", tag = "plays", responses((status = 200, body = Consent)))]
pub async fn consent(State(app): State<Arc<App>>) -> Json<Consent> {
    Json(Consent { kept: app.store.is_some(), version: CONSENT, text: CONSENT_TEXT })
}

/// Somebody who agrees.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The version of the text that was shown.
    #[schema(example = 1)]
    consent: i64,
}

/// A person who has just agreed.
#[derive(Serialize, ToSchema)]
pub struct PersonCreated {
    /// A random name, which others see.
    name: String,
    /// What belongs in X-Person-Secret, and cannot be replaced. Only its digest is kept.
    secret: String,
}

/// A person, as the person sees it.
#[derive(Serialize, ToSchema)]
pub struct PersonBody {
    /// The random name.
    name: String,
    /// The plays, at most 500 after the one that was named.
    plays: Vec<PlayBody>,
}

/// What was deleted.
#[derive(Serialize, ToSchema)]
pub struct Forgotten {
    /// The number of plays.
    plays: u64,
}

/// Days since 1970.
fn today() -> i64 {
    now_ms() / 86_400_000
}

/// Milliseconds since 1970.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn digest(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name that says nothing about anybody.
fn pseudonym() -> String {
    const FIRST: [&str; 24] = [
        "amber", "bold", "calm", "dapper", "eager", "fleet", "gentle", "happy", "idle", "jolly",
        "keen", "lucky", "merry", "noble", "orange", "patient", "quiet", "rapid", "silver", "tall",
        "upbeat", "vivid", "witty", "zesty",
    ];
    const SECOND: [&str; 24] = [
        "otter", "heron", "lynx", "badger", "finch", "gecko", "hare", "ibis", "jay", "koala",
        "lemur", "marten", "newt", "owl", "puffin", "quail", "raven", "seal", "tapir", "urchin",
        "vole", "wren", "yak", "zebra",
    ];
    let random = &mut rand::rng();
    let word = |words: &[&'static str; 24], random: &mut rand::rngs::ThreadRng| {
        words.choose(random).copied().unwrap_or_default()
    };
    let (first, second) = (word(&FIRST, random), word(&SECOND, random));
    format!("{first}-{second}-{}", rand::random_range(100..1000))
}

fn store(app: &App) -> Result<&dyn Store, Refusal> {
    app.store.as_deref().ok_or_else(|| {
        let message = "this server keeps no plays: start it with --database";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    })
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err calls")]
fn failed(error: StoreError) -> Refusal {
    tracing::error!(%error, "the database does not answer");
    let message = "the plays cannot be read or kept now: try again later";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
}

async fn person(app: &App, headers: &HeaderMap) -> Result<Person, Refusal> {
    let secret = headers.get("x-person-secret").and_then(|value| value.to_str().ok());
    let refused = |message: &str| Refusal::new(StatusCode::FORBIDDEN, message);
    let secret = secret.ok_or_else(|| refused("send your secret in X-Person-Secret"))?;
    let found = store(app)?.person(&digest(secret)).await.map_err(failed)?;
    found.ok_or_else(|| refused("nobody has this secret: agree first, at /api/people"))
}

/// Makes a random name for somebody who agrees that plays are kept.
#[utoipa::path(post, path = "/api/people", tag = "plays", request_body = Agreement, responses(
    (status = 201, body = PersonCreated), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn agree(
    State(app): State<Arc<App>>,
    Body(agreement): Body<Agreement>,
) -> Result<(StatusCode, Json<PersonCreated>), Refusal> {
    if agreement.consent != CONSENT {
        let version = agreement.consent;
        return Err(Refusal::bad_request(format!(
            "version {version} of the consent is not the present one: show and send {CONSENT}"
        )));
    }
    let (name, secret) = (pseudonym(), random_name());
    let person =
        NewPerson { name: name.clone(), secret: digest(&secret), consent: CONSENT, day: today() };
    store(&app)?.add_person(&person).await.map_err(failed)?;
    Ok((StatusCode::CREATED, Json(PersonCreated { name, secret })))
}

/// After which play to go on.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct After {
    /// The name of the last play of the answer before.
    after: Option<String>,
}

/// Everything that is kept of a person, 500 plays at a time.
#[utoipa::path(get, path = "/api/people/me", tag = "plays",
    params(("X-Person-Secret" = String, Header, description = "The person's secret"), After),
    responses((status = 200, body = PersonBody), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
              (status = 503, body = ErrorBody)))]
pub async fn me(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<After>,
    headers: HeaderMap,
) -> Answer<PersonBody> {
    let Person { id, name } = person(&app, &headers).await?;
    let after = query.after.unwrap_or_default();
    let plays = store(&app)?.plays_of(id, &after, PAGE).await.map_err(failed)?;
    let plays = plays.into_iter().map(|play| PlayBody::new(play, name.clone())).collect();
    Ok(Json(PersonBody { name, plays }))
}

/// Deletes a person with all plays.
#[utoipa::path(delete, path = "/api/people/me", tag = "plays",
    params(("X-Person-Secret" = String, Header, description = "The person's secret")),
    responses((status = 200, body = Forgotten), (status = 403, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn forget(State(app): State<Arc<App>>, headers: HeaderMap) -> Answer<Forgotten> {
    let person = person(&app, &headers).await?;
    let plays = store(&app)?.forget(person.id).await.map_err(failed)?;
    Ok(Json(Forgotten { plays }))
}

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
    let tokens = request.tokens.map_or(board.vertex_count() - 1, |tokens| tokens as usize);
    let random = RandomPuzzles {
        board,
        tokens,
        goal: None,
        law: Law::Uniform,
        seed: rand::random(),
        time: Some(Duration::from_secs(2)),
    };
    let drawn = app.think(move |_| random.draw(1)).await?.map_err(Refusal::impossible)?;
    let puzzle = drawn.first().map(Puzzle::to_string).unwrap_or_default();
    let start = Issued { id: random_name(), person: person.id, puzzle, kind, issued_ms: now_ms() };
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
}

/// A play that is kept.
#[derive(Serialize, ToSchema)]
pub struct PlayBody {
    /// Its name.
    id: String,
    /// The random name of the person.
    name: String,
    /// The puzzle in one line.
    puzzle: String,
    /// `explore`, `timed` or `fewest`.
    kind: &'static str,
    /// With what it was made.
    control: &'static str,
    /// The moves with their times.
    moves: String,
    /// The number of moves.
    length: i64,
    /// Milliseconds from its beginning to its last move.
    ms: i64,
    /// Whether it ends in the goal.
    solved: bool,
    /// Whether hints or distances were used.
    helped: bool,
}

impl PlayBody {
    fn new(play: KeptPlay, name: String) -> PlayBody {
        let KeptPlay { id, puzzle, kind, control, moves, length, ms, solved, helped, .. } = play;
        let (kind, control) = (kind.name(), control.name());
        PlayBody { id, name, puzzle, kind, control, moves, length, ms, solved, helped }
    }
}

/// Keeps a play, after it was played again by the server's own rule. A ranked play is accepted once for
/// its start, and only when the server's clock allows its times.
#[utoipa::path(post, path = "/api/plays", tag = "plays", request_body = PlayRequest,
    params(("X-Person-Secret" = String, Header, description = "The person's secret")),
    responses((status = 201, body = PlayBody), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn keep(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Body(request): Body<PlayRequest>,
) -> Result<(StatusCode, Json<PlayBody>), Refusal> {
    let arrived = now_ms();
    let person = person(&app, &headers).await?;
    let play: Play = request.moves.parse().map_err(Refusal::bad_request)?;
    let control = request.control.parse().map_err(Refusal::bad_request)?;
    let (puzzle, issued) = match (&request.puzzle, &request.start) {
        (Some(line), None) => (read_puzzle(line)?, None),
        (None, Some(start)) => {
            let issued = store(&app)?.take(start).await.map_err(failed)?;
            let issued = issued.filter(|issued| issued.person == person.id).ok_or_else(|| {
                Refusal::impossible(
                    "this start was not issued to you, or was used: ask for a new one",
                )
            })?;
            (read_puzzle(&issued.puzzle)?, Some(issued))
        }
        _ => return Err(Refusal::bad_request("give the puzzle of an explored play, or a start")),
    };
    let verified = play.verify(&puzzle).map_err(Refusal::impossible)?;
    let kind = match &issued {
        None => Kind::Explore,
        Some(issued) => {
            check_ranked(issued, arrived, &verified, request.helped)
                .map_err(Refusal::impossible)?;
            issued.kind
        }
    };
    let kept = KeptPlay {
        id: random_name(),
        person: person.id,
        puzzle: puzzle.to_string(),
        kind,
        control,
        moves: play.to_string(),
        length: verified.moves.into(),
        ms: i64::try_from(verified.ms).unwrap_or(i64::MAX),
        solved: verified.solved,
        helped: request.helped,
        day: today(),
    };
    store(&app)?.add_play(&kept).await.map_err(failed)?;
    Ok((StatusCode::CREATED, Json(PlayBody::new(kept, person.name))))
}

/// Which puzzle.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PuzzleQuery {
    /// The puzzle in one line, or the name of an instance.
    #[param(example = "grid:2:2 1,2,0,3 -> 1,2,3,0")]
    puzzle: String,
}

/// How people play a puzzle.
#[derive(Serialize, ToSchema)]
pub struct PeopleBody {
    /// The puzzle in one line.
    puzzle: String,
    /// The number of people who solved it.
    people: usize,
    /// The numbers of moves of their solutions, ascending.
    lengths: Vec<i64>,
    /// Their times in milliseconds, in the same order.
    times: Vec<i64>,
    /// The best plays, those with the fewest moves first.
    best: Vec<PlayBody>,
}

/// How people solved a puzzle: the lengths and times of their solutions, and the best of them.
#[utoipa::path(get, path = "/api/plays", tag = "plays", params(PuzzleQuery), responses(
    (status = 200, body = PeopleBody), (status = 400, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn people(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<PuzzleQuery>,
) -> Answer<PeopleBody> {
    let puzzle = read_puzzle(&query.puzzle)?.to_string();
    let plays = store(&app)?.solutions(&puzzle, 10_000).await.map_err(failed)?;
    let mut people: Vec<i64> = plays.iter().map(|(play, _)| play.person).collect();
    people.sort_unstable();
    people.dedup();
    let lengths = plays.iter().map(|(play, _)| play.length).collect();
    let times = plays.iter().map(|(play, _)| play.ms).collect();
    let best = plays.into_iter().take(BEST).map(|(play, name)| PlayBody::new(play, name)).collect();
    Ok(Json(PeopleBody { puzzle, people: people.len(), lengths, times, best }))
}
