//! What searches of many puzzles share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hyperslide_puzzle::{Board, Puzzle};
use hyperslide_table::{DistanceTable, TableStore, Walk};

use crate::algorithms::{MoveWords, SubProblems, TrainedSubProblem};
use crate::heuristics::Patterns;

/// Goals whose sub-problems are remembered.
const REMEMBERED_GOALS: usize = 64;
/// Goals whose pattern databases are remembered, which are large. Tables that goals have in common are there once.
const REMEMBERED_PATTERNS: usize = 8;

/// Tables and automata that are built for one puzzle and used again for the next: keep one for a whole
/// batch.
#[derive(Default)]
pub struct Shared {
    store: TableStore,
    words: Mutex<Vec<(Board, usize, Arc<MoveWords>)>>,
    walks: Mutex<Vec<Weak<Walk>>>,
    sub_problems: Mutex<VecDeque<Arc<SubProblems>>>,
    patterns: Mutex<VecDeque<Arc<Patterns>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the mutexes here protect is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// With tables from this store.
    pub fn new(store: TableStore) -> Shared {
        Shared { store, ..Shared::default() }
    }

    /// Where tables come from.
    pub fn store(&self) -> &TableStore {
        &self.store
    }

    /// The automaton of a board that leaves out detours of up to `depth` slides.
    pub(crate) fn move_words(&self, board: &Board, depth: usize) -> Arc<MoveWords> {
        let mut known = lock(&self.words);
        if let Some((.., words)) = known.iter().find(|(b, d, _)| *d == depth && b == board) {
            return Arc::clone(words);
        }
        let words = Arc::new(MoveWords::new(board, depth));
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

    /// Pattern databases that were built for another puzzle and suit this one, or new ones.
    pub(crate) fn patterns<E>(
        &self,
        suit: &dyn Fn(&Patterns) -> bool,
        build: impl FnOnce() -> Result<Patterns, E>,
    ) -> Result<Arc<Patterns>, E> {
        if let Some(found) = lock(&self.patterns).iter().find(|patterns| suit(patterns)) {
            return Ok(Arc::clone(found));
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
    pub(crate) fn walk(&self, table: &Arc<DistanceTable>) -> Option<Arc<Walk>> {
        let mut known = lock(&self.walks);
        let is_it = |walk: &Arc<Walk>| Arc::ptr_eq(walk.table(), table);
        if let Some(walk) = known.iter().filter_map(Weak::upgrade).find(is_it) {
            return Some(walk);
        }
        let walk = Arc::new(Walk::new(table)?);
        known.retain(|walk| walk.strong_count() > 0);
        known.push(Arc::downgrade(&walk));
        Some(walk)
    }
}
