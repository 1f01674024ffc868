//! Setups: the start and the goal of a puzzle as written, and the checks that they fit a board.

use std::fmt;

use thiserror::Error;

use crate::arrangement::{Arrangement, LabelPositions};
use crate::bare_grid::EMPTY_SIGNS;
use crate::board::Board;
use crate::goal::{Goal, GoalCell};
use crate::invalid::Invalid;
use crate::label::{ANY, EMPTY, Label, LabelTable};
use crate::state::State;
use crate::text::is_number;
use crate::vertex::Vertex;

/// A start and a goal as written. They may be wrong; [`Puzzle::new`](crate::Puzzle::new) checks
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Where the tokens are.
    pub start: Arrangement,
    /// Where the goal wants them. On a grid, a missing goal means the usual one, `1,2,...,0`.
    pub goal: Option<Arrangement>,
}

impl Setup {
    /// Returns the setup with [`EMPTY`] in place of another program's sign for an empty vertex. A
    /// sign is replaced only where it can mean nothing else: all other entries are numbers, no
    /// other sign marks an empty vertex, and no token of the start has that label.
    pub(crate) fn with_usual_signs(&self) -> Setup {
        let mut setup = self.clone();
        let sign = replace_empty_sign(&mut setup.start, |_| true);
        if let Some(goal) = &mut setup.goal {
            let is_token = |sign: &str| setup.start.label_names().any(|name| name == sign);
            replace_empty_sign(goal, |other| sign == Some(other) || !is_token(other));
        }
        setup
    }
}

/// Replaces another program's sign for empty vertices by [`EMPTY`] if it is unambiguous and
/// `may_be` allows it; returns the sign that was replaced.
fn replace_empty_sign(
    arrangement: &mut Arrangement,
    may_be: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let Arrangement::ByVertex(entries) = arrangement else { return None };
    let mut signs = EMPTY_SIGNS.into_iter().filter(|sign| entries.iter().any(|e| e == sign));
    let (sign, None) = (signs.next().filter(|&sign| sign != EMPTY)?, signs.next()) else {
        return None;
    };
    let is_plain = |entry: &String| entry == sign || entry == ANY || is_number(entry);
    if !may_be(sign) || !entries.iter().all(is_plain) {
        return None;
    }
    for entry in entries.iter_mut().filter(|entry| *entry == sign) {
        EMPTY.clone_into(entry);
    }
    Some(sign)
}

/// One thing that is wrong with a [`Setup`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum Problem {
    #[error(
        "the {which} has {entries} {}, and the board {vertices} vertices: write one entry for each \
         vertex, with commas between them", if *entries == 1 { "entry" } else { "entries" }
    )]
    EntryCount { which: Which, entries: usize, vertices: usize },
    #[error("the {which} puts {label} on vertex {vertex}: the board has vertices 0 to {last}")]
    VertexOffBoard { which: Which, label: String, vertex: usize, last: usize },
    #[error("in the {which}, vertex {vertex} holds tokens {first} and {second}")]
    SharedVertex { which: Which, vertex: Vertex, first: String, second: String },
    #[error("the start has no token: put at least one on the board")]
    NoTokens,
    #[error("label {0} has no vertex in the start")]
    NoVertex(String),
    #[error("the start leaves {0} open: '{ANY}' is for goals")]
    OpenStart(String),
    #[error("the start has {EMPTY}=...: leave it out, for vertices without a token are empty")]
    EmptyInStart,
    #[error("the goal asks for token {0}, which the start does not have")]
    UnknownLabel(String),
    #[error("the goal places token {label} {placed} times, and the start has it {present} times")]
    TooMany { label: String, placed: usize, present: usize },
    #[error(
        "the goal places {placed} of {present} tokens {label}: add '{ANY}', as in {label}={ANY}, to leave the others free"
    )]
    TooFew { label: String, placed: usize, present: usize },
    #[error("the goal leaves {tokens} tokens free ({labels}) and {vertices} vertices for them")]
    NoRoom { tokens: usize, labels: String, vertices: usize },
    #[error(
        "the start has a token on each of the {vertices} vertices, so that nothing can move: write 0 \
         for an empty vertex"
    )]
    NoEmptyVertex { vertices: usize },
    #[error("there is no goal: write -> GOAL after the start")]
    NoGoal,
    #[error(
        "the usual goal of a grid needs tokens 1 to {tokens}, and the start has {labels}: write -> GOAL after the start"
    )]
    NoUsualGoal { tokens: usize, labels: String },
}

/// The half of a setup that has a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The start.
    Start,
    /// The goal.
    Goal,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Which::Start => "start",
            Which::Goal => "goal",
        })
    }
}

/// Why a [`Puzzle`](crate::Puzzle) cannot be built.
pub type InvalidPuzzle = Invalid<Problem>;

impl Problem {
    /// The half of the setup that has the problem.
    pub fn half(&self) -> Which {
        match self {
            Problem::EntryCount { which, .. }
            | Problem::VertexOffBoard { which, .. }
            | Problem::SharedVertex { which, .. } => *which,
            Problem::NoTokens
            | Problem::NoVertex(_)
            | Problem::OpenStart(_)
            | Problem::EmptyInStart
            | Problem::NoEmptyVertex { .. } => Which::Start,
            Problem::UnknownLabel(_)
            | Problem::TooMany { .. }
            | Problem::TooFew { .. }
            | Problem::NoRoom { .. }
            | Problem::NoGoal
            | Problem::NoUsualGoal { .. } => Which::Goal,
        }
    }
}

impl Invalid<Problem> {
    /// Returns the problems of one half, for setups whose halves are the same text; all of them
    /// where that half has none.
    #[must_use]
    pub fn of(self, half: Which) -> InvalidPuzzle {
        let own: Vec<Problem> =
            self.reasons.iter().filter(|problem| problem.half() == half).cloned().collect();
        if own.is_empty() { self } else { Invalid { reasons: own } }
    }
}

/// What an arrangement asks of a vertex, with labels by name.
#[derive(Clone, PartialEq, Eq)]
enum Asked {
    Nothing,
    Empty,
    Label(String),
}

pub(crate) fn read_start(
    board: &Board,
    start: &Arrangement,
    problems: &mut Vec<Problem>,
) -> Vec<(Vertex, String)> {
    match start {
        Arrangement::ByVertex(entries) => {
            let open = entries.iter().enumerate().filter(|(_, entry)| *entry == ANY);
            let open: Vec<String> = open.map(|(vertex, _)| format!("vertex {vertex}")).collect();
            if !open.is_empty() {
                problems.push(Problem::OpenStart(open.join(", ")));
            }
        }
        Arrangement::ByLabel(labels) => {
            for LabelPositions { label, vertices, others_anywhere } in labels {
                if label == EMPTY {
                    problems.push(Problem::EmptyInStart);
                } else if *others_anywhere {
                    problems.push(Problem::OpenStart(format!("token {label}")));
                } else if vertices.is_empty() {
                    problems.push(Problem::NoVertex(label.clone()));
                }
            }
        }
    }
    let asked = read_cells(Which::Start, board, start, problems);
    let tokens = board.vertices().zip(asked).filter_map(|(vertex, cell)| match cell {
        Asked::Label(name) => Some((vertex, name)),
        _ => None,
    });
    tokens.collect()
}

fn read_cells(
    which: Which,
    board: &Board,
    arrangement: &Arrangement,
    problems: &mut Vec<Problem>,
) -> Vec<Asked> {
    let vertices = board.vertex_count();
    let mut cells = vec![Asked::Nothing; vertices];
    match arrangement {
        Arrangement::ByVertex(entries) => {
            if entries.len() != vertices {
                problems.push(Problem::EntryCount { which, entries: entries.len(), vertices });
            }
            for (cell, entry) in cells.iter_mut().zip(entries) {
                *cell = match entry.as_str() {
                    EMPTY => Asked::Empty,
                    ANY => Asked::Nothing,
                    label => Asked::Label(label.to_owned()),
                };
            }
        }
        Arrangement::ByLabel(labels) => {
            for LabelPositions { label, vertices: places, .. } in labels {
                for &vertex in places {
                    let Some(place) = Vertex::new(vertex).filter(|v| v.index() < vertices) else {
                        let (label, last) = (label.clone(), vertices - 1);
                        problems.push(Problem::VertexOffBoard { which, label, vertex, last });
                        continue;
                    };
                    let asked = match label.as_str() {
                        EMPTY => Asked::Empty,
                        label => Asked::Label(label.to_owned()),
                    };
                    let first = match &cells[vertex] {
                        Asked::Nothing => {
                            cells[vertex] = asked;
                            continue;
                        }
                        Asked::Empty => EMPTY.to_owned(),
                        Asked::Label(name) => name.clone(),
                    };
                    let second = label.clone();
                    problems.push(Problem::SharedVertex { which, vertex: place, first, second });
                }
            }
        }
    }
    cells
}

pub(crate) fn read_goal(
    board: &Board,
    goal: &Arrangement,
    start: &Arrangement,
    labels: &LabelTable,
    problems: &mut Vec<Problem>,
) -> Goal {
    let asked = read_cells(Which::Goal, board, goal, problems);
    let mut unknown: Vec<&String> = Vec::new();
    let mut cells: Vec<GoalCell> = Vec::with_capacity(asked.len());
    for cell in &asked {
        cells.push(match cell {
            Asked::Nothing => GoalCell::Any,
            Asked::Empty => GoalCell::Empty,
            Asked::Label(name) => labels.find(name).map_or_else(
                || {
                    unknown.push(name);
                    GoalCell::Any
                },
                GoalCell::Label,
            ),
        });
    }
    if let Arrangement::ByLabel(entries) = goal {
        // A label may also be named without any vertex, as in q=*.
        let known = |label: &str| label == EMPTY || labels.find(label).is_some();
        unknown.extend(entries.iter().map(|entry| &entry.label).filter(|label| !known(label)));
    }
    unknown.sort_unstable();
    unknown.dedup();
    problems.extend(unknown.into_iter().cloned().map(Problem::UnknownLabel));

    let mut free = Vec::new();
    for (label, name) in labels.iter() {
        let placed = cells.iter().filter(|&&cell| cell == GoalCell::Label(label)).count();
        let present = start.count(name);
        let name = name.to_owned();
        if placed > present {
            problems.push(Problem::TooMany { label: name, placed, present });
        } else if placed < present {
            if let Arrangement::ByLabel(entries) = goal
                && !entries.iter().any(|entry| entry.label == name && entry.others_anywhere)
            {
                problems.push(Problem::TooFew { label: name, placed, present });
            } else {
                free.extend(vec![name; present - placed]);
            }
        }
    }
    let open = cells.iter().filter(|&&cell| cell == GoalCell::Any).count();
    if free.is_empty() {
        // Every token has its vertex, so the others are empty whether the goal says so or not.
        for cell in &mut cells {
            if *cell == GoalCell::Any {
                *cell = GoalCell::Empty;
            }
        }
    } else if free.len() > open && problems.is_empty() {
        let (tokens, labels) = (free.len(), free.join(", "));
        problems.push(Problem::NoRoom { tokens, labels, vertices: open });
    }
    if problems.is_empty() { Goal::new(cells) } else { Goal::new(Vec::new()) }
}

/// Builds the usual goal of a grid, a cylinder or a torus: tokens 1, 2, ... in the order of the
/// vertices, and the empty vertices last.
pub(crate) fn usual_goal(
    board: &Board,
    start: &State,
    labels: &LabelTable,
    problems: &mut Vec<Problem>,
) -> Goal {
    let tokens = start.occupied().len();
    let mut cells = vec![GoalCell::Empty; board.vertex_count()];
    if board.spec().rows_and_columns().is_none() {
        problems.push(Problem::NoGoal);
    } else if tokens == board.vertex_count() {
        problems.push(Problem::NoEmptyVertex { vertices: tokens });
    } else if labels.len() == tokens
        && labels.iter().all(|(label, name)| name == (label.index() + 1).to_string())
    {
        for (cell, (label, _)) in cells.iter_mut().zip(labels.iter()) {
            *cell = GoalCell::Label(label);
        }
    } else if problems.is_empty() {
        let list = |(label, name): (Label, &str)| match start.vertices_of(label).len() {
            1 => name.to_owned(),
            count => format!("{name} ({count} times)"),
        };
        let labels = labels.iter().map(list).collect::<Vec<_>>().join(", ");
        problems.push(Problem::NoUsualGoal { tokens, labels });
    }
    Goal::new(cells)
}
