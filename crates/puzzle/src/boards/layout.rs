//! The vertices, faces and edges that a board family provides, and why it cannot.

use thiserror::Error;

use super::MAX_CUBE_DIMENSION;
use crate::invalid::Invalid;
use crate::vertex::{MAX_VERTICES, VertexSet};

/// Why a board cannot be built. Each message names the values and the repair.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum BoardError {
    #[error("a board needs at least one vertex, and {0} has none")]
    Empty(String),
    #[error("{board} has {vertices} vertices: a board has at most {MAX_VERTICES}")]
    TooManyVertices { board: String, vertices: u128 },
    #[error("cube dimension {0} is out of range: write 1 to {MAX_CUBE_DIMENSION}")]
    CubeDimension(usize),
    #[error("face dimension k = {k} is out of range for a {d}-cube: write 1 to {d}")]
    FaceDimension { d: usize, k: usize },
    #[error("{what} {number} names vertex {vertex}, but the board has vertices 0 to {last}")]
    VertexOffBoard { what: &'static str, number: usize, vertex: usize, last: usize },
    #[error("{what} {number} names vertex {vertex} twice: write it once")]
    RepeatedVertex { what: &'static str, number: usize, vertex: usize },
    #[error("face {number} has {size} vertices: a face needs at least 2")]
    SmallFace { number: usize, size: usize },
    #[error("{what} {number} repeats {what} {earlier}: leave it out")]
    Repeated { what: &'static str, number: usize, earlier: usize },
    #[error("{count} faces are too many: a board has at most {MAX_FACES}")]
    TooManyFaces { count: usize },
    #[error("{count} edges are too many: {vertices} vertices have at most {most}")]
    TooManyEdges { count: usize, vertices: usize, most: usize },
    #[error("the edge metric needs edges, and this faces board lists none: add \"edges\" to it")]
    NoEdges,
}

/// Why a [`crate::Board`] cannot be built.
pub type InvalidBoard = Invalid<BoardError>;

/// The greatest number of faces of a board; the 6-cube has 160 faces of dimension 3.
pub(crate) const MAX_FACES: usize = 1024;

/// The vertices, faces and edges of a board, before the metric is chosen.
pub(crate) struct BoardLayout {
    pub vertex_count: usize,
    pub faces: Vec<VertexSet>,
    /// The neighbours of each vertex, or `None` if the board has no edges.
    pub neighbours: Option<Vec<VertexSet>>,
}
