//! Work on many things at once, with results in the order of the things.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError};

/// The number of results for each thread that may wait for an earlier one.
const AHEAD: usize = 16;

struct Results<T> {
    /// Those whose turn has not come.
    done: BTreeMap<usize, T>,
    /// The number of the next result to tell.
    told: usize,
    /// Threads that may still bring results.
    running: usize,
    stopped: bool,
}

/// Calls `work` with each item on the given number of threads, and `tell` with the results in the
/// order of the items, on the calling thread, until it breaks. Items are taken as they are needed, so
/// that the source may be endless, and a result does not wait for the next item.
pub fn ordered_parallel_map<A: Send, T: Send, B>(
    threads: usize,
    mut items: impl Iterator<Item = A> + Send,
    work: impl Fn(A) -> T + Sync,
    mut tell: impl FnMut(T) -> ControlFlow<B>,
) -> Option<B> {
    if threads <= 1 {
        return items.find_map(|item| tell(work(item)).break_value());
    }
    let items = Mutex::new(items.enumerate());
    let results =
        Mutex::new(Results { done: BTreeMap::new(), told: 0, running: threads, stopped: false });
    let lock = || results.lock().unwrap_or_else(PoisonError::into_inner);
    let (is_told, is_done) = (Condvar::new(), Condvar::new());
    let run = || {
        loop {
            let mut state = lock();
            while !state.stopped && state.done.len() > AHEAD * threads {
                state = is_told.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stopped {
                break;
            }
            drop(state);
            // The next item may be long in coming: nothing else is locked meanwhile.
            let item = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, item)) = item else { break };
            let result = work(item);
            lock().done.insert(number, result);
            is_done.notify_all();
        }
    };
    // Also when the work panics, so that nobody waits for it; the scope passes the panic on.
    let run = || {
        let _end = OnDrop(|| {
            lock().running -= 1;
            is_done.notify_all();
        });
        run();
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(run);
        }
        let mut state = lock();
        loop {
            let next = state.told;
            if let Some(result) = state.done.remove(&next) {
                state.told += 1;
                drop(state);
                is_told.notify_all();
                let flow = tell(result);
                state = lock();
                if let ControlFlow::Break(end) = flow {
                    state.stopped = true;
                    drop(state);
                    is_told.notify_all();
                    return Some(end);
                }
            } else if state.running == 0 {
                return None;
            } else {
                state = is_done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    })
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut told = Vec::new();
            let work = |n: u64| {
                std::thread::sleep(std::time::Duration::from_micros((n * 7919) % 300));
                n * n
            };
            let end = ordered_parallel_map(threads, 0..500, work, |square| {
                told.push(square);
                ControlFlow::<()>::Continue(())
            });
            assert_eq!(end, None);
            assert_eq!(told, (0..500).map(|n| n * n).collect::<Vec<_>>());
        }
        // An endless source is not read to its end.
        let end = ordered_parallel_map(
            3,
            0u64..,
            |n| n,
            |n| if n == 100 { ControlFlow::Break(n) } else { ControlFlow::Continue(()) },
        );
        assert_eq!(end, Some(100));
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let work = |n: u64| assert_ne!(n, 5);
        ordered_parallel_map(2, 0..10, work, |()| ControlFlow::<()>::Continue(()));
    }
}
