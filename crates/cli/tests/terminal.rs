//! What people see on a terminal: text that fits it, and answers to Ctrl-C.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{folder, path, run};
use assert_cmd::cargo::cargo_bin;

/// Runs the command on a terminal of this width, by `script` of util-linux.
fn on_terminal(columns: usize, arguments: &str) -> Child {
    let program = cargo_bin!("hyperslide");
    let line = format!("stty rows 24 cols {columns}; exec '{}' {arguments}", path(program));
    Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The lines that stand on the terminal in the end, and the exit status.
fn shown(child: Child) -> (Vec<String>, Option<i32>) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.split('\n').map(|line| last_version(line.trim_end_matches('\r')));
    (lines.collect(), output.status.code())
}

/// What remains of a line that was written over: the text behind the last carriage return, without
/// the sequences that control the terminal.
fn last_version(line: &str) -> String {
    let line = line.rsplit('\r').next().unwrap_or_default();
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or("")
    })
}

#[test]
fn everything_fits_sixty_columns() {
    let folder = folder("narrow");
    let table = folder.join("8.table");
    crate::common::text(&["table", "build", "grid:3:3 1,2,3,4,5,6,7,8,0", "--out", path(&table)]);
    let of_table = |command: &str| format!("table {command} '{}'", path(&table));
    let commands = [
        "solve 'grid:3:3 8,6,7,2,5,4,3,0,1' --no-table",
        "solve 'cube:6:2 a=0,b=1,c=63 -> a=1,b=0,c=62'",
        "solve 'grid:2:2 1,2,0,3 -> 2,1,0,3'",
        "solve 'grid:2:2 1,2,3,4 -> 1,2,3,4'",
        "replay 'grid:3:3 1,2,3,0,5,6,4,7,8' UL2",
        "classify 'cube:5:2 a=0,b=1,c=2,d=3,e=7'",
        "algorithms",
        "algorithms anytime",
        "algorithms evolution",
        "algorithms patterns",
        "boards",
        "boards --graphs",
        "boards cube:6:3",
        "instances cubical",
        "instances deepcubea-24",
        "instances korf24",
        "experiment",
        "experiment cubical-table-2 --quick",
        "census cube:3:2 --empty 4",
        "layers grid:2:3 --farthest",
        "theorems --max-d 2",
        "compare cubical --first 2 --solver auto --solver greedy",
        "--help",
        "solve -h",
        "census --help",
        // A message on standard error.
        "classify 'cube:3:2 1=0,2=1' --limit-sets 1",
    ];
    let commands = commands.map(str::to_owned).into_iter();
    for command in commands.chain([of_table("info"), of_table("verify")]) {
        let (lines, status) = shown(on_terminal(60, &command));
        // An unsolvable puzzle and a limit are answers, too.
        assert!(matches!(status, Some(0 | 3 | 4)), "{command}: {lines:?}");
        for line in &lines {
            assert!(line.chars().count() <= 60, "{command}: {line}");
        }
        assert!(lines.iter().any(|line| !line.is_empty()), "{command}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Two puzzles are text with a summary on a terminal, and lines of JSON in a pipe.
#[test]
fn a_batch_is_for_people_on_a_terminal_and_for_programs_in_a_pipe() {
    let folder = folder("batch");
    let file = folder.join("puzzles.txt");
    std::fs::write(&file, "grid:2:2 1,2,0,3\ngrid:2:2 2,1,3,0\n").unwrap();
    let (lines, status) = shown(on_terminal(80, &format!("solve '{}'", path(&file))));
    assert_eq!(status, Some(3), "{lines:?}");
    assert!(lines[0].starts_with("    1. 1 move, proven optimal"), "{lines:?}");
    assert!(lines[1].starts_with("    2. unsolvable (parity)"), "{lines:?}");
    assert!(lines[3].starts_with("2 puzzles: 1 solved, 1 of them proven optimal; 1 unsolvable;"));
    let output = run(&["solve", path(&file)]);
    let text = String::from_utf8(output.stdout).unwrap();
    let statuses: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["status"].to_string())
        .collect();
    assert_eq!(statuses, ["\"solved\"", "\"unsolvable\""]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Everything that stood on a line of the terminal, one after the other, without the sequences that
/// control it.
fn ever_shown(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split(['\r', '\n']).map(|line| last_version(line) + "\n").collect()
}

/// Long work says how much of it is done and how long the rest takes.
#[test]
fn progress_counts_and_says_what_is_left() {
    let folder = folder("progress");
    let puzzles = folder.join("puzzles.txt");
    let hard =
        "grid:4:4 15,14,8,12,10,11,9,13,2,6,5,1,3,7,4,0 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0\n";
    std::fs::write(&puzzles, hard.repeat(4)).unwrap();
    let puzzles = path(&puzzles);
    let limited = "--limit-time 0.8 --no-table --heuristic lone-token --algorithm idastar";
    for (command, things) in [
        (format!("solve '{puzzles}' {limited} --jobs 1"), " of 4 puzzles"),
        (
            format!(
                "compare '{puzzles}' --limit-time 0.8 --solver 'idastar heuristic=lone-token' --jobs 1"
            ),
            " of 4 runs",
        ),
        ("experiment cubical-table-2".to_owned(), " tasks"),
        ("theorems --max-d 4".to_owned(), " % done"),
    ] {
        let text = ever_shown(on_terminal(80, &command));
        let counted = text.lines().any(|line| line.contains(things));
        let left = text.lines().any(|line| line.contains(things) && line.contains(" left"));
        // A quiet machine is done with the theorems before it can say how long they take.
        let is_short = command.starts_with("theorems");
        assert!(counted && (left || is_short), "{command}: {text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A puzzle that no search here solves while somebody waits.
const HARD: &str = "korf24/50 --no-table --heuristic lone-token";

#[test]
fn ctrl_c_during_auto_keeps_a_solution_on_a_terminal() {
    let mut child = on_terminal(80, &format!("solve {HARD}"));
    std::thread::sleep(Duration::from_secs(2));
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let (lines, status) = shown(child);
    let text = lines.join("\n");
    assert_eq!(status, Some(0), "{text}");
    let verdict = lines.iter().find(|line| line.contains(" needed (gap ")).expect("a solution");
    assert!(verdict.contains(" moves, at least "), "{verdict}");
    assert!(text.contains("found\nquickly afterwards") || text.contains("found quickly"), "{text}");
    assert!(!text.contains("generated, at least"), "progress is gone: {text}");
    // The solution is there, move by move.
    assert!(lines.iter().any(|line| line.trim_start().starts_with("100. ")), "{text}");
}

/// The line about progress disappears whatever the work is.
#[test]
fn ctrl_c_removes_the_line_about_progress() {
    // A board on which no start can be solved.
    let mut child = on_terminal(80, "random --board cube:6:4 --tokens 20");
    std::thread::sleep(Duration::from_secs(1));
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let (lines, status) = shown(child);
    assert_eq!(status, Some(130), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains("puzzle 1 of 1")), "{lines:?}");
}

#[test]
fn ctrl_c_during_auto_in_a_pipe_says_the_bound_and_what_keeps_a_solution() {
    let words = format!("solve {HARD}");
    let child = Command::new(cargo_bin!("hyperslide"))
        .args(words.split(' '))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("cancelled: no solution yet; any solution has at least "), "{text}");
    assert!(text.contains("--algorithm anytime keeps the best solution"), "{text}");
}
