//! Comparisons from the command line.

mod common;

use common::{folder, json, path, run};
use serde_json::Value;

const COMPARE: [&str; 8] =
    ["compare", "cubical", "--first", "3", "--solver", "greedy", "--solver", "astar"];

/// The instance, solver and wall-clock time of each run; no two runs take the same time.
fn times(arguments: &[&str]) -> Vec<(String, String, String)> {
    let table = json(arguments);
    let runs = table["runs"].as_array().unwrap().iter();
    let text = |value: &Value| value.to_string();
    runs.map(|run| (text(&run["instance"]), text(&run["solver"]), text(&run["stats"]["wall_s"])))
        .collect()
}

#[test]
fn recorded_runs_are_not_repeated() {
    let folder = folder("compare-records");
    let file = folder.join("runs.jsonl");
    let compare = [&COMPARE[..], &["--records", path(&file)]].concat();
    let first = times(&compare);
    assert_eq!(first.len(), 6);
    assert_eq!(times(&compare), first);
    // Torn in the last record, as by a kill: that run alone is made again.
    let records = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &records[..records.len() - 40]).unwrap();
    let again = times(&compare);
    assert_eq!(again[..5], first[..5]);
    assert_eq!((&again[5].0, &again[5].1), (&first[5].0, &first[5].1));
    assert_ne!(again[5], first[5]);
    // Other limits, another seed, another rule: other runs, added to the file.
    for other in [["--limit-nodes", "100000"], ["--seed", "1"], ["--rule", "2"]] {
        let other = times(&[&compare[..], &other].concat());
        assert!(other.iter().all(|run| !again.contains(run)), "{other:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 24);
    // A solution that is none is not believed.
    let records = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, records.replacen("\"from\":", "\"from\":1", 1)).unwrap();
    let refused = run(&compare);
    assert_eq!(refused.status.code(), Some(2));
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("line 1: not a record") && error.lines().count() == 1, "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
