//! What is checked of a layer before it is committed.

use std::collections::hash_map::Entry;

use hyperslide_puzzle::{Board, BoardSpec, State, Vertex};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

use super::blocks::Buffer;
use super::search::{FilesError, QuotientSearch};
use super::sweep::Stored;
use crate::layout::Place;

/// Blocks that are drawn from those of a layer.
const BLOCKS: usize = 2;
/// Drawn states of a layer whose inverses are looked up, each of which takes a block to be read.
const INVERSES: usize = 64;

impl QuotientSearch<'_> {
    /// Computes drawn states of the new side again, one by one from the rule, without symmetries of
    /// blocks, shifts or vector code. Where the graph is a Cayley graph, also checks that a state and
    /// its inverse have been reached at the same time.
    pub(super) fn check(
        &self,
        layer: u32,
        side: usize,
        completed: &[(u32, Stored)],
    ) -> Result<(), FilesError> {
        if completed.is_empty() || self.options.checks == 0 {
            return Ok(());
        }
        let mut random = SplitMix64::seed_from_u64(u64::from(layer));
        for _ in 0..BLOCKS {
            let drawn = random.next_u64() % completed.len() as u64;
            let block = completed[drawn as usize].0 as usize;
            let target = self.read(side, block)?;
            let mut sources = FxHashMap::default();
            for number in 0..self.options.checks / BLOCKS {
                let Some(place) = self.draw(&target, number % 2 == 0, &mut random) else {
                    continue;
                };
                let is_reached = self.bit(&target, place);
                let state = self.space.state_at(block, place);
                let wrong = || FilesError::Differs { layer, block };
                if self.is_reached_from(side, &state, &mut sources)?.ok_or_else(wrong)?
                    != is_reached
                {
                    return Err(wrong());
                }
                if number < INVERSES / BLOCKS
                    && let Some(inverse) =
                        inverse_state(self.space.board(), self.space.start(), &state)
                {
                    let (block, place) = self.space.locate(&inverse).ok_or_else(wrong)?;
                    let other = self.read(side, block)?;
                    if self.bit(&other, place) != is_reached {
                        return Err(wrong());
                    }
                    self.files.recycle(other);
                }
            }
            self.files.recycle(target);
            sources.into_values().for_each(|source| self.files.recycle(source));
        }
        Ok(())
    }

    /// Draws a place of a block: any, or one of a state that was reached, of which there are few at
    /// first. `None` if there is none.
    fn draw(&self, block: &Buffer, is_reached: bool, random: &mut SplitMix64) -> Option<Place> {
        let layout = self.space.layout();
        let mut below = |limit: u64| random.next_u64() % limit;
        let mut place = Place {
            run: below(layout.runs()) as u32,
            word: below(layout.words()) as u32,
            lane: below(layout.lanes()) as u32,
        };
        if is_reached {
            let words = block.words();
            let first = (u64::from(place.run) * layout.words() + u64::from(place.word)) as usize;
            let mut following = (0..words.len()).map(|step| (first + step) % words.len());
            let word = following.find(|&word| words[word] != 0)?;
            place = Place {
                run: (word as u64 / layout.words()) as u32,
                word: (word as u64 % layout.words()) as u32,
                lane: words[word].trailing_zeros(),
            };
        }
        Some(place)
    }

    /// Whether one slide leads to a state from those of the other side; `None` if a state next to it
    /// is not numbered.
    fn is_reached_from(
        &self,
        side: usize,
        state: &State,
        sources: &mut FxHashMap<usize, Buffer>,
    ) -> Result<Option<bool>, FilesError> {
        let moves = self.space.board().legal_moves(state).into_iter();
        let moves = moves.filter(|mv| !self.space.walls().contains(mv.from)).map(Some);
        // Where there are two copies, what was visited before stays visited.
        let stays = (!self.sides.is_in_place()).then_some(None);
        let mut is_reached = false;
        for mv in moves.chain(stays) {
            let mut neighbour = *state;
            if let Some(mv) = mv {
                neighbour.slide(mv);
            }
            let Some((source, place)) = self.space.locate(&neighbour) else { return Ok(None) };
            let block = match sources.entry(source) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(missing) => missing.insert(self.read(1 - side, source)?),
            };
            is_reached |= self.bit(block, place);
        }
        Ok(Some(is_reached))
    }
}

/// Returns the inverse of a state, which is equally far from the start, where the graph is a Cayley
/// graph: on cubes with k = 1, tokens with distinct labels and one empty vertex; `None` elsewhere.
///
/// Translations of the cube make the empty vertex the origin. In these coordinates a slide is always
/// one of d permutations, each its own inverse, together with a step of the empty vertex. So a state
/// is a permutation of positions and a position of the empty vertex; its inverse is the inverse
/// permutation and the same position, and a shortest way to one is a shortest way to the other,
/// reversed.
pub fn inverse_state(board: &Board, start: &State, state: &State) -> Option<State> {
    let BoardSpec::Cube { k: 1, .. } = board.spec() else { return None };
    let empty = |state: &State| {
        let empty = board.vertex_set() - state.occupied();
        (empty.len() == 1).then(|| empty.lowest()).flatten()
    };
    let (origin, own) = (empty(start)?.index(), empty(state)?.index());
    let mut inverse = State::EMPTY;
    for (vertex, label) in state.tokens() {
        let position = vertex.index() ^ own;
        let home = start.vertices_of(label).lowest()?.index() ^ origin;
        let other = start.label_at(Vertex::new(position ^ origin)?)?;
        inverse.place(Vertex::new(home ^ own)?, other);
    }
    Some(inverse)
}
