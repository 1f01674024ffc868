//! The distances of tokens that are alone on the board.

use hyperslide_puzzle::{
    Label, LoneTokenDistances, MAX_VERTICES, Move, Puzzle, State, UNREACHABLE,
};

use super::alike::Homes;
use super::{Heuristic, HeuristicEntry, Incremental, Successor, TokenCosts};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "lone-token",
    summary: "sum of the distances of the tokens, each as if it were alone on the board: Manhattan on grids, \
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
/// move for unique labels; for m tokens with one label that are not at home O(m³) a state, and
/// mostly O(m) for each of its successors; no allocation.
struct LoneToken {
    /// For labels with one token and one vertex.
    costs: TokenCosts,
    /// For each label: its vertices in the goal when it is shared.
    shared: Vec<Option<Homes>>,
    is_sum: bool,
}

impl LoneToken {
    fn new(puzzle: &Puzzle) -> LoneToken {
        let distances = LoneTokenDistances::new(puzzle.board());
        let mut costs = Vec::new();
        let mut shared = Vec::new();
        for (label, _) in puzzle.labels().iter() {
            let homes = puzzle.goal().labelled().vertices_of(label);
            let tokens = puzzle.start().vertices_of(label).len();
            let mut row = [0; MAX_VERTICES];
            let is_shared = tokens > 1 && !homes.is_empty();
            if let (Some(home), false) = (homes.lowest(), is_shared) {
                for vertex in puzzle.board().vertices() {
                    row[vertex.index()] = distances.get(vertex, home);
                }
            }
            shared.push(is_shared.then(|| Homes::new(puzzle, label, &distances)));
            costs.push(row);
        }
        let is_sum = shared.iter().all(Option::is_none);
        LoneToken { costs: TokenCosts { costs }, shared, is_sum }
    }

    /// After a move of a token with a label of its own.
    #[inline]
    fn after_own_move(&self, before: u32, label: Label, mv: Move) -> Option<u32> {
        match self.costs.get(label, mv.to) {
            UNREACHABLE => None,
            cost => Some(before + u32::from(cost) - u32::from(self.costs.get(label, mv.from))),
        }
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
        let labels = (0..self.shared.len()).filter_map(Label::new);
        for (label, homes) in labels.zip(&self.shared) {
            if let Some(homes) = homes {
                sum += homes.assign(state.vertices_of(label)).total()?;
            }
        }
        Some(sum)
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let Some(homes) = &self.shared[label.index()] else {
            return self.after_own_move(before, label, mv);
        };
        let tokens = homes.assign(state.vertices_of(label));
        Some(before - tokens.total()? + tokens.after(mv.from, mv.to)?)
    }

    /// Tokens with one label are assigned once for all successors.
    fn estimate_successors(&self, before: u32, state: &State, successors: &mut [Successor]) {
        if self.is_sum {
            for successor in successors {
                successor.h = self.after_own_move(before, successor.label, successor.mv);
            }
            return;
        }
        for at in 0..successors.len() {
            let label = successors[at].label;
            let Some(homes) = &self.shared[label.index()] else {
                successors[at].h = self.after_own_move(before, label, successors[at].mv);
                continue;
            };
            if successors[..at].iter().any(|earlier| earlier.label == label) {
                continue;
            }
            let tokens = homes.assign(state.vertices_of(label));
            let others = tokens.total().map(|total| before - total);
            for successor in successors[at..].iter_mut().filter(|other| other.label == label) {
                let Move { from, to } = successor.mv;
                successor.h = others.zip(tokens.after(from, to)).map(|(rest, own)| rest + own);
            }
        }
    }

    fn incremental(&self) -> Option<Incremental<'_>> {
        self.is_sum.then_some(Incremental::TokenCosts(&self.costs))
    }
}
