use std::collections::BTreeSet;
use std::fmt::Write;
use std::str::FromStr;
use std::sync::LazyLock;

use thiserror::Error;

/// Vertices of the longest line.
pub(crate) const LONGEST: usize = 8;
/// Classes of the tokens on a line: the goal wants it on this line, on one beside it, or farther off.
const CLASSES: usize = 3;
/// The class of a line's own tokens.
const OWN: usize = 0;
/// Numbers of the kinds of a line's tokens: their place at the goal along the line, and their class.
pub(super) const KINDS: usize = LONGEST * CLASSES;
/// Numbers of a token of a line: its kind and its place.
pub(super) const SPOTS: usize = KINDS * LONGEST;

/// Ways along a line, there and back.
const WAYS: usize = 2 * LONGEST - 1;
/// What a pair's weight looks at in one token: its class, and its way along the line.
const SIDES: usize = CLASSES * WAYS;
/// Numbers of steps along and across.
const STEPS: usize = LONGEST * LONGEST;

const FIRST_HOME: usize = STEPS;
const FIRST_EMPTY: usize = FIRST_HOME + WAYS;
const FIRST_PAIR: usize = FIRST_EMPTY + STEPS;
/// Above all numbers of weights.
pub(crate) const WEIGHTS: usize = FIRST_PAIR + (LONGEST - 1) * SIDES * SIDES;

/// The number of a weight, below [`WEIGHTS`].
pub(crate) type WeightNumber = u16;

/// What counts for how much in a state: one set for all boards.
///
/// A token away from home counts by its steps from there along and across, whichever are which, and by the steps of its home
/// from the goal's empty vertex; the empty vertex by its steps from there. Two tokens of one row or column count by how far
/// apart they are, how far each of them has to go along the line, and whether the goal wants each of them on that
/// line, on one beside it or farther off. Mirrored pairs are one.
///
/// Written, a weight is a whole number of 64ths of a move; text after `#` is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ConflictWeights {
    /// In moves, by number.
    pub(crate) values: Vec<f32>,
}

/// The binary logarithm of a written move.
pub(crate) const UNIT_BITS: u32 = 6;
const UNIT: f32 = (1 << UNIT_BITS) as f32;

/// A text that is no [`ConflictWeights`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Something in it is no number.
    #[error("'{0}' is no weight: write a whole number from -32768 to 32767")]
    NoNumber(String),
    /// There are more or fewer.
    #[error("{found} weights instead of {}: write them as the learner does", USED.len())]
    Count {
        /// As many as there are.
        found: usize,
    },
}

/// A token of a line, all along the line.
#[derive(Clone, Copy)]
struct OnLine {
    at: usize,
    /// The place of its vertex at the goal, which is on the line only for a token that is the line's own.
    target: usize,
    class: usize,
}

impl OnLine {
    fn new(spot: usize) -> OnLine {
        let (kind, at) = (spot / LONGEST, spot % LONGEST);
        OnLine { at, target: kind % LONGEST, class: kind / LONGEST }
    }
}

/// The kind of a token that the goal wants at a place along the line, so many lines off.
pub(super) fn kind(target: usize, lines_off: usize) -> usize {
    lines_off.min(CLASSES - 1) * LONGEST + target
}

/// The number of a token of a line, below [`SPOTS`].
#[inline]
pub(super) fn spot(kind: usize, at: usize) -> usize {
    kind * LONGEST + at
}

fn of_steps(along: usize, across: usize) -> usize {
    along.max(across) * LONGEST + along.min(across)
}

/// The weight of a token so many steps from home.
pub(super) fn of_token(along: usize, across: usize) -> WeightNumber {
    of_steps(along, across) as WeightNumber
}

/// The weight of a token whose home is so many steps from the goal's empty vertex.
pub(super) fn of_home(steps: usize) -> WeightNumber {
    (FIRST_HOME + steps) as WeightNumber
}

/// The weight of the empty vertex so many steps from where the goal wants it.
pub(super) fn of_empty(along: usize, across: usize) -> WeightNumber {
    (FIRST_EMPTY + of_steps(along, across)) as WeightNumber
}

/// The weight of two tokens of a line; `None` when no line has them.
fn of_pair(one: OnLine, other: OnLine) -> Option<usize> {
    let are_one = one.class == OWN && other.class == OWN && one.target == other.target;
    if one.at == other.at || are_one {
        return None;
    }
    let (one, other) = if one.at < other.at { (one, other) } else { (other, one) };
    let number = |one_way: usize, one: usize, other_way: usize, other: usize| {
        let sides = (one * WAYS + one_way) * SIDES + other * WAYS + other_way;
        FIRST_PAIR + sides
    };
    let forth = |token: OnLine| LONGEST - 1 + token.target - token.at;
    let back = |token: OnLine| LONGEST - 1 + token.at - token.target;
    let mirrored = number(back(other), other.class, back(one), one.class);
    let number = number(forth(one), one.class, forth(other), other.class).min(mirrored);
    Some((other.at - one.at - 1) * SIDES * SIDES + number)
}

/// By the [`spot`]s of two tokens the number of the weight of the pair, [`WEIGHTS`] when no line has it.
pub(super) static OF_PAIRS: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| {
    let pair = |index| of_pair(OnLine::new(index / SPOTS), OnLine::new(index % SPOTS));
    (0..SPOTS * SPOTS).map(|index| pair(index).unwrap_or(WEIGHTS) as WeightNumber).collect()
});

/// The numbers that are in use, in the order in which weights are written.
static USED: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| {
    let steps = || (1..LONGEST).flat_map(|far| (0..=far).map(move |near| (far, near)));
    let mut used: BTreeSet<_> = OF_PAIRS.iter().copied().collect();
    used.remove(&(WEIGHTS as WeightNumber));
    used.extend(steps().map(|(far, near)| of_token(far, near)));
    used.extend((1..WAYS).map(of_home));
    used.extend(steps().map(|(far, near)| of_empty(far, near)));
    used.into_iter().collect()
});

impl ConflictWeights {
    /// Those that the heuristic `weighted-conflicts` goes by.
    pub fn learnt() -> &'static ConflictWeights {
        static LEARNT: LazyLock<ConflictWeights> = LazyLock::new(|| {
            include_str!("weights.txt").parse().expect("a test reads the weights")
        });
        &LEARNT
    }

    /// Where learning starts: long distances count more, and tokens that have to pass each other. The numbers
    /// are rounded from what an evolution strategy found.
    pub fn plain() -> ConflictWeights {
        /// Pairs that have to pass each other, by how many of the two are the line's own.
        const PASSING: [f32; 3] = [0.1, 0.3, 2.0];

        let mut values = vec![0.0; WEIGHTS];
        for (along, across) in (0..STEPS).map(|steps| (steps / LONGEST, steps % LONGEST)) {
            let distance = (along + across) as f32;
            values[of_token(along, across) as usize] =
                distance / 3.0 + distance.powi(2) / 24.0 + distance.powi(3) / 60.0;
        }
        for index in 0..SPOTS * SPOTS {
            let (one, other) = (OnLine::new(index / SPOTS), OnLine::new(index % SPOTS));
            let pass = one.at < other.at && one.target > other.target;
            if pass && let Some(number) = of_pair(one, other) {
                let own = [one, other].iter().filter(|token| token.class == OWN).count();
                values[number] = PASSING[own];
            }
        }
        ConflictWeights { values }
    }

    /// All weights, as they are read.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# Weights of the heuristic weighted-conflicts, 64ths of a move; which is which: weights.rs.\n",
        );
        let row = |number: usize| match number.checked_sub(FIRST_PAIR) {
            Some(pair) => FIRST_PAIR + pair / WAYS,
            None if number >= FIRST_EMPTY => FIRST_EMPTY + (number - FIRST_EMPTY) / LONGEST,
            None if number >= FIRST_HOME => FIRST_HOME,
            None => number / LONGEST,
        };
        let mut last = None;
        for &number in USED.iter() {
            let number = number as usize;
            let same = last.replace(row(number)) == Some(row(number));
            let space = if same { " " } else { "\n" };
            let value = (self.values[number] * UNIT).round() as i16;
            write!(text, "{space}{value}").expect("a string grows");
        }
        text.push('\n');
        text
    }

    /// A weight as it is written.
    pub(super) fn fixed(&self, number: WeightNumber) -> i16 {
        self.values.get(number as usize).map_or(0, |value| (value * UNIT).round() as i16)
    }
}

impl FromStr for ConflictWeights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<ConflictWeights, WeightsError> {
        let words = text.lines().flat_map(|line| {
            line.split_once('#').map_or(line, |(before, _)| before).split_whitespace()
        });
        let read = |word: &str| {
            let no_number = |_| WeightsError::NoNumber(word.chars().take(40).collect());
            word.parse::<i16>().map_err(no_number)
        };
        let read = words.map(read).collect::<Result<Vec<_>, _>>()?;
        if read.len() != USED.len() {
            return Err(WeightsError::Count { found: read.len() });
        }
        let mut values = vec![0.0; WEIGHTS];
        for (&number, value) in USED.iter().zip(read) {
            values[number as usize] = f32::from(value) / UNIT;
        }
        Ok(ConflictWeights { values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_they_are_written() {
        for weights in [ConflictWeights::learnt(), &ConflictWeights::plain()] {
            let text = weights.to_text();
            let read: ConflictWeights = text.parse().unwrap();
            assert!(read.to_text() == text);
        }
        assert!(ConflictWeights::learnt().to_text() == include_str!("weights.txt"));
    }

    #[test]
    fn texts_that_are_no_weights_are_refused() {
        let text = ConflictWeights::plain().to_text();
        let more = format!("{text} 3");
        let count = USED.len();
        assert_eq!(more.parse::<ConflictWeights>(), Err(WeightsError::Count { found: count + 1 }));
        for wrong in ["x", "1.5", "32768"] {
            let error = format!("{text} {wrong}").parse::<ConflictWeights>().unwrap_err();
            assert_eq!(error, WeightsError::NoNumber(wrong.to_owned()));
        }
    }

    /// Two tokens of a line, their places and homes along it: what the weight's number must and must not tell apart.
    #[test]
    fn pairs_have_one_weight_where_they_are_alike() {
        let pair = |[at, target, off]: [usize; 3],
                    [other_at, other_target, other_off]: [usize; 3]| {
            let one = spot(kind(target, off), at);
            let other = spot(kind(other_target, other_off), other_at);
            assert_eq!(OF_PAIRS[one * SPOTS + other], OF_PAIRS[other * SPOTS + one]);
            OF_PAIRS[one * SPOTS + other]
        };
        let reference = pair([1, 3, 0], [2, 0, 1]);
        assert_eq!(pair([4, 6, 0], [5, 3, 1]), reference, "elsewhere on the line");
        assert_eq!(pair([5, 7, 1], [6, 4, 0]), reference, "mirrored");
        for (one, other) in [
            ([1, 4, 0], [2, 0, 1]),
            ([1, 3, 1], [2, 0, 1]),
            ([1, 3, 0], [3, 1, 1]),
            ([1, 3, 0], [2, 0, 2]),
            ([2, 4, 0], [1, 0, 1]),
        ] {
            assert_ne!(pair(one, other), reference);
        }
        assert_eq!(pair([1, 3, 0], [2, 0, 2]), pair([1, 3, 0], [2, 0, 5]), "far is far");
    }
}
