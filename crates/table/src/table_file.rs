//! The files of distance tables: a description, followed by the distances at a page boundary.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use hyperslide_puzzle::Puzzle;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use crate::abstraction::{Abstraction, Rest};
use crate::distances::{Encoding, payload_bytes};
use crate::durable::{Replacement, behind_links};
use crate::files::{create_unfinished, remove_left_behind};
use crate::search::Layers;
use crate::space::Numberings;
use crate::table::{DistanceTable, TableError, space_of};
use crate::watch::Watch;

/// The first bytes of every table file.
pub(crate) const MAGIC: [u8; 8] = *b"hyprtabl";
/// The version of the format. It changes whenever the order of sets or arrangements does.
pub const FORMAT_VERSION: u32 = 4;
/// The distances begin at a multiple of this number of bytes, so that they can be mapped.
const PAGE: u64 = 4096;
/// The number of bytes before the description: magic, version, length and checksum of the
/// description.
const FIXED: usize = 8 + 4 + 4 + 4;

/// The description of a table in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDescription {
    /// The puzzle as a line; its start only determines the tokens and the vertices that they can
    /// reach.
    pub puzzle: String,
    /// The tokens that keep their labels.
    pub kept: Vec<String>,
    /// The tokens that stay on their goal vertices.
    pub settled: Vec<String>,
    /// The treatment of the other tokens: `counted`, `free` or `absent` ([`Rest`]).
    pub rest: String,
    /// The number of bits per state.
    pub bits: u8,
    /// The number of states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// Whether the table has all states from which the goal can be reached, not only the nearest.
    pub complete: bool,
    /// The number of occupied sets whose states are numbered.
    pub occupied_sets: u64,
    /// The checksum (CRC-32) of these sets in their order.
    pub numbering: u32,
    /// The size of the distances in bytes.
    pub payload_bytes: u64,
    /// The checksum (CRC-32) of the distances.
    pub payload_crc32: u32,
}

impl DistanceTable {
    /// Returns the description that the file of this table has.
    pub fn description(&self) -> TableDescription {
        TableDescription {
            puzzle: self.abstraction().puzzle().to_string(),
            kept: self.abstraction().kept().into_iter().map(str::to_owned).collect(),
            settled: self.abstraction().settled().into_iter().map(str::to_owned).collect(),
            rest: self.abstraction().rest().name().to_owned(),
            bits: self.encoding().bits(),
            layers: self.layers().states.clone(),
            complete: self.layers().complete,
            occupied_sets: self.space().occupied_sets() as u64,
            numbering: self.space().checksum(),
            payload_bytes: self.bytes(),
            payload_crc32: crc32fast::hash(bytemuck::cast_slice(self.words())),
        }
    }

    /// Writes the table to a temporary file in the same directory, which is then renamed: another
    /// process sees the old file or the new one, never an incomplete one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or if the path is that of a device; an
    /// existing file then stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), TableError> {
        // Renaming would put a file in place of a device.
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file");
            return Err(cannot_write(path, source));
        }
        let path = &behind_links(path);
        remove_left_behind(path);
        let write = |new: &mut File| -> io::Result<()> {
            let description = serde_json::to_vec(&self.description())?;
            let mut head = Vec::from(MAGIC);
            head.extend(FORMAT_VERSION.to_le_bytes());
            head.extend((description.len() as u32).to_le_bytes());
            head.extend(crc32fast::hash(&description).to_le_bytes());
            head.extend(&description);
            head.resize(head.len().next_multiple_of(PAGE as usize), 0);
            new.write_all(&head)?;
            new.write_all(bytemuck::cast_slice(self.words()))
        };
        create_unfinished(path)
            .and_then(|(name, file)| {
                let mut new = Replacement::begun(file, name, path);
                write(new.file())?;
                new.commit()
            })
            .map_err(|source| cannot_write(path, source))
    }

    /// Reads the description of a table file without reading the distances.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a table.
    pub fn describe(path: &Path) -> Result<TableDescription, TableError> {
        let io_error = |source| cannot_read(path, source);
        // This comes before the file is opened, because opening a pipe could block indefinitely.
        if !path.metadata().map_err(io_error)?.is_file() {
            return Err(damaged(path, "is not a file"));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let bytes = file.metadata().map_err(io_error)?.len();
        read_description(&mut file, bytes).map_err(|problem| match problem {
            Unreadable::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                damaged(path, "is not a table: it is too short")
            }
            Unreadable::Io(error) => cannot_read(path, error),
            Unreadable::Damaged(problem) => damaged(path, problem),
        })
    }

    /// Maps a table file into memory, read only, after checking all of it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a table, or is damaged.
    pub fn open(path: &Path) -> Result<DistanceTable, TableError> {
        DistanceTable::open_sharing(path, &Numberings::default(), u64::MAX, Watch::default())
    }

    /// Does the same as [`DistanceTable::open`], within limits, and shares what it can with tables
    /// whose numberings are known.
    #[allow(unsafe_code, reason = "a mapping is only sound while nobody changes the file")]
    pub(crate) fn open_sharing(
        path: &Path,
        known: &Numberings,
        memory: u64,
        watch: Watch<'_>,
    ) -> Result<DistanceTable, TableError> {
        let description = DistanceTable::describe(path)?;
        let (abstraction, encoding) = contents(&description, path)?;
        let space = space_of(&abstraction, known, memory, watch)?;
        if space.occupied_sets() as u64 != description.occupied_sets
            || space.checksum() != description.numbering
            || payload_bytes(&space, encoding) != u128::from(description.payload_bytes)
        {
            return Err(damaged(path, "numbers its states differently than this program"));
        }
        let file = File::open(path).map_err(|source| cannot_read(path, source))?;
        // SAFETY: tables are written under another name and renamed, so that no process of ours
        // ever changes one in place. If another program truncates the file while it is mapped, this
        // process ends with a signal, as with any mapped file.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| cannot_read(path, source))?;
        let start = map.len().checked_sub(description.payload_bytes as usize);
        let start = start.ok_or_else(|| damaged(path, "is truncated"))?;
        if crc32fast::hash(&map[start..]) != description.payload_crc32 {
            return Err(damaged(path, "is damaged: the checksum of its distances is wrong"));
        }
        let layers = Layers { states: description.layers, complete: description.complete };
        Ok(DistanceTable::of_file(abstraction, space, encoding, layers, map))
    }
}

fn cannot_write(path: &Path, source: io::Error) -> TableError {
    TableError::Io { what: format!("cannot write the table {}", path.display()), source }
}

fn cannot_read(path: &Path, source: io::Error) -> TableError {
    TableError::Read { path: path.to_owned(), source }
}

fn damaged(path: &Path, problem: impl Into<String>) -> TableError {
    TableError::Damaged { path: path.display().to_string(), problem: problem.into() }
}

/// Why the description of a table cannot be read from a file.
enum Unreadable {
    Io(io::Error),
    /// What is wrong with the file, as the end of a sentence that begins with its name.
    Damaged(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Unreadable {
        Unreadable::Io(error)
    }
}

/// Reads everything before the distances from a file with the given number of bytes.
fn read_description(file: &mut File, bytes: u64) -> Result<TableDescription, Unreadable> {
    let damaged = |problem: String| Unreadable::Damaged(problem);
    let mut fixed = [0; FIXED];
    file.read_exact(&mut fixed)?;
    if fixed[..8] != MAGIC {
        return Err(damaged("is not a table: it begins with other bytes".to_owned()));
    }
    let number =
        |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let (version, length, crc32) = (number(8), number(12), number(16));
    if version != FORMAT_VERSION {
        return Err(damaged(format!(
            "is a table of version {version}, but this program reads version {FORMAT_VERSION}"
        )));
    }
    if u64::from(length) > bytes {
        return Err(damaged("is truncated".to_owned()));
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    if crc32fast::hash(&text) != crc32 {
        return Err(damaged("is damaged: the checksum of its description is wrong".to_owned()));
    }
    let description: TableDescription = serde_json::from_slice(&text)
        .map_err(|error| damaged(format!("has an invalid description ({error})")))?;
    let start = (FIXED as u64 + u64::from(length)).next_multiple_of(PAGE);
    let expected = start.checked_add(description.payload_bytes);
    if expected != Some(bytes) {
        let expected = expected.unwrap_or(u64::MAX);
        return Err(damaged(format!(
            "has {bytes} bytes instead of {expected}: it was truncated or extended"
        )));
    }
    let mut padding = vec![0; start as usize - FIXED - length as usize];
    file.read_exact(&mut padding)?;
    if padding.iter().any(|&byte| byte != 0) {
        let problem = "is damaged: the padding before its distances is not empty";
        return Err(damaged(problem.to_owned()));
    }
    Ok(description)
}

/// Returns the abstraction and the encoding that a description names.
fn contents(
    description: &TableDescription,
    path: &Path,
) -> Result<(Abstraction, Encoding), TableError> {
    let puzzle = Puzzle::from_line(&description.puzzle)
        .map_err(|error| damaged(path, format!("names an invalid puzzle ({error})")))?;
    let rest: Rest =
        description.rest.parse().map_err(|error| damaged(path, format!("is wrong: {error}")))?;
    let abstraction = Abstraction::new(&puzzle, &description.kept, &description.settled, rest)?;
    let encoding = description.bits.to_string().parse();
    let encoding = encoding.map_err(|error| damaged(path, format!("is wrong: {error}")))?;
    Ok((abstraction, encoding))
}
