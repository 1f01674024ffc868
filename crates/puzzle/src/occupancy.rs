//! The occupancy graph: occupied sets, without labels, and the slides between them.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::board::Board;
use crate::permutation::Permutation;
use crate::vertex::{Vertex, VertexSet};

/// The occupancy component was not explored to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the occupancy component has more than {limit} occupied sets")]
pub struct OccupancyLimitExceeded {
    /// How many occupied sets were allowed.
    pub limit: usize,
}

/// All occupied sets that slides lead to from a start, each with one way for the tokens to get
/// there.
///
/// Tokens are told apart by their **slot**: the rank of their vertex in the start. Memory: 12 bytes
/// and one a token for each occupied set, plus the hash index of about 24 bytes.
#[derive(Clone, Debug)]
pub struct OccupancyComponent {
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
    /// Explores the component of a start.
    ///
    /// # Errors
    ///
    /// When it has more than `limit` occupied sets.
    pub fn explore(
        board: &Board,
        start: VertexSet,
        limit: usize,
    ) -> Result<OccupancyComponent, OccupancyLimitExceeded> {
        Self::explore_with(board, start, limit, &mut |_| ControlFlow::Continue(()))
    }

    /// Explores, telling each discovery; stops early when told to.
    pub(crate) fn explore_with(
        board: &Board,
        start: VertexSet,
        limit: usize,
        tell: &mut dyn FnMut(Discovery<'_>) -> ControlFlow<()>,
    ) -> Result<OccupancyComponent, OccupancyLimitExceeded> {
        let slots = start.len();
        let mut component = OccupancyComponent {
            slots,
            sets: vec![start],
            index: FxHashMap::from_iter([(start.bits(), 0)]),
            places: start.into_iter().map(|vertex| vertex.index() as u8).collect(),
        };
        if tell(Discovery::Set(&component, 0)).is_break() {
            return Ok(component);
        }
        let mut number = 0;
        while number < component.sets.len() {
            let set = component.sets[number];
            for from in set {
                for to in board.destinations(from, set) {
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
                        None if component.sets.len() == limit => {
                            return Err(OccupancyLimitExceeded { limit });
                        }
                        None => {
                            component.add(number, from, to, next);
                            tell(Discovery::Set(&component, component.sets.len() - 1))
                        }
                    };
                    if told.is_break() {
                        return Ok(component);
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

    /// Whether the occupied set is in the component.
    pub fn contains(&self, occupied: VertexSet) -> bool {
        self.index.contains_key(&occupied.bits())
    }

    /// The vertex of each slot's token after one path to set `number`.
    pub(crate) fn places(&self, number: usize) -> &[u8] {
        &self.places[number * self.slots..(number + 1) * self.slots]
    }
}
