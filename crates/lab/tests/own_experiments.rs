//! Experiment files of one's own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hyperslide_lab::compare::{Cell, Value};
use hyperslide_lab::{
    Experiment, RecordFile, RunEvent, RunOptions, Task, TaskData, TaskRecord, Verdict, report,
    run_experiment,
};

use crate::experiments::compared;

/// The records of a whole run.
fn run(experiment: &Experiment) -> Vec<TaskRecord> {
    let options = RunOptions {
        threads: 2,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    run_experiment(experiment, None, &options).unwrap()
}

#[test]
fn a_puzzle_that_is_tried_often_is_still_one() {
    let text = include_str!("data/repeated.toml");
    let experiment = Experiment::parse("repeated.toml", text).unwrap();
    let records = run(&experiment);
    let comparison = experiment.compare(&records);
    let [_, contrast, pairing] = &comparison.tables[..] else { panic!("{comparison:?}") };
    // Neither solver leaves anything to chance.
    assert_eq!(contrast.rows.len(), 2);
    assert_eq!(contrast.rows[1].keys[0], "a swap of two");
    for row in &contrast.rows {
        assert!(row.cells[0].ours.is_some() && row.cells[3..].iter().all(Cell::is_empty));
        assert!(row.note.as_ref().unwrap().contains("nothing to test"), "{row:?}");
    }
    let row = &pairing.rows[0];
    assert_eq!(row.cells[0].ours, Some(Value::Count(2)));
    let p = row.cells[5].ours.as_ref().and_then(Value::number).unwrap();
    assert!(p >= 0.5, "{p}");
    let note = row.note.as_ref().unwrap();
    assert!(note.contains("A* has 1,200 generated states, greedy 50,000"), "{note}");
    assert_eq!(
        report::figures(&experiment, &records)[0].run,
        "Each solver on the same 2 puzzles, 8 runs of each, seed 0, within 50,000 generated states \
         (A* on cubical/d3-level4: 1,200 generated states; A* on a swap of two: 900 generated \
         states)."
    );
}

#[test]
fn the_documented_experiment_prints_the_documented_table() {
    let document = include_str!("../../../docs/experiments.md");
    let block = |language: &str| {
        let rest = document.split_once(&format!("```{language}\n")).unwrap().1;
        rest.split_once("```").unwrap().0
    };
    let experiment = Experiment::parse("documented.toml", block("toml")).unwrap();
    let records = run(&experiment);
    let text = report::text(&experiment.compare(&records), None);
    assert!(text.contains(block("text")), "{text}");
}

/// Finished runs of a task that is cut short are kept, and more runs continue fewer.
#[test]
fn a_task_goes_on_after_the_runs_that_it_has() {
    let text = |runs: u64| {
        format!(
            "name = \"cut\"\ntitle = \"Cut short\"\nruns = {runs}\nseed = 3\n\
             [[solver]]\nkey = \"a\"\ntitle = \"A*\"\nsolver = \"astar\"\n\
             [[view]]\nkeys = [\"graph\"]\ncolumns = [{{ name = \"solved\", measure = \"solved\" }}]\n\
             [[row]]\ntitle = \"3x3\"\nrandom = {{ board = \"grid:3:3\" }}\n"
        )
    };
    let experiment = |runs| Experiment::parse("cut.toml", &text(runs)).unwrap();
    let folder = std::env::temp_dir().join(format!("hyperslide-cut-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("records.jsonl");
    // Cancels after this many runs.
    let run_until = |runs: u64, most: u64| {
        let cancel = AtomicBool::new(false);
        let made = Mutex::new(0);
        let report = |event: &RunEvent<'_>| {
            if let RunEvent::Progress { progress, .. } = event
                && progress.search.is_none()
            {
                let mut made = made.lock().unwrap();
                *made += 1;
                cancel.fetch_or(*made == most, Ordering::Relaxed);
            }
        };
        let options = RunOptions {
            threads: 1,
            memory: u64::MAX,
            cache: Arc::default(),
            cancel: &cancel,
            command: "test".to_owned(),
            report: &report,
        };
        let mut file = RecordFile::open(&path).unwrap();
        let records = run_experiment(&experiment(runs), Some(&mut file), &options).unwrap();
        assert_eq!(file.records(), records);
        let solved = experiment(runs).compare(&records);
        let made = *made.lock().unwrap();
        (made, solved.tables[0].rows[0].cells[0].ours.clone(), solved.complete)
    };
    assert_eq!(run_until(6, 2), (2, Some(Value::OutOf(2, 2)), false));
    assert_eq!(run_until(6, 1), (1, Some(Value::OutOf(3, 3)), false));
    assert_eq!(run_until(6, 99), (3, Some(Value::OutOf(6, 6)), true));
    assert_eq!(run_until(6, 99), (0, Some(Value::OutOf(6, 6)), true));
    assert_eq!(run_until(8, 99), (2, Some(Value::OutOf(8, 8)), true));
    // They are the runs that are made at once.
    let counts = |records: &[TaskRecord]| -> Vec<u64> {
        let runs = records.iter().flat_map(|record| match &record.data {
            TaskData::Runs(runs) => runs.clone(),
            _ => panic!("runs are expected"),
        });
        runs.map(|run| run.expanded).collect()
    };
    let parts = counts(&RecordFile::read(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
    run_until(8, 99);
    let whole = RecordFile::read(&path).unwrap();
    assert_eq!((whole.len(), counts(&whole)), (1, parts));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Each of the puzzles that a row lists is solved once, and what is known of it counts.
#[test]
fn rows_may_list_puzzles() {
    let text = include_str!("data/listed.toml");
    let experiment = Experiment::parse("listed.toml", text).unwrap();
    let records = run(&experiment);
    let comparison = experiment.compare(&records);
    assert!(comparison.complete);
    let rows = &comparison.tables[0].rows;
    assert_eq!(rows[0].keys, ["cubical", "cubical", "A*"]);
    assert_eq!(rows[2].keys, ["", "three", "A*"]);
    let suite = hyperslide_lab::find_suite("cubical").unwrap().instances.len() as u64;
    let part = |row: usize, column: usize| match rows[row].cells[column].ours {
        Some(Value::OutOf(part, all)) => (part, all),
        ref other => panic!("{other:?}"),
    };
    // Not all are solved so quickly, but the shortest lengths of all that have one are on record.
    let (solved, all) = part(0, 0);
    assert!(all == suite && solved > 2 && solved < suite, "{solved} of {all}");
    assert!(part(0, 2).0 > part(0, 1).0, "{rows:?}");
    // One of the three has no solution.
    assert_eq!((part(2, 0), part(2, 1)), ((2, 3), (3, 3)));
    assert_eq!(comparison.tables[1].rows[0].cells[0].ours, Some(Value::Count(suite + 3)));
    let figure = &report::figures(&experiment, &records)[0];
    assert_eq!(
        figure.run,
        format!(
            "Each solver on the same {} puzzles, seed 0, within 400 generated states.",
            suite + 3
        )
    );
    // A row's settings take the place of the solver's.
    let solvers = records.iter().map(|record| match &record.task {
        Task::Solve(task) => task.solver.as_str(),
        _ => "",
    });
    assert_eq!(
        solvers.collect::<Vec<_>>(),
        ["astar", "greedy heuristic=lone-token", "astar", "greedy heuristic=misplaced"]
    );
    // Records say the puzzles, and are refused where a result is of another one.
    let mut record = records[2].clone();
    record.check().unwrap();
    let TaskData::Results(results) = &mut record.data else { panic!("results are expected") };
    results.swap(0, 1);
    assert!(record.check().unwrap_err().contains("of another puzzle"));
    // One without runs, or with more than can be counted, would answer nothing or everything.
    for (first, runs) in [(0, 0), (u64::MAX, 3), (1, 3)] {
        let mut record = records[2].clone();
        let Task::Solve(task) = &mut record.task else { panic!("a search is expected") };
        (task.first, task.runs) = (first, runs);
        if runs == 0 {
            record.data = TaskData::Results(Vec::new());
        }
        let error = record.check().unwrap_err();
        assert!(error.contains("no runs") || error.contains("only 3 puzzles"), "{error}");
    }
    // A quick run takes the first of each.
    let quick: u64 = experiment.quick().tasks().iter().map(runs_of).sum();
    assert_eq!(quick, 2 * 2 + 2 * 2);
    for (right, wrong, words) in [
        ("suite = \"cubical\"", "suite = \"kubical\"", "row 1: no suite is called 'kubical'"),
        ("1,2,3,4,0,5 ->", "1,2,3,4,0 ->", "row 2: "),
        (
            "rule = 2",
            "rule = 2\nrandom = { board = \"grid:3:3\" }",
            "row 1: write one of instance,",
        ),
    ] {
        let error = Experiment::parse("x.toml", &text.replacen(right, wrong, 1)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

fn runs_of(task: &Task) -> u64 {
    match task {
        Task::Solve(task) => task.runs,
        _ => 0,
    }
}

/// A table of a paper that nobody has heard of needs one file, which describes the paper as well.
#[test]
fn an_experiment_may_describe_its_own_paper() {
    let text = include_str!("data/own-paper.toml");
    let experiment = Experiment::parse("own-paper.toml", text).unwrap().quick();
    let records = run(&experiment);
    let comparison = experiment.compare(&records);
    assert!(comparison.complete);
    assert_eq!(comparison.heading.document, "nobody2027");
    assert_eq!(comparison.tables[0].rows[0].cells[0].verdict, Some(Verdict::Equal));
    assert_eq!(comparison.tables[0].rows[3].cells[0].ours, Some(Value::OutOf(5, 5)));
    let mut summary = report::Summary::default();
    summary.add(&comparison);
    summary.add(compared("cubical-table-2"));
    let matrix = report::summary(&summary, None);
    assert!(matrix.contains("\nnobody2027 ") && matrix.contains("\n1 merleau2024 "), "{matrix}");

    for (right, wrong, words) in [
        ("{ key = \"nobody2027\",", "{", "line 5, column 9: not a paper: write a key, or { key"),
        ("\"length.median\"", "\"length.mode\"", "unknown variant `mode`, expected one of `min`"),
        ("\"solved\", judge", "\"solve\", judge", "or QUANTITY.STATISTIC such as length.median"),
        ("[2, 20]", "[2, 20, 1]", "write a number from 0 on, a text, [PART, ALL]"),
        ("median = 14", "median = -14", "write a number from 0 on, a text, [PART, ALL]"),
    ] {
        assert!(text.contains(right), "{right}");
        let error = Experiment::parse("x.toml", &text.replacen(right, wrong, 1)).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(words) && error.lines().count() == 1, "{wrong}: {error}");
    }
    let unknown = text.replace("{ key = \"nobody2027\"", "\"nobody\" #");
    let error = Experiment::parse("x.toml", &unknown).unwrap_err().to_string();
    assert!(
        error.contains("there is no paper 'nobody': write one of merleau2024, nayak"),
        "{error}"
    );
}
