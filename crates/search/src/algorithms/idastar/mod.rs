//! Iterative-deepening A*.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State, UnsolvableReason};

mod batches;
mod followed;
mod one_empty;
mod outline;
mod packed;
mod parallel;
mod partitions;
mod pattern_tree;
mod patterns;
mod spectator;

use self::one_empty::OneEmpty;
use self::pattern_tree::PatternTree;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicError, Incremental, Successor};
use crate::observer::{Expanded, Recorder};
use crate::outcome::{Limit, Outcome};

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "idastar",
    summary: "iterative-deepening A*: depth-first search with a growing bound on f = g + h, in \
              hardly any memory",
    guarantee: Guarantee::Optimal,
    source: "R. E. Korf, Artificial Intelligence 27, 1985, pp. 97-109",
    when: "a shortest solution of a large puzzle with one empty vertex is wanted, such as the \
           15-puzzle or the 24-puzzle",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: true,
    settings: &[],
    requires_solvability: true,
    check: Algorithm::any_settings,
    run,
};

/// Returns whether this machine has instructions that count bits (popcnt) and shift by a variable
/// amount (bmi1, bmi2); not all of its kind do.
#[cfg(target_arch = "x86_64")]
fn has_bit_instructions() -> bool {
    is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Which iterations are run.
#[derive(Clone, Copy)]
pub(crate) struct Deepening {
    /// The bound of the first one, proven before; a higher estimate takes precedence.
    pub from: u32,
    /// No iteration begins once the whole search has generated this many states; the outcome is
    /// then that of a node limit.
    pub pause: u64,
}

impl Default for Deepening {
    fn default() -> Deepening {
        Deepening { from: 0, pause: u64::MAX }
    }
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    run_part(task, Deepening::default(), meter)
}

/// Runs some of the iterations.
pub(crate) fn run_part(
    task: &Task<'_>,
    part: Deepening,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    match task.heuristic.is_admissible() {
        true => run_iterations(task, part, meter),
        false => meter.with_unproven_bounds(|meter| run_iterations(task, part, meter)),
    }
}

fn run_iterations(
    task: &Task<'_>,
    part: Deepening,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    let is_kept = meter.proof().is_some();
    if is_kept && !(task.puzzle.has_one_empty() && task.puzzle.has_distinct_labels()) {
        // Asked before tables are built.
        return Err(SolveError::NotKept);
    }
    let heuristic = task.build_heuristic(meter)?;
    let outcome = if let Some(Incremental::Patterns(_)) = heuristic.incremental() {
        let mut tree = PatternTree::new(task, heuristic);
        if !meter.fits(tree.bytes()) {
            // As where the tables alone are too large: others may do without them.
            return Err(SolveError::Heuristic(HeuristicError::Stopped(Limit::Memory)));
        }
        let start = tree.estimate();
        deepen(&mut tree, start, task, part, meter)
    } else if is_kept {
        return Err(SolveError::NotKept);
    } else {
        let start = heuristic.estimate(task.puzzle.start());
        match OneEmpty::new(task.puzzle, &*heuristic) {
            Some(mut tree) => deepen(&mut tree, start, task, part, meter),
            None => deepen(&mut Tree::new(task.puzzle, &*heuristic), start, task, part, meter),
        }
    };
    Ok((outcome?, ALGORITHM.name))
}

/// One depth-first iteration.
pub(crate) trait Iteration {
    /// The largest bound that it can take: it recurses once for each move, and threads may have
    /// stacks of 2 MiB.
    const LONGEST: u32;

    /// Continues what earlier runs searched, if they left anything to continue from, and returns
    /// the bound of the iteration that the last of them was in.
    ///
    /// # Errors
    ///
    /// When the heuristic that they followed cannot be built.
    fn resume(&mut self, _meter: &mut Meter<'_>) -> Result<Option<u32>, SolveError> {
        Ok(None)
    }

    /// Visits everything with f <= `bound` from the start, whose estimate is `h`.
    ///
    /// Breaks with the solution, or with the limit that stopped it; otherwise continues with the
    /// least f beyond the bound, if any. The expansions are reported to the recorder.
    fn visit(
        &mut self,
        h: u32,
        bound: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>>;
}

/// Runs iterations with growing bounds. `start` is the estimate at the start, `None` where the goal
/// is out of reach.
fn deepen<I: Iteration>(
    tree: &mut I,
    start: Option<u32>,
    task: &Task<'_>,
    part: Deepening,
    meter: &mut Meter<'_>,
) -> Result<Outcome, SolveError> {
    let admissible = task.heuristic.is_admissible();
    let mut next = match start {
        Some(h) => Some(tree.resume(meter)?.unwrap_or(h).max(part.from)),
        None => None,
    };
    let mut visits = 0;
    let mut recorder = meter.recorder(ALGORITHM.name, task.puzzle);
    while let (Some(h), Some(bound)) = (start, next) {
        visits = meter.stats.expanded;
        let lower_bound = if admissible { bound } else { 0 };
        if bound > I::LONGEST {
            return Ok(Outcome::LimitReached { limit: Limit::Length, lower_bound });
        }
        if meter.stats.generated >= part.pause {
            return Ok(Outcome::LimitReached { limit: Limit::Nodes, lower_bound });
        }
        if let Some(recorder) = &mut recorder {
            recorder.next_iteration(bound);
        }
        match tree.visit(h, bound, recorder.as_ref(), meter) {
            ControlFlow::Continue(beyond) => next = beyond,
            ControlFlow::Break(Ok(moves)) => {
                let lower_bound = lower_bound.min(moves.len() as u32);
                return Ok(Outcome::Solved { moves, optimal: admissible, lower_bound });
            }
            ControlFlow::Break(Err(limit)) => {
                return Ok(Outcome::LimitReached { limit, lower_bound });
            }
        }
    }
    // The last iteration cut nothing off, so it visited everything; a tree that ends holds no state
    // twice on one path, and hardly any twice at all.
    let states = meter.stats.expanded - visits;
    Ok(Outcome::Unsolvable(UnsolvableReason::Exhausted {
        end: SearchEnd::Start,
        states,
        labelled: None,
    }))
}

/// The iteration for any board: plays moves on one state and takes them back.
struct Tree<'a> {
    puzzle: &'a Puzzle,
    heuristic: &'a dyn Heuristic,
    state: State,
    path: Vec<Move>,
    /// Those of all states on the path, from the root on.
    successors: Vec<Successor>,
    bound: u32,
    beyond: Option<u32>,
}

impl<'a> Tree<'a> {
    fn new(puzzle: &'a Puzzle, heuristic: &'a dyn Heuristic) -> Tree<'a> {
        let (path, successors) = (Vec::new(), Vec::new());
        Tree { puzzle, heuristic, state: *puzzle.start(), path, successors, bound: 0, beyond: None }
    }

    /// Bytes of the path and of what leads on from it.
    fn bytes(&self) -> u64 {
        let path = self.path.capacity() * size_of::<Move>();
        let successors = self.successors.capacity() * size_of::<Successor>();
        (size_of_val(self) + path + successors) as u64
    }

    /// Lists and estimates the successors of a state that no shorter or earlier path leads to.
    fn list_successors(&mut self, h: u32) {
        let (board, occupied) = (self.puzzle.board(), self.state.occupied());
        let first = self.successors.len();
        for (from, label) in self.state.tokens() {
            let mut destinations = board.destinations(from, occupied);
            if let Some(last) = self.path.last()
                && last.to == from
            {
                // The token that just moved: going back, or anywhere it could have gone at once,
                // is a detour.
                let before = occupied.moved(from, last.from);
                destinations = destinations - board.destinations(last.from, before);
                destinations.remove(last.from);
            }
            for to in destinations {
                self.successors.push(Successor { label, mv: Move { from, to }, h: None });
            }
        }
        let successors = &mut self.successors[first..];
        self.heuristic.estimate_successors(h, &self.state, successors);
    }

    /// The expansion of the state, for observers.
    fn expanded(&self, h: u32) -> Expanded {
        let parent = self.path.last().map(|mv| {
            let mut parent = self.state;
            parent.slide(mv.reversed());
            parent
        });
        let g = self.path.len() as u32;
        Expanded { state: self.state, parent, g, h: Some(h), end: SearchEnd::Start }
    }

    fn visit_state(
        &mut self,
        h: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Option<Limit>> {
        if h == 0 && self.puzzle.goal().is_met(&self.state) {
            return ControlFlow::Break(None);
        }
        meter.stats.expanded += 1;
        if let Some(recorder) = recorder {
            recorder.expand(|| self.expanded(h));
        }
        if let Err(limit) = meter.check(|| self.bytes(), self.bound) {
            return ControlFlow::Break(Some(limit));
        }
        let first = self.successors.len();
        self.list_successors(h);
        for at in first..self.successors.len() {
            let Successor { mv, h, .. } = self.successors[at];
            meter.stats.generated += 1;
            let Some(h) = h else { continue };
            let f = self.path.len() as u32 + 1 + h;
            if f > self.bound {
                self.beyond = Some(self.beyond.map_or(f, |beyond| beyond.min(f)));
                continue;
            }
            self.state.slide(mv);
            self.path.push(mv);
            self.visit_state(h, recorder, meter)?;
            self.path.pop();
            self.state.slide(mv.reversed());
        }
        self.successors.truncate(first);
        ControlFlow::Continue(())
    }
}

impl Iteration for Tree<'_> {
    const LONGEST: u32 = 2_000;

    fn visit(
        &mut self,
        h: u32,
        bound: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        (self.bound, self.beyond) = (bound, None);
        self.path.reserve(bound as usize);
        if let Err(limit) = meter.hold(self.bytes()) {
            return ControlFlow::Break(Err(limit));
        }
        let flow = self.visit_state(h, recorder, meter);
        meter.note_end(self.bytes(), 0);
        match flow {
            ControlFlow::Continue(()) => ControlFlow::Continue(self.beyond),
            ControlFlow::Break(Some(limit)) => ControlFlow::Break(Err(limit)),
            ControlFlow::Break(None) => ControlFlow::Break(Ok(self.path.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;
    use crate::heuristics::Resources;

    /// The parts of a search that pauses after every iteration are the whole of it.
    #[test]
    fn pauses_lose_nothing() {
        let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1").unwrap();
        let defaults = Defaults::default();
        let control = Control::default();
        let (mut whole, mut paused) = (Meter::new(&control), Meter::new(&control));
        let task = defaults.task(&puzzle, Resources::default());
        let (expected, _) = run(&task, &mut whole).unwrap();
        let mut bounds = Vec::new();
        let outcome = loop {
            let pause = paused.stats.generated + 1;
            let from = bounds.last().copied().unwrap_or(0);
            match run_part(&task, Deepening { from, pause }, &mut paused).unwrap().0 {
                Outcome::LimitReached { limit: Limit::Nodes, lower_bound } => {
                    bounds.push(lower_bound);
                }
                outcome => break outcome,
            }
        };
        assert_eq!(outcome, expected);
        assert_eq!(bounds, [23, 25, 27, 29, 31]);
        assert_eq!(paused.stats.generated, whole.stats.generated);
        assert_eq!(paused.stats.expanded, whole.stats.expanded);
    }
}
