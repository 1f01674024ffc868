//! The one schema of experiment files.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use hyperslide_census::ComponentGraph;
use hyperslide_puzzle::{Metric, Puzzle};
use serde::{Deserialize, Serialize};

use super::papers::{Paper, PaperField};
use super::puzzles::{NamedPuzzle, PuzzleList, RandomSet};
use super::solver::{RunLimits, is_program};
use crate::compare::{Judge, Value};
use crate::measure::{Measure, Quantity};
use crate::report::FigureKind;

/// An experiment as its file declares it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct File {
    pub name: String,
    pub title: String,
    /// The paper whose table it repeats; none for experiments of one's own.
    paper: Option<PaperField>,
    /// The table, figure or theorems.
    pub table: String,
    /// The titles of its tables by their labels, where the experiment repeats several.
    pub titles: BTreeMap<String, String>,
    /// What the report calls its tables in a few letters, where the paper has no name for them.
    pub short: String,
    pub section: String,
    /// Its page in the published version, where somebody has looked it up.
    pub page: Option<u32>,
    /// CPU seconds of a full run, by the committed record.
    pub cpu_s: Option<f64>,
    /// Runs of each solver on each row.
    #[serde(default = "one")]
    pub runs: u64,
    /// What is left out of a quick run.
    pub quick: Quick,
    /// Run i has the seed `seed + i`; random puzzles are drawn with `seed`.
    pub seed: u64,
    pub limits: RunLimits,
    pub metric: Metric,
    /// Whether records keep the solutions.
    pub solutions: bool,
    /// The board of rows about whole graphs.
    pub board: Option<String>,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
    /// Why values of samples differ, by column, where all rows have the same reason.
    pub differs: BTreeMap<String, String>,
    pub solver: Vec<SolverSpec>,
    /// The key of the solver whose proven lengths those of the others are compared with.
    pub reference: Option<String>,
    pub row: Vec<RowSpec>,
    pub layers: Option<LayersSpec>,
    pub theorems: Option<TheoremsSpec>,
    pub stages: Vec<StagesSpec>,
    /// The tables that are shown of rows.
    pub view: Vec<View>,
    pub figure: Vec<FigureSpec>,
    /// What the records show, in sentences.
    pub finding: Vec<FindingSpec>,
    /// Pairs of solvers that are compared by tests.
    pub contrast: Vec<ContrastSpec>,
    /// Solvers every two of which are compared on all puzzles.
    pub pairing: Vec<PairingSpec>,
    /// Pictures of puzzles.
    pub picture: Vec<PictureSpec>,
}

fn one() -> u64 {
    1
}

/// A quick run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quick {
    /// Runs of each solver on each row.
    pub runs: Option<u64>,
    /// The solvers, by their keys.
    pub solvers: Option<Vec<String>>,
    /// The largest region of local value iteration.
    pub region: Option<usize>,
    /// The limits of each run where its row and solver have none of their own.
    pub limits: Option<RunLimits>,
}

/// A solver of the experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SolverSpec {
    /// How rows name it.
    pub key: String,
    /// How the paper calls it.
    pub title: String,
    pub solver: String,
    /// Limits of its runs that differ from the experiment's.
    pub limits: Option<RunLimits>,
}

impl SolverSpec {
    /// Returns whether it is another program.
    pub fn is_program(&self) -> bool {
        is_program(&self.solver)
    }
}

/// Values by column, or by the solver's key and then by column.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "neither a value nor values by column: write a number from 0 on, a text, [PART, ALL] \
                 or { lower = L, upper = U } for a value, and a text for a reason"
)]
pub(crate) enum Entry<V> {
    One(V),
    ByColumn(BTreeMap<String, V>),
}

/// What belongs to columns, of all solvers or of single ones.
pub(crate) type ByColumn<V> = BTreeMap<String, Entry<V>>;

/// The puzzles of one or more rows of the table, and what is published about them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RowSpec {
    /// What the paper calls the table that it belongs to, where the experiment repeats several.
    pub label: Option<String>,
    /// What the table calls them, where that is not their name.
    pub title: Option<String>,
    /// A named puzzle.
    pub instance: Option<String>,
    /// A puzzle in one line, in place of a named one.
    pub puzzle: Option<String>,
    /// A suite of instances, each of which is solved once.
    pub suite: Option<String>,
    /// Puzzles in one line or by name, each of which is solved once.
    pub puzzles: Vec<String>,
    /// Its rule k, for cubes.
    pub rule: Option<usize>,
    /// A text of which the table asks whether it names a board.
    pub board: Option<String>,
    /// Random puzzles.
    pub random: Option<RandomSpec>,
    /// The puzzle graph of the experiment's board with this number of empty vertices.
    pub census: Option<usize>,
    /// The keys of the solvers; all when missing.
    pub solvers: Option<Vec<String>>,
    /// Settings that are added to a solver's, or take the place of these, by its key.
    pub with: BTreeMap<String, String>,
    /// Limits of a solver's runs, by its key.
    pub limits: BTreeMap<String, RunLimits>,
    /// Searches of a solver that take minutes: they are recorded in portions of this number of
    /// runs, which is what a run that is stopped loses at most, and left out of quick runs.
    pub portion: BTreeMap<String, u64>,
    /// What the paper prints.
    pub published: ByColumn<Value>,
    /// How it is printed, where that is by a formula.
    pub printed: BTreeMap<String, String>,
    /// What the data published with the code say.
    pub data: ByColumn<Value>,
    /// Why the printed values are wrong.
    pub wrong: ByColumn<String>,
    /// Why ours differ although the published ones are right.
    pub differs: ByColumn<String>,
    /// Why the published means, by the solver's key, are not a sample of what ours are of: they are
    /// then never called equal.
    pub other_puzzles: BTreeMap<String, String>,
    /// Columns whose values are known from elsewhere.
    pub given: BTreeMap<String, Value>,
    /// What else is to be known.
    pub note: Option<String>,
}

/// Random puzzles of a board.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomSpec {
    pub board: String,
    pub tokens: Option<usize>,
    pub goal: Option<String>,
    /// See [`RandomSet::walk`].
    pub walk: Option<u32>,
    /// See [`RandomSet::labels`].
    pub labels: Option<String>,
}

/// A table of the rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct View {
    pub title: Option<String>,
    /// Whether each row is one of puzzles, whatever the solver, and not one of a solver on puzzles.
    #[serde(default)]
    pub by_puzzle: bool,
    /// The columns that name a row.
    pub keys: Vec<Key>,
    pub columns: Vec<ColumnSpec>,
}

/// A column that names a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Key {
    /// The number of the row, from 1.
    Row,
    Instance,
    /// The rule k.
    K,
    Board,
    /// The row's title.
    Graph,
    /// The solver's title.
    Method,
    /// The solver with its settings.
    Solver,
    /// The number of empty vertices.
    Empty,
}

/// As it is written in files.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnSpec {
    pub name: String,
    pub measure: Measure,
    /// How ours is compared with the published value.
    pub judge: Option<Judge>,
    /// The solver, by its key, in tables by puzzle.
    pub solver: Option<String>,
}

/// A figure to draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureSpec {
    pub name: String,
    /// What the paper calls it.
    #[serde(default)]
    pub label: String,
    /// What the report calls it in a few letters, where the paper has no name for it.
    #[serde(default)]
    pub short: String,
    pub title: String,
    /// How to read it.
    #[serde(default)]
    pub reading: String,
    pub draw: FigureKind,
    /// The solvers it shows, by their keys; all when empty.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// The rules k it shows; all when empty.
    #[serde(default)]
    pub rules: Vec<usize>,
    /// What the cells of a matrix count.
    #[serde(default)]
    pub measure: Measure,
    /// What a run costs, in distributions of runtimes.
    #[serde(default)]
    pub cost: Quantity,
    /// Published points of a figure over a parameter: its value, and what is published there.
    #[serde(default)]
    pub published: Vec<(f64, f64)>,
}

/// Two solvers whose lengths on the named puzzles are compared by tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContrastSpec {
    pub title: String,
    /// The solvers, by their keys.
    pub solvers: [String; 2],
    /// The rules k of the puzzles; all when empty.
    #[serde(default)]
    pub rules: Vec<usize>,
    /// The probabilities that the document prints for a t-test of level means, by dimension.
    #[serde(default)]
    pub published: Vec<(usize, f64)>,
    /// Why a printed probability is not what it is taken for.
    #[serde(default)]
    pub reason: String,
}

/// Solvers every two of which are compared on the same puzzles, those of all rows, by what a run
/// costs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairingSpec {
    pub title: String,
    /// The solvers, by their keys.
    pub solvers: Vec<String>,
    /// What a run costs; one that does not solve its puzzle costs more than any other.
    #[serde(default)]
    pub cost: Quantity,
}

/// A sentence about counts of some solvers on some rows, which the records bear out or not.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindingSpec {
    /// The sentence, without its numbers and without a full stop.
    pub says: String,
    /// What is counted.
    #[serde(default)]
    pub measure: Measure,
    /// The titles of the rows; all when empty.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The solvers by their keys, from the one with the most to the one with the fewest.
    pub solvers: Vec<String>,
}

/// Pictures of puzzles, as a document shows them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureSpec {
    pub name: String,
    /// What the paper calls it.
    #[serde(default)]
    pub label: String,
    /// What the report calls it in a few letters, where the paper has no name for it.
    #[serde(default)]
    pub short: String,
    pub title: String,
    /// How to read it.
    #[serde(default)]
    pub reading: String,
    pub boards: Vec<BoardPicture>,
}

/// One puzzle of a picture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardPicture {
    /// The puzzle in one line, or the name of an instance.
    pub puzzle: String,
    /// Its rule k, where that is needed.
    pub rule: Option<usize>,
    /// What of it is drawn.
    #[serde(default)]
    pub shows: Shown,
    /// What it is, in a few words.
    pub caption: String,
}

/// A state of a puzzle, or all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shown {
    #[default]
    Start,
    Goal,
    /// The component of its graph.
    Graph,
}

impl BoardPicture {
    /// The puzzle.
    pub fn puzzle(&self, metric: Metric) -> Result<Puzzle, String> {
        let named = match self.puzzle.contains(' ') {
            true => NamedPuzzle::written(&self.puzzle),
            false => NamedPuzzle::new(&self.puzzle, self.rule, metric),
        };
        named?.puzzle()
    }

    /// The component of the puzzle's graph, which must be small.
    pub fn graph(puzzle: &Puzzle) -> Result<ComponentGraph, String> {
        const MAX_STATES: usize = 1000;
        ComponentGraph::new(puzzle, MAX_STATES, &AtomicBool::new(false))
            .map_err(|error| error.to_string())
    }
}

/// A published distribution of distances.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayersSpec {
    /// The states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// The mean as printed.
    pub mean: Value,
    /// The number of states in all.
    pub states: u64,
}

/// The statements of the cubical paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TheoremsSpec {
    /// The greatest dimension of a cube on which they are checked.
    pub max_d: usize,
    /// Why a statement, or the sum that the paper prints for S(d, k), is wrong.
    #[serde(default)]
    pub wrong: ByRow<String>,
}

/// Local value iteration on a board, and what is printed of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StagesSpec {
    /// The board, its tokens and their goal.
    pub random: RandomSpec,
    /// Sizes of the region with which random puzzles are solved. None: the stages are analysed.
    pub regions: Vec<usize>,
    /// The number of puzzles; by default the experiment's `runs`.
    pub count: Option<u64>,
    /// Whether, stages being analysed, all states are also solved and counted.
    pub count_all: bool,
    /// Whether the puzzles, solved with one region, are shown by the tokens that they need at once.
    pub by_tokens: bool,
    /// What the paper prints.
    pub published: ByRow<Value>,
    /// Why printed values are wrong.
    pub wrong: ByRow<String>,
    /// The number of puzzles that the paper's values are over.
    pub puzzles: Option<u64>,
}

/// What belongs to the rows of a table, which are named as in CSV (`tile=4`), by column.
pub(crate) type ByRow<V> = BTreeMap<String, BTreeMap<String, V>>;

/// An error of the parser with its line and column, in one line and without the names of types.
fn in_place(text: &str, error: &toml::de::Error) -> String {
    let mut message = error.message().replace('\n', " ");
    for (of_type, words) in [
        ("expected u64", "expected a whole number from 0 on"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected usize", "expected a whole number from 0 on"),
        ("expected f64", "expected a number"),
        ("expected struct ", "expected a table of "),
    ] {
        message = message.replace(of_type, words);
    }
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!("line {line}, column {column}: {message}")
}

impl File {
    /// Reads and checks a file.
    pub fn read(text: &str) -> Result<(File, Option<Paper>), String> {
        let file: File = toml::from_str(text).map_err(|error| in_place(text, &error))?;
        let paper = file.paper.as_ref().map(PaperField::paper).transpose()?;
        file.check()?;
        Ok((file, paper))
    }

    /// The solver with a key that was checked.
    pub fn solver_of(&self, key: &str) -> &SolverSpec {
        self.solver.iter().find(|solver| solver.key == key).expect("keys were checked")
    }

    /// The solvers of a row, in order.
    pub fn solvers_of<'a>(&'a self, row: &'a RowSpec) -> impl Iterator<Item = &'a SolverSpec> {
        let is_here = |solver: &&SolverSpec| {
            row.solvers.as_ref().is_none_or(|keys| keys.contains(&solver.key))
        };
        self.solver.iter().filter(is_here)
    }

    /// The limits of a solver's runs on a row: the row's, or the solver's, or those of all.
    pub fn limits_of(&self, row: &RowSpec, solver: &SolverSpec) -> RunLimits {
        let own = row.limits.get(&solver.key).copied().or(solver.limits);
        own.unwrap_or(self.limits)
    }

    /// A solver with the settings that a row adds, or puts in the place of the solver's own.
    pub fn solver_text(&self, row: &RowSpec, solver: &SolverSpec) -> String {
        let Some(settings) = row.with.get(&solver.key) else { return solver.solver.clone() };
        if solver.is_program() {
            return format!("{} {settings}", solver.solver);
        }
        let name = |word: &str| word.split_once('=').map(|(name, _)| name.to_owned());
        let replaced: Vec<String> = settings.split_whitespace().filter_map(name).collect();
        let stays = |word: &&str| name(word).is_none_or(|name| !replaced.contains(&name));
        let own = solver.solver.split_whitespace().filter(stays);
        own.chain(settings.split_whitespace()).collect::<Vec<_>>().join(" ")
    }

    /// The random puzzles of a row.
    pub fn random(&self, spec: &RandomSpec) -> RandomSet {
        let RandomSpec { board, tokens, goal, walk, labels } = spec.clone();
        RandomSet { board, tokens, goal, walk, labels, metric: self.metric, seed: self.seed }
    }
}

impl ContrastSpec {
    /// Returns whether it is of a row.
    pub fn is_of(&self, row: &RowSpec) -> bool {
        self.rules.is_empty() || row.rule.is_some_and(|rule| self.rules.contains(&rule))
    }
}

impl RowSpec {
    /// Returns whether each run is of another puzzle.
    pub fn has_many_puzzles(&self) -> bool {
        self.random.is_some() || self.suite.is_some() || !self.puzzles.is_empty()
    }

    /// The puzzles that the row lists, if it does.
    pub fn listed(&self, metric: Metric) -> Option<Result<PuzzleList, String>> {
        if let Some(name) = &self.suite {
            let puzzles = NamedPuzzle::suite(name, self.rule, metric);
            return Some(puzzles.and_then(|puzzles| match puzzles.is_empty() {
                true => Err(format!(
                    "no suite is called '{name}': hyperslide instances lists instances as \
                     SUITE/NUMBER"
                )),
                false => Ok(PuzzleList { title: name.clone(), puzzles }),
            }));
        }
        let read = |text: &String| match text.contains(' ') {
            true => NamedPuzzle::written(text),
            false => NamedPuzzle::new(text, self.rule, metric),
        };
        let puzzles = || self.puzzles.iter().map(read).collect::<Result<Vec<_>, _>>();
        let title =
            || self.title.clone().unwrap_or_else(|| format!("{} puzzles", self.puzzles.len()));
        (!self.puzzles.is_empty()).then(|| Ok(PuzzleList { title: title(), puzzles: puzzles()? }))
    }

    /// What the row is called, where something calls it anything.
    pub fn name(&self) -> Option<&String> {
        [&self.title, &self.instance, &self.suite, &self.puzzle].into_iter().flatten().next()
    }

    /// The puzzle that the row names or writes, if it does.
    pub fn named(&self, metric: Metric) -> Option<Result<NamedPuzzle, String>> {
        match (&self.instance, &self.puzzle) {
            (Some(instance), _) => Some(NamedPuzzle::new(instance, self.rule, metric)),
            (None, Some(line)) => Some(NamedPuzzle::written(line)),
            (None, None) => None,
        }
    }
}

/// What belongs to a column of a solver, if anything does.
pub(crate) fn find_entry<'a, V>(
    entries: &'a ByColumn<V>,
    solver: Option<&SolverSpec>,
    column: &str,
) -> Option<&'a V> {
    match solver.and_then(|solver| entries.get(&solver.key)) {
        Some(Entry::One(value)) => Some(value),
        Some(Entry::ByColumn(columns)) => columns.get(column),
        None => match entries.get(column) {
            Some(Entry::One(value)) => Some(value),
            _ => None,
        },
    }
}
