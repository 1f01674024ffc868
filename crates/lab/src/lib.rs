//! Instances, declared experiments, recorded runs, and their comparison with published values.
//!
//! Data flow one way: an [`Experiment`] names puzzles, solvers, seeds and limits; its [`Task`]s are
//! run by [`run_experiment`], which leaves a [`TaskRecord`] of each; [`Experiment::compare`] puts
//! the records next to what a paper prints, as a [`Comparison`] of tables, rows and cells; and
//! [`report`] renders that. A comparison reads records only, so that it can be repeated without
//! running anything.
//!
//! This crate never decides what a legal move is, contains no search, and prints nothing.

mod batch;
mod benchmark;
mod census_sample;
mod classification;
pub mod compare;
mod dataset_file;
mod describe;
mod each_once;
mod exact;
mod experiment;
mod external;
mod facts;
mod instances;
mod measure;
mod ordered_parallel_map;
mod proofs;
mod random;
mod reading;
mod record;
mod recorded_runs;
mod replay;
pub mod report;
mod result;
mod runner;
mod states;
pub mod statistics;
mod tables;
mod task;
mod work_progress;

pub use batch::{Batch, BatchLine, BatchSummary};
pub use benchmark::{
    Benchmark, BenchmarkError, BenchmarkOptions, BenchmarkReport, BenchmarkRun, SolverStanding,
};
pub use census_sample::{
    BlockSample, CensusSample, SampleError, SampleOptions, sample_blocks, sample_census,
};
pub use classification::{AlikeComponent, ClassifiedPuzzle, WalkGroup};
pub use compare::{Comparison, Fraction, Verdict, VerdictCounts};
pub use dataset_file::DatasetFileError;
pub use describe::{
    AlgorithmDescription, BoardDescription, HeuristicDescription, PuzzleDescription, Registry,
    SettingDescription, cells,
};
pub use exact::ExactDistances;
pub use experiment::{
    Experiment, ExperimentError, NamedPuzzle, PAPERS, Paper, Puzzles, RandomSet, RunLimits, Solver,
    experiments, find_experiment,
};
pub use hyperslide_census::CensusRecordError;
pub use instances::{
    Instance, InstanceError, KnownLength, PublishedSolution, Suite, find_instance, find_suite,
    instances, suites,
};
pub use ordered_parallel_map::ordered_parallel_map;
pub use proofs::{PROVEN_EARLIER, ProofError, Proofs};
pub use random::{
    Drawing, Law, RandomError, RandomPuzzles, draw_at_distance, draw_nearby, states_at,
};
pub use reading::{
    graph_hint, is_toml, named_experiment, near, no_puzzle, open_file, read_board, read_file,
    read_seconds,
};
pub use record::{
    CensusRecord, LabelledRecord, Machine, Provenance, REVISION, RecordDirectory, RecordError,
    RecordFile, SurveyRecord, TaskRecord, Unread, known_censuses,
};
pub use recorded_runs::{RecordedRuns, recorded_runs};
pub use replay::{Replay, ReplayError, replay};
pub use result::{MoveText, SolveResult, Status, move_texts};
pub use runner::{RunEvent, RunOptions, run_experiment};
pub use states::{Dataset, DatasetLaw, StateSampler};
pub use statistics::ChiSquared;
pub use tables::{TableNotice, TableSource, Tables, data_directory, table_file, tables_directory};
pub use task::{
    Analysis, CensusData, CensusTask, Iterated, LayersData, LayersTask, NoData, Origin, RegionRun,
    RunSummary, Sample, SolveTask, StageShares, StagesTask, StagesWork, SubProblemRecord, Task,
    TaskContext, TaskData, TaskProgress,
};
pub use work_progress::WorkProgress;
