//! One entry point: solves a puzzle, and checks every answer before it is returned.

use hyperslide_puzzle::{Effort, Puzzle, Solvability, State, UnsolvableReason};

use crate::algorithm::{Algorithm, Answer, Task};
use crate::algorithms::best_first::astar;
use crate::algorithms::{ALGORITHMS, StageReport, check_region, run_in_stages};
use crate::config::Config;
use crate::control::{Control, Meter};
use crate::error::SolveError;
use crate::free_labels::with_free_labels_merged;
use crate::heuristics::{HeuristicChoice, HeuristicError, Resources};
use crate::outcome::{Outcome, Report};
use crate::reachable::{decide, most_occupied_sets};

/// Solves a puzzle, or proves it unsolvable, or reaches a limit.
///
/// Whether the goal can be reached is decided first wherever that takes milliseconds (any cube up
/// to d = 4, any board with one empty vertex), and with all effort before IDA*, which would never
/// end, and does not begin where a limit leaves it undecided.
///
/// # Errors
///
/// When the algorithm cannot be used on this puzzle, or a stored pattern database is wrong.
///
/// # Panics
///
/// When a solution breaks the rules or misses the goal: a bug here, never returned as an answer.
pub fn solve(
    puzzle: &Puzzle,
    config: &Config,
    control: &Control<'_>,
) -> Result<Report, SolveError> {
    let mut meter = Meter::new(control);
    let Config { algorithm, seed, .. } = *config;
    (algorithm.check)(puzzle, &config.settings)?;
    let (outcome, name) = match answer_without_search(puzzle, algorithm, &mut meter) {
        Some(outcome) => (outcome, algorithm.name),
        None => match merged(puzzle, config, control) {
            None => search(puzzle, config, &mut meter)?,
            Some((merged, others)) => {
                let mut answer = search(&merged, config, &mut meter)?;
                if let Outcome::Unsolvable(UnsolvableReason::Exhausted { labelled, .. }) =
                    &mut answer.0
                {
                    labelled.get_or_insert(others);
                }
                answer
            }
        },
    };
    let choice = meter.choice().filter(|_| algorithm.name == ALGORITHMS[0].name);
    let heuristic = meter.heuristic().map(str::to_owned);
    let report = conclude(puzzle, outcome, name, meter, seed)?;
    Ok(Report { choice, heuristic, ..report })
}

/// Runs the algorithm of a configuration on a puzzle.
fn search(puzzle: &Puzzle, config: &Config, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let task = config.task(puzzle, meter);
    match (config.algorithm.run)(&task, meter) {
        Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
            Ok((Outcome::LimitReached { limit, lower_bound: 0 }, config.algorithm.name))
        }
        answer => confirmed(answer?, &task, meter),
    }
}

/// Returns the puzzle with its free labels merged, and the number of the remaining tokens, if that
/// puzzle can be searched instead. A table, a heuristic or a kept proof that the caller chose
/// belongs to the original puzzle. An observer records the puzzle that is actually searched.
fn merged(puzzle: &Puzzle, config: &Config, control: &Control<'_>) -> Option<(Puzzle, usize)> {
    let is_as_given =
        config.table.is_some() || !config.heuristic.is_default() || control.proof.is_some();
    let merged = (!is_as_given).then(|| with_free_labels_merged(puzzle))??;
    let is_taken = (config.algorithm.check)(&merged.0, &config.settings).is_ok();
    is_taken.then_some(merged)
}

/// An answer, except that a puzzle is not called unsolvable because of pattern databases alone,
/// since they may come from files. Where nothing else proves it, the search is repeated without
/// them.
fn confirmed(
    (outcome, name): Answer,
    task: &Task<'_>,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    let is_exhausted = matches!(outcome, Outcome::Unsolvable(UnsolvableReason::Exhausted { .. }));
    if !is_exhausted || !meter.has_tables() {
        return Ok((outcome, name));
    }
    match decide(task.puzzle, Effort::THOROUGH, meter) {
        Ok(Solvability::Unsolvable(_)) => Ok((outcome, name)),
        Ok(Solvability::Solvable) => Err(SolveError::WrongTable),
        Ok(Solvability::Undecided) | Err(_) => {
            let heuristic = &HeuristicChoice::lone_token();
            (astar::ALGORITHM.run)(&Task { heuristic, ..task.clone() }, meter)
        }
    }
}

/// Checks an outcome and makes it a report.
pub(crate) fn conclude(
    puzzle: &Puzzle,
    mut outcome: Outcome,
    name: &'static str,
    meter: Meter<'_>,
    seed: u64,
) -> Result<Report, SolveError> {
    let stats = meter.finish();
    if let Outcome::Solved { lower_bound, .. } | Outcome::LimitReached { lower_bound, .. } =
        &mut outcome
    {
        // Some algorithms know less than this.
        let lone_token = HeuristicChoice::default().build(puzzle, &Resources::default())?;
        let least = lone_token.estimate(puzzle.start()).unwrap_or(0);
        *lower_bound = least.max(*lower_bound);
    }
    if let Outcome::Solved { moves, optimal, lower_bound } = &mut outcome {
        let length = moves.len();
        assert!(
            length >= *lower_bound as usize,
            "{name}: {length} moves and a bound of {lower_bound} on {puzzle}"
        );
        // It is a shortest one, whether the algorithm knew that or not.
        *optimal |= length == *lower_bound as usize;
        match puzzle.replay(moves) {
            Ok(end) => assert!(puzzle.goal().is_met(&end), "{name} missed the goal of {puzzle}"),
            Err((number, error)) => panic!("{name} broke the rules on {puzzle}: {number}: {error}"),
        }
    }
    Ok(Report { outcome, stats, algorithm: name, choice: None, heuristic: None, seed })
}

/// Runs local value iteration from a state with the tokens of a puzzle, and reports its stages.
///
/// Solvability is not decided before, and the answer is not checked afterwards; [`solve()`] does
/// both.
///
/// # Errors
///
/// When the region's size does not fit the puzzle.
pub fn solve_in_stages(
    puzzle: &Puzzle,
    start: &State,
    config: &Config,
    control: &Control<'_>,
) -> Result<StageReport, SolveError> {
    check_region(puzzle, &config.settings)?;
    let mut meter = Meter::new(control);
    let task = config.task(puzzle, &meter);
    let (outcome, stages) = run_in_stages(&task, start, &mut meter);
    Ok(StageReport { outcome, stages, stats: meter.finish() })
}

/// The answer when there is nothing to search for.
pub(crate) fn answer_without_search(
    puzzle: &Puzzle,
    algorithm: &Algorithm,
    meter: &mut Meter<'_>,
) -> Option<Outcome> {
    if puzzle.goal().is_met(puzzle.start()) {
        return Some(Outcome::Solved { moves: Vec::new(), optimal: true, lower_bound: 0 });
    }
    let effort = if algorithm.requires_solvability {
        Effort::THOROUGH
    } else if most_occupied_sets(puzzle) <= Effort::QUICK.occupied_sets {
        Effort::QUICK
    } else {
        Effort::LEAST
    };
    match decide(puzzle, effort, meter) {
        Ok(Solvability::Unsolvable(reason)) => Some(Outcome::Unsolvable(reason)),
        // No limit may ever stop the search: memory that is too small for deciding may suffice for
        // IDA*.
        Err(limit) if algorithm.requires_solvability => {
            Some(Outcome::LimitReached { limit, lower_bound: 0 })
        }
        Ok(Solvability::Solvable | Solvability::Undecided) | Err(_) => None,
    }
}
