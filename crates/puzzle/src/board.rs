//! A board with its metric, and which moves are legal on it.

use std::fmt;

use crate::boards::{BoardError, BoardLayout, BoardSpec, InvalidBoard};
use crate::invalid::Invalid;
use crate::metric::Metric;
use crate::state::{IllegalMove, Move, State};
use crate::vertex::{Vertex, VertexSet};

/// A board with its metric: the one place that knows which moves are legal.
///
/// Immutable once built; share it by reference.
#[derive(Clone)]
pub struct Board {
    spec: BoardSpec,
    metric: Metric,
    vertex_count: usize,
    faces: Vec<VertexSet>,
    neighbours: Option<Vec<VertexSet>>,
    /// The faces through each vertex, concatenated; those of `v` are
    /// `faces_start[v]..faces_start[v + 1]`.
    faces_at: Vec<VertexSet>,
    faces_start: Vec<u32>,
    /// For each vertex, the vertices to which the metric lets a token move when no other token is
    /// in the way.
    reach: Vec<VertexSet>,
}

impl Board {
    /// Builds a board.
    ///
    /// # Errors
    ///
    /// Returns every reason why the specification does not describe a board of 1 to 64 vertices, or
    /// why it cannot be played in this metric.
    pub fn new(spec: BoardSpec, metric: Metric) -> Result<Board, InvalidBoard> {
        let has_no_edges = matches!(spec, BoardSpec::Faces { edges: None, .. });
        let no_edges = (metric == Metric::Edge && has_no_edges).then_some(BoardError::NoEdges);
        let layout = match (spec.layout(), no_edges) {
            (Ok(layout), None) => layout,
            (layout, no_edges) => {
                let reasons =
                    layout.err().unwrap_or_default().into_iter().chain(no_edges).collect();
                return Err(Invalid { reasons });
            }
        };
        let BoardLayout { vertex_count, mut faces, neighbours } = layout;
        faces.sort_unstable();
        let mut faces_at = Vec::new();
        let mut faces_start = vec![0];
        for vertex in Vertex::first(vertex_count) {
            faces_at.extend(faces.iter().filter(|face| face.contains(vertex)));
            faces_start.push(faces_at.len() as u32);
        }
        let reach = match (metric, &neighbours) {
            (Metric::Edge, Some(neighbours)) => neighbours.clone(),
            _ => vec![VertexSet::first(vertex_count); vertex_count],
        };
        Ok(Board {
            spec: spec.sorted(),
            metric,
            vertex_count,
            faces,
            neighbours,
            faces_at,
            faces_start,
            reach,
        })
    }

    /// Returns what the board was built from.
    pub fn spec(&self) -> &BoardSpec {
        &self.spec
    }

    /// Returns what counts as one move.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the number of vertices, `1..=64`.
    #[inline]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Returns all vertices in order.
    #[inline]
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + use<> {
        Vertex::first(self.vertex_count)
    }

    /// Returns all vertices as a set.
    #[inline]
    pub fn vertex_set(&self) -> VertexSet {
        VertexSet::first(self.vertex_count)
    }

    /// Returns all faces, each once, ascending by their bits.
    #[inline]
    pub fn faces(&self) -> &[VertexSet] {
        &self.faces
    }

    /// Returns the neighbours of each vertex, or `None` for a faces board that lists no edges.
    #[inline]
    pub fn neighbours(&self) -> Option<&[VertexSet]> {
        self.neighbours.as_deref()
    }

    /// Returns the vertices to which the token on `from` may slide in one move. `occupied` are all
    /// vertices with tokens, `from` included. **The one rule of motion.**
    ///
    /// Cost: one mask comparison per face through `from`.
    ///
    /// # Panics
    ///
    /// Panics if `from` is not on the board.
    #[inline]
    pub fn destinations(&self, from: Vertex, occupied: VertexSet) -> VertexSet {
        self.ways(from, occupied).fold(VertexSet::EMPTY, |all, way| all | way)
    }

    /// Returns the vertices to which a token may slide in one move when it is alone on the board.
    ///
    /// # Panics
    ///
    /// Panics if the vertex is not on the board.
    #[inline]
    pub fn lone_destinations(&self, vertex: Vertex) -> VertexSet {
        self.destinations(vertex, VertexSet::single(vertex))
    }

    /// Returns [`Board::destinations`] face by face: one set for each free face through `from`,
    /// which is empty if the metric allows no move on that face. A vertex that lies on several free
    /// faces is in the set of each.
    #[inline]
    pub fn ways(&self, from: Vertex, occupied: VertexSet) -> impl Iterator<Item = VertexSet> {
        let own = VertexSet::single(from);
        let start = self.faces_start[from.index()] as usize;
        let end = self.faces_start[from.index() + 1] as usize;
        let reach = self.reach[from.index()] - own;
        let is_free = move |face: &&VertexSet| **face & occupied == own;
        self.faces_at[start..end].iter().filter(is_free).map(move |&face| face & reach)
    }

    /// Returns the legal moves, each once, ascending by `(from, to)`.
    ///
    /// # Panics
    ///
    /// Panics if the state has a token off the board.
    pub fn legal_moves(&self, state: &State) -> Vec<Move> {
        let occupied = state.occupied();
        occupied
            .into_iter()
            .flat_map(|from| {
                self.destinations(from, occupied).into_iter().map(move |to| Move { from, to })
            })
            .collect()
    }

    /// Checks that a move is legal in a state.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the move: a vertex off the board, no token on `from`, a token on
    /// `to`, vertices between which no token ever slides, or no free face that contains both.
    pub fn check_move(&self, state: &State, mv: Move) -> Result<(), IllegalMove> {
        for vertex in [mv.from, mv.to] {
            if vertex.index() >= self.vertex_count {
                return Err(IllegalMove::OffBoard { vertex, last: self.vertex_count - 1 });
            }
        }
        let occupied = state.occupied();
        if !occupied.contains(mv.from) {
            Err(IllegalMove::NoToken(mv))
        } else if occupied.contains(mv.to) {
            Err(IllegalMove::Occupied(mv))
        } else if self.destinations(mv.from, occupied).contains(mv.to) {
            Ok(())
        } else if self.lone_destinations(mv.from).contains(mv.to) {
            Err(IllegalMove::NoFreeFace(mv))
        } else if self.metric == Metric::Edge || self.is_graph() {
            Err(IllegalMove::NotNeighbours(mv))
        } else {
            Err(IllegalMove::NoCommonFace(mv))
        }
    }

    /// Returns the state after a move.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Board::check_move`].
    pub fn play(&self, state: &State, mv: Move) -> Result<State, IllegalMove> {
        self.check_move(state, mv)?;
        let mut next = *state;
        next.slide(mv);
        Ok(next)
    }

    /// Returns whether every face is a pair of vertices, so that a token may move along an edge
    /// whenever the other end is empty.
    pub fn is_graph(&self) -> bool {
        self.faces.iter().all(|face| face.len() == 2)
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.spec == other.spec && self.metric == other.metric
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

/// The specification, followed by ` edge` in the edge metric.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)?;
        match self.metric {
            Metric::Face => Ok(()),
            Metric::Edge => write!(f, " {}", self.metric),
        }
    }
}
