//! All records of a directory, and what in it could not be read.

use std::fmt;
use std::path::{Path, PathBuf};

use hyperslide_table::read_named_file;
use serde::Serialize;

use super::{RecordError, TaskRecord};

/// A line that is not a record, or a file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The name of the file within the directory.
    pub file: String,
    /// The number of the line, from 1; none where the file as a whole cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// `FILE, line 3: what is wrong`.
impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", self.file, self.reason)
    }
}

/// The records of a directory.
#[derive(Clone, Debug, Default)]
pub struct RecordDirectory {
    /// The records that could be read, by file name and line.
    pub records: Vec<TaskRecord>,
    /// The file and the line of each of them.
    pub places: Vec<(String, usize)>,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

impl RecordDirectory {
    /// Reads a file, or the files of a directory whose names end in `.jsonl`, directories within it
    /// left out. Lines that are not records, of a newer version for example, are kept apart, and
    /// the others are read all the same.
    ///
    /// # Errors
    ///
    /// When the directory itself, or the only file, cannot be read.
    pub fn read(path: &Path) -> Result<RecordDirectory, RecordError> {
        let unreadable = |source| RecordError::Read { path: path.display().to_string(), source };
        let mut found = RecordDirectory::default();
        if !path.is_dir() {
            let text = read_named_file(path).map_err(unreadable)?;
            found.read_lines(&path.display().to_string(), &text);
            return Ok(found);
        }
        let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let files = entries.map_err(unreadable)?.into_iter().map(|entry| entry.path());
        let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jsonl");
        let mut files: Vec<PathBuf> =
            files.filter(|path| path.is_file() && is_jsonl(path)).collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match std::fs::read(&file) {
                Ok(text) => found.read_lines(&name, &text),
                Err(error) => {
                    found.unread.push(Unread { file: name, line: None, reason: error.to_string() });
                }
            }
        }
        Ok(found)
    }

    fn read_lines(&mut self, file: &str, text: &[u8]) {
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let read = TaskRecord::read(line).map_err(|error| reason(&error));
            match read.and_then(|record| record.check().map(|()| record)) {
                Ok(record) => {
                    self.records.push(record);
                    self.places.push((file.to_owned(), number));
                }
                Err(reason) => {
                    self.unread.push(Unread { file: file.to_owned(), line: Some(number), reason });
                }
            }
        }
    }
}

/// Why a line is not a record.
fn reason(error: &serde_json::Error) -> String {
    // The line is the only one that the parser knows.
    let reason = error.to_string().replace(" at line 1 column ", " at column ");
    match reason.starts_with("unknown field") {
        true => format!("{reason}: a newer version wrote it, or it is not a record"),
        false => reason,
    }
}
