use hyperslide_puzzle::{Effort, Puzzle, Solvability, decide_solvability};

use super::{Algorithm, Answer, Task, astar, bidirectional, idastar};
use crate::control::Meter;
use crate::goals::goal_states;
use crate::outcome::{Limit, Outcome};
use crate::solve::{SolveError, may_decide_quickly};

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "picks one of the optimal algorithms by board, tokens and goal",
    optimal: true,
    uses_heuristic: true,
    asks_first: false,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let algorithm = choose(task.puzzle);
    if algorithm.asks_first || may_decide_quickly(task.puzzle) {
        return (algorithm.run)(task, meter);
    }
    // Too many occupied sets to decide solvability in passing: most puzzles of this size are solved
    // before it would be decided, and the others are worth the seconds it takes.
    const WITHOUT_ASKING: u64 = 2_000_000;
    let first = meter.with_node_allowance(WITHOUT_ASKING, |meter| (algorithm.run)(task, meter))?;
    let out_of_allowance = matches!(first.0, Outcome::LimitReached { limit: Limit::Nodes, .. });
    if !out_of_allowance || meter.is_out_of_nodes() {
        return Ok(first);
    }
    match decide_solvability(task.puzzle, Effort::THOROUGH) {
        Solvability::Unsolvable(reason) => Ok((Outcome::Unsolvable(reason), algorithm.name)),
        _ => (algorithm.run)(task, meter),
    }
}

/// Bidirectional search stores every state within half the solution's length of either end: best
/// when there are few tokens. Where tokens crowd a graph, the lone-token estimate is good and the
/// states are many: A*, or IDA* when not even A* could store them.
fn choose(puzzle: &Puzzle) -> &'static Algorithm {
    /// A* stores this many states in some 100 MB.
    const STORED: f64 = 4e6;

    let board = puzzle.board();
    let (tokens, vertices) = (puzzle.start().occupied().len(), board.vertex_count());
    let has_goal_end = goal_states(puzzle, bidirectional::MAX_GOAL_STATES).is_some();
    if board.is_graph() && tokens + 1 == vertices && arrangements(puzzle) > STORED {
        &idastar::ALGORITHM
    } else if !has_goal_end || (board.is_graph() && 2 * tokens > vertices) {
        &astar::ALGORITHM
    } else {
        &bidirectional::ALGORITHM
    }
}

/// How many states there are, reachable or not.
fn arrangements(puzzle: &Puzzle) -> f64 {
    let tokens = puzzle.start().occupied().len();
    let vertices = puzzle.board().vertex_count();
    let placements: f64 = (vertices - tokens + 1..=vertices).map(|n| n as f64).product();
    let alike = puzzle.labels().iter().map(|(label, _)| puzzle.start().vertices_of(label).len());
    placements / alike.flat_map(|count| 1..=count).map(|n| n as f64).product::<f64>()
}
