//! The visit of IDA* over few and large pattern databases: several states at a time.
//!
//! A second way through the same tree, for measured speed, tested against the recursion. Where a
//! pattern has seven or eight tokens, a slide nearly always leads to a cache line of the table that
//! no cache holds, and the recursion spends three quarters of its time waiting for it. Here what
//! several states need is prefetched together. Where patterns are small and many, the recursion is
//! faster, because nothing has to be copied.

use hyperslide_puzzle::{MAX_VERTICES, Move};
use hyperslide_table::{CursorState, Lookup};

use super::patterns::{Run, Tables};
use super::spectator::{Position, Spectator};
use crate::engine::cells::slide_of;
use crate::engine::move_pruning::PruningState;

/// States that are expanded together.
const BATCH: usize = 4;
/// Among this many of the states met last, those with the least estimates are expanded first. The
/// last iteration then ends a fifth sooner than without a choice; a window twice as large takes
/// longer to choose from than it saves.
const WINDOW: usize = 16;
/// The greatest number of parts that all partitions together may have.
pub(crate) const FEW_PARTS: usize = 4;

/// A state that was met: 160 bytes. A few are kept for each move of a path.
#[derive(Clone, Copy)]
struct Frame<const P: usize> {
    cells: [u8; MAX_VERTICES],
    at: [CursorState; FEW_PARTS],
    arrival: PruningState,
    slack: [i32; P],
    left: i32,
    /// The state it was met from; that of the root is its own number.
    parent: u32,
    /// The number of states below it that are kept, and one more until its own successors have been
    /// generated.
    kept: u32,
    /// The slide that led here.
    slide: (u8, u8),
}

impl<const P: usize> Frame<P> {
    /// Greater where the estimates of all partitions are less.
    fn rank(&self) -> i32 {
        self.slack.iter().map(|slack| slack - self.left).sum()
    }
}

/// One partition's look-up of one successor.
#[derive(Clone, Copy)]
struct Look {
    part: u8,
    aim: Lookup,
}

/// States that are expanded together, and what has to be looked up for their successors.
#[derive(Default)]
struct Batch {
    states: Vec<u32>,
    /// One for each successor and partition.
    looks: Vec<Look>,
}

/// The states that are needed: those to expand, the next last, and those above them.
struct Frames<const P: usize> {
    all: Vec<Frame<P>>,
    free: Vec<u32>,
    /// The states to expand, each after its rank.
    open: Vec<(i32, u32)>,
}

impl<const P: usize> Frames<P> {
    fn add(&mut self, frame: Frame<P>) {
        self.all[frame.parent as usize].kept += 1;
        let rank = frame.rank();
        let number = match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = frame;
                number
            }
            None => {
                self.all.push(frame);
                self.all.len() as u32 - 1
            }
        };
        self.open.push((rank, number));
    }

    /// Takes the next states to expand, and prefetches what they need.
    #[inline(always)]
    fn begin(&mut self, tables: &Tables<'_>, batch: &mut Batch) {
        let window = self.open.len().saturating_sub(WINDOW);
        self.open[window..].sort_by_key(|&(rank, _)| rank);
        let first = self.open.len().saturating_sub(BATCH);
        batch.states.clear();
        batch.states.extend(self.open.drain(first..).map(|(_, number)| number));
        batch.looks.clear();
        for &number in &batch.states {
            let frame = &self.all[number as usize];
            let empty = tables.pruning.empty(frame.arrival);
            for step in tables.pruning.steps(frame.arrival) {
                let label = frame.cells[(step.from & 63) as usize];
                for partition in 0..P {
                    let part = tables.part(partition, label);
                    let aim = tables.aim(part, frame.at[part % FEW_PARTS], *step, empty);
                    batch.looks.push(Look { part: part as u8, aim });
                }
            }
        }
    }

    /// The slides to a state, last first.
    fn path(&self, to: &Frame<P>) -> Vec<Move> {
        let mut slides = Vec::new();
        let mut frame = to;
        while frame.left < self.all[0].left {
            slides.push(slide_of(frame.slide.0, frame.slide.1));
            frame = &self.all[frame.parent as usize];
        }
        slides
    }

    /// Shows the expansion of a state to the spectator.
    fn show<S: Spectator>(&self, number: u32, run: &mut Run<'_, S>) {
        let frame = &self.all[number as usize];
        let (cells, empty) = (&frame.cells, run.tables.pruning.empty(frame.arrival));
        let position = Position { cells, empty, left: frame.left };
        let is_root = frame.parent == number;
        if !is_root {
            run.spectator.descend(frame.slide.1);
        }
        run.spectator.expand(position, || run.tables.estimate(position, frame.slack));
        if !is_root {
            run.spectator.ascend();
        }
    }

    /// Forgets a state that is expanded, and those above it that have nothing else below them.
    fn release(&mut self, mut number: u32) {
        loop {
            let frame = &mut self.all[number as usize];
            frame.kept -= 1;
            if frame.kept > 0 || frame.parent == number {
                return;
            }
            self.free.push(number);
            number = frame.parent;
        }
    }
}

/// Does the same as [`Run::search_with`], with the same arguments and result; among several
/// solutions of the same length it may find another one.
#[inline(always)]
pub(crate) fn search_in_batches<const P: usize, S: Spectator>(
    run: &mut Run<'_, S>,
    arrival: PruningState,
    slack: [i32; P],
    left: i32,
) -> bool {
    let (tables, pruning) = (run.tables, run.tables.pruning);
    if slack[0] == left && tables.is_solved(&run.cells, arrival) {
        return true;
    }
    let mut at = [CursorState::default(); FEW_PARTS];
    at.copy_from_slice(&run.at[..FEW_PARTS]);
    let root =
        Frame { cells: run.cells, at, arrival, slack, left, parent: 0, kept: 1, slide: (0, 0) };
    let mut frames = Frames { all: vec![root], free: Vec::new(), open: vec![(0, 0)] };
    let (mut batch, mut coming) = (Batch::default(), Batch::default());
    loop {
        // While these are on their way from memory, those before them are expanded.
        frames.begin(tables, &mut coming);
        if batch.states.is_empty() && coming.states.is_empty() {
            return false;
        }
        run.expanded += batch.states.len() as u64;
        run.generated += (batch.looks.len() / P) as u64;
        if S::WATCHES {
            batch.states.iter().for_each(|&number| frames.show(number, run));
        }
        if run.is_over() {
            return true;
        }
        let mut looks = batch.looks.chunks_exact(P);
        for &number in &batch.states {
            let frame = frames.all[number as usize];
            run.note_estimate(frame.slack, frame.left);
            let empty = pruning.empty(frame.arrival);
            for (step, looks) in pruning.steps(frame.arrival).iter().zip(&mut looks) {
                let mut slack = frame.slack;
                let mut moved = [None; P];
                let mut excess = 0;
                for ((slack, moved), look) in slack.iter_mut().zip(&mut moved).zip(looks) {
                    let part = look.part as usize;
                    let before = frame.at[part % FEW_PARTS];
                    let after = tables.arrive(part, before, *step, empty, look.aim);
                    *slack -= 1 + after.map_or(0, |after| after.change_since(before));
                    *moved = after.map(|after| (part, after));
                    excess = excess.max(-*slack);
                }
                if excess > 0 {
                    run.least_excess = run.least_excess.min(excess);
                    continue;
                }
                let mut next = Frame {
                    arrival: step.next,
                    slack,
                    left: frame.left - 1,
                    parent: number,
                    kept: 1,
                    slide: (step.from, empty),
                    ..frame
                };
                for (part, after) in moved.into_iter().flatten() {
                    next.at[part % FEW_PARTS] = after;
                }
                next.cells[(empty & 63) as usize] = frame.cells[(step.from & 63) as usize];
                if next.slack[0] == next.left && tables.is_solved(&next.cells, next.arrival) {
                    run.solution = frames.path(&next);
                    return true;
                }
                frames.add(next);
            }
            frames.release(number);
        }
        std::mem::swap(&mut batch, &mut coming);
    }
}
