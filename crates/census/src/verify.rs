//! Verifying recorded starts: consistency with the survey, and a repeated search by other means.

use hyperslide_puzzle::{Board, Vertex};
use hyperslide_table::{Layers, Signals, VertexOrder};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::ops::ControlFlow;
use thiserror::Error;

use crate::run::{RunError, search_again};
use crate::start::{StartResult, starts};
use crate::survey::{ComponentType, Orbit, Survey};

/// Why recorded starts cannot be verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The starts do not fit the survey.
    #[error("the recorded starts do not fit the board's orbits: {0}")]
    Starts(String),
    /// The search failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The result of a repeated search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The recorded start.
    pub recorded: StartResult,
    /// The number of starts from which it was drawn.
    pub drawn_from: usize,
    /// The layers that the repeated search found.
    pub found: Layers,
}

impl Again {
    /// Returns whether all layer counts agree.
    pub fn agrees(&self) -> bool {
        self.found.complete && self.found.states == self.recorded.layers
    }
}

/// Checks that there is one recorded start for every orbit of the survey, each with the number of
/// states of its component.
///
/// # Errors
///
/// Returns an error that names the first start that is missing or wrong.
pub fn check_starts(survey: &Survey, recorded: &[StartResult]) -> Result<(), VerifyError> {
    let wrong = |message: String| Err(VerifyError::Starts(message));
    let expected = starts(survey).count();
    if recorded.len() != expected {
        return wrong(format!("{} starts are recorded, but there are {expected}", recorded.len()));
    }
    for (kind, orbit) in starts(survey) {
        let occupied = orbit.representative;
        match recorded.iter().find(|start| start.set() == occupied) {
            Some(start) => check_start(kind, orbit, start)?,
            None => return wrong(format!("none on {occupied:?}")),
        }
    }
    Ok(())
}

/// Checks starts that an earlier run searched: each must be a start of the survey, with the number
/// of states of its component.
///
/// # Errors
///
/// Returns an error that names the first start that is wrong.
pub fn check_done(survey: &Survey, done: &[StartResult]) -> Result<(), VerifyError> {
    for start in done {
        let known = starts(survey).find(|(_, orbit)| orbit.representative == start.set());
        let Some((kind, orbit)) = known else {
            let message = format!("no orbit has the start {:?}", start.occupied);
            return Err(VerifyError::Starts(message));
        };
        check_start(kind, orbit, start)?;
    }
    Ok(())
}

fn check_start(
    kind: &ComponentType,
    orbit: &Orbit,
    start: &StartResult,
) -> Result<(), VerifyError> {
    let wrong = |message: String| Err(VerifyError::Starts(message));
    let occupied = orbit.representative;
    if start.orbit != orbit.sets {
        let (recorded, actual) = (start.orbit, orbit.sets);
        return wrong(format!("the orbit of {occupied:?} has {actual} sets, not {recorded}"));
    }
    let states: u128 = start.layers.iter().map(|&states| u128::from(states)).sum();
    if start.layers.first() != Some(&1) || kind.size() != states.into() {
        let size = kind.size();
        return wrong(format!("{occupied:?} has {states} states, not {size}"));
    }
    Ok(())
}

/// Draws one of the recorded starts and repeats the search from it by other means: with portable
/// inner loops, a random order of the vertices, and two arrays.
///
/// # Errors
///
/// Returns an error if the recorded starts do not fit the survey, or if the search fails.
///
/// # Panics
///
/// Panics if the survey has no starts.
pub fn verify(
    board: &Board,
    survey: &Survey,
    recorded: &[StartResult],
    seed: u64,
    signals: &Signals<'_>,
    tell: &mut dyn FnMut(&StartResult, &Layers) -> ControlFlow<()>,
) -> Result<Again, VerifyError> {
    check_starts(survey, recorded)?;
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut below = |limit: usize| (random.next_u64() % limit as u64) as usize;
    let mut order: Vec<Vertex> = board.vertices().collect();
    for last in (1..order.len()).rev() {
        order.swap(last, below(last + 1));
    }
    let order = VertexOrder::new(order).expect("a shuffled order names every vertex once");
    let drawn_from = starts(survey).count();
    let (kind, orbit) =
        starts(survey).nth(below(drawn_from)).expect("the caller made sure of starts");
    let recorded = recorded
        .iter()
        .find(|start| start.set() == orbit.representative)
        .expect("the starts have been checked")
        .clone();
    let mut tell = |layers: &Layers| tell(&recorded, layers);
    let found = search_again(board, kind, orbit.representative, &order, signals, &mut tell)?;
    Ok(Again { recorded, drawn_from, found })
}
