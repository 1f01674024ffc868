//! Paths between occupied sets, as if all tokens were alike.

use hyperslide_puzzle::{Board, Move, VertexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::free_faces;

/// Slides from either end at most.
const LONGEST: usize = 64;
/// The number of candidates for each set that is kept, at which the others are dropped.
const CANDIDATES: usize = 16;

/// How beams look for a path.
#[derive(Clone, Copy)]
pub(super) struct Beams {
    /// Sets that are kept for each number of slides.
    pub width: usize,
    /// What the square root of the number of free faces is worth, in tokens that are on vertices of
    /// the other end.
    pub free_faces: f32,
}

/// Finds a path between two occupied sets by beams from both ends, of sets with many tokens on the
/// vertices of the other end and many free faces. `None` where they do not meet, or when `stop`,
/// which is called after each layer, says so.
///
/// Memory: some 40 bytes for each set that is kept, and 24 for each candidate of a layer.
pub(super) fn find(
    board: &Board,
    ends: [VertexSet; 2],
    beams: Beams,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Move>> {
    let mut sides = ends.map(|end| Side {
        layer: vec![end],
        before: FxHashMap::from_iter([(end.bits(), end.bits())]),
    });
    if ends[0] == ends[1] {
        return Some(Vec::new());
    }
    for _ in 0..LONGEST {
        for near in [0, 1] {
            let [first, second] = &mut sides;
            let (side, other) = if near == 0 { (first, second) } else { (second, first) };
            if let Some(middle) = side.grow(board, ends[1 - near], other, beams) {
                let [way, back] = sides.map(|side| side.way(middle));
                let back = back.into_iter().rev().map(Move::reversed);
                return Some(way.into_iter().chain(back).collect());
            }
        }
        if stop() || sides.iter().any(|side| side.layer.is_empty()) {
            break;
        }
    }
    None
}

/// A beam from one end.
struct Side {
    layer: Vec<VertexSet>,
    /// The set before each set that was kept; the end is before itself.
    before: FxHashMap<u64, u64>,
}

impl Side {
    /// Makes the next layer. Returns a set that the other side has kept too, if one is found.
    fn grow(
        &mut self,
        board: &Board,
        target: VertexSet,
        other: &Side,
        beams: Beams,
    ) -> Option<VertexSet> {
        let mut next: Vec<(f32, u64, u64)> = Vec::new();
        let best_first = |next: &mut Vec<(f32, u64, u64)>| {
            next.sort_unstable_by(|one, other| {
                one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2)))
            });
            next.dedup_by_key(|&mut (_, after, _)| after);
            next.truncate(beams.width);
        };
        let mut known = FxHashSet::default();
        for &set in &self.layer {
            for from in set {
                for to in board.destinations(from, set) {
                    let after = set.moved(from, to);
                    if self.before.contains_key(&after.bits()) || !known.insert(after.bits()) {
                        continue;
                    }
                    if other.before.contains_key(&after.bits()) {
                        self.before.insert(after.bits(), set.bits());
                        return Some(after);
                    }
                    let worth = beams.free_faces * (free_faces(board, after) as f32).sqrt();
                    let missing = (target - after).len() as f32;
                    next.push((missing - worth, after.bits(), set.bits()));
                }
            }
            if next.len() >= CANDIDATES * beams.width {
                best_first(&mut next);
                known.clear();
            }
        }
        best_first(&mut next);
        self.before.extend(next.iter().map(|&(_, after, before)| (after, before)));
        self.layer = next.iter().map(|&(_, after, _)| VertexSet::from_bits(after)).collect();
        None
    }

    /// Returns the slides from this end to a set that was kept.
    fn way(&self, to: VertexSet) -> Vec<Move> {
        let only = |vertices: VertexSet| vertices.lowest().expect("a slide changes two vertices");
        let (mut moves, mut set) = (Vec::new(), to);
        loop {
            let before = VertexSet::from_bits(self.before[&set.bits()]);
            if before == set {
                break;
            }
            moves.push(Move { from: only(before - set), to: only(set - before) });
            set = before;
        }
        moves.reverse();
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_puzzle::Puzzle;

    /// A path has legal slides only and ends on the goal's vertices.
    #[test]
    fn paths_join_occupied_sets() {
        let line = "cube:5:3 a=0+1+2+3+4+8+16+31+30 -> a=31+30+29+15+7+23+0+1+5";
        let puzzle = Puzzle::from_line(line).unwrap();
        let ends = [puzzle.start().occupied(), puzzle.goal().labelled().occupied()];
        for ends in [ends, [ends[1], ends[0]], [ends[0]; 2]] {
            let path = find(puzzle.board(), ends, Beams { width: 50, free_faces: 1.0 }, &|| false)
                .unwrap();
            let end = path.iter().fold(ends[0], |set, slide| {
                assert!(puzzle.board().destinations(slide.from, set).contains(slide.to));
                set.moved(slide.from, slide.to)
            });
            assert_eq!(end, ends[1]);
        }
    }
}
