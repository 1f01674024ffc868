//! People and algorithms on the same puzzle: distributions, intervals, and where people lose moves.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use hyperslide_lab::statistics::{mean, median_interval_of_counts, quantile_of_counts, total};
use hyperslide_lab::{RecordedRuns, recorded_runs};
use hyperslide_plays::{Counts, Firsts, Play, Players};
use hyperslide_puzzle::{Move, Puzzle};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Answer;
use super::people::failed;
use super::plays::{PlayBody, PuzzleQuery};
use crate::advisor::Known;
use crate::error::{ErrorBody, Refusal};
use crate::extract::{Body, Parameters};
use crate::guard::Client;
use crate::input::read_puzzle;
use crate::state::App;

/// The plays whose moves are looked at one by one.
const LOOKED_AT: u32 = 200;
/// The plays that are listed.
const BEST: u32 = 8;
/// The first moves of a play, which are looked at.
const MOVES: u32 = 200;

/// A value of a distribution, and how often it was seen.
#[derive(Serialize, ToSchema)]
pub struct Count {
    /// The value: moves, or tenths of a second.
    value: i64,
    /// How often.
    count: i64,
}

/// A distribution.
#[derive(Serialize, ToSchema)]
pub struct Spread {
    /// The values, ascending.
    counts: Vec<Count>,
    /// The median; null when there are no values.
    median: Option<f64>,
    /// The least value of an interval that contains the true median with at least 95 %; null for
    /// fewer than six values.
    low: Option<i64>,
    /// The greatest one.
    high: Option<i64>,
    /// The value below which a quarter lies.
    lower_quartile: Option<f64>,
    /// The value below which three quarters lie.
    upper_quartile: Option<f64>,
}

impl Spread {
    fn new(counts: &Counts) -> Spread {
        let interval = median_interval_of_counts(counts);
        Spread {
            median: quantile_of_counts(counts, 0.5),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            lower_quartile: quantile_of_counts(counts, 0.25),
            upper_quartile: quantile_of_counts(counts, 0.75),
            counts: counts.iter().map(|&(value, count)| Count { value, count }).collect(),
        }
    }
}

/// What is lost at a move of a play, on average.
#[derive(Serialize, ToSchema)]
pub struct Loss {
    /// The number of the move, from 1.
    number: usize,
    /// The number of plays that had such a move.
    plays: usize,
    /// The mean number of moves by which the way to the goal grew longer than it needed to.
    mean: f64,
    /// The standard error of the mean; null for one play.
    error: Option<f64>,
}

/// Everybody's first solution of a puzzle, found without help.
#[derive(Serialize, ToSchema)]
pub struct Solvers {
    /// The number of people, of whom each counts once.
    people: u64,
    /// Their numbers of moves.
    lengths: Spread,
    /// Their times in tenths of a second, rounded down.
    tenths: Spread,
    /// Where they lost moves; null where no table of all distances tells.
    losses: Option<Vec<Loss>>,
    /// The number of plays that this was computed from: the fastest 200 at most.
    looked_at: usize,
}

/// The recorded runs of an algorithm.
#[derive(Serialize, ToSchema)]
pub struct AlgorithmRuns {
    /// The algorithm.
    algorithm: String,
    /// Its settings, when they are not the usual ones.
    settings: String,
    /// The experiment that recorded the runs.
    experiment: String,
    /// The revision of the program that made them.
    revision: String,
    /// Whether they are of random puzzles of the same kind, and not of this very puzzle.
    of_random_puzzles: bool,
    /// The number of runs.
    runs: usize,
    /// The number of runs that ended with a solution.
    solved: usize,
    /// The number of moves of the solutions.
    lengths: Spread,
    /// The median of CPU seconds of all runs.
    cpu_s: f64,
}

/// A puzzle as people and algorithms solve it.
#[derive(Serialize, ToSchema)]
pub struct ComparisonBody {
    /// The puzzle in one line.
    puzzle: String,
    /// The number of moves of a shortest solution; null when none is known.
    minimum: Option<u32>,
    /// Whether no solution is shorter.
    proven: bool,
    /// People.
    people: Solvers,
    /// Simulated people, who do not exist: their plays were made by a stated policy.
    simulated: Solvers,
    /// Algorithms, by their committed records.
    algorithms: Vec<AlgorithmRuns>,
    /// The plays with the fewest moves, simulated ones among them and marked.
    best: Vec<PlayBody>,
}

/// How people solve a puzzle, next to the shortest solution and the recorded runs of the
/// algorithms.
#[utoipa::path(get, path = "/api/comparison", tag = "plays", params(PuzzleQuery), responses(
    (status = 200, body = ComparisonBody), (status = 400, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub async fn comparison(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Parameters(query): Parameters<PuzzleQuery>,
) -> Answer<ComparisonBody> {
    let puzzle = read_puzzle(&query.puzzle)?;
    let line = puzzle.to_string();
    // What is read below stays in memory until the answer is written.
    let turn = app.turn_to_read(client).await?;
    // A server without plays compares algorithms all the same.
    let (mut groups, mut best) = (<[(Firsts, Vec<String>); 2]>::default(), Vec::new());
    if let Some(store) = app.store.as_deref() {
        let plays = store.solutions(&line, true, BEST).await.map_err(failed)?;
        best.extend(plays.into_iter().map(|(play, person)| PlayBody::new(play, &person)));
        for (group, players) in groups.iter_mut().zip([Players::People, Players::Simulated]) {
            let firsts = store.firsts(&line, players).await.map_err(failed)?;
            let moves = store.first_moves(&line, players, LOOKED_AT, MOVES).await;
            *group = (firsts, moves.map_err(failed)?);
        }
    }
    let answer = app.run(client, move |app| {
        let _turn = turn;
        let (minimum, proven) = match app.advisor.best_known(&puzzle) {
            Known::Solution { moves, proven, .. } => (Some(moves.len() as u32), proven),
            _ => (None, false),
        };
        let [people, simulated] =
            groups.map(|(firsts, moves)| solvers(app, &puzzle, &firsts, &moves));
        let algorithms = recorded_runs(&puzzle).iter().map(algorithm_runs).collect();
        ComparisonBody {
            puzzle: puzzle.to_string(),
            minimum,
            proven,
            people,
            simulated,
            algorithms,
            best,
        }
    });
    Ok(Json(answer.await?))
}

fn solvers(app: &App, puzzle: &Puzzle, firsts: &Firsts, moves: &[String]) -> Solvers {
    let losses = app.advisor.table(puzzle).map(|table| {
        let mut by_number: Vec<Vec<f64>> = Vec::new();
        let plays = moves.iter().filter_map(|moves| moves.parse::<Play>().ok());
        for play in plays.filter(|play| play.verify(puzzle).is_ok()) {
            let mut state = *puzzle.start();
            let mut before = table.distance(&state);
            for (number, timed) in play.moves.iter().enumerate() {
                state.slide(timed.mv);
                let after = table.distance(&state);
                if let (Some(before), Some(after)) = (before, after) {
                    by_number.resize_with(by_number.len().max(number + 1), Vec::new);
                    by_number[number].push(f64::from(after) + 1.0 - f64::from(before));
                }
                before = after;
            }
        }
        let loss = |(place, losses): (usize, &Vec<f64>)| {
            let (mean, error) = mean(losses);
            let error = error.is_finite().then_some(error);
            Loss { number: place + 1, plays: losses.len(), mean, error }
        };
        by_number.iter().enumerate().filter(|(_, losses)| !losses.is_empty()).map(loss).collect()
    });
    Solvers {
        people: total(&firsts.lengths),
        lengths: Spread::new(&firsts.lengths),
        tenths: Spread::new(&firsts.tenths),
        losses,
        looked_at: moves.len(),
    }
}

fn algorithm_runs(recorded: &RecordedRuns) -> AlgorithmRuns {
    let mut lengths: Vec<i64> =
        recorded.runs.iter().filter_map(|run| run.length.map(i64::from)).collect();
    lengths.sort_unstable();
    let counts = lengths.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as i64));
    let mut cpu: Vec<f64> = recorded.runs.iter().map(|run| run.cpu_s).collect();
    cpu.sort_unstable_by(f64::total_cmp);
    let (algorithm, settings) =
        recorded.solver.split_once(' ').unwrap_or((recorded.solver.as_str(), ""));
    AlgorithmRuns {
        algorithm: algorithm.to_owned(),
        settings: settings.to_owned(),
        experiment: recorded.experiment.clone(),
        revision: recorded.revision.clone(),
        of_random_puzzles: recorded.of_random_puzzles,
        runs: recorded.runs.len(),
        solved: lengths.len(),
        lengths: Spread::new(&counts.collect()),
        cpu_s: hyperslide_lab::statistics::median(&cpu),
    }
}

/// A play whose moves are to be judged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LossesRequest {
    /// The puzzle in one line.
    #[schema(example = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0")]
    puzzle: String,
    /// The moves with their times, as `13-5@240 5-4@1200`; at most 400.
    #[schema(example = "3-4@500 4-3@900")]
    moves: String,
}

/// What each move of a play was worth.
#[derive(Serialize, ToSchema)]
pub struct LossesBody {
    /// The distance of the position before each move, and at the end.
    distances: Vec<u32>,
    /// The number of moves more than a shortest way that each move cost: 0 for one that a shortest
    /// way has.
    losses: Vec<u32>,
    /// How the distances are known: `table`, or `search` over pattern databases.
    source: &'static str,
}

/// Judges every move of a play by the exact distances of its positions: from a table where all
/// positions fit into one, and on 4x4 grids by solving each over pattern databases.
#[utoipa::path(post, path = "/api/losses", tag = "positions", request_body = LossesRequest, responses(
    (status = 200, body = LossesBody), (status = 400, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub async fn losses(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(request): Body<LossesRequest>,
) -> Answer<LossesBody> {
    const MOST: usize = 400;
    let puzzle = read_puzzle(&request.puzzle)?;
    let play: Play = request.moves.parse().map_err(Refusal::bad_request)?;
    if play.moves.len() > MOST {
        let count = play.moves.len();
        return Err(Refusal::bad_request(format!(
            "{count} moves are too many to be judged: send {MOST} at most"
        )));
    }
    play.verify(&puzzle).map_err(Refusal::impossible)?;
    let moves: Vec<Move> = play.moves.iter().map(|timed| timed.mv).collect();
    let found =
        app.run_long(client, move |app| app.advisor.distances_along(&puzzle, &moves)).await?;
    let (distances, source) = found.map_err(Refusal::impossible)?;
    let loss = |pair: &[u32]| (pair[1] + 1).saturating_sub(pair[0]);
    let losses = distances.windows(2).map(loss).collect();
    Ok(Json(LossesBody { distances, losses, source: source.name() }))
}
