//! What is known of a position: its exact distance from a table, a shortest solution from a search,
//! or the best solution that is known.
//!
//! Small puzzles get a table of all distances in memory when somebody first asks. Larger ones are
//! searched for a moment; when that proves nothing, the best solution found is given at once and a
//! thread of its own then proves a shortest one, so that a later question finds it. The moment is
//! so short that nobody notices it where pattern databases are in memory, by which good solutions
//! are found as soon, and a second elsewhere.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hyperslide_lab::{TableSource, Tables};
use hyperslide_puzzle::{BoardSpec, Move, Puzzle, State, UnsolvableReason};
use hyperslide_search::{
    Config, Control, Limit, Limits, Outcome, TableCache, patterns_suit, solve,
};
use hyperslide_table::{
    Abstraction, DistanceTable, KeyLocks, SpaceError, StoreEvent, TableError, TableStore, lock,
};
use lru::LruCache;
use sha2::{Digest, Sha256};

use crate::options::Options;

/// Bytes of all tables that were made for questions.
const ALL_TABLES_BYTES: u64 = 128 << 20;
/// The longest that one question may search.
const SEARCH_TIME: Duration = Duration::from_millis(1000);
/// The same where pattern databases are in memory.
const QUICK_SEARCH_TIME: Duration = Duration::from_millis(50);
/// The longest that one question may improve a solution that is not proven shortest.
const IMPROVING_TIME: Duration = Duration::from_millis(300);
/// The same where pattern databases are in memory: such a question takes less than 100 ms.
const QUICK_IMPROVING_TIME: Duration = Duration::from_millis(30);
/// The longest that the thread behind the questions may take to read pattern databases for them.
const READING_TIME: Duration = Duration::from_secs(30);
/// Goals whose pattern databases are known to be in memory.
const GOALS: NonZeroUsize = NonZeroUsize::new(64).expect("it is not 0");
/// The longest that the thread behind the questions may search for one of them.
const PROVING_TIME: Duration = Duration::from_secs(120);
const SEARCH_BYTES: u64 = 512 << 20;
/// The pattern databases by which the positions of a play are solved one by one. They are 3 MB, and
/// are built in a second.
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

impl Source {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Source::Table => "table",
            Source::Search => "search",
        }
    }
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

/// What is remembered of a text that may be long: boards and goals can have 256 KB.
type Key = [u8; 32];

fn key(texts: &[&str]) -> Key {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update(text);
        digest.update([0]);
    }
    digest.finalize().into()
}

/// The key of a position, from that of the board and the goal.
fn position(goal: &Key, puzzle: &Puzzle, state: &State) -> Key {
    key(&[&hex::encode(goal), &puzzle.write_state(state)])
}

/// A solution that was found, from the position after some of its moves on.
#[derive(Clone)]
struct Remembered {
    moves: Arc<[Move]>,
    played: usize,
    proven: bool,
}

/// Why the distances of positions are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDistances {
    /// They have none.
    #[error("the goal cannot be reached from these positions, so no move is better than another")]
    Unsolvable,
    /// A table would be too large, and searches would take too long.
    #[error(
        "the distances of these positions are not known: there are too many positions for a table, and only \
         those of 4x4 grids are solved one by one, where the server may build their tables"
    )]
    TooMany,
    /// The searches took too long.
    #[error("the distances of these positions were not found in {} seconds", ALONG_TIME.as_secs())]
    OutOfTime,
}

/// Answers questions about positions; shared by all requests.
pub struct Advisor {
    shared: Arc<Shared>,
    /// Tables of heuristics, which are built when they are missing.
    building: Arc<TableCache>,
    prover: SyncSender<Puzzle>,
}

struct Shared {
    files: Tables,
    /// Tables of heuristics for questions, which may not wait until one is built.
    ready: Arc<TableCache>,
    /// Boards and goals whose pattern databases questions have in memory.
    quick: Mutex<LruCache<Key, ()>>,
    /// `None` for a puzzle that is too large.
    tables: Mutex<LruCache<Key, Option<Arc<DistanceTable>>>>,
    /// Two questions do not build the same table.
    building: KeyLocks<Key>,
    solutions: Mutex<LruCache<Key, Remembered>>,
    stop: AtomicBool,
}

/// Logs what happens to tables.
fn log_event(event: &StoreEvent<'_>) {
    match event {
        StoreEvent::Building { abstraction, bytes, .. } => {
            let (kept, board) = (abstraction.kept().len(), abstraction.puzzle().board());
            tracing::info!(kept, %board, bytes, "a pattern database is being built");
        }
        StoreEvent::Damaged(error) => tracing::warn!(%error, "a table is built again"),
        StoreEvent::NotKept(error) => tracing::warn!(%error, "a table could not be kept"),
    }
}

impl Advisor {
    /// An advisor that looks up tables in the server's directory, and may keep new ones there.
    pub fn new(options: &Options) -> Advisor {
        let (directory, builds) = (options.tables.clone(), options.builds_tables);
        let source = directory.clone().map_or(TableSource::None, TableSource::Directory);
        let store = || {
            let store = TableStore::new(directory.clone(), |event| log_event(&event));
            store.keeping_up_to(options.tables_size)
        };
        let building = TableCache::new(if builds { store() } else { store().reading_only() });
        let building = Arc::new(building);
        let ready = match directory {
            Some(_) => Arc::new(TableCache::new(store().reading_only())),
            None => Arc::clone(&building),
        };
        let shared = Arc::new(Shared {
            files: Tables::new(source, |notice| tracing::warn!(?notice, "a table is not used")),
            ready,
            quick: Mutex::new(LruCache::new(GOALS)),
            tables: Mutex::new(LruCache::unbounded()),
            building: KeyLocks::default(),
            solutions: Mutex::new(LruCache::new(REMEMBERED)),
            stop: AtomicBool::new(false),
        });
        // One question waits while another is proven; what comes meanwhile is asked again by
        // people.
        let (prover, questions) = sync_channel::<Puzzle>(1);
        let (known, cache) = (Arc::clone(&shared), Arc::clone(&building));
        std::thread::spawn(move || {
            for puzzle in questions {
                let prove = || {
                    if known.remembered(&puzzle).is_none_or(|known| !known.proven) {
                        known.search(&puzzle, "auto", PROVING_TIME, &cache);
                    }
                    if patterns_suit(&puzzle) && !known.is_quick(&puzzle) {
                        known.read_patterns(&puzzle);
                    }
                };
                // Whatever happens, the next puzzle is proven.
                if catch_unwind(AssertUnwindSafe(prove)).is_err() {
                    tracing::error!(%puzzle, "a proof panicked");
                }
            }
        });
        Advisor { shared, building, prover }
    }

    /// The exact distances of the positions along a way from the puzzle's start, and how they are
    /// known.
    ///
    /// # Errors
    ///
    /// When the goal cannot be reached from them, or a table would be too large and searches would
    /// take too long.
    pub fn distances_along(
        &self,
        puzzle: &Puzzle,
        moves: &[Move],
    ) -> Result<(Vec<u32>, Source), NoDistances> {
        let mut states = vec![*puzzle.start()];
        for &mv in moves {
            let mut next = states[states.len() - 1];
            next.slide(mv);
            states.push(next);
        }
        if let Some(table) = self.shared.answering_table(puzzle) {
            let distances = states.iter().map(|state| table.distance(state)).collect();
            let distances: Option<Vec<u32>> = distances;
            return distances
                .map(|distances| (distances, Source::Table))
                .ok_or(NoDistances::Unsolvable);
        }
        let distances = self.searched_along(puzzle, states)?;
        Ok((distances, Source::Search))
    }

    /// The same by searches, on the 15-puzzle only.
    fn searched_along(&self, puzzle: &Puzzle, states: Vec<State>) -> Result<Vec<u32>, NoDistances> {
        let is_fifteen_puzzle = *puzzle.board().spec() == BoardSpec::Grid { rows: 4, columns: 4 }
            && states[0].occupied().len() == 15
            && puzzle.has_distinct_labels();
        if !is_fifteen_puzzle {
            return Err(NoDistances::TooMany);
        }
        let cache = Arc::clone(&self.building);
        let config = Config::new("idastar", Some(ALONG_A_WAY), [], 0);
        let config = Config { cache, ..config.map_err(|_| NoDistances::TooMany)? };
        let deadline = Instant::now() + ALONG_TIME;
        let mut known: HashMap<State, u32> = HashMap::new();
        let mut distances = Vec::with_capacity(states.len());
        for state in states {
            let distance = match known.get(&state) {
                Some(&distance) => distance,
                None => {
                    let time = deadline.checked_duration_since(Instant::now());
                    let time = time.ok_or(NoDistances::OutOfTime)?;
                    let limits =
                        Limits { time: Some(time), memory: Some(SEARCH_BYTES), nodes: None };
                    let cancel = Some(&self.shared.stop);
                    let control = Control { limits, cancel, ..Control::default() };
                    let position = puzzle.with_start(state).ok_or(NoDistances::TooMany)?;
                    let report = solve(&position, &config, &control);
                    match report.map_err(|_| NoDistances::TooMany)?.outcome {
                        Outcome::Unsolvable(_) => return Err(NoDistances::Unsolvable),
                        Outcome::Solved { moves, optimal: true, .. } => {
                            // The states along a shortest solution need no search of their own.
                            let length = moves.len() as u32;
                            let mut along = state;
                            known.insert(along, length);
                            for (mv, played) in moves.into_iter().zip(1..) {
                                along.slide(mv);
                                known.insert(along, length - played);
                            }
                            length
                        }
                        Outcome::LimitReached { limit: Limit::Time, .. } => {
                            return Err(NoDistances::OutOfTime);
                        }
                        _ => return Err(NoDistances::TooMany),
                    }
                }
            };
            distances.push(distance);
        }
        Ok(distances)
    }

    /// The table of all distances to the puzzle's goal, when there is one or it is small.
    pub fn table(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        self.shared.answering_table(puzzle)
    }

    /// What is known of the way from the puzzle's start to its goal. Takes at most some two
    /// seconds.
    pub fn best_known(&self, puzzle: &Puzzle) -> Known {
        if let Some(known) = self.shared.look_up(puzzle) {
            return known;
        }
        let shared = &self.shared;
        if shared.remembered(puzzle).is_none_or(|known| !known.proven) {
            let is_quick = shared.is_quick(puzzle);
            let (searching, improving) = match is_quick {
                true => (QUICK_SEARCH_TIME, QUICK_IMPROVING_TIME),
                false => (SEARCH_TIME, IMPROVING_TIME),
            };
            let is_proven = match shared.search(puzzle, "auto", searching, &shared.ready) {
                Some(Outcome::Unsolvable(reason)) => return Known::Unsolvable(Some(reason)),
                Some(Outcome::Solved { optimal: true, .. }) => true,
                _ => {
                    if shared.remembered(puzzle).is_none() && !is_quick {
                        shared.search(puzzle, "staged", improving, &shared.ready);
                    }
                    shared.search(puzzle, "anytime", improving, &shared.ready);
                    false
                }
            };
            if !is_proven || (patterns_suit(puzzle) && !is_quick) {
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
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    fn table(&self, puzzle: &Puzzle) -> Option<Arc<DistanceTable>> {
        if let Some(table) = self.files.find(puzzle) {
            return Some(table);
        }
        let key = key(&[&Abstraction::whole_text(puzzle)]);
        if let Some(known) = lock(&self.tables).get(&key) {
            return known.clone();
        }
        let _building = self.building.lock(&key, || self.stop.load(Ordering::Relaxed))?;
        // Another question may have built it meanwhile.
        if let Some(known) = lock(&self.tables).get(&key) {
            return known.clone();
        }
        let table = match DistanceTable::build_small(puzzle, &self.stop) {
            Ok(table) => Some(Arc::new(table)),
            // Next time there may be memory for it.
            Err(
                TableError::Cancelled
                | TableError::Read { .. }
                | TableError::Io { .. }
                | TableError::Space(SpaceError::Stopped),
            ) => return None,
            Err(_) => None,
        };
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

    /// The key of a puzzle's board and goal.
    fn goal(puzzle: &Puzzle) -> Key {
        key(&[&puzzle.board().to_string(), &puzzle.write_goal()])
    }

    /// Returns whether pattern databases of the puzzle's goal are in memory.
    fn is_quick(&self, puzzle: &Puzzle) -> bool {
        lock(&self.quick).get(&Shared::goal(puzzle)).is_some()
    }

    /// Reads the pattern databases of the puzzle's goal for questions: one that may only take a
    /// moment would never have them.
    fn read_patterns(&self, puzzle: &Puzzle) {
        let Ok(config) = Config::new("idastar", Some("patterns"), [], 0) else { return };
        let config = Config { cache: Arc::clone(&self.ready), ..config };
        let limits =
            Limits { time: Some(READING_TIME), memory: Some(SEARCH_BYTES), nodes: Some(1) };
        let control = Control { limits, cancel: Some(&self.stop), ..Control::default() };
        match solve(puzzle, &config, &control) {
            // One node is not enough for the search, and shows that it has begun.
            Ok(result) if result.stats.generated > 0 => {
                lock(&self.quick).put(Shared::goal(puzzle), ());
            }
            _ => {}
        }
    }

    fn remembered(&self, puzzle: &Puzzle) -> Option<Remembered> {
        let goal = Shared::goal(puzzle);
        lock(&self.solutions).get(&position(&goal, puzzle, puzzle.start())).cloned()
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
        let goal = Shared::goal(puzzle);
        let mut solutions = lock(&self.solutions);
        for played in 0..=moves.len() {
            let key = position(&goal, puzzle, &state);
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
