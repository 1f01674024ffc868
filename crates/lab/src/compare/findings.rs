//! Sentences about what the records show, with the counts that they are about.

use std::fmt;

use serde::Serialize;

use super::rows::Found;
use crate::experiment::Experiment;
use crate::experiment::file::FindingSpec;
use crate::record::TaskRecord;

/// A sentence, and the counts that bear it out or do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The sentence, without its numbers.
    pub says: String,
    /// The counts of all solvers that it is about, on the same puzzles.
    pub counts: Vec<Tally>,
    /// Whether the counts do not rise from one solver to the next, and the last is below the first.
    pub holds: bool,
}

/// How many of how many puzzles a solver solved or proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The solver's title.
    pub solver: String,
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

/// The findings of an experiment.
pub(super) fn findings(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Finding> {
    experiment.file.finding.iter().map(|spec| finding(experiment, spec, records)).collect()
}

fn finding(experiment: &Experiment, spec: &FindingSpec, records: &[TaskRecord]) -> Finding {
    let file = &experiment.file;
    let is_meant = |title: &Option<String>| {
        spec.rows.is_empty() || title.as_ref().is_some_and(|title| spec.rows.contains(title))
    };
    let rows = file.row.iter().filter(|row| is_meant(&row.title));
    let rows: Vec<Found<'_>> = rows.map(|row| Found::new(experiment, row, records)).collect();
    let tally = |key: &String| {
        let solver = file.solver_of(key);
        let mut tally = Tally { solver: solver.title.clone(), count: 0, of: 0 };
        for found in &rows {
            if let Some((count, of)) = found.share(solver, spec.measure) {
                tally.count += count;
                tally.of += of;
            }
        }
        tally
    };
    let counts: Vec<Tally> = spec.solvers.iter().map(tally).collect();
    let is_of_the_same = counts.windows(2).all(|pair| pair[0].of == pair[1].of);
    let falls = counts.windows(2).all(|pair| pair[0].count >= pair[1].count)
        && counts.first().map(|tally| tally.count) > counts.last().map(|tally| tally.count);
    Finding { says: spec.says.clone(), holds: is_of_the_same && falls, counts }
}

impl Finding {
    /// The counts in words: `astar 10 of 10, auto 5`. Where the records do not bear the sentence
    /// out, it says so.
    pub fn evidence(&self) -> String {
        let mut last = None;
        let counts = self.counts.iter().map(|Tally { solver, count, of }| {
            match last.replace(of) == Some(of) {
                true => format!("{solver} {count}"),
                false => format!("{solver} {count} of {of}"),
            }
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        if self.holds { counts } else { format!("{counts}; these records do not show it") }
    }
}

/// `astar proves more: astar 10 of 10, auto 5.`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}.", self.says, self.evidence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(solver: &str, count: u64, of: u64) -> Tally {
        Tally { solver: solver.to_owned(), count, of }
    }

    #[test]
    fn a_finding_says_its_numbers_and_whether_they_bear_it_out() {
        let says = "astar proves more".to_owned();
        let counts = vec![tally("astar", 10, 10), tally("auto", 5, 10)];
        let finding = Finding { says, counts, holds: true };
        assert_eq!(finding.to_string(), "astar proves more: astar 10 of 10, auto 5.");
        let finding = Finding { holds: false, ..finding };
        assert!(finding.to_string().ends_with("auto 5; these records do not show it."));
    }
}
