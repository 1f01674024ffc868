//! The records of censuses that come with the program.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use super::provenance::Provenance;

static RECORDS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../records/census");

/// A finished census, made by a program that says which it is.
pub type CensusRecord = hyperslide_census::CensusRecord<Provenance>;

/// A finished survey of very many occupied sets, made by a program that says which it is.
pub type SurveyRecord = hyperslide_census::SurveyRecord<Provenance>;

/// The record of a census with repeated labels, with our provenance.
pub type LabelledRecord = hyperslide_census::LabelledRecord<Provenance>;

/// The records that come with the program, by file name.
///
/// # Panics
///
/// When one of them is not a record; a test reads them all.
pub fn known_censuses() -> &'static [CensusRecord] {
    static KNOWN: LazyLock<Vec<CensusRecord>> = LazyLock::new(|| {
        let mut files: Vec<_> = RECORDS.files().collect();
        files.sort_by_key(|file| file.path());
        // The records of surveys lie next to them.
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
