use std::time::Instant;

use hyperslide_puzzle::Move;

use super::beam::{self, Beam};
use super::{Algorithm, Answer, Task, auto, staged};
use crate::control::Meter;
use crate::heuristics::{Heuristic, HeuristicChoice, HeuristicError};
use crate::outcome::{Limit, Outcome};
use crate::solve::SolveError;

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "anytime",
    summary: "a solution soon, then better ones until a limit is reached or the best is proven shortest: staged, then \
              wider and wider beams, in turns with an optimal search that raises the lower bound",
    optimal: false,
    uses_heuristic: true,
    asks_first: false,
    check: Algorithm::any_settings,
    run,
};

/// Width of the first beam.
const NARROWEST: usize = 64;
/// Width of the last ones, where memory allows it.
const WIDEST: usize = 1 << 28;
/// How many times wider each beam is than the one before.
const WIDENING: usize = 4;
/// States that the first, staged, search may generate.
const STAGED_NODES: u64 = 2_000_000;
/// Of the states generated so far, one in so many is for the lower bound.
const PROOF_SHARE: u64 = 4;
/// The first search for the lower bound may generate so many states.
const PROOF_NODES: u64 = 100_000;

/// Of the time that is left, how much the last beam is made for.
const FITTING: f64 = 0.8;

struct Best {
    moves: Option<Vec<Move>>,
    lower_bound: u32,
}

impl Best {
    fn below(&self) -> u32 {
        self.moves.as_ref().map_or(u32::MAX, |moves| moves.len() as u32)
    }

    fn improve(&mut self, moves: Vec<Move>) {
        if (moves.len() as u32) < self.below() {
            self.moves = Some(moves);
        }
    }

    fn is_proven(&self) -> bool {
        self.below() <= self.lower_bound
    }

    fn outcome(self, limit: Limit) -> Outcome {
        match self.moves {
            Some(moves) => {
                let optimal = moves.len() as u32 <= self.lower_bound;
                let lower_bound = self.lower_bound.min(moves.len() as u32);
                Outcome::Solved { moves, optimal, lower_bound }
            }
            None => {
                let lower_bound = self.lower_bound;
                Outcome::LimitReached { limit, best: None, lower_bound }
            }
        }
    }
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let suited = auto::suited(task.puzzle);
    let heuristic = if task.heuristic.is_default() { &suited } else { task.heuristic };
    let task = &Task { heuristic, ..task.clone() };
    let mut best = Best { moves: None, lower_bound: 0 };
    // Without tables first: a solution is wanted soon.
    let lone_token = HeuristicChoice::default();
    let plain = Task { heuristic: &lone_token, ..task.clone() };
    let (outcome, _) =
        meter.with_node_allowance(STAGED_NODES, |meter| staged::run(&plain, meter))?;
    match outcome {
        Outcome::Solved { moves, lower_bound, .. } => {
            best.improve(moves);
            best.lower_bound = lower_bound;
        }
        Outcome::LimitReached { limit, lower_bound, .. } => {
            best.lower_bound = lower_bound;
            if limit != Limit::Nodes || meter.is_out_of_nodes() {
                return Ok((best.outcome(limit), ALGORITHM.name));
            }
        }
        Outcome::Unsolvable(_) => return Ok((outcome, ALGORITHM.name)),
    }
    let heuristic = match task.build_heuristic(meter) {
        Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
            return Ok((best.outcome(limit), ALGORITHM.name));
        }
        heuristic => heuristic?,
    };
    best.lower_bound = best.lower_bound.max(task.least(&*heuristic));
    let outcome = match improve(task, &*heuristic, &mut best, meter)? {
        End::Limit(limit) => best.outcome(limit),
        End::Proven(outcome) => outcome,
    };
    Ok((outcome, ALGORITHM.name))
}

/// Why there is nothing left to improve.
enum End {
    /// A limit was reached, or the best solution is proven shortest.
    Limit(Limit),
    /// There is no solution.
    Proven(Outcome),
}

/// Beams and proofs in turns until a limit is reached or the best solution is proven shortest.
fn improve(
    task: &Task<'_>,
    heuristic: &dyn Heuristic,
    best: &mut Best,
    meter: &mut Meter<'_>,
) -> Result<End, SolveError> {
    let mut width = NARROWEST;
    let mut seed = 0;
    let mut proof = PROOF_NODES;
    let mut proof_nodes = 0;
    while !best.is_proven() {
        let beam = Beam { width, seed, below: best.below() };
        let began = Instant::now();
        match beam::search(task, heuristic, beam, meter) {
            Ok(found) => {
                found.into_iter().for_each(|moves| best.improve(moves));
                let took = began.elapsed();
                width = (width * WIDENING).min(WIDEST);
                // What is left may suffice for the next but not for one after it: then one that just fits, and no proof
                // before it. Two of about one width are worth less than one that is wider.
                let left =
                    meter.deadline().map(|end| end.saturating_duration_since(Instant::now()));
                if let Some(left) = left.filter(|left| *left < took * (WIDENING * WIDENING) as u32)
                {
                    let fits = left.as_secs_f64() / took.as_secs_f64().max(1e-3) * FITTING;
                    width = ((width / WIDENING) as f64 * fits).max(1.0) as usize;
                    seed += 1;
                    continue;
                }
            }
            Err(Limit::Memory) if width > NARROWEST => {
                // As wide as memory allows, with other states drawn.
                width /= WIDENING;
                seed += 1;
            }
            Err(limit) => return Ok(End::Limit(limit)),
        }
        if best.is_proven() || proof_nodes > meter.stats.generated / PROOF_SHARE {
            continue;
        }
        let before = meter.stats.generated;
        let (outcome, _) = meter.with_node_allowance(proof, |meter| auto::run(task, meter))?;
        proof_nodes += meter.stats.generated - before;
        match outcome {
            Outcome::Solved { moves, .. } => {
                best.lower_bound = moves.len() as u32;
                best.improve(moves);
            }
            Outcome::LimitReached { limit, lower_bound, .. } => {
                best.lower_bound = best.lower_bound.max(lower_bound);
                if limit != Limit::Nodes || meter.is_out_of_nodes() {
                    return Ok(End::Limit(limit));
                }
            }
            Outcome::Unsolvable(_) => return Ok(End::Proven(outcome)),
        }
        proof *= 4;
    }
    Ok(End::Limit(Limit::Width))
}
