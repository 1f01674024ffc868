//! The experiments that repeat randomised methods: their records, and that they can be made again.

use std::sync::Arc;

use hyperslide_lab::{
    CellRecord, DISTRIBUTION_EXPERIMENTS, DistributionExperiment, PartedExperiment, Recorded,
    Verdict,
};
use hyperslide_search::Control;

fn records(name: &str) -> Vec<CellRecord> {
    let path = format!("{}/../../records/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn experiment(name: &str) -> &'static DistributionExperiment {
    DISTRIBUTION_EXPERIMENTS.iter().find(|experiment| experiment.name() == name).unwrap()
}

#[test]
fn the_committed_records_are_complete_and_explained() {
    let mut judged = 0;
    for experiment in DISTRIBUTION_EXPERIMENTS.iter() {
        let name = experiment.name();
        let records = records(name);
        records.iter().for_each(|record| record.check().unwrap());
        let comparison = experiment.compare(&records);
        assert_eq!(comparison.cells.len(), experiment.parts(), "{name}");
        for cell in &comparison.cells {
            judged += usize::from(cell.verdict.is_some());
            let is_told = cell.verdict != Some(Verdict::Unexplained);
            assert!(is_told, "{name}: {} {:?} {}", cell.instance, cell.rule, cell.method);
        }
    }
    assert_eq!(judged, 26 + 25 + 6 + 3);
}

#[test]
fn improved_methods_always_solve_and_come_close_to_the_optimum() {
    for name in ["cubical-ea-table-4", "cubical-rl-table-5"] {
        for cell in experiment(name).compare(&records(name)).cells {
            let what = format!("{} {:?}, {}", cell.instance, cell.rule, cell.method);
            let Some(optimum) = cell.optimum else {
                assert_eq!(cell.solved, 0, "{what}");
                continue;
            };
            if cell.method != "as published" {
                assert_eq!(cell.solved, cell.runs, "{what}");
                let [_, median, _] = cell.quartiles.unwrap();
                assert!(median <= 1.1 * f64::from(optimum), "{what}: {median}");
            }
        }
    }
}

/// A run depends on nothing but its seed.
#[test]
fn runs_can_be_made_again() {
    for (name, parts) in [("cubical-ea-table-4", 0..9), ("cubical-rl-table-5", 9..18)] {
        let all = records(name);
        let (whole, quick) = (experiment(name), experiment(name).quick());
        for number in parts {
            let record = whole.find(number, &all).unwrap();
            let cache = Arc::default();
            let control = Control::default();
            let again = quick.run_part(number, 1, &cache, &control, "test").unwrap();
            assert!(again.runs.len() >= 10);
            for (old, new) in record.runs.iter().zip(&again.runs) {
                let what = |run: &hyperslide_lab::RowRun| (run.length, run.expanded, run.generated);
                assert_eq!(what(new), what(old), "{}", whole.title_of(number));
            }
        }
    }
}

#[test]
fn a_record_that_cannot_be_is_refused() {
    let mut record = records("cubical-ea-table-4").swap_remove(0);
    record.check().unwrap();
    record.runs[0].length = Some(3);
    assert!(record.check().unwrap_err().contains("impossible"));
    record.runs[0].length = None;
    record.solver = "evolution population=0".to_owned();
    assert!(record.check().unwrap_err().contains("'0' is not a value of population"));
}
