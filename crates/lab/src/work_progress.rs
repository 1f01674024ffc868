//! How far long work on many things has come, and how much of it is left.

use std::time::{Duration, Instant};

/// How much of the work is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkProgress {
    /// Things that are done, those included that were done before.
    pub done: usize,
    /// All things, where their number is known.
    pub total: Option<usize>,
    /// Things that were done in this run.
    pub fresh: usize,
    /// How long this run has taken.
    pub elapsed: Duration,
}

impl WorkProgress {
    /// How long the rest takes if it goes as fast as what was done in this run; `None` while
    /// nothing is known about that.
    pub fn left(&self) -> Option<Duration> {
        let missing = self.total?.saturating_sub(self.done);
        let each = self.elapsed.checked_div(u32::try_from(self.fresh).ok()?)?;
        each.checked_mul(u32::try_from(missing).ok()?)
    }
}

/// Counts what is done, from its creation on.
#[derive(Debug)]
pub(crate) struct WorkMeter {
    progress: WorkProgress,
    started: Instant,
}

impl WorkMeter {
    /// Begins work on `total` things, of which `known` were done before.
    pub fn new(known: usize, total: Option<usize>) -> WorkMeter {
        let progress = WorkProgress { done: known, total, ..WorkProgress::default() };
        WorkMeter { progress, started: Instant::now() }
    }

    /// Counts one more thing.
    pub fn add(&mut self) -> WorkProgress {
        self.progress.done += 1;
        self.progress.fresh += 1;
        self.progress()
    }

    /// How much is done now.
    pub fn progress(&self) -> WorkProgress {
        WorkProgress { elapsed: self.started.elapsed(), ..self.progress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_judged_by_this_run_alone() {
        let elapsed = Duration::from_secs(20);
        let progress = WorkProgress { done: 50, total: Some(80), fresh: 10, elapsed };
        assert_eq!(progress.left(), Some(Duration::from_secs(60)));
        assert_eq!(WorkProgress { fresh: 0, ..progress }.left(), None);
        assert_eq!(WorkProgress { total: None, ..progress }.left(), None);
        assert_eq!(WorkProgress { done: 80, ..progress }.left(), Some(Duration::ZERO));
    }
}
