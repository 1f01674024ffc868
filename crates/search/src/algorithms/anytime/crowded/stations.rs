//! Occupied sets, and the walks on them and between them.

use super::walk::Walk;

/// A walk from one station.
pub(super) struct Line {
    pub walk: Walk,
    /// The station where it ends.
    pub to: usize,
    /// The slots that it changes.
    pub changed: Vec<usize>,
}

/// Occupied sets with the walks that begin there, in the order of their slides. On all of them a
/// token's slot means the same: a walk from one to another that changes nothing is the identity.
pub(super) struct Stations {
    pub tokens: usize,
    /// By station.
    pub lines: Vec<Vec<Line>>,
}

impl Stations {
    /// Returns as many stations without walks.
    pub fn new(count: usize, tokens: usize) -> Stations {
        Stations { tokens, lines: (0..count).map(|_| Vec::new()).collect() }
    }

    /// Adds walks from one station to another.
    pub fn add(&mut self, from: usize, to: usize, walks: impl IntoIterator<Item = Walk>) {
        let lines = &mut self.lines[from];
        lines.extend(walks.into_iter().map(|walk| {
            let changed = walk.ends.changed().collect();
            Line { walk, to, changed }
        }));
        lines.sort_by_key(|line| line.walk.moves.len());
    }

    /// Returns the numbers of the walks from a station that have this many slides.
    pub fn of_length(&self, station: usize, slides: usize) -> std::ops::Range<usize> {
        let lines = &self.lines[station];
        let before = |slides| lines.partition_point(|line| line.walk.moves.len() < slides);
        before(slides)..before(slides + 1)
    }

    /// Returns the slides of the longest walk.
    pub fn longest(&self) -> usize {
        let lines = self.lines.iter().flatten();
        lines.map(|line| line.walk.moves.len()).max().unwrap_or(0)
    }
}
