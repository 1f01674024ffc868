//! The project's own checks: `cargo xtask test` runs exactly what continuous integration runs.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: cargo xtask test    formatting, lints, documentation, all tests";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<(), String> {
    need_component("fmt", "rustfmt")?;
    need_component("clippy", "clippy")?;
    step("formatting", cargo(&["fmt", "--all", "--check"]))?;
    step("lints", cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    step("documentation", documentation.env("RUSTDOCFLAGS", "-D warnings"))?;
    run_tests()
}

/// Runs all tests, shows what they print, and ends with the sum of their summary lines.
fn run_tests() -> Result<(), String> {
    eprintln!("xtask: tests");
    let failed = |error: std::io::Error| format!("tests could not be run: {error}");
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let (mut passed, mut not_passed) = (0, 0);
    for line in BufReader::new(child.stdout.take().ok_or("tests have no output")?).lines() {
        let line = line.map_err(failed)?;
        println!("{line}");
        if let Some(summary) = line.strip_prefix("test result: ") {
            passed += count(summary, "passed");
            not_passed += count(summary, "failed");
        }
    }
    let status = child.wait().map_err(failed)?;
    println!("{passed} passed, {not_passed} failed");
    if status.success() { Ok(()) } else { Err(format!("tests failed ({status})")) }
}

/// The number before a word of a summary such as `ok. 12 passed; 0 failed; ...`.
fn count(summary: &str, word: &str) -> u64 {
    let words: Vec<&str> = summary.split([' ', ';']).collect();
    let place = words.iter().position(|&other| other == word);
    place.and_then(|place| words.get(place.wrapping_sub(1))?.parse().ok()).unwrap_or(0)
}

/// Installs a component of the toolchain when its command is missing, or says what to do.
fn need_component(command: &str, component: &str) -> Result<(), String> {
    let is_there =
        || cargo(&[command, "--version"]).output().is_ok_and(|output| output.status.success());
    if is_there() {
        return Ok(());
    }
    eprintln!("xtask: cargo {command} is missing, installing {component}");
    let mut rustup = Command::new("rustup");
    let _ = rustup.args(["component", "add", component]).status();
    if is_there() {
        Ok(())
    } else {
        Err(format!("cargo {command} is missing: run rustup component add {component}"))
    }
}

fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments);
    command
}

fn step<C: std::borrow::BorrowMut<Command>>(name: &str, mut command: C) -> Result<(), String> {
    eprintln!("xtask: {name}");
    match command.borrow_mut().status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed ({status})")),
        Err(error) => Err(format!("{name} could not be run: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn summaries_are_read() {
        let summary = "FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; finished in 0.00s";
        assert_eq!((count(summary, "passed"), count(summary, "failed")), (12, 3));
        assert_eq!(count("nothing", "passed"), 0);
    }
}
