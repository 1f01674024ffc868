//! Settings that evolution, reinforcement learning and their hybrid share.

use std::str::FromStr;

use crate::settings::{Domain, OrAuto, Setting, Typed, Unreadable};

/// The number of agents.
pub(super) static POPULATION: Typed<OrAuto<usize>> = Setting::typed(
    "population",
    "N|auto",
    "auto",
    Domain::WholeOrAuto { least: 1, most: 1_000_000 },
    "The number of agents; auto is 1000 with the published profile, and otherwise 5000",
);

/// The number of generations.
pub(super) static GENERATIONS: Typed<u32> = Setting::typed(
    "generations",
    "N",
    "1000",
    Domain::Whole { least: 1, most: 1_000_000_000 },
    "The number of generations after which the search ends",
);

/// The number of states around the goal that are known from the beginning.
pub(super) static SEEDED: Typed<OrAuto<u32>> = Setting::typed(
    "seeded",
    "N|auto",
    "auto",
    Domain::WholeOrAuto { least: 0, most: 1_000_000_000 },
    "The number of states around the goal whose distances are known from the beginning; auto is \
     100 with the published profile, and otherwise depends on the size of the puzzle",
);

/// Parts of the improved methods that are left out.
pub(super) static ABLATIONS: Typed<Ablations> = Setting::typed(
    "without",
    "PARTS",
    "nothing",
    Domain::Subset(&["learning", "preference", "shortening"]),
    "The parts of the improved methods to leave out, to see what they are worth: learning and \
     preference (hybrid), shortening (all)",
);

/// Memory for states.
pub(super) static STATE_MEMORY: Typed<u32> = Setting::typed(
    "state-memory",
    "MB",
    "256",
    Domain::Whole { least: 1, most: 1_000_000 },
    "The number of megabytes that may be used for states",
);

/// The parts of the improved methods that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ablations {
    /// That the values of states are learned (hybrid).
    pub learning: bool,
    /// That slides are drawn by the values they lead to (hybrid).
    pub preference: bool,
    /// That the neighbourhood of the best solution is searched for shorter ones (all three).
    pub shortening: bool,
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
