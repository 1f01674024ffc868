//! Boards that are graphs; with one empty vertex they are Wilson's graph puzzles.

use super::layout::{BoardError, BoardLayout};
use super::{BoardFamily, BoardSpec, check_vertex_count, vertex};
use crate::vertex::VertexSet;

pub(super) const FAMILY: BoardFamily = BoardFamily {
    name: "graph",
    syntax: "graph:NAME, graph:FILE or graph:N:A-B,...",
    summary: "the edges of any graph on vertices 0 to N-1 are the faces; hyperslide boards --graphs \
              lists the names",
    example: "graph:7:0-1,0-5,0-6,1-2,2-3,3-4,3-6,4-5",
};

pub(super) fn layout(
    spec: &BoardSpec,
    vertices: usize,
    edges: &[[usize; 2]],
) -> Result<BoardLayout, Vec<BoardError>> {
    let vertex_count = check_vertex_count(spec, vertices as u128).map_err(|e| vec![e])?;
    let (faces, neighbours) = edge_sets(vertex_count, edges)?;
    Ok(BoardLayout { vertex_count, faces, neighbours: Some(neighbours) })
}

/// Returns the edges as sets of two vertices, and each vertex's neighbours.
pub(super) fn edge_sets(
    vertex_count: usize,
    edges: &[[usize; 2]],
) -> Result<(Vec<VertexSet>, Vec<VertexSet>), Vec<BoardError>> {
    let most = vertex_count * (vertex_count - 1) / 2;
    if edges.len() > most {
        let (count, vertices) = (edges.len(), vertex_count);
        return Err(vec![BoardError::TooManyEdges { count, vertices, most }]);
    }
    let mut sets: Vec<VertexSet> = Vec::new();
    let mut neighbours = vec![VertexSet::EMPTY; vertex_count];
    let mut errors = Vec::new();
    for (number, &[a, b]) in edges.iter().enumerate() {
        let checked =
            (vertex("edge", number, a, vertex_count), vertex("edge", number, b, vertex_count));
        let (a, b) = match checked {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                errors.extend(a.err().into_iter().chain(b.err()));
                continue;
            }
        };
        let edge = VertexSet::from_iter([a, b]);
        if a == b {
            errors.push(BoardError::RepeatedVertex { what: "edge", number, vertex: a.index() });
        } else if let Some(earlier) = sets.iter().position(|&set| set == edge) {
            errors.push(BoardError::Repeated { what: "edge", number, earlier });
        } else {
            neighbours[a.index()].insert(b);
            neighbours[b.index()].insert(a);
        }
        sets.push(edge);
    }
    if errors.is_empty() { Ok((sets, neighbours)) } else { Err(errors) }
}
