//! Places in limited supply, of which no owner may take all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use hyperslide_table::lock;

/// How many places are taken, by whoever has them.
#[derive(Clone)]
pub struct Shares<K> {
    all: usize,
    of_one: usize,
    taken: Arc<Mutex<HashMap<K, usize>>>,
}

/// A place that is taken, until it is dropped.
pub struct Share<K: Copy + Eq + Hash> {
    shares: Shares<K>,
    owner: K,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// Returns `all` places, of which each owner may have up to `of_one`.
    pub fn new(all: usize, of_one: usize) -> Shares<K> {
        Shares { all, of_one, taken: Arc::default() }
    }

    /// Takes a place, if there is one.
    pub fn take(&self, owner: K) -> Option<Share<K>> {
        let mut taken = lock(&self.taken);
        let of_owner = taken.get(&owner).copied().unwrap_or(0);
        if of_owner >= self.of_one || taken.values().sum::<usize>() >= self.all {
            return None;
        }
        taken.insert(owner, of_owner + 1);
        Some(Share { shares: self.clone(), owner })
    }
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.shares.taken);
        if let Some(of_owner) = taken.get_mut(&self.owner) {
            *of_owner -= 1;
            if *of_owner == 0 {
                taken.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_all_and_places_come_back() {
        let shares = Shares::new(7, 3);
        let many = |owner| (0..10).map_while(|_| shares.take(owner)).collect::<Vec<_>>();
        let first = many('a');
        assert_eq!((first.len(), many('b').len()), (3, 3));
        let (second, third) = (many('b'), many('c'));
        assert_eq!((second.len(), third.len()), (3, 1));
        drop(first);
        assert_eq!(many('d').len(), 3);
        drop((second, third));
        assert!(lock(&shares.taken).is_empty());
    }
}
