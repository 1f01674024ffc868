//! Every instance on every algorithm that claims it, and the published table.

use std::sync::{Arc, LazyLock};

use hyperslide_lab::{
    Instance, KnownLength, Law, RandomPuzzles, Record, RecordFile, find_instance, instances,
};
use hyperslide_puzzle::{Board, BoardSource, Metric, Puzzle};
use hyperslide_search::{
    ALGORITHMS, Algorithm, Config, Control, Limits, Outcome, Report, TableCache, solve,
};
use hyperslide_testkit::textbook_astar;

fn run(puzzle: &Puzzle, algorithm: &str, nodes: Option<u64>) -> Report {
    let limits = Limits { nodes, memory: Some(2 << 30), time: None };
    // Tables are built once for all of them.
    static CACHE: LazyLock<Arc<TableCache>> = LazyLock::new(Arc::default);
    let config = Config { cache: Arc::clone(&CACHE), ..Config::named(algorithm).unwrap() };
    solve(puzzle, &config, &Control { limits, ..Control::default() }).unwrap()
}

fn named(algorithm: &str) -> &'static Algorithm {
    ALGORITHMS.iter().find(|known| known.name == algorithm).unwrap()
}

/// Each instance under each rule whose length is known.
fn known_puzzles() -> impl Iterator<Item = (&'static Instance, String, Puzzle, KnownLength)> {
    instances().flat_map(|instance| {
        let rules: Vec<Option<usize>> = match instance.default_rule() {
            None => vec![None],
            Some(_) => instance.rules().map(Some).collect(),
        };
        rules.into_iter().filter_map(move |rule| {
            let known = instance.known_length(rule)?;
            let puzzle = instance.puzzle(rule, Metric::Face).unwrap();
            let name =
                rule.map_or(instance.name.clone(), |rule| format!("{}:{rule}", instance.name));
            Some((instance, name, puzzle, known))
        })
    })
}

/// No algorithm may contradict a known length; within the node limit some come to no answer.
fn check(name: &str, algorithm: &Algorithm, report: &Report, known: KnownLength) -> bool {
    let is_optimal = algorithm.is_optimal();
    let algorithm = algorithm.name;
    match (&report.outcome, known) {
        (Outcome::Solved { moves, optimal: false, lower_bound }, KnownLength::Moves(length))
            if !is_optimal =>
        {
            let bounds = *lower_bound..=moves.len() as u32;
            assert!(bounds.contains(&length), "{algorithm} on {name}: {bounds:?}");
            true
        }
        (Outcome::LimitReached { .. }, KnownLength::Unsolvable) if !is_optimal => false,
        (Outcome::Solved { moves, optimal: true, .. }, KnownLength::Moves(length)) => {
            assert_eq!(moves.len() as u32, length, "{algorithm} on {name}");
            true
        }
        (Outcome::Unsolvable(_), KnownLength::Unsolvable) => true,
        (Outcome::LimitReached { lower_bound, .. }, KnownLength::Moves(length)) => {
            assert!(*lower_bound <= length, "{algorithm} on {name}: bound {lower_bound}");
            false
        }
        (outcome, known) => panic!("{algorithm} on {name}: {outcome:?}, known {known:?}"),
    }
}

#[test]
fn every_algorithm_agrees_with_every_known_length() {
    let mut solved = vec![0; ALGORITHMS.len()];
    let mut count = 0;
    for (instance, name, puzzle, known) in known_puzzles() {
        count += 1;
        let nodes = if instance.name.starts_with("korf") { 50_000 } else { 2_500_000 };
        for (number, algorithm) in ALGORITHMS.iter().enumerate() {
            // A table takes as long for the easiest start as for the hardest.
            let is_large = name.starts_with("cubical/d5") || name.starts_with("korf");
            if algorithm.name == "table" && is_large {
                continue;
            }
            let report = run(&puzzle, algorithm.name, Some(nodes));
            solved[number] += usize::from(check(&name, algorithm, &report, known));
        }
    }
    assert_eq!(count, 38 + 100 + 50 + 7);
    // All levels and examples but the one of 64 moves, less what each method cannot do so quickly.
    let by_name = ALGORITHMS.iter().map(|algorithm| algorithm.name).zip(solved);
    for (name, solved) in by_name {
        let least = match name {
            "breadth-first" => 35,
            "idastar" => 42,
            "table" => 39,
            "auto" | "bidirectional" | "astar" => 44,
            "weighted-astar" => 128,
            "greedy" => 169,
            "staged" => 194,
            "closed-walks" => 190,
            "beam" => 44,
            "anytime" => 195,
            "evolution" => 45,
            "reinforcement" => 140,
            "hybrid" => 44,
            "local-value-iteration" => 195,
            _ => unreachable!("say how many {name} solves"),
        };
        assert!(solved >= least, "{name} solved {solved}");
    }
}

#[test]
fn every_level_is_proven_without_limits() {
    let mut levels = 0;
    for (instance, name, puzzle, known) in known_puzzles() {
        if instance.name.starts_with("cubical/") {
            let report = run(&puzzle, "auto", None);
            assert!(check(&name, named("auto"), &report, known), "{name}: {:?}", report.outcome);
            levels += 1;
        }
    }
    assert_eq!(levels, 38);
}

#[test]
fn astar_expands_what_the_textbook_expands_on_every_level() {
    for (instance, name, puzzle, known) in known_puzzles() {
        if !instance.name.starts_with("cubical/") || known == KnownLength::Unsolvable {
            continue;
        }
        let found = run(&puzzle, "astar", None).stats;
        let expected = textbook_astar(&puzzle);
        let expected = (expected.expanded, expected.generated);
        assert_eq!((found.expanded, found.generated), expected, "{name}");
    }
}

#[test]
fn the_ten_easiest_of_korfs_hundred_are_solved_by_iterative_deepening() {
    for number in [79, 12, 42, 55, 97, 19, 94, 47, 93, 9] {
        let name = format!("korf15/{number}");
        let (instance, _) = find_instance(&name).unwrap();
        let puzzle = instance.puzzle(None, Metric::Face).unwrap();
        let report = run(&puzzle, "idastar", None);
        assert!(
            check(&name, named("idastar"), &report, instance.known_length(None).unwrap()),
            "{name}"
        );
    }
}

/// Nothing can be placed token by token there.
#[test]
fn tokens_that_lock_each_other_in_are_rearranged_by_closed_walks() {
    for instance in instances().filter(|instance| instance.name.starts_with("cubes/d5-k3")) {
        let puzzle = instance.puzzle(None, Metric::Face).unwrap();
        let is_first = instance.name.ends_with("-1");
        for algorithm in ["closed-walks", "anytime"].into_iter().take(1 + usize::from(is_first)) {
            let report = run(&puzzle, algorithm, Some(60_000_000));
            // Replayed by the solver.
            let Outcome::Solved { moves, .. } = report.outcome else {
                panic!("{algorithm} on {}", instance.name);
            };
            assert!(moves.len() < 1000, "{algorithm} on {}: {} moves", instance.name, moves.len());
        }
    }
}

/// Suites whose shortest solutions nobody knows.
const OPEN: [&str; 7] =
    ["scrambles35", "scrambles48", "walks35", "walks48", "uniform35", "uniform48", "cubes"];

#[test]
fn instances_are_well_formed() {
    let mut names: Vec<&str> = instances().map(|instance| instance.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two instances have the same name");
    for instance in instances() {
        assert!(instance.source.len() > 10, "{} needs a source", instance.name);
        let suite = instance.name.split('/').next().unwrap();
        let is_open = OPEN.contains(&suite);
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

/// Every instance has a solution, which reading replays, and no bound is above its length.
#[test]
fn the_committed_runs_of_the_anytime_solver_are_solutions() {
    for suite in OPEN {
        let count = if suite == "cubes" { 40 } else { 100 };
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/anytime");
        let path = format!("{directory}/{suite}.jsonl");
        let records = RecordFile::<Record>::read(path.as_ref()).unwrap();
        let names: Vec<&String> = instances()
            .map(|instance| &instance.name)
            .filter(|name| name.starts_with(&format!("{suite}/")))
            .collect();
        assert_eq!(names.len(), count);
        for name in names {
            let runs = records.iter().filter(|record| record.key.instance == *name);
            let solved: Vec<_> = runs.filter(|run| run.result.moves.is_some()).collect();
            assert!(!solved.is_empty(), "{name}");
            for run in solved {
                assert!(run.result.lower_bound <= run.result.length, "{name}");
            }
        }
    }
}

/// The pairs are those of their seed, no solver is ahead of a proof, and the anytime solver keeps its promise.
#[test]
fn the_committed_runs_on_random_pairs_are_solutions() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/anytime/cube428.jsonl");
    let records = RecordFile::<Record>::read(path.as_ref()).unwrap();
    let of = |solver: &str| -> Vec<&Record> {
        records.iter().filter(|record| record.key.solver.to_string() == solver).collect()
    };
    let (auto, anytime) = (of("auto"), of("anytime"));
    assert_eq!((auto.len(), anytime.len()), (1000, 1000));
    let BoardSource::Spec(spec) = "cube:4:2".parse().unwrap() else { panic!() };
    let board = Board::new(spec, Metric::Face).unwrap();
    let random = RandomPuzzles { board, tokens: 8, goal: None, law: Law::Uniform, seed: 428 };
    let (mut excess, mut shortest, mut proven) = (0, 0, 0);
    for (number, (auto, anytime)) in auto.into_iter().zip(anytime).enumerate() {
        assert_eq!(auto.key.puzzle, anytime.key.puzzle);
        if number % 50 == 0 {
            assert_eq!(auto.key.puzzle, random.nth(number as u64).unwrap().to_string());
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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/korf24-proofs.jsonl");
    let mut proven = 0;
    for record in RecordFile::<Record>::read(path.as_ref()).unwrap() {
        let (instance, _) = find_instance(&record.key.instance).unwrap();
        let Some(KnownLength::Moves(known)) = instance.known_length(None) else {
            panic!("{}", instance.name);
        };
        assert!(record.result.lower_bound <= Some(known), "{}", instance.name);
        if record.result.optimal == Some(true) {
            assert_eq!(record.result.length, Some(known), "{}", instance.name);
            proven += 1;
        }
    }
    assert!(proven >= 10, "{proven} proven");
}
