//! Heuristics, one file each. A new one is a file here, its `mod` and its line in [`HEURISTICS`].

mod blind;
mod lone_token;

use hyperslide_puzzle::{Label, Move, Puzzle, State, Vertex};

/// An estimate of the moves to the goal; a lower bound when it is admissible.
pub trait Heuristic: Sync {
    /// The estimate for a state, 0 when it meets the goal and below 8,192 always, or `None` when the goal certainly cannot be reached from it.
    fn estimate(&self, state: &State) -> Option<u32>;

    /// The estimate after a move of the token `label`, given the estimate `before` it and the state
    /// before it. The same as estimating anew, but faster.
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let _ = (before, label);
        let mut next = *state;
        next.slide(mv);
        self.estimate(&next)
    }

    /// The costs whose sum over the tokens is the estimate, when it is such a sum.
    fn token_costs(&self) -> Option<&TokenCosts> {
        None
    }
}

/// Costs of tokens by label and vertex whose sum is an estimate: 64 bytes a label. Costs of one label
/// on neighbouring vertices differ by at most 127.
#[derive(Clone, Debug)]
pub struct TokenCosts {
    costs: Vec<[u8; hyperslide_puzzle::MAX_VERTICES]>,
}

impl TokenCosts {
    /// The cost of a token with this label on this vertex; `u8::MAX` when the goal cannot be reached.
    #[inline]
    pub fn get(&self, label: Label, vertex: Vertex) -> u8 {
        self.costs[label.index()][vertex.index()]
    }
}

/// A heuristic to choose by name.
#[derive(Clone, Copy)]
pub struct HeuristicEntry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Never more than the moves needed.
    pub admissible: bool,
    /// Never falls by more than one with one move.
    pub consistent: bool,
    /// Prepares it for a puzzle.
    pub build: fn(&Puzzle) -> Box<dyn Heuristic>,
}

/// Every heuristic there is, the default first.
pub const HEURISTICS: &[HeuristicEntry] = &[lone_token::ENTRY, blind::ENTRY];
