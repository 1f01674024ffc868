//! The instances, the committed runs on them, and the published table.

use hyperslide_lab::{
    KnownLength, Law, RandomPuzzles, Record, RecordFile, find_instance, instances,
};
use hyperslide_puzzle::{Board, BoardSource, Metric};

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
