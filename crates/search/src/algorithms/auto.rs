use hyperslide_puzzle::{Effort, Puzzle, Solvability};

use super::{Algorithm, Answer, Task, astar, bidirectional, idastar};
use crate::control::Meter;
use crate::goals::goal_count;
use crate::outcome::{Limit, Outcome};
use crate::solve::{SolveError, decide, may_decide_quickly};

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "picks one of the optimal algorithms by board, tokens and goal",
    optimal: true,
    uses_heuristic: true,
    asks_first: false,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let algorithm = choose(puzzle);
    let unsolvable = |reason| Ok((Outcome::Unsolvable(reason), algorithm.name));
    if algorithm.asks_first
        && let Solvability::Unsolvable(reason) = decide(puzzle, Effort::THOROUGH, meter)
    {
        return unsolvable(reason);
    }
    if algorithm.asks_first || may_decide_quickly(puzzle) {
        return (algorithm.run)(task, meter);
    }
    // Too many occupied sets to decide solvability in passing: most puzzles of this size are solved
    // before it would be decided, and the others are worth the seconds it takes.
    const WITHOUT_ASKING: u64 = 2_000_000;
    let first = meter.with_node_allowance(WITHOUT_ASKING, |meter| (algorithm.run)(task, meter))?;
    let Outcome::LimitReached { limit: Limit::Nodes, lower_bound: proven, .. } = first.0 else {
        return Ok(first);
    };
    if meter.is_out_of_nodes() {
        return Ok(first);
    }
    if let Solvability::Unsolvable(reason) = decide(puzzle, Effort::THOROUGH, meter) {
        return unsolvable(reason);
    }
    let (mut second, name) = (algorithm.run)(task, meter)?;
    if let Outcome::LimitReached { lower_bound, .. } = &mut second {
        *lower_bound = proven.max(*lower_bound);
    }
    Ok((second, name))
}

/// Bidirectional search stores every state within half the solution's length of either end: best
/// when there are few tokens. Where tokens crowd a graph, the lone-token estimate is good and the
/// states are many: A*, or IDA* when not even A* could store them.
fn choose(puzzle: &Puzzle) -> &'static Algorithm {
    /// A* stores this many states in some 100 MB.
    const STORED: f64 = 4e6;

    let board = puzzle.board();
    let (tokens, vertices) = (puzzle.start().occupied().len(), board.vertex_count());
    let has_goal_end = goal_count(puzzle) <= bidirectional::MAX_GOAL_STATES as f64;
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
