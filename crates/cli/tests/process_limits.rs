//! The program under the limits of its process: running out of memory is an answer with a bound.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

/// Runs `hyperslide solve` with this address space in kibibytes and an empty directory of tables.
fn solve_within(kibibytes: u32, options: &str) -> Output {
    let process = std::process::id();
    let tables = std::env::temp_dir().join(format!("hyperslide-limits-{process}-{kibibytes}"));
    let _ = std::fs::remove_dir_all(&tables);
    let program = env!("CARGO_BIN_EXE_hyperslide");
    let line = format!("ulimit -v {kibibytes}; exec '{program}' solve {options}");
    let output = Command::new("sh")
        .args(["-c", &line])
        .env("HYPERSLIDE_TABLES", tables)
        .output()
        .expect("a shell runs the program");
    eprintln!("{options}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The address space in kibibytes with which the program starts at all, which depends on how it was
/// built.
fn least_to_start() -> u32 {
    let program = env!("CARGO_BIN_EXE_hyperslide");
    let starts = |kibibytes: &u32| {
        let line = format!("ulimit -v {kibibytes}; exec '{program}' --version");
        let output = Command::new("sh").args(["-c", &line]).output();
        output.expect("a shell runs the program").status.success()
    };
    (30_000..300_000).step_by(1_000).find(starts).expect("the program starts")
}

/// A memory limit that the process does not have: the system refuses memory before it is reached.
#[test]
fn memory_that_the_system_refuses_is_the_memory_limit() {
    for algorithm in [
        "astar",
        "breadth-first",
        "bidirectional",
        "beam --width 1000000",
        "hybrid --state-memory 10000",
    ] {
        let options =
            format!("korf24/50 --algorithm {algorithm} --limit-memory 4G --limit-time 60");
        let output = solve_within(130_000, &options);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(4), "{algorithm}: {text}");
        assert!(text.contains("memory limit: no solution yet"), "{algorithm}: {text}");
        assert!(text.contains("any solution has at least"), "{algorithm}: {text}");
    }
}

/// Without a limit of its own a command looks at those of its process.
#[test]
fn the_default_limit_fits_the_process() {
    // The program itself, as the tests build it, takes 66 MB of these.
    for (kibibytes, options) in [
        (200_000, "korf24/50 --algorithm astar --limit-time 60"),
        (120_000, "korf24/50 --limit-time 1"),
        (100_000, "korf24/50 --limit-time 1"),
    ] {
        let output = solve_within(kibibytes, options);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(4), "{options}: {text}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("cannot"), "{options}: {errors}");
    }
}

/// However little there is, a run ends with an answer, with the memory limit and a bound, or with
/// one line about what is missing.
#[test]
fn no_limit_ends_in_an_abort() {
    let least = least_to_start();
    for more in [4_000, 12_000, 22_000, 32_000, 52_000, 82_000, 142_000] {
        let kibibytes = least + more;
        for algorithm in
            ["auto", "anytime", "astar", "beam", "table", "bidirectional", "nbs", "reinforcement"]
        {
            let options = format!("korf24/50 --algorithm {algorithm} --limit-time 0.3");
            let output = solve_within(kibibytes, &options);
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            let what = format!("{kibibytes}, {options}: {text}{errors}");
            match output.status.code() {
                Some(0) => {}
                Some(4) => {
                    let has_bound = text.contains("any solution has at least")
                        || errors.contains("any solution has at least");
                    assert!(has_bound || text.contains("moves, at least"), "{what}");
                }
                status => {
                    assert_eq!(status, Some(2), "{what}");
                    assert_eq!(errors.lines().count(), 1, "{what}");
                }
            }
        }
    }
}

/// What is drawn at a distance needs a table, and the advice is about options that `random` has.
#[test]
fn random_puzzles_at_a_distance_say_what_their_table_needs() {
    let kibibytes = least_to_start() + 100_000;
    let program = env!("CARGO_BIN_EXE_hyperslide");
    let goal = "1,2,3,4,5,6,7,8,9,10,11,0";
    let random = format!("random --board grid:3:4 --goal {goal} --distance 40");
    let line = format!("ulimit -v {kibibytes}; exec '{program}' {random}");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("use fewer tokens, or draw by a walk from the goal"), "{told}");
}
