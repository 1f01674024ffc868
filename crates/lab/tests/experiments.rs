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

fn compared(name: &str) -> &'static Comparison {
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

#[test]
fn a_puzzle_that_is_tried_often_is_still_one() {
    let text = include_str!("data/repeated.toml");
    let experiment = Experiment::parse("repeated.toml", text).unwrap();
    let options = RunOptions {
        threads: 1,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    let records = run_experiment(&experiment, None, &options).unwrap();
    let comparison = experiment.compare(&records);
    let [_, contrast, pairing] = &comparison.tables[..] else { panic!("{comparison:?}") };
    // Neither solver leaves anything to chance.
    assert_eq!(contrast.rows.len(), 2);
    assert_eq!(contrast.rows[1].keys[0], "a swap of two");
    for row in &contrast.rows {
        assert!(row.cells[0].ours.is_some() && row.cells[3..].iter().all(Cell::is_empty));
        assert!(row.note.as_ref().unwrap().contains("chance has no part"), "{row:?}");
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
    let document = std::fs::read_to_string(root("docs/experiments.md")).unwrap();
    let block = |language: &str| {
        let rest = document.split_once(&format!("```{language}\n")).unwrap().1;
        rest.split_once("```").unwrap().0
    };
    let experiment = Experiment::parse("documented.toml", block("toml")).unwrap();
    let options = RunOptions {
        threads: 2,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    let records = run_experiment(&experiment, None, &options).unwrap();
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
    let run = |runs: u64, most: u64| {
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
    assert_eq!(run(6, 2), (2, Some(Value::OutOf(2, 2)), false));
    assert_eq!(run(6, 1), (1, Some(Value::OutOf(3, 3)), false));
    assert_eq!(run(6, 99), (3, Some(Value::OutOf(6, 6)), true));
    assert_eq!(run(6, 99), (0, Some(Value::OutOf(6, 6)), true));
    assert_eq!(run(8, 99), (2, Some(Value::OutOf(8, 8)), true));
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
    run(8, 99);
    let whole = RecordFile::read(&path).unwrap();
    assert_eq!((whole.len(), counts(&whole)), (1, parts));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Each of the puzzles that a row lists is solved once, and what is known of it counts.
#[test]
fn rows_may_list_puzzles() {
    let text = include_str!("data/listed.toml");
    let experiment = Experiment::parse("listed.toml", text).unwrap();
    let options = RunOptions {
        threads: 2,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    let records = run_experiment(&experiment, None, &options).unwrap();
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
    let options = RunOptions {
        threads: 2,
        memory: u64::MAX,
        cache: Arc::default(),
        cancel: &AtomicBool::new(false),
        command: "test".to_owned(),
        report: &|_| {},
    };
    let records = run_experiment(&experiment, None, &options).unwrap();
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
