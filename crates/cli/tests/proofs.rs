//! Proofs that are kept in a directory while they are searched.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{folder, json, path, run};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// With parts of three tokens it takes 56 million states.
const PUZZLE: &str = "korf15/3";
const SOLVER: [&str; 4] = ["--algorithm", "idastar", "--heuristic", "patterns:3-3-3-3-3"];

/// The file of the only proof in a directory.
fn file(directory: &Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_proof = |path: &std::path::PathBuf| path.to_string_lossy().ends_with(".proof.json");
    entries.map(|entry| entry.path()).find(is_proof)
}

#[test]
fn a_proof_survives_being_killed() {
    let folder = folder("proof-killed");
    let directory = folder.join("proofs");
    let whole = json(&[&["solve", PUZZLE], &SOLVER[..]].concat());
    let kept = ["--checkpoint", path(&directory), "--checkpoint-every", "0.1"];
    let command = [&["solve", PUZZLE], &SOLVER[..], &kept].concat();
    let mut kills = 0;
    let found: Value = loop {
        let resume: &[&str] = if file(&directory).is_some() { &["--resume"] } else { &[] };
        let mut child = Command::new(cargo_bin!("hyperslide"))
            .args([&command[..], &["--format", "json"], resume].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(200 + 50 * kills));
        let is_over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        if is_over {
            assert!(output.status.success());
            break serde_json::from_slice(&output.stdout).unwrap();
        }
        kills += 1;
        assert!(kills < 100, "it gets nowhere");
    };
    assert!(kills > 0, "it was never killed");
    for field in ["status", "length", "optimal", "lower_bound"] {
        assert_eq!(found[field], whole[field], "{field}");
    }
    // Once more it only repeats the subtree that has the solution.
    let again = json(&[&command[..], &["--resume"]].concat());
    assert_eq!(again["moves"], found["moves"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn runs_of_compare_are_continued() {
    let folder = folder("proof-compare");
    let directory = folder.join("proofs");
    let command = ["compare", PUZZLE, "--solver", "idastar heuristic=patterns:3-3-3-3-3"];
    let kept = ["--checkpoint", path(&directory)];
    let stopped = json(&[&command[..], &kept, &["--limit-nodes", "9000000"]].concat());
    let first = &stopped["runs"][0];
    assert_eq!(first["status"], "limit-reached", "{first}");
    let ended = json(&[&command[..], &kept, &["--resume"]].concat());
    let run = &ended["runs"][0];
    assert_eq!((&run["status"], &run["optimal"]), (&"solved".into(), &true.into()), "{run}");
    let text = std::fs::read_to_string(file(&directory).unwrap()).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["iteration"]["bound"], run["length"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let folder = folder("proof-refused");
    let directory = folder.join("proofs");
    let refused = |arguments: &[&str], words: &str| {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(words) && error.trim_end().lines().count() == 1, "{error}");
    };
    let kept = ["--checkpoint", path(&directory)];
    let command = [&["solve", PUZZLE], &SOLVER[..], &kept].concat();
    refused(&[&command[..], &["--resume"]].concat(), "does not exist, so there are no proofs");
    let stopped = run(&[&command[..], &["--limit-nodes", "9000000"]].concat());
    assert_eq!(stopped.status.code(), Some(4));
    refused(&command, "already has proofs: add --resume");
    refused(&[&["solve", PUZZLE], &kept[..], &["--resume"]].concat(), "only IDA* over pattern");
    let external = ["compare", PUZZLE, "--solver", "exec:true", "--resume"];
    refused(&[&external[..], &kept].concat(), "only IDA* over pattern databases can be continued");
    refused(&["solve", PUZZLE, "--resume"], "--checkpoint");
    let file = file(&directory).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let bound = text.find("\"bound\":").unwrap() + 8;
    let forged = format!("{}99{}", &text[..bound], &text[bound + 2..]);
    for damaged in [&text[..text.len() / 2], &forged, ""] {
        std::fs::write(&file, damaged).unwrap();
        refused(&[&command[..], &["--resume"]].concat(), "remove it to begin this proof again");
    }
    // A file of this name that is of another puzzle.
    std::fs::write(&file, text.replace("grid:4:4 ", "grid:4:4  ")).unwrap();
    refused(&[&command[..], &["--resume"]].concat(), "it is of grid:4:4");
    let blocked = folder.join("file");
    std::fs::write(&blocked, "").unwrap();
    let unwritable = [&["solve", PUZZLE], &SOLVER[..], &["--checkpoint", path(&blocked)]].concat();
    refused(&unwritable, "cannot keep proofs in");
    std::fs::remove_dir_all(&folder).unwrap();
}
