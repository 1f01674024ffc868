//! Proofs that are kept in a directory while they are searched.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{folder, json, path, run, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// With parts of three tokens it takes 12 million states.
const PUZZLE: &str = "korf15/1";
/// It takes 40 million states, which leaves time to kill the search.
const LONG_PUZZLE: &str = "korf15/3";
const RUN: &str = "idastar heuristic=patterns:3-3-3-3-3";
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
    let whole = json(&[&["solve", LONG_PUZZLE], &SOLVER[..]].concat());
    let command =
        [&["solve", LONG_PUZZLE], &SOLVER[..], &["--checkpoint", path(&directory)]].concat();
    let (mut kills, mut wait) = (0, Duration::from_millis(50));
    let found: Value = loop {
        let mut child = Command::new(cargo_bin!("hyperslide"))
            .args([&command[..], &["--format", "json"]].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Until there is something to lose, and then half as much again each time.
        while file(&directory).is_none() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(wait);
        wait += wait / 2;
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
    // Once more it only says what it knows, whatever the limits are, and what it cost.
    let remembered = json(&[&command[..], &["--limit-nodes", "1"]].concat());
    for field in ["status", "moves", "optimal", "lower_bound", "gap", "stats", "algorithm"] {
        assert_eq!(remembered[field], found[field], "{field}");
    }
    assert!(found["explanation"].is_null(), "{found}");
    assert_eq!(remembered["explanation"], "an earlier run finished this proof");
    let shown = text(&command);
    assert!(shown.contains(" proven optimal: an earlier run finished this proof\n"), "{shown}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn runs_of_compare_are_continued() {
    let folder = folder("proof-compare");
    let directory = folder.join("proofs");
    let records = folder.join("records.jsonl");
    let kept = ["--checkpoint", path(&directory), "--records", path(&records)];
    let command = ["compare", PUZZLE, "--solver", RUN, "--limit-nodes", "6000000"];
    let run = |options: &[&str]| json(&[&command[..], options].concat())["runs"][0].clone();
    let recorded = || std::fs::read_to_string(&records).unwrap().lines().count();
    // Without a directory the limit is the end of the run, and is recorded.
    assert_eq!(run(&kept[2..])["status"], "limit-reached");
    assert_eq!(recorded(), 1);
    // With one it ends a run, but not the proof.
    let mut generated = 0;
    let ended = loop {
        let run = run(&kept);
        if run["status"] != "limit-reached" {
            break run;
        }
        let now = run["stats"]["generated"].as_u64().unwrap();
        assert!(now > generated, "{now} after {generated}");
        assert_eq!(recorded(), 1, "only what is proven is recorded");
        generated = now;
    };
    assert_eq!((&ended["status"], &ended["optimal"]), (&"solved".into(), &true.into()), "{ended}");
    let text = std::fs::read_to_string(file(&directory).unwrap()).unwrap();
    let saved: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(saved["content"]["iteration"]["bound"], ended["length"]);
    assert_eq!(saved["content"]["answer"]["moves"], ended["moves"]);
    // Without its record the run is read from the proof.
    let remembered = crate::common::run(&[&command[..], &kept[..2], &["--format=json"]].concat());
    let told = String::from_utf8_lossy(&remembered.stderr).into_owned();
    assert!(told.contains("1 run with a proof that an earlier run finished"), "{told}");
    let table: Value = serde_json::from_slice(&remembered.stdout).unwrap();
    for field in ["stats", "moves"] {
        assert_eq!(table["runs"][0][field], ended[field], "{field}");
    }
    for options in [&kept[..], &kept[2..]] {
        assert_eq!(run(options)["stats"], ended["stats"], "its record is there");
        assert_eq!(recorded(), 2);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_same_puzzle_twice_at_once_is_proven_once() {
    let folder = folder("proof-twice");
    let (directory, batch) = (folder.join("proofs"), folder.join("batch.txt"));
    // With a limit the states are counted by one thread, always in the same order.
    let whole = json(&[&["solve", PUZZLE], &SOLVER[..], &["--limit-nodes", "1000000000"]].concat());
    let line = whole["puzzle"].as_str().unwrap();
    std::fs::write(&batch, format!("{line}\n{line}\n")).unwrap();
    let kept = ["--checkpoint", path(&directory), "--jobs", "2", "--format", "json"];
    // Enough for most of the proof: the search that waits for the other one does the rest.
    let most = whole["stats"]["generated"].as_u64().unwrap() * 4 / 5;
    let limit = ["--limit-nodes", &most.to_string()];
    let output = run(&[&["solve", path(&batch)], &SOLVER[..], &kept, &limit].concat()).stdout;
    let output = String::from_utf8(output).unwrap();
    let results: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let solved = results.iter().filter(|result| result["status"] == "solved").count();
    assert_eq!((solved, results.len()), (1, 2), "{output}");
    assert!(std::fs::read_dir(&directory).unwrap().count() == 2, "a file and the lock");
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
    let none = "only IDA* over pattern databases can be continued";
    refused(&[&["solve", PUZZLE], &kept[..]].concat(), none);
    refused(&[&["compare", PUZZLE, "--solver", "exec:true"], &kept[..]].concat(), none);
    let second = ["compare", PUZZLE, "--solver", "idastar heuristic=patterns", "--solver", "auto"];
    refused(&[&second[..], &kept].concat(), none);
    assert!(!directory.exists(), "nothing was begun");
    let two_empty = "grid:3:3 7,1,3,4,0,2,5,6,0";
    let patterns = ["--algorithm", "idastar", "--heuristic", "patterns"];
    refused(&[&["solve", two_empty], &patterns[..], &kept].concat(), none);
    let command = [&["solve", PUZZLE], &SOLVER[..], &kept].concat();
    let stopped = run(&[&command[..], &["--limit-nodes", "3000000"]].concat());
    assert_eq!(stopped.status.code(), Some(4));
    let shown = String::from_utf8_lossy(&stopped.stdout).into_owned();
    assert!(shown.contains("the same command continues this proof"), "{shown}");
    // So much is done in a moment that there is nothing to keep.
    let other = folder.join("others");
    let soon =
        [&["solve", PUZZLE], &SOLVER[..], &["--limit-nodes", "1000", "--checkpoint", path(&other)]];
    let shown = String::from_utf8_lossy(&run(&soon.concat()).stdout).into_owned();
    assert!(shown.contains("nothing was kept"), "{shown}");
    let file = file(&directory).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let bound = text.find("\"bound\":").unwrap() + 8;
    let forged = format!("{}99{}", &text[..bound], &text[bound + 2..]);
    for damaged in [&text[..text.len() / 2], &forged, ""] {
        std::fs::write(&file, damaged).unwrap();
        refused(&command, "remove it to begin this proof again");
    }
    let another = [&["solve", LONG_PUZZLE, "--limit-nodes", "3000000"], &SOLVER[..]].concat();
    assert_eq!(
        run(&[&another[..], &["--checkpoint", path(&other)]].concat()).status.code(),
        Some(4)
    );
    std::fs::copy(self::file(&other).unwrap(), &file).unwrap();
    refused(&command, "has the proof of grid:4:4");
    // A pipe is not waited for.
    std::fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    refused(&command, "is damaged (not a file)");
    let blocked = folder.join("file");
    std::fs::write(&blocked, "").unwrap();
    let unwritable = [&["solve", PUZZLE], &SOLVER[..], &["--checkpoint", path(&blocked)]].concat();
    refused(&unwritable, "name another directory");
    // A file that cannot be written ends the search at once: its name is that of a directory.
    std::fs::remove_file(&file).unwrap();
    let mut temporary = file.clone().into_os_string();
    temporary.push(".new");
    std::fs::create_dir(&temporary).unwrap();
    for command in [command, [&["compare", PUZZLE, "--solver", RUN], &kept[..]].concat()] {
        let output = run(&command);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("cannot keep the proof in"), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A proof that takes no long iteration is remembered, too, and an answer that was changed is not
/// believed.
#[test]
fn the_answer_of_a_short_proof_is_remembered() {
    let folder = folder("proof-short");
    let directory = folder.join("proofs");
    let command = ["solve", "grid:3:3 8,6,7,2,5,4,3,0,1", "--algorithm", "idastar"];
    let kept = ["--heuristic", "patterns", "--checkpoint", path(&directory)];
    let command = [&command[..], &kept].concat();
    let (first, second) = (json(&command), json(&command));
    assert_eq!((&first["length"], &second["length"]), (&31.into(), &31.into()));
    assert_eq!((&first["stats"], &first["moves"]), (&second["stats"], &second["moves"]));
    let file = file(&directory).unwrap();
    let saved = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, saved.replacen("\"to\":4", "\"to\":3", 1)).unwrap();
    let output = run(&command);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("is damaged (its checksum is wrong): remove it"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What earlier runs did is counted even if a limit is reached before the search goes on.
#[test]
fn a_run_that_is_stopped_at_once_counts_what_was_done_before() {
    let folder = folder("proof-stopped");
    let directory = folder.join("proofs");
    let command = [&["solve", PUZZLE, "--format", "json"], &SOLVER[..]].concat();
    let stopped = |limit: [&str; 2]| -> Value {
        let output = run(&[&command[..], &["--checkpoint", path(&directory)], &limit].concat());
        assert_eq!(output.status.code(), Some(4));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let first = stopped(["--limit-nodes", "6000000"]);
    let second = stopped(["--limit-time", "0.000001"]);
    assert_eq!(first["lower_bound"], second["lower_bound"]);
    for count in ["expanded", "generated"] {
        let [first, second] = [&first, &second].map(|run| run["stats"][count].as_u64().unwrap());
        assert!(0 < second && second <= first, "{count}: {second} after {first}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
