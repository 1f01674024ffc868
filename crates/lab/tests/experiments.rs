//! The committed records of all experiments: whole, consistent, and explained; the verdicts that
//! were given before experiments had one pipeline; figures; records of version 1.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use hyperslide_census::Diameter;
use hyperslide_lab::compare::{Cell, Table, Value};
use hyperslide_lab::{
    CensusTask, Comparison, Experiment, RecordFile, RunEvent, RunOptions, Task, TaskContext,
    TaskData, TaskRecord, Verdict, experiments, find_experiment, report, run_experiment,
};
use hyperslide_puzzle::Metric;

fn root(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../..", path].iter().collect()
}

/// What is made once for each experiment, for all tests that ask for it.
type OfEach<T> = LazyLock<Vec<OnceLock<T>>>;

fn of_each<T>() -> Vec<OnceLock<T>> {
    experiments().iter().map(|_| OnceLock::new()).collect()
}

fn place(name: &str) -> usize {
    experiments().iter().position(|experiment| experiment.name() == name).unwrap()
}

/// The committed records of an experiment. Reading them replays their solutions.
fn committed(name: &str) -> &'static [TaskRecord] {
    static RECORDS: OfEach<Vec<TaskRecord>> = LazyLock::new(of_each);
    RECORDS[place(name)].get_or_init(|| {
        if experiments()[place(name)].tasks().is_empty() {
            return Vec::new();
        }
        let is_shared = name.starts_with("local-value-iteration") && !name.ends_with("figure-1");
        let file = if is_shared { "local-value-iteration" } else { name };
        RecordFile::read(&root(&format!("records/{file}.jsonl"))).unwrap()
    })
}

pub fn compared(name: &str) -> &'static Comparison {
    static COMPARISONS: OfEach<Comparison> = LazyLock::new(of_each);
    COMPARISONS[place(name)].get_or_init(|| experiments()[place(name)].compare(committed(name)))
}

/// The experiments whose records say what their tasks cost.
fn recorded() -> impl Iterator<Item = &'static Experiment> {
    let is_recorded = |experiment: &&Experiment| {
        !experiment.name().starts_with("cubical-graphs")
            && !["dynamic-programming-3x4", "cubical-theorems"].contains(&experiment.name())
    };
    experiments().iter().filter(is_recorded)
}

/// The experiments with rows that only describe puzzles.
const DESCRIBED: [&str; 3] = ["cubical-instances", "cubical-examples", "sliding-block-figures"];

#[test]
fn the_committed_records_are_complete_and_explained() {
    let mut judged = 0;
    for experiment in experiments() {
        let name = experiment.name();
        let comparison = compared(name);
        assert!(comparison.complete, "{name}");
        for table in &comparison.tables {
            assert!(!table.rows.is_empty(), "{name}");
            for row in &table.rows {
                // What a row says of a puzzle itself needs no run.
                let is_described = DESCRIBED.contains(&name);
                assert!(is_described || !row.records.is_empty(), "{name}: {:?}", row.keys);
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    let what = format!("{name}: {:?} {}: {cell:?}", row.keys, column.name);
                    let Some(verdict) = cell.verdict else { continue };
                    judged += 1;
                    let is_told = matches!(
                        verdict,
                        Verdict::Equal
                            | Verdict::Better
                            | Verdict::Settled
                            | Verdict::PublishedWrong
                            | Verdict::Explained
                    );
                    assert!(is_told, "{what}");
                    let has_reason =
                        matches!(verdict, Verdict::PublishedWrong | Verdict::Explained);
                    assert_eq!(cell.reason.is_some(), has_reason, "{what}");
                }
            }
        }
    }
    assert!(judged > 600, "{judged}");
}

/// What a full run costs is stated in the experiment's file, and is what its record says.
#[test]
fn costs_are_those_of_the_records() {
    for experiment in recorded() {
        let own = experiment.tasks();
        let records = committed(experiment.name());
        let own =
            records.iter().filter(|r| r.experiment == experiment.name() && own.contains(&r.task));
        let cpu_s: f64 = own.map(|record| record.data.cpu_s()).sum();
        let stated = experiment.cpu_s().unwrap_or_else(|| panic!("{}: {cpu_s}", experiment.name()));
        let is_near = (stated - cpu_s).abs() <= 0.05 * cpu_s + 0.05;
        assert!(is_near, "{}: {stated} is stated, {cpu_s} recorded", experiment.name());
    }
}

/// Of each row, the verdict that it had when six comparisons were made by six programs. Where a row
/// had one verdict and its cells now have their own, the row's is the worst of them, but for a
/// difference that is explained where nothing was said before. What was out of reach then may have
/// been settled since.
#[test]
fn verdicts_are_those_given_before() {
    let text = include_str!("data/verdicts-of-version-1.json");
    let before: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(text).unwrap();
    let mut compared_rows = 0;
    for (name, rows) in &before {
        let comparison = compared(name);
        for (key, verdict) in rows {
            let (title, rest) = key.split_once(" # ").unwrap_or(("", key.trim_start_matches("# ")));
            let (row_name, column) = rest.split_once(" | ").unwrap();
            let is_it = |table: &&Table| table.title.as_deref().unwrap_or_default() == title;
            let cells = comparison.tables.iter().filter(is_it).flat_map(|table| {
                let rows = table.rows.iter().filter(|row| row.keys.join(" ") == row_name);
                rows.flat_map(|row| table.columns.iter().zip(&row.cells))
            });
            let own = cells.filter(|(own, _)| column == "*" || own.name == column);
            let now = own.filter_map(|(_, cell)| cell.verdict).max();
            let now = serde_json::to_value(now).unwrap();
            let is_same = now.as_str() == Some(verdict)
                || (column == "*" && verdict == "equal" && now == "explained")
                || (verdict == "not-reached" && now == "settled");
            assert!(is_same, "{name}, {key}: {verdict} before, {now} now");
            compared_rows += 1;
        }
    }
    assert!(compared_rows > 500, "{compared_rows}");
}

#[test]
fn improved_methods_always_solve_and_come_close_to_the_optimum() {
    for name in ["cubical-ea-table-4", "cubical-rl-table-5"] {
        let comparison = compared(name);
        let table = &comparison.tables[0];
        let column = |name: &str| table.columns.iter().position(|own| own.name == name).unwrap();
        for row in &table.rows {
            let value = |name: &str| row.cells[column(name)].ours.clone();
            let Some(Value::OutOf(solved, runs)) = value("solved") else {
                panic!("{:?}", row.keys)
            };
            let Some(Value::Count(optimum)) = value("optimum") else {
                assert_eq!(solved, 0, "{:?}", row.keys);
                continue;
            };
            if row.keys[2] != "as published" {
                assert_eq!(solved, runs, "{:?}", row.keys);
                let median = value("median").and_then(|median| median.number()).unwrap();
                assert!(median <= 1.1 * optimum as f64, "{:?}: {median}", row.keys);
            }
        }
    }
}

/// The greatest diameter of a component of puz[d,k,l].
fn diameter(d: usize, k: usize, l: usize) -> u32 {
    let task = CensusTask { board: format!("cube:{d}:{k}"), metric: Metric::Face, empty: l };
    let context = TaskContext {
        keep: None,
        threads: 2,
        memory: u64::MAX,
        quick: false,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
    let Ok(TaskData::Census(census)) = Task::Census(task).run(&context) else { panic!("a census") };
    let exact = |diameter: Option<Diameter>| match diameter {
        Some(Diameter::Exact(diameter)) => diameter,
        other => panic!("puz[{d},{k},{l}]: {other:?}"),
    };
    census.report.components.iter().map(|component| exact(component.diameter)).max().unwrap()
}

/// Estimates over all pairs are no less than what is proven of them.
#[test]
fn estimates_of_diameters_are_possible() {
    let comparison = compared("cubical-diameter-estimates");
    let [diameters, costs] = &comparison.tables[..] else { panic!("two tables are expected") };
    assert_eq!(diameters.rows.len(), 14);
    for row in &diameters.rows {
        let number = |n: usize| row.cells[n].ours.as_ref().and_then(Value::number);
        let (exact, proven) = (number(0).unwrap(), number(1).unwrap());
        assert!(proven <= exact, "{:?}", row.keys);
        // The limit ends improved methods on the two hardest graphs only.
        let is_hard = ["puz[4,2,6]", "puz[5,4,26]"].contains(&row.keys[0].as_str());
        let of_graph = costs.rows.iter().filter(|cost| cost.keys[0] == row.keys[0]);
        let methods: Vec<_> = of_graph.filter(|cost| cost.keys[1] != "exact distances").collect();
        assert_eq!(methods.len(), 5, "{:?}", row.keys);
        for (method, cost) in methods.iter().enumerate() {
            let Some(Value::OutOf(solved, pairs)) = cost.cells[0].ours else { panic!("{cost:?}") };
            assert!(solved == pairs || method < 2 || is_hard, "{:?}", cost.keys);
            assert!(solved < pairs || number(method + 2).unwrap() >= proven, "{:?}", cost.keys);
        }
        // The exact diameter is that of the census, by a record or by searches.
        let puz = row.keys[0].trim_start_matches("puz[").trim_end_matches(']');
        let puz: Vec<usize> = puz.split(',').map(|number| number.parse().unwrap()).collect();
        assert_eq!(f64::from(diameter(puz[0], puz[1], puz[2])), exact, "{:?}", row.keys);
    }
    // A solution that is shorter than a proven distance is a contradiction.
    let experiment = find_experiment("cubical-diameter-estimates").unwrap();
    let mut records = committed(experiment.name()).to_vec();
    let TaskData::Runs(runs) = &mut records[2].data else { panic!("runs are expected") };
    runs[0].length = runs[0].length.map(|length| length.min(1) - 1);
    let comparison = experiment.compare(&records);
    let wrong: Vec<(&str, &str)> = comparison
        .tables
        .iter()
        .flat_map(|table| table.rows.iter().map(move |row| (table, row)))
        .flat_map(|(table, row)| {
            let cells = table.columns.iter().zip(&row.cells);
            let wrong = cells.filter(|(_, cell)| cell.verdict == Some(Verdict::Contradiction));
            wrong.map(|(column, _)| (row.keys[1].as_str(), column.name.as_str()))
        })
        .collect();
    // In the column that nobody judges, those who proved the distance and the one who was shorter
    // are named.
    let learner = "reinforcement as published";
    let proven = "proven shortest";
    let expected = [
        ("exact distances", proven),
        (learner, proven),
        (learner, "mean excess"),
        ("reinforcement", proven),
        ("hybrid", proven),
    ];
    assert_eq!(wrong, expected);
}

/// A row whose searches take minutes is recorded in portions and not run quickly.
/// A median over four runs of fifty says so, unless another cell of its row does.
#[test]
fn statistics_of_some_runs_say_of_how_many() {
    let comparison = compared("cubical-diameter-estimates");
    let text = report::text(comparison, None);
    let row = text.lines().find(|line| line.starts_with("puz[4,3,11]")).unwrap();
    assert!(row.contains("16, n = 4 "), "{row}");
    assert_eq!(row.matches("n = ").count(), 1, "{row}");
    assert!(report::csv(comparison).contains(",4,50\n"), "{}", report::csv(comparison));
    let table = compared("cubical-hybrid-ablation");
    let is_partial = |cell: &&Cell| cell.sample.is_some_and(|sample| sample.count < sample.of);
    assert!(table.tables.iter().flat_map(Table::cells).any(|cell| is_partial(&cell)));
    assert!(!report::text(table, None).contains("n = "));
}

#[test]
fn long_rows_come_in_portions() {
    let study = find_experiment("sliding-block-study").unwrap();
    let portions: Vec<_> =
        study.tasks().into_iter().filter(|task| task.bytes() > 1 << 30).collect();
    assert_eq!(portions.len(), 10);
    assert!(portions[1].title().ends_with(", puzzles 11 to 20"), "{}", portions[1].title());
    assert!(study.quick().tasks().iter().all(|task| task.bytes() == 0));
    assert!(compared(study.name()).complete);
    let mut records = committed(study.name()).to_vec();
    records.retain(|record| record.task != portions[1]);
    let comparison = study.compare(&records);
    assert!(!comparison.complete);
    let solved = |row: &hyperslide_lab::compare::Row| row.cells[0].ours.clone();
    let mut rows = comparison.tables.iter().flat_map(|table| &table.rows);
    assert!(rows.any(|row| solved(row) == Some(Value::OutOf(90, 90))));
}

/// Tables are folded between words, on terminals of every usual width.
#[test]
fn comparisons_fit_narrow_terminals_and_break_no_word() {
    let mut summary = report::Summary::default();
    let mut texts: Vec<Box<dyn Fn(Option<usize>) -> String>> = Vec::new();
    for experiment in experiments() {
        let comparison = compared(experiment.name());
        summary.add(comparison);
        texts.push(Box::new(move |width| report::text(comparison, width)));
    }
    texts.push(Box::new(move |width| report::summary(&summary, width)));
    for text in texts {
        let whole = text(None);
        let known: HashSet<&str> = whole.split_whitespace().collect();
        for width in [60, 80, 120] {
            let narrow = text(Some(width));
            for line in narrow.lines().filter(|line| line.chars().count() > width) {
                assert_eq!(line.split_whitespace().count(), 1, "{width}: {line}\n{narrow}");
            }
            let narrow = narrow.replace("left out for lack of room: ", "").replace(',', "");
            let known: HashSet<String> = known.iter().map(|word| word.replace(',', "")).collect();
            let strange = |word: &&str| !known.contains(*word) && !word.starts_with('─');
            let strange: Vec<&str> = narrow.split_whitespace().filter(strange).collect();
            assert!(strange.iter().all(|word| ["column", "columns"].contains(word)), "{strange:?}");
        }
    }
}

/// Without records nobody has proven anything.
#[test]
fn nothing_is_proven_by_no_solver() {
    let comparison = find_experiment("cubical-table-2").unwrap().compare(&[]);
    assert_eq!((&comparison.proven, comparison.complete), (&None, false));
    let text = report::text(&comparison, None);
    assert!(text.contains("judged cells: ") && !text.contains("proven by"), "{text}");
}

#[test]
fn a_record_that_cannot_be_is_refused() {
    let mut record = committed("cubical-ea-table-4")[0].clone();
    record.check().unwrap();
    let TaskData::Runs(runs) = &mut record.data else { panic!("runs are expected") };
    runs[0].length = Some(3);
    assert!(record.check().unwrap_err().contains("impossible"));
}

#[test]
fn the_committed_pictures_are_what_the_records_give() {
    let mut count = 0;
    for experiment in experiments().iter().filter(|experiment| experiment.has_figures()) {
        for figure in report::figures(experiment, committed(experiment.name())) {
            let path = root("docs/figures").join(format!("{}.svg", figure.name));
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            let (name, drawn) = (experiment.name(), &figure.name);
            assert!(
                committed == figure.svg(),
                "docs/figures/{drawn}.svg: hyperslide experiment {name} --from records --figures docs/figures"
            );
            count += 1;
        }
    }
    assert_eq!(count, 3 + 2 + 2 + 1 + 1 + 6);
}

/// A record that is read and written again is the same to the last digit.
#[test]
fn records_survive_being_read_and_written() {
    let mut lines = 0;
    for directory in ["records", "records/anytime"] {
        for entry in std::fs::read_dir(root(directory)).unwrap() {
            let path = entry.unwrap().path();
            let text = match path.extension().is_some_and(|ending| ending == "jsonl") {
                true => std::fs::read_to_string(&path).unwrap(),
                false => continue,
            };
            // The files of the benches hold something else.
            for line in text.lines().filter(|line| line.starts_with("{\"experiment\":")) {
                let record = TaskRecord::read(line.as_bytes()).unwrap();
                assert!(serde_json::to_string(&record).unwrap() == line, "{}", path.display());
                lines += 1;
            }
        }
    }
    assert!(lines > 3000, "{lines}");
}

/// Lines of each format of version 1 are read, and are the records that are committed now.
#[test]
fn records_of_version_1_are_migrated() {
    let text = include_str!("data/records-of-version-1.jsonl");
    let mut kinds = Vec::new();
    for line in text.lines() {
        let old = TaskRecord::read(line.as_bytes()).unwrap();
        old.check().unwrap();
        let again: TaskRecord =
            serde_json::from_str(&serde_json::to_string(&old).unwrap()).unwrap();
        assert_eq!(again, old);
        let experiment = find_experiment(&old.experiment).unwrap();
        let present = committed(experiment.name());
        assert!(present.contains(&old), "{}: {:?}", old.experiment, old.task);
        assert!(experiment.tasks().contains(&old.task), "{}: {:?}", old.experiment, old.task);
        kinds.push(old.experiment);
    }
    kinds.dedup();
    assert_eq!(kinds.len(), 6);
}

/// A cancelled anytime search reports its best solution so far, which is not the result of a full
/// run.
#[test]
fn a_cancelled_run_is_not_recorded() {
    let cancel = AtomicBool::new(false);
    let cancelled = Mutex::new(None);
    let report = |event: &RunEvent<'_>| {
        if let RunEvent::Progress { task, progress } = event
            && progress.search.is_some_and(|search| search.length.is_some())
        {
            cancel.store(true, Ordering::Relaxed);
            cancelled.lock().unwrap().get_or_insert(task.title());
        }
    };
    let options = RunOptions {
        threads: 1,
        memory: 4 << 30,
        cache: Arc::default(),
        cancel: &cancel,
        command: "test".to_owned(),
        report: &report,
    };
    let experiment = find_experiment("near-optimal-boards").unwrap().quick();
    let records = run_experiment(&experiment, None, &options).unwrap();
    let cancelled = cancelled.lock().unwrap().clone().expect("a solution is found in time");
    assert!(records.iter().all(|record| record.task.title() != cancelled), "{cancelled}");
}
