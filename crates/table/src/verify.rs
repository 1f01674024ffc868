//! Checking a finished table against the rules.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use hyperslide_puzzle::{State, Vertex};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use thiserror::Error;

use crate::distances::Encoding;
use crate::kernel::Path;
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::table::DistanceTable;

/// How thoroughly to verify.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// How many states to look at with their neighbours; all of them when the table has no more.
    pub states: u64,
    /// How many states to walk to the goal from.
    pub descents: u64,
    /// Decides which states are drawn.
    pub seed: u64,
}

impl Default for VerifyOptions {
    fn default() -> VerifyOptions {
        VerifyOptions { states: 10_000_000, descents: 1_000, seed: 0 }
    }
}

/// What a verification is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyStep {
    /// It counts the states of all layers again.
    Layers,
    /// It looks at states and their neighbours.
    States,
    /// It walks to the goal by ever smaller distances.
    Descents,
}

/// How far a verification has come in one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The step.
    pub step: VerifyStep,
    /// How many states are done in this step.
    pub done: u64,
    /// How many there are.
    pub total: u64,
}

/// Why a table is not verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// It was cancelled; nothing is decided.
    #[error("cancelled before the end: nothing is decided")]
    Cancelled,
    /// There is no memory for the search.
    #[error("cannot count the layers again: {0}")]
    Memory(io::Error),
    /// The table is wrong, as this sentence says.
    #[error("{0}")]
    Wrong(String),
}

/// What was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verification {
    /// How many states were looked at with their neighbours.
    pub states: u64,
    /// Whether these were all.
    pub all: bool,
    /// From how many states the goal was reached in exactly as many moves as the table says.
    pub descents: u64,
}

impl DistanceTable {
    /// Verifies the table; its checksum has been checked when it was opened.
    ///
    /// Locally: goals have distance 0 and nothing else has; neighbours differ by at most one; every
    /// other state has a neighbour one nearer; a state that was reached has no neighbour that was
    /// not. For a byte a state this proves the table. Modulo 3 a cycle could satisfy it, so for
    /// both kinds the layers are also counted again, by the portable code, and the goal is walked to
    /// from states drawn at random.
    ///
    /// `tell` is called now and then.
    ///
    /// # Errors
    ///
    /// When something is wrong, or the verification cannot be finished.
    pub fn verify(
        &self,
        options: &VerifyOptions,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Verification, VerifyError> {
        let counted = self.count_again(signals, tell)?;
        if counted != *self.layers() {
            return Err(VerifyError::Wrong(difference(self.layers(), &counted)));
        }
        let mut random = SplitMix64::seed_from_u64(options.seed);
        let (states, all) = self.check_states(options, &mut random, signals, tell)?;
        let descents = self.check_descents(options, &mut random, signals, tell)?;
        Ok(Verification { states, all, descents })
    }

    fn count_again(
        &self,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Layers, VerifyError> {
        let goals: Vec<State> = self
            .abstraction()
            .goals()
            .iter()
            .copied()
            .filter(|goal| self.space().rank(goal).is_some())
            .collect();
        let options =
            SearchOptions { path: Path::Portable, in_place: false, ..SearchOptions::default() };
        let mut search = BreadthFirst::new(self.space(), options).map_err(VerifyError::Memory)?;
        search.start(&goals).map_err(|error| VerifyError::Wrong(error.to_string()))?;
        let (depth, total) = (self.layers().depth(), self.layers().total());
        let is_cut = !self.layers().complete;
        if !is_cut || depth > 0 {
            search.run(signals, |search| {
                let done = search.layers().total();
                tell(VerifyProgress { step: VerifyStep::Layers, done, total });
                if is_cut && search.layers().depth() >= depth {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        if signals.cancel.load(Ordering::Relaxed) {
            return Err(VerifyError::Cancelled);
        }
        Ok(search.layers().clone())
    }

    fn draw(&self, random: &mut SplitMix64) -> State {
        self.space().unrank(u128::from(random.next_u64()) % self.space().states())
    }

    /// Looks at all states, or at some that are drawn. Returns how many, and whether these were all.
    fn check_states(
        &self,
        options: &VerifyOptions,
        random: &mut SplitMix64,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(VerifyProgress),
    ) -> Result<(u64, bool), VerifyError> {
        let states = self.space().states();
        let all = states <= u128::from(options.states);
        let total = if all { states as u64 } else { options.states };
        let mut at_value = [0u64; 256];
        for done in 0..total {
            if done % 4096 == 0 {
                if signals.cancel.load(Ordering::Relaxed) {
                    return Err(VerifyError::Cancelled);
                }
                tell(VerifyProgress { step: VerifyStep::States, done, total });
            }
            let state = if all { self.space().unrank(u128::from(done)) } else { self.draw(random) };
            self.check_state(&state).map_err(VerifyError::Wrong)?;
            if let Some(value) = self.stored(&state) {
                at_value[value as usize] += 1;
            }
        }
        if all {
            self.check_counts(&at_value).map_err(VerifyError::Wrong)?;
        }
        Ok((total, all))
    }

    /// Walks to the goal from states that are drawn. Returns from how many.
    fn check_descents(
        &self,
        options: &VerifyOptions,
        random: &mut SplitMix64,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(VerifyProgress),
    ) -> Result<u64, VerifyError> {
        let total = options.descents;
        let mut done = 0;
        // States that the table does not have are drawn in vain.
        for _ in 0..100 * total {
            if done == total {
                break;
            }
            if signals.cancel.load(Ordering::Relaxed) {
                return Err(VerifyError::Cancelled);
            }
            tell(VerifyProgress { step: VerifyStep::Descents, done, total });
            let state = self.draw(random);
            let Some(value) = self.stored(&state) else { continue };
            let text = || self.text_of(&state);
            let cost = self.cost_of_descent(&state).ok_or_else(|| {
                let text = text();
                VerifyError::Wrong(format!(
                    "from the state {text} no moves lead to the goal by ever smaller distances"
                ))
            })?;
            let is_right = match self.encoding() {
                Encoding::Byte => cost == u32::from(value),
                Encoding::Mod3 => cost % 3 == u32::from(value),
            };
            if !is_right || cost > self.layers().depth() {
                return Err(VerifyError::Wrong(format!(
                    "the state {} is {cost} moves away, and the table has {} for it",
                    text(),
                    self.value_text(Some(value)),
                )));
            }
            done += 1;
        }
        Ok(done)
    }

    /// A state of the abstraction by its labels, as in `1=0,2=5,others=1+3`.
    fn text_of(&self, state: &State) -> String {
        let labels = self.abstraction().puzzle().labels();
        let entry = |name: &str, vertices: Vec<String>| format!("{name}={}", vertices.join("+"));
        let vertices = |at: &mut dyn Iterator<Item = Vertex>| -> Vec<String> {
            at.map(|vertex| vertex.to_string()).collect()
        };
        let known = labels
            .iter()
            .map(|(label, name)| (name, vertices(&mut state.vertices_of(label).into_iter())));
        let others = vertices(
            &mut state
                .tokens()
                .filter_map(|(vertex, label)| (label.index() >= labels.len()).then_some(vertex)),
        );
        let all = known.chain([("others", others)]).filter(|(_, vertices)| !vertices.is_empty());
        all.map(|(name, vertices)| entry(name, vertices)).collect::<Vec<_>>().join(",")
    }

    /// What the table has for a state, in words.
    fn value_text(&self, value: Option<u8>) -> String {
        match (value, self.encoding()) {
            (None, _) => "no distance".to_owned(),
            (Some(value), Encoding::Byte) => format!("distance {value}"),
            (Some(value), Encoding::Mod3) => format!("distance {value} (modulo 3)"),
        }
    }

    /// The local conditions at one state.
    fn check_state(&self, state: &State) -> Result<(), String> {
        let value = self.stored(state);
        let region = self.space().region(state);
        let is_goal = region.iter().any(|state| self.abstraction().goals().contains(state));
        if is_goal && value != Some(0) {
            return Err(format!("the goal {} has {}", self.text_of(state), self.value_text(value)));
        }
        let mut has_nearer = is_goal;
        for (_, next) in self.slides(&region) {
            let other = self.stored(&next);
            let (Some(here), Some(there)) = (value, other) else {
                // A table that was cut off ends somewhere.
                if value.is_some() != other.is_some() && self.layers().complete {
                    return Err(format!(
                        "of the neighbours {} and {} only one has a distance",
                        self.text_of(state),
                        self.text_of(&next)
                    ));
                }
                continue;
            };
            let step = match self.encoding() {
                Encoding::Byte => i16::from(there) - i16::from(here),
                Encoding::Mod3 => [0, 1, -1][(3 + there - here) as usize % 3],
            };
            if step.abs() > 1 {
                return Err(format!(
                    "the state {} has {} and its neighbour {} has {}",
                    self.text_of(state),
                    self.value_text(value),
                    self.text_of(&next),
                    self.value_text(other)
                ));
            }
            has_nearer |= step == -1;
        }
        if value.is_some() && !has_nearer {
            return Err(format!(
                "the state {} has {} and no neighbour is nearer",
                self.text_of(state),
                self.value_text(value)
            ));
        }
        Ok(())
    }

    /// Checks that as many states have each value as the layers say.
    fn check_counts(&self, at_value: &[u64; 256]) -> Result<(), String> {
        let mut expected = [0u64; 256];
        for (depth, &states) in self.layers().states.iter().enumerate() {
            let value = match self.encoding() {
                Encoding::Byte => depth,
                Encoding::Mod3 => depth % 3,
            };
            expected[value] += states;
        }
        match (0..256).find(|&value| expected[value] != at_value[value]) {
            None => Ok(()),
            Some(value) => Err(format!(
                "{} states have the value {value}, and the layers have {}",
                at_value[value], expected[value]
            )),
        }
    }
}

/// Where two searches' layers begin to differ.
fn difference(recorded: &Layers, counted: &Layers) -> String {
    let at = |layers: &Layers, depth: usize| layers.states.get(depth).copied().unwrap_or(0);
    let most = recorded.states.len().max(counted.states.len());
    match (0..most).find(|&depth| at(recorded, depth) != at(counted, depth)) {
        Some(depth) => format!(
            "its description has {} states at distance {depth}, and a new search finds {}",
            at(recorded, depth),
            at(counted, depth)
        ),
        None => {
            "its description and a new search differ in whether there are more layers".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hyperslide_puzzle::Puzzle;

    use super::*;
    use crate::abstraction::Abstraction;
    use crate::table::BuildOptions;

    fn table(encoding: Encoding) -> DistanceTable {
        let puzzle = Puzzle::from_line("grid:2:3 1,2,3,4,5,0").unwrap();
        let options = BuildOptions { encoding, ..BuildOptions::default() };
        let abstraction = Abstraction::whole(&puzzle).unwrap();
        DistanceTable::build(abstraction, &options, &Signals::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    }

    #[test]
    fn every_wrong_entry_is_found() {
        for encoding in [Encoding::Mod3, Encoding::Byte] {
            let mut table = table(encoding);
            let verify = |table: &DistanceTable| {
                table.verify(&VerifyOptions::default(), &Signals::default(), &mut |_| {})
            };
            verify(&table).unwrap();
            for rank in 0..table.space().states() {
                let state = table.space().unrank(rank);
                let right = table.stored(&state);
                let wrong = match encoding {
                    Encoding::Mod3 => [Some(0), Some(1), Some(2), None],
                    Encoding::Byte => [Some(0), right.map(|d| d + 1), Some(9), None],
                };
                for value in wrong.into_iter().filter(|&value| value != right) {
                    table.set(&state, value);
                    let error = verify(&table).unwrap_err();
                    assert!(matches!(error, VerifyError::Wrong(_)), "{error}");
                    // A message is for people: no text that only a programmer reads.
                    let text = error.to_string();
                    assert!(!text.contains("Some") && !text.contains("State"), "{text}");
                }
                table.set(&state, right);
            }
            verify(&table).unwrap();
        }
    }

    #[test]
    fn a_state_without_a_nearer_neighbour_is_found_by_looking_at_it() {
        // Where all neighbours are nearer, one less differs from none of them by more than one.
        let mut table = table(Encoding::Byte);
        let mut tried = 0;
        for rank in 0..table.space().states() {
            let state = table.space().unrank(rank);
            let here = table.stored(&state).unwrap();
            let board = table.abstraction().puzzle().board();
            let is_peak = here > 1
                && board.legal_moves(&state).into_iter().all(|mv| {
                    let mut next = state;
                    next.slide(mv);
                    table.stored(&next) == Some(here - 1)
                });
            if is_peak {
                table.set(&state, Some(here - 1));
                let found = table.check_state(&state);
                assert!(found.unwrap_err().contains("no neighbour is nearer"));
                table.set(&state, Some(here));
                tried += 1;
            }
        }
        assert!(tried > 10, "{tried} peaks");
    }
}
