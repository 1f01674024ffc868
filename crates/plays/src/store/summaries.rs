//! What a transaction changes in the summaries that pages are made of.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, KeptPlay};
use crate::play::Kind;

/// A row of the counts of first solutions: the puzzle, whether the people are simulated, the measure and
/// its value.
pub type CountKey = (String, bool, &'static str, i64);

/// What a transaction changes: it is written at the end, in one order, so that no two transactions wait
/// for each other.
#[derive(Debug, Default)]
pub struct Changes {
    /// By how much the counts of first solutions change.
    pub counts: BTreeMap<CountKey, i64>,
    /// Whose standings in which groups are to be computed anew.
    pub standings: BTreeSet<(Group, i64)>,
}

impl Changes {
    /// A play was kept.
    pub fn kept(&mut self, play: &KeptPlay, first: bool, simulated: bool) {
        if first {
            self.count(&play.puzzle, simulated, play.length, play.ms, 1);
        }
        if play.group.kind != Kind::Explore {
            self.standings.insert((play.group.clone(), play.person));
        }
    }

    /// The number of first solutions with this length and time changes.
    pub fn count(&mut self, puzzle: &str, simulated: bool, length: i64, ms: i64, by: i64) {
        for (measure, value) in [("length", length), ("tenth", ms / 100)] {
            *self.counts.entry((puzzle.to_owned(), simulated, measure, value)).or_default() += by;
        }
    }
}
