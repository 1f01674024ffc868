//! The iterations of IDA* over pattern databases: long ones are divided, and long searches follow
//! the partitions of the tokens that suit their puzzle best.

use std::ops::ControlFlow;

use hyperslide_puzzle::Move;

use super::Iteration;
use super::followed::{Allowance, Followed, next_bound};
use super::outline::Outline;
use super::parallel::{self, Known};
use super::partitions::Partitions;
use super::patterns::Tables;
use super::spectator::{Nobody, Reporter, Spectator};
use crate::algorithm::Task;
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, Resources};
use crate::observer::Recorder;
use crate::outcome::Limit;
use crate::proof::{Proof, ProofState};

/// Once the iterations so far have expanded this many states, the next one is divided.
const LONG: u64 = 20_000;
/// Once they have expanded this many, threads share it.
const LONG_FOR_THREADS: u64 = 200_000;

/// The tree below the start of a puzzle.
pub(crate) struct PatternTree<'a> {
    task: &'a Task<'a>,
    followed: Followed<'a>,
    partitions: Partitions,
    /// How many states the iterations so far and the comparison of partitions expanded.
    expanded: u64,
    /// What the last iteration saw, if it was divided.
    outline: Outline,
    /// The bound of the iteration that an earlier run began.
    continued: Option<u32>,
}

impl<'a> PatternTree<'a> {
    /// The tree of a puzzle by a heuristic that is made of pattern databases.
    pub fn new(task: &'a Task<'a>, heuristic: Box<dyn Heuristic>) -> PatternTree<'a> {
        let followed = Followed::new(task.puzzle, task.move_pruning(), heuristic);
        let (partitions, outline) = (Partitions::default(), Outline::default());
        PatternTree { task, followed, partitions, expanded: 0, outline, continued: None }
    }

    /// Bytes held in addition to the tables as long as no iteration is divided.
    pub fn bytes(&self) -> u64 {
        self.followed.pruning.bytes()
    }

    /// The estimate of the start; `None` where the goal is out of reach.
    pub fn estimate(&self) -> Option<u32> {
        self.followed.estimate()
    }
}

impl Iteration for PatternTree<'_> {
    const LONGEST: u32 = 4_000;

    fn resume(&mut self, meter: &mut Meter<'_>) -> Result<Option<u32>, SolveError> {
        let Some(state) = meter.proof().and_then(Proof::state) else { return Ok(None) };
        let ProofState { bound, before, compared, outline, .. } = state;
        meter.add_proof_cost(before);
        self.outline = Outline::new(outline);
        // Only those that are divided are kept.
        self.expanded = meter.stats.expanded.max(LONG);
        self.continued = Some(bound);
        let choice = compared.as_ref().and_then(|text| text.parse::<HeuristicChoice>().ok());
        if let Some(choice) = choice {
            let Task { puzzle, resources, .. } = self.task;
            let memory = resources.memory.saturating_sub(Followed::bytes_of([&self.followed]));
            let heuristic = choice.build(puzzle, &Resources { memory, ..resources.clone() })?;
            let chosen = self.followed.along(heuristic);
            meter.note_tables(Followed::bytes_of([&self.followed, &chosen]));
            meter.note_heuristic(&choice.to_string());
            self.followed = chosen;
        }
        self.partitions.compared = compared;
        Ok(Some(bound))
    }

    fn visit(
        &mut self,
        _: u32,
        bound: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let before = meter.stats.expanded;
        // An iteration that is continued began without a comparison, or after it.
        if self.continued != Some(bound) {
            let (so_far, resources) = ((self.expanded, bound), &self.task.resources);
            match self.partitions.compare(&self.followed, resources, so_far, meter) {
                Ok(Some(chosen)) => self.followed = chosen,
                Ok(None) => {}
                Err(limit) => return ControlFlow::Break(Err(limit)),
            }
        }
        // As a run that continues this one from here will count.
        self.expanded += meter.stats.expanded - before;
        let before = meter.stats.expanded;
        let vertices = self.task.puzzle.board().vertex_set();
        let flow = match recorder {
            None => self.visit_before(Nobody, bound, meter),
            Some(recorder) => {
                self.visit_before(Reporter::new(recorder, vertices, bound), bound, meter)
            }
        };
        self.expanded += meter.stats.expanded - before;
        flow
    }
}

impl PatternTree<'_> {
    /// Visits everything within the bound, watched by a spectator.
    fn visit_before<S: Spectator>(
        &mut self,
        spectator: S,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        if let Err(limit) = meter.hold(self.bytes()) {
            return ControlFlow::Break(Err(limit));
        }
        if self.expanded < LONG {
            let allowance = Allowance { proven: bound, most: u64::MAX };
            return self.followed.visit_whole(bound, allowance, spectator, meter);
        }
        meter.with_held(self.bytes(), |meter| match self.followed.patterns().partitions() {
            1 => self.visit_divided::<1, S>(&spectator, bound, meter),
            _ => self.visit_divided::<2, S>(&spectator, bound, meter),
        })
    }

    /// The same subtree by subtree.
    fn visit_divided<const P: usize, S: Spectator>(
        &mut self,
        spectator: &S,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let Some(root) = self.followed.root::<P>(bound) else {
            return ControlFlow::Continue(None);
        };
        let patterns = self.followed.patterns();
        let tables = Tables::new(self.task.puzzle, &self.followed.pruning, &patterns);
        // Counted states end a search at the same place on any number of threads: on one.
        let is_shared = self.expanded >= LONG_FOR_THREADS && !meter.counts_nodes();
        let threads = if is_shared { self.task.resources.threads } else { 1 };
        let compared = self.partitions.compared.as_deref();
        let known = Known { expanded: self.expanded, outline: &self.outline, compared };
        let (least_excess, outline) =
            parallel::visit(&tables, root, known, threads, spectator, meter)?;
        self.outline = outline;
        ControlFlow::Continue(next_bound(bound, least_excess))
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;

    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;

    /// An iteration that an earlier run began without a comparison is continued without one, and
    /// the next one is not.
    #[test]
    fn partitions_are_compared_between_iterations() {
        let line = "grid:4:4 15,14,0,4,11,1,6,13,7,5,8,9,3,2,10,12 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
        let puzzle = Puzzle::from_line(line).unwrap();
        let defaults = Defaults::default();
        let task = defaults.task(&puzzle, Resources::default());
        let heuristic = HeuristicChoice::patterns().build(&puzzle, &task.resources).unwrap();
        let mut tree = PatternTree::new(&task, heuristic);
        let mut meter = Meter::new(&Control::default());
        let bound = tree.estimate().unwrap();
        tree.expanded = 1 << 30;
        tree.continued = Some(bound);
        let next = tree.visit(0, bound, None, &mut meter).continue_value().unwrap().unwrap();
        assert_eq!(tree.partitions.compared, None);
        assert!(tree.visit(0, next, None, &mut meter).is_continue());
        assert!(tree.partitions.compared.is_some());
    }
}
