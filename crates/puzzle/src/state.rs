//! States, moves, and why a move is illegal.

use std::fmt;

use thiserror::Error;

use crate::label::Label;
use crate::vertex::{MAX_VERTICES, Vertex, VertexSet};

/// Slides the token on `from` to the empty vertex `to`. A move is legal if some face contains both
/// vertices and all other vertices of that face are empty; the reversed move is then legal, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The vertex of the token.
    pub from: Vertex,
    /// The vertex to which the token moves.
    pub to: Vertex,
}

impl Move {
    /// Returns the move that undoes this one.
    #[inline]
    pub const fn reversed(self) -> Move {
        Move { from: self.to, to: self.from }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}->{}", self.from, self.to)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a move breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum IllegalMove {
    #[error("vertex {vertex} is not on the board: its vertices are 0 to {last}")]
    OffBoard { vertex: Vertex, last: usize },
    #[error("move {0}: no token is on vertex {from}", from = .0.from)]
    NoToken(Move),
    #[error("move {0}: vertex {to} is occupied", to = .0.to)]
    Occupied(Move),
    #[error("move {0}: the vertices are not neighbours")]
    NotNeighbours(Move),
    #[error("move {0}: no face has both vertices")]
    NoCommonFace(Move),
    #[error("move {0}: every face with both vertices holds another token")]
    NoFreeFace(Move),
}

/// The label on each vertex. Tokens with equal labels are indistinguishable: states that differ
/// only by an exchange of such tokens are equal.
///
/// A state takes 72 bytes: the set of occupied vertices and one byte per vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    occupied: VertexSet,
    /// The index of the label on each vertex, plus 1; 0 on an empty vertex.
    cells: [u8; MAX_VERTICES],
}

impl State {
    /// The state without tokens.
    pub const EMPTY: State = State { occupied: VertexSet::EMPTY, cells: [0; MAX_VERTICES] };

    /// Returns the state with these cells, one for each vertex: the index of the label there plus
    /// 1, or 0 where the vertex is empty. Returns `None` if there are more than 64, or a cell is
    /// greater than 64.
    pub fn from_cells(cells: &[u8]) -> Option<State> {
        let mut state = State::EMPTY;
        state.cells.get_mut(..cells.len())?.copy_from_slice(cells);
        for (vertex, &cell) in Vertex::first(cells.len()).zip(cells) {
            if cell as usize > MAX_VERTICES {
                return None;
            }
            if cell != 0 {
                state.occupied.insert(vertex);
            }
        }
        Some(state)
    }

    /// Returns the cells of all vertices as [`State::from_cells`] takes them.
    #[inline]
    pub fn cells(&self) -> &[u8; MAX_VERTICES] {
        &self.cells
    }

    /// Puts a token on an empty vertex.
    ///
    /// # Panics
    ///
    /// Panics if the vertex is occupied.
    #[inline]
    pub fn place(&mut self, vertex: Vertex, label: Label) {
        assert!(!self.occupied.contains(vertex), "vertex {vertex} is occupied");
        self.occupied.insert(vertex);
        self.cells[vertex.index()] = label.index() as u8 + 1;
    }

    /// Moves a token to an empty vertex without checking that the move is legal, as
    /// [`crate::Board::play`] does. The reversed move undoes it.
    ///
    /// # Panics
    ///
    /// Panics if there is no token to move or the vertex is occupied.
    #[inline]
    pub fn slide(&mut self, mv: Move) {
        assert!(self.occupied.contains(mv.from) && !self.occupied.contains(mv.to), "{mv}");
        self.occupied = self.occupied.moved(mv.from, mv.to);
        self.cells[mv.to.index()] = self.cells[mv.from.index()];
        self.cells[mv.from.index()] = 0;
    }

    /// Returns the set of vertices with a token.
    #[inline]
    pub fn occupied(&self) -> VertexSet {
        self.occupied
    }

    /// Returns the label on a vertex, or `None` when it is empty.
    #[inline]
    pub fn label_at(&self, vertex: Vertex) -> Option<Label> {
        (self.cells[vertex.index()] as usize).checked_sub(1).and_then(Label::new)
    }

    /// Returns the tokens as `(vertex, label)`, ascending by vertex.
    #[inline]
    pub fn tokens(&self) -> impl Iterator<Item = (Vertex, Label)> {
        self.occupied.into_iter().filter_map(|vertex| Some((vertex, self.label_at(vertex)?)))
    }

    /// Returns the vertices with this label.
    #[inline]
    pub fn vertices_of(&self, label: Label) -> VertexSet {
        self.tokens().filter(|&(_, other)| other == label).map(|(vertex, _)| vertex).collect()
    }
}

/// Panics if a vertex is given twice, as [`State::place`] does.
impl FromIterator<(Vertex, Label)> for State {
    fn from_iter<I: IntoIterator<Item = (Vertex, Label)>>(tokens: I) -> State {
        let mut state = State::EMPTY;
        for (vertex, label) in tokens {
            state.place(vertex, label);
        }
        state
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.tokens()).finish()
    }
}
