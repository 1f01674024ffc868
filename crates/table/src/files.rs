//! The files in a directory of tables, which may be complete, damaged or unfinished.
//!
//! A table is written under the name `NAME.PROCESS.new`, which stays locked as long as its process
//! lives, and is renamed when it is complete. An unlocked file was left behind by a process that
//! was killed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::table::{DistanceTable, TableError};
use crate::table_file::{MAGIC, TableDescription};

/// The extension of table files in the directory of a store.
pub const TABLE_ENDING: &str = "table";

/// The ending of the names of unfinished files.
const UNFINISHED_ENDING: &str = ".new";

/// The age below which an unlocked file may be one that its process has not locked yet.
const UNLOCKED_FOR: Duration = Duration::from_secs(60);

/// The time without changes after which a file is considered abandoned if locks are not supported.
const UNTOUCHED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A file in a directory of tables.
#[derive(Debug)]
pub struct StoredFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The content of the file.
    pub content: StoredContent,
}

/// The content of a file in a directory of tables.
#[derive(Debug)]
pub enum StoredContent {
    /// A table, whose distances were not read.
    Table(TableDescription),
    /// A file that is not a complete table.
    Damaged(TableError),
    /// A table that another process is writing, or may still be writing.
    BeingWritten,
    /// An incomplete table of a process that was killed. It is removed when the next table is
    /// written to the directory.
    LeftBehind,
}

/// Returns the table files in a directory in order of name, including unfinished ones. There are
/// none if the directory cannot be read.
pub fn stored_files(directory: &Path) -> Vec<StoredFile> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let content = |path: &Path| {
        if path.extension().is_some_and(|ending| ending == TABLE_ENDING) {
            return Some(match DistanceTable::describe(path) {
                Ok(description) => StoredContent::Table(description),
                Err(error) => StoredContent::Damaged(error),
            });
        }
        finished_name(path).filter(|name| is_table_name(name)).map(|_| {
            if is_abandoned(path) { StoredContent::LeftBehind } else { StoredContent::BeingWritten }
        })
    };
    paths
        .into_iter()
        .filter_map(|path| content(&path).map(|content| StoredFile { path, content }))
        .collect()
}

/// Creates a file under the name that a table has until it is complete. The file is locked as long
/// as it is open.
pub(crate) fn create_unfinished(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = unfinished_name(path, std::process::id());
    let file = File::create(&name)?;
    // If locks are not supported, the file's age has to suffice.
    let _ = file.try_lock();
    Ok((name, file))
}

/// What distinguishes a file from the one that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
    changed: Option<SystemTime>,
}

impl FileIdentity {
    /// The identity of the file at a path; `None` if there is none.
    pub fn of(path: &Path) -> Option<FileIdentity> {
        let found = path.metadata().ok()?;
        let (device, inode, changed) = (found.dev(), found.ino(), found.modified().ok());
        Some(FileIdentity { device, inode, changed })
    }
}

/// The turn of this process to build a table, which ends when it is dropped or the process is
/// killed.
pub(crate) struct Turn {
    name: PathBuf,
    _locked: File,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.name);
    }
}

/// How long a process sleeps before it looks again whether it is its turn.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Waits until no other process is building this table, so that processes which need it at the same
/// time do not slow each other down by building it several times. `None` when `is_over` becomes
/// true first, and where files cannot be created or locked: then everyone builds.
pub(crate) fn take_turn(path: &Path, is_over: impl Fn() -> bool) -> Option<Turn> {
    // An unfinished file of no process; if its owner is killed it is removed as those are.
    let name = unfinished_name(path, 0);
    loop {
        let file = File::create(&name).ok()?;
        while let Err(error) = file.try_lock() {
            match error {
                TryLockError::WouldBlock if !is_over() => thread::sleep(LOOK_AGAIN),
                _ => return None,
            }
        }
        // The previous holder may have removed the file that this process was waiting for.
        let own = file.metadata().ok()?;
        if name.metadata().is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())) {
            return Some(Turn { name, _locked: file });
        }
    }
}

fn unfinished_name(path: &Path, process: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{process}{UNFINISHED_ENDING}"));
    PathBuf::from(name)
}

/// Removes the files in this table's directory that processes left behind when they were killed
/// while writing tables. Files that cannot be removed do no harm.
pub(crate) fn remove_left_behind(path: &Path) {
    let Some(directory) = path.parent() else { return };
    let own_name = path.file_name().unwrap_or_default().to_string_lossy();
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let other = entry.path();
        let Some(name) = finished_name(&other) else { continue };
        // A file with another name is removed only if it looks like one of ours.
        let is_ours = name == own_name || is_table_name(&name) && begins_as_table(&other);
        if is_ours && is_abandoned(&other) {
            let _ = fs::remove_file(&other);
        }
    }
}

/// Returns the final name of an unfinished file: `NAME` of `NAME.PROCESS.new`.
fn finished_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (name, process) = name.strip_suffix(UNFINISHED_ENDING)?.rsplit_once('.')?;
    process.parse::<u32>().ok()?;
    Some(name.to_owned())
}

fn is_table_name(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == TABLE_ENDING)
}

/// Returns whether a file is empty or begins like a table file.
fn begins_as_table(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut beginning));
    read.is_ok() && MAGIC.starts_with(&beginning)
}

/// Returns whether no process is writing an unfinished file.
fn is_abandoned(path: &Path) -> bool {
    let age = || path.metadata().ok()?.modified().ok()?.elapsed().ok();
    let Some(age) = age().filter(|_| path.is_file()) else { return false };
    let Ok(file) = File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) => age > UNLOCKED_FOR,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => age > UNTOUCHED_FOR,
    }
}
