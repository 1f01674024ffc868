//! The stages of local value iteration: what each needs, found from the tables of its sub-problems,
//! and random puzzles that it solves.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{
    Effort, Label, Puzzle, Setup, Solvability, State, Vertex, decide_solvability,
};
use hyperslide_search::{
    Config, Control, GoalReading, Limit, Limits, Outcome, StageReport, TableCache,
    TrainedSubProblem, solve_in_stages, trained_sub_problems, value_iteration,
};
use hyperslide_table::{DistanceTable, Space, SpaceOptions};
use serde::{Deserialize, Serialize};

use super::{NoData, TaskContext, TaskData, TaskProgress};
use crate::compare::Fraction;
use crate::experiment::{RandomSet, Solver};
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::random::RandomPuzzles;

/// The discount of value iteration; the paper names none, and any gives the same distances.
const DISCOUNT: f64 = 0.9;

/// Local value iteration on one board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagesTask {
    /// The board, its tokens and its goal.
    pub puzzles: RandomSet,
    /// What is done there.
    pub work: StagesWork,
}

/// What is done with the stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum StagesWork {
    /// The stages are analysed with a region of one token.
    Analyse {
        /// Whether all states are also solved and counted.
        count_all: bool,
    },
    /// Random puzzles are solved with regions of these sizes.
    Solve {
        /// The number of puzzles.
        count: u64,
        /// The sizes.
        regions: Vec<usize>,
    },
}

impl StagesTask {
    pub(super) fn title(&self) -> String {
        match &self.work {
            StagesWork::Solve { regions, .. } if regions.len() == 1 => {
                format!("{}, region {}", self.puzzles.title(), regions[0])
            }
            _ => self.puzzles.title(),
        }
    }

    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        let random = self.puzzles.law().map_err(NoData::Failed)?;
        let limits = Limits { memory: Some(context.memory), ..Limits::default() };
        let control = Control { limits, cancel: Some(context.cancel), ..Control::default() };
        match &self.work {
            StagesWork::Analyse { count_all } => {
                analyse(&goal_of(&random)?, *count_all, &control).map(TaskData::Analysis)
            }
            StagesWork::Solve { count, regions } => {
                sample(&random, *count, regions, context, &control).map(TaskData::Sample)
            }
        }
    }
}

/// How many puzzles need how many tokens at once, and what the sub-problems are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// The stages in order.
    pub stages: Vec<StageShares>,
    /// The sub-problems that were met.
    pub sub_problems: Vec<SubProblemRecord>,
    /// Of all states that can be solved: how many need so many tokens at once, where they were counted.
    pub counted: Option<BTreeMap<usize, u64>>,
}

/// What the stage of one token needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageShares {
    /// Places of its token and of the empty vertex, with the tokens before it in place, from which the puzzle can be
    /// solved; by the number of tokens that the stage needs.
    pub needs: BTreeMap<usize, u64>,
}

impl StageShares {
    /// The share of the places that need at most so many tokens.
    pub(crate) fn at_most(&self, tokens: usize) -> Fraction {
        self.share(|needed| needed <= tokens)
    }

    /// The share of the places that need exactly so many tokens.
    pub(crate) fn exactly(&self, tokens: usize) -> Fraction {
        self.share(|needed| needed == tokens)
    }

    fn share(&self, counts: impl Fn(usize) -> bool) -> Fraction {
        let part = self.needs.iter().filter(|&(&needed, _)| counts(needed));
        let part: u64 = part.map(|(_, &places)| places).sum();
        let all: u64 = self.needs.values().sum();
        Fraction::new(part.into(), all.into()).expect("some places can be solved")
    }
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

/// Value iteration beside a table.
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

/// Random puzzles, solved with regions of several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The seed of the puzzles.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// The sizes in order.
    pub runs: Vec<RegionRun>,
}

impl Sample {
    /// Checks that every region has all puzzles.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.runs.iter().find(|run| run.puzzles() != self.count) {
            Some(run) => Err(format!("region {} has other puzzles", run.region)),
            None => Ok(()),
        }
    }
}

/// All puzzles with one size of the region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRun {
    /// The size.
    pub region: usize,
    /// How many puzzles had how many moves, by the number of tokens that they needed at once.
    pub lengths: BTreeMap<usize, BTreeMap<u32, u64>>,
    /// CPU seconds of solving all, training apart.
    pub solving_cpu_s: f64,
    /// The sub-problems that were trained.
    pub sub_problems: Vec<SubProblemRecord>,
}

impl RegionRun {
    /// The lengths of all classes together.
    pub(crate) fn all_lengths(&self) -> BTreeMap<u32, u64> {
        let mut all = BTreeMap::new();
        for (&length, &puzzles) in self.lengths.values().flatten() {
            *all.entry(length).or_insert(0) += puzzles;
        }
        all
    }

    fn puzzles(&self) -> u64 {
        self.lengths.values().flat_map(BTreeMap::values).sum()
    }

    /// CPU seconds of all training.
    pub(crate) fn training_cpu_s(&self) -> f64 {
        self.sub_problems.iter().map(|problem| problem.training_cpu_s).sum()
    }
}

fn goal_of(random: &RandomPuzzles) -> Result<Puzzle, NoData> {
    let none = || "the puzzles have no common goal: write goal = \"...\"".to_owned();
    random.goal_puzzle().ok_or_else(|| NoData::Failed(none()))
}

fn failed(error: impl std::fmt::Display) -> NoData {
    NoData::Failed(error.to_string())
}

/// A configuration of local value iteration with tables of its own, trained by one thread.
fn config(region: usize) -> Result<Config, NoData> {
    let solver: Solver =
        format!("local-value-iteration region={region}").parse().map_err(NoData::Failed)?;
    let config = solver.config(0).map_err(NoData::Failed)?;
    Ok(Config { cache: Arc::new(TableCache::default()), threads: 1, ..config })
}

/// Runs it from a state and replays what it finds. Returns the most tokens that a stage needed.
fn run(
    puzzle: &Puzzle,
    start: &State,
    config: &Config,
    control: &Control<'_>,
) -> Result<(usize, StageReport), NoData> {
    let report = solve_in_stages(puzzle, start, config, control).map_err(failed)?;
    let moves = match &report.outcome {
        Outcome::Solved { moves, .. } => moves,
        Outcome::LimitReached { limit: Limit::Cancelled, .. } => return Err(NoData::Cancelled),
        Outcome::LimitReached { limit, .. } => {
            return Err(NoData::Failed(format!(
                "a limit was reached: {}",
                format!("{limit:?}").to_lowercase()
            )));
        }
        Outcome::Unsolvable(reason) => return Err(failed(reason)),
    };
    let mut state = *start;
    for &mv in moves {
        state = puzzle.board().play(&state, mv).expect("moves are legal");
    }
    assert!(puzzle.goal().is_met(&state), "local value iteration missed the goal of {puzzle}");
    let tokens = report.stages.iter().map(|stage| stage.tokens).max().unwrap_or(0);
    Ok((tokens, report))
}

/// Solves random puzzles with regions of these sizes.
fn sample(
    random: &RandomPuzzles,
    count: u64,
    regions: &[usize],
    context: &TaskContext<'_>,
    control: &Control<'_>,
) -> Result<Sample, NoData> {
    let configs: Vec<Config> =
        regions.iter().map(|&region| config(region)).collect::<Result<_, _>>()?;
    let empty = |&region| RegionRun {
        region,
        lengths: BTreeMap::new(),
        solving_cpu_s: 0.0,
        sub_problems: Vec::new(),
    };
    let mut runs: Vec<RegionRun> = regions.iter().map(empty).collect();
    let work = |number: u64| -> Result<Vec<(usize, u32, f64)>, NoData> {
        let puzzle = random.nth(number).map_err(failed)?;
        let solved = configs.iter().map(|config| {
            let (tokens, report) = run(&puzzle, puzzle.start(), config, control)?;
            let moves: usize = report.stages.iter().map(|stage| stage.moves).sum();
            Ok((tokens, moves as u32, report.stats.cpu_s))
        });
        solved.collect()
    };
    let mut done = 0;
    let stopped = ordered_parallel_map(context.threads, 0..count, work, |solved| {
        let solved = match solved {
            Ok(solved) => solved,
            Err(no_data) => return ControlFlow::Break(no_data),
        };
        done += 1;
        (context.progress)(&TaskProgress { done, of: count, search: None });
        for (run, (tokens, moves, cpu_s)) in runs.iter_mut().zip(solved) {
            *run.lengths.entry(tokens).or_default().entry(moves).or_default() += 1;
            run.solving_cpu_s += cpu_s;
        }
        ControlFlow::Continue(())
    });
    if let Some(no_data) = stopped {
        return Err(no_data);
    }
    let goal = goal_of(random)?;
    for (run, config) in runs.iter_mut().zip(&configs) {
        let trained = trained_sub_problems(&config.cache, &goal);
        run.sub_problems = trained.iter().map(|problem| describe(problem, false)).collect();
        run.solving_cpu_s = (run.solving_cpu_s - run.training_cpu_s()).max(0.0);
    }
    Ok(Sample { seed: random.seed, count, runs })
}

fn describe(problem: &TrainedSubProblem, iterates: bool) -> SubProblemRecord {
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

/// Runs Algorithm 1 in both readings on the states of tables and counts where its distances are others.
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

/// Finds out from tables what each stage needs, for a puzzle with one empty vertex and all tokens told apart.
///
/// What a stage needs depends on where its token and the empty vertex are, the tokens before it being in place: that
/// is gone through. Given the stages before, each such place from which the puzzle can be solved is as likely as
/// any other where the empty vertex is the same, and the shares do not depend on where it is: see
/// docs/decisions/0010-local-value-iteration.md. Their products are thus the shares of all puzzles.
fn analyse(goal: &Puzzle, counts_all: bool, control: &Control<'_>) -> Result<Analysis, NoData> {
    let config = config(1)?;
    let mut placed: Vec<(Vertex, Label)> = goal.goal().labelled().tokens().collect();
    placed.sort_by_key(|&(_, label)| label);
    let mut stages = Vec::new();
    for stage in 0..placed.len() {
        let mut needed = BTreeMap::new();
        for state in places(goal, &placed, stage) {
            let (_, report) = run(goal, &state, &config, control)?;
            *needed.entry(report.stages[stage].tokens).or_insert(0) += 1;
        }
        stages.push(StageShares { needs: needed });
    }
    let counted = if counts_all { Some(count_all(goal, &config, control)?) } else { None };
    let trained = trained_sub_problems(&config.cache, goal);
    let sub_problems = trained.iter().map(|problem| describe(problem, true)).collect();
    Ok(Analysis { stages, sub_problems, counted })
}

/// Solves every state that can be solved and counts them by the number of tokens that they need at once.
fn count_all(
    goal: &Puzzle,
    config: &Config,
    control: &Control<'_>,
) -> Result<BTreeMap<usize, u64>, NoData> {
    let space = Space::new(goal.board(), goal.start(), &SpaceOptions::default()).map_err(failed)?;
    if !space.is_halved() {
        // On a grid half of the states can be solved, and only those are numbered.
        let board = goal.board();
        return Err(NoData::Failed(format!("all states of {board} cannot be counted")));
    }
    let mut counted = BTreeMap::new();
    for number in 0..space.states() {
        let (tokens, _) = run(goal, &space.unrank(number), config, control)?;
        *counted.entry(tokens).or_insert(0) += 1;
    }
    Ok(counted)
}

/// States that can be solved with the tokens before a stage in place, one for each place of the stage's token and of the
/// empty vertex that has any: with the others in order, or the last two of them changed over.
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
