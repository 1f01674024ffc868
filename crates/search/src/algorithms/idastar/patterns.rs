//! The recursion of IDA* over pattern databases, for graphs with one empty vertex.
//!
//! A second representation for measured speed, tested against the iteration for any board: a state
//! is the label on each vertex and the position of each pattern's cursor, so that a node costs one
//! look-up for each successor and partition, and nothing is allocated.

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, State, Vertex, VertexSet};
use hyperslide_table::{CursorState, Lookup, PatternCursor};

use super::batches::{FEW_PARTS, search_in_batches};
#[cfg(target_arch = "x86_64")]
use super::has_bit_instructions;
use super::spectator::{Position, Spectator};
use crate::engine::cells::{slide_of, state_of};
use crate::engine::move_pruning::{MovePruning, PruningState, Step};
use crate::heuristics::{IncrementalPatterns, NO_PART, PARTITIONS};
use crate::outcome::Limit;

/// Places for the parts of all partitions, and for [`NO_PART`].
pub(crate) const PARTS: usize = NO_PART as usize + 1;
/// Neighbours whose look-ups are in flight together.
const BATCH: usize = 4;

/// In blocks of at least this many bytes, most slides lead to another cache line.
const LARGE: usize = 512;

/// The tables of one visit.
pub(crate) struct Tables<'a> {
    pub pruning: &'a MovePruning,
    followed: &'a IncrementalPatterns<'a>,
    vertices: VertexSet,
    pub goal: &'a State,
    parts: [Option<Part<'a>>; PARTS],
    /// For each partition and label its part, or [`NO_PART`].
    part_of: [[u8; MAX_VERTICES]; PARTITIONS],
}

#[derive(Clone, Copy)]
struct Part<'a> {
    walk: &'a PatternCursor,
    bits: &'a [u8; MAX_VERTICES],
}

impl<'a> Tables<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        pruning: &'a MovePruning,
        followed: &'a IncrementalPatterns<'a>,
    ) -> Tables<'a> {
        let mut tables = Tables {
            pruning,
            followed,
            vertices: puzzle.board().vertex_set(),
            goal: puzzle.goal().labelled(),
            parts: [None; PARTS],
            part_of: [[NO_PART; MAX_VERTICES]; PARTITIONS],
        };
        let entries = tables.parts[..NO_PART as usize].iter_mut();
        for (entry, part) in entries.zip(&followed.walks.parts) {
            *entry = Some(Part { walk: &part.walk, bits: &part.bits });
        }
        for (row, known) in tables.part_of.iter_mut().zip(&followed.walks.part_of) {
            *row = *known;
        }
        tables
    }

    /// The part that a label belongs to in a partition.
    #[inline(always)]
    pub fn part(&self, partition: usize, label: u8) -> usize {
        (self.part_of[partition][(label & 63) as usize] & NO_PART) as usize
    }

    /// The position of a part after a step of one of its tokens, or the same position after a step
    /// of a token that is in no part.
    #[inline(always)]
    pub fn slide(&self, part: usize, at: CursorState, step: Step, empty: u8) -> CursorState {
        let Some(Part { walk, bits }) = &self.parts[part & (PARTS - 1)] else { return at };
        let bit = |v: u8| bits[(v & 63) as usize];
        walk.slide(at, bit(step.from), bit(empty))
    }

    /// The place of the distance after such a step, which is prefetched; any place for tokens that
    /// are in no part.
    #[inline(always)]
    pub fn aim(&self, part: usize, at: CursorState, step: Step, empty: u8) -> Lookup {
        let Some(Part { walk, bits }) = &self.parts[part & (PARTS - 1)] else {
            return Lookup::default();
        };
        let bit = |v: u8| bits[(v & 63) as usize];
        let aim = walk.lookup(at, bit(step.from), bit(empty));
        walk.prefetch(aim);
        aim
    }

    /// The position of a part after a step, given the place that was prefetched; `None` for tokens
    /// that are in no part.
    #[inline(always)]
    pub fn arrive(
        &self,
        part: usize,
        at: CursorState,
        step: Step,
        empty: u8,
        aim: Lookup,
    ) -> Option<CursorState> {
        let Part { walk, bits } = self.parts[part & (PARTS - 1)].as_ref()?;
        let bit = |v: u8| bits[(v & 63) as usize];
        Some(walk.arrive(at, bit(step.from), bit(empty), aim))
    }

    /// By how much the heuristics other than pattern databases exceed the moves left, if they do;
    /// `None` when the goal certainly cannot be reached.
    pub fn excess_beside(
        &self,
        cells: &[u8; MAX_VERTICES],
        arrival: PruningState,
        left: i32,
    ) -> Option<i32> {
        if self.followed.are_alone() {
            return Some(0);
        }
        let state = state_of(cells, self.vertices, self.pruning.empty(arrival));
        let h = self.followed.beside(&state)?;
        Some((h as i32 - left).max(0))
    }

    /// The estimate of a state whose f is below the bound by this slack in each partition; for
    /// observers.
    pub fn estimate<const P: usize>(&self, position: Position<'_>, slack: [i32; P]) -> u32 {
        let Position { cells, empty, left } = position;
        let h = slack.iter().map(|slack| (left - slack).cast_unsigned()).max().unwrap_or(0);
        if self.followed.are_alone() {
            return h;
        }
        // States that cannot reach the goal are not expanded.
        h.max(self.followed.beside(&state_of(cells, self.vertices, empty)).unwrap_or(h))
    }

    /// Returns whether all tokens are on their goals, including those in no part.
    pub fn is_solved(&self, cells: &[u8; MAX_VERTICES], arrival: PruningState) -> bool {
        let empty = self.pruning.empty(arrival);
        let is_met = |(vertex, label): (Vertex, Label)| {
            vertex.index() != empty as usize && cells[vertex.index()] as usize == label.index()
        };
        self.goal.tokens().all(is_met)
    }

    /// Returns whether states are visited in batches.
    pub fn are_few_and_large(&self) -> bool {
        let parts: Vec<&Part<'_>> = self.parts.iter().flatten().collect();
        parts.len() <= FEW_PARTS && parts.iter().any(|part| part.walk.block_bytes() >= LARGE)
    }

    /// The fastest search over these tables on this machine.
    pub fn best_search<const P: usize, S: Spectator>(&self) -> Search<P, S> {
        if !self.followed.are_alone() {
            return search_beside;
        }
        if self.are_few_and_large() { fastest::<P, true, S>() } else { fastest::<P, false, S>() }
    }
}

/// Is given the numbers of states expanded and generated so far; returns the number of generated
/// states at which to call it again, or the limit that was reached.
type Look<'a> = &'a mut dyn FnMut((u64, u64)) -> Result<u64, Limit>;

/// What changes during one visit.
pub(crate) struct Run<'a, S> {
    pub tables: &'a Tables<'a>,
    /// The label's index on each vertex; that of the empty vertex means nothing.
    pub cells: [u8; MAX_VERTICES],
    pub at: [CursorState; PARTS],
    pub expanded: u64,
    pub generated: u64,
    /// The least estimate of an expanded state.
    pub least_h: i32,
    next_look: u64,
    look: Look<'a>,
    /// How far the nearest state beyond the bound exceeds it.
    pub least_excess: i32,
    pub limit: Option<Limit>,
    /// The solution's moves, last first.
    pub solution: Vec<Move>,
    pub spectator: S,
}

impl<'a, S> Run<'a, S> {
    pub fn new(
        tables: &'a Tables<'a>,
        cells: [u8; MAX_VERTICES],
        at: [CursorState; PARTS],
        next_look: u64,
        look: Look<'a>,
        spectator: S,
    ) -> Run<'a, S> {
        Run {
            tables,
            cells,
            at,
            expanded: 0,
            generated: 0,
            least_h: i32::MAX,
            next_look,
            look,
            least_excess: i32::MAX,
            limit: None,
            solution: Vec::new(),
            spectator,
        }
    }
}

/// A version of [`Run::search_with`] compiled for certain instructions; it calls itself for the
/// states below.
pub(crate) type Search<const P: usize, S> =
    fn(&mut Run<'_, S>, PruningState, [i32; P], i32) -> bool;

fn portable_search<const P: usize, S: Spectator>(
    run: &mut Run<'_, S>,
    arrival: PruningState,
    slack: [i32; P],
    left: i32,
) -> bool {
    run.search_with(portable_search, arrival, slack, left)
}

/// The recursion that evaluates the other heuristics where the pattern databases do not cut a state
/// off.
fn search_beside<const P: usize, S: Spectator>(
    run: &mut Run<'_, S>,
    arrival: PruningState,
    slack: [i32; P],
    left: i32,
) -> bool {
    match run.tables.excess_beside(&run.cells, arrival, left) {
        Some(0) => run.search_with(search_beside, arrival, slack, left),
        excess => {
            run.least_excess = excess.unwrap_or(i32::MAX).min(run.least_excess);
            false
        }
    }
}

/// The recursion, or the visit in batches, with instructions that count bits. A slide counts bits,
/// which takes one such instruction or a dozen others.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "called only where its instructions are there")]
fn counting_search<const P: usize, const BATCHES: bool, S: Spectator>(
    run: &mut Run<'_, S>,
    arrival: PruningState,
    slack: [i32; P],
    left: i32,
) -> bool {
    #[target_feature(enable = "popcnt,bmi1,bmi2")]
    fn search<const P: usize, const BATCHES: bool, S: Spectator>(
        run: &mut Run<'_, S>,
        arrival: PruningState,
        slack: [i32; P],
        left: i32,
    ) -> bool {
        if BATCHES {
            search_in_batches(run, arrival, slack, left)
        } else {
            run.search_with(counting_search::<P, false, S>, arrival, slack, left)
        }
    }
    // SAFETY: `fastest` gives this function only where it found the instructions.
    unsafe { search::<P, BATCHES, S>(run, arrival, slack, left) }
}

/// The fastest version of the recursion, or of the visit in batches, on this machine.
pub(crate) fn fastest<const P: usize, const BATCHES: bool, S: Spectator>() -> Search<P, S> {
    #[cfg(target_arch = "x86_64")]
    if has_bit_instructions() {
        return counting_search::<P, BATCHES, S>;
    }
    if BATCHES { search_in_batches } else { portable_search }
}

impl<S: Spectator> Run<'_, S> {
    /// Reports the counted states when it is time to, and returns whether a limit was reached.
    #[inline(always)]
    pub fn is_over(&mut self) -> bool {
        if self.generated >= self.next_look {
            match (self.look)((self.expanded, self.generated)) {
                Ok(next) => self.next_look = next,
                Err(limit) => self.limit = Some(limit),
            }
        }
        self.limit.is_some()
    }

    /// Visits the states below one whose f is below the bound by this slack in each partition, with
    /// `left` moves up to the bound. Returns true to stop: with a solution or at a limit.
    #[inline(always)]
    fn search_with<const P: usize>(
        &mut self,
        search: Search<P, S>,
        arrival: PruningState,
        slack: [i32; P],
        left: i32,
    ) -> bool {
        let pruning = self.tables.pruning;
        let (empty, steps) = (pruning.empty(arrival), pruning.steps(arrival));
        if slack[0] == left && self.tables.is_solved(&self.cells, arrival) {
            return true;
        }
        self.expanded += 1;
        self.note_estimate(slack, left);
        let position = Position { cells: &self.cells, empty, left };
        self.spectator.expand(position, || self.tables.estimate(position, slack));
        self.generated += steps.len() as u64;
        if self.is_over() {
            return true;
        }
        for (chunk, batch) in steps.chunks(BATCH).enumerate() {
            // All look-ups before any is used, so that the machine can wait for them at once.
            let mut after = [[CursorState::default(); P]; BATCH];
            for (after, step) in after.iter_mut().zip(batch) {
                for (partition, after) in after.iter_mut().enumerate() {
                    let part = self.part(partition, *step);
                    *after = self.tables.slide(part, self.at[part], *step, empty);
                }
            }
            for (number, (step, after)) in batch.iter().zip(&after).enumerate() {
                let mut rest = slack;
                let mut moved = [(0, CursorState::default()); P];
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
                self.spectator.descend(empty);
                if search(self, step.next, rest, left - 1) {
                    if self.limit.is_none() {
                        self.solution.push(slide_of(step.from, empty));
                        // The steps after this one were counted and not taken.
                        let taken = chunk * BATCH + number + 1;
                        self.generated -= (steps.len() - taken) as u64;
                    }
                    return true;
                }
                self.spectator.ascend();
                self.cells[(step.from & 63) as usize] = label;
                for (part, at) in moved {
                    self.at[part] = at;
                }
            }
        }
        false
    }

    /// Remembers the estimate of an expanded state whose f is below the bound by this slack in each
    /// partition.
    #[inline(always)]
    pub fn note_estimate<const P: usize>(&mut self, slack: [i32; P], left: i32) {
        let h = slack.iter().fold(0, |h, slack| h.max(left - slack));
        self.least_h = self.least_h.min(h);
    }

    /// The part of the token that a step moves.
    #[inline(always)]
    fn part(&self, partition: usize, step: Step) -> usize {
        self.tables.part(partition, self.cells[(step.from & 63) as usize])
    }
}
