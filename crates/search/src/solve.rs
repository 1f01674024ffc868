use std::cell::Cell;
use std::sync::Arc;

use hyperslide_puzzle::{Effort, Puzzle, Solvability, decide_solvability};
use hyperslide_table::{DistanceTable, available_threads};
use thiserror::Error;

use crate::algorithms::{ALGORITHMS, Algorithm, Task};
use crate::control::{Control, Meter};
use crate::heuristics::{HeuristicChoice, HeuristicError, Resources};
use crate::outcome::{Outcome, Report};
use crate::settings::Settings;
use crate::shared::Shared;

/// Which algorithm, and how it is set.
#[derive(Clone)]
pub struct Config {
    /// The algorithm, one of [`ALGORITHMS`].
    pub algorithm: &'static Algorithm,
    /// The heuristic of those that use one.
    pub heuristic: HeuristicChoice,
    /// What else it can be told.
    pub settings: Settings,
    /// The seed of those that draw random numbers.
    pub seed: u64,
    /// A table that may answer the puzzle; one that does not is passed over.
    pub table: Option<Arc<DistanceTable>>,
    /// Where tables of heuristics come from; the same for all puzzles of a batch.
    pub shared: Arc<Shared>,
    /// How many threads build tables and search where an algorithm can use several.
    pub threads: usize,
}

impl Config {
    /// What the algorithm is given.
    pub(crate) fn task<'a>(&'a self, puzzle: &'a Puzzle, meter: &Meter<'a>) -> Task<'a> {
        let resources = Resources {
            shared: Arc::clone(&self.shared),
            memory: meter.memory_limit(),
            threads: self.threads,
            cancel: meter.cancel(),
            deadline: meter.deadline(),
        };
        let (heuristic, table) = (&self.heuristic, self.table.as_deref());
        Task { puzzle, heuristic, table, resources, settings: &self.settings, seed: self.seed }
    }

    /// The defaults of an algorithm by its name.
    pub fn named(algorithm: &str) -> Option<Config> {
        let algorithm = ALGORITHMS.iter().find(|known| known.name == algorithm)?;
        Some(Config { algorithm, ..Config::default() })
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            algorithm: &ALGORITHMS[0],
            heuristic: HeuristicChoice::default(),
            settings: Settings::default(),
            seed: 0,
            table: None,
            shared: Arc::default(),
            threads: available_threads(),
        }
    }
}

/// Why an algorithm cannot be used on a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// The goal leaves so much open that there is no end to search back from.
    #[error(
        "the goal leaves more than {limit} states open, too many for {algorithm}: use astar or breadth-first"
    )]
    OpenGoal {
        /// The algorithm.
        algorithm: &'static str,
        /// How many states it takes.
        limit: usize,
    },
    /// A schedule names what the puzzle does not have.
    #[error("the schedule does not fit the puzzle: {0}")]
    Schedule(String),
    /// The region is empty or larger than the puzzle.
    #[error(
        "a region of {region} tokens is out of range: write 1 to {tokens}, the number of the puzzle's tokens"
    )]
    Region {
        /// The tokens asked for.
        region: usize,
        /// The tokens there are.
        tokens: usize,
    },
    /// The heuristic cannot be used on the puzzle.
    #[error(transparent)]
    Heuristic(#[from] HeuristicError),
}

/// Solves a puzzle, or proves it unsolvable, or reaches a limit.
///
/// Whether the goal can be reached is decided first wherever that takes milliseconds (any cube up
/// to d = 4, any board with one empty vertex), and with all effort before IDA*, which would never
/// end.
///
/// # Errors
///
/// When the algorithm cannot be used on this puzzle.
///
/// # Panics
///
/// When a solution breaks the rules or misses the goal: a bug here, never returned as an answer.
pub fn solve(
    puzzle: &Puzzle,
    config: &Config,
    control: &Control<'_>,
) -> Result<Report, SolveError> {
    let mut meter = Meter::new(control);
    let Config { algorithm, seed, .. } = *config;
    (algorithm.check)(puzzle, &config.settings)?;
    let (mut outcome, name) = match ask_first(puzzle, algorithm, &mut meter) {
        Some(outcome) => (outcome, algorithm.name),
        None => {
            let task = config.task(puzzle, &meter);
            match (algorithm.run)(&task, &mut meter) {
                Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
                    let outcome = Outcome::LimitReached { limit, lower_bound: 0 };
                    (outcome, algorithm.name)
                }
                answer => answer?,
            }
        }
    };
    let stats = meter.finish();
    if let Outcome::Solved { lower_bound, .. } | Outcome::LimitReached { lower_bound, .. } =
        &mut outcome
    {
        // Some algorithms know less than this.
        let lone_token = HeuristicChoice::default().build(puzzle, &Resources::default())?;
        let least = lone_token.estimate(puzzle.start()).unwrap_or(0);
        *lower_bound = least.max(*lower_bound);
    }
    if let Outcome::Solved { moves, optimal, lower_bound } = &mut outcome {
        let length = moves.len();
        assert!(
            length >= *lower_bound as usize,
            "{name}: {length} moves and a bound of {lower_bound} on {puzzle}"
        );
        // As short as can be, whatever the algorithm knew of it.
        *optimal |= length == *lower_bound as usize;
        match puzzle.replay(moves) {
            Ok(end) => assert!(puzzle.goal().is_met(&end), "{name} missed the goal of {puzzle}"),
            Err((number, error)) => panic!("{name} broke the rules on {puzzle}: {number}: {error}"),
        }
    }
    Ok(Report { outcome, stats, algorithm: name, seed })
}

/// The answer when there is nothing to search for.
fn ask_first(puzzle: &Puzzle, algorithm: &Algorithm, meter: &mut Meter<'_>) -> Option<Outcome> {
    if puzzle.goal().is_met(puzzle.start()) {
        return Some(Outcome::Solved { moves: Vec::new(), optimal: true, lower_bound: 0 });
    }
    let effort = if algorithm.asks_first {
        Effort::THOROUGH
    } else if most_occupied_sets(puzzle) <= Effort::QUICK.occupied_sets {
        Effort::QUICK
    } else {
        Effort::LEAST
    };
    match decide(puzzle, effort, meter) {
        Solvability::Unsolvable(reason) => Some(Outcome::Unsolvable(reason)),
        Solvability::Solvable | Solvability::Undecided => None,
    }
}

/// Decides solvability within the limits of the search.
pub(crate) fn decide(puzzle: &Puzzle, effort: Effort, meter: &mut Meter<'_>) -> Solvability {
    let peak = Cell::new(0);
    let answer = decide_solvability(puzzle, effort, &|bytes| {
        peak.set(bytes.max(peak.get()));
        meter.is_over(bytes)
    });
    meter.note_bytes(peak.get());
    answer
}

/// How many occupied sets there can be: C(vertices, tokens), or far more than can be explored.
pub(crate) fn most_occupied_sets(puzzle: &Puzzle) -> usize {
    let vertices = puzzle.board().vertex_count();
    let tokens = puzzle.start().occupied().len();
    // C(n, i + 1) = C(n, i) (n - i) / (i + 1), exact at each step; saturates far above any limit.
    (0..tokens.min(vertices - tokens))
        .fold(1usize, |sets, i| sets.saturating_mul(vertices - i) / (i + 1))
}
