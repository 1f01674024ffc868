//! Chooses an optimal algorithm that suits the puzzle.

use hyperslide_puzzle::{Effort, Puzzle, Solvability, goal_count};

use super::best_first::{astar, bidirectional};
use super::{idastar, table};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{HeuristicChoice, HeuristicError};
use crate::outcome::{Limit, Outcome};
use crate::reachable::{decide, most_occupied_sets};
use crate::settings::PROFILE;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "chooses by itself: a table when there is one; IDA* for large puzzles with one empty \
              vertex, over pattern databases when they are hard, in turns with A* and \
              bidirectional search when labels are repeated; otherwise these two in turns, with \
              more and more states",
    guarantee: Guarantee::Optimal,
    source: "Hyperslide; the measurements are in docs/decisions/0002-search.md",
    when: "a shortest solution is wanted and you do not know which algorithm suits the puzzle",
    uses_heuristic: true,
    looks_up_tables: true,
    shows_expansions: true,
    settings: &[PROFILE.setting()],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// An algorithm and how many states it may generate in its first turn.
type Candidate = (&'static Algorithm, u64);

/// How many times more states each turn may generate than the one before: an algorithm's earlier
/// turns are then a small part of its last one. The other algorithm's turns come on top.
const GROWTH: u64 = 16;

/// States so few that a search without estimates has seen all of them in a tenth of a second.
const FEW: f64 = 1e6;

/// The most tokens with one label that estimates assign to vertices in less than half a microsecond.
const QUICKLY_ASSIGNED: usize = 6;

/// States that IDA* may generate before tables are built for it: some 30 ms.
const EASY: u64 = 3_000_000;

pub(crate) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    if let Some(known) = task.table
        && let Some(outcome) = table::look_up_checked(known, task.puzzle, meter)
    {
        meter.note_choice("there is a table of all distances to the goal");
        return Ok((outcome, table::ALGORITHM.name));
    }
    let (chosen, with_tables);
    let plain = task;
    let mut task = task;
    let mut proven = 0;
    if task.heuristic.is_default() && has_patterns(task.puzzle) {
        if HeuristicChoice::patterns_are_ready(task.puzzle, &task.resources) {
            meter.note_choice("one vertex is empty, and the pattern databases are in memory");
        } else {
            // Easy puzzles are solved before any table is built.
            meter.note_choice("one vertex is empty, and the puzzle is too easy for tables");
            let easy =
                meter.with_node_allowance(EASY, |meter| (idastar::ALGORITHM.run)(task, meter))?;
            let is_hard = matches!(
                easy.0,
                Outcome::LimitReached { limit: Limit::Nodes, .. } if !meter.is_out_of_nodes()
            );
            match easy.0 {
                Outcome::LimitReached { lower_bound, .. } if is_hard => proven = lower_bound,
                _ => return Ok(easy),
            }
            meter.note_choice("one vertex is empty, and the puzzle is worth pattern databases");
        }
        chosen = suited(task.puzzle);
        with_tables = Task { heuristic: &chosen, ..task.clone() };
        task = &with_tables;
    } else {
        meter.note_choice(why(task.puzzle));
    }
    let mut candidates = candidates(task.puzzle);
    for round in 0.. {
        // Most puzzles are solved before their solvability would be decided: deciding takes its
        // turns too, about as long as the searches so far. Small puzzles were decided before.
        let requires_solvability =
            candidates.iter().any(|(algorithm, _)| algorithm.requires_solvability);
        let sets = most_occupied_sets(task.puzzle);
        let is_open = Effort::QUICK.occupied_sets < sets && sets <= Effort::THOROUGH.occupied_sets;
        let effort = if requires_solvability {
            Effort::THOROUGH
        } else {
            Effort { slides: meter.stats.generated, ..Effort::THOROUGH }
        };
        if (requires_solvability || (round > 0 && is_open))
            && let Solvability::Unsolvable(reason) = decide(task.puzzle, effort, meter)
        {
            return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
        }
        for place in 0..candidates.len() {
            let (algorithm, allowance) = candidates[place];
            let answer = meter.with_node_allowance(allowance, |meter| (algorithm.run)(task, meter));
            let mut answer = match answer {
                // Without tables it takes longer, but hardly any memory.
                Err(SolveError::Heuristic(HeuristicError::Stopped(Limit::Memory)))
                    if !std::ptr::eq(task, plain) =>
                {
                    task = plain;
                    meter.note_choice(
                        "one vertex is empty, and memory is too small for pattern databases",
                    );
                    meter.with_node_allowance(allowance, |meter| (algorithm.run)(task, meter))?
                }
                Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
                    (Outcome::LimitReached { limit, lower_bound: proven }, algorithm.name)
                }
                answer => answer?,
            };
            let Outcome::LimitReached { limit, lower_bound } = &mut answer.0 else {
                return Ok(answer);
            };
            proven = proven.max(*lower_bound);
            *lower_bound = proven;
            candidates[place].1 = match limit {
                Limit::Nodes if !meter.is_out_of_nodes() => allowance.saturating_mul(GROWTH),
                // The other one may get along with the same memory.
                Limit::Memory | Limit::Length | Limit::Width | Limit::Generations => 0,
                Limit::Nodes | Limit::Time | Limit::Cancelled => return Ok(answer),
            };
            if candidates.iter().all(|&(_, allowance)| allowance == 0) {
                return Ok(answer);
            }
        }
        candidates.retain(|&(_, allowance)| allowance > 0);
    }
    unreachable!("rounds continue until an answer is returned")
}

/// Which algorithms suit the puzzle.
///
/// A* is far ahead where the lone-token estimate says much. Where it says little (k = d - 1) the
/// two are close, and only the search from the goal notices that no token can leave it. Neither can
/// store the states of the 15-puzzle, which IDA* does not store. With repeated labels there are far
/// fewer of them, estimates say less and take longer. Where such labels leave few states,
/// bidirectional search has seen them all before estimates pay; where they leave many, it proves a
/// 5x5 puzzle of two colours in seconds that IDA* does not prove in minutes, and A* a 4x4 puzzle
/// of four colours in a sixth of its time, since few tokens are quickly assigned to vertices.
/// Figures: docs/decisions/0002-search.md.
fn candidates(puzzle: &Puzzle) -> Vec<Candidate> {
    // Breadth-first search spends less time on a state, and needs more of them.
    let from_start = |states| (&astar::ALGORITHM, states);
    let from_both = (&bidirectional::ALGORITHM, 2_000_000);
    // For puzzles whose states do not fit into memory.
    let deepening = (&idastar::ALGORITHM, 20_000);
    let has_ends = goal_count(puzzle) <= bidirectional::MAX_GOAL_STATES as f64;
    let alike = most_alike(puzzle);
    match (is_deep(puzzle), has_ends) {
        (false, true) if alike > 1 && arrangements(puzzle) <= FEW => {
            vec![from_both, from_start(200_000)]
        }
        (false, true) => vec![from_start(200_000), from_both],
        (false, false) => vec![from_start(200_000)],
        (true, true) if alike > QUICKLY_ASSIGNED => vec![from_both, deepening],
        (true, true) if alike > 1 => vec![from_start(2_000_000), from_both, deepening],
        (true, _) => vec![(&idastar::ALGORITHM, u64::MAX)],
    }
}

/// Why these candidates, as a clause: the search that answered was the first of them to.
fn why(puzzle: &Puzzle) -> &'static str {
    match candidates(puzzle).len() {
        1 if is_deep(puzzle) => "one vertex is empty, and there are too many states to store",
        1 => "the goal leaves too many states open for a search from there",
        _ if is_deep(puzzle) => {
            "labels are repeated, so it took turns with another search until one had the answer"
        }
        _ => "it took turns with another search until one had the answer",
    }
}

/// Returns whether it is a puzzle with one empty vertex and more states than A* stores in some 100
/// MB.
fn is_deep(puzzle: &Puzzle) -> bool {
    const STORED: f64 = 4e6;

    let (board, tokens) = (puzzle.board(), puzzle.start().occupied().len());
    board.is_graph() && tokens + 1 == board.vertex_count() && arrangements(puzzle) > STORED
}

/// The heuristic for a puzzle when nobody chose one: pattern databases where they save far more
/// than building them costs, and the goal allows them.
pub(crate) fn suited(puzzle: &Puzzle) -> HeuristicChoice {
    if has_patterns(puzzle) { HeuristicChoice::patterns() } else { HeuristicChoice::default() }
}

/// Returns whether pattern databases suit the puzzle.
fn has_patterns(puzzle: &Puzzle) -> bool {
    let is_full = puzzle.goal().free_vertices().is_empty() && puzzle.has_distinct_labels();
    is_deep(puzzle) && is_full
}

/// The heuristic that leads beams when nobody chose one: learned weights where there are any for
/// the puzzle, otherwise as [`suited`]. Figures: docs/decisions/0009-near-optimal.md.
pub(crate) fn leading(puzzle: &Puzzle) -> HeuristicChoice {
    let weights = HeuristicChoice::learned_weights(puzzle).filter(|_| is_deep(puzzle));
    weights.unwrap_or_else(|| suited(puzzle))
}

/// How many tokens have the same label at most.
fn most_alike(puzzle: &Puzzle) -> usize {
    alike(puzzle).max().unwrap_or(0)
}

/// How many tokens have each label.
fn alike(puzzle: &Puzzle) -> impl Iterator<Item = usize> {
    puzzle.labels().iter().map(|(label, _)| puzzle.start().vertices_of(label).len())
}

/// How many states there are, reachable or not.
fn arrangements(puzzle: &Puzzle) -> f64 {
    let tokens = puzzle.start().occupied().len();
    let vertices = puzzle.board().vertex_count();
    let placements: f64 = (vertices - tokens + 1..=vertices).map(|n| n as f64).product();
    placements / alike(puzzle).flat_map(|count| 1..=count).map(|n| n as f64).product::<f64>()
}
