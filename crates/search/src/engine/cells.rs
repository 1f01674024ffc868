//! States of a graph with one empty vertex as the fast searches hold them: the label on each
//! vertex.

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, State, Vertex, VertexSet};

/// The state with these labels on all vertices but the empty one, whose entry means nothing.
pub(crate) fn state_of(cells: &[u8; MAX_VERTICES], vertices: VertexSet, empty: u8) -> State {
    let tokens = vertices.into_iter().filter(|vertex| vertex.index() != empty as usize);
    let token = |vertex: Vertex| Some((vertex, Label::new(cells[vertex.index()] as usize)?));
    tokens.filter_map(token).collect()
}

/// The slide of the token on `from` to the empty vertex.
pub(crate) fn slide_of(from: u8, empty: u8) -> Move {
    let vertex = |v: u8| Vertex::new(v as usize & 63).expect("below 64");
    Move { from: vertex(from), to: vertex(empty) }
}
