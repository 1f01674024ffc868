//! The records of finished censuses with repeated labels.

use std::path::Path;
use std::time::Duration;

use hyperslide_table::{Watch, read_named_file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{LabelledError, LabelledKey, LabelledReport, LabelledStart, LabelledSurvey};
use crate::record::{CensusRecordError, board_of_record, digest, list, write_json};

/// A finished census with repeated labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledRecord<P> {
    /// The board and the labels.
    pub labelled_census: LabelledKey,
    /// The results.
    pub report: LabelledReport,
    /// The starts with the layers found from each.
    pub starts: Vec<LabelledStart>,
    /// SHA-256 of the census and all starts, in hexadecimal; see [`labelled_digest`].
    pub digest: String,
    /// The wall-clock time in seconds.
    pub wall_s: f64,
    /// The program that made the record, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

impl<P> LabelledRecord<P> {
    /// Returns the record of a complete census, or `None` if starts are missing.
    pub fn new(
        survey: &LabelledSurvey,
        starts: Vec<LabelledStart>,
        wall: Duration,
        provenance: P,
    ) -> Option<LabelledRecord<P>> {
        let (labelled_census, report) = (survey.key(), survey.report(&starts));
        let digest = labelled_digest(&labelled_census, &starts);
        let wall_s = wall.as_secs_f64();
        let complete = report.complete;
        let record = LabelledRecord { labelled_census, report, starts, digest, wall_s, provenance };
        complete.then_some(record)
    }
}

impl<P: Serialize> LabelledRecord<P> {
    /// Writes the record like [`crate::CensusRecord::write`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> LabelledRecord<P> {
    /// Reads a record and checks everything that can be checked without a search: its digest, its
    /// starts against a new survey of at most `memory` bytes, and that the report follows from
    /// them. Returns `None` if the file is not the record of a census with repeated labels.
    ///
    /// # Errors
    ///
    /// Returns an error if one of these checks fails, or if the survey needs more memory than
    /// allowed or is stopped.
    pub fn read(
        path: &Path,
        memory: u64,
        watch: Watch<'_>,
    ) -> Option<Result<(LabelledRecord<P>, LabelledSurvey), CensusRecordError>> {
        let record: LabelledRecord<P> =
            serde_json::from_slice(&read_named_file(path).ok()?).ok()?;
        let name = path.display().to_string();
        let wrong = |message: String| CensusRecordError::Wrong { path: name.clone(), message };
        let check = || {
            let key = &record.labelled_census;
            let digest = labelled_digest(key, &record.starts);
            if digest != record.digest {
                return Err(wrong(format!("its digest is {digest}, it says {}", record.digest)));
            }
            let board = board_of_record(&key.board, &key.metric).map_err(wrong)?;
            let survey = LabelledSurvey::new(&board, &key.labels, memory, watch).map_err(
                |error| match error {
                    LabelledError::Stopped | LabelledError::Memory { .. } => {
                        CensusRecordError::Labelled(error)
                    }
                    error => wrong(error.to_string()),
                },
            )?;
            survey.check(&record.starts).map_err(|error| wrong(error.to_string()))?;
            if survey.report(&record.starts) != record.report {
                return Err(wrong("its report does not follow from its starts".to_owned()));
            }
            Ok(survey)
        };
        Some(check().map(|survey| (record, survey)))
    }
}

/// Returns the SHA-256, in hexadecimal, of a line for the census, `BOARD METRIC LABELS`, and a line
/// for each start, `CELLS STATES LAYERS` with commas between numbers.
pub fn labelled_digest(key: &LabelledKey, starts: &[LabelledStart]) -> String {
    let first = format!("{} {} {}", key.board, key.metric, list(&key.labels));
    digest(&first, starts.iter().map(|start| (&start.cells, start.orbit, &start.layers)))
}
