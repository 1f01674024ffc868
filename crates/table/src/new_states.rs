//! The new states of a layer, as long as they are few.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::lock::lock;

/// A state by its block, the word in it, and the bit.
pub(crate) type ListedState = (u32, u32, u8);

/// Lists new states on any thread, until there are too many.
pub(crate) struct NewStates {
    limit: usize,
    listed: Mutex<Vec<ListedState>>,
    /// Whether the list is not complete.
    is_cut: AtomicBool,
}

impl NewStates {
    /// Lists up to a number of states.
    pub fn new(limit: usize) -> NewStates {
        NewStates { limit, listed: Mutex::default(), is_cut: AtomicBool::new(false) }
    }

    /// Returns whether the list is complete so far.
    pub fn has_room(&self) -> bool {
        !self.is_cut.load(Ordering::Relaxed)
    }

    /// Gives the list up.
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
        *lock(&self.listed) = Vec::new();
    }

    /// Adds the new states of some words of a block.
    pub fn add(&self, block: usize, words: impl IntoIterator<Item = (usize, u64)>) {
        let mut listed = lock(&self.listed);
        for (word, mut new) in words {
            while new != 0 && self.has_room() {
                if listed.len() >= self.limit {
                    drop(listed);
                    return self.cut();
                }
                listed.push((block as u32, word as u32, new.trailing_zeros() as u8));
                new &= new - 1;
            }
        }
    }

    /// The list in order, unless there were too many states.
    pub fn into_listed(self) -> Option<Vec<ListedState>> {
        let mut listed = self.listed.into_inner().unwrap_or_else(PoisonError::into_inner);
        listed.sort_unstable();
        (!self.is_cut.into_inner()).then_some(listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_whole_or_nothing() {
        let few = NewStates::new(3);
        few.add(2, [(5, 0b101)]);
        few.add(1, [(0, 0), (9, 1 << 63)]);
        assert!(few.has_room());
        assert_eq!(few.into_listed(), Some(vec![(1, 9, 63), (2, 5, 0), (2, 5, 2)]));
        let many = NewStates::new(3);
        many.add(0, [(0, 0b1111)]);
        // A thread that waited for the lock adds nothing to a list that is given up.
        many.add(0, [(1, 1)]);
        assert_eq!((many.has_room(), many.into_listed()), (false, None));
    }
}
