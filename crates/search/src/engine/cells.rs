//! States of a graph as the fast searches hold them: the label on each vertex.

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, State, Vertex, VertexSet};

/// The state with these labels on all vertices but the empty one, whose entry means nothing.
pub(crate) fn state_of(cells: &[u8; MAX_VERTICES], vertices: VertexSet, empty: u8) -> State {
    state_on(cells, vertices - VertexSet::from_bits(1 << empty))
}

/// The state with these labels on some vertices; the entries of the others mean nothing.
pub(crate) fn state_on(cells: &[u8; MAX_VERTICES], occupied: VertexSet) -> State {
    let token = |vertex: Vertex| Some((vertex, Label::new(cells[vertex.index()] as usize)?));
    occupied.into_iter().filter_map(token).collect()
}

/// The slide of the token on `from` to an empty vertex.
pub(crate) fn slide_of(from: u8, empty: u8) -> Move {
    let vertex = |v: u8| Vertex::new(v as usize & 63).expect("below 64");
    Move { from: vertex(from), to: vertex(empty) }
}
