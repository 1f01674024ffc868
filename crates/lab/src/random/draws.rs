//! Uniform numbers, and states at the ends of random walks.

use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Puzzle, State, Vertex};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A uniformly distributed number below a bound (Lemire 2019).
pub(crate) fn below(random: &mut Xoshiro256PlusPlus, bound: u64) -> usize {
    loop {
        let product = u128::from(random.next_u64()) * u128::from(bound);
        // Without this, some upper halves would have one more product than the others.
        if product as u64 >= bound.wrapping_neg() % bound {
            return (product >> 64) as usize;
        }
    }
}

/// A uniformly distributed number from `least` to `most`.
fn between(least: u32, most: u32, random: &mut Xoshiro256PlusPlus) -> u32 {
    least + below(random, u64::from(most.saturating_sub(least)) + 1) as u32
}

/// The end of a random walk from the goal, or where it was when `cancel` became true.
pub(crate) fn walk(
    goal: &Puzzle,
    (least, most): (u32, u32),
    random: &mut Xoshiro256PlusPlus,
    cancel: &AtomicBool,
) -> State {
    /// Slides between two looks at the flag.
    const PART: u32 = 1024;

    let length = between(least, most, random);
    let mut state = *goal.start();
    let mut last = None;
    for slide in 0..length {
        if slide % PART == PART - 1 && cancel.load(Ordering::Relaxed) {
            break;
        }
        let mut moves = goal.board().legal_moves(&state);
        if moves.len() > 1 {
            moves.retain(|mv| Some(mv.reversed()) != last);
        }
        if moves.is_empty() {
            break;
        }
        let mv = moves[below(random, moves.len() as u64)];
        state.slide(mv);
        last = Some(mv);
    }
    state
}

pub(super) fn attempts(
    goal: &Puzzle,
    least: u32,
    most: u32,
    random: &mut Xoshiro256PlusPlus,
) -> State {
    let length = between(least, most, random);
    let board = goal.board();
    let mut state = *goal.start();
    let alone = |vertex: Vertex| board.lone_destinations(vertex).len();
    let most_ways = board.vertex_set().into_iter().map(alone).max().unwrap_or(0);
    let empty = board.vertex_count() - state.occupied().len();
    // No state has more moves: a token slides into an empty vertex only from where it could if it
    // were alone on the board.
    let ways = (empty * most_ways) as u64;
    for _ in 0..length {
        if let Some(&mv) = board.legal_moves(&state).get(below(random, ways)) {
            state.slide(mv);
        }
    }
    state
}
