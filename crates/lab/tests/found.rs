//! Runs the fuzz targets on the kept inputs: seeds, and whatever the fuzzer once found.

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use targets::TARGETS;

#[test]
fn kept_inputs_pass() {
    for (name, run) in TARGETS {
        let folder = format!("{}/../../fuzz/seeds/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut count = 0;
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"))
        {
            run(&std::fs::read(entry.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{folder} is empty");
    }
}
