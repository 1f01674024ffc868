//! What all families of learned weights have in common: their numbers, their text, and how beams
//! follow them.

use std::fmt::Write;

use hyperslide_puzzle::{MAX_VERTICES, Puzzle, State, VertexSet, shorten};
use thiserror::Error;

use super::{Heuristic, HeuristicError, Incremental};

/// The label on each vertex; what empty ones have means nothing.
pub(crate) type Cells = [u8; MAX_VERTICES];

/// A state's cells, and which of these vertices are empty.
pub(crate) fn cells_on(vertices: VertexSet, state: &State) -> (Cells, VertexSet) {
    let mut cells = [0; MAX_VERTICES];
    state.tokens().for_each(|(vertex, label)| cells[vertex.index()] = label.index() as u8);
    (cells, vertices - state.occupied())
}

/// The number of a weight in its family.
pub(crate) type WeightNumber = u16;

/// The binary logarithm of a written move.
pub(crate) const UNIT_BITS: u32 = 6;
const UNIT: f32 = (1 << UNIT_BITS) as f32;

/// What is made for a puzzle, if the family is for it.
pub(super) type Built<T> = Result<Box<T>, HeuristicError>;

/// A family of weights: which there are, and what each counts.
pub struct WeightFamily {
    /// The name of the heuristic that goes by them and, if it has several families, where it does.
    pub name: &'static str,
    /// Above all numbers of weights.
    pub(crate) count: usize,
    /// The numbers that are in use, in the order in which weights are written.
    pub(crate) used: fn() -> Vec<WeightNumber>,
    /// Numbers of one row are written on one line.
    pub(crate) row: fn(usize) -> usize,
    /// Where learning starts, in moves.
    pub(crate) plain: fn() -> Vec<f32>,
    /// Which weights count in the states of a puzzle.
    pub(crate) numbers: fn(&Puzzle) -> Built<dyn Numbers>,
    /// The heuristic of a puzzle.
    pub(crate) build: fn(&Puzzle, &LearnedWeights) -> Built<dyn Heuristic>,
}

/// Which weights count in the states of a puzzle.
pub(crate) trait Numbers: Send + Sync {
    /// Calls with the number of each weight that counts in a state, as often as it does.
    fn each(&self, cells: &Cells, empty: VertexSet, call: &mut dyn FnMut(WeightNumber));
}

/// What counts for how much in a state: one set for all boards.
///
/// Written, a weight is a whole number of 64ths of a move; text after `#` is left out.
#[derive(Clone)]
pub struct LearnedWeights {
    /// Which there are.
    pub(crate) family: &'static WeightFamily,
    /// In moves, by number.
    pub(crate) values: Vec<f32>,
}

/// Why a text is not a [`LearnedWeights`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Something in it is not a number.
    #[error("'{0}' is not a weight: write a whole number from -32768 to 32767")]
    NoNumber(String),
    /// There are more or fewer.
    #[error("{found} weights instead of {wanted}: write them as the learner does")]
    Count {
        /// As many as there are.
        found: usize,
        /// As many as the family has.
        wanted: usize,
    },
}

impl LearnedWeights {
    /// Where learning starts.
    pub fn plain(family: &'static WeightFamily) -> LearnedWeights {
        LearnedWeights { family, values: (family.plain)() }
    }

    /// Reads weights as [`LearnedWeights::to_text`] writes them.
    ///
    /// # Errors
    ///
    /// When something is not a number, or when there are not as many as the family has.
    pub fn read(family: &'static WeightFamily, text: &str) -> Result<LearnedWeights, WeightsError> {
        let words = text.lines().flat_map(|line| {
            line.split_once('#').map_or(line, |(before, _)| before).split_whitespace()
        });
        let read = |word: &str| {
            let no_number = |_| WeightsError::NoNumber(shorten(word));
            word.parse::<i16>().map_err(no_number)
        };
        let read = words.map(read).collect::<Result<Vec<_>, _>>()?;
        let used = (family.used)();
        if read.len() != used.len() {
            return Err(WeightsError::Count { found: read.len(), wanted: used.len() });
        }
        let mut values = vec![0.0; family.count];
        for (&number, value) in used.iter().zip(read) {
            values[number as usize] = f32::from(value) / UNIT;
        }
        Ok(LearnedWeights { family, values })
    }

    /// All weights, as they are read.
    pub fn to_text(&self) -> String {
        let name = self.family.name;
        let mut text = format!(
            "# Weights of the heuristic {name}, 64ths of a move; which is which: see its source.\n"
        );
        let mut last = None;
        for number in (self.family.used)() {
            let row = (self.family.row)(number as usize);
            let space = if last.replace(row) == Some(row) { " " } else { "\n" };
            write!(text, "{space}{}", self.fixed(number)).expect("a string grows");
        }
        text.push('\n');
        text
    }

    /// A weight as it is written; 0 above all numbers.
    pub(crate) fn fixed(&self, number: WeightNumber) -> i16 {
        self.values.get(number as usize).map_or(0, |value| (value * UNIT).round() as i16)
    }
}

/// What a slide makes of a state.
pub(crate) struct Change {
    /// By how much it changes [`Followed::rest`].
    pub rest: i32,
    /// What there is to add to the rest after it, for the tokens around empty vertices.
    pub around: i32,
    /// By how much it changes the distance: -1, 0 or 1.
    pub distance: i32,
}

/// The tables of weights for one puzzle, a move being 64, which beams follow slide by slide.
///
/// A state's value is that of the tokens around empty vertices, which each slide makes anew, and a
/// rest that it changes.
pub(crate) trait Followed: Send + Sync {
    /// What is kept from one state to the next to save work.
    type Seen: Default;

    /// The value of a state but for the tokens around empty vertices, less the goal's value.
    fn rest(&self, state: &State) -> i32;

    /// The sum of a state's weights less the goal's.
    fn value(&self, state: &State) -> i32;

    /// The sum of the distances that the tokens of a state have to go.
    fn distance(&self, state: &State) -> u32;

    /// Calls with what each of some slides makes of a state, given where it begins and ends.
    fn slides(
        &self,
        cells: &Cells,
        empty: VertexSet,
        slides: impl Iterator<Item = (u8, u8)>,
        seen: &mut Self::Seen,
        call: impl FnMut(Change),
    );

    /// These tables for a beam.
    fn incremental(&self) -> Incremental<'_>;

    /// Bytes of the tables.
    fn bytes(&self) -> u64;

    /// The estimate of a state in moves, below 8,192: its value, or its distance where that is
    /// more; 0 for the goal. A token that cannot get home counts as 255 moves away.
    fn estimate(&self, state: &State) -> u32 {
        /// Above all estimates.
        const BOUND: u32 = 8_192;

        let distance = self.distance(state);
        if distance == 0 {
            return 0;
        }
        let moves = self.value(state).max(0).cast_unsigned() >> UNIT_BITS;
        moves.max(distance).min(BOUND - 1)
    }
}

/// An estimate that is not a lower bound: the value of a state, or its distance where that is more.
///
/// Beam search follows the weights slide by slide instead.
pub(super) struct Weighted<T>(pub T);

impl<T: Followed> Heuristic for Weighted<T> {
    fn estimate(&self, state: &State) -> Option<u32> {
        Some(self.0.estimate(state))
    }

    fn incremental(&self) -> Option<Incremental<'_>> {
        Some(self.0.incremental())
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use hyperslide_testkit::Random;

    use super::super::WEIGHT_FAMILIES;
    use super::*;

    /// Checks that a puzzle's goal counts nothing, and that what slides say of a random walk from
    /// there adds up to the values and distances of its states.
    pub fn check_changes<W: Followed>(puzzle: &Puzzle, weights: &W) {
        let mut random = Random::new(5);
        let mut state = *puzzle.goal().labelled();
        let goal = (weights.value(&state), weights.distance(&state));
        assert_eq!(goal, (0, 0), "the goal counts nothing");
        let (mut rest, mut distance) = (weights.rest(&state), 0);
        let mut seen = W::Seen::default();
        let mut greatest = 0;
        for _ in 0..2_000 {
            let moves: Vec<_> = puzzle.board().legal_moves(&state).into_iter().collect();
            let drawn = random.below(moves.len());
            let (cells, empty) = cells_on(puzzle.board().vertex_set(), &state);
            // Each change is as if the others had not been asked for.
            let mut changes = Vec::new();
            let slides = moves.iter().map(|mv| (mv.from.index() as u8, mv.to.index() as u8));
            weights.slides(&cells, empty, slides, &mut seen, |change| changes.push(change));
            let change = &changes[drawn];
            rest += change.rest;
            distance += change.distance;
            state.slide(moves[drawn]);
            let value = weights.value(&state);
            assert_eq!(value, rest + change.around, "{}", puzzle.write_state(&state));
            assert_eq!(weights.rest(&state), rest);
            assert_eq!(weights.distance(&state), distance as u32);
            greatest = greatest.max(value);
        }
        assert!(greatest > 0);
    }

    /// Checks that the weights of a family that count in the states of a random walk add up to the
    /// values of its tables.
    pub fn check_numbers<W: Followed>(puzzle: &Puzzle, learned: &LearnedWeights, weights: &W) {
        let numbers = (learned.family.numbers)(puzzle).unwrap();
        let sum = |state: &State| {
            let (cells, empty) = cells_on(puzzle.board().vertex_set(), state);
            let mut sum = 0;
            numbers.each(&cells, empty, &mut |number| sum += i32::from(learned.fixed(number)));
            sum
        };
        let mut random = Random::new(6);
        let mut state = *puzzle.goal().labelled();
        let goal = sum(&state);
        for _ in 0..500 {
            let moves: Vec<_> = puzzle.board().legal_moves(&state).into_iter().collect();
            state.slide(moves[random.below(moves.len())]);
            assert_eq!(weights.value(&state), sum(&state) - goal, "{}", puzzle.write_state(&state));
        }
    }

    #[test]
    fn weights_are_read_as_they_are_written() {
        for family in WEIGHT_FAMILIES {
            let text = LearnedWeights::plain(family).to_text();
            assert!(LearnedWeights::read(family, &text).unwrap().to_text() == text);
        }
    }

    #[test]
    fn texts_that_are_no_weights_are_refused() {
        for family in WEIGHT_FAMILIES {
            let text = LearnedWeights::plain(family).to_text();
            let wanted = (family.used)().len();
            let more = LearnedWeights::read(family, &format!("{text} 3")).err();
            assert_eq!(more, Some(WeightsError::Count { found: wanted + 1, wanted }));
            for wrong in ["x", "1.5", "32768"] {
                let error = LearnedWeights::read(family, &format!("{text} {wrong}")).err();
                assert_eq!(error, Some(WeightsError::NoNumber(wrong.to_owned())));
            }
        }
    }
}
