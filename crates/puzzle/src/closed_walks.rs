//! Closed walks of the occupied set: moves that rearrange the tokens on the vertices that they
//! occupy.

use std::ops::ControlFlow;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::group_words::GroupWords;
use crate::occupancy::{Discovery, OccupancyComponent, ranks};
use crate::permutation::Permutation;
use crate::puzzle::Puzzle;
use crate::slot_goals::SlotGoals;
use crate::state::{Move, State};
use crate::vertex::VertexSet;

/// Closed walks from an occupied set, the permutations of the tokens that they make, and short
/// products of them.
///
/// The tokens are distinguished by their slot, the rank of their vertex in the set. Every reachable
/// arrangement of the tokens on the set is a product of closed walks (Kornhauser, Miller and
/// Spirakis 1984 for graphs; here for every board). The more sets are explored, the more closed
/// walks are found, and the shorter the products become.
pub struct ClosedWalks<'a> {
    puzzle: &'a Puzzle,
    occupied: VertexSet,
    slot_goals: SlotGoals<'a>,
    walks: Vec<(Permutation, Vec<Move>)>,
    words: GroupWords,
    /// The most recent exploration from the set itself.
    home: Option<OccupancyComponent>,
    /// Paths to sets from which nothing was explored yet, or not for some time.
    ways: Vec<Vec<Move>>,
    random: SplitMix64,
}

impl<'a> ClosedWalks<'a> {
    /// Prepares the search for closed walks from the occupied set of `state`. None is known at
    /// first. The same `seed` gives the same walks.
    pub fn new(puzzle: &'a Puzzle, state: &State, seed: u64) -> ClosedWalks<'a> {
        let slot_goals = SlotGoals::new(puzzle, state);
        ClosedWalks {
            puzzle,
            occupied: state.occupied(),
            words: GroupWords::new(&slot_goals.base()),
            slot_goals,
            walks: Vec::new(),
            home: None,
            ways: vec![Vec::new()],
            random: SplitMix64::seed_from_u64(seed),
        }
    }

    /// Finds closed walks through the `sets` occupied sets that are nearest to the one where all
    /// closed walks begin. Cost: some 0.3 us per slide. Ends early if `stop`, which is called
    /// regularly with the number of bytes held, returns true. Returns the number of sets explored.
    pub fn explore_home(&mut self, sets: usize, stop: &dyn Fn(u64) -> bool) -> usize {
        self.home = None;
        let home = self.explore_from(&[], sets, stop);
        self.home.insert(home).sets().len()
    }

    /// Does the same as [`ClosedWalks::explore_home`] around another known set: tokens that block
    /// each other here need not do so elsewhere.
    pub fn explore_elsewhere(&mut self, sets: usize, stop: &dyn Fn(u64) -> bool) -> usize {
        let pick = (self.random.next_u64() % self.ways.len() as u64) as usize;
        let way = self.ways.swap_remove(pick);
        self.explore_from(&way, sets, stop).sets().len()
    }

    fn explore_from(
        &mut self,
        way: &[Move],
        sets: usize,
        stop: &dyn Fn(u64) -> bool,
    ) -> OccupancyComponent {
        /// The number of paths to new sets that are kept from each exploration.
        const BRANCHES: u64 = 4;

        let held = self.bytes();
        let (mut here, mut places) = (self.occupied, Vec::from_iter(self.occupied));
        for mv in way {
            here = here.moved(mv.from, mv.to);
            places.iter_mut().filter(|place| **place == mv.from).for_each(|place| *place = mv.to);
        }
        let there = ranks(&places, here);
        let back = there.inverse();
        let (words, walks) = (&mut self.words, &mut self.walks);
        let mut on_discovery = |discovery: Discovery<'_>| {
            if let Discovery::ClosedWalk(component, walk, permutation) = discovery {
                let slides = component.slides(walk);
                let cost = 2 * way.len() + slides.len();
                let permutation = there.then(&permutation).then(&back);
                if words.insert(permutation, walks.len() as u32, cost as u64) {
                    let home = way.iter().rev().map(|mv| mv.reversed());
                    walks.push((
                        permutation,
                        way.iter().copied().chain(slides).chain(home).collect(),
                    ));
                }
            }
            ControlFlow::Continue(())
        };
        let stop = |bytes| stop(held + bytes);
        let board = self.puzzle.board();
        let (component, _) =
            OccupancyComponent::explore(board, here, sets, u64::MAX, &stop, &mut on_discovery);
        for _ in 0..BRANCHES {
            let number = self.random.next_u64() % component.sets().len() as u64;
            self.ways.push([way, &component.path(number as u32)].concat());
        }
        component
    }

    /// Combines closed walks, which finds more arrangements and shorter products. Each call allows
    /// longer products than the one before.
    pub fn combine(&mut self, stop: &dyn Fn() -> bool) {
        // Some walks were longer than the products allowed so far.
        for (number, (permutation, slides)) in (0..).zip(&self.walks) {
            self.words.insert(*permutation, number, slides.len() as u64);
        }
        self.words.combine(&mut self.random, stop);
    }

    /// Returns moves from the state to the goal, or `None` if no product of the closed walks found
    /// so far, followed by a path to one of the sets explored from home, leads to the goal. `steps`
    /// bounds the number of products tried, at some 100 ns each.
    pub fn moves(&self, mut steps: u64) -> Option<Vec<Move>> {
        let home = self.home.as_ref()?;
        let goal = self.puzzle.goal();
        let fitting = (0..home.sets().len()).filter(|&number| goal.fits(home.sets()[number]));
        let (number, factors) = { fitting }.find_map(|number| {
            let places = home.places(number);
            let allowed = |slot: usize, image: usize| self.slot_goals.allow(slot, places[image]);
            Some((number, self.words.find(&mut steps, &allowed)?))
        })?;
        let mut moves = Vec::new();
        for factor in factors {
            let (_, slides) = &self.walks[factor.generator as usize];
            if factor.inverse {
                moves.extend(slides.iter().rev().map(|mv| mv.reversed()));
            } else {
                moves.extend(slides);
            }
        }
        moves.extend(home.path(number as u32));
        Some(moves)
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let slides = |moves: &Vec<Move>| moves.capacity() * size_of::<Move>();
        let walks: usize = self
            .walks
            .iter()
            .map(|(_, moves)| size_of::<(Permutation, Vec<Move>)>() + slides(moves))
            .sum();
        let ways: usize = self.ways.iter().map(|way| size_of::<Vec<Move>>() + slides(way)).sum();
        let home = self.home.as_ref().map_or(0, OccupancyComponent::bytes);
        self.words.bytes() + home + (walks + ways) as u64
    }
}
