//! The eccentricity of one start in every orbit, which settles the diameters.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Board, Label, Regime, State, VertexSet};
use hyperslide_table::{
    BreadthFirst, Layers, SearchOptions, Signals, Space, SpaceError, SpaceOptions, VertexOrder,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::checkpoint::Checkpoint;
use crate::survey::{ComponentType, Orbit, Survey};

/// What the search from one start found.
///
/// With all tokens told apart, relabelling takes any arrangement on an occupied set to any other and
/// symmetries take the set to the others of its orbit: the layers are the same from all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartResult {
    /// The vertices of the tokens at the start.
    pub occupied: Vec<usize>,
    /// Occupied sets of the component that are like it.
    pub orbit: u64,
    /// Number of states at distance 0, 1, ...: one less than the eccentricity and one are there.
    pub layers: Vec<u64>,
}

impl StartResult {
    /// The greatest distance from the start.
    pub fn eccentricity(&self) -> u32 {
        self.layers.len().saturating_sub(1) as u32
    }

    /// The start's vertices as a set.
    pub fn set(&self) -> VertexSet {
        VertexSet::from_bits(self.occupied.iter().map(|&vertex| 1u64 << (vertex & 63)).sum())
    }
}

/// How far a census has come.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Starts that are done, of how many.
    pub starts: (usize, usize),
    /// Layers of each of the starts that are being searched side by side.
    pub layers: &'a [Layers],
    /// States of those starts' component.
    pub states: u128,
    /// States of all starts that have been searched in this run, and since when.
    pub searched: (u128, Instant),
    /// States of all starts that are left, these included.
    pub left: u128,
}

/// How to run a census. Nothing here changes its result.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Options of each search.
    pub search: SearchOptions,
    /// In which order the vertices' tokens make a row.
    pub order: Option<VertexOrder>,
    /// Search from several starts side by side where that takes at most so many bytes beside
    /// [`Space::bytes`]. A search of one start is not held to it.
    pub side_by_side_bytes: u64,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            search: SearchOptions::default(),
            order: None,
            side_by_side_bytes: MAX_SIDE_BY_SIDE_BYTES,
        }
    }
}

/// How a census ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All starts are searched.
    Complete,
    /// It was stopped; what the unfinished search has, if there is one.
    Stopped(Option<StartResult>),
}

/// Why a census failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Memory or files.
    #[error("cannot get memory for the search: {0}")]
    Memory(io::Error),
    /// A checkpoint cannot be written.
    #[error("cannot write the checkpoint: {0}")]
    Checkpoint(io::Error),
    /// The search contradicts the group.
    #[error(
        "the search from {occupied:?} found {found} states, but the component has {expected}: please report this"
    )]
    Contradiction {
        /// The start.
        occupied: VertexSet,
        /// States found.
        found: u64,
        /// |K| |H|.
        expected: String,
    },
}

/// At most so long between two checkpoints inside a start.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);

/// The most that [`RunOptions::side_by_side_bytes`] should be. Such searches are not saved before all are done, so
/// they must not take long: this much is searched in a minute or two.
pub const MAX_SIDE_BY_SIDE_BYTES: u64 = 2_000_000_000;

/// Words of a run that starts side by side fill: a vector of 512 bits.
const WORDS_SIDE_BY_SIDE: u64 = 8;

/// How many of so many starts are searched side by side: where runs are short, as many as make them long.
fn searches_side_by_side(space: &Space, options: &RunOptions, starts: usize) -> usize {
    if space.run_words() > 2 || options.search.directory.is_some() {
        return 1;
    }
    let mut searches = (WORDS_SIDE_BY_SIDE / space.run_words()) as usize;
    let bytes = |searches| BreadthFirst::bytes(space, options.search.in_place, searches);
    while searches > 1
        && (searches >= 2 * starts || bytes(searches) > u128::from(options.side_by_side_bytes))
    {
        searches /= 2;
    }
    searches
}

/// Divides starts so that those side by side are of one colour, and `unfinished` is alone and first: what is left
/// of its search is kept only until another start is done.
fn batches(
    starts: Vec<&Orbit>,
    searches: usize,
    unfinished: Option<VertexSet>,
    colour: impl Fn(&Orbit) -> Option<bool>,
) -> Vec<Vec<&Orbit>> {
    let (alone, mut others): (Vec<_>, Vec<_>) =
        starts.into_iter().partition(|orbit| Some(orbit.representative) == unfinished);
    others.sort_by_cached_key(|orbit| colour(orbit));
    let same_colour = others.chunk_by(|a, b| colour(a) == colour(b));
    let others = same_colour.flat_map(|same| same.chunks(searches));
    alone.chunks(1).chain(others).map(<[_]>::to_vec).collect()
}

/// A state on an occupied set with all tokens told apart, whose parity is one that the space has.
pub(crate) fn start_state(space: Option<&Space>, occupied: VertexSet, walls: VertexSet) -> State {
    let label = |number: usize| Label::new(number).expect("a board has at most 64 tokens");
    // The tokens that never move come last, so that the others have the same labels everywhere.
    let moving = (occupied - walls).into_iter();
    let mut state: State =
        moving.chain(walls).enumerate().map(|(number, vertex)| (vertex, label(number))).collect();
    if space.is_some_and(|space| space.rank(&state).is_none()) {
        let mut moving = (occupied - walls).into_iter();
        if let (Some(a), Some(b)) = (moving.next(), moving.next()) {
            swap(&mut state, a, b);
        }
    }
    state
}

fn swap(state: &mut State, a: hyperslide_puzzle::Vertex, b: hyperslide_puzzle::Vertex) {
    let exchanged = |vertex| {
        if vertex == a {
            b
        } else if vertex == b {
            a
        } else {
            vertex
        }
    };
    *state = state.tokens().map(|(vertex, label)| (exchanged(vertex), label)).collect();
}

/// The numbered states of a component.
///
/// # Errors
///
/// When they cannot be numbered.
pub fn component_space(
    board: &Board,
    kind: &ComponentType,
    order: Option<&VertexOrder>,
) -> Result<Space, SpaceError> {
    let state = start_state(None, kind.representative, kind.stuck);
    let options =
        SpaceOptions { walls: kind.stuck, order: order.cloned(), ..SpaceOptions::default() };
    Space::new(board, &state, &options)
}

/// The searches that a survey needs: those of components in which tokens move.
pub fn starts(survey: &Survey) -> impl Iterator<Item = (&ComponentType, &Orbit)> {
    let moving = survey.types.iter().filter(|kind| kind.regime != Regime::Isolated);
    moving.flat_map(|kind| kind.orbits.iter().map(move |orbit| (kind, orbit)))
}

/// Searches from every start that `done` does not have yet, and adds it.
///
/// Where runs are short, several starts are searched side by side; they are added, and kept in the checkpoint, when
/// the last of them is done or the search stops. A start that is searched alone is also kept while it is searched.
///
/// Ends early, with what it has, when cancelled or told to break.
///
/// # Errors
///
/// When memory, the checkpoint or the result is not as it should be; what is in `done` stays right.
pub fn run(
    board: &Board,
    survey: &Survey,
    options: &RunOptions,
    done: &mut Vec<StartResult>,
    mut checkpoint: Option<&mut Checkpoint>,
    signals: &Signals<'_>,
    tell: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Ended, RunError> {
    let began = Instant::now();
    let total = starts(survey).count();
    let states_of = |kind: &ComponentType| u128::try_from(kind.size()).unwrap_or(u128::MAX);
    let is_done =
        |done: &[StartResult], orbit: &Orbit| done.iter().any(|d| d.set() == orbit.representative);
    let mut left: u128 = starts(survey)
        .filter(|(_, orbit)| !is_done(done, orbit))
        .map(|(kind, _)| states_of(kind))
        .sum();
    let mut searched = 0;
    for kind in survey.types.iter().filter(|kind| kind.regime != Regime::Isolated) {
        let open: Vec<&Orbit> = kind.orbits.iter().filter(|orbit| !is_done(done, orbit)).collect();
        if open.is_empty() {
            continue;
        }
        let space = component_space(board, kind, options.order.as_ref())?;
        let start = |orbit: &Orbit| start_state(Some(&space), orbit.representative, kind.stuck);
        let side_by_side = searches_side_by_side(&space, options, open.len());
        let unfinished = checkpoint.as_deref().and_then(Checkpoint::unfinished);
        let mut last_search: Option<BreadthFirst<'_>> = None;
        for batch in batches(open, side_by_side, unfinished, |orbit| space.colour(&start(orbit))) {
            let searches = if batch.len() == 1 { 1 } else { side_by_side };
            let is_alone = searches == 1;
            let usable = last_search.take().filter(|last| last.all_layers().len() == searches);
            let mut search = match usable {
                Some(search) => search,
                None => BreadthFirst::side_by_side(&space, options.search.clone(), searches)
                    .map_err(RunError::Memory)?,
            };
            let resumed = is_alone
                && checkpoint.as_deref().is_some_and(|checkpoint| {
                    checkpoint.resume(batch[0].representative, &mut search)
                });
            if !resumed {
                // Where starts are missing the first is searched again beside them, which costs nothing.
                let starts = batch.iter().chain(std::iter::repeat(&batch[0])).take(searches);
                let starts: Vec<State> = starts.map(|orbit| start(orbit)).collect();
                search.start_each(&starts).expect("the starts are on occupied sets of the space");
            }
            let mut last_saved = Instant::now();
            let mut failed = None;
            let mut stopped = false;
            search.run(signals, |search| {
                let progress = Progress {
                    starts: (done.len(), total),
                    layers: &search.all_layers()[..batch.len()],
                    states: states_of(kind),
                    searched: (searched, began),
                    left,
                };
                if let Some(checkpoint) = checkpoint.as_deref_mut()
                    && is_alone
                    && last_saved.elapsed() >= checkpoint.interval().min(CHECKPOINT_INTERVAL)
                {
                    last_saved = Instant::now();
                    if let Err(error) = checkpoint.save_inside(batch[0].representative, search) {
                        failed = Some(error);
                        return ControlFlow::Break(());
                    }
                }
                let told = tell(&progress);
                stopped |= told.is_break();
                told
            });
            if let Some(error) = failed {
                return Err(RunError::Checkpoint(error));
            }
            let mut unfinished = None;
            for (orbit, layers) in batch.iter().zip(search.all_layers()) {
                if !layers.complete {
                    unfinished = unfinished.or(Some(result_of(orbit, layers)));
                    continue;
                }
                if states_of(kind) != u128::from(layers.total()) {
                    return Err(RunError::Contradiction {
                        occupied: orbit.representative,
                        found: layers.total(),
                        expected: kind.size().to_string(),
                    });
                }
                let result = result_of(orbit, layers);
                if let Some(checkpoint) = checkpoint.as_deref_mut() {
                    checkpoint.add(&result).map_err(RunError::Checkpoint)?;
                }
                done.push(result);
                searched += states_of(kind);
                left -= states_of(kind);
            }
            if unfinished.is_some() {
                if let Some(checkpoint) = checkpoint.as_deref_mut()
                    && stopped
                    && is_alone
                {
                    let saved = checkpoint.save_inside(batch[0].representative, &search);
                    saved.map_err(RunError::Checkpoint)?;
                }
                return Ok(Ended::Stopped(unfinished));
            }
            last_search = Some(search);
        }
    }
    Ok(Ended::Complete)
}

fn result_of(orbit: &Orbit, layers: &Layers) -> StartResult {
    StartResult {
        occupied: orbit.representative.into_iter().map(|v| v.index()).collect(),
        orbit: orbit.sets,
        layers: layers.states.clone(),
    }
}

/// The same search with everything else: the portable inner loops, another order of the vertices,
/// two arrays even where one would do. Returns the layers it finds.
///
/// # Errors
///
/// As [`run`].
///
/// # Panics
///
/// When the set is none of the component's.
pub fn search_again(
    board: &Board,
    kind: &ComponentType,
    occupied: VertexSet,
    order: &VertexOrder,
    signals: &Signals<'_>,
    tell: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
) -> Result<Layers, RunError> {
    let space = component_space(board, kind, Some(order))?;
    let options = SearchOptions {
        path: hyperslide_table::Path::Portable,
        in_place: false,
        ..SearchOptions::default()
    };
    let mut search = BreadthFirst::new(&space, options).map_err(RunError::Memory)?;
    let state = start_state(Some(&space), occupied, kind.stuck);
    search.start(&[state]).expect("the start is on an occupied set of the space");
    Ok(search.run(signals, |search| tell(search.layers())).clone())
}
