//! Goals: what a solved state looks like.

use crate::label::Label;
use crate::state::State;
use crate::vertex::{MAX_VERTICES, Vertex, VertexSet};

/// What a goal asks of one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalCell {
    /// Nothing: empty or any token.
    Any,
    /// It must be empty.
    Empty,
    /// It must hold a token with this label.
    Label(Label),
}

/// What a solved state looks like. It may leave vertices free ([`GoalCell::Any`]) and with them the
/// places of some tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    cells: Vec<GoalCell>,
    labelled: State,
    empty: VertexSet,
}

impl Goal {
    /// A goal that asks this of the vertices in order, at most 64.
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

    /// What is asked of each vertex in order.
    pub fn cells(&self) -> &[GoalCell] {
        &self.cells
    }

    /// The tokens that the goal places; all of them unless it leaves some free.
    pub fn labelled(&self) -> &State {
        &self.labelled
    }

    /// The vertices that must be empty.
    pub fn empty(&self) -> VertexSet {
        self.empty
    }

    /// The vertices of which nothing is asked.
    pub fn free_vertices(&self) -> VertexSet {
        VertexSet::first(self.cells.len()) - self.empty - self.labelled.occupied()
    }

    /// Whether tokens on these vertices, if each is the right one, satisfy the goal.
    pub fn fits(&self, occupied: VertexSet) -> bool {
        self.labelled.occupied().is_subset(occupied) && (occupied & self.empty).is_empty()
    }

    /// Whether the state satisfies the goal.
    pub fn is_met(&self, state: &State) -> bool {
        self.fits(state.occupied())
            && self.labelled.tokens().all(|(vertex, label)| state.label_at(vertex) == Some(label))
    }
}
