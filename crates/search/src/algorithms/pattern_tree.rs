//! The iteration of IDA* over pattern databases, for graphs with one empty vertex.
//!
//! A second representation for measured speed, tested against the iteration for any board: a state is
//! the label on each vertex and where each pattern's walk is, so that a node costs one look-up a successor
//! and partition, and nothing is allocated.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, State, Vertex};
use hyperslide_table::WalkState;

use super::idastar::Iteration;
use super::move_words::{Arrival, MoveWords, Step};
use crate::control::Meter;
use crate::heuristics::PatternWalks;
use crate::outcome::Limit;

/// Partitions that are followed at most: the others would be weaker than what they cost.
const PARTITIONS: usize = 2;
/// Neighbours whose look-ups are in flight together.
const BATCH: usize = 4;

pub(super) struct PatternTree<'a> {
    puzzle: &'a Puzzle,
    walks: &'a PatternWalks,
    words: Arc<MoveWords>,
}

/// What changes during one iteration.
struct Run<'a, 'm> {
    /// The label's index on each vertex; that of the empty vertex means nothing.
    cells: [u8; MAX_VERTICES],
    at: Vec<WalkState>,
    tables: Vec<Part<'a>>,
    /// For each partition and label its part, or the number of parts.
    part_of: [[u8; MAX_VERTICES]; PARTITIONS],
    partitions: usize,
    words: &'a MoveWords,
    goal: &'a State,
    meter: &'a mut Meter<'m>,
    bound: u32,
    /// How far the nearest state beyond the bound exceeds it.
    least_excess: i32,
    limit: Option<Limit>,
    /// The solution's moves, last first.
    solution: Vec<Move>,
}

#[derive(Clone, Copy)]
struct Part<'a> {
    walk: &'a hyperslide_table::Walk,
    distances: &'a [u64],
    bits: &'a [u8; MAX_VERTICES],
}

impl<'a> PatternTree<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        walks: &'a PatternWalks,
        words: Arc<MoveWords>,
    ) -> PatternTree<'a> {
        PatternTree { puzzle, walks, words }
    }
}

impl Iteration for PatternTree<'_> {
    const LONGEST: u32 = 4_000;

    fn visit(
        &mut self,
        _: u32,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        meter.note_bytes(self.words.bytes());
        let Some((at, sums)) = self.walks.start(self.puzzle.start()) else {
            return ControlFlow::Continue(None);
        };
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in self.puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        let tables: Vec<Part<'_>> = self
            .walks
            .parts
            .iter()
            .map(|part| Part {
                walk: &part.walk,
                distances: part.walk.distances(),
                bits: &part.bits,
            })
            .collect();
        let none = tables.len() as u8;
        let partitions = self.walks.part_of.len().min(PARTITIONS);
        let mut part_of = [[none; MAX_VERTICES]; PARTITIONS];
        for (row, known) in part_of.iter_mut().zip(&self.walks.part_of) {
            for (entry, part) in row.iter_mut().zip(known) {
                *entry = part.unwrap_or(none);
            }
        }
        let mut slack = [i32::MAX / 2; PARTITIONS];
        for (slack, &sum) in slack.iter_mut().zip(&sums) {
            *slack = bound as i32 - sum as i32;
        }
        if let Some(over) = slack.iter().map(|slack| -slack).max().filter(|&over| over > 0) {
            return ControlFlow::Continue(Some(bound + over as u32));
        }
        let empty = self.puzzle.board().vertex_set() - self.puzzle.start().occupied();
        let root = MoveWords::root(empty.lowest().expect("one vertex is empty"));
        let mut run = Run {
            cells,
            at,
            tables,
            part_of,
            partitions,
            words: &self.words,
            goal: self.puzzle.goal().labelled(),
            meter,
            bound,
            least_excess: i32::MAX,
            limit: None,
            solution: Vec::new(),
        };
        let found = run.search(root, slack, bound as i32);
        match (found, run.limit) {
            (true, Some(limit)) => ControlFlow::Break(Err(limit)),
            (true, None) => {
                run.solution.reverse();
                ControlFlow::Break(Ok(run.solution))
            }
            (false, _) if run.least_excess == i32::MAX => ControlFlow::Continue(None),
            (false, _) => ControlFlow::Continue(Some(bound + run.least_excess as u32)),
        }
    }
}

impl Run<'_, '_> {
    /// Visits the states below one that each partition leaves this slack under the bound, with `left`
    /// moves up to the bound. Returns true to stop: with a solution or at a limit.
    fn search(&mut self, arrival: Arrival, slack: [i32; PARTITIONS], left: i32) -> bool {
        let words = self.words;
        if slack[0] == left && self.is_solved(words.empty(arrival)) {
            return true;
        }
        let (empty, steps) = (words.empty(arrival), words.steps(arrival));
        self.meter.stats.expanded += 1;
        self.meter.stats.generated += steps.len() as u64;
        if self.meter.stats.generated >= self.meter.next_poll()
            && let Err(limit) = self.meter.poll(0, self.bound)
        {
            self.limit = Some(limit);
            return true;
        }
        for (chunk, batch) in steps.chunks(BATCH).enumerate() {
            // All look-ups of the first partition, so that the machine can wait for them at once.
            let mut after = [WalkState::default(); BATCH];
            for (after, step) in after.iter_mut().zip(batch) {
                *after = self.slide(0, *step, empty);
            }
            for (number, (step, &after)) in batch.iter().zip(&after).enumerate() {
                let label = self.cells[(step.from & 63) as usize];
                let part = self.part_of[0][(label & 63) as usize] as usize;
                let mut rest = slack;
                rest[0] -= 1 + self.at.get(part).map_or(0, |&before| after.change_since(before));
                if rest[0] < 0 {
                    self.least_excess = self.least_excess.min(-rest[0]);
                    continue;
                }
                let (other, second) = if self.partitions > 1 {
                    let second = self.slide(1, *step, empty);
                    let other = self.part_of[1][(label & 63) as usize] as usize;
                    rest[1] -=
                        1 + self.at.get(other).map_or(0, |&before| second.change_since(before));
                    if rest[1] < 0 {
                        self.least_excess = self.least_excess.min(-rest[1]);
                        continue;
                    }
                    (other, second)
                } else {
                    (usize::MAX, WalkState::default())
                };
                let before = self.at.get(part).copied().unwrap_or_default();
                let other_before = self.at.get(other).copied().unwrap_or_default();
                self.put(part, after);
                self.put(other, second);
                self.cells[(empty & 63) as usize] = label;
                if self.search(step.next, rest, left - 1) {
                    if self.limit.is_none() {
                        let vertex = |v: u8| Vertex::new(v as usize & 63).expect("below 64");
                        self.solution.push(Move { from: vertex(step.from), to: vertex(empty) });
                        // The steps after this one were counted and not taken.
                        let taken = chunk * BATCH + number + 1;
                        self.meter.stats.generated -= (steps.len() - taken) as u64;
                    }
                    return true;
                }
                self.cells[(step.from & 63) as usize] = label;
                self.put(part, before);
                self.put(other, other_before);
            }
        }
        false
    }

    /// Whether all tokens are on their goals, also those in no part.
    fn is_solved(&self, empty: u8) -> bool {
        let is_met = |(vertex, label): (Vertex, Label)| {
            vertex.index() != empty as usize && self.cells[vertex.index()] as usize == label.index()
        };
        self.goal.tokens().all(is_met)
    }

    #[inline]
    fn put(&mut self, part: usize, state: WalkState) {
        if let Some(at) = self.at.get_mut(part) {
            *at = state;
        }
    }

    /// Where the part that moves is after a step.
    #[inline]
    fn slide(&self, partition: usize, step: Step, empty: u8) -> WalkState {
        let label = self.cells[(step.from & 63) as usize];
        let part = self.part_of[partition][(label & 63) as usize] as usize;
        let (Some(&at), Some(table)) = (self.at.get(part), self.tables.get(part)) else {
            return WalkState::default();
        };
        let bit = |v: u8| table.bits[(v & 63) as usize];
        table.walk.slide(table.distances, at, bit(step.from), bit(empty))
    }
}
