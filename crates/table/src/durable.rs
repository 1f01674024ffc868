//! Files that survive a process that is killed, and directories that one process uses at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

const LOCK: &str = "lock";

/// How long a process that was killed may take to give a directory up.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A directory that other processes cannot lock as long as this value lives.
#[derive(Debug)]
pub struct DirectoryLock(#[expect(dead_code, reason = "closing the file unlocks it")] File);

/// Why a directory cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process has locked it.
    #[error("another search is using {}: wait until it ends, or choose another directory", .0.display())]
    InUse(PathBuf),
    /// A file cannot be created or locked in it.
    #[error("cannot save progress in {}: {source}: name another directory", path.display())]
    Io {
        /// The directory, or the file in it.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Locks a directory, which is created if it does not exist. If another process has locked it, this
/// waits for two seconds, because a process that was killed takes a moment to end.
///
/// # Errors
///
/// Returns an error if another process keeps the directory locked, or it cannot be used.
pub fn lock_directory(directory: &Path) -> Result<DirectoryLock, LockError> {
    let failed = |path: &Path, source| LockError::Io { path: path.to_owned(), source };
    fs::create_dir_all(directory).map_err(|source| failed(directory, source))?;
    let path = directory.join(LOCK);
    let file = File::create(&path).map_err(|source| failed(&path, source))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(DirectoryLock(file)),
            Err(TryLockError::WouldBlock) if began.elapsed() < RELEASE_TIMEOUT => {
                thread::sleep(RETRY_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => return Err(LockError::InUse(directory.to_owned())),
            Err(TryLockError::Error(source)) => return Err(failed(&path, source)),
        }
    }
}

/// A file that is written beside another and takes its place once it is complete: the other stays
/// as it was until then, and the new one is complete even if the machine stops. If it is dropped
/// before, it is removed.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    new: PathBuf,
    path: PathBuf,
    is_committed: bool,
}

impl Replacement {
    /// Begins a file that only one process may write at a time, as one that has locked its
    /// directory does.
    pub(crate) fn locked(path: &Path) -> io::Result<Replacement> {
        let new = path.with_added_extension("new");
        Ok(Replacement::begun(File::create(&new)?, new, path))
    }

    /// Begins a file that several processes may write at the same time: each has a temporary file
    /// of its own, and the last one to end wins. Where the path is a symbolic link to a file, that
    /// file is replaced.
    ///
    /// # Errors
    ///
    /// Returns why the file cannot be created.
    pub fn unlocked(path: &Path) -> io::Result<Replacement> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);

        let path = behind_links(path);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let new = path.with_added_extension(format!("{}-{number}.new", std::process::id()));
        Ok(Replacement::begun(File::create(&new)?, new, &path))
    }

    /// A file that has been created under the name `new`, to take the place of the one at `path`.
    pub fn begun(file: File, new: PathBuf, path: &Path) -> Replacement {
        Replacement { file, new, path: path.to_owned(), is_committed: false }
    }

    /// The file, to be written.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be made durable or renamed. The file in its place then stays as it
    /// was, unless only the directory cannot be made durable.
    pub fn commit(self) -> io::Result<()> {
        self.commit_after(|_| Ok(()))
    }

    /// Does the same, with a step between making the file durable and renaming it that is given the
    /// path.
    pub(crate) fn commit_after(
        mut self,
        before: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        self.file.sync_all()?;
        before(&self.path)?;
        fs::rename(&self.new, &self.path)?;
        self.is_committed = true;
        let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_directory(directory.unwrap_or(Path::new(".")))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // What is half written is of no use to anybody.
        if !self.is_committed {
            let _ = fs::remove_file(&self.new);
        }
    }
}

/// The file to which a path leads if it is a symbolic link, whether it is there or not; otherwise
/// the path.
pub(crate) fn behind_links(path: &Path) -> PathBuf {
    match (path.canonicalize(), fs::read_link(path)) {
        (Ok(target), Ok(_)) => target,
        (Err(_), Ok(target)) => path.parent().unwrap_or(Path::new("")).join(target),
        (_, Err(_)) => path.to_owned(),
    }
}

/// Writes a file as a [`Replacement`] that only one process may write at a time.
///
/// # Errors
///
/// Returns why the file cannot be written; an existing one then stays as it was.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(bytes))
}

/// Does what [`replace_file`] does where several processes may write the file at the same time.
///
/// # Errors
///
/// Returns why the file cannot be written.
pub fn replace_unlocked_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_unlocked_with(path, |file| file.write_all(bytes))
}

/// Does what [`replace_unlocked_file`] does with a file that is written in parts. What is not a
/// regular file, such as a device or a pipe, is written as it is.
///
/// # Errors
///
/// Returns why the file cannot be written.
pub fn replace_unlocked_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return write(&mut File::create(path)?);
    }
    let mut new = Replacement::unlocked(path)?;
    write(new.file())?;
    Ok(new.commit()?)
}

/// Does what [`replace_file`] does with a file that is written in parts.
pub(crate) fn replace_with<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let mut new = Replacement::locked(path)?;
    let written = write(new.file())?;
    new.commit()?;
    Ok(written)
}

/// Makes sure that the names in a directory survive a crash, where that is possible: a directory
/// that can be written to need not be readable, and some file systems cannot do it.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Removes the saved states of a search, those of interrupted writes too, except the file that is
/// kept. One that cannot be removed does no harm.
///
/// Their names have the prefix and the extension `words`.
pub fn remove_saved_states(directory: &Path, prefix: &str, kept: Option<&str>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_saved = name.starts_with(prefix)
            && name.trim_end_matches(".new").ends_with(".words")
            && Some(name) != kept;
        if is_saved {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_process_is_writing_is_left_alone() {
        let folder =
            std::env::temp_dir().join(format!("hyperslide-unlocked-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, theirs) = (folder.join("record.json"), folder.join("record.json.new"));
        fs::write(&theirs, "half of").unwrap();
        replace_unlocked_file(&path, b"ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "half of");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left behind");
        // Through a link, the file behind it is replaced, and only when all is written.
        let link = folder.join("link.json");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let failed = replace_unlocked_with(&link, |file| {
            file.write_all(b"torn")?;
            Err(io::Error::other("the disk is full"))
        });
        failed.unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        replace_unlocked_file(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing is left behind");
        // A link that leads nowhere yet stays one, too.
        fs::remove_file(&path).unwrap();
        replace_unlocked_file(&link, b"again").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_dir_all(folder).unwrap();
    }
}
