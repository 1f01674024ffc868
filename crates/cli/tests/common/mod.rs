//! Running the command and reading what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// Runs the command.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(cargo_bin!("hyperslide")).args(arguments).output().unwrap()
}

/// Runs the command with this standard input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(cargo_bin!("hyperslide"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may refuse its arguments and end before it reads anything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Expects exit status 2 and one line on standard error with these words in it.
pub fn refuses(output: &Output, words: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(words), "{error}");
    assert!(!error.contains("panicked"), "{error}");
    assert!(error.starts_with("hyperslide: ") && error.lines().count() == 1, "{error}");
    assert!(error.len() < 1200, "{} bytes of error", error.len());
}

/// What the command prints; it has to succeed.
pub fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The same with `--format json`.
pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(&[arguments, &["--format", "json"]].concat())).unwrap()
}

/// An empty directory of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// As an argument.
pub fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
