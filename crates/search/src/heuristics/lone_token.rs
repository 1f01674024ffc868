//! The distances of tokens that are alone on the board.

use hyperslide_puzzle::{
    Label, LoneTokenDistances, MAX_VERTICES, Move, Puzzle, State, UNREACHABLE, Vertex, VertexSet,
    minimum_assignment,
};

use super::{Heuristic, HeuristicEntry, Incremental, TokenCosts};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "lone-token",
    summary: "sum over the tokens of their distance when alone on the board: Manhattan on grids, \
              ceil(Hamming/k) on cubes; a minimum-cost assignment for tokens with equal labels",
    admissible: true,
    consistent: true,
    parameter: None,
    build: |request| Ok(Box::new(LoneToken::new(request.puzzle))),
};

/// Lower bound in moves: every token goes to its vertex as if it were alone on the board.
///
/// Admissible and consistent: a move takes one token at most one lone move nearer. On a grid it is
/// Manhattan distance, on a cube ⌈Hamming/k⌉ (Merleau et al. 2024, Definition 2). Tokens with equal
/// labels get the cheapest assignment, tokens that the goal leaves free cost nothing. Time O(1) a
/// move for unique labels, O(m³) for m tokens with one label; no allocation.
struct LoneToken {
    distances: LoneTokenDistances,
    /// For labels with one token and one vertex.
    costs: TokenCosts,
    /// For each label: its vertices in the goal when it is shared, otherwise nothing.
    shared: Vec<Vec<Vertex>>,
    is_sum: bool,
}

impl LoneToken {
    fn new(puzzle: &Puzzle) -> LoneToken {
        let distances = LoneTokenDistances::new(puzzle.board());
        let mut costs = Vec::new();
        let mut shared = Vec::new();
        for (label, _) in puzzle.labels().iter() {
            let targets: Vec<Vertex> =
                puzzle.goal().labelled().vertices_of(label).into_iter().collect();
            let mut row = [0; MAX_VERTICES];
            match targets[..] {
                [target] if puzzle.start().vertices_of(label).len() == 1 => {
                    for vertex in puzzle.board().vertices() {
                        row[vertex.index()] = distances.get(vertex, target);
                    }
                    shared.push(Vec::new());
                }
                _ => shared.push(targets),
            }
            costs.push(row);
        }
        let is_sum = shared.iter().all(Vec::is_empty);
        LoneToken { distances, costs: TokenCosts { costs }, shared, is_sum }
    }

    /// The cheapest way for the tokens on these vertices to reach all of the label's targets.
    fn shared_cost(&self, label: Label, vertices: VertexSet) -> Option<u32> {
        let targets = &self.shared[label.index()];
        let mut tokens = [None; MAX_VERTICES];
        for (token, vertex) in tokens.iter_mut().zip(vertices) {
            *token = Some(vertex);
        }
        minimum_assignment(targets.len(), vertices.len(), |row, column| {
            match self.distances.get(tokens[column]?, targets[row]) {
                UNREACHABLE => None,
                distance => Some(u16::from(distance)),
            }
        })
    }

    fn is_shared(&self, label: Label) -> bool {
        !self.shared[label.index()].is_empty()
    }
}

impl Heuristic for LoneToken {
    fn estimate(&self, state: &State) -> Option<u32> {
        let mut sum = 0;
        for (vertex, label) in state.tokens() {
            match self.costs.get(label, vertex) {
                UNREACHABLE => return None,
                cost => sum += u32::from(cost),
            }
        }
        if !self.is_sum {
            for label in (0..self.shared.len()).filter_map(Label::new) {
                if self.is_shared(label) {
                    sum += self.shared_cost(label, state.vertices_of(label))?;
                }
            }
        }
        Some(sum)
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        if !self.is_sum && self.is_shared(label) {
            let vertices = state.vertices_of(label);
            let old = self.shared_cost(label, vertices)?;
            let new = self.shared_cost(label, vertices.moved(mv.from, mv.to))?;
            return Some(before - old + new);
        }
        match self.costs.get(label, mv.to) {
            UNREACHABLE => None,
            cost => Some(before + u32::from(cost) - u32::from(self.costs.get(label, mv.from))),
        }
    }

    fn incremental(&self) -> Option<Incremental<'_>> {
        self.is_sum.then_some(Incremental::TokenCosts(&self.costs))
    }
}
