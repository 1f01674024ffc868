//! What the help says is true: its examples run, and it fits a terminal of 100 columns.

use std::path::Path;
use std::process::Command;

use crate::common::{folder, text};
use assert_cmd::cargo::cargo_bin;

const COMMANDS: [&[&str]; 32] = [
    &[],
    &["solve"],
    &["replay"],
    &["compare"],
    &["random"],
    &["instances"],
    &["boards"],
    &["algorithms"],
    &["classify"],
    &["perft"],
    &["paths"],
    &["layers"],
    &["table", "build"],
    &["table", "info"],
    &["table", "verify"],
    &["census"],
    &["theorems"],
    &["experiment"],
    // It reads the records that the experiment has written.
    &["report"],
    &["serve"],
    // What it makes is learned from, exported and backed up by those below.
    &["plays", "simulate"],
    &["plays", "learn"],
    &["plays", "export"],
    &["plays", "import"],
    &["plays", "backup"],
    &["plays", "restore"],
    &["plays", "forget"],
    &["site"],
    &["dataset"],
    &["export"],
    &["graph"],
    &["completions"],
];

fn help(command: &[&str], option: &str) -> String {
    text(&[command, &[option]].concat())
}

/// The lines under "Example:" and the like.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let below = help.lines().skip_while(|line| !line.starts_with("Example"));
    below.skip(1).map(str::trim).filter(|line| !line.is_empty())
}

/// Runs a line in a shell that finds the program, at home in the folder.
fn shell(line: &str, folder: &Path) {
    let program = cargo_bin!("hyperslide");
    let directory = program.parent().unwrap().to_str().unwrap();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).env("HOME", folder);
    command.env_remove("XDG_DATA_HOME");
    command.env_remove("XDG_CACHE_HOME").env_remove("HYPERSLIDE_TABLES");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    let is_announced = |line: &str| line.contains("building a pattern database");
    assert!(error.lines().all(is_announced), "{line}: {error}");
}

#[test]
fn every_command_is_looked_at() {
    let listed = help(&[], "-h");
    let names = listed.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = names.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()) {
        assert!(COMMANDS.iter().any(|command| command.first() == Some(&name)), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn examples_run() {
    let folder = folder("help-examples");
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records");
    std::os::unix::fs::symlink(records, folder.join("records")).unwrap();
    for command in COMMANDS {
        let help = help(command, "--help");
        let mut count = 0;
        for example in examples(&help) {
            count += 1;
            // A server runs until it is stopped: tests/serving.rs starts some.
            if !example.starts_with("hyperslide serve") {
                shell(example, &folder);
            }
        }
        assert!(count > 0, "{command:?} has an example");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn help_fits_a_hundred_columns_and_folds_no_example() {
    for command in COMMANDS {
        for option in ["-h", "--help"] {
            let help = help(command, option);
            for line in help.lines() {
                assert!(line.chars().count() <= 100, "{command:?} {option}: {line}");
            }
            let starts = ["hyperslide", "mkdir"];
            let is_whole = |line: &str| starts.iter().any(|start| line.starts_with(start));
            assert!(examples(&help).all(is_whole), "{command:?} {option}: {help}");
        }
    }
}

/// The common options come first, and what one puzzle needs fits a screen.
#[test]
fn the_help_of_solve_is_short() {
    let (short, long) = (help(&["solve"], "-h"), help(&["solve"], "--help"));
    for (help, most) in [(&short, 24), (&long, 100)] {
        let lines = help.lines().count();
        assert!(lines <= most, "{lines} lines");
    }
    let options = ["--algorithm", "--heuristic", "--limit-time", "--format"];
    let places = options.map(|option| short.find(option).unwrap());
    assert!(places.is_sorted(), "{short}");
    let headings = ["Options:", "Limits:", "Output:", "Tables:", "Settings,", "Examples:"];
    let places = headings.map(|heading| long.find(&format!("\n{heading}")).unwrap());
    assert!(places.is_sorted(), "{long}");
}

/// Every setting is named where somebody would look for it: in the help of `solve`, which says
/// where to read on, and in the description of each algorithm that takes it.
#[test]
fn the_help_of_solve_names_all_settings() {
    let help = help(&["solve"], "--help");
    let settings = help.split_once("\nSettings,").unwrap().1.split_once("\n\n").unwrap().0;
    assert!(settings.contains("`hyperslide algorithms NAME`"), "{settings}");
    for algorithm in crate::common::json(&["algorithms"])["algorithms"].as_array().unwrap() {
        let name = algorithm["name"].as_str().unwrap();
        let described = text(&["algorithms", name]);
        for setting in algorithm["settings"].as_array().unwrap() {
            let setting = format!("--{}", setting["name"].as_str().unwrap());
            for text in [settings, &described] {
                let is_named = text.split_whitespace().any(|word| word == setting);
                assert!(is_named, "{name} {setting}: {text}");
            }
        }
    }
}
