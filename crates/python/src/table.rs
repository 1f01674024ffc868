//! Tables of exact distances.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hyperslide_lab::{Dataset, DatasetFileError, DatasetLaw, Machine, RandomError, states_at};
use hyperslide_puzzle::{Puzzle as PlainPuzzle, State};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, SearchOptions, Signals, TableError, lock,
};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrays::{read_numbers, read_truths, rows};
use crate::batches::{cells_of, cost_to_go, optimal_actions};
use crate::errors::{Kind, error};
use crate::numbers::{argument, check_room};
use crate::puzzle::Puzzle;
use crate::puzzle_data::PuzzleData;
use crate::run::{Callback, detached, guarded, run, stoppable};

/// The exact distances of all states of a puzzle to its goal.
///
/// A table is built with `Table.build`, or opened with `Table.open` from a file of this package or
/// of `hyperslide table`. It is a context manager, and raises `TableError` after it was closed.
#[pyclass(frozen, module = "hyperslide")]
pub struct Table {
    open: Mutex<Option<Open>>,
}

#[derive(Clone)]
struct Open {
    table: Arc<DistanceTable>,
    data: Arc<PuzzleData>,
}

/// Builds the table of a puzzle. `progress` is called with the depth and the number of states so
/// far.
pub fn build_table(
    py: Python<'_>,
    puzzle: &PlainPuzzle,
    encoding: Encoding,
    memory: u64,
    threads: Option<usize>,
    progress: Option<&Callback>,
) -> PyResult<DistanceTable> {
    let failed = |problem: TableError| error(Kind::Table, problem);
    let abstraction = Abstraction::whole(puzzle).map_err(TableError::from).map_err(failed)?;
    let search = SearchOptions::default();
    let search = SearchOptions { threads: threads.unwrap_or(search.threads), ..search };
    let options = BuildOptions { encoding, memory, search, ..BuildOptions::default() };
    let built = run(py, |caller| {
        let signals = Signals::new(caller.cancel());
        DistanceTable::build(abstraction, &options, &signals, &mut |layers| {
            if let Some(progress) = progress.cloned() {
                let so_far = (layers.depth(), layers.total());
                caller.post(move |py| progress.call1(py, so_far).map(|_| ()));
            }
            ControlFlow::Continue(())
        })
    })?;
    built.map_err(failed)
}

impl Table {
    fn of(table: DistanceTable) -> Table {
        let data = Arc::new(PuzzleData::new(table.abstraction().puzzle().clone()));
        Table { open: Mutex::new(Some(Open { table: Arc::new(table), data })) }
    }

    fn opened(&self) -> PyResult<Open> {
        let open = lock(&self.open).clone();
        open.ok_or_else(|| error(Kind::Table, "the table is closed: open it again"))
    }

    /// The table, for a search.
    pub fn shared(&self) -> PyResult<Arc<DistanceTable>> {
        Ok(self.opened()?.table)
    }
}

#[pymethods]
impl Table {
    /// Builds the table of a puzzle, whose start does not matter.
    ///
    /// `bits` is 8 (a byte a state: a look-up takes one read) or 2 (distances modulo 3: a look-up
    /// descends to the goal). `memory` is the most bytes it may take, most of the free memory when
    /// left out. `progress(depth, states)` is called after each layer.
    #[classmethod]
    #[pyo3(signature = (puzzle, *, bits = 8, memory = None, threads = None, progress = None))]
    fn build(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        puzzle: &Puzzle,
        #[pyo3(from_py_with = argument::bits)] bits: u8,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let encoding: Encoding =
            bits.to_string().parse().map_err(|problem| error(Kind::Setting, problem))?;
        let memory = Machine::memory_limit(memory);
        let progress = progress.map(Arc::new);
        let puzzle = &puzzle.data.puzzle;
        Ok(Table::of(build_table(py, puzzle, encoding, memory, threads, progress.as_ref())?))
    }

    /// Opens a file, whose distances are read when they are needed.
    #[classmethod]
    fn open(_: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Table> {
        let table = detached(py, || DistanceTable::open(&path))?;
        let table = table.map_err(|problem| error(Kind::Table, problem))?;
        if !table.abstraction().is_whole() {
            return Err(error(
                Kind::Table,
                format_args!(
                    "{} is a pattern database: it has distances of some tokens only",
                    path.display()
                ),
            ));
        }
        Ok(Table::of(table))
    }

    /// Writes the table to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let open = self.opened()?;
        detached(py, || open.table.write(&path))?.map_err(|problem| error(Kind::Table, problem))
    }

    /// Gives the memory or the file back once nobody uses it any more.
    fn close(&self) {
        lock(&self.open).take();
    }

    /// Returns whether the table was closed.
    #[getter]
    fn closed(&self) -> bool {
        lock(&self.open).is_none()
    }

    /// The puzzle.
    #[getter]
    fn puzzle(&self) -> PyResult<Puzzle> {
        Ok(Puzzle { data: self.opened()?.data })
    }

    /// The bits of a state, 8 or 2.
    #[getter]
    fn bits(&self) -> PyResult<u8> {
        Ok(self.opened()?.table.encoding().bits())
    }

    /// The size of the distances in bytes.
    #[getter]
    fn bytes(&self) -> PyResult<u64> {
        Ok(self.opened()?.table.bytes())
    }

    /// The number of states at each distance, `int64[depth + 1]`.
    #[getter]
    fn layers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let open = self.opened()?;
        let states = open.table.layers().states.iter().map(|&states| states as i64);
        Ok(PyArray1::from_vec(py, states.collect()))
    }

    /// The greatest distance.
    #[getter]
    fn depth(&self) -> PyResult<u32> {
        Ok(self.opened()?.table.layers().depth())
    }

    /// The exact number of moves to the goal, `int16[n]`: -1 for states that the table does not
    /// have.
    fn cost_to_go<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let Open { table, data } = self.opened()?;
        cost_to_go(py, &data, &table, &data.cells.read(states)?)
    }

    /// Which actions lead one move closer to the goal, `bool[n, actions]`; none at the goal, nor
    /// for states that the table does not have.
    fn optimal_actions<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let Open { table, data } = self.opened()?;
        optimal_actions(py, &data, &table, &data.cells.read(states)?)
    }

    /// A shortest solution of a state, `uint8[vertices]`, as pairs of vertices; `None` when the
    /// table does not have the state.
    fn solution(
        &self,
        py: Python<'_>,
        state: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Vec<(usize, usize)>>> {
        let Open { table, data } = self.opened()?;
        let cells = data.cells.read_one(state)?;
        let state = State::from_cells(&cells).expect("the cells were checked");
        let moves = detached(py, || table.solve(&state))?;
        Ok(moves.map(|moves| moves.iter().map(|mv| (mv.from.index(), mv.to.index())).collect()))
    }

    /// Draws `n` states with their distances and best actions: `(states, cost_to_go,
    /// optimal_actions)`. `by` is `uniform` or `distance`, as for `hyperslide.dataset`.
    #[pyo3(signature = (n, by = "uniform", *, seed = 0))]
    fn dataset<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::n)] n: usize,
        by: &str,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i16>>, Bound<'py, PyArray2<bool>>)>
    {
        let Open { table, data } = self.opened()?;
        let law = match by {
            "uniform" => DatasetLaw::Uniform,
            "distance" => DatasetLaw::Distance,
            other => {
                return Err(error(
                    Kind::Setting,
                    format_args!("by is '{other}': write uniform or distance"),
                ));
            }
        };
        let distance = size_of::<i16>();
        check_room(n, data.cells.vertices + distance + data.kernel.actions().count())?;
        let steps = match law {
            DatasetLaw::Uniform => n as u64,
            DatasetLaw::Distance => (n as u64).saturating_add(table.layers().total()),
        };
        let drawn = stoppable(py, steps, |cancel| Dataset::draw(&table, n, law, seed, cancel))?
            .map_err(|problem| error(Kind::Table, problem))?;
        Ok((
            rows(py, drawn.states, n, data.cells.vertices)?,
            PyArray1::from_vec(py, drawn.distances),
            rows(py, drawn.optimal_actions, n, data.kernel.actions().count())?,
        ))
    }

    /// Draws a state at each of these distances, `int64[n]`, every state of a distance equally
    /// likely. Takes one pass over a table with 8 bits a state.
    #[pyo3(signature = (distances, *, seed = 0))]
    fn sample_at<'py>(
        &self,
        py: Python<'py>,
        distances: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let Open { table, data } = self.opened()?;
        let distances = read_numbers(distances, "distances", None)?;
        let depth = table.layers().depth();
        let distances: Vec<u32> = distances
            .iter()
            .map(|&distance| {
                u32::try_from(distance).map_err(|_| {
                    error(
                        Kind::Array,
                        format_args!("distance {distance} is out of range: write 0 to {depth}"),
                    )
                })
            })
            .collect::<PyResult<_>>()?;
        let vertices = data.cells.vertices;
        let steps = (distances.len() as u64).saturating_add(table.layers().total());
        let cells = stoppable(py, steps, |cancel| {
            Ok(cells_of(&states_at(&table, &distances, seed, cancel)?, vertices, cancel))
        })?;
        let cells = cells.map_err(|problem: RandomError| error(Kind::Table, problem))?;
        rows(py, cells, distances.len(), vertices)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        match self.opened() {
            Ok(open) => format!(
                "<Table of {}: {} states, {} bits each>",
                open.table.abstraction().puzzle(),
                open.table.layers().total(),
                open.table.encoding(),
            ),
            Err(_) => "<Table, closed>".to_owned(),
        }
    }
}

/// Writes a data set as a Parquet file.
#[pyfunction]
pub fn write_dataset(
    py: Python<'_>,
    path: PathBuf,
    puzzle: &Puzzle,
    states: &Bound<'_, PyAny>,
    cost_to_go: &Bound<'_, PyAny>,
    optimal_actions: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let data = &*puzzle.data;
    let states = data.cells.read(states)?;
    let count = states.len() / data.cells.vertices;
    let distances = read_numbers(cost_to_go, "cost_to_go", Some(count))?;
    let narrow = |distance: i64| {
        i16::try_from(distance).map_err(|_| {
            error(Kind::Array, format_args!("cost_to_go has {distance}, which is not an int16"))
        })
    };
    let distances = distances.into_iter().map(narrow).collect::<PyResult<Vec<i16>>>()?;
    let actions = data.kernel.actions().count();
    let optimal_actions = read_truths(optimal_actions, "optimal_actions", count, actions)?;
    let puzzle = data.puzzle.clone();
    let set = Dataset { puzzle, states, distances, optimal_actions };
    let written = detached(py, || {
        let mut file = BufWriter::new(File::create(&path)?);
        set.write_parquet(&mut file)?;
        Ok::<(), DatasetFileError>(file.flush()?)
    })?;
    written.map_err(|problem| {
        error(Kind::Table, format_args!("cannot write {}: {problem}", path.display()))
    })
}

/// Reads a Parquet file of a data set: `(puzzle, states, cost_to_go, optimal_actions)`.
#[pyfunction]
pub fn read_dataset<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(
    Puzzle,
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyArray1<i16>>,
    Bound<'py, PyArray2<bool>>,
)> {
    let refuse = |kind: Kind, problem: &dyn std::fmt::Display| {
        error(kind, format_args!("cannot read {}: {problem}", path.display()))
    };
    let set = guarded(py, || Dataset::read_parquet(&path))
        .map_err(|said| {
            refuse(Kind::Table, &format_args!("it is damaged ({said}): write it again"))
        })?
        .map_err(|problem| refuse(Kind::Table, &problem))?;
    let puzzle = Puzzle::of(set.puzzle);
    let (cells, actions) = (&puzzle.data.cells, puzzle.data.kernel.actions().count());
    cells.check(&set.states).map_err(|problem| refuse(Kind::Array, problem.value(py)))?;
    let count = set.distances.len();
    let states = rows(py, set.states, count, cells.vertices)?;
    let distances = PyArray1::from_vec(py, set.distances);
    let optimal = rows(py, set.optimal_actions, count, actions)?;
    Ok((puzzle, states, distances, optimal))
}
