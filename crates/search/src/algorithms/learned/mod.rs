//! Evolution, reinforcement learning and their hybrid, over one graph of the states they have met; and
//! a model of how people move.

pub(crate) mod evolution;
pub(crate) mod humanlike;
pub(crate) mod hybrid;
pub(crate) mod move_model;
mod population;
pub(crate) mod reinforcement;
pub(crate) mod state_graph;

use std::str::FromStr;

use crate::settings::{Domain, OrAuto, Setting, Typed, Unreadable};

/// The number of agents.
static POPULATION: Typed<OrAuto<usize>> = Setting::typed(
    "population",
    "N|auto",
    "auto",
    Domain::WholeOrAuto { least: 1, most: 1_000_000 },
    "The number of agents; auto is 1000 with the published profile and 5000 with the improved",
);

/// The number of generations.
static GENERATIONS: Typed<u32> = Setting::typed(
    "generations",
    "N",
    "1000",
    Domain::Whole { least: 1, most: 1_000_000_000 },
    "The number of generations after which the search ends",
);

/// The number of states around the goal that are known from the beginning.
static SEEDED: Typed<OrAuto<u32>> = Setting::typed(
    "seeded",
    "N|auto",
    "auto",
    Domain::WholeOrAuto { least: 0, most: 1_000_000_000 },
    "The number of states around the goal whose distances are known from the beginning; auto is \
     100 with the published profile, and otherwise depends on the size of the puzzle",
);

/// Parts of the improved methods that are left out.
static ABLATIONS: Typed<Ablations> = Setting::typed(
    "without",
    "PARTS",
    "nothing",
    Domain::Some(&["learning", "preference", "shortening"]),
    "The parts of the improved methods to leave out, to see what they are worth: learning and \
     preference (hybrid), shortening (all)",
);

/// Memory for states.
static STATE_MEMORY: Typed<u32> = Setting::typed(
    "state-memory",
    "MB",
    "256",
    Domain::Whole { least: 1, most: 1_000_000 },
    "The number of megabytes that may be used for states",
);

/// The parts of the improved methods that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ablations {
    /// That the values of states are learned (hybrid).
    learning: bool,
    /// That slides are drawn by the values they lead to (hybrid).
    preference: bool,
    /// That the neighbourhood of the best solution is searched for shorter ones (all three).
    shortening: bool,
}

impl FromStr for Ablations {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Ablations, Unreadable> {
        let mut without = Ablations::default();
        for name in text.split('+').filter(|_| text != "nothing") {
            match name {
                "learning" => without.learning = true,
                "preference" => without.preference = true,
                "shortening" => without.shortening = true,
                _ => return Err(Unreadable),
            }
        }
        Ok(without)
    }
}
