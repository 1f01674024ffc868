//! How many states each block has at each distance, from what a finished search leaves.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Board, Label, State, Vertex, VertexSet};

use super::count::MAX_BLOCKS;
use super::error::FilesError;
use super::manifest::Manifest;
use super::search::{COUNTS, counts_offset, lengths};
use super::space::QuotientSpace;
use super::sweep::Sides;

/// The states of a search in files that have the same empty vertices and the same vertices of some
/// tokens. Symmetries of the start make other blocks of it, whose states are as far from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLayers {
    /// The empty vertices.
    pub empty: VertexSet,
    /// The tokens that are on the same vertex in all states of the block.
    pub fixed: Vec<(Vertex, Label)>,
    /// The number of blocks that symmetries make of it, itself included.
    pub orbit: u64,
    /// The number of states at each distance from the start, from 0 to that of the farthest states
    /// of the whole search.
    pub layers: Vec<u32>,
}

/// Returns how many states each block has at each distance from the start, as a finished search of
/// [`crate::count_layers_in_files`] with the same arguments left it in its directory.
///
/// Memory: 4 bytes for each block and layer.
///
/// # Errors
///
/// Returns an error if the directory has no such search, if it is not finished, or if its files
/// cannot be read.
pub fn block_layers(
    board: &Board,
    start: &State,
    walls: VertexSet,
    directory: &Path,
    cancel: &AtomicBool,
) -> Result<Vec<BlockLayers>, FilesError> {
    let space = QuotientSpace::new(board, start, walls, MAX_BLOCKS, cancel)?;
    let Some((directory, manifest)) = Manifest::of_first_process(directory, &space)? else {
        return Err(FilesError::Missing { path: directory.to_owned() });
    };
    let damaged = |reason: &str| FilesError::Manifest {
        path: Manifest::path(&directory),
        reason: reason.to_owned(),
    };
    if !manifest.complete {
        return Err(damaged("its search is not finished"));
    }
    let path = directory.join(COUNTS);
    let bytes = fs::read(&path).map_err(|source| FilesError::Io { path, source })?;
    let sides = Sides::of(&space);
    let depths = manifest.layers.len();
    let mut blocks: Vec<BlockLayers> = (0..space.blocks())
        .map(|block| {
            let (empty, fixed) = space.fixed_in(block);
            BlockLayers { empty, fixed, orbit: space.orbit(block), layers: vec![0; depths] }
        })
        .collect();
    // A half-sweep counts all states that its side has then.
    let mut counted = vec![0u32; space.blocks()];
    for layer in 0..depths {
        let first = counts_offset(sides, layer) as usize;
        let length = lengths(sides)[layer % 2] * 4;
        let counts = bytes
            .get(first..first + length)
            .ok_or_else(|| damaged("its file of counts is too short"))?;
        for (block, count) in sides.blocks(layer % 2).zip(counts.chunks_exact(4)) {
            let count: u32 = bytemuck::pod_read_unaligned(count);
            blocks[block].layers[layer] = count
                .checked_sub(counted[block])
                .ok_or_else(|| damaged("its file of counts is damaged"))?;
            counted[block] = count;
        }
        let total: u64 =
            blocks.iter().map(|block| u64::from(block.layers[layer]) * block.orbit).sum();
        if total != manifest.layers[layer] {
            return Err(damaged("its file of counts does not make its layers"));
        }
    }
    Ok(blocks)
}
