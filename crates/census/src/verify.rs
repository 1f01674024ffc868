//! Verifying recorded starts: consistency with the survey, and a repeated search by other means.

use hyperslide_puzzle::{Board, Vertex};
use hyperslide_table::{
    BreadthFirst, Layers, STORED_STATE_BYTES, Signals, SpaceError, VertexOrder, Watch,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use thiserror::Error;

use crate::run::{RunError, search_again};
use crate::start::{StartResult, by_representative, by_set, component_space, is_sparse, starts};
use crate::survey::{ComponentClass, Orbit, Survey};

/// Why recorded starts cannot be verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The starts do not fit the survey.
    #[error("the recorded starts do not fit the board's orbits: {0}")]
    Starts(String),
    /// A repeated search needs more memory than allowed.
    #[error("repeating the search needs {:.1} GB of memory, but only {:.1} GB may be used",
        *needed as f64 / 1e9, *limit as f64 / 1e9)]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// The search failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Starts from which the search is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartsToVerify {
    /// This many starts, each drawn with a probability in proportion to the states that its search
    /// visits: drawn evenly, they could be of a tiny component.
    Drawn(usize),
    /// All of them.
    All,
}

/// Which searches of a record are repeated, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The starts from which is searched.
    pub starts: StartsToVerify,
    /// The seed by which starts and the order of the vertices are drawn.
    pub seed: u64,
    /// The most bytes that a search may take.
    pub memory: u64,
}

/// The result of a repeated search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The recorded start.
    pub recorded: StartResult,
    /// The number of recorded starts.
    pub drawn_from: usize,
    /// Whether states were stored one by one instead of being numbered; see [`is_sparse`].
    pub is_stored: bool,
    /// The layers that the repeated search found.
    pub found: Layers,
    /// The depth of each orbit that it found, if the record has them.
    pub found_depths: Option<Vec<u32>>,
}

impl Again {
    /// Returns whether all layer counts and depths of orbits agree.
    pub fn agrees(&self) -> bool {
        self.found.complete
            && self.found.states == self.recorded.layers
            && self.found_depths == self.recorded.orbit_depths
    }
}

/// Checks starts that were searched before: each must be a start of the survey, with the number of
/// states of its component, and with a depth for each orbit of the component if it has any.
///
/// # Errors
///
/// Returns an error that names the first start that is wrong.
pub fn check_done(survey: &Survey, done: &[StartResult]) -> Result<(), VerifyError> {
    let known = by_representative(survey);
    let mut seen = FxHashSet::default();
    for start in done {
        if !seen.insert(start.set()) {
            return Err(VerifyError::Starts(format!("{:?} is there twice", start.occupied)));
        }
        let Some(&(kind, orbit)) = known.get(&start.set()) else {
            let message = format!("no orbit has the start {:?}", start.occupied);
            return Err(VerifyError::Starts(message));
        };
        check_start(kind, orbit, start)?;
    }
    Ok(())
}

fn check_start(
    kind: &ComponentClass,
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
    let Some(depths) = &start.orbit_depths else { return Ok(()) };
    let (orbits, eccentricity) = (kind.orbits.len(), start.eccentricity());
    if depths.len() != orbits || depths.iter().max() != Some(&eccentricity) {
        return wrong(format!(
            "{occupied:?} does not have a depth for each of {orbits} orbits, the greatest of them \
             {eccentricity}"
        ));
    }
    Ok(())
}

/// Repeats the search from some of the recorded starts by other means: with portable inner loops, a
/// random order of the vertices, and two arrays. Where states are stored one by one
/// ([`is_sparse`]), the same search is run again. Ends after the first search that does not agree
/// or that is stopped.
///
/// # Errors
///
/// Returns an error if the recorded starts do not fit the survey, or if a search fails or needs
/// more memory than it may.
pub fn verify(
    board: &Board,
    survey: &Survey,
    recorded: &[StartResult],
    repetition: Repetition,
    signals: &Signals<'_>,
    on_progress: &mut dyn FnMut(&StartResult, &Layers) -> ControlFlow<()>,
) -> Result<Vec<Again>, VerifyError> {
    check_done(survey, recorded)?;
    let Repetition { starts: which, seed, memory } = repetition;
    let mut random = SplitMix64::seed_from_u64(seed);
    let order = shuffled_order(board, &mut random);
    let recorded = by_set(recorded);
    let of = |orbit: &Orbit| recorded.get(&orbit.representative).copied();
    let mut open: Vec<(&ComponentClass, &StartResult)> =
        starts(survey).filter_map(|(kind, orbit)| Some((kind, of(orbit)?))).collect();
    let drawn_from = open.len();
    let count = match which {
        StartsToVerify::Drawn(count) => count.min(drawn_from),
        StartsToVerify::All => drawn_from,
    };
    let mut found = Vec::new();
    for _ in 0..count {
        let next = match which {
            StartsToVerify::All => 0,
            StartsToVerify::Drawn(_) => draw(&open, &mut random),
        };
        let (kind, recorded) = open.remove(next);
        let needed = bytes_again(board, kind, Watch::flag(signals.cancel))?;
        if needed > u128::from(memory) {
            return Err(VerifyError::Memory { needed, limit: memory });
        }
        let mut on_progress = |layers: &Layers| on_progress(recorded, layers);
        let (layers, found_depths) =
            search_again(board, survey, kind, recorded, &order, signals, &mut on_progress)?;
        let again = Again {
            recorded: recorded.clone(),
            drawn_from,
            is_stored: is_sparse(kind),
            found: layers,
            found_depths,
        };
        let agrees = again.agrees();
        found.push(again);
        if !agrees {
            break;
        }
    }
    Ok(found)
}

/// Draws a start with a probability in proportion to the states of its component, and returns its
/// place.
fn draw(open: &[(&ComponentClass, &StartResult)], random: &mut impl Rng) -> usize {
    let all: f64 = open.iter().map(|(kind, _)| states(kind)).sum();
    let mut ticket = (random.next_u64() % (1 << 53)) as f64 / (1u64 << 53) as f64 * all;
    let is_drawn = |(kind, _): &(&ComponentClass, &StartResult)| {
        ticket -= states(kind);
        ticket < 0.0
    };
    open.iter().position(is_drawn).unwrap_or(open.len() - 1)
}

/// A random order of the vertices.
pub(crate) fn shuffled_order(board: &Board, random: &mut impl Rng) -> VertexOrder {
    let mut order: Vec<Vertex> = board.vertices().collect();
    for last in (1..order.len()).rev() {
        order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
    VertexOrder::new(order).expect("a shuffled order names every vertex once")
}

fn states(kind: &ComponentClass) -> f64 {
    kind.size().to_string().parse().unwrap_or(f64::MAX)
}

/// Bytes that a repeated search in memory needs: two bits for each numbered state, in words of
/// which 60 of 64 bits are used.
fn bytes_again(
    board: &Board,
    kind: &ComponentClass,
    watch: Watch<'_>,
) -> Result<u128, VerifyError> {
    if is_sparse(kind) {
        return Ok(states(kind) as u128 * u128::from(STORED_STATE_BYTES));
    }
    match component_space(board, kind, None, u64::MAX, watch) {
        Ok(space) => Ok(BreadthFirst::bytes(&space, false, 1) + u128::from(space.bytes())),
        // The search will be stopped, too.
        Err(SpaceError::Stopped) => Ok(0),
        // More than can be numbered is more than any memory has.
        Err(SpaceError::TooManyArrangements { .. }) => Ok((states(kind) / 4.0) as u128),
        Err(error) => Err(RunError::from(error).into()),
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{BoardSpec, Metric};

    use super::*;

    #[test]
    fn a_start_lists_each_of_its_vertices_once() {
        let board = Board::new(BoardSpec::Cube { d: 3, k: 1 }, Metric::Face).unwrap();
        let survey = Survey::new(&board, 6).unwrap();
        let (kind, orbit) = starts(&survey).next().unwrap();
        assert_eq!(orbit.representative.bits(), 3, "vertices 0 and 1");
        let states = kind.size().to_string().parse::<u64>().unwrap();
        let start = |occupied: &[usize]| StartResult {
            occupied: occupied.to_vec(),
            orbit: orbit.sets,
            layers: vec![1, states - 1],
            orbit_depths: None,
        };
        check_done(&survey, &[start(&[0, 1])]).unwrap();
        for wrong in [&[0, 0, 0][..], &[64, 1], &[0], &[63, 63]] {
            let error = check_done(&survey, &[start(wrong)]).unwrap_err().to_string();
            assert!(error.contains(&format!("{wrong:?}")), "{error}");
        }
    }
}
