//! A census from its arguments to its record, as `hyperslide census` runs it.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Board, factorial};
use hyperslide_table::{
    BreadthFirst, InstructionSet, Peers, STORED_STATE_BYTES, SearchOptions, Signals, SpaceError,
    Watch, available_threads,
};
use thiserror::Error;

use crate::checkpoint::{CensusKey, Checkpoint, CheckpointError};
use crate::record::{CensusRecord, census_digest};
use crate::report::CensusReport;
use crate::run::{
    BlockFiles, CensusProgress, Ended, MAX_SIDE_BY_SIDE_BYTES, RunError, RunOptions, run,
};
use crate::start::{StartResult, by_set, component_space, is_sparse, starts};
use crate::survey::{ComponentClass, Orbit, Survey, SurveyError};
use crate::verify::{VerifyError, check_done};

/// How a census is saved while it runs.
#[derive(Clone, Debug)]
pub struct CheckpointOptions {
    /// The directory.
    pub directory: PathBuf,
    /// Whether to continue the census in the directory.
    pub resume: bool,
    /// The time between two checkpoints within the search from one start.
    pub interval: Duration,
}

/// The limits of a census and its directories, none of which changes its result.
#[derive(Clone, Debug)]
pub struct CensusOptions {
    /// The memory that the survey and the searches may use, in bytes.
    pub memory: u64,
    /// If set, the census stops at once while sets are surveyed or states are numbered, and after
    /// the layer, when this time has passed.
    pub time: Option<Duration>,
    /// The checkpoint that keeps the starts that are done and the search in progress.
    pub checkpoint: Option<CheckpointOptions>,
    /// A directory for the blocks of the searches, for graphs larger than memory. It is created if
    /// it does not exist, and what it has of the same searches is continued.
    pub blocks: Option<PathBuf>,
    /// A second directory for some of the blocks, and the number of their bytes.
    pub blocks_also: Option<(PathBuf, u64)>,
    /// The processes that share the searches, of which this is the first; only for searches with
    /// blocks in files.
    pub peers: Option<Arc<dyn Peers>>,
    /// Whether to survey the components only, without searches, so that no diameter is known.
    pub survey_only: bool,
    /// Whether to search only from as many starts as settle the diameters, which is often one; the
    /// eccentricities of the other starts are then known only as far as that settles them.
    pub diameters_only: bool,
}

impl Default for CensusOptions {
    fn default() -> CensusOptions {
        CensusOptions {
            memory: u64::MAX,
            time: None,
            checkpoint: None,
            blocks: None,
            blocks_also: None,
            peers: None,
            survey_only: false,
            diameters_only: false,
        }
    }
}

/// An event in the course of a census.
#[derive(Clone, Debug)]
pub enum CensusEvent<'a> {
    /// The survey of the occupied sets begins.
    Surveying,
    /// A search has completed a layer.
    Searching(CensusProgress<'a>),
}

/// Why a census cannot be run.
#[derive(Debug, Error)]
pub enum CensusError {
    /// The number of empty vertices exceeds that of the board's vertices.
    #[error(
        "{board} has {vertices} vertices, so {empty} of them cannot be empty: write 0 to {vertices}"
    )]
    EmptyVertices {
        /// The board.
        board: String,
        /// The number of its vertices.
        vertices: usize,
        /// The number of empty vertices asked for.
        empty: usize,
    },
    /// The directory for the blocks cannot be created.
    #[error("cannot create the directory {path} for the searches' blocks: {source}: name another")]
    Blocks {
        /// The directory.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The starts in the checkpoint are not those of the board.
    #[error("{0}: remove the checkpoint's directory and begin again")]
    OtherStarts(VerifyError),
    /// The occupied sets cannot be surveyed.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// A search needs more memory than allowed.
    #[error(
        "a search of the component of {states} states needs {needed} bytes, but only {limit} may be \
         used"
    )]
    Memory {
        /// The number of states, in decimal.
        states: String,
        /// The number of such searches.
        searches: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// The approximate time of all searches in seconds.
        seconds: f64,
    },
    /// Storing the states of a component with few of the arrangements of its tokens needs more
    /// memory than allowed.
    #[error(
        "storing the {states} states of a component needs {needed} bytes, but only {limit} may be used"
    )]
    Stored {
        /// The number of its states.
        states: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A search failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A census that can be run.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::AtomicBool;
///
/// use hyperslide_census::{CensusJob, CensusOptions, Diameter};
/// use hyperslide_puzzle::{Board, BoardSpec, Metric};
///
/// let board = Board::new(BoardSpec::Cube { d: 3, k: 2 }, Metric::Face)?;
/// let job = CensusJob::new(board, 4, CensusOptions::default())?;
/// let census = job.run(&AtomicBool::new(false), &mut |_| ControlFlow::Continue(()))?;
/// let largest = census.report.largest().unwrap();
/// assert_eq!(largest.size, "672");
/// assert_eq!(largest.diameter, Some(Diameter::Exact(10)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CensusJob {
    board: Board,
    empty: usize,
    options: CensusOptions,
}

/// The result of a census, complete or not.
#[derive(Clone, Debug)]
pub struct Census {
    /// The board and the number of empty vertices.
    pub key: CensusKey,
    /// The survey of the board.
    pub survey: Survey,
    /// The results.
    pub report: CensusReport,
    /// The starts that are done, in the order of the survey.
    pub starts: Vec<StartResult>,
    /// The number of these starts that earlier runs had searched.
    pub resumed_starts: usize,
    /// Whether the census ran to its end, without being stopped.
    pub is_finished: bool,
    /// The wall-clock time of this run in seconds.
    pub wall_s: f64,
}

impl Census {
    /// Returns the record of the census, or `None` if a diameter is not known.
    pub fn record<P>(&self, provenance: P) -> Option<CensusRecord<P>> {
        self.report.complete.then(|| CensusRecord {
            census: self.key.clone(),
            report: self.report.clone(),
            starts: self.starts.clone(),
            digest: census_digest(&self.key, &self.starts),
            block_counts: None,
            path: InstructionSet::best().name().to_owned(),
            wall_s: self.wall_s,
            resumed_starts: self.resumed_starts,
            provenance,
        })
    }
}

impl CensusJob {
    /// Returns the census of a board with the given number of empty vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the board has fewer vertices than that.
    pub fn new(
        board: Board,
        empty: usize,
        options: CensusOptions,
    ) -> Result<CensusJob, CensusError> {
        let vertices = board.vertex_count();
        if empty > vertices {
            let board = board.to_string();
            return Err(CensusError::EmptyVertices { board, vertices, empty });
        }
        Ok(CensusJob { board, empty, options })
    }

    /// Surveys the board and searches from every start. If it is cancelled, runs out of time, or
    /// `on_progress` breaks, the census has the results so far.
    ///
    /// # Errors
    ///
    /// Returns an error if the census cannot begin, needs more memory or time than allowed, or if a
    /// search fails. The checkpoint remains valid.
    pub fn run(
        &self,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(CensusEvent<'_>) -> ControlFlow<()>,
    ) -> Result<Census, CensusError> {
        let CensusJob { board, empty, options } = self;
        let key = CensusKey::new(board, *empty);
        let (mut checkpoint, mut done) = match &options.checkpoint {
            Some(CheckpointOptions { directory, resume, interval }) => {
                let (checkpoint, done) = Checkpoint::open(directory, &key, *resume, *interval)?;
                (Some(checkpoint), done)
            }
            None => (None, Vec::new()),
        };
        let began = Instant::now();
        let mut is_stopped = on_progress(CensusEvent::Surveying).is_break();
        let deadline = options.time.and_then(|time| began.checked_add(time));
        let watch = Watch::for_preparation(cancel, deadline);
        let survey = Survey::within(board, *empty, options.memory, watch)?;
        check_done(&survey, &done).map_err(CensusError::OtherStarts)?;
        let resumed_starts = done.len();
        let mut reached = None;
        let run_options = match options.survey_only || is_stopped {
            true => None,
            false => match self.run_options(&survey, &done, watch, deadline) {
                // What is known without the searches is kept.
                Err(CensusError::Space(SpaceError::Stopped)) => {
                    is_stopped = true;
                    None
                }
                run_options => Some(run_options?),
            },
        };
        if let Some(run_options) = run_options {
            let mut on_progress = |progress: &CensusProgress<'_>| {
                let told = on_progress(CensusEvent::Searching(progress.clone()));
                let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                if is_late { ControlFlow::Break(()) } else { told }
            };
            let signals = Signals::new(cancel);
            let kept = checkpoint.as_mut();
            match run(board, &survey, &run_options, &mut done, kept, &signals, &mut on_progress)? {
                Ended::Complete => {}
                Ended::Stopped(unfinished) => {
                    reached = unfinished;
                    is_stopped = true;
                }
            }
        }
        let wall_s = began.elapsed().as_secs_f64();
        // The starts are in the order of the survey, in whichever order they were searched.
        let done = by_set(&done);
        let of_orbit = |set| done.get(&set).map(|&start| start.clone());
        let starts: Vec<StartResult> =
            starts(&survey).filter_map(|(_, orbit)| of_orbit(orbit.representative)).collect();
        let report = CensusReport::new(board, &survey, &starts, reached.as_ref());
        let is_finished = !is_stopped;
        Ok(Census { key, survey, report, starts, resumed_starts, is_finished, wall_s })
    }

    /// Checks that the searches fit in the limits, and returns their options.
    fn run_options(
        &self,
        survey: &Survey,
        done: &[StartResult],
        watch: Watch<'_>,
        deadline: Option<Instant>,
    ) -> Result<RunOptions, CensusError> {
        let options = &self.options;
        let seconds = seconds_needed(survey, done, options.diameters_only);
        let mut side_by_side_bytes = options.memory;
        // The arrangements of all moving tokens are numbered, whether closed walks reach them or
        // not.
        let numbered = |kind: &&ComponentClass| {
            factorial(survey.tokens - kind.stuck.len()) * kind.occupied_sets
        };
        let (sparse, dense): (Vec<_>, Vec<_>) =
            survey.classes.iter().partition(|kind| is_sparse(kind));
        if let Some(kind) = sparse.into_iter().max_by_key(|kind| kind.size()) {
            let needed = kind.size() * STORED_STATE_BYTES;
            if needed > options.memory.into() {
                return Err(CensusError::Stored {
                    states: kind.size().to_string(),
                    needed: u64::try_from(needed).unwrap_or(u64::MAX),
                    limit: options.memory,
                });
            }
        }
        if let Some(kind) = dense.into_iter().max_by_key(numbered)
            && options.blocks.is_none()
        {
            let too_much = |needed: u128| CensusError::Memory {
                states: kind.size().to_string(),
                searches: kind.orbits.len(),
                needed: u64::try_from(needed).unwrap_or(u64::MAX),
                limit: options.memory,
                seconds,
            };
            let space = match component_space(&self.board, kind, None, options.memory, watch) {
                // The search takes a bit for each state or more.
                Err(SpaceError::Memory { needed, .. }) => {
                    let states = u128::try_from(kind.size()).unwrap_or(u128::MAX);
                    return Err(too_much(u128::from(needed).max(states / 8)));
                }
                space => space?,
            };
            let needed = u128::from(space.bytes()) + BreadthFirst::bytes(&space, true, 1);
            if needed > u128::from(options.memory) {
                return Err(too_much(needed));
            }
            side_by_side_bytes = side_by_side_bytes.saturating_sub(space.bytes());
        }
        if let Some(directory) = &options.blocks {
            std::fs::create_dir_all(directory).map_err(|source| {
                let path = directory.display().to_string();
                CensusError::Blocks { path, source }
            })?;
        }
        let files = options.blocks.clone().map(|directory| BlockFiles {
            directory,
            second: options.blocks_also.clone(),
            memory: options.memory,
            peers: options.peers.clone(),
        });
        Ok(RunOptions {
            search: SearchOptions::default(),
            order: None,
            side_by_side_bytes: side_by_side_bytes.min(MAX_SIDE_BY_SIDE_BYTES),
            files,
            diameters_only: options.diameters_only,
            deadline,
        })
    }
}

/// Returns the approximate time of the remaining searches in seconds; where only diameters are
/// wanted, that of one search of each component, since nobody knows how many will be needed.
fn seconds_needed(survey: &Survey, done: &[StartResult], diameters_only: bool) -> f64 {
    let done = by_set(done);
    let is_open = |set| !done.contains_key(&set);
    let is_first = |kind: &ComponentClass, orbit: &Orbit| kind.orbits.first() == Some(orbit);
    let open = starts(survey)
        .filter(|(_, orbit)| is_open(orbit.representative))
        .filter(|(kind, orbit)| !diameters_only || is_first(kind, orbit));
    open.map(|(kind, _)| {
        let states = kind.size().to_string().parse::<f64>().unwrap_or(f64::INFINITY);
        match is_sparse(kind) {
            true => states / STORED_PER_SECOND,
            false => {
                let rate = states_per_thread_second(survey.tokens - kind.stuck.len());
                states / rate / available_threads() as f64
            }
        }
    })
    .sum()
}

/// States that are stored one by one, on one thread.
const STORED_PER_SECOND: f64 = 1e6;

/// Returns the approximate number of states that one thread searches per second. It is smaller for
/// fewer tokens, because the runs of which blocks consist are then shorter.
fn states_per_thread_second(moving_tokens: usize) -> f64 {
    match moving_tokens {
        0..=7 => 1e8,
        _ => 2e8,
    }
}
