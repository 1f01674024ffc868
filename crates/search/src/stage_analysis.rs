//! What the stages of local value iteration need, found from the tables of its sub-problems.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperslide_puzzle::{
    Effort, Label, Puzzle, Setup, Solvability, State, Vertex, decide_solvability,
};
use hyperslide_table::{DistanceTable, Space, SpaceOptions};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::algorithms::{
    GoalReading, StageReport, TrainedSubProblem, trained_sub_problems, value_iteration,
};
use crate::config::Config;
use crate::control::Control;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use crate::solve::solve_in_stages;

/// The discount of value iteration; the paper names none, and any gives the same distances.
const DISCOUNT: f64 = 0.9;

/// Why stages could not be analysed.
#[derive(Debug, Error)]
pub enum StagesError {
    /// Local value iteration cannot be used on the puzzle.
    #[error(transparent)]
    Refused(#[from] SolveError),
    /// A limit was reached, or the caller asked to stop.
    #[error("a limit was reached: {0:?}")]
    Stopped(Limit),
    /// A state cannot be solved.
    #[error("a state cannot be solved: {0}")]
    Unsolvable(String),
    /// The states of the board cannot be counted.
    #[error("the states of {0} cannot be counted")]
    Uncounted(String),
}

/// How many puzzles need how many tokens at once, and what the sub-problems are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// The stages in order.
    pub stages: Vec<StageShares>,
    /// The sub-problems that were met.
    pub sub_problems: Vec<SubProblemRecord>,
    /// Of all states that can be solved: how many need each number of tokens at once, where they
    /// were counted.
    pub counted: Option<BTreeMap<usize, u64>>,
}

/// What the stage of one token needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageShares {
    /// Places of its token and of the empty vertex, with the tokens before it in place, from which
    /// the puzzle can be solved; by the number of tokens that the stage needs.
    pub needs: BTreeMap<usize, u64>,
}

/// A sub-problem and its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubProblemRecord {
    /// The tokens brought to their places.
    pub kept: Vec<String>,
    /// The tokens that stay.
    pub settled: Vec<String>,
    /// Ways to place the kept tokens and the empty vertices.
    pub placements: u64,
    /// Those from which it can be solved.
    pub solvable: u64,
    /// The greatest number of moves: M of Theorem 3.
    pub farthest: u32,
    /// Bytes of the distances.
    pub bytes: u64,
    /// CPU seconds of its training.
    pub training_cpu_s: f64,
    /// Algorithm 1 on the same states, where it was run.
    pub iterated: Option<Iterated>,
}

/// Value iteration compared with a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iterated {
    /// Sweeps until nothing changed, one having to move on at the goal.
    pub sweeps_moving_on: u32,
    /// Sweeps until nothing changed, the goal absorbing.
    pub sweeps_absorbing: u32,
    /// States whose distance, by either, is another than the table's.
    pub differences: u64,
}

/// Runs local value iteration from a state of a puzzle and replays what it finds. Returns the most
/// tokens that a stage needed.
///
/// # Errors
///
/// When it was stopped, or is not for this puzzle or state.
///
/// # Panics
///
/// When a solution breaks the rules or misses the goal: a bug here.
pub fn run_stages(
    puzzle: &Puzzle,
    start: &State,
    config: &Config,
    control: &Control<'_>,
) -> Result<(usize, StageReport), StagesError> {
    let report = solve_in_stages(puzzle, start, config, control)?;
    let moves = match &report.outcome {
        Outcome::Solved { moves, .. } => moves,
        Outcome::LimitReached { limit, .. } => return Err(StagesError::Stopped(*limit)),
        Outcome::Unsolvable(reason) => return Err(StagesError::Unsolvable(reason.to_string())),
    };
    let mut state = *start;
    for &mv in moves {
        state = puzzle.board().play(&state, mv).expect("moves are legal");
    }
    assert!(puzzle.goal().is_met(&state), "local value iteration missed the goal of {puzzle}");
    let tokens = report.stages.iter().map(|stage| stage.tokens).max().unwrap_or(0);
    Ok((tokens, report))
}

/// Describes the tables of a sub-problem; `iterates` also runs Algorithm 1 on their states.
pub fn describe_sub_problem(problem: &TrainedSubProblem, iterates: bool) -> SubProblemRecord {
    let tables = || problem.tables.iter();
    let numbered = |space: &Space| space.states() as u64 * if space.is_halved() { 2 } else { 1 };
    SubProblemRecord {
        kept: problem.kept.clone(),
        settled: problem.settled.clone(),
        placements: tables().map(|table| numbered(table.space())).sum(),
        solvable: tables().map(|table| table.layers().total()).sum(),
        farthest: tables().map(|table| table.layers().depth()).max().unwrap_or(0),
        bytes: tables().map(|table| table.bytes()).sum(),
        training_cpu_s: problem.cpu_s,
        iterated: iterates.then(|| iterate(&problem.tables)),
    }
}

/// Runs Algorithm 1 in both readings on the states of tables and counts where its distances are
/// others.
fn iterate(tables: &[Arc<DistanceTable>]) -> Iterated {
    let mut found = Iterated { sweeps_moving_on: 0, sweeps_absorbing: 0, differences: 0 };
    for table in tables {
        let (abstraction, space) = (table.abstraction(), table.space());
        let values = |reading| value_iteration(abstraction, space, reading, DISCOUNT);
        let moving_on = values(GoalReading::MovesOn);
        let absorbing = values(GoalReading::Absorbs);
        found.sweeps_moving_on = found.sweeps_moving_on.max(moving_on.sweeps);
        found.sweeps_absorbing = found.sweeps_absorbing.max(absorbing.sweeps);
        for number in 0..space.states() as usize {
            let distance = table.distance(&space.unrank(number as u128));
            let is_same =
                moving_on.distance(number) == distance && absorbing.distance(number) == distance;
            found.differences += u64::from(!is_same);
        }
    }
    found
}

/// Finds out from tables what each stage needs, for a puzzle with one empty vertex and
/// distinguishable tokens.
///
/// What a stage needs depends on where its token and the empty vertex are, the tokens before it
/// being in place: that is gone through. Given the stages before, each such place from which the
/// puzzle can be solved is as likely as any other where the empty vertex is the same, and the
/// shares do not depend on where it is: see docs/decisions/0010-local-value-iteration.md. Their
/// products are thus the shares of all puzzles.
///
/// # Errors
///
/// When it was stopped, or is not for this puzzle.
pub fn analyse_stages(
    goal: &Puzzle,
    count_all: bool,
    config: &Config,
    control: &Control<'_>,
) -> Result<Analysis, StagesError> {
    let mut placed: Vec<(Vertex, Label)> = goal.goal().labelled().tokens().collect();
    placed.sort_by_key(|&(_, label)| label);
    let mut stages = Vec::new();
    for stage in 0..placed.len() {
        let mut needed = BTreeMap::new();
        for state in places(goal, &placed, stage) {
            let (_, report) = run_stages(goal, &state, config, control)?;
            *needed.entry(report.stages[stage].tokens).or_insert(0) += 1;
        }
        stages.push(StageShares { needs: needed });
    }
    let counted = if count_all { Some(count_states(goal, config, control)?) } else { None };
    let trained = trained_sub_problems(&config.cache, goal);
    let sub_problems = trained.iter().map(|problem| describe_sub_problem(problem, true)).collect();
    Ok(Analysis { stages, sub_problems, counted })
}

/// Solves every state that can be solved and counts them by the number of tokens that they need at
/// once.
fn count_states(
    goal: &Puzzle,
    config: &Config,
    control: &Control<'_>,
) -> Result<BTreeMap<usize, u64>, StagesError> {
    let uncounted = || StagesError::Uncounted(goal.board().to_string());
    let space = Space::new(goal.board(), goal.start(), &SpaceOptions::default())
        .map_err(|_| uncounted())?;
    // On a grid half of the states can be solved, and only those are numbered.
    if !space.is_halved() {
        return Err(uncounted());
    }
    let mut counted = BTreeMap::new();
    for number in 0..space.states() {
        let (tokens, _) = run_stages(goal, &space.unrank(number), config, control)?;
        *counted.entry(tokens).or_insert(0) += 1;
    }
    Ok(counted)
}

/// States that can be solved with the tokens before a stage in place, one for each place of the
/// stage's token and of the empty vertex that has any: with the others in order, or the last two of
/// them changed over.
fn places(goal: &Puzzle, placed: &[(Vertex, Label)], stage: usize) -> Vec<State> {
    let (before, rest) = placed.split_at(stage);
    let (own, others) = rest.split_first().expect("each stage has a token");
    let fixed: State = before.iter().copied().collect();
    let open: Vec<Vertex> = (goal.board().vertex_set() - fixed.occupied()).into_iter().collect();
    let mut found = Vec::new();
    for &at in &open {
        for &empty in open.iter().filter(|&&empty| empty != at) {
            let left: Vec<Vertex> =
                open.iter().copied().filter(|&vertex| vertex != at && vertex != empty).collect();
            let mut turned = left.clone();
            if let [.., a, b] = &mut turned[..] {
                std::mem::swap(a, b);
            }
            let state = |left: &[Vertex]| -> State {
                let labels = others.iter().map(|&(_, label)| label);
                let others = left.iter().copied().zip(labels);
                fixed.tokens().chain([(at, own.1)]).chain(others).collect()
            };
            let states = [state(&left), state(&turned)];
            found.extend(states.into_iter().find(|state| is_solvable(goal, state)));
        }
    }
    found
}

fn is_solvable(goal: &Puzzle, state: &State) -> bool {
    let start = goal.write_state(state).parse().expect("a state is in the notation");
    let setup = Setup { start, goal: goal.setup().goal };
    let puzzle = Puzzle::new(goal.board().clone(), &setup).expect("it has the puzzle's tokens");
    let answer = decide_solvability(&puzzle, Effort::THOROUGH, &|_| false);
    matches!(answer, Solvability::Solvable)
}
