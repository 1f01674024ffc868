//! Whole puzzle graphs: components, regimes, eccentricities, diameters, parity, S(d,k).
//!
//! A census surveys the occupied sets without labels, which gives sizes, counts and parities, and
//! then searches from one start in every orbit, which gives the diameters. This crate never prints;
//! it writes only checkpoints, records, and the blocks of searches.

mod block_counts;
mod checkpoint;
mod component_graph;
mod few_starts;
mod job;
mod labelled;
mod marked_component;
mod parity;
mod paths;
mod record;
mod report;
mod run;
mod start;
mod survey;
mod theorems;
mod threshold;
mod verify;

pub use block_counts::{BlockCounts, BlockCountsFile};
pub use checkpoint::{CensusKey, Checkpoint, CheckpointError};
pub use component_graph::{ComponentGraph, ComponentGraphError};
pub use job::{Census, CensusError, CensusEvent, CensusJob, CensusOptions, CheckpointOptions};
pub use labelled::{
    LabelledComponent, LabelledError, LabelledKey, LabelledRecord, LabelledReport, LabelledStart,
    LabelledSurvey, MAX_LABELLED_STATES, StateEccentricity, TokensError, labelled_digest,
    token_counts, token_labels,
};
pub use parity::{ComponentInvariants, ParityError, ParitySurvey};
pub use paths::count_shortest_solutions;
pub use record::{CensusRecord, CensusRecordError, SurveyRecord, census_digest};
pub use report::{CensusReport, Check, ComponentReport, Diameter, EccentricityCount, GraphRegime};
pub use run::{
    BLOCK_DIRECTORY_PREFIX, BlockFiles, CensusProgress, Ended, MAX_SIDE_BY_SIDE_BYTES, RunError,
    RunOptions, run, search_again,
};
pub use start::{StartResult, component_space, is_sparse, starts};
pub use survey::{ComponentClass, MAX_OCCUPIED_SETS, Orbit, Survey, SurveyError, subsets};
pub use theorems::{
    KNOWN_TO_FAIL, LIFTS_ONLY, MOBILE_FACET, TheoremCheck, Theorems, TheoremsProgress,
    TheoremsReport, ThresholdCheck,
};
pub use threshold::{threshold, threshold_as_printed, threshold_by_search, threshold_by_sum};
pub use verify::{Again, Repetition, StartsToVerify, VerifyError, check_done, verify};
