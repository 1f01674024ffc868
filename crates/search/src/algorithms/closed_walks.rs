//! Solves by closed walks that permute tokens, found by group theory.

use hyperslide_puzzle::{
    ClosedWalks, Effort, Move, Puzzle, Solvability, UnsolvableReason, goal_count,
};

use super::best_first::bidirectional;
use super::learned::state_graph::{NEIGHBOURHOOD, shorten};
use super::staged;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::HeuristicChoice;
use crate::outcome::{Limit, Outcome};
use crate::reachable::decide;
use crate::settings::Settings;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "closed-walks",
    summary: "by group theory: slides to the goal's vertices as if all tokens were alike, then \
              closed walks that put each in its place, then cuts out detours; far from shortest",
    guarantee: Guarantee::None,
    source: "D. Kornhauser, G. Miller and P. Spirakis, FOCS 1984, pp. 241-250",
    when: "tokens cannot be placed one by one, because they lock each other in",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// States that a search for the goal's vertices from both ends may generate.
const ALIKE_NODES: u64 = 1 << 23;
/// Occupied sets that are explored for closed walks at a time.
const SETS: usize = 1 << 12;
/// How often that number, and the number of places, is doubled at most.
const MOST_DOUBLINGS: u32 = 24;
/// How often closed walks are combined before more are looked for.
const COMBINATIONS: u32 = 3;
/// Attempts at finding an arrangement where the goal allows several.
const STEPS: u64 = 1 << 18;

/// Kornhauser, Miller and Spirakis (1984) plan the motion of pebbles on graphs so; here on every
/// board. What is explored of occupied sets counts as generated states.
pub(crate) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let least = task.least(&*heuristic);
    let outcome = match meter.unobserved(|meter| slide_alike(task, least, meter)) {
        Err(NoMoves::Refused(error)) => return Err(error),
        Err(NoMoves::Outcome(outcome)) => outcome,
        Ok(moves) => match rearrange(task, moves, least, meter) {
            Err(outcome) => outcome,
            Ok(moves) => {
                let moves = staged::without_loops(task.puzzle, moves);
                let (moves, _) = shorten(task, &*heuristic, moves, NEIGHBOURHOOD, meter);
                let optimal = moves.len() as u32 <= least;
                Outcome::Solved { moves, optimal, lower_bound: least }
            }
        },
    };
    Ok((outcome, ALGORITHM.name))
}

/// Why there are no moves.
enum NoMoves {
    /// The search ended without them.
    Outcome(Outcome),
    /// The puzzle cannot be searched.
    Refused(SolveError),
}

impl From<SolveError> for NoMoves {
    fn from(error: SolveError) -> NoMoves {
        NoMoves::Refused(error)
    }
}

/// A limit that was reached without a solution.
fn over(limit: Limit, least: u32) -> Outcome {
    Outcome::LimitReached { limit, lower_bound: least }
}

/// Moves to vertices of the goal, whichever token to which; or why there are none.
fn slide_alike(task: &Task<'_>, least: u32, meter: &mut Meter<'_>) -> Result<Vec<Move>, NoMoves> {
    let alike = &alike(task.puzzle);
    if alike.goal().is_met(alike.start()) {
        return Ok(Vec::new());
    }
    let (heuristic, settings) = (&HeuristicChoice::default(), &Settings::default());
    let task = &Task { puzzle: alike, heuristic, table: None, settings, ..task.clone() };
    let mut outcome = over(Limit::Nodes, least);
    // Estimates say little where all tokens are alike, and take long.
    if goal_count(alike) <= bidirectional::MAX_BACKWARD_ROOTS as f64 {
        let run = |meter: &mut Meter<'_>| (bidirectional::ALGORITHM.run)(task, meter);
        (outcome, _) = meter.with_node_allowance(ALIKE_NODES, run)?;
    }
    if matches!(outcome, Outcome::LimitReached { .. }) {
        (outcome, _) = staged::run(task, meter)?;
    }
    let outcome = match outcome {
        Outcome::Solved { moves, .. } => return Ok(moves),
        Outcome::LimitReached { limit, .. } => over(limit, least),
        // The states of like tokens are occupied sets.
        Outcome::Unsolvable(UnsolvableReason::Exhausted { end, states, .. }) => {
            let occupied_sets = states as usize;
            Outcome::Unsolvable(UnsolvableReason::OccupiedSets { end, occupied_sets })
        }
        Outcome::Unsolvable(reason) => Outcome::Unsolvable(reason),
    };
    Err(NoMoves::Outcome(outcome))
}

/// The puzzle with all tokens alike.
fn alike(puzzle: &Puzzle) -> Puzzle {
    let start = [("t", puzzle.start().occupied())];
    let goal = [("t", puzzle.goal().labelled().occupied())];
    staged::derived(puzzle, &start, &goal, true)
}

/// Continues to the goal from where moves lead, the right vertices; or says why there is no way.
fn rearrange(
    task: &Task<'_>,
    mut moves: Vec<Move>,
    least: u32,
    meter: &mut Meter<'_>,
) -> Result<Vec<Move>, Outcome> {
    let puzzle = task.puzzle;
    let state = puzzle.replay(&moves).expect("like tokens move as others do");
    if puzzle.goal().is_met(&state) {
        return Ok(moves);
    }
    let mut walks = ClosedWalks::new(puzzle, &state, task.seed);
    let (mut explored, mut is_solvable) = (0, false);
    for round in 0.. {
        if !is_solvable {
            // There may be no way: deciding that takes its turns, as long as the rest.
            let effort = Effort {
                occupied_sets: explored.min(Effort::THOROUGH.occupied_sets),
                slides: Effort::THOROUGH.slides,
                ..Effort::QUICK
            };
            match decide(puzzle, effort, meter) {
                Ok(Solvability::Unsolvable(reason)) => return Err(Outcome::Unsolvable(reason)),
                answer => is_solvable = answer == Ok(Solvability::Solvable),
            }
        }
        // Many places a little, since tokens are locked in by others in each; and one far, since
        // walks that change anything may be long.
        let places = 1usize << round.min(MOST_DOUBLINGS);
        let far = (SETS * places).min(usize::try_from(meter.nodes_left()).unwrap_or(usize::MAX));
        meter.stats.generated += walks.explore_home(far, &|bytes| meter.is_over(bytes)) as u64;
        for _ in 0..places {
            meter.poll(walks.bytes(), least).map_err(|limit| over(limit, least))?;
            let found = walks.explore_elsewhere(SETS, &|bytes| meter.is_over(bytes));
            meter.stats.generated += found as u64;
        }
        explored += far;
        for _ in 0..COMBINATIONS {
            meter.poll(walks.bytes(), least).map_err(|limit| over(limit, least))?;
            if let Some(walk) = walks.moves(STEPS) {
                moves.extend(walk);
                return Ok(moves);
            }
            let bytes = walks.bytes();
            walks.combine(&|| meter.is_over(bytes));
        }
    }
    unreachable!("rounds continue until something stops them")
}
