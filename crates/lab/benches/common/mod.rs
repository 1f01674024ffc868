//! What the benchmarks share: timing, and where their figures go.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use hyperslide_lab::{Machine, REVISION};
use serde_json::{Value, json};

/// The file after `--record`, if there is one; its path is relative to the root of the repository.
pub fn record_file() -> Option<String> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|text| text != "--bench").collect();
    match &arguments[..] {
        [] => None,
        [flag, file] if flag == "--record" => Some(file.clone()),
        other => panic!("usage: cargo bench [--bench NAME] [-- --record FILE], not {other:?}"),
    }
}

/// Adds measurements to a file, one JSON object a line, each with the revision and the machine.
pub fn record(file: &str, measurements: impl IntoIterator<Item = Value>) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut output = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(Path::new(root).join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    for mut measurement in measurements {
        measurement["revision"] = json!(REVISION);
        measurement["machine"] = json!(Machine::current());
        writeln!(output, "{measurement}").unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

/// Wall-clock seconds and the result.
pub fn seconds<T>(part: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = part();
    (start.elapsed().as_secs_f64(), result)
}
