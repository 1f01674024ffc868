//! Solves crowded puzzles, in which tokens lock each other in, by closed walks.
//!
//! There a piece of a solution has hardly any alternatives, and estimates from the distances of
//! single tokens are uninformative. But on occupied sets with many slides there are short closed
//! walks, each of which moves only a few tokens: by way of hubs, which have the most slides, or
//! along a corridor of such sets from the start to the goal, a beam of closed walks takes the
//! tokens home.

mod approach;
mod ball;
mod beam;
mod corridor;
mod hubs;
mod path;
mod patterns;
mod places;
mod stations;
mod walk;

use hyperslide_puzzle::{Board, State, VertexSet};

use self::places::Places;
use crate::algorithm::{Answer, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};

/// The searches take their course without regard to a limit on nodes, and need that many at most.
pub(super) const MOST_NODES: u64 = 1 << 28;

/// Searches where the start and the goal allow one state each: by hubs as long as balls of states
/// reach them, and with more tokens along corridors.
pub(super) fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let tokens = puzzle.start().occupied().len();
    let is_determined = puzzle.goal().labelled().occupied().len() == tokens;
    let solution = match tokens {
        _ if !puzzle.has_distinct_labels() || !is_determined => None,
        1..=hubs::MOST_TOKENS => hubs::search(task, meter),
        _ => corridor::search(task, meter),
    };
    let outcome = match solution {
        Some(moves) => Outcome::Solved { moves, optimal: false, lower_bound: 0 },
        None => Outcome::LimitReached { limit: Limit::Width, lower_bound: 0 },
    };
    Ok((outcome, "crowded"))
}

/// Returns the slot of each token, which is the rank of its vertex.
fn slots(state: &State) -> Places {
    let mut slots = vec![0; state.occupied().len()];
    for (slot, (_, label)) in state.tokens().enumerate() {
        slots[label.index()] = slot;
    }
    Places::new(&slots)
}

/// Returns the number of faces on which a token can slide.
fn free_faces(board: &Board, set: VertexSet) -> usize {
    board.faces().iter().filter(|&&face| (face & set).len() == 1).count()
}

#[cfg(test)]
mod tests {
    use super::ball::Ball;
    use super::walk::join;
    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::{Control, Limits};
    use crate::heuristics::Resources;
    use hyperslide_puzzle::Puzzle;

    const PUZZLE: &str = "cube:5:3 1=23,2=30,3=29,4=26,5=17,6=13,7=16,8=22,9=19,10=24,11=14,12=20 \
        -> 1=4,2=30,3=29,4=7,5=13,6=19,7=21,8=3,9=23,10=18,11=31,12=9";

    /// A solution by way of hubs leads to the goal, and is the same on any number of threads.
    #[test]
    fn hubs_solve_crowded_cubes() {
        let puzzle = Puzzle::from_line(PUZZLE).unwrap();
        let solve = |threads| {
            let limits = Limits { memory: Some(300 << 20), ..Limits::default() };
            let mut meter = Meter::new(&Control { limits, ..Control::default() });
            let resources = Resources { threads, ..Resources::default() };
            hubs::search(&Defaults::default().task(&puzzle, resources), &mut meter).unwrap()
        };
        let moves = solve(1);
        assert!(puzzle.goal().is_met(&puzzle.replay(&moves).unwrap()));
        assert!(moves.len() < 60, "{} moves", moves.len());
        assert_eq!(solve(2), moves);
    }

    /// Walks between two sets of vertices take the tokens where they say, and so do their products
    /// and ways back.
    #[test]
    fn walks_end_where_they_say() {
        let puzzle =
            Puzzle::from_line("cube:4:2 1=0,2=1,3=2,4=4,5=8 -> 1=1,2=0,3=2,4=4,5=8").unwrap();
        let set = puzzle.start().occupied();
        let ball = Ball::<2>::grow(puzzle.board(), set, 3_000, &|| false).unwrap();
        let walks = join([&ball, &ball], 100, &|| false);
        assert!(walks.len() > 10);
        let all = |stop| join([&ball, &ball], usize::MAX, stop).len();
        assert!(all(&|| true) < all(&|| false));
        for (first, second) in walks.iter().zip(walks.iter().rev()) {
            for walk in [first.clone(), first.then(second), first.then(second).reversed()] {
                let end = puzzle.replay(&walk.moves).unwrap();
                assert_eq!(slots(puzzle.start()).then(&walk.ends), slots(&end));
            }
        }
    }
}
