//! The second directory of a search in files, and to which search the blocks in it belong.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::blocks::block_files;
use super::error::FilesError;
use super::options::FilesOptions;
use crate::durable::{DirectoryLock, lock_directory, replace_file};

const OWNER: &str = "owner.json";

/// The search whose blocks a second directory has. The search's manifest says the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Owner {
    /// The directory of the search.
    search: String,
    /// The second directory.
    blocks: String,
    /// When and by which process the search was begun, so that no other one has the same.
    begun: String,
}

impl Owner {
    fn new(search: &Path, blocks: &Path) -> Owner {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Owner {
            search: absolute(search),
            blocks: absolute(blocks),
            begun: format!("{:x}-{:x}", now.as_nanos(), std::process::id()),
        }
    }

    /// Whose blocks a directory has; `None` if it does not say.
    fn of(directory: &Path) -> Option<Owner> {
        serde_json::from_slice(&std::fs::read(directory.join(OWNER)).ok()?).ok()
    }
}

/// The first blocks of each side, which a search keeps in its second directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecondShare {
    /// The number of blocks of each side.
    pub blocks: [usize; 2],
    /// What the directory says of its owner.
    pub owner: Owner,
}

/// A second directory while a search uses it.
pub(super) struct SecondDirectory {
    pub directory: PathBuf,
    pub share: SecondShare,
    _lock: DirectoryLock,
}

impl SecondDirectory {
    /// Makes and locks the directory for a new search.
    pub fn begin(
        options: &FilesOptions,
        blocks: [usize; 2],
    ) -> Result<Option<SecondDirectory>, FilesError> {
        let Some((directory, _)) = options.second.as_ref().filter(|_| blocks != [0, 0]) else {
            return Ok(None);
        };
        let failed = |source| FilesError::Io { path: directory.clone(), source };
        std::fs::create_dir_all(directory).map_err(failed)?;
        let new = Owner::new(&options.directory, directory);
        if new.search == new.blocks {
            return Err(FilesError::OneDirectory { directory: directory.clone() });
        }
        let lock = lock_directory(directory)?;
        // A search that was killed before it had a manifest goes on with the same.
        let own = Owner::of(&options.directory).filter(|own| own.blocks == new.blocks);
        let before = Owner::of(directory);
        let has_blocks = block_files(directory).iter().any(|path| path.exists());
        if has_blocks && (own.is_none() || own != before) {
            let directory = directory.clone();
            return Err(FilesError::SecondInUse { directory, search: before.map(|it| it.search) });
        }
        let owner = own.unwrap_or(new);
        let bytes = serde_json::to_vec(&owner).map_err(|error| failed(error.into()))?;
        for place in [&options.directory, directory] {
            replace_file(&place.join(OWNER), &bytes).map_err(failed)?;
        }
        let (directory, share) = (directory.clone(), SecondShare { blocks, owner });
        Ok(Some(SecondDirectory { directory, share, _lock: lock }))
    }

    /// Locks the directory of a search that is resumed, which must have its blocks.
    pub fn resume(
        options: &FilesOptions,
        share: SecondShare,
        slot_bytes: u64,
    ) -> Result<SecondDirectory, FilesError> {
        let lost = |directory| FilesError::SecondLost {
            search: options.directory.clone(),
            named: directory,
            recorded: share.owner.blocks.clone(),
        };
        let Some((directory, _)) = &options.second else { return Err(lost(None)) };
        let bytes = share.blocks.map(|blocks| blocks as u64 * slot_bytes);
        let is_whole = |(path, bytes): (PathBuf, u64)| {
            bytes == 0 || std::fs::metadata(path).is_ok_and(|found| found.len() >= bytes)
        };
        let are_there = block_files(directory).into_iter().zip(bytes).all(is_whole);
        if !are_there || !is_of(directory, &share.owner) {
            return Err(lost(Some(directory.clone())));
        }
        let lock = lock_directory(directory)?;
        Ok(SecondDirectory { directory: directory.clone(), share, _lock: lock })
    }
}

/// Returns whether a directory has the blocks of this search.
pub(super) fn is_of(directory: &Path, owner: &Owner) -> bool {
    Owner::of(directory).as_ref() == Some(owner)
}

/// Removes what says whose blocks a directory has, if it does.
pub(super) fn remove_owner(directory: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(directory.join(OWNER)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn absolute(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}
