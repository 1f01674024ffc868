//! The searches from tokens with repeated labels, and their repetition by other means.

use std::collections::HashMap;
use std::ops::ControlFlow;

use hyperslide_puzzle::State;
use hyperslide_table::{
    BreadthFirst, InstructionSet, Layers, SearchOptions, Signals, Space, SpaceError, SpaceOptions,
    VertexOrder, Watch,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Kind, LabelledError, LabelledStart, LabelledSurvey};
use crate::run::{MAX_SIDE_BY_SIDE_BYTES, RunOptions, searches_side_by_side};
use crate::verify::{Repetition, StartsToVerify, shuffled_order};

impl LabelledSurvey {
    /// Searches from one state of every orbit. `on_progress` is called after every batch of
    /// searches with the number of those done. If it breaks or the search is cancelled, returns the
    /// starts done so far.
    ///
    /// # Errors
    ///
    /// Returns an error if a search needs more than `memory` bytes or finds a wrong number of
    /// states.
    pub fn run(
        &self,
        memory: u64,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<LabelledStart>, LabelledError> {
        let mut done = Vec::new();
        for kind in &self.kinds {
            let ranks: Vec<(u64, u64)> =
                kind.orbits.iter().map(|orbit| (orbit.representative, orbit.states)).collect();
            let mut sink = |rank: u64, states: u64, layers: &Layers| {
                done.push(LabelledStart {
                    cells: self.cells(rank),
                    orbit: states,
                    layers: layers.states.clone(),
                });
                on_progress(done.len())
            };
            let options = SearchOptions::default();
            if self.search(kind, &ranks, (None, options), memory, signals, &mut sink)?.is_break() {
                break;
            }
        }
        Ok(done)
    }

    /// Searches from these states of a component, several side by side, and passes on the layers
    /// from each. Breaks when `sink` does or the search is cancelled.
    fn search(
        &self,
        kind: &Kind,
        ranks: &[(u64, u64)],
        (order, options): (Option<VertexOrder>, SearchOptions),
        memory: u64,
        signals: &Signals<'_>,
        sink: &mut dyn FnMut(u64, u64, &Layers) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, LabelledError> {
        let Some(&(first, _)) = ranks.first() else { return Ok(ControlFlow::Continue(())) };
        let watch = Watch::flag(signals.cancel);
        let space_options =
            SpaceOptions { walls: kind.stuck, order, memory, watch, ..SpaceOptions::default() };
        let space = match Space::new(&self.board, &self.state(first), &space_options) {
            Err(SpaceError::Stopped) => return Ok(ControlFlow::Break(())),
            Err(SpaceError::Memory { needed, limit, .. }) => {
                return Err(LabelledError::Memory { needed: needed.into(), limit });
            }
            space => space?,
        };
        let side_by_side_bytes = memory.saturating_sub(space.bytes()).min(MAX_SIDE_BY_SIDE_BYTES);
        let run_options =
            RunOptions { search: options, side_by_side_bytes, ..RunOptions::default() };
        let side_by_side = searches_side_by_side(&space, &run_options, ranks.len());
        let needed = u128::from(space.bytes())
            + BreadthFirst::bytes(&space, run_options.search.in_place, side_by_side);
        if needed > u128::from(memory) {
            return Err(LabelledError::Memory { needed, limit: memory });
        }
        let mut starts: Vec<(Option<bool>, u64, u64)> = ranks
            .iter()
            .map(|&(rank, states)| (space.colour(&self.state(rank)), rank, states))
            .collect();
        starts.sort_by_key(|&(colour, rank, _)| (colour, rank));
        let mut search = BreadthFirst::side_by_side(&space, run_options.search, side_by_side)
            .map_err(LabelledError::Allocation)?;
        for same_colour in starts.chunk_by(|a, b| a.0 == b.0) {
            for batch in same_colour.chunks(side_by_side) {
                // If there are fewer starts than searches, the first is repeated, which costs
                // nothing.
                let states = batch.iter().chain(std::iter::repeat(&batch[0]));
                let states: Vec<State> =
                    states.take(side_by_side).map(|&(_, rank, _)| self.state(rank)).collect();
                search.start_each(&states).expect("the starts are in one component");
                search.run(signals, |_| ControlFlow::Continue(()));
                // What was found is kept, whenever the census is to stop.
                let mut flow = ControlFlow::Continue(());
                for (&(_, rank, states), layers) in batch.iter().zip(search.all_layers()) {
                    if !layers.complete {
                        return Ok(ControlFlow::Break(()));
                    }
                    if layers.total() != kind.size {
                        let cells = self.cells(rank);
                        let (found, expected) = (layers.total(), kind.size);
                        return Err(LabelledError::Contradiction { cells, found, expected });
                    }
                    if sink(rank, states, layers).is_break() {
                        flow = ControlFlow::Break(());
                    }
                }
                if flow.is_break() {
                    return Ok(flow);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Checks that each orbit has one recorded start, with all states of its component.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first start that is missing or wrong.
    pub fn check(&self, recorded: &[LabelledStart]) -> Result<(), LabelledError> {
        let wrong = |message: String| Err(LabelledError::Starts(message));
        let vertices = self.board.vertex_count();
        let mut by_rank: HashMap<u64, &LabelledStart> = HashMap::new();
        for start in recorded {
            let mut counts = vec![0; self.states.multiplicities().len()];
            for &letter in &start.cells {
                if let Some(count) = counts.get_mut(usize::from(letter)) {
                    *count += 1;
                }
            }
            if start.cells.len() != vertices || counts != self.states.multiplicities() {
                return wrong(format!("{:?} is not a state of these tokens", start.cells));
            }
            by_rank.insert(self.states.rank(&start.cells), start);
        }
        if recorded.len() != self.orbits() {
            let (found, expected) = (recorded.len(), self.orbits());
            return wrong(format!("{found} starts are recorded, but there are {expected}"));
        }
        for kind in &self.kinds {
            for orbit in &kind.orbits {
                let cells = || self.cells(orbit.representative);
                let Some(start) = by_rank.get(&orbit.representative) else {
                    return wrong(format!("none is in the orbit of {:?}", cells()));
                };
                let total: u128 = start.layers.iter().map(|&states| u128::from(states)).sum();
                let is_right = start.orbit == orbit.states
                    && start.layers.first() == Some(&1)
                    && total == u128::from(kind.size);
                if !is_right {
                    return wrong(format!(
                        "{:?} has an orbit of {} states in a component of {}",
                        cells(),
                        orbit.states,
                        kind.size
                    ));
                }
            }
        }
        Ok(())
    }

    /// Repeats the searches from some recorded starts by other means, like [`crate::verify()`]:
    /// portable inner loops, a random order of the vertices, and two arrays. Returns the number of
    /// starts whose layers agree, and the first that does not; fewer than asked for are searched if
    /// it is cancelled.
    ///
    /// # Errors
    ///
    /// Returns an error if the starts do not fit the survey, or if a search fails.
    pub fn verify(
        &self,
        recorded: &[LabelledStart],
        repetition: Repetition,
        signals: &Signals<'_>,
    ) -> Result<(usize, Option<LabelledStart>), LabelledError> {
        self.check(recorded)?;
        let Repetition { starts: which, seed, memory } = repetition;
        let mut random = SplitMix64::seed_from_u64(seed);
        let order = shuffled_order(&self.board, &mut random);
        let mut below = |limit: u64| random.next_u64() % limit.max(1);
        let mut open: Vec<(&Kind, (u64, u64))> = Vec::new();
        for kind in &self.kinds {
            open.extend(kind.orbits.iter().map(|o| (kind, (o.representative, o.states))));
        }
        if let StartsToVerify::Drawn(count) = which {
            let mut drawn = Vec::new();
            while drawn.len() < count && !open.is_empty() {
                // In proportion to the states that the search visits.
                let mut ticket = below(open.iter().map(|(kind, _)| kind.size).sum());
                let place = open.iter().position(|(kind, _)| match ticket.checked_sub(kind.size) {
                    Some(left) => {
                        ticket = left;
                        false
                    }
                    None => true,
                });
                drawn.push(open.remove(place.unwrap_or(0)));
            }
            open = drawn;
        }
        let by_rank: HashMap<u64, &LabelledStart> =
            recorded.iter().map(|start| (self.states.rank(&start.cells), start)).collect();
        let (mut agreeing, mut wrong) = (0, None);
        for (kind, rank) in open {
            let options = SearchOptions {
                instruction_set: InstructionSet::PORTABLE,
                in_place: false,
                ..Default::default()
            };
            let mut sink = |rank: u64, _: u64, layers: &Layers| {
                let start = by_rank[&rank];
                if layers.states == start.layers {
                    agreeing += 1;
                    ControlFlow::Continue(())
                } else {
                    wrong = Some(start.clone());
                    ControlFlow::Break(())
                }
            };
            let other = (Some(order.clone()), options);
            if self.search(kind, &[rank], other, memory, signals, &mut sink)?.is_break() {
                break;
            }
        }
        Ok((agreeing, wrong))
    }
}
