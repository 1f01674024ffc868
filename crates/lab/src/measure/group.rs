//! What the runs of a row's solvers say: the values of measures.

use hyperslide_census::{ComponentReport, Diameter};
use hyperslide_puzzle::Puzzle;

use super::{Measure, Quantity, Statistic};
use crate::compare::Value;
use crate::experiment::file::RowSpec;
use crate::statistics::{mean, median, quantile, sorted, wilson_interval};
use crate::task::{CensusData, Origin, RunSummary, Runs};

/// What there is to measure: the runs of one solver on a row's puzzles, or all about the row.
pub(crate) struct Group<'a> {
    pub row: &'a RowSpec,
    /// The runs of the solver; in a column without a solver, of the first.
    pub runs: Runs,
    /// The runs of all solvers of the row.
    pub all: Vec<Runs>,
    /// The wall-clock seconds that each of its runs may take.
    pub time_limit: Option<f64>,
    /// The runs of the reference solver.
    pub reference: Vec<RunSummary>,
    pub optimum: Option<u32>,
    /// The known lengths of shortest solutions of the puzzles that the row lists.
    pub optima: Vec<Option<u32>>,
    pub puzzle: Option<Puzzle>,
    pub census: Option<CensusData>,
}

/// What runs say of one puzzle.
#[derive(Clone, Copy, Debug, Default)]
struct Claims {
    /// The length of the shortest solution.
    shortest: Option<u32>,
    /// The greatest length that is claimed to be proven shortest.
    proven: Option<u32>,
    /// Whether it is claimed to be proven that there is no solution.
    is_unsolvable: bool,
}

impl Claims {
    fn add(&mut self, run: &RunSummary) {
        self.shortest = self.shortest.into_iter().chain(run.length).min();
        self.proven = self.proven.max(run.length.filter(|_| run.optimal));
        self.is_unsolvable |= run.unsolvable;
    }

    fn has_proof(&self) -> bool {
        self.proven.is_some() || self.is_unsolvable
    }

    /// Returns whether one of these runs, which is `run`, and another one cannot both be right.
    fn contradict(&self, run: &RunSummary) -> bool {
        match run.length {
            Some(_) if self.is_unsolvable => true,
            Some(length) => {
                self.proven > run.length || (run.optimal && self.shortest < Some(length))
            }
            None => run.unsolvable && self.shortest.is_some(),
        }
    }
}

/// A measured value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// `None` where there is nothing to measure.
    pub value: Option<Value>,
    /// The standard error of a mean.
    pub error: Option<f64>,
    /// The 95 % interval of a rate.
    pub interval: Option<(f64, f64)>,
    /// What a statistic is of, in ascending order.
    pub sample: Vec<f64>,
    /// The number of runs that there are; those without a value are not in the sample.
    pub runs: Option<u64>,
    /// Whether our own runs contradict each other.
    pub is_contradiction: bool,
    /// The number of puzzles that it is of, where the published value may be of another number.
    pub of: Option<u64>,
}

impl From<Value> for Measured {
    fn from(value: Value) -> Measured {
        Some(value).into()
    }
}

impl From<Option<Value>> for Measured {
    fn from(value: Option<Value>) -> Measured {
        Measured { value, ..Measured::default() }
    }
}

impl Group<'_> {
    /// Measures it for the column with this name.
    pub fn measure(&self, measure: Measure, column: &str) -> Measured {
        let runs = &self.runs.summaries;
        let all = runs.len() as u64;
        let out_of = |is: fn(&&RunSummary) -> bool| {
            let count = runs.iter().filter(is).count() as u64;
            (all > 0).then_some(Value::OutOf(count, all))
        };
        let value = match measure {
            Measure::Solved => {
                let value = out_of(|run| run.length.is_some());
                let interval = match value {
                    Some(Value::OutOf(solved, all)) => Some(wilson_interval(solved, all)),
                    _ => None,
                };
                return Measured { interval, ..value.into() };
            }
            Measure::ProvenLength => return self.proven_length(),
            Measure::Of(quantity, statistic) => return self.statistic(quantity, statistic),
            Measure::Proven => {
                let value = out_of(|run| run.is_proven());
                let is_contradiction = self.is_contradicted();
                return Measured { is_contradiction, ..value.into() };
            }
            Measure::IsProven => {
                let is_proven = self.proves_all() && !self.is_contradicted();
                Some(Value::Text(if is_proven { "yes" } else { "no" }.to_owned()))
            }
            Measure::Optimum => self.optimum.map(|optimum| Value::Count(optimum.into())),
            Measure::Quality => self.quality(),
            Measure::Known => {
                let known = (0..runs.len()).filter(|&number| self.shortest(number).is_some());
                (all > 0).then_some(Value::OutOf(known.count() as u64, all))
            }
            Measure::Gap => return self.gap(),
            Measure::AgainstBest => self.against_best(),
            Measure::Par2 => self.par2(),
            Measure::Histogram => {
                let histogram = self.runs.histogram();
                (!histogram.is_empty()).then_some(Value::Histogram(histogram))
            }
            Measure::Fact(fact) => {
                let board = || fact.of_board(self.row.board.as_deref()?);
                self.puzzle.as_ref().map_or_else(board, |puzzle| fact.of(puzzle))
            }
            Measure::Given => self.row.given.get(column).cloned(),
            measure if measure.is_of_graph() => {
                self.census.as_ref().and_then(|census| of_census(measure, census))
            }
            _ => None,
        };
        value.into()
    }

    fn quality(&self) -> Option<Value> {
        let runs = &self.runs.summaries;
        let best = |number: usize| {
            let of_all = self.all.iter().filter_map(|runs| runs.summaries.get(number)?.length);
            of_all.chain(self.known(number)).min()
        };
        let score = |(number, run): (usize, &RunSummary)| match (run.length, best(number)) {
            // Of a puzzle that is solved from the beginning no solution is longer than another.
            (Some(0), _) => 1.0,
            (Some(length), Some(best)) => f64::from(best) / f64::from(length),
            _ => 0.0,
        };
        let total: f64 = runs.iter().enumerate().map(score).sum();
        (!runs.is_empty()).then(|| Value::Number(total / runs.len() as f64, 2))
    }

    fn par2(&self) -> Option<Value> {
        let penalty = 2.0 * self.time_limit?;
        let runs = &self.runs.summaries;
        let cost = |run: &RunSummary| run.length.map_or(penalty, |_| run.cpu_s);
        (!runs.is_empty())
            .then(|| Value::Seconds(runs.iter().map(cost).sum::<f64>() / runs.len() as f64))
    }

    fn against_best(&self) -> Option<Value> {
        let proven = |runs: &Runs| runs.summaries.iter().filter(|run| run.is_proven()).count();
        let cpu_s = |runs: &Runs| runs.summaries.iter().map(|run| run.cpu_s).sum::<f64>();
        let of_all = || self.all.iter().filter(|runs| !runs.summaries.is_empty());
        let most = of_all().map(proven).max().filter(|&most| most > 0)?;
        let best =
            of_all().filter(|&runs| proven(runs) == most).map(cpu_s).min_by(f64::total_cmp)?;
        let ratio = cpu_s(&self.runs) / best.max(f64::MIN_POSITIVE);
        let own = proven(&self.runs);
        Some(Value::Text(match own {
            _ if own < most => format!("{own} of {most} proven"),
            _ if ratio > 1.2 => format!("{ratio:.2}, above 1.2"),
            _ => format!("{ratio:.2}"),
        }))
    }

    /// The length of a shortest solution of the puzzle with a number, where it is proven or known.
    fn shortest(&self, number: usize) -> Option<u32> {
        let runs = self.all.iter().filter_map(|runs| runs.summaries.get(number));
        let proven = runs.filter(|run| run.optimal).filter_map(|run| run.length).min();
        proven.or(self.known(number))
    }

    /// The length of a shortest solution that is on record of the puzzle with a number.
    fn known(&self, number: usize) -> Option<u32> {
        self.optimum.or_else(|| self.optima.get(number).copied().flatten())
    }

    fn gap(&self) -> Measured {
        let runs = self.runs.summaries.iter().enumerate();
        let gap = |(number, run): (usize, &RunSummary)| {
            let shortest = f64::from(self.shortest(number)?);
            let excess = |length: u32| 100.0 * (f64::from(length) - shortest) / shortest.max(1.0);
            Some(run.length.map_or(f64::INFINITY, excess))
        };
        let sample = sorted(runs.filter_map(gap));
        let Some(&least) = sample.first() else { return Measured::default() };
        let median = median(&sample);
        let value = match median.is_finite() {
            true => Value::Number(median, 1),
            false => Value::Text("unsolved".to_owned()),
        };
        Measured {
            value: Some(value),
            sample,
            runs: Some(self.runs.summaries.len() as u64),
            is_contradiction: least < 0.0,
            ..Measured::default()
        }
    }

    fn statistic(&self, quantity: Quantity, statistic: Statistic) -> Measured {
        if quantity.counts_states() && self.runs.is_of_program {
            return Measured::default();
        }
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
            Statistic::P25 => quantile(&sample, 0.25),
            Statistic::P75 => quantile(&sample, 0.75),
            Statistic::P90 => quantile(&sample, 0.9),
            Statistic::Total => sample.iter().sum(),
            Statistic::Geomean => {
                let logarithms = sample.iter().map(|value| value.max(quantity.least()).ln());
                (logarithms.sum::<f64>() / sample.len() as f64).exp()
            }
            Statistic::Mean => {
                let (mean, standard_error) = mean(&sample);
                error = Some(standard_error).filter(|error| error.is_finite());
                mean
            }
        };
        let is_whole = number.fract() == 0.0;
        let value = match quantity {
            Quantity::Cpu => Value::Seconds(number),
            Quantity::Expanded | Quantity::Generated | Quantity::Stored | Quantity::Memory => {
                Value::Count(number.round() as u64)
            }
            Quantity::Excess => Value::Number(number, 1),
            Quantity::Length | Quantity::Bound if is_whole && !statistic.is_average() => {
                Value::Count(number as u64)
            }
            Quantity::Length | Quantity::Bound => Value::Number(number, 1),
        };
        let (value, runs) = (Some(value), Some(self.runs.summaries.len() as u64));
        Measured { value, error, sample, runs, is_contradiction, ..Measured::default() }
    }

    /// Returns whether the runs of a row are all of one puzzle, and not of random ones.
    fn is_of_one_puzzle(&self) -> bool {
        !self.row.has_many_puzzles() || self.all.iter().all(|runs| runs.summaries.len() <= 1)
    }

    /// The number of the puzzle of the run with this number.
    fn puzzle_of(&self, run: usize) -> usize {
        if self.is_of_one_puzzle() { 0 } else { run }
    }

    /// What the runs of all solvers say of each puzzle.
    fn claims(&self) -> Vec<Claims> {
        let mut claims = Vec::new();
        for runs in &self.all {
            for (number, run) in runs.summaries.iter().enumerate() {
                let puzzle = self.puzzle_of(number);
                if puzzle == claims.len() {
                    claims.push(Claims::default());
                }
                claims[puzzle].add(run);
            }
        }
        claims
    }

    fn proves_all(&self) -> bool {
        let claims = self.claims();
        !claims.is_empty() && claims.iter().all(Claims::has_proof)
    }

    /// Returns whether a run of the solver cannot be right if another one on the same puzzle is.
    fn is_contradicted(&self) -> bool {
        let claims = self.claims();
        let mut own = self.runs.summaries.iter().enumerate();
        own.any(|(number, run)| claims[self.puzzle_of(number)].contradict(run))
    }

    fn proven_length(&self) -> Measured {
        if !self.is_of_one_puzzle() {
            return Measured::default();
        }
        let mut runs = self.all.iter().flat_map(|runs| &runs.summaries);
        let value = runs.find(|run| run.is_proven()).map(|run| match run.length {
            Some(length) => Value::Count(length.into()),
            None => Value::Text("unsolvable".to_owned()),
        });
        Measured { is_contradiction: self.is_contradicted(), ..value.into() }
    }
}

/// What a measure says of a puzzle graph.
pub(crate) fn of_census(measure: Measure, census: &CensusData) -> Option<Value> {
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

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn runs(lengths: &[Option<u32>]) -> Runs {
        let run = |&length| RunSummary {
            length,
            optimal: false,
            unsolvable: false,
            stored: 0,
            generated: 0,
            expanded: 0,
            cpu_s: 0.0,
            lower_bound: None,
            peak_bytes: 0,
        };
        Runs { summaries: lengths.iter().map(run).collect(), ..Runs::default() }
    }

    /// The runs of a solver among those of all, of puzzles of which nothing else is known.
    fn group(runs: Runs, all: Vec<Runs>) -> Group<'static> {
        static ROW: LazyLock<RowSpec> = LazyLock::new(RowSpec::default);
        let (reference, optimum, optima, puzzle, census) =
            (Vec::new(), None, Vec::new(), None, None);
        let time_limit = None;
        Group { row: &ROW, runs, all, time_limit, reference, optimum, optima, puzzle, census }
    }

    #[test]
    fn bounds_are_of_the_runs_that_say_them() {
        let mut own = runs(&[Some(10), None, Some(20)]);
        own.summaries[0].lower_bound = Some(8);
        own.summaries[1].lower_bound = Some(11);
        let group = group(own, Vec::new());
        let measured = group.measure(Measure::Of(Quantity::Bound, Statistic::Mean), "");
        assert_eq!(measured.sample, [8.0, 11.0]);
    }

    #[test]
    fn statistics_are_of_the_whole_sample() {
        let mut own = runs(&[Some(1), Some(2), Some(4), Some(8), None]);
        for (run, expanded) in own.summaries.iter_mut().zip([0, 1, 10, 100, 1000]) {
            (run.expanded, run.cpu_s) = (expanded, expanded as f64 / 10.0);
        }
        let group = Group { time_limit: Some(60.0), ..group(own, Vec::new()) };
        let of = |quantity, statistic| group.measure(Measure::Of(quantity, statistic), "").value;
        for (statistic, expected) in [
            (Statistic::Total, 1111),
            // The fifth root of 10^6, where nothing counts as one.
            (Statistic::Geomean, 16),
            (Statistic::P25, 1),
            (Statistic::P75, 100),
            (Statistic::P90, 640),
        ] {
            assert_eq!(of(Quantity::Expanded, statistic), Some(Value::Count(expected)));
        }
        assert_eq!(of(Quantity::Length, Statistic::Total), Some(Value::Count(15)));
        let geomean = of(Quantity::Length, Statistic::Geomean).and_then(|value| value.number());
        assert!((geomean.unwrap() - 8f64.sqrt()).abs() < 1e-12);
        // Four took 11.1 seconds, and one failed.
        assert_eq!(group.measure(Measure::Par2, "").value, Some(Value::Seconds(131.1 / 5.0)));
        let endless = Group { time_limit: None, ..group };
        assert_eq!(endless.measure(Measure::Par2, "").value, None);
    }

    #[test]
    fn states_of_other_programs_are_not_known() {
        let own = Runs { is_of_program: true, ..runs(&[Some(10), Some(20)]) };
        let group = group(own, Vec::new());
        let mean = |quantity| group.measure(Measure::Of(quantity, Statistic::Mean), "").value;
        for quantity in [Quantity::Expanded, Quantity::Generated, Quantity::Stored] {
            assert_eq!(mean(quantity), None);
        }
        assert_eq!(mean(Quantity::Length), Some(Value::Number(15.0, 1)));
    }

    #[test]
    fn quality_is_of_all_puzzles() {
        let own = runs(&[Some(10), None, Some(20), Some(0)]);
        let other = runs(&[Some(8), Some(30), None, Some(0)]);
        let quality = |optimum, runs: &Runs| {
            let group = Group { optimum, ..group(runs.clone(), vec![own.clone(), other.clone()]) };
            group.measure(Measure::Quality, "").value
        };
        // 8/10, nothing, 20/20 and a puzzle that is solved from the beginning.
        assert_eq!(quality(None, &own), Some(Value::Number(2.8 / 4.0, 2)));
        assert_eq!(quality(None, &other), Some(Value::Number(3.0 / 4.0, 2)));
        assert_eq!(quality(None, &runs(&[])), None);
    }

    #[test]
    fn gaps_are_over_the_same_puzzles_for_all() {
        // Four puzzles, of which the second and the third are proven.
        let mut proving = runs(&[Some(10), Some(20), Some(10), None]);
        proving.summaries[1].optimal = true;
        proving.summaries[2].optimal = true;
        let measure = |own: &[Option<u32>]| {
            let group = group(runs(own), vec![proving.clone(), runs(own)]);
            assert_eq!(group.measure(Measure::Known, "").value, Some(Value::OutOf(2, 4)));
            group.measure(Measure::Gap, "")
        };
        let gap = |own: &[Option<u32>]| measure(own).value;
        assert_eq!(gap(&[Some(99), Some(22), Some(12), Some(99)]), Some(Value::Number(15.0, 1)));
        // What is not solved is not left out: of two puzzles, one is one half.
        let unsolved = Some(Value::Text("unsolved".to_owned()));
        assert_eq!(gap(&[Some(10), None, Some(10), Some(99)]), unsolved);
        assert!(!measure(&[None, Some(20), Some(10), None]).is_contradiction);
        assert!(measure(&[None, Some(19), Some(10), None]).is_contradiction);
    }

    #[test]
    fn the_best_proves_most_and_then_is_fastest() {
        let took = |seconds: &[f64], proven: usize| {
            let mut runs = runs(&vec![Some(1); seconds.len()]);
            for (number, run) in runs.summaries.iter_mut().enumerate() {
                (run.cpu_s, run.optimal) = (seconds[number], number < proven);
            }
            runs
        };
        let against = |own: &Runs, others: &[Runs]| {
            let group = group(own.clone(), [std::slice::from_ref(own), others].concat());
            match group.measure(Measure::AgainstBest, "").value {
                Some(Value::Text(text)) => Some(text),
                other => {
                    assert_eq!(other, None);
                    None
                }
            }
        };
        // The fastest proves nothing.
        let others = [took(&[2.0, 2.0], 2), took(&[1.0, 1.0], 0), took(&[9.0, 9.0], 2)];
        assert_eq!(against(&took(&[2.0, 2.8], 2), &others).unwrap(), "1.20");
        assert_eq!(against(&took(&[2.0, 3.0], 2), &others).unwrap(), "1.25, above 1.2");
        assert_eq!(against(&took(&[1.0, 1.0], 1), &others).unwrap(), "1 of 2 proven");
        assert_eq!(against(&took(&[1.0, 1.0], 2), &others).unwrap(), "1.00");
        assert_eq!(against(&took(&[1.0], 0), &[]), None);
    }

    #[test]
    fn memory_of_old_records_is_not_known() {
        let group = group(runs(&[Some(1)]), Vec::new());
        let memory = Measure::Of(Quantity::Memory, Statistic::Max);
        assert_eq!(group.measure(memory, "").value, None);
    }
}
