//! Measures: what a column of a table shows of the runs of a solver on a row's puzzles.

mod group;

use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};

pub(crate) use group::{Group, Measured, of_census};

use crate::facts::Fact;
use crate::task::RunSummary;

/// What is measured. In experiment files the name of a measure, or a quantity and a statistic with
/// a dot between them, as in `length.median`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Measure", rename_all = "kebab-case")]
pub enum Measure {
    /// The number of runs that solved their puzzle, of all.
    #[default]
    Solved,
    /// The number of runs whose answer is proven, of all: a shortest solution, or that there is
    /// none. Runs of other solvers that cannot be right as well are contradictions.
    Proven,
    /// The length that some solver proved to be shortest, or that there is no solution; of rows of
    /// one puzzle. Solvers that prove different lengths contradict each other.
    ProvenLength,
    /// Whether some solver proved its answer, to each puzzle of the row.
    IsProven,
    /// The known length of a shortest solution.
    Optimum,
    /// The quality score of the International Planning Competition, from 0 to 1: the mean over all
    /// runs of the shortest length that any solver of the row found, or that is known, over the
    /// length of the run's own solution. A run without a solution counts as 0.
    Quality,
    /// The number of puzzles whose shortest length some solver of the row proved, or that is known,
    /// of all.
    Known,
    /// How much longer the run's solutions are than the shortest, in percent: the median over all
    /// puzzles whose shortest length is known as for [`Measure::Known`], whichever of them the
    /// solver solved. A run without a solution is farther off than any other.
    Gap,
    /// How many times the CPU seconds of the best solver of the row the solver took for all
    /// puzzles, and whether that is more than a fifth longer or it proved fewer. The best is the
    /// one that proved most puzzles, and of those with as many the one that took the least time.
    AgainstBest,
    /// The penalised average runtime of solver competitions: the mean of CPU seconds, where a run
    /// without a solution counts as twice the time limit. There is none without such a limit.
    Par2,
    /// How often each length came.
    Histogram,
    /// A value that the row gives.
    Given,
    /// The number of configurations in the largest component of a puzzle graph.
    Size,
    /// The diameter of the largest component.
    Diameter,
    /// The regime of the puzzle graph.
    Regime,
    /// The number of components of the largest size.
    Components,
    /// Where the report on a puzzle graph comes from.
    Origin,
    /// A fact about the puzzle itself.
    #[serde(skip)]
    Fact(Fact),
    /// A statistic of a quantity.
    #[serde(skip)]
    Of(Quantity, Statistic),
}

/// A quantity that each run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Moves of the solution. Runs without one have none.
    Length,
    /// Moves that every solution has, as far as the run proved. Runs of old records have none.
    Bound,
    /// Moves beyond the length that the reference solver proved.
    Excess,
    /// States expanded.
    #[default]
    Expanded,
    /// States generated.
    Generated,
    /// States held at a time.
    Stored,
    /// CPU seconds.
    Cpu,
    /// The most bytes held at a time. Runs of old records have none.
    Memory,
}

/// One number for many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The least.
    Min,
    /// The median.
    Median,
    /// The greatest.
    Max,
    /// The mean, with its standard error.
    Mean,
    /// The geometric mean. What is below one state, move or byte, or below a microsecond, counts as
    /// that.
    Geomean,
    /// The sum.
    Total,
    /// The value that a quarter of the sample does not exceed.
    P25,
    /// The same of three quarters.
    P75,
    /// The same of nine tenths.
    P90,
}

impl Statistic {
    /// Returns whether it lies between the values of the sample, and is written with a decimal
    /// place.
    fn is_average(self) -> bool {
        matches!(self, Statistic::Mean | Statistic::Geomean)
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Measure, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once('.') {
            Some((quantity, statistic)) => Ok(Measure::Of(
                Quantity::deserialize(quantity.into_deserializer())?,
                Statistic::deserialize(statistic.into_deserializer())?,
            )),
            None => Measure::deserialize(text.as_str().into_deserializer()).or_else(
                |error: D::Error| {
                    let fact = Fact::deserialize(text.as_str().into_deserializer());
                    fact.map(Measure::Fact).map_err(|facts: D::Error| {
                        let (measures, facts) = (allowed(&error), allowed(&facts));
                        D::Error::custom(format!(
                            "'{text}' is not a measure: write one of {measures}, {facts}, or \
                             QUANTITY.STATISTIC such as length.median"
                        ))
                    })
                },
            ),
        }
    }
}

/// The names that an error about an unknown one lists.
fn allowed(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.split_once("expected one of ").map_or("", |(_, names)| names).trim().to_owned()
}

impl Measure {
    /// The unit of its values: `moves`, `states`, `s`, `bytes`, `%` or nothing.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::ProvenLength
            | Measure::Optimum
            | Measure::Diameter
            | Measure::Of(Quantity::Length | Quantity::Bound | Quantity::Excess, _) => "moves",
            Measure::Of(Quantity::Expanded | Quantity::Generated | Quantity::Stored, _) => "states",
            Measure::Of(Quantity::Cpu, _) | Measure::Par2 => "s",
            Measure::Of(Quantity::Memory, _) => "bytes",
            Measure::Gap => "%",
            _ => "",
        }
    }

    /// Returns whether it is about a puzzle graph, not about runs.
    pub(crate) fn is_of_graph(self) -> bool {
        matches!(
            self,
            Measure::Size
                | Measure::Diameter
                | Measure::Regime
                | Measure::Components
                | Measure::Origin
        )
    }

    /// Returns whether it says something about a puzzle or a board that needs no run.
    pub(crate) fn only_describes(self) -> bool {
        matches!(self, Measure::Fact(_) | Measure::Optimum | Measure::Given)
    }

    /// Returns whether its values are numbers, which stand to the right in a column.
    pub fn is_numeric(self) -> bool {
        !matches!(
            self,
            Measure::Fact(_)
                | Measure::Histogram
                | Measure::Regime
                | Measure::Origin
                | Measure::IsProven
                | Measure::AgainstBest
        )
    }
}

impl Quantity {
    /// Returns whether it is a number of states, which nobody knows of another program.
    pub(crate) fn counts_states(self) -> bool {
        matches!(self, Quantity::Expanded | Quantity::Generated | Quantity::Stored)
    }

    /// What less counts as where there are logarithms, which 0 has none.
    pub(crate) fn least(self) -> f64 {
        /// Less than that no clock measures.
        const LEAST_SECONDS: f64 = 1e-6;
        if self == Quantity::Cpu { LEAST_SECONDS } else { 1.0 }
    }

    pub(crate) fn of(self, run: &RunSummary, reference: Option<&RunSummary>) -> Option<f64> {
        Some(match self {
            Quantity::Length => f64::from(run.length?),
            Quantity::Bound => f64::from(run.lower_bound?),
            Quantity::Excess => {
                let proven = reference.filter(|reference| reference.optimal)?.length?;
                f64::from(run.length?) - f64::from(proven)
            }
            Quantity::Expanded => run.expanded as f64,
            Quantity::Generated => run.generated as f64,
            Quantity::Stored => run.stored as f64,
            Quantity::Cpu => run.cpu_s,
            Quantity::Memory if run.peak_bytes == 0 => return None,
            Quantity::Memory => run.peak_bytes as f64,
        })
    }
}
