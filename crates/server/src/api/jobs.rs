//! Searches as jobs: created, watched, cancelled.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use hyperslide_lab::{SolveResult, cells};
use hyperslide_puzzle::{SearchEnd, shorten};
use hyperslide_search::{Config, Limits, Observer, Progress};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::{IntoParams, ToSchema};

use super::Answer;
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters, Segment};
use crate::guard::Client;
use crate::input::read_puzzle;
use crate::jobs::{Full, Job, JobState, Work};
use crate::state::App;

/// How much a search may use; the server's own limits hold as well.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub struct JobLimits {
    /// Seconds.
    #[schema(exclusive_minimum = 0.0)]
    seconds: Option<f64>,
    /// Bytes of its data structures and tables.
    #[schema(minimum = 1)]
    memory_bytes: Option<u64>,
    /// Generated states.
    #[schema(minimum = 1)]
    nodes: Option<u64>,
}

/// A search to run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// The puzzle in one line, or the name of an instance.
    #[schema(example = "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0")]
    puzzle: String,
    /// The algorithm, one of those of /api/algorithms.
    #[schema(example = "astar")]
    algorithm: String,
    /// The heuristic of an algorithm that uses one.
    heuristic: Option<String>,
    /// The algorithm's settings, by name; the values as they are written on the command line.
    #[serde(default)]
    settings: BTreeMap<String, String>,
    /// The seed of those that draw random numbers.
    #[serde(default)]
    seed: u64,
    /// How much it may use.
    #[serde(default)]
    limits: JobLimits,
    /// Whether its expansions are to be seen.
    #[serde(default)]
    observe: bool,
}

/// A job that was created.
#[derive(Serialize, ToSchema)]
pub struct JobCreated {
    /// Its name.
    id: String,
    /// What cancels it at once, in the header X-Job-Key.
    key: String,
    /// Where its events are.
    events: String,
}

/// Puts a search into the queue of the client.
#[utoipa::path(post, path = "/api/jobs", tag = "search", request_body = JobRequest, responses(
    (status = 201, body = JobCreated), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(request): Body<JobRequest>,
) -> Result<(StatusCode, Json<JobCreated>), Refusal> {
    let puzzle = read_puzzle(&request.puzzle)?;
    let settings = request.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let heuristic = request.heuristic.as_deref();
    let mut config = Config::new(&request.algorithm, heuristic, settings, request.seed)
        .map_err(Refusal::bad_request)?;
    // One search keeps one processor busy, so that others and play have theirs.
    config.threads = 1;
    let limits = limits(&app, &request.limits)?;
    let work = Work { puzzle, config, limits, is_observed: request.observe };
    let job = app.jobs.add(client, work).map_err(not_taken)?;
    app.metrics.count_job();
    let created = JobCreated {
        events: format!("/api/jobs/{}/events", job.id),
        id: job.id.clone(),
        key: job.key.clone(),
    };
    Ok((StatusCode::CREATED, Json(created)))
}

fn not_taken(why: Full) -> Refusal {
    match why {
        Full::OfOne(_) | Full::OfAll(_) => Refusal::busy(why),
        Full::Closing => Refusal::unavailable(why),
    }
}

fn limits(app: &App, asked: &JobLimits) -> Result<Limits, Refusal> {
    let time = match asked.seconds {
        None => app.options.job_time,
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|time| !time.is_zero())
            .ok_or_else(|| {
                Refusal::bad_request(format!(
                    "{seconds} seconds are no limit: write a number above 0"
                ))
            })?
            .min(app.options.job_time),
    };
    for (name, value) in [("memory_bytes", asked.memory_bytes), ("nodes", asked.nodes)] {
        if value == Some(0) {
            return Err(Refusal::bad_request(format!("{name} is 0: write a number above 0")));
        }
    }
    let memory = asked.memory_bytes.unwrap_or(u64::MAX).min(app.options.job_memory);
    Ok(Limits { time: Some(time), memory: Some(memory), nodes: asked.nodes })
}

/// How far a search is.
#[derive(Serialize, ToSchema)]
pub struct ProgressBody {
    /// States whose successors were generated.
    expanded: u64,
    /// States that were generated.
    generated: u64,
    /// No solution is shorter than this.
    lower_bound: u32,
    /// The length of the best solution so far.
    length: Option<u32>,
    /// Seconds so far.
    seconds: f64,
    /// Bytes that it held at most.
    bytes: u64,
}

impl From<&Progress> for ProgressBody {
    fn from(progress: &Progress) -> ProgressBody {
        let Progress { stats, lower_bound, length } = *progress;
        ProgressBody {
            expanded: stats.expanded,
            generated: stats.generated,
            lower_bound,
            length,
            seconds: stats.wall_s,
            bytes: stats.peak_bytes,
        }
    }
}

/// A job and how far it is.
#[derive(Serialize, ToSchema)]
pub struct JobBody {
    /// Its name.
    id: String,
    /// `queued`, `running` or `done`.
    state: &'static str,
    /// How many jobs are served before it, while it is queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// How far it is, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressBody>,
    /// Its result, when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<SolveResult>,
}

fn find(app: &App, id: &str) -> Result<Arc<Job>, Refusal> {
    let shown = shorten(id);
    app.jobs.find(id).ok_or_else(|| {
        Refusal::not_found(format!(
            "there is no job {shown}: finished ones are kept for ten minutes"
        ))
    })
}

/// How far a job is, or its result.
#[utoipa::path(get, path = "/api/jobs/{id}", tag = "search",
    params(("id" = String, Path, description = "The name of the job")),
    responses((status = 200, body = JobBody), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub async fn show(State(app): State<Arc<App>>, Segment(id): Segment) -> Answer<JobBody> {
    let job = find(&app, &id)?;
    let mut body = JobBody { id, state: "queued", position: None, progress: None, result: None };
    match job.state() {
        JobState::Queued => body.position = Some(app.jobs.position(&job)),
        JobState::Running(progress) => {
            body.state = "running";
            body.progress = progress.as_ref().map(ProgressBody::from);
        }
        JobState::Done(result) => {
            body.state = "done";
            body.result = Some((*result).clone());
        }
    }
    Ok(Json(body))
}

/// Cancels a job. Only its creator has its key.
#[utoipa::path(delete, path = "/api/jobs/{id}", tag = "search",
    params(("id" = String, Path, description = "The name of the job"),
           ("X-Job-Key" = String, Header, description = "The key that came with the job")),
    responses((status = 204), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
              (status = 404, body = ErrorBody)))]
pub async fn cancel(
    State(app): State<Arc<App>>,
    Segment(id): Segment,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    let job = find(&app, &id)?;
    let key = headers.get("x-job-key").map_or(&b""[..], axum::http::HeaderValue::as_bytes);
    if key != job.key.as_bytes() {
        let message = "only whoever started a search cancels it: send its key in X-Job-Key";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    app.jobs.cancel(&job);
    Ok(StatusCode::NO_CONTENT)
}

/// An event of a job, as the lines of a stream of events have it.
#[derive(Serialize, ToSchema)]
pub struct JobEvent {
    /// `queued`, `progress`, `done` or `shutdown`.
    event: String,
    /// The JSON of a position in the queue, of the progress, of the result, or of nothing.
    data: String,
}

#[derive(Serialize)]
struct QueuedBody {
    position: usize,
}

fn event(name: &str, body: &impl Serialize) -> Event {
    // Bodies are plain data.
    Event::default().event(name).json_data(body).unwrap_or_default()
}

/// The events of a job as they happen: `queued`, `progress`, and `done` with the result, after
/// which the stream ends. It also ends, with `shutdown`, when the server does. A search that was
/// followed is cancelled when nobody has followed it for five seconds.
#[utoipa::path(get, path = "/api/jobs/{id}/events", tag = "search",
    params(("id" = String, Path, description = "The name of the job")),
    responses((status = 200, body = JobEvent, content_type = "text/event-stream"),
              (status = 400, body = ErrorBody), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn events(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    method: Method,
    Segment(id): Segment,
) -> Result<Response, Refusal> {
    let job = find(&app, &id)?;
    // A request for the head alone does not count as following.
    if method == Method::HEAD {
        return Ok([(header::CONTENT_TYPE, "text/event-stream")].into_response());
    }
    let Some(slot) = app.streams.take(client) else {
        return Err(Refusal::busy(
            "too many streams of events are open: close one, or ask for the job",
        ));
    };
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Event, Infallible>>(4);
    tokio::spawn(async move {
        let _slot = slot;
        let follower = job.follow();
        let is_left = stream(&app, &job, &sender).await;
        drop(follower);
        if is_left {
            // Whoever only lost the connection comes back soon.
            tokio::time::sleep(RETURN).await;
            if !job.is_followed() {
                app.jobs.cancel(&job);
            }
        }
    });
    let events = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default());
    // Proxies such as nginx would pass events on when there are many of them.
    Ok(([(HeaderName::from_static("x-accel-buffering"), "no")], events).into_response())
}

/// How long a search continues after the last client that followed its events has left.
const RETURN: Duration = Duration::from_secs(5);

/// Streams the events of a job until it is done. Returns whether the client has left before that.
async fn stream(app: &App, job: &Job, sender: &Sender<Result<Event, Infallible>>) -> bool {
    let mut changes = job.changes();
    loop {
        let state = changes.borrow_and_update().clone();
        let (shown, is_done) = match &state {
            JobState::Queued => {
                (event("queued", &QueuedBody { position: app.jobs.position(job) }), false)
            }
            JobState::Running(None) => (Event::default().comment("running"), false),
            JobState::Running(Some(progress)) => {
                (event("progress", &ProgressBody::from(progress)), false)
            }
            JobState::Done(result) => (event("done", &**result), true),
        };
        if sender.send(Ok(shown)).await.is_err() {
            return !is_done;
        }
        if is_done {
            return false;
        }
        // Those that wait are told now and then how many are before them.
        let is_queued = matches!(state, JobState::Queued);
        let wait = Duration::from_secs(if is_queued { 1 } else { 3600 });
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return false },
            () = tokio::time::sleep(wait) => {}
            () = sender.closed() => return true,
            () = app.shutdown.cancelled() => {
                let _ = sender.send(Ok(Event::default().event("shutdown").data("{}"))).await;
                return false;
            }
        }
    }
}

/// Where to continue.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Since {
    /// The mark of the answer before; 0 or nothing for all that is kept.
    since: Option<u64>,
}

/// The expansion of a state.
#[derive(Serialize, ToSchema)]
pub struct ExpansionBody {
    /// The number of expansions before it.
    order: u64,
    /// The number of the search that it belongs to, as some algorithms make several.
    search: u64,
    /// The algorithm of that search.
    algorithm: &'static str,
    /// The end that it comes from: `start` or `goal`.
    end: &'static str,
    /// The number of moves from that end.
    g: u32,
    /// The estimate of the moves that are left.
    h: Option<u32>,
    /// The label on each vertex; null where it is empty.
    cells: Vec<Option<String>>,
    /// The same of the state that it was generated from; null for a root.
    parent: Option<Vec<Option<String>>>,
}

/// The expansions that are kept.
#[derive(Serialize, ToSchema)]
pub struct ExpansionsBody {
    /// The `since` of the next question, which continues there.
    mark: u64,
    /// Only expansions whose order is a multiple of this are kept; drop the others.
    stride: u64,
    /// The number of expansions so far, kept or not.
    seen: u64,
    /// The first 2,000 of those that were added since the mark, by ascending order. There are
    /// more as long as an answer has any.
    expansions: Vec<ExpansionBody>,
}

/// The states that a search expands, for a job that was created with `observe`.
#[utoipa::path(get, path = "/api/jobs/{id}/expansions", tag = "search",
    params(("id" = String, Path, description = "The name of the job"), Since),
    responses((status = 200, body = ExpansionsBody), (status = 400, body = ErrorBody),
              (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub async fn expansions(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Segment(id): Segment,
    Parameters(query): Parameters<Since>,
) -> Result<Response, Refusal> {
    let job = find(&app, &id)?;
    let observer = job.observer().cloned().ok_or_else(|| {
        Refusal::impossible("the expansions of this search are not kept: create it with observe")
    })?;
    let since = query.since.unwrap_or(0);
    // Thousands of states are written down, which is too much for a thread that answers others.
    app.run(client, move |_| expansions_since(&observer, since).into_response()).await
}

fn expansions_since(observer: &Observer, since: u64) -> Json<ExpansionsBody> {
    /// Expansions in one answer, a megabyte on large boards.
    const MOST: usize = 2_000;

    let observed = observer.since(since, MOST);
    let expansions = observed.expansions.iter().map(|expansion| {
        let puzzle = &expansion.search.puzzle;
        ExpansionBody {
            order: expansion.order,
            search: expansion.search.number,
            algorithm: expansion.search.algorithm,
            end: match expansion.end {
                SearchEnd::Start => "start",
                SearchEnd::Goal => "goal",
            },
            g: expansion.g,
            h: expansion.h,
            cells: cells(puzzle, &expansion.state),
            parent: expansion.parent.map(|parent| cells(puzzle, &parent)),
        }
    });
    Json(ExpansionsBody {
        expansions: expansions.collect(),
        mark: observed.mark,
        stride: observed.stride,
        seen: observed.seen,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_can_tell_a_full_server_from_one_that_ends() {
        let status = |why| not_taken(why).into_response().status();
        assert_eq!(status(Full::OfOne(8)), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(status(Full::OfAll(64)), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(status(Full::Closing), StatusCode::SERVICE_UNAVAILABLE);
    }
}
