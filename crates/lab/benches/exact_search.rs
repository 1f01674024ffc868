//! Exact search: the figures in records/benchmarks/exact-search.jsonl, each beside a bound or a
//! plain solver in the same run.
//!
//! `cargo bench --bench exact_search` prints them; with `-- --record FILE` it also adds them to a
//! file; its path is relative to the root of the repository.

mod common;

use hyperslide_lab::{KnownLength, find_instance, instances};
use hyperslide_puzzle::{Metric, Puzzle};
use hyperslide_search::{Config, Control, Limits, Outcome, Report, solve};
use hyperslide_testkit::{textbook_astar, textbook_idastar_15};
use serde_json::{Value, json};

use common::{record, record_file, seconds};

fn main() {
    let file = record_file();
    let measurements = [levels(), astar_rate(), astar_memory(), idastar_rate()];
    if let Some(file) = file {
        record(&file, measurements);
    }
}

fn run(puzzle: &Puzzle, algorithm: &str, nodes: Option<u64>) -> Report {
    let config = Config::named(algorithm).expect("a known algorithm");
    let limits = Limits { nodes, ..Limits::default() };
    solve(puzzle, &config, &Control { limits, ..Control::default() }).expect("it fits the puzzle")
}

/// The best of several times; the others tell of what else the machine was doing.
fn best(repeats: usize, part: impl Fn() -> f64) -> f64 {
    (0..repeats).map(|_| part()).fold(f64::INFINITY, f64::min)
}

/// Every level of the study under every rule: time to a proven answer, default algorithm.
fn levels() -> Value {
    let mut rows = Vec::new();
    for instance in instances().filter(|instance| instance.name.starts_with("cubical/")) {
        for rule in instance.rules() {
            let Some(known) = instance.known_length(Some(rule)) else { continue };
            let puzzle = instance.puzzle(Some(rule), Metric::Face).expect("a level");
            let report = run(&puzzle, "auto", None);
            match (&report.outcome, known) {
                (Outcome::Solved { moves, optimal: true, .. }, KnownLength::Moves(length)) => {
                    assert_eq!(moves.len() as u32, length);
                }
                (Outcome::Unsolvable(_), KnownLength::Unsolvable) => {}
                (outcome, _) => panic!("{}:{rule}: {outcome:?}", instance.name),
            }
            let time = best(5, || seconds(|| run(&puzzle, "auto", None)).0);
            rows.push((time, format!("{}:{rule}", instance.name)));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = rows.iter().map(|row| row.0).sum();
    println!("levels of the cubical study, proven, one core (bound: 50 ms each)");
    for (time, name) in rows.iter().take(3) {
        println!("  {name:24} {:8.2} ms", time * 1e3);
    }
    println!("  all {} together {:14.2} ms\n", rows.len(), total * 1e3);
    json!({
        "benchmark": "levels",
        "levels": rows.len(),
        "slowest": rows[0].1,
        "slowest_s": rows[0].0,
        "total_s": total,
    })
}

/// A* on the study's hardest level of cube:4:3 and on d5-level0, beside a textbook A*.
fn astar_rate() -> Value {
    let mut rows = Vec::new();
    println!("A* (bound: 5 million generated states a second on cube:4:3)");
    for name in ["cubical/d4-level4:3", "cubical/d5-level0:4"] {
        let (instance, rule) = find_instance(name).expect("a level");
        let puzzle = instance.puzzle(rule, Metric::Face).expect("a level");
        let report = run(&puzzle, "astar", None);
        let ours = best(20, || run(&puzzle, "astar", None).stats.cpu_s);
        let (textbook, plain) = seconds(|| textbook_astar(&puzzle));
        assert_eq!(report.stats.expanded, plain.expanded, "{name}");
        assert_eq!(report.stats.generated, plain.generated, "{name}");
        let rate = report.stats.generated as f64 / ours / 1e6;
        println!("  {name:24} {rate:8.1} M generated/s, {:.1} times the textbook", textbook / ours);
        rows.push(json!({
            "instance": name,
            "generated": report.stats.generated,
            "expanded": report.stats.expanded,
            "ours_s": ours,
            "textbook_s": textbook,
        }));
    }
    println!();
    json!({ "benchmark": "astar-rate", "rows": rows })
}

/// Bytes allocated for each stored state, at sizes on both sides of where the index doubles.
fn astar_memory() -> Value {
    let line = "cube:5:3 1=0,2=1,3=2,4=4,5=8,6=16,7=31,8=30 -> 1=31,2=30,3=0,4=16,5=8,6=4,7=2,8=1";
    let puzzle = Puzzle::from_line(line).expect("a puzzle");
    println!("memory of A*, eight tokens on 32 vertices (bound: 32 bytes a stored state)");
    let mut rows = Vec::new();
    for nodes in [1, 2, 4, 8, 16, 32].map(|millions| millions * 1_000_000) {
        let mut stored = 0;
        let counted = allocation_counter::measure(|| {
            stored = run(&puzzle, "astar", Some(nodes)).stats.stored;
        });
        let each = counted.bytes_max as f64 / stored as f64;
        println!("  {stored:>10} states {each:8.1} bytes each");
        rows.push(json!({ "stored": stored, "peak_bytes": counted.bytes_max }));
    }
    println!();
    json!({ "benchmark": "astar-memory", "puzzle": line, "rows": rows })
}

/// IDA* with Manhattan distance on some of Korf's 15-puzzles, beside a solver as fast C++ ones are
/// written.
fn idastar_rate() -> Value {
    println!(
        "IDA*, Manhattan distance, Korf's 15-puzzles (bound: 100 million generated states a second)"
    );
    let (mut ours, mut ours_s, mut plain, mut plain_s) = (0u64, 0.0, 0u64, 0.0);
    let mut rows = Vec::new();
    for number in [79, 12, 42, 55, 97, 19, 94, 47, 93, 9, 20, 31, 86, 5] {
        let (instance, _) = find_instance(&format!("korf15/{number}")).expect("an instance");
        let puzzle = instance.puzzle(None, Metric::Face).expect("an instance");
        let report = run(&puzzle, "idastar", None);
        let Outcome::Solved { moves, optimal: true, .. } = &report.outcome else {
            panic!("{:?}", report.outcome)
        };
        let mut cells = [0; 16];
        for (vertex, label) in puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8 + 1;
        }
        let (length, generated) = textbook_idastar_15(cells);
        let time = best(3, || seconds(|| textbook_idastar_15(cells)).0);
        assert_eq!(length, moves.len() as u32);
        assert_eq!(generated, report.stats.generated, "korf15/{number}");
        let our_time = best(3, || run(&puzzle, "idastar", None).stats.cpu_s);
        ours += report.stats.generated;
        ours_s += our_time;
        plain += generated;
        plain_s += time;
        rows.push(json!({
            "instance": format!("korf15/{number}"),
            "generated": generated,
            "ours_s": our_time,
            "textbook_s": time,
        }));
    }
    let (rate, plain_rate) = (ours as f64 / ours_s / 1e6, plain as f64 / plain_s / 1e6);
    println!("  ours     {rate:8.1} M/s over {ours} states");
    println!("  textbook {plain_rate:8.1} M/s: ours is {:.2} times as fast\n", rate / plain_rate);
    json!({
        "benchmark": "idastar-rate",
        "generated": ours,
        "ours_s": ours_s,
        "textbook_s": plain_s,
        "rows": rows,
    })
}
