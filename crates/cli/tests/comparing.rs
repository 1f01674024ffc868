//! Comparisons and batches from the command line.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{folder, json, path, run, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

const COMPARE: [&str; 8] =
    ["compare", "cubical", "--first", "3", "--solver", "greedy", "--solver", "astar"];

/// The instance, solver and wall-clock time of each run. Times of short runs may agree by chance.
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
    let contents = || std::fs::read_to_string(&file).unwrap();
    let records = contents();
    assert_eq!(records.lines().count(), 6);
    std::fs::write(&file, &records[..records.len() - 40]).unwrap();
    let again = times(&compare);
    assert_eq!(again[..5], first[..5]);
    assert_eq!((&again[5].0, &again[5].1), (&first[5].0, &first[5].1));
    assert_eq!(contents().lines().count(), 6);
    // Other limits, another seed, another rule: other runs, added to the file.
    let others = [["--limit-nodes", "100000"], ["--seed", "1"], ["--rule", "2"]];
    for (other, recorded) in others.iter().zip([12, 18, 24]) {
        assert_eq!(times(&[&compare[..], other].concat()).len(), 6);
        assert_eq!(contents().lines().count(), recorded, "{other:?}");
    }
    // A solution that is none is not believed.
    let records = contents();
    std::fs::write(&file, records.replacen("\"from\":", "\"from\":1", 1)).unwrap();
    let refused = run(&compare);
    assert_eq!(refused.status.code(), Some(2));
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("line 1: not a record") && error.lines().count() == 1, "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_solver_that_does_not_fit_loses_no_other_run() {
    let given =
        ["compare", "korf15/12", "cubical/d3-level0", "korf15/12", "--format", "csv", "--runs"];
    let solvers = ["--solver", "greedy", "--solver", "staged schedule=9", "--solver", "greedy"];
    let output = run(&[&given[..], &solvers].concat());
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("staged schedule=9 on cubical/d3-level0"), "{error}");
    // What is named twice counts once.
    let table = String::from_utf8(output.stdout).unwrap();
    let runs: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(runs.len(), 4, "{table}");
    assert!(runs[0].starts_with("korf15/12,greedy") && runs[2].starts_with("korf15/12,staged"));
    assert!(runs[3].starts_with("cubical/d3-level0,staged schedule=9,error,"), "{table}");
    // One value, in which the refused run is a run.
    let json = run(&[&given[..4], &["--format", "json"], &solvers].concat());
    assert_eq!(json.status.code(), Some(2));
    let value: Value = serde_json::from_slice(&json.stdout).unwrap();
    let staged = &value["solvers"][1];
    assert_eq!((&staged["solved"], &staged["instances"]), (&1.into(), &2.into()));
}

/// Records say on how many threads their runs were made, and how they can be repeated.
#[test]
fn one_thread_is_enough() {
    let solver = "idastar heuristic=patterns:4-4-4-3";
    let given = ["compare", "korf15/12", "--threads", "1", "--solver", solver];
    let value = json(&given);
    let provenance = &value["provenance"];
    assert_eq!(provenance["machine"]["cores"], 1);
    // Cargo's own programs are of the same profile as this test.
    let is_release =
        cargo_bin!("hyperslide").components().any(|part| part.as_os_str() == "release");
    assert_eq!(provenance["debug_build"].as_bool().unwrap_or(false), !is_release);
    let command = provenance["command"].as_str().unwrap();
    assert!(command.ends_with("--solver 'idastar heuristic=patterns:4-4-4-3' --format json"));
    let refused = run(&["--threads", "0", "layers", "grid:2:2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("write a number from 1 to 1024"));
}

#[test]
fn runs_are_shown_to_people_too() {
    let shown = text(&[&COMPARE[..], &["--runs", "--limit-nodes", "1000000"]].concat());
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("puzzle ") && first.contains(" shortest  result "), "{shown}");
    let lines = |word: &str| shown.lines().filter(|line| line.contains(word)).count();
    assert_eq!((lines(" greedy "), lines(" astar ")), (3, 3), "{shown}");
    assert!(shown.contains(" proven optimal "), "{shown}");
    let stopped =
        text(&["compare", "korf15/1", "--solver", "astar", "--limit-nodes", "1000", "--runs"]);
    assert!(stopped.contains(" node limit "), "{stopped}");
}

/// A setting, or a heuristic, that an algorithm does not take is refused wherever solvers are
/// named.
#[test]
fn foreign_settings_are_refused_everywhere() {
    let folder = folder("foreign-settings");
    let file = folder.join("experiment.toml");
    for (algorithm, name, value, takes) in [
        ("astar", "width", "5", "astar takes no 'width': it takes heuristic and profile"),
        ("bidirectional", "heuristic", "blind", "bidirectional takes no 'heuristic'"),
        ("hybrid", "profile", "published", "hybrid takes no 'profile'"),
    ] {
        let solver = format!("{algorithm} {name}={value}");
        let experiment = format!(
            "name = \"x\"\ntitle = \"x\"\n[[solver]]\nkey = \"a\"\ntitle = \"a\"\nsolver = \"{solver}\"\n\
             [[row]]\ntitle = \"r\"\ninstance = \"korf15/12\"\n"
        );
        std::fs::write(&file, experiment).unwrap();
        let option = format!("--{name}");
        for arguments in [
            &["solve", "korf15/12", "--algorithm", algorithm, &option, value][..],
            &["compare", "korf15/12", "--solver", &solver],
            &["experiment", path(&file)],
        ] {
            for format in ["text", "json"] {
                let output = run(&[arguments, &["--format", format]].concat());
                let error = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
                assert!(error.contains(takes), "{arguments:?}: {error}");
                assert!(error.starts_with("hyperslide: ") && error.lines().count() == 1, "{error}");
                let text = String::from_utf8(output.stdout).unwrap();
                match format {
                    "json" => {
                        let result: Value = serde_json::from_str(&text).unwrap();
                        assert_eq!(result["status"], "error");
                        assert!(result["explanation"].as_str().unwrap().contains(takes), "{text}");
                    }
                    _ => assert_eq!(text, "", "{arguments:?}"),
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_comparison_without_puzzles_of_its_kind_is_refused() {
    for (arguments, words) in [
        (&["compare", "korf15", "--rule", "99"][..], "--rule 99 is for cubical instances"),
        (&["compare", "cubical", "--rule", "99"], "rule 99 is out of range"),
        // No run at all: there is no table to show.
        (
            &["compare", "korf15/12", "--solver", "astar heuristic=patterns:99"],
            "it has no token 99",
        ),
    ] {
        let output = run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{arguments:?}");
    }
}

/// Puzzles are drawn as they are read.
#[test]
fn random_puzzles_come_one_by_one() {
    let many = ["random", "--board", "grid:3:3", "--count", "1000000000000"];
    let mut child =
        Command::new(cargo_bin!("hyperslide")).args(many).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(
        lines.take(3).filter(|line| line.as_ref().unwrap().starts_with("grid:3:3 ")).count(),
        3
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Hundreds of draws come before a puzzle that can be solved.
#[test]
fn drawing_a_puzzle_ends_in_time() {
    let hard = ["random", "--board", "cube:5:3", "--tokens", "16", "--limit-time", "0.001"];
    let output = Command::new(cargo_bin!("hyperslide")).args(hard).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no random puzzle was found in 0.001 s"), "{errors}");
}

/// Memory is divided among the puzzles of a file, not among more than it has.
#[test]
fn a_puzzle_alone_in_a_file_has_all_the_memory() {
    let folder = folder("alone");
    let file = folder.join("puzzles.txt");
    let ends = |puzzles: &str| -> Vec<String> {
        std::fs::write(&file, puzzles).unwrap();
        let limits = ["--limit-memory", "24M", "--jobs", "2", "--format", "json"];
        let search = ["solve", path(&file), "--heuristic", "patterns:6-6-3"];
        let output = run(&[&search[..], &["--algorithm", "idastar"], &limits].concat());
        let end = |line: &str| serde_json::from_str::<Value>(line).unwrap()["status"].to_string();
        String::from_utf8(output.stdout).unwrap().lines().map(end).collect()
    };
    assert_eq!(ends("korf15/12\n"), ["\"solved\""]);
    assert_eq!(ends("korf15/12\nkorf15/79\n"), ["\"limit-reached\""; 2]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Ctrl-C while one of two searches is under way: what the others have found is printed.
#[cfg(unix)]
#[test]
fn a_batch_that_is_interrupted_tells_what_it_has() {
    let folder = folder("interrupted");
    let file = folder.join("puzzles.txt");
    let easy = "grid:3:3 1,2,3,4,5,6,7,0,8";
    let hard = "grid:5:5 23,1,12,6,16,2,20,10,21,18,14,13,17,19,22,0,15,24,3,7,4,8,5,9,11";
    std::fs::write(&file, [easy, hard, easy, easy].join("\n")).unwrap();
    let batch = ["solve", path(&file), "--algorithm", "idastar", "--jobs", "2", "--format", "json"];
    let mut child =
        Command::new(cargo_bin!("hyperslide")).args(batch).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next()?.unwrap()).ok();
    assert_eq!(next().unwrap()["status"], "solved");
    // The others wait for the second.
    std::thread::sleep(Duration::from_secs(1));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let interrupted = next().unwrap();
    assert_eq!(
        (&interrupted["status"], &interrupted["limit"]),
        (&"limit-reached".into(), &"cancelled".into())
    );
    assert_eq!(
        (next().unwrap()["line"].clone(), next().unwrap()["line"].clone()),
        (3.into(), 4.into())
    );
    assert!(next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(4));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An interrupted command has reached a limit, also where it has nothing to show yet.
#[test]
fn what_is_interrupted_ends_with_the_status_of_limits() {
    let folder = folder("interrupted-early");
    let (table, data) = (folder.join("table"), folder.join("data.npz"));
    // 518,918,400 states.
    let line = "a=0,b=1,c=2,d=3,e=4,f=5,g=6,h=7";
    let puzzle = &format!("cube:4:1 {line} -> {line}")[..];
    let blocks = folder.join("blocks");
    for (command, words) in [
        (["table", "build", puzzle, "--out", path(&table)], "cancelled before the "),
        (["dataset", puzzle, "--out", path(&data), "--count=9"], "cancelled before the "),
        (["census", "cube:6:2", "--tokens", "60xa", "--format=json"], "cancelled before the "),
        (["census", "cube:6:2", "--empty", "7", "--survey-only"], "cancelled"),
        (["census", "cube:4:2", "--empty=7", "--blocks", path(&blocks)], "stopped with 0 of 54"),
    ] {
        let child = Command::new(cargo_bin!("hyperslide"))
            .args(command)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{command:?}: {error}");
        assert!(error.starts_with(&format!("hyperslide: {words}")), "{command:?}: {error}");
    }
    let survey = ["census", "cube:6:2", "--empty", "7", "--survey-only", "--limit-time", "0.2"];
    let late = run(&survey);
    assert_eq!(late.status.code(), Some(4));
    let error = String::from_utf8_lossy(&late.stderr);
    assert!(error.contains("takes longer than the limit"), "{error}");
    assert!(!table.exists() && !data.exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A rule is played, or refused where it cannot be: never left out in silence.
#[test]
fn a_rule_is_for_puzzles_that_have_one() {
    for (puzzles, words) in [
        (&["korf15"][..], "--rule 99 is for cubical instances"),
        (&["korf15/1"], "korf15/1 has no rule to choose: leave out the rule 99"),
        (&["grid:2:2 1,0,3,2"], "--rule 99"),
        (&["cubical"], "rule 99 is out of range for cubical/"),
        (&["korf15", "cubical/d3-level0"], "rule 99 is out of range for cubical/d3-level0"),
    ] {
        let refused = run(&[&["compare", "--rule", "99"], puzzles].concat());
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{puzzles:?}: {error}");
        assert!(error.contains(words) && error.lines().count() == 1, "{puzzles:?}: {error}");
    }
    let played = json(&["compare", "cubical/d3-level0", "--rule", "1", "--solver", "auto"]);
    assert!(played["runs"][0]["puzzle"].as_str().unwrap().starts_with("cube:3:1 "), "{played}");
}

/// Records of other experiments prove nothing about this one, and nobody is said to have done so.
#[test]
fn a_comparison_without_records_says_so() {
    let folder = folder("no-records");
    let from = ["--from", path(&folder)];
    let empty = run(&[&["experiment", "cubical-table-2"], &from[..]].concat());
    assert_eq!(empty.status.code(), Some(2));
    assert!(String::from_utf8(empty.stderr).unwrap().contains("has no records of experiments"));
    std::fs::write(folder.join("empty.jsonl"), "").unwrap();
    let file = folder.join("empty.jsonl");
    let missing = run(&["experiment", "cubical-table-2", "--from", path(&file)]);
    assert_eq!(missing.status.code(), Some(4));
    let text = String::from_utf8(missing.stdout).unwrap();
    assert!(text.contains("no record") && !text.contains("proven by"), "{text}");
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.contains("cubical-table-2: 50 of 50 tasks have no record\n"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An experiment of one's own, in a file of this folder.
fn experiment(folder: &std::path::Path, rest: &str) -> String {
    let file = folder.join("own.toml");
    std::fs::write(&file, format!("name = \"own\"\ntitle = \"Own\"\n{rest}")).unwrap();
    path(&file).to_owned()
}

const COLUMNS: &str = r#"
[[view]]
keys = ["graph", "method"]
columns = [
    { name = "solved", measure = "solved" }, { name = "proven", measure = "proven" },
    { name = "length", measure = "proven-length" }, { name = "all", measure = "is-proven" },
]
"#;

/// The program may be repaired: nothing says that it solved none.
#[test]
fn an_experiment_names_a_program_that_failed_and_runs_it_again() {
    let folder = folder("experiment-failed");
    let (program, records) = (folder.join("program.sh"), folder.join("own.jsonl"));
    let solver = format!(
        "runs = 1\n[[solver]]\nkey = \"mine\"\ntitle = \"mine\"\nsolver = \"exec:sh {}\"\n",
        program.display()
    );
    let row = "[[row]]\npuzzle = \"grid:2:2 1,0,3,2 -> 1,2,3,0\"\n";
    let file = experiment(&folder, &format!("{solver}{COLUMNS}{row}"));
    let arguments = ["experiment", &file, "--records", path(&records)];
    let failed = run(&arguments);
    let told = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(told.contains("failed on puzzle 1"), "{told}");
    assert_ne!(failed.status.code(), Some(0), "{told}");
    assert_eq!(std::fs::read_to_string(&records).unwrap(), "");
    std::fs::write(&program, "cat > /dev/null; echo U\n").unwrap();
    let repaired = run(&arguments);
    let table = String::from_utf8_lossy(&repaired.stdout).into_owned();
    assert!(repaired.status.success() && table.contains("1 of 1"), "{table}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_proven_is_of_each_puzzle_and_may_be_that_there_is_no_solution() {
    let folder = folder("experiment-proven");
    let solver = "runs = 3\n[[solver]]\nkey = \"a\"\ntitle = \"A*\"\nsolver = \"astar\"\n";
    let rows = "[[row]]\ntitle = \"2x3\"\nrandom = { board = \"grid:2:3\" }\n\
                [[row]]\npuzzle = \"grid:2:2 2,1,3,0 -> 1,2,3,0\"\n\
                [[row]]\npuzzle = \"grid:2:2 1,2,0,3 -> 1,2,3,0\"\n";
    let file = experiment(&folder, &format!("{solver}{COLUMNS}{rows}"));
    let table = json(&["experiment", &file]);
    let ours = |row: usize| -> Vec<Value> {
        let cells = table["tables"][0]["rows"][row]["cells"].as_array().unwrap();
        cells.iter().map(|cell| cell["ours"].clone()).collect()
    };
    let three = serde_json::json!({ "count": 3, "of": 3 });
    let none = serde_json::json!({ "count": 0, "of": 3 });
    // Three random puzzles have no one length.
    assert_eq!(ours(0), [three.clone(), three.clone(), Value::Null, "yes".into()]);
    assert_eq!(ours(1), [none, three.clone(), "unsolvable".into(), "yes".into()]);
    assert_eq!(ours(2), [three.clone(), three, 1.into(), "yes".into()]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Solvers that cannot both be right are named in columns that nobody judges, too.
#[test]
fn contradictions_between_solvers_are_seen_in_any_experiment() {
    let folder = folder("experiment-contradiction");
    let solvers = "runs = 2\n[[solver]]\nkey = \"a\"\ntitle = \"A*\"\nsolver = \"astar\"\n\
                   [[solver]]\nkey = \"w\"\ntitle = \"WA*\"\nsolver = \"weighted-astar\"\n";
    let row = "[[row]]\ntitle = \"2x3\"\nrandom = { board = \"grid:2:3\" }\n";
    let file = experiment(&folder, &format!("{solvers}{COLUMNS}{row}"));
    let records = folder.join("own.jsonl");
    assert!(run(&["experiment", &file, "--records", path(&records)]).status.success());
    let right = std::fs::read_to_string(&records).unwrap();
    let first = right.lines().find(|line| line.contains("weighted-astar")).unwrap();
    let field = |name: &str| {
        let rest = first.split(&format!("\"{name}\":")).nth(1).unwrap();
        rest.split(',').next().unwrap().to_owned()
    };
    let run_with = |length: &str, bound: &str| {
        format!("\"length\":{length},\"optimal\":false,\"lower_bound\":{bound},")
    };
    let own = run_with(&field("length"), &field("lower_bound"));
    let forge = |to: &str| {
        let line = |line: &str| match line == first {
            true => line.replacen(&own, to, 1) + "\n",
            false => line.to_owned() + "\n",
        };
        std::fs::write(&records, right.lines().map(line).collect::<String>()).unwrap();
        run(&["experiment", &file, "--from", path(&records)])
    };
    let contradicted = forge(&run_with("1", "1"));
    assert_eq!(contradicted.status.code(), Some(1));
    let table = String::from_utf8_lossy(&contradicted.stdout).into_owned();
    assert_eq!(table.matches("contradiction").count(), 3, "{table}");
    let forged = forge(&run_with("9", "60"));
    let told = String::from_utf8_lossy(&forged.stderr).into_owned();
    assert!(told.contains("a lower bound of 60 for a solution of 9 moves"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Runs at the same time share the memory, and are recorded with what each had.
#[test]
fn a_record_says_the_memory_that_its_run_had() {
    let folder = folder("compare-memory");
    let records = folder.join("runs.jsonl");
    let compare = [&COMPARE[..], &["--limit-memory", "64M", "--records", path(&records)]].concat();
    let made = |jobs: &str| {
        assert!(run(&[&compare[..], &["--jobs", jobs]].concat()).status.success());
        std::fs::read_to_string(&records).unwrap()
    };
    assert_eq!(made("4").matches("\"memory_bytes\":16777216").count(), 6);
    // Alone, each run has all of it, and is another one.
    assert_eq!(made("1").matches("\"memory_bytes\":67108864").count(), 6);
    assert_eq!(made("4").lines().count(), 12);
    std::fs::remove_dir_all(&folder).unwrap();
}
