//! Commands, what they are for, and how long they take.

use std::process::{Command, ExitStatus};
use std::time::Instant;

/// A command of cargo with the settings of daily builds.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments);
    command
}

/// A command of cargo that compiles each crate as one part, which makes tests that run for minutes
/// a third faster. Nobody debugs them, and no part is kept for the next build.
pub fn optimising_cargo(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.envs([
        ("CARGO_INCREMENTAL", "0"),
        ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
        ("CARGO_PROFILE_DEV_DEBUG", "false"),
    ]);
    command
}

/// Does something, and says what it is and how long it took.
pub fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    eprintln!("xtask: {what}");
    let started = Instant::now();
    let result = work();
    eprintln!("xtask: {what} took {:.0} s", started.elapsed().as_secs_f64());
    result
}

/// Runs a command, and names it when it fails.
pub fn run(what: &str, command: &mut Command) -> Result<(), String> {
    let status = timed(what, || command.status());
    check(what, status.map_err(|error| format!("{what} could not be run: {error}"))?)
}

/// Runs a command that tells much, and shows what it told when it fails.
pub fn run_quietly(what: &str, command: &mut Command) -> Result<(), String> {
    let output = timed(what, || command.output());
    let output = output.map_err(|error| format!("{what} could not be run: {error}"))?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    check(what, output.status)
}

fn check(what: &str, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})")) }
}

/// Runs a command while something else is done, and shows what it printed when both have ended.
pub fn run_beside(
    what: &str,
    mut command: Command,
    other: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let (output, done) = std::thread::scope(|scope| {
        let running = scope.spawn(|| timed(what, || command.output()));
        let done = other();
        (running.join(), done)
    });
    let output = output.map_err(|_| format!("{what} was lost"))?;
    let output = output.map_err(|error| format!("{what} could not be run: {error}"))?;
    let printed = [&output.stdout[..], &output.stderr[..]].concat();
    println!("{}", String::from_utf8_lossy(&printed).trim_end());
    done.and(check(what, output.status))
}
