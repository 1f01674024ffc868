//! The number of misplaced tokens.

use hyperslide_puzzle::{GoalCell, Label, MAX_VERTICES, Move, Puzzle, State, Vertex, VertexSet};

use super::{Heuristic, HeuristicEntry, Incremental, TokenCosts};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "misplaced",
    summary: "number of tokens that are not where the goal wants them, each of which moves at least \
              once",
    admissible: true,
    consistent: true,
    parameter: None,
    build: |request| Ok(Box::new(Misplaced::new(request.puzzle))),
};

/// Lower bound in moves, `0..=tokens`: the least number of tokens that must move at all.
///
/// Admissible and consistent: a move changes the place of one token. With distinct labels it is the
/// Hamming distance to the goal (h1 of Russell and Norvig, Artificial Intelligence).
/// Of a label's tokens, those must move that stand where the goal wants something else, and as many
/// as there are vertices in the goal that wait for one; the estimate counts the larger of the two.
/// Time O(1) a move, O(tokens) for a label that the goal places in part; no allocation.
struct Misplaced {
    /// 1 where the token must move; 0 for the labels below.
    costs: TokenCosts,
    /// The labels that the goal places in part.
    partly_placed: Vec<PartlyPlaced>,
}

/// A label whose tokens have vertices in the goal, but fewer than there are tokens.
struct PartlyPlaced {
    label: Label,
    /// Where the goal wants it.
    targets: VertexSet,
    /// Where the goal lets it be: also where nothing is asked.
    allowed: VertexSet,
}

impl PartlyPlaced {
    fn cost(&self, vertices: VertexSet) -> u32 {
        (self.targets - vertices).len().max((vertices - self.allowed).len()) as u32
    }
}

impl Misplaced {
    fn new(puzzle: &Puzzle) -> Misplaced {
        let cells = puzzle.goal().cells();
        let wanting = |wanted: GoalCell| -> VertexSet {
            let vertices = Vertex::first(cells.len()).zip(cells);
            vertices.filter(|&(_, &cell)| cell == wanted).map(|(vertex, _)| vertex).collect()
        };
        let mut costs = Vec::new();
        let mut partly_placed = Vec::new();
        for (label, _) in puzzle.labels().iter() {
            let targets = wanting(GoalCell::Label(label));
            let allowed = targets | wanting(GoalCell::Any);
            let mut row = [0; MAX_VERTICES];
            // When all of its tokens have targets, as many stand elsewhere as targets wait for one.
            let at_rest = match targets.len() {
                0 => Some(allowed),
                count if count == puzzle.start().vertices_of(label).len() => Some(targets),
                _ => None,
            };
            match at_rest {
                Some(at_rest) => {
                    for vertex in puzzle.board().vertex_set() - at_rest {
                        row[vertex.index()] = 1;
                    }
                }
                None => partly_placed.push(PartlyPlaced { label, targets, allowed }),
            }
            costs.push(row);
        }
        Misplaced { costs: TokenCosts { costs }, partly_placed }
    }
}

impl Heuristic for Misplaced {
    fn estimate(&self, state: &State) -> Option<u32> {
        let cost = |(vertex, label)| u32::from(self.costs.get(label, vertex));
        let tokens: u32 = state.tokens().map(cost).sum();
        let cost = |part: &PartlyPlaced| part.cost(state.vertices_of(part.label));
        Some(tokens + self.partly_placed.iter().map(cost).sum::<u32>())
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        if let Some(part) = self.partly_placed.iter().find(|part| part.label == label) {
            let vertices = state.vertices_of(label);
            let new = part.cost(vertices.moved(mv.from, mv.to));
            return Some(before - part.cost(vertices) + new);
        }
        let cost = |vertex| u32::from(self.costs.get(label, vertex));
        Some(before - cost(mv.from) + cost(mv.to))
    }

    fn incremental(&self) -> Option<Incremental<'_>> {
        self.partly_placed.is_empty().then_some(Incremental::TokenCosts(&self.costs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: u32, is_sum: bool) {
        let puzzle = Puzzle::from_line(line).unwrap();
        let heuristic = Misplaced::new(&puzzle);
        assert_eq!(heuristic.estimate(puzzle.start()), Some(expected), "{line}");
        assert_eq!(heuristic.incremental().is_some(), is_sum, "{line}");
    }

    #[test]
    fn counts_the_tokens_that_must_move() {
        // Russell and Norvig's 8-puzzle (h1 = 8), and one with three tiles at home.
        check("grid:3:3 7,2,4,5,0,6,8,3,1 -> 0,1,2,3,4,5,6,7,8", 8, true);
        check("grid:3:3 1,2,4,5,0,6,8,3,7 -> 1,2,3,4,5,6,7,8,0", 5, true);
        check("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6", 3, true);
    }

    #[test]
    fn equal_tokens_take_the_place_of_each_other() {
        check("grid:1:6 a,a,a,b,0,0 -> 0,a,a,a,b,0", 2, true);
        check("grid:1:6 a,a,a,b,0,0 -> a,a,a,b,0,0", 0, true);
    }

    #[test]
    fn tokens_that_the_goal_leaves_free_must_make_way() {
        // One vertex waits for an a; nothing else is asked.
        check("grid:1:6 a,a,0,0,0,0 -> *,*,*,*,*,a", 1, false);
        // One vertex waits, and two of three stand where nothing may.
        check("grid:1:6 a,a,a,0,0,0 -> 0,0,*,*,*,a", 2, false);
        // Two vertices wait, and one token stands where nothing may.
        check("grid:1:6 a,a,a,0,0,0 -> 0,*,*,*,a,a", 2, false);
        // The label has no vertex in the goal: it only makes way for b.
        check("grid:1:4 a,b,0,0 -> b,*,*,*", 2, true);
    }
}
