//! Tells the crate which revision of the source it was built from, and for what.

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
    // `release` or `debug`, whatever the profile's own name is.
    let profile = std::env::var("PROFILE").unwrap_or_default();
    println!("cargo::rustc-env=HYPERSLIDE_PROFILE={profile}");
    // The revision depends on the source; the data are compiled in.
    let source = ["../../.git/logs/HEAD", "../../crates"];
    let data = ["../../instances", "../../experiments", "../../records/census"];
    for watched in source.into_iter().chain(data) {
        if Path::new(watched).exists() {
            println!("cargo::rerun-if-changed={watched}");
        }
    }
}
