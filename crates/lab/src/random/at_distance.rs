//! States that are a given number of moves from a goal: those of a table, or those of a search that
//! goes no farther.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Puzzle, State};
use hyperslide_table::{DistanceTable, NEVER, Watch, count_stored_layers};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::draws::below;
use super::error::RandomError;

/// Draws a state at each of these distances from the goal, each state of a distance equally likely,
/// and independent of the others. Takes one pass over the table, and ends soon after `cancel`
/// becomes true.
///
/// # Errors
///
/// When no state is so far away, the table is not one of whole distances, or `cancel` is true.
pub fn states_at(
    table: &DistanceTable,
    distances: &[u32],
    seed: u64,
    cancel: &AtomicBool,
) -> Result<Vec<State>, RandomError> {
    let layers = &table.layers().states;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let check = || match cancel.load(Ordering::Relaxed) {
        true => Err(RandomError::Cancelled),
        false => Ok(()),
    };
    // The number of each wanted state in its layer, with its place in the answer.
    let mut wanted: Vec<Vec<(u64, usize)>> = vec![Vec::new(); layers.len()];
    for (place, &distance) in distances.iter().enumerate() {
        check()?;
        let Some(&states) = layers.get(distance as usize) else {
            let farthest = table.layers().depth();
            return Err(RandomError::NotSoFar { wanted: distance, farthest });
        };
        let number = below(&mut random, states) as u64;
        wanted[distance as usize].push((number, place));
    }
    wanted.iter_mut().for_each(|layer| sort(layer, cancel));
    check()?;
    let numbers: Vec<Vec<u64>> =
        wanted.iter().map(|layer| layer.iter().map(|&(number, _)| number).collect()).collect();
    let ranks = table.ranks_at(&numbers, cancel).ok_or(RandomError::NotWhole)?;
    let mut states = Vec::with_capacity(distances.len());
    for part in distances.chunks(PART) {
        check()?;
        states.resize(states.len() + part.len(), State::EMPTY);
    }
    for (layer, ranks) in wanted.iter().zip(ranks) {
        for (&(_, place), rank) in layer.iter().zip(ranks) {
            check()?;
            states[place] = table.space().unrank(rank.into());
        }
    }
    Ok(states)
}

/// All states at this distance from the start of a puzzle, in a fixed order, by breadth-first
/// search from there. `None` if more than `most` states are as near, or the watch stops the search.
///
/// # Errors
///
/// When no state is so far away.
pub(super) fn nearby_states_at(
    goal: &Puzzle,
    distance: u32,
    most: u64,
    watch: Watch<'_>,
) -> Result<Option<Vec<State>>, RandomError> {
    let mut found = None;
    let (board, start) = (goal.board(), goal.start());
    let layers = count_stored_layers(board, start, most, watch, &mut |layers, last| {
        if layers.depth() < distance {
            return ControlFlow::Continue(());
        }
        found = Some(last.iter().copied().collect::<Vec<State>>());
        ControlFlow::Break(())
    });
    if let Some(layers) = layers.filter(|layers| layers.complete) {
        let farthest = layers.depth();
        return Err(RandomError::NotSoFar { wanted: distance, farthest });
    }
    if let Some(states) = &mut found {
        let cells =
            |state: &State| -> Vec<_> { board.vertices().map(|v| state.label_at(v)).collect() };
        states.sort_by_cached_key(cells);
    }
    Ok(found)
}

/// The puzzle with a start that is drawn uniformly among those at this distance from its goal, for
/// puzzles that are too large for a table. `None` if more than `most` starts are as near, the watch
/// stops the search, or the goal leaves something open.
///
/// Takes some 50 ns for each move from each of the nearer starts, and at most
/// [`hyperslide_table::STORED_STATE_BYTES`] of memory for each of them.
///
/// # Errors
///
/// When no start is so far away.
pub fn draw_nearby(
    puzzle: &Puzzle,
    distance: u32,
    seed: u64,
    most: u64,
    watch: Watch<'_>,
) -> Result<Option<Puzzle>, RandomError> {
    let Some(goal) = puzzle.with_start(*puzzle.goal().labelled()) else { return Ok(None) };
    let Some(states) = nearby_states_at(&goal, distance, most, watch)? else { return Ok(None) };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    Ok(puzzle.with_start(states[below(&mut random, states.len() as u64)]))
}

/// States between two looks at the flag that ends their drawing.
const PART: usize = 1 << 18;

/// Sorts, unless `cancel` becomes true, in parts before each of which it is looked at.
fn sort(numbers: &mut [(u64, usize)], cancel: &AtomicBool) {
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    if numbers.len() <= PART {
        numbers.sort_unstable();
    } else {
        let (low, _, high) = numbers.select_nth_unstable(numbers.len() / 2);
        sort(low, cancel);
        sort(high, cancel);
    }
}

/// The puzzle of the table with a start that is drawn uniformly among those at this distance.
///
/// Takes at most one pass over a table of whole distances. From any other table rare distances are
/// drawn until one is found or the time has passed.
///
/// # Errors
///
/// When no start is so far away, none is found in the time, or the table does not keep all labels.
pub fn draw_at_distance(
    table: &DistanceTable,
    distance: u32,
    seed: u64,
    time: Duration,
) -> Result<Puzzle, RandomError> {
    let farthest = table.layers().depth();
    if farthest < distance {
        return Err(RandomError::NotSoFar { wanted: distance, farthest });
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let deadline = Instant::now().checked_add(time);
    let state = at_distance(table, distance, deadline, &mut random, &NEVER);
    let state = state.ok_or(RandomError::Time(time))?;
    table.abstraction().puzzle().with_start(state).ok_or(RandomError::NotWhole)
}

/// A state at this distance from the goal, of which there must be one; `None` when the deadline
/// comes before one is found, or `cancel` becomes true.
pub(super) fn at_distance(
    table: &DistanceTable,
    distance: u32,
    deadline: Option<Instant>,
    random: &mut Xoshiro256PlusPlus,
    cancel: &AtomicBool,
) -> Option<State> {
    /// If this many draws have failed, one pass over the table is quicker.
    const DRAWS: u32 = 10_000;

    at_distance_after(DRAWS, table, distance, deadline, random, cancel)
}

/// Draws up to this many states. If none of them fits, takes one pass over a table of whole
/// distances; from any other table, draws until a state fits, the deadline has passed or `cancel`
/// becomes true.
fn at_distance_after(
    draws: u32,
    table: &DistanceTable,
    distance: u32,
    deadline: Option<Instant>,
    random: &mut Xoshiro256PlusPlus,
    cancel: &AtomicBool,
) -> Option<State> {
    /// Draws between two looks at the clock.
    const BATCH: u32 = 1_000;

    let states = table.space().states() as u64;
    let draw = |random: &mut Xoshiro256PlusPlus| {
        let state = table.space().unrank(below(random, states) as u128);
        (table.distance(&state) == Some(distance)).then_some(state)
    };
    if let Some(state) = (0..draws).find_map(|_| draw(random)) {
        return Some(state);
    }
    if let Ok([state]) = states_at(table, &[distance], random.next_u64(), cancel).as_deref() {
        return Some(*state);
    }
    loop {
        if let Some(state) = (0..BATCH).find_map(|_| draw(random)) {
            return Some(state);
        }
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || cancel.load(Ordering::Relaxed) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hyperslide_table::{Abstraction, BuildOptions, Encoding, Signals};

    use super::*;

    #[test]
    fn what_was_cancelled_draws_nothing() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,8,0").unwrap();
        let whole = Abstraction::whole(&puzzle).unwrap();
        let (options, signals) = (BuildOptions::default(), Signals::default());
        let table =
            DistanceTable::build(whole, &options, &signals, &mut |_| ControlFlow::Continue(()));
        let drawn = states_at(&table.unwrap(), &[30], 1, &AtomicBool::new(true));
        assert!(matches!(drawn, Err(RandomError::Cancelled)));
    }

    /// More numbers than are sorted at once.
    #[test]
    fn many_numbers_are_sorted() {
        let mut numbers: Vec<(u64, usize)> =
            (0..3 << 20).map(|place| (place as u64 * 0x9e37_79b9 % 1000, place)).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sort(&mut numbers, &NEVER);
        assert!(numbers == sorted);
    }

    /// States of the 8-puzzle 30 moves from the goal, 221 of 181,440, by a pass and by draws alone.
    #[test]
    fn rare_states_are_found_at_once() {
        for encoding in [Encoding::Byte, Encoding::Mod3] {
            let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,8,0").unwrap();
            let options = BuildOptions { encoding, ..BuildOptions::default() };
            let whole = Abstraction::whole(&puzzle).unwrap();
            let table = DistanceTable::build(whole, &options, &Signals::default(), &mut |_| {
                ControlFlow::Continue(())
            });
            let table = table.unwrap();
            let mut late = 0;
            for seed in 0..20 {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                let state = at_distance_after(3, &table, 30, None, &mut random, &NEVER).unwrap();
                assert_eq!(table.distance(&state), Some(30));
                let now = Some(Instant::now());
                let found = at_distance_after(0, &table, 31, now, &mut random, &NEVER);
                late += u32::from(found.is_none());
                // One pass draws two numbers, those of a start and of its place.
                let mut others = Xoshiro256PlusPlus::seed_from_u64(seed);
                let drawn = (0..10).any(|_| {
                    others.next_u64();
                    others == random
                });
                assert_eq!(drawn, encoding == Encoding::Byte, "{seed}");
            }
            // Two states are 31 moves away, which a thousand draws hardly ever find.
            assert_eq!(late > 10, encoding == Encoding::Mod3, "{late}");
        }
    }
}
