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

/// Decides as [`decide_solvability`](crate::decide_solvability) does, sometimes with less effort,
/// and keeps the occupied sets and the group of closed walks of the components that it has
/// explored.
///
/// A group that is large but neither symmetric nor alternating takes milliseconds to complete. The
/// next puzzle whose start is in the same component takes microseconds.
///
/// It keeps components of one board and number of tokens, of at most 16,384 occupied sets together
/// in at most 3 MB, for puzzles whose tokens all have different labels and each have a goal vertex.
/// Other puzzles are decided from the beginning.
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
            && let Some(known) = self.component(puzzle, stop)
        {
            return Some(known.is_solvable(puzzle));
        }
        match decide_by_exploring(puzzle, effort, stop) {
            Solvability::Solvable => Some(true),
            Solvability::Unsolvable(_) => Some(false),
            Solvability::Undecided => None,
        }
    }

    /// Returns the component of the start, or `None` when it is not kept.
    fn component(&mut self, puzzle: &Puzzle, stop: &dyn Fn(u64) -> bool) -> Option<&Known> {
        let (board, set) = (puzzle.board(), puzzle.start().occupied());
        if self.of.as_ref().is_none_or(|(known, tokens)| (known, *tokens) != (board, set.len())) {
            *self = SolvabilityMemo {
                of: Some((board.clone(), set.len())),
                ..SolvabilityMemo::default()
            };
        }
        let known = self.components.iter().position(|known| known.component.find(set).is_some());
        if known.is_none() && !self.is_full {
            self.explore(board, set, stop);
        }
        match known {
            Some(number) => self.components.get(number),
            None => self.components.last().filter(|last| last.component.find(set).is_some()),
        }
    }

    fn explore(&mut self, board: &Board, set: VertexSet, stop: &dyn Fn(u64) -> bool) {
        let kept: usize = self.components.iter().map(|known| known.component.sets().len()).sum();
        let mut group = PermutationGroup::trivial(set.len());
        let mut tell = |discovery: Discovery<'_>| {
            if let Discovery::ClosedWalk(_, _, walk) = discovery {
                group.insert_unproven(&walk);
            }
            ControlFlow::Continue(())
        };
        let left = Self::SETS - kept;
        let (component, explored) =
            OccupancyComponent::explore(board, set, left, u64::MAX, stop, &mut tell);
        match explored {
            Ok(()) => {
                group.prove();
                self.components.push(Known { component, group });
            }
            Err(Unfinished::Limit) => self.is_full = true,
            Err(Unfinished::Stopped) => {}
        }
    }
}

impl Known {
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
