//! Tells the crate which revision of the source it was built from.

use std::path::Path;
use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let revision =
        match (git(&["rev-parse", "--short=12", "HEAD"]), git(&["status", "--porcelain"])) {
            (Some(revision), Some(changes)) if changes.is_empty() => revision,
            (Some(revision), _) => revision + "-modified",
            (None, _) => "unknown".to_owned(),
        };
    println!("cargo::rustc-env=HYPERSLIDE_REVISION={revision}");
    for watched in ["../../.git/logs/HEAD", "../../crates", "../../instances", "../../experiments"]
    {
        if Path::new(watched).exists() {
            println!("cargo::rerun-if-changed={watched}");
        }
    }
}
