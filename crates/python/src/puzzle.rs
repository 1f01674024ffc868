//! The class `Puzzle`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hyperslide_census::ComponentGraph;
use hyperslide_lab::report::puzzle_svg;
use hyperslide_lab::{RandomError, StateSampler, states_at};
use hyperslide_puzzle::{GoalCell, Puzzle as PlainPuzzle, State, Vertex};
use hyperslide_search::{HeuristicChoice, Resources};
use hyperslide_table::CellRanks;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrays::{read_numbers, rows};
use crate::batches::{PART, cells_of, cost_to_go, optimal_actions, parts};
use crate::board::Board;
use crate::draw::{DEFAULT_WALK, Draw, read_walk};
use crate::errors::{Kind, error};
use crate::moves::{check_actions, read_move};
use crate::numbers::{action, argument, check_room};
use crate::puzzle_data::PuzzleData;
use crate::reading::{read_metric, read_puzzle, read_puzzle_file};
use crate::run::{detached, run, stoppable};

/// A board, a start and a goal, and batches of its states.
///
/// States are arrays `uint8[n, vertices]`: 0 where a vertex is empty, otherwise 1 plus the index of
/// the token's label in `labels`.
///
/// Parameters
/// ----------
/// text:
///     A puzzle in one line, the name of an instance as `korf15/1`, or a board, which then starts
///     at its goal.
/// metric:
///     `face` or `edge`, where the text does not say; `face` when left out.
/// rule:
///     The rule k of an instance on a cube.
/// empty:
///     With a board only: the number of empty vertices, 1 when left out. The goal is `1, 2, ...` on
///     the first vertices.
///
/// Raises `PuzzleError` or `BoardError`, with all reasons. The methods raise `ArrayError` for
/// arrays of a wrong shape, type or content, `IllegalActionError` for actions and moves that are
/// not legal, `SettingError` for other arguments that are out of range, and `TableError` where a
/// table of all distances would be too large.
#[pyclass(frozen, module = "hyperslide")]
pub struct Puzzle {
    pub data: Arc<PuzzleData>,
}

impl Puzzle {
    /// Wraps a puzzle.
    pub fn of(puzzle: PlainPuzzle) -> Puzzle {
        Puzzle { data: Arc::new(PuzzleData::new(puzzle)) }
    }

    fn plain(&self) -> &PlainPuzzle {
        &self.data.puzzle
    }

    fn state(&self, state: &Bound<'_, PyAny>) -> PyResult<State> {
        let cells = self.data.cells.read_one(state)?;
        Ok(State::from_cells(&cells).expect("the cells were checked"))
    }
}

#[pymethods]
impl Puzzle {
    #[new]
    #[pyo3(signature = (text, *, metric = None, rule = None, empty = None))]
    fn new(
        #[pyo3(from_py_with = argument::text)] text: String,
        metric: Option<&str>,
        #[pyo3(from_py_with = argument::rule)] rule: Option<usize>,
        #[pyo3(from_py_with = argument::empty)] empty: Option<usize>,
    ) -> PyResult<Puzzle> {
        let metric = metric.map(read_metric).transpose()?;
        Ok(Puzzle::of(read_puzzle(&text, metric, rule, empty, false)?))
    }

    /// Reads a puzzle from a file in JSON, or in TOML where its name ends in `.toml`.
    #[classmethod]
    fn from_file(_: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Puzzle> {
        Ok(Puzzle::of(read_puzzle_file(&path)?))
    }

    /// The board with its metric.
    #[getter]
    fn board(&self) -> Board {
        Board::of(self.plain().board().clone())
    }

    /// The names of the labels: the token `labels[i]` is written as `i + 1` in arrays.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.plain().labels().iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// The number of tokens.
    #[getter]
    fn tokens(&self) -> usize {
        self.plain().start().occupied().len()
    }

    /// The number of vertices.
    #[getter]
    fn vertices(&self) -> usize {
        self.data.kernel.vertices()
    }

    /// The number of actions, legal or not.
    #[getter]
    fn actions(&self) -> usize {
        self.data.kernel.actions().count()
    }

    /// What the number of an action means: `blank` (0 up, 1 right, 2 down, 3 left, of the empty
    /// vertex of a grid), `token` (`(value - 1) * vertices + to`, where `value` is the token's in
    /// arrays) or `vertex` (`from * vertices + to`, where tokens share a label).
    #[getter]
    fn action_scheme(&self) -> &'static str {
        self.data.kernel.actions().scheme().name()
    }

    /// The start, `uint8[vertices]`.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_slice(py, &self.plain().start().cells()[..self.vertices()])
    }

    /// The goal, `uint8[vertices]`: 255 on vertices that it leaves open.
    #[getter]
    fn goal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let cell = |cell: &GoalCell| match cell {
            GoalCell::Any => u8::MAX,
            GoalCell::Empty => 0,
            GoalCell::Label(label) => label.index() as u8 + 1,
        };
        PyArray1::from_vec(py, self.plain().goal().cells().iter().map(cell).collect())
    }

    /// The same puzzle with another start, `uint8[vertices]`. Both share a table of exact
    /// distances.
    fn with_start(&self, state: &Bound<'_, PyAny>) -> PyResult<Puzzle> {
        let state = self.state(state)?;
        Ok(Puzzle { data: Arc::new(self.data.with_start(state)) })
    }

    /// The state after some moves from the start, `uint8[vertices]`. A move is a pair of vertices:
    /// the one that the token leaves and the one that it enters; or a `Move` of a result, whose
    /// token must be there. The first illegal move raises `IllegalActionError`.
    fn play<'py>(
        &self,
        py: Python<'py>,
        moves: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let mut state = *self.plain().start();
        for (number, written) in moves.iter().enumerate() {
            let refuse = |problem: &dyn std::fmt::Display| {
                error(Kind::Action, format_args!("move {number}: {problem}"))
            };
            let (token, ends) = read_move(number, written)?;
            let [from, to] = ends.map(|end| {
                let vertex = end.extract().ok().and_then(Vertex::new);
                vertex.ok_or_else(|| refuse(&format_args!("vertex {end} is not on the board")))
            });
            let mv = hyperslide_puzzle::Move { from: from?, to: to? };
            let next = self.plain().board().play(&state, mv).map_err(|illegal| refuse(&illegal))?;
            let found = state.label_at(mv.from).map(|label| self.plain().labels().name(label));
            if let (Some(token), Some(found)) = (token, found)
                && token != found
            {
                let vertex = mv.from.index();
                return Err(refuse(&format_args!(
                    "the token on vertex {vertex} is {found}, not {token}"
                )));
            }
            state = next;
        }
        Ok(PyArray1::from_slice(py, &state.cells()[..self.vertices()]))
    }

    /// A state, `uint8[vertices]`, as it is written in the notation.
    fn write_state(&self, state: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.plain().write_state(&self.state(state)?))
    }

    /// The label of the token on each vertex of a state, `uint8[vertices]`; `None` where it is
    /// empty.
    fn decode(&self, state: &Bound<'_, PyAny>) -> PyResult<Vec<Option<String>>> {
        Ok(hyperslide_lab::cells(self.plain(), &self.state(state)?))
    }

    /// The token that an action moves and the vertices it leaves and enters, in a state
    /// `uint8[vertices]`.
    fn action_move(
        &self,
        state: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = action)] action: (i64, Bound<'_, PyAny>),
    ) -> PyResult<(String, usize, usize)> {
        let (number, action) = action;
        let state = self.state(state)?;
        let actions = self.data.kernel.actions();
        let mv = usize::try_from(number)
            .ok()
            .and_then(|action| actions.legal_move(self.plain().board(), &state, action));
        let token = mv.and_then(|mv| Some((state.label_at(mv.from)?, mv)));
        match token {
            Some((label, mv)) => {
                let name = self.plain().labels().name(label).to_owned();
                Ok((name, mv.from.index(), mv.to.index()))
            }
            None => Err(error(
                Kind::Action,
                format_args!(
                    "action {action} is not legal in {}",
                    self.plain().write_state(&state)
                ),
            )),
        }
    }

    /// Plays one action in each state: `(states, legal)`, `uint8[n, vertices]` and `bool[n]`. The
    /// actions are whole numbers, `int64[n]` or of another size. A state in which the action is not
    /// legal stays as it is; a number that no action has raises `IllegalActionError`.
    fn step_batch<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<bool>>)> {
        let data = &*self.data;
        let mut states = data.cells.read_unchecked(states)?;
        let count = states.len() / data.cells.vertices;
        let actions = read_numbers(actions, "actions", Some(count))?;
        let all = data.kernel.actions().count();
        let legal = detached(py, || {
            data.cells.check(&states)?;
            check_actions(&actions, all)?;
            Ok::<_, PyErr>(data.kernel.step_all(data.puzzle.board(), &mut states, &actions))
        })??;
        Ok((rows(py, states, count, data.cells.vertices)?, PyArray1::from_vec(py, legal)))
    }

    /// Which actions are legal, `bool[n, actions]`.
    fn legal_mask<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let data = &*self.data;
        let states = data.cells.read_unchecked(states)?;
        let (count, all) = (states.len() / data.cells.vertices, data.kernel.actions().count());
        check_room(count, all)?;
        let mask = detached(py, || {
            data.cells.check(&states)?;
            Ok::<_, PyErr>(data.kernel.legal_all(data.puzzle.board(), &states, true))
        })??;
        rows(py, mask, count, all)
    }

    /// All children: `(children, offsets, actions)`, `uint8[m, vertices]`, `int64[n + 1]` and
    /// `int64[m]`. Those of state `i` are `children[offsets[i]:offsets[i + 1]]`, in ascending order
    /// of their actions.
    fn expand<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)>
    {
        let data = &*self.data;
        let states = data.cells.read(states)?;
        let (children, offsets, actions) =
            detached(py, || data.kernel.expand_all(data.puzzle.board(), &states))?;
        let count = actions.len();
        let children = rows(py, children, count, data.cells.vertices)?;
        Ok((children, PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, actions)))
    }

    /// Which states meet the goal, `bool[n]`.
    fn is_goal<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let data = &*self.data;
        let states = data.cells.read(states)?;
        let is_met = detached(py, || {
            let is_met = |cells: &[u8]| {
                let state = State::from_cells(cells).expect("the cells were checked");
                data.puzzle.goal().is_met(&state)
            };
            states.chunks_exact(data.cells.vertices).map(is_met).collect()
        })?;
        Ok(PyArray1::from_vec(py, is_met))
    }

    /// The exact number of moves to the goal, `int16[n]`: -1 for states from which it cannot be
    /// reached.
    ///
    /// A table of all distances is built at first use, in memory, and kept with this puzzle.
    /// `memory` is the most bytes that it may take, 1 GiB when left out; `TableError` says when
    /// that is not enough.
    #[pyo3(signature = (states, *, memory = None))]
    fn cost_to_go<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let states = self.data.cells.read(states)?;
        cost_to_go(py, &self.data, &*self.data.table(py, memory)?, &states)
    }

    /// Which actions lead one move closer to the goal, `bool[n, actions]`; none at the goal, nor
    /// where it cannot be reached. `memory` is as for `cost_to_go`.
    #[pyo3(signature = (states, *, memory = None))]
    fn optimal_actions<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let states = self.data.cells.read(states)?;
        optimal_actions(py, &self.data, &*self.data.table(py, memory)?, &states)
    }

    /// The estimates of a heuristic, `int32[n]`: -1 where it proves that the goal cannot be
    /// reached.
    ///
    /// `name` is as on the command line, as in `lone-token` or `patterns:4-4`.
    fn heuristic<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        name: &str,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let data = &*self.data;
        let states = data.cells.read(states)?;
        let choice: HeuristicChoice =
            name.parse().map_err(|unknown| error(Kind::Setting, unknown))?;
        let estimates = run(py, |caller| {
            let resources = Resources { cancel: Some(caller.cancel()), ..Resources::default() };
            let heuristic = choice.build(&data.puzzle, &resources)?;
            let estimate = |cells: &[u8]| {
                let state = State::from_cells(cells).expect("the cells were checked");
                heuristic.estimate(&state).map_or(-1, |h| h as i32)
            };
            let states = states.chunks_exact(data.cells.vertices);
            let states = states.take_while(|_| !caller.cancel().load(Ordering::Relaxed));
            Ok::<_, hyperslide_search::HeuristicError>(states.map(estimate).collect::<Vec<i32>>())
        })?;
        Ok(PyArray1::from_vec(py, estimates.map_err(|problem| error(Kind::Setting, problem))?))
    }

    /// The number of ranks: `unrank` takes 0 to `ranks - 1`.
    #[getter]
    fn ranks(&self, py: Python<'_>) -> PyResult<u128> {
        detached(py, || Ok(self.data.space()?.states()))?
    }

    /// The rank of each state, `int64[n]`: -1 for states that have none, since no moves lead from
    /// the goal's occupied vertices to theirs, or only states of the other parity are ranked. The
    /// ranks are those of the tables of this version. `TableError` says when there are too many
    /// states.
    fn rank<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let data = &*self.data;
        let states = data.cells.read(states)?;
        let (vertices, count) = (data.cells.vertices, states.len() / data.cells.vertices);
        let ranks = stoppable(py, count as u64, |cancel| {
            let all = CellRanks::new(data.space()?);
            let mut found = vec![None; count.min(PART)];
            let mut ranks = Vec::with_capacity(count);
            for states in parts(&states, vertices, cancel) {
                let found = &mut found[..states.len() / vertices];
                all.ranks(states, found);
                ranks.extend(found.iter().map(|rank| rank.map_or(-1, |rank| rank as i64)));
            }
            Ok::<Vec<i64>, PyErr>(ranks)
        })??;
        Ok(PyArray1::from_vec(py, ranks))
    }

    /// The states with these ranks, `int64[n]`, as `uint8[n, vertices]`. A rank that is out of
    /// range raises `ArrayError`.
    fn unrank<'py>(
        &self,
        py: Python<'py>,
        ranks: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let data = &*self.data;
        let ranks = read_numbers(ranks, "ranks", None)?;
        let vertices = data.cells.vertices;
        check_room(ranks.len(), vertices)?;
        let cells = stoppable(py, ranks.len() as u64, |cancel| {
            let space = data.space()?;
            let mut cells = Vec::with_capacity(ranks.len() * vertices);
            for &rank in parts(&ranks, 1, cancel).flatten() {
                let number = u128::try_from(rank).ok().filter(|&rank| rank < space.states());
                let Some(number) = number else {
                    let last = space.states() - 1;
                    return Err(error(
                        Kind::Array,
                        format_args!("rank {rank} is out of range: write 0 to {last}"),
                    ));
                };
                cells.extend_from_slice(&space.unrank(number).cells()[..vertices]);
            }
            Ok::<Vec<u8>, PyErr>(cells)
        })??;
        rows(py, cells, ranks.len(), vertices)
    }

    /// Draws `n` random states from which the goal can be reached, `uint8[n, vertices]`, the same
    /// for the same seed.
    ///
    /// `by` is `uniform` (every such state is equally likely) or `walk` (the end of a random walk
    /// from the goal of `walk` moves, or of `walk[0]` to `walk[1]`, that never goes straight back).
    /// With `distance`, every state at exactly that distance is equally likely; `memory` is then as
    /// for `cost_to_go`.
    #[pyo3(signature = (n, by = "uniform", *, walk = None, distance = None, seed = 0, memory = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::n)] n: usize,
        by: &str,
        walk: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::distance)] distance: Option<u32>,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let data = &*self.data;
        let walk = walk.map(read_walk).transpose()?;
        let law = match (by, walk, distance) {
            ("uniform", None, None) => Draw::Uniform,
            ("uniform" | "walk", Some((least, most)), None) => Draw::Walk(least, most),
            ("walk", None, None) => Draw::Walk(DEFAULT_WALK, DEFAULT_WALK),
            ("uniform", None, Some(distance)) => Draw::Distance(distance),
            ("uniform" | "walk", _, _) => {
                return Err(error(Kind::Setting, "write either walk or distance, not both"));
            }
            (other, ..) => {
                return Err(error(
                    Kind::Setting,
                    format_args!("by is '{other}': write uniform or walk, or distance=D"),
                ));
            }
        };
        let table = match law {
            Draw::Distance(_) => Some(data.table(py, memory)?),
            _ => None,
        };
        let vertices = data.cells.vertices;
        check_room(n, size_of::<State>() + vertices)?;
        let drawn = run(py, |caller| {
            let states = match (law, &table) {
                (Draw::Distance(distance), Some(table)) => {
                    states_at(table, &vec![distance; n], seed, caller.cancel())?
                }
                _ => {
                    let mut sampler = StateSampler::new(&data.puzzle, seed);
                    let mut states = Vec::new();
                    while states.len() < n && !caller.cancel().load(Ordering::Relaxed) {
                        states.push(law.draw(&mut sampler, caller.cancel())?);
                    }
                    states
                }
            };
            Ok::<Vec<u8>, RandomError>(cells_of(&states, vertices, caller.cancel()))
        })?;
        let cells = drawn.map_err(|problem| error(Kind::Puzzle, problem))?;
        rows(py, cells, n, vertices)
    }

    /// The component of the start as `(states, distances, edges)`, `uint8[n, vertices]`, `int16[n]`
    /// and `int64[m, 2]`: all states in ascending order of their distance to the goal, and the
    /// pairs of neighbours, each once. More than `limit` states raise `CensusError`.
    #[pyo3(signature = (limit = 100_000))]
    fn component<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::limit)] limit: usize,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i16>>, Bound<'py, PyArray2<i64>>)>
    {
        let vertices = self.vertices();
        let graph = run(py, |caller| ComponentGraph::new(self.plain(), limit, caller.cancel()))?
            .map_err(|problem| error(Kind::Census, problem))?;
        let cells: Vec<u8> = graph
            .states
            .iter()
            .flat_map(|state| state.cells()[..vertices].iter().copied())
            .collect();
        let distances = graph.distances.iter().map(|&distance| distance as i16).collect();
        let ends: Vec<i64> = graph.edges.iter().flatten().map(|&end| end.into()).collect();
        Ok((
            rows(py, cells, graph.states.len(), vertices)?,
            PyArray1::from_vec(py, distances),
            rows(py, ends, graph.edges.len(), 2)?,
        ))
    }

    /// Pictures of the start and the goal in SVG.
    fn to_svg(&self) -> (String, String) {
        puzzle_svg(self.plain())
    }

    fn __str__(&self) -> String {
        self.plain().to_string()
    }

    fn __repr__(&self) -> String {
        format!("Puzzle({:?})", self.plain().to_string())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Puzzle>().is_ok_and(|other| other.get().plain() == self.plain())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.plain().to_string().hash(&mut hasher);
        hasher.finish()
    }

    /// Itself: a puzzle never changes, and its table need not be built again.
    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = slf.py().import("hyperslide._restore")?.getattr("puzzle")?;
        Ok((restore, (slf.get().plain().to_string(),)))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        py.import("hyperslide._display")?.getattr("puzzle")?.call1((slf,))?.extract()
    }
}
