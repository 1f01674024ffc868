//! The theorems and tables of the paper on local value iteration: their records, and that they can be made again.

use std::sync::Arc;

use hyperslide_lab::{
    LOCAL_EXPERIMENTS, LocalComparison, LocalExperiment, LocalRecord, PartedExperiment, RegionRun,
    Verdict,
};
use hyperslide_search::Control;

fn records() -> Vec<LocalRecord> {
    let text = include_str!("../../../records/local-value-iteration.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn experiment(name: &str) -> &'static LocalExperiment {
    let name = format!("local-value-iteration-{name}");
    LOCAL_EXPERIMENTS.iter().find(|experiment| experiment.name() == name).unwrap()
}

fn count(comparison: &LocalComparison, column: &str, verdict: Verdict) -> usize {
    let cells = comparison.parts.iter().flat_map(|part| &part.rows).flat_map(|row| &row.cells);
    cells.filter(|cell| cell.column == column && cell.verdict == Some(verdict)).count()
}

#[test]
fn the_committed_records_are_complete_and_explained() {
    let records = records();
    for name in ["theorems", "table-1", "table-2"] {
        let experiment = experiment(name);
        for number in 0..experiment.parts() {
            let found = experiment.find(number, &records);
            assert!(found.is_some(), "{name}: {}", experiment.title_of(number));
        }
        let comparison = experiment.compare(&records);
        for row in comparison.parts.iter().flat_map(|part| &part.rows) {
            for cell in &row.cells {
                let is_told = !matches!(
                    cell.verdict,
                    Some(Verdict::Unexplained | Verdict::NotReached | Verdict::Missing)
                );
                assert!(is_told, "{name}, {}: {cell:?}", row.key);
            }
        }
    }
    // Published means of all five regions, and the times that training took.
    let table = experiment("table-2").compare(&records);
    assert_eq!(count(&table, "mean", Verdict::Equal), 5);
    assert_eq!(count(&table, "training s", Verdict::Better), 5);
    // 100,000 puzzles or none: no solution takes more moves than Theorem 3 allows.
    assert_eq!(table.series[0].puzzles, 100_000);
    assert!(table.series[0].maximum <= 288);
}

/// Every share, bound and M that is printed is right; of the sizes those with the wrong factor are not.
#[test]
fn the_theorems_are_what_the_tables_say() {
    let theorems = experiment("theorems");
    let mut made = Vec::new();
    for number in 0..theorems.parts() {
        made.push(
            theorems.run_part(number, 2, &Arc::default(), &Control::default(), "test").unwrap(),
        );
    }
    let comparison = theorems.compare(&made);
    assert_eq!(count(&comparison, "of 1", Verdict::Equal), 15);
    assert_eq!(count(&comparison, "M", Verdict::Equal), 23);
    assert_eq!(count(&comparison, "bound", Verdict::Equal), 5);
    assert_eq!(count(&comparison, "share", Verdict::Equal), 5);
    // Classes of the 3x3 puzzle, all of it counted.
    assert_eq!(count(&comparison, "share of all, counted", Verdict::Equal), 3);
    assert_eq!(count(&comparison, "states", Verdict::PublishedWrong), 8);
    assert_eq!(count(&comparison, "states", Verdict::Equal), 1);
    // Both readings of Algorithm 1, on all sub-problems of both boards.
    assert_eq!(count(&comparison, "other distances", Verdict::Equal), 23 + 11);
    assert!(["of 1", "of 2", "of 5", "M", "bound", "share", "states"].iter().all(|column| count(
        &comparison,
        column,
        Verdict::Unexplained
    ) == 0));

    // What is not so is seen.
    let mut wrong = made.clone();
    let analysis = wrong[0].analysis.as_mut().unwrap();
    analysis.stages[3].needs.insert(1, 14);
    let problem = analysis.sub_problems.iter_mut().find(|problem| problem.kept.len() == 5).unwrap();
    (problem.farthest, problem.placements) = (33, 10_080);
    let comparison = theorems.compare(&wrong);
    assert_eq!(count(&comparison, "of 1", Verdict::Unexplained), 1);
    // Classes 3 to 5 do not depend on tile 4.
    assert_eq!(count(&comparison, "share", Verdict::Unexplained), 2);
    assert_eq!(count(&comparison, "M", Verdict::Unexplained), 1);
    assert_eq!(count(&comparison, "bound", Verdict::Unexplained), 1);
    assert_eq!(count(&comparison, "states", Verdict::Unexplained), 1);
}

/// The same lengths from the same seed, whatever the number of threads.
#[test]
fn rows_can_be_made_again() {
    let table = experiment("table-2").quick();
    for number in [0, 4, 7] {
        let run = |threads| -> Vec<RegionRun> {
            let record = table
                .run_part(number, threads, &Arc::default(), &Control::default(), "test")
                .unwrap();
            record.sample.unwrap().runs
        };
        for (one, three) in run(1).iter().zip(&run(3)) {
            assert_eq!(one.lengths, three.lengths, "{}", table.title_of(number));
            let trained = |run: &RegionRun| -> Vec<(Vec<String>, u64, u32)> {
                let problems = run.sub_problems.iter();
                problems.map(|p| (p.kept.clone(), p.solvable, p.farthest)).collect()
            };
            assert_eq!(trained(one), trained(three), "{}", table.title_of(number));
        }
    }
}
