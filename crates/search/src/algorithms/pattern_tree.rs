//! The iteration of IDA* over pattern databases, for graphs with one empty vertex.
//!
//! A second representation for measured speed, tested against the iteration for any board: a state is
//! the label on each vertex and where each pattern's walk is, so that a node costs one look-up a successor
//! and partition, and nothing is allocated.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, State, Vertex};
use hyperslide_table::{Walk, WalkState};

use super::idastar::Iteration;
use super::move_words::{Arrival, MoveWords, Step};
use crate::control::Meter;
use crate::heuristics::PatternWalks;
use crate::outcome::Limit;

/// Partitions that are followed at most: the others would be weaker than what they cost.
const PARTITIONS: usize = 2;
/// Parts of all partitions, and one that stands for none.
const PARTS: usize = 64;
const NO_PART: u8 = PARTS as u8 - 1;
/// Neighbours whose look-ups are in flight together.
const BATCH: usize = 4;

pub(super) struct PatternTree<'a> {
    puzzle: &'a Puzzle,
    walks: &'a PatternWalks,
    words: Arc<MoveWords>,
    /// Where the walks begin, and the sum of each partition there; none where the goal is out of reach.
    start: Option<(Vec<WalkState>, Vec<u32>)>,
}

/// What one visit looks things up in.
struct Tables<'a> {
    words: &'a MoveWords,
    goal: &'a State,
    parts: [Option<Part<'a>>; PARTS],
    /// For each partition and label its part, or [`NO_PART`].
    part_of: [[u8; MAX_VERTICES]; PARTITIONS],
}

#[derive(Clone, Copy)]
struct Part<'a> {
    walk: &'a Walk,
    bits: &'a [u8; MAX_VERTICES],
}

/// What changes during one visit.
struct Run<'a, 'm> {
    tables: &'a Tables<'a>,
    /// The label's index on each vertex; that of the empty vertex means nothing.
    cells: [u8; MAX_VERTICES],
    at: [WalkState; PARTS],
    meter: &'a mut Meter<'m>,
    bound: u32,
    /// How far the nearest state beyond the bound exceeds it.
    least_excess: i32,
    limit: Option<Limit>,
    /// The solution's moves, last first.
    solution: Vec<Move>,
}

impl<'a> PatternTree<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        walks: &'a PatternWalks,
        words: Arc<MoveWords>,
    ) -> PatternTree<'a> {
        PatternTree { puzzle, walks, words, start: walks.start(puzzle.start()) }
    }

    fn partitions(&self) -> usize {
        self.walks.part_of.len().min(PARTITIONS)
    }

    fn tables(&self) -> Tables<'_> {
        let mut tables = Tables {
            words: &self.words,
            goal: self.puzzle.goal().labelled(),
            parts: [None; PARTS],
            part_of: [[NO_PART; MAX_VERTICES]; PARTITIONS],
        };
        for (entry, part) in tables.parts[..NO_PART as usize].iter_mut().zip(&self.walks.parts) {
            *entry = Some(Part { walk: &part.walk, bits: &part.bits });
        }
        for (row, known) in tables.part_of.iter_mut().zip(&self.walks.part_of) {
            for (entry, part) in row.iter_mut().zip(known) {
                *entry = part.unwrap_or(NO_PART);
            }
        }
        tables
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
        let Some((start, sums)) = &self.start else {
            return ControlFlow::Continue(None);
        };
        let over = sums[..self.partitions()].iter().max().map_or(0, |&h| h as i32 - bound as i32);
        if over > 0 {
            return ControlFlow::Continue(Some(bound + over as u32));
        }
        let tables = self.tables();
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in self.puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        let mut at = [WalkState::default(); PARTS];
        at[..start.len()].copy_from_slice(start);
        let empty = self.puzzle.board().vertex_set() - self.puzzle.start().occupied();
        let root = MoveWords::root(empty.lowest().expect("one vertex is empty"));
        let mut run = Run {
            tables: &tables,
            cells,
            at,
            meter,
            bound,
            least_excess: i32::MAX,
            limit: None,
            solution: Vec::new(),
        };
        let slack = |partition: usize| bound as i32 - sums[partition] as i32;
        let found = if self.partitions() == 1 {
            best_search::<1>()(&mut run, root, [slack(0)], bound as i32)
        } else {
            best_search::<2>()(&mut run, root, [slack(0), slack(1)], bound as i32)
        };
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

/// A compilation of [`Run::search_with`] for some instructions; each calls itself for the states below.
type Search<const P: usize> = fn(&mut Run<'_, '_>, Arrival, [i32; P], i32) -> bool;

fn portable_search<const P: usize>(
    run: &mut Run<'_, '_>,
    arrival: Arrival,
    slack: [i32; P],
    left: i32,
) -> bool {
    run.search_with(portable_search, arrival, slack, left)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "called only where its instructions are there")]
fn counting_search<const P: usize>(
    run: &mut Run<'_, '_>,
    arrival: Arrival,
    slack: [i32; P],
    left: i32,
) -> bool {
    #[target_feature(enable = "popcnt,bmi1,bmi2")]
    fn search<const P: usize>(
        run: &mut Run<'_, '_>,
        arrival: Arrival,
        slack: [i32; P],
        left: i32,
    ) -> bool {
        run.search_with(counting_search, arrival, slack, left)
    }
    // SAFETY: `best_search` gives this function only where it found the instructions.
    unsafe { search(run, arrival, slack, left) }
}

/// The fastest compilation that this machine runs: a slide counts bits, which takes one instruction or a
/// dozen.
fn best_search<const P: usize>() -> Search<P> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        return counting_search;
    }
    portable_search
}

impl Run<'_, '_> {
    /// Visits the states below one that each partition leaves this slack under the bound, with `left`
    /// moves up to the bound. Returns true to stop: with a solution or at a limit.
    #[inline(always)]
    fn search_with<const P: usize>(
        &mut self,
        search: Search<P>,
        arrival: Arrival,
        slack: [i32; P],
        left: i32,
    ) -> bool {
        let words = self.tables.words;
        let (empty, steps) = (words.empty(arrival), words.steps(arrival));
        if slack[0] == left && self.is_solved(empty) {
            return true;
        }
        self.meter.stats.expanded += 1;
        self.meter.stats.generated += steps.len() as u64;
        if self.meter.stats.generated >= self.meter.next_poll()
            && let Err(limit) = self.meter.poll(0, self.bound)
        {
            self.limit = Some(limit);
            return true;
        }
        for (chunk, batch) in steps.chunks(BATCH).enumerate() {
            // All look-ups before any is used, so that the machine can wait for them at once.
            let mut after = [[WalkState::default(); P]; BATCH];
            for (after, step) in after.iter_mut().zip(batch) {
                for (partition, after) in after.iter_mut().enumerate() {
                    *after = self.slide(partition, *step, empty).1;
                }
            }
            for (number, (step, after)) in batch.iter().zip(&after).enumerate() {
                let mut rest = slack;
                let mut moved = [(0, WalkState::default()); P];
                let mut is_beyond = false;
                for (partition, (rest, moved)) in rest.iter_mut().zip(&mut moved).enumerate() {
                    *moved = (self.part(partition, *step), after[partition]);
                    *rest -= 1 + moved.1.change_since(self.at[moved.0]);
                    if *rest < 0 {
                        self.least_excess = self.least_excess.min(-*rest);
                        is_beyond = true;
                        break;
                    }
                }
                if is_beyond {
                    continue;
                }
                for (part, at) in &mut moved {
                    std::mem::swap(&mut self.at[*part], at);
                }
                let label = self.cells[(step.from & 63) as usize];
                self.cells[(empty & 63) as usize] = label;
                if search(self, step.next, rest, left - 1) {
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
                for (part, at) in moved {
                    self.at[part] = at;
                }
            }
        }
        false
    }

    /// Whether all tokens are on their goals, also those in no part.
    fn is_solved(&self, empty: u8) -> bool {
        let is_met = |(vertex, label): (Vertex, Label)| {
            vertex.index() != empty as usize && self.cells[vertex.index()] as usize == label.index()
        };
        self.tables.goal.tokens().all(is_met)
    }

    /// The part of the token that a step moves.
    #[inline(always)]
    fn part(&self, partition: usize, step: Step) -> usize {
        let label = self.cells[(step.from & 63) as usize];
        (self.tables.part_of[partition][(label & 63) as usize] & NO_PART) as usize
    }

    /// The part that a step moves, and where it is after it.
    #[inline(always)]
    fn slide(&self, partition: usize, step: Step, empty: u8) -> (usize, WalkState) {
        let part = self.part(partition, step);
        let at = self.at[part];
        let Some(Part { walk, bits }) = &self.tables.parts[part] else { return (part, at) };
        let bit = |v: u8| bits[(v & 63) as usize];
        (part, walk.slide(at, bit(step.from), bit(empty)))
    }
}
