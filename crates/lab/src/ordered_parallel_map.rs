//! Work on many things at once, with results in the order of the things.

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

/// The number of results for each thread that may wait for an earlier one.
const AHEAD: usize = 16;

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
    // Whoever takes the next item queues the place of its result first, so that places are in order.
    let (queue, results) = sync_channel(AHEAD * threads);
    let (items, work) = (Mutex::new(items), &work);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (items, queue) = (&items, queue.clone());
            scope.spawn(move || {
                loop {
                    let (result, place) = sync_channel(1);
                    let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
                    // After a break nobody waits for a result.
                    if queue.send(place).is_err() {
                        break;
                    }
                    let Some(item) = items.next() else { break };
                    drop(items);
                    let _ = result.send(work(item));
                }
            });
        }
        drop(queue);
        // A place stays empty at the end of the items, or when the work panics, which the scope passes on.
        let mut results = results.into_iter().map_while(|place| place.recv().ok());
        results.find_map(|result| tell(result).break_value())
    })
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
        ordered_parallel_map(2, 0..1000, work, |()| ControlFlow::<()>::Continue(()));
    }
}
