//! The states that meet a goal, counted and listed.

use crate::label::Label;
use crate::puzzle::Puzzle;
use crate::state::State;
use crate::vertex::Vertex;

/// Returns the labels that the goal leaves free, each with the number of its free tokens.
fn free_labels(puzzle: &Puzzle) -> Vec<(Label, usize)> {
    let free = |(label, _)| {
        let placed = puzzle.goal().labelled().vertices_of(label).len();
        (label, puzzle.start().vertices_of(label).len() - placed)
    };
    puzzle.labels().iter().map(free).filter(|&(_, count)| count > 0).collect()
}

/// Returns the number of states that meet the goal.
pub fn goal_count(puzzle: &Puzzle) -> f64 {
    let factorial = |n: usize| (1..=n).map(|n| n as f64).product::<f64>();
    let left = free_labels(puzzle);
    let vertices = puzzle.goal().free_vertices().len();
    let tokens: usize = left.iter().map(|&(_, count)| count).sum();
    let alike: f64 = left.iter().map(|&(_, count)| factorial(count)).product();
    factorial(vertices) / factorial(vertices - tokens) / alike
}

/// Lists all states that meet the goal, or returns `None` if there are more than `limit`.
pub fn goal_states(puzzle: &Puzzle, limit: usize) -> Option<Vec<State>> {
    let free: Vec<Vertex> = puzzle.goal().free_vertices().into_iter().collect();
    let labelled = puzzle.goal().labelled();
    let mut left = free_labels(puzzle);
    let tokens = left.iter().map(|&(_, count)| count).sum();
    let mut states = Vec::new();
    let complete = fill(&free, &mut left, tokens, *labelled, limit, &mut states);
    complete.then_some(states)
}

/// Fills the free vertices one after another with a token or none. Returns false if there are more
/// states than the limit.
fn fill(
    free: &[Vertex],
    left: &mut [(Label, usize)],
    tokens: usize,
    state: State,
    limit: usize,
    states: &mut Vec<State>,
) -> bool {
    let Some((&vertex, others)) = free.split_first().filter(|_| tokens > 0) else {
        states.push(state);
        return states.len() <= limit;
    };
    for choice in 0..left.len() {
        let (label, count) = left[choice];
        if count > 0 {
            left[choice].1 -= 1;
            let mut next = state;
            next.place(vertex, label);
            let complete = fill(others, left, tokens - 1, next, limit, states);
            left[choice].1 += 1;
            if !complete {
                return false;
            }
        }
    }
    others.len() < tokens || fill(others, left, tokens, state, limit, states)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn lists_each_state_once() {
        let puzzle = Puzzle::from_line("grid:2:3 1,1,2,3,0,0 -> *,1,*,*,0,*").unwrap();
        let states = goal_states(&puzzle, 1000).unwrap();
        // Tokens 1, 2 and 3 on four vertices: 4 * 3 * 2.
        assert_eq!((states.len(), goal_count(&puzzle)), (24, 24.0));
        assert_eq!(states.iter().collect::<HashSet<_>>().len(), 24);
        assert!(states.iter().all(|state| puzzle.goal().is_met(state)));
        assert_eq!(goal_states(&puzzle, 23), None);
        let exact = Puzzle::from_line("grid:2:2 1,1,2,0 -> 0,2,1,1").unwrap();
        assert_eq!(goal_states(&exact, 1).map(|states| states.len()), Some(1));
    }
}
