//! Many environments of one puzzle that step together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hyperslide_lab::StateSampler;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{read_numbers, rows};
use crate::environment::Game;
use crate::errors::{Kind, error};
use crate::puzzle::{Puzzle, check_actions};
use crate::run::detached;

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

struct Now {
    cells: Vec<u8>,
    steps: Vec<u32>,
    /// Whether the last step ended the episode.
    ended: Vec<bool>,
    sampler: StateSampler,
}

/// Many environments of one puzzle; `hyperslide.SlidingVectorEnv` makes them one of Gymnasium.
#[pyclass(frozen, module = "hyperslide._core")]
pub struct VectorEnvironment {
    game: Game,
    count: usize,
    autoreset: Autoreset,
    limit: u32,
    now: Mutex<Now>,
}

/// What happened in a step.
struct Step {
    cells: Vec<u8>,
    mask: Vec<i8>,
    rewards: Vec<f64>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    legal: Vec<bool>,
    costs: Option<Vec<i16>>,
    /// The last states of the episodes that ended, and zeros.
    last: Option<Vec<u8>>,
}

impl VectorEnvironment {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn vertices(&self) -> usize {
        self.game.data.cells.vertices
    }

    fn mask(&self, cells: &[u8]) -> Vec<i8> {
        let kernel = &self.game.data.kernel;
        let (board, all) = (self.game.puzzle().board(), kernel.actions().count());
        let mut mask = vec![0; self.count * all];
        for (cells, row) in cells.chunks_exact(self.vertices()).zip(mask.chunks_exact_mut(all)) {
            kernel.mark_legal(board, cells, row, 1);
        }
        mask
    }

    fn costs(&self, cells: &[u8]) -> Option<Vec<i16>> {
        let exact = self.game.exact().filter(|_| self.game.shows_cost)?;
        let mut costs = vec![-1; self.count];
        exact.distances(cells, &mut costs);
        Some(costs)
    }

    /// Begins the next episode of some environments.
    fn begin(&self, now: &mut Now, which: &[usize]) -> PyResult<()> {
        let vertices = self.vertices();
        let starts = self.game.starts(&mut now.sampler, which.len());
        let starts = starts.map_err(|problem| error(Kind::Puzzle, problem))?;
        for (&number, start) in which.iter().zip(starts) {
            now.cells[number * vertices..][..vertices].copy_from_slice(&start.cells()[..vertices]);
            (now.steps[number], now.ended[number]) = (0, false);
        }
        Ok(())
    }

    fn play(&self, actions: &[i64]) -> PyResult<Step> {
        let now = &mut *self.now();
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
            rewards: vec![0.0; count],
            terminated: vec![false; count],
            truncated: vec![false; count],
            legal: vec![true; count],
            costs: None,
            last: None,
        };
        let mut next = Vec::new();
        for (number, &action) in actions.iter().enumerate() {
            if now.ended[number] {
                next.push(number);
                continue;
            }
            let cells = &mut now.cells[number * vertices..][..vertices];
            let outcome = self.game.step(cells, action as usize);
            now.steps[number] += 1;
            step.rewards[number] = outcome.reward;
            step.terminated[number] = outcome.terminated;
            step.truncated[number] = now.steps[number] >= self.limit;
            step.legal[number] = outcome.legal;
        }
        self.begin(now, &next)?;
        for (number, ended) in now.ended.iter_mut().enumerate() {
            *ended = step.terminated[number] || step.truncated[number];
        }
        if self.autoreset == Autoreset::SameStep {
            let over: Vec<usize> = (0..count).filter(|&number| now.ended[number]).collect();
            if !over.is_empty() {
                let mut last = vec![0; count * vertices];
                for &number in &over {
                    let at = number * vertices..(number + 1) * vertices;
                    last[at.clone()].copy_from_slice(&now.cells[at]);
                }
                step.last = Some(last);
                self.begin(now, &over)?;
            }
        }
        step.cells.clone_from(&now.cells);
        step.mask = self.mask(&now.cells);
        step.costs = self.costs(&now.cells);
        Ok(step)
    }

    fn info<'py>(
        &self,
        py: Python<'py>,
        mask: Vec<i8>,
        legal: Vec<bool>,
        costs: Option<Vec<i16>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let all = self.game.data.kernel.actions().count();
        let info = PyDict::new(py);
        let there = || PyArray1::from_vec(py, vec![true; self.count]);
        info.set_item("action_mask", rows(py, mask, self.count, all)?)?;
        info.set_item("_action_mask", there())?;
        info.set_item("legal", PyArray1::from_vec(py, legal))?;
        info.set_item("_legal", there())?;
        if let Some(costs) = costs {
            info.set_item("cost_to_go", PyArray1::from_vec(py, costs))?;
            info.set_item("_cost_to_go", there())?;
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
        count: usize,
        start: &str,
        walk: Option<&Bound<'_, PyAny>>,
        distance: Option<u32>,
        reward: &str,
        cost_to_go: bool,
        memory: Option<u64>,
        autoreset: &str,
        max_episode_steps: Option<u32>,
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
        let limit = max_episode_steps.unwrap_or(u32::MAX);
        if limit == 0 {
            return Err(error(Kind::Setting, "max_episode_steps is 0: write 1 or more"));
        }
        let vertices = game.data.cells.vertices;
        let now = Now {
            cells: game.puzzle().start().cells()[..vertices].repeat(count),
            steps: vec![0; count],
            ended: vec![false; count],
            sampler: StateSampler::new(game.puzzle(), 0),
        };
        Ok(VectorEnvironment { game, count, autoreset, limit, now: Mutex::new(now) })
    }

    /// Begins another episode of all environments, or of those in `mask`, `bool[n]`; from `states`,
    /// `uint8[n, vertices]`, or from states that are drawn.
    #[pyo3(signature = (seed = None, mask = None, states = None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
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
        let (cells, legal, costs) = detached(py, || {
            let now = &mut *self.now();
            if let Some(seed) = seed {
                now.sampler.reseed(seed);
            }
            let is_wanted = |number: &usize| mask.as_ref().is_none_or(|mask| mask[*number]);
            let which: Vec<usize> = (0..count).filter(is_wanted).collect();
            match given {
                None => self.begin(now, &which)?,
                Some(given) => {
                    for &number in &which {
                        let at = number * vertices..(number + 1) * vertices;
                        now.cells[at.clone()].copy_from_slice(&given[at]);
                        (now.steps[number], now.ended[number]) = (0, false);
                    }
                }
            }
            Ok::<_, PyErr>((now.cells.clone(), self.mask(&now.cells), self.costs(&now.cells)))
        })??;
        let info = self.info(py, legal, vec![true; count], costs)?;
        Ok((rows(py, cells, count, vertices)?, info))
    }

    /// Plays one action in each environment.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let actions = read_numbers(actions, "actions", Some(self.count))?;
        let step = detached(py, || {
            check_actions(&actions, self.game.data.kernel.actions().count())?;
            self.play(&actions)
        })??;
        let info = self.info(py, step.mask, step.legal, step.costs)?;
        if let Some(last) = step.last {
            let over = step.terminated.iter().zip(&step.truncated).map(|(a, b)| a | b);
            info.set_item("final_obs", rows(py, last, self.count, self.vertices())?)?;
            info.set_item("_final_obs", PyArray1::from_vec(py, over.collect()))?;
        }
        Ok((
            rows(py, step.cells, self.count, self.vertices())?,
            PyArray1::from_vec(py, step.rewards),
            PyArray1::from_vec(py, step.terminated),
            PyArray1::from_vec(py, step.truncated),
            info,
        ))
    }

    /// The states, `uint8[n, vertices]`.
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        rows(py, self.now().cells.clone(), self.count, self.vertices())
    }
}
