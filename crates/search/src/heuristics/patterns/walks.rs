//! Following the parts of all partitions slide by slide.

use std::sync::{Arc, Mutex, Weak};

use hyperslide_puzzle::{MAX_VERTICES, State, Vertex};
use hyperslide_table::{CursorState, DistanceTable, PatternCursor, lock};

use super::part::Part;
use super::{NO_PART, Partition};
use crate::table_cache::TableCache;

/// The cursors of tables that are in use.
type Cursors = Mutex<Vec<Weak<PatternCursor>>>;

/// The cursor of a table, where it has one: the one that others use, or a new one.
fn cursor(cache: &TableCache, table: &Arc<DistanceTable>) -> Option<Arc<PatternCursor>> {
    let cursors = cache.slot::<Cursors>();
    let mut known = lock(&cursors);
    let is_of_table = |cursor: &Arc<PatternCursor>| Arc::ptr_eq(cursor.table(), table);
    if let Some(cursor) = known.iter().filter_map(Weak::upgrade).find(is_of_table) {
        return Some(cursor);
    }
    let cursor = Arc::new(PatternCursor::new(table)?);
    known.retain(|cursor| cursor.strong_count() > 0);
    known.push(Arc::downgrade(&cursor));
    Some(cursor)
}

/// The parts of all partitions, to be followed slide by slide: a second way to look them up, for
/// speed.
pub(crate) struct PatternWalks {
    /// The parts of the first partition, then those of the second.
    pub(crate) parts: Vec<WalkPart>,
    /// For each partition and label its part, or [`NO_PART`].
    pub(crate) part_of: Vec<[u8; MAX_VERTICES]>,
}

/// A part and how the vertices of the puzzle are seen there.
pub(crate) struct WalkPart {
    pub walk: Arc<PatternCursor>,
    /// For each vertex of the puzzle its bit in the walk.
    pub bits: [u8; MAX_VERTICES],
    part: Arc<Part>,
}

impl PatternWalks {
    pub(super) fn new(partitions: &[Partition], cache: &TableCache) -> Option<PatternWalks> {
        let mut all = PatternWalks { parts: Vec::new(), part_of: Vec::new() };
        for partition in partitions {
            let first = all.parts.len() as u8;
            // One partition has at most 63 parts, one a token.
            if all.parts.len() + partition.parts.len() > NO_PART as usize {
                break;
            }
            let mut part_of = [NO_PART; MAX_VERTICES];
            for (entry, part) in part_of.iter_mut().zip(&partition.part_of) {
                *entry = part.map_or(NO_PART, |part| first + part);
            }
            all.part_of.push(part_of);
            for part in &partition.parts {
                let walk = cursor(cache, &part.table)?;
                let mut bits = [0; MAX_VERTICES];
                for vertex in Vertex::first(part.vertices.degree()) {
                    bits[vertex.index()] = walk.bit(part.image(vertex));
                }
                all.parts.push(WalkPart { walk, bits, part: Arc::clone(part) });
            }
        }
        Some(all)
    }

    /// Where all parts are at a state, and the sum of each partition; `None` when the goal cannot
    /// be reached from it.
    pub(crate) fn start(&self, state: &State) -> Option<(Vec<CursorState>, Vec<u32>)> {
        let mut at = Vec::new();
        let mut distances = Vec::new();
        for part in &self.parts {
            let (walk, distance) = part.walk.start(&part.part.seen(state))?;
            at.push(walk);
            distances.push(distance);
        }
        let sum = |part_of: &[u8; MAX_VERTICES]| {
            let mut parts: Vec<u8> =
                part_of.iter().copied().filter(|&part| part != NO_PART).collect();
            parts.sort_unstable();
            parts.dedup();
            parts.iter().map(|&part| distances[part as usize]).sum()
        };
        let sums = self.part_of.iter().map(sum).collect();
        Some((at, sums))
    }
}
