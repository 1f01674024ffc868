//! A model of how people move: the next move of a play is drawn by a softmax of features of what
//! each legal move does, and the time it takes is log-normal.
//!
//! The features are those that a person can see without searching; none needs a table of distances.
//! The weights are learned from plays in `hyperslide-plays`.

use std::fmt;
use std::str::FromStr;

use hashbrown::HashSet;
use hyperslide_puzzle::{Move, Puzzle, State};
use rustc_hash::FxBuildHasher;

use crate::heuristics::{Heuristic, HeuristicChoice, Resources};
use crate::settings::Unreadable;

/// What a move does: the change of the lone-token estimate of the distance in moves; whether its
/// token arrives at its goal vertex; whether it leaves it; whether the move takes the last one
/// back; whether the position was seen before in this play; whether the token is the one that moved
/// last; and the change of the number of legal moves.
pub const MOVE_FEATURES: [&str; 7] =
    ["change", "arrives", "leaves", "back", "seen", "same", "room"];

/// What the time of a move depends on: a constant; whether another token moves than before; whether
/// the move takes the last one back; whether it comes nearer by the estimate; and the logarithm of
/// the number of legal moves.
pub const TIME_FEATURES: [&str; 5] = ["constant", "other", "back", "nearer", "choice"];

/// The weights of the softmax: the chance of a move is proportional to the exponential of the
/// weighted sum of its features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveWeights(pub [f64; MOVE_FEATURES.len()]);

/// `change=-1.5,arrives=0.2,...`, each feature once.
impl fmt::Display for MoveWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, weight)) in MOVE_FEATURES.iter().zip(self.0).enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(f, "{comma}{name}={weight:.4}")?;
        }
        Ok(())
    }
}

impl FromStr for MoveWeights {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<MoveWeights, Unreadable> {
        let mut weights = [None; MOVE_FEATURES.len()];
        for part in text.split(',') {
            let (name, weight) = part.trim().split_once('=').ok_or(Unreadable)?;
            let place = MOVE_FEATURES.iter().position(|known| *known == name).ok_or(Unreadable)?;
            let weight: f64 = weight.parse().map_err(|_| Unreadable)?;
            if !weight.is_finite() || weight.abs() > 100.0 || weights[place].is_some() {
                return Err(Unreadable);
            }
            weights[place] = Some(weight);
        }
        let mut all = [0.0; MOVE_FEATURES.len()];
        for (weight, given) in all.iter_mut().zip(weights) {
            *weight = given.ok_or(Unreadable)?;
        }
        Ok(MoveWeights(all))
    }
}

impl MoveWeights {
    /// The chance of each option; they add up to 1.
    pub fn chances(&self, options: &[MoveOption]) -> Vec<f64> {
        let sum = |option: &MoveOption| -> f64 {
            self.0.iter().zip(option.features).map(|(weight, feature)| weight * feature).sum()
        };
        let sums: Vec<f64> = options.iter().map(sum).collect();
        let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut chances: Vec<f64> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let total: f64 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= total);
        chances
    }
}

/// A legal move and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveOption {
    /// The move.
    pub mv: Move,
    /// The values of [`MOVE_FEATURES`].
    pub features: [f64; MOVE_FEATURES.len()],
}

impl MoveOption {
    /// The values of [`TIME_FEATURES`], for the given number of legal moves.
    pub fn time_features(&self, options: usize) -> [f64; TIME_FEATURES.len()] {
        let [change, _, _, back, _, same, _] = self.features;
        [1.0, 1.0 - same, back, f64::from(change < 0.0), (options.max(1) as f64).ln()]
    }
}

/// A play that goes on move by move.
pub struct PlayWalk<'a> {
    puzzle: &'a Puzzle,
    heuristic: Box<dyn Heuristic>,
    state: State,
    last: Option<Move>,
    seen: HashSet<State, FxBuildHasher>,
}

impl<'a> PlayWalk<'a> {
    /// A play at its start.
    #[expect(clippy::missing_panics_doc, reason = "the distances of lone tokens suit any puzzle")]
    pub fn new(puzzle: &'a Puzzle) -> PlayWalk<'a> {
        let heuristic = HeuristicChoice::default().build(puzzle, &Resources::default());
        let heuristic = heuristic.expect("the distances of lone tokens suit any puzzle");
        let mut walk = PlayWalk {
            puzzle,
            heuristic,
            state: *puzzle.start(),
            last: None,
            seen: HashSet::default(),
        };
        walk.seen.insert(walk.state);
        walk
    }

    /// Goes back to the start and forgets what was seen.
    pub fn begin_again(&mut self) {
        self.state = *self.puzzle.start();
        self.last = None;
        self.seen.clear();
        self.seen.insert(self.state);
    }

    /// Where the play is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The most bytes held so far: when the set of positions grew to its size, the one before, half
    /// as large, was held as well.
    pub fn bytes(&self) -> u64 {
        self.seen.allocation_size() as u64 * 3 / 2
    }

    /// All legal moves, ascending, and what each does. Time O(moves squared).
    pub fn options(&self) -> Vec<MoveOption> {
        let board = self.puzzle.board();
        let moves = board.legal_moves(&self.state);
        let goal = self.puzzle.goal().labelled();
        let here = self.heuristic.estimate(&self.state);
        let truth = |holds: bool| f64::from(u8::from(holds));
        let option = |&mv: &Move| {
            let label = self.state.label_at(mv.from);
            let mut next = self.state;
            next.slide(mv);
            let there =
                here.and_then(|here| self.heuristic.after_move(here, &self.state, label?, mv));
            // From where a token cannot reach its goal, all ways are alike.
            let change =
                here.zip(there).map_or(0.0, |(here, there)| f64::from(there) - f64::from(here));
            let is_home = |vertex| label.is_some() && goal.label_at(vertex) == label;
            let taken_back = self.last == Some(Move { from: mv.to, to: mv.from });
            let room = board.legal_moves(&next).len() as f64 - moves.len() as f64;
            MoveOption {
                mv,
                features: [
                    change,
                    truth(is_home(mv.to)),
                    truth(is_home(mv.from)),
                    truth(taken_back),
                    truth(self.seen.contains(&next)),
                    truth(self.last.is_some_and(|last| last.to == mv.from)),
                    room,
                ],
            }
        };
        moves.iter().map(option).collect()
    }

    /// Makes a legal move.
    pub fn make(&mut self, mv: Move) {
        self.state.slide(mv);
        self.last = Some(mv);
        self.seen.insert(self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_they_are_written() {
        let weights = MoveWeights([-1.5, 0.25, 0.0, -2.0, -1.0, 0.125, 0.5]);
        assert_eq!(weights.to_string().parse(), Ok(weights));
        for wrong in ["", "change=1", "change=1,change=1", "x=1"] {
            assert!(wrong.parse::<MoveWeights>().is_err(), "{wrong}");
        }
        let nan = weights.to_string().replace("-1.5000", "NaN");
        assert!(nan.parse::<MoveWeights>().is_err());
    }

    #[test]
    fn features_say_what_a_move_does() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0").unwrap();
        let mut walk = PlayWalk::new(&puzzle);
        let of = |walk: &PlayWalk<'_>, from: usize| {
            let options = walk.options();
            options.iter().find(|option| option.mv.from.index() == from).unwrap().features
        };
        // 7 goes home, and from the corner to the edge there is one legal move more.
        assert_eq!(of(&walk, 7), [-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        // 4 leaves home.
        assert_eq!(of(&walk, 3), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let home = walk.options()[1].mv;
        walk.make(home);
        // To take 7 back leads to what was seen.
        assert_eq!(of(&walk, 6), [1.0, 0.0, 1.0, 1.0, 1.0, 1.0, -1.0]);
        let chances = MoveWeights([-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).chances(&walk.options());
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(chances[2] > 0.9, "{chances:?}");
    }
}
