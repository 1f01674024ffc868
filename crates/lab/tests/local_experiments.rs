//! The theorems of the paper on local value iteration, computed anew, and what is seen when they
//! are wrong.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperslide_lab::{Comparison, RunOptions, TaskData, Verdict, find_experiment, run_experiment};

fn count(comparison: &Comparison, column: &str, verdict: Verdict) -> usize {
    let cells = comparison
        .tables
        .iter()
        .flat_map(|table| table.rows.iter().flat_map(|row| table.columns.iter().zip(&row.cells)));
    cells.filter(|(own, cell)| own.name == column && cell.verdict == Some(verdict)).count()
}

/// Every share, bound and M that is printed is right; of the sizes those with the wrong factor are
/// not.
#[test]
fn the_theorems_are_what_the_tables_say() {
    let theorems = find_experiment("local-value-iteration-theorems").unwrap();
    let options = RunOptions {
        threads: 2,
        memory: 4 << 30,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    let made = run_experiment(theorems, None, &options).unwrap();
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
    for column in ["of 1", "of 2", "of 5", "M", "bound", "share", "states"] {
        assert_eq!(count(&comparison, column, Verdict::Unexplained), 0, "{column}");
    }

    // What is not so is seen.
    let mut wrong = made.clone();
    let TaskData::Analysis(analysis) = &mut wrong[0].data else {
        panic!("an analysis is expected")
    };
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
