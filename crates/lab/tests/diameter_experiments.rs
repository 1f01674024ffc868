//! The estimates of diameters: their records, what they are held against, and that they can be made again.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_census::{CensusReport, Diameter, Progress, RunOptions, Survey, run};
use hyperslide_lab::{
    CensusRecord, DIAMETER_EXPERIMENTS, DiameterExperiment, PairsRecord, PartedExperiment, Recorded,
};
use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_search::Control;
use hyperslide_table::Signals;

fn records() -> Vec<PairsRecord> {
    let text = include_str!("../../../records/cubical-diameter-estimates.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn experiment() -> &'static DiameterExperiment {
    &DIAMETER_EXPERIMENTS[0]
}

/// The greatest diameter of a component of puz[d,k,l], from a record or by searches.
fn diameter(d: usize, k: usize, l: usize) -> u32 {
    let name = format!("cube:{d}:{k}");
    let is_it = |record: &&CensusRecord| {
        let census = &record.census;
        census.board == name && census.metric == "face" && census.empty == l
    };
    let report = match CensusRecord::known().iter().find(is_it) {
        Some(record) => record.report.clone(),
        None => {
            let board = Board::new(BoardSpec::Cube { d, k }, Metric::Face).unwrap();
            let survey = Survey::new(&board, l).unwrap();
            let mut done = Vec::new();
            let (options, signals) = (RunOptions::default(), Signals::default());
            let mut tell = |_: &Progress<'_>| ControlFlow::Continue(());
            run(&board, &survey, &options, &mut done, None, &signals, &mut tell).unwrap();
            CensusReport::new(&board, &survey, &done, None)
        }
    };
    let exact = |diameter: Option<Diameter>| match diameter {
        Some(Diameter::Exact(diameter)) => diameter,
        other => panic!("{name} {l}: {other:?}"),
    };
    report.components.iter().map(|component| exact(component.diameter)).max().unwrap()
}

#[test]
fn the_committed_records_are_complete_and_possible() {
    let records = records();
    records.iter().for_each(|record| record.check().unwrap());
    assert!(experiment().is_whole(&records));
    let comparison = experiment().compare(&records);
    assert_eq!(comparison.rows.len(), 14);
    for row in &comparison.rows {
        assert_eq!(row.verdict, None, "{}", row.graph);
        assert_eq!(row.estimates.len(), 5, "{}", row.graph);
        // The limit ends improved methods on the two hardest graphs only; an estimate over all pairs is no less than
        // what is proven of them.
        let is_hard = ["puz[4,2,6]", "puz[5,4,26]"].contains(&row.graph.as_str());
        for (number, own) in row.estimates.iter().enumerate() {
            let what = format!("{}, {}", row.graph, own.method);
            assert!(own.solved == row.pairs || number < 2 || is_hard, "{what}");
            assert!(own.solved < row.pairs || own.longest >= row.lower_bound, "{what}");
        }
    }
}

#[test]
fn the_exact_diameters_are_those_of_the_censuses() {
    for row in &experiment().compare(&records()).rows {
        let numbers = row.graph.trim_start_matches("puz[").trim_end_matches(']');
        let numbers: Vec<usize> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        assert_eq!(diameter(numbers[0], numbers[1], numbers[2]), row.diameter, "{}", row.graph);
    }
}

#[test]
fn a_solution_shorter_than_a_distance_is_a_contradiction() {
    let mut records = records();
    let part = 2;
    let solver = experiment().find(part, &records).unwrap().solver.clone();
    let record = records.iter_mut().find(|record| record.solver == solver).unwrap();
    record.runs[0].length = record.runs[0].length.map(|length| length.min(1) - 1);
    let comparison = experiment().compare(&records);
    assert_eq!(DiameterExperiment::verdicts(&comparison).len(), 1);
}

/// A run depends on nothing but its seed.
#[test]
fn runs_can_be_made_again() {
    let (whole, quick, all) = (experiment(), experiment().quick(), records());
    // puz[3,1,4] and puz[4,1,11], each method.
    for part in (6..12).chain(18..24) {
        let record = whole.find(part, &all).unwrap();
        let again = quick.run_part(part, 1, &Arc::default(), &Control::default(), "test").unwrap();
        assert_eq!(again.runs.len(), 5);
        for (old, new) in record.runs.iter().zip(&again.runs) {
            let what = |run: &hyperslide_lab::RowRun| (run.length, run.expanded, run.generated);
            assert_eq!(what(new), what(old), "{}", whole.title_of(part));
        }
    }
}
