//! Experiments on local value iteration: its theorems, computed from tables, and its means over random puzzles.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use hyperslide_puzzle::{
    Arrangement, Board, BoardSource, Effort, Label, Metric, Puzzle, Setup, Solvability, State,
    Vertex, decide_solvability,
};
use hyperslide_search::{
    Config, Control, GoalReading, Limits, Outcome, StageReport, TableCache, TrainedSubProblem,
    solve_in_stages, trained_sub_problems, value_iteration,
};
use hyperslide_table::{DistanceTable, Space, SpaceOptions};
use serde::{Deserialize, Serialize};

use crate::compare::Verdict;
use crate::experiment::declared;
use crate::figures::Figure;
use crate::fraction::Fraction;
use crate::local_comparison::{self, LocalComparison};
use crate::local_figure;
use crate::ordered_parallel_map::ordered_parallel_map;
use crate::papers::{Paper, find_paper};
use crate::parted_experiment::PartedExperiment;
use crate::provenance::{Machine, Provenance};
use crate::random::{Law, RandomPuzzles};
use crate::record::Recorded;

/// Their files. A new one is a file and a line here.
const FILES: &[&str] = &[
    include_str!("../../../experiments/local-value-iteration-theorems.toml"),
    include_str!("../../../experiments/local-value-iteration-table-1.toml"),
    include_str!("../../../experiments/local-value-iteration-table-2.toml"),
];

/// The discount of value iteration; the paper names none, and any gives the same distances.
const DISCOUNT: f64 = 0.9;

/// A published table or theorem about local value iteration.
#[derive(Clone, Debug)]
pub struct LocalExperiment {
    /// The paper.
    pub paper: &'static Paper,
    pub(crate) file: File,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub name: String,
    pub title: String,
    paper: String,
    pub table: String,
    pub section: String,
    /// Random puzzles of each row that does not say otherwise.
    #[serde(default)]
    count: usize,
    /// The same when it is to be quick.
    #[serde(default)]
    quick: usize,
    /// The largest region when it is to be quick.
    #[serde(default)]
    quick_region: usize,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The figure of means by the size of the region, by its file's name.
    figure: Option<String>,
    /// Why values of samples are others, by the column.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    pub row: Vec<Row>,
}

/// A board, what is done there, and what is printed of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub board: String,
    /// Tokens; by default one vertex is left empty.
    tokens: Option<usize>,
    /// The goal of all puzzles; the usual one of grids when missing.
    goal: Option<String>,
    /// Sizes of the region with which random puzzles are solved. None: the stages are analysed instead.
    #[serde(default)]
    regions: Vec<usize>,
    count: Option<usize>,
    /// Whether, stages being analysed, all states are solved and counted, too.
    #[serde(default)]
    pub count_all: bool,
    #[serde(default)]
    pub stage: Vec<PublishedStage>,
    #[serde(default)]
    pub sub_problem: Vec<PublishedSubProblem>,
    #[serde(default)]
    pub class: Vec<PublishedClass>,
    #[serde(default)]
    pub region: Vec<PublishedRegion>,
}

/// What Theorem 1 says of a tile.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedStage {
    pub tile: usize,
    /// The share of puzzles that need 1, 2, ... tiles at once.
    pub shares: Vec<String>,
}

/// What is printed of the sub-problem of so many tiles up to one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedSubProblem {
    pub tile: usize,
    pub tiles: usize,
    pub states: Option<u64>,
    pub farthest: Option<u32>,
    /// Why cells are wrong, by the cell's name.
    #[serde(default)]
    pub wrong: BTreeMap<String, String>,
}

/// What is printed of the puzzles that need so many tiles at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedClass {
    pub tiles: usize,
    pub share: Option<String>,
    pub bound: Option<u32>,
    pub puzzles: Option<u64>,
    pub mean: Option<f64>,
    pub maximum: Option<u32>,
}

/// What is printed of a size of the region.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedRegion {
    pub region: usize,
    pub mean: f64,
    pub maximum: u32,
    pub training_minutes: Option<f64>,
}

/// What was found on one board: a line of a file of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalRecord {
    /// The experiment.
    pub experiment: String,
    /// The board.
    pub board: String,
    /// Tokens, where it is not one for each vertex but one.
    pub tokens: Option<usize>,
    /// The goal, where it is not the usual one.
    pub goal: Option<String>,
    /// The stages, analysed with a region of one token.
    pub analysis: Option<Analysis>,
    /// Random puzzles solved.
    pub sample: Option<Sample>,
    /// When, where and by what it was made.
    pub provenance: Provenance,
}

impl Recorded for LocalRecord {
    /// Whether its sums agree.
    fn check(&self) -> Result<(), String> {
        let Some(sample) = &self.sample else { return Ok(()) };
        let is_whole = |run: &RegionRun| run.puzzles() == sample.count;
        let wrong = sample.runs.iter().find(|run| !is_whole(run));
        let say = |run: &RegionRun| Err(format!("region {} has other puzzles", run.region));
        wrong.map_or(Ok(()), say)
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

/// All of them, in order.
pub static LOCAL_EXPERIMENTS: LazyLock<Vec<LocalExperiment>> =
    LazyLock::new(|| declared(FILES, read));

fn read(text: &str) -> Result<LocalExperiment, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let paper = find_paper(&file.paper).map_err(|error| format!("{}: {error}", file.name))?;
    for row in &file.row {
        let shares = row.stage.iter().flat_map(|stage| &stage.shares);
        for share in shares.chain(row.class.iter().filter_map(|class| class.share.as_ref())) {
            share.parse::<Fraction>().map_err(|error| format!("{}: {error}", file.name))?;
        }
    }
    Ok(LocalExperiment { paper, file })
}

impl LocalExperiment {
    fn count(&self, row: &Row) -> u64 {
        row.count.unwrap_or(self.file.count) as u64
    }
}

impl PartedExperiment for LocalExperiment {
    type Record = LocalRecord;
    type Comparison = LocalComparison;

    fn name(&self) -> &str {
        &self.file.name
    }

    fn parts(&self) -> usize {
        self.file.row.len()
    }

    fn title_of(&self, number: usize) -> String {
        let row = &self.file.row[number];
        match row.regions[..] {
            [region] => format!("{}, region {region}", row.title()),
            _ => row.title(),
        }
    }

    // On fewer puzzles, with small regions.
    fn quick(&self) -> LocalExperiment {
        let mut file = self.file.clone();
        file.count = file.quick;
        for row in &mut file.row {
            row.count = row.count.map(|count| count.min(file.quick));
        }
        file.row.retain_mut(|row| {
            let is_analysis = row.regions.is_empty();
            row.regions.retain(|&region| region <= file.quick_region);
            is_analysis || !row.regions.is_empty()
        });
        LocalExperiment { file, ..self.clone() }
    }

    fn find<'r>(&self, number: usize, records: &'r [LocalRecord]) -> Option<&'r LocalRecord> {
        let row = &self.file.row[number];
        let is_sample = |sample: &Sample| {
            let regions = sample.runs.iter().map(|run| run.region);
            sample.seed == self.file.seed
                && sample.count == self.count(row)
                && regions.eq(row.regions.iter().copied())
        };
        let is_analysis = |analysis: &Analysis| {
            row.regions.is_empty() && analysis.counted.is_some() == row.count_all
        };
        records.iter().find(|record| {
            record.experiment == self.file.name
                && (&record.board, record.tokens, &record.goal)
                    == (&row.board, row.tokens, &row.goal)
                && match (&record.sample, &record.analysis) {
                    (Some(sample), None) => is_sample(sample),
                    (None, Some(analysis)) => is_analysis(analysis),
                    _ => false,
                }
        })
    }

    // Panics when a declared row is wrong, or a solution breaks the rules: bugs here.
    fn run_part(
        &self,
        number: usize,
        threads: usize,
        _: &Arc<TableCache>,
        control: &Control<'_>,
        command: &str,
    ) -> Option<LocalRecord> {
        let row = &self.file.row[number];
        let random = row.random(self.file.seed);
        let limits = Limits { memory: Some(Machine::memory_to_use()), ..control.limits };
        let control = Control { limits, ..*control };
        let (analysis, sample) = if row.regions.is_empty() {
            (Some(analyse(&goal_of(&random), row.count_all, &control)?), None)
        } else {
            (None, Some(sample(&random, self.count(row), &row.regions, threads, &control)?))
        };
        Some(LocalRecord {
            experiment: self.file.name.clone(),
            board: row.board.clone(),
            tokens: row.tokens,
            goal: row.goal.clone(),
            analysis,
            sample,
            provenance: Provenance::now(command),
        })
    }

    fn compare(&self, records: &[LocalRecord]) -> LocalComparison {
        local_comparison::compare(self, records)
    }

    fn has_figures(&self) -> bool {
        self.file.figure.is_some()
    }

    fn figures(&self, comparison: &LocalComparison) -> Vec<Figure> {
        let seed = self.file.seed;
        self.file.figure.iter().map(|name| local_figure::draw(name, seed, comparison)).collect()
    }

    fn verdicts(comparison: &LocalComparison) -> Vec<Verdict> {
        let rows = comparison.parts.iter().flat_map(|part| &part.rows);
        rows.flat_map(|row| &row.cells).filter_map(|cell| cell.verdict).collect()
    }
}

impl Row {
    pub(crate) fn title(&self) -> String {
        match self.tokens {
            Some(tokens) => format!("{}, {tokens} tokens", self.board),
            None => self.board.clone(),
        }
    }

    fn random(&self, seed: u64) -> RandomPuzzles {
        let Ok(BoardSource::Spec(spec)) = self.board.parse() else {
            panic!("experiments: {} is no board", self.board);
        };
        let board =
            Board::new(spec, Metric::Face).unwrap_or_else(|error| panic!("experiments: {error}"));
        let goal = self.goal.as_ref().map(|goal| -> Arrangement {
            goal.parse().unwrap_or_else(|error| panic!("experiments: {goal}: {error}"))
        });
        let tokens = self.tokens.unwrap_or(board.vertex_count() - 1);
        RandomPuzzles { board, tokens, goal, law: Law::Uniform, seed }
    }
}

fn goal_of(random: &RandomPuzzles) -> Puzzle {
    random.goal_puzzle().expect("the puzzles of an experiment have one goal")
}

/// A configuration of local value iteration with tables of its own, trained by one thread.
fn config(region: usize) -> Config {
    let settings = [("region", region.to_string())];
    let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
    let config = Config::new("local-value-iteration", None, settings, 0);
    let config = config.expect("the regions of an experiment are in range");
    Config { cache: Arc::new(TableCache::default()), threads: 1, ..config }
}

/// Runs it from a state and replays what it finds; `None` when it was stopped.
fn run(
    puzzle: &Puzzle,
    start: &State,
    config: &Config,
    control: &Control<'_>,
) -> Option<(usize, StageReport)> {
    let report = solve_in_stages(puzzle, start, config, control)
        .unwrap_or_else(|error| panic!("experiments: {error}"));
    let Outcome::Solved { moves, .. } = &report.outcome else { return None };
    let mut state = *start;
    for &mv in moves {
        state = puzzle.board().play(&state, mv).expect("moves are legal");
    }
    assert!(puzzle.goal().is_met(&state), "local value iteration missed the goal of {puzzle}");
    let tokens = report.stages.iter().map(|stage| stage.tokens).max()?;
    Some((tokens, report))
}

/// Solves random puzzles with regions of these sizes.
fn sample(
    random: &RandomPuzzles,
    count: u64,
    regions: &[usize],
    threads: usize,
    control: &Control<'_>,
) -> Option<Sample> {
    let configs: Vec<Config> = regions.iter().map(|&region| config(region)).collect();
    let empty = |&region| RegionRun {
        region,
        lengths: BTreeMap::new(),
        solving_cpu_s: 0.0,
        sub_problems: Vec::new(),
    };
    let mut runs: Vec<RegionRun> = regions.iter().map(empty).collect();
    let work = |number: u64| -> Option<Vec<(usize, u32, f64)>> {
        let puzzle = random.nth(number).unwrap_or_else(|error| panic!("experiments: {error}"));
        let solved = configs.iter().map(|config| {
            let (tokens, report) = run(&puzzle, puzzle.start(), config, control)?;
            let moves: usize = report.stages.iter().map(|stage| stage.moves).sum();
            Some((tokens, moves as u32, report.stats.cpu_s))
        });
        solved.collect()
    };
    let stopped = ordered_parallel_map(threads, 0..count, work, |solved| {
        let Some(solved) = solved else { return ControlFlow::Break(()) };
        for (run, (tokens, moves, cpu_s)) in runs.iter_mut().zip(solved) {
            *run.lengths.entry(tokens).or_default().entry(moves).or_default() += 1;
            run.solving_cpu_s += cpu_s;
        }
        ControlFlow::Continue(())
    });
    if stopped.is_some() {
        return None;
    }
    let goal = goal_of(random);
    for (run, config) in runs.iter_mut().zip(&configs) {
        let trained = trained_sub_problems(&config.cache, &goal);
        run.sub_problems = trained.iter().map(|problem| describe(problem, false)).collect();
        run.solving_cpu_s = (run.solving_cpu_s - run.training_cpu_s()).max(0.0);
    }
    Some(Sample { seed: random.seed, count, runs })
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
fn analyse(goal: &Puzzle, counts_all: bool, control: &Control<'_>) -> Option<Analysis> {
    let config = config(1);
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
    Some(Analysis { stages, sub_problems, counted })
}

/// Solves every state that can be solved and counts them by the number of tokens that they need at once.
fn count_all(
    goal: &Puzzle,
    config: &Config,
    control: &Control<'_>,
) -> Option<BTreeMap<usize, u64>> {
    let space = Space::new(goal.board(), goal.start(), &SpaceOptions::default())
        .unwrap_or_else(|error| panic!("experiments: {error}"));
    assert!(
        space.is_halved(),
        "on a grid half of the states can be solved, and only those are numbered"
    );
    let mut counted = BTreeMap::new();
    for number in 0..space.states() {
        let (tokens, _) = run(goal, &space.unrank(number), config, control)?;
        *counted.entry(tokens).or_insert(0) += 1;
    }
    Some(counted)
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
