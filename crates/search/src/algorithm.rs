//! What an algorithm is: its description, what it is given and what it returns.

use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
use hyperslide_table::DistanceTable;

use crate::control::Meter;
use crate::engine::move_pruning::{DETOURS, MovePruning};
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, Resources};
use crate::outcome::Outcome;
use crate::settings::{Setting, Settings, Typed};

/// An algorithm to choose by name.
pub struct Algorithm {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What is known about the length of its solutions.
    pub guarantee: Guarantee,
    /// The paper it is from, with pages where they are known.
    pub source: &'static str,
    /// When to choose it: this completes "Choose it when ...".
    pub when: &'static str,
    /// Whether it uses a heuristic.
    pub uses_heuristic: bool,
    /// Whether it answers from a table of all distances to the goal where there is one.
    pub looks_up_tables: bool,
    /// Whether an [`Observer`](crate::Observer) sees the states that it expands. Those of the
    /// neighbourhoods that `anytime` searches are not seen.
    pub shows_expansions: bool,
    /// Whether it continues a [`Proof`](crate::Proof) where its heuristic has pattern databases.
    pub keeps_proofs: bool,
    /// The settings that it takes.
    pub settings: &'static [&'static Setting],
    /// Whether it would run indefinitely on an unsolvable puzzle, so that solvability must be
    /// decided first with all effort.
    pub(crate) requires_solvability: bool,
    /// Refuses settings that do not fit a puzzle, whatever its start.
    pub(crate) check: fn(&Puzzle, &Settings) -> Result<(), SolveError>,
    pub(crate) run: fn(&Task<'_>, &mut Meter<'_>) -> Result<Answer, SolveError>,
}

impl Algorithm {
    /// Returns whether its solutions are proven shortest, with an admissible heuristic.
    pub fn is_optimal(&self) -> bool {
        self.guarantee == Guarantee::Optimal
    }

    /// The setting with this name, when the algorithm takes it.
    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().copied().find(|setting| setting.name == name)
    }

    /// The check of those whose settings fit all puzzles.
    pub(crate) fn any_settings(_: &Puzzle, _: &Settings) -> Result<(), SolveError> {
        Ok(())
    }
}

/// What is known about the length of an algorithm's solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// They are shortest, with an admissible heuristic.
    Optimal,
    /// They are within a bound, which is described here.
    Bounded(&'static str),
    /// Nothing is known.
    None,
}

impl Guarantee {
    /// `optimal`, `bounded` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::Optimal => "optimal",
            Guarantee::Bounded(_) => "bounded",
            Guarantee::None => "none",
        }
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
    /// The value of a setting.
    pub fn get<T: std::str::FromStr>(&self, setting: &Typed<T>) -> T {
        self.settings.get(setting)
    }

    /// The heuristic that was chosen, prepared for the puzzle.
    pub fn build_heuristic(&self, meter: &mut Meter<'_>) -> Result<Box<dyn Heuristic>, SolveError> {
        let heuristic = self.heuristic.build(self.puzzle, &self.resources)?;
        meter.note_tables(heuristic.bytes());
        Ok(heuristic)
    }

    /// What leaves out detours where one vertex is empty.
    pub fn move_pruning(&self) -> Arc<MovePruning> {
        let Resources { cache, memory, .. } = &self.resources;
        MovePruning::of(cache, self.puzzle.board(), DETOURS, *memory)
    }

    /// What the heuristic says about the shortest solution: nothing where it is not admissible.
    pub fn least(&self, heuristic: &dyn Heuristic) -> u32 {
        let estimate = heuristic.estimate(self.puzzle.start());
        estimate.filter(|_| self.heuristic.is_admissible()).unwrap_or(0)
    }
}

/// What an algorithm is given by tests of its own. By name they would have all of them compiled.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Defaults {
    heuristic: HeuristicChoice,
    settings: Settings,
}

#[cfg(test)]
impl Defaults {
    pub fn task<'a>(&'a self, puzzle: &'a Puzzle, resources: Resources<'a>) -> Task<'a> {
        let Defaults { heuristic, settings } = self;
        Task { puzzle, heuristic, table: None, resources, settings, seed: 0 }
    }
}

/// What an algorithm returns: the outcome and the name of the algorithm that reached it.
pub(crate) type Answer = (Outcome, &'static str);
