//! People: their consent, what is kept of them, and its deletion.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use hyperslide_plays::{Issued, NewPerson, Person, Store, StoreError, date, today};
use hyperslide_puzzle::shorten;
use jiff::civil::Date;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use super::plays::{PlayBody, is_name};
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters};
use crate::guard::Client;
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

/// The bytes that a client is charged for creating a person.
const BYTES_OF_A_PERSON: usize = 20_000;

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
    /// The random code, which says in exports whose a play is.
    code: String,
    /// The version of the text that the person agreed to.
    consent: i64,
    /// The day on which that was.
    #[schema(value_type = String, format = Date, example = "2026-11-24")]
    day: Date,
    /// The starts that were issued and not used.
    starts: Vec<IssuedBody>,
    /// The plays after the one that was named: at most 500, and fewer where their moves have more
    /// than a megabyte. Ask again after the last one until an answer has none.
    plays: Vec<PlayBody>,
}

/// A start that was issued to a person.
#[derive(Serialize, ToSchema)]
pub struct IssuedBody {
    /// Its name.
    start: String,
    /// The puzzle in one line.
    puzzle: String,
    /// `timed` or `fewest`.
    kind: &'static str,
    /// Whether the numbers of the tiles vanish after the first move.
    blind: bool,
    /// When it was issued, in milliseconds since 1970.
    issued_ms: i64,
}

impl IssuedBody {
    fn new(issued: Issued) -> IssuedBody {
        let Issued { id: start, puzzle, kind, blind, issued_ms, .. } = issued;
        IssuedBody { start, puzzle, kind: kind.name(), blind, issued_ms }
    }
}

/// What was deleted.
#[derive(Serialize, ToSchema)]
pub struct Forgotten {
    /// The number of plays.
    plays: u64,
}

pub(super) fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
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

pub(super) fn store(app: &App) -> Result<&dyn Store, Refusal> {
    app.store.as_deref().ok_or_else(|| {
        let message = "this server keeps no plays: start it with --database";
        Refusal::unavailable(message)
    })
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err calls")]
pub(super) fn failed(error: StoreError) -> Refusal {
    if matches!(error, StoreError::UnknownPerson) {
        let message = "your plays were deleted meanwhile, or a backup without you was restored: nothing was kept";
        return Refusal::new(StatusCode::FORBIDDEN, message).with_code("unknown-secret");
    }
    tracing::error!(%error, "the database does not answer");
    let message = match error {
        StoreError::Full => {
            "the disk of this server is full, and nothing was kept: try again later, or tell its administrator"
        }
        StoreError::Busy => {
            "the plays are being restored, and nothing was kept: try again in a minute"
        }
        _ => "the plays cannot be read or kept now: try again later",
    };
    Refusal::unavailable(message)
}

/// The refusal of a deletion.
fn not_deleted(error: StoreError) -> Refusal {
    let message = match error {
        StoreError::Full => {
            "the disk of this server is full, and nothing was deleted: try again later, or tell its administrator"
        }
        StoreError::Busy => {
            "the plays are being restored, and nothing was deleted: try again in a minute"
        }
        error => return failed(error),
    };
    tracing::error!(%error, "the database does not answer");
    Refusal::unavailable(message)
}

pub(super) async fn person(app: &App, headers: &HeaderMap) -> Result<Person, Refusal> {
    let secret = headers.get("x-person-secret").and_then(|value| value.to_str().ok());
    let refused = |message: &str| Refusal::new(StatusCode::FORBIDDEN, message);
    let secret = secret.ok_or_else(|| refused("send your secret in X-Person-Secret"))?;
    let found = store(app)?.person(&digest(secret)).await.map_err(failed)?;
    found.ok_or_else(|| {
        refused("nobody has this secret: it was mistyped, or its person's plays were deleted")
            .with_code("unknown-secret")
    })
}

/// Makes a random name for somebody who agrees that plays are kept.
#[utoipa::path(post, path = "/api/people", tag = "plays", request_body = Agreement, responses(
    (status = 201, body = PersonCreated), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn agree(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(agreement): Body<Agreement>,
) -> Result<(StatusCode, Json<PersonCreated>), Refusal> {
    if agreement.consent != CONSENT {
        let version = agreement.consent;
        return Err(Refusal::bad_request(format!(
            "version {version} of the consent is not the present one: show and send {CONSENT}"
        )));
    }
    app.guard.check_kept(client, BYTES_OF_A_PERSON)?;
    let (name, secret) = (pseudonym(), random_name());
    let person = NewPerson {
        name: name.clone(),
        code: random_name(),
        secret: Some(digest(&secret)),
        consent: CONSENT,
        day: today(),
        simulated: None,
    };
    store(&app)?.add_person(&person).await.map_err(failed)?;
    Ok((StatusCode::CREATED, Json(PersonCreated { name, secret })))
}

/// After which play to continue.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct After {
    /// The name of the last play of the answer before.
    after: Option<String>,
}

/// Everything that is kept of a person but the digest of the secret, at most 500 plays at a time.
#[utoipa::path(get, path = "/api/people/me", tag = "plays",
    params(("X-Person-Secret" = String, Header, description = "The person's secret"), After),
    responses((status = 200, body = PersonBody), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
              (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn me(
    State(app): State<Arc<App>>,
    Parameters(query): Parameters<After>,
    headers: HeaderMap,
) -> Answer<PersonBody> {
    let person = person(&app, &headers).await?;
    let after = query.after.unwrap_or_default();
    if !after.is_empty() && !is_name(&after) {
        let shown = shorten(&after);
        return Err(Refusal::bad_request(format!(
            "'{shown}' is not the name of a play: send that of the last play of the answer before"
        )));
    }
    let record = store(&app)?.record(person.id).await.map_err(failed)?;
    let record = record.ok_or_else(|| failed(StoreError::UnknownPerson))?;
    // Read last, so that a megabyte is not held while another query runs.
    let plays = store(&app)?.plays_of(person.id, &after, PAGE).await.map_err(failed)?;
    let plays = plays.into_iter().map(|play| PlayBody::new(play, &person)).collect();
    let starts = record.starts.into_iter().map(IssuedBody::new).collect();
    let (consent, day) = (record.consent, date(record.day));
    Ok(Json(PersonBody { name: person.name, code: person.code, consent, day, starts, plays }))
}

/// Deletes a person with all plays.
#[utoipa::path(delete, path = "/api/people/me", tag = "plays",
    params(("X-Person-Secret" = String, Header, description = "The person's secret")),
    responses((status = 200, body = Forgotten), (status = 403, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub async fn forget(State(app): State<Arc<App>>, headers: HeaderMap) -> Answer<Forgotten> {
    let person = person(&app, &headers).await?;
    let plays = store(&app)?.forget(&person).await.map_err(not_deleted)?;
    Ok(Json(Forgotten { plays }))
}
