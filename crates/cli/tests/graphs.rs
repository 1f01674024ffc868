//! Whole graphs from the command line: layers, census, checkpoints under kills, tables.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{folder, json, path, refuses, run, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

#[test]
fn layers_of_the_8_puzzle() {
    // Reinefeld 1993: 181,440 states, two of them at 31.
    let csv = text(&["layers", "--board", "grid:3:3", "--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "depth,states");
    assert_eq!(lines[1..4], ["0,1", "1,2", "2,4"]);
    assert_eq!(*lines.last().unwrap(), "31,2");
    let found = json(&["layers", "--board", "grid:3:3", "--farthest"]);
    assert_eq!(found["states"], 181_440);
    assert_eq!(found["depth"], 31);
    let mut farthest: Vec<&str> =
        found["farthest"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    farthest.sort_unstable();
    assert_eq!(farthest, ["6,4,7,8,5,0,3,2,1", "8,6,7,2,5,4,3,0,1"]);
}

#[test]
fn layers_to_a_goal_that_many_states_meet() {
    let found = json(&["layers", "--board", "cube:3:1", "--start", "1=0,2=1", "--goal", "1=7,2=*"]);
    // Seven places for token 2, and 56 states in all.
    assert_eq!((&found["layers"][0], &found["states"]), (&7.into(), &56.into()));
}

#[test]
fn a_board_is_an_argument_or_an_option() {
    for command in [&["census", "--empty", "4"][..], &["layers", "--start", "1=0,2=3"]] {
        let without_time = |board: &[&str]| {
            let mut found = json(&[command, board].concat());
            found.as_object_mut().unwrap().remove("wall_s");
            found
        };
        assert_eq!(without_time(&["cube:3:2"]), without_time(&["--board", "cube:3:2"]));
    }
}

#[test]
fn blocks_make_their_directory() {
    let folder = folder("blocks");
    let blocks = folder.join("new/blocks");
    let census = json(&["census", "cube:3:2", "--empty", "4", "--blocks", path(&blocks)]);
    assert_eq!(census["components"][0]["diameter"], 10);
    assert!(blocks.is_dir());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_limit_that_comes_before_the_whole_component_is_the_status_of_classify() {
    for (limit, status) in [("1", 4), ("1000", 0)] {
        let output = run(&["classify", "cube:3:2 1=0,2=1", "--limit-sets", limit]);
        assert_eq!(output.status.code(), Some(status), "{limit}");
    }
}

#[test]
fn unfinished_tables_are_listed() {
    let folder = folder("unfinished");
    std::fs::write(folder.join("8.table.1234.new"), b"hyprtabl").unwrap();
    let listed = |format: &str| {
        let mut command = Command::new(cargo_bin!("hyperslide"));
        command.args(["table", "info", "--format", format]).env("HYPERSLIDE_TABLES", &folder);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let text = listed("text");
    assert!(text.contains("8.table.1234.new") && text.contains("not finished"), "{text}");
    let found: Value = serde_json::from_str(&listed("json")).unwrap();
    assert_eq!((found.as_array().unwrap().len(), &found[0]["table"]), (1, &Value::Null));
    let none = Command::new(cargo_bin!("hyperslide"))
        .args(["table", "info"])
        .env_clear()
        .output()
        .unwrap();
    let text = String::from_utf8(none.stdout).unwrap();
    assert_eq!(text, "no tables: no directory is named for them, set HYPERSLIDE_TABLES or HOME\n");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn wilsons_graph_has_six_components() {
    // Wilson 1974: the hexagon with a seventh vertex across; PGL(2,5) on six tokens.
    let board = "graph:7:0-1,1-2,2-3,3-4,4-5,5-0,0-6,6-3";
    let census = json(&["census", "--board", board, "--empty", "1"]);
    let component = &census["components"][0];
    assert_eq!(component["size"], "840");
    assert_eq!(component["count"], "6");
    assert_eq!(component["arrangements"], "120");
    assert_eq!(census["regime"], "other");
    assert_eq!(census["configurations"], "5040");
}

#[test]
fn a_census_in_the_edge_metric_is_what_the_paper_printed() {
    for (board, empty, face, edge) in
        [("cube:3:2", "7", 2, 3), ("cube:3:2", "3", 1, 2), ("cube:4:3", "15", 2, 4)]
    {
        let diameter = |metric: &str| {
            let census = json(&["census", "--board", board, "--empty", empty, "--metric", metric]);
            census["components"][0]["diameter"].as_u64().unwrap()
        };
        assert_eq!((diameter("face"), diameter("edge")), (face, edge), "{board} {empty}");
    }
}

#[test]
fn a_census_that_is_killed_again_and_again_comes_to_the_same_end() {
    let folder = folder("killed");
    let census = ["census", "--board", "grid:4:4", "--empty", "12"];
    let whole = folder.join("whole.json");
    text(&[&census[..], &["--record", path(&whole)]].concat());
    let whole: Value = serde_json::from_slice(&std::fs::read(&whole).unwrap()).unwrap();

    let (checkpoint, record) = (folder.join("checkpoint"), folder.join("record.json"));
    // To resume what does not exist is refused; an empty directory has a census of no starts.
    std::fs::create_dir(&checkpoint).unwrap();
    let with_checkpoint = [
        &census[..],
        &["--checkpoint", path(&checkpoint), "--resume", "--checkpoint-every", "0"],
        &["--record", path(&record)],
    ]
    .concat();
    let starts = checkpoint.join("starts.jsonl");
    let written = || std::fs::metadata(&starts).map_or(0, |found| found.len());
    let mut kills = 0;
    for wait in (0..).map(|n| n * 37 % 11) {
        let before = written();
        let mut child = Command::new(cargo_bin!("hyperslide"))
            .args(&with_checkpoint)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // As soon as something new is kept: a machine's speed must not decide how often.
        while written() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(wait));
        // SIGKILL: nothing can be tidied up.
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.success() || kills == 200 {
            break;
        }
        kills += 1;
        // What half a write leaves behind must not matter.
        if kills == 3 {
            let mut text = std::fs::read(&starts).unwrap_or_default();
            text.extend(b"{\"occupied\":[0,1");
            std::fs::write(&starts, text).unwrap();
            std::fs::write(checkpoint.join("manifest.json"), b"{\"census\":").unwrap();
        }
    }
    text(&with_checkpoint);
    let resumed: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    for field in ["census", "report", "starts", "digest"] {
        assert_eq!(resumed[field], whole[field], "{field} after {kills} kills");
    }
    assert!(kills > 4, "it was killed {kills} times only");
    let verified = text(&["census", "--verify", path(&record), "--seed", "7"]);
    assert!(verified.contains("all layers agree"), "{verified}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_damaged_search_in_a_checkpoint_is_searched_again() {
    let folder = folder("damaged-checkpoint");
    let checkpoint = folder.join("checkpoint");
    std::fs::create_dir(&checkpoint).unwrap();
    // Eight tokens: long runs, so that starts are searched one after the other and kept inside.
    let census = [
        "census",
        "--board",
        "grid:3:3",
        "--empty",
        "1",
        "--format",
        "json",
        "--checkpoint",
        path(&checkpoint),
        "--resume",
    ];
    let stopped = run(&[&census[..], &["--checkpoint-every", "0", "--limit-time", "0"]].concat());
    assert_eq!(stopped.status.code(), Some(4));
    let bounds: Value = serde_json::from_slice(&stopped.stdout).unwrap();
    // Stopped after the first layer of the first search: there is a bound, and no more.
    assert_eq!(bounds["components"][0]["diameter"]["lower"], 1);
    assert_eq!(bounds["complete"], false);
    let words: Vec<PathBuf> = std::fs::read_dir(&checkpoint)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "words"))
        .collect();
    assert_eq!(words.len(), 1, "{words:?}");
    let mut bytes = std::fs::read(&words[0]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&words[0], bytes).unwrap();
    let whole: Value = serde_json::from_str(&text(&census)).unwrap();
    assert_eq!(whole["components"][0]["diameter"], 31);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What is farthest away is listed also when the search was saved before or after its end.
#[test]
fn farthest_states_are_listed_after_a_continuation() {
    let folder = folder("farthest");
    let checkpoint = folder.join("checkpoint");
    let layers = ["layers", "grid:2:3", "--format", "json", "--farthest", "50"];
    let whole: Value = serde_json::from_str(&text(&layers)).unwrap();
    assert_eq!(whole["farthest"].as_array().unwrap().len(), 1);
    let kept = ["--checkpoint", path(&checkpoint), "--checkpoint-every", "0"];
    let kept = [&layers[..], &kept].concat();
    text(&kept);
    let again: Value = serde_json::from_str(&text(&[&kept[..], &["--resume"]].concat())).unwrap();
    assert_eq!(again["farthest"], whole["farthest"]);
    // No more than were asked for, not even of a goal that all states meet.
    let free = ["layers", "grid:2:2", "--start", "a,b,0,0", "--goal", "*,*,*,*"];
    let output = run(&[&free[..], &["--format", "json", "--farthest", "3"]].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("the 12 states farthest away are not listed: raise --farthest"),
        "{told}"
    );
    let few: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(few["farthest"], Value::Null);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = folder("full-disk");
    let checkpoint = folder.join("checkpoint");
    // Files of at most 2 x 512 bytes: some starts' lines fit, no blocks do.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"])
        .arg(cargo_bin!("hyperslide"))
        .args(["census", "--board", "cube:4:1", "--empty", "11", "--checkpoint"])
        .arg(&checkpoint)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write the checkpoint"), "{error}");
    let resumed = json(&[
        "census",
        "--board",
        "cube:4:1",
        "--empty",
        "11",
        "--checkpoint",
        path(&checkpoint),
        "--resume",
    ]);
    assert_eq!(resumed["components"][0]["diameter"], 20);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_forged_record_is_found_out() {
    let folder = folder("forged");
    let record = folder.join("record.json");
    text(&["census", "--board", "cube:3:2", "--empty", "4", "--record", path(&record)]);
    let honest = std::fs::read_to_string(&record).unwrap();
    let refused = |forged: &str, words: &str| {
        std::fs::write(&record, forged).unwrap();
        let output = run(&["census", "--verify", path(&record)]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words), "{error}");
    };
    refused(
        &honest.replace("\"diameter\":10", "\"diameter\":11"),
        "does not follow from its starts",
    );
    refused(&honest.replacen("\"orbit\":", "\"orbit\":1", 1), "digest");
    refused("{}", "not the record");
    refused(&honest[..honest.len() / 2], "not the record");

    // Layers moved from one distance to another, with the digest made right: only searching tells.
    let mut forged: Value = serde_json::from_str(&honest).unwrap();
    for start in forged["starts"].as_array_mut().unwrap() {
        let layers = start["layers"].as_array_mut().unwrap();
        let (a, b) = (layers[4].as_u64().unwrap(), layers[5].as_u64().unwrap());
        layers[4] = (a + 1).into();
        layers[5] = (b - 1).into();
    }
    let numbers = |list: &Value| {
        let list = list.as_array().unwrap().iter().map(Value::to_string);
        list.collect::<Vec<_>>().join(",")
    };
    let mut lines = "cube:3:2 face 4\n".to_owned();
    for start in forged["starts"].as_array().unwrap() {
        let (occupied, layers) = (numbers(&start["occupied"]), numbers(&start["layers"]));
        lines.push_str(&format!("{occupied} {} {layers}\n", start["orbit"]));
    }
    let sum = Command::new("sh")
        .args(["-c", "printf %s \"$0\" | sha256sum | cut -d' ' -f1", &lines])
        .output()
        .unwrap();
    forged["digest"] = String::from_utf8(sum.stdout).unwrap().trim().into();
    std::fs::write(&record, forged.to_string()).unwrap();
    let output = run(&["census", "--verify", path(&record)]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("recorded layers"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn few_arrangements_of_many_tokens_are_searched() {
    // With one empty vertex, a cycle of n vertices has components that are cycles of n (n - 1)
    // states, whose tokens have (n - 1)! arrangements.
    let cycle = json(&["census", "graph:cycle-20", "--empty", "1"]);
    let component = &cycle["components"][0];
    assert_eq!((&component["size"], &component["diameter"]), (&"380".into(), &190.into()));
    assert_eq!((&component["radius"], &cycle["complete"]), (&190.into(), &true.into()));
    // On a path tokens keep their order: two empty vertices have 120 places, and the farthest are
    // both at either end.
    for more in [&[][..], &["--diameters-only"]] {
        let folder = folder("few-arrangements");
        let record = folder.join("record.json");
        let census = ["census", "grid:1:16", "--empty", "2", "--record", path(&record)];
        let path_graph = json(&[&census[..], more].concat());
        let component = &path_graph["components"][0];
        assert_eq!((&component["size"], &component["diameter"]), (&"120".into(), &28.into()));
        let verified = json(&["census", "--verify", path(&record), "--starts", "all"]);
        assert_eq!(verified["agrees"], true);
    }
    let start: Vec<String> = (1..40).map(|token| format!("{token}={token}")).collect();
    let layers =
        json(&["layers", "graph:cycle-40", "--start", &start.join(","), "--farthest", "5"]);
    let mut expected = vec![2; 781];
    (expected[0], expected[780]) = (1, 1);
    assert_eq!(layers["layers"], serde_json::json!(expected));
    assert_eq!(layers["farthest"].as_array().unwrap().len(), 1);
}

#[test]
fn checking_a_record_keeps_its_limits_while_it_surveys_again() {
    // Its survey takes 11 MB, and longer than a quarter of a second.
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/census/cube-5-3-26.json");
    for (limit, status, words) in [
        (
            ["--limit-memory", "5M"],
            2,
            "a survey of 906,192 occupied sets needs 11.3 MB or more, but only 5.2 MB",
        ),
        (["--limit-time", "0.01"], 4, "the survey takes longer than the limit of 10.0 ms"),
    ] {
        let output = run(&[&["census", "--verify", record][..], &limit].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{error}");
        assert!(error.contains(words), "{error}");
    }
}

/// Several processes that want the same pattern database at once, and one that finds it damaged.
#[test]
fn processes_build_one_pattern_database_and_a_damaged_one_again() {
    let folder = folder("patterns");
    let start = || {
        Command::new(cargo_bin!("hyperslide"))
            .args(["solve", "grid:3:4 0,3,2,1,8,7,6,5,4,11,10,9", "--format", "json"])
            .args(["--algorithm", "idastar", "--heuristic", "patterns:7-4"])
            .env("HYPERSLIDE_TABLES", &folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let solved = |process: std::process::Child| {
        let output = process.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{error}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&found["length"], &found["optimal"]), (&53.into(), &true.into()));
        assert_eq!(found["gap"], 0);
        error
    };
    let files = || {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort_unstable();
        files
    };
    let processes: Vec<_> = (0..4).map(|_| start()).collect();
    // One builds it, and the others wait for it.
    let errors: String = processes.into_iter().map(solved).collect();
    assert!(!errors.contains("damaged"), "{errors}");
    assert_eq!(errors.matches("building a pattern database").count(), 1, "{errors}");
    let built = files();
    assert_eq!(built.len(), 1, "{built:?}");
    assert!(built[0].extension().is_some_and(|ending| ending == "table"));
    assert_eq!(solved(start()), "", "it is there");
    let whole = std::fs::read(&built[0]).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"no table", b""] {
        std::fs::write(&built[0], damaged).unwrap();
        let error = solved(start());
        assert!(error.contains(path(&built[0])), "{error}");
        assert!(std::fs::read(&built[0]).unwrap() == whole && files() == built);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A start whose line is damaged is searched again, but starts without a first line belong to no
/// census.
#[test]
fn a_damaged_first_line_of_a_checkpoint_gets_advice_of_its_own() {
    let folder = folder("damaged-first-line");
    let checkpoint = folder.join("checkpoint");
    let census =
        ["census", "cube:3:2", "--empty", "4", "--checkpoint", path(&checkpoint), "--resume"];
    text(&census[..6]);
    let starts = checkpoint.join("starts.jsonl");
    let whole = std::fs::read_to_string(&starts).unwrap();
    std::fs::write(&starts, whole.replacen("{\"board\"", "\"board\"", 1)).unwrap();
    let output = run(&census);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("first line of") && error.contains("remove the directory"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tables_are_found_by_solve_and_damage_is_reported() {
    let folder = folder("tables");
    let hyperslide = |arguments: &[&str]| {
        Command::new(cargo_bin!("hyperslide"))
            .args(arguments)
            .env("HYPERSLIDE_TABLES", &folder)
            .output()
            .unwrap()
    };
    let solve = ["solve", "grid:3:3 8,6,7,2,5,4,3,0,1", "--format", "json"];
    let solved = |expected: &str| {
        let output = hyperslide(&solve);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&found["length"], &found["optimal"]), (&31.into(), &true.into()));
        assert_eq!(found["algorithm"], expected);
        String::from_utf8(output.stderr).unwrap()
    };
    solved("idastar");
    assert!(hyperslide(&["table", "build", "grid:3:3 1,2,3,4,5,6,7,8,0"]).status.success());
    assert_eq!(solved("table"), "");
    let table = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let verified = hyperslide(&["table", "verify", path(&table)]);
    assert!(verified.status.success());
    let mut bytes = std::fs::read(&table).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 4;
    std::fs::write(&table, bytes).unwrap();
    assert!(solved("idastar").contains("build it again"));
    // A pattern database that may not be built is refused; so is a damaged one.
    let beam = "grid:5:5 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,0,24";
    let patterns = ["solve", beam, "--algorithm", "beam", "--heuristic", "patterns:1+2+3+4+5+6"];
    let refused = |words: &str| {
        let output = hyperslide(&[&patterns[..], &["--no-build"]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words) && error.lines().count() == 1, "{error}");
        error
    };
    let error = refused("none may be built");
    let (_, place) = error.split_once(" on grid:5:5 in ").unwrap();
    let (place, _) = place.split_once(", and none").unwrap();
    std::fs::write(place, "no table").unwrap();
    refused("is not a table");
    std::fs::remove_file(place).unwrap();
    // A place for tables that is none is refused before anything is computed.
    let output = Command::new(cargo_bin!("hyperslide"))
        .args(solve)
        .env("HYPERSLIDE_TABLES", &table)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("is not a directory: set it to a directory"), "{error}");
    for arguments in
        [&["table", "verify", path(&table)][..], &[&solve[..], &["--table", path(&table)]].concat()]
    {
        let output = hyperslide(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("the checksum of its distances is wrong"), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn graph_experiments_have_no_unexplained_cell() {
    for (name, equal, wrong, settled, open) in [
        ("cubical-graphs-table-1", 12, 0, 0, 0),
        ("cubical-graphs-table-2", 28, 0, 0, 0),
        ("cubical-graphs-table-3", 53, 0, 7, 0),
        ("cubical-graphs-table-4", 26, 2, 0, 0),
        ("cubical-graphs-table-5", 54, 6, 0, 0),
        ("cubical-graphs-table-6", 53, 3, 4, 0),
        ("dynamic-programming-3x4", 56, 0, 0, 0),
    ] {
        let found = json(&["experiment", name]);
        let count = |verdict: &str| found["verdicts"][verdict].as_u64().unwrap_or(0);
        let counts =
            [count("equal"), count("published-wrong"), count("settled"), count("not-reached")];
        assert_eq!(counts, [equal, wrong, settled, open], "{name}");
        let rows = found["tables"][0]["rows"].as_array().unwrap();
        let cells = rows.iter().flat_map(|row| row["cells"].as_array().unwrap());
        let judged = cells.filter(|cell| cell.get("verdict").is_some()).count();
        let elsewhere = if name == "dynamic-programming-3x4" { 2 } else { 0 };
        assert_eq!(counts.iter().sum::<u64>(), (judged + elsewhere) as u64, "{name}");
    }
}

#[test]
fn a_search_in_files_survives_being_killed() {
    let folder = folder("killed-in-files");
    let blocks = folder.join("blocks");
    let arguments = ["layers", "grid:2:5", "--format", "csv", "--blocks", path(&blocks)];
    let expected = text(&["layers", "grid:2:5", "--format", "csv"]);
    let mut kills = 0;
    let found = loop {
        let resume: &[&str] =
            if blocks.join("manifest.json").exists() { &["--resume"] } else { &[] };
        let mut child = Command::new(cargo_bin!("hyperslide"))
            .args([&arguments[..], resume].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(150 + 50 * kills));
        if child.try_wait().unwrap().is_some() {
            break String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        }
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    };
    assert_eq!(found, expected);
    assert!(kills > 0);
    // What was found is still there, and is not overwritten by mistake.
    assert_eq!(text(&[&arguments[..], &["--resume"]].concat()), expected);
    let again = run(&arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("add --resume"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_counts_of_blocks_belong_to_their_record() {
    let folder = folder("block-counts");
    std::fs::create_dir(folder.join("counts")).unwrap();
    let (record, counts) = (folder.join("record.json"), folder.join("counts/blocks.csv.gz"));
    let blocks = folder.join("blocks");
    let census = ["census", "--board", "cube:3:1", "--empty", "2", "--blocks", path(&blocks)];
    text(&[&census[..], &["--record", path(&record), "--block-counts", path(&counts)]].concat());
    let written: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    assert_eq!(written["block_counts"]["file"], "counts/blocks.csv.gz");
    let verify = ["census", "--verify", path(&record), "--samples", "500", "--seed", "3"];
    let found: Value =
        serde_json::from_str(&text(&[&verify[..], &["--format", "json"]].concat())).unwrap();
    assert_eq!(found["agrees"], true, "{found}");
    assert_eq!(found["blocks"]["blocks"], 50);
    assert_eq!(found["blocks"]["states"], 500);
    assert!(text(&verify).contains("500 states of 50 drawn blocks solved with proof"));
    // The two directories are moved together.
    let moved = folder.with_extension("moved");
    let _ = std::fs::remove_dir_all(&moved);
    std::fs::rename(&folder, &moved).unwrap();
    let (record, counts) = (moved.join("record.json"), moved.join("counts/blocks.csv.gz"));
    let verify = ["census", "--verify", path(&record), "--samples", "500", "--seed", "3"];
    text(&verify);

    let honest = std::fs::read(&counts).unwrap();
    let mut damaged = honest.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    let refused = |words: &str| {
        let output = run(&verify);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words), "{error}");
    };
    std::fs::write(&counts, &damaged).unwrap();
    refused("its digest is");
    std::fs::remove_file(&counts).unwrap();
    refused("No such file");
    std::fs::remove_dir_all(&moved).unwrap();
}

#[test]
fn a_count_in_memory_goes_on_from_its_checkpoint() {
    let folder = folder("layers-checkpoint");
    let directory = folder.join("checkpoint");
    let arguments = ["layers", "grid:3:3", "--format", "csv", "--checkpoint", path(&directory)];
    let stopped = run(&[&arguments[..], &["--limit-time", "0.000001"]].concat());
    assert_eq!(stopped.status.code(), Some(4));
    let manifest = directory.join("layers.json");
    let kept = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, kept.replacen("\"layers\":[1", "\"layers\":[2", 1)).unwrap();
    let flipped = run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(flipped.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&flipped.stderr).contains("its checksum is wrong"));
    std::fs::write(&manifest, kept).unwrap();
    let expected = text(&["layers", "grid:3:3", "--format", "csv"]);
    assert_eq!(text(&[&arguments[..], &["--resume"]].concat()), expected);
    let other = run(&["layers", "grid:2:4", "--checkpoint", path(&directory), "--resume"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("has the search of grid:3:3"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The usual goal of a grid is not drawn among all goals, and isolated states are not among those
/// that a census counts.
#[test]
fn samples_agree_with_records_of_grids_and_of_graphs_with_isolated_states() {
    let folder = folder("samples");
    for (number, board) in ["grid:3:3", "graph:5:0-1,0-3,3-4"].into_iter().enumerate() {
        let record = folder.join(format!("{number}.json"));
        let made = run(&["census", board, "--empty", "1", "--record", path(&record)]);
        assert!(made.status.success(), "{made:?}");
        let verify = ["census", "--verify", path(&record), "--samples=1000", "--seed=1"];
        let verified = run(&[&verify[..], &["--format", "json"]].concat());
        assert!(verified.status.success(), "{board}: {verified:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A file that a command reads is not the one that it writes.
#[test]
fn what_is_read_is_not_written_over() {
    let folder = folder("apart");
    let (puzzle, record) = (folder.join("p.txt"), folder.join("r.json"));
    let line = "grid:2:2 1,0,3,2\n";
    std::fs::write(&puzzle, line).unwrap();
    let itself = path(&puzzle);
    for command in [
        &["graph", itself, "--out", itself][..],
        &["export", itself, "--out", itself],
        &["table", "build", itself, "--out", itself],
        &["report", "cubical-table-2", "--records", itself, "--out", itself],
    ] {
        let refused = run(command);
        assert_eq!(refused.status.code(), Some(2), "{command:?}");
        assert_eq!(std::fs::read_to_string(&puzzle).unwrap(), line, "{command:?}");
    }
    let counts = ["--block-counts", path(&record), "--record", path(&record)];
    let blocks = folder.join("blocks");
    let census = ["census", "grid:2:3", "--empty=1", "--blocks", path(&blocks)];
    refuses(&run(&[&census[..], &counts].concat()), "name another for --block-counts");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_for_searches_in_files_is_refused_without_them() {
    for shared in [&["--processes", "2"][..], &["--blocks-also", "x=1G"]] {
        let command = [&["layers", "grid:2:3", "--checkpoint", "never-made"][..], shared].concat();
        let refused = run(&command);
        assert_eq!(refused.status.code(), Some(2), "{command:?}");
        refuses(&refused, "write --blocks DIR");
    }
    assert!(!Path::new("never-made").exists());
}

/// Labels that are given are those of the tokens: a goal with others is refused, also where it has
/// some of them.
#[test]
fn given_labels_take_the_place_of_the_numbers_of_the_goal() {
    let random = ["random", "--board", "grid:2:3", "--tokens", "2xa,2xb"];
    let drawn = text(&[&random[..], &["--goal", "1,2,3,4,0,0"]].concat());
    assert!(drawn.trim_end().ends_with("-> a,a,b,b,0,0"), "{drawn}");
    for goal in ["a,b,c,d,0,0", "c,d,e,f,0,0"] {
        let drawn = run(&[&random[..], &["--goal", goal]].concat());
        refuses(&drawn, "the goal has other labels than the tokens");
    }
}
