//! Local value iteration: token by token, by tables of small sub-problems.

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State, UnsolvableReason};

mod published;
mod sub_problem;

pub use self::published::{GoalReading, StateValues, value_iteration};
use self::sub_problem::{Decision, SubProblem, SubProblems, Training};
pub use self::sub_problem::{TrainedSubProblem, trained_sub_problems};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::Resources;
use crate::outcome::{Limit, Outcome, Stats};
use crate::settings::{Domain, Setting, Settings, Typed};

/// The number of tokens that are considered at a time.
static REGION: Typed<usize> = Setting::typed(
    "region",
    "N",
    "1",
    Domain::Whole { least: 1, most: 63 },
    "The number of tokens that are considered at a time, at first",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "local-value-iteration",
    summary: "token by token, or several at a time, by tables of the fewest moves that bring them to \
              their places without disturbing those placed before; where that is impossible, some of \
              these are moved again",
    guarantee: Guarantee::None,
    source: "Bischoff, Nguyen-Tuong, Markert and Knoll, Algorithm 2, section 4",
    when: "many puzzles with one goal are to be solved fast, and length matters little",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[REGION.setting()],
    requires_solvability: true,
    check: check_region,
    run,
};

/// One stage of local value iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// How many tokens were considered at once: |G|.
    pub tokens: usize,
    /// How many moves it took.
    pub moves: usize,
}

/// What local value iteration did with a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReport {
    /// How it ended; the lower bound is the trivial one.
    pub outcome: Outcome,
    /// The finished stages in order.
    pub stages: Vec<Stage>,
    /// What it cost, training included where a table was not there yet.
    pub stats: Stats,
}

/// Runs local value iteration from a state with the tokens of a puzzle.
pub(crate) fn run_in_stages(
    task: &Task<'_>,
    start: &State,
    meter: &mut Meter<'_>,
) -> (Outcome, Vec<Stage>) {
    let mut stages = Vec::new();
    let outcome = match stage_by_stage(task, *start, 0, meter, &mut stages) {
        Ok(moves) => Outcome::Solved { moves, optimal: false, lower_bound: 0 },
        Err(end) => end,
    };
    (outcome, stages)
}

/// A region has at least one token and at most all of the puzzle's.
pub(crate) fn check_region(puzzle: &Puzzle, settings: &Settings) -> Result<(), SolveError> {
    let (region, tokens) = (settings.get(&REGION), puzzle.start().occupied().len());
    let fits = (1..=tokens).contains(&region);
    if fits { Ok(()) } else { Err(SolveError::Region { region, tokens }) }
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let least = task.least(&*task.build_heuristic(meter)?);
    let start = *task.puzzle.start();
    let outcome = match stage_by_stage(task, start, least, meter, &mut Vec::new()) {
        Ok(moves) => {
            let optimal = moves.len() as u32 == least;
            Outcome::Solved { moves, optimal, lower_bound: least }
        }
        Err(end) => end,
    };
    Ok((outcome, ALGORITHM.name))
}

/// Algorithm 2 of Bischoff et al., section 4: for each block of tokens, in the order of their
/// labels (backwards where the goal's empty vertices are at the first ones), the shortest way that
/// brings them to their places and leaves those before them alone. Where there is none from here,
/// the last of those before them is taken in, and so on.
///
/// Where several moves lead nearer, the first is played, ascending by `(from, to)`; the paper names
/// no order. Generated states are those looked up, expanded ones those moved from, so that counters
/// do not depend on what is trained or remembered already.
fn stage_by_stage(
    task: &Task<'_>,
    mut state: State,
    least: u32,
    meter: &mut Meter<'_>,
    stages: &mut Vec<Stage>,
) -> Result<Vec<Move>, Outcome> {
    let puzzle = task.puzzle;
    let region = task.get(&REGION);
    let reached = |limit| Outcome::LimitReached { limit, lower_bound: least };
    let problems = SubProblems::of(&task.resources.cache, puzzle);
    let mut moves = Vec::new();
    let mut held = Held::default();
    let mut end = 0;
    loop {
        let (before, mut first) = (moves.len(), end);
        end = (end + region).min(problems.places());
        let mut problem = problems.get(first..end);
        let mut is_new = true;
        while !problem.is_met(&state) {
            meter.stats.generated += 1;
            if let Err(limit) = meter.check(|| held.bytes, least) {
                return Err(reached(limit));
            }
            let training = held.training(&task.resources);
            let decision = match problem.decide(&state, &training) {
                Ok(decision) => decision,
                Err(limit) => return Err(reached(limit)),
            };
            if is_new {
                held.add(&problem, meter);
                is_new = false;
            }
            match decision {
                Decision::Slide(mv) => {
                    state.slide(mv);
                    moves.push(mv);
                    meter.stats.expanded += 1;
                }
                Decision::NoSolution if first > 0 => {
                    first -= 1;
                    problem = problems.get(first..end);
                    is_new = true;
                }
                Decision::NoSolution => {
                    let reason = why_unsolvable(&problem, &state, &training);
                    return Err(reason.map_or_else(reached, Outcome::Unsolvable));
                }
            }
        }
        stages.push(Stage { tokens: end - first, moves: moves.len() - before });
        if end == problems.places() {
            return Ok(moves);
        }
    }
}

/// Why a sub-problem without settled tokens, and with it the puzzle, has no solution.
fn why_unsolvable(
    problem: &SubProblem,
    state: &State,
    training: &Training<'_>,
) -> Result<UnsolvableReason, Limit> {
    Ok(match problem.table(state, training)? {
        Ok(table) => {
            let (end, states) = (SearchEnd::Goal, table.layers().total());
            let labelled = problem.distinguished();
            UnsolvableReason::Exhausted { end, states, labelled }
        }
        Err(occupied_sets) => {
            UnsolvableReason::OccupiedSets { end: SearchEnd::Start, occupied_sets }
        }
    })
}

/// What the sub-problems that a puzzle has met so far hold.
#[derive(Default)]
struct Held {
    bytes: u64,
    states: u64,
}

impl Held {
    /// What is left for training another one.
    fn training<'a>(&self, resources: &'a Resources<'a>) -> Training<'a> {
        Training { resources, memory: resources.memory.saturating_sub(self.bytes) }
    }

    fn add(&mut self, problem: &SubProblem, meter: &mut Meter<'_>) {
        let size = problem.size();
        self.bytes += size.bytes;
        self.states += size.states;
        meter.note_end(self.bytes.saturating_add(size.training), self.states);
    }
}
