//! Rectangular grids: the 8-, 11-, 15- and 24-puzzle, and all variants with more empty vertices.

use super::layout::{BoardError, BoardLayout};
use super::{BoardFamily, BoardSpec, check_vertex_count};
use crate::vertex::{Vertex, VertexSet};

pub(super) const FAMILY: BoardFamily = BoardFamily {
    name: "grid",
    syntax: "grid:R:C",
    summary: "R rows of C vertices, numbered row by row; the faces are the edges",
    example: "grid:4:4",
};

pub(super) fn layout(rows: usize, columns: usize) -> Result<BoardLayout, Vec<BoardError>> {
    let spec = BoardSpec::Grid { rows, columns };
    let count = check_vertex_count(&spec, rows as u128 * columns as u128).map_err(|e| vec![e])?;
    let mut neighbours = vec![VertexSet::EMPTY; count];
    let mut faces = Vec::new();
    for from in Vertex::first(count) {
        let right = (from.index() % columns + 1 < columns).then_some(from.index() + 1);
        let below = Some(from.index() + columns).filter(|&to| to < count);
        for to in right.into_iter().chain(below).filter_map(Vertex::new) {
            neighbours[from.index()].insert(to);
            neighbours[to.index()].insert(from);
            faces.push(VertexSet::from_iter([from, to]));
        }
    }
    Ok(BoardLayout { vertex_count: count, faces, neighbours: Some(neighbours) })
}
