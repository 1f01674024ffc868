//! Grids and tori whose goal places every token, for the heuristics that need one.

use hyperslide_puzzle::{BoardSpec, Puzzle, State, Vertex, VertexSet};

use super::HeuristicError;

/// The kind of puzzle, for error messages.
const WHAT: &str =
    "grids with one empty vertex, distinct labels and a goal that places every token";

/// What the heuristics of the 15-puzzle and its relatives need to know of a puzzle: a grid or torus
/// with distinct labels and a goal that places every token.
pub(super) struct PlacedGrid {
    pub rows: usize,
    pub columns: usize,
    /// Whether the last row and column lead to the first ones: it is a torus.
    pub wraps: bool,
    /// The goal's vertex of each label.
    pub targets: Vec<Vertex>,
    /// The goal's empty vertices, at least one.
    pub goal_empty: VertexSet,
    /// Whether its rows are the board's columns.
    is_turned: bool,
}

impl PlacedGrid {
    /// A grid with one empty vertex.
    ///
    /// # Errors
    ///
    /// When the puzzle is of another kind, which `heuristic` cannot be used on.
    pub fn one_empty(
        puzzle: &Puzzle,
        heuristic: &'static str,
    ) -> Result<PlacedGrid, HeuristicError> {
        let grid = PlacedGrid::find(puzzle).filter(|grid| !grid.wraps && grid.has_one_empty());
        grid.ok_or(HeuristicError::OtherPuzzles { heuristic, what: WHAT })
    }

    /// A grid or torus with any number of empty vertices.
    pub fn find(puzzle: &Puzzle) -> Option<PlacedGrid> {
        let (rows, columns, wraps) = match *puzzle.board().spec() {
            BoardSpec::Grid { rows, columns } => (rows, columns, false),
            BoardSpec::Torus { rows, columns } => (rows, columns, true),
            _ => return None,
        };
        let goal: &State = puzzle.goal().labelled();
        let empty = puzzle.board().vertex_set() - goal.occupied();
        // Of the goal's empty vertices there are as many as of the start's when no token is free.
        if empty.is_empty() || puzzle.free_tokens() > 0 || !puzzle.has_distinct_labels() {
            return None;
        }
        let mut tokens: Vec<_> = goal.tokens().collect();
        tokens.sort_unstable_by_key(|&(_, label)| label);
        let targets = tokens.into_iter().map(|(vertex, _)| vertex).collect();
        Some(PlacedGrid { rows, columns, wraps, targets, goal_empty: empty, is_turned: false })
    }

    /// With at least as many rows as columns: the board's columns become rows where there are more
    /// of them.
    pub fn upright(self) -> PlacedGrid {
        let PlacedGrid { rows, columns, is_turned, .. } = self;
        if rows >= columns {
            return self;
        }
        PlacedGrid { rows: columns, columns: rows, is_turned: !is_turned, ..self }
    }

    pub fn has_one_empty(&self) -> bool {
        self.goal_empty.len() == 1
    }

    /// The row of a vertex.
    pub fn row(&self, vertex: Vertex) -> usize {
        match self.is_turned {
            false => vertex.index() / self.columns,
            true => vertex.index() % self.rows,
        }
    }

    /// The column of a vertex.
    pub fn column(&self, vertex: Vertex) -> usize {
        match self.is_turned {
            false => vertex.index() % self.columns,
            true => vertex.index() / self.rows,
        }
    }

    /// The rows and columns from one vertex to another; on a torus the shorter way, and down or
    /// right where both are as long.
    pub fn way(&self, from: Vertex, to: Vertex) -> [i8; 2] {
        let along = |from: usize, to: usize, length: usize| {
            let (way, length) = (to as i8 - from as i8, length as i8);
            match self.wraps {
                false => way,
                true if 2 * way > length => way - length,
                true if 2 * way <= -length => way + length,
                true => way,
            }
        };
        [
            along(self.row(from), self.row(to), self.rows),
            along(self.column(from), self.column(to), self.columns),
        ]
    }

    /// All vertices in order.
    pub fn vertices(&self) -> impl Iterator<Item = Vertex> + use<> {
        Vertex::first(self.rows * self.columns)
    }
}
