//! The committed records of censuses: whole, consistent, and about the cells they are to settle.

use std::path::PathBuf;

use hyperslide_census::Diameter;
use hyperslide_lab::{CensusRecord, SurveyRecord, known_censuses};
use hyperslide_table::Watch;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/census"))
}

#[test]
fn every_record_is_whole() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let is_survey = path.file_name().unwrap().to_str().unwrap().starts_with("survey-");
        if is_survey {
            assert!(SurveyRecord::read(&path).is_some(), "{}", path.display());
        } else {
            // Its digest, its starts against a new survey of the board, its report.
            let (record, ..) = CensusRecord::read(&path, u64::MAX, Watch::default())
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(record.report.complete, "{}", path.display());
            assert!(!record.provenance.revision.ends_with("-modified"), "{}", path.display());
            let census = record.census;
            let name = format!("{}-{}.json", census.board.replace(':', "-"), census.empty);
            assert_eq!(path.file_name().unwrap().to_str(), Some(name.as_str()));
            count += 1;
        }
    }
    assert!(count >= 30, "{count} records");
}

#[test]
fn the_open_cells_are_settled() {
    let diameter = |d: usize, k: usize, l: usize| {
        let board = format!("cube:{d}:{k}");
        let is_it = |record: &&CensusRecord| {
            record.census.board == board
                && record.census.empty == l
                && record.census.metric == "face"
        };
        let record = known_censuses().iter().find(is_it);
        let record = record.unwrap_or_else(|| panic!("no record of puz[{d},{k},{l}]"));
        match record.report.largest().unwrap().diameter {
            Some(Diameter::Exact(diameter)) => diameter,
            other => panic!("puz[{d},{k},{l}]: {other:?}"),
        }
    };
    let mut settled = vec![
        (4, 2, 8),
        (4, 2, 7),
        (4, 2, 6),
        (4, 2, 5),
        (4, 1, 7),
        (4, 1, 6),
        (4, 1, 5),
        (4, 1, 4),
        (4, 1, 3),
        (4, 1, 2),
        (4, 1, 1),
        (5, 4, 26),
        (5, 3, 26),
        (5, 2, 26),
        (5, 1, 26),
    ];
    settled.extend((1..=4).flat_map(|k| (27..=31).map(move |l| (5, k, l))));
    for (d, k, l) in settled {
        let found = diameter(d, k, l);
        // A lone token needs ceil(d / k) moves to the opposite corner, and so does each of several,
        // one after another.
        let tokens = (1u32 << d) - l as u32;
        assert!(found >= tokens * (d as u32).div_ceil(k as u32), "puz[{d},{k},{l}] {found}");
        if k == 1 {
            assert_eq!(found, tokens * d as u32, "Conjecture 1.19 on puz[{d},{k},{l}]");
        }
    }
}
