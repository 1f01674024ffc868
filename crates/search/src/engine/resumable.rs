//! Searches that continue where a limit stopped them.

use crate::control::Meter;
use crate::outcome::Outcome;

/// A search that keeps what it has found when a limit on the number of states stops it.
pub(crate) trait Resumable {
    /// Bytes held.
    fn bytes(&self) -> u64;

    /// States held.
    fn stored(&self) -> u64;

    /// Expands states until there is an answer or a limit.
    fn expand_all(&mut self, meter: &mut Meter<'_>) -> Outcome;

    /// The same, and notes what is held in the end.
    fn run(&mut self, meter: &mut Meter<'_>) -> Outcome {
        let outcome = self.expand_all(meter);
        meter.note_end(self.bytes(), self.stored());
        outcome
    }
}
