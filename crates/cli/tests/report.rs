//! `hyperslide report` on the command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn hyperslide(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslide"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn root() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../.."].iter().collect()
}

/// A directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_format_is_written() {
    let folder = directory("formats");
    let records = root().join("records").canonicalize().unwrap();
    for (format, file, beginning) in [
        ("html", "report.html", "<!DOCTYPE html>"),
        ("markdown", "report.md", "# Five publications"),
        ("latex", "report.tex", "\\documentclass{article}"),
        ("csv", "report.csv", "experiment,"),
        ("json", "report.json", "{\"format\":\"hyperslide-report\""),
    ] {
        let records = records.to_str().unwrap();
        let output = hyperslide(&["report", "--format", format, "--records", records], &folder);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let written = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(written.starts_with(beginning), "{format}: {}", &written[..80]);
        assert!(text(&output.stdout).starts_with(file), "{}", text(&output.stdout));
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 5, "something else was left");
}

#[test]
fn an_experiment_of_ones_own_is_reported() {
    let folder = directory("own");
    let experiment = r#"
        name = "own"
        title = "My own"
        [[solver]]
        key = "astar"
        title = "A*"
        solver = "astar"
        [[view]]
        keys = ["instance", "method"]
        columns = [{ name = "solved", measure = "solved" }, { name = "moves", measure = "length.min" }]
        [[row]]
        instance = "cubical/d3-level0"
        rule = 2
    "#;
    std::fs::write(folder.join("own.toml"), experiment).unwrap();
    let run = hyperslide(&["experiment", "own.toml", "--records", "own.jsonl"], &folder);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let output = hyperslide(
        &["report", "own.toml", "--records", "own.jsonl", "--format", "markdown", "--out", "-"],
        &folder,
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = text(&output.stdout);
    let row = "| cubical/d3-level0 | A\\* | 1 of 1 \\[20.7, 100\\] % | 6 |";
    assert!(written.contains(row), "{written}");
    assert!(written.starts_with("# Experiments on sliding puzzles\n\n## "), "{written}");
}

#[test]
fn wrong_input_is_refused_and_nothing_is_lost() {
    let folder = directory("refused");
    std::fs::write(folder.join("report.html"), "mine").unwrap();
    for (arguments, wanted) in [
        (&["report"][..], "there are no records at records: name a file or a directory"),
        (&["report", "no-such"], "no experiment is called 'no-such'"),
        (&["report", "--format", "pdf"], "invalid value 'pdf'"),
        (&["report", "--records", "report.html", "--out", "no/such/x.html"], "not a directory"),
    ] {
        let output = hyperslide(arguments, &folder);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(wanted), "{arguments:?}: {}", text(&output.stderr));
    }
    assert_eq!(std::fs::read_to_string(folder.join("report.html")).unwrap(), "mine");
}
