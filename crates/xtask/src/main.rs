//! The project's own checks: `cargo xtask test` runs exactly what continuous integration runs.

mod browser;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask test           formatting, lints, documentation, all tests, the browser's included
       cargo xtask test --fast    formatting, lints, and the tests that take seconds";

/// Test programs that take longer than some seconds on two cores: `--fast` leaves them out.
const SLOW: &[&str] = &[
    "admissible",
    "agreement",
    "census_records",
    "exact_tables",
    "heuristics",
    "known_lengths",
    "memory",
    "partitions",
    "patterns",
    "reruns",
    "rules",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(false),
        ["test", "--fast"] => test(true),
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

fn test(is_fast: bool) -> Result<(), String> {
    need_component("fmt", "rustfmt")?;
    need_component("clippy", "clippy")?;
    step("formatting", cargo(&["fmt", "--all", "--check"]))?;
    step("lints", cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    if !is_fast {
        let mut documentation =
            cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
        step("documentation", documentation.env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    run_tests(is_fast)?;
    if is_fast { Ok(()) } else { browser::test() }
}

/// A test program that cargo built.
struct Program {
    /// The name of its target.
    name: String,
    /// The folder of its package, where it is run.
    folder: String,
    file: String,
}

/// What a program or a run of several printed and counted.
#[derive(Default)]
struct Outcome {
    passed: u64,
    failed: u64,
    /// The programs that did not end well.
    broken: Vec<String>,
}

/// Builds all tests and runs their programs, several at once, since many have one long test. Shows
/// what each prints when it ends, and ends with the sum of their summary lines.
fn run_tests(is_fast: bool) -> Result<(), String> {
    eprintln!("xtask: building the tests");
    let mut programs = build_tests()?;
    if is_fast {
        let is_slow = |program: &Program| SLOW.contains(&program.name.as_str());
        let left_out: Vec<&str> =
            programs.iter().filter(|p| is_slow(p)).map(|p| p.name.as_str()).collect();
        eprintln!("xtask: left out by --fast: {}", left_out.join(", "));
        programs.retain(|program| !is_slow(program));
    }
    eprintln!("xtask: tests");
    // The slow ones first, so that none of them is left for the end.
    programs.sort_by_key(|program| !SLOW.contains(&program.name.as_str()));
    let queue = Mutex::new(VecDeque::from(programs));
    let outcome = Mutex::new(Outcome::default());
    let at_once = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(program) = next else { break };
                    run_program(&program, &outcome);
                }
            });
        }
    });
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !is_fast {
        run_doctests(&mut outcome)?;
    }
    let Outcome { passed, failed, broken } = outcome;
    println!("{passed} passed, {failed} failed");
    if broken.is_empty() && failed == 0 {
        Ok(())
    } else {
        Err(format!("tests failed: {}", broken.join(", ")))
    }
}

/// Builds the test programs and returns them as cargo reports them.
fn build_tests() -> Result<Vec<Program>, String> {
    let failed = |error: std::io::Error| format!("tests could not be built: {error}");
    let mut command =
        cargo(&["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut programs = Vec::new();
    for line in BufReader::new(child.stdout.take().ok_or("cargo has no output")?).lines() {
        programs.extend(read_program(&line.map_err(failed)?));
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(programs) } else { Err(format!("tests do not build ({status})")) }
}

/// The test program that a message of cargo is about, if it is about one.
fn read_program(message: &str) -> Option<Program> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let file = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = std::path::Path::new(message["manifest_path"].as_str()?);
    Some(Program {
        name: message["target"]["name"].as_str()?.to_owned(),
        folder: manifest.parent()?.display().to_string(),
        file: file.to_owned(),
    })
}

fn run_program(program: &Program, outcome: &Mutex<Outcome>) {
    let started = Instant::now();
    let output = Command::new(&program.file)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .output();
    let (text, is_well) = match &output {
        Ok(output) => {
            let text = [&output.stdout[..], &output.stderr[..]].concat();
            (String::from_utf8_lossy(&text).into_owned(), output.status.success())
        }
        Err(error) => (error.to_string(), false),
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = format!("\n{} ({seconds:.1} s)\n{}\n", program.name, text.trim());
    // Whoever does not want to read it closes the pipe; the status still says how it went.
    let _ = std::io::stdout().write_all(shown.as_bytes());
    outcome.count(&text);
    if !is_well {
        outcome.broken.push(program.name.clone());
    }
}

/// Runs the examples in the documentation, which cargo builds and runs itself.
fn run_doctests(outcome: &mut Outcome) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("documentation tests could not be run: {error}");
    let mut command = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
    let output = command.stderr(Stdio::inherit()).output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    outcome.count(&text);
    if !output.status.success() {
        outcome.broken.push("documentation".to_owned());
    }
    Ok(())
}

impl Outcome {
    /// Adds the summary lines of a text.
    fn count(&mut self, text: &str) {
        for summary in text.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            self.passed += count(summary, "passed");
            self.failed += count(summary, "failed");
        }
    }
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
    use super::*;

    #[test]
    fn summaries_are_read() {
        let summary = "FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; finished in 0.00s";
        assert_eq!((count(summary, "passed"), count(summary, "failed")), (12, 3));
        assert_eq!(count("nothing", "passed"), 0);
    }

    #[test]
    fn test_programs_are_read_from_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/a/b/Cargo.toml",
            "target":{"name":"rules"},"profile":{"test":true},"executable":"/t/rules-1"}"#;
        let program = read_program(message).unwrap();
        assert_eq!((&program.name[..], &program.folder[..]), ("rules", "/a/b"));
        assert_eq!(program.file, "/t/rules-1");
        for other in [
            "not json",
            r#"{"reason":"build-finished","success":true}"#,
            r#"{"manifest_path":"/a","target":{"name":"x"},"profile":{"test":false},"executable":"/x"}"#,
            r#"{"manifest_path":"/a","target":{"name":"x"},"profile":{"test":true},"executable":null}"#,
        ] {
            assert!(read_program(other).is_none(), "{other}");
        }
    }
}
