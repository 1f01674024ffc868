//! Cubes: the (d, k, l) cubical puzzles of Beyer, Mereta, Roldán and Voran.

use super::BoardFamily;
use super::layout::{BoardError, BoardLayout};
use crate::vertex::{MAX_VERTICES, Vertex, VertexSet};

/// The dimension of the largest cube whose vertices fit on a board: 2^6 = 64.
pub const MAX_CUBE_DIMENSION: usize = MAX_VERTICES.ilog2() as usize;

pub(super) const FAMILY: BoardFamily = BoardFamily {
    name: "cube",
    syntax: "cube:D:K",
    summary: "the K-dimensional faces of the D-cube, 1 <= K <= D <= 6; bit i of a vertex is its \
              i-th coordinate",
    example: "cube:4:3",
};

pub(super) fn layout(d: usize, k: usize) -> Result<BoardLayout, Vec<BoardError>> {
    if !(1..=MAX_CUBE_DIMENSION).contains(&d) {
        return Err(vec![BoardError::CubeDimension(d)]);
    }
    if !(1..=d).contains(&k) {
        return Err(vec![BoardError::FaceDimension { d, k }]);
    }
    let vertex_count = 1 << d;
    let mut faces = Vec::new();
    for axes in (0..vertex_count).filter(|axes: &usize| axes.count_ones() as usize == k) {
        // A face is named by its axes and by its lowest corner, whose coordinates on them are 0.
        for corner in (0..vertex_count).filter(|corner| corner & axes == 0) {
            let on_face = |v: &Vertex| v.index() & !axes == corner;
            faces.push(Vertex::first(vertex_count).filter(on_face).collect());
        }
    }
    let neighbours = Vertex::first(vertex_count)
        .map(|v| (0..d).filter_map(|axis| Vertex::new(v.index() ^ 1 << axis)).collect())
        .collect::<Vec<VertexSet>>();
    Ok(BoardLayout { vertex_count, faces, neighbours: Some(neighbours) })
}
