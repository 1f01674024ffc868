use hyperslide_puzzle::{
    Arrangement, ClosedWalks, EMPTY, Effort, LabelPlaces, Move, Puzzle, Setup, Solvability, State,
    UnsolvableReason, Vertex, VertexSet, goal_count,
};

use super::sampling::{NEIGHBOURHOOD, shorten};
use super::{Algorithm, Answer, Task, bidirectional, staged};
use crate::control::Meter;
use crate::heuristics::HeuristicChoice;
use crate::outcome::{Limit, Outcome};
use crate::settings::Settings;
use crate::solve::{SolveError, decide};

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "closed-walks",
    summary: "by group theory, far from shortest: slides to the goal's vertices as if all tokens were alike, then closed \
              walks that put each in its place, then detours cut off; also where tokens cannot be placed one by one",
    optimal: false,
    uses_heuristic: true,
    asks_first: false,
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

/// Kornhauser, Miller and Spirakis (1984) plan the motion of pebbles on graphs so; here on every board. What is explored of
/// occupied sets counts as generated states.
pub(super) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let least = task.least(&*heuristic);
    let over = |limit| {
        Ok((Outcome::LimitReached { limit, best: None, lower_bound: least }, ALGORITHM.name))
    };
    let alike = alike(task.puzzle);
    let mut moves = if alike.goal().is_met(alike.start()) {
        Vec::new()
    } else {
        match slide_alike(task, &alike, meter)? {
            Outcome::Solved { moves, .. } => moves,
            Outcome::LimitReached { limit, .. } => return over(limit),
            Outcome::Unsolvable(reason) => {
                let reason = match reason {
                    // The states of like tokens are occupied sets.
                    UnsolvableReason::Exhausted { end, states } => {
                        UnsolvableReason::OccupiedSets { end, occupied_sets: states as usize }
                    }
                    reason => reason,
                };
                return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
            }
        }
    };
    let state = task.puzzle.replay(&moves).expect("like tokens move as others do");
    if !task.puzzle.goal().is_met(&state) {
        match rearrange(task.puzzle, &state, least, task.seed, meter) {
            Ok(walk) => moves.extend(walk),
            Err(End::Limit(limit)) => return over(limit),
            Err(End::Unsolvable(reason)) => {
                return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
            }
        }
    }
    let moves = staged::without_loops(task.puzzle, moves);
    let (moves, _) = shorten(task, &*heuristic, moves, NEIGHBOURHOOD, meter);
    let optimal = moves.len() as u32 <= least;
    Ok((Outcome::Solved { moves, optimal, lower_bound: least }, ALGORITHM.name))
}

/// To vertices of the goal, whichever token to which.
fn slide_alike(
    task: &Task<'_>,
    alike: &Puzzle,
    meter: &mut Meter<'_>,
) -> Result<Outcome, SolveError> {
    let heuristic = &HeuristicChoice::default();
    let task = &Task { puzzle: alike, heuristic, table: None, ..task.clone() };
    // Estimates say little where all tokens are alike, and take long.
    if goal_count(alike) <= bidirectional::MAX_GOAL_STATES as f64 {
        let run = |meter: &mut Meter<'_>| (bidirectional::ALGORITHM.run)(task, meter);
        let (outcome, _) = meter.with_node_allowance(ALIKE_NODES, run)?;
        if !matches!(outcome, Outcome::LimitReached { .. }) {
            return Ok(outcome);
        }
    }
    let settings = &Settings::default();
    Ok(staged::run(&Task { settings, ..task.clone() }, meter)?.0)
}

/// The puzzle with all tokens alike.
fn alike(puzzle: &Puzzle) -> Puzzle {
    let entry = |label: &str, vertices: VertexSet, others_anywhere| LabelPlaces {
        label: label.to_owned(),
        vertices: vertices.into_iter().map(Vertex::index).collect(),
        others_anywhere,
    };
    let occupied = puzzle.start().occupied();
    let placed = puzzle.goal().labelled().occupied();
    let mut goal = vec![entry("t", placed, placed.len() < occupied.len())];
    let empty = puzzle.goal().empty();
    if !empty.is_empty() && !puzzle.goal().free_vertices().is_empty() {
        goal.push(entry(EMPTY, empty, false));
    }
    let start = Arrangement::ByLabel(vec![entry("t", occupied, false)]);
    let setup = Setup { start, goal: Some(Arrangement::ByLabel(goal)) };
    Puzzle::new(puzzle.board().clone(), &setup).expect("a puzzle with like tokens is a puzzle")
}

/// Why there is no way.
enum End {
    Limit(Limit),
    Unsolvable(UnsolvableReason),
}

/// Moves to the goal from a state that occupies the right vertices.
fn rearrange(
    puzzle: &Puzzle,
    state: &State,
    bound: u32,
    seed: u64,
    meter: &mut Meter<'_>,
) -> Result<Vec<Move>, End> {
    let mut walks = ClosedWalks::new(puzzle, state, seed);
    let (mut explored, mut is_solvable) = (0, false);
    for round in 0.. {
        if !is_solvable {
            // It may be that there is no way: deciding that takes its turns, as long as the rest.
            let effort = Effort {
                occupied_sets: explored.min(Effort::THOROUGH.occupied_sets),
                slides: Effort::THOROUGH.slides,
                ..Effort::QUICK
            };
            match decide(puzzle, effort, meter) {
                Solvability::Unsolvable(reason) => return Err(End::Unsolvable(reason)),
                answer => is_solvable = answer == Solvability::Solvable,
            }
        }
        // Many places a little, since tokens are locked in by others in each; and one far, since walks that
        // change anything may be long.
        let places = 1usize << round.min(MOST_DOUBLINGS);
        let far = (SETS * places).min(usize::try_from(meter.nodes_left()).unwrap_or(usize::MAX));
        meter.stats.generated += walks.explore_home(far, &|bytes| meter.is_over(bytes)) as u64;
        for _ in 0..places {
            meter.poll(walks.bytes(), bound).map_err(End::Limit)?;
            let found = walks.explore_elsewhere(SETS, &|bytes| meter.is_over(bytes));
            meter.stats.generated += found as u64;
        }
        explored += far;
        for _ in 0..COMBINATIONS {
            meter.poll(walks.bytes(), bound).map_err(End::Limit)?;
            if let Some(moves) = walks.moves(STEPS) {
                return Ok(moves);
            }
            let bytes = walks.bytes();
            walks.combine(&|| meter.is_over(bytes));
        }
    }
    unreachable!("rounds go on until something stops them")
}
