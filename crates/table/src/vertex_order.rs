//! The order in which the tokens of an occupied set make a row.

use hyperslide_puzzle::{Board, Vertex, VertexSet};

/// An order of a board's vertices: the order in which the tokens of an occupied set make a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexOrder {
    vertices: Vec<Vertex>,
    position: [u8; 64],
}

impl VertexOrder {
    /// Returns the order of these vertices, or `None` unless they are vertices 0, 1, ... in some
    /// order, each exactly once.
    pub fn new(vertices: Vec<Vertex>) -> Option<VertexOrder> {
        let named: VertexSet = vertices.iter().copied().collect();
        if named.len() != vertices.len() || named != VertexSet::first(vertices.len()) {
            return None;
        }
        let mut position = [0; 64];
        for (place, vertex) in vertices.iter().enumerate() {
            position[vertex.index()] = place as u8;
        }
        Some(VertexOrder { vertices, position })
    }

    /// Returns an order in which vertices that share faces are close to each other, so that slides
    /// pass few tokens. It is a greedy path through the board; on a cube it is a Gray code.
    pub fn along_faces(board: &Board) -> VertexOrder {
        let mut left = VertexSet::first(board.vertex_count());
        let mut vertices = Vec::new();
        let beside = |a: Vertex, b: Vertex| {
            let size = |face: &&VertexSet| face.contains(a) && face.contains(b);
            board.faces().iter().filter(size).count()
        };
        let mut next = left.lowest();
        while let Some(vertex) = next {
            vertices.push(vertex);
            left.remove(vertex);
            // The next vertex shares the most faces with the last one; ties are broken in favour of
            // the fewest remaining neighbours, so that no vertex is left isolated.
            let left_beside =
                |v: Vertex| left.into_iter().filter(|&w| w != v && beside(v, w) > 0).count();
            next = left.into_iter().min_by_key(|&candidate| {
                (std::cmp::Reverse(beside(vertex, candidate)), left_beside(candidate), candidate)
            });
        }
        VertexOrder::new(vertices).expect("every vertex was taken once")
    }

    /// Returns the vertices in this order.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Returns the position of a vertex in the order.
    pub fn position(&self, vertex: Vertex) -> usize {
        self.position[vertex.index()] as usize
    }

    /// Returns the set as bits: bit p is set if the vertex at position p is a member.
    pub(crate) fn row_of(&self, set: VertexSet) -> u64 {
        set.into_iter().map(|vertex| 1 << self.position(vertex)).sum()
    }

    /// Returns the number of members of a set, given as a row, that precede a vertex.
    pub(crate) fn place(&self, row: u64, vertex: Vertex) -> usize {
        (row & ((1 << self.position(vertex)) - 1)).count_ones() as usize
    }
}
