//! Searches from one start of every orbit, whose eccentricities determine the diameters.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Board, Regime, State, VertexSet};
use hyperslide_table::{
    BreadthFirst, FilesError, FilesEstimate, FilesOptions, InstructionSet, Layers, Peers, Resume,
    SearchOptions, Signals, Space, SpaceError, VertexOrder, Watch, block_layers,
    count_layers_in_files, count_stored_layers,
};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::checkpoint::Checkpoint;
use crate::few_starts::{Bounds, OrbitNumbers};
use crate::start::{StartResult, by_set, component_space, is_sparse, start_state, starts};
use crate::survey::{ComponentClass, Orbit, Survey};

/// The progress of a census.
#[derive(Clone, Debug)]
pub struct CensusProgress<'a> {
    /// The number of starts that are done, and the number of all starts.
    pub starts: (usize, usize),
    /// The layers so far of each start that is being searched.
    pub layers: &'a [Layers],
    /// The number of states of the component of these starts.
    pub states: u128,
    /// The number of states of all starts that this run has searched, and the time when it began.
    pub searched: (u128, Instant),
    /// The number of states of all starts that are not done, including the current ones.
    pub left: u128,
    /// For a search in files, the blocks that are complete in the current layer, and all of them.
    pub blocks: Option<(usize, usize)>,
    /// For a search in files, what it will use.
    pub estimate: Option<FilesEstimate>,
}

/// Where the blocks of searches are kept if not in memory.
#[derive(Clone, Debug)]
pub struct BlockFiles {
    /// The directory, in which each start has one of its own.
    pub directory: PathBuf,
    /// A second directory for some of the blocks, and the number of their bytes.
    pub second: Option<(PathBuf, u64)>,
    /// The memory that a search may use, in bytes.
    pub memory: u64,
    /// The processes that share the searches, if there are several.
    pub peers: Option<Arc<dyn Peers>>,
}

/// Options of the searches of a census, none of which changes its result.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Options of each search.
    pub search: SearchOptions,
    /// The order in which the tokens of an occupied set make a row; the default one if `None`.
    pub order: Option<VertexOrder>,
    /// Several starts are searched side by side if that takes at most this many bytes in addition
    /// to [`Space::bytes`]. The limit does not apply to a search from one start.
    pub side_by_side_bytes: u64,
    /// If set, searches run in files, up to the symmetries of their start.
    pub files: Option<BlockFiles>,
    /// Whether to search only from as many starts as settle the diameters, one at a time.
    pub diameters_only: bool,
    /// When the numbering of states must stop, if there is a limit. Searches are stopped by
    /// `on_progress`.
    pub deadline: Option<Instant>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            search: SearchOptions::default(),
            order: None,
            side_by_side_bytes: MAX_SIDE_BY_SIDE_BYTES,
            files: None,
            diameters_only: false,
            deadline: None,
        }
    }
}

/// The end of a census.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All starts have been searched.
    Complete,
    /// The census was stopped. The value is the result so far of the unfinished search, if there is
    /// one.
    Stopped(Option<StartResult>),
}

/// Why a census failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Memory cannot be allocated.
    #[error("cannot get memory for the search: {0}")]
    Memory(io::Error),
    /// A search in files failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// A checkpoint cannot be written.
    #[error("cannot write the checkpoint: {0}")]
    Checkpoint(io::Error),
    /// A search and the group of closed walks disagree on the number of states.
    #[error(
        "the search from {occupied:?} found {found} states, but the component has {expected}: please report this"
    )]
    Contradiction {
        /// The start.
        occupied: VertexSet,
        /// The number of states found.
        found: u64,
        /// The number of states expected, |K| |H|.
        expected: String,
    },
}

/// The longest time between two checkpoints within the search from one start, whatever is asked
/// for.
const MOST_INTERVAL: Duration = Duration::from_secs(600);

/// The greatest sensible value of [`RunOptions::side_by_side_bytes`]. Searches side by side are
/// saved only when all of them are done, so they must be short; this amount takes a minute or two.
pub const MAX_SIDE_BY_SIDE_BYTES: u64 = 2_000_000_000;

/// The number of words that the runs of starts side by side should fill together: a vector of 512
/// bits.
const WORDS_SIDE_BY_SIDE: u64 = 8;

/// Returns the number of starts that are searched side by side: enough to fill a vector if runs are
/// short.
pub(crate) fn searches_side_by_side(space: &Space, options: &RunOptions, starts: usize) -> usize {
    if space.run_words() > 2 {
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

/// Divides starts into batches of one colour each. `unfinished` is alone and first, because its
/// saved search is kept only until another start is done.
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

/// Searches from every start that is not in `done`, or only from those that settle the diameters,
/// and adds them.
///
/// If runs are short, several starts are searched side by side; they are added, and written to the
/// checkpoint, when the last of them is done or the search stops. A start that is searched alone is
/// also saved while it is searched.
///
/// Ends early if cancelled or if `on_progress` breaks; `done` then has the starts done so far.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated, the checkpoint cannot be written, or a search
/// finds a wrong number of states. The starts in `done` remain valid.
pub fn run(
    board: &Board,
    survey: &Survey,
    options: &RunOptions,
    done: &mut Vec<StartResult>,
    checkpoint: Option<&mut Checkpoint>,
    signals: &Signals<'_>,
    on_progress: &mut dyn FnMut(&CensusProgress<'_>) -> ControlFlow<()>,
) -> Result<Ended, RunError> {
    let known = by_set(done);
    let is_open = |orbit: &&Orbit| !known.contains_key(&orbit.representative);
    let moving = survey.classes.iter().filter(|kind| kind.regime != Regime::Isolated);
    let open: Vec<(&ComponentClass, Vec<&Orbit>)> = moving
        .map(|kind| (kind, kind.orbits.iter().filter(is_open).collect::<Vec<_>>()))
        .filter(|(_, orbits)| !orbits.is_empty())
        .collect();
    let left =
        open.iter().map(|(kind, orbits)| states_of(kind).saturating_mul(orbits.len() as u128));
    let left = left.fold(0, u128::saturating_add);
    let began = Instant::now();
    let total = starts(survey).count();
    let mut run = Run {
        board,
        options,
        done,
        checkpoint,
        signals,
        on_progress,
        began,
        total,
        searched: 0,
        left,
    };
    for (kind, orbits) in open {
        let ended = match options.diameters_only {
            true => run.settle_diameter(survey, kind)?,
            false => run.search_component(kind, orbits, None, &mut None)?,
        };
        if let ControlFlow::Break(reached) = ended {
            return Ok(Ended::Stopped(reached));
        }
    }
    Ok(Ended::Complete)
}

/// Returns the number of states of a component.
fn states_of(kind: &ComponentClass) -> u128 {
    u128::try_from(kind.size()).unwrap_or(u128::MAX)
}

/// A census while its starts are searched.
struct Run<'a, 's> {
    board: &'a Board,
    options: &'a RunOptions,
    done: &'a mut Vec<StartResult>,
    checkpoint: Option<&'a mut Checkpoint>,
    signals: &'a Signals<'s>,
    on_progress: &'a mut dyn FnMut(&CensusProgress<'_>) -> ControlFlow<()>,
    began: Instant,
    /// The number of all starts.
    total: usize,
    /// The number of states of the starts that this run has searched.
    searched: u128,
    /// The number of states of the starts that are not done.
    left: u128,
}

/// Starts in one component that are searched together.
struct Batch<'a> {
    kind: &'a ComponentClass,
    orbits: Vec<&'a Orbit>,
    /// The numbers of the component's orbits, if the depth of each is wanted.
    numbers: Option<&'a OrbitNumbers>,
    /// Whether starts are searched one at a time, so that the search can be saved in a checkpoint.
    is_alone: bool,
}

impl Run<'_, '_> {
    /// Searches from one start of a component after another until its diameter is known.
    fn settle_diameter(
        &mut self,
        survey: &Survey,
        kind: &ComponentClass,
    ) -> Result<ControlFlow<Option<StartResult>>, RunError> {
        let mut numbers = OrbitNumbers::new(survey, kind);
        let mut space = None;
        loop {
            let done = by_set(self.done);
            let bounds = Bounds::new(self.board, &mut numbers, kind, &done);
            let Some(next) = bounds.next.filter(|_| !bounds.is_settled()) else {
                // What is left of this component is not searched.
                let is_open = |orbit: &&Orbit| !done.contains_key(&orbit.representative);
                let open = kind.orbits.iter().filter(is_open).count();
                let saved = states_of(kind).saturating_mul(open as u128);
                self.left = self.left.saturating_sub(saved);
                return Ok(ControlFlow::Continue(()));
            };
            let orbits = vec![&kind.orbits[next]];
            let ended = self.search_component(kind, orbits, Some(&numbers), &mut space)?;
            if ended.is_break() {
                return Ok(ended);
            }
        }
    }

    /// Searches from these orbits of a component. If it is stopped, breaks with the result so far
    /// of the unfinished search. With the numbers of the orbits, the depth of each is found, too.
    /// Searches in memory leave the component's numbering of states in `space` for the next ones.
    fn search_component(
        &mut self,
        kind: &ComponentClass,
        open: Vec<&Orbit>,
        numbers: Option<&OrbitNumbers>,
        space: &mut Option<Space>,
    ) -> Result<ControlFlow<Option<StartResult>>, RunError> {
        if is_sparse(kind) {
            return self.search_stored(kind, open, numbers);
        }
        if let Some(files) = &self.options.files {
            return self.search_in_files(kind, open, numbers, files);
        }
        let space = match space {
            Some(space) => &*space,
            None => {
                let watch = Watch::for_preparation(self.signals.cancel, self.options.deadline);
                // The census has checked that the largest one fits.
                let order = self.options.order.as_ref();
                match component_space(self.board, kind, order, u64::MAX, watch) {
                    Err(SpaceError::Stopped) => return Ok(ControlFlow::Break(None)),
                    numbered => space.insert(numbered?),
                }
            }
        };
        let start = |orbit: &Orbit| start_state(Some(space), orbit.representative, kind.stuck);
        let side_by_side = searches_side_by_side(space, self.options, open.len());
        let unfinished = self.checkpoint.as_deref().and_then(Checkpoint::unfinished);
        let mut last_search: Option<BreadthFirst<'_>> = None;
        for orbits in batches(open, side_by_side, unfinished, |orbit| space.colour(&start(orbit))) {
            let searches = if orbits.len() == 1 { 1 } else { side_by_side };
            // The memory of the last search is used again if it has the right size.
            let usable = last_search.take().filter(|last| last.all_layers().len() == searches);
            let mut search = match usable {
                Some(search) => search,
                None => self.new_search(space, searches)?,
            };
            let batch = Batch { kind, orbits, numbers, is_alone: searches == 1 };
            if !self.resume(&batch, &mut search) {
                // If there are fewer starts than searches, the first start is repeated, which costs
                // nothing.
                let orbits = batch.orbits.iter().chain(std::iter::repeat(&batch.orbits[0]));
                let starts: Vec<State> = orbits.take(searches).map(|orbit| start(orbit)).collect();
                search.start_each(&starts).expect("the starts are on occupied sets of the space");
            }
            let is_stopped = self.search(&batch, &mut search)?;
            if let Some(reached) = self.finish(&batch, &search, is_stopped)? {
                return Ok(ControlFlow::Break(Some(reached)));
            }
            last_search = Some(search);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The same for a component whose states are stored one by one, always in memory.
    fn search_stored(
        &mut self,
        kind: &ComponentClass,
        open: Vec<&Orbit>,
        numbers: Option<&OrbitNumbers>,
    ) -> Result<ControlFlow<Option<StartResult>>, RunError> {
        for orbit in open {
            let (done, total, began) = (self.done.len(), self.total, self.began);
            let (searched, left) = (self.searched, self.left);
            let on_progress = &mut *self.on_progress;
            let mut is_stopped = false;
            let mut on_progress = |layers: &Layers| {
                let told = on_progress(&CensusProgress {
                    starts: (done, total),
                    layers: std::slice::from_ref(layers),
                    states: states_of(kind),
                    searched: (searched, began),
                    left,
                    blocks: None,
                    estimate: None,
                });
                is_stopped |= told.is_break();
                told
            };
            let watch = Watch::new(Some(self.signals.cancel), self.options.deadline);
            let start = orbit.representative;
            let (layers, depths) =
                search_stored(self.board, kind, start, numbers, watch, &mut on_progress);
            let result =
                StartResult { orbit_depths: depths, ..StartResult::of_orbit(orbit, &layers) };
            if !layers.complete {
                return Ok(ControlFlow::Break(Some(StartResult { orbit_depths: None, ..result })));
            }
            self.add(kind, result)?;
            if is_stopped {
                return Ok(ControlFlow::Break(None));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The same with the blocks in files.
    fn search_in_files(
        &mut self,
        kind: &ComponentClass,
        open: Vec<&Orbit>,
        numbers: Option<&OrbitNumbers>,
        files: &BlockFiles,
    ) -> Result<ControlFlow<Option<StartResult>>, RunError> {
        let states = states_of(kind);
        for orbit in open {
            let mut options = FilesOptions::new(files.directory.clone());
            options.name = block_directory_name(orbit.representative);
            options.resume = Resume::IfPresent;
            options.set_memory(files.memory);
            options.second = files.second.clone();
            options.peers = files.peers.clone();
            let start = start_state(None, orbit.representative, kind.stuck);
            let (done, total, began) = (self.done.len(), self.total, self.began);
            let (searched, left, on_progress) = (self.searched, self.left, &mut *self.on_progress);
            let mut is_stopped = false;
            let mut layers = [Layers::default()];
            let found = count_layers_in_files(
                self.board,
                &start,
                kind.stuck,
                options,
                self.signals.cancel,
                &mut |progress| {
                    if layers[0].states.len() != progress.layers.len() {
                        layers[0].states = progress.layers.to_vec();
                    }
                    let told = on_progress(&CensusProgress {
                        starts: (done, total),
                        layers: &layers,
                        states,
                        searched: (searched, began),
                        left,
                        blocks: Some((progress.done, progress.tasks)),
                        estimate: Some(progress.estimate),
                    });
                    is_stopped |= told.is_break();
                    told
                },
            )?;
            let layers = &found.count.layers;
            if !layers.complete {
                return Ok(ControlFlow::Break(Some(StartResult::of_orbit(orbit, layers))));
            }
            let mut result = StartResult::of_orbit(orbit, layers);
            if let Some(numbers) = numbers {
                let directory = block_directory(&files.directory, orbit.representative);
                let cancel = self.signals.cancel;
                let blocks = block_layers(self.board, &start, kind.stuck, &directory, cancel)?;
                let depths = numbers.block_depths(self.board, &blocks);
                let depths = depths.expect("the blocks of a search are those of its component");
                result.orbit_depths = Some(depths);
            }
            self.add(kind, result)?;
            if is_stopped {
                return Ok(ControlFlow::Break(None));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Adds the result of a search that is complete.
    fn add(&mut self, kind: &ComponentClass, result: StartResult) -> Result<(), RunError> {
        let states = states_of(kind);
        let found = result.layers.iter().sum();
        if states != u128::from(found) {
            let (occupied, expected) = (result.set(), kind.size().to_string());
            return Err(RunError::Contradiction { occupied, found, expected });
        }
        if let Some(checkpoint) = self.checkpoint.as_deref_mut() {
            checkpoint.add(&result).map_err(RunError::Checkpoint)?;
        }
        self.done.push(result);
        self.searched += states;
        self.left -= states;
        Ok(())
    }

    fn new_search<'s>(
        &self,
        space: &'s Space,
        searches: usize,
    ) -> Result<BreadthFirst<'s>, RunError> {
        let options = self.options.search.clone();
        let search =
            BreadthFirst::side_by_side(space, options, searches).map_err(RunError::Memory)?;
        Ok(if self.options.diameters_only { search.with_set_depths() } else { search })
    }

    /// Restores the search of the batch from the checkpoint, if it is there.
    fn resume(&self, batch: &Batch<'_>, search: &mut BreadthFirst<'_>) -> bool {
        let checkpoint = self.checkpoint.as_deref().filter(|_| batch.is_alone);
        checkpoint.is_some_and(|kept| kept.resume(batch.orbits[0].representative, search))
    }

    /// Searches until the batch is done or stopped, and regularly saves a search from one start in
    /// the checkpoint. Returns whether it was stopped.
    fn search(
        &mut self,
        batch: &Batch<'_>,
        search: &mut BreadthFirst<'_>,
    ) -> Result<bool, RunError> {
        let mut last_saved = Instant::now();
        let mut failed = None;
        let mut is_stopped = false;
        search.run(self.signals, |search| {
            if let Some(checkpoint) = self.checkpoint.as_deref_mut()
                && batch.is_alone
                && last_saved.elapsed() >= checkpoint.interval().min(MOST_INTERVAL)
            {
                last_saved = Instant::now();
                if let Err(error) = checkpoint.save_inside(batch.orbits[0].representative, search) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            let told = (self.on_progress)(&CensusProgress {
                starts: (self.done.len(), self.total),
                layers: &search.all_layers()[..batch.orbits.len()],
                states: states_of(batch.kind),
                searched: (self.searched, self.began),
                left: self.left,
                blocks: None,
                estimate: None,
            });
            is_stopped |= told.is_break();
            told
        });
        match failed {
            Some(error) => Err(RunError::Checkpoint(error)),
            None => Ok(is_stopped),
        }
    }

    /// Adds the starts of the batch that are done. If one is not, saves its search in the
    /// checkpoint and returns its result so far.
    fn finish(
        &mut self,
        batch: &Batch<'_>,
        search: &BreadthFirst<'_>,
        is_stopped: bool,
    ) -> Result<Option<StartResult>, RunError> {
        let mut unfinished = None;
        for (orbit, layers) in batch.orbits.iter().zip(search.all_layers()) {
            if layers.complete {
                let mut result = StartResult::of_orbit(orbit, layers);
                result.orbit_depths = batch.numbers.map(|numbers| orbit_depths(numbers, search));
                self.add(batch.kind, result)?;
            } else if unfinished.is_none() {
                unfinished = Some(StartResult::of_orbit(orbit, layers));
            }
        }
        if let Some(checkpoint) = self.checkpoint.as_deref_mut()
            && unfinished.is_some()
            && is_stopped
            && batch.is_alone
        {
            let saved = checkpoint.save_inside(batch.orbits[0].representative, search);
            saved.map_err(RunError::Checkpoint)?;
        }
        Ok(unfinished)
    }
}

/// Searches a component from an occupied set with states that are stored one by one. Returns the
/// layers and, with the numbers of the orbits, the depth of each.
fn search_stored(
    board: &Board,
    kind: &ComponentClass,
    occupied: VertexSet,
    numbers: Option<&OrbitNumbers>,
    watch: Watch<'_>,
    on_progress: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
) -> (Layers, Option<Vec<u32>>) {
    let mut depths: FxHashMap<VertexSet, u32> = FxHashMap::default();
    let start = start_state(None, occupied, kind.stuck);
    let on_progress = &mut |layers: &Layers, states: &FxHashSet<State>| {
        if numbers.is_some() {
            depths.extend(states.iter().map(|state| (state.occupied(), layers.depth())));
        }
        on_progress(layers)
    };
    let layers = count_stored_layers(board, &start, u64::MAX, watch, on_progress);
    let layers = layers.expect("there is room for any number of states");
    let depths = numbers.map(|numbers| {
        numbers.depths(depths.into_iter()).expect("the sets of a search are those of its component")
    });
    (layers, depths)
}

/// The depth of each orbit that a search in memory found.
fn orbit_depths(numbers: &OrbitNumbers, search: &BreadthFirst<'_>) -> Vec<u32> {
    let sets = search.space().sets().iter().copied();
    let depths = search.set_depths().unwrap_or_default().iter().copied();
    numbers.depths(sets.zip(depths)).expect("the sets of a search are those of its component")
}

/// The prefix of the names of the directories in which searches keep their blocks.
pub const BLOCK_DIRECTORY_PREFIX: &str = "start-";

/// The name of the directory of the blocks of the search from an occupied set.
fn block_directory_name(occupied: VertexSet) -> String {
    format!("{BLOCK_DIRECTORY_PREFIX}{:x}", occupied.bits())
}

/// The directory that the search from an occupied set has in that of a census's blocks.
pub(crate) fn block_directory(directory: &Path, occupied: VertexSet) -> PathBuf {
    directory.join(block_directory_name(occupied))
}

/// The state from which a recorded start was searched in files, and the vertices of its tokens that
/// never move.
pub(crate) fn start_of(survey: &Survey, start: &StartResult) -> (State, VertexSet) {
    let occupied = start.set();
    let kind = starts(survey).find(|(_, orbit)| orbit.representative == occupied);
    let walls = kind.map_or(VertexSet::EMPTY, |(kind, _)| kind.stuck);
    (start_state(None, occupied, walls), walls)
}

/// Repeats the search from a recorded start by other means: with the portable inner loops, another
/// order of the vertices, and two arrays even if one would suffice. Returns the layers found, and
/// the depth of each orbit if the record has them.
///
/// # Errors
///
/// Returns the same errors as [`run`].
///
/// # Panics
///
/// Panics if the occupied set is not in the component.
pub fn search_again(
    board: &Board,
    survey: &Survey,
    kind: &ComponentClass,
    recorded: &StartResult,
    order: &VertexOrder,
    signals: &Signals<'_>,
    on_progress: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
) -> Result<(Layers, Option<Vec<u32>>), RunError> {
    let watch = Watch::flag(signals.cancel);
    if is_sparse(kind) {
        let numbers = recorded.orbit_depths.as_ref().map(|_| OrbitNumbers::new(survey, kind));
        return Ok(search_stored(
            board,
            kind,
            recorded.set(),
            numbers.as_ref(),
            watch,
            on_progress,
        ));
    }
    let space = match component_space(board, kind, Some(order), u64::MAX, watch) {
        Err(SpaceError::Stopped) => return Ok((Layers::default(), None)),
        space => space?,
    };
    let options = SearchOptions {
        instruction_set: InstructionSet::PORTABLE,
        in_place: false,
        ..SearchOptions::default()
    };
    let mut search = BreadthFirst::new(&space, options).map_err(RunError::Memory)?;
    if recorded.orbit_depths.is_some() {
        search = search.with_set_depths();
    }
    let state = start_state(Some(&space), recorded.set(), kind.stuck);
    search.start(&[state]).expect("the start is on an occupied set of the space");
    let layers = search.run(signals, |search| on_progress(search.layers())).clone();
    let depths =
        search.set_depths().map(|_| orbit_depths(&OrbitNumbers::new(survey, kind), &search));
    Ok((layers, depths))
}
