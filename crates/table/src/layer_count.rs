//! Counting the states at each distance from a start or to a goal, as `hyperslide layers` does.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Puzzle, State, VertexSet, goal_states, provably_stuck};
use rustc_hash::FxHashSet;
use thiserror::Error;

use crate::abstraction::MAX_GOAL_STATES;
use crate::layer_checkpoint::{LayerCheckpoint, LayerCheckpointError, LayerCheckpointOptions};
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::space::{Space, SpaceError, SpaceOptions};
use crate::stored::{STORED_STATE_BYTES, count_stored_layers};
use crate::watch::Watch;

/// The distances by which states are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// The distances from the puzzle's start; its goal does not matter.
    FromStart,
    /// The distances to the puzzle's goal; its start only determines the tokens and the vertices
    /// that they can reach.
    ToGoal,
}

/// Limits and options of a count.
#[derive(Clone, Debug)]
pub struct LayerCountOptions {
    /// The distances by which states are counted.
    pub distance: Distance,
    /// The memory that the search may use, in bytes.
    pub memory: u64,
    /// If set, the count stops after the layer in which this time has passed, or at once while the
    /// states are numbered.
    pub time: Option<Duration>,
    /// The states of the last layer are listed if there are at most this many.
    pub farthest: usize,
    /// If set, the search is saved while it runs.
    pub checkpoint: Option<LayerCheckpointOptions>,
}

impl Default for LayerCountOptions {
    fn default() -> LayerCountOptions {
        LayerCountOptions {
            distance: Distance::FromStart,
            memory: u64::MAX,
            time: None,
            farthest: 0,
            checkpoint: None,
        }
    }
}

/// The result of [`count_layers`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerCount {
    /// The number of states at each distance.
    pub layers: Layers,
    /// The states of the last layer, if the count is complete and there are at most
    /// [`LayerCountOptions::farthest`] of them.
    pub farthest: Option<Vec<State>>,
}

/// Why the states cannot be counted.
#[derive(Debug, Error)]
pub enum LayerCountError {
    /// Too many states meet the goal.
    #[error("more than {MAX_GOAL_STATES} states meet the goal: fix more of it")]
    TooManyGoals,
    /// The tokens can reach no set of vertices that fits the goal.
    #[error("the goal is out of reach: it fits no set of vertices that the tokens can occupy")]
    GoalOutOfReach,
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The search needs more memory than allowed.
    #[error("a search of {states} states needs {needed} bytes, but only {limit} may be used")]
    TooMuchMemory {
        /// The number of states.
        states: u128,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Memory cannot be allocated.
    #[error("cannot get {needed} bytes of memory: {source}")]
    NoMemory {
        /// Bytes needed.
        needed: u64,
        /// The reason.
        source: io::Error,
    },
    /// The checkpoint cannot be used or written.
    #[error(transparent)]
    Checkpoint(#[from] LayerCheckpointError),
}

/// How many states are stored one by one, in about a second, before a count is refused because the
/// states cannot be numbered.
const MOST_STORED: u64 = 1_000_000;
/// If more than this many states would be numbered, the count first tries to get by with storing
/// [`STORED_FIRST`], in case the component is small.
const MANY_NUMBERED: u128 = 50_000_000;
const STORED_FIRST: u64 = 20_000;

/// What distinguishes one count from others, for its checkpoint.
fn what_is_counted(puzzle: &Puzzle, distance: Distance) -> String {
    let board = puzzle.board();
    let (from_or_to, state) = match distance {
        Distance::FromStart => ("from", puzzle.write_state(puzzle.start())),
        Distance::ToGoal => ("to the goal of", puzzle.to_string()),
    };
    format!("{} {} {from_or_to} {state}", board.spec(), board.metric().name())
}

/// Counts the states at each distance by a breadth-first search. `on_progress` is called after each
/// layer with the layers so far and, where it is known, an upper bound on the number of states. If
/// it breaks, or if the signals cancel the search, the layers so far are returned.
///
/// # Errors
///
/// Returns an error if the goal cannot be reached or too many states meet it, or if the search
/// needs more memory than allowed.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use hyperslide_puzzle::Puzzle;
/// use hyperslide_table::{LayerCountOptions, Signals, count_layers};
///
/// let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0")?;
/// let count = count_layers(
///     &puzzle,
///     &LayerCountOptions::default(),
///     &Signals::default(),
///     &mut |_, _| ControlFlow::Continue(()),
/// )?;
/// assert_eq!(count.layers.states, [1, 2, 2, 2, 2, 2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_layers(
    puzzle: &Puzzle,
    options: &LayerCountOptions,
    signals: &Signals<'_>,
    on_progress: &mut dyn FnMut(&Layers, Option<u128>) -> ControlFlow<()>,
) -> Result<LayerCount, LayerCountError> {
    let deadline = options.time.and_then(|time| Instant::now().checked_add(time));
    let board = puzzle.board();
    let is_single = options.distance == Distance::FromStart;
    let starts = match options.distance {
        Distance::FromStart => vec![*puzzle.start()],
        Distance::ToGoal => {
            goal_states(puzzle, MAX_GOAL_STATES).ok_or(LayerCountError::TooManyGoals)?
        }
    };
    let watch = Watch::for_preparation(signals.cancel, deadline);
    let space_options = SpaceOptions {
        walls: match options.distance {
            Distance::FromStart => provably_stuck(board, puzzle.start().occupied()),
            Distance::ToGoal => VertexSet::EMPTY,
        },
        halve: is_single,
        memory: options.memory,
        watch,
        ..SpaceOptions::default()
    };
    let mut few = |most| match options.checkpoint {
        None if is_single => count_few(puzzle, options, most, watch, on_progress),
        _ => None,
    };
    let space = match Space::new(board, puzzle.start(), &space_options) {
        Err(SpaceError::Stopped) => {
            return Ok(LayerCount { layers: Layers::default(), farthest: None });
        }
        Err(error @ SpaceError::TooManyArrangements { .. }) => {
            return few(MOST_STORED).ok_or(LayerCountError::Space(error));
        }
        space => space?,
    };
    let starts: Vec<State> =
        starts.into_iter().filter(|state| space.rank(state).is_some()).collect();
    if starts.is_empty() {
        return Err(LayerCountError::GoalOutOfReach);
    }
    let needed = BreadthFirst::bytes(&space, is_single, 1) + u128::from(space.bytes());
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    let states = space.states();
    if needed > options.memory {
        let limit = options.memory;
        return few(MOST_STORED).ok_or(LayerCountError::TooMuchMemory { states, needed, limit });
    }
    // If closed walks reach only a few of the arrangements, numbering all of them wastes seconds.
    if states > MANY_NUMBERED
        && let Some(count) = few(STORED_FIRST)
    {
        return Ok(count);
    }
    let search_options = SearchOptions {
        in_place: is_single,
        farthest: options.farthest,
        ..SearchOptions::default()
    };
    let mut search = BreadthFirst::new(&space, search_options)
        .map_err(|source| LayerCountError::NoMemory { needed, source })?;
    search.start(&starts).expect("starts out of the space have been left out");
    let what = what_is_counted(puzzle, options.distance);
    let mut checkpoint = match &options.checkpoint {
        Some(options) => Some(LayerCheckpoint::open(options, &what, &mut search)?),
        None => None,
    };
    let mut failed = None;
    let layers = search.run(signals, |search| {
        let told = on_progress(search.layers(), Some(states));
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let is_last = is_late || told.is_break();
        if let Some(checkpoint) = checkpoint.as_mut().filter(|kept| is_last || kept.is_due())
            && let Err(error) = checkpoint.save(&what, search)
        {
            failed = Some(error);
            return ControlFlow::Break(());
        }
        if is_late { ControlFlow::Break(()) } else { told }
    });
    let layers = layers.clone();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let is_listed = options.farthest > 0 && layers.complete;
    let farthest = is_listed.then(|| search.farthest()).flatten();
    Ok(LayerCount { layers, farthest })
}

/// Counts the states of a component by storing each of them; `None` if there are more than `most`.
fn count_few(
    puzzle: &Puzzle,
    options: &LayerCountOptions,
    most: u64,
    watch: Watch<'_>,
    on_progress: &mut dyn FnMut(&Layers, Option<u128>) -> ControlFlow<()>,
) -> Option<LayerCount> {
    let most = most.min(options.memory / STORED_STATE_BYTES);
    let mut farthest = None;
    let mut on_progress = |layers: &Layers, states: &FxHashSet<State>| {
        farthest = (states.len() <= options.farthest).then(|| states.iter().copied().collect());
        if watch.is_over() { ControlFlow::Break(()) } else { on_progress(layers, None) }
    };
    let layers =
        count_stored_layers(puzzle.board(), puzzle.start(), most, watch, &mut on_progress)?;
    let farthest: Option<Vec<State>> = farthest.filter(|_| layers.complete && options.farthest > 0);
    Some(LayerCount { layers, farthest })
}
