//! Work on many things at once, with results in the order of the things.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use hyperslide_table::{lock, spawn};

/// The number of results for each thread that may wait for an earlier one.
const AHEAD: usize = 16;

/// Calls `work` with each item on the given number of threads, or on as many as the system has
/// left, and `consume` with the results in the order of the items, on the calling thread, until it
/// fails. Items are taken as they are needed, so that the source may be endless, and a result does
/// not wait for the next item.
///
/// # Errors
///
/// The error of `consume`.
pub fn ordered_parallel_map<A: Send, T: Send, E>(
    threads: usize,
    items: impl Iterator<Item = A> + Send,
    work: impl Fn(A) -> T + Sync,
    consume: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    if threads <= 1 {
        return items.map(work).try_for_each(consume);
    }
    // Whoever takes the next item queues the place of its result first, so that places are in
    // order.
    let (queue, results) = sync_channel(AHEAD * threads);
    let (items, work) = (Mutex::new(items), &work);
    std::thread::scope(|scope| {
        let begin = || {
            let (items, queue) = (&items, queue.clone());
            spawn(scope, move || {
                loop {
                    let (result, place) = sync_channel(1);
                    let mut items = lock(items);
                    // After an error nobody waits for a result.
                    if queue.send(place).is_err() {
                        break;
                    }
                    let Some(item) = items.next() else { break };
                    drop(items);
                    let _ = result.send(work(item));
                }
            })
        };
        let begun = (0..threads).map_while(|_| begin()).count();
        drop(queue);
        if begun == 0 {
            // The items are where they were.
            let mut items = lock(&items);
            return items.by_ref().map(work).try_for_each(consume);
        }
        // A place stays empty at the end of the items, or when the work panics, which the scope
        // passes on.
        results.into_iter().map_while(|place| place.recv().ok()).try_for_each(consume)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut consumed = Vec::new();
            let work = |n: u64| {
                std::thread::sleep(std::time::Duration::from_micros((n * 7919) % 300));
                n * n
            };
            let end = ordered_parallel_map(threads, 0..500, work, |square| {
                consumed.push(square);
                Ok::<(), ()>(())
            });
            assert_eq!(end, Ok(()));
            assert_eq!(consumed, (0..500).map(|n| n * n).collect::<Vec<_>>());
        }
        // An endless source is not read to its end.
        let end =
            ordered_parallel_map(3, 0u64.., |n| n, |n| if n == 100 { Err(n) } else { Ok(()) });
        assert_eq!(end, Err(100));
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let work = |n: u64| assert_ne!(n, 5);
        let _ = ordered_parallel_map(2, 0..1000, work, |()| Ok::<(), ()>(()));
    }
}
