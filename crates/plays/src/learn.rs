//! Learns the model of how people move from plays, and holds it against simpler guesses on plays of
//! people that it has not seen.
//!
//! The model is a softmax regression over the features of
//! [`MOVE_FEATURES`], fitted by Newton's method with a ridge, and a
//! log-normal law of times whose median is a least-squares fit over
//! [`TIME_FEATURES`]. One person in five is held out, by the digest of
//! the person's code, so that nobody is on both sides.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{MOVE_FEATURES, MoveOption, MoveWeights, PlayWalk, TIME_FEATURES};
use hyperslide_table::DistanceTable;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::play::Play;
use crate::store::{Store, StoreError};

const MOVES: usize = MOVE_FEATURES.len();
const TIMES: usize = TIME_FEATURES.len();
/// Keeps weights finite where the plays do not determine them.
const RIDGE: f64 = 1e-2;
/// Newton's method has converged long before.
const STEPS: usize = 40;
/// Guesses that are sure of themselves and wrong cost infinitely much; this share of each guess is
/// uniform at least, and the share is fitted.
const SHARES: [f64; 12] = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.9];

/// One decision of somebody.
struct Decision {
    options: Vec<MoveOption>,
    chosen: usize,
    /// Milliseconds; none of the first move, with which the clock starts.
    ms: Option<u32>,
    /// For each option whether it comes nearer to the goal; none where no table tells.
    nearer: Option<Vec<bool>>,
}

/// How well a guess predicts moves that it has not seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guess {
    /// What it is.
    pub name: &'static str,
    /// The mean of minus the natural logarithm of the chance that it gave to what was played.
    pub log_loss: f64,
    /// Its standard error, over plays.
    pub log_loss_error: f64,
    /// The share of moves to which it gave the greatest chance; ties count by their share.
    pub top_1: f64,
    /// Its standard error, over plays.
    pub top_1_error: f64,
}

/// A model, and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learned {
    /// The policies of simulated plays among those it was learned from; empty when people played.
    pub simulated: Vec<String>,
    /// The people it was learned from, and those that were held out.
    pub people: (usize, usize),
    /// The plays it was learned from, and those that were held out.
    pub plays: (usize, usize),
    /// The moves that the guesses are compared on: those of held-out people whose exact distances a
    /// table has.
    pub compared_moves: usize,
    /// The weights, as `--model` takes them.
    pub model: String,
    /// The weights of the logarithm of milliseconds, in the order of `TIME_FEATURES`.
    pub time_weights: [f64; TIMES],
    /// The standard deviation of that logarithm.
    pub time_deviation: f64,
    /// The model, and the simpler guesses.
    pub guesses: Vec<Guess>,
    /// The median factor by which the predicted time is wrong: of the model, and of the median time
    /// of all moves.
    pub time_factor: (f64, f64),
}

/// Why nothing can be learned.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There are too few plays.
    #[error("{0} are too few to learn from and to try it on: at least ten people must have played")]
    TooFew(String),
    /// There is nobody to learn from, or nobody to try it on.
    #[error(
        "{held} of {people} people would be held out to test the model, which needs people on both sides: \
         wait until more have played"
    )]
    OneSided {
        /// Those who played.
        people: usize,
        /// Those who would be held out.
        held: usize,
    },
}

/// Plays that are read at a time.
const PART: usize = 1_000;

/// Goals whose tables are kept at the same time: 1 GB at most.
const MOST_TABLES: usize = 16;

/// Learns from all plays without help. `limit` is the most plays that are read.
///
/// # Errors
///
/// When the database does not answer, or has too few people.
pub async fn learn(store: &dyn Store, limit: usize) -> Result<Learned, LearnError> {
    let (mut train, mut held): (Vec<Vec<Decision>>, Vec<Vec<Decision>>) = (Vec::new(), Vec::new());
    let mut people: (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    let mut simulated: Vec<String> = Vec::new();
    let mut tables: HashMap<String, Option<Arc<DistanceTable>>> = HashMap::new();
    let mut after = String::new();
    let mut left = limit;
    while left > 0 {
        let part = store.plays(&after, left.min(PART) as u32).await?;
        let Some((last, _)) = part.last() else { break };
        after.clone_from(&last.id);
        left -= part.len().min(left);
        for (play, person) in part.iter().filter(|(play, _)| !play.helped) {
            let (Ok(puzzle), Ok(moves)) =
                (Puzzle::from_line(&play.puzzle), play.moves.parse::<Play>())
            else {
                continue;
            };
            let key = format!("{} {}", play.group.board, puzzle.write_goal());
            if tables.len() >= MOST_TABLES && !tables.contains_key(&key) {
                tables.clear();
            }
            let table = tables.entry(key).or_insert_with(|| {
                DistanceTable::build_small(&puzzle, &AtomicBool::new(false)).ok().map(Arc::new)
            });
            let table = table.clone().filter(|table| table.answers(&puzzle));
            let decisions = decisions(&puzzle, &moves, table.as_deref());
            let is_held = Sha256::digest(person.code.as_bytes())[0] % 5 == 0;
            let (to, who) =
                if is_held { (&mut held, &mut people.1) } else { (&mut train, &mut people.0) };
            to.push(decisions);
            who.push(person.id);
            simulated.extend(person.simulated.clone());
        }
    }
    for who in [&mut people.0, &mut people.1] {
        who.sort_unstable();
        who.dedup();
    }
    simulated.sort_unstable();
    simulated.dedup();
    let counts = (people.0.len(), people.1.len());
    let everybody = counts.0 + counts.1;
    if everybody < 10 {
        return Err(LearnError::TooFew(format!("{everybody} people")));
    }
    if counts.0 == 0 || counts.1 == 0 {
        return Err(LearnError::OneSided { people: everybody, held: counts.1 });
    }
    let weights = fit_moves(&train);
    let (time_weights, time_deviation) = fit_times(&train);
    let compared: Vec<&Decision> = with_tables(&held).flatten().collect();
    let learned_from: Vec<&Decision> = with_tables(&train).flatten().collect();
    let mixed = |good: fn(&Decision) -> Vec<bool>| {
        let loss = |share: f64| -> f64 {
            learned_from.iter().map(|one| -mixture(one, &good(one), share)[one.chosen].ln()).sum()
        };
        SHARES.into_iter().min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(0.1)
    };
    let (greedy_share, optimal_share) = (mixed(by_estimate), mixed(by_distance));
    let plays: Vec<Vec<&Decision>> = with_tables(&held)
        .map(|play| play.collect::<Vec<_>>())
        .filter(|play| !play.is_empty())
        .collect();
    let guesses = vec![
        guess("uniform", &plays, |one| vec![1.0 / one.options.len() as f64; one.options.len()]),
        guess("greedy on the heuristic", &plays, |one| {
            mixture(one, &by_estimate(one), greedy_share)
        }),
        guess("optimal", &plays, |one| mixture(one, &by_distance(one), optimal_share)),
        guess("the model", &plays, |one| weights.chances(&one.options)),
    ];
    Ok(Learned {
        simulated,
        people: counts,
        plays: (train.len(), held.len()),
        compared_moves: compared.len(),
        model: weights.to_string(),
        time_weights,
        time_deviation,
        guesses,
        time_factor: time_factor(&train, &held, &time_weights),
    })
}

fn decisions(puzzle: &Puzzle, play: &Play, table: Option<&DistanceTable>) -> Vec<Decision> {
    let mut walk = PlayWalk::new(puzzle);
    let mut decisions = Vec::with_capacity(play.moves.len());
    for (place, timed) in play.moves.iter().enumerate() {
        let options = walk.options();
        let Some(chosen) = options.iter().position(|option| option.mv == timed.mv) else { break };
        let here = *walk.state();
        let nearer = table.and_then(|table| {
            let distance = table.distance(&here)?;
            let comes_nearer = |option: &MoveOption| {
                let mut next = here;
                next.slide(option.mv);
                table.distance(&next).is_some_and(|there| there < distance)
            };
            Some(options.iter().map(comes_nearer).collect())
        });
        // A forced move says nothing of anybody.
        if options.len() > 1 {
            let ms = (place > 0 && timed.ms > 0).then_some(timed.ms);
            decisions.push(Decision { options, chosen, ms, nearer });
        }
        walk.make(timed.mv);
    }
    decisions
}

fn with_tables(plays: &[Vec<Decision>]) -> impl Iterator<Item = impl Iterator<Item = &Decision>> {
    plays.iter().map(|play| play.iter().filter(|one| one.nearer.is_some()))
}

fn by_estimate(decision: &Decision) -> Vec<bool> {
    let least =
        decision.options.iter().map(|option| option.features[0]).fold(f64::INFINITY, f64::min);
    decision.options.iter().map(|option| option.features[0] <= least).collect()
}

fn by_distance(decision: &Decision) -> Vec<bool> {
    decision.nearer.clone().unwrap_or_default()
}

/// One of the good moves, or with a share any move.
fn mixture(decision: &Decision, good: &[bool], share: f64) -> Vec<f64> {
    let count = good.iter().filter(|good| **good).count() as f64;
    let all = decision.options.len() as f64;
    let chance = |&good: &bool| {
        let if_good = if count == 0.0 { 1.0 / all } else { f64::from(u8::from(good)) / count };
        (1.0 - share) * if_good + share / all
    };
    good.iter().map(chance).collect()
}

fn guess(
    name: &'static str,
    plays: &[Vec<&Decision>],
    chances: impl Fn(&Decision) -> Vec<f64>,
) -> Guess {
    let (mut losses, mut hits) = (Vec::new(), Vec::new());
    for play in plays {
        let (mut loss, mut hit) = (0.0, 0.0);
        for decision in play {
            let chances = chances(decision);
            loss -= chances[decision.chosen].max(1e-300).ln();
            let most = chances.iter().copied().fold(0.0, f64::max);
            let is_best = |chance: &f64| *chance >= most - 1e-12;
            if is_best(&chances[decision.chosen]) {
                hit += 1.0 / chances.iter().filter(|chance| is_best(chance)).count() as f64;
            }
        }
        losses.push((loss, play.len() as f64));
        hits.push((hit, play.len() as f64));
    }
    let (log_loss, log_loss_error) = ratio(&losses);
    let (top_1, top_1_error) = ratio(&hits);
    Guess { name, log_loss, log_loss_error, top_1, top_1_error }
}

/// The mean per move of sums over plays, and its standard error with plays as the unit (the ratio
/// estimator of cluster sampling; Cochran 1977, section 2.11).
fn ratio(sums: &[(f64, f64)]) -> (f64, f64) {
    let moves: f64 = sums.iter().map(|(_, moves)| moves).sum();
    let mean = sums.iter().map(|(sum, _)| sum).sum::<f64>() / moves;
    let count = sums.len() as f64;
    let squares: f64 = sums.iter().map(|(sum, moves)| (sum - mean * moves).powi(2)).sum();
    (mean, (squares * count / (count - 1.0)).sqrt() / moves)
}

/// The weights of the greatest likelihood, with a ridge.
fn fit_moves(plays: &[Vec<Decision>]) -> MoveWeights {
    let mut weights = MoveWeights([0.0; MOVES]);
    for _ in 0..STEPS {
        let mut gradient = [0.0; MOVES];
        let mut hessian = [[0.0; MOVES]; MOVES];
        for place in 0..MOVES {
            gradient[place] -= RIDGE * weights.0[place];
            hessian[place][place] += RIDGE;
        }
        for decision in plays.iter().flatten() {
            let chances = weights.chances(&decision.options);
            let mut mean = [0.0; MOVES];
            for (chance, option) in chances.iter().zip(&decision.options) {
                for (mean, feature) in mean.iter_mut().zip(option.features) {
                    *mean += chance * feature;
                }
            }
            let chosen = decision.options[decision.chosen].features;
            for place in 0..MOVES {
                gradient[place] += chosen[place] - mean[place];
            }
            for (chance, option) in chances.iter().zip(&decision.options) {
                for row in 0..MOVES {
                    let left = option.features[row] - mean[row];
                    for column in 0..MOVES {
                        hessian[row][column] +=
                            chance * left * (option.features[column] - mean[column]);
                    }
                }
            }
        }
        let step = solve(hessian, gradient);
        let longest = step.iter().fold(0.0f64, |longest, part| longest.max(part.abs()));
        // A step of Newton's method may be too long far from the end.
        let scale = (2.0 / longest).min(1.0);
        for (weight, part) in weights.0.iter_mut().zip(step) {
            *weight += scale * part;
        }
        if longest < 1e-9 {
            break;
        }
    }
    weights
}

/// The least-squares weights of the logarithm of times, and the standard deviation that is left.
fn fit_times(plays: &[Vec<Decision>]) -> ([f64; TIMES], f64) {
    let mut matrix = [[0.0; TIMES]; TIMES];
    let mut right = [0.0; TIMES];
    for (place, row) in matrix.iter_mut().enumerate() {
        row[place] = 1e-6;
    }
    for (features, time) in times(plays) {
        for row in 0..TIMES {
            right[row] += features[row] * time;
            for column in 0..TIMES {
                matrix[row][column] += features[row] * features[column];
            }
        }
    }
    let weights = solve(matrix, right);
    let (mut squares, mut count) = (0.0, 0.0f64);
    for (features, time) in times(plays) {
        squares += (time - dot(&weights, &features)).powi(2);
        count += 1.0;
    }
    (weights, (squares / (count - TIMES as f64).max(1.0)).sqrt())
}

fn times(plays: &[Vec<Decision>]) -> impl Iterator<Item = ([f64; TIMES], f64)> {
    plays.iter().flatten().filter_map(|decision| {
        let features = decision.options[decision.chosen].time_features(decision.options.len());
        Some((features, f64::from(decision.ms?).ln()))
    })
}

/// The median factor by which predicted times are wrong: of the fit, and of the median of all
/// times.
fn time_factor(
    train: &[Vec<Decision>],
    held: &[Vec<Decision>],
    weights: &[f64; TIMES],
) -> (f64, f64) {
    let median = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let usual = median(times(train).map(|(_, time)| time).collect());
    let wrong = |predicted: &dyn Fn(&[f64; TIMES]) -> f64| {
        let off = times(held).map(|(features, time)| (time - predicted(&features)).abs());
        median(off.collect()).exp()
    };
    (wrong(&|features| dot(weights, features)), wrong(&|_| usual))
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a positive definite system by Cholesky's method.
fn solve<const N: usize>(matrix: [[f64; N]; N], right: [f64; N]) -> [f64; N] {
    let mut lower = [[0.0; N]; N];
    for row in 0..N {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = matrix[row][column] - known;
            lower[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
        }
    }
    let mut middle = [0.0; N];
    for row in 0..N {
        let known: f64 = (0..row).map(|k| lower[row][k] * middle[k]).sum();
        middle[row] = (right[row] - known) / lower[row][row];
    }
    let mut solution = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|k| lower[k][row] * solution[k]).sum();
        solution[row] = (middle[row] - known) / lower[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Plays that the model itself made are fitted by its own weights, and predicted better than by
    /// any other guess.
    #[test]
    fn weights_are_found_again_from_plays_that_they_made() {
        let truth = MoveWeights([-1.2, 0.6, -0.8, -1.5, -0.7, 0.3, 0.1]);
        // On a grid with one empty cell, the token that moved last can only go back.
        let line = "cube:3:2 b=1,g=5,p=6 -> b=6,g=4,p=1";
        let puzzle = Puzzle::from_line(line).unwrap();
        let table = DistanceTable::build_small(&puzzle, &AtomicBool::new(false)).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(22);
        let mut make = |count: usize| -> Vec<Vec<Decision>> {
            (0..count)
                .map(|_| {
                    let mut walk = PlayWalk::new(&puzzle);
                    let mut play = Play::default();
                    for _ in 0..150 {
                        let options = walk.options();
                        let mut left = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                        let chances = truth.chances(&options);
                        let place = chances.iter().position(|chance| {
                            left -= chance;
                            left < 0.0
                        });
                        let mv = options[place.unwrap_or(0)].mv;
                        walk.make(mv);
                        play.moves.push(crate::play::TimedMove { mv, ms: 100 });
                    }
                    decisions(&puzzle, &play, Some(&table))
                })
                .collect()
        };
        let (train, held) = (make(120), make(40));
        let found = fit_moves(&train);
        for (found, truth) in found.0.iter().zip(truth.0) {
            assert!((found - truth).abs() < 0.3, "{found} for {truth}");
        }
        let plays: Vec<Vec<&Decision>> = held.iter().map(|play| play.iter().collect()).collect();
        let loss = |chances: &dyn Fn(&Decision) -> Vec<f64>| guess("", &plays, chances).log_loss;
        let model = loss(&|one| found.chances(&one.options));
        assert!((model - loss(&|one| truth.chances(&one.options))).abs() < 0.01);
        for share in SHARES {
            assert!(model < loss(&|one| mixture(one, &by_estimate(one), share)));
            assert!(model < loss(&|one| mixture(one, &by_distance(one), share)));
        }
    }

    #[test]
    fn systems_are_solved() {
        let solution = solve([[4.0, 2.0], [2.0, 3.0]], [2.0, 5.0]);
        assert!((solution[0] + 0.5).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
    }
}
