//! Breadth-first search from both ends.

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State, UnsolvableReason};

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::{Codec, Key, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::engine::resumable::Resumable;
use crate::error::SolveError;
use crate::observer::Recorder;
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
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// Goals that leave more than this open have no end to search back from.
pub(crate) const MAX_BACKWARD_ROOTS: usize = 1 << 16;

/// The states that meet the goal, when they are not too many.
pub(crate) fn ends(puzzle: &Puzzle) -> Result<Vec<State>, SolveError> {
    goal_states(puzzle, MAX_BACKWARD_ROOTS)
        .ok_or(SolveError::OpenGoal { algorithm: ALGORITHM.name, limit: MAX_BACKWARD_ROOTS })
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let goals = ends(task.puzzle)?;
    let outcome = with_codec!(task.puzzle, |codec| {
        let recorder = meter.recorder(ALGORITHM.name, task.puzzle);
        match Search::new(task.puzzle, &codec, &goals, recorder) {
            Ok(mut search) => search.run(meter),
            Err(limit) => Outcome::LimitReached { limit, lower_bound: 0 },
        }
    });
    Ok((outcome, ALGORITHM.name))
}

/// One of the two searches. A layer is a range of node numbers.
struct Side<const WORDS: usize> {
    end: SearchEnd,
    nodes: Nodes<WORDS>,
    frontier: std::ops::Range<NodeId>,
    /// The node of the frontier that is expanded next.
    next: NodeId,
    /// The depth of the frontier, or one more while it is being expanded.
    depth: u32,
}

impl<const WORDS: usize> Side<WORDS> {
    fn new(end: SearchEnd, roots: impl Iterator<Item = Key<WORDS>>) -> Result<Self, Limit> {
        let mut nodes = Nodes::new();
        for key in roots {
            nodes.insert_root(&key, 0)?;
        }
        let frontier = 0..nodes.len();
        Ok(Side { end, nodes, frontier, next: 0, depth: 0 })
    }

    fn begin_layer(&mut self) {
        self.next = self.frontier.start;
        self.depth += 1;
    }
}

/// Both searches. They continue where a limit on the number of states stopped them.
///
/// Moves are reversible, so the search from the goal plays the same moves.
pub(crate) struct Search<'a, const WORDS: usize> {
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    recorder: Option<Recorder<'a>>,
    sides: [Side<WORDS>; 2],
    /// The side whose layer is being grown.
    growing: usize,
}

impl<'a, const WORDS: usize> Search<'a, WORDS> {
    pub fn new(
        puzzle: &'a Puzzle,
        codec: &'a Codec<WORDS>,
        goals: &[State],
        recorder: Option<Recorder<'a>>,
    ) -> Result<Self, Limit> {
        let start = Side::new(SearchEnd::Start, std::iter::once(codec.pack(puzzle.start())))?;
        let goal = Side::new(SearchEnd::Goal, goals.iter().map(|state| codec.pack(state)))?;
        let mut search = Search { puzzle, codec, recorder, sides: [start, goal], growing: 0 };
        search.begin_layer();
        Ok(search)
    }

    /// Begins a layer of the side with the smaller frontier.
    fn begin_layer(&mut self) {
        let [start, goal] = &self.sides;
        self.growing = usize::from(goal.frontier.len() < start.frontier.len());
        self.sides[self.growing].begin_layer();
    }
}

impl<const WORDS: usize> Resumable for Search<'_, WORDS> {
    fn bytes(&self) -> u64 {
        self.sides.iter().fold(0, |sum, side| side.nodes.bytes().saturating_add(sum))
    }

    fn stored(&self) -> u64 {
        self.sides.iter().map(|side| u64::from(side.nodes.len())).sum()
    }

    fn expand_all(&mut self, meter: &mut Meter<'_>) -> Outcome {
        let (puzzle, codec) = (self.puzzle, self.codec);
        loop {
            let [start, goal] = &mut self.sides;
            let (side, other) = if self.growing == 0 { (start, goal) } else { (goal, start) };
            if side.frontier.is_empty() {
                let (end, states) = (side.end, u64::from(side.nodes.len()));
                return Outcome::Unsolvable(UnsolvableReason::Exhausted {
                    end,
                    states,
                    labelled: None,
                });
            }
            // All pairs of layers up to these depths, but for the one that is growing, are known
            // not to meet.
            let lower_bound = side.depth + other.depth;
            let depth = side.depth - 1;
            while side.next < side.frontier.end {
                let id = side.next;
                side.next += 1;
                if let Some(recorder) = &self.recorder {
                    recorder.expand(|| side.nodes.expanded(codec, id, (depth, None), side.end));
                }
                match expand(puzzle, codec, side, other, id, meter) {
                    Some((here, there)) => {
                        let (from_start, from_goal) =
                            if self.growing == 0 { (here, there) } else { (there, here) };
                        let mut moves = self.sides[0].nodes.path(codec, from_start);
                        let back = self.sides[1].nodes.path(codec, from_goal);
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
            side.frontier = side.frontier.end..side.nodes.len();
            self.begin_layer();
        }
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
