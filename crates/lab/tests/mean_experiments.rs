//! Tables of means over random puzzles: their records, and that they can be made again.

use std::sync::Arc;

use hyperslide_lab::{MEAN_EXPERIMENTS, MeanExperiment, PartedExperiment, RowRecord, Verdict};
use hyperslide_search::{Control, Shared};

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
    assert_eq!(comparison.rows.len(), experiment.parts());
    for row in &comparison.rows {
        assert_eq!(row.puzzles, (100, 100, row.puzzles.2), "{}", row.method);
        for cell in &row.cells {
            let is_told = matches!(cell.verdict, Verdict::Equal | Verdict::Explained);
            assert!(is_told, "{} {} {}: {cell:?}", row.board, row.method, cell.column);
        }
    }
}

/// The same counts from the same seed, whatever the number of threads.
#[test]
fn rows_can_be_made_again() {
    let (experiment, records) = study();
    let shared = Arc::new(Shared::default());
    for number in 0..experiment.parts() {
        let recorded = experiment.find(number, &records).unwrap();
        if recorded.board != "grid:3:3" && recorded.solver != "staged" {
            continue;
        }
        let again = experiment.run_part(number, 3, &shared, &Control::default(), "test").unwrap();
        for (run, before) in again.runs.iter().zip(&recorded.runs) {
            let counts = |run: &hyperslide_lab::RowRun| {
                (run.length, run.optimal, run.stored, run.generated, run.expanded)
            };
            assert_eq!(counts(run), counts(before), "{}", experiment.title_of(number));
        }
    }
}
