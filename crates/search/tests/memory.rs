//! What searches hold, counted by an allocator that counts.

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    ALGORITHMS, Config, Control, HeuristicChoice, Limit, Limits, Outcome, Report, solve,
};

/// Runs a search and returns its report, the most bytes allocated at a time, and the number of
/// allocations.
fn measured(line: &str, algorithm: &str, nodes: u64) -> (Report, u64, u64) {
    let puzzle = Puzzle::from_line(line).unwrap();
    let config = Config::named(algorithm).unwrap();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut report = None;
    let counted = allocation_counter::measure(|| {
        report = solve(&puzzle, &config, &Control { limits, ..Control::default() }).ok();
    });
    (report.unwrap(), counted.bytes_max, counted.count_total)
}

/// Eight tokens on 32 vertices, a long way from the goal.
const EIGHT_ON_THIRTY_TWO: &str =
    "cube:5:3 1=0,2=1,3=2,4=4,5=8,6=16,7=31,8=30 -> 1=31,2=30,3=0,4=16,5=8,6=4,7=2,8=1";

#[test]
fn a_stored_state_takes_at_most_32_bytes() {
    // Sizes between which the index doubles: just after that it holds the most for its states.
    for nodes in [300_000, 600_000, 1_000_000, 2_000_000, 4_000_000, 7_000_000] {
        for algorithm in ["astar", "breadth-first", "bidirectional"] {
            let (report, peak, _) = measured(EIGHT_ON_THIRTY_TWO, algorithm, nodes);
            let stored = report.stats.stored;
            assert!(stored > 20_000, "{algorithm}: {stored} stored");
            let each = peak as f64 / stored as f64;
            assert!(each <= 32.0, "{algorithm}: {each:.1} bytes for each of {stored} states");
        }
    }
}

#[test]
fn reported_bytes_are_the_bytes_held() {
    // Tables are not in the allocator's memory, and iterative deepening holds nothing.
    let others = ["idastar", "table", "local-value-iteration"];
    for algorithm in ALGORITHMS.iter().filter(|algorithm| !others.contains(&algorithm.name)) {
        let (report, peak, _) = measured(EIGHT_ON_THIRTY_TWO, algorithm.name, 2_000_000);
        let told = report.stats.peak_bytes as f64 / peak as f64;
        assert!((0.9..1.1).contains(&told), "{}: told {told:.3} of {peak}", algorithm.name);
    }
}

/// A beam grows up to twofold with each layer until it is as wide as it may be: what the next one
/// takes is counted before.
#[test]
fn a_beam_ends_before_its_memory_does() {
    let puzzle = Puzzle::from_line(
        "grid:5:5 14,5,9,2,18,8,23,19,12,17,15,0,10,20,4,6,11,21,1,7,24,3,16,22,13 \
         -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24",
    )
    .unwrap();
    // What other threads allocate is not counted.
    let wide = Config::named("beam").unwrap().with("width", "1000000000").unwrap();
    let config = Config { threads: 1, ..wide };
    for memory in [100, 150, 300] {
        let limits = Limits { memory: Some(memory << 20), ..Limits::default() };
        let mut report = None;
        let counted = allocation_counter::measure(|| {
            report = solve(&puzzle, &config, &Control { limits, ..Control::default() }).ok();
        });
        let Report { outcome, stats, .. } = report.unwrap();
        assert!(matches!(outcome, Outcome::LimitReached { limit: Limit::Memory, .. }));
        let (peak, told) = (counted.bytes_max, stats.peak_bytes);
        assert!(peak < memory << 20, "{peak} bytes of {memory} MiB");
        assert!(told > peak / 2 && told < peak / 8 * 9, "told {told} of {peak}");
        assert!(stats.stored > 10_000, "{stats:?}");
    }
}

/// The distances of walking distance's matrices, 64 MiB on 4:5, hold half as much again while they
/// grow.
#[test]
fn walking_distance_keeps_to_the_memory() {
    let cells: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let puzzle = Puzzle::from_line(&format!("grid:4:5 {}", cells.join(","))).unwrap();
    let heuristic: HeuristicChoice = "walking-distance".parse().unwrap();
    let config = Config { heuristic, ..Config::named("astar").unwrap() };
    for (memory, fits) in [(20, false), (80, false), (130, true)] {
        let limits = Limits { memory: Some(memory << 20), nodes: Some(1_000), time: None };
        let mut report = None;
        let counted = allocation_counter::measure(|| {
            report = solve(&puzzle, &config, &Control { limits, ..Control::default() }).ok();
        });
        let expected = if fits { Limit::Nodes } else { Limit::Memory };
        let Outcome::LimitReached { limit, .. } = report.unwrap().outcome else { panic!() };
        assert_eq!(limit, expected, "{memory} MiB");
        assert!(counted.bytes_max < memory << 20, "{} bytes", counted.bytes_max);
    }
}

#[test]
fn iterative_deepening_allocates_nothing_for_a_node() {
    let fifteen =
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    let cube = "cube:4:1 1=0,2=1,3=2,4=3,5=4,6=5,7=6,8=7,9=8,10=9,11=10,12=11 -> \
                1=11,2=10,3=9,4=8,5=7,6=6,7=5,8=4,9=3,10=2,11=1,12=0";
    for line in [fifteen, cube] {
        let (few, _, for_few) = measured(line, "idastar", 10_000);
        let (many, peak, for_many) = measured(line, "idastar", 3_000_000);
        let (expanded, before) = (many.stats.expanded, few.stats.expanded);
        assert!(expanded > 50 * before, "{line}: {before}, then {expanded}");
        // Some for each iteration, none for a node.
        assert!(for_many < for_few + 50, "{line}: {for_few} allocations, then {for_many}");
        // Mostly what deciding solvability takes.
        assert!(peak < 2 << 20, "{line}: {peak} bytes");
    }
}
