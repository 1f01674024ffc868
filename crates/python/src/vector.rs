//! Many environments of one puzzle that step together.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyperslide_lab::StateSampler;
use hyperslide_puzzle::MAX_VERTICES;
use hyperslide_table::{NEVER, lock};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::arrays::{read_few_actions, read_numbers, rows};
use crate::draw::Draw;
use crate::environment::{Game, Reward};
use crate::errors::{Kind, error};
use crate::kernel::{BlankMoves, blank};
use crate::moves::check_actions;
use crate::numbers::{argument, check_room};
use crate::puzzle::Puzzle;
use crate::run::{attached, detached, stoppable};

/// When an environment whose episode has ended begins another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Autoreset {
    /// The step after it, whose action is ignored.
    NextStep,
    /// The same step, which returns the first state of the next episode.
    SameStep,
    /// Only when it is told to.
    Disabled,
}

#[derive(Clone)]
struct Now {
    cells: Vec<u8>,
    steps: Vec<u32>,
    /// Whether the last step ended the episode.
    ended: Vec<bool>,
    /// With [`Quick`], the empty vertex of each state.
    blanks: Vec<u8>,
    /// With [`Quick`] and [`Reward::Dense`], how many tokens of each state stand where the goal
    /// wants them.
    placed: Vec<u8>,
    sampler: StateSampler,
}

/// Many environments of one puzzle; `hyperslide.SlidingVectorEnv` makes them one of Gymnasium.
#[pyclass(frozen, module = "hyperslide._core")]
pub struct VectorEnvironment {
    game: Arc<Game>,
    count: usize,
    autoreset: Autoreset,
    /// The steps after which an episode is truncated.
    limit: Option<u32>,
    quick: Option<Arc<Quick>>,
    /// Says of each environment that it has an entry in `info`: always, so that one array does.
    all: Py<PyArray1<bool>>,
    now: Mutex<Now>,
}

/// What steps on a grid with one empty vertex and distinct labels need, whose goal places every
/// token. Where the empty vertex is, and how many tokens are placed where that is rewarded, is kept
/// from step to step, so that a step touches two cells.
struct Quick {
    moves: BlankMoves,
    masks: [[i8; 4]; MAX_VERTICES],
    /// The vertex on which the goal wants each cell; none for 0, an empty vertex.
    homes: [u8; 256],
}

impl Quick {
    fn new(game: &Game) -> Option<Quick> {
        let moves = game.data.kernel.blank_moves()?.clone();
        let wanted = game.goal();
        let suits = game.reward != Reward::Distance && !wanted.contains(&u8::MAX);
        if !suits || !game.data.puzzle.has_distinct_labels() {
            return None;
        }
        let mut homes = [u8::MAX; 256];
        for (vertex, &cell) in (0..).zip(wanted).filter(|&(_, &cell)| cell != 0) {
            homes[cell as usize] = vertex;
        }
        Some(Quick { masks: moves.marks(1), moves, homes })
    }

    /// The legal actions of a state with this empty vertex.
    #[inline(always)]
    fn mask_at(&self, blank: u8) -> [i8; 4] {
        self.masks[blank as usize % MAX_VERTICES]
    }

    /// How many tokens stand where the goal wants them.
    fn placed(&self, cells: &[u8]) -> u8 {
        let is_right = |&(vertex, &cell): &(u8, &u8)| self.homes[cell as usize] == vertex;
        (0..).zip(cells).filter(is_right).count() as u8
    }
}

/// Bytes of an environment without its cells: its steps, whether its episode has ended, its empty
/// vertex, its placed tokens, and its entry in [`VectorEnvironment`].
const STATE_BYTES: usize = 8;

/// Up to this many bytes of states are stepped with the interpreter held: that takes some
/// microseconds, less than handing the interpreter over and taking it back.
const SHORT: usize = 1 << 16;

/// A step that may draw starts for more slides than this, some seconds, can be ended.
const VERY_LONG: u64 = 1 << 26;

/// Hands over flags of environments. Few are copied: that is faster than the object that would own
/// them.
fn flags(py: Python<'_>, flags: Vec<bool>) -> Bound<'_, PyArray1<bool>> {
    if flags.len() <= 1 << 12 {
        PyArray1::from_slice(py, &flags)
    } else {
        PyArray1::from_vec(py, flags)
    }
}

/// The numbers of those that are true, mostly none.
fn numbers_of(marks: &[bool]) -> Vec<usize> {
    if !marks.iter().fold(false, |any, &mark| any | mark) {
        return Vec::new();
    }
    (0..marks.len()).filter(|&number| marks[number]).collect()
}

/// Slides a token in each state, with the action and the empty vertex of each, and the number of
/// placed tokens where it is kept. Returns the legal actions after it.
#[inline(always)]
fn slide_each<C: AsMut<[u8]>>(
    quick: &Quick,
    states: &mut [C],
    (actions, blanks, placed): (&[u8], &mut [u8], Option<&mut [u8]>),
) -> Vec<[i8; 4]> {
    let envs = states.iter_mut().zip(actions).zip(blanks);
    let Some(placed) = placed else {
        let slide = |((cells, &action), blank): ((&mut C, &u8), &mut u8)| {
            *blank = quick.moves.slide(cells.as_mut(), *blank, action as usize).0;
            quick.mask_at(*blank)
        };
        return envs.map(slide).collect();
    };
    let slide = |(((cells, &action), blank), placed): (((&mut C, &u8), &mut u8), &mut u8)| {
        let before = *blank;
        let (after, token) = quick.moves.slide(cells.as_mut(), before, action as usize);
        let home = quick.homes[token as usize];
        let gained = i8::from(home == before) - i8::from(home == after);
        (*blank, *placed) = (after, placed.wrapping_add_signed(gained));
        quick.mask_at(after)
    };
    envs.zip(placed).map(slide).collect()
}

/// Which states are those of the goal, for boards of a size that is known when this is compiled.
fn are_solved<const V: usize>(cells: &[u8], goal: &[u8]) -> Option<Vec<bool>> {
    let goal: &[u8; V] = goal.try_into().ok()?;
    Some(cells.as_chunks::<V>().0.iter().map(|state| state == goal).collect())
}

/// The actions of all environments.
enum Actions {
    /// They are numbers of actions.
    Few(Vec<u8>),
    /// They are still to be checked.
    Any(Vec<i64>),
}

/// What happened in a step.
struct Step {
    cells: Vec<u8>,
    mask: Vec<i8>,
    rewards: Vec<f64>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    legal: Vec<bool>,
    costs: Option<Costs>,
    /// How the episodes ended that did.
    last: Option<Last>,
}

/// The distances of all states, and the actions that lead nearer to the goal.
struct Costs {
    to_go: Vec<i16>,
    optimal: Vec<bool>,
}

/// The last states of the episodes that ended, and what is known of them.
struct Last {
    /// Zeros where no episode ended.
    cells: Vec<u8>,
    mask: Vec<i8>,
    costs: Option<Costs>,
}

impl VectorEnvironment {
    /// What is now, for threads that do not hold the interpreter. Those that do would wait for one
    /// that waits for the interpreter: they use [`VectorEnvironment::now_attached`].
    fn now(&self) -> MutexGuard<'_, Now> {
        lock(&self.now)
    }

    fn now_attached(&self, py: Python<'_>) -> MutexGuard<'_, Now> {
        self.now.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn vertices(&self) -> usize {
        self.game.data.cells.vertices
    }

    /// The legal actions of all states.
    fn mask(&self, now: &Now) -> Vec<i8> {
        match &self.quick {
            Some(quick) => {
                let rows: Vec<[i8; 4]> =
                    now.blanks.iter().map(|&blank| quick.mask_at(blank)).collect();
                rows.into_flattened()
            }
            None => self.game.data.kernel.legal_all(self.game.puzzle().board(), &now.cells, 1),
        }
    }

    /// Takes note of the state with which an episode begins.
    fn begun(&self, now: &mut Now, number: usize) {
        (now.steps[number], now.ended[number]) = (0, false);
        if let Some(quick) = &self.quick {
            let cells = &now.cells[number * self.vertices()..][..self.vertices()];
            (now.blanks[number], now.placed[number]) = (blank(cells), quick.placed(cells));
        }
    }

    /// What `info` says of the distances, if it does.
    fn costs(&self, cells: &[u8]) -> Option<Costs> {
        let exact = self.game.exact().filter(|_| self.game.shows_cost)?;
        let actions = self.game.data.kernel.actions();
        let mut to_go = vec![-1; self.count];
        exact.distances(cells, &mut to_go);
        let mut optimal = vec![false; self.count * actions.count()];
        exact.optimal_actions(actions, cells, &mut optimal);
        Some(Costs { to_go, optimal })
    }

    /// Begins the next episode of some environments.
    fn begin(&self, now: &mut Now, which: &[usize], cancel: &AtomicBool) -> PyResult<()> {
        let vertices = self.vertices();
        let starts = self.game.starts(&mut now.sampler, which.len(), cancel);
        let starts = starts.map_err(|problem| error(Kind::Puzzle, problem))?;
        for (&number, start) in which.iter().zip(starts) {
            now.cells[number * vertices..][..vertices].copy_from_slice(&start.cells()[..vertices]);
            self.begun(now, number);
        }
        Ok(())
    }

    fn play(&self, now: &mut Now, actions: &Actions, cancel: &AtomicBool) -> PyResult<Step> {
        if let Actions::Any(actions) = actions {
            check_actions(actions, self.game.data.kernel.actions().count())?;
        }
        if self.autoreset == Autoreset::Disabled
            && let Some(number) = now.ended.iter().position(|&ended| ended)
        {
            return Err(error(
                Kind::Action,
                format_args!(
                    "the episode of environment {number} has ended: reset it with \
                     options={{\"reset_mask\": ...}}"
                ),
            ));
        }
        let (count, vertices) = (self.count, self.vertices());
        let mut step = Step {
            cells: Vec::new(),
            mask: Vec::new(),
            rewards: Vec::new(),
            terminated: Vec::new(),
            truncated: vec![false; count],
            legal: Vec::new(),
            costs: None,
            last: None,
        };
        let had_ended: Vec<usize> = numbers_of(&now.ended);
        let mut masks = Vec::new();
        match (&self.quick, actions) {
            (Some(quick), Actions::Few(few)) => {
                masks = self.play_quickly(quick, now, few, &mut step);
            }
            (Some(quick), Actions::Any(any)) => {
                let few: Vec<u8> = any.iter().map(|&action| action as u8).collect();
                masks = self.play_quickly(quick, now, &few, &mut step);
            }
            (None, Actions::Few(_)) => unreachable!("only what is quick has its actions as bytes"),
            (None, Actions::Any(any)) => self.play_each(now, any, &mut step),
        }
        step.cells.clone_from(&now.cells);
        let show = |step: &mut Step, now: &Now, which: &[usize]| {
            for &number in which {
                let at = number * vertices..(number + 1) * vertices;
                step.cells[at.clone()].copy_from_slice(&now.cells[at]);
            }
        };
        // Environments whose episode had ended begin another one instead of a move.
        if !had_ended.is_empty() {
            self.begin(now, &had_ended, cancel)?;
            show(&mut step, now, &had_ended);
            for &number in &had_ended {
                (step.rewards[number], step.legal[number]) = (0.0, true);
                (step.terminated[number], step.truncated[number]) = (false, false);
            }
        }
        let ends = step.terminated.iter().zip(&step.truncated);
        for (ended, (&terminated, &truncated)) in now.ended.iter_mut().zip(ends) {
            *ended = terminated | truncated;
        }
        let mut over = Vec::new();
        if self.autoreset == Autoreset::SameStep {
            over = numbers_of(&now.ended);
            if !over.is_empty() {
                let mut last = vec![0; count * vertices];
                for &number in &over {
                    let at = number * vertices..(number + 1) * vertices;
                    last[at.clone()].copy_from_slice(&now.cells[at]);
                }
                let kernel = &self.game.data.kernel;
                step.last = Some(Last {
                    mask: kernel.legal_all(self.game.puzzle().board(), &now.cells, 1),
                    costs: self.costs(&now.cells),
                    cells: last,
                });
                self.begin(now, &over, cancel)?;
                show(&mut step, now, &over);
            }
        }
        step.mask = match &self.quick {
            Some(quick) => {
                for &number in had_ended.iter().chain(&over) {
                    masks[number] = quick.mask_at(now.blanks[number]);
                }
                masks.into_flattened()
            }
            None => self.mask(now),
        };
        step.costs = self.costs(&now.cells);
        Ok(step)
    }

    /// The same for steps that Ctrl-C may end: nothing was played then.
    fn play_or_stay(&self, actions: &Actions, cancel: &AtomicBool) -> PyResult<Step> {
        let now = &mut *self.now();
        let mut next = now.clone();
        let step = self.play(&mut next, actions, cancel)?;
        *now = next;
        Ok(step)
    }

    /// Plays an action in each environment.
    fn play_each(&self, now: &mut Now, actions: &[i64], step: &mut Step) {
        let vertices = self.vertices();
        (step.rewards, step.legal) = (vec![0.0; self.count], vec![true; self.count]);
        step.terminated = vec![false; self.count];
        for (number, &action) in actions.iter().enumerate() {
            if now.ended[number] {
                continue;
            }
            let cells = &mut now.cells[number * vertices..][..vertices];
            let outcome = self.game.step(cells, action as usize);
            now.steps[number] += 1;
            step.rewards[number] = outcome.reward;
            step.terminated[number] = outcome.terminated;
            step.truncated[number] = self.limit.is_some_and(|limit| now.steps[number] >= limit);
            step.legal[number] = outcome.legal;
        }
    }

    /// The same on grids with one empty vertex; returns the legal actions after it. What an action
    /// does to an episode that has ended does not matter, since another one begins then.
    fn play_quickly(
        &self,
        quick: &Quick,
        now: &mut Now,
        actions: &[u8],
        step: &mut Step,
    ) -> Vec<[i8; 4]> {
        let blanks = now.blanks.clone();
        let placed = match self.game.reward {
            Reward::Dense => now.placed.clone(),
            Reward::Step | Reward::Goal | Reward::Distance => Vec::new(),
        };
        let masks = self.slide_all(quick, now, actions);
        // What needs no look-up is done for several environments at once.
        let (cells, goal) = (&now.cells, self.game.goal());
        let known = match self.vertices() {
            9 => are_solved::<9>(cells, goal),
            12 => are_solved::<12>(cells, goal),
            16 => are_solved::<16>(cells, goal),
            25 => are_solved::<25>(cells, goal),
            _ => None,
        };
        step.terminated = known.unwrap_or_else(|| {
            cells.chunks_exact(self.vertices()).map(|state| state == goal).collect()
        });
        step.legal =
            blanks.iter().zip(&now.blanks).map(|(before, after)| before != after).collect();
        step.rewards = match self.game.reward {
            Reward::Dense => {
                let gained =
                    |(&before, &after): (&u8, &u8)| f64::from(after.wrapping_sub(before) as i8);
                placed.iter().zip(&now.placed).map(gained).collect()
            }
            Reward::Goal => {
                let solved =
                    |(&solved, &legal): (&bool, &bool)| f64::from(u8::from(solved & legal));
                step.terminated.iter().zip(&step.legal).map(solved).collect()
            }
            Reward::Step | Reward::Distance => vec![-1.0; self.count],
        };
        if let Some(limit) = self.limit {
            for (truncated, steps) in step.truncated.iter_mut().zip(&mut now.steps) {
                *steps = steps.wrapping_add(1);
                *truncated = *steps >= limit;
            }
        }
        masks
    }

    /// Slides a token in each environment; returns the legal actions after it.
    fn slide_all(&self, quick: &Quick, now: &mut Now, actions: &[u8]) -> Vec<[i8; 4]> {
        let Now { cells, blanks, placed, .. } = now;
        let placed = (self.game.reward == Reward::Dense).then_some(&mut **placed);
        let per_env = (actions, &mut **blanks, placed);
        match self.vertices() {
            9 => slide_each(quick, cells.as_chunks_mut::<9>().0, per_env),
            12 => slide_each(quick, cells.as_chunks_mut::<12>().0, per_env),
            16 => slide_each(quick, cells.as_chunks_mut::<16>().0, per_env),
            25 => slide_each(quick, cells.as_chunks_mut::<25>().0, per_env),
            vertices => {
                let mut rows: Vec<&mut [u8]> = cells.chunks_exact_mut(vertices).collect();
                slide_each(quick, &mut rows, per_env)
            }
        }
    }

    fn info<'py>(
        &self,
        py: Python<'py>,
        mask: Vec<i8>,
        legal: Vec<bool>,
        costs: Option<Costs>,
        there: &Bound<'py, PyArray1<bool>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let all = self.game.data.kernel.actions().count();
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), rows(py, mask, self.count, all)?)?;
        info.set_item(intern!(py, "_action_mask"), there)?;
        info.set_item(intern!(py, "legal"), flags(py, legal))?;
        info.set_item(intern!(py, "_legal"), there)?;
        if let Some(Costs { to_go, optimal }) = costs {
            info.set_item(intern!(py, "cost_to_go"), PyArray1::from_vec(py, to_go))?;
            info.set_item(intern!(py, "_cost_to_go"), there)?;
            info.set_item(intern!(py, "optimal_actions"), rows(py, optimal, self.count, all)?)?;
            info.set_item(intern!(py, "_optimal_actions"), there)?;
        }
        Ok(info)
    }
}

/// What a step returns in Gymnasium.
type Stepped<'py> = (
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyDict>,
);

#[pymethods]
impl VectorEnvironment {
    #[new]
    fn new(
        py: Python<'_>,
        puzzle: &Puzzle,
        #[pyo3(from_py_with = argument::num_envs)] count: usize,
        start: &str,
        walk: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::distance)] distance: Option<u32>,
        reward: &str,
        cost_to_go: bool,
        #[pyo3(from_py_with = argument::memory)] memory: Option<u64>,
        autoreset: &str,
        #[pyo3(from_py_with = argument::max_episode_steps)] max_episode_steps: Option<u32>,
    ) -> PyResult<VectorEnvironment> {
        let game = Game::new(py, puzzle, start, walk, distance, reward, cost_to_go, memory)?;
        let autoreset = match autoreset {
            "next-step" => Autoreset::NextStep,
            "same-step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(error(
                    Kind::Setting,
                    format_args!(
                        "autoreset_mode is '{other}': write next-step, same-step or disabled"
                    ),
                ));
            }
        };
        if count == 0 || count > 1 << 28 {
            return Err(error(
                Kind::Setting,
                format_args!("num_envs is {count}: write 1 to {}", 1 << 28),
            ));
        }
        let limit = max_episode_steps;
        if limit == Some(0) {
            return Err(error(Kind::Setting, "max_episode_steps is 0: write 1 or more"));
        }
        let vertices = game.data.cells.vertices;
        if check_room(count, vertices + STATE_BYTES).is_err() {
            return Err(error(
                Kind::Setting,
                format_args!("num_envs is {count}, which do not fit in memory: write fewer"),
            ));
        }
        let now = Now {
            cells: game.puzzle().start().cells()[..vertices].repeat(count),
            steps: vec![0; count],
            ended: vec![false; count],
            blanks: vec![0; count],
            placed: vec![0; count],
            sampler: StateSampler::new(game.puzzle(), 0),
        };
        let all = PyArray1::from_vec(py, vec![true; count]);
        all.readwrite().make_nonwriteable();
        let quick = Quick::new(&game).map(Arc::new);
        let (game, all, now) = (Arc::new(game), all.unbind(), Mutex::new(now));
        let made = VectorEnvironment { game, count, autoreset, limit, quick, all, now };
        {
            let now = &mut *made.now_attached(py);
            (0..count).for_each(|number| made.begun(now, number));
        }
        Ok(made)
    }

    /// The same states and the same sequence of random starts, which go their own ways from here
    /// on. What never changes, such as a table, is shared.
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> VectorEnvironment {
        VectorEnvironment {
            game: Arc::clone(&self.game),
            count: self.count,
            autoreset: self.autoreset,
            limit: self.limit,
            quick: self.quick.clone(),
            all: self.all.clone_ref(py),
            now: Mutex::new(self.now_attached(py).clone()),
        }
    }

    /// Begins another episode of all environments, or of those in `mask`, `bool[n]`; from `states`,
    /// `uint8[n, vertices]`, or from states that are drawn.
    #[pyo3(signature = (seed = None, mask = None, states = None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::seed)] seed: Option<u64>,
        mask: Option<Vec<bool>>,
        states: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyDict>)> {
        let given = states.map(|states| self.game.data.cells.read(states)).transpose()?;
        let (count, vertices) = (self.count, self.vertices());
        if let Some(found) = mask.as_ref().map(Vec::len).filter(|&found| found != count) {
            return Err(error(
                Kind::Array,
                format_args!("reset_mask has {found} entries for {count} environments"),
            ));
        }
        if let Some(found) =
            given.as_ref().map(|cells| cells.len() / vertices).filter(|&n| n != count)
        {
            return Err(error(
                Kind::Array,
                format_args!("{found} states for {count} environments"),
            ));
        }
        let (cells, legal, costs) = stoppable(py, self.game.steps_to_draw(count), |cancel| {
            let now = &mut *self.now();
            if let Some(seed) = seed {
                now.sampler.reseed(seed);
            }
            let is_wanted = |number: &usize| mask.as_ref().is_none_or(|mask| mask[*number]);
            let which: Vec<usize> = (0..count).filter(is_wanted).collect();
            match given {
                None => self.begin(now, &which, cancel)?,
                Some(given) => {
                    for &number in &which {
                        let at = number * vertices..(number + 1) * vertices;
                        now.cells[at.clone()].copy_from_slice(&given[at]);
                        self.begun(now, number);
                    }
                }
            }
            Ok::<_, PyErr>((now.cells.clone(), self.mask(now), self.costs(&now.cells)))
        })??;
        let info = self.info(py, legal, vec![true; count], costs, self.all.bind(py))?;
        Ok((rows(py, cells, count, vertices)?, info))
    }

    /// Plays one action in each environment.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let all = self.game.data.kernel.actions().count();
        let few = match &self.quick {
            Some(_) => read_few_actions(actions, self.count, all)?,
            None => None,
        };
        let actions = match few {
            Some(few) => Actions::Few(few),
            None => Actions::Any(read_numbers(actions, "actions", Some(self.count))?),
        };
        // A start at a distance is drawn by a pass over the table.
        let passes = matches!(self.game.draw, Some(Draw::Distance(_)));
        let is_long = passes || self.count * self.vertices() > SHORT;
        let steps = self.game.steps_to_draw(self.count);
        let step = if steps > VERY_LONG {
            stoppable(py, steps, |cancel| self.play_or_stay(&actions, cancel))??
        } else if is_long {
            detached(py, || self.play(&mut self.now(), &actions, &NEVER))??
        } else {
            attached(|| self.play(&mut self.now_attached(py), &actions, &NEVER))??
        };
        let legal = step.last.as_ref().map(|_| step.legal.clone());
        let info = self.info(py, step.mask, step.legal, step.costs, self.all.bind(py))?;
        if let (Some(Last { cells, mask, costs }), Some(legal)) = (step.last, legal) {
            let over = step.terminated.iter().zip(&step.truncated).map(|(a, b)| a | b);
            let over = PyArray1::from_vec(py, over.collect());
            let last = self.info(py, mask, legal, costs, &over)?;
            info.set_item("final_info", last)?;
            info.set_item("_final_info", &over)?;
            info.set_item("final_obs", rows(py, cells, self.count, self.vertices())?)?;
            info.set_item("_final_obs", over)?;
        }
        Ok((
            rows(py, step.cells, self.count, self.vertices())?,
            PyArray1::from_vec(py, step.rewards),
            flags(py, step.terminated),
            flags(py, step.truncated),
            info,
        ))
    }

    /// The states, `uint8[n, vertices]`.
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        rows(py, self.now_attached(py).cells.clone(), self.count, self.vertices())
    }
}
