//! The occupancy graph: occupied sets, without labels, and the slides between them.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::board::Board;
use crate::permutation::Permutation;
use crate::vertex::{Vertex, VertexSet};

/// Why an exploration did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// There are more occupied sets or slides than allowed.
    Limit,
    /// The listener said so.
    Stopped,
}

/// All occupied sets that slides lead to from a start, each with one way for the tokens to get
/// there.
///
/// Tokens are told apart by their **slot**: the rank of their vertex in the start. Memory: 8 bytes
/// and one a token for each occupied set, and a hash index of 20 to 40 bytes.
#[derive(Clone, Debug)]
pub(crate) struct OccupancyComponent {
    slots: usize,
    sets: Vec<VertexSet>,
    index: FxHashMap<u64, u32>,
    /// The vertex of each slot's token, `slots` entries for each set, along one path to it.
    places: Vec<u8>,
}

/// What an exploration finds, in breadth-first order.
pub(crate) enum Discovery<'a> {
    /// A new occupied set, by its number; the component has it already.
    Set(&'a OccupancyComponent, usize),
    /// A closed walk that takes the token of slot `s` to the place of slot `image(s)`, not the
    /// identity.
    ClosedWalk(&'a OccupancyComponent, Permutation),
}

impl OccupancyComponent {
    /// Explores the component of a start, telling each discovery; stops early when told to.
    ///
    /// # Errors
    ///
    /// When it has more than `limit` occupied sets or `slides` slides, or the listener stopped it.
    pub fn explore(
        board: &Board,
        start: VertexSet,
        limit: usize,
        mut slides: u64,
        tell: &mut dyn FnMut(Discovery<'_>) -> ControlFlow<()>,
    ) -> Result<OccupancyComponent, Unfinished> {
        let slots = start.len();
        let mut component = OccupancyComponent {
            slots,
            sets: vec![start],
            index: FxHashMap::from_iter([(start.bits(), 0)]),
            places: start.into_iter().map(|vertex| vertex.index() as u8).collect(),
        };
        if tell(Discovery::Set(&component, 0)).is_break() {
            return Err(Unfinished::Stopped);
        }
        let mut number = 0;
        while number < component.sets.len() {
            let set = component.sets[number];
            for from in set {
                for to in board.destinations(from, set) {
                    slides = slides.checked_sub(1).ok_or(Unfinished::Limit)?;
                    let next = set.moved(from, to);
                    let told = match component.index.get(&next.bits()) {
                        // Each slide is met from both ends: once is enough.
                        Some(&known) if known as usize > number => ControlFlow::Continue(()),
                        Some(&known) => {
                            let walk = component.closed_walk(number, from, to, known as usize);
                            if walk.is_identity() {
                                ControlFlow::Continue(())
                            } else {
                                tell(Discovery::ClosedWalk(&component, walk))
                            }
                        }
                        None if component.sets.len() >= limit.min(u32::MAX as usize) => {
                            return Err(Unfinished::Limit);
                        }
                        None => {
                            component.add(number, from, to, next);
                            tell(Discovery::Set(&component, component.sets.len() - 1))
                        }
                    };
                    if told.is_break() {
                        return Err(Unfinished::Stopped);
                    }
                }
            }
            number += 1;
        }
        Ok(component)
    }

    fn add(&mut self, number: usize, from: Vertex, to: Vertex, next: VertexSet) {
        self.index.insert(next.bits(), self.sets.len() as u32);
        self.sets.push(next);
        for slot in 0..self.slots {
            let place = self.places[number * self.slots + slot];
            let moved = if place as usize == from.index() { to.index() as u8 } else { place };
            self.places.push(moved);
        }
    }

    /// To set `number` along its path, then the slide, then back along the path of set `known`.
    fn closed_walk(&self, number: usize, from: Vertex, to: Vertex, known: usize) -> Permutation {
        let mut slot_at = [0usize; crate::MAX_VERTICES];
        for (slot, &place) in self.places(known).iter().enumerate() {
            slot_at[place as usize] = slot;
        }
        let mut images = [0usize; crate::MAX_VERTICES];
        for (slot, &place) in self.places(number).iter().enumerate() {
            let place = if place as usize == from.index() { to.index() } else { place as usize };
            images[slot] = slot_at[place];
        }
        Permutation::from_images(&images[..self.slots]).expect("a slide keeps tokens apart")
    }

    /// Number of tokens.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// All occupied sets, the start first, in breadth-first order.
    pub fn sets(&self) -> &[VertexSet] {
        &self.sets
    }

    /// Bytes held, counted by capacity.
    pub fn bytes(&self) -> u64 {
        let index = self.index.capacity() * (size_of::<(u64, u32)>() + 1) * 8 / 7;
        let sets = self.sets.capacity() * size_of::<VertexSet>() + self.places.capacity();
        (index + sets) as u64
    }

    /// The vertex of each slot's token after one path to set `number`.
    pub fn places(&self, number: usize) -> &[u8] {
        &self.places[number * self.slots..(number + 1) * self.slots]
    }
}
