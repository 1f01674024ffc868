//! Locks that outlive a panic, and locks by key.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Locks what is whole after every statement, and so also after a panic of whoever held it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a thread waits for a key before it checks whether it has been cancelled.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A lock for each key, such as the file that a thread is about to make.
#[derive(Debug)]
pub struct KeyLocks<K> {
    locked: Mutex<HashSet<K>>,
    unlocked: Condvar,
}

impl<K> Default for KeyLocks<K> {
    fn default() -> KeyLocks<K> {
        KeyLocks { locked: Mutex::default(), unlocked: Condvar::new() }
    }
}

impl<K: Clone + Eq + Hash> KeyLocks<K> {
    /// Waits until no other thread has locked the key, and locks it; `None` if this is cancelled
    /// before.
    pub fn lock(&self, key: &K, is_cancelled: impl Fn() -> bool) -> Option<KeyLock<'_, K>> {
        let mut locked = lock(&self.locked);
        while locked.contains(key) {
            if is_cancelled() {
                return None;
            }
            let waited = self.unlocked.wait_timeout(locked, LOOK_AGAIN);
            locked = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        locked.insert(key.clone());
        Some(KeyLock { locks: self, key: key.clone() })
    }
}

/// A locked key, until this is dropped.
#[derive(Debug)]
pub struct KeyLock<'l, K: Eq + Hash> {
    locks: &'l KeyLocks<K>,
    key: K,
}

impl<K: Eq + Hash> Drop for KeyLock<'_, K> {
    fn drop(&mut self) {
        lock(&self.locks.locked).remove(&self.key);
        self.locks.unlocked.notify_all();
    }
}
