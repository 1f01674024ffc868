//! What a search in files keeps between half-sweeps, so that it survives being killed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hyperslide_puzzle::Label;
use serde::{Deserialize, Serialize};

use super::error::FilesError;
use super::estimate::FilesEstimate;
use super::options::{FilesOptions, Resume};
use super::peers::gather_number;
use super::second::SecondShare;
use super::space::QuotientSpace;
use crate::durable::Replacement;
use crate::new_states::ListedState;
use crate::sealed::{seal, unseal};

const MANIFEST: &str = "manifest.json";
/// The manifest of the layer before, which is needed where other processes have not got further.
const PREVIOUS: &str = "manifest.previous.json";

/// What one layer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerCost {
    /// Elapsed time in seconds.
    pub wall_s: f64,
    /// Blocks that were completed; the others could not change.
    pub blocks: u64,
    /// Bytes read from the files.
    pub read: u64,
    /// Bytes written to the files.
    pub written: u64,
    /// Bytes of blocks that processes sent to each other.
    pub sent: u64,
}

/// What a search has found so far, as it is kept between half-sweeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The board, its metric and the start, and how states are numbered.
    search: String,
    /// What lies in the second directory, if there is one.
    pub second: Option<SecondShare>,
    pub layers: Vec<u64>,
    pub complete: bool,
    pub costs: Vec<LayerCost>,
    pub estimate: FilesEstimate,
    /// States and checksum of each block.
    pub states: Vec<u32>,
    pub checksums: Vec<u32>,
    /// Blocks that changed in the last layer.
    pub changed: Vec<u32>,
    /// The new states of the last layer, as block, word and bit, unless they are too many.
    pub farthest: Option<Vec<ListedState>>,
}

impl Manifest {
    /// The manifest of a search that is about to begin.
    pub fn new(search: String, second: Option<SecondShare>, blocks: usize) -> Manifest {
        Manifest {
            search,
            second,
            layers: Vec::new(),
            complete: false,
            costs: Vec::new(),
            estimate: FilesEstimate::default(),
            states: vec![0; blocks],
            checksums: vec![0; blocks],
            changed: Vec::new(),
            farthest: None,
        }
    }

    /// Where the manifest of a directory is.
    pub fn path(directory: &Path) -> PathBuf {
        directory.join(MANIFEST)
    }

    /// Returns whether a directory has a search.
    pub fn is_in(directory: &Path) -> bool {
        [MANIFEST, PREVIOUS].iter().any(|name| directory.join(name).exists())
    }

    /// Writes the manifest under a new name, which is renamed. The one before is kept if others may
    /// need it.
    pub fn write(&self, directory: &Path, keeps_previous: bool) -> io::Result<()> {
        let mut new = Replacement::locked(&Manifest::path(directory))?;
        new.file().write_all(&seal(self)?)?;
        new.commit_after(|path| match keeps_previous && path.exists() {
            true => std::fs::rename(path, directory.join(PREVIOUS)),
            false => Ok(()),
        })
    }

    /// The manifest from which all processes continue: that of the last layer that all of them
    /// have.
    pub fn agreed(options: &FilesOptions, search: &str) -> Result<Option<Manifest>, FilesError> {
        let read = |name| Manifest::read(&options.directory.join(name), search);
        let last = read(MANIFEST)?;
        let Some(peers) = &options.peers else { return Ok(last) };
        // A process that was killed between two renamings has the previous one only.
        let last = last.map_or_else(|| read(PREVIOUS), |last| Ok(Some(last)))?;
        let restore = || {
            let [from, to] = [PREVIOUS, MANIFEST].map(|name| options.directory.join(name));
            std::fs::rename(from, &to).map_err(|source| FilesError::Io { path: to, source })
        };
        let steps = gather_number(&**peers, last.as_ref().map_or(0, Manifest::step))?;
        if options.resume == Resume::Always && steps.iter().all(|&step| step == 0) {
            return Err(FilesError::Missing { path: options.directory.clone() });
        }
        let least = steps.iter().copied().min().unwrap_or(0);
        if let Some(process) = steps.iter().position(|&step| step > least + 1) {
            return Err(FilesError::Disagree { process });
        }
        match last {
            Some(last) if last.step() > least => {
                let previous = if least == 0 { None } else { read(PREVIOUS)? };
                let has = previous.as_ref().map_or(0, Manifest::step);
                if has == least {
                    // What is kept as the previous one from now on must be older than the last.
                    previous.as_ref().map_or(Ok(()), |_| restore())?;
                    return Ok(previous);
                }
                Err(FilesError::Disagree { process: peers.process() })
            }
            Some(last) if !options.directory.join(MANIFEST).exists() => {
                restore()?;
                Ok(Some(last))
            }
            last => Ok(last),
        }
    }

    /// Reads the manifest of the first process of a search, which has the counts of all blocks, and
    /// the directory in which it is: `directory`, or one in there if several processes shared the
    /// search. `None` if there is none.
    pub fn of_first_process(
        directory: &Path,
        space: &QuotientSpace,
    ) -> Result<Option<(PathBuf, Manifest)>, FilesError> {
        let alone = description(space, 0, 1);
        if let Some(manifest) = Manifest::read(&Manifest::path(directory), &alone)? {
            return Ok(Some((directory.to_owned(), manifest)));
        }
        let directory = directory.join("process-0");
        let path = Manifest::path(&directory);
        let is_part = |found: &str| found.starts_with(&format!("{alone}, process 0 of "));
        let manifest = Manifest::read_if(&path, &is_part)?;
        Ok(manifest.map(|manifest| (directory, manifest)))
    }

    /// The number of times that it was committed.
    fn step(&self) -> u64 {
        self.layers.len() as u64 + u64::from(self.complete)
    }

    /// Reads the manifest of a search; `None` if there is none.
    fn read(path: &Path, search: &str) -> Result<Option<Manifest>, FilesError> {
        Manifest::read_if(path, &|found| found == search)
    }

    /// The same of a search whose description is the right one.
    fn read_if(
        path: &Path,
        is_right: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Manifest>, FilesError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FilesError::Io { path: path.to_owned(), source }),
        };
        let wrong = |reason: String| FilesError::Manifest { path: path.to_owned(), reason };
        let manifest: Manifest = unseal(&bytes).map_err(|error| wrong(error.to_string()))?;
        if !is_right(&manifest.search) {
            let (path, found) = (path.to_owned(), manifest.search);
            return Err(FilesError::Foreign { path, found });
        }
        Ok(Some(manifest))
    }
}

/// What distinguishes a search from others, in terms of vertices: names of labels do not matter.
pub(super) fn description(space: &QuotientSpace, process: usize, processes: usize) -> String {
    let vertices = |labels: &[Label]| {
        let vertex = |&label: &Label| space.start().vertices_of(label).lowest();
        let vertices: Vec<String> =
            labels.iter().filter_map(vertex).map(|vertex| vertex.to_string()).collect();
        vertices.join(",")
    };
    let empty = space.board().vertex_set() - space.start().occupied();
    let empty: Vec<String> = empty.into_iter().map(|vertex| vertex.to_string()).collect();
    let part =
        if processes == 1 { String::new() } else { format!(", process {process} of {processes}") };
    format!(
        "{} {}, vertices {} empty, {} blocks of {} states in {} bytes up to {} symmetries, tokens of \
         vertices {} fixed in a block, {} in a row{part}",
        space.board().spec(),
        space.board().metric().name(),
        empty.join(","),
        space.blocks(),
        space.block_states(),
        space.slot_bytes(),
        space.symmetries(),
        vertices(space.prefix()),
        vertices(&space.rest()),
    )
}
