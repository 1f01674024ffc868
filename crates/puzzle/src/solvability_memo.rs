//! The solvability of many puzzles on one board.

use std::ops::ControlFlow;

use crate::board::Board;
use crate::label::Label;
use crate::occupancy::{Discovery, OccupancyComponent, Unfinished};
use crate::permutation::Permutation;
use crate::permutation_group::PermutationGroup;
use crate::puzzle::Puzzle;
use crate::solvability::{Effort, Solvability, decide_by_exploring};
use crate::state::State;
use crate::vertex::{Vertex, VertexSet};
use crate::wilson;

/// Decides as [`decide_solvability`](crate::decide_solvability) does, and keeps the occupied sets
/// and the group of closed walks of the components that it has explored, whatever effort was
/// allowed for the first puzzle in one.
///
/// A group that is large but neither symmetric nor alternating takes milliseconds to complete. The
/// next puzzle whose start is in the same component takes microseconds.
///
/// It keeps components of one board and number of tokens, of at most 16,384 occupied sets together
/// in at most 3 MB, for puzzles whose tokens all have different labels and each have a goal vertex.
/// Components of at most 64 sets whose closed walks move no token are not kept, since they are
/// explored as fast as they are found. Other puzzles are decided from the beginning.
///
/// ```
/// # use hyperslide_puzzle::{Effort, Puzzle, SolvabilityMemo};
/// let mut memo = SolvabilityMemo::default();
/// let mut is_solvable = |line| {
///     let puzzle = Puzzle::from_line(line)?;
///     let decided = memo.is_solvable(&puzzle, Effort::QUICK, &|_| false);
///     Ok::<_, hyperslide_puzzle::PuzzleError>(decided)
/// };
/// assert_eq!(is_solvable("grid:2:2 1,2,3,0 -> 0,1,3,2")?, Some(true));
/// assert_eq!(is_solvable("grid:2:2 0,1,3,2 -> 0,3,1,2")?, Some(false));
/// # Ok::<(), hyperslide_puzzle::PuzzleError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SolvabilityMemo {
    of: Option<(Board, usize)>,
    components: Vec<Known>,
    /// Whether a component was too large to be kept with the others.
    is_full: bool,
}

#[derive(Clone, Debug)]
struct Known {
    component: OccupancyComponent,
    group: PermutationGroup,
}

impl SolvabilityMemo {
    /// The greatest number of occupied sets of all components together.
    const SETS: usize = 1 << 14;
    /// The sets of a component that is explored as fast as it is found.
    const FEW: usize = 64;
    /// The most that they may take.
    const BYTES: u64 = 3 << 20;

    /// Returns whether the goal can be reached, or `None` if the effort did not suffice to decide
    /// or `stop` returned true, as in [`decide_solvability`](crate::decide_solvability).
    pub fn is_solvable(
        &mut self,
        puzzle: &Puzzle,
        effort: Effort,
        stop: &dyn Fn(u64) -> bool,
    ) -> Option<bool> {
        if puzzle.goal().is_met(puzzle.start()) {
            return Some(true);
        }
        if let Some(known) = wilson::is_reachable(puzzle) {
            return Some(known);
        }
        if puzzle.has_distinct_labels()
            && puzzle.free_tokens() == 0
            && let Some(known) = self.decide(puzzle, stop)
        {
            return Some(known);
        }
        match decide_by_exploring(puzzle, effort, stop) {
            Solvability::Solvable => Some(true),
            Solvability::Unsolvable(_) => Some(false),
            Solvability::Undecided => None,
        }
    }

    /// Decides by the component of the start; `None` where it is too large to be kept.
    fn decide(&mut self, puzzle: &Puzzle, stop: &dyn Fn(u64) -> bool) -> Option<bool> {
        let (board, set) = (puzzle.board(), puzzle.start().occupied());
        if self.of.as_ref().is_none_or(|(known, tokens)| (known, *tokens) != (board, set.len())) {
            *self = SolvabilityMemo {
                of: Some((board.clone(), set.len())),
                ..SolvabilityMemo::default()
            };
        }
        if let Some(known) =
            self.components.iter().find(|known| known.component.find(set).is_some())
        {
            return Some(known.is_solvable(puzzle));
        }
        if self.is_full {
            return None;
        }
        let known = self.explore(board, set, stop)?;
        let is_solvable = known.is_solvable(puzzle);
        let is_worth_it =
            !known.group.generators().is_empty() || known.component.sets().len() > Self::FEW;
        let bytes = self.components.iter().map(Known::bytes).sum::<u64>() + known.bytes();
        match bytes <= Self::BYTES {
            true if is_worth_it => self.components.push(known),
            true => {}
            false => self.is_full = true,
        }
        Some(is_solvable)
    }

    fn explore(
        &mut self,
        board: &Board,
        set: VertexSet,
        stop: &dyn Fn(u64) -> bool,
    ) -> Option<Known> {
        let kept: usize = self.components.iter().map(|known| known.component.sets().len()).sum();
        let mut group = PermutationGroup::trivial(set.len());
        let mut on_discovery = |discovery: Discovery<'_>| {
            if let Discovery::ClosedWalk(_, _, walk) = discovery {
                group.insert_unproven(&walk);
            }
            ControlFlow::Continue(())
        };
        let left = Self::SETS - kept;
        let (component, explored) =
            OccupancyComponent::explore(board, set, left, u64::MAX, stop, &mut on_discovery);
        match explored {
            Ok(()) => {
                group.prove();
                Some(Known { component, group })
            }
            Err(Unfinished::Limit) => {
                self.is_full = true;
                None
            }
            Err(Unfinished::Stopped) => None,
        }
    }
}

impl Known {
    fn bytes(&self) -> u64 {
        self.component.bytes() + self.group.bytes()
    }

    /// Both ends are led back to the component's first set. The goal can be reached if and only if
    /// the permutation between what they become there is in the group.
    fn is_solvable(&self, puzzle: &Puzzle) -> bool {
        let (start, goal) = (puzzle.start(), puzzle.goal().labelled());
        let number = |set| self.component.find(set);
        let (Some(from), Some(to)) = (number(start.occupied()), number(goal.occupied())) else {
            return false;
        };
        let labels = |state: &State, number| -> Vec<Label> {
            let label = |&place: &u8| state.label_at(Vertex::new(place as usize)?);
            self.component.places(number).iter().filter_map(label).collect()
        };
        let wanted = labels(goal, to);
        let slot = |label| wanted.iter().position(|&other| other == label);
        let images: Option<Vec<usize>> = labels(start, from).into_iter().map(slot).collect();
        let needed = images.and_then(|images| Permutation::from_images(&images));
        self.group.contains(&needed.expect("start and goal have the same tokens"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a face has more vertices than are empty, every occupied set is a component by itself.
    #[test]
    fn isolated_sets_are_not_kept() {
        let mut memo = SolvabilityMemo::default();
        let names: Vec<String> = (0..56).map(|token| format!("t{token}={token}")).collect();
        for odd in [3, 5, 7, 9, 11, 13] {
            let place = |token: usize| token * odd % 64;
            let goal: Vec<String> =
                (0..56).map(|token| format!("t{token}={}", place(token))).collect();
            let line = format!("cube:6:6 {} -> {}", names.join(","), goal.join(","));
            let puzzle = Puzzle::from_line(&line).unwrap();
            let decided = memo.is_solvable(&puzzle, Effort::QUICK, &|_| false);
            assert_eq!(decided, Some(false), "{line}");
            assert!(memo.components.is_empty());
        }
    }
}
