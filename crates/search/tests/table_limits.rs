//! Tables of heuristics, and what is made of them, obey the limits of a search.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{puzzle, run};
use hyperslide_search::{
    Config, HeuristicChoice, HeuristicError, Limit, Limits, Outcome, Resources, TableCache,
};

#[test]
fn building_tables_obeys_the_limits() {
    let cells: Vec<String> = (0..25).map(|n| n.to_string()).collect();
    let puzzle = puzzle(&format!("grid:5:5 {}", cells.join(",")));
    let heuristic: HeuristicChoice = "patterns:6-6-6-6".parse().unwrap();
    for algorithm in ["idastar", "astar", "beam", "anytime"] {
        let config = Config { heuristic: heuristic.clone(), ..Config::named(algorithm).unwrap() };
        let time = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
        let memory = Limits { memory: Some(10 << 20), ..Limits::default() };
        // Without memory for tables the anytime solver goes on without them, until there is no time
        // or no state left.
        let nodes = (algorithm == "anytime").then_some(2_000_000);
        let memory = Limits { nodes, ..memory };
        for (limits, expected) in [(time, Limit::Time), (memory, Limit::Memory)] {
            match run(&puzzle, &config, limits).outcome {
                Outcome::LimitReached { limit, .. } => assert_eq!(limit, expected, "{algorithm}"),
                // What was found before tables were to be built.
                Outcome::Solved { optimal: false, .. } if algorithm == "anytime" => {}
                other => panic!("{algorithm}: {other:?}"),
            }
        }
    }
}

/// Walking distance has tables, too: 64 MB of them on 4:5.
#[test]
fn walking_distance_obeys_the_limits() {
    let cells: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let puzzle = puzzle(&format!("grid:4:5 {}", cells.join(",")));
    let heuristic: HeuristicChoice = "walking-distance".parse().unwrap();
    let cache = Arc::new(TableCache::default());
    let config = Config { heuristic, cache, ..Config::named("idastar").unwrap() };
    let time = Limits { time: Some(Duration::from_millis(20)), ..Limits::default() };
    let memory = Limits { memory: Some(20 << 20), ..Limits::default() };
    for (limits, expected) in [(time, Limit::Time), (memory, Limit::Memory)] {
        match run(&puzzle, &config, limits).outcome {
            Outcome::LimitReached { limit, .. } => assert_eq!(limit, expected),
            other => panic!("{other:?}"),
        }
    }
    let report = run(&puzzle, &config, Limits { nodes: Some(10_000), ..Limits::default() });
    assert!(report.stats.peak_bytes > 60 << 20, "{:?}", report.stats);
}

/// Tables of all parts and what is made of them count, and where nobody says how large they are to
/// be they are made to fit.
#[test]
fn tables_keep_to_the_memory() {
    let puzzle = puzzle(
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let of = |heuristic: &str, memory: Option<u64>| {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("idastar").unwrap() };
        run(&puzzle, &config, Limits { memory, ..Limits::default() })
    };
    let free = of("patterns:6-6-3", None);
    let peak = free.stats.peak_bytes;
    for part in [1, 2, 3] {
        let report = of("patterns:6-6-3", Some(peak / 4 * part));
        let is_memory =
            matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. });
        assert!(is_memory, "{part} quarters: {:?}", report.outcome);
        let fewer = of("patterns", Some(peak / 4 * part));
        let Outcome::Solved { moves, optimal: true, .. } = fewer.outcome else {
            panic!("{part} quarters: {:?}", fewer.outcome)
        };
        assert_eq!(moves.len(), 45);
        assert!(fewer.stats.peak_bytes <= peak / 4 * part);
        assert_ne!(fewer.stats.expanded, free.stats.expanded);
    }
}

/// What a user may ask for that is far too much.
#[test]
fn extreme_settings_keep_to_the_memory() {
    let grid = |side: usize| {
        let mut cells: Vec<String> = (0..side * side).map(|n| n.to_string()).collect();
        // On even sides that is an odd permutation.
        cells.swap(1, if side.is_multiple_of(2) { 2 } else { 1 });
        puzzle(&format!("grid:{side}:{side} {}", cells.join(",")))
    };
    let limits = Limits { memory: Some(100 << 20), nodes: Some(20_000), time: None };
    // More parts than a walk has places for, the reflected ones counted.
    let ones = vec!["1"; 33].join("-");
    let heuristic: HeuristicChoice = format!("patterns:2-{ones}").parse().unwrap();
    let config = Config { heuristic, ..Config::named("idastar").unwrap() };
    let report = run(&grid(6), &config, limits);
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Nodes, .. }));
    // Wide beams and great weights.
    let heuristic: HeuristicChoice = "patterns:3-3-3-3-3".parse().unwrap();
    let wide = Config::named("beam").unwrap().with("width", "1000000000").unwrap();
    let config = Config { heuristic, ..wide };
    let report = run(&grid(4), &config, limits);
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Nodes, .. }));
    assert!(report.stats.peak_bytes < 100 << 20, "{} bytes", report.stats.peak_bytes);
    let report = run(&grid(4), &config, Limits { nodes: None, ..limits });
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. }));
    let config = Config::named("weighted-astar").unwrap().with("weight", "999.999").unwrap();
    let report = run(&grid(5), &config, limits);
    assert!(report.stats.peak_bytes < 100 << 20, "{} bytes", report.stats.peak_bytes);
}

/// The product of the greatest weight and an estimate of several thousand moves is beyond 32 bits.
#[test]
fn great_weights_take_great_estimates() {
    // Each token is half a turn away from its vertex, and moves when the empty vertex passes by.
    let edges: Vec<String> = (0..64).map(|v| format!("{v}-{}", (v + 1) % 64)).collect();
    let cells = |first: u32| {
        let cells: Vec<String> = (first..first + 64).map(|n| (n % 64).to_string()).collect();
        cells.join(",")
    };
    let puzzle = puzzle(&format!("graph:64:{} {} -> {}", edges.join(","), cells(33), cells(1)));
    let heuristic: HeuristicChoice = "weighted-neighbours".parse().unwrap();
    let estimate = heuristic.build(&puzzle, &Resources::default()).unwrap();
    assert!(estimate.estimate(puzzle.start()).unwrap() > u32::MAX / 1_000_000);
    let config = Config::named("weighted-astar").unwrap().with("weight", "999.999").unwrap();
    let config = Config { heuristic, ..config };
    let report = run(&puzzle, &config, Limits { nodes: Some(2_000), ..Limits::default() });
    assert!(!matches!(report.outcome, Outcome::Unsolvable(_)), "{:?}", report.outcome);
}

/// Iterative deepening does not end where there is no solution: it does not begin where there is
/// too little memory or time to find that out.
#[test]
fn no_search_without_end_begins_undecided() {
    let unsolvable = puzzle("grid:4:4 15,2,12,11,14,13,9,5,1,3,8,7,0,10,6,4");
    let second = Duration::from_secs(1);
    for algorithm in ["idastar", "auto", "hybrid"] {
        let config = Config::named(algorithm).unwrap();
        let (mut ended, mut decided) = (0, 0);
        for memory in (1..=64).map(|kibibytes| kibibytes << 10) {
            let limits = Limits { memory: Some(memory), time: Some(second), nodes: None };
            match run(&unsolvable, &config, limits).outcome {
                Outcome::LimitReached { limit: Limit::Memory, .. } => ended += 1,
                Outcome::Unsolvable(_) => decided += 1,
                other => panic!("{algorithm} with {memory} bytes: {other:?}"),
            }
        }
        assert!(ended > 0 && decided > 0, "{algorithm}: {ended} and {decided}");
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let outcome = run(&unsolvable, &config, limits).outcome;
        assert!(matches!(outcome, Outcome::LimitReached { limit: Limit::Time, .. }), "{outcome:?}");
    }
}

/// Iterative deepening holds little, and keeps to the memory all the same.
#[test]
fn iterative_deepening_keeps_to_the_memory() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let of = |heuristic: &str, nodes: Option<u64>, memory: Option<u64>| {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, threads: 1, ..Config::named("idastar").unwrap() };
        run(&puzzle, &config, Limits { nodes, memory, time: None })
    };
    let limit = |outcome: &Outcome| match outcome {
        Outcome::LimitReached { limit, .. } => *limit,
        other => panic!("{other:?}"),
    };
    for heuristic in ["lone-token", "linear-conflict", "lone-token,linear-conflict"] {
        let few = of(heuristic, Some(20_000), None);
        let held = few.stats.peak_bytes;
        assert!(held > 0, "{heuristic}");
        let enough = of(heuristic, Some(20_000), Some(held + 1));
        assert_eq!(limit(&enough.outcome), Limit::Nodes, "{heuristic}");
        assert_eq!(enough.stats.expanded, few.stats.expanded, "{heuristic}");
        let too_little = of(heuristic, Some(20_000), Some(held));
        assert_eq!(limit(&too_little.outcome), Limit::Memory, "{heuristic}");
    }
    // Tables, the automaton that leaves out detours, and subtrees, each as large as there is room
    // for.
    let choice: HeuristicChoice = "patterns:4-4-4-3".parse().unwrap();
    let tables = choice.build(&puzzle, &Resources::default()).unwrap().bytes();
    let undivided = of("patterns:4-4-4-3", Some(10_000), None).stats.peak_bytes;
    assert!(undivided > tables + 50_000, "{tables} of {undivided} bytes are tables");
    let too_little = of("patterns:4-4-4-3", None, Some(tables + 1));
    assert_eq!(limit(&too_little.outcome), Limit::Memory);
    let free = of("patterns:4-4-4-3", None, None);
    let divided = free.stats.peak_bytes - undivided;
    assert!(divided > 1 << 20, "{divided} bytes of subtrees");
    for left in [divided / 100, divided / 8] {
        let tight = of("patterns:4-4-4-3", None, Some(undivided + left));
        let Outcome::Solved { moves, optimal: true, .. } = tight.outcome else {
            panic!("{left} bytes: {:?}", tight.outcome)
        };
        assert_eq!(moves.len(), 57);
        let peak = tight.stats.peak_bytes;
        assert!((tables..undivided + left).contains(&peak), "{peak}, {undivided} and {left}");
    }
    let roomy = of("patterns:4-4-4-3", None, Some(1 << 30));
    assert_eq!(roomy.stats.expanded, free.stats.expanded);
    assert_eq!(roomy.stats.peak_bytes, free.stats.peak_bytes);
}

/// Each of several heuristics may take what those before it have left.
#[test]
fn tables_of_several_heuristics_keep_to_the_memory() {
    let puzzle = puzzle("grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15");
    let cache = Arc::new(TableCache::default());
    let built = |memory: u64| {
        let resources = Resources { cache: Arc::clone(&cache), memory, ..Resources::default() };
        let choice: HeuristicChoice = "patterns:5-5-5,patterns:4-4-4-3".parse().unwrap();
        choice.build(&puzzle, &resources).map(|heuristic| heuristic.bytes())
    };
    let all = built(u64::MAX).unwrap();
    assert_eq!(built(all - 1), Err(HeuristicError::Stopped(Limit::Memory)));
    assert_eq!(built(2 * all), Ok(all));
}
