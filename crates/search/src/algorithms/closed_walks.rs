use hyperslide_puzzle::{
    Arrangement, ClosedWalks, Effort, GoalCell, Move, Puzzle, Setup, Solvability, State,
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
                return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
            }
        }
    };
    let state = task.puzzle.replay(&moves).expect("like tokens move as others do");
    if !task.puzzle.goal().is_met(&state) {
        match rearrange(task.puzzle, &state, task.seed, meter) {
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
    let places = |set: VertexSet| set.into_iter().map(|v| v.index().to_string());
    let join = |places: Vec<String>| places.join("+");
    let arrangement = |text: String| -> Arrangement {
        text.parse().expect("labels and vertices of a puzzle are in the notation")
    };
    let occupied = puzzle.start().occupied();
    let placed = puzzle.goal().labelled().occupied();
    let mut wanted: Vec<String> = places(placed).collect();
    if placed.len() < occupied.len() {
        wanted.push("*".to_owned());
    }
    let mut goal = format!("t={}", join(wanted));
    let empty = puzzle.goal().empty();
    if !empty.is_empty() && !puzzle.goal().free_vertices().is_empty() {
        goal += &format!(",0={}", join(places(empty).collect()));
    }
    let start = arrangement(format!("t={}", join(places(occupied).collect())));
    let setup = Setup { start, goal: Some(arrangement(goal)) };
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
    seed: u64,
    meter: &mut Meter<'_>,
) -> Result<Vec<Move>, End> {
    let labels: Vec<_> = state.tokens().map(|(_, label)| label).collect();
    let goal = puzzle.goal();
    let fits = |occupied: VertexSet| {
        goal.labelled().occupied().is_subset(occupied) && (occupied & goal.empty()).is_empty()
    };
    let allowed = |slot: usize, vertex: Vertex| match goal.cells()[vertex.index()] {
        GoalCell::Label(label) => label == labels[slot],
        GoalCell::Any => true,
        GoalCell::Empty => false,
    };
    // Slots whose wish is hardest to meet first: labels of one token with a vertex, shared labels, tokens that may end
    // anywhere.
    let mut base: Vec<usize> = (0..labels.len()).collect();
    base.sort_by_key(|&slot| {
        let like = GoalCell::Label(labels[slot]);
        goal.cells().iter().filter(|&&cell| cell == like).count().wrapping_sub(1)
    });
    let mut walks = ClosedWalks::new(puzzle.board(), state.occupied(), &base, seed);
    let mut explored = 0;
    for round in 0u32.. {
        // It may be that there is no way: deciding that takes its turns, as long as the rest.
        let effort = Effort { occupied_sets: explored, ..Effort::THOROUGH };
        if let Solvability::Unsolvable(reason) = decide(puzzle, effort, meter) {
            return Err(End::Unsolvable(reason));
        }
        // Many places a little, since tokens are locked in by others in each; and one far, since walks that
        // change anything may be long.
        let all = SETS << round;
        let home = walks.explore_home(all, &|bytes| meter.is_over(bytes));
        meter.note_bytes(home);
        meter.stats.generated += all as u64;
        for _ in 0..1 << round {
            meter.poll(home, 0).map_err(End::Limit)?;
            let bytes = walks.explore_elsewhere(SETS, &|bytes| meter.is_over(home + bytes));
            meter.stats.generated += SETS as u64;
            meter.note_bytes(home + bytes);
        }
        explored += all;
        for _ in 0..COMBINATIONS {
            if let Some(moves) = walks.moves(&mut STEPS.clone(), &fits, &allowed) {
                return Ok(moves);
            }
            walks.combine(&|| meter.is_over(home));
        }
    }
    unreachable!("rounds go on until something stops them")
}
