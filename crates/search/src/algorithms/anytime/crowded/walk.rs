//! Walks between occupied sets, and how balls find them.

use std::ops::ControlFlow;

use hyperslide_puzzle::{MAX_VERTICES, Move, VertexSet};
use rustc_hash::FxHashSet;

use super::ball::Ball;
use super::places::Places;
use crate::engine::nodes::NodeId;

/// A walk from one occupied set to another.
#[derive(Clone)]
pub(super) struct Walk {
    pub moves: Vec<Move>,
    /// Where the token of each slot of the first set ends on the second.
    pub ends: Places,
}

impl Walk {
    /// Returns the walk of these moves from an occupied set.
    pub fn along(set: VertexSet, moves: &[Move]) -> Walk {
        let (mut end, mut vertices) = (set, Vec::from_iter(set));
        for slide in moves {
            end = end.moved(slide.from, slide.to);
            vertices.iter_mut().filter(|at| **at == slide.from).for_each(|at| *at = slide.to);
        }
        let rank = |vertex| end.into_iter().take_while(|&other| other != vertex).count();
        let slots = Vec::from_iter(vertices.into_iter().map(rank));
        Walk { moves: moves.to_vec(), ends: Places::new(&slots) }
    }

    /// Returns this walk and then another.
    pub fn then(&self, next: &Walk) -> Walk {
        Walk { moves: [&self.moves[..], &next.moves].concat(), ends: self.ends.then(&next.ends) }
    }

    /// Returns the way back.
    pub fn reversed(&self) -> Walk {
        let moves = self.moves.iter().rev().map(|slide| slide.reversed()).collect();
        Walk { moves, ends: self.ends.inverse() }
    }
}

/// Returns walks from the centre of `near` to that of `far`, one of the shortest for each way to
/// rearrange the tokens, by their slides: all that the balls contain, or all up to a length where
/// there are no more than `most`, but some of the shortest in any case. When `stop`
/// returns true, those that were found before.
pub(super) fn join<const WORDS: usize>(
    [near, far]: [&Ball<WORDS>; 2],
    most: usize,
    stop: &dyn Fn() -> bool,
) -> Vec<Walk> {
    /// The number of pairs between two calls of `stop`.
    const STOP_INTERVAL: u32 = 1 << 12;

    let mut visited: u32 = 0;
    let mut walks: Vec<Walk> = Vec::new();
    let mut known = FxHashSet::default();
    let radius = |ball: &Ball<WORDS>| ball.layers.len() - 1;
    for slides in 0..=radius(near) + radius(far) {
        let shorter = walks.len();
        let first = (slides / 2).max(slides.saturating_sub(radius(far))).min(radius(near));
        let layers = [&near.layers[first], &far.layers[slides - first]];
        let is_over = each_pair(layers, |middle| {
            let ends = ends([near, far], middle);
            if known.insert(ends) {
                let back = far.path(middle[1]).into_iter().rev().map(Move::reversed);
                let moves = near.path(middle[0]).into_iter().chain(back).collect();
                walks.push(Walk { moves, ends });
            }
            if walks.len() > most || visited.is_multiple_of(STOP_INTERVAL) && stop() {
                return ControlFlow::Break(());
            }
            visited += 1;
            ControlFlow::Continue(())
        });
        if is_over.is_break() {
            if shorter > 0 {
                walks.truncate(shorter);
            }
            break;
        }
    }
    walks
}

/// Sorts walks by their slides, and keeps one of the shortest for each way to rearrange the tokens.
pub(super) fn in_order(walks: &mut Vec<Walk>) {
    walks.sort_by_key(|walk| walk.moves.len());
    let mut known = FxHashSet::default();
    walks.retain(|walk| known.insert(walk.ends));
}

/// Calls `visit` with every two nodes of these layers that have the same occupied set.
fn each_pair(
    [near, far]: [&Vec<(u64, NodeId)>; 2],
    mut visit: impl FnMut([NodeId; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let is_same = |one: &(u64, NodeId), other: &(u64, NodeId)| one.0 == other.0;
    let mut far = far.chunk_by(is_same).peekable();
    for near in near.chunk_by(is_same) {
        while far.next_if(|far| far[0].0 < near[0].0).is_some() {}
        let Some(far) = far.peek().filter(|far| far[0].0 == near[0].0) else { continue };
        for &(_, first) in near {
            for &(_, second) in *far {
                visit([first, second])?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns where the walk through a state ends that is in both balls.
fn ends<const WORDS: usize>([near, far]: [&Ball<WORDS>; 2], middle: [NodeId; 2]) -> Places {
    let mut slot_at = [0; MAX_VERTICES];
    for (slot, vertex) in far.vertices(middle[1]).enumerate() {
        slot_at[vertex.index()] = slot;
    }
    let slots = near.vertices(middle[0]).map(|vertex| slot_at[vertex.index()]);
    Places::new(&Vec::from_iter(slots))
}
