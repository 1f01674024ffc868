//! What is known of a position: its exact distance from a table, a shortest solution from a search,
//! or the best solution that is known.
//!
//! Small puzzles get a table of all distances in memory when somebody first asks. Larger ones are
//! searched for as long as a person does not notice; when that proves nothing, the best solution found
//! is given at once and a thread of its own goes on to prove a shortest one, so that a later question
//! finds it. Only where that moment yields no solution at all the question takes longer.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyperslide_lab::{TableSource, Tables};
use hyperslide_puzzle::{BoardSpec, Move, Puzzle, State, UnsolvableReason};
use hyperslide_search::{Config, Control, Limits, Outcome, TableCache, solve};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Signals, StoreEvent, TableStore,
};
use lru::LruCache;

/// Bytes that a table made for a question, and making it, may take: some 20 million states.
const TABLE_BYTES: u64 = 64 << 20;
/// Bytes of all tables that were made for questions.
const ALL_TABLES_BYTES: u64 = 128 << 20;
/// The longest that one question may search for a shortest solution before a good one will do. Over
/// pattern databases that are there 19 of 20 uniformly random 15-puzzles are proven in it.
const FIRST_TIME: Duration = Duration::from_millis(50);
/// The longest that it may then search for a good one: with the above a question takes less than 100 ms.
const GOOD_TIME: Duration = Duration::from_millis(30);
/// The longest that a question may search when no solution was found so far.
const SEARCH_TIME: Duration = Duration::from_millis(1000);
/// The longest that one question may improve a solution that is not proven shortest.
const IMPROVING_TIME: Duration = Duration::from_millis(300);
/// The longest that the thread behind the questions may search for one of them.
const PROVING_TIME: Duration = Duration::from_secs(120);
const SEARCH_BYTES: u64 = 512 << 20;
/// The pattern databases by which the positions of a play are solved one by one. They are 3 MB, and are
/// built in a second.
const ALONG_A_WAY: &str = "patterns:6-6-3";
/// The longest that this may take.
const ALONG_TIME: Duration = Duration::from_secs(20);
/// Positions whose best known solution is remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(20_000).expect("it is not 0");

/// How a distance is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A table of all distances.
    Table,
    /// A search.
    Search,
}

/// What is known of the way from a position to the goal.
pub enum Known {
    /// A solution.
    Solution {
        /// Its moves.
        moves: Vec<Move>,
        /// Whether no solution is shorter.
        proven: bool,
        /// How it is known.
        source: Source,
        /// All moves that are known to begin a solution of this length.
        first: Vec<Move>,
    },
    /// There is none.
    Unsolvable(Option<UnsolvableReason>),
    /// None was found in the time.
    Unknown,
}

/// A solution that was found, from the position after some of its moves on.
#[derive(Clone)]
struct Remembered {
    moves: Arc<[Move]>,
    played: usize,
    proven: bool,
}

/// Answers questions about positions; shared by all requests.
pub struct Guide {
    shared: Arc<Shared>,
    /// Tables of heuristics, which are built when they are missing.
    building: Arc<TableCache>,
    prover: SyncSender<Puzzle>,
}

struct Shared {
    files: Tables,
    /// Tables of heuristics for questions, which may not wait until one is built.
    ready: Arc<TableCache>,
    /// `None` for a puzzle that is too large.
    tables: Mutex<LruCache<String, Option<Arc<DistanceTable>>>>,
    solutions: Mutex<LruCache<String, Remembered>>,
    stop: AtomicBool,
}

/// Says in the log what happens to tables.
fn tell(event: &StoreEvent<'_>) {
    match event {
        StoreEvent::Building { abstraction, bytes, .. } => {
            let (kept, board) = (abstraction.kept().len(), abstraction.puzzle().board());
            tracing::info!(kept, %board, bytes, "a pattern database is being built");
        }
        StoreEvent::Damaged(error) => tracing::warn!(%error, "a table is built again"),
        StoreEvent::NotKept(error) => tracing::warn!(%error, "a table could not be kept"),
    }
}

/// Returns whether a search has neither proven a solution shortest nor that there is none.
fn is_open(outcome: &Option<Outcome>) -> bool {
    !matches!(outcome, Some(Outcome::Unsolvable(_) | Outcome::Solved { optimal: true, .. }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guide {
    /// A guide that looks up tables in a directory, and may keep new ones there.
    pub fn new(directory: Option<&Path>, builds: bool) -> Guide {
        let directory = directory.map(Path::to_owned);
        let source = directory.clone().map_or(TableSource::None, TableSource::Directory);
        let store = || TableStore::new(directory.clone(), |event| tell(&event));
        let building = TableCache::new(if builds { store() } else { store().reading_only() });
        let building = Arc::new(building);
        let ready = match directory {
            Some(_) => Arc::new(TableCache::new(store().reading_only())),
            None => Arc::clone(&building),
        };
        let shared = Arc::new(Shared {
            files: Tables::new(source, |notice| tracing::warn!(?notice, "a table is not used")),
            ready,
            tables: Mutex::new(LruCache::unbounded()),
            solutions: Mutex::new(LruCache::new(REMEMBERED)),
            stop: AtomicBool::new(false),
        });
        // One question waits while another is proven; what comes meanwhile is asked again by people.
        let (prover, questions) = sync_channel::<Puzzle>(1);
        let (known, cache) = (Arc::clone(&shared), Arc::clone(&building));
        std::thread::spawn(move || {
            for puzzle in questions {
                known.search(&puzzle, "auto", PROVING_TIME, &cache);
            }
        });
        Guide { shared, building, prover }
    }

    /// The exact distances of the positions along a way from the puzzle's start, and how they are
    /// known; `None` where a table would be too large and searches would take too long.
    pub fn distances_along(
        &self,
        puzzle: &Puzzle,
        moves: &[Move],
    ) -> Option<(Vec<u32>, &'static str)> {
        let mut states = vec![*puzzle.start()];
        for &mv in moves {
            let mut next = *states.last()?;
            next.slide(mv);
            states.push(next);
        }
        if let Some(table) = self.shared.answering_table(puzzle) {
            let distances = states.iter().map(|state| table.distance(state));
            return Some((distances.collect::<Option<_>>()?, "table"));
        }
        let is_fifteen_puzzle = *puzzle.board().spec() == BoardSpec::Grid { rows: 4, columns: 4 }
            && states[0].occupied().len() == 15
            && puzzle.has_distinct_labels();
        if !is_fifteen_puzzle {
            return None;
        }
        let cache = Arc::clone(&self.building);
        let config = Config { cache, ..Config::new("idastar", Some(ALONG_A_WAY), [], 0).ok()? };
        let deadline = Instant::now() + ALONG_TIME;
        let mut known: HashMap<State, u32> = HashMap::new();
        let mut distances = Vec::with_capacity(states.len());
        for state in states {
            let distance = match known.get(&state) {
                Some(&distance) => distance,
                None => {
                    let time = deadline.checked_duration_since(Instant::now())?;
                    let limits =
                        Limits { time: Some(time), memory: Some(SEARCH_BYTES), nodes: None };
                    let cancel = Some(&self.shared.stop);
                    let control = Control { limits, cancel, ..Control::default() };
                    let position = puzzle.with_start(state)?;
                    match solve(&position, &config, &control).ok()?.outcome {
                        Outcome::Solved { moves, optimal: true, .. } => {
                            // Whoever goes on along a shortest way needs no other search.
                            let length = moves.len() as u32;
                            let mut along = state;
                            known.insert(along, length);
                            for (mv, played) in moves.into_iter().zip(1..) {
                                along.slide(mv);
                                known.insert(along, length - played);
                            }
                            length
                        }
                        _ => return None,
                    }
                }
            };
            distances.push(distance);
        }
        Some((distances, "search"))
    }

    /// The table of all distances to the puzzle's goal, when there is one or it is small.
    pub fn table(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        self.shared.answering_table(puzzle)
    }

    /// What is known of the way from the puzzle's start to its goal. Takes at most some two seconds.
    pub fn ask(&self, puzzle: &Puzzle) -> Known {
        if let Some(known) = self.shared.look_up(puzzle) {
            return known;
        }
        let shared = &self.shared;
        let search = |algorithm, time| shared.search(puzzle, algorithm, time, &shared.ready);
        let is_unknown = || shared.remembered(puzzle).is_none();
        if shared.remembered(puzzle).is_none_or(|known| !known.proven) {
            let mut outcome = search("auto", FIRST_TIME);
            if is_open(&outcome) {
                search("anytime", GOOD_TIME);
                if is_unknown() {
                    outcome = search("auto", SEARCH_TIME);
                }
            }
            if let Some(Outcome::Unsolvable(reason)) = outcome {
                return Known::Unsolvable(Some(reason));
            }
            if is_open(&outcome) {
                if is_unknown() {
                    search("staged", IMPROVING_TIME);
                    search("anytime", IMPROVING_TIME);
                }
                // When the queue is full, the question is asked again with the next one.
                let _ = self.prover.try_send(puzzle.clone());
            }
        }
        match shared.remembered(puzzle) {
            None => Known::Unknown,
            Some(known) => {
                let moves = known.moves[known.played..].to_vec();
                let first = moves.first().copied().into_iter().collect();
                Known::Solution { moves, proven: known.proven, source: Source::Search, first }
            }
        }
    }

    /// Stops what runs behind the questions.
    pub fn stop(&self) {
        self.shared.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Shared {
    fn table(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        if let Some(table) = self.files.find(puzzle) {
            return Some(table);
        }
        let key = Abstraction::whole_text(puzzle);
        if let Some(known) = lock(&self.tables).get(&key) {
            return known.clone();
        }
        let table = self.build(puzzle);
        let mut tables = lock(&self.tables);
        tables.put(key, table.clone());
        let bytes = |table: &Option<Arc<DistanceTable>>| table.as_ref().map_or(0, |t| t.bytes());
        while tables.len() > 1
            && (tables.len() > 256
                || tables.iter().map(|(_, table)| bytes(table)).sum::<u64>() > ALL_TABLES_BYTES)
        {
            tables.pop_lru();
        }
        table
    }

    /// The same, when it has the distances of this puzzle's positions.
    fn answering_table(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        self.table(puzzle).filter(|table| table.answers(puzzle))
    }

    fn build(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        let abstraction = Abstraction::whole(puzzle).ok()?;
        let options = BuildOptions {
            encoding: Encoding::Byte,
            memory: TABLE_BYTES,
            ..BuildOptions::default()
        };
        let signals = Signals::new(&self.stop);
        let mut go_on = |_: &_| std::ops::ControlFlow::Continue(());
        DistanceTable::build(abstraction, &options, &signals, &mut go_on).ok().map(Arc::new)
    }

    /// What a table says of the start.
    fn look_up(&self, puzzle: &Puzzle) -> Option<Known> {
        let table = self.answering_table(puzzle)?;
        let Some(distance) = table.distance(puzzle.start()) else {
            return table.layers().complete.then_some(Known::Unsolvable(None));
        };
        let moves = table.solve(puzzle.start())?;
        let nearer = |mv: &Move| {
            let mut next = *puzzle.start();
            next.slide(*mv);
            distance > 0 && table.distance(&next) == Some(distance - 1)
        };
        let mut first = puzzle.board().legal_moves(puzzle.start());
        first.retain(nearer);
        Some(Known::Solution { moves, proven: true, source: Source::Table, first })
    }

    fn remembered(&self, puzzle: &Puzzle) -> Option<Remembered> {
        lock(&self.solutions).get(&puzzle.to_string()).cloned()
    }

    /// Searches, and remembers the solution for each position along it.
    fn search(
        &self,
        puzzle: &Puzzle,
        algorithm: &str,
        time: Duration,
        cache: &Arc<TableCache>,
    ) -> Option<Outcome> {
        let config = Config { cache: Arc::clone(cache), ..Config::named(algorithm)? };
        let limits = Limits { time: Some(time), memory: Some(SEARCH_BYTES), nodes: None };
        let control = Control { limits, cancel: Some(&self.stop), ..Control::default() };
        let outcome = solve(puzzle, &config, &control).ok()?.outcome;
        if let Outcome::Solved { moves, optimal, .. } = &outcome {
            self.remember(puzzle, moves, *optimal);
        }
        Some(outcome)
    }

    fn remember(&self, puzzle: &Puzzle, moves: &[Move], proven: bool) {
        let moves: Arc<[Move]> = moves.into();
        let mut state = *puzzle.start();
        let line = puzzle.to_string();
        let (board, goal) = (puzzle.board(), line.split_once(" -> ").map_or("", |(_, goal)| goal));
        let mut solutions = lock(&self.solutions);
        for played in 0..=moves.len() {
            let key = format!("{board} {} -> {goal}", puzzle.write_state(&state));
            let is_better = |known: &Remembered| {
                let length = known.moves.len() - known.played;
                let ours = moves.len() - played;
                ours < length || (proven && !known.proven)
            };
            if solutions.peek(&key).is_none_or(is_better) {
                solutions.put(key, Remembered { moves: Arc::clone(&moves), played, proven });
            }
            if let Some(&mv) = moves.get(played) {
                state.slide(mv);
            }
        }
    }
}
