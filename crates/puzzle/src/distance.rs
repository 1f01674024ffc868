//! The distances that a lone token travels on an otherwise empty board.

use crate::board::Board;
use crate::vertex::{Vertex, VertexSet};

/// The distance between vertices that no sequence of slides connects.
pub const UNREACHABLE: u8 = u8::MAX;

/// The number of moves between every two vertices that a token needs on an otherwise empty board.
///
/// This is the Manhattan distance on a grid; on a cube it is ⌈Hamming/k⌉ in the face metric and the
/// Hamming distance in the edge metric (Merleau et al. 2024, Definition 2). Memory: one byte for
/// each pair, at most 4 KiB.
#[derive(Clone, Debug)]
pub struct LoneTokenDistances {
    vertex_count: usize,
    moves: Vec<u8>,
}

impl LoneTokenDistances {
    /// Computes the distances by a breadth-first search from every vertex.
    pub fn new(board: &Board) -> LoneTokenDistances {
        let vertex_count = board.vertex_count();
        let mut moves = vec![UNREACHABLE; vertex_count * vertex_count];
        for source in board.vertices() {
            let mut seen = VertexSet::single(source);
            let mut layer = seen;
            let mut depth = 0;
            while !layer.is_empty() {
                let mut next = VertexSet::EMPTY;
                for vertex in layer {
                    moves[source.index() * vertex_count + vertex.index()] = depth;
                    next = next | board.lone_destinations(vertex);
                }
                layer = next - seen;
                seen = seen | layer;
                depth += 1;
            }
        }
        LoneTokenDistances { vertex_count, moves }
    }

    /// Returns the number of moves from one vertex to another: `0..64`, or [`UNREACHABLE`].
    #[inline]
    pub fn get(&self, from: Vertex, to: Vertex) -> u8 {
        self.moves[from.index() * self.vertex_count + to.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoardSpec, Metric};

    fn check(spec: BoardSpec, metric: Metric, expected: impl Fn(usize, usize) -> usize) {
        let board = Board::new(spec, metric).unwrap();
        let distances = LoneTokenDistances::new(&board);
        for from in board.vertices() {
            for to in board.vertices() {
                let found = distances.get(from, to) as usize;
                assert_eq!(found, expected(from.index(), to.index()), "{board} {from} {to}");
            }
        }
    }

    #[test]
    fn is_manhattan_distance_on_grids() {
        for (rows, columns) in [(1, 1), (1, 7), (3, 4), (5, 5), (8, 8)] {
            check(BoardSpec::Grid { rows, columns }, Metric::Face, |a, b| {
                (a / columns).abs_diff(b / columns) + (a % columns).abs_diff(b % columns)
            });
        }
    }

    #[test]
    fn is_hamming_distance_by_k_on_cubes() {
        for d in 1..=6 {
            for k in 1..=d {
                let hamming = |a: usize, b: usize| (a ^ b).count_ones() as usize;
                check(BoardSpec::Cube { d, k }, Metric::Face, |a, b| hamming(a, b).div_ceil(k));
                check(BoardSpec::Cube { d, k }, Metric::Edge, hamming);
            }
        }
    }

    #[test]
    fn says_when_no_slide_connects_two_vertices() {
        let spec = BoardSpec::Graph { vertices: 3, edges: vec![[0, 1]] };
        check(spec, Metric::Face, |a, b| match (a, b) {
            _ if a == b => 0,
            (2, _) | (_, 2) => UNREACHABLE as usize,
            _ => 1,
        });
    }
}
