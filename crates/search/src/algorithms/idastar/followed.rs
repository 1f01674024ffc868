//! Pattern databases as IDA* follows them from the start of a puzzle.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{MAX_VERTICES, Move, Puzzle};
use hyperslide_table::CursorState;

use super::parallel::Node;
use super::patterns::{PARTS, Run, Tables};
use super::spectator::Spectator;
use crate::control::Meter;
use crate::engine::move_pruning::MovePruning;
use crate::heuristics::{Heuristic, Incremental, IncrementalPatterns};
use crate::outcome::Limit;

/// A heuristic made of pattern databases, and where it is followed from.
pub(crate) struct Followed<'a> {
    pub puzzle: &'a Puzzle,
    pub pruning: Arc<MovePruning>,
    heuristic: Box<dyn Heuristic>,
    /// Where the cursors start, and the sum of each partition there; `None` where the goal is out
    /// of reach.
    start: Option<(Vec<CursorState>, Vec<u32>)>,
}

/// What stops an iteration besides the limits of the search.
#[derive(Clone, Copy)]
pub(crate) struct Allowance {
    /// No solution is shorter; for reports of progress.
    pub proven: u32,
    /// States that may be expanded.
    pub most: u64,
}

impl<'a> Followed<'a> {
    pub fn new(
        puzzle: &'a Puzzle,
        pruning: Arc<MovePruning>,
        heuristic: Box<dyn Heuristic>,
    ) -> Followed<'a> {
        let mut followed = Followed { puzzle, pruning, heuristic, start: None };
        followed.start = followed.patterns().walks.start(puzzle.start());
        followed
    }

    /// Another heuristic from the same start.
    pub fn along(&self, heuristic: Box<dyn Heuristic>) -> Followed<'a> {
        Followed::new(self.puzzle, Arc::clone(&self.pruning), heuristic)
    }

    pub fn patterns(&self) -> IncrementalPatterns<'_> {
        match self.heuristic.incremental() {
            Some(Incremental::Patterns(patterns)) => patterns,
            _ => unreachable!("it is made of pattern databases"),
        }
    }

    /// Bytes of the tables of several, each counted once.
    pub fn bytes_of<'b>(all: impl IntoIterator<Item = &'b Followed<'a>>) -> u64
    where
        'a: 'b,
    {
        IncrementalPatterns::bytes_of(all.into_iter().map(Followed::patterns))
    }

    /// The estimate of the start; `None` where the goal is out of reach.
    pub fn estimate(&self) -> Option<u32> {
        let (_, sums) = self.start.as_ref()?;
        let beside = self.patterns().beside(self.puzzle.start())?;
        Some(sums.iter().copied().max()?.max(beside))
    }

    /// The start within a bound; `None` where the goal is out of reach.
    pub fn root<const P: usize>(&self, bound: u32) -> Option<Node<P>> {
        let (board, start) = (self.puzzle.board(), self.puzzle.start());
        let (known, sums) = self.start.as_ref()?;
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in start.tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        let mut at = [CursorState::default(); PARTS];
        at[..known.len()].copy_from_slice(known);
        let empty = (board.vertex_set() - start.occupied()).lowest();
        let arrival = MovePruning::root(empty.expect("one vertex is empty"));
        let left = bound as i32;
        let slack = std::array::from_fn(|partition| left - sums[partition] as i32);
        Some(Node { cells, at, arrival, slack, left, path: Vec::new() })
    }

    /// Visits everything within the bound. Breaks with a solution or a limit, which is that of
    /// nodes where the allowance is used up; otherwise continues with the bound of the next
    /// iteration, if anything is beyond this one.
    pub fn visit_whole<S: Spectator>(
        &self,
        bound: u32,
        allowance: Allowance,
        spectator: S,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        meter.with_held(self.pruning.bytes(), |meter| match self.patterns().partitions() {
            1 => self.visit_along::<1, S>(bound, allowance, spectator, meter),
            _ => self.visit_along::<2, S>(bound, allowance, spectator, meter),
        })
    }

    fn visit_along<const P: usize, S: Spectator>(
        &self,
        bound: u32,
        Allowance { proven, most }: Allowance,
        spectator: S,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let Some(root) = self.root::<P>(bound) else { return ControlFlow::Continue(None) };
        let patterns = self.patterns();
        let tables = Tables::new(self.puzzle, &self.pruning, &patterns);
        let before = (meter.stats.expanded, meter.stats.generated);
        let next_look = meter.next_poll().saturating_sub(before.1);
        let mut look = |(expanded, generated): (u64, u64)| {
            (meter.stats.expanded, meter.stats.generated) =
                (before.0 + expanded, before.1 + generated);
            if expanded >= most {
                return Err(Limit::Nodes);
            }
            meter.poll(0, proven).map(|()| meter.next_poll() - before.1)
        };
        let mut run = Run::new(&tables, root.cells, root.at, next_look, &mut look, spectator);
        let found = tables.best_search::<P, S>()(&mut run, root.arrival, root.slack, root.left);
        let Run { expanded, generated, least_excess, limit, mut solution, .. } = run;
        (meter.stats.expanded, meter.stats.generated) = (before.0 + expanded, before.1 + generated);
        match (found, limit) {
            (true, Some(limit)) => ControlFlow::Break(Err(limit)),
            (true, None) => {
                solution.reverse();
                ControlFlow::Break(Ok(solution))
            }
            (false, _) => ControlFlow::Continue(next_bound(bound, least_excess)),
        }
    }
}

/// The bound of the next iteration, if there is anything beyond this one's.
pub(crate) fn next_bound(bound: u32, least_excess: i32) -> Option<u32> {
    (least_excess < i32::MAX).then(|| bound + least_excess as u32)
}

#[cfg(test)]
mod tests {
    use super::super::patterns::{Search, fastest};
    use super::super::spectator::Nobody;
    use super::*;
    use crate::heuristics::{HeuristicChoice, Resources};
    use crate::table_cache::TableCache;

    /// Iterations that find nothing visit the same states in both ways, and the one that has a
    /// solution finds one.
    #[test]
    fn batches_visit_what_the_recursion_visits() {
        let mut iterations = 0;
        for (line, heuristic) in [
            ("grid:3:4 11,10,9,8,7,6,5,4,3,1,2,0", "patterns:7-4"),
            ("grid:2:5 9,8,7,6,5,4,3,2,1,0", "patterns:7-2"),
            // Seen in the mirror, too.
            ("grid:3:3 8,7,6,5,4,3,2,1,0", "patterns:7-1"),
            ("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0", "patterns:7-1"),
            ("grid:2:5 9,8,7,6,5,4,3,2,1,0", "patterns:1+2+3+4+5+6+7"),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let choice: HeuristicChoice = heuristic.parse().unwrap();
            let heuristic = choice.build(&puzzle, &Resources::default()).unwrap();
            let pruning = MovePruning::of(&TableCache::default(), puzzle.board(), 10, u64::MAX);
            let followed = Followed::new(&puzzle, pruning, heuristic);
            iterations += match followed.patterns().partitions() {
                1 => compare::<1>(&followed),
                _ => compare::<2>(&followed),
            };
        }
        assert!(iterations > 5, "{iterations}");
    }

    /// How many iterations found nothing.
    fn compare<const P: usize>(followed: &Followed<'_>) -> u32 {
        let patterns = followed.patterns();
        let tables = Tables::new(followed.puzzle, &followed.pruning, &patterns);
        assert!(tables.are_few_and_large());
        let mut bound = followed.estimate().unwrap();
        let mut iterations = 0;
        loop {
            let visit = |search: Search<P, Nobody>| {
                let mut look = |_: (u64, u64)| Ok(u64::MAX);
                let root = followed.root::<P>(bound).unwrap();
                let mut run = Run::new(&tables, root.cells, root.at, u64::MAX, &mut look, Nobody);
                let found = search(&mut run, root.arrival, root.slack, root.left);
                (found, run.expanded, run.generated, run.least_excess, run.solution)
            };
            let (plain, batched) =
                (visit(fastest::<P, false, Nobody>()), visit(tables.best_search()));
            if plain.0 {
                let moves: Vec<Move> = batched.4.iter().rev().copied().collect();
                let end = followed.puzzle.replay(&moves).unwrap();
                assert!(followed.puzzle.goal().is_met(&end) && moves.len() == plain.4.len());
                return iterations;
            }
            assert_eq!(
                (plain.0, plain.1, plain.2),
                (batched.0, batched.1, batched.2),
                "bound {bound}"
            );
            assert!(plain.3 <= batched.3, "bound {bound}: {} and {}", plain.3, batched.3);
            bound += plain.3.cast_unsigned();
            iterations += 1;
        }
    }
}
