//! What searches of many puzzles share.
//!
//! The cache does not know what is kept in it: each owner of a type has a slot of its own, and
//! decides next to that type what is remembered and for how long.

use std::any::{Any, TypeId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use hyperslide_table::{TableStore, lock};

/// Tables and automata that are built for one puzzle and used again for the next: keep one for a
/// whole batch.
///
/// ```
/// use std::sync::Arc;
/// use hyperslide_puzzle::Puzzle;
/// use hyperslide_search::{Config, Control, TableCache, solve};
///
/// let cache = Arc::new(TableCache::default());
/// for line in ["grid:3:3 1,2,3,4,5,6,0,7,8", "grid:3:3 1,2,3,4,5,6,7,0,8"] {
///     let config = Config::new("idastar", Some("patterns"), [], 0)?;
///     let config = Config { cache: Arc::clone(&cache), ..config };
///     solve(&Puzzle::from_line(line)?, &config, &Control::default())?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct TableCache {
    store: TableStore,
    slots: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl TableCache {
    /// A cache whose tables come from this store.
    pub fn new(store: TableStore) -> TableCache {
        TableCache { store, ..TableCache::default() }
    }

    /// Where tables come from.
    pub fn store(&self) -> &TableStore {
        &self.store
    }

    /// The slot of a type, empty at first.
    pub(crate) fn slot<S: Default + Send + Sync + 'static>(&self) -> Arc<S> {
        let mut slots = lock(&self.slots);
        let slot = slots.entry(TypeId::of::<S>()).or_insert_with(|| Arc::new(S::default()));
        let Ok(slot) = Arc::clone(slot).downcast() else { unreachable!("the key is its type") };
        slot
    }
}

/// A slot that remembers values, the latest first.
pub(crate) struct Remembered<T> {
    values: Mutex<VecDeque<Arc<T>>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Remembered<T> {
        Remembered { values: Mutex::default() }
    }
}

impl<T> Remembered<T> {
    /// The value that is wanted, when it is remembered.
    pub fn find(&self, is_wanted: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        lock(&self.values).iter().find(|value| is_wanted(value)).map(Arc::clone)
    }

    /// The value that is wanted, or a new one, of which `most` are remembered. Others wait until it
    /// is made.
    pub fn get_or_make(
        &self,
        most: usize,
        is_wanted: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let mut values = lock(&self.values);
        if let Some(known) = values.iter().find(|value| is_wanted(value)) {
            return Arc::clone(known);
        }
        push(&mut values, most, make())
    }

    /// The same for values that take long to build: others do not wait, for they may have less time
    /// or need another value.
    pub fn get_or_build<E>(
        &self,
        most: usize,
        is_wanted: impl Fn(&T) -> bool,
        build: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(known) = self.find(&is_wanted) {
            return Ok(known);
        }
        let fresh = build()?;
        Ok(self.get_or_make(most, is_wanted, || fresh))
    }

    /// Forgets the oldest values for as long as the rest is too much.
    pub fn forget_while(&self, is_too_much: impl Fn(&VecDeque<Arc<T>>) -> bool) {
        let mut values = lock(&self.values);
        while is_too_much(&values) && values.pop_back().is_some() {}
    }

    /// What `look` sees in all values.
    #[cfg(test)]
    pub fn look<R>(&self, look: impl FnOnce(&VecDeque<Arc<T>>) -> R) -> R {
        look(&lock(&self.values))
    }
}

fn push<T>(values: &mut VecDeque<Arc<T>>, most: usize, fresh: T) -> Arc<T> {
    let fresh = Arc::new(fresh);
    values.truncate(most - 1);
    values.push_front(Arc::clone(&fresh));
    fresh
}
