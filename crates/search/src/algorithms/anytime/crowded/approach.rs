//! Beams that take many tokens home while much can slide.

use hyperslide_puzzle::{Board, LoneTokenDistances, Move, State, Vertex};
use rustc_hash::FxHashSet;

use super::free_faces;

/// States that are kept for each number of slides.
const WIDTH: usize = 1 << 9;
/// What the square root of the number of free faces is worth, in slides of lone tokens.
const FREE_FACES: f32 = 0.7;

/// Returns a sequence of `slides` slides that brings tokens close to their vertices in `target`, by
/// the distances of lone tokens. It is shorter if every further slide leads to a known state.
/// `None` if `stop`, which is called after each layer, returns true.
///
/// Memory: some 80 bytes for each state that is kept, and 16 for each candidate of a layer.
pub(super) fn find(
    board: &Board,
    start: &State,
    target: &State,
    slides: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Move>> {
    let distances = LoneTokenDistances::new(board);
    let mut homes = vec![Vertex::new(0)?; target.occupied().len()];
    target.tokens().for_each(|(vertex, label)| homes[label.index()] = vertex);
    let distance = |from: Vertex, label: usize| f32::from(distances.get(from, homes[label]));
    let value = |state: &State| {
        state.tokens().map(|(vertex, label)| distance(vertex, label.index())).sum::<f32>()
    };

    let mut layers = vec![vec![Kept { state: *start, parent: 0, slide: None }]];
    let mut known = FxHashSet::from_iter([*start.cells()]);
    for _ in 0..slides {
        let layer = layers.last().expect("the start is a layer");
        let mut candidates: Vec<(f32, u32, Move)> = Vec::new();
        for (parent, kept) in (0..).zip(layer) {
            let (state, here) = (&kept.state, value(&kept.state));
            for (from, label) in state.tokens() {
                for to in board.destinations(from, state.occupied()) {
                    let change = distance(to, label.index()) - distance(from, label.index());
                    let free = free_faces(board, state.occupied().moved(from, to));
                    let worth = FREE_FACES * (free as f32).sqrt();
                    candidates.push((here + change - worth, parent, Move { from, to }));
                }
            }
        }
        candidates.sort_unstable_by(|one, other| {
            one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2)))
        });
        let mut next = Vec::new();
        for (_, parent, slide) in candidates {
            let mut state = layer[parent as usize].state;
            state.slide(slide);
            if known.insert(*state.cells()) {
                next.push(Kept { state, parent, slide: Some(slide) });
            }
            if next.len() == WIDTH {
                break;
            }
        }
        if next.is_empty() {
            break;
        }
        layers.push(next);
        if stop() {
            return None;
        }
    }

    let last = layers.last()?;
    let mut best = (0..last.len())
        .min_by(|&one, &other| value(&last[one].state).total_cmp(&value(&last[other].state)))?;
    let mut moves = Vec::new();
    for layer in layers.iter().rev() {
        moves.extend(layer[best].slide);
        best = layer[best].parent as usize;
    }
    moves.reverse();
    Some(moves)
}

/// A state of a layer.
struct Kept {
    state: State,
    /// Its number in the layer before.
    parent: u32,
    /// The slide from there.
    slide: Option<Move>,
}
