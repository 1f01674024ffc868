//! Value iteration as the paper on the 15-puzzle prints it, to show that its values are distances.

use hyperslide_puzzle::State;
use hyperslide_table::{Abstraction, Space};
use rustc_hash::FxHashSet;

/// What happens in a state that meets the goal; the paper has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalReading {
    /// Algorithm 1 as printed: one has to move on, and gets the reward again for coming back. Next
    /// to no other goal state V(goal) = 1 / (1 - discount^2).
    MovesOn,
    /// What the proof of Theorem 3 takes for granted (V = the sum of discount^t from t = distance
    /// on): one stays, and V(goal) = 1 / (1 - discount).
    Absorbs,
}

/// The values of the states of a space.
#[derive(Clone, Debug)]
pub struct StateValues {
    /// By the states' numbers; 0 where no moves lead to the goal.
    pub values: Vec<f64>,
    /// How often all states were gone through.
    pub sweeps: u32,
    discount: f64,
    at_goal: f64,
}

impl StateValues {
    /// The number of moves to the goal that the value of a state stands for: the k of V = V(goal)
    /// discount^k.
    pub fn distance(&self, number: usize) -> Option<u32> {
        let share = self.values[number] / self.at_goal;
        (share > 0.0).then(|| (share.ln() / self.discount.ln()).round() as u32)
    }
}

/// Value iteration (Bischoff et al., Algorithm 1): V(s) = r(s) + discount * max V(s'), from 0 on,
/// until nothing changes; r is 1 at the goal and 0 elsewhere. All moves count.
///
/// Values never fall from one sweep to the next, and rounding keeps the order of numbers, so that
/// it ends. Time O(sweeps x moves between the states), memory 4 bytes a move: for small spaces.
///
/// # Panics
///
/// When there are 2^32 states or more.
pub fn value_iteration(
    abstraction: &Abstraction,
    space: &Space,
    reading: GoalReading,
    discount: f64,
) -> StateValues {
    let states = u32::try_from(space.states()).expect("value iteration is for small spaces");
    let number = |state: &State| space.rank(state).map(|rank| rank as u32);
    let goals: FxHashSet<u32> = abstraction.goals().iter().filter_map(number).collect();
    let successors: Vec<Vec<u32>> = (0..states)
        .map(|own| match reading {
            GoalReading::Absorbs if goals.contains(&own) => vec![own],
            _ => successors(abstraction, space, own),
        })
        .collect();
    let mut values = vec![0.0f64; states as usize];
    let mut sweeps = 0;
    loop {
        let value = |(own, next): (u32, &Vec<u32>)| {
            let best = next.iter().map(|&to| values[to as usize]).fold(0.0, f64::max);
            f64::from(u8::from(goals.contains(&own))) + discount * best
        };
        let new: Vec<f64> = (0..).zip(&successors).map(value).collect();
        sweeps += 1;
        let is_done = new == values;
        values = new;
        if is_done {
            break;
        }
    }
    let at_goal = goals.iter().map(|&goal| values[goal as usize]).fold(0.0, f64::max);
    StateValues { values, sweeps, discount, at_goal }
}

/// Where the moves of tokens that are not settled lead from the state with this number.
fn successors(abstraction: &Abstraction, space: &Space, own: u32) -> Vec<u32> {
    let state = space.unrank(u128::from(own));
    let moves = abstraction.puzzle().board().legal_moves(&state).into_iter();
    let played = moves.filter(|mv| !abstraction.walls().contains(mv.from)).map(|mv| {
        let mut next = state;
        next.slide(mv);
        next
    });
    played.filter_map(|next| space.rank(&next)).map(|rank| rank as u32).collect()
}
