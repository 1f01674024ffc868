//! Goals: what a solved state looks like.

use crate::label::Label;
use crate::state::State;
use crate::vertex::{MAX_VERTICES, Vertex, VertexSet};

/// The condition of a goal on one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalCell {
    /// There is no condition: the vertex may be empty or hold any token.
    Any,
    /// The vertex must be empty.
    Empty,
    /// The vertex must hold a token with this label.
    Label(Label),
}

/// The condition that a solved state meets. It may leave vertices free ([`GoalCell::Any`]), and
/// with them the final positions of some tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    cells: Vec<GoalCell>,
    labelled: State,
    empty: VertexSet,
}

impl Goal {
    /// Returns the goal with these conditions on the vertices in order, at most 64.
    pub(crate) fn new(cells: Vec<GoalCell>) -> Goal {
        assert!(cells.len() <= MAX_VERTICES, "a board has at most {MAX_VERTICES} vertices");
        let mut labelled = State::EMPTY;
        let mut empty = VertexSet::EMPTY;
        for (vertex, &cell) in Vertex::first(cells.len()).zip(&cells) {
            match cell {
                GoalCell::Any => {}
                GoalCell::Empty => empty.insert(vertex),
                GoalCell::Label(label) => labelled.place(vertex, label),
            }
        }
        Goal { cells, labelled, empty }
    }

    /// Returns the condition on each vertex in order.
    pub fn cells(&self) -> &[GoalCell] {
        &self.cells
    }

    /// Returns the tokens that the goal places: all tokens, unless it leaves some free.
    pub fn labelled(&self) -> &State {
        &self.labelled
    }

    /// Returns the vertices that must be empty.
    pub fn empty(&self) -> VertexSet {
        self.empty
    }

    /// Returns the vertices without a condition.
    pub fn free_vertices(&self) -> VertexSet {
        VertexSet::first(self.cells.len()) - self.empty - self.labelled.occupied()
    }

    /// Returns whether this set of occupied vertices fits the goal: every vertex with a label is
    /// occupied, and every vertex that must be empty is empty.
    pub fn fits(&self, occupied: VertexSet) -> bool {
        self.labelled.occupied().is_subset(occupied) && (occupied & self.empty).is_empty()
    }

    /// Returns whether the state satisfies the goal.
    pub fn is_met(&self, state: &State) -> bool {
        self.fits(state.occupied())
            && self.labelled.tokens().all(|(vertex, label)| state.label_at(vertex) == Some(label))
    }
}
