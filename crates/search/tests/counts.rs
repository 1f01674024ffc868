//! What searches count on fixed puzzles: a change of any count is seen, and has to be meant.
//!
//! Counts do not depend on the machine, unlike times. Where a change is meant,
//! `HYPERSLIDE_COUNTS=write cargo test --workspace --test search counts::` writes the file anew;
//! the commit message says why it changed.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use crate::common::{puzzle, run};
use hyperslide_search::{Config, Limits, Outcome, TableCache};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts/expected.txt");

/// Korf's 15-puzzles 1 and 12.
const KORF_1: &str =
    "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
const KORF_12: &str =
    "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
/// One of the two hardest 8-puzzles.
const EIGHT: &str = "grid:3:3 8,6,7,2,5,4,3,0,1";
/// The study's hardest level with d = 4.
const LEVEL: &str = "cube:4:3 r=5,p=1,g=4,b=13,y=7 -> r=5,p=7,g=13,b=4,y=1";
const CROWDED: &str =
    "cube:5:3 1=0,2=1,3=2,4=4,5=8,6=16,7=31,8=30 -> 1=31,2=30,3=0,4=16,5=8,6=4,7=2,8=1";
const COLOURS: &str = "grid:4:4 a,b,a,b,b,a,b,a,a,b,a,b,b,a,b,0 -> a,a,a,a,a,a,a,b,b,b,b,b,b,b,b,0";
const GRAPH: &str = "graph:8:0-1,1-2,2-3,3-4,4-5,5-6,6-7,0-7,0-4 1=1,2=2,3=3,4=4,5=5,6=6,7=7 -> \
                     1=2,2=1,3=4,4=3,5=5,6=6,7=7";

/// A puzzle, an algorithm with its heuristic and settings, and how many states it may generate.
type Case = (
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static [(&'static str, &'static str)],
    u64,
);

const CASES: &[Case] = &[
    (EIGHT, "breadth-first", None, &[], u64::MAX),
    (EIGHT, "bidirectional", None, &[], u64::MAX),
    (EIGHT, "nbs", None, &[], u64::MAX),
    (EIGHT, "astar", None, &[], u64::MAX),
    (EIGHT, "astar", Some("linear-conflict"), &[], u64::MAX),
    (EIGHT, "astar", Some("walking-distance"), &[], u64::MAX),
    (EIGHT, "astar", None, &[("profile", "published")], u64::MAX),
    (EIGHT, "weighted-astar", None, &[("weight", "1.5")], u64::MAX),
    (EIGHT, "xdp", None, &[("weight", "1.5")], u64::MAX),
    (EIGHT, "idastar", None, &[], u64::MAX),
    (EIGHT, "table", None, &[], u64::MAX),
    (LEVEL, "auto", None, &[], u64::MAX),
    (LEVEL, "astar", None, &[], u64::MAX),
    (LEVEL, "bidirectional", None, &[], u64::MAX),
    (LEVEL, "greedy", None, &[], u64::MAX),
    (LEVEL, "closed-walks", None, &[], u64::MAX),
    (LEVEL, "hybrid", None, &[("generations", "20")], 200_000),
    (LEVEL, "evolution", None, &[("generations", "20")], 200_000),
    (LEVEL, "reinforcement", None, &[("episodes", "20")], 200_000),
    (KORF_12, "idastar", None, &[], u64::MAX),
    (KORF_12, "idastar", Some("linear-conflict"), &[], u64::MAX),
    (KORF_12, "idastar", Some("walking-distance"), &[], u64::MAX),
    (KORF_12, "idastar", Some("patterns"), &[], u64::MAX),
    (KORF_12, "idastar", Some("patterns,linear-conflict"), &[], u64::MAX),
    (KORF_1, "idastar", Some("patterns:5-5-5"), &[], u64::MAX),
    (KORF_1, "idastar", None, &[], 3_000_000),
    (KORF_1, "astar", None, &[], 500_000),
    (KORF_1, "beam", None, &[("width", "500")], u64::MAX),
    (KORF_1, "staged", None, &[], u64::MAX),
    (CROWDED, "astar", None, &[], 500_000),
    (CROWDED, "bidirectional", None, &[], 500_000),
    (CROWDED, "nbs", None, &[], 500_000),
    (CROWDED, "beam", None, &[("width", "500")], u64::MAX),
    (COLOURS, "auto", None, &[], 2_000_000),
    (GRAPH, "auto", None, &[], u64::MAX),
];

/// A line of the file: the case, and what was counted.
fn counted((line, algorithm, heuristic, settings, nodes): &Case) -> String {
    static CACHE: LazyLock<Arc<TableCache>> = LazyLock::new(Arc::default);

    let config = Config::new(algorithm, *heuristic, settings.iter().copied(), 1).unwrap();
    // One thread: several count in no fixed order.
    let config = Config { cache: Arc::clone(&CACHE), threads: 1, ..config };
    let limits =
        Limits { nodes: Some(*nodes).filter(|&nodes| nodes < u64::MAX), ..Limits::default() };
    let report = run(&puzzle(line), &config, limits);
    let end = match &report.outcome {
        Outcome::Solved { moves, lower_bound, .. } => format!("{} >= {lower_bound}", moves.len()),
        Outcome::Unsolvable(reason) => format!("unsolvable, {}", reason.code()),
        Outcome::LimitReached { limit, lower_bound } => format!("{limit}, >= {lower_bound}"),
    };
    let mut text = (*algorithm).to_owned();
    for (name, value) in heuristic.map(|name| ("heuristic", name)).iter().chain(settings.iter()) {
        write!(text, " {name}={value}").unwrap();
    }
    let stats = report.stats;
    format!(
        "{text} on {line}: {end}; {} expanded, {} generated, {} reopened, {} stored",
        stats.expanded, stats.generated, stats.reopened, stats.stored
    )
}

#[test]
fn counts_are_those_of_the_file() {
    let lines: Vec<String> = CASES.iter().map(counted).collect();
    let text = lines.join("\n") + "\n";
    if std::env::var("HYPERSLIDE_COUNTS").is_ok_and(|value| value == "write") {
        std::fs::write(FILE, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(FILE).unwrap();
    let changed: Vec<String> = known
        .lines()
        .zip(&lines)
        .filter(|(before, now)| before != now)
        .map(|(before, now)| format!("before: {before}\n   now: {now}"))
        .collect();
    assert!(
        known.lines().count() == lines.len() && changed.is_empty(),
        "counts have changed; when that is meant, run HYPERSLIDE_COUNTS=write cargo test --workspace \
         --test search counts::, and say why in the commit\n{}",
        changed.join("\n")
    );
}
