//! The algorithms, one file each. A new one is a file here, its `mod` and its line in [`ALGORITHMS`].

mod agents;
mod anytime;
mod astar;
mod auto;
mod beam;
mod best_first;
mod bidirectional;
mod breadth_first;
mod closed_walks;
pub mod conflict_learning;
mod evolution;
mod greedy;
mod hybrid;
mod idastar;
mod local_value_iteration;
mod move_words;
mod one_empty;
mod one_empty_beam;
mod pattern_batches;
mod pattern_guide;
mod pattern_split;
mod pattern_tree;
mod pieces;
mod reinforcement;
mod sampling;
mod staged;
mod sub_problem;
mod table;
mod weighted_astar;
mod weights_guide;

pub use local_value_iteration::{Stage, StageReport, solve_in_stages};
pub(crate) use move_words::MoveWords;
pub(crate) use sub_problem::SubProblems;
pub use sub_problem::TrainedSubProblem;

use hyperslide_puzzle::Puzzle;
use hyperslide_table::DistanceTable;

use crate::control::Meter;
use crate::heuristics::{Heuristic, HeuristicChoice, Resources};
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::solve::SolveError;

/// An algorithm to choose by name.
pub struct Algorithm {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Whether its solutions are proven shortest (with an admissible heuristic).
    pub optimal: bool,
    /// Whether it uses a heuristic.
    pub uses_heuristic: bool,
    /// Whether it would run forever on an unsolvable puzzle, so that solvability must be decided
    /// first with all effort.
    pub(crate) asks_first: bool,
    /// Refuses settings that do not fit a puzzle, whatever its start.
    pub(crate) check: fn(&Puzzle, &Settings) -> Result<(), SolveError>,
    pub(crate) run: fn(&Task<'_>, &mut Meter<'_>) -> Result<Answer, SolveError>,
}

impl Algorithm {
    /// The check of those whose settings fit all puzzles.
    fn any_settings(_: &Puzzle, _: &Settings) -> Result<(), SolveError> {
        Ok(())
    }
}

/// Every algorithm there is, the default first.
pub const ALGORITHMS: &[Algorithm] = &[
    auto::ALGORITHM,
    breadth_first::ALGORITHM,
    bidirectional::ALGORITHM,
    astar::ALGORITHM,
    weighted_astar::ALGORITHM,
    greedy::ALGORITHM,
    staged::ALGORITHM,
    closed_walks::ALGORITHM,
    idastar::ALGORITHM,
    table::ALGORITHM,
    beam::ALGORITHM,
    anytime::ALGORITHM,
    evolution::ALGORITHM,
    reinforcement::ALGORITHM,
    hybrid::ALGORITHM,
    local_value_iteration::ALGORITHM,
];

/// What an algorithm is given.
#[derive(Clone)]
pub(crate) struct Task<'a> {
    pub puzzle: &'a Puzzle,
    pub heuristic: &'a HeuristicChoice,
    pub table: Option<&'a DistanceTable>,
    pub resources: Resources<'a>,
    pub settings: &'a Settings,
    pub seed: u64,
}

impl Task<'_> {
    /// The heuristic that was chosen, prepared for the puzzle.
    pub fn build_heuristic(&self, meter: &mut Meter<'_>) -> Result<Box<dyn Heuristic>, SolveError> {
        let heuristic = self.heuristic.build(self.puzzle, &self.resources)?;
        meter.note_tables(heuristic.bytes());
        Ok(heuristic)
    }

    /// What the heuristic says about the shortest solution: nothing where it is not admissible.
    pub fn least(&self, heuristic: &dyn Heuristic) -> u32 {
        let estimate = heuristic.estimate(self.puzzle.start());
        estimate.filter(|_| self.heuristic.is_admissible()).unwrap_or(0)
    }
}

/// What an algorithm returns: the outcome and the name of the algorithm that reached it.
pub(crate) type Answer = (Outcome, &'static str);
