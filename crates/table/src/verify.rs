//! Checking a finished table against the rules.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use hyperslide_puzzle::{State, Vertex};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use thiserror::Error;

use crate::distances::Encoding;
use crate::kernel::InstructionSet;
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::table::DistanceTable;

/// Options of a verification.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// The number of states to check against their neighbours. All states are checked if the table
    /// has no more than this.
    pub states: u64,
    /// The number of states from which to descend to the goal.
    pub descents: u64,
    /// The seed with which states are drawn.
    pub seed: u64,
}

impl Default for VerifyOptions {
    fn default() -> VerifyOptions {
        VerifyOptions { states: 10_000_000, descents: 1_000, seed: 0 }
    }
}

/// A step of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyStep {
    /// Counting the states of all layers again.
    Layers,
    /// Checking states against their neighbours.
    States,
    /// Descending to the goal by decreasing distances.
    Descents,
}

/// The progress of a verification in one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The step.
    pub step: VerifyStep,
    /// The number of states that are done in this step.
    pub done: u64,
    /// The number of states in this step.
    pub total: u64,
}

/// Why a verification failed.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The verification was cancelled, so nothing is decided.
    #[error("cancelled before the end: nothing is decided")]
    Cancelled,
    /// Memory for the search cannot be allocated.
    #[error("cannot count the layers again: {0}")]
    Memory(io::Error),
    /// The table is wrong; the sentence says how.
    #[error("{0}")]
    Wrong(String),
}

/// The extent of a successful verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The number of states checked against their neighbours.
    pub states: u64,
    /// Whether these were all states of the table.
    pub all: bool,
    /// The number of states from which a descent reached the goal in exactly the number of moves
    /// that the table gives.
    pub descents: u64,
}

impl DistanceTable {
    /// Verifies the distances of the table. (Its checksum was checked when it was opened.)
    ///
    /// Locally, goals and no other states have distance 0, the distances of neighbours differ by at
    /// most one, every other state has a neighbour that is one closer, and a reached state has no
    /// unreached neighbour. Where all states are checked and have one byte each, this proves the
    /// table; of states drawn at random it is also checked how many have a distance. Modulo 3, a
    /// cycle of states could satisfy these conditions; therefore, with both encodings, the layers
    /// are counted again by the portable code, and the goal is reached by descents from states
    /// drawn at random.
    ///
    /// `on_progress` is called regularly with the progress.
    ///
    /// # Errors
    ///
    /// Returns an error if the table is wrong, or if the verification cannot be completed.
    pub fn verify(
        &self,
        options: &VerifyOptions,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Verification, VerifyError> {
        let counted = self.count_again(signals, on_progress)?;
        if counted != *self.layers() {
            return Err(VerifyError::Wrong(difference(self.layers(), &counted)));
        }
        let mut random = SplitMix64::seed_from_u64(options.seed);
        let (states, all) = self.check_states(options, &mut random, signals, on_progress)?;
        let descents = self.check_descents(options, &mut random, signals, on_progress)?;
        Ok(Verification { states, all, descents })
    }

    fn count_again(
        &self,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Layers, VerifyError> {
        let goals: Vec<State> = self.numbered_goals().collect();
        let options = SearchOptions {
            instruction_set: InstructionSet::PORTABLE,
            in_place: false,
            ..SearchOptions::default()
        };
        let mut search = BreadthFirst::new(self.space(), options).map_err(VerifyError::Memory)?;
        search.start(&goals).map_err(|error| VerifyError::Wrong(error.to_string()))?;
        let (depth, total) = (self.layers().depth(), self.layers().total());
        let is_cut = !self.layers().complete;
        if !is_cut || depth > 0 {
            search.run(signals, |search| {
                let done = search.layers().total();
                on_progress(VerifyProgress { step: VerifyStep::Layers, done, total });
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

    fn numbered_goals(&self) -> impl Iterator<Item = State> {
        let goals = self.abstraction().goals().iter().copied();
        goals.filter(|goal| self.space().rank(goal).is_some())
    }

    fn draw(&self, random: &mut SplitMix64) -> State {
        self.space().unrank(u128::from(random.next_u64()) % self.space().states())
    }

    /// Checks the goals, and all states or states drawn at random, against their neighbours.
    /// Returns the number of states, and whether these were all states.
    fn check_states(
        &self,
        options: &VerifyOptions,
        random: &mut SplitMix64,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<(u64, bool), VerifyError> {
        let states = self.space().states();
        let all = states <= u128::from(options.states);
        let total = if all { states as u64 } else { options.states };
        let mut at_value = [0u64; 256];
        for goal in self.numbered_goals() {
            self.check_state(&goal).map_err(VerifyError::Wrong)?;
        }
        for done in 0..total {
            if done % 4096 == 0 {
                if signals.cancel.load(Ordering::Relaxed) {
                    return Err(VerifyError::Cancelled);
                }
                on_progress(VerifyProgress { step: VerifyStep::States, done, total });
            }
            let state = if all { self.space().unrank(u128::from(done)) } else { self.draw(random) };
            self.check_state(&state).map_err(VerifyError::Wrong)?;
            if let Some(value) = self.stored(&state) {
                at_value[value as usize] += 1;
            }
        }
        let counts =
            if all { self.check_counts(&at_value) } else { self.check_share(&at_value, total) };
        counts.map_err(VerifyError::Wrong)?;
        Ok((total, all))
    }

    /// Descends to the goal from states drawn at random. Returns the number of descents.
    fn check_descents(
        &self,
        options: &VerifyOptions,
        random: &mut SplitMix64,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<u64, VerifyError> {
        let total = options.descents;
        let mut done = 0;
        // Some of the states drawn may not be in the table, which calls for more attempts.
        for _ in 0..100 * total {
            if done == total {
                break;
            }
            if signals.cancel.load(Ordering::Relaxed) {
                return Err(VerifyError::Cancelled);
            }
            on_progress(VerifyProgress { step: VerifyStep::Descents, done, total });
            let state = self.draw(random);
            let Some(value) = self.stored(&state) else { continue };
            let text = || self.text_of(&state);
            let cost = self.cost_of_descent(&state).ok_or_else(|| {
                let text = text();
                VerifyError::Wrong(format!(
                    "from the state {text}, no moves lead to the goal by decreasing distances"
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

    /// Writes a state of the abstraction by its labels, as in `1=0,2=5,others=1+3`.
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

    /// Describes the value that the table has for a state.
    fn value_text(&self, value: Option<u8>) -> String {
        match (value, self.encoding()) {
            (None, _) => "no distance".to_owned(),
            (Some(value), Encoding::Byte) => format!("distance {value}"),
            (Some(value), Encoding::Mod3) => format!("distance {value} (modulo 3)"),
        }
    }

    /// Checks the local conditions at one state.
    fn check_state(&self, state: &State) -> Result<(), String> {
        let value = self.stored(state);
        let region = self.space().region(state);
        let is_goal = region.iter().any(|state| self.abstraction().is_goal(state));
        if is_goal && value != Some(0) {
            return Err(format!("the goal {} has {}", self.text_of(state), self.value_text(value)));
        }
        let mut has_nearer = is_goal;
        let slides = self.visit_slides(&region, |_, next| {
            match self.is_nearer(next, state, value) {
                Ok(is_nearer) => has_nearer |= is_nearer,
                Err(problem) => return ControlFlow::Break(problem),
            }
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(problem) = slides {
            return Err(problem);
        }
        if value.is_some() && !has_nearer {
            return Err(format!(
                "the state {} has {}, and no neighbour is closer to the goal",
                self.text_of(state),
                self.value_text(value)
            ));
        }
        Ok(())
    }

    /// Returns whether `next`, a neighbour of a state with this value, is one move closer to the
    /// goal.
    ///
    /// # Errors
    ///
    /// Returns what is wrong if the values of neighbours cannot be like this.
    fn is_nearer(&self, next: &State, state: &State, value: Option<u8>) -> Result<bool, String> {
        let other = self.stored(next);
        let (Some(here), Some(there)) = (value, other) else {
            // At the last layer of an incomplete table this is normal.
            if value.is_some() == other.is_some() || !self.layers().complete {
                return Ok(false);
            }
            let (state, next) = (self.text_of(state), self.text_of(next));
            return Err(format!("only one of the neighbours {state} and {next} has a distance"));
        };
        let step = match self.encoding() {
            Encoding::Byte => i16::from(there) - i16::from(here),
            Encoding::Mod3 => [0, 1, -1][(3 + there - here) as usize % 3],
        };
        if step.abs() > 1 {
            return Err(format!(
                "the state {} has {}, but its neighbour {} has {}",
                self.text_of(state),
                self.value_text(value),
                self.text_of(next),
                self.value_text(other)
            ));
        }
        Ok(step == -1)
    }

    /// Checks that states drawn at random have a distance about as often as the layers say. A table
    /// that has lost most of them agrees with all local conditions where it was not looked at.
    fn check_share(&self, at_value: &[u64; 256], drawn: u64) -> Result<(), String> {
        /// Standard deviations of the share that nothing but a wrong table exceeds.
        const DEVIATIONS: f64 = 8.0;
        let share = self.layers().total() as f64 / self.space().states() as f64;
        let (drawn, found) = (drawn as f64, at_value.iter().sum::<u64>());
        let deviation = (drawn * share * (1.0 - share)).max(1.0).sqrt();
        if (found as f64 - drawn * share).abs() <= DEVIATIONS * deviation {
            return Ok(());
        }
        Err(format!(
            "{found} of {drawn} states drawn at random have a distance, but by the layers some {:.0} should",
            drawn * share
        ))
    }

    /// Checks that the number of states with each value is the one that the layers give.
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
                "{} states have the value {value}, but the layers have {}",
                at_value[value], expected[value]
            )),
        }
    }
}

/// Describes the first difference between the layers of two searches.
fn difference(recorded: &Layers, counted: &Layers) -> String {
    let at = |layers: &Layers, depth: usize| layers.states.get(depth).copied().unwrap_or(0);
    let most = recorded.states.len().max(counted.states.len());
    match (0..most).find(|&depth| at(recorded, depth) != at(counted, depth)) {
        Some(depth) => format!(
            "its description has {} states at distance {depth}, but a new search finds {}",
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
    fn a_table_without_most_of_its_distances_is_found_by_a_sample() {
        for encoding in [Encoding::Mod3, Encoding::Byte] {
            let mut table = table(encoding);
            let options = VerifyOptions { states: 100, ..VerifyOptions::default() };
            let verify =
                |table: &DistanceTable| table.verify(&options, &Signals::default(), &mut |_| {});
            assert!(!verify(&table).unwrap().all);
            let goal = table.abstraction().goals()[0];
            let ranks = 0..table.space().states();
            // Without the goal every state agrees with its neighbours.
            for kept in [Some(goal), None] {
                for rank in ranks.clone() {
                    let state = table.space().unrank(rank);
                    let value = (kept == Some(state)).then_some(0);
                    table.set(&state, value);
                }
                let error = verify(&table).unwrap_err();
                assert!(matches!(error, VerifyError::Wrong(_)), "{error}");
            }
        }
    }

    #[test]
    fn a_state_without_a_nearer_neighbour_is_found_by_looking_at_it() {
        // If all neighbours are one closer, a distance one less differs from none by more than one.
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
                assert!(found.unwrap_err().contains("no neighbour is closer"));
                table.set(&state, Some(here));
                tried += 1;
            }
        }
        assert!(tried > 10, "{tried} peaks");
    }
}
