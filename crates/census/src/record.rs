//! The records of finished censuses and surveys, which can be checked against the board.

use std::io;
use std::path::Path;

use hyperslide_puzzle::{Board, BoardSource, Metric};
use hyperslide_table::{Watch, read_named_file, replace_unlocked_file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::block_counts::BlockCountsFile;
use crate::checkpoint::CensusKey;
use crate::labelled::LabelledError;
use crate::parity::ParitySurvey;
use crate::report::CensusReport;
use crate::start::StartResult;
use crate::survey::{Survey, SurveyError};
use crate::verify::check_done;

/// A finished census with everything needed to check it. `P` is the type of the provenance: the
/// program that made the record, where and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CensusRecord<P> {
    /// The board and the number of empty vertices.
    pub census: CensusKey,
    /// The results of the census.
    pub report: CensusReport,
    /// The starts with the layers found from each.
    pub starts: Vec<StartResult>,
    /// SHA-256 of the census and all starts, in hexadecimal; see [`census_digest`].
    pub digest: String,
    /// The file with the counts of each block, if the searches were in files and it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_counts: Option<BlockCountsFile>,
    /// The instruction set of the inner loops: `portable`, `avx2` or `avx512`.
    pub path: String,
    /// The wall-clock time of the last run in seconds, without earlier runs.
    pub wall_s: f64,
    /// The number of starts that earlier runs had searched.
    pub resumed_starts: usize,
    /// The program that made the record, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

/// A finished survey of a very large number of occupied sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyRecord<P> {
    /// The results of the survey.
    pub survey: ParitySurvey,
    /// The wall-clock time in seconds.
    pub wall_s: f64,
    /// The program that made the record, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

impl<P: Serialize> SurveyRecord<P> {
    /// Writes the record like [`CensusRecord::write`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> SurveyRecord<P> {
    /// Reads a record, or returns `None` if the file is not the record of a survey.
    pub fn read(path: &Path) -> Option<SurveyRecord<P>> {
        serde_json::from_slice(&read_named_file(path).ok()?).ok()
    }
}

/// Writes JSON on a line as [`replace_unlocked_file`] does.
pub(crate) fn write_json(value: &impl Serialize, path: &Path) -> Result<(), CensusRecordError> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| write_failed(path, error.into()))?;
    bytes.push(b'\n');
    replace_unlocked_file(path, &bytes).map_err(|source| write_failed(path, source))
}

pub(crate) fn write_failed(path: &Path, source: io::Error) -> CensusRecordError {
    CensusRecordError::Write { path: path.display().to_string(), source }
}

/// Why the record of a census cannot be read or written.
#[derive(Debug, Error)]
pub enum CensusRecordError {
    /// Reading failed.
    #[error("cannot read the record {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write the record {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The counts of blocks that belong to a record are damaged, or do not fit it.
    #[error(
        "{path} does not have the record's counts of blocks: {message}: take both from their source again"
    )]
    Blocks {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
    /// The board cannot be surveyed again within the limits.
    #[error(transparent)]
    Survey(SurveyError),
    /// The states of repeated labels cannot be surveyed again within the limits.
    #[error(transparent)]
    Labelled(LabelledError),
    /// The record is inconsistent, or does not fit the board.
    #[error(
        "{path} is not the record of a census: {message}: take it from its source again, or repeat the census"
    )]
    Wrong {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
}

impl<P: Serialize> CensusRecord<P> {
    /// Writes the record, one JSON object on a line, to a temporary file, which is then renamed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> CensusRecord<P> {
    /// Reads a record and checks everything that can be checked without a search: that its digest
    /// is right, that each start has as many states as its component, that the starts determine all
    /// diameters, and that the report follows from the starts. Returns the record, its board and
    /// the survey of the board, which takes at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be read or fails one of these checks, or if the survey
    /// needs more memory than allowed or is stopped.
    pub fn read(
        path: &Path,
        memory: u64,
        watch: Watch<'_>,
    ) -> Result<(CensusRecord<P>, Board, Survey), CensusRecordError> {
        let name = path.display().to_string();
        let wrong = |message: String| CensusRecordError::Wrong { path: name.clone(), message };
        let text = read_named_file(path)
            .map_err(|source| CensusRecordError::Read { path: name.clone(), source })?;
        let record: CensusRecord<P> =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let census = &record.census;
        let digest = census_digest(census, &record.starts);
        if digest != record.digest {
            return Err(wrong(format!("its digest is {digest}, it says {}", record.digest)));
        }
        let board = board_of_record(&census.board, &census.metric).map_err(wrong)?;
        if census.empty > board.vertex_count() {
            return Err(wrong(format!("{} empty vertices", census.empty)));
        }
        let survey =
            Survey::within(&board, census.empty, memory, watch).map_err(|error| match error {
                SurveyError::TooManySets { .. } => wrong(error.to_string()),
                error => CensusRecordError::Survey(error),
            })?;
        check_done(&survey, &record.starts).map_err(|error| wrong(error.to_string()))?;
        let report = CensusReport::new(&board, &survey, &record.starts, None);
        if report != record.report {
            return Err(wrong("its report does not follow from its starts".to_owned()));
        }
        if !report.complete {
            return Err(wrong("its starts do not settle the diameters".to_owned()));
        }
        Ok((record, board, survey))
    }
}

/// Returns the SHA-256, in hexadecimal, of a line for the census, `BOARD METRIC EMPTY`, and a line
/// for each start in the order of the record, `VERTICES SETS LAYERS` with commas between numbers; a
/// start with depths of orbits has these at the end, too.
pub fn census_digest(census: &CensusKey, starts: &[StartResult]) -> String {
    let mut text = format!("{} {} {}\n", census.board, census.metric, census.empty);
    for start in starts {
        text.push_str(&start_line(&start.occupied, start.orbit, &start.layers));
        if let Some(depths) = &start.orbit_depths {
            text.push_str(&format!(" {}", list(depths)));
        }
        text.push('\n');
    }
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// What a start is, the size of its orbit, and its layers, as digests have them.
fn start_line<T: ToString>(start: &[T], orbit: u64, layers: &[u64]) -> String {
    format!("{} {orbit} {}", list(start), list(layers))
}

/// The board that a record names, or what is wrong with it.
pub(crate) fn board_of_record(board: &str, metric: &str) -> Result<Board, String> {
    let metric: Metric = metric.parse().map_err(|error| format!("{error}"))?;
    let Some(Ok(spec)) = board.parse().ok().map(BoardSource::into_spec) else {
        return Err(format!("{board} is not a board"));
    };
    Board::new(spec, metric).map_err(|error| error.to_string())
}

/// Numbers with commas between them.
pub(crate) fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// The SHA-256, in hexadecimal, of a first line and a line for each start: what it is, the size of
/// its orbit, and its layers.
pub(crate) fn digest<'a, T: ToString + 'a>(
    first: &str,
    starts: impl Iterator<Item = (&'a Vec<T>, u64, &'a Vec<u64>)>,
) -> String {
    let mut text = format!("{first}\n");
    for (start, orbit, layers) in starts {
        text.push_str(&start_line(start, orbit, layers));
        text.push('\n');
    }
    hex::encode(Sha256::digest(text.as_bytes()))
}
