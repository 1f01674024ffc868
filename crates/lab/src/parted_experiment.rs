//! What the experiments have in common that are made part by part.

use std::sync::Arc;

use hyperslide_search::{Control, TableCache};
use serde::Serialize;

use crate::compare::Verdict;
use crate::figures::Figure;
use crate::record::Recorded;

/// A declared experiment whose parts (rows, or cells) are run one by one, each with a record of its own, so that one that was
/// stopped goes on where it was.
pub trait PartedExperiment: Sized {
    /// What is kept of a part.
    type Record: Recorded;
    /// What is shown in the end.
    type Comparison: Serialize;

    /// Its name on the command line.
    fn name(&self) -> &str;

    /// The experiment with less to do.
    #[must_use]
    fn quick(&self) -> Self;

    /// How many parts it has.
    fn parts(&self) -> usize;

    /// The title of the part with this number.
    fn title_of(&self, part: usize) -> String;

    /// Bytes that the part with this number may take; 0 when it takes little.
    fn memory_of(&self, _part: usize) -> u64 {
        0
    }

    /// The record of the part with this number, if it is among these.
    fn find<'r>(&self, part: usize, records: &'r [Self::Record]) -> Option<&'r Self::Record>;

    /// Runs the part with this number on so many threads; `None` when cancelled. `command` is noted as its origin.
    fn run_part(
        &self,
        part: usize,
        threads: usize,
        cache: &Arc<TableCache>,
        control: &Control<'_>,
        command: &str,
    ) -> Option<Self::Record>;

    /// Puts the parts that there are records of beside what is published.
    fn compare(&self, records: &[Self::Record]) -> Self::Comparison;

    /// Whether it stands for figures, too.
    fn has_figures(&self) -> bool {
        false
    }

    /// These figures, drawn of a comparison.
    fn figures(&self, _: &Self::Comparison) -> Vec<Figure> {
        Vec::new()
    }

    /// How the values that are judged stand to the published ones.
    fn verdicts(comparison: &Self::Comparison) -> Vec<Verdict>;

    /// Whether there is a record of every part.
    fn is_whole(&self, records: &[Self::Record]) -> bool {
        (0..self.parts()).all(|part| self.find(part, records).is_some())
    }
}
