//! Breadth-first search over states that are stored one by one, for components that have few of the
//! arrangements of their tokens, as on a cycle.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Board, State};
use rustc_hash::FxHashSet;

use crate::search::Layers;
use crate::watch::Watch;

/// The approximate peak memory per stored state, in bytes: about 80, plus what a hash table needs
/// while it grows.
pub const STORED_STATE_BYTES: u64 = 256;

/// How many moves are made between checks of the watch.
const LOOK_AGAIN: usize = 1 << 14;

/// Counts the states at each distance from a start; `None` when there are more than `most`. Slides
/// can be undone, so only the last three layers are stored. `on_progress` is called after each
/// layer with the layers so far and the states of the last one. If it breaks, or when the watch
/// says so, the layers so far are returned.
///
/// Takes some 50 ns for each move from each state.
pub fn count_stored_layers(
    board: &Board,
    start: &State,
    most: u64,
    watch: Watch<'_>,
    on_progress: &mut dyn FnMut(&Layers, &FxHashSet<State>) -> ControlFlow<()>,
) -> Option<Layers> {
    let mut layers = Layers { states: vec![1], complete: false };
    let (mut before, mut last) = (FxHashSet::default(), FxHashSet::from_iter([*start]));
    let mut moves = 0;
    while on_progress(&layers, &last).is_continue() {
        let room = usize::try_from(most.saturating_sub(layers.total())).unwrap_or(usize::MAX);
        let mut next = FxHashSet::default();
        for state in &last {
            for mv in board.legal_moves(state) {
                moves += 1;
                if moves % LOOK_AGAIN == 0 && watch.is_over() {
                    return Some(layers);
                }
                let mut moved = *state;
                moved.slide(mv);
                if !before.contains(&moved) && !last.contains(&moved) {
                    next.insert(moved);
                }
            }
            if next.len() > room {
                return None;
            }
        }
        if next.is_empty() {
            layers.complete = true;
            break;
        }
        layers.states.push(next.len() as u64);
        before = std::mem::replace(&mut last, next);
    }
    Some(layers)
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;

    use super::*;
    use crate::layer_count::{LayerCountOptions, count_layers};
    use crate::search::Signals;

    #[test]
    fn stored_states_are_counted_as_numbered_ones_are() {
        for line in
            ["grid:3:3 1,2,3,4,5,6,7,8,0", "cube:3:1 a=0+3,b=5,c=6", "torus:3:3 1,1,2,2,0,0,3,3,3"]
        {
            let (_, start) = line.split_once(' ').unwrap();
            let puzzle = Puzzle::from_line(&format!("{line} -> {start}")).unwrap();
            let go_on = &mut |_: &Layers, _| ControlFlow::Continue(());
            let numbered =
                count_layers(&puzzle, &LayerCountOptions::default(), &Signals::default(), go_on);
            let mut seen = 0;
            let on_progress = &mut |layers: &Layers, states: &FxHashSet<State>| {
                assert_eq!(layers.states.last(), Some(&(states.len() as u64)));
                seen += states.len() as u64;
                ControlFlow::Continue(())
            };
            let numbered = numbered.unwrap().layers;
            let count = |most, on_progress: &mut dyn FnMut(&Layers, &FxHashSet<State>) -> _| {
                count_stored_layers(
                    puzzle.board(),
                    puzzle.start(),
                    most,
                    Watch::default(),
                    on_progress,
                )
            };
            assert_eq!(count(numbered.total(), on_progress), Some(numbered.clone()), "{line}");
            assert_eq!(seen, numbered.total());
            let go_on = &mut |_: &Layers, _: &FxHashSet<State>| ControlFlow::Continue(());
            assert_eq!(count(numbered.total() - 1, go_on), None, "{line}");
        }
    }
}
