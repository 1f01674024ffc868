//! Instances, declared experiments, recorded runs, and their comparison with published values.
//!
//! An experiment is data: which instances, which solvers, which limits, and what a paper printed.
//! Running one writes [`Record`]s; the comparison ([`compare()`]) reads records only, so that it can
//! be repeated without running anything.
//!
//! This crate never decides what a legal move is and contains no search.

mod batch;
mod benchmark;
mod census_record;
mod compare;
mod diameter_experiment;
mod distribution_experiment;
mod distribution_figures;
mod experiment;
mod figures;
mod fraction;
mod graph_experiment;
mod heading;
mod instances;
mod local_comparison;
mod local_experiment;
mod local_figure;
mod mean_experiment;
mod ordered_parallel_map;
mod papers;
mod parted_experiment;
mod provenance;
mod random;
mod record;
mod result;
mod run;
mod statistics;
mod tables;
mod work_progress;

pub use batch::{Batch, BatchLine, BatchSummary};
pub use benchmark::{
    Benchmark, BenchmarkError, BenchmarkOptions, BenchmarkPuzzle, BenchmarkReport, BenchmarkRun,
    Standing,
};
pub use census_record::{CensusRecord, CensusRecordError, SurveyRecord};
pub use compare::{Comparison, ComparisonRow, Verdict, compare};
pub use diameter_experiment::{
    DIAMETER_EXPERIMENTS, DiameterComparison, DiameterExperiment, DiameterRow, Estimate,
    PairsRecord,
};
pub use distribution_experiment::{
    CellRecord, DISTRIBUTION_EXPERIMENTS, DistributionCell, DistributionComparison,
    DistributionExperiment, Show, Summary,
};
pub use experiment::{EXPERIMENTS, Experiment, PublishedRow, RunLimits, Solver, find_experiment};
pub use figures::Figure;
pub use fraction::Fraction;
pub use graph_experiment::{
    Cell, CensusRow, GRAPH_EXPERIMENTS, GraphComparison, GraphExperiment, GraphRow, Origin,
    Published, find_graph_experiment, run_graph_experiment,
};
pub use heading::Heading;
pub use instances::{
    Instance, InstanceError, KnownLength, Suite, find_instance, instances, suites,
};
pub use local_comparison::{LocalCell, LocalComparison, LocalPart, LocalRow, RegionPoint};
pub use local_experiment::{
    Analysis, Iterated, LOCAL_EXPERIMENTS, LocalExperiment, LocalRecord, RegionRun, Sample,
    StageShares, SubProblemRecord,
};
pub use mean_experiment::{
    MEAN_EXPERIMENTS, MeanComparison, MeanExperiment, MeanRow, RowRecord, RowRun,
};
pub use ordered_parallel_map::ordered_parallel_map;
pub use papers::{PAPERS, Paper};
pub use parted_experiment::PartedExperiment;
pub use provenance::{Machine, Provenance, REVISION};
pub use random::{Law, RandomError, RandomPuzzles};
pub use record::{Record, RecordError, RecordFile, Recorded, RunKey};
pub use result::{MoveText, SolveResult, Status};
pub use run::{RunEvent, run_experiment};
pub use tables::{TableNotice, TableSource, Tables, table_file, tables_directory};
pub use work_progress::WorkProgress;
