//! One puzzle as an environment, step by step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperslide_lab::{ExactDistances, RandomError, StateSampler, states_at};
use hyperslide_puzzle::{GoalCell, Puzzle as PlainPuzzle, State};
use hyperslide_table::{DistanceTable, lock};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::draw::{Draw, read_walk};
use crate::errors::{Kind, error};
use crate::numbers::{action, argument};
use crate::puzzle::Puzzle;
use crate::puzzle_data::PuzzleData;
use crate::run::stoppable;

/// What a move is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// -1 for every step.
    Step,
    /// 1 for the step that reaches the goal, 0 for the others.
    Goal,
    /// The vertices that are newly as the goal wants them, less those that no longer are.
    Dense,
    /// By how much the exact distance to the goal falls.
    Distance,
}

/// What all environments of a puzzle share.
pub struct Game {
    pub data: Arc<PuzzleData>,
    pub reward: Reward,
    pub draw: Option<Draw>,
    /// Exact distances, where they are rewarded or shown.
    pub table: Option<Arc<DistanceTable>>,
    pub shows_cost: bool,
    /// The cell that the goal wants on each vertex; 255 for any.
    goal: Vec<u8>,
}

/// What a step leads to.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub reward: f64,
    pub terminated: bool,
    pub legal: bool,
    /// Whether no action is legal in the state.
    pub stuck: bool,
}

impl Game {
    /// Reads what the environments of Python are made with.
    pub fn new(
        py: Python<'_>,
        puzzle: &Puzzle,
        start: &str,
        walk: Option<&Bound<'_, PyAny>>,
        distance: Option<u32>,
        reward: &str,
        cost_to_go: bool,
        memory: Option<u64>,
    ) -> PyResult<Game> {
        let reward = match reward {
            "step" => Reward::Step,
            "goal" => Reward::Goal,
            "dense" => Reward::Dense,
            "distance" => Reward::Distance,
            other => {
                return Err(error(
                    Kind::Setting,
                    format_args!("reward is '{other}': write step, goal, dense or distance"),
                ));
            }
        };
        let draw = match (start, walk.map(read_walk).transpose()?, distance) {
            ("uniform", None, None) => Some(Draw::Uniform),
            ("walk", None, None) => Some(Draw::Walk(100, 100)),
            ("uniform" | "walk", Some((least, most)), None) => Some(Draw::Walk(least, most)),
            ("uniform", None, Some(distance)) => Some(Draw::Distance(distance)),
            ("puzzle", None, None) => None,
            ("uniform" | "walk" | "puzzle", ..) => {
                return Err(error(Kind::Setting, "write only one of start, walk and distance"));
            }
            (other, ..) => {
                return Err(error(
                    Kind::Setting,
                    format_args!("start is '{other}': write uniform, walk or puzzle"),
                ));
            }
        };
        let data = Arc::clone(&puzzle.data);
        let needs_table =
            cost_to_go || reward == Reward::Distance || matches!(draw, Some(Draw::Distance(_)));
        let table = needs_table.then(|| data.table(py, memory)).transpose()?;
        let want = |cell: &GoalCell| match cell {
            GoalCell::Any => u8::MAX,
            GoalCell::Empty => 0,
            GoalCell::Label(label) => label.index() as u8 + 1,
        };
        let goal = data.puzzle.goal().cells().iter().map(want).collect();
        Ok(Game { data, reward, draw, table, shows_cost: cost_to_go, goal })
    }

    pub fn puzzle(&self) -> &PlainPuzzle {
        &self.data.puzzle
    }

    /// About how many steps it takes to draw this many starts.
    pub fn steps_to_draw(&self, count: usize) -> u64 {
        let each = match (self.draw, &self.table) {
            (Some(Draw::Distance(_)), Some(table)) => {
                return (count as u64).saturating_add(table.layers().total());
            }
            (Some(Draw::Walk(_, most)), _) => u64::from(most).max(1),
            _ => 1,
        };
        (count as u64).saturating_mul(each)
    }

    /// Draws the cells of a start.
    pub fn start(
        &self,
        sampler: &mut StateSampler,
        cancel: &AtomicBool,
    ) -> Result<State, RandomError> {
        match (self.draw, &self.table) {
            (None, _) => Ok(*self.puzzle().start()),
            (Some(Draw::Distance(distance)), Some(table)) => {
                Ok(states_at(table, &[distance], sampler.seed(), cancel)?.remove(0))
            }
            (Some(draw), _) => draw.draw(sampler, cancel),
        }
    }

    /// Draws many starts, with one pass over the table where they are at a distance.
    pub fn starts(
        &self,
        sampler: &mut StateSampler,
        count: usize,
        cancel: &AtomicBool,
    ) -> Result<Vec<State>, RandomError> {
        let mut draw = || match cancel.load(Ordering::Relaxed) {
            true => Err(RandomError::Cancelled),
            false => self.start(sampler, cancel),
        };
        match (self.draw, &self.table) {
            (Some(Draw::Distance(distance)), Some(table)) => {
                states_at(table, &vec![distance; count], sampler.seed(), cancel)
            }
            _ => (0..count).map(|_| draw()).collect(),
        }
    }

    /// The cell that the goal wants on each vertex; 255 for any.
    pub fn goal(&self) -> &[u8] {
        &self.goal
    }

    #[inline]
    pub fn is_solved(&self, cells: &[u8]) -> bool {
        cells.iter().zip(&self.goal).all(|(&cell, &wanted)| cell == wanted || wanted == u8::MAX)
    }

    fn right(&self, cells: &[u8]) -> i32 {
        cells
            .iter()
            .zip(&self.goal)
            .map(|(cell, wanted)| i32::from(cell == wanted && *cell != 0))
            .sum()
    }

    pub fn exact(&self) -> Option<ExactDistances<'_>> {
        self.table.as_deref().and_then(ExactDistances::new)
    }

    pub fn cost(&self, cells: &[u8]) -> i64 {
        self.exact().and_then(|exact| exact.distance(cells)).map_or(-1, i64::from)
    }

    /// Plays an action. A state in which nothing can move ends the episode.
    #[inline]
    pub fn step(&self, cells: &mut [u8], action: usize) -> Outcome {
        let before = match self.reward {
            Reward::Dense => f64::from(self.right(cells)),
            Reward::Distance => self.cost(cells) as f64,
            Reward::Step | Reward::Goal => 0.0,
        };
        let board = self.puzzle().board();
        let legal = self.data.kernel.step(board, cells, action);
        let solved = self.is_solved(cells);
        let reward = match self.reward {
            Reward::Step => -1.0,
            Reward::Goal => f64::from(u8::from(solved && legal)),
            Reward::Dense => f64::from(self.right(cells)) - before,
            Reward::Distance => before - self.cost(cells) as f64,
        };
        let is_stuck = || {
            let state = State::from_cells(cells).expect("the cells were checked");
            board.legal_moves(&state).is_empty()
        };
        let stuck = !legal && is_stuck();
        Outcome { reward, terminated: solved || stuck, legal, stuck }
    }
}

#[derive(Clone)]
struct Now {
    cells: Vec<u8>,
    sampler: StateSampler,
}

/// One puzzle as an environment; `hyperslide.SlidingEnv` makes it one of Gymnasium.
#[pyclass(frozen, module = "hyperslide._core")]
pub struct Environment {
    game: Arc<Game>,
    raises: bool,
    now: Mutex<Now>,
}

impl Environment {
    /// What is now, for threads that do not hold the interpreter. Those that do would wait for one
    /// that waits for the interpreter: they use [`Environment::now_attached`].
    fn now(&self) -> MutexGuard<'_, Now> {
        lock(&self.now)
    }

    fn now_attached(&self, py: Python<'_>) -> MutexGuard<'_, Now> {
        self.now.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn info<'py>(
        &self,
        py: Python<'py>,
        cells: &[u8],
        legal: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let kernel = &self.game.data.kernel;
        let info = PyDict::new(py);
        let all = kernel.actions().count();
        let mask = PyArray1::<i8>::zeros(py, all, false);
        {
            let mut mask = mask.readwrite();
            let row = mask.as_slice_mut().map_err(|problem| error(Kind::Internal, problem))?;
            kernel.mark_legal(self.game.puzzle().board(), cells, row, 1);
        }
        info.set_item(pyo3::intern!(py, "action_mask"), mask)?;
        info.set_item(pyo3::intern!(py, "legal"), legal)?;
        if self.game.shows_cost
            && let Some(exact) = self.game.exact()
        {
            info.set_item("cost_to_go", self.game.cost(cells))?;
            let mut optimal = vec![false; all];
            exact.optimal_actions(kernel.actions(), cells, &mut optimal);
            info.set_item("optimal_actions", PyArray1::from_vec(py, optimal))?;
        }
        Ok(info)
    }
}

/// What a step returns in Gymnasium.
type Stepped<'py> = (Bound<'py, PyArray1<u8>>, f64, bool, bool, Bound<'py, PyDict>);

#[pymethods]
impl Environment {
    #[new]
    fn new(
        py: Python<'_>,
        puzzle: &Puzzle,
        start: &str,
        walk: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::distance)] distance: Option<u32>,
        reward: &str,
        cost_to_go: bool,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
        illegal: &str,
    ) -> PyResult<Environment> {
        let game = Game::new(py, puzzle, start, walk, distance, reward, cost_to_go, memory)?;
        let raises = match illegal {
            "stay" => false,
            "raise" => true,
            other => {
                return Err(error(
                    Kind::Setting,
                    format_args!("illegal is '{other}': write stay or raise"),
                ));
            }
        };
        let vertices = game.data.cells.vertices;
        let cells = game.puzzle().start().cells()[..vertices].to_vec();
        let sampler = StateSampler::new(game.puzzle(), 0);
        let now = Mutex::new(Now { cells, sampler });
        Ok(Environment { game: Arc::new(game), raises, now })
    }

    /// The same state and the same sequence of random starts, which go their own ways from here on.
    /// What never changes, such as a table, is shared.
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Environment {
        let now = Mutex::new(self.now_attached(py).clone());
        Environment { game: Arc::clone(&self.game), raises: self.raises, now }
    }

    /// Begins another episode, from a state or from one that is drawn; with a seed, the sequence of
    /// that seed begins.
    #[pyo3(signature = (seed = None, state = None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::seed)] seed: Option<u64>,
        state: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<u8>>, Bound<'py, PyDict>)> {
        let given = state.map(|state| self.game.data.cells.read_one(state)).transpose()?;
        let cells = stoppable(py, self.game.steps_to_draw(1), |cancel| {
            let mut now = self.now();
            if let Some(seed) = seed {
                now.sampler.reseed(seed);
            }
            now.cells = match given {
                Some(cells) => cells,
                None => {
                    let state = self.game.start(&mut now.sampler, cancel);
                    let state = state.map_err(|problem| error(Kind::Puzzle, problem))?;
                    state.cells()[..self.game.data.cells.vertices].to_vec()
                }
            };
            Ok::<Vec<u8>, PyErr>(now.cells.clone())
        })??;
        let info = self.info(py, &cells, true)?;
        Ok((PyArray1::from_slice(py, &cells), info))
    }

    /// Plays an action.
    fn step<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = action)] action: (i64, Bound<'py, PyAny>),
    ) -> PyResult<Stepped<'py>> {
        let (number, action) = action;
        let all = self.game.data.kernel.actions().count();
        let Some(number) = usize::try_from(number).ok().filter(|&number| number < all) else {
            let last = all - 1;
            return Err(error(
                Kind::Action,
                format_args!("action {action} is out of range: write 0 to {last}"),
            ));
        };
        let mut now = self.now_attached(py);
        let Outcome { reward, terminated, legal, stuck } = self.game.step(&mut now.cells, number);
        // Where nothing can move, no action is legal, and the episode ends.
        if !legal && !stuck && self.raises {
            return Err(error(
                Kind::Action,
                format_args!(
                    "action {action} is not legal here: choose one of info[\"action_mask\"]"
                ),
            ));
        }
        let info = self.info(py, &now.cells, legal)?;
        Ok((PyArray1::from_slice(py, &now.cells), reward, terminated, false, info))
    }

    /// The state, `uint8[vertices]`.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_slice(py, &self.now_attached(py).cells)
    }

    /// The legal actions, `bool[actions]`.
    fn action_masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let kernel = &self.game.data.kernel;
        let mut mask = vec![false; kernel.actions().count()];
        kernel.mark_legal(
            self.game.puzzle().board(),
            &self.now_attached(py).cells,
            &mut mask,
            true,
        );
        PyArray1::from_vec(py, mask)
    }

    /// The state as it is written.
    fn text(&self, py: Python<'_>) -> String {
        let state =
            State::from_cells(&self.now_attached(py).cells).expect("the cells were checked");
        self.game.puzzle().write_state(&state)
    }
}
