//! Counting the states at each distance from a start with the blocks in files.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Board, State, VertexSet};

use super::search::{FilesError, FilesOptions, FilesProgress, LayerCost, QuotientSearch};
use super::space::QuotientSpace;
use crate::layer_count::LayerCount;

/// Blocks at most, at 32 bytes each and 12 for each slide between them.
const MAX_BLOCKS: usize = 1 << 25;

/// The result of [`count_layers_in_files`].
#[derive(Clone, Debug, PartialEq)]
pub struct FilesCount {
    /// The layers, and the farthest states if there are few enough.
    pub count: LayerCount,
    /// What each layer cost, the start's first.
    pub costs: Vec<LayerCost>,
    /// The number of symmetries up to which states were searched.
    pub symmetries: usize,
    /// The number of orbits of the farthest states.
    pub farthest_orbits: Option<usize>,
}

/// Counts the states at each distance from a start, like [`crate::count_layers`], with the blocks in
/// files, up to the symmetries of the start: for graphs larger than memory. The tokens on `walls`
/// never move. The search can be killed and resumed at any moment; its blocks are removed when it is
/// complete, and what it found stays in its directory.
///
/// # Errors
///
/// Returns an error if the states cannot be numbered, if the directory cannot be used or has too
/// little room, if a file cannot be read or written, or if a check of the search fails.
pub fn count_layers_in_files(
    board: &Board,
    start: &State,
    walls: VertexSet,
    options: FilesOptions,
    cancel: &AtomicBool,
    tell: &mut dyn FnMut(FilesProgress<'_>) -> ControlFlow<()>,
) -> Result<FilesCount, FilesError> {
    let space = QuotientSpace::new(board, start, walls, MAX_BLOCKS, cancel)?;
    let wanted = options.farthest;
    let mut search = QuotientSearch::open(&space, options)?;
    let layers = search.run(cancel, tell)?;
    let orbits = if layers.complete { search.farthest() } else { None };
    let states = orbits.as_ref().map(|orbits| {
        let mut states: Vec<State> =
            orbits.iter().flat_map(|state| space.orbit_of(state)).collect();
        states.sort_by_cached_key(|state| state.tokens().collect::<Vec<_>>());
        states
    });
    let costs = search.costs().to_vec();
    if layers.complete {
        search.remove_blocks()?;
    }
    Ok(FilesCount {
        count: LayerCount { layers, farthest: states.filter(|states| states.len() <= wanted) },
        costs,
        symmetries: space.symmetries(),
        farthest_orbits: orbits.map(|orbits| orbits.len()),
    })
}
