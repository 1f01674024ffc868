//! Whether the goal can be reached at all, decided within the limits of a search.

use std::cell::Cell;

use hyperslide_puzzle::{Effort, Puzzle, Solvability, decide_solvability};

use crate::control::Meter;
use crate::outcome::Limit;

/// Decides solvability within the limits of the search.
///
/// # Errors
///
/// The limit that left it undecided, if it was not the effort.
pub(crate) fn decide(
    puzzle: &Puzzle,
    effort: Effort,
    meter: &mut Meter<'_>,
) -> Result<Solvability, Limit> {
    let (peak, reached) = (Cell::new(0), Cell::new(None));
    let answer = decide_solvability(puzzle, effort, &|bytes| {
        peak.set(bytes.max(peak.get()));
        // What grows may double before the next look.
        let limit = meter.reached(bytes.saturating_mul(2));
        reached.set(reached.get().or(limit));
        limit.is_some()
    });
    meter.note_bytes(peak.get());
    match (answer, reached.get()) {
        (Solvability::Undecided, Some(limit)) => Err(limit),
        (answer, _) => Ok(answer),
    }
}

/// How many occupied sets there can be: C(vertices, tokens), or far more than can be explored.
pub(crate) fn most_occupied_sets(puzzle: &Puzzle) -> usize {
    let vertices = puzzle.board().vertex_count();
    let tokens = puzzle.start().occupied().len();
    // C(n, i + 1) = C(n, i) (n - i) / (i + 1), exact at each step; saturates far above any limit.
    (0..tokens.min(vertices - tokens))
        .fold(1usize, |sets, i| sets.saturating_mul(vertices - i) / (i + 1))
}
