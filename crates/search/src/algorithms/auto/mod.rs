//! Chooses an optimal algorithm that suits the puzzle.

mod race;

use std::cell::OnceCell;
use std::ops::ControlFlow;

use hyperslide_puzzle::{BoardSpec, Effort, Puzzle, Solvability, goal_count};

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::algorithms::best_first::{astar, bidirectional, nbs};
use crate::algorithms::idastar::{self, Deepening};
use crate::algorithms::table;
use crate::control::Meter;
use crate::engine;
use crate::engine::codec::with_codec;
use crate::engine::resumable::Resumable;
use crate::error::SolveError;
use crate::heuristics::{HeuristicChoice, HeuristicError, PatternSizes};
use crate::outcome::{Limit, Outcome};
use crate::reachable::decide;
use race::{Runner, race};

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "chooses by itself: a table when there is one; IDA* for large puzzles with one empty \
              vertex and no two tokens alike, over pattern databases when they are hard; otherwise \
              A*, bidirectional search and NBS take turns, most of which go to the one that is expected \
              to raise the lower bound most",
    guarantee: Guarantee::Optimal,
    source: "Hyperslide; the measurements are in docs/decisions/0002-search.md",
    when: "a shortest solution is wanted and you do not know which algorithm suits the puzzle",
    uses_heuristic: true,
    looks_up_tables: true,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// States that IDA* may always generate before tables are read and prepared for it: some 40 ms.
const EASY: u64 = 8_000_000;

/// How many it may generate for each set of vertices that the tokens of a table can occupy, if that
/// is more: preparing a table takes 160 to 230 ns for each set, on grids and on cubes.
const EASY_PER_SET: f64 = 50.0;

/// When IDA* has generated this many states, it pauses before its next iteration, and the cost of
/// building tables is estimated.
const PAUSE: u64 = 1_000_000;

/// How many states it may generate before tables are built, for each state of theirs: building one
/// costs as much as two on grids, and up to 17 on cubes, so that puzzles which need small tables
/// take at most twice as long.
const BEFORE_TABLES: f64 = 2.0;

/// How many that is at most: some 0.2 s.
const MOST_BEFORE_TABLES: f64 = 5e7;

/// States so few that a search without estimates has seen all of them in a hundredth of a second.
const FEW: f64 = 2e5;

/// What a stored state costs in addition in states that are not stored, in A\* with its open list,
/// in NBS with two of them, and in the search from both ends, which looks each of them up on the
/// other side too: fitted to the CPU times of all families, whose single ratios are up to twice as
/// high or low.
const ONE_LIST: f64 = 25.0;
const TWO_LISTS: f64 = 45.0;
const NO_LIST: f64 = 35.0;

/// States that IDA* may generate on small graphs with one empty vertex: a fraction of a
/// millisecond, which is less than storing them costs.
const EASY_UNSTORED: u64 = 150_000;

/// Fewer on boards that are little more than a cycle, where the search from both ends, which comes
/// next, is about as fast on puzzles that need more.
const EASY_THIN: u64 = 5_000;

pub(crate) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    if let Some(known) = task.table
        && let Some(outcome) = table::look_up_checked(known, task.puzzle, meter)
    {
        meter.note_choice("there is a table of all distances to the goal");
        return Ok((outcome, table::ALGORITHM.name));
    }
    match (task.puzzle.has_one_empty(), task.puzzle.has_distinct_labels()) {
        (true, true) if is_thin(task.puzzle) => deepen_then_compete(task, EASY_THIN, meter),
        (true, true) if is_deep(task.puzzle) => deepen(task, meter),
        (true, true) => deepen_then_compete(task, EASY_UNSTORED, meter),
        _ => compete(task, 0, meter),
    }
}

/// Gives IDA* a few states before the searches that store theirs compete.
fn deepen_then_compete(
    task: &Task<'_>,
    few: u64,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    meter.note_choice("one vertex is empty, and the puzzle is easy");
    let answer = meter.with_node_allowance(few, |meter| (idastar::ALGORITHM.run)(task, meter))?;
    match answer.0 {
        Outcome::LimitReached { lower_bound, .. } if is_hard(&answer.0, meter) => {
            compete(task, lower_bound, meter)
        }
        _ => Ok(answer),
    }
}

/// Returns whether a part of the search was stopped by its own allowance, or by the length of its
/// paths.
fn is_hard(outcome: &Outcome, meter: &Meter<'_>) -> bool {
    match outcome {
        Outcome::LimitReached { limit: Limit::Nodes, .. } => !meter.is_out_of_nodes(),
        Outcome::LimitReached { limit: Limit::Length, .. } => true,
        _ => false,
    }
}

/// Searches a puzzle with one empty vertex and more states than fit into memory.
fn deepen(plain: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let (chosen, with_tables);
    let mut task = plain;
    let mut proven = 0;
    if task.heuristic.is_default() && patterns_suit(task.puzzle) {
        if HeuristicChoice::patterns_are_ready(task.puzzle, &task.resources) {
            meter.note_choice("one vertex is empty, and the pattern databases are in memory");
        } else {
            meter.note_choice("one vertex is empty, and the puzzle is too easy for tables");
            match deepen_before_tables(task, meter)? {
                ControlFlow::Continue(bound) => proven = bound,
                ControlFlow::Break(answer) => return Ok(answer),
            }
            meter.note_choice("one vertex is empty, and the puzzle is worth pattern databases");
        }
        chosen = suited(task.puzzle);
        with_tables = Task { heuristic: &chosen, ..task.clone() };
        task = &with_tables;
    } else {
        meter.note_choice(DEEP);
    }
    let mut answer = deepen_over(task, Deepening::default(), meter);
    if let Err(SolveError::Heuristic(HeuristicError::Stopped(Limit::Memory))) = answer
        && !std::ptr::eq(task, plain)
    {
        // Without tables it takes longer, but hardly any memory.
        meter.note_choice("one vertex is empty, and memory is too small for pattern databases");
        let part = Deepening { from: proven, ..Deepening::default() };
        answer = deepen_over(plain, part, meter);
    }
    let answer = match answer {
        Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
            Ok((Outcome::LimitReached { limit, lower_bound: 0 }, idastar::ALGORITHM.name))
        }
        answer => answer,
    };
    answer.map(|answer| at_least(answer, proven))
}

/// Searches without tables for as long as preparing and building them would take. Breaks with the
/// answer, or continues with the bound that was proven.
fn deepen_before_tables(
    task: &Task<'_>,
    meter: &mut Meter<'_>,
) -> Result<ControlFlow<Answer, u32>, SolveError> {
    let before = meter.stats.generated;
    let search_part = |part: Deepening, most: u64, meter: &mut Meter<'_>| {
        let left = (before + most).saturating_sub(meter.stats.generated);
        let run = |meter: &mut Meter<'_>| idastar::run_part(task, part, meter);
        let answer = meter.with_node_allowance(left, run)?;
        Ok(match answer.0 {
            Outcome::LimitReached { lower_bound, .. } if is_hard(&answer.0, meter) => {
                ControlFlow::Continue(lower_bound.max(part.from))
            }
            _ => ControlFlow::Break(at_least(answer, part.from)),
        })
    };
    let most_before_building =
        |states: f64| (states * BEFORE_TABLES).min(MOST_BEFORE_TABLES) as u64;
    let sizes = PatternSizes::of(task.puzzle);
    let easy = EASY.max((sizes.occupied_sets * EASY_PER_SET) as u64);
    if most_before_building(sizes.states) <= easy {
        return search_part(Deepening::default(), easy, meter);
    }
    let first = Deepening { pause: before + PAUSE, ..Deepening::default() };
    let from = match search_part(first, easy, meter)? {
        ControlFlow::Continue(bound) => bound,
        solved => return Ok(solved),
    };
    let unbuilt = HeuristicChoice::unbuilt_states(task.puzzle, &task.resources);
    let most = most_before_building(unbuilt).max(easy);
    let used = meter.stats.generated - before;
    // An iteration that was cut off begins anew.
    let is_too_few = most <= if used < easy { used } else { 2 * used };
    if is_too_few {
        return Ok(ControlFlow::Continue(from));
    }
    search_part(Deepening { from, ..Deepening::default() }, most, meter)
}

const DEEP: &str = "one vertex is empty, and there are too many states to store";

/// IDA*, which does not end where there is no solution.
fn deepen_over(
    task: &Task<'_>,
    part: Deepening,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    match decide(task.puzzle, Effort::THOROUGH, meter) {
        Ok(Solvability::Unsolvable(reason)) => Ok((Outcome::Unsolvable(reason), ALGORITHM.name)),
        Ok(Solvability::Solvable | Solvability::Undecided) => idastar::run_part(task, part, meter),
        Err(limit) => Ok((Outcome::LimitReached { limit, lower_bound: 0 }, ALGORITHM.name)),
    }
}

/// The same answer with a bound that was proven before.
fn at_least((mut outcome, name): Answer, proven: u32) -> Answer {
    if let Outcome::LimitReached { lower_bound, .. } = &mut outcome {
        *lower_bound = proven.max(*lower_bound);
    }
    (outcome, name)
}

/// Races A\*, NBS and the search from both ends: whose bound is expected to be ahead has nearly all
/// turns.
fn compete(task: &Task<'_>, proven: u32, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let has_ends = goal_count(puzzle) <= bidirectional::MAX_BACKWARD_ROOTS as f64;
    meter.note_choice(match has_ends {
        false => "the goal leaves too many states open for a search from there",
        true if most_alike(puzzle) > 1 => {
            "labels are repeated, so it took turns with other searches, one of which found the answer"
        }
        true => "it took turns with other searches, one of which found the answer",
    });
    let mut answer = match race_all(task, has_ends, meter) {
        Ok(answer) => answer,
        Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
            (Outcome::LimitReached { limit, lower_bound: 0 }, astar::ALGORITHM.name)
        }
        Err(error) => return Err(error),
    };
    answer = at_least(answer, proven);
    match answer.0 {
        // IDA* stores nothing.
        Outcome::LimitReached { limit: Limit::Memory, lower_bound } if is_deep(puzzle) => {
            Ok(at_least(deepen(task, meter)?, lower_bound))
        }
        _ => Ok(answer),
    }
}

/// Begins those that suit the puzzle, and races them.
fn race_all(task: &Task<'_>, has_ends: bool, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let heuristic = task.build_heuristic(meter)?;
    let recipe = astar::recipe(task);
    // Only what proves its answer is compared with the others by what it has proven.
    let is_alone = !has_ends || recipe.unit.is_none();
    let goals = if is_alone { Vec::new() } else { bidirectional::ends(puzzle)? };
    let backward = OnceCell::new();
    // Each is observed as one search, however many turns it has.
    let recorders = [astar::ALGORITHM, bidirectional::ALGORITHM, nbs::ALGORITHM]
        .map(|algorithm| meter.recorder(algorithm.name, puzzle));
    let [of_first, of_both, of_pairs] = &recorders;
    with_codec!(puzzle, |codec| {
        let (codec, goals) = (&codec, &goals[..]);
        let (heuristic, recipe) = (&*heuristic, &recipe);
        let from_start = |_: &mut Meter<'_>| {
            let recorder = of_first.clone();
            let search =
                engine::best_first::Search::new(puzzle, codec, heuristic, recipe, recorder);
            Ok(boxed(search?))
        };
        let from_both = |_: &mut Meter<'_>| {
            Ok(boxed(bidirectional::Search::new(puzzle, codec, goals, of_both.clone())?))
        };
        let effort = effort(puzzle);
        let Some(goal) = goals.first() else {
            let from_start = Runner::new(astar::ALGORITHM.name, effort, ONE_LIST, &from_start);
            return race(puzzle, vec![from_start], meter);
        };
        let in_pairs = |meter: &mut Meter<'_>| {
            let backward = match backward.get() {
                Some(built) => built,
                None => {
                    let built = nbs::backward(task, goal, heuristic)?;
                    meter.note_tables(heuristic.bytes() + built.bytes());
                    backward.get_or_init(|| built)
                }
            };
            let heuristics = [heuristic, &**backward];
            let recorder = of_pairs.clone();
            Ok(boxed(nbs::Search::new(puzzle, codec, heuristics, goals, true, recorder)?))
        };
        let from_start = Runner::new(astar::ALGORITHM.name, effort, ONE_LIST, &from_start);
        let in_pairs = Runner::new(nbs::ALGORITHM.name, effort, TWO_LISTS, &in_pairs);
        let from_both = Runner::new(bidirectional::ALGORITHM.name, 1.0, NO_LIST, &from_both);
        // The first has a turn of its own.
        let runners = if effort > 1.0 && arrangements(puzzle) <= FEW {
            vec![from_both]
        } else if is_thin(puzzle) || is_crowded(puzzle) {
            vec![from_both, from_start, in_pairs]
        } else if puzzle.board().is_graph() && most_alike(puzzle) == 1 {
            vec![from_start, from_both, in_pairs]
        } else {
            vec![in_pairs, from_start, from_both]
        };
        race(puzzle, runners, meter)
    })
}

fn boxed<'a>(search: impl Resumable + 'a) -> Box<dyn Resumable + 'a> {
    Box::new(search)
}

/// Returns whether k = d - 1: half of the cube has to be empty for a slide, and tokens are in each
/// other's way, which no estimate sees.
fn is_crowded(puzzle: &Puzzle) -> bool {
    matches!(puzzle.board().spec(), BoardSpec::Cube { d, k } if *k + 1 == *d)
}

/// What a state that is generated with an estimate costs, in states that are generated without one.
pub(crate) fn effort(puzzle: &Puzzle) -> f64 {
    match most_alike(puzzle) as f64 {
        // Tokens with one label are assigned to vertices: 1.8 for four of them, 2.2 for six, 3.6
        // for twelve and 3 for eighteen were measured.
        alike if alike > 1.0 => 1.2 + 0.15 * alike,
        _ => 1.0,
    }
}

/// Returns whether the board is little more than a path or a cycle: few states are near any state,
/// and tokens are far behind what each of them would need alone.
fn is_thin(puzzle: &Puzzle) -> bool {
    let Some(neighbours) = puzzle.board().neighbours() else { return false };
    let degrees: usize = neighbours.iter().map(|vertices| vertices.len()).sum();
    2 * degrees < 5 * neighbours.len()
}

/// Returns whether there are more states than A* stores in some 100 MB.
fn is_large(puzzle: &Puzzle) -> bool {
    const STORED: f64 = 4e6;

    arrangements(puzzle) > STORED
}

/// Returns whether it is a puzzle with one empty vertex and more states than A* stores.
fn is_deep(puzzle: &Puzzle) -> bool {
    puzzle.has_one_empty() && is_large(puzzle)
}

/// The heuristic for a puzzle when nobody chose one: pattern databases where they save far more
/// than building them costs, and the goal allows them.
pub(crate) fn suited(puzzle: &Puzzle) -> HeuristicChoice {
    if patterns_suit(puzzle) { HeuristicChoice::patterns() } else { HeuristicChoice::default() }
}

/// Returns whether `auto` searches the puzzle by pattern databases, unless it is easy.
pub fn patterns_suit(puzzle: &Puzzle) -> bool {
    let is_full = puzzle.goal().free_vertices().is_empty() && puzzle.has_distinct_labels();
    is_deep(puzzle) && is_full
}

/// The heuristic that leads beams when nobody chose one: learned weights where there are any for
/// the puzzle, otherwise as [`suited`]. Figures: docs/decisions/0009-near-optimal.md.
pub(crate) fn leading(puzzle: &Puzzle) -> HeuristicChoice {
    let weights = HeuristicChoice::learned_weights(puzzle).filter(|_| is_large(puzzle));
    weights.unwrap_or_else(|| suited(puzzle))
}

/// What leads beams better than learned weights alone, which are there at once: on thin boards, the
/// same together with pattern databases.
pub(crate) fn leading_by_tables(puzzle: &Puzzle) -> Option<HeuristicChoice> {
    let weights = HeuristicChoice::learned_weights(puzzle)?;
    let suits = is_thin(puzzle) && patterns_suit(puzzle);
    suits.then(|| HeuristicChoice::patterns().and(weights))
}

/// How many tokens have the same label at most.
fn most_alike(puzzle: &Puzzle) -> usize {
    alike(puzzle).max().unwrap_or(0)
}

/// How many tokens have each label.
fn alike(puzzle: &Puzzle) -> impl Iterator<Item = usize> {
    puzzle.labels().iter().map(|(label, _)| puzzle.start().vertices_of(label).len())
}

/// How many states there are, reachable or not.
fn arrangements(puzzle: &Puzzle) -> f64 {
    let tokens = puzzle.start().occupied().len();
    let vertices = puzzle.board().vertex_count();
    let placements: f64 = (vertices - tokens + 1..=vertices).map(|n| n as f64).product();
    placements / alike(puzzle).flat_map(|count| 1..=count).map(|n| n as f64).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A brick wall of 4x6 is thin, a grid is not, and a small board needs no weights.
    #[test]
    fn tables_and_weights_lead_together_on_thin_boards() {
        let together = |board: &str, vertices: usize| {
            let cells = (0..vertices).map(|label| label.to_string()).collect::<Vec<_>>().join(",");
            let puzzle = Puzzle::from_line(&format!("{board} {cells} -> {cells}")).unwrap();
            leading_by_tables(&puzzle).map(|choice| choice.to_string())
        };
        let row = |row: usize| (6 * row..6 * row + 5).map(|v| (v, v + 1));
        let rungs = (0..18).filter(|v| (v / 6 + v % 6) % 2 == 0).map(|v| (v, v + 6));
        let edges = (0..4).flat_map(row).chain(rungs).map(|(v, w)| format!("{v}-{w}"));
        let wall = format!("graph:24:{}", edges.collect::<Vec<_>>().join(","));
        assert_eq!(together(&wall, 24).as_deref(), Some("patterns,weighted-neighbours"));
        assert_eq!(together("grid:5:5", 25), None);
        assert_eq!(together("graph:cycle-6", 6), None);
    }
}
