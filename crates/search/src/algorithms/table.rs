//! Optimal play by looking up a table of all distances to the goal.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Effort, Puzzle, SearchEnd, Solvability, UnsolvableReason};
use hyperslide_table::{
    Abstraction, AbstractionError, BuildOptions, DistanceTable, Layers, MAX_GOAL_STATES,
    SearchOptions, Signals, TableError,
};

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use crate::reachable::decide;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "table",
    summary: "looks the distance up in a table of all distances to the goal, and builds the table \
              when there is none",
    guarantee: Guarantee::Optimal,
    source: "dynamic programming, as in L1 Scientific, Slider Puzzles, Part 1",
    when: "many puzzles with one goal are to be solved, and all of their states fit in memory",
    uses_heuristic: false,
    looks_up_tables: true,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    if let Some(table) = task.table
        && let Some(outcome) = look_up_checked(table, task.puzzle, meter)
    {
        return Ok((outcome, ALGORITHM.name));
    }
    Ok((build(task.puzzle, meter)?, ALGORITHM.name))
}

/// What a table from a file says about the puzzle. That there is no solution is not believed of a
/// table alone: where it is not proven in another way, `None`.
pub(crate) fn look_up_checked(
    table: &DistanceTable,
    puzzle: &Puzzle,
    meter: &mut Meter<'_>,
) -> Option<Outcome> {
    match look_up(table, puzzle, meter)? {
        Outcome::Unsolvable(_) => match decide(puzzle, Effort::THOROUGH, meter) {
            Ok(Solvability::Unsolvable(reason)) => Some(Outcome::Unsolvable(reason)),
            Ok(Solvability::Solvable | Solvability::Undecided) | Err(_) => None,
        },
        outcome => Some(outcome),
    }
}

/// What the table says about the puzzle; `None` when it is of another one, or was cut off before.
fn look_up(table: &DistanceTable, puzzle: &Puzzle, meter: &mut Meter<'_>) -> Option<Outcome> {
    if !table.answers(puzzle) {
        return None;
    }
    meter.note_end(table.bytes(), table.layers().total());
    if let Some(moves) = table.solve(puzzle.start()) {
        meter.stats.expanded += moves.len() as u64;
        meter.stats.generated += moves.len() as u64;
        let lower_bound = moves.len() as u32;
        return Some(Outcome::Solved { moves, optimal: true, lower_bound });
    }
    // All that leads to the goal is in it, and the start is not.
    table.layers().complete.then(|| {
        let states = table.layers().total();
        Outcome::Unsolvable(UnsolvableReason::Exhausted {
            end: SearchEnd::Goal,
            states,
            labelled: None,
        })
    })
}

/// Builds the table until it has the start, and looks that up.
fn build(puzzle: &Puzzle, meter: &mut Meter<'_>) -> Result<Outcome, SolveError> {
    let abstraction = match Abstraction::whole(puzzle) {
        Ok(abstraction) => abstraction,
        Err(AbstractionError::TooManyGoals(_)) => {
            let (algorithm, limit) = (ALGORITHM.name, MAX_GOAL_STATES);
            return Err(SolveError::OpenGoal { algorithm, limit });
        }
        Err(error) => unreachable!("nothing is left out: {error}"),
    };
    let options = BuildOptions {
        memory: meter.memory_limit(),
        until: Some(*puzzle.start()),
        // One thread, as the searches have, so that their CPU seconds can be compared.
        search: SearchOptions { threads: 1, ..SearchOptions::default() },
        ..BuildOptions::default()
    };
    let reached = |limit, lower_bound| Outcome::LimitReached { limit, lower_bound };
    let mut limit = meter.poll(0, 1).err();
    if let Some(limit) = limit {
        return Ok(reached(limit, 1));
    }
    let watch = meter.watch();
    let mut depth = 0;
    let mut on_progress = |layers: &Layers| {
        let new = layers.states.last().copied().unwrap_or(0);
        meter.stats.expanded += new;
        meter.stats.generated += new;
        depth = layers.depth();
        limit = meter.poll(0, depth).err();
        if limit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let built = watch.during(|stop| {
        DistanceTable::build(abstraction, &options, &Signals::new(stop), &mut on_progress)
    });
    Ok(match built {
        // Where the start is not in it nor all else, it is farther than the last layer.
        Ok(table) => look_up(&table, puzzle, meter).unwrap_or_else(|| {
            reached(limit.unwrap_or(Limit::Cancelled), table.layers().depth() + 1)
        }),
        Err(TableError::GoalOutOfReach { occupied_sets }) => {
            Outcome::Unsolvable(UnsolvableReason::OccupiedSets {
                end: SearchEnd::Start,
                occupied_sets,
            })
        }
        Err(TableError::Cancelled) => {
            reached(watch.reason().map_or(Limit::Memory, Limit::from), depth + 1)
        }
        // Whatever else stands in the way is that it is too large.
        Err(_) => reached(Limit::Memory, 1),
    })
}
