//! Counting the states at each distance from a start with the blocks in files.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Board, Label, State, Vertex, VertexSet};
use serde::{Deserialize, Serialize};

use super::error::FilesError;
use super::estimate::FilesEstimate;
use super::manifest::LayerCost;
use super::options::{FilesOptions, Resume};
use super::peers::{Peers, gather_number};
use super::search::{FilesProgress, QuotientSearch};
use super::space::QuotientSpace;
use crate::allocation::process_memory;
use crate::layer_count::LayerCount;

/// The greatest number of blocks, at 32 bytes each and 12 for each slide between them.
pub(super) const MAX_BLOCKS: usize = 1 << 25;

/// The result of [`count_layers_in_files`].
#[derive(Clone, Debug, PartialEq)]
pub struct FilesCount {
    /// The layers, and the farthest states if there are few enough.
    pub count: LayerCount,
    /// What each layer cost, the start's first.
    pub costs: Vec<LayerCost>,
    /// What the search was expected to use.
    pub estimate: FilesEstimate,
    /// The number of symmetries up to which states were searched.
    pub symmetries: usize,
    /// The number of orbits of the farthest states.
    pub farthest_orbits: Option<usize>,
    /// The most memory in bytes that each process of the search had at once, as the system counts
    /// it (blocks that lie in files in memory are not counted); 0 where the system does not say.
    pub peak_memory: Vec<u64>,
}

impl FilesCount {
    /// Returns the share of the measured speed of the disk that the layer with the most bytes used,
    /// or `None` if the disk was not tried.
    pub fn disk_share(&self) -> Option<f64> {
        let moved = |cost: &LayerCost| cost.read + cost.written;
        let heaviest = self.costs.iter().max_by_key(|cost| moved(cost))?;
        let speed = moved(heaviest) as f64 / heaviest.wall_s;
        (self.estimate.disk > 0.0).then(|| speed / self.estimate.disk)
    }
}

/// What the first process tells the others of a search that they shall share.
#[derive(Debug, Serialize, Deserialize)]
struct Job {
    board: String,
    metric: String,
    start: Vec<(usize, usize)>,
    walls: u64,
    name: String,
    resume: Resume,
    farthest: usize,
    checks: usize,
}

/// Counts the states at each distance from a start, like [`crate::count_layers`], with the blocks
/// in files, up to the symmetries of the start: for graphs larger than memory. The tokens on
/// `walls` never move. The search can be killed and resumed at any moment; its blocks are removed
/// when it is complete, and what it found stays in its directory.
///
/// # Errors
///
/// Returns an error if the states cannot be numbered, if the directory cannot be used or has too
/// little room, if a file cannot be read or written, or if a check of the search fails.
pub fn count_layers_in_files(
    board: &Board,
    start: &State,
    walls: VertexSet,
    options: FilesOptions,
    cancel: &AtomicBool,
    on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
) -> Result<FilesCount, FilesError> {
    // A search that is refused is not announced to the other processes.
    let space = QuotientSpace::new(board, start, walls, MAX_BLOCKS, cancel)?;
    if let Some(peers) = &options.peers {
        let job = Job {
            board: board.spec().to_string(),
            metric: board.metric().name().to_owned(),
            start: start.tokens().map(|(vertex, label)| (vertex.index(), label.index())).collect(),
            walls: walls.bits(),
            name: options.name.clone(),
            resume: options.resume,
            farthest: options.farthest,
            checks: options.checks,
        };
        peers.gather(serde_json::to_vec(&job).unwrap_or_default())?;
    }
    count_together(&space, options, cancel, on_progress)
}

/// Takes part in the searches of another process, the first of the `peers` in the options, until
/// that one says that there are no more; returns their number. The options give the directory, the
/// memory and the threads of this process, and the first process gives the rest.
///
/// # Errors
///
/// Returns an error like [`count_layers_in_files`], and if the first process searches another board
/// or has ended without saying so.
pub fn join_searches(
    board: &Board,
    options: &FilesOptions,
    cancel: &AtomicBool,
    on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
) -> Result<usize, FilesError> {
    let Some(peers) = &options.peers else { return Ok(0) };
    for searches in 0.. {
        let all = peers.gather(Vec::new())?;
        if all[0].is_empty() {
            return Ok(searches);
        }
        let wrong = FilesError::Disagree { process: 0 };
        let Ok(job) = serde_json::from_slice::<Job>(&all[0]) else { return Err(wrong) };
        let own = (board.spec().to_string(), board.metric().name());
        if (&job.board, &*job.metric) != (&own.0, own.1) {
            let own = own.0;
            return Err(match job.board == own {
                false => FilesError::OtherBoard { own, other: job.board },
                true => FilesError::OtherMetric { board: own, other: job.metric },
            });
        }
        let mut start = State::EMPTY;
        for (vertex, label) in job.start {
            let (Some(vertex), Some(label)) = (Vertex::new(vertex), Label::new(label)) else {
                return Err(wrong);
            };
            start.place(vertex, label);
        }
        let options = FilesOptions {
            name: job.name,
            resume: job.resume,
            farthest: job.farthest,
            checks: job.checks,
            ..options.clone()
        };
        let walls = VertexSet::from_bits(job.walls);
        let space = QuotientSpace::new(board, &start, walls, MAX_BLOCKS, cancel)?;
        let found = count_together(&space, options, cancel, on_progress)?;
        if !found.count.layers.complete {
            return Ok(searches);
        }
    }
    unreachable!("there are fewer searches than numbers")
}

/// Tells the other processes that there are no more searches.
///
/// # Errors
///
/// Returns an error if one of them is gone.
pub fn end_searches(peers: &dyn Peers) -> Result<(), FilesError> {
    peers.gather(Vec::new())?;
    Ok(())
}

/// The search, or this process's part of it.
fn count_together(
    space: &QuotientSpace,
    options: FilesOptions,
    cancel: &AtomicBool,
    on_progress: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
) -> Result<FilesCount, FilesError> {
    let peers = options.peers.clone();
    let wanted = options.farthest;
    let mut search = QuotientSearch::open(space, options)?;
    let layers = search.run(cancel, on_progress)?;
    let peak_memory = match &peers {
        Some(peers) if !layers.complete => {
            // The others cannot continue alone.
            peers.leave();
            vec![peak_memory()]
        }
        Some(peers) => gather_number(&**peers, peak_memory())?,
        None => vec![peak_memory()],
    };
    let orbits = if layers.complete { search.farthest() } else { None };
    let states = orbits.as_ref().map(|orbits| {
        let mut states: Vec<State> =
            orbits.iter().flat_map(|state| space.orbit_of(state)).collect();
        states.sort_by_cached_key(|state| state.tokens().collect::<Vec<_>>());
        states
    });
    let (costs, estimate) = (search.costs().to_vec(), search.estimate());
    if layers.complete {
        search.remove_blocks()?;
    }
    Ok(FilesCount {
        count: LayerCount { layers, farthest: states.filter(|states| states.len() <= wanted) },
        costs,
        estimate,
        symmetries: space.symmetries(),
        farthest_orbits: orbits.map(|orbits| orbits.len()),
        peak_memory,
    })
}

/// The most memory that this process has had at once.
fn peak_memory() -> u64 {
    process_memory(std::process::id(), "VmHWM").unwrap_or(0)
}
