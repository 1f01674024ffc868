//! The record of a finished census.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use hyperslide_census::{CensusKey, CensusReport, ParitySurvey, StartResult, Survey, check_starts};
use hyperslide_puzzle::{Board, BoardSource, Metric};
use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::provenance::Provenance;

static RECORDS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../records/census");

/// A finished census with all that is needed to check it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CensusRecord {
    /// Which census it is.
    pub census: CensusKey,
    /// What it found.
    pub report: CensusReport,
    /// The layers of every start.
    pub starts: Vec<StartResult>,
    /// SHA-256 of the census and all starts, in hexadecimal; see [`CensusRecord::digest_of`].
    pub digest: String,
    /// How the inner loops were compiled: `portable`, `avx2` or `avx512`.
    pub path: String,
    /// Wall-clock seconds of the searches, without what was taken from a checkpoint.
    pub wall_s: f64,
    /// Starts that an earlier run had searched already.
    pub resumed_starts: usize,
    /// What made it, where and when.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// A finished survey of very many occupied sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyRecord {
    /// What it found.
    pub survey: ParitySurvey,
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// What made it, where and when.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl SurveyRecord {
    /// Writes the record as [`CensusRecord::write`] does.
    ///
    /// # Errors
    ///
    /// When that fails.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }

    /// Reads a record; `None` when the file holds something else.
    pub fn read(path: &Path) -> Option<SurveyRecord> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Writes JSON to a temporary name that is then renamed.
fn write_json(value: &impl Serialize, path: &Path) -> Result<(), CensusRecordError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let write = || -> io::Result<()> {
        let mut file = File::create(&temporary)?;
        file.write_all(serde_json::to_string(value)?.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|source| {
        let _ = fs::remove_file(&temporary);
        CensusRecordError::Write { path: path.display().to_string(), source }
    })
}

/// Why a file is no census's record.
#[derive(Debug, Error)]
pub enum CensusRecordError {
    /// Reading failed.
    #[error("cannot read the record {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write the record {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// What it says is not so.
    #[error(
        "{path} is not the record of a census: {message}: take it from its source again, or repeat the census"
    )]
    Wrong {
        /// The file.
        path: String,
        /// What is wrong.
        message: String,
    },
}

impl CensusRecord {
    /// SHA-256 over one line for the census and one for each start: `BOARD METRIC EMPTY`, then
    /// `VERTICES SETS LAYERS` with commas between numbers, in the order of the record.
    pub fn digest_of(census: &CensusKey, starts: &[StartResult]) -> String {
        fn list<T: ToString>(numbers: &[T]) -> String {
            numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
        }
        let mut text = format!("{} {} {}\n", census.board, census.metric, census.empty);
        for start in starts {
            let (occupied, layers) = (list(&start.occupied), list(&start.layers));
            text.push_str(&format!("{occupied} {} {layers}\n", start.orbit));
        }
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Writes the record, one JSON object on a line, to a temporary name that is then renamed.
    ///
    /// # Errors
    ///
    /// When that fails; what was there before stays.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }

    /// The records that come with the program, by file name.
    ///
    /// # Panics
    ///
    /// When one of them is no record; a test reads them all.
    pub fn known() -> &'static [CensusRecord] {
        static KNOWN: LazyLock<Vec<CensusRecord>> = LazyLock::new(|| {
            let mut files: Vec<_> = RECORDS.files().collect();
            files.sort_by_key(|file| file.path());
            // Beside them lie the records of surveys.
            let is_census = |file: &&include_dir::File<'_>| {
                let name = file.path().to_str().unwrap_or_default();
                name.ends_with(".json") && !name.starts_with("survey-")
            };
            let read = |file: &include_dir::File<'_>| {
                serde_json::from_slice(file.contents())
                    .unwrap_or_else(|error| panic!("{}: {error}", file.path().display()))
            };
            files.into_iter().filter(is_census).map(read).collect()
        });
        &KNOWN
    }

    /// Reads a record and checks all of it that can be checked without searching: its digest, that
    /// its starts are one for every orbit with all states of their components, and that its report is
    /// what follows from them. The survey of the board is returned with it.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not what it should be.
    pub fn read(path: &Path) -> Result<(CensusRecord, Board, Survey), CensusRecordError> {
        let name = path.display().to_string();
        let wrong = |message: String| CensusRecordError::Wrong { path: name.clone(), message };
        let text = fs::read(path)
            .map_err(|source| CensusRecordError::Read { path: name.clone(), source })?;
        let record: CensusRecord =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let census = &record.census;
        let digest = CensusRecord::digest_of(census, &record.starts);
        if digest != record.digest {
            return Err(wrong(format!("its digest is {digest}, it says {}", record.digest)));
        }
        let metric: Metric = census.metric.parse().map_err(|error| wrong(format!("{error}")))?;
        let Ok(BoardSource::Spec(spec)) = census.board.parse() else {
            return Err(wrong(format!("{} is no board", census.board)));
        };
        let board = Board::new(spec, metric).map_err(|error| wrong(error.to_string()))?;
        if census.empty > board.vertex_count() {
            return Err(wrong(format!("{} empty vertices", census.empty)));
        }
        let survey = Survey::new(&board, census.empty).map_err(|error| wrong(error.to_string()))?;
        check_starts(&survey, &record.starts).map_err(|error| wrong(error.to_string()))?;
        if CensusReport::new(&board, &survey, &record.starts, None) != record.report {
            return Err(wrong("its report does not follow from its starts".to_owned()));
        }
        Ok((record, board, survey))
    }
}
