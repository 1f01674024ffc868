//! The tests in a browser: installs what they lack, and runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the tests of `web/` in Chromium.
///
/// Node.js and npm have to be there; Chromium is installed where that is possible, and the packages
/// of the lock file are.
pub fn test() -> Result<(), String> {
    let web = web();
    for program in ["node", "npm"] {
        if !answers(program) {
            return Err(format!(
                "{program} is missing: install Node.js 20 or newer (Debian: nodejs and npm)"
            ));
        }
    }
    let chromium = chromium()?;
    run(
        "the packages of web/",
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&web),
    )?;
    run(
        "tests in the browser",
        Command::new("node").args(["--test", "tests/"]).current_dir(&web).env("CHROMIUM", chromium),
    )
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Where Chromium is: as the environment says, or as Debian has it, installed if need be.
fn chromium() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        let is_there = named.is_file();
        return is_there.then_some(named.clone()).ok_or_else(|| {
            format!("CHROMIUM is '{}', and no file is there: name the program", named.display())
        });
    }
    let installed = PathBuf::from("/usr/bin/chromium");
    if !installed.is_file() {
        eprintln!("xtask: installing Chromium");
        let apt = |arguments: &[&str]| {
            let mut command = Command::new("apt-get");
            let command = command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
            command.status().is_ok_and(|status| status.success())
        };
        // A list of packages that is out of date may do.
        apt(&["update", "-qq"]);
        apt(&["install", "-y", "-qq", "chromium"]);
    }
    let is_there = installed.is_file();
    is_there.then_some(installed).ok_or_else(|| {
        "Chromium is missing: install it (Debian: apt-get install chromium) or name it in CHROMIUM"
            .to_owned()
    })
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn run(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}");
    let status = command.status().map_err(|error| format!("{what}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})")) }
}
