//! Search algorithms for sliding puzzles, one file each over one vocabulary.
//!
//! Every solver takes a puzzle, a [`Config`] and a [`Control`] (limits, progress, cancellation) and
//! returns one [`Report`]: an [`Outcome`] with the same [`Stats`]. Every solution is replayed by the
//! rules before it is returned. The same puzzle, configuration and node limit give the same result.
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

mod algorithms;
mod codec;
mod control;
mod heuristics;
mod nodes;
mod open_list;
mod outcome;
mod parallel;
mod settings;
mod shared;
mod solve;
mod value_iteration;

pub use algorithms::conflict_learning;
pub use algorithms::{
    ALGORITHMS, Algorithm, Stage, StageReport, TrainedSubProblem, solve_in_stages,
};
pub use control::{Control, Limits, Progress};
pub use heuristics::{
    ConflictWeights, Followed, HEURISTICS, Heuristic, HeuristicChoice, HeuristicEntry,
    HeuristicError, Request, Resources, TokenCosts, UnknownHeuristic, WeightsError,
};
pub use outcome::{Limit, Outcome, Report, Stats};
pub use settings::{
    MutationLaw, Parts, Profile, SETTINGS, Schedule, Setting, SettingError, Settings, Share, Weight,
};
pub use shared::Shared;
pub use solve::{Config, SolveError, solve};
pub use value_iteration::{GoalReading, StateValues, value_iteration};
