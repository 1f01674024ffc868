//! Work on several threads.

use std::sync::{Mutex, PoisonError};

use cpu_time::ThreadTime;
use hyperslide_table::{lock, spawn};

/// Works on each item on a number of threads; returns the results in order, and the CPU seconds of
/// the threads other than the caller's.
pub(crate) fn each<I: Send, T: Send>(
    threads: usize,
    items: impl ExactSizeIterator<Item = I> + Send,
    work: impl Fn(usize, I) -> T + Sync,
) -> (Vec<T>, f64) {
    let mut done: Vec<Option<T>> = (0..items.len()).map(|_| None).collect();
    let left = Mutex::new(items.zip(&mut done).enumerate());
    let other_cpu_s = run_on(threads, &|| {
        loop {
            let taken = lock(&left).next();
            let Some((number, (item, done))) = taken else { break };
            *done = Some(work(number, item));
        }
    });
    drop(left);
    (done.into_iter().flatten().collect(), other_cpu_s)
}

/// Runs the same work on a number of threads, the caller's included, and returns the CPU seconds of
/// the others. It is not generic, since the code that spawns threads is large, and was generated
/// for each kind of work.
fn run_on(threads: usize, work: &(dyn Fn() + Sync)) -> f64 {
    let other_cpu_s = Mutex::new(0.0);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            spawn(scope, || {
                let began = ThreadTime::now();
                work();
                let own = began.elapsed().as_secs_f64();
                *lock(&other_cpu_s) += own;
            });
        }
        work();
    });
    other_cpu_s.into_inner().unwrap_or_else(PoisonError::into_inner)
}
