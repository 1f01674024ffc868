//! Tables that are built once and used again.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};

use crate::abstraction::Abstraction;
use crate::distances::{Encoding, payload_bytes};
use crate::files::{FileIdentity, TABLE_ENDING, remove_left_behind, stored_files, take_turn};
use crate::lock::{KeyLocks, lock};
use crate::search::{Layers, Signals};
use crate::space::Numberings;
use crate::table::{BuildOptions, DistanceTable, TableError, check_memory, space_of};
use crate::watch::Watch;

/// Tables smaller than this are built again faster than they are worth a file.
const SMALLEST_FILE: u128 = 1 << 20;

/// What a store does while one waits for a table.
#[derive(Debug)]
pub enum StoreEvent<'a> {
    /// It builds one, which nobody has built before or kept.
    Building {
        /// What it is of.
        abstraction: &'a Abstraction,
        /// Bytes of its distances.
        bytes: u64,
        /// The file it will be kept in.
        file: Option<&'a Path>,
    },
    /// There is a file, but it cannot be used; the table is built again.
    Damaged(&'a TableError),
    /// The table could not be kept in a file.
    NotKept(&'a TableError),
}

/// Where a table is kept.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    /// The file that was there when the table was looked for, and could not be used.
    unusable: Option<FileIdentity>,
}

type OnEvent = dyn Fn(StoreEvent<'_>) + Send + Sync;

/// Tables by what they are of: in memory as long as somebody has one, and large ones also in a
/// directory.
///
/// Of several processes that need the same table at the same time one builds it while the others
/// wait. Where that cannot be arranged they do not harm each other: each writes under a name of its
/// own and renames. The default keeps them in memory only.
#[derive(Default)]
pub struct TableStore {
    directory: Option<PathBuf>,
    known: Mutex<HashMap<String, Weak<DistanceTable>>>,
    /// Those of the tables in memory.
    numberings: Numberings,
    on_event: Option<Box<OnEvent>>,
    /// The limit on the total size of the tables in the directory, in bytes.
    most_bytes: Option<u64>,
    /// Held while a table is checked against the limit and written.
    keeping: Mutex<()>,
    /// Whether tables that are worth a file are refused when they are not there.
    is_reading_only: bool,
    /// Two threads do not open or build the same table.
    building: KeyLocks<String>,
}

impl TableStore {
    /// A store that keeps large tables in this directory, too, and tells what it does.
    pub fn new(
        directory: Option<PathBuf>,
        on_event: impl Fn(StoreEvent<'_>) + Send + Sync + 'static,
    ) -> TableStore {
        TableStore { directory, on_event: Some(Box::new(on_event)), ..TableStore::default() }
    }

    /// Limits the total size of the tables in the directory. A table that would exceed the limit is
    /// built all the same, but stays in memory.
    pub fn keeping_up_to(self, bytes: u64) -> TableStore {
        TableStore { most_bytes: Some(bytes), ..self }
    }

    /// Refuses, instead of building it, a table worth a file that is missing or damaged.
    pub fn reading_only(self) -> TableStore {
        TableStore { is_reading_only: true, ..self }
    }

    fn report(&self, event: StoreEvent<'_>) {
        if let Some(on_event) = &self.on_event {
            on_event(event);
        }
    }

    /// The table of an abstraction: the one in memory, the one in the directory, or a new one.
    ///
    /// # Errors
    ///
    /// When it can neither be read nor built, or [may not be built](TableStore::reading_only).
    pub fn get(
        &self,
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
    ) -> Result<Arc<DistanceTable>, TableError> {
        let key = key(&abstraction, options.encoding);
        let find = || {
            let known = lock(&self.known);
            known.get(&key).and_then(Weak::upgrade)
        };
        if let Some(table) = find() {
            return Ok(table);
        }
        let is_cancelled = || signals.cancel.load(Ordering::Relaxed);
        let building = self.building.lock(&key, is_cancelled);
        let _building = building.ok_or(TableError::Cancelled)?;
        if let Some(table) = find() {
            return Ok(table);
        }
        let path = self.path(&abstraction, &key);
        // Asked first: what another process finishes from here on is found below or when building.
        let unusable = path.as_deref().and_then(FileIdentity::of);
        let found = match &path {
            Some(path) => self.open(path, &abstraction, options.memory, signals)?,
            None => None,
        };
        let table = match found {
            Some(table) => table,
            None => {
                let path = path.as_deref().map(|path| Place { path, unusable });
                self.build(abstraction, options, signals, path)?
            }
        };
        let table = Arc::new(table);
        let mut known = lock(&self.known);
        known.retain(|_, table| table.strong_count() > 0);
        known.insert(key, Arc::downgrade(&table));
        Ok(table)
    }

    /// Returns whether a table is in memory, or its file in the directory, whatever that is worth.
    pub fn has(&self, abstraction: &Abstraction, encoding: Encoding) -> bool {
        let key = key(abstraction, encoding);
        let known = lock(&self.known);
        known.get(&key).is_some_and(|table| table.strong_count() > 0)
            || self.path(abstraction, &key).is_some_and(|path| path.exists())
    }

    fn path(&self, abstraction: &Abstraction, key: &str) -> Option<PathBuf> {
        let board = abstraction.puzzle().board().spec().to_string();
        Some(self.directory.as_ref()?.join(file_name(&board, key)))
    }

    fn open(
        &self,
        path: &Path,
        abstraction: &Abstraction,
        memory: u64,
        signals: &Signals<'_>,
    ) -> Result<Option<DistanceTable>, TableError> {
        if let Ok(file) = path.metadata()
            && file.len() > memory
        {
            return Err(TableError::Memory { needed: file.len().into(), limit: memory });
        }
        let watch = Watch::flag(signals.cancel);
        let found = match DistanceTable::open_sharing(path, &self.numberings, memory, watch) {
            // Another text may have the same name.
            Ok(table) => {
                let is_it = table.abstraction().text() == abstraction.text();
                (is_it && table.layers().complete).then_some(table)
            }
            Err(TableError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            // The table is whole, and would not fit in memory when it was built again either.
            Err(TableError::Read { path, source }) if source.kind() == ErrorKind::OutOfMemory => {
                return Err(TableError::Read { path, source });
            }
            Err(error @ (TableError::Cancelled | TableError::Memory { .. })) => return Err(error),
            Err(error) if self.is_reading_only => return Err(error),
            Err(error) => {
                self.report(StoreEvent::Damaged(&error));
                None
            }
        };
        Ok(found)
    }

    /// Writes a table unless it would exceed the size limit of the directory. `bytes` is its size.
    fn keep(&self, table: &DistanceTable, path: &Path, bytes: u128) -> Result<(), TableError> {
        let directory = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(directory).map_err(|source| TableError::Io {
            what: format!("cannot make {}", directory.display()),
            source,
        })?;
        let Some(limit) = self.most_bytes else { return table.write(path) };
        let _keeping = lock(&self.keeping);
        remove_left_behind(path);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let others = stored_files(directory).into_iter().filter(|other| other.path != path);
        let others = others.filter_map(|other| other.path.metadata().ok());
        let bytes = others.fold(bytes, |sum, other| sum.saturating_add(other.len()));
        if bytes > limit {
            let directory = directory.to_owned();
            return Err(TableError::DirectoryFull { directory, bytes, limit });
        }
        table.write(path)
    }

    fn build(
        &self,
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        place: Option<Place<'_>>,
    ) -> Result<DistanceTable, TableError> {
        let space =
            space_of(&abstraction, &self.numberings, options.memory, Watch::flag(signals.cancel))?;
        let payload = payload_bytes(&space, options.encoding);
        let place = place.filter(|_| payload >= SMALLEST_FILE);
        let path = place.map(|place| place.path);
        if payload >= SMALLEST_FILE && self.is_reading_only {
            let place = path.map_or("memory".to_owned(), |path| path.display().to_string());
            let board = abstraction.puzzle().board().to_string();
            return Err(TableError::Missing { kept: abstraction.kept().len(), board, place });
        }
        check_memory(&space, &abstraction, options)?;
        let directory = path.and_then(Path::parent).unwrap_or(Path::new(""));
        let _turn = path.and_then(|path| {
            std::fs::create_dir_all(directory).ok()?;
            take_turn(path, || signals.cancel.load(Ordering::Relaxed))
        });
        // Another process may have finished it since it was looked for.
        if let Some(Place { path, unusable }) = place
            && FileIdentity::of(path) != unusable
            && let Some(table) = self.open(path, &abstraction, options.memory, signals)?
        {
            return Ok(table);
        }
        if signals.cancel.load(Ordering::Relaxed) {
            return Err(TableError::Cancelled);
        }
        if payload >= SMALLEST_FILE {
            let bytes = u64::try_from(payload).unwrap_or(u64::MAX);
            self.report(StoreEvent::Building { abstraction: &abstraction, bytes, file: path });
        }
        let mut go_on = |_: &Layers| ControlFlow::Continue(());
        let table = DistanceTable::build_in(space, abstraction, options, signals, &mut go_on)?;
        if let Some(path) = path
            && let Err(error) = self.keep(&table, path, payload)
        {
            self.report(StoreEvent::NotKept(&error));
        }
        Ok(table)
    }
}

/// What tells a table from all others.
fn key(abstraction: &Abstraction, encoding: Encoding) -> String {
    format!("{} bits of {}", encoding.bits(), abstraction.text())
}

/// The file name of a table of this text, which says all that it is of.
pub fn file_name(board: &str, text: &str) -> String {
    // A board may be long and have any characters; the rest of the name tells it from others.
    let board: String =
        board.chars().take(40).map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    // FNV-1a, 64 bits.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{board}-{hash:016x}.{TABLE_ENDING}")
}
