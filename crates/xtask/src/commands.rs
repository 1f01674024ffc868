//! Commands, what they are for, and how long they take.

use std::process::Command;
use std::time::Instant;

pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments);
    command
}

/// Runs a command, says what it is for and how long it took, and names it when it fails.
pub fn run(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}");
    let started = Instant::now();
    let status = command.status().map_err(|error| format!("{what} could not be run: {error}"))?;
    if status.success() {
        eprintln!("xtask: {what} took {:.0} s", started.elapsed().as_secs_f64());
        Ok(())
    } else {
        Err(format!("{what} failed ({status})"))
    }
}

/// Runs a command while something else is done, and shows what it printed when both have ended.
pub fn run_beside(
    what: &str,
    mut command: Command,
    other: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let (output, done) = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let started = Instant::now();
            (command.output(), started.elapsed().as_secs_f64())
        });
        let done = other();
        (running.join(), done)
    });
    let (output, seconds) = output.map_err(|_| format!("{what} was lost"))?;
    let output = output.map_err(|error| format!("{what} could not be run: {error}"))?;
    let printed = [&output.stdout[..], &output.stderr[..]].concat();
    println!("{}", String::from_utf8_lossy(&printed).trim_end());
    if !output.status.success() {
        return done.and(Err(format!("{what} failed ({})", output.status)));
    }
    eprintln!("xtask: {what} took {seconds:.0} s");
    done
}
