//! The board families, one file each. A new family takes a file here, a variant of [`BoardSpec`]
//! and a line in [`FAMILIES`].

mod cube;
mod faces;
mod graph;
mod graph6;
mod grid;
mod layout;
mod named;
mod text;

use crate::vertex::{MAX_VERTICES, Vertex};

pub use cube::MAX_CUBE_DIMENSION;
pub use graph6::{Graph6Error, Graph6Format, read_graph6_file, read_graph6_line, write_graph6};
pub(crate) use layout::BoardLayout;
pub use layout::{BoardError, InvalidBoard};
pub use named::{NAMED_GRAPHS, NamedGraph, named_family, named_graph};
pub use text::{BoardNotationError, BoardSource};

/// The description of a board. Its numbers may be wrong; [`crate::Board::new`] checks them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoardSpec {
    /// `grid:R:C`: the edges of a grid are the faces. Vertices are numbered row by row.
    Grid {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// `cylinder:R:C`: a grid whose rows wrap around.
    Cylinder {
        /// Number of rows.
        rows: usize,
        /// Number of columns, the length of each cycle.
        columns: usize,
    },
    /// `torus:R:C`: a grid whose rows and columns wrap around.
    Torus {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// `cube:D:K`: the K-dimensional faces of the D-cube. Bit i of a vertex is its i-th coordinate.
    Cube {
        /// Dimension of the cube, 1 to 6.
        d: usize,
        /// Dimension of its faces, 1 to `d`.
        k: usize,
    },
    /// `graph:N:A-B,...`: the edges of a graph on vertices `0..N` are the faces.
    Graph {
        /// Number of vertices.
        vertices: usize,
        /// Pairs of vertices.
        edges: Vec<[usize; 2]>,
    },
    /// `faces:N:A-B-C,...[:A-B,...]`: any faces on vertices `0..N`, and edges for the edge metric.
    Faces {
        /// Number of vertices.
        vertices: usize,
        /// The vertices of each face.
        faces: Vec<Vec<usize>>,
        /// Pairs of vertices, when the board has edges.
        edges: Option<Vec<[usize; 2]>>,
    },
}

/// A kind of board, as help texts present it.
#[derive(Clone, Copy, Debug)]
pub struct BoardFamily {
    /// The word before the first colon.
    pub name: &'static str,
    /// How to write one.
    pub syntax: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// A board of this kind that can be typed as it is.
    pub example: &'static str,
}

/// All kinds of boards, each with the word that begins its notation. `graph6` and `sparse6` are
/// other notations of graphs.
pub const FAMILIES: [BoardFamily; 8] = [
    grid::GRID,
    grid::CYLINDER,
    grid::TORUS,
    cube::FAMILY,
    graph::FAMILY,
    graph6::GRAPH6,
    graph6::SPARSE6,
    faces::FAMILY,
];

impl BoardSpec {
    /// Returns the family this board belongs to.
    pub fn family(&self) -> &'static BoardFamily {
        match self {
            BoardSpec::Grid { .. } => &FAMILIES[0],
            BoardSpec::Cylinder { .. } => &FAMILIES[1],
            BoardSpec::Torus { .. } => &FAMILIES[2],
            BoardSpec::Cube { .. } => &FAMILIES[3],
            BoardSpec::Graph { .. } => &FAMILIES[4],
            BoardSpec::Faces { .. } => &FAMILIES[7],
        }
    }

    /// Returns the numbers of rows and columns of a grid, a cylinder or a torus, whose vertices are
    /// numbered row by row; `None` for other boards.
    pub fn rows_and_columns(&self) -> Option<(usize, usize)> {
        match *self {
            BoardSpec::Grid { rows, columns }
            | BoardSpec::Cylinder { rows, columns }
            | BoardSpec::Torus { rows, columns } => Some((rows, columns)),
            _ => None,
        }
    }

    /// Returns whether the columns wrap around, and whether the rows do.
    pub fn wraps(&self) -> (bool, bool) {
        match self {
            BoardSpec::Torus { .. } => (true, true),
            BoardSpec::Cylinder { .. } => (false, true),
            _ => (false, false),
        }
    }

    /// Returns the same board with its edges, its faces and their vertices in ascending order, as
    /// it is printed.
    pub(crate) fn sorted(mut self) -> BoardSpec {
        fn sort_edges(edges: &mut [[usize; 2]]) {
            edges.iter_mut().for_each(|edge| edge.sort_unstable());
            edges.sort_unstable();
        }
        match &mut self {
            BoardSpec::Grid { .. }
            | BoardSpec::Cylinder { .. }
            | BoardSpec::Torus { .. }
            | BoardSpec::Cube { .. } => {}
            BoardSpec::Graph { edges, .. } => sort_edges(edges),
            BoardSpec::Faces { faces, edges, .. } => {
                faces.iter_mut().for_each(|face| face.sort_unstable());
                faces.sort_unstable();
                if let Some(edges) = edges {
                    sort_edges(edges);
                }
            }
        }
        self
    }

    pub(crate) fn layout(&self) -> Result<BoardLayout, Vec<BoardError>> {
        match *self {
            BoardSpec::Grid { .. } | BoardSpec::Cylinder { .. } | BoardSpec::Torus { .. } => {
                grid::layout(self)
            }
            BoardSpec::Cube { d, k } => cube::layout(d, k),
            BoardSpec::Graph { vertices, ref edges } => graph::layout(self, vertices, edges),
            BoardSpec::Faces { vertices, ref faces, ref edges } => {
                faces::layout(self, vertices, faces, edges.as_deref())
            }
        }
    }
}

/// Returns the vertex with a number, which must be below `count`.
fn vertex(
    what: &'static str,
    number: usize,
    vertex: usize,
    count: usize,
) -> Result<Vertex, BoardError> {
    Vertex::new(vertex).filter(|v| v.index() < count).ok_or(BoardError::VertexOffBoard {
        what,
        number,
        vertex,
        last: count.saturating_sub(1),
    })
}

fn check_vertex_count(board: &BoardSpec, count: u128) -> Result<usize, BoardError> {
    match count {
        0 => Err(BoardError::Empty(board.to_string())),
        _ if count > MAX_VERTICES as u128 => Err(BoardError::TooManyVertices {
            board: format!("the {} board", board.family().name),
            vertices: count,
        }),
        _ => Ok(count as usize),
    }
}
