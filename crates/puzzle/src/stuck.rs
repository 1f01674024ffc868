//! Tokens that can be shown never to move.

use crate::board::Board;
use crate::vertex::VertexSet;

/// Returns the vertices of tokens that provably never move, whatever the others do: the greatest
/// set of tokens whose members block each other even if all other tokens are removed.
///
/// The first of them to move would do so while the others are still in place, and they block it.
/// The set is its own certificate: no member has any [`Board::destinations`] when exactly the set
/// is occupied. The set may miss stuck tokens; exploring the occupancy component misses none.
/// Source: Lemma 2.6 of Beyer et al. 2023.
///
/// ```
/// # use hyperslide_puzzle::{Puzzle, provably_stuck};
/// // Four tokens fill a face of the 3-cube and a fifth moves on the opposite one.
/// let puzzle = Puzzle::from_line("cube:3:2 a=0,b=1,c=2,d=3,e=7 -> a=0,b=1,c=2,d=3,e=4")?;
/// let stuck = provably_stuck(puzzle.board(), puzzle.start().occupied());
/// assert_eq!(stuck.bits(), 0b1111);
/// # Ok::<(), hyperslide_puzzle::PuzzleError>(())
/// ```
pub fn provably_stuck(board: &Board, occupied: VertexSet) -> VertexSet {
    let mut stuck = occupied;
    loop {
        let before = stuck;
        for vertex in before {
            if !board.destinations(vertex, stuck).is_empty() {
                stuck.remove(vertex);
            }
        }
        if stuck == before {
            return stuck;
        }
    }
}
