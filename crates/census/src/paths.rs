//! Counting the shortest solutions of a puzzle.

use std::collections::HashMap;

use hyperslide_puzzle::{Puzzle, State};
use num_bigint::BigUint;

/// Returns the length and the number of the shortest solutions of a puzzle, where solutions are
/// paths of states, or `None` if none is found among the first `limit` states; and the number of
/// states visited.
///
/// This is a plain breadth-first search, which takes 100 bytes or more per state.
pub fn count_shortest_solutions(puzzle: &Puzzle, limit: usize) -> (Option<(u32, BigUint)>, usize) {
    let mut visited: HashMap<State, u32> = HashMap::from([(*puzzle.start(), 0)]);
    let mut layer: HashMap<State, BigUint> =
        HashMap::from([(*puzzle.start(), BigUint::from(1u32))]);
    let mut depth = 0;
    while !layer.is_empty() {
        let goals = layer.iter().filter(|(state, _)| puzzle.goal().is_met(state));
        let count: BigUint = goals.map(|(_, ways)| ways).sum();
        if count > BigUint::ZERO {
            return (Some((depth, count)), visited.len());
        }
        depth += 1;
        let mut next: HashMap<State, BigUint> = HashMap::new();
        for (state, ways) in &layer {
            for mv in puzzle.board().legal_moves(state) {
                let mut to = *state;
                to.slide(mv);
                if visited.len() >= limit && !visited.contains_key(&to) {
                    return (None, visited.len());
                }
                if *visited.entry(to).or_insert(depth) == depth {
                    *next.entry(to).or_default() += ways;
                }
            }
        }
        layer = next;
    }
    (None, visited.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_1_15_has_a_unique_solution() {
        // A token on a corner of the cube and three on its neighbours; three of them go round.
        let cycle = "cube:3:2 1=0,2=1,3=2,4=4 -> 1=1,2=2,3=0,4=4";
        let count =
            |line: &str| count_shortest_solutions(&Puzzle::from_line(line).unwrap(), 10_000);
        assert_eq!(count(cycle).0, Some((6, BigUint::from(1u32))));
        // A square: two ways around for a lone token's opposite corner, by edges.
        let (found, _) = count("cube:2:1 1=0 -> 1=3");
        assert_eq!(found, Some((2, BigUint::from(2u32))));
        let (found, states) = count("cube:3:2 1=1,2=2,3=4,4=0 -> 1=2,2=1,3=4,4=0");
        assert_eq!((found, states), (None, 672));
        // No more states than allowed, not even for the layer that was begun.
        let puzzle = Puzzle::from_line(cycle).unwrap();
        assert_eq!(count_shortest_solutions(&puzzle, 100), (None, 100));
    }
}
