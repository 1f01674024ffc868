//! Search algorithms for sliding puzzles, one file each over one vocabulary.
//!
//! Every solver takes a puzzle, a [`Config`] and a [`Control`] (limits, progress, cancellation) and
//! returns one [`Report`]: an [`Outcome`] with the same [`Stats`]. Every solution is replayed by
//! the rules before it is returned. The same puzzle, configuration and node limit, with the
//! same tables in the cache, give the same result.
//!
//! This crate never reads or writes files, never prints, and defines no rule of motion of its own.
//!
//! ```
//! use hyperslide_puzzle::Puzzle;
//! use hyperslide_search::{Config, Control, Outcome, solve};
//!
//! let puzzle = Puzzle::from_line("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6")?;
//! let report = solve(&puzzle, &Config::default(), &Control::default())?;
//! let Outcome::Solved { moves, optimal, .. } = report.outcome else { panic!("it is solvable") };
//! assert_eq!((moves.len(), optimal), (6, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithm;
mod algorithms;
mod config;
mod control;
mod engine;
mod error;
mod free_labels;
mod guided;
mod heuristics;
mod observer;
mod outcome;
mod parallel;
mod proof;
mod reachable;
mod registry;
mod settings;
mod solve;
mod stage_analysis;
mod table_cache;

pub use algorithm::{Algorithm, Guarantee};
pub use algorithms::{
    ALGORITHMS, GoalReading, MOVE_FEATURES, MoveOption, MoveWeights, PlayWalk, Stage, StageReport,
    StateValues, TIME_FEATURES, TrainedSubProblem, trained_sub_problems, value_iteration,
};
pub use algorithms::{patterns_suit, weight_learning};
pub use config::{Config, ConfigError, all_settings};
pub use control::{Control, Limits, Progress};
pub use error::SolveError;
pub use guided::{Estimate, Guide, GuidedError, solve_guided};
pub use heuristics::{
    GridWeights, HEURISTICS, Heuristic, HeuristicChoice, HeuristicChoiceError, HeuristicEntry,
    HeuristicError, Incremental, IncrementalPatterns, LearnedWeights, NeighbourWeights, Request,
    Resources, Successor, TokenCosts, WEIGHT_FAMILIES, WeightFamily, WeightsError,
};
pub use observer::{Expansion, Observed, ObservedSearch, Observer};
pub use outcome::{Limit, Outcome, Report, Stats};
pub use proof::{Proof, ProofCost, ProofState, SearchedSubtree, SeenSubtree, check_kept};
pub use settings::{Domain, Setting, SettingError, Settings};
pub use solve::{solve, solve_in_stages};
pub use stage_analysis::{
    Analysis, Iterated, StageShares, StagesError, SubProblemRecord, analyse_stages,
    describe_sub_problem, run_stages,
};
pub use table_cache::TableCache;
