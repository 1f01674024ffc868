//! Output streams and shells: whole lines, full devices, completions, solutions in other notations.
#![cfg(unix)]

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::{Command, Stdio};

use crate::common::{folder, json, path, run, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// What could do no more names those of its own settings that may help.
#[test]
fn searches_that_give_up_say_which_settings_may_help() {
    let puzzle = "grid:3:3 8,6,7,2,5,4,3,0,1";
    for (arguments, advice) in [
        ("beam --width 1 --heuristic blind", "a greater --width may help"),
        ("evolution --generations 1", "a greater --population or --generations may help"),
        ("humanlike --attempts 1 --patience 1", "a greater --patience or --attempts may help"),
    ] {
        let mut command = vec!["solve", puzzle, "--algorithm"];
        command.extend(arguments.split(' '));
        let output = run(&command);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(4), "{arguments}: {text}");
        assert!(text.ends_with(&format!("\n{advice}\n")), "{arguments}: {text}");
    }
}

/// Each write arrives as a datagram of its own: where both streams go to one place, a message in
/// two pieces could split a line of JSON.
#[test]
fn every_line_is_one_write() {
    for (arguments, count) in [
        (&["solve", "grid:2:2 1,2,3"][..], 1),
        (&["solve", "--no-such-option"], 1),
        (&["solve", "grid:2:2 1,2,3", "--format", "json"], 2),
        (&["classify", "grid:2:2 1,2,0,3", "--format", "json"], 1),
    ] {
        let (ours, theirs) = UnixDatagram::pair().unwrap();
        let both = OwnedFd::from(theirs);
        let status = Command::new(cargo_bin!("hyperslide"))
            .args(arguments)
            .stdout(Stdio::from(both.try_clone().unwrap()))
            .stderr(Stdio::from(both))
            .status()
            .unwrap();
        assert!(status.code().is_some());
        ours.set_nonblocking(true).unwrap();
        let mut bytes = vec![0; 1 << 16];
        let mut pieces = Vec::new();
        while let Ok(length) = ours.recv(&mut bytes) {
            pieces.push(String::from_utf8(bytes[..length].to_vec()).unwrap());
        }
        let is_line = |piece: &String| piece.ends_with('\n') && piece.lines().count() == 1;
        assert!(pieces.iter().all(is_line) && pieces.len() == count, "{arguments:?}: {pieces:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_a_failure() {
    for arguments in [&["--help"][..], &["-h"], &["--version"], &["solve", "--help"], &["boards"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output =
            Command::new(cargo_bin!("hyperslide")).args(arguments).stdout(full).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains("cannot write the output: No space left"), "{arguments:?}: {error}");
    }
}

/// A socket stands for all that is no file: a device would be lost for the whole machine.
#[test]
fn no_output_takes_the_place_of_what_is_no_file() {
    let folder = folder("no-file");
    let socket = folder.join("socket.npz");
    let _listening = UnixListener::bind(&socket).unwrap();
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/cubical-table-2.jsonl");
    for arguments in [
        &["report", "cubical-table-2", "--records", records, "--format", "csv"][..],
        &["table", "build", "grid:2:2 1,2,3,0"],
        &["dataset", "grid:2:2 1,2,3,0"],
    ] {
        let output = run(&[arguments, &["--out", path(&socket)]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains("not an ordinary file"), "{arguments:?}: {error}");
        assert!(!socket.metadata().unwrap().is_file(), "{arguments:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What bash offers for the last of these words.
fn completed(words: &[&str]) -> Vec<String> {
    let script = format!(
        "source <('{}' completions bash)\n\
         complete -p hyperslide >/dev/null || exit 1\n\
         COMP_WORDBREAKS=' :'; COMP_WORDS=(\"$@\"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()\n\
         function=$(complete -p hyperslide | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n\
         $function hyperslide \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        path(cargo_bin!("hyperslide").as_ref())
    );
    let mut command = Command::new("bash");
    let output = command.args(["--norc", "-c", &script, "bash"]).args(words).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_names() {
    for (words, expected) in [
        (&["hyperslide", "repl"][..], "replay"),
        (&["hyperslide", "solve", "cubical/d4-level4"], "cubical/d4-level4"),
        (&["hyperslide", "solve", "--algorithm", "ida"], "idastar"),
        (&["hyperslide", "solve", "--heuristic", "pat"], "patterns"),
        (&["hyperslide", "solve", "--metric", "ed"], "edge"),
        (&["hyperslide", "solve", "--limit-t"], "--limit-time"),
        (&["hyperslide", "compare", "korf2"], "korf24"),
        (&["hyperslide", "census", "cu"], "cube:4:3"),
        (&["hyperslide", "random", "--board", "gri"], "grid:4:4"),
        (&["hyperslide", "algorithms", "anyt"], "anytime"),
        (&["hyperslide", "algorithms", "walk"], "walking-distance"),
        (&["hyperslide", "report", "cubical-ta"], "cubical-table-2"),
        (&["hyperslide", "experiment", "dynamic"], "dynamic-programming-3x4"),
        // Bash breaks words at colons and wants what follows the last one.
        (&["hyperslide", "boards", "graph", ":", "pet"], "petersen"),
        (&["hyperslide", "census", "graph", ":"], "mobius-kantor"),
        (&["hyperslide", "random", "--board", "cube", ":", "4", ":"], "3"),
        (&["hyperslide", "random", "--board", "graph", ":", "heaw"], "heawood"),
    ] {
        let offered = completed(words);
        assert!(offered.iter().any(|word| word == expected), "{words:?}: {offered:?}");
        let begun = words[words.len() - 1].trim_start_matches(':');
        assert!(offered.iter().all(|word| word.starts_with(begun)), "{words:?}: {offered:?}");
    }
}

#[test]
fn solutions_are_written_and_checked_in_the_notation_of_other_programs() {
    const PUZZLE: &str = "grid:3:3 1,2,3,0,5,6,4,7,8";
    let solved = text(&["solve", PUZZLE, "--moves", "slidysim"]);
    assert!(solved.contains("3 moves, proven optimal\nUL2\n"), "{solved}");
    let as_json = json(&["solve", PUZZLE, "--moves", "slidysim"]);
    assert_eq!((&as_json["slidysim"], &as_json["length"]), (&"UL2".into(), &3.into()));
    let replayed = json(&["replay", PUZZLE, "UL2"]);
    assert_eq!((&replayed["reaches_goal"], &replayed["length"]), (&true.into(), &3.into()));
    assert_eq!(replayed["moves"], as_json["moves"]);
    assert_eq!(replayed["end"], "1,2,3,4,5,6,7,8,0");
    for (moves, status, words) in [
        ("UL2", 0, "3 moves, all legal: the goal is reached"),
        ("6-3 7-6 8-7", 0, "the goal is reached"),
        ("UL", 1, "2 moves, all legal: the goal is not reached"),
        ("UR", 2, "no tile can move right"),
        ("8-7", 2, "move 1 of 1 is illegal"),
        ("hello", 2, "is not a direction"),
    ] {
        let output = run(&["replay", PUZZLE, moves]);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(status), "{moves}: {said}");
        assert!(said.contains(words), "{moves}: {said}");
    }
    let cube = run(&["solve", "cube:2:1 a=0 -> a=3", "--moves", "slidysim"]);
    assert_eq!(cube.status.code(), Some(2));
    assert!(String::from_utf8(cube.stderr).unwrap().contains("are for grids"));
}

/// A table whose checksums are right but which has lost all states except the goal.
fn forge(table: &[u8]) -> Vec<u8> {
    const FIXED: usize = 20;
    const PAGE: usize = 4096;
    let length = u32::from_le_bytes(table[12..16].try_into().unwrap()) as usize;
    let mut description: Value = serde_json::from_slice(&table[FIXED..FIXED + length]).unwrap();
    let start = (FIXED + length).next_multiple_of(PAGE);
    // A byte for each state: its distance, or 255.
    let lost = |byte: &u8| if *byte == 0 { 0 } else { 255 };
    let distances: Vec<u8> = table[start..].iter().map(lost).collect();
    description["payload_crc32"] = crc32(&distances).into();
    let description = description.to_string().into_bytes();
    let mut forged = table[..12].to_vec();
    forged.extend((description.len() as u32).to_le_bytes());
    forged.extend(crc32(&description).to_le_bytes());
    forged.extend(&description);
    forged.resize(forged.len().next_multiple_of(PAGE), 0);
    forged.extend(distances);
    forged
}

/// The checksum of table files, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        let shift = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
        (0..8).fold(crc ^ u32::from(byte), shift)
    })
}

#[test]
fn no_puzzle_is_called_unsolvable_because_a_table_says_so() {
    const START: &str = "grid:2:3 4,1,2,5,0,3";
    let folder = folder("forged-table");
    let table = folder.join("forged.table");
    let goal = ["table", "build", "grid:2:3 1,2,3,4,5,0", "--bits", "8", "--out", path(&table)];
    assert!(run(&goal).status.success());
    let solve = ["solve", START, "--table", path(&table), "--format", "json"];
    let honest = json(&solve[..4]);
    assert_eq!((&honest["status"], &honest["algorithm"]), (&"solved".into(), &"table".into()));
    std::fs::write(&table, forge(&std::fs::read(&table).unwrap())).unwrap();
    assert!(run(&["table", "info", path(&table)]).status.success(), "its checksums are right");
    let forged: Value = serde_json::from_slice(&run(&solve).stdout).unwrap();
    assert_eq!(forged["length"], honest["length"]);
    assert_ne!(forged["algorithm"], "table");
    std::fs::remove_dir_all(&folder).unwrap();
}
