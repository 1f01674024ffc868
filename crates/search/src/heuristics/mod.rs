//! Heuristics, one file each. A new one is a file here, its `mod` and its line in [`HEURISTICS`].

mod blind;
mod linear_conflict;
mod lone_token;
mod misplaced;
mod one_empty_grid;
mod walking_distance;

use std::fmt;
use std::str::FromStr;

use hyperslide_puzzle::{Label, Move, Puzzle, State, Vertex};
use thiserror::Error;

/// An estimate of the moves to the goal; a lower bound when it is admissible.
pub trait Heuristic: Sync {
    /// The estimate for a state, 0 when it meets the goal and below 8,192 always, or `None` when the goal certainly cannot be reached from it.
    fn estimate(&self, state: &State) -> Option<u32>;

    /// The estimate after a move of the token `label`, given the estimate `before` it and the state
    /// before it. The same as estimating anew, but faster.
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let _ = (before, label);
        let mut next = *state;
        next.slide(mv);
        self.estimate(&next)
    }

    /// The costs whose sum over the tokens is the estimate, when it is such a sum.
    fn token_costs(&self) -> Option<&TokenCosts> {
        None
    }
}

/// Costs of tokens by label and vertex whose sum is an estimate: 64 bytes a label. Costs of one label
/// on neighbouring vertices differ by at most 127.
#[derive(Clone, Debug)]
pub struct TokenCosts {
    costs: Vec<[u8; hyperslide_puzzle::MAX_VERTICES]>,
}

impl TokenCosts {
    /// The cost of a token with this label on this vertex; `u8::MAX` when the goal cannot be reached.
    #[inline]
    pub fn get(&self, label: Label, vertex: Vertex) -> u8 {
        self.costs[label.index()][vertex.index()]
    }
}

/// A heuristic to choose by name.
#[derive(Clone, Copy)]
pub struct HeuristicEntry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Never more than the moves needed.
    pub admissible: bool,
    /// Never falls by more than one with one move.
    pub consistent: bool,
    /// Prepares it for a puzzle.
    pub build: fn(&Puzzle) -> Result<Box<dyn Heuristic>, HeuristicError>,
}

/// Every heuristic there is, the default first.
pub const HEURISTICS: &[HeuristicEntry] = &[
    lone_token::ENTRY,
    linear_conflict::ENTRY,
    walking_distance::ENTRY,
    misplaced::ENTRY,
    blind::ENTRY,
];

/// Why a heuristic cannot be used on a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeuristicError {
    /// It is for other puzzles.
    #[error("the heuristic {heuristic} is for {what} only: use lone-token")]
    OtherPuzzles {
        /// The heuristic.
        heuristic: &'static str,
        /// What it is for.
        what: &'static str,
    },
}

/// Heuristics chosen by name, as `linear-conflict,walking-distance`: the estimate is the greatest of
/// theirs.
#[derive(Clone)]
pub struct HeuristicChoice {
    entries: Vec<&'static HeuristicEntry>,
}

impl HeuristicChoice {
    /// Whether the estimate is never more than the moves needed.
    pub fn is_admissible(&self) -> bool {
        self.entries.iter().all(|entry| entry.admissible)
    }

    /// Prepares the heuristics for a puzzle.
    ///
    /// # Errors
    ///
    /// When one of them is for other puzzles.
    pub fn build(&self, puzzle: &Puzzle) -> Result<Box<dyn Heuristic>, HeuristicError> {
        let mut built = Vec::new();
        for entry in &self.entries {
            built.push((entry.build)(puzzle)?);
        }
        Ok(match built.len() {
            1 => built.swap_remove(0),
            _ => Box::new(Greatest { of: built }),
        })
    }
}

impl Default for HeuristicChoice {
    fn default() -> HeuristicChoice {
        HeuristicChoice::from(&HEURISTICS[0])
    }
}

impl From<&'static HeuristicEntry> for HeuristicChoice {
    fn from(entry: &'static HeuristicEntry) -> HeuristicChoice {
        HeuristicChoice { entries: vec![entry] }
    }
}

impl fmt::Display for HeuristicChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.name).collect();
        f.write_str(&names.join(","))
    }
}

/// A name that is no heuristic's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no heuristic is called '{name}': write {}, or several with commas", known_names())]
pub struct UnknownHeuristic {
    name: String,
}

fn known_names() -> String {
    HEURISTICS.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for HeuristicChoice {
    type Err = UnknownHeuristic;

    fn from_str(text: &str) -> Result<HeuristicChoice, UnknownHeuristic> {
        let find = |name: &str| {
            let unknown = || UnknownHeuristic { name: name.chars().take(40).collect() };
            HEURISTICS.iter().find(|entry| entry.name == name).ok_or_else(unknown)
        };
        let entries = text.split(',').map(|name| find(name.trim())).collect::<Result<_, _>>()?;
        Ok(HeuristicChoice { entries })
    }
}

/// The greatest of several estimates: admissible and consistent where all of them are.
struct Greatest {
    of: Vec<Box<dyn Heuristic>>,
}

impl Heuristic for Greatest {
    fn estimate(&self, state: &State) -> Option<u32> {
        self.of.iter().try_fold(0, |greatest, part| Some(part.estimate(state)?.max(greatest)))
    }
}
