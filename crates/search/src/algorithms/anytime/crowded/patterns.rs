//! Estimates for a few tokens at a time.

use super::places::Places;
use super::stations::Stations;

/// The slots of a pattern's tokens at all stations take no more than this many bits.
const BITS: u32 = 18;
/// The estimate of what is out of reach.
const FAR: u8 = u8::MAX;
/// The number of arrangements, each with some thousand walks, between two calls of `stop`.
const STOP_INTERVAL: u32 = 1 << 8;

/// For all slots of a few tokens at each station, the slides that take them to the goal, in
/// addition to those from station to station. Their sum is an estimate, and no lower bound: one
/// walk may move tokens of several patterns.
///
/// Memory: 256 KiB at most for each pattern.
pub(super) struct Patterns<'a> {
    stations: &'a Stations,
    /// The last of the stations, where the goal is.
    last: usize,
    /// The bits of a slot.
    slot_bits: u32,
    /// The tokens of a pattern.
    size: usize,
    tables: Vec<Vec<u8>>,
}

impl<'a> Patterns<'a> {
    /// Finds the distances from where walks lead from the goal: the slides of each such walk, its
    /// station, and the places of tokens there. A walk to the next station is free, since it is one
    /// of those that every solution has, and one back to an earlier station counts twice. `None`
    /// when `stop`, which is called regularly, returns true.
    pub fn new(
        stations: &'a Stations,
        goals: &[(usize, usize, Places)],
        stop: &dyn Fn() -> bool,
    ) -> Option<Patterns<'a>> {
        let bits_of = |count: usize| count.next_power_of_two().trailing_zeros();
        let slot_bits = bits_of(stations.tokens).max(1);
        let left = BITS.saturating_sub(bits_of(stations.lines.len()));
        let size = ((left / slot_bits) as usize).clamp(1, stations.tokens);
        let last = stations.lines.len() - 1;
        let mut patterns = Patterns { stations, last, slot_bits, size, tables: Vec::new() };
        let count = stations.tokens.div_ceil(size);
        let tables = (0..count).map(|pattern| patterns.distances(goals, pattern, stop));
        patterns.tables = tables.collect::<Option<_>>()?;
        Some(patterns)
    }

    /// Returns the patterns' number.
    pub fn count(&self) -> usize {
        self.tables.len()
    }

    /// Returns the pattern of a token.
    pub fn pattern(&self, token: usize) -> usize {
        token / self.size
    }

    /// Returns the estimate of one pattern.
    pub fn estimate(&self, station: usize, pattern: usize, places: &[u8]) -> u32 {
        let part = self.part(station, pattern, |token| places[token].into());
        self.tables[pattern][part].into()
    }

    /// Returns the slides to the last station.
    pub fn way_on(&self, station: usize) -> u32 {
        (self.last - station) as u32
    }

    fn tokens(&self, pattern: usize) -> std::ops::Range<usize> {
        pattern * self.size..((pattern + 1) * self.size).min(self.stations.tokens)
    }

    fn part(&self, station: usize, pattern: usize, slot: impl Fn(usize) -> usize) -> usize {
        let tokens = self.tokens(pattern).rev();
        tokens.fold(station, |part, token| part << self.slot_bits | slot(token))
    }

    fn distances(
        &self,
        goals: &[(usize, usize, Places)],
        pattern: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        let (stations, slot_bits) = (self.stations, self.slot_bits);
        let width = self.tokens(pattern).len() as u32 * slot_bits;
        let mut distances = vec![FAR; stations.lines.len() << width];
        let mut open = vec![Vec::new(); FAR.into()];
        for (slides, station, places) in goals {
            if let Some(open) = open.get_mut(*slides) {
                open.push(self.part(*station, pattern, |token| places.slot(token)));
            }
        }
        let slots = (1usize << slot_bits) - 1;
        let mut visited: u32 = 0;
        for slides in 0..FAR {
            while let Some(here) = open[usize::from(slides)].pop() {
                if distances[here] < FAR {
                    continue;
                }
                distances[here] = slides;
                if visited.is_multiple_of(STOP_INTERVAL) && stop() {
                    return None;
                }
                visited += 1;
                let station = here >> width;
                for line in &stations.lines[station] {
                    let next = (0..width)
                        .step_by(slot_bits as usize)
                        .fold(line.to << width, |next, shift| {
                            next | line.walk.ends.slot(here >> shift & slots) << shift
                        });
                    // Solutions lead the other way.
                    let cost = match line.to.cmp(&station) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => line.walk.moves.len(),
                        std::cmp::Ordering::Greater => 2 * line.walk.moves.len(),
                    };
                    if distances[next] == FAR
                        && let Some(open) = open.get_mut(usize::from(slides) + cost)
                    {
                        open.push(next);
                    }
                }
            }
        }
        Some(distances)
    }
}
