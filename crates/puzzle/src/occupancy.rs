//! The occupancy graph: its nodes are the sets of occupied vertices, without labels; its edges are
//! slides.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::board::Board;
use crate::permutation::Permutation;
use crate::state::Move;
use crate::vertex::{Vertex, VertexSet};

/// The number of discoveries between two calls of `stop`.
const ASK_INTERVAL: u64 = 1 << 10;

/// Why an exploration ended before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// The component has more occupied sets or slides than allowed.
    Limit,
    /// The caller stopped it.
    Stopped,
}

/// All occupied sets that can be reached from a start, each with one path of slides to it.
///
/// Tokens are distinguished by their **slot**, the rank of their vertex in the start. Memory for
/// each occupied set: 12 bytes, one byte per token, and 20 to 40 bytes of a hash index.
#[derive(Clone, Debug)]
pub(crate) struct OccupancyComponent {
    slots: usize,
    sets: Vec<VertexSet>,
    /// The predecessor of each set on its path; the start is its own predecessor.
    parents: Vec<u32>,
    index: FxHashMap<u64, u32>,
    /// For each set, the vertex of each slot's token after the path to that set: `slots` entries
    /// per set.
    places: Vec<u8>,
}

/// What an exploration finds, in breadth-first order.
#[derive(Clone, Copy)]
pub(crate) enum Discovery<'a> {
    /// A new occupied set, given by its number. It is already part of the component.
    Set(&'a OccupancyComponent, usize),
    /// A closed walk that takes the token of slot `s` to the position of slot `image(s)`; the
    /// permutation is not the identity.
    ClosedWalk(&'a OccupancyComponent, ClosedWalk, Permutation),
}

/// A closed walk of occupied sets: from the start along the path to one set, by one slide to
/// another set, and back along the path of that set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosedWalk {
    /// The number of the set before the slide.
    pub there: u32,
    /// The slide.
    pub slide: Move,
    /// The number of the set after it.
    pub back: u32,
}

/// Returns, for each slot, the rank of its token's vertex in the occupied set: the permutation that
/// turns the slots of one set into those of another after a path between them.
pub(crate) fn ranks(places: &[Vertex], set: VertexSet) -> Permutation {
    let rank = |&place: &Vertex| set.into_iter().take_while(|&other| other != place).count();
    let ranks: Vec<usize> = places.iter().map(rank).collect();
    Permutation::from_images(&ranks).expect("tokens stay apart")
}

impl OccupancyComponent {
    /// Explores the component of a start breadth first and passes each discovery to `on_discovery`.
    /// The exploration ends early if `on_discovery` breaks off, or if `stop` returns true; `stop`
    /// is called every 1,024 slides with the number of bytes held. Returns the part of the
    /// component that was explored.
    ///
    /// # Errors
    ///
    /// The second value is an error if the component has more than `limit` occupied sets or
    /// `slides` slides, or if the exploration was stopped.
    pub fn explore(
        board: &Board,
        start: VertexSet,
        limit: usize,
        slides: u64,
        stop: &dyn Fn(u64) -> bool,
        on_discovery: &mut dyn FnMut(Discovery<'_>) -> ControlFlow<()>,
    ) -> (OccupancyComponent, Result<(), Unfinished>) {
        let mut component = OccupancyComponent {
            slots: start.len(),
            sets: vec![start],
            parents: vec![0],
            index: FxHashMap::from_iter([(start.bits(), 0)]),
            places: start.into_iter().map(|vertex| vertex.index() as u8).collect(),
        };
        let end = component.explore_all(board, limit, slides, stop, on_discovery);
        (component, end)
    }

    fn explore_all(
        &mut self,
        board: &Board,
        limit: usize,
        mut slides: u64,
        stop: &dyn Fn(u64) -> bool,
        on_discovery: &mut dyn FnMut(Discovery<'_>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        if on_discovery(Discovery::Set(self, 0)).is_break() {
            return Err(Unfinished::Stopped);
        }
        let mut number = 0;
        while number < self.sets.len() {
            let set = self.sets[number];
            for from in set {
                for to in board.destinations(from, set) {
                    slides = slides.checked_sub(1).ok_or(Unfinished::Limit)?;
                    if slides.is_multiple_of(ASK_INTERVAL) && stop(self.bytes()) {
                        return Err(Unfinished::Stopped);
                    }
                    let next = set.moved(from, to);
                    let told = match self.index.get(&next.bits()) {
                        // Each slide is found from both of its ends, and once is enough.
                        Some(&known) if known as usize > number => ControlFlow::Continue(()),
                        Some(&known) => {
                            let slide = Move { from, to };
                            let walk = ClosedWalk { there: number as u32, slide, back: known };
                            if self.brings_all_back(walk) {
                                ControlFlow::Continue(())
                            } else {
                                let permutation = self.permutation(walk);
                                on_discovery(Discovery::ClosedWalk(self, walk, permutation))
                            }
                        }
                        None if self.sets.len() >= limit.min(u32::MAX as usize) => {
                            return Err(Unfinished::Limit);
                        }
                        None => {
                            self.add(number, from, to, next);
                            on_discovery(Discovery::Set(self, self.sets.len() - 1))
                        }
                    };
                    if told.is_break() {
                        return Err(Unfinished::Stopped);
                    }
                }
            }
            number += 1;
        }
        Ok(())
    }

    fn add(&mut self, number: usize, from: Vertex, to: Vertex, next: VertexSet) {
        self.index.insert(next.bits(), self.sets.len() as u32);
        self.sets.push(next);
        self.parents.push(number as u32);
        for slot in 0..self.slots {
            let place = self.places[number * self.slots + slot];
            let moved = if place as usize == from.index() { to.index() as u8 } else { place };
            self.places.push(moved);
        }
    }

    /// Returns the vertex of each slot's token after a closed walk's way there and its slide.
    fn places_after_slide(&self, walk: ClosedWalk) -> impl Iterator<Item = u8> {
        let Move { from, to } = walk.slide;
        let (from, to) = (from.index() as u8, to.index() as u8);
        let there = self.places(walk.there as usize).iter();
        there.map(move |&place| if place == from { to } else { place })
    }

    /// Returns whether a closed walk brings every token back to where it was.
    fn brings_all_back(&self, walk: ClosedWalk) -> bool {
        self.places_after_slide(walk).eq(self.places(walk.back as usize).iter().copied())
    }

    /// Returns the permutation of the slots that a closed walk makes.
    fn permutation(&self, walk: ClosedWalk) -> Permutation {
        let mut slot_at = [0usize; crate::MAX_VERTICES];
        for (slot, &place) in self.places(walk.back as usize).iter().enumerate() {
            slot_at[place as usize] = slot;
        }
        let mut images = [0usize; crate::MAX_VERTICES];
        for (image, place) in images.iter_mut().zip(self.places_after_slide(walk)) {
            *image = slot_at[place as usize];
        }
        Permutation::from_images(&images[..self.slots]).expect("a slide keeps tokens apart")
    }

    /// Returns the number of tokens.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns all occupied sets, the start first, in breadth-first order.
    pub fn sets(&self) -> &[VertexSet] {
        &self.sets
    }

    /// Returns the slides of a closed walk, in order.
    pub fn slides(&self, walk: ClosedWalk) -> Vec<Move> {
        let mut slides = self.path(walk.there);
        slides.push(walk.slide);
        slides.extend(self.path(walk.back).into_iter().rev().map(Move::reversed));
        slides
    }

    /// Returns the slides of the path to a set.
    pub fn path(&self, number: u32) -> Vec<Move> {
        let mut slides = Vec::new();
        let mut number = number as usize;
        while number != 0 {
            let before = self.parents[number] as usize;
            let [was, is] = [self.sets[before], self.sets[number]];
            let only =
                |set: VertexSet| set.lowest().expect("a slide leaves one vertex and takes one");
            slides.push(Move { from: only(was - is), to: only(is - was) });
            number = before;
        }
        slides.reverse();
        slides
    }

    /// Returns the number of an occupied set, or `None` if it was not found.
    pub fn find(&self, set: VertexSet) -> Option<usize> {
        self.index.get(&set.bits()).map(|&number| number as usize)
    }

    /// Returns the number of bytes held, counted by capacity.
    pub fn bytes(&self) -> u64 {
        let index = self.index.capacity() * (size_of::<(u64, u32)>() + 1) * 8 / 7;
        let sets = self.sets.capacity() * size_of::<VertexSet>() + self.parents.capacity() * 4;
        (index + sets + self.places.capacity()) as u64
    }

    /// Returns the vertex of each slot's token after one path to set `number`.
    pub fn places(&self, number: usize) -> &[u8] {
        &self.places[number * self.slots..(number + 1) * self.slots]
    }
}
