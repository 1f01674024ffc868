//! Records of runs: JSON lines, one run each.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::provenance::Machine;
use crate::result::SolveResult;

/// One recorded run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which run it is.
    #[serde(flatten)]
    pub key: RunKey,
    /// How it ended.
    pub result: SolveResult,
    /// The version of Hyperslide.
    pub version: String,
    /// The revision of its source.
    pub revision: String,
    /// Where it ran.
    pub machine: Machine,
    /// The command that ran it.
    pub command: String,
    /// When it ended, in seconds since 1970.
    pub finished_unix: u64,
}

/// What tells the runs of an experiment apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// The experiment's name.
    pub experiment: String,
    /// The instance's name.
    pub instance: String,
    /// The rule k, for cubes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// The algorithm's name.
    pub algorithm: String,
    /// The seed.
    pub seed: u64,
}

/// Why a record file cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
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

/// A file of records that is only ever appended to.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    records: Vec<Record>,
}

impl RecordFile {
    /// Opens a file of records, creating it when it is not there. A last line without its end was
    /// being written when the program was killed: it is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or holds anything but records.
    pub fn open(path: &Path) -> Result<RecordFile, RecordError> {
        let io_error = |source| RecordError::Io { path: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path).map_err(io_error)?;
        let text = std::fs::read_to_string(path).map_err(io_error)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let records = parse(&text[..whole], path)?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io_error)?;
        }
        Ok(RecordFile { path: path.to_owned(), file, records })
    }

    /// Reads the records of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds anything but records.
    pub fn read(path: &Path) -> Result<Vec<Record>, RecordError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| RecordError::Io { path: path.display().to_string(), source })?;
        parse(&text, path)
    }

    /// The records so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Adds a record and makes sure that it is on disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn append(&mut self, record: &Record) -> Result<(), RecordError> {
        let mut line = serde_json::to_string(record).expect("a record is plain data");
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written
            .map_err(|source| RecordError::Io { path: self.path.display().to_string(), source })?;
        self.records.push(record.clone());
        Ok(())
    }
}

fn parse(text: &str, path: &Path) -> Result<Vec<Record>, RecordError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| RecordError::Malformed {
                path: path.display().to_string(),
                line: number + 1,
                message: error.to_string(),
            })
        })
        .collect()
}
