//! Named puzzles with their sources and known lengths, read from `instances/`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hyperslide_puzzle::{
    Arrangement, Board, BoardSource, BoardSpec, InvalidBoard, InvalidPuzzle, Metric, Puzzle, Setup,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A suite that is parsed on first use: a search that needs one should not spend time and memory on
/// all.
struct LazySuite {
    name: &'static str,
    text: &'static str,
    suite: OnceLock<Suite>,
}

impl LazySuite {
    const fn new(name: &'static str, text: &'static str) -> LazySuite {
        LazySuite { name, text, suite: OnceLock::new() }
    }

    fn suite(&self) -> &Suite {
        self.suite.get_or_init(|| {
            read_suite(self.text)
                .unwrap_or_else(|error| panic!("instances/{}.toml: {error}", self.name))
        })
    }
}

/// A new suite is a file and a line here.
static SUITES: [LazySuite; 15] = [
    LazySuite::new("cubical", include_str!("../../../instances/cubical.toml")),
    LazySuite::new("korf15", include_str!("../../../instances/korf15.toml")),
    LazySuite::new("korf24", include_str!("../../../instances/korf24.toml")),
    LazySuite::new("scrambles35", include_str!("../../../instances/scrambles35.toml")),
    LazySuite::new("scrambles48", include_str!("../../../instances/scrambles48.toml")),
    LazySuite::new("deepcubea-24", include_str!("../../../instances/deepcubea-24.toml")),
    LazySuite::new("deepcubea-35", include_str!("../../../instances/deepcubea-35.toml")),
    LazySuite::new("deepcubea-48", include_str!("../../../instances/deepcubea-48.toml")),
    LazySuite::new("walks35", include_str!("../../../instances/walks35.toml")),
    LazySuite::new("walks48", include_str!("../../../instances/walks48.toml")),
    LazySuite::new("uniform35", include_str!("../../../instances/uniform35.toml")),
    LazySuite::new("uniform48", include_str!("../../../instances/uniform48.toml")),
    LazySuite::new("torus35", include_str!("../../../instances/torus35.toml")),
    LazySuite::new("cubes", include_str!("../../../instances/cubes.toml")),
    LazySuite::new("examples", include_str!("../../../instances/examples.toml")),
];

/// A collection of instances.
#[derive(Debug)]
pub struct Suite {
    /// The part of its instances' names before the slash.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Its instances in order.
    pub instances: Vec<Instance>,
}

/// A named puzzle.
#[derive(Debug)]
pub struct Instance {
    /// `suite/name`.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    board: BoardField,
    start: Arrangement,
    goal: Option<Arrangement>,
    known: Known,
    published: Option<PublishedSolution>,
}

/// A solution that others published of an instance; it need not be shortest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSolution {
    /// Its length in moves.
    pub length: u32,
    /// The seconds that finding it took on their machine.
    pub seconds: f64,
}

/// What is known of an instance's shortest solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownLength {
    /// There is none.
    Unsolvable,
    /// Its length in moves, in the face metric.
    #[serde(untagged)]
    Moves(u32),
}

impl KnownLength {
    /// The moves, when there is a solution.
    pub fn moves(self) -> Option<u32> {
        match self {
            KnownLength::Moves(moves) => Some(moves),
            KnownLength::Unsolvable => None,
        }
    }
}

/// A board, or a cube whose rule the user chooses.
#[derive(Clone, Debug)]
enum BoardField {
    Fixed(BoardSpec),
    Cube(usize),
}

/// By rule k for cubes; for other boards under the key 0; empty when no length is known.
type Known = BTreeMap<usize, KnownLength>;

/// Why an instance cannot be had as asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum InstanceError {
    #[error("rule {rule} is out of range for {instance}: write --rule 1 to {most}")]
    RuleOutOfRange { instance: String, rule: usize, most: usize },
    #[error("{instance} has no rule to choose: leave out the rule {rule}")]
    NoRule { instance: String, rule: usize },
    #[error(transparent)]
    Board(#[from] InvalidBoard),
    #[error(transparent)]
    Puzzle(#[from] InvalidPuzzle),
}

impl Instance {
    /// The rules k that can be chosen: 1 to d for cubes, none for other boards. The study plays
    /// those below d, and the highest of them is the default.
    pub fn rules(&self) -> std::ops::Range<usize> {
        match self.board {
            BoardField::Cube(d) => 1..d + 1,
            BoardField::Fixed(_) => 0..0,
        }
    }

    /// The rule that is played when none is chosen: d - 1, for which the study made its levels.
    pub fn default_rule(&self) -> Option<usize> {
        match self.board {
            BoardField::Cube(d) => Some((d - 1).max(1)),
            BoardField::Fixed(_) => None,
        }
    }

    /// The puzzle under a rule (the default when `None`) and in a metric.
    ///
    /// # Errors
    ///
    /// When the rule is out of range or the board is not a cube.
    pub fn puzzle(&self, rule: Option<usize>, metric: Metric) -> Result<Puzzle, InstanceError> {
        let spec = match (&self.board, rule.or(self.default_rule())) {
            (BoardField::Cube(d), Some(k)) if (1..=*d).contains(&k) => BoardSpec::Cube { d: *d, k },
            (BoardField::Cube(most), Some(rule)) => {
                let instance = self.name.clone();
                return Err(InstanceError::RuleOutOfRange { instance, rule, most: *most });
            }
            (BoardField::Fixed(_), Some(rule)) => {
                return Err(InstanceError::NoRule { instance: self.name.clone(), rule });
            }
            (BoardField::Fixed(spec), None) => spec.clone(),
            (BoardField::Cube(_), None) => unreachable!("cubes have a default rule"),
        };
        let setup = Setup { start: self.start.clone(), goal: self.goal.clone() };
        Ok(Puzzle::new(Board::new(spec, metric)?, &setup)?)
    }

    /// What is known of the shortest solution under a rule, in the face metric.
    pub fn known_length(&self, rule: Option<usize>) -> Option<KnownLength> {
        self.known.get(&rule.or(self.default_rule()).unwrap_or(0)).copied()
    }

    /// The solution that others published of it.
    pub fn published(&self) -> Option<PublishedSolution> {
        self.published
    }

    /// The board as it is written: `cube:4:k` when the rule is open.
    pub fn board(&self) -> String {
        match &self.board {
            BoardField::Fixed(spec) => spec.to_string(),
            BoardField::Cube(d) => format!("cube:{d}:k"),
        }
    }
}

/// All suites in order.
pub fn suites() -> impl Iterator<Item = &'static Suite> {
    SUITES.iter().map(LazySuite::suite)
}

/// The suite with this name.
pub fn find_suite(name: &str) -> Option<&'static Suite> {
    Some(SUITES.iter().find(|suite| suite.name == name)?.suite())
}

/// All instances in order.
pub fn instances() -> impl Iterator<Item = &'static Instance> {
    suites().flat_map(|suite| &suite.instances)
}

/// The instance with this name and the rule after it, if any: `cubical/d4-level4` or
/// `cubical/d4-level4:3`.
pub fn find_instance(name: &str) -> Option<(&'static Instance, Option<usize>)> {
    let (name, rule) = match name.split_once(':') {
        Some((name, rule)) => (name, Some(rule.parse().ok()?)),
        None => (name, None),
    };
    let (suite, _) = name.split_once('/')?;
    let instance = find_suite(suite)?.instances.iter().find(|instance| instance.name == name)?;
    Some((instance, rule))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    suite: String,
    title: String,
    source: Option<String>,
    board: Option<String>,
    goal: Option<Arrangement>,
    instance: Vec<InstanceFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceFile {
    name: String,
    source: Option<String>,
    board: Option<String>,
    start: Arrangement,
    goal: Option<Arrangement>,
    optimal: Option<OptimalField>,
    published: Option<PublishedSolution>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OptimalField {
    One(KnownLength),
    ByRule(BTreeMap<String, KnownLength>),
}

fn read_suite(text: &str) -> Result<Suite, String> {
    let file: SuiteFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut instances = Vec::new();
    for instance in file.instance {
        let name = format!("{}/{}", file.suite, instance.name);
        let missing = |what: &str| format!("{name} has no {what}");
        let board =
            instance.board.or_else(|| file.board.clone()).ok_or_else(|| missing("board"))?;
        let known = match &instance.optimal {
            None => BTreeMap::new(),
            Some(OptimalField::One(length)) => BTreeMap::from([(0, *length)]),
            Some(OptimalField::ByRule(lengths)) => lengths
                .iter()
                .map(|(rule, length)| Ok((rule.parse().map_err(|_| missing("rule"))?, *length)))
                .collect::<Result<_, String>>()?,
        };
        instances.push(Instance {
            source: instance.source.or(file.source.clone()).ok_or_else(|| missing("source"))?,
            board: read_board(&board)?,
            start: instance.start,
            goal: instance.goal.or_else(|| file.goal.clone()),
            known,
            published: instance.published,
            name,
        });
    }
    Ok(Suite { name: file.suite, title: file.title, instances })
}

fn read_board(text: &str) -> Result<BoardField, String> {
    let dimension = text.strip_prefix("cube:").and_then(|d| d.parse().ok());
    if let Some(d) = dimension {
        return Ok(BoardField::Cube(d));
    }
    let source: BoardSource = text.parse().map_err(|error| format!("{error}"))?;
    let spec = source.into_spec().map_err(|path| format!("board in the file {path}: write it out"));
    spec.map(BoardField::Fixed)
}
