//! Statistics of runs, for comparisons and reports.
//!
//! A run that did not solve its puzzle stays in every denominator: a rate counts it, and a sample
//! of costs holds it as infinity, so that medians, distributions of runtimes and performance
//! profiles are of all puzzles and never of those alone that happen to be solved. Nothing here
//! reads a clock or draws unseeded random numbers: the same samples give the same numbers.

mod counts;
mod effects;
mod intervals;
mod profiles;
mod tests_of_difference;

pub use counts::{median_interval_of_counts, quantile_of_counts, total};
pub use effects::{Gap, cliffs_delta};
pub use intervals::{bootstrap_interval, mean, median, quantile, sorted, wilson_interval};
pub use profiles::{Point, performance_profiles, runtime_distribution};
pub use tests_of_difference::{
    ChiSquared, SignedRank, TTest, chi_squared, fisher_exact, holm, mann_whitney, sign_test,
    student_t_test, wilcoxon_signed_rank,
};
