//! What searches of many puzzles share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperslide_puzzle::Board;
use hyperslide_table::{DistanceTable, TableStore, Walk};

use crate::algorithms::MoveWords;

/// Tables and automata that are built for one puzzle and used again for the next: keep one for a whole
/// batch.
#[derive(Default)]
pub struct Shared {
    store: TableStore,
    words: Mutex<Vec<(Board, usize, Arc<MoveWords>)>>,
    walks: Mutex<Vec<Arc<Walk>>>,
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

    /// The walk of a table, where it has one.
    pub(crate) fn walk(&self, table: &Arc<DistanceTable>) -> Option<Arc<Walk>> {
        let mut known = lock(&self.walks);
        if let Some(walk) = known.iter().find(|walk| Arc::ptr_eq(walk.table(), table)) {
            return Some(Arc::clone(walk));
        }
        let walk = Arc::new(Walk::new(table)?);
        known.push(Arc::clone(&walk));
        Some(walk)
    }
}
