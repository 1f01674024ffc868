//! What a search in files will use, estimated before its first layer.

use serde::{Deserialize, Serialize};

use super::error::FilesError;
use super::search::QuotientSearch;

/// The disk is tried with this many bytes.
const TRIAL_BYTES: u64 = 512 << 20;
/// It is tried when it will hold at least this many.
const MIN_BYTES_FOR_TRIAL: u64 = 4 << 30;
/// Bytes of blocks that a thread shifts per second, for estimates: measured on an EPYC with AVX2.
const BYTES_SHIFTED_PER_SECOND: f64 = 3.8e9;

/// What a search will use, known before its first layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesEstimate {
    /// Bytes of this process's blocks.
    pub bytes: u64,
    /// Bytes of those that lie in the second directory.
    pub second_bytes: u64,
    /// Bytes of blocks that may stay in memory.
    pub cache: u64,
    /// What the disk of the first directory wrote and read in a trial, in bytes per second; 0 if
    /// the blocks are too few for one.
    pub disk: f64,
    /// The time in seconds that a layer takes at most: that of the slides between all blocks, or
    /// that of reading one side and writing the other, whichever is longer. Typically half of the
    /// layers take about as long.
    pub layer_s: f64,
}

impl QuotientSearch<'_> {
    /// What the search will use. The disk is tried where there are enough blocks to make that
    /// worth its time.
    pub(super) fn new_estimate(&self) -> Result<FilesEstimate, FilesError> {
        let slot_bytes = self.space.slot_bytes();
        let bytes = Self::share_bytes(self.space, &self.share);
        let second = self.manifest.second.as_ref();
        let second_blocks: usize = second.map_or(0, |share| share.blocks.iter().sum());
        let second_bytes = second_blocks as u64 * slot_bytes;
        let cache = self.options.cache.min(bytes);
        let trial = (TRIAL_BYTES / slot_bytes).max(1) as usize;
        let disk = if bytes - second_bytes < MIN_BYTES_FOR_TRIAL {
            0.0
        } else {
            self.files.trial(trial).map_err(|source| self.failed(source))?
        };
        let (slides, _) = self.space.slides();
        let part = bytes as f64 / Self::file_bytes(self.space) as f64;
        let slid = slides as f64 * self.space.block_bytes() as f64 * part / 2.0;
        let computing = slid / (BYTES_SHIFTED_PER_SECOND * self.options.threads as f64);
        // One side is written while the other is read; what is in memory is not read.
        let moved = (bytes - second_bytes) as f64 - cache as f64;
        let moving = if disk > 0.0 { moved.max(0.0) / disk } else { 0.0 };
        Ok(FilesEstimate { bytes, second_bytes, cache, disk, layer_s: computing.max(moving) })
    }

    /// Returns what the search uses, as it was known before its first layer.
    pub fn estimate(&self) -> FilesEstimate {
        self.manifest.estimate
    }
}
