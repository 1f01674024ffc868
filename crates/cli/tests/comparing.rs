//! Comparisons and batches from the command line.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use common::{folder, json, path, run};
use serde_json::Value;

const COMPARE: [&str; 8] =
    ["compare", "cubical", "--first", "3", "--solver", "greedy", "--solver", "astar"];

/// The instance, solver and wall-clock time of each run; no two runs take the same time.
fn times(arguments: &[&str]) -> Vec<(String, String, String)> {
    let table = json(arguments);
    let runs = table["runs"].as_array().unwrap().iter();
    let text = |value: &Value| value.to_string();
    runs.map(|run| (text(&run["instance"]), text(&run["solver"]), text(&run["stats"]["wall_s"])))
        .collect()
}

#[test]
fn recorded_runs_are_not_repeated() {
    let folder = folder("compare-records");
    let file = folder.join("runs.jsonl");
    let compare = [&COMPARE[..], &["--records", path(&file)]].concat();
    let first = times(&compare);
    assert_eq!(first.len(), 6);
    assert_eq!(times(&compare), first);
    // Torn in the last record, as by a kill: that run alone is made again.
    let records = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &records[..records.len() - 40]).unwrap();
    let again = times(&compare);
    assert_eq!(again[..5], first[..5]);
    assert_eq!((&again[5].0, &again[5].1), (&first[5].0, &first[5].1));
    assert_ne!(again[5], first[5]);
    // Other limits, another seed, another rule: other runs, added to the file.
    for other in [["--limit-nodes", "100000"], ["--seed", "1"], ["--rule", "2"]] {
        let other = times(&[&compare[..], &other].concat());
        assert!(other.iter().all(|run| !again.contains(run)), "{other:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 24);
    // A solution that is none is not believed.
    let records = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, records.replacen("\"from\":", "\"from\":1", 1)).unwrap();
    let refused = run(&compare);
    assert_eq!(refused.status.code(), Some(2));
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("line 1: not a record") && error.lines().count() == 1, "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_solver_that_does_not_fit_loses_no_other_run() {
    let given =
        ["compare", "korf15/12", "cubical/d3-level0", "korf15/12", "--format", "csv", "--runs"];
    let solvers = ["--solver", "greedy", "--solver", "staged schedule=9", "--solver", "greedy"];
    let output = run(&[&given[..], &solvers].concat());
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("staged schedule=9 on cubical/d3-level0"), "{error}");
    // What stands twice is one.
    let table = String::from_utf8(output.stdout).unwrap();
    let runs: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(runs.len(), 3, "{table}");
    assert!(runs[0].starts_with("korf15/12,greedy") && runs[2].starts_with("korf15/12,staged"));
}

/// Puzzles are drawn as they are read.
#[test]
fn random_puzzles_come_one_by_one() {
    let many = ["random", "--board", "grid:3:3", "--count", "1000000000000"];
    let mut child =
        Command::new(cargo_bin!("hyperslide")).args(many).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(
        lines.take(3).filter(|line| line.as_ref().unwrap().starts_with("grid:3:3 ")).count(),
        3
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Memory is divided among the puzzles of a file, not among more than it has.
#[test]
fn a_puzzle_alone_in_a_file_has_all_the_memory() {
    let folder = folder("alone");
    let file = folder.join("puzzles.txt");
    let ends = |puzzles: &str| -> Vec<String> {
        std::fs::write(&file, puzzles).unwrap();
        let limits = ["--limit-memory", "30M", "--jobs", "2", "--format", "json"];
        let search = ["solve", path(&file), "--heuristic", "patterns:6-6-3"];
        let output = run(&[&search[..], &["--algorithm", "idastar"], &limits].concat());
        let end = |line: &str| serde_json::from_str::<Value>(line).unwrap()["status"].to_string();
        String::from_utf8(output.stdout).unwrap().lines().map(end).collect()
    };
    assert_eq!(ends("korf15/12\n"), ["\"solved\""]);
    assert_eq!(ends("korf15/12\nkorf15/79\n"), ["\"limit-reached\""; 2]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Ctrl-C while one of two searches is under way: what others found meanwhile is told.
#[cfg(unix)]
#[test]
fn a_batch_that_is_interrupted_tells_what_it_has() {
    let folder = folder("interrupted");
    let file = folder.join("puzzles.txt");
    let easy = "grid:3:3 1,2,3,4,5,6,7,0,8";
    let hard = "grid:5:5 23,1,12,6,16,2,20,10,21,18,14,13,17,19,22,0,15,24,3,7,4,8,5,9,11";
    std::fs::write(&file, [easy, hard, easy, easy].join("\n")).unwrap();
    let batch = ["solve", path(&file), "--algorithm", "idastar", "--jobs", "2", "--format", "json"];
    let mut child =
        Command::new(cargo_bin!("hyperslide")).args(batch).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next()?.unwrap()).ok();
    assert_eq!(next().unwrap()["status"], "solved");
    // The others wait for the second.
    std::thread::sleep(Duration::from_secs(1));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let interrupted = next().unwrap();
    assert_eq!(
        (&interrupted["status"], &interrupted["limit"]),
        (&"limit-reached".into(), &"cancelled".into())
    );
    assert_eq!(
        (next().unwrap()["line"].clone(), next().unwrap()["line"].clone()),
        (3.into(), 4.into())
    );
    assert!(next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(4));
    std::fs::remove_dir_all(&folder).unwrap();
}
