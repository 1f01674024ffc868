//! The project's own checks: `cargo xtask test` runs exactly what continuous integration runs.

use std::process::{Command, ExitCode};

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
    step("tests", cargo(&["test", "--workspace"]))
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
