//! Checking a finished table against the rules.

use std::ops::ControlFlow;

use hyperslide_puzzle::State;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::distances::Encoding;
use crate::kernel::Path;
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::table::DistanceTable;

/// How thoroughly to verify.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// States whose neighbours are looked at; all of them when the table has no more.
    pub states: u64,
    /// States from which the goal is walked to.
    pub descents: u64,
    /// Which states are drawn.
    pub seed: u64,
}

impl Default for VerifyOptions {
    fn default() -> VerifyOptions {
        VerifyOptions { states: 10_000_000, descents: 1_000, seed: 0 }
    }
}

/// What was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verification {
    /// States whose neighbours were looked at.
    pub states: u64,
    /// Whether these were all.
    pub all: bool,
    /// States from which the goal was reached in exactly as many moves as the table says.
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
    /// # Errors
    ///
    /// What is wrong, in a sentence.
    pub fn verify(
        &self,
        options: &VerifyOptions,
        signals: &Signals<'_>,
    ) -> Result<Verification, String> {
        let counted = self.count_again(signals)?;
        if counted != *self.layers() {
            return Err(difference(self.layers(), &counted));
        }
        let states = self.space().states();
        let all = states <= u128::from(options.states);
        let mut random = SplitMix64::seed_from_u64(options.seed);
        let mut draw = || self.space().unrank(u128::from(random.next_u64()) % states);
        let checked = if all { states as u64 } else { options.states };
        let mut at_value = [0u64; 256];
        for number in 0..checked {
            if number % 4096 == 0 && signals.cancel.load(std::sync::atomic::Ordering::Relaxed) {
                return Err("cancelled before the end".to_owned());
            }
            let state = if all { self.space().unrank(u128::from(number)) } else { draw() };
            self.check_state(&state)?;
            if let Some(value) = self.stored(&state) {
                at_value[value as usize] += 1;
            }
        }
        if all {
            self.check_counts(&at_value)?;
        }
        let mut descents = 0;
        let mut tries = 0;
        while descents < options.descents && tries < 100 * options.descents {
            tries += 1;
            let state = draw();
            let Some(value) = self.stored(&state) else { continue };
            let cost = self.cost_of_descent(&state).ok_or_else(|| {
                format!("from {state:?} no moves lead to the goal by ever smaller distances")
            })?;
            let is_right = match self.encoding() {
                Encoding::Byte => cost == u32::from(value),
                Encoding::Mod3 => cost % 3 == u32::from(value),
            };
            if !is_right || cost > self.layers().depth() {
                return Err(format!("{state:?} is {cost} moves away and the table says {value}"));
            }
            descents += 1;
        }
        Ok(Verification { states: checked, all, descents })
    }

    fn count_again(&self, signals: &Signals<'_>) -> Result<Layers, String> {
        let goals: Vec<State> = self
            .abstraction()
            .goals()
            .iter()
            .copied()
            .filter(|goal| self.space().rank(goal).is_some())
            .collect();
        let options =
            SearchOptions { path: Path::Portable, in_place: false, ..SearchOptions::default() };
        let search = BreadthFirst::new(self.space(), options);
        let mut search = search.map_err(|error| format!("cannot count again: {error}"))?;
        search.start(&goals).map_err(|error| error.to_string())?;
        let depth = self.layers().depth();
        let is_cut = !self.layers().complete;
        if !is_cut || depth > 0 {
            search.run(signals, |search| {
                if is_cut && search.layers().depth() >= depth {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        if signals.cancel.load(std::sync::atomic::Ordering::Relaxed) {
            return Err("cancelled before the end".to_owned());
        }
        Ok(search.layers().clone())
    }

    /// The local conditions at one state.
    fn check_state(&self, state: &State) -> Result<(), String> {
        let value = self.stored(state);
        let region = self.space().region(state);
        let is_goal = region.iter().any(|state| self.abstraction().goals().contains(state));
        if is_goal && value != Some(0) {
            return Err(format!("the goal {state:?} has distance {value:?}"));
        }
        let mut has_nearer = is_goal;
        for (_, next) in self.slides(&region) {
            let other = self.stored(&next);
            let (Some(here), Some(there)) = (value, other) else {
                // A table that was cut off ends somewhere.
                if value.is_some() != other.is_some() && self.layers().complete {
                    return Err(format!(
                        "{state:?} was reached and {next:?} was not, or the reverse"
                    ));
                }
                continue;
            };
            let step = match self.encoding() {
                Encoding::Byte => i16::from(there) - i16::from(here),
                Encoding::Mod3 => [0, 1, -1][(3 + there - here) as usize % 3],
            };
            if step.abs() > 1 {
                return Err(format!("{state:?} has {here} and its neighbour {next:?} has {there}"));
            }
            has_nearer |= step == -1;
        }
        if value.is_some() && !has_nearer {
            return Err(format!("{state:?} has {value:?} and no neighbour is nearer"));
        }
        Ok(())
    }

    /// Whether as many states have each value as the layers say.
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
fn difference(told: &Layers, counted: &Layers) -> String {
    let at = |layers: &Layers, depth: usize| layers.states.get(depth).copied().unwrap_or(0);
    let most = told.states.len().max(counted.states.len());
    match (0..most).find(|&depth| at(told, depth) != at(counted, depth)) {
        Some(depth) => format!(
            "it says that {} states are at distance {depth}, and a new search finds {}",
            at(told, depth),
            at(counted, depth)
        ),
        None => {
            "whether its layers are all there is differs from what a new search finds".to_owned()
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
                table.verify(&VerifyOptions::default(), &Signals::default())
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
                    assert!(verify(&table).is_err(), "{encoding} bits: {state:?} has {value:?}");
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
