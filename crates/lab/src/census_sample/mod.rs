//! Checking the record of a census by solving random puzzles, where its search cannot be repeated.

mod blocks;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use hyperslide_census::{BlockCounts, ComponentClass, StartResult, Survey, starts};
use hyperslide_puzzle::{Arrangement, Board, Label, Puzzle, Regime, State, Vertex};
use hyperslide_search::{Config, Control, Limit, Limits, Outcome, solve};
use hyperslide_table::inverse_state;
use thiserror::Error;

use blocks::arrangement;
pub use blocks::{BlockSample, sample_blocks};

use crate::random::{Law, RandomError, RandomPuzzles};
use crate::record::CensusRecord;
use crate::statistics::{ChiSquared, chi_squared};

/// States that are counted from the rule alone, at most, from each start.
const COUNTED_STATES: u64 = 1_000_000;

/// How a record is sampled.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// The number of random puzzles.
    pub puzzles: usize,
    /// The seed of the puzzles.
    pub seed: u64,
    /// The limits of each search.
    pub limits: Limits,
}

/// What a sample says of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct CensusSample {
    /// The last of the layers around the first start that a count from the rule confirmed; all
    /// before it were confirmed, too.
    pub counted_layers: u32,
    /// The number of random puzzles that were solved, by their proven length.
    pub solved: Vec<u64>,
    /// The number of puzzles whose inverse was solved, too, with the same length.
    pub inverses: usize,
    /// The lengths compared with those that the record predicts.
    pub fit: ChiSquared,
}

impl CensusSample {
    /// Returns whether the lengths are as the record predicts: less likely ones occur in one of ten
    /// thousand samples.
    pub fn agrees(&self) -> bool {
        self.fit.p >= 1e-4
    }
}

/// Why a record cannot be sampled, or what contradicts it.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum SampleError {
    #[error("a sample needs a board on which all components with moves are alike")]
    Components,
    #[error("cancelled")]
    Cancelled,
    #[error("{puzzle} could not be solved within the limits: raise them")]
    Unsolved { puzzle: String },
    #[error(
        "layer {layer} from {occupied:?} has {found} states, counted from the rule, not {recorded}"
    )]
    Layer { layer: usize, occupied: Vec<usize>, found: u64, recorded: u64 },
    #[error("{puzzle} needs {length} moves, more than any that is recorded")]
    TooFar { puzzle: String, length: u32 },
    #[error("{puzzle} needs {length} moves, but its inverse {inverse}, which should be as far")]
    Inverse { puzzle: String, length: u32, inverse: u32 },
    #[error("{puzzle} needs {length} moves, but its block has no state at this distance")]
    NotInBlock { puzzle: String, length: u32 },
    #[error("no state of a block was found that can be solved: {block}")]
    Block { block: String },
    #[error(transparent)]
    Random(#[from] RandomError),
    #[error("{0}")]
    Search(String),
}

/// The laws of random puzzles with these goals. Each has a seed of its own, so that starts are
/// drawn independently.
fn laws(
    board: &Board,
    tokens: usize,
    goals: Vec<Option<Arrangement>>,
    seed: u64,
) -> Vec<RandomPuzzles> {
    let law = |(number, goal)| RandomPuzzles {
        board: board.clone(),
        tokens,
        labels: None,
        goal,
        law: Law::Uniform,
        seed: seed.wrapping_add(number),
        time: None,
    };
    (0..).zip(goals).map(law).collect()
}

/// Checks the record of a census by other means than its search: counts the first layers of a start
/// with nothing but the rule, and solves random puzzles with proof, whose lengths have to be
/// distributed as the recorded layers predict. `on_progress` gets the number of puzzles solved.
///
/// # Errors
///
/// Returns an error if the record cannot be sampled, if a puzzle is not solved within its limits,
/// or if one contradicts the record.
pub fn sample_census(
    record: &CensusRecord,
    board: &Board,
    survey: &Survey,
    options: &SampleOptions,
    cancel: &AtomicBool,
    on_progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<CensusSample, SampleError> {
    let moving: Vec<&ComponentClass> =
        survey.classes.iter().filter(|kind| kind.regime != Regime::Isolated).collect();
    let ([_], Some(first)) = (&moving[..], record.starts.first()) else {
        return Err(SampleError::Components);
    };
    let counted_layers = count_layers_again(board, first)?;
    // Random goals are on all occupied sets. Where only some were searched from, where some are
    // isolated, and where the board has a usual goal, the goals are those that were searched from.
    let tokens = board.vertex_count() - record.census.empty;
    let draws_goals = laws(board, tokens, vec![None], 0)[0].usual_goal()?.is_none();
    let is_whole =
        record.starts.len() == starts(survey).count() && survey.isolated_sets == 0 && draws_goals;
    let goals: Vec<Option<Arrangement>> = match is_whole {
        true => vec![None],
        false => {
            let starts = record.starts.iter().map(|start| BlockCounts::start(survey, start));
            starts.map(|start| Some(arrangement(board, &start))).collect()
        }
    };
    let each = options.puzzles.div_ceil(goals.len());
    let random = laws(board, tokens, goals, options.seed);
    let drawn: Vec<_> = random.iter().map(|random| random.each(each, |_| ())).collect();
    let drawn = drawn.into_iter().collect::<Result<Vec<_>, _>>()?;
    let prover = Prover::new(options.limits, cancel)?;
    let expected = expected_shares(&record.starts, is_whole);
    let mut solved = vec![0u64; expected.len()];
    let mut inverses = 0;
    for (number, puzzle) in drawn.into_iter().flatten().enumerate() {
        let puzzle = puzzle?;
        let own = prover.length(&puzzle)?;
        let Some(count) = solved.get_mut(own as usize) else {
            return Err(SampleError::TooFar { puzzle: puzzle.to_string(), length: own });
        };
        *count += 1;
        if let Some(inverse) = inverse_puzzle(&puzzle) {
            let other = prover.length(&inverse)?;
            if other != own {
                let puzzle = puzzle.to_string();
                return Err(SampleError::Inverse { puzzle, length: own, inverse: other });
            }
            inverses += 1;
        }
        if on_progress(number + 1).is_break() {
            return Err(SampleError::Cancelled);
        }
    }
    let fit = chi_squared(&solved, &expected);
    Ok(CensusSample { counted_layers, solved, inverses, fit })
}

/// What finds the proven length of a puzzle.
struct Prover<'a> {
    config: Config,
    control: Control<'a>,
}

impl<'a> Prover<'a> {
    fn new(limits: Limits, cancel: &'a AtomicBool) -> Result<Prover<'a>, SampleError> {
        let config = Config::new("auto", None, [], 0)
            .map_err(|error| SampleError::Search(error.to_string()))?;
        let control = Control { limits, cancel: Some(cancel), ..Control::default() };
        Ok(Prover { config, control })
    }

    fn length(&self, puzzle: &Puzzle) -> Result<u32, SampleError> {
        let report = solve(puzzle, &self.config, &self.control)
            .map_err(|error| SampleError::Search(error.to_string()))?;
        match report.outcome {
            Outcome::Solved { optimal: true, moves, .. } => Ok(moves.len() as u32),
            Outcome::LimitReached { limit: Limit::Cancelled, .. } => Err(SampleError::Cancelled),
            _ => Err(SampleError::Unsolved { puzzle: puzzle.to_string() }),
        }
    }
}

/// The share of pairs of states at each distance. The starts stand for their orbits, or, if they
/// are not all that there are, each for itself.
fn expected_shares(starts: &[StartResult], is_whole: bool) -> Vec<f64> {
    let mut shares = Vec::new();
    for start in starts {
        shares.resize(shares.len().max(start.layers.len()), 0.0);
        for (share, &states) in shares.iter_mut().zip(&start.layers) {
            *share += if is_whole { start.orbit as f64 } else { 1.0 } * states as f64;
        }
    }
    let all: f64 = shares.iter().sum();
    shares.iter().map(|share| share / all).collect()
}

/// Counts the first layers from a start with a set of states and the rule, and compares them.
fn count_layers_again(board: &Board, start: &StartResult) -> Result<u32, SampleError> {
    let tokens = start.occupied.iter().zip(0..);
    let state: State = tokens
        .filter_map(|(&vertex, label)| Some((Vertex::new(vertex)?, Label::new(label)?)))
        .collect();
    let mut seen: HashSet<State> = [state].into();
    let mut layer = vec![state];
    let mut depth = 0;
    for (number, &recorded) in start.layers.iter().enumerate() {
        let found = layer.len() as u64;
        if found != recorded {
            let occupied = start.occupied.clone();
            return Err(SampleError::Layer { layer: number, occupied, found, recorded });
        }
        depth = number as u32;
        if seen.len() as u64 > COUNTED_STATES / 4 {
            break;
        }
        let mut next = Vec::new();
        for state in &layer {
            for mv in board.legal_moves(state) {
                let mut moved = *state;
                moved.slide(mv);
                if seen.insert(moved) {
                    next.push(moved);
                }
            }
        }
        layer = next;
    }
    Ok(depth)
}

/// The puzzle with the inverse of the start, on boards that have one.
fn inverse_puzzle(puzzle: &Puzzle) -> Option<Puzzle> {
    let goal = puzzle.goal().labelled();
    let inverse = inverse_state(puzzle.board(), goal, puzzle.start())?;
    let (start, goal) = (puzzle.write_state(&inverse), puzzle.write_state(goal));
    Puzzle::from_line(&format!("{} {start} -> {goal}", puzzle.board().spec())).ok()
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{BoardSpec, Metric};

    use super::*;

    #[test]
    fn starts_for_different_goals_are_drawn_independently() {
        let board = Board::new(BoardSpec::Cube { d: 4, k: 1 }, Metric::Face).unwrap();
        let goal = |text: &str| Some(text.parse::<Arrangement>().unwrap());
        let laws = laws(&board, 3, vec![goal("1=0,2=1,3=2"), goal("1=0,2=1,3=4")], 7);
        let starts = |law: &RandomPuzzles| -> Vec<State> {
            law.draw(5).unwrap().iter().map(|puzzle| *puzzle.start()).collect()
        };
        assert_ne!(starts(&laws[0]), starts(&laws[1]));
    }
}
