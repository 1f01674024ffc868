//! Watching a search grow: a bounded, sampled stream of the states that it expands.
//!
//! Whoever wants to show a running search puts an [`Observer`] into its [`Control`](crate::Control)
//! and reads it from another thread. The searches number their expansions in the order in which
//! they happen. All of them are kept until the observer is full; then its stride doubles, and only
//! the expansions whose numbers are multiples of the stride stay. What is kept therefore depends
//! only on the order of the expansions and on the capacity, never on the clock or on the reader.
//!
//! A search that nobody observes pays at most one predictable branch for each expansion, and the
//! fast iterations of IDA\* pay nothing: they are compiled a second time for observers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hyperslide_puzzle::{Puzzle, SearchEnd, State};
use hyperslide_table::lock;

/// Collects the expansions of one run of a solver.
///
/// Memory: at most 200 bytes for each expansion of the capacity, and the puzzles that were
/// searched. Cost: an atomic addition for each expansion, and for each one that is kept a lock and
/// a copy of two states.
///
/// ```
/// use hyperslide_puzzle::Puzzle;
/// use hyperslide_search::{Config, Control, Observer, solve};
///
/// let puzzle = Puzzle::from_line("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6")?;
/// let observer = Observer::new(1_000);
/// let control = Control { observer: Some(&observer), ..Control::default() };
/// let report = solve(&puzzle, &Config::named("astar").unwrap(), &control)?;
///
/// // Another thread may call this while the search is running.
/// let observed = observer.since(0, usize::MAX);
/// assert_eq!(observed.expansions.len() as u64, report.stats.expanded);
/// let [first, second] = &observed.expansions[..2] else { panic!("more states are expanded") };
/// assert_eq!((first.state, first.parent, first.g), (*puzzle.start(), None, 0));
/// assert_eq!((second.parent, second.g), (Some(first.state), 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Observer {
    capacity: usize,
    /// The number of expansions so far.
    seen: AtomicU64,
    /// The number of searches so far.
    searches: AtomicU64,
    /// The stride less one: a copy that can be read without the lock.
    mask: AtomicU64,
    kept: Mutex<Kept>,
}

/// A search whose expansions were observed. A run may consist of many: `anytime` runs several
/// algorithms in turns, staged search runs one search for each stage, IDA\* one for each bound.
#[derive(Clone, Debug)]
pub struct ObservedSearch {
    /// The number of searches that the run began before this one.
    pub number: u64,
    /// The name of the algorithm that searches.
    pub algorithm: &'static str,
    /// What is searched. For a stage of staged search this is the puzzle in which all tokens that
    /// are not wanted yet are alike, and it starts where the stage before it ended.
    pub puzzle: Arc<Puzzle>,
    /// For IDA\*, the bound on f = g + h of this iteration.
    pub bound: Option<u32>,
}

/// The expansion of a state: its successors were generated.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The number of expansions of the run before this one. Where several threads search together,
    /// they draw these numbers one after the other.
    pub order: u64,
    /// The search that it belongs to.
    pub search: Arc<ObservedSearch>,
    /// The end that the search comes from: only bidirectional searches come from the goal too.
    pub end: SearchEnd,
    /// The number of moves from a root of the search, which is the start or, from the other end, a
    /// state that meets the goal.
    pub g: u32,
    /// The estimate of the number of moves that are left, from the goal's end to the start; `None`
    /// for searches without a heuristic.
    pub h: Option<u32>,
    /// The state, with the labels of [`ObservedSearch::puzzle`].
    pub state: State,
    /// The state that it was generated from, one move away; `None` for a root.
    pub parent: Option<State>,
}

/// What an [`Observer`] shows at one moment.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The kept expansions that were added since the mark, by ascending order.
    pub expansions: Vec<Expansion>,
    /// Only expansions whose order is a multiple of this power of two are kept now. A reader that
    /// has others from before drops them, so as to hold the same sample.
    pub stride: u64,
    /// The number of expansions so far, kept or not.
    pub seen: u64,
    /// The mark to continue from: what the next call of [`Observer::since`] takes.
    pub mark: u64,
}

/// The expansions that are kept, in the order in which they were added, each after the number of
/// those that were added before it.
#[derive(Debug)]
struct Kept {
    expansions: Vec<(u64, Expansion)>,
    stride: u64,
    added: u64,
}

impl Observer {
    /// An observer that keeps at most the given number of expansions, and at least one. Once it has
    /// been full it keeps at least half of that number.
    pub fn new(capacity: usize) -> Observer {
        Observer {
            capacity: capacity.max(1),
            seen: AtomicU64::new(0),
            searches: AtomicU64::new(0),
            mask: AtomicU64::new(0),
            kept: Mutex::new(Kept { expansions: Vec::new(), stride: 1, added: 0 }),
        }
    }

    /// The first `most` expansions that are kept and were added since `mark`: 0 for the first of
    /// all, later the [`Observed::mark`] of the previous call. Takes O(log capacity) and what it
    /// returns.
    pub fn since(&self, mark: u64, most: usize) -> Observed {
        let kept = lock(&self.kept);
        let first = kept.expansions.partition_point(|&(added, _)| added < mark);
        let (taken, left) =
            kept.expansions[first..].split_at(most.min(kept.expansions.len() - first));
        let mut observed = Observed {
            expansions: taken.iter().map(|(_, expansion)| expansion.clone()).collect(),
            stride: kept.stride,
            seen: self.seen.load(Ordering::Relaxed),
            mark: left.first().map_or(kept.added, |&(added, _)| added),
        };
        drop(kept);
        // Threads that search together may add theirs in another order.
        observed.expansions.sort_by_key(|expansion| expansion.order);
        observed
    }

    fn add(&self, expansion: Expansion) {
        let mut kept = lock(&self.kept);
        while kept.expansions.len() >= self.capacity && kept.wants(expansion.order) {
            kept.stride *= 2;
            let stride = kept.stride;
            kept.expansions.retain(|(_, kept)| kept.order.is_multiple_of(stride));
            self.mask.store(stride - 1, Ordering::Relaxed);
        }
        if kept.wants(expansion.order) {
            let added = kept.added;
            kept.added += 1;
            kept.expansions.push((added, expansion));
        }
    }
}

impl Kept {
    fn wants(&self, order: u64) -> bool {
        order.is_multiple_of(self.stride)
    }
}

/// Reports the expansions of one search to an observer.
#[derive(Clone)]
pub(crate) struct Recorder<'a> {
    observer: &'a Observer,
    search: Arc<ObservedSearch>,
}

/// What a search says of a state that it expands.
pub(crate) struct Expanded {
    pub state: State,
    pub parent: Option<State>,
    pub g: u32,
    pub h: Option<u32>,
    pub end: SearchEnd,
}

impl<'a> Recorder<'a> {
    /// Announces a search.
    pub fn new(observer: &'a Observer, algorithm: &'static str, puzzle: &Puzzle) -> Recorder<'a> {
        let search = ObservedSearch {
            number: observer.searches.fetch_add(1, Ordering::Relaxed),
            algorithm,
            puzzle: Arc::new(puzzle.clone()),
            bound: None,
        };
        Recorder { observer, search: Arc::new(search) }
    }

    /// Announces the next iteration of IDA\*.
    pub fn next_iteration(&mut self, bound: u32) {
        // The first iteration is the search that was announced.
        let number = match self.search.bound {
            None => self.search.number,
            Some(_) => self.observer.searches.fetch_add(1, Ordering::Relaxed),
        };
        let search = ObservedSearch { number, bound: Some(bound), ..(*self.search).clone() };
        self.search = Arc::new(search);
    }

    /// Counts an expansion; what it is gets asked only when it is kept.
    #[inline]
    pub fn expand(&self, expanded: impl FnOnce() -> Expanded) {
        let order = self.observer.seen.fetch_add(1, Ordering::Relaxed);
        if order & self.observer.mask.load(Ordering::Relaxed) == 0 {
            let Expanded { state, parent, g, h, end } = expanded();
            let search = Arc::clone(&self.search);
            self.observer.add(Expansion { order, search, end, g, h, state, parent });
        }
    }
}
