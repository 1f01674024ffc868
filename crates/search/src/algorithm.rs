//! What an algorithm is: its description, what it is given and what it returns.

use hyperslide_puzzle::Puzzle;
use hyperslide_table::DistanceTable;

use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, Resources};
use crate::outcome::Outcome;
use crate::settings::Settings;

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
    /// Whether it would run indefinitely on an unsolvable puzzle, so that solvability must be
    /// decided first with all effort.
    pub(crate) requires_solvability: bool,
    /// Refuses settings that do not fit a puzzle, whatever its start.
    pub(crate) check: fn(&Puzzle, &Settings) -> Result<(), SolveError>,
    pub(crate) run: fn(&Task<'_>, &mut Meter<'_>) -> Result<Answer, SolveError>,
}

impl Algorithm {
    /// The check of those whose settings fit all puzzles.
    pub(crate) fn any_settings(_: &Puzzle, _: &Settings) -> Result<(), SolveError> {
        Ok(())
    }
}

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
