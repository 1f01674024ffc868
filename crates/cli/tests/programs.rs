//! Other programs as solvers of compare: every way to answer and to fail, limits, records.

#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{folder, json, path, run};
use serde_json::Value;

/// Solved by three moves, and the line on which it goes wrong.
const PUZZLE: &str = "grid:3:3 1,2,3,0,5,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";

/// The run of a command on the puzzle.
fn outcome(command: &str, more: &[&str]) -> Value {
    let solver = format!("exec:{command}");
    let command = ["compare", PUZZLE, "--format", "json", "--solver", &solver];
    let output = run(&[&command, more].concat());
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = table["runs"][0].clone();
    // A failure is said on standard error too, once.
    let failed = run["status"] == "error";
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{told}");
    assert_eq!(told.lines().count(), usize::from(failed), "{told}");
    assert!(!failed || told.contains("failed on 1 of 1, first on"), "{told}");
    run
}

#[test]
fn moves_are_read_in_every_notation_and_checked() {
    for command in [
        "echo UL2",
        "echo '6-3 7-6 8-7'",
        "printf '(slide-6-3 token-4)\\n(slide-7-6 token-7)\\n(slide-8-7 token-8)\\n; cost = 3\\n'",
        // The line arrives as it was written, and a program need not read it.
        "read board start arrow goal; test $start = 1,2,3,0,5,6,4,7,8 -a $arrow = '->' && echo ULL",
    ] {
        let run = outcome(command, &[]);
        assert_eq!((&run["status"], &run["length"]), (&"solved".into(), &3.into()), "{command}");
        // Nothing is proven by a program's word.
        assert_eq!((&run["optimal"], &run["lower_bound"]), (&false.into(), &Value::Null));
        assert_eq!(run["moves"][0]["token"], "4");
    }
}

#[test]
fn every_failure_has_its_reason() {
    for (command, reason, words) in [
        ("true", "missing", "no moves"),
        ("echo hello", "unreadable", "is not a direction"),
        ("printf '6-3 \\377'", "unreadable", "not UTF-8 text: see byte 4"),
        ("echo 6-3 8-7", "illegal", "move 2 of 2 is illegal"),
        ("echo 6-3", "wrong", "1 moves end at 1,2,3,4,5,6,0,7,8"),
        ("yes 6-3 3-6", "too-long", "more than 16 MiB"),
        ("echo UL2; echo 'no more' >&2; exit 3", "crashed", "exit status: 3: no more"),
        ("kill -SEGV $$", "crashed", "signal: 11"),
        ("./there-is-no-such-program", "crashed", "not found"),
    ] {
        let run = outcome(command, &[]);
        assert_eq!(
            (&run["status"], &run["reason"]),
            (&"error".into(), &reason.into()),
            "{command}"
        );
        let explanation = run["explanation"].as_str().unwrap();
        assert!(explanation.contains(words), "{command}: {explanation}");
        assert!(run["moves"].is_null() && run["length"].is_null());
        if !run["stats"].is_null() {
            assert!(run["stats"]["expanded"].is_null() && run["stats"]["wall_s"].is_number());
        }
    }
    let lines = ["compare", PUZZLE, "--solver", "exec:true", "--format", "csv", "--runs"];
    let lines = String::from_utf8(run(&lines).stdout).unwrap();
    assert!(lines.starts_with("instance,solver,status,optimal,"), "{lines}");
    assert!(lines.trim_end().ends_with(",missing,it wrote no moves"), "{lines}");
}

/// The processes whose command line has these words.
fn alive(words: &str) -> usize {
    let is_it = |entry: &Path| {
        std::fs::read(entry.join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(words))
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_it(&entry.path())).count()
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_and_all_that_it_started_are_killed_in_time() {
    let began = Instant::now();
    // It ignores polite requests and has a child in the background.
    let stubborn = "trap '' TERM INT; sleep 98.7654 & sleep 98.7654; echo UL2";
    let run = outcome(stubborn, &["--limit-time", "0.5"]);
    assert_eq!((&run["status"], &run["limit"]), (&"limit-reached".into(), &"time".into()));
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    // What a program leaves behind when it ends does not go on, nor keep its output open.
    let left = outcome("sleep 97.6543 & echo UL2", &["--limit-time", "30"]);
    assert_eq!(left["status"], "solved");
    assert_eq!((alive("sleep\098.7654"), alive("sleep\097.6543")), (0, 0));
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_limited_and_costs_are_those_of_the_child() {
    // A text of 100 MB in the shell's own memory.
    let eats = "x=$(head -c 100000000 /dev/zero | tr '\\0' a); echo UL2";
    assert_eq!(outcome(eats, &["--limit-memory", "2G"])["status"], "solved");
    let run = outcome(eats, &["--limit-memory", "30M"]);
    assert_eq!(run["reason"], "crashed", "{run}");
    // A second or so of counting, by the operating system's account; the program's parent idles.
    let counts = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo UL2";
    let run = outcome(counts, &[]);
    let cpu_s = run["stats"]["cpu_s"].as_f64().unwrap();
    assert!(cpu_s > 0.01, "{cpu_s}");
    let sleeps = outcome("sleep 0.3; echo UL2", &[]);
    assert!(sleeps["stats"]["wall_s"].as_f64().unwrap() >= 0.3);
    assert!(sleeps["stats"]["cpu_s"].as_f64().unwrap() < 0.2);
    assert!(sleeps["stats"]["peak_bytes"].as_u64().unwrap() > 100_000);
}

#[test]
fn programs_are_recorded_and_compared_like_algorithms() {
    let folder = folder("programs");
    let (records, count) = (folder.join("runs.jsonl"), folder.join("count"));
    let program = format!("exec:echo >> '{}'; echo UL2", count.display());
    let compare = ["compare", PUZZLE, "--solver", &program, "--solver", "astar"];
    let compare = [&compare[..], &["--records", path(&records)]].concat();
    let table = json(&compare);
    let solvers = table["solvers"].as_array().unwrap();
    assert_eq!((&solvers[0]["solved"], &solvers[0]["proven"]), (&1.into(), &0.into()));
    assert_eq!((&solvers[0]["expanded"], &solvers[0]["mean_excess"]), (&Value::Null, &0.0.into()));
    assert!(solvers[1]["expanded"].is_number());
    // The run is not repeated, which is said.
    let again = run(&[&compare[..], &["--format", "json"]].concat());
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("2 runs in the records already and not repeated"), "{said}");
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["runs"], table["runs"]);
    assert_eq!(std::fs::read_to_string(&count).unwrap().lines().count(), 1);
    let text = run(&compare);
    assert!(String::from_utf8(text.stdout).unwrap().contains("exec:"));
    let refused = run(&["compare", PUZZLE, "--solver", "exec: "]);
    assert_eq!(refused.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What failed is run again: the program may be repaired since.
#[test]
fn failures_in_the_records_are_repeated() {
    let folder = folder("repaired");
    let (records, program) = (folder.join("runs.jsonl"), folder.join("program"));
    let solver = format!("exec:. '{}'", program.display());
    let compare = ["compare", PUZZLE, "--solver", &solver, "--records", path(&records)];
    std::fs::write(&program, "echo nonsense").unwrap();
    assert_eq!(run(&compare).status.code(), Some(1));
    std::fs::write(&program, "echo UL2").unwrap();
    let repaired = run(&compare);
    assert_eq!(repaired.status.code(), Some(0), "{repaired:?}");
    assert!(repaired.stderr.is_empty(), "{repaired:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn programs_know_their_limits_and_what_they_wrote_in_time_counts() {
    // Whole lines that were written before the time was over, and no others.
    let late = outcome("echo UL2; echo -n D; sleep 60", &["--limit-time", "0.5"]);
    assert_eq!((&late["status"], &late["length"]), (&"solved".into(), &3.into()));
    let half = outcome("printf UL2; sleep 60", &["--limit-time", "0.5"]);
    assert_eq!((&half["status"], &half["limit"]), (&"limit-reached".into(), &"time".into()));
    let tells = "test \"$HYPERSLIDE_LIMIT_TIME $HYPERSLIDE_LIMIT_MEMORY $HYPERSLIDE_SEED\" = \
                 '20.5 2147483648 7' && echo UL2";
    let run = outcome(tells, &["--limit-time", "20.5", "--limit-memory", "2G", "--seed", "7"]);
    assert_eq!(run["status"], "solved", "{run}");
}

/// Records that were changed, or results of a program with a fault, are not compared in silence.
#[test]
fn runs_that_contradict_each_other_are_refused() {
    let folder = folder("contradictions");
    let records = folder.join("runs.jsonl");
    let solvers = ["--solver", "astar", "--solver", "exec:echo UL2", "--limit-nodes", "2"];
    let compare = [&["compare", PUZZLE], &solvers[..], &["--records", path(&records)]].concat();
    assert!(run(&compare).status.success());
    let written = std::fs::read_to_string(&records).unwrap();
    let stopped = r#""status":"limit-reached","lower_bound":3,"limit":"nodes""#;
    for (changed, words) in [
        (r#""status":"limit-reached","lower_bound":9,"limit":"nodes""#, "astar proved at least 9"),
        (r#""status":"unsolvable""#, "astar proved that it cannot be solved, but 3 moves"),
    ] {
        assert!(written.contains(stopped), "{written}");
        std::fs::write(&records, written.replace(stopped, changed)).unwrap();
        let output = run(&compare);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(words), "{told}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
