//! Table 2 of the cubical study: every row proven, every verdict that its rows can have, and
//! records that survive a kill.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hyperslide_lab::compare::Value;
use hyperslide_lab::{
    Comparison, Experiment, KnownLength, Puzzles, RecordFile, RunEvent, RunOptions, SolveResult,
    Status, Task, TaskData, TaskRecord, Verdict, find_experiment, find_instance, run_experiment,
};

const FILE: &str = include_str!("../../../experiments/cubical-table-2.toml");

fn table_2() -> &'static Experiment {
    find_experiment("cubical-table-2").unwrap()
}

/// Runs an experiment; returns the records of its tasks and how many of them are new.
fn run(experiment: &Experiment, file: Option<&mut RecordFile>) -> (Vec<TaskRecord>, usize) {
    let fresh = AtomicUsize::new(0);
    let report = |event: &RunEvent<'_>| {
        let is_fresh = matches!(event, RunEvent::Begin { .. });
        fresh.fetch_add(usize::from(is_fresh), Ordering::Relaxed);
    };
    let options = RunOptions {
        threads: 2,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &report,
    };
    let records = run_experiment(experiment, file, &options).unwrap();
    (records, fresh.into_inner())
}

fn check(comparison: &Comparison) {
    let [table] = &comparison.tables[..] else { panic!("one table is expected") };
    assert_eq!(table.rows.len(), 25);
    for row in &table.rows {
        let (instance, _) = find_instance(&row.keys[1]).unwrap();
        let known = instance.known_length(row.keys[2].parse().ok());
        let Some(KnownLength::Moves(known)) = known else { panic!("{row:?}") };
        assert_eq!(row.cells[0].ours, Some(Value::Count(known.into())), "{row:?}");
        assert_eq!(row.cells[1].ours, Some(Value::Text("yes".to_owned())), "{row:?}");
    }
    let count = |verdict| comparison.verdicts.of(verdict);
    let counts = (count(Verdict::Equal), count(Verdict::Better), count(Verdict::PublishedWrong));
    assert_eq!(counts, (18, 6, 1));
    assert_eq!(comparison.verdicts.total(), 25);
}

#[test]
fn every_row_is_proven() {
    let (records, fresh) = run(table_2(), None);
    assert_eq!((records.len(), fresh), (50, 50));
    check(&table_2().compare(&records));
}

/// The committed record gives the same table without running anything.
#[test]
fn the_committed_record_is_complete() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/cubical-table-2.jsonl");
    // Reading replays every solution.
    let records = RecordFile::read(path.as_ref()).unwrap();
    check(&table_2().compare(&records));
    assert!(records.iter().all(|record| result(record).moves.is_some()), "all rows are solved");
}

fn result(record: &TaskRecord) -> &SolveResult {
    let TaskData::Results(results) = &record.data else { panic!("results are expected") };
    &results[0]
}

#[test]
fn verdicts_distinguish_what_can_happen() {
    let (records, _) = run(&table_2().quick(), None);
    let first = |experiment: &Experiment, records: &[TaskRecord]| {
        experiment.compare(records).tables[0].rows[0].cells[0].verdict.unwrap()
    };
    // Row 1: 4 moves, published and true.
    let verdict = |change: &dyn Fn(&mut SolveResult)| {
        let mut changed = records.clone();
        let TaskData::Results(results) = &mut changed[0].data else { panic!("results") };
        change(&mut results[0]);
        first(table_2(), &changed)
    };
    assert_eq!(verdict(&|_| ()), Verdict::Equal);
    assert_eq!(verdict(&|result| result.length = Some(3)), Verdict::Better);
    assert_eq!(verdict(&|result| result.length = Some(5)), Verdict::Unexplained);
    assert_eq!(verdict(&|result| result.optimal = Some(false)), Verdict::NotReached);
    let unsolvable = |result: &mut SolveResult| {
        (result.status, result.length) = (Status::Unsolvable, None);
    };
    assert_eq!(verdict(&unsolvable), Verdict::Unexplained);

    // A record of another puzzle does not count, whatever it is called.
    let mut of_another = records.clone();
    let Task::Solve(task) = &mut of_another[0].task else { panic!("a solver's task") };
    let Puzzles::Named(named) = &mut task.puzzles else { panic!("a named puzzle") };
    named.line = "grid:1:2 1,0 -> 0,1".to_owned();
    assert_eq!(first(table_2(), &of_another), Verdict::Missing);

    let with = |row: &str| {
        let text = FILE.replacen("published = { moves = 4 }", row, 1);
        Experiment::parse("test", &text).unwrap()
    };
    let reason = "wrong = { moves = \"a reason\" }";
    let said_wrong = with(&format!("published = {{ moves = 4 }}\n{reason}"));
    assert_eq!(first(&said_wrong, &records), Verdict::Unexplained);
    let is_wrong = with(&format!("published = {{ moves = 5 }}\n{reason}"));
    assert_eq!(first(&is_wrong, &records), Verdict::PublishedWrong);

    // The other solver proves another length.
    let mut both = records.clone();
    let Task::Solve(astar) = &records[0].task else { panic!("a solver's task") };
    let mut other = records[0].clone();
    let mut task = astar.clone();
    task.solver = "bidirectional".to_owned();
    other.task = Task::Solve(task);
    let TaskData::Results(results) = &mut other.data else { panic!("results") };
    results[0].length = Some(5);
    both.push(other);
    assert_eq!(first(table_2(), &both), Verdict::Contradiction);
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn records_survive_a_kill_and_refuse_damage() {
    let folder = folder("records");
    let path = folder.join("runs.jsonl");
    let experiment = table_2().quick();
    let open = |path: &Path| RecordFile::open(path);
    let run_with = |path: &Path| run(&experiment, Some(&mut open(path).unwrap()));
    let (first, fresh) = run_with(&path);
    assert_eq!((first.len(), fresh), (25, 25));
    // Killed while writing line 11: the half line is cut off and its run repeated.
    let text = std::fs::read_to_string(&path).unwrap();
    let end = text.match_indices('\n').nth(9).unwrap().0 + 1;
    std::fs::write(&path, &text[..end + 40]).unwrap();
    let (second, fresh) = run_with(&path);
    assert_eq!(fresh, 15);
    assert_eq!(second[..10], first[..10]);
    assert_eq!(RecordFile::read(&path).unwrap(), second);
    let (third, fresh) = run_with(&path);
    assert_eq!((third, fresh), (second, 0));

    // Other limits make another run.
    let longer = FILE.replace("time_s = 60.0", "time_s = 60.0, nodes = 1099511627776");
    let longer = Experiment::parse("test", &longer).unwrap().quick();
    let mut file = open(&path).unwrap();
    let (_, fresh) = run(&longer, Some(&mut file));
    assert_eq!((fresh, file.records().len()), (25, 50));
    drop(file);

    // A record whose line lost its end is kept; another file is refused and left alone.
    std::fs::write(&path, text.trim_end()).unwrap();
    assert_eq!(open(&path).unwrap().records().len(), 25);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let lie = text.replacen("\"length\":4", "\"length\":3", 1);
    let wrong_move = text.replacen("\"to\":", "\"to\":1", 1);
    let unknown = text.replacen("\"status\"", "\"state\"", 1);
    for other in
        [&lie[..], &wrong_move, &unknown, "precious, no newline", "{\"experiment\": 3}\n", "\u{0}"]
    {
        std::fs::write(&path, other).unwrap();
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains("line 1: not a record"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), other, "nothing was changed");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Sums of an experiment of one's own have a place in the error when its file is wrong.
#[test]
fn wrong_experiment_files_are_refused_with_their_place() {
    let with = |from: &str, to: &str| Experiment::parse("my.toml", &FILE.replacen(from, to, 1));
    assert!(with("", "").is_ok());
    for (from, to, words) in [
        ("astar heuristic=lone-token", "astr", &["solver 1", "'astr'", "astar"][..]),
        (
            "solver = \"bidirectional\"",
            "solver = \"bidirectional width=3\"",
            &["solver 2", "width"],
        ),
        ("key = \"bidirectional\"", "key = \"astar\"", &["solver 2", "the key 'astar' is taken"]),
        ("measure = \"is-proven\"", "measure = \"proved\"", &["line ", "is-proven", "QUANTITY"]),
        (
            "judge = \"optimum\"",
            "judge = \"good\"",
            &["line ", "unknown variant `good`", "sign-test"],
        ),
        ("solver = \"astar\" }", "solver = \"a\" }", &["view 1", "'a'", "astar, bidirectional"]),
        ("cubical/d3-level0", "cubical/d9", &["row 1", "no instance is called 'cubical/d9'"]),
        ("rule = 1", "rule = 7", &["row 1", "1 to 3"]),
        ("moves = 4", "length = 4", &["row 1: published", "'length'", "moves"]),
        ("title = ", "titel = ", &["line ", "unknown field `titel`", "title"]),
        ("time_s = 60.0", "time_s = -1.0", &["limits: time_s = -1: write a number of seconds"]),
        ("merleau2024", "merleau", &["no paper 'merleau'", "beyer2023"]),
        (
            "instance = \"cubical/d3-level0\"\n",
            "",
            &["row 1: write one of instance, puzzle, random"],
        ),
        (
            "instance = \"cubical/d3-level0\"\n",
            "board = \"grid:3:3\"\n#",
            &["row 1: ", "is not a fact about a board", "random = { board = \"grid:3:3\""],
        ),
        (
            "[[view]]\n",
            "[[pairing]]\ntitle = \"p\"\nsolvers = [\"astar\", \"mine\"]\n[[solver]]\n\
             key = \"mine\"\ntitle = \"mine\"\nsolver = \"exec:./mine\"\n[[view]]\n",
            &["pairing 1: the states of 'mine' are not known", "cost = \"cpu\""],
        ),
    ] {
        let error = with(from, to).expect_err(to).to_string();
        let all = words.iter().all(|word| error.contains(word));
        assert!(all && error.starts_with("my.toml is not an experiment: "), "{to}: {error}");
    }
}
