//! Checking the counts of blocks of a census by solving states of drawn blocks.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use hyperslide_census::{BlockCounts, Survey};
use hyperslide_puzzle::{
    Arrangement, Board, EMPTY, Label, Puzzle, Setup, SolvabilityMemo, State, Vertex, VertexSet,
};
use hyperslide_table::{BlockLayers, NEVER};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Prover, SampleError, SampleOptions};
use crate::random::{below, is_solvable};
use crate::record::CensusRecord;
use crate::statistics::{ChiSquared, chi_squared};

/// Blocks that are drawn.
const BLOCKS: usize = 50;
/// The most states that are drawn from each.
const STATES: usize = 100;
/// Draws of a state that can be reached. Where parity decides, half of them can.
const TRIES: usize = 1_000;

/// What states of drawn blocks say of the counts of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSample {
    /// The number of drawn blocks.
    pub blocks: usize,
    /// The number of states that were solved with proof.
    pub states: usize,
    /// The lengths compared with the counts of their blocks: the sum over all drawn blocks.
    pub fit: ChiSquared,
}

impl BlockSample {
    /// Returns whether the lengths are as the counts predict: less likely ones occur in one of ten
    /// thousand samples.
    pub fn agrees(&self) -> bool {
        self.fit.p >= 1e-4
    }
}

/// Draws blocks of the starts of a census, each in proportion to the states that it stands for, and
/// solves states of each, drawn uniformly, with proof. Their lengths have to be distributed as the
/// counts of their block predict. The states are built from what a block is, its empty vertices and
/// the tokens that it fixes, without the numbering of the search. `on_progress` gets the number of
/// states solved.
///
/// # Errors
///
/// Returns an error if a state is not solved within the limits, or if one is as far from the start
/// as no state of its block.
pub fn sample_blocks(
    record: &CensusRecord,
    board: &Board,
    survey: &Survey,
    counts: &BlockCounts,
    options: &SampleOptions,
    cancel: &AtomicBool,
    on_progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<BlockSample, SampleError> {
    let prover = Prover::new(options.limits, cancel)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let all = || {
        let starts = record.starts.iter().zip(&counts.starts);
        starts.flat_map(|(start, blocks)| {
            blocks.iter().map(move |block| (start, block, start.orbit * states(block)))
        })
    };
    let tickets: u64 = all().map(|(_, _, tickets)| tickets).sum();
    let each = (options.puzzles / BLOCKS).clamp(1, STATES);
    let mut memo = SolvabilityMemo::default();
    let (mut fits, mut solved_states) = (Vec::new(), 0);
    while fits.len() < BLOCKS && tickets > 0 {
        let mut ticket = below(&mut random, tickets) as u64;
        let drawn = all().find(|&(_, _, tickets)| {
            let is_it = ticket < tickets;
            ticket = ticket.saturating_sub(tickets);
            is_it
        });
        let Some((start, block, _)) = drawn else { break };
        let home = BlockCounts::start(survey, start);
        let solved = puzzle_of(board, &home)?;
        let mut lengths = vec![0u64; block.layers.len()];
        for _ in 0..each {
            let puzzle = draw(&solved, &home, board, block, &mut memo, &mut random)?;
            let length = prover.length(&puzzle)?;
            match lengths.get_mut(length as usize) {
                Some(count) if block.layers[length as usize] > 0 => *count += 1,
                _ => return Err(SampleError::NotInBlock { puzzle: puzzle.to_string(), length }),
            }
            solved_states += 1;
            if on_progress(solved_states).is_break() {
                return Err(SampleError::Cancelled);
            }
        }
        let total: u64 = block.layers.iter().map(|&states| u64::from(states)).sum();
        let shares: Vec<f64> =
            block.layers.iter().map(|&states| f64::from(states) / total as f64).collect();
        fits.push(chi_squared(&lengths, &shares));
    }
    Ok(BlockSample { blocks: fits.len(), states: solved_states, fit: ChiSquared::joined(&fits) })
}

/// The states that a block stands for.
fn states(block: &BlockLayers) -> u64 {
    block.orbit * block.layers.iter().map(|&states| u64::from(states)).sum::<u64>()
}

/// A state with numbers as the names of its labels.
pub(super) fn arrangement(board: &Board, state: &State) -> Arrangement {
    let name = |vertex| match state.label_at(vertex) {
        Some(label) => (label.index() + 1).to_string(),
        None => EMPTY.to_owned(),
    };
    Arrangement::ByVertex(board.vertices().map(name).collect())
}

/// The puzzle whose start and goal are a state.
fn puzzle_of(board: &Board, state: &State) -> Result<Puzzle, SampleError> {
    let arrangement = arrangement(board, state);
    let setup = Setup { start: arrangement.clone(), goal: Some(arrangement) };
    Puzzle::new(board.clone(), &setup).map_err(|error| SampleError::Search(error.to_string()))
}

/// A puzzle whose start is a state of a block, each that can be solved equally likely.
fn draw(
    solved: &Puzzle,
    home: &State,
    board: &Board,
    block: &BlockLayers,
    memo: &mut SolvabilityMemo,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Puzzle, SampleError> {
    // The puzzle numbers labels in its own way.
    let own = |label: Label| {
        home.vertices_of(label).lowest().and_then(|vertex| solved.start().label_at(vertex))
    };
    let fixed: State =
        block.fixed.iter().filter_map(|&(vertex, label)| Some((vertex, own(label)?))).collect();
    let others = home.tokens().filter(|(_, label)| {
        own(*label).is_some_and(|label| fixed.vertices_of(label) == VertexSet::EMPTY)
    });
    let mut labels: Vec<Label> = others.filter_map(|(_, label)| own(label)).collect();
    let free = board.vertex_set() - block.empty - fixed.occupied();
    let free: Vec<Vertex> = free.into_iter().collect();
    for _ in 0..TRIES {
        for last in (1..labels.len()).rev() {
            labels.swap(last, below(random, last as u64 + 1));
        }
        let rest = free.iter().copied().zip(labels.iter().copied());
        let state: State = fixed.tokens().chain(rest).collect();
        if let Some(puzzle) = solved.with_start(state)
            && is_solvable(&puzzle, memo, None, &NEVER) == Some(true)
        {
            return Ok(puzzle);
        }
    }
    Err(SampleError::Block { block: format!("{:?} empty", block.empty) })
}
