//! The tokens of a state by slot, and the goal's conditions on them.

use crate::goal::GoalCell;
use crate::label::Label;
use crate::permutation::Permutation;
use crate::permutation_group::{Found, PermutationGroup};
use crate::puzzle::Puzzle;
use crate::state::State;
use crate::vertex::VertexSet;

/// The labels of a state's tokens by slot, with the goal's conditions on them.
pub(crate) struct SlotGoals<'a> {
    pub puzzle: &'a Puzzle,
    pub labels: Vec<Label>,
}

impl<'a> SlotGoals<'a> {
    pub fn new(puzzle: &'a Puzzle, state: &State) -> SlotGoals<'a> {
        SlotGoals { puzzle, labels: state.tokens().map(|(_, label)| label).collect() }
    }

    /// Returns whether the goal allows the token of a slot on a vertex, given by its number.
    pub fn allow(&self, slot: usize, vertex: u8) -> bool {
        match self.puzzle.goal().cells()[vertex as usize] {
            GoalCell::Label(label) => label == self.labels[slot],
            GoalCell::Any => true,
            GoalCell::Empty => false,
        }
    }

    /// Returns the slots in the order of the group's base, so that the search for an element fails
    /// early: unique labels with a goal vertex first, then shared labels, then tokens that may end
    /// anywhere.
    pub fn base(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = (0..self.labels.len()).collect();
        slots.sort_by_key(|&slot| {
            let label = self.labels[slot];
            let like = self.labels.iter().filter(|&&other| other == label).count();
            match self.puzzle.goal().labelled().vertices_of(label).len() {
                0 => usize::MAX,
                _ => like,
            }
        });
        slots
    }

    /// Finds an element of the group that meets the goal if it is followed by the path that takes
    /// the tokens to these positions.
    pub fn met(&self, group: &PermutationGroup, places: &[u8], steps: &mut u64) -> Found {
        let cells = self.puzzle.goal().cells();
        // Tokens stay in their orbit, which must therefore hold as many tokens of each label as the
        // goal wants there. This decides at once cases with repeated labels that would take `find`
        // very long.
        let orbits = group.orbits();
        let wanted = |image: usize| cells[places[image] as usize];
        for (image, &orbit) in orbits.iter().enumerate() {
            if let GoalCell::Label(label) = wanted(image) {
                let in_orbit = |&slot: &usize| orbits[slot] == orbit;
                let slots = || (0..orbits.len()).filter(in_orbit);
                let have = slots().filter(|&slot| self.labels[slot] == label).count();
                let want = slots().filter(|&slot| wanted(slot) == GoalCell::Label(label)).count();
                if have < want {
                    return Found::Nothing;
                }
            }
        }
        group.find(steps, &|slot, image| self.allow(slot, places[image]))
    }

    /// Returns the occupied set of the goal, or `None` if more than one is possible.
    pub fn only_set(&self) -> Option<VertexSet> {
        let (board, goal) = (self.puzzle.board(), self.puzzle.goal());
        let placed = goal.labelled().occupied();
        if placed.len() == self.labels.len() {
            return Some(placed);
        }
        let rest = board.vertex_set() - goal.empty();
        (rest.len() == self.labels.len()).then_some(rest)
    }

    /// Returns a permutation that takes the tokens to the goal, whether or not closed walks make
    /// it.
    pub fn needed(&self, places: &[u8]) -> Permutation {
        let mut images = vec![usize::MAX; self.labels.len()];
        let mut taken = vec![false; self.labels.len()];
        let mut assign = |slot: usize, image: usize| {
            images[slot] = image;
            taken[image] = true;
        };
        let mut open: Vec<usize> = (0..self.labels.len()).collect();
        let wanted = |image: usize| self.puzzle.goal().cells()[places[image] as usize];
        for image in 0..places.len() {
            if let GoalCell::Label(label) = wanted(image)
                && let Some(found) = open.iter().position(|&slot| self.labels[slot] == label)
            {
                assign(open.remove(found), image);
            }
        }
        for image in 0..places.len() {
            if !matches!(wanted(image), GoalCell::Label(_)) && !open.is_empty() {
                assign(open.remove(0), image);
            }
        }
        assert!(taken.iter().all(|&taken| taken), "a goal places no more tokens than there are");
        Permutation::from_images(&images).expect("each place is given once")
    }

    /// Writes a permutation of slots as cycles of names.
    pub fn write_permutation(permutation: &Permutation, name: impl Fn(usize) -> String) -> String {
        let cycles = permutation.cycles();
        if cycles.is_empty() {
            return "()".to_owned();
        }
        let write = |cycle: &Vec<usize>| {
            format!("({})", cycle.iter().map(|&slot| name(slot)).collect::<Vec<_>>().join(" "))
        };
        cycles.iter().map(write).collect()
    }
}
