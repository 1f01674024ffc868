//! Saving a search in memory after a layer, and continuing it.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{BreadthFirst, Layers};
use crate::durable::replace_with;
use crate::new_states::ListedState;
use crate::sweep::Layer;

/// A saved search, except its states, which are in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSearch {
    /// The number of states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// The name of the file in its directory.
    pub file: String,
    /// The checksum of the file.
    crc32: u32,
    /// The states of the last layer as set, word and lane, unless there are too many.
    farthest: Vec<ListedState>,
    /// The greatest distance at which each occupied set has a state, if the search records that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_depths: Option<Vec<u32>>,
}

impl BreadthFirst<'_> {
    /// Writes a file in a directory from which the only search can be continued after its last
    /// complete layer.
    ///
    /// The file has the words of the visited states followed by those of the flags, little-endian.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing one then stays as it was.
    ///
    /// # Panics
    ///
    /// Panics if there are several searches.
    pub fn save(&self, directory: &Path, file: String) -> io::Result<SavedSearch> {
        assert_eq!(self.layers.len(), 1, "one search can be saved");
        let crc32 = replace_with(&directory.join(&file), |file| {
            let mut file = Checked { inner: file, hash: self.begun_checksum() };
            let mut out = BufWriter::with_capacity(1 << 20, &mut file);
            for words in [self.visited.words(), &self.changed] {
                for chunk in words.chunks(1 << 16) {
                    out.write_all(bytemuck::cast_slice(chunk))?;
                }
            }
            out.flush()?;
            drop(out);
            Ok(file.hash.finalize())
        })?;
        let (layers, farthest) = (self.layers[0].states.clone(), self.farthest.clone());
        Ok(SavedSearch { layers, file, crc32, farthest, set_depths: self.set_depths.clone() })
    }

    /// The checksum of a saved search before its first byte: another order of the occupied sets
    /// makes it another one.
    fn begun_checksum(&self) -> crc32fast::Hasher {
        let mut hash = crc32fast::Hasher::new();
        hash.update(&self.space.checksum().to_le_bytes());
        hash
    }

    /// Restores a search that [`BreadthFirst::save`] saved in a directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or has another checksum, or if what this search
    /// records was not recorded.
    ///
    /// # Panics
    ///
    /// Panics if there are several searches.
    pub fn resume(&mut self, directory: &Path, saved: SavedSearch) -> io::Result<()> {
        assert_eq!(self.layers.len(), 1, "one search was saved");
        let SavedSearch { layers, file, crc32, farthest, set_depths } = saved;
        if file.contains(['/', '\\']) {
            return Err(io::Error::other("its file is named in another directory"));
        }
        let recorded = self.set_depths.as_ref().map(Vec::len);
        if recorded.is_some() && recorded != set_depths.as_ref().map(Vec::len) {
            return Err(io::Error::other("it was saved without the depths of occupied sets"));
        }
        let file = File::open(directory.join(file))?;
        let mut file = Checked { inner: file, hash: self.begun_checksum() };
        let mut input = BufReader::with_capacity(1 << 20, &mut file);
        self.is_clean = false;
        for words in [self.visited.words_mut(), &mut self.changed] {
            for chunk in words.chunks_mut(1 << 16) {
                input.read_exact(bytemuck::cast_slice_mut(chunk))?;
            }
        }
        let is_longer = input.read(&mut [0])? > 0;
        drop(input);
        if is_longer || file.hash.finalize() != crc32 {
            return Err(io::Error::other("its checksum differs from the one in its manifest"));
        }
        if !farthest.iter().all(|&state| self.has_visited_listed(state)) {
            return Err(io::Error::other("it lists a state that it has not visited"));
        }
        if !self.is_in_place() {
            self.next.words_mut().copy_from_slice(self.visited.words());
            self.next_changed.fill(0);
        }
        self.layers = vec![Layers { states: layers, complete: false }];
        self.farthest = farthest;
        self.set_depths = self.set_depths.take().and(set_depths);
        Ok(())
    }

    fn has_visited_listed(&self, (set, word, lane): ListedState) -> bool {
        let block_words = Layer::block_words(self.space, 1);
        let (word, lane) = (word as usize, u32::from(lane));
        let place = (set as usize).checked_mul(block_words).and_then(|at| at.checked_add(word));
        let found = place.filter(|_| word < block_words && lane < u64::BITS);
        found
            .and_then(|place| self.visited.words().get(place))
            .is_some_and(|found| found >> lane & 1 == 1)
    }
}

/// A reader or writer that computes the checksum of all bytes that pass through it.
struct Checked<T> {
    inner: T,
    hash: crc32fast::Hasher,
}

impl<T: Write> Write for Checked<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Checked<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hash.update(&bytes[..read]);
        Ok(read)
    }
}
