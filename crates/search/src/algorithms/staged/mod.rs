//! Staged search, as people solve: the tokens are put in place a few at a time.

mod part;

use std::collections::HashSet;
use std::str::FromStr;

use hyperslide_puzzle::{
    BoardSpec, LoneTokenDistances, Move, Puzzle, UnsolvableReason, Vertex, VertexSet, shorten,
};

use self::part::Part;
pub(crate) use self::part::derived;

use super::best_first::weighted_astar::WEIGHT;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use crate::settings::{Domain, PROFILE, Profile, Setting, Typed, Unreadable, Weight};

/// The order in which tokens are put in place.
pub(super) static SCHEDULE: Typed<Schedule> = Setting::typed(
    "schedule",
    "ORDER",
    "border",
    Domain::Text("rows, border, or the tokens of each stage as in 1+2/3/4"),
    "The order in which tokens are put in place: row by row, from the border inwards, or the \
     tokens of each stage as in 1+2/3, then all others",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "staged",
    summary: "as people do it: weighted A* puts the tokens in place a few at a time, by default \
              from the border inwards; with the published profile it searches whole states, as in \
              the sliding-block study",
    guarantee: Guarantee::None,
    source: "Nayak and Huang, Algorithm 3",
    when: "the puzzle is too large for anything else, such as a grid of 8 rows and 8 columns",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[SCHEDULE.setting(), WEIGHT.setting(), PROFILE.setting()],
    requires_solvability: false,
    check: |puzzle, settings| stages(puzzle, &settings.get(&SCHEDULE)).map(drop),
    run,
};

/// The order in which a staged search puts tokens in place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Schedule {
    /// Row by row, one token at a time.
    Rows,
    /// The first row and the first column of what is left, one token at a time, down to 3 x 3; on
    /// boards that are not grids the tokens one by one.
    Border,
    /// These tokens at a time, by their labels, then all others.
    Stages(Vec<Vec<String>>),
}

impl FromStr for Schedule {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Schedule, Unreadable> {
        match text {
            "rows" => return Ok(Schedule::Rows),
            "border" => return Ok(Schedule::Border),
            _ => {}
        }
        let stages = text.split('/').map(|stage| stage.split('+').map(str::to_owned).collect());
        let stages: Vec<Vec<String>> = stages.collect();
        if stages.iter().flatten().any(String::is_empty) {
            return Err(Unreadable);
        }
        Ok(Schedule::Stages(stages))
    }
}

/// States that a stage may generate before its weight is doubled.
const PATIENCE: u64 = 50_000;
/// The greatest numerator of a weight, whether set or doubled.
const MAX_NUMERATOR: u32 = 1_000_000;

/// The human-like search (Nayak and Huang, Algorithm 3): each stage adds tokens to those that are
/// to be in place, which may be moved on the way, and continues where the last one ended.
///
/// A slide can be taken back, so that no stage leads away from the goal. The study searches whole
/// states; all tokens that are not wanted yet being alike leaves far fewer. Where tokens share a
/// label or several vertices are empty these are still too many, since the estimate does not say
/// which of them is to move: when patience ends, a part that leaves only one is searched, in turns
/// with the whole.
pub(crate) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let stages = stages(puzzle, &task.get(&SCHEDULE))?;
    let Weight { numerator, denominator } = task.get(&WEIGHT);
    let is_published = task.get(&PROFILE) == Profile::Published;
    // Before tables for the whole puzzle are built that the first stage to search cannot use.
    let mut first = VertexSet::EMPTY;
    for &stage in &stages {
        first = first | stage;
        let part = Part::new(puzzle, puzzle.start(), first, is_published);
        if !part.is_met() {
            part.heuristic(task)?;
            break;
        }
    }
    let least = task.least(&*task.build_heuristic(meter)?);
    let mut state = *puzzle.start();
    let mut moves: Vec<Move> = Vec::new();
    let mut wanted = VertexSet::EMPTY;
    // Whether the last stage was solved by its narrow part.
    let mut narrows = false;
    for stage in stages {
        wanted = wanted | stage;
        let part = Part::new(puzzle, &state, wanted, is_published);
        if part.is_met() {
            continue;
        }
        let mut narrow = if is_published { None } else { part.narrow() };
        let mut weight = numerator;
        let mut allowance = if is_published { u64::MAX } else { PATIENCE };
        let outcome = loop {
            let tried = narrow.as_ref().filter(|_| narrows).unwrap_or(&part);
            let heuristic = tried.heuristic(task)?;
            let weighted = Weight { numerator: weight, denominator };
            let recipe = Recipe {
                algorithm: ALGORITHM.name,
                priority: |g, h| weighted.priority(g, h),
                unit: None,
                duplicates: if is_published { Duplicates::KeepFirst } else { Duplicates::Reopen },
                ties: Ties::Deeper,
            };
            let outcome = meter.with_node_allowance(allowance, |meter| {
                let puzzle = tried.puzzle();
                with_codec!(puzzle, |codec| search(puzzle, &codec, &*heuristic, &recipe, meter))
            });
            match outcome {
                Outcome::Solved { moves: found, lower_bound, .. } => {
                    let moves = tried.real_moves(found);
                    break Outcome::Solved { moves, optimal: false, lower_bound };
                }
                // What is not to move may be in the way.
                Outcome::Unsolvable(_) if tried.is_narrow() => (narrow, narrows) = (None, false),
                Outcome::LimitReached { limit: Limit::Nodes, .. } if !meter.is_out_of_nodes() => {
                    narrows = narrow.is_some() && !narrows;
                    // In narrow places a step costs more moves than the weight makes up for.
                    if !narrows {
                        weight = weight.saturating_mul(2).clamp(1, MAX_NUMERATOR);
                        allowance = allowance.saturating_mul(2);
                    }
                }
                outcome => break outcome,
            }
        };
        match outcome {
            Outcome::Solved { moves: found, .. } => {
                for mv in found {
                    state.slide(mv);
                    moves.push(mv);
                }
            }
            Outcome::LimitReached { limit, .. } => {
                let outcome = Outcome::LimitReached { limit, lower_bound: least };
                return Ok((outcome, ALGORITHM.name));
            }
            // What is wanted so far is wanted in the end.
            Outcome::Unsolvable(mut reason) => {
                if let UnsolvableReason::Exhausted { labelled, .. } = &mut reason {
                    *labelled = distinguished(puzzle, part.puzzle(), wanted);
                }
                return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
            }
        }
    }
    let moves = if is_published { moves } else { without_loops(puzzle, moves) };
    let optimal = moves.len() as u32 == least;
    Ok((Outcome::Solved { moves, optimal, lower_bound: least }, ALGORITHM.name))
}

/// The moves without those between two visits to one state.
pub(crate) fn without_loops(puzzle: &Puzzle, moves: Vec<Move>) -> Vec<Move> {
    let mut path = vec![*puzzle.start()];
    let mut seen = HashSet::from([*puzzle.start()]);
    let mut kept: Vec<Move> = Vec::new();
    for mv in moves {
        let mut state = path[path.len() - 1];
        state.slide(mv);
        if seen.insert(state) {
            path.push(state);
            kept.push(mv);
        } else {
            while path.last().is_some_and(|last| *last != state) {
                path.pop().iter().for_each(|left| _ = seen.remove(left));
                kept.pop();
            }
        }
    }
    kept
}

/// The number of tokens that a part distinguishes where it takes others with several labels as
/// alike.
fn distinguished(puzzle: &Puzzle, part: &Puzzle, wanted: VertexSet) -> Option<usize> {
    let placed = puzzle.goal().labelled();
    let labels = puzzle.labels().iter().map(|(label, _)| label);
    let kept = labels.filter(|&label| !(placed.vertices_of(label) & wanted).is_empty());
    let tokens = kept.map(|label| puzzle.start().vertices_of(label).len()).sum();
    (part.labels().len() < puzzle.labels().len()).then_some(tokens)
}

/// The goal vertices that each stage adds; together all that the goal places.
fn stages(puzzle: &Puzzle, schedule: &Schedule) -> Result<Vec<VertexSet>, SolveError> {
    let placed = puzzle.goal().labelled();
    let one_by_one = |order: Vec<Vertex>| -> Vec<VertexSet> {
        let wanted = order.into_iter().filter(|&v| placed.label_at(v).is_some());
        wanted.map(VertexSet::single).collect()
    };
    let mut stages = match (schedule, puzzle.board().spec()) {
        (Schedule::Stages(named), _) => {
            let mut stages = Vec::new();
            for stage in named {
                let mut vertices = VertexSet::EMPTY;
                for name in stage {
                    let label = puzzle.labels().find(name).ok_or_else(|| {
                        let name = shorten(name);
                        let tokens: Vec<&str> =
                            puzzle.labels().iter().map(|(_, name)| name).take(4).collect();
                        let tokens = tokens.join(", ");
                        SolveError::Schedule(format!(
                            "it has no token {name}: name those that it has, {tokens}"
                        ))
                    })?;
                    let own = placed.vertices_of(label);
                    let named = stages.iter().fold(vertices, |all, &stage| all | stage);
                    if !(named & own).is_empty() {
                        let problem = format!("token {name} is listed twice: name it once");
                        return Err(SolveError::Schedule(problem));
                    }
                    vertices = vertices | own;
                }
                stages.push(vertices);
            }
            stages
        }
        (Schedule::Rows, &BoardSpec::Grid { rows, columns }) => {
            one_by_one(rows_towards(end_of(puzzle, columns), rows, columns))
        }
        (Schedule::Border, &BoardSpec::Grid { rows, columns }) => {
            border_inwards(end_of(puzzle, columns), rows, columns, &one_by_one)
        }
        _ => one_by_one(towards_empty(puzzle)),
    };
    let all = stages.iter().fold(VertexSet::EMPTY, |all, &stage| all | stage);
    stages.push(placed.occupied() - all);
    // What the goal wants empty comes with the last token.
    Ok(stages)
}

/// The row and column that are finished last: those of the goal's last empty vertex.
fn end_of(puzzle: &Puzzle, columns: usize) -> (usize, usize) {
    let last = puzzle.goal().empty().into_iter().last();
    let last = last.map_or(puzzle.board().vertex_count() - 1, Vertex::index);
    (last / columns, last % columns)
}

/// All vertices, rows far from the end first, in each the far columns first.
fn rows_towards(end: (usize, usize), rows: usize, columns: usize) -> Vec<Vertex> {
    let mut cells: Vec<(usize, usize)> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    cells.sort_by_key(|&(row, column)| {
        let far = |a: usize, b: usize| std::cmp::Reverse(a.abs_diff(b));
        (far(row, end.0), row, far(column, end.1), column)
    });
    cells.into_iter().filter_map(|(row, column)| Vertex::new(row * columns + column)).collect()
}

/// The side of what is left that is farthest from the end, rows and columns in turns, one token at
/// a time; the last 3 x 3 at once.
fn border_inwards(
    end: (usize, usize),
    rows: usize,
    columns: usize,
    one_by_one: &dyn Fn(Vec<Vertex>) -> Vec<VertexSet>,
) -> Vec<VertexSet> {
    const LAST: usize = 3;
    let (mut top, mut bottom, mut left, mut right) = (0, rows, 0, columns);
    let mut order = Vec::new();
    let mut is_row = true;
    while bottom - top > LAST || right - left > LAST {
        let vertex = |row: usize, column: usize| Vertex::new(row * columns + column);
        if (is_row && bottom - top > LAST) || right - left <= LAST {
            let is_top = end.0 - top >= bottom - 1 - end.0;
            let row = if is_top { top } else { bottom - 1 };
            (top, bottom) = if is_top { (top + 1, bottom) } else { (top, bottom - 1) };
            let mut cells: Vec<usize> = (left..right).collect();
            cells.sort_by_key(|&column| (std::cmp::Reverse(column.abs_diff(end.1)), column));
            order.extend(cells.into_iter().filter_map(|column| vertex(row, column)));
        } else {
            let is_left = end.1 - left >= right - 1 - end.1;
            let column = if is_left { left } else { right - 1 };
            (left, right) = if is_left { (left + 1, right) } else { (left, right - 1) };
            let mut cells: Vec<usize> = (top..bottom).collect();
            cells.sort_by_key(|&row| (std::cmp::Reverse(row.abs_diff(end.0)), row));
            order.extend(cells.into_iter().filter_map(|row| vertex(row, column)));
        }
        is_row = !is_row;
    }
    one_by_one(order)
}

/// All vertices, those far from the goal's empty ones first.
fn towards_empty(puzzle: &Puzzle) -> Vec<Vertex> {
    let distances = LoneTokenDistances::new(puzzle.board());
    let empty = puzzle.goal().empty();
    let mut order: Vec<Vertex> = puzzle.board().vertices().collect();
    order.sort_by_key(|&vertex| {
        let near = empty.into_iter().map(|other| distances.get(vertex, other)).min();
        (std::cmp::Reverse(near), vertex)
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;
    use crate::heuristics::Resources;

    /// What a stage searches is not all states of the puzzle.
    #[test]
    fn an_exhausted_stage_counts_the_tokens_that_it_distinguishes() {
        for (line, states, distinguished) in [
            // Nothing can move.
            ("cube:3:3 1=0,2=1,3=2 -> 1=1,2=0,3=2", 1, Some(1)),
            // Tokens go round and never past each other: five vertices for the first of a ring of
            // four.
            ("graph:5:0-1,1-2,2-3,3-4,4-0 1=0,2=1,3=2,4=3 -> 1=0,2=1,4=2,3=3", 20, Some(2)),
            ("grid:2:2 1,2,3,0 -> 2,1,3,0", 12, None),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let defaults = Defaults::default();
            let task = defaults.task(&puzzle, Resources::default());
            let (outcome, _) = run(&task, &mut Meter::new(&Control::default())).unwrap();
            let Outcome::Unsolvable(UnsolvableReason::Exhausted {
                states: found, labelled, ..
            }) = outcome
            else {
                panic!("{line}: {outcome:?}")
            };
            assert_eq!((found, labelled), (states, distinguished), "{line}");
        }
    }
}
