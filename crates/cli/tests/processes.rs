//! Whole graphs shared by several processes of the program.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::common::{folder, path, run, text};
use assert_cmd::cargo::cargo_bin;

fn start(arguments: &[&str]) -> Child {
    Command::new(cargo_bin!("hyperslide"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn processes_find_what_one_finds() {
    let folder = folder("processes");
    let boards: [&[&str]; 5] = [
        &["layers", "grid:2:4", "--format", "csv"],
        &["layers", "grid:3:3", "--format", "csv"],
        &["layers", "cube:3:2", "--start", "3=1,5=2,6=3,7=4", "--format", "csv"],
        &["layers", "cube:3:1", "--start", "1=1,2=2,3=3,4=4,5=5,6=6,7=7", "--format", "csv"],
        &["census", "cube:3:1", "--empty", "3", "--format", "json"],
    ];
    for (number, command) in boards.into_iter().enumerate() {
        let expected = text(command);
        for processes in ["1", "2", "3", "4"] {
            let blocks = folder.join(format!("{number}-{processes}"));
            let shared = ["--blocks", path(&blocks), "--processes", processes];
            let found = text(&[command, &shared].concat());
            assert_eq!(found, expected, "{command:?} {processes}");
            assert!(!blocks.join("hosts").exists());
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Free addresses of this machine, in a file.
fn hosts(folder: &Path, processes: usize) -> std::path::PathBuf {
    let held: Vec<_> =
        (0..processes).map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: Vec<String> =
        held.iter().map(|held| format!("{}\n", held.local_addr().unwrap())).collect();
    let file = folder.join("hosts.txt");
    std::fs::write(&file, lines.concat()).unwrap();
    file
}

#[test]
fn after_one_process_is_killed_the_others_end_and_all_can_go_on() {
    let folder = folder("process-killed");
    let blocks = folder.join("blocks");
    let command = ["layers", "grid:2:5", "--format", "csv"];
    let expected = text(&command);
    let mut kills = 0;
    let found = loop {
        let hosts = hosts(&folder, 3);
        let resume: &[&str] = if blocks.join("process-0/manifest.json").exists() {
            &["--resume"]
        } else {
            // What the others have begun without process 0 is nothing.
            let _ = std::fs::remove_dir_all(&blocks);
            &[]
        };
        let arguments = |process| {
            let shared = ["--blocks", path(&blocks), "--hosts", path(&hosts), "--process", process];
            [&command[..], &shared, resume].concat()
        };
        let mut running: Vec<Child> =
            ["0", "1", "2"].iter().map(|process| start(&arguments(process))).collect();
        std::thread::sleep(Duration::from_millis(500 + 150 * kills));
        if running[0].try_wait().unwrap().is_some() {
            let mut ended = running.into_iter().map(|child| child.wait_with_output().unwrap());
            let first = ended.next().unwrap();
            assert!(first.status.success(), "{}", errors(&first));
            assert!(ended.all(|output| output.status.success() && output.stdout.is_empty()));
            break String::from_utf8(first.stdout).unwrap();
        }
        // SIGKILL.
        let killed = (kills % 3) as usize;
        running[killed].kill().unwrap();
        for (process, child) in running.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            let errors = errors(&output);
            if process != killed && !output.status.success() {
                assert_eq!(output.status.code(), Some(1), "{errors}");
                assert!(errors.contains("of the search is gone"), "{errors}");
                assert!(errors.contains("--resume"), "{errors}");
            }
        }
        kills += 1;
    };
    assert_eq!(found, expected);
    assert!(kills > 0);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Of several processes that this one starts, one says what is wrong.
#[test]
fn processes_say_together_what_one_would_say() {
    let folder = folder("together");
    let blocks = folder.join("blocks");
    let with = |command: &[&str], more: &[&str]| {
        let shared = ["--blocks", path(&blocks), "--processes", "3"];
        run(&[command, &shared, more].concat())
    };
    for (command, why) in [
        (["layers", "graph:4:0-1,1-2", "--start", "a,0,0,b"], "at least two tokens that can move"),
        (["layers", "grid:2:2", "--start", "a,a,b,0"], "hyperslide: "),
    ] {
        let output = with(&command, &[]);
        let told = errors(&output);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains(why), "{told}");
    }
    let command = ["layers", "grid:3:3"];
    let missing = with(&command, &["--resume"]);
    let told = errors(&missing);
    assert_eq!((missing.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    let stopped = with(&command, &["--limit-time", "0"]);
    let told = errors(&stopped);
    assert_eq!(stopped.status.code(), Some(4), "{told}");
    assert!(!told.contains("is gone"), "{told}");
    // One of them was killed before it began: the others' work is continued.
    std::fs::remove_dir_all(blocks.join("process-1")).unwrap();
    let whole = with(&command, &["--resume", "--format", "csv"]);
    assert!(whole.status.success(), "{}", errors(&whole));
    assert_eq!(
        String::from_utf8(whole.stdout).unwrap(),
        text(&["layers", "grid:3:3", "--format", "csv"])
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn wrong_hosts_are_refused() {
    let folder = folder("wrong-hosts");
    let (blocks, file) = (folder.join("blocks"), folder.join("hosts"));
    let shared = ["layers", "grid:3:3", "--blocks", path(&blocks)];
    let refused = |more: &[&str], why: &str| {
        let output = run(&[&shared[..], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", errors(&output));
        assert!(errors(&output).contains(why), "{more:?}: {}", errors(&output));
    };
    refused(&["--hosts", path(&file), "--process", "0"], "cannot read the hosts");
    std::fs::write(&file, "127.0.0.1:7100\nnonsense\n").unwrap();
    refused(&["--hosts", path(&file), "--process", "0"], ":2: 'nonsense' is not an address");
    std::fs::write(&file, "127.0.0.1:7100\n").unwrap();
    refused(&["--hosts", path(&file), "--process", "1"], "there is no process 1");
    refused(&["--hosts", path(&file)], "--process");
    refused(&["--processes", "0"], "write a number from 1 to 64");
    std::fs::write(&file, "192.0.2.1:7100\n").unwrap();
    refused(&["--hosts", path(&file), "--process", "0"], "write an address of this machine");
    let alone = run(&["layers", "grid:3:3", "--processes", "2"]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(errors(&alone).contains("--blocks"), "{}", errors(&alone));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn processes_of_different_boards_do_not_search_together() {
    for (own, why) in [
        (
            &["grid:2:4"][..],
            "process 0 searches grid:3:3, but this process was started for grid:2:4",
        ),
        (&["grid:3:3", "--metric", "edge"], "process 0 searches grid:3:3 in the face metric, but"),
    ] {
        let folder = folder("different-boards");
        let hosts = hosts(&folder, 2);
        let shared = ["--blocks", path(&folder), "--hosts", path(&hosts), "--process"];
        let first = start(&[&["layers", "grid:3:3"], &shared[..], &["0"]].concat());
        let second = start(&[&["layers"], own, &shared[..], &["1"]].concat());
        let (first, second) =
            (first.wait_with_output().unwrap(), second.wait_with_output().unwrap());
        assert_eq!(second.status.code(), Some(2), "{}", errors(&second));
        assert!(errors(&second).contains(why), "{}", errors(&second));
        assert_eq!(first.status.code(), Some(1), "{}", errors(&first));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
