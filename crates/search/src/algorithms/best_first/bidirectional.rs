//! Breadth-first search from both ends.

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State, UnsolvableReason};

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::{Codec, Key, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use hyperslide_puzzle::goal_states;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "bidirectional",
    summary: "breadth-first search from both ends, which always grows the smaller frontier",
    guarantee: Guarantee::Optimal,
    source: "I. Pohl, Bi-directional search, Machine Intelligence 6, 1971, pp. 127-140",
    when: "estimates say little about the puzzle, as on cubes with k = d - 1, and the goal leaves \
           few states open",
    uses_heuristic: false,
    looks_up_tables: false,
    shows_expansions: true,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// Goals that leave more than this open have no end to search back from.
pub(crate) const MAX_GOAL_STATES: usize = 1 << 16;

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let goals = goal_states(task.puzzle, MAX_GOAL_STATES)
        .ok_or(SolveError::OpenGoal { algorithm: ALGORITHM.name, limit: MAX_GOAL_STATES })?;
    let outcome = with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &goals, meter));
    Ok((outcome, ALGORITHM.name))
}

/// One of the two searches. A layer is a range of node numbers.
struct Side<const WORDS: usize> {
    end: SearchEnd,
    nodes: Nodes<WORDS>,
    frontier: std::ops::Range<NodeId>,
    depth: u32,
}

impl<const WORDS: usize> Side<WORDS> {
    fn new(end: SearchEnd, roots: impl Iterator<Item = Key<WORDS>>) -> Result<Self, Limit> {
        let mut nodes = Nodes::new();
        for key in roots {
            nodes.insert_root(&key, 0)?;
        }
        let frontier = 0..nodes.len();
        Ok(Side { end, nodes, frontier, depth: 0 })
    }
}

/// Moves are reversible, so the search from the goal plays the same moves.
fn search<const WORDS: usize>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    goals: &[State],
    meter: &mut Meter<'_>,
) -> Outcome {
    let start = Side::new(SearchEnd::Start, std::iter::once(codec.pack(puzzle.start())));
    let goal = Side::new(SearchEnd::Goal, goals.iter().map(|state| codec.pack(state)));
    let mut sides = match (start, goal) {
        (Ok(start), Ok(goal)) => [start, goal],
        (Err(limit), _) | (_, Err(limit)) => {
            return Outcome::LimitReached { limit, lower_bound: 0 };
        }
    };
    let outcome = grow(puzzle, codec, &mut sides, meter);
    let [start, goal] = &sides;
    let stored = u64::from(start.nodes.len()) + u64::from(goal.nodes.len());
    meter.note_end(start.nodes.bytes().saturating_add(goal.nodes.bytes()), stored);
    outcome
}

/// Grows the smaller frontier by a layer until the searches meet.
fn grow<const WORDS: usize>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    sides: &mut [Side<WORDS>; 2],
    meter: &mut Meter<'_>,
) -> Outcome {
    let recorder = meter.recorder(ALGORITHM.name, puzzle);
    loop {
        let smaller = usize::from(sides[1].frontier.len() < sides[0].frontier.len());
        let [start, goal] = &mut *sides;
        let (side, other) = if smaller == 0 { (start, goal) } else { (goal, start) };
        if side.frontier.is_empty() {
            let (end, states) = (side.end, u64::from(side.nodes.len()));
            return Outcome::Unsolvable(UnsolvableReason::Exhausted {
                end,
                states,
                labelled: None,
            });
        }
        // All pairs of layers up to these depths are known not to meet.
        let lower_bound = side.depth + other.depth + 1;
        let layer_end = side.nodes.len();
        let depth = side.depth;
        side.depth += 1;
        for id in side.frontier.clone() {
            if let Some(recorder) = &recorder {
                recorder.expand(|| side.nodes.expanded(codec, id, (depth, None), side.end));
            }
            match expand(puzzle, codec, side, other, id, meter) {
                Some((here, there)) => {
                    let (from_start, from_goal) =
                        if smaller == 0 { (here, there) } else { (there, here) };
                    let mut moves = sides[0].nodes.path(codec, from_start);
                    let back = sides[1].nodes.path(codec, from_goal);
                    moves.extend(back.into_iter().rev().map(Move::reversed));
                    let lower_bound = moves.len() as u32;
                    return Outcome::Solved { moves, optimal: true, lower_bound };
                }
                None => {
                    let bytes = || side.nodes.bytes().saturating_add(other.nodes.bytes());
                    let is_full = side.nodes.is_full();
                    if let Err(limit) = meter.check_storage(is_full, bytes, lower_bound) {
                        return Outcome::LimitReached { limit, lower_bound };
                    }
                }
            }
        }
        side.frontier = layer_end..side.nodes.len();
    }
}

/// Expands a node; returns where the two searches meet.
fn expand<const WORDS: usize>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    side: &mut Side<WORDS>,
    other: &Side<WORDS>,
    id: NodeId,
    meter: &mut Meter<'_>,
) -> Option<(NodeId, NodeId)> {
    let key = side.nodes.get(id).key;
    let state = codec.unpack(&key);
    meter.stats.expanded += 1;
    for (from, label) in state.tokens() {
        for to in puzzle.board().destinations(from, state.occupied()) {
            meter.stats.generated += 1;
            let next = codec.moved(&key, label, Move { from, to });
            let (child, is_new) = side.nodes.insert(&next, id, 0);
            if is_new && let Some(there) = other.nodes.find(&next) {
                return Some((child, there));
            }
        }
    }
    None
}
