//! Breadth-first search.

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, UnsolvableReason};

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::{Codec, with_codec};
use crate::engine::nodes::Nodes;
use crate::error::SolveError;
use crate::outcome::Outcome;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "breadth-first",
    summary: "breadth-first search from the start, layer after layer",
    guarantee: Guarantee::Optimal,
    source: "E. F. Moore, The shortest path through a maze, 1959, pp. 285-292",
    when: "the puzzle is small, or a plain algorithm is wanted to check others against",
    uses_heuristic: false,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run: |task: &Task<'_>, meter: &mut Meter<'_>| -> Result<Answer, SolveError> {
        let outcome = with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, meter));
        Ok((outcome, ALGORITHM.name))
    },
};

/// The nodes are their own queue: they are numbered in the order they are met.
fn search<const WORDS: usize>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    meter: &mut Meter<'_>,
) -> Outcome {
    let board = puzzle.board();
    let mut nodes = Nodes::<WORDS>::new();
    if let Err(limit) = nodes.insert_root(&codec.pack(puzzle.start()), 0) {
        return Outcome::LimitReached { limit, lower_bound: 0 };
    }
    let recorder = meter.recorder(ALGORITHM.name, puzzle);
    // Every state up to this depth has been met, and none is a goal.
    let mut depth = 0;
    let mut layer_end = nodes.len();
    let mut id = 0;
    while id < nodes.len() {
        if id == layer_end {
            (depth, layer_end) = (depth + 1, nodes.len());
        }
        let node = *nodes.get(id);
        let state = codec.unpack(&node.key);
        meter.stats.expanded += 1;
        if let Some(recorder) = &recorder {
            recorder.expand(|| nodes.expanded(codec, id, (depth, None), SearchEnd::Start));
        }
        for (from, label) in state.tokens() {
            for to in board.destinations(from, state.occupied()) {
                let mv = Move { from, to };
                meter.stats.generated += 1;
                let (child, is_new) = nodes.insert(&codec.moved(&node.key, label, mv), id, 0);
                if is_new {
                    let mut next = state;
                    next.slide(mv);
                    if puzzle.goal().is_met(&next) {
                        meter.note_end(nodes.bytes(), nodes.len().into());
                        let moves = nodes.path(codec, child);
                        let lower_bound = moves.len() as u32;
                        return Outcome::Solved { moves, optimal: true, lower_bound };
                    }
                }
            }
        }
        let lower_bound = depth + 1;
        if let Err(limit) = meter.check_storage(nodes.is_full(), || nodes.bytes(), lower_bound) {
            meter.note_end(nodes.bytes(), nodes.len().into());
            return Outcome::LimitReached { limit, lower_bound };
        }
        id += 1;
    }
    meter.note_end(nodes.bytes(), nodes.len().into());
    Outcome::Unsolvable(UnsolvableReason::Exhausted {
        end: SearchEnd::Start,
        states: u64::from(nodes.len()),
        labelled: None,
    })
}
