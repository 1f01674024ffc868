//! The number of legal move sequences of a given length.

use crate::board::Board;
use crate::state::State;

/// Returns the number of legal sequences of exactly `length` moves from a state. The count
/// saturates at `u128::MAX`.
///
/// Programs compare these counts to check that they play by the same rules. Cost: one visit for
/// each sequence of `length - 1` moves.
///
/// ```
/// # use hyperslide_puzzle::{Puzzle, perft};
/// let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,8,0")?;
/// assert_eq!(perft(puzzle.board(), puzzle.start(), 2), 6);
/// # Ok::<(), hyperslide_puzzle::PuzzleError>(())
/// ```
pub fn perft(board: &Board, state: &State, length: u32) -> u128 {
    if length == 0 {
        return 1;
    }
    let moves = board.legal_moves(state);
    if length == 1 {
        return moves.len() as u128;
    }
    moves.into_iter().fold(0u128, |count, mv| {
        let mut next = *state;
        next.slide(mv);
        count.saturating_add(perft(board, &next, length - 1))
    })
}
