//! Judges: how a value of ours compares with the published one.

use serde::Deserialize;

use super::{Value, Verdict};
use crate::measure::Measured;
use crate::statistics::{fisher_exact, sign_test};

/// How a column is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// Equal values are equal.
    Exact,
    /// Proven shortest lengths: less is better, and so is a solution where the paper has none.
    Optimum,
    /// Exact values that may be published as unknown or between bounds: a value within them is
    /// settled.
    Bound,
    /// Success rates, or counts of as many puzzles as are known, by Fisher's exact test.
    Fisher,
    /// Medians: equal within two moves, or not distinguished by the sign test.
    SignTest,
    /// The least of as many values as ours: equal unless chance rarely makes as many of ours less.
    Least,
    /// The greatest of as many values as ours, likewise.
    Greatest,
    /// Means and shares: equal within three standard errors of the difference. The paper's values
    /// are taken to vary as ours do, and to be as many unless the file says how many.
    Means,
    /// Costs: less is better.
    Less,
    /// A value that cannot exceed the one given in the column `exact`: more is a contradiction.
    AtMostExact,
    /// A value that cannot be negative, since no solution is shorter than a proven one.
    NotNegative,
}

/// What is published, and what is known about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claim {
    /// What the paper prints.
    pub published: Option<Value>,
    /// What the data published with the code say.
    pub data: Option<Value>,
    /// Why the print is wrong.
    pub wrong: Option<String>,
    /// Why both may be right and yet differ.
    pub differs: Option<String>,
    /// Why ours is never called equal: it is of other puzzles.
    pub other_puzzles: Option<String>,
    /// How many of its runs the right one of print and data says were solved.
    pub solved: Option<u64>,
    /// The value in the column `exact`.
    pub exact: Option<Value>,
    /// The number of puzzles that it is of.
    pub of: Option<u64>,
}

/// A judgement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgement {
    pub verdict: Option<Verdict>,
    pub reason: Option<String>,
    /// How likely a difference as large comes by chance.
    pub p: Option<f64>,
}

/// Returns whether there are too few solutions, ours or published, to compare their lengths.
fn are_few(ours: &Measured, claim: &Claim) -> bool {
    (ours.sample.len() as u64) < FEW || claim.solved.is_some_and(|solved| solved < FEW)
}

/// Medians may differ by this number of moves, or by as many as chance makes it, and still be
/// called equal.
const MEDIAN_TOLERANCE: f64 = 2.0;
/// Samples of fewer lengths are not compared.
const FEW: u64 = 10;
/// Success rates and medians are called different when chance makes them so less often than this.
const UNLIKELY: f64 = 0.01;
/// Standard errors within which two estimates are called equal.
pub(crate) const ERRORS: f64 = 3.0;

impl Judge {
    /// Judges a value of ours; a judgement without a verdict where nothing is published.
    pub(crate) fn judge(self, ours: &Measured, claim: &Claim) -> Judgement {
        if ours.is_contradiction || self.is_impossible(ours, claim) {
            return Judgement { verdict: Some(Verdict::Contradiction), ..Judgement::default() };
        }
        let Some(published) = &claim.published else { return Judgement::default() };
        // A print that is wrong elsewhere in its row is not wrong where the data agree with it.
        let is_wrong = claim.wrong.is_some()
            && claim.data.as_ref().is_none_or(|data| !data.is_same(published));
        let target = claim.data.as_ref().unwrap_or(published);
        let (agrees, p) = match &ours.value {
            Some(value) => self.agrees(ours, value, target, claim),
            None => (false, None),
        };
        let is_exact = matches!(self, Judge::Exact | Judge::Optimum | Judge::Bound);
        let verdict = if is_wrong {
            match (claim.data.is_some(), agrees) {
                // A reason for a difference that is not there is as wrong as the reverse.
                (false, true) | (true, false) if ours.value.is_some() => Verdict::Unexplained,
                // Where nothing can be solved there is no length to compare with a printed one.
                (false, _) if ours.value.is_none() && claim.solved != Some(0) => {
                    Verdict::NotReached
                }
                _ => Verdict::PublishedWrong,
            }
        } else if self.is_of_lengths() && !agrees && are_few(ours, claim) {
            let reason =
                Some(format!("the lengths of fewer than {FEW} solutions are not compared"));
            return Judgement { verdict: Some(Verdict::Explained), reason, p };
        } else if ours.value.is_none() || (!agrees && self.lacks_an_error(ours)) {
            Verdict::NotReached
        } else if let Some(verdict) = self.better(ours, published) {
            verdict
        } else if claim.other_puzzles.is_some() {
            Verdict::Explained
        } else {
            match (agrees, claim.differs.is_some()) {
                (true, true) if is_exact => Verdict::Unexplained,
                (true, _) => Verdict::Equal,
                (false, true) => Verdict::Explained,
                (false, false) => Verdict::Unexplained,
            }
        };
        let reason = match verdict {
            Verdict::PublishedWrong => claim.wrong.clone(),
            Verdict::Explained => claim.other_puzzles.clone().or(claim.differs.clone()),
            Verdict::Unexplained => claim.wrong.clone().or(claim.differs.clone()),
            _ => None,
        };
        Judgement { verdict: Some(verdict), reason, p }
    }

    /// Returns whether it compares samples of lengths.
    fn is_of_lengths(self) -> bool {
        matches!(self, Judge::SignTest | Judge::Least | Judge::Greatest)
    }

    /// Returns whether nothing is known about how far the mean of such a sample may be off.
    fn lacks_an_error(self, ours: &Measured) -> bool {
        self == Judge::Means && ours.error.is_none_or(|error| error == 0.0)
    }

    fn is_impossible(self, ours: &Measured, claim: &Claim) -> bool {
        let number = || ours.value.as_ref()?.number();
        match self {
            Judge::AtMostExact => {
                let exact = claim.exact.as_ref().and_then(Value::number);
                number().zip(exact).is_some_and(|(ours, exact)| ours > exact)
            }
            Judge::NotNegative => ours.sample.first().is_some_and(|&least| least < 0.0),
            _ => false,
        }
    }

    /// Returns whether ours agrees with a value, and the probability of a test.
    fn agrees(
        self,
        ours: &Measured,
        value: &Value,
        target: &Value,
        claim: &Claim,
    ) -> (bool, Option<f64>) {
        match self {
            Judge::Fisher => {
                let (Some(own), Some(other)) = (part(value, ours.of), part(target, claim.of))
                else {
                    return (false, None);
                };
                let p = fisher_exact(own, other);
                (p >= UNLIKELY, Some(p))
            }
            Judge::SignTest => {
                let (Some(own), Some(other)) = (value.number(), target.number()) else {
                    return (false, None);
                };
                let p = sign_test(&ours.sample, other);
                let is_near = (own - other).abs() <= MEDIAN_TOLERANCE;
                (is_near || p >= UNLIKELY, Some(p))
            }
            Judge::Least | Judge::Greatest => {
                let Some(other) = target.number() else { return (false, None) };
                let is_beyond = |&&value: &&f64| match self {
                    Judge::Least => value < other,
                    _ => value > other,
                };
                let beyond = ours.sample.iter().filter(is_beyond).count();
                // Of the values of both samples together, the outermost are as likely theirs as
                // ours.
                let p = 0.5f64.powi(beyond.min(1000) as i32);
                (p >= UNLIKELY, Some(p))
            }
            Judge::Means => {
                let others = ours.of.zip(claim.of).map(|(own, others)| own as f64 / others as f64);
                let error = ours.error.unwrap_or(0.0) * (1.0 + others.unwrap_or(1.0)).sqrt();
                let difference = value.number().zip(target.number()).map(|(a, b)| (a - b).abs());
                (difference.is_some_and(|difference| difference <= ERRORS * error), None)
            }
            _ => (value.is_same(target), None),
        }
    }

    /// Returns the verdict on ours where it is beyond the published one rather than equal to it.
    fn better(self, ours: &Measured, published: &Value) -> Option<Verdict> {
        let own = ours.value.as_ref()?;
        let is_better = match (self, own, published) {
            // A length where the paper's method failed.
            (Judge::Optimum, _, Value::Text(_)) => true,
            (Judge::Optimum, Value::Count(own), Value::Count(published)) => own < published,
            (Judge::Bound, _, Value::Text(_)) => return Some(Verdict::Settled),
            (Judge::Bound, Value::Count(own), &Value::Bounds { lower, upper }) => {
                if !(*own >= lower.into() && upper.is_none_or(|upper| *own <= upper.into())) {
                    return Some(Verdict::Unexplained);
                }
                return Some(Verdict::Settled);
            }
            (Judge::Less, own, published) => match own.number() < published.number() {
                true => true,
                false => return Some(Verdict::NotReached),
            },
            _ => false,
        };
        is_better.then_some(Verdict::Better)
    }
}

/// A part and its whole; of a count, the whole is the number of puzzles.
fn part(value: &Value, of: Option<u64>) -> Option<(u64, u64)> {
    match *value {
        Value::OutOf(part, all) => Some((part, all)),
        Value::Count(part) => Some((part, of?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mean of 10 with an error of 1, of 100 puzzles, next to one of 13.5.
    #[test]
    fn means_are_compared_by_the_numbers_of_puzzles_of_both() {
        let published = Some(Value::Number(13.5, 1));
        let verdict = |error, others| {
            let ours = Measured { error, of: Some(100), ..Value::Number(10.0, 1).into() };
            let claim = Claim { published: published.clone(), of: others, ..Claim::default() };
            Judge::Means.judge(&ours, &claim).verdict.unwrap()
        };
        assert_eq!(verdict(Some(1.0), None), Verdict::Equal);
        assert_eq!(verdict(Some(1.0), Some(100)), Verdict::Equal);
        assert_eq!(verdict(Some(1.0), Some(10_000)), Verdict::Unexplained);
        // Nobody knows how far the mean of one puzzle is off.
        assert_eq!(verdict(None, None), Verdict::NotReached);
        assert_eq!(verdict(Some(0.0), None), Verdict::NotReached);
    }

    /// A published median without a published number of solutions is compared all the same.
    #[test]
    fn lengths_of_few_solutions_are_not_compared() {
        let verdict = |solutions: usize, solved| {
            let ours = Measured { sample: vec![20.0; solutions], ..Value::Number(20.0, 1).into() };
            let claim =
                Claim { published: Some(Value::Number(5.0, 1)), solved, ..Claim::default() };
            Judge::SignTest.judge(&ours, &claim).verdict.unwrap()
        };
        assert_eq!(verdict(100, None), Verdict::Unexplained);
        assert_eq!(verdict(100, Some(10)), Verdict::Unexplained);
        assert_eq!(verdict(100, Some(9)), Verdict::Explained);
        assert_eq!(verdict(9, None), Verdict::Explained);
    }

    #[test]
    fn counts_are_compared_as_shares_of_all_puzzles() {
        let verdict = |own, others| {
            let ours = Measured { of: Some(100), ..Value::Count(own).into() };
            let published = Some(Value::Count(50));
            let claim = Claim { published, of: Some(others), ..Claim::default() };
            Judge::Fisher.judge(&ours, &claim).verdict.unwrap()
        };
        assert_eq!(verdict(50, 100), Verdict::Equal);
        assert_eq!(verdict(50, 1000), Verdict::Unexplained);
        assert_eq!(verdict(5, 1000), Verdict::Equal);
    }
}
