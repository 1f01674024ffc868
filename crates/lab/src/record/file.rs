//! Files of records: JSON lines, one task each.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::TaskRecord;
use crate::task::Task;

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
    /// It cannot be opened for writing.
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

/// A file of records that is only ever appended to.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    records: Vec<TaskRecord>,
    /// The places of the records of each [`key`], ascending.
    places: HashMap<u64, Vec<usize>>,
}

/// The hash by which records of an experiment's task are found: a comparison may look for a hundred
/// thousand of them.
fn key(experiment: &str, task: &Task) -> u64 {
    let mut hash = DefaultHasher::new();
    experiment.hash(&mut hash);
    serde_json::to_string(task).expect("a task is plain data").hash(&mut hash);
    hash.finish()
}

/// How every record begins: a torn one can be distinguished from another file's text.
const BEGINNING: &str = "{\"experiment\":";

impl RecordFile {
    /// Opens a file of records, creating it when it is not there. A last line that was being
    /// written when the program was killed is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or holds anything but records; it is then left as
    /// it is.
    pub fn open(path: &Path) -> Result<RecordFile, RecordError> {
        let io_error = |source| RecordError::Write { path: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path);
        let file =
            file.map_err(|source| RecordError::Open { path: path.display().to_string(), source })?;
        // A line that another process is still writing must not be taken for a torn one.
        let locked = Locked::new(&file);
        let (records, whole, is_torn) = read(path)?;
        // Where files cannot be locked, what another process has just appended is left alone.
        if is_torn {
            file.set_len(whole.len() as u64).map_err(io_error)?;
        }
        if whole.last().is_some_and(|&byte| byte != b'\n') {
            (&file).write_all(b"\n").map_err(io_error)?;
        }
        drop(locked);
        let mut places = HashMap::<u64, Vec<usize>>::new();
        for (place, record) in records.iter().enumerate() {
            places.entry(key(&record.experiment, &record.task)).or_default().push(place);
        }
        Ok(RecordFile { path: path.to_owned(), file, records, places })
    }

    /// Reads the records of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds anything but records.
    pub fn read(path: &Path) -> Result<Vec<TaskRecord>, RecordError> {
        read(path).map(|(records, ..)| records)
    }

    /// The records so far.
    pub fn records(&self) -> &[TaskRecord] {
        &self.records
    }

    /// The last record of an experiment's task, if there is one.
    pub fn find(&self, experiment: &str, task: &Task) -> Option<&TaskRecord> {
        let places = self.places.get(&key(experiment, task))?;
        let mut records = places.iter().rev().map(|&place| &self.records[place]);
        records.find(|record| record.is_of(experiment, task))
    }

    /// Adds a record and makes sure that it is on disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    #[expect(clippy::missing_panics_doc, reason = "a record has nothing that JSON cannot hold")]
    pub fn append(&mut self, record: &TaskRecord) -> Result<(), RecordError> {
        let line = serde_json::to_string(record).expect("a record is plain data");
        self.write(&(line + "\n"))?;
        let place = self.records.len();
        self.places.entry(key(&record.experiment, &record.task)).or_default().push(place);
        self.records.push(record.clone());
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), RecordError> {
        let locked = Locked::new(&self.file);
        let mut file = &self.file;
        let length = file.metadata().map(|metadata| metadata.len());
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        if let (Err(_), Ok(length)) = (&written, length) {
            // A full disk leaves half a line, behind which another process would write its next
            // one.
            let _ = file.set_len(length);
        }
        drop(locked);
        written
            .map_err(|source| RecordError::Write { path: self.path.display().to_string(), source })
    }
}

/// An advisory lock on a file, held until it is dropped. Without effect on file systems that have
/// no locks.
struct Locked<'f>(&'f File);

impl Locked<'_> {
    fn new(file: &File) -> Locked<'_> {
        let _ = file.lock();
        Locked(file)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The records of a file, its bytes without a last line that was being written when the program was
/// killed, and whether there is such a line.
fn read(path: &Path) -> Result<(Vec<TaskRecord>, Vec<u8>, bool), RecordError> {
    let name = || path.display().to_string();
    let read_error = |source| RecordError::Read { path: name(), source };
    if !std::fs::metadata(path).map_err(read_error)?.is_file() {
        return Err(read_error(io::Error::other("not a regular file: name one")));
    }
    let mut bytes = std::fs::read(path).map_err(read_error)?;
    let (mut records, mut whole) = (Vec::new(), 0);
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let malformed = |message| RecordError::Malformed { path: name(), line: number, message };
        if !line.trim_ascii().is_empty() {
            match TaskRecord::read(line) {
                Ok(record) => {
                    record.check().map_err(malformed)?;
                    records.push(record);
                }
                Err(_) if !line.ends_with(b"\n") && is_torn(line) => break,
                Err(error) => return Err(malformed(error.to_string())),
            }
        }
        whole += line.len();
    }
    let is_torn = whole < bytes.len();
    bytes.truncate(whole);
    Ok((records, bytes, is_torn))
}

/// Returns whether a line is the beginning of a record.
fn is_torn(line: &[u8]) -> bool {
    let shared = line.len().min(BEGINNING.len());
    line[..shared] == BEGINNING.as_bytes()[..shared]
}
