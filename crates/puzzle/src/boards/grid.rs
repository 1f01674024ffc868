//! Rectangular grids, and the same with edges that wrap around: cylinders and tori.

use super::layout::{BoardError, BoardLayout};
use super::{BoardFamily, BoardSpec, check_vertex_count};
use crate::vertex::{Vertex, VertexSet};

pub(super) const GRID: BoardFamily = BoardFamily {
    name: "grid",
    syntax: "grid:R:C",
    summary: "R rows of C vertices, numbered row by row; the faces are the edges",
    example: "grid:4:4",
};

pub(super) const CYLINDER: BoardFamily = BoardFamily {
    name: "cylinder",
    syntax: "cylinder:R:C",
    summary: "a grid of R rows of C vertices whose rows wrap around: the last vertex of each adjoins \
              its first",
    example: "cylinder:3:4",
};

pub(super) const TORUS: BoardFamily = BoardFamily {
    name: "torus",
    syntax: "torus:R:C",
    summary: "a grid of R rows of C vertices whose rows and columns wrap around; torus:4:4 is the \
              graph of the tesseract",
    example: "torus:4:4",
};

/// Builds a grid, a cylinder or a torus: the product of two paths, of a path and a cycle, or of two
/// cycles. A cycle of two vertices is one edge, and one of a single vertex has none, so that
/// wrapping adds nothing there.
pub(super) fn layout(spec: &BoardSpec) -> Result<BoardLayout, Vec<BoardError>> {
    let Some((rows, columns)) = spec.rows_and_columns() else {
        unreachable!("the caller has a board of rows and columns");
    };
    let (columns_wrap, rows_wrap) = spec.wraps();
    let count = check_vertex_count(spec, rows as u128 * columns as u128).map_err(|e| vec![e])?;
    let mut neighbours = vec![VertexSet::EMPTY; count];
    let mut faces = Vec::new();
    for from in Vertex::first(count) {
        let (row, column) = (from.index() / columns, from.index() % columns);
        let right = match column + 1 {
            next if next < columns => Some(row * columns + next),
            _ => (rows_wrap && columns > 2).then_some(row * columns),
        };
        let below = match row + 1 {
            next if next < rows => Some(next * columns + column),
            _ => (columns_wrap && rows > 2).then_some(column),
        };
        for to in right.into_iter().chain(below).filter_map(Vertex::new) {
            neighbours[from.index()].insert(to);
            neighbours[to.index()].insert(from);
            faces.push(VertexSet::from_iter([from, to]));
        }
    }
    Ok(BoardLayout { vertex_count: count, faces, neighbours: Some(neighbours) })
}
