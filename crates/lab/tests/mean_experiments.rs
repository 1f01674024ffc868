//! Tables of means over random puzzles: their records, and that they can be made again.

use std::sync::Arc;

use hyperslide_lab::{MEAN_EXPERIMENTS, MeanExperiment, PartedExperiment, RowRecord, Verdict};
use hyperslide_search::{Control, TableCache};

fn study() -> (&'static MeanExperiment, Vec<RowRecord>) {
    let experiment =
        MEAN_EXPERIMENTS.iter().find(|experiment| experiment.name() == "sliding-block-study");
    let text = include_str!("../../../records/sliding-block-study.jsonl");
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (experiment.unwrap(), records)
}

#[test]
fn the_committed_record_of_the_study_is_complete_and_explained() {
    let (experiment, records) = study();
    let comparison = experiment.compare(&records);
    assert!(experiment.is_whole(&records));
    for row in &comparison.rows {
        assert_eq!(row.puzzles, (100, 100, row.puzzles.2), "{}", row.method);
        for cell in &row.cells {
            let is_told = matches!(cell.verdict, Verdict::Equal | Verdict::Explained);
            assert!(is_told, "{} {} {}: {cell:?}", row.board, row.method, cell.column);
        }
    }
}

/// A row whose searches take minutes is recorded in portions, told of when some are missing, and not run quickly.
#[test]
fn long_rows_come_in_portions() {
    let (experiment, records) = study();
    let is_long = |record: &&RowRecord| record.first > 0;
    let long = records.iter().find(is_long).unwrap();
    assert_eq!((long.first, long.runs.len()), (10, 10));
    let titles: Vec<String> =
        (0..experiment.parts()).map(|part| experiment.title_of(part)).collect();
    let portion = titles.iter().position(|title| title.ends_with(", puzzles 11 to 20")).unwrap();
    assert_eq!(experiment.find(portion, &records), Some(long));
    assert!(experiment.memory_of(portion) > 1 << 30 && experiment.memory_of(0) == 0);
    let fewer: Vec<RowRecord> = records.iter().filter(|r| *r != long).cloned().collect();
    assert!(!experiment.is_whole(&fewer));
    let solved = |records: &[RowRecord]| {
        let rows = experiment.compare(records).rows;
        let row = rows.iter().find(|row| row.board == long.board && row.solver == long.solver);
        row.unwrap().puzzles
    };
    assert_eq!((solved(&records), solved(&fewer)), ((100, 100, 100), (90, 90, 90)));
    let quick = experiment.quick();
    assert!((0..quick.parts()).all(|part| quick.memory_of(part) == 0));
}

/// The same counts from the same seed, whatever the number of threads.
#[test]
fn rows_can_be_made_again() {
    let (experiment, records) = study();
    let cache = Arc::new(TableCache::default());
    for number in 0..experiment.parts() {
        let recorded = experiment.find(number, &records).unwrap();
        if recorded.board != "grid:3:3" && recorded.solver != "staged" {
            continue;
        }
        let again = experiment.run_part(number, 3, &cache, &Control::default(), "test").unwrap();
        for (run, before) in again.runs.iter().zip(&recorded.runs) {
            let counts = |run: &hyperslide_lab::RowRun| {
                (run.length, run.optimal, run.stored, run.generated, run.expanded)
            };
            assert_eq!(counts(run), counts(before), "{}", experiment.title_of(number));
        }
    }
}
