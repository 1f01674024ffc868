//! When work has to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use crate::allocation::{is_short, spawn};

/// Why work has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The caller asked to stop.
    Cancelled,
    /// The system refused memory.
    Memory,
    /// The deadline has passed.
    Time,
}

/// Says when to stop, on any thread. The default is never.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch<'a> {
    cancel: Option<&'a AtomicBool>,
    deadline: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// It is time to stop when the flag is set or the deadline has passed.
    pub fn new(cancel: Option<&'a AtomicBool>, deadline: Option<Instant>) -> Watch<'a> {
        Watch { cancel, deadline }
    }

    /// It is time to stop when the flag is set or the deadline has passed, but never for lack of
    /// time within the first quarter of a second.
    pub fn for_preparation(cancel: &'a AtomicBool, deadline: Option<Instant>) -> Watch<'a> {
        let least = Instant::now() + PREPARATION;
        Watch::new(Some(cancel), deadline.map(|deadline| deadline.max(least)))
    }

    /// It is time to stop when the flag is set.
    pub fn flag(cancel: &'a AtomicBool) -> Watch<'a> {
        Watch::new(Some(cancel), None)
    }

    /// The reason to stop, if there is one.
    pub fn reason(self) -> Option<StopReason> {
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(StopReason::Cancelled);
        }
        if is_short() {
            return Some(StopReason::Memory);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::Time)
    }

    /// Returns whether it is time to stop.
    pub fn is_over(self) -> bool {
        self.reason().is_some()
    }

    /// Runs work that checks only a flag. The flag is set soon after it is time to stop, and at
    /// once when the system has no thread left to watch the time.
    pub fn during<T>(self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        let stop = &AtomicBool::new(false);
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            if !self.is_watched_on(scope, stop, is_done) {
                stop.store(true, Ordering::Relaxed);
            }
            let result = work(stop);
            drop(done);
            result
        })
    }

    /// Spawns a thread that sets the flag soon after it is time to stop, until the sender of
    /// `is_done` is gone. Returns whether the system had a thread left.
    fn is_watched_on<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        stop: &'s AtomicBool,
        is_done: Receiver<()>,
    ) -> bool
    where
        'a: 's,
    {
        let watching = spawn(scope, move || {
            let mut waited = Err(RecvTimeoutError::Timeout);
            while waited == Err(RecvTimeoutError::Timeout) {
                stop.fetch_or(self.is_over(), Ordering::Relaxed);
                waited = is_done.recv_timeout(WATCH_INTERVAL);
            }
        });
        watching.is_some()
    }
}

/// What precedes a search that runs layer by layer may take this long even if the search has less
/// time, so that it completes a layer, and one that is continued again and again comes to an end.
const PREPARATION: Duration = Duration::from_millis(250);

/// The time between two checks of a [`Watch`] while work is done.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
