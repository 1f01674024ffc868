//! Moves that rearrange the tokens on the vertices where they are, from closed walks of the occupied set.

use std::ops::ControlFlow;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::board::Board;
use crate::occupancy::{Discovery, OccupancyComponent};
use crate::permutation::Permutation;
use crate::state::Move;
use crate::vertex::{Vertex, VertexSet};
use crate::words::WordTable;

/// Closed walks from an occupied set, each with what it does to the tokens, and short products of them.
///
/// The tokens are told apart by their slot, the rank of their vertex in the set. Every arrangement of the tokens on the
/// set that slides can make is a product of closed walks (Kornhauser, Miller and Spirakis 1984 for graphs; here on every
/// board); the more sets are explored, the more of them are found, and the shorter products.
///
/// Memory: for n tokens at most n^2 products, each of 70 bytes and 8 a walk; the walks' slides; 45 to 65 bytes an
/// occupied set of the largest exploration from where the walks begin, and of the one under way.
pub struct ClosedWalks<'a> {
    board: &'a Board,
    occupied: VertexSet,
    walks: Vec<Vec<Move>>,
    words: WordTable,
    /// The largest exploration from the set itself.
    home: Option<OccupancyComponent>,
    /// Ways to sets that were not explored from yet, or a short while ago.
    ways: Vec<Vec<Move>>,
    random: SplitMix64,
}

impl<'a> ClosedWalks<'a> {
    /// None yet. `base` has every slot once: those whose wishes are hardest to meet come first.
    ///
    /// # Panics
    ///
    /// When `base` does not name each slot once.
    pub fn new(
        board: &'a Board,
        occupied: VertexSet,
        base: &[usize],
        seed: u64,
    ) -> ClosedWalks<'a> {
        assert_eq!(base.len(), occupied.len(), "a base has each slot once");
        ClosedWalks {
            board,
            occupied,
            walks: Vec::new(),
            words: WordTable::new(base),
            home: None,
            ways: vec![Vec::new()],
            random: SplitMix64::seed_from_u64(seed),
        }
    }

    /// Finds closed walks through the `sets` sets nearest to the one where all closed walks begin. Some 0.2 us a slide.
    /// Stops early when `stop`, which is asked now and then with the bytes held, returns true. Returns the bytes held.
    pub fn explore_home(&mut self, sets: usize, stop: &dyn Fn(u64) -> bool) -> u64 {
        let home = self.explore_from(&[], sets, stop);
        let bytes = home.bytes();
        self.home = Some(home);
        bytes
    }

    /// The same through the sets nearest to another that is known: what blocks tokens here need not block them
    /// elsewhere.
    pub fn explore_elsewhere(&mut self, sets: usize, stop: &dyn Fn(u64) -> bool) -> u64 {
        let pick = (self.random.next_u64() % self.ways.len() as u64) as usize;
        let way = self.ways.swap_remove(pick);
        self.explore_from(&way, sets, stop).bytes()
    }

    fn explore_from(
        &mut self,
        way: &[Move],
        sets: usize,
        stop: &dyn Fn(u64) -> bool,
    ) -> OccupancyComponent {
        /// Ways to new sets that are remembered of each exploration.
        const BRANCHES: u64 = 4;
        /// Discoveries between two questions whether to stop.
        const ASK_INTERVAL: usize = 1 << 10;

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
        let mut discoveries = 0;
        let (component, _) =
            OccupancyComponent::explore(self.board, here, sets, u64::MAX, &mut |discovery| {
                let (Discovery::Set(component, _) | Discovery::ClosedWalk(component, ..)) =
                    discovery;
                if let Discovery::ClosedWalk(_, walk, permutation) = discovery {
                    let slides = component.slides(walk);
                    let cost = 2 * way.len() + slides.len();
                    let permutation = there.then(&permutation).then(&back);
                    if words.insert(permutation, walks.len() as u32, cost as u64) {
                        let home = way.iter().rev().map(|mv| mv.reversed());
                        walks.push(way.iter().copied().chain(slides).chain(home).collect());
                    }
                }
                discoveries += 1;
                if discoveries % ASK_INTERVAL == 0 && stop(component.bytes()) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        for _ in 0..BRANCHES {
            let number = self.random.next_u64() % component.sets().len() as u64;
            self.ways.push([way, &component.path(number as u32)].concat());
        }
        component
    }

    /// Combines the closed walks, so that more arrangements are found and shorter ways to them; each call goes further.
    pub fn combine(&mut self, stop: &dyn Fn() -> bool) {
        self.words.combine(&mut self.random, stop);
    }

    /// Moves after which the occupied set fits, one of those explored from the one where all closed walks begin, and the
    /// token of each slot is on a vertex that is allowed for it, if the closed walks found so far make some. `steps`
    /// bounds the attempts where there are several ways.
    pub fn moves(
        &self,
        steps: &mut u64,
        fits: &dyn Fn(VertexSet) -> bool,
        allowed: &dyn Fn(usize, Vertex) -> bool,
    ) -> Option<Vec<Move>> {
        let home = self.home.as_ref()?;
        let fitting = (0..home.sets().len()).filter(|&number| fits(home.sets()[number]));
        let (number, factors) = { fitting }.find_map(|number| {
            let places = home.places(number);
            let vertex = |slot: usize| Vertex::new(places[slot].into()).expect("a board's vertex");
            let factors = self.words.find(steps, &|slot, image| allowed(slot, vertex(image)));
            Some((number, factors?))
        })?;
        let mut moves = Vec::new();
        for factor in factors {
            let slides = &self.walks[factor.generator as usize];
            if factor.inverse {
                moves.extend(slides.iter().rev().map(|mv| mv.reversed()));
            } else {
                moves.extend(slides);
            }
        }
        moves.extend(home.path(number as u32));
        Some(moves)
    }
}
