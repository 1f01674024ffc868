//! Limits, cancellation and progress of a search, and the meter that counts what it does.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use hyperslide_puzzle::Puzzle;
use hyperslide_table::{Watch, is_short, refusable};

use crate::observer::{Observer, Recorder};
use crate::outcome::{Limit, Stats};
use crate::proof::{Proof, ProofCost};

/// How much a search may use. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Bytes of the search's own data structures and its tables; checked every few thousand
    /// states.
    pub memory: Option<u64>,
    /// Generated states.
    pub nodes: Option<u64>,
}

/// What a running search reports.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The counters so far; the processor time of threads that still run is added when they end.
    pub stats: Stats,
    /// No solution is shorter than this.
    pub lower_bound: u32,
    /// The length of the best solution so far.
    pub length: Option<u32>,
}

/// Limits, cancellation, progress and observation of one search.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// How much the search may use.
    pub limits: Limits,
    /// Stops the search soon after it becomes true.
    pub cancel: Option<&'a AtomicBool>,
    /// Called a few times a second from the searching thread.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Collects the states that are expanded, for those algorithms that [show
    /// them](crate::Algorithm::shows_expansions), except those by which IDA\* compares partitions.
    /// The search itself is the same with it.
    pub observer: Option<&'a Observer>,
    /// The proof to continue: what earlier runs searched, and where this run saves its progress. It
    /// is for the algorithm `idastar` alone.
    pub proof: Option<&'a Proof<'a>>,
}

/// Returns whether the system would give these bytes now: a process may have limits of its own.
pub(crate) fn is_available(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    refusable(|| Vec::<u8>::new().try_reserve_exact(bytes)).is_ok()
}

/// The number of generated states between two checks of everything.
const POLL_INTERVAL: u64 = 1 << 13;
/// The number of expansions between two looks at the clock alone: a state may have a hundred
/// successors, each of them with an estimate that takes long.
const LOOK_INTERVAL: u32 = 32;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Counts what a search does, and says when it has to stop.
pub(crate) struct Meter<'a> {
    control: Control<'a>,
    pub stats: Stats,
    started: Instant,
    cpu: ThreadTime,
    next_poll: u64,
    /// Expansions until the next look at the clock.
    next_look: u32,
    node_limit: u64,
    /// Bytes of the heuristic's tables, in addition to what the search holds itself.
    tables: u64,
    /// Whether the observer is to see nothing for now.
    is_unobserved: bool,
    /// Whether the bounds of what runs are no lower bounds.
    is_unproven: bool,
    /// The length of the best solution so far, and what no solution is shorter than.
    best: (Option<u32>, u32),
    next_progress: Duration,
    other_cpu_s: f64,
    /// What estimates cost beyond what looking them up does, in states: see [`Self::add_effort`].
    effort: u64,
    /// Why `auto` chose what it runs.
    choice: Option<&'static str>,
    /// The heuristic that was found best for the puzzle.
    heuristic: Option<String>,
}

impl<'a> Meter<'a> {
    pub fn new(control: &Control<'a>) -> Meter<'a> {
        let node_limit = control.limits.nodes.unwrap_or(u64::MAX);
        Meter {
            control: *control,
            stats: Stats::default(),
            started: Instant::now(),
            cpu: ThreadTime::now(),
            next_poll: node_limit.min(POLL_INTERVAL),
            next_look: LOOK_INTERVAL,
            node_limit,
            tables: 0,
            is_unobserved: false,
            is_unproven: false,
            best: (None, 0),
            next_progress: PROGRESS_INTERVAL,
            other_cpu_s: 0.0,
            effort: 0,
            choice: None,
            heuristic: None,
        }
    }

    /// Runs a part of the search that may generate at most this many more states.
    pub fn with_node_allowance<T>(
        &mut self,
        allowance: u64,
        part: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let whole = self.node_limit;
        self.node_limit = whole.min(self.stats.generated.saturating_add(allowance));
        self.next_poll = self.next_poll.min(self.node_limit);
        let result = part(self);
        self.node_limit = whole;
        result
    }

    /// Runs a part of the search while these bytes are held in addition to what it holds itself.
    pub fn with_held<T>(&mut self, bytes: u64, part: impl FnOnce(&mut Self) -> T) -> T {
        let tables = self.tables;
        self.tables = tables.saturating_add(bytes);
        let result = part(self);
        self.tables = tables;
        result
    }

    /// Runs a part of the search without the observer, because its states are not those of the
    /// puzzle.
    pub fn unobserved<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let before = mem::replace(&mut self.is_unobserved, true);
        let result = part(self);
        self.is_unobserved = before;
        result
    }

    /// Runs a part of the search whose bounds follow from estimates that may be too high, so that
    /// they are not shown as lower bounds.
    pub fn with_unproven_bounds<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let before = mem::replace(&mut self.is_unproven, true);
        let result = part(self);
        self.is_unproven = before;
        result
    }

    /// Returns whether all the states that the caller allowed have been generated.
    pub fn is_out_of_nodes(&self) -> bool {
        self.nodes_left() == 0
    }

    /// How many states may still be generated.
    pub fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.stats.generated)
    }

    /// The number of generated states at which to call [`Self::poll`].
    #[inline]
    pub fn next_poll(&self) -> u64 {
        self.next_poll
    }

    /// To be called after each expansion; cheap until the next check of clock and memory is due.
    #[inline]
    pub fn check(&mut self, bytes: impl FnOnce() -> u64, lower_bound: u32) -> Result<(), Limit> {
        if self.stats.generated >= self.next_poll {
            return self.poll(bytes(), lower_bound);
        }
        self.next_look -= 1;
        if self.next_look == 0 { self.look() } else { Ok(()) }
    }

    /// Looks only whether it is time to stop.
    #[cold]
    fn look(&mut self) -> Result<(), Limit> {
        self.next_look = LOOK_INTERVAL;
        self.watch().reason().map_or(Ok(()), |reason| Err(reason.into()))
    }

    /// The same for a search whose storage may be full: that is the memory limit, at once.
    #[inline]
    pub fn check_storage(
        &mut self,
        is_full: bool,
        bytes: impl FnOnce() -> u64,
        lower_bound: u32,
    ) -> Result<(), Limit> {
        if is_full { Err(Limit::Memory) } else { self.check(bytes, lower_bound) }
    }

    /// Checks everything that may stop the search.
    #[cold]
    pub fn poll(&mut self, bytes: u64, lower_bound: u32) -> Result<(), Limit> {
        let bytes = bytes.saturating_add(self.tables);
        self.note_bytes(bytes);
        self.note_best(None, if self.is_unproven { 0 } else { lower_bound });
        let limits = &self.control.limits;
        let elapsed = self.started.elapsed();
        self.next_poll = self.node_limit.min(self.stats.generated + POLL_INTERVAL);
        if self.control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Limit::Cancelled);
        }
        if self.control.proof.is_some_and(Proof::is_stopped) {
            return Err(Limit::Cancelled);
        }
        if self.stats.generated >= self.node_limit {
            return Err(Limit::Nodes);
        }
        // Checked before memory: a search that retries with less of it must still end on time.
        if limits.time.is_some_and(|limit| elapsed >= limit) {
            return Err(Limit::Time);
        }
        // Also without a limit: searches report u64::MAX when they cannot number more states.
        if bytes >= limits.memory.unwrap_or(u64::MAX) || is_short() {
            return Err(Limit::Memory);
        }
        if let Some(progress) = self.control.progress
            && elapsed >= self.next_progress
        {
            self.next_progress = elapsed + PROGRESS_INTERVAL;
            let stats = self.stats_so_far();
            let (length, lower_bound) = self.best;
            progress(&Progress { stats, lower_bound, length });
        }
        Ok(())
    }

    /// Remembers, for progress reports, what a part of the search has found and proven. Parts know
    /// less than those before them, so that the shortest length and the greatest bound are kept.
    pub fn note_best(&mut self, length: Option<u32>, lower_bound: u32) {
        let (shortest, greatest) = self.best;
        let length = shortest.into_iter().chain(length).min();
        self.best = (length, greatest.max(lower_bound));
    }

    /// Remembers why an algorithm chose the one that it runs.
    pub fn note_choice(&mut self, why: &'static str) {
        self.choice = Some(why);
    }

    /// Why an algorithm chose the one that it ran.
    pub fn choice(&self) -> Option<&'static str> {
        self.choice
    }

    /// Remembers the heuristic that was found best for the puzzle.
    pub fn note_heuristic(&mut self, choice: &str) {
        self.heuristic = Some(choice.to_owned());
    }

    /// The heuristic that was found best for the puzzle, if several were compared.
    pub fn heuristic(&self) -> Option<&str> {
        self.heuristic.as_deref()
    }

    /// Counts the tables of a heuristic, which stay in memory during the search, in addition to
    /// what the search holds itself.
    pub fn note_tables(&mut self, bytes: u64) {
        self.tables = self.tables.max(bytes);
        self.note_bytes(self.tables);
    }

    /// Returns whether a heuristic with tables has been used.
    pub fn has_tables(&self) -> bool {
        self.tables > 0
    }

    /// Returns whether a part that generates no states has to stop because it is cancelled, or out
    /// of time or memory.
    pub fn is_over(&self, bytes: u64) -> bool {
        self.reached(bytes).is_some()
    }

    /// The limit that such a part has reached, if it has to stop.
    pub fn reached(&self, bytes: u64) -> Option<Limit> {
        let of_memory = || (bytes >= self.memory_limit()).then_some(Limit::Memory);
        // Memory that the system lacks is among the reasons of the watch.
        self.watch().reason().map(Limit::from).or_else(of_memory)
    }

    /// Returns whether a search may hold this many bytes in addition to the tables of its
    /// heuristic.
    pub fn fits(&self, bytes: u64) -> bool {
        bytes.saturating_add(self.tables) < self.memory_limit() && !is_short()
    }

    /// Notes what a search begins to hold in addition to its tables, for one that has no state to
    /// count yet.
    ///
    /// # Errors
    ///
    /// The memory limit, if that is too much.
    pub fn hold(&mut self, bytes: u64) -> Result<(), Limit> {
        self.note_bytes(bytes.saturating_add(self.tables));
        if self.fits(bytes) { Ok(()) } else { Err(Limit::Memory) }
    }

    /// The bytes that a search may hold in addition to its tables.
    pub fn memory_left(&self) -> u64 {
        self.memory_limit().saturating_sub(self.tables)
    }

    /// The number of bytes that the search may hold.
    pub fn memory_limit(&self) -> u64 {
        self.control.limits.memory.unwrap_or(u64::MAX)
    }

    /// What other threads ask when to stop.
    pub fn watch(&self) -> Watch<'a> {
        Watch::new(self.control.cancel, self.deadline())
    }

    /// When the time is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.control.limits.time.and_then(|limit| self.started.checked_add(limit))
    }

    /// What records the expansions of a search by an algorithm, when somebody observes it.
    pub fn recorder(&self, algorithm: &'static str, puzzle: &Puzzle) -> Option<Recorder<'a>> {
        let observer = self.control.observer.filter(|_| !self.is_unobserved);
        observer.map(|observer| Recorder::new(observer, algorithm, puzzle))
    }

    /// What stops the search when it becomes true.
    pub fn cancel(&self) -> Option<&'a AtomicBool> {
        self.control.cancel
    }

    /// What keeps the search's proof, if it is to be continued later.
    pub fn proof(&self) -> Option<&'a Proof<'a>> {
        self.control.proof
    }

    /// What has been done so far.
    pub fn proof_cost(&self) -> ProofCost {
        let Stats { expanded, generated, .. } = self.stats;
        ProofCost { expanded, generated, cpu_s: self.cpu_s() }
    }

    /// Counts what an earlier run did; the limit is one of the states of this run.
    pub fn add_proof_cost(&mut self, cost: ProofCost) {
        /// What is kept may say anything: it leaves room for all that a run can count.
        const MOST: u64 = u64::MAX / 2;

        let and = |count: u64, more: u64| count.saturating_add(more).min(MOST).max(count);
        self.node_limit = self.node_limit.saturating_add(cost.generated);
        self.stats.expanded = and(self.stats.expanded, cost.expanded);
        self.stats.generated = and(self.stats.generated, cost.generated);
        self.add_cpu(cost.cpu_s);
    }

    /// CPU seconds of all threads so far.
    fn cpu_s(&self) -> f64 {
        self.cpu.elapsed().as_secs_f64() + self.other_cpu_s
    }

    /// Counts CPU seconds of other threads.
    pub fn add_cpu(&mut self, seconds: f64) {
        self.other_cpu_s += seconds;
    }

    /// Notes that these states were generated with estimates that cost `effort` times what a state
    /// does whose estimate is looked up.
    pub fn add_effort(&mut self, states: u64, effort: f64) {
        self.effort += (states as f64 * (effort - 1.0)) as u64;
    }

    /// What all states so far have cost, in states whose estimates are looked up.
    pub fn cost(&self) -> u64 {
        self.stats.generated + self.effort
    }

    /// Returns whether the caller limits the number of generated states, so that they have to be
    /// counted in one order.
    pub fn counts_nodes(&self) -> bool {
        self.control.limits.nodes.is_some()
    }

    /// Remembers how much memory is in use.
    pub fn note_bytes(&mut self, bytes: u64) {
        if bytes < u64::MAX {
            self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        }
    }

    /// Remembers what a search holds when it ends.
    pub fn note_end(&mut self, bytes: u64, stored: u64) {
        self.note_bytes(bytes.saturating_add(self.tables));
        self.stats.stored = self.stats.stored.max(stored);
    }

    /// The final statistics.
    pub fn finish(self) -> Stats {
        self.stats_so_far()
    }

    fn stats_so_far(&self) -> Stats {
        Stats { wall_s: self.started.elapsed().as_secs_f64(), cpu_s: self.cpu_s(), ..self.stats }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A state may take a tenth of a second.
    #[test]
    fn time_ends_a_search_that_generates_few_states() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let mut meter = Meter::new(&Control { limits, ..Control::default() });
        let checked = (0..LOOK_INTERVAL).map(|_| meter.check(|| 0, 0));
        assert_eq!(checked.last(), Some(Err(Limit::Time)));
    }

    /// Parts of a search may know less than those before them.
    #[test]
    fn what_progress_reports_say_never_gets_worse() {
        let seen = Mutex::new(Vec::new());
        let progress = |progress: &Progress| {
            seen.lock().unwrap().push((progress.length, progress.lower_bound));
        };
        let mut meter = Meter::new(&Control { progress: Some(&progress), ..Control::default() });
        let mut report = |length, noted, bound, is_proven: bool| {
            meter.note_best(length, noted);
            meter.next_progress = Duration::ZERO;
            match is_proven {
                true => meter.poll(0, bound),
                false => meter.with_unproven_bounds(|meter| meter.poll(0, bound)),
            }
        };
        report(None, 0, 24, true).unwrap();
        report(Some(44), 20, 0, true).unwrap();
        report(Some(36), 26, 25, true).unwrap();
        report(Some(40), 0, 99, false).unwrap();
        report(None, 0, 0, true).unwrap();
        let expected = [(None, 24), (Some(44), 24), (Some(36), 26), (Some(36), 26), (Some(36), 26)];
        assert_eq!(*seen.lock().unwrap(), expected);
    }
}
