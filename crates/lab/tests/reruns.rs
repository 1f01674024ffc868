//! Recorded runs can be made again: they depend on nothing but their puzzles and seeds.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperslide_lab::{
    Experiment, NoData, RecordFile, RegionRun, RunSummary, Task, TaskContext, TaskData, TaskRecord,
    find_experiment,
};

fn experiment(name: &str) -> &'static Experiment {
    find_experiment(name).unwrap()
}

fn records(file: &str) -> Vec<TaskRecord> {
    let path = format!("{}/../../records/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    RecordFile::read(path.as_ref()).unwrap()
}

fn run(task: &Task, threads: usize) -> Result<TaskData, NoData> {
    let context = TaskContext {
        keep: None,
        threads,
        memory: 4 << 30,
        quick: true,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
    task.run(&context)
}

fn runs(data: &TaskData) -> &[RunSummary] {
    let TaskData::Runs(runs) = data else { panic!("runs are expected") };
    runs
}

/// Runs the first runs of tasks again, as a quick run has them, and compares what they count.
fn check_again(name: &str, is_chosen: impl Fn(&str) -> bool, threads: usize) {
    let (whole, quick) = (experiment(name), experiment(name).quick());
    let all = records(name);
    let mut count = 0;
    for task in quick.tasks().iter().filter(|task| is_chosen(&task.title())) {
        let is_whole = |of: &Task| match (of, task) {
            (Task::Solve(of), Task::Solve(own)) => {
                (&of.puzzles, &of.solver, of.first) == (&own.puzzles, &own.solver, own.first)
            }
            _ => false,
        };
        let of = whole.tasks().into_iter().find(is_whole).unwrap();
        let recorded = whole.find(&of, &all).unwrap();
        let again = run(task, threads).unwrap();
        let counts =
            |run: &RunSummary| (run.length, run.optimal, run.stored, run.generated, run.expanded);
        for (old, new) in runs(&recorded.data).iter().zip(runs(&again)) {
            assert_eq!(counts(new), counts(old), "{}", task.title());
        }
        count += runs(&again).len();
    }
    assert!(count >= 30, "{name}: {count} runs");
}

#[test]
fn evolution() {
    check_again("cubical-ea-table-4", |title| title.starts_with("cubical/d3"), 1);
}

#[test]
fn reinforcement() {
    let is_chosen = |title: &str| {
        ["cubical/d3-level2 k=2", "cubical/d4-level0 k=1", "cubical/d4-level1 k=1"]
            .iter()
            .any(|chosen| title.starts_with(chosen))
    };
    check_again("cubical-rl-table-5", is_chosen, 1);
}

#[test]
fn pairs_of_states() {
    let is_chosen = |title: &str| {
        title.starts_with("cube:3:1, 4 tokens") || title.starts_with("cube:4:1, 5 tokens")
    };
    check_again("cubical-diameter-estimates", is_chosen, 1);
}

/// The same counts whatever the number of threads.
#[test]
fn random_puzzles() {
    let is_chosen = |title: &str| title.starts_with("grid:3:3") || title.ends_with(", staged");
    check_again("sliding-block-study", is_chosen, 3);
}

/// The same lengths from the same seed, whatever the number of threads.
#[test]
fn regions() {
    let table = experiment("local-value-iteration-table-2").quick();
    let tasks = table.tasks();
    for task in [&tasks[0], &tasks[4], &tasks[7]] {
        let run = |threads| -> Vec<RegionRun> {
            let TaskData::Sample(sample) = run(task, threads).unwrap() else {
                panic!("a sample is expected")
            };
            sample.runs
        };
        for (one, three) in run(1).iter().zip(&run(3)) {
            assert_eq!(one.lengths, three.lengths, "{}", task.title());
            let trained = |run: &RegionRun| -> Vec<(Vec<String>, u64, u32)> {
                let problems = run.sub_problems.iter();
                problems.map(|p| (p.kept.clone(), p.solvable, p.farthest)).collect()
            };
            assert_eq!(trained(one), trained(three), "{}", task.title());
        }
    }
}
