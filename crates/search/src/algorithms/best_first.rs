//! The one best-first engine: open list, closed list, reopening.

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, UnsolvableReason};

use crate::codec::Codec;
use crate::control::Meter;
use crate::heuristics::Heuristic;
use crate::nodes::{NO_PARENT, Nodes};
use crate::open_list::OpenList;
use crate::outcome::Outcome;

/// What makes a member of the best-first family.
pub(super) struct Recipe<F> {
    /// The priority f of a state from its cost so far g and its estimate h; the least is expanded
    /// first.
    pub priority: F,
    /// Whether f of an expanded state is a lower bound on the solution, and the first solution
    /// found therefore shortest: true for g + h with an admissible h.
    pub admissible: bool,
}

/// A node's mark: its estimate, and whether it is closed.
const CLOSED: u16 = 1 << 15;

fn open_mark(h: u32) -> u16 {
    assert!(h < u32::from(CLOSED), "an estimate of {h} moves is more than any puzzle here needs");
    h as u16
}

/// Searches from the start, always expanding the open state of least priority; ties go to the
/// deeper, then to the younger state.
///
/// The goal is recognised when it is expanded. Memory: see [`Nodes`], and 4 bytes an open state.
pub(super) fn search<const WORDS: usize, F: Fn(u32, u32) -> u32>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    heuristic: &dyn Heuristic,
    recipe: &Recipe<F>,
    meter: &mut Meter<'_>,
) -> Outcome {
    let board = puzzle.board();
    let mut nodes = Nodes::<WORDS>::new();
    let mut open = OpenList::default();
    let mut lower_bound = 0;

    let (root, _) = nodes.insert(&codec.pack(puzzle.start()), NO_PARENT, 0);
    if let Some(h) = heuristic.estimate(puzzle.start()) {
        nodes.get_mut(root).mark = open_mark(h);
        open.push((recipe.priority)(0, h), 0, root);
    }
    while let Some((f, g, id)) = open.pop() {
        let node = nodes.get_mut(id);
        if node.mark & CLOSED != 0 || node.depth != g {
            continue; // A shorter way was found after this entry was pushed.
        }
        let h = u32::from(node.mark);
        node.mark |= CLOSED;
        let key = node.key;
        let state = codec.unpack(&key);
        if recipe.admissible {
            lower_bound = lower_bound.max(f);
        }
        if puzzle.goal().is_met(&state) {
            meter.note_end(nodes.bytes().saturating_add(open.bytes()), nodes.len().into());
            let moves = nodes.path(codec, id);
            let optimal = recipe.admissible;
            let lower_bound = if optimal { moves.len() as u32 } else { lower_bound };
            return Outcome::Solved { moves, optimal, lower_bound };
        }
        meter.stats.expanded += 1;
        let occupied = state.occupied();
        let depth = g.checked_add(1).expect("no search here is 65,535 moves deep");
        for (from, label) in state.tokens() {
            for to in board.destinations(from, occupied) {
                let mv = Move { from, to };
                meter.stats.generated += 1;
                let Some(h) = heuristic.after_move(h, &state, label, mv) else { continue };
                let (child, is_new) = nodes.insert(&codec.moved(&key, label, mv), id, depth);
                if !is_new {
                    let known = nodes.get_mut(child);
                    if known.depth <= depth {
                        continue;
                    }
                    meter.stats.reopened += u64::from(known.mark & CLOSED != 0);
                    (known.depth, known.parent) = (depth, id);
                }
                nodes.get_mut(child).mark = open_mark(h);
                open.push((recipe.priority)(u32::from(depth), h), depth, child);
            }
        }
        if let Err(limit) = meter.check(|| nodes.bytes().saturating_add(open.bytes()), lower_bound)
        {
            meter.note_end(nodes.bytes().saturating_add(open.bytes()), nodes.len().into());
            return Outcome::LimitReached { limit, best: None, lower_bound };
        }
    }
    meter.note_end(nodes.bytes().saturating_add(open.bytes()), nodes.len().into());
    Outcome::Unsolvable(UnsolvableReason::Exhausted {
        end: SearchEnd::Start,
        states: u64::from(nodes.len()),
    })
}
