//! Boards, puzzles, algorithms and heuristics as programs read them: what every face but a terminal
//! needs to show a board, or to make a form of an algorithm's settings.

use hyperslide_puzzle::{Board, BoardSpec, GoalCell, Puzzle, State, Vertex, VertexSet};
use hyperslide_search::{
    ALGORITHMS, Algorithm, Domain, Guarantee, HEURISTICS, HeuristicEntry, Setting,
};
use serde::Serialize;

/// A setting with what a form needs: the type of its values and their range.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SettingDescription {
    /// The name.
    pub name: &'static str,
    /// What stands for its value in help texts.
    pub value: &'static str,
    /// The value when none is given.
    pub default: &'static str,
    /// What it sets.
    pub summary: &'static str,
    /// Which values are allowed, for people.
    pub allowed: String,
    /// The type of its values: `integer`, `integer-or-auto`, `number`, `choice`, `subset` or
    /// `text`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The least value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<u64>,
    /// The greatest value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<u64>,
    /// How many digits a number may have after its point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal_places: Option<u32>,
    /// The words of a choice or a subset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<&'static [&'static str]>,
}

impl SettingDescription {
    fn new(setting: &Setting) -> SettingDescription {
        let mut described = SettingDescription {
            name: setting.name,
            value: setting.value,
            default: setting.default,
            summary: setting.summary,
            allowed: setting.domain.to_string(),
            kind: "text",
            minimum: None,
            maximum: None,
            decimal_places: None,
            choices: None,
        };
        match setting.domain {
            Domain::Whole { least, most } => {
                described.kind = "integer";
                (described.minimum, described.maximum) = (Some(least), Some(most));
            }
            Domain::WholeOrAuto { least, most } => {
                described.kind = "integer-or-auto";
                (described.minimum, described.maximum) = (Some(least), Some(most));
            }
            Domain::Decimal { most, places } => {
                described.kind = "number";
                (described.minimum, described.maximum) = (Some(0), Some(most.into()));
                described.decimal_places = Some(places);
            }
            Domain::Choice(words) => {
                (described.kind, described.choices) = ("choice", Some(words));
            }
            Domain::Subset(words) => {
                (described.kind, described.choices) = ("subset", Some(words));
            }
            Domain::Text(_) => {}
        }
        described
    }
}

/// An algorithm with its settings.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlgorithmDescription {
    /// The name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whether its solutions are proven shortest, with an admissible heuristic.
    pub optimal: bool,
    /// `optimal`, `bounded` or `none`.
    pub guarantee: &'static str,
    /// The bound on the length of its solutions, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// When to choose it: this completes "Choose it when ...".
    pub when: &'static str,
    /// The paper it is from.
    pub source: &'static str,
    /// Whether it uses a heuristic.
    pub uses_heuristic: bool,
    /// Whether it answers from a table of all distances where there is one.
    pub looks_up_tables: bool,
    /// Whether an observer sees the states that it expands.
    pub shows_expansions: bool,
    /// The settings that it takes.
    pub settings: Vec<SettingDescription>,
}

impl AlgorithmDescription {
    /// Describes an algorithm.
    pub fn new(algorithm: &Algorithm) -> AlgorithmDescription {
        let bound = match algorithm.guarantee {
            Guarantee::Bounded(bound) => Some(bound),
            Guarantee::Optimal | Guarantee::None => None,
        };
        AlgorithmDescription {
            name: algorithm.name,
            summary: algorithm.summary,
            optimal: algorithm.is_optimal(),
            guarantee: algorithm.guarantee.name(),
            bound,
            when: algorithm.when,
            source: algorithm.source,
            uses_heuristic: algorithm.uses_heuristic,
            looks_up_tables: algorithm.looks_up_tables,
            shows_expansions: algorithm.shows_expansions,
            settings: algorithm.settings.iter().map(|one| SettingDescription::new(one)).collect(),
        }
    }
}

/// A heuristic with its parameter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeuristicDescription {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Never more than the moves needed.
    pub admissible: bool,
    /// Never falls by more than one with one move.
    pub consistent: bool,
    /// Its parameter, whose value stands after its name and a colon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<SettingDescription>,
}

impl HeuristicDescription {
    /// Describes a heuristic.
    pub fn new(heuristic: &HeuristicEntry) -> HeuristicDescription {
        HeuristicDescription {
            name: heuristic.name,
            summary: heuristic.summary,
            admissible: heuristic.admissible,
            consistent: heuristic.consistent,
            parameter: heuristic.parameter.map(SettingDescription::new),
        }
    }
}

/// Every algorithm and every heuristic, in the order in which they are listed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Registry {
    /// The algorithms, the default first.
    pub algorithms: Vec<AlgorithmDescription>,
    /// The heuristics, the default first.
    pub heuristics: Vec<HeuristicDescription>,
}

impl Registry {
    /// Describes all that there are.
    pub fn all() -> Registry {
        Registry {
            algorithms: ALGORITHMS.iter().map(AlgorithmDescription::new).collect(),
            heuristics: HEURISTICS.iter().map(HeuristicDescription::new).collect(),
        }
    }
}

/// A board with its face lists: all that the rule of motion needs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardDescription {
    /// The board as it is written, as in `cube:4:2`.
    pub board: String,
    /// What counts as one move: `face` or `edge`.
    pub metric: &'static str,
    /// The kind of board: `grid`, `cylinder`, `torus`, `cube`, `graph` or `faces`.
    pub family: &'static str,
    /// The number of rows of a grid, a cylinder or a torus, whose vertices are numbered row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// The number of columns of a grid, a cylinder or a torus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// The dimension of a cube. Bit i of a vertex is its i-th coordinate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// The dimension of the faces of a cube.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// The number of vertices, 1 to 64.
    pub vertices: usize,
    /// The vertices of each face, ascending.
    pub faces: Vec<Vec<usize>>,
    /// The pairs of neighbours; missing when a faces board lists none.
    pub edges: Option<Vec<[usize; 2]>>,
}

impl BoardDescription {
    /// Describes a board.
    pub fn new(board: &Board) -> BoardDescription {
        let (rows, columns) = board.spec().rows_and_columns().unzip();
        let (dimension, k) = match *board.spec() {
            BoardSpec::Cube { d, k } => (Some(d), Some(k)),
            _ => (None, None),
        };
        let indices = |set: VertexSet| set.into_iter().map(Vertex::index).collect::<Vec<_>>();
        BoardDescription {
            board: board.spec().to_string(),
            metric: board.metric().name(),
            family: board.spec().family().name,
            rows,
            columns,
            dimension,
            k,
            vertices: board.vertex_count(),
            faces: board.faces().iter().map(|&face| indices(face)).collect(),
            edges: edges(board),
        }
    }
}

/// The pairs of neighbours; none when a faces board lists none.
pub(crate) fn edges(board: &Board) -> Option<Vec<[usize; 2]>> {
    let ends = |(a, near): (usize, &VertexSet)| {
        near.into_iter().map(Vertex::index).filter(move |&b| a < b).map(move |b| [a, b])
    };
    Some(board.neighbours()?.iter().enumerate().flat_map(ends).collect())
}

/// The label on each vertex of a state; `None` where it is empty.
pub fn cells(puzzle: &Puzzle, state: &State) -> Vec<Option<String>> {
    let label = |vertex| state.label_at(vertex).map(|label| puzzle.labels().name(label).to_owned());
    puzzle.board().vertices().map(label).collect()
}

/// A puzzle with its board, vertex by vertex.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PuzzleDescription {
    /// The puzzle in one line.
    pub puzzle: String,
    /// Its board.
    pub board: BoardDescription,
    /// The labels of its tokens.
    pub labels: Vec<String>,
    /// The label on each vertex at the start; null where it is empty.
    pub start: Vec<Option<String>>,
    /// The label that the goal wants on each vertex: `0` where it must be empty, null where
    /// anything will do.
    pub goal: Vec<Option<String>>,
    /// The goal in the notation of puzzles.
    pub goal_text: String,
}

impl PuzzleDescription {
    /// Describes a puzzle.
    pub fn new(puzzle: &Puzzle) -> PuzzleDescription {
        let wanted = |cell: &GoalCell| match cell {
            GoalCell::Label(label) => Some(puzzle.labels().name(*label).to_owned()),
            GoalCell::Empty => Some(hyperslide_puzzle::EMPTY.to_owned()),
            GoalCell::Any => None,
        };
        PuzzleDescription {
            board: BoardDescription::new(puzzle.board()),
            labels: puzzle.labels().iter().map(|(_, name)| name.to_owned()).collect(),
            start: cells(puzzle, puzzle.start()),
            goal: puzzle.goal().cells().iter().map(wanted).collect(),
            goal_text: puzzle.write_goal(),
            puzzle: puzzle.to_string(),
        }
    }
}
