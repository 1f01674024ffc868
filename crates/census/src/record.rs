//! Records of finished censuses and surveys, which can be checked against the board.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use hyperslide_puzzle::{Board, BoardSource, Metric};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::checkpoint::CensusKey;
use crate::parity::ParitySurvey;
use crate::report::CensusReport;
use crate::start::StartResult;
use crate::survey::Survey;
use crate::verify::check_starts;

/// A finished census with all that is needed to check it. `P` is the provenance: what made the
/// record, where and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CensusRecord<P> {
    /// Which census it is.
    pub census: CensusKey,
    /// What it found.
    pub report: CensusReport,
    /// The layers of every start.
    pub starts: Vec<StartResult>,
    /// SHA-256 of the census and all starts, in hexadecimal; see [`census_digest`].
    pub digest: String,
    /// How the inner loops were compiled: `portable`, `avx2` or `avx512`.
    pub path: String,
    /// Wall-clock seconds of the searches of the last run, without what an earlier run had done.
    pub wall_s: f64,
    /// Starts that an earlier run had searched already.
    pub resumed_starts: usize,
    /// What made it, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

/// A finished survey of very many occupied sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyRecord<P> {
    /// What it found.
    pub survey: ParitySurvey,
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// What made it, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

impl<P: Serialize> SurveyRecord<P> {
    /// Writes the record as [`CensusRecord::write`] does.
    ///
    /// # Errors
    ///
    /// When that fails.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> SurveyRecord<P> {
    /// Reads a record; `None` when the file holds something else.
    pub fn read(path: &Path) -> Option<SurveyRecord<P>> {
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

/// Why a file is not the record of a census.
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
    /// The record contradicts itself or the board.
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

impl<P: Serialize> CensusRecord<P> {
    /// Writes the record, one JSON object on a line, to a temporary name that is then renamed.
    ///
    /// # Errors
    ///
    /// When that fails; what was there before stays.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> CensusRecord<P> {
    /// Reads a record and checks all of it that can be checked without searching: its digest, that
    /// its starts are one for every orbit with all states of their components, and that its report is
    /// what follows from them. The survey of the board is returned with it.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not what it should be.
    pub fn read(path: &Path) -> Result<(CensusRecord<P>, Board, Survey), CensusRecordError> {
        let name = path.display().to_string();
        let wrong = |message: String| CensusRecordError::Wrong { path: name.clone(), message };
        let text = fs::read(path)
            .map_err(|source| CensusRecordError::Read { path: name.clone(), source })?;
        let record: CensusRecord<P> =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let census = &record.census;
        let digest = census_digest(census, &record.starts);
        if digest != record.digest {
            return Err(wrong(format!("its digest is {digest}, it says {}", record.digest)));
        }
        let metric: Metric = census.metric.parse().map_err(|error| wrong(format!("{error}")))?;
        let Ok(BoardSource::Spec(spec)) = census.board.parse() else {
            return Err(wrong(format!("{} is not a board", census.board)));
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

/// SHA-256 over one line for the census and one for each start: `BOARD METRIC EMPTY`, then
/// `VERTICES SETS LAYERS` with commas between numbers, in the order of the record.
pub fn census_digest(census: &CensusKey, starts: &[StartResult]) -> String {
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
