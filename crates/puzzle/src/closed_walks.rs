//! Moves that rearrange the tokens on the vertices where they are, from closed walks of the occupied set.

use std::ops::ControlFlow;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::group_words::GroupWords;
use crate::occupancy::{Discovery, OccupancyComponent};
use crate::permutation::Permutation;
use crate::puzzle::Puzzle;
use crate::solvability::Wishes;
use crate::state::{Move, State};
use crate::vertex::{Vertex, VertexSet};

/// Closed walks from an occupied set, each with what it does to the tokens, and short products of them.
///
/// The tokens are told apart by their slot, the rank of their vertex in the set. Every arrangement of the tokens on the
/// set that slides can make is a product of closed walks (Kornhauser, Miller and Spirakis 1984 for graphs; here on every
/// board); the more sets are explored, the more of them are found, and the shorter products.
pub struct ClosedWalks<'a> {
    puzzle: &'a Puzzle,
    occupied: VertexSet,
    wishes: Wishes<'a>,
    walks: Vec<(Permutation, Vec<Move>)>,
    words: GroupWords,
    /// The last exploration from the set itself.
    home: Option<OccupancyComponent>,
    /// Ways to sets that were not explored from yet, or a short while ago.
    ways: Vec<Vec<Move>>,
    random: SplitMix64,
}

impl<'a> ClosedWalks<'a> {
    /// None yet, from the occupied set of a state of the puzzle.
    pub fn new(puzzle: &'a Puzzle, state: &State, seed: u64) -> ClosedWalks<'a> {
        let wishes = Wishes::new(puzzle, state);
        ClosedWalks {
            puzzle,
            occupied: state.occupied(),
            words: GroupWords::new(&wishes.base()),
            wishes,
            walks: Vec::new(),
            home: None,
            ways: vec![Vec::new()],
            random: SplitMix64::seed_from_u64(seed),
        }
    }

    /// Finds closed walks through the `sets` sets nearest to the one where all closed walks begin. Some 0.3 us a slide.
    /// Stops early when `stop`, which is asked now and then with the bytes held, returns true. Returns the number of
    /// sets that were there.
    pub fn explore_home(&mut self, sets: usize, stop: &dyn Fn(u64) -> bool) -> usize {
        self.home = None;
        let home = self.explore_from(&[], sets, stop);
        self.home.insert(home).sets().len()
    }

    /// The same through the sets nearest to another that is known: what blocks tokens here need not block them
    /// elsewhere.
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
        /// Ways to new sets that are remembered of each exploration.
        const BRANCHES: u64 = 4;

        let held = self.bytes();
        let (mut here, mut places) = (self.occupied, Vec::from_iter(self.occupied));
        for mv in way {
            here = here.moved(mv.from, mv.to);
            places.iter_mut().filter(|place| **place == mv.from).for_each(|place| *place = mv.to);
        }
        let rank = |&place: &Vertex| here.into_iter().take_while(|&other| other != place).count();
        let slots: Vec<usize> = places.iter().map(rank).collect();
        let there = Permutation::from_images(&slots).expect("tokens stay apart");
        let back = there.inverse();
        let (words, walks) = (&mut self.words, &mut self.walks);
        let mut tell = |discovery: Discovery<'_>| {
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
            OccupancyComponent::explore(board, here, sets, u64::MAX, &stop, &mut tell);
        for _ in 0..BRANCHES {
            let number = self.random.next_u64() % component.sets().len() as u64;
            self.ways.push([way, &component.path(number as u32)].concat());
        }
        component
    }

    /// Combines the closed walks, so that more arrangements are found and shorter ways to them; each call goes further.
    pub fn combine(&mut self, stop: &dyn Fn() -> bool) {
        // Some of them were too costly for what the words could be before.
        for (number, (permutation, slides)) in (0..).zip(&self.walks) {
            self.words.insert(*permutation, number, slides.len() as u64);
        }
        self.words.combine(&mut self.random, stop);
    }

    /// Moves to the goal, from the tokens' places in the state, if the closed walks found so far make some that end on
    /// one of the sets explored from where they begin. `steps` bounds the attempts where there are several ways, some
    /// 100 ns each.
    pub fn moves(&self, mut steps: u64) -> Option<Vec<Move>> {
        let home = self.home.as_ref()?;
        let goal = self.puzzle.goal();
        let fitting = (0..home.sets().len()).filter(|&number| goal.fits(home.sets()[number]));
        let (number, factors) = { fitting }.find_map(|number| {
            let places = home.places(number);
            let allowed = |slot: usize, image: usize| self.wishes.allow(slot, places[image]);
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

    /// Bytes held.
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
