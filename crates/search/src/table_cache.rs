//! What searches of many puzzles share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hyperslide_puzzle::{Board, Puzzle};
use hyperslide_table::{DistanceTable, PatternCursor, TableStore};

use crate::algorithms::{SubProblems, TrainedSubProblem};
use crate::engine::move_pruning::MovePruning;
use crate::heuristics::{LineDistances, Matrices, Patterns};

/// Goals whose sub-problems are remembered.
const REMEMBERED_GOALS: usize = 64;
/// Line distances that are remembered, of up to 64 MiB.
const REMEMBERED_LINES: usize = 4;
/// Goals whose pattern databases are remembered, which are large. Tables that goals have in common are there once.
const REMEMBERED_PATTERNS: usize = 8;

/// Tables and automata that are built for one puzzle and used again for the next: keep one for a whole
/// batch.
#[derive(Default)]
pub struct TableCache {
    store: TableStore,
    words: Mutex<Vec<(Board, usize, Arc<MovePruning>)>>,
    walks: Mutex<Vec<Weak<PatternCursor>>>,
    sub_problems: Mutex<VecDeque<Arc<SubProblems>>>,
    patterns: Mutex<VecDeque<Arc<Patterns>>>,
    line_distances: Mutex<VecDeque<Arc<LineDistances>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the mutexes here protect is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TableCache {
    /// With tables from this store.
    pub fn new(store: TableStore) -> TableCache {
        TableCache { store, ..TableCache::default() }
    }

    /// Where tables come from.
    pub fn store(&self) -> &TableStore {
        &self.store
    }

    /// The automaton of a board that leaves out detours of up to `depth` slides.
    pub(crate) fn move_pruning(&self, board: &Board, depth: usize) -> Arc<MovePruning> {
        let mut known = lock(&self.words);
        if let Some((.., words)) = known.iter().find(|(b, d, _)| *d == depth && b == board) {
            return Arc::clone(words);
        }
        let words = Arc::new(MovePruning::new(board, depth));
        known.push((board.clone(), depth, Arc::clone(&words)));
        words
    }

    /// The sub-problems of a puzzle's goal.
    pub(crate) fn sub_problems(&self, puzzle: &Puzzle) -> Arc<SubProblems> {
        let mut known = lock(&self.sub_problems);
        if let Some(found) = known.iter().find(|known| known.are_of(puzzle)) {
            return Arc::clone(found);
        }
        let fresh = Arc::new(SubProblems::new(puzzle));
        known.truncate(REMEMBERED_GOALS - 1);
        known.push_front(Arc::clone(&fresh));
        fresh
    }

    /// The sub-problems that local value iteration has met on the way to a puzzle's goal.
    pub fn trained(&self, puzzle: &Puzzle) -> Vec<TrainedSubProblem> {
        self.sub_problems(puzzle).trained()
    }

    /// The distances of walking distance's matrices: those that were built for another puzzle, or new ones.
    pub(crate) fn line_distances<E>(
        &self,
        matrices: Matrices,
        build: impl FnOnce() -> Result<LineDistances, E>,
    ) -> Result<Arc<LineDistances>, E> {
        let find = |known: &VecDeque<Arc<LineDistances>>| {
            known.iter().find(|known| known.are_of(matrices)).map(Arc::clone)
        };
        if let Some(found) = find(&lock(&self.line_distances)) {
            return Ok(found);
        }
        // Not while others wait, which may have less time or need other ones.
        let fresh = Arc::new(build()?);
        let mut known = lock(&self.line_distances);
        if let Some(found) = find(&known) {
            return Ok(found);
        }
        known.truncate(REMEMBERED_LINES - 1);
        known.push_front(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// Pattern databases that were built for another puzzle and suit this one, or new ones. Before those are built others are
    /// forgotten until they hold at most half of `memory`; those that they could have cache may go with them.
    pub(crate) fn patterns<E>(
        &self,
        suit: &dyn Fn(&Patterns) -> bool,
        memory: u64,
        build: impl FnOnce() -> Result<Patterns, E>,
    ) -> Result<Arc<Patterns>, E> {
        {
            let mut known = lock(&self.patterns);
            if let Some(found) = known.iter().find(|patterns| suit(patterns)) {
                return Ok(Arc::clone(found));
            }
            while Patterns::bytes_of(known.iter().map(|patterns| &**patterns)) > memory / 2 {
                known.pop_back();
            }
        }
        // Not while the others wait: it may take minutes, and the store sees to it that no table is built twice.
        let fresh = Arc::new(build()?);
        let mut all = lock(&self.patterns);
        if let Some(found) = all.iter().find(|patterns| suit(patterns)) {
            return Ok(Arc::clone(found));
        }
        all.truncate(REMEMBERED_PATTERNS - 1);
        all.push_front(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// The walk of a table, where it has one.
    pub(crate) fn walk(&self, table: &Arc<DistanceTable>) -> Option<Arc<PatternCursor>> {
        let mut known = lock(&self.walks);
        let is_it = |walk: &Arc<PatternCursor>| Arc::ptr_eq(walk.table(), table);
        if let Some(walk) = known.iter().filter_map(Weak::upgrade).find(is_it) {
            return Some(walk);
        }
        let walk = Arc::new(PatternCursor::new(table)?);
        known.retain(|walk| walk.strong_count() > 0);
        known.push(Arc::downgrade(&walk));
        Some(walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::ALGORITHMS;
    use crate::config::Config;
    use crate::control::{Control, Limits};
    use crate::solve::solve;

    /// A batch of puzzles with other goals does not hold the tables of all.
    #[test]
    fn remembered_tables_keep_to_the_memory() {
        let cache = Arc::new(TableCache::default());
        let held = || Patterns::bytes_of(lock(&cache.patterns).iter().map(|known| &**known));
        let solve = |goal: &str, memory: u64| {
            let line = format!("grid:3:3 8,6,7,2,5,4,3,0,1 -> {goal}");
            let puzzle = Puzzle::from_line(&line).unwrap();
            let algorithm = ALGORITHMS.iter().find(|known| known.name == "idastar").unwrap();
            let (heuristic, cache) = ("patterns:4-4".parse().unwrap(), Arc::clone(&cache));
            let config = Config { algorithm, heuristic, cache, ..Config::default() };
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            solve(&puzzle, &config, &Control { limits, ..Control::default() }).unwrap()
        };
        // Other places of the empty vertex: goals that differ in tokens alone have the same tables.
        let goals =
            ["1,2,3,4,5,6,7,8,0", "1,2,3,4,5,6,7,0,8", "1,2,3,4,0,5,6,7,8", "1,2,3,4,5,0,6,7,8"];
        solve(goals[0], u64::MAX);
        let one = held();
        assert!(one > 0);
        for (number, goal) in (1..).zip(goals) {
            solve(goal, 2 * one);
            assert!(held() <= 2 * one, "{} bytes after {number} goals, {one} after one", held());
        }
        let all = lock(&cache.patterns).len();
        for goal in goals {
            solve(goal, u64::MAX);
        }
        let without_limit = lock(&cache.patterns).len();
        assert!(all < without_limit, "{all} and {without_limit} goals");
        assert_eq!(without_limit, goals.len());
    }
}
