//! Measures: what a column of a table shows of the runs of a solver on a row's puzzles.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

use hyperslide_census::{ComponentReport, Diameter};
use hyperslide_puzzle::Puzzle;

use crate::compare::Value;
use crate::experiment::file::RowSpec;
use crate::facts::Fact;
use crate::result::Status;
use crate::statistics::{mean, median, sorted, wilson_interval};
use crate::task::{CensusData, Origin, RunSummary, Runs};

/// What is measured. In experiment files, one of the texts of [`Measure::ALL`], or a quantity and a
/// statistic with a dot between them, as in `length.median`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The number of runs that solved their puzzle, of all.
    Solved,
    /// The number of runs whose answer is proven shortest, of all.
    Proven,
    /// The length that some solver proved to be shortest, or that there is no solution. Solvers that
    /// prove different lengths contradict each other.
    ProvenLength,
    /// Returns whether some solver proved its answer.
    IsProven,
    /// The known length of a shortest solution.
    Optimum,
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
    Fact(Fact),
    /// A statistic of a quantity.
    Of(Quantity, Statistic),
}

/// A quantity that each run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Moves of the solution. Runs without one have none.
    Length,
    /// Moves beyond the length that the reference solver proved.
    Excess,
    /// States expanded.
    Expanded,
    /// States generated.
    Generated,
    /// States held at a time.
    Stored,
    /// CPU seconds.
    Cpu,
}

/// One number for many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The least.
    Min,
    /// The median.
    Median,
    /// The greatest.
    Max,
    /// The mean, with its standard error.
    Mean,
}

impl Measure {
    /// The measures with names of their own.
    pub const ALL: [(&'static str, Measure); 12] = [
        ("solved", Measure::Solved),
        ("proven", Measure::Proven),
        ("proven-length", Measure::ProvenLength),
        ("is-proven", Measure::IsProven),
        ("optimum", Measure::Optimum),
        ("histogram", Measure::Histogram),
        ("given", Measure::Given),
        ("size", Measure::Size),
        ("diameter", Measure::Diameter),
        ("regime", Measure::Regime),
        ("components", Measure::Components),
        ("origin", Measure::Origin),
    ];

    /// The unit of its values: `moves`, `states`, `s` or nothing.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::ProvenLength
            | Measure::Optimum
            | Measure::Diameter
            | Measure::Of(Quantity::Length | Quantity::Excess, _) => "moves",
            Measure::Of(Quantity::Expanded | Quantity::Generated | Quantity::Stored, _) => "states",
            Measure::Of(Quantity::Cpu, _) => "s",
            _ => "",
        }
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
        )
    }
}

impl Quantity {
    const ALL: [(&'static str, Quantity); 6] = [
        ("length", Quantity::Length),
        ("excess", Quantity::Excess),
        ("expanded", Quantity::Expanded),
        ("generated", Quantity::Generated),
        ("stored", Quantity::Stored),
        ("cpu", Quantity::Cpu),
    ];

    fn of(self, run: &RunSummary, reference: Option<&RunSummary>) -> Option<f64> {
        Some(match self {
            Quantity::Length => f64::from(run.length?),
            Quantity::Excess => {
                let proven = reference.filter(|reference| reference.optimal)?.length?;
                f64::from(run.length?) - f64::from(proven)
            }
            Quantity::Expanded => run.expanded as f64,
            Quantity::Generated => run.generated as f64,
            Quantity::Stored => run.stored as f64,
            Quantity::Cpu => run.cpu_s,
        })
    }
}

impl Statistic {
    const ALL: [(&'static str, Statistic); 4] = [
        ("min", Statistic::Min),
        ("median", Statistic::Median),
        ("max", Statistic::Max),
        ("mean", Statistic::Mean),
    ];
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Measure::Fact(fact) = self {
            let named = Fact::ALL.iter().find(|(_, known)| known == fact);
            return f.write_str(named.map_or("", |(name, _)| name));
        }
        let Measure::Of(quantity, statistic) = self else {
            let named = Measure::ALL.iter().find(|(_, measure)| measure == self);
            return f.write_str(named.map_or("", |(name, _)| name));
        };
        let quantity = Quantity::ALL.iter().find(|(_, known)| known == quantity);
        let statistic = Statistic::ALL.iter().find(|(_, known)| known == statistic);
        let (quantity, statistic) =
            (quantity.map(|(name, _)| name), statistic.map(|(name, _)| name));
        write!(f, "{}.{}", quantity.unwrap_or(&""), statistic.unwrap_or(&""))
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Measure, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some((_, measure)) = Measure::ALL.iter().find(|(name, _)| *name == text) {
            return Ok(*measure);
        }
        if let Some((_, fact)) = Fact::ALL.iter().find(|(name, _)| *name == text) {
            return Ok(Measure::Fact(*fact));
        }
        let of = text.split_once('.').and_then(|(quantity, statistic)| {
            let (_, quantity) = Quantity::ALL.iter().find(|(name, _)| *name == quantity)?;
            let (_, statistic) = Statistic::ALL.iter().find(|(name, _)| *name == statistic)?;
            Some(Measure::Of(*quantity, *statistic))
        });
        of.ok_or_else(|| {
            fn names<T>(all: &[(&'static str, T)]) -> String {
                all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
            }
            serde::de::Error::custom(format!(
                "'{text}' is not a measure: write one of {}, {}, or QUANTITY.STATISTIC with one of {} \
                 and one of {}",
                names(&Measure::ALL),
                names(&Fact::ALL),
                names(&Quantity::ALL),
                names(&Statistic::ALL),
            ))
        })
    }
}

/// What there is to measure: the runs of one solver on a row's puzzles, or all about the row.
pub(crate) struct Group<'a> {
    pub row: &'a RowSpec,
    /// The runs of the solver; in a column without a solver, of the first.
    pub runs: Runs,
    /// The runs of all solvers of the row.
    pub all: Vec<Runs>,
    /// The runs of the reference solver.
    pub reference: Vec<RunSummary>,
    pub optimum: Option<u32>,
    pub puzzle: Option<Puzzle>,
    pub census: Option<CensusData>,
}

/// A measured value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// None where there is nothing to measure.
    pub value: Option<Value>,
    /// The standard error of a mean.
    pub error: Option<f64>,
    /// The 95 % interval of a rate.
    pub interval: Option<(f64, f64)>,
    /// What a statistic is of, in ascending order.
    pub sample: Vec<f64>,
    /// Whether our own runs contradict each other.
    pub is_contradiction: bool,
}

impl From<Value> for Measured {
    fn from(value: Value) -> Measured {
        Measured { value: Some(value), ..Measured::default() }
    }
}

impl Group<'_> {
    /// Measures it for the column with this name.
    pub fn measure(&self, measure: Measure, column: &str) -> Measured {
        let runs = &self.runs.summaries;
        let all = runs.len() as u64;
        let count = |is: fn(&&RunSummary) -> bool| runs.iter().filter(is).count() as u64;
        match measure {
            Measure::Solved => {
                let solved = count(|run| run.length.is_some());
                let interval = Some(wilson_interval(solved, all));
                let value = (all > 0).then_some(Value::OutOf(solved, all));
                Measured { value, interval, ..Measured::default() }
            }
            Measure::Proven => {
                let value = (all > 0).then(|| Value::OutOf(count(|run| run.optimal), all));
                Measured { value, ..Measured::default() }
            }
            Measure::ProvenLength => self.proven_length(),
            Measure::IsProven => {
                let proven = self.proven_length();
                let is_proven = proven.value.is_some() && !proven.is_contradiction;
                Value::Text(if is_proven { "yes" } else { "no" }.to_owned()).into()
            }
            Measure::Optimum => Measured {
                value: self.optimum.map(|optimum| Value::Count(optimum.into())),
                ..Measured::default()
            },
            Measure::Histogram => {
                let mut histogram = BTreeMap::new();
                for length in runs.iter().filter_map(|run| run.length) {
                    *histogram.entry(length).or_default() += 1;
                }
                let value = (!histogram.is_empty()).then_some(Value::Histogram(histogram));
                Measured { value, ..Measured::default() }
            }
            Measure::Fact(fact) => {
                let board = || fact.of_board(self.row.board.as_deref()?);
                let value = self.puzzle.as_ref().map_or_else(board, |puzzle| fact.of(puzzle));
                Measured { value, ..Measured::default() }
            }
            Measure::Given => {
                Measured { value: self.row.given.get(column).cloned(), ..Measured::default() }
            }
            Measure::Size
            | Measure::Diameter
            | Measure::Regime
            | Measure::Components
            | Measure::Origin => Measured {
                value: self.census.as_ref().and_then(|census| of_census(measure, census)),
                ..Measured::default()
            },
            Measure::Of(quantity, statistic) => self.statistic(quantity, statistic),
        }
    }

    fn statistic(&self, quantity: Quantity, statistic: Statistic) -> Measured {
        let runs = self.runs.summaries.iter().enumerate();
        let sample = sorted(runs.filter_map(|(n, run)| quantity.of(run, self.reference.get(n))));
        let (Some(&least), Some(&most)) = (sample.first(), sample.last()) else {
            return Measured::default();
        };
        let is_contradiction = quantity == Quantity::Excess && least < 0.0;
        let mut error = None;
        let number = match statistic {
            Statistic::Min => least,
            Statistic::Median => median(&sample),
            Statistic::Max => most,
            Statistic::Mean => {
                let (mean, standard_error) = mean(&sample);
                error = Some(standard_error).filter(|error| error.is_finite());
                mean
            }
        };
        let is_whole = number.fract() == 0.0;
        let value = match quantity {
            Quantity::Cpu => Value::Seconds(number),
            Quantity::Expanded | Quantity::Generated | Quantity::Stored => {
                Value::Count(number.round() as u64)
            }
            Quantity::Excess => Value::Number(number, 1),
            Quantity::Length if is_whole && statistic != Statistic::Mean => {
                Value::Count(number as u64)
            }
            Quantity::Length => Value::Number(number, 1),
        };
        Measured { value: Some(value), error, sample, is_contradiction, ..Measured::default() }
    }

    fn proven_length(&self) -> Measured {
        let results = self.all.iter().flat_map(|runs| &runs.results);
        let mut proven: Vec<Option<u32>> = results
            .filter_map(|result| match (result.status, result.optimal) {
                (Status::Solved, Some(true)) => Some(result.length),
                (Status::Unsolvable, _) => Some(None),
                _ => None,
            })
            .collect();
        proven.dedup();
        let value = proven.first().map(|length| match length {
            Some(length) => Value::Count((*length).into()),
            None => Value::Text("unsolvable".to_owned()),
        });
        Measured { value, is_contradiction: proven.len() > 1, ..Measured::default() }
    }
}

fn of_census(measure: Measure, census: &CensusData) -> Option<Value> {
    let CensusData { report, origin } = census;
    let largest = report.largest();
    Some(match measure {
        Measure::Size => Value::Text(largest?.size.clone()),
        Measure::Diameter => match largest?.diameter {
            Some(Diameter::Exact(diameter)) => Value::Count(diameter.into()),
            _ => return None,
        },
        Measure::Regime => Value::Text(report.regime.name().to_owned()),
        Measure::Components => {
            let size = &largest?.size;
            // All components of that size, of whatever type.
            let same = report.components.iter().filter(|component| component.size == *size);
            let count = |component: &ComponentReport| {
                component.count.parse::<num_bigint::BigUint>().unwrap_or_default()
            };
            Value::Text(same.map(count).sum::<num_bigint::BigUint>().to_string())
        }
        Measure::Origin => Value::Text(match origin {
            Origin::Searched => "search".to_owned(),
            Origin::Surveyed => "survey".to_owned(),
            Origin::Record(revision) => format!("record {revision}"),
        }),
        _ => return None,
    })
}
