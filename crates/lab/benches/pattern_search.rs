//! Search over pattern databases: the figures in records/benchmarks/pattern-search.jsonl, building
//! included, beside a solver with Manhattan distance as fast C++ ones are written, in the same run.
//!
//! `cargo bench --bench pattern_search` prints them; with `-- --record FILE` it also adds them to a
//! file; its path is relative to the root of the repository. CPU seconds are of the whole process,
//! all threads.

mod common;

use std::sync::Arc;

use cpu_time::ProcessTime;
use hyperslide_lab::{Law, RandomPuzzles, find_suite};
use hyperslide_puzzle::{Board, BoardSpec, Metric, Puzzle};
use hyperslide_search::{
    Config, Control, HeuristicChoice, Limits, Outcome, Resources, Stats, TableCache, solve,
};
use hyperslide_testkit::textbook_idastar_15;
use serde_json::{Value, json};

use common::{record, record_file, seconds};

fn main() {
    let file = record_file();
    let measurements =
        [manhattan(), korf("patterns:6-6-3"), korf("patterns:7-8"), random_15(), twenty_four()];
    if let Some(file) = file {
        record(&file, measurements);
    }
}

fn suite(name: &str) -> Vec<(String, Puzzle, u32)> {
    let suite = find_suite(name).expect("the suite exists");
    let instances = suite.instances.iter();
    instances
        .filter_map(|instance| {
            let length = instance.known_length(None)?.moves()?;
            let puzzle = instance.puzzle(None, Metric::Face).ok()?;
            Some((instance.name.clone(), puzzle, length))
        })
        .collect()
}

fn run(puzzle: &Puzzle, heuristic: &str, cache: &Arc<TableCache>) -> (Stats, u32) {
    let config = Config {
        heuristic: heuristic.parse().expect("a known heuristic"),
        cache: Arc::clone(cache),
        ..Config::named("idastar").expect("a known algorithm")
    };
    let control = Control { limits: Limits::default(), ..Control::default() };
    let report = solve(puzzle, &config, &control).expect("it fits the puzzle");
    match report.outcome {
        Outcome::Solved { moves, optimal: true, .. } => (report.stats, moves.len() as u32),
        other => panic!("{puzzle}: {other:?}"),
    }
}

/// CPU seconds of the process, and the result.
fn cpu<T>(part: impl FnOnce() -> T) -> (f64, T) {
    let start = ProcessTime::now();
    let result = part();
    (start.elapsed().as_secs_f64(), result)
}

/// The tables of a heuristic, and what building them took.
fn build(puzzle: &Puzzle, heuristic: &str) -> (Arc<TableCache>, f64, f64, u64) {
    let cache = Arc::new(TableCache::default());
    let resources = Resources { cache: Arc::clone(&cache), ..Resources::default() };
    let choice: HeuristicChoice = heuristic.parse().expect("a known heuristic");
    let (cpu_s, (wall_s, bytes)) = cpu(|| {
        let (wall_s, built) = seconds(|| choice.build(puzzle, &resources));
        (wall_s, built.unwrap_or_else(|error| panic!("{heuristic}: {error}")).bytes())
    });
    (cache, cpu_s, wall_s, bytes)
}

/// The ten of Korf's hundred that need the fewest moves, by Manhattan distance: the plain solver.
fn manhattan() -> Value {
    let mut puzzles = suite("korf15");
    puzzles.sort_by_key(|(_, _, length)| *length);
    puzzles.truncate(10);
    let (textbook_s, generated) = cpu(|| {
        let solve = |puzzle: &Puzzle| {
            let mut cells = [0; 16];
            for (vertex, label) in puzzle.start().tokens() {
                cells[vertex.index()] = label.index() as u8 + 1;
            }
            textbook_idastar_15(cells).1
        };
        puzzles.iter().map(|(_, puzzle, _)| solve(puzzle)).sum::<u64>()
    });
    let (cache, ..) = build(&puzzles[0].1, "patterns:6-6-3");
    run(&puzzles[0].1, "patterns:6-6-3", &cache);
    let (ours_s, expanded) = cpu(|| {
        puzzles.iter().map(|(_, p, _)| run(p, "patterns:6-6-3", &cache).0.expanded).sum::<u64>()
    });
    println!(
        "the ten shortest of Korf's 15-puzzles: Manhattan, as fast C++ is written, {textbook_s:.2} CPU s; 6-6-3 \
         patterns {ours_s:.3} CPU s, {:.0} times less\n",
        textbook_s / ours_s
    );
    json!({
        "benchmark": "manhattan-beside-patterns",
        "textbook_s": textbook_s,
        "textbook_generated": generated,
        "patterns_s": ours_s,
        "patterns_expanded": expanded,
    })
}

/// All of Korf's 15-puzzles, proven; tables built in the same run.
fn korf(heuristic: &str) -> Value {
    let puzzles = suite("korf15");
    let (cache, build_s, build_wall_s, bytes) = build(&puzzles[0].1, heuristic);
    let (search_s, stats) = cpu(|| {
        let solved: Vec<Stats> = puzzles
            .iter()
            .map(|(name, puzzle, length)| {
                let (stats, found) = run(puzzle, heuristic, &cache);
                assert_eq!(found, *length, "{name}");
                stats
            })
            .collect();
        solved
    });
    let expanded: u64 = stats.iter().map(|stats| stats.expanded).sum();
    let generated: u64 = stats.iter().map(|stats| stats.generated).sum();
    println!(
        "Korf's 100 15-puzzles, {heuristic}: built in {build_s:.2} CPU s ({build_wall_s:.2} s, {:.1} MB), solved in \
         {search_s:.2} CPU s, {expanded} expanded",
        bytes as f64 / 1e6
    );
    println!("  {:.1} million expanded a CPU second\n", expanded as f64 / search_s / 1e6);
    json!({
        "benchmark": "korf-100",
        "heuristic": heuristic,
        "build_cpu_s": build_s,
        "build_wall_s": build_wall_s,
        "bytes": bytes,
        "search_cpu_s": search_s,
        "expanded": expanded,
        "generated": generated,
    })
}

/// Random 15-puzzles with the large tables.
fn random_15() -> Value {
    let board = Board::new(BoardSpec::Grid { rows: 4, columns: 4 }, Metric::Face).expect("a grid");
    let random = RandomPuzzles {
        board,
        tokens: 15,
        labels: None,
        goal: None,
        law: Law::Uniform,
        seed: 500,
        time: None,
    };
    let puzzles = random.draw(500).expect("half of all starts can be solved");
    let (cache, ..) = build(&puzzles[0], "patterns:7-8");
    run(&puzzles[0], "patterns:7-8", &cache);
    let (cpu_s, stats) = cpu(|| {
        let all: Vec<Stats> =
            puzzles.iter().map(|puzzle| run(puzzle, "patterns:7-8", &cache).0).collect();
        all
    });
    let expanded: u64 = stats.iter().map(|stats| stats.expanded).sum();
    println!(
        "500 random 15-puzzles, 7-8 patterns: {:.3} ms each, {:.0} expanded\n",
        cpu_s * 1e3 / 500.0,
        expanded as f64 / 500.0
    );
    json!({ "benchmark": "random-15-puzzles", "puzzles": 500, "cpu_s": cpu_s, "expanded": expanded })
}

/// One core on the easy end of Korf's 24-puzzles.
fn twenty_four() -> Value {
    let puzzles = suite("korf24");
    let (cache, build_s, build_wall_s, bytes) = build(&puzzles[0].1, "patterns:6-6-6-6");
    println!(
        "24-puzzle, 6-6-6-6 patterns: two tables built in {build_s:.1} CPU s ({build_wall_s:.1} s), {:.0} MB",
        bytes as f64 / 1e6
    );
    let mut rows = Vec::new();
    // The first is long enough for the tables of the other partitions, which it builds.
    for number in ["32", "38", "40", "25", "44"] {
        let name = format!("korf24/{number}");
        let Some((_, puzzle, length)) = puzzles.iter().find(|(known, ..)| *known == name) else {
            continue;
        };
        let (cpu_s, (stats, found)) = cpu(|| run(puzzle, "patterns:6-6-6-6", &cache));
        assert_eq!(found, *length, "{name}");
        println!(
            "  {name}: {found} moves, {} expanded in {cpu_s:.2} CPU s, {:.1} million a second",
            stats.expanded,
            stats.expanded as f64 / cpu_s / 1e6
        );
        rows.push(json!({
            "instance": name,
            "length": found,
            "expanded": stats.expanded,
            "generated": stats.generated,
            "cpu_s": cpu_s,
        }));
    }
    println!();
    json!({
        "benchmark": "24-puzzle",
        "build_cpu_s": build_s,
        "build_wall_s": build_wall_s,
        "bytes": bytes,
        "rows": rows,
    })
}
