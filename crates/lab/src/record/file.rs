//! Records of runs: JSON lines, one run each.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::provenance::Provenance;
use crate::experiment::{RunLimits, Solver};
use crate::result::SolveResult;
use crate::task::replay;

/// One recorded run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which run it is.
    #[serde(flatten)]
    pub key: RunKey,
    /// How it ended.
    pub result: SolveResult,
    /// What made it, where and when.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Recorded for Record {
    /// Replays the solution, if the record holds one: nothing is believed because it is written.
    fn check(&self) -> Result<(), String> {
        if self.result.puzzle.as_ref().is_some_and(|puzzle| *puzzle != self.key.puzzle) {
            return Err("its result is of another puzzle".to_owned());
        }
        replay(&self.key.puzzle, &self.result)
    }
}

/// What distinguishes a run from others. A record is used again only when all of it agrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunKey {
    /// The experiment's name.
    pub experiment: String,
    /// The instance's name.
    pub instance: String,
    /// The rule k, for cubes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// What was run.
    #[serde(flatten)]
    pub solver: Solver,
    /// The seed.
    pub seed: u64,
    /// The limits of the run.
    pub limits: RunLimits,
    /// The puzzle in one line, its metric included.
    pub puzzle: String,
}

/// Why a record file cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Reading failed.
    #[error("cannot read records from {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// It is not to be had for writing.
    #[error(
        "cannot open {path} for records: {source}: name a file in a directory that is there and can be written to"
    )]
    Open {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write records to {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// A line is not a record.
    #[error(
        "{path}, line {line}: not a record ({message}): remove the line or choose another file"
    )]
    Malformed {
        /// The file.
        path: String,
        /// The line's number, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
}

/// What a file of records holds, a line each. Its first field is the experiment.
pub trait Recorded: Clone + Serialize + DeserializeOwned {
    /// What is wrong with it although it can be read.
    ///
    /// # Errors
    ///
    /// In a sentence.
    fn check(&self) -> Result<(), String>;
}

/// A file of records that is only ever appended to.
#[derive(Debug)]
pub struct RecordFile<R = Record> {
    path: PathBuf,
    file: File,
    records: Vec<R>,
}

/// How every record begins: what tells a torn record from another file's text.
const BEGINNING: &str = "{\"experiment\":";

impl<R: Recorded> RecordFile<R> {
    /// Opens a file of records, creating it when it is not there. A last line that was being written
    /// when the program was killed is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or holds anything but records; it is then left as it
    /// is.
    pub fn open(path: &Path) -> Result<RecordFile<R>, RecordError> {
        let io_error = |source| RecordError::Write { path: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path);
        let file =
            file.map_err(|source| RecordError::Open { path: path.display().to_string(), source })?;
        let Contents { records, whole, length, unfinished } = Contents::read(path)?;
        if whole < length {
            file.set_len(whole).map_err(io_error)?;
        }
        let mut file = RecordFile { path: path.to_owned(), file, records };
        if unfinished {
            file.write("\n")?;
        }
        Ok(file)
    }

    /// Reads the records of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds anything but records.
    pub fn read(path: &Path) -> Result<Vec<R>, RecordError> {
        Ok(Contents::read(path)?.records)
    }

    /// The records so far.
    pub fn records(&self) -> &[R] {
        &self.records
    }

    /// Adds a record and makes sure that it is on disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    ///
    /// # Panics
    ///
    /// Never: a record has nothing that JSON cannot hold.
    pub fn append(&mut self, record: &R) -> Result<(), RecordError> {
        let line = serde_json::to_string(record).expect("a record is plain data");
        self.write(&(line + "\n"))?;
        self.records.push(record.clone());
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), RecordError> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written
            .map_err(|source| RecordError::Write { path: self.path.display().to_string(), source })
    }
}

impl RecordFile {
    /// The record of a run, if there is one.
    pub fn find(&self, key: &RunKey) -> Option<&Record> {
        self.records.iter().find(|record| record.key == *key)
    }
}

/// What is in a file of records.
struct Contents<R> {
    records: Vec<R>,
    /// Bytes up to the end of the last record.
    whole: u64,
    /// Bytes in all.
    length: u64,
    /// Whether the last record lacks the end of its line.
    unfinished: bool,
}

impl<R: Recorded> Contents<R> {
    fn read(path: &Path) -> Result<Contents<R>, RecordError> {
        let malformed = |line: usize, message: String| RecordError::Malformed {
            path: path.display().to_string(),
            line,
            message,
        };
        let read_error = |source| RecordError::Read { path: path.display().to_string(), source };
        if !std::fs::metadata(path).map_err(read_error)?.is_file() {
            return Err(read_error(io::Error::other("not a regular file: name one")));
        }
        let bytes = std::fs::read(path).map_err(read_error)?;
        let mut contents = Contents {
            records: Vec::new(),
            whole: 0,
            length: bytes.len() as u64,
            unfinished: false,
        };
        for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let is_ended = line.ends_with(b"\n");
            if !line.trim_ascii().is_empty() {
                match serde_json::from_slice::<R>(line) {
                    Ok(record) => {
                        record.check().map_err(|message| malformed(number + 1, message))?;
                        contents.records.push(record);
                    }
                    Err(_) if !is_ended && is_torn(line) => break,
                    Err(error) => return Err(malformed(number + 1, error.to_string())),
                }
            }
            contents.whole += line.len() as u64;
            contents.unfinished = !is_ended;
        }
        Ok(contents)
    }
}

/// Whether a line is the beginning of a record.
fn is_torn(line: &[u8]) -> bool {
    let shared = line.len().min(BEGINNING.len());
    line[..shared] == BEGINNING.as_bytes()[..shared]
}
