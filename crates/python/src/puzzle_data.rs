//! What a puzzle, its environments and its tables share.

use std::sync::{Arc, Mutex, OnceLock};

use hyperslide_puzzle::{Puzzle as PlainPuzzle, State};
use hyperslide_table::{DistanceTable, Encoding, Space, SpaceOptions, lock};
use pyo3::prelude::*;

use crate::arrays::Cells;
use crate::errors::{Kind, error};
use crate::kernel::Kernel;
use crate::table::build_table;

/// The most bytes of a table that is built when somebody asks for exact distances, unless they say
/// otherwise: 1 GiB.
pub const TABLE_MEMORY: u64 = 1 << 30;

/// A puzzle that is ready for batches of its states.
pub struct PuzzleData {
    pub puzzle: PlainPuzzle,
    pub kernel: Kernel,
    pub cells: Cells,
    /// The table of exact distances, once it was needed.
    table: Mutex<Option<Arc<DistanceTable>>>,
    /// The last table of any of the puzzles that differ in their starts.
    shared: Arc<Mutex<Option<Arc<DistanceTable>>>>,
    space: OnceLock<Result<Space, String>>,
}

impl PuzzleData {
    /// Prepares the batches of a puzzle.
    pub fn new(puzzle: PlainPuzzle) -> PuzzleData {
        PuzzleData {
            kernel: Kernel::new(&puzzle),
            cells: Cells::new(&puzzle),
            puzzle,
            table: Mutex::default(),
            shared: Arc::default(),
            space: OnceLock::new(),
        }
    }

    /// Prepares the batches of the same puzzle with another start.
    pub fn with_start(&self, start: State) -> PuzzleData {
        let puzzle = self.puzzle.with_start(start).expect("the cells were checked");
        PuzzleData { shared: Arc::clone(&self.shared), ..PuzzleData::new(puzzle) }
    }

    /// The table of exact distances, built when it is needed first. That of another start is taken
    /// where it answers for this one: with several goals, a start may be in another component.
    pub fn table(&self, py: Python<'_>, memory: Option<u64>) -> PyResult<Arc<DistanceTable>> {
        let known = || lock(&self.table).clone();
        if let Some(table) = known() {
            return Ok(table);
        }
        let shared = lock(&self.shared).clone();
        let table = match shared.filter(|table| table.answers(&self.puzzle)) {
            Some(table) => table,
            None => {
                let memory = memory.unwrap_or(TABLE_MEMORY);
                let built = build_table(py, &self.puzzle, Encoding::Byte, memory, None, None)?;
                Arc::clone(lock(&self.shared).insert(Arc::new(built)))
            }
        };
        *lock(&self.table) = Some(Arc::clone(&table));
        Ok(table)
    }

    pub fn space(&self) -> PyResult<&Space> {
        let space = self.space.get_or_init(|| {
            let options = SpaceOptions { max_sets: 1 << 22, ..SpaceOptions::default() };
            let goal = *self.puzzle.goal().labelled();
            let start = self.puzzle.with_start(goal).map_or(*self.puzzle.start(), |_| goal);
            // Several goals may be of both parities.
            let is_one =
                self.puzzle.with_start(goal).is_some() && self.puzzle.has_distinct_labels();
            let options = SpaceOptions { halve: is_one, ..options };
            Space::new(self.puzzle.board(), &start, &options).map_err(|problem| problem.to_string())
        });
        space.as_ref().map_err(|problem| error(Kind::Table, problem))
    }
}
