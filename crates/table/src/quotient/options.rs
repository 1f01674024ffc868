//! What a search in files is told: where its blocks lie, and what it may use.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::FilesError;
use super::peers::{Peers, gather_number};
use crate::kernel::InstructionSet;
use crate::search::available_threads;

/// Memory in bytes of a search in addition to its cache: the numbering of blocks, and the blocks
/// that are being read, computed and written.
const MEMORY_BESIDE_CACHE: u64 = 200_000_000;

/// What is done about a search that is in the directory already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resume {
    /// It is an error, so that nothing is lost by mistake.
    Never,
    /// It is resumed, and it is an error if there is none.
    Always,
    /// It is resumed if there is one.
    IfPresent,
}

/// Options of a search in files, none of which changes its results.
#[derive(Clone, Debug)]
pub struct FilesOptions {
    /// The instruction set to use in the inner loops.
    pub instruction_set: InstructionSet,
    /// The number of threads that compute; one more reads and one writes.
    pub threads: usize,
    /// The directory of the searches of a run.
    pub directory: PathBuf,
    /// The name of the search's own directory in there, and in the second directory; empty if it
    /// has none. Where several processes share a search, each has a directory `process-N` in that
    /// one.
    pub name: String,
    /// Bytes of memory for blocks that are needed again.
    pub cache: u64,
    /// A second directory, in memory for instance, and the number of bytes of blocks to keep there.
    pub second: Option<(PathBuf, u64)>,
    /// What is done about a search that is in the directory.
    pub resume: Resume,
    /// The states of the last layer are listed if there are at most this many.
    pub farthest: usize,
    /// Drawn states of each layer that are computed again one by one from the rule before the layer
    /// is committed.
    pub checks: usize,
    /// The processes that share the search, if there are several.
    pub peers: Option<Arc<dyn Peers>>,
}

impl FilesOptions {
    /// Options for a search in this directory.
    pub fn new(directory: PathBuf) -> FilesOptions {
        FilesOptions {
            instruction_set: InstructionSet::best(),
            threads: available_threads(),
            directory,
            name: String::new(),
            cache: 1 << 30,
            second: None,
            resume: Resume::Never,
            farthest: 0,
            checks: 4_000,
            peers: None,
        }
    }

    /// Lets the search use this many bytes of memory: nearly all of them for blocks that are needed
    /// again. Processes on one machine share them.
    pub fn set_memory(&mut self, bytes: u64) {
        self.cache = bytes.saturating_sub(MEMORY_BESIDE_CACHE);
    }

    /// The same with the directories of this process's part of the search, and with the memory that
    /// all processes may use. Those on one machine share its processors, too.
    pub(super) fn placed(mut self) -> Result<FilesOptions, FilesError> {
        let mut name = std::mem::take(&mut self.name);
        if let Some(peers) = &self.peers {
            name = format!("{name}/process-{}", peers.process());
            let sharing = peers.on_this_machine().max(1);
            let memory = (self.cache + MEMORY_BESIDE_CACHE) / sharing as u64;
            self.cache = memory.saturating_sub(MEMORY_BESIDE_CACHE).min(self.cache);
            self.threads = (self.threads / sharing).max(1);
            self.cache = gather_number(&**peers, self.cache)?.into_iter().min().unwrap_or(0);
        }
        let second = self.second.as_mut().map(|(directory, _)| directory);
        for directory in second.into_iter().chain([&mut self.directory]) {
            directory.extend(name.split('/').filter(|part| !part.is_empty()));
        }
        Ok(self)
    }

    /// The number of this process and that of all.
    pub(super) fn process(&self) -> (usize, usize) {
        self.peers.as_ref().map_or((0, 1), |peers| (peers.process(), peers.processes()))
    }

    /// Bytes of blocks of other processes that this one keeps.
    pub(super) fn remote_bytes(&self) -> u64 {
        self.cache / 6
    }

    /// Bytes of blocks in a window: what is sent to a process before it has taken what was sent
    /// before.
    pub(super) fn window_bytes(&self) -> u64 {
        self.cache / 48
    }

    /// Bytes that the blocks of other processes and their sending take: those that are kept, a
    /// window that is being sent, two on their way, and one that has arrived.
    pub(super) fn exchange_bytes(&self) -> u64 {
        self.remote_bytes() + 4 * self.window_bytes()
    }
}
