//! The instances, the committed runs on them, and the published table.

use hyperslide_lab::{
    Benchmark, BenchmarkOptions, Instance, KnownLength, Law, NamedPuzzle, Puzzles, RandomPuzzles,
    RecordFile, RunLimits, SolveResult, Task, TaskData, TaskRecord, find_instance, find_suite,
    instances, suites,
};
use hyperslide_puzzle::{Board, BoardSource, Metric};

/// Suites whose shortest solutions nobody knows.
const OPEN: [&str; 8] = [
    "scrambles35",
    "scrambles48",
    "walks35",
    "walks48",
    "uniform35",
    "uniform48",
    "torus35",
    "cubes",
];

/// The same of states whose solutions others published.
const PUBLISHED: [&str; 2] = ["deepcubea-35", "deepcubea-48"];

/// A recorded run of `hyperslide compare`.
struct Run {
    puzzle: NamedPuzzle,
    solver: String,
    result: SolveResult,
}

/// The runs of a file of `records/`, whose solutions reading replays.
fn recorded(file: &str) -> Vec<Run> {
    let path = format!("{}/../../records/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let run = |record: TaskRecord| {
        let (Task::Solve(task), TaskData::Results(mut results)) = (record.task, record.data) else {
            panic!("{path}: runs with their solutions are expected")
        };
        let Puzzles::Named(puzzle) = task.puzzles else { panic!("{path}: a name is expected") };
        Run { puzzle, solver: task.solver, result: results.remove(0) }
    };
    RecordFile::read(path.as_ref()).unwrap().into_iter().map(run).collect()
}

#[test]
fn instances_are_well_formed() {
    let mut names: Vec<&str> = instances().map(|instance| instance.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two instances have the same name");
    for suite in suites() {
        let found = find_suite(&suite.name);
        assert!(
            found.is_some_and(|found| std::ptr::eq(found, suite)),
            "{} is not found",
            suite.name
        );
    }
    for instance in instances() {
        assert!(instance.source.len() > 10, "{} needs a source", instance.name);
        let suite = instance.name.split('/').next().unwrap();
        let is_open = OPEN.contains(&suite) || PUBLISHED.contains(&suite);
        let known = instance.known_length(None);
        assert_eq!(known.is_none(), is_open, "the length of {}", instance.name);
    }
    let (level, rule) = find_instance("cubical/d4-level4:2").unwrap();
    assert_eq!((level.known_length(rule), rule), (Some(KnownLength::Moves(8)), Some(2)));
    let error = level.puzzle(Some(5), Metric::Face).unwrap_err().to_string();
    assert!(error.contains("write --rule 1 to 4"), "{error}");
    let (korf, _) = find_instance("korf15/1").unwrap();
    assert!(korf.puzzle(Some(2), Metric::Face).is_err());
    assert!(find_instance("korf15/101").is_none());
}

/// The means are those of the source's file. No solution is shorter than a shortest one or than
/// Manhattan distance, or of another parity.
#[test]
fn published_solutions_can_be() {
    for (suite, mean, seconds) in [
        ("deepcubea-24", 89.895, 23.08),
        ("deepcubea-35", 125.27, 45.58),
        ("deepcubea-48", 258.18, 145.41),
    ] {
        let of_suite = |instance: &&Instance| instance.name.starts_with(&format!("{suite}/"));
        let all: Vec<&Instance> = instances().filter(of_suite).collect();
        assert_eq!(all.len(), 200);
        let (mut moves, mut took) = (0, 0.0);
        for instance in all {
            let published = instance.published().unwrap();
            (moves, took) = (moves + published.length, took + published.seconds);
            if let Some(KnownLength::Moves(shortest)) = instance.known_length(None) {
                let excess = published.length.checked_sub(shortest);
                assert!(excess.is_some_and(|excess| excess.is_multiple_of(2)), "{}", instance.name);
            }
            let puzzle = instance.puzzle(None, Metric::Face).unwrap();
            let board = puzzle.board().vertex_count();
            let distance: usize = puzzle
                .start()
                .tokens()
                .map(|(vertex, label)| {
                    let side = board.isqrt();
                    let (here, home) = (vertex.index(), label.index());
                    (here / side).abs_diff(home / side) + (here % side).abs_diff(home % side)
                })
                .sum();
            let length = published.length as usize;
            assert!(
                length >= distance && (length - distance).is_multiple_of(2),
                "{}",
                instance.name
            );
        }
        assert!((f64::from(moves) / 200.0 - mean).abs() < 0.01, "{suite}: {moves}");
        assert!((took / 200.0 - seconds).abs() < 0.01, "{suite}: {took}");
    }
}

/// Every instance has a solution, which reading replays, and no bound is above its length.
#[test]
fn the_committed_runs_of_the_anytime_solver_are_solutions() {
    for suite in OPEN {
        let count = if suite == "cubes" { 40 } else { 100 };
        let runs = recorded(&format!("anytime/{suite}"));
        let names: Vec<&String> = instances()
            .map(|instance| &instance.name)
            .filter(|name| name.starts_with(&format!("{suite}/")))
            .collect();
        assert_eq!(names.len(), count);
        for name in names {
            let runs = runs.iter().filter(|run| run.puzzle.instance == *name);
            let solved: Vec<_> = runs.filter(|run| run.result.moves.is_some()).collect();
            assert!(!solved.is_empty(), "{name}");
            for run in solved {
                assert!(run.result.lower_bound <= run.result.length, "{name}");
            }
        }
    }
}

/// The pairs are those of their seed, no solver is ahead of a proof, and the anytime solver keeps
/// its promise.
#[test]
fn the_committed_runs_on_random_pairs_are_solutions() {
    let runs = recorded("anytime/cube428");
    let of =
        |solver: &str| -> Vec<&Run> { runs.iter().filter(|run| run.solver == solver).collect() };
    let (auto, anytime) = (of("auto"), of("anytime"));
    assert_eq!((auto.len(), anytime.len()), (1000, 1000));
    let BoardSource::Spec(spec) = "cube:4:2".parse().unwrap() else { panic!() };
    let board = Board::new(spec, Metric::Face).unwrap();
    let random = RandomPuzzles {
        board,
        tokens: 8,
        labels: None,
        goal: None,
        law: Law::Uniform,
        seed: 428,
        time: None,
    };
    let (mut excess, mut shortest, mut proven) = (0, 0, 0);
    for (number, (auto, anytime)) in auto.into_iter().zip(anytime).enumerate() {
        assert_eq!(auto.puzzle.line, anytime.puzzle.line);
        if number % 50 == 0 {
            assert_eq!(auto.puzzle.line, random.nth(number as u64).unwrap().to_string());
        }
        let length = anytime.result.length.unwrap();
        assert!(anytime.result.lower_bound <= Some(length));
        if let (Some(true), Some(optimum)) = (auto.result.optimal, auto.result.length) {
            assert!(anytime.result.lower_bound <= Some(optimum) && optimum <= length);
            (excess, shortest, proven) =
                (excess + length - optimum, shortest + optimum, proven + 1);
        }
    }
    // The aim is 5 %.
    assert!(proven > 990 && 20 * excess < shortest, "{excess} more than {shortest} on {proven}");
}

/// They agree with the published lengths.
#[test]
fn the_committed_proofs_of_24_puzzles_are_right() {
    let mut proven = 0;
    for run in recorded("anytime/korf24-proofs") {
        let (instance, _) = find_instance(&run.puzzle.instance).unwrap();
        let Some(KnownLength::Moves(known)) = instance.known_length(None) else {
            panic!("{}", instance.name);
        };
        assert!(run.result.lower_bound <= Some(known), "{}", instance.name);
        if run.result.optimal == Some(true) {
            assert_eq!(run.result.length, Some(known), "{}", instance.name);
            proven += 1;
        }
    }
    assert!(proven >= 10, "{proven} proven");
}

/// A file of `compare --records` from before there was one format of records answers the same runs,
/// and is continued in the present format.
#[test]
fn old_records_of_compare_are_not_run_again() {
    let path = std::env::temp_dir().join(format!("compare-{}.jsonl", std::process::id()));
    std::fs::write(&path, include_str!("data/compare-of-version-1.jsonl")).unwrap();
    let line = "grid:2:3 1,2,3,4,0,5";
    let named = |name| NamedPuzzle::new(name, None, Metric::Face).unwrap();
    let unnamed = NamedPuzzle::written(line).unwrap();
    let solvers = ["weighted-astar weight=2 heuristic=lone-token", "astar", "greedy"];
    let benchmark = Benchmark {
        puzzles: vec![named("cubical/d3-level0:2"), named("cubical/d3-level1:2"), unnamed],
        solvers: solvers.map(|solver| solver.parse().unwrap()).to_vec(),
        seed: 0,
        limits: RunLimits { time_s: Some(5.0), ..RunLimits::default() },
        jobs: 1,
    };
    let run = |expected: usize| {
        let mut records = RecordFile::open(&path).unwrap();
        let options =
            BenchmarkOptions { records: Some(&mut records), ..BenchmarkOptions::default() };
        let mut known = None;
        let report = benchmark.run(options, &mut |progress| {
            known.get_or_insert(progress.done);
        });
        assert_eq!(known, Some(expected));
        report.unwrap().runs.into_iter().map(|run| run.result).collect::<Vec<_>>()
    };
    let old = RecordFile::read(&path).unwrap();
    let first = run(6);
    for (record, result) in old.iter().zip(&first) {
        assert_eq!(record.data, TaskData::Results(vec![result.clone()]));
    }
    assert_eq!(run(9), first);
    std::fs::remove_file(&path).unwrap();
}
