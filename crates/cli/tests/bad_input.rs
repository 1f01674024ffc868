//! Bad input of every kind: one clear line on standard error, exit status 2, never a panic.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::{folder, path, refuses, run, run_with};
use assert_cmd::cargo::cargo_bin;

fn temporary(name: &str, contents: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hyperslide-bad-input-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

#[test]
fn specs() {
    let full: Vec<String> = (0..65).map(|n| n.to_string()).collect();
    let sixty_five = format!("grid:5:13 {}", full.join(","));
    for (spec, words) in [
        ("", "is not an instance"),
        ("korf15", "is a suite: name a puzzle of it, as in korf15/1"),
        ("korf", "korf15 and korf24 are suites: name a puzzle, as in korf15/1"),
        ("cube:3:1", "no start"),
        ("cube:3:4 a=0 -> a=1", "k = 4 is out of range for a 3-cube"),
        ("cube:7:2 a=0 -> a=1", "cube dimension 7 is out of range"),
        ("cube:0:0 a=0 -> a=1", "cube dimension 0 is out of range"),
        ("cube:3 a=0 -> a=1", "write cube:D:K"),
        ("cube:3:x a=0 -> a=1", "write cube:D:K"),
        ("cube:-3:1 a=0 -> a=1", "write cube:D:K"),
        ("cube:99999999999999999999:1 a=0 -> a=1", "write cube:D:K"),
        ("tube:3:1 a=0 -> a=1", "board 'tube:3:1' is unknown"),
        ("grid:0:3 1,0", "has none"),
        ("grid:3:3 0,0,0,0,0,0,0,0,0", "no token"),
        ("graph:0: a=0 -> a=1", "has none"),
        (&sixty_five, "at most 64 entries, and this one has 65"),
        ("grid:5:13 a=0 -> a=1", "65 vertices"),
        ("grid:4294967296:4294967296 1,0", "18446744073709551616 vertices"),
        ("graph:65:0-1 a=0 -> a=1", "65 vertices"),
        ("graph:3:0-1,0-1 a=0 -> a=1", "repeats edge 0"),
        ("graph:3:0-0 a=0 -> a=1", "vertex 0 twice"),
        ("graph:3:0-7 a=0 -> a=1", "names vertex 7"),
        ("graph:3:0-1-2 a=0 -> a=1", "is malformed"),
        ("graph:3:0-1,1-x a=0 -> a=1", "is malformed"),
        ("faces:3:0 a=0 -> a=1", "needs at least 2"),
        ("faces:3:0-1-2 edge a=0 -> a=1", "lists none"),
        ("cube:3:1 a=0,b=0 -> a=1,b=2", "vertex 0 holds tokens a and b"),
        ("cube:3:1 a=0,a=1 -> a=1", "label a appears twice"),
        ("cube:3:1 a=8 -> a=1", "on vertex 8"),
        ("cube:3:1 a=x -> a=1", "'x' of label 'a' is not a number"),
        ("cube:3:1 a= -> a=1", "is not a number"),
        ("cube:3:1 a=0,b=1 -> a=1,c=2", "token c, which the start does not have"),
        ("cube:3:1 a=0,b=1 -> a=1", "add '*', as in b=*"),
        ("cube:3:1 a=0 -> a=1+2", "2 times"),
        ("cube:3:1 a=0", "no goal"),
        ("cube:3:1 a=0 ->", "nothing after '->'"),
        ("cube:3:1 a=0 -> a=1 -> a=2", "'->' appears twice"),
        ("cube:3:1 a=* -> a=1", "leaves token a open"),
        ("cube:3:1 0=1,a=0 -> a=1", "leave it out"),
        ("cube:3:1 a!=0 -> a!=1", "label 'a!' is malformed"),
        ("tube:3:1 a!=0,b=x -> c?=1", "'tube:3:1' is unknown"),
        ("tube:3:1 a!=0,b=x -> c?=1", "label 'a!' is malformed"),
        ("tube:3:1 a!=0,b=x -> c?=1", "'x' of label 'b' is not a number"),
        ("tube:3:1 a!=0,b=x -> c?=1", "label 'c?' is malformed"),
        ("grid:2:2 1,?,!,0", "label '?' is malformed: write 1 to 16"),
        ("grid:2:2 1,?,!,0", "label '!' is malformed"),
        ("faces:3:0-7 edge a=0 -> a=1", "names vertex 7"),
        ("faces:3:0-7 edge a=0 -> a=1", "lists none"),
        ("cube:3:1 seventeen_letters=0 -> a=1", "1 to 16 letters"),
        ("grid:2:2 1,2,3", "3 entries, and the board 4 vertices"),
        ("grid:2:2 1,2,3,4,0", "5 entries, and the board 4 vertices"),
        ("grid:2:2 1,,3,0", "empty entry"),
        ("grid:2:2 1,1,2,0", "the usual goal"),
        ("grid:2:2 1,2,4,0", "the usual goal"),
        ("grid:2:2 1,2,*,0", "leaves vertex 2 open"),
        ("grid:2:2 1,2,3,0 -> 1,*,0,0", "leaves 2 tokens free"),
        ("grid:2:2 Edge 1,2,3,0", "malformed"),
        ("{\"board\": \"cube:3:1\"}", "missing field `start`"),
        ("{\"board\": \"cube:3:1\", \"start\": {\"a\": 0, \"a\": 1}}", "appears twice"),
        ("{\"board\": \"cube:3:1\", \"start\": {\"a\": -1}}", "-1"),
        ("{\"board\": \"cube:3:1\", \"start\": {\"a\": []}}", "has no vertex"),
        ("{\"board\": \"cube:3:1\", \"strat\": {\"a\": 0}}", "unknown field"),
        ("graph:missing.json a=0 -> a=1", "missing.json"),
        ("cubical/d4-levle4", "Did you mean cubical/d4-level"),
        // Nobody who writes half of two names means a third.
        ("korf", "korf15 and korf24 are suites: name a puzzle, as in korf15/1."),
        ("corf24/9", "Did you mean korf24/9?"),
        ("cubical/d4", "Did you mean cubical/d4-level0?"),
        ("grid:3:3 123456708", "the start has 1 entry, and the board 9 vertices"),
        ("korf24/51", "that suite has the puzzles korf24/1 to korf24/50"),
        ("korf24/0", "that suite has the puzzles korf24/1 to korf24/50"),
        ("graph:petersn 1=0", "Did you mean graph:petersen?"),
        ("cubical/d4-level4:5", "write --rule 1 to 4"),
    ] {
        refuses(&run(&["solve", spec]), words);
        let json = run(&["solve", spec, "--format", "json"]);
        refuses(&json, words);
        let text = String::from_utf8(json.stdout).unwrap();
        assert_eq!(text.lines().count(), 1, "{spec}: {text}");
        assert!(text.starts_with("{\"status\":\"error\""), "{spec}: {text}");
    }
}

/// Whatever an option takes, a negative number is its value and not an option that nobody knows.
#[test]
fn negative_numbers_are_values() {
    for (arguments, words) in [
        (
            &["census", "cube:3:2", "--empty", "4", "--samples", "-5"][..],
            "write a number from 1 on",
        ),
        (&["census", "cube:3:2", "--tokens", "-5"], "--tokens: "),
        (&["classify", "korf15/1", "--limit-sets", "-5"], "whole number that is not negative"),
        (&["compare", "korf15", "--first", "-5"], "whole number that is not negative"),
        (&["compare", "korf15", "--jobs", "-5"], "for '--jobs"),
        (&["theorems", "--max-d", "-5"], "-5 is not in 1..=5"),
        (&["random", "--board", "-5"], "board '-5' is unknown"),
        (&["solve", "korf15/1", "--format", "-5"], "possible values: "),
    ] {
        refuses(&run(arguments), words);
    }
}

#[test]
fn flags_and_their_combinations() {
    let puzzle = "grid:2:2 1,2,3,0";
    for (flags, words) in [
        (&["--limit-time", "NaN"][..], "not negative"),
        (&["--limit-time", "inf"], "not negative"),
        (&["--limit-time", "-1"], "not negative"),
        (&["--limit-time", "NaN", "--format", "json"], "not negative"),
        (&["--limit-nodes", "-1"], "write a whole number from 0"),
        (&["--seed", "-1"], "write a whole number from 0"),
        (&["--limit-memory", "lots"], "write a number of bytes"),
        (&["--limit-memory", "3MBB"], "write a number of bytes"),
        (&["--algoritm", "astar"], "'--algoritm' found: a similar argument exists: '--algorithm'"),
        (&["--seed", "x"], "invalid value"),
        (&["--algorithm", "magic"], "possible values"),
        (&["--heuristic", "magic"], "no heuristic is called 'magic': write lone-token"),
        (
            &["--heuristic", "lone-token:3"],
            "the heuristic lone-token takes no parameter: leave out ':3'",
        ),
        (&["--weight", "-1"], "write a number from 0 to 1000"),
        (&["--weight", "nan"], "write a number from 0 to 1000"),
        (&["--schedule", "1//2"], "write rows, border, or the tokens of each stage"),
        (&["--profile", "original"], "write published or improved"),
        (&["--width", "0"], "write a whole number from 1 to 1000000000"),
        (&["--region", "0"], "write a whole number from 1 to 63"),
        (&["--region", "64"], "write a whole number from 1 to 63"),
        (&["--population", "0"], "write auto or a whole number from 1 to 1000000"),
        (&["--mutation", "zipf:0"], "write zipf:C with 0 < C <= 100"),
        (&["--alpha", "1.5"], "write a number from 0 to 1"),
        (&["--without", "everything"], "write nothing, or some of learning"),
        (&["--algorithm", "astar", "--width", "5", "--population", "3"], "astar takes no '"),
        (&["--algorithm", "greedy", "--weight", "3"], "it takes heuristic only"),
        (&["--algorithm", "breadth-first", "--heuristic", "blind"], "takes no 'heuristic'"),
        (&["--metric", "diagonal"], "write face or edge"),
        (&["--format", "xml"], "possible values"),
        (&["--rule", "2"], "--rule 2 is for cubical instances"),
        (&["--goal", "1,2,3"], "3 entries"),
        (&["--goal"], "a value is required"),
        (&["--no-such-flag"], "unexpected argument"),
    ] {
        refuses(&run(&[&["solve", puzzle][..], flags].concat()), words);
    }
    for (heuristic, words) in [
        (
            "patterns:",
            "the heuristic patterns: '' is not a value of parts: write sizes as in 6-6-3",
        ),
        ("patterns:1+/2", "'1+/2' is not a value of parts: write sizes as in 6-6-3, tokens as in"),
        ("patterns:1-1", "does not fit the puzzle: the sizes add up to 2"),
        ("lone-token:", "takes no parameter: leave out ':'"),
        ("lone-token,blind:2", "the heuristic blind takes no parameter"),
        (":", "no heuristic is called ''"),
        ("", "no heuristic is called ''"),
    ] {
        let wrong = ["solve", "grid:2:2 1,2,0,3", "--algorithm", "astar", "--heuristic", heuristic];
        refuses(&run(&wrong), words);
    }
    for start in ["grid:2:2 1,2,0,3", "grid:2:2 1,2,3,0", "grid:2:2 2,1,3,0"] {
        let local = ["solve", start, "--algorithm", "local-value-iteration", "--region", "4"];
        refuses(&run(&local), "write 1 to 3");
    }
    refuses(&run(&["solve"]), "required arguments");
    refuses(&run(&["solve", "cubical/d4-level4", "--rule", "5"]), "write --rule 1 to 4");
    refuses(&run(&["solve", "cubical/d4-level4:2", "--rule", "3"]), "rule 2, and --rule 3");
    refuses(&run(&["solve", "korf15/1", "--rule", "3"]), "no rule to choose");
    refuses(&run(&["solve", "faces:3:0-1-2 a=0 -> a=1", "--metric", "edge"]), "lists none");
    // The goal places one token of each of two labels: more goal states than a search from there
    // stores.
    let wide = "grid:5:5 a,a,a,a,a,a,a,a,a,a,a,a,b,b,b,b,b,b,b,b,b,b,b,b,0";
    let open = "*,b,a,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*";
    let both = ["solve", wide, "--goal", open, "--algorithm", "bidirectional"];
    refuses(&run(&both), "use astar or breadth-first");
    refuses(
        &run(&["experiment", "table-9"]),
        "no experiment is called 'table-9': write cubical-cpu,",
    );
    for name in ["cubical-tabel-2", "cubical-table"] {
        refuses(&run(&["experiment", name]), "Did you mean cubical-table-2?");
    }
    refuses(&run(&["algorithms", "bidirectonal"]), "Did you mean bidirectional?");
    refuses(&run(&["algorithms", "linear"]), "Did you mean linear-conflict?");
    for name in ["cubical-table-2", "cubical-graphs-table-1", "cubical-rl-seeds"] {
        let drawn = run(&["experiment", name, "--figures", "figures"]);
        refuses(&drawn, "has no figures: leave out --figures, or name cubical-cpu");
    }
    refuses(&run(&["experiment", "--quick"]), "name an experiment, or all");
    refuses(&run(&["experiment", "--format", "csv"]), "has no CSV format");
    for (file, words) in [
        ("name = 3", "line 1, column 8"),
        ("name = \"x\"\ntitle = \"\"", "there is nothing to do"),
        ("name = \"x\"\ntitle = \"\"\npaper = \"nobody\"", "write one of merleau2024"),
    ] {
        let path = temporary("experiment.toml", file.as_bytes()).display().to_string();
        refuses(&run(&["experiment", &path]), words);
    }
    refuses(&run(&["instances", "cubicle"]), "the suites are cubical");
    refuses(&run(&["boards", "cube:3:4"]), "out of range");
    refuses(&run(&["perft", puzzle, "-1"]), "unexpected argument");
    refuses(&run(&["perft", puzzle, "1001"]), "1001 is not in 0..=1000");
    refuses(&run(&["completions", "cmd"]), "possible values");
}

#[test]
fn files_and_streams() {
    refuses(&run(&["solve", "no-such-file.txt"]), "is not an instance, a file or a puzzle line");
    refuses(&run(&["solve", env!("CARGO_MANIFEST_DIR")]), "is a directory");
    let path = |name: &str, contents: &[u8]| temporary(name, contents).display().to_string();
    refuses(&run(&["solve", &path("empty.txt", b"")]), "holds no puzzle");
    refuses(&run(&["solve", &path("comments.txt", b"# nothing\n\n")]), "holds no puzzle");
    refuses(&run(&["solve", &path("latin1.txt", b"grid:1:2 \xe9,0\n")]), "line 1: not UTF-8");
    refuses(&run(&["solve", &path("latin1.toml", b"board = '\xe9'")]), "is not UTF-8");
    refuses(&run(&["solve", &path("bad.toml", b"board = 3")]), "not a puzzle in TOML");
    let cut = b"{\"board\": \"cube:2:1\",\n";
    refuses(&run(&["solve", &path("cut.json", cut)]), "not a puzzle in JSON: EOF");
    let board = path("board.json", b"{\"vertices\": 3}");
    refuses(&run(&["solve", &format!("graph:{board} a=0 -> a=1")]), "a graph needs \"edges\"");
    let records = path("records.jsonl", b"{}\n");
    refuses(&run(&["experiment", "cubical-table-2", "--from", &records]), "line 1: not a record");
    refuses(
        &run(&["experiment", "cubical-table-2", "--from", "none.jsonl"]),
        "cannot read records",
    );
    let notes = temporary("notes.txt", b"my notes");
    let target = notes.display().to_string();
    refuses(&run(&["experiment", "cubical-table-2", "--records", &target]), "not a record");
    assert_eq!(std::fs::read(&notes).unwrap(), b"my notes");

    let million = format!("grid:2:2 {}\n", "1,".repeat(500_000));
    refuses(&run_with(&["solve", "-"], million.as_bytes()), "a puzzle has at most");
    refuses(&run(&["solve", &path("million.txt", million.as_bytes())]), "a puzzle has at most");
    refuses(&run_with(&["solve", "-"], b"\xff\xfe\n"), "not UTF-8");
    refuses(&run_with(&["solve", "-"], b""), "standard input holds no puzzle");
    let two = b"grid:2:2 1,2,3,0\ngrid:2:2 1,2,0,3\n";
    refuses(&run_with(&["classify", "-"], two), "more than one puzzle");
}

#[test]
fn random_puzzles() {
    let random =
        |board: &str, rest: &[&str]| run(&[&["random", "--board", board][..], rest].concat());
    refuses(&random("grid:1:1", &[]), "use a board of at least 2 vertices");
    refuses(&random("grid:3:3", &["--tokens", "9"]), "use 1 to 8");
    refuses(&random("grid:3:3", &["--tokens", "0"]), "use 1 to 8");
    for (goal, words) in [
        ("1=0,2=1,3=1", "hyperslide: in the goal, vertex 1 holds tokens 2 and 3"),
        ("1=0,2=9", "hyperslide: the goal puts 2 on vertex 9"),
        ("1=0+1,2=2", "names a token twice"),
        ("1=0,0=3", "hyperslide: the goal says 0=..."),
        ("1=0,2=*", "leaves something open"),
        ("1,2,3", "hyperslide: the goal has 3 entries, and the board 8 vertices"),
    ] {
        refuses(&random("cube:3:1", &["--goal", goal]), words);
    }
    let fewer = ["--tokens", "4", "--goal", "1=0,2=2,3=3"];
    refuses(&random("cube:3:1", &fewer), "has 3 tokens and not 4");
    for (rest, words) in [
        (&["--tokens", "2x"][..], "'2x' is not a label"),
        (&["--tokens", "9xa,b"], "10 tokens on 9 vertices"),
        (&["--tokens", "2xa,b", "--goal", "1,2,0,0,0,0,0,0,0"], "has 2 tokens and not 3"),
        (
            &["--tokens", "2xa,b", "--goal", "1,2,x,0,0,0,0,0,0"],
            "other labels than the tokens: write the same ones, or the numbers 1 to 3",
        ),
        (
            &["--tokens", "2xa,b", "--goal", "a,b,b,0,0,0,0,0,0"],
            "other labels than the tokens: write the same ones",
        ),
        (&["--tokens", "4xa,4xb", "--distance", "3"], "leave the labels or the distance out"),
    ] {
        refuses(&random("grid:3:3", rest), words);
    }
    for (board, rest, words) in [
        ("grid:3:3", &["--distance", "32"][..], "no start is 32 moves away: the farthest is 31"),
        (
            "cube:3:2",
            &["--tokens", "3", "--distance", "2"],
            "an exact distance needs one goal for all",
        ),
        ("grid:3:3", &["--distance", "31", "--walk", "3"], "cannot be used with '--walk"),
        (
            "grid:8:8",
            &["--distance", "60", "--limit-time", "0.2"],
            "more than can be searched: use fewer tokens",
        ),
        (
            "grid:8:8",
            &["--distance", "60", "--limit-time", "0.2"],
            "the starts at distance 60 alone are too many as well: ask for a smaller one",
        ),
    ] {
        refuses(&random(board, rest), words);
    }
    let drawn = random("cube:3:1", &["--goal", "1=0,2=2,3=3"]);
    let line = String::from_utf8_lossy(&drawn.stdout);
    assert!(drawn.status.success() && line.ends_with("-> 1=0,2=2,3=3\n"), "{line}");
    // A goal with the labels that were asked for is the goal, in whatever order they were written.
    for (goal, tokens) in [("10,9,2,0", "10,9,2"), ("0,d,c,a", "1xd,a,c")] {
        let drawn = random("grid:2:2", &["--goal", goal, "--tokens", tokens]);
        let line = String::from_utf8_lossy(&drawn.stdout);
        assert!(line.ends_with(&format!("-> {goal}\n")), "{line}");
    }
    // One with numbers is labelled in their order.
    let drawn = random("grid:2:2", &["--goal", "1,3,2,0", "--tokens", "2xa,b"]);
    let line = String::from_utf8_lossy(&drawn.stdout);
    assert!(line.ends_with("-> a,b,a,0\n"), "{line}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_table() {
    let pipe = temporary("pipe", b"");
    std::fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.display().to_string();
    refuses(&run(&["table", "info", &pipe]), "is not a file");
    refuses(&run(&["solve", "grid:2:2 1,2,0,3", "--table", &pipe]), "is not a file");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_and_streams_that_fail() {
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(cargo_bin!("hyperslide"))
        .args(["solve".as_ref(), std::ffi::OsStr::from_bytes(b"grid:2:2 \xff")])
        .output()
        .unwrap();
    refuses(&output, "invalid UTF-8");
    // A directory as standard input cannot be read, now or later.
    let output = Command::new(cargo_bin!("hyperslide"))
        .args(["solve", "-"])
        .stdin(std::fs::File::open("/").unwrap())
        .output()
        .unwrap();
    refuses(&output, "cannot read on");
    // The reader of the output has gone away: no panic, no message.
    let mut child = Command::new(cargo_bin!("hyperslide"))
        .arg("instances")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// A mistake in one line does not stop the others, and the worst line decides the exit status.
#[test]
fn batches_go_on_after_mistakes() {
    let lines = b"\xef\xbb\xbfcubical/d3-level0:1\r\n\
        # a comment\r\n\
        nonsense\r\n\
        {\"board\": \"grid:2:2\",\r\n \"start\": \"1,2,0,3\"}\r\n\
        {\"board\": \"grid:2:2\", \"start\": \"1,2,0,3\"\r\n\
        {\"board\": \"grid:2:2\", \"start\": \"2,1,3,0\"}\r\n\
        {\"board\": \"grid:2:2\",\r\n\
        \xef\xbb\xbfkorf15/88\n";
    let run = |lines: &[u8]| {
        let arguments = ["solve", "-", "--algorithm", "idastar", "--limit-nodes", "1000"];
        let output = run_with(&arguments, lines);
        let text = String::from_utf8(output.stdout).unwrap();
        let results: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ends = results
            .iter()
            .map(|result| {
                (result["status"].as_str().unwrap().to_owned(), result["line"].as_u64().unwrap())
            })
            .collect::<Vec<_>>();
        (ends, output.status.code().unwrap())
    };
    let (ends, status) = run(lines);
    let expected = [
        ("solved", 1),
        ("error", 3),
        ("solved", 4),
        ("error", 6),
        ("unsolvable", 7),
        ("error", 8),
        ("limit-reached", 9),
    ];
    assert_eq!(ends, expected.map(|(status, line)| (status.to_owned(), line)));
    assert_eq!(status, 2);
    assert_eq!(run(b"cubical/d3-level0:1\ncubical/d3-level3:2\n").1, 3);
    assert_eq!(run(b"korf15/88\ncubical/d3-level3:2\n").1, 4);
    assert_eq!(run(b"cubical/d3-level0:1\ncubical/d3-level0:2\n").1, 0);
}

#[test]
fn whole_graphs() {
    let nothing = temporary("no.table", b"hyperslide");
    let nothing = nothing.to_str().unwrap();
    let missing = "no-such-directory/at-all";
    for (arguments, words) in [
        (&["layers", "--board", "cube:4:2"][..], "where do the tokens start"),
        (&["layers", "--board", "grid:3:3", "--empty", "2"], "where do the tokens start"),
        (
            &["layers", "--board", "grid:3:3", "--empty", "2", "--start", "1=0"],
            "--empty 2 does not agree",
        ),
        (&["layers", "--board", "grid:3:3", "--start", "1=9"], "on vertex 9"),
        (&["layers", "--board", "tube:3", "--start", "1=0"], "'tube:3' is unknown"),
        (
            &["layers", "--board", "cube:4:1", "--start", "1=0,2=1", "--goal", "1=0"],
            "add '*', as in 2=*",
        ),
        (&["layers", "--board", "graph:3:0-1", "--start", "1=0", "--goal", "1=2"], "out of reach"),
        (&["layers", "--board", "grid:4:4"], "1.6e11 bytes at one bit each"),
        (&["layers", "--board", "grid:5:5"], "more than can be searched"),
        (&["layers", "--board", "grid:3:3", "--limit-memory", "1K"], "raise --limit-memory"),
        (&["layers", "--board", "grid:3:3", "--format", "xml"], "invalid value 'xml'"),
        (&["layers", "--board", "grid:3:3", "--farthest", "-1"], "invalid value '-1'"),
        (&["layers", "grid:3:3", "--farthest", "-1"], "write a whole number that is not negative"),
        (&["random", "--board", "grid:3:3", "--count", ""], "write a whole number that is not"),
        (&["census", "grid:3:3", "--empty", "99999999999999999999"], "that number is too large"),
        (
            &["layers", "--board", "grid:2:2", "--farthest", "--format", "csv"],
            "--farthest lists states, and CSV has only their number at each distance: use --format json",
        ),
        (&["census", "--board", "cube:4:2"], "--empty"),
        (&["census", "--board", "cube:4:2", "--empty", "17"], "write --empty 0 to 16"),
        (&["census", "--board", "cube:4:2", "--empty", "-1"], "invalid value '-1'"),
        (&["census", "--board", "cube:9:2", "--empty", "3"], "out of range"),
        (&["census", "--board", "cube:6:2", "--empty", "20"], "more than the 100000000"),
        (&["census", "--board", "cube:5:3", "--empty", "16"], "or use --survey-only"),
        (&["census", "cube:6:1", "--empty", "1"], "the same label, or use --survey-only"),
        (
            &["census", "--board", "cube:4:2", "--empty", "7", "--limit-memory", "1M"],
            "raise --limit-memory",
        ),
        (&["census", "--board", "cube:3:2", "--empty", "4", "--resume"], "--checkpoint"),
        (
            &["census", "--board", "cube:3:2", "--empty", "4", "--blocks", nothing],
            &format!("cannot create the directory {nothing} for the searches' blocks"),
        ),
        // A directory that is there and takes no file.
        (
            &["census", "--board", "cube:3:2", "--empty", "4", "--blocks", "/proc"],
            "cannot save progress in /proc",
        ),
        (
            &["census", "cube:3:2", "--empty", "4", "--checkpoint", missing, "--resume"],
            "no-such-directory/at-all does not exist, so there is no census to resume",
        ),
        (&["census", "--empty", "4"], "name a board, as in hyperslide census cube:3:2 --empty 4"),
        (&["census", "cube:3:2", "--board", "cube:3:2", "--empty", "4"], "cannot be used with"),
        (&["layers"], "name a board, as in hyperslide layers"),
        (
            &["experiment", "local-value-iteration-table-2", "--figures", "/dev/null/figures"],
            "or another for --figures",
        ),
        (
            &["census", "--board", "cube:3:2", "--empty", "4", "--checkpoint-every", "601"],
            "at most 600",
        ),
        (
            &["census", "--board", "cube:3:2", "--empty", "4", "--record", "/dev/null"],
            "not an ordinary file",
        ),
        (
            &["census", "--board", "cube:3:2", "--empty", "4", "--record", "no-such/x"],
            "is not a directory",
        ),
        (&["table", "build", "grid:2:2 1,2,3,0", "--out", "/dev/null"], "not an ordinary file"),
        (&["census", "--verify", missing], "cannot read the record"),
        (&["census", "--verify", nothing], "not the record of a census"),
        (&["census", "--verify", nothing, "--empty", "3"], "cannot be used with"),
        (&["table", "info", nothing], "too short"),
        (&["table", "verify", missing], "cannot read the table"),
        (
            &["table", "build", "grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0"],
            "more than can be searched",
        ),
        (
            &["table", "build", "grid:2:2 1,2,3,0", "--limit-memory", "1", "--out", "x"],
            "but only 1 byte may be used",
        ),
        (&["table", "build", "grid:2:2 1,2,3,0", "--keep", "7", "--out", missing], "no token 7"),
        (&["table", "build", "grid:2:2 1,2,3,0", "--bits", "3", "--out", missing], "2 or 8"),
        (
            &["table", "build", "grid:2:2 1,2,3,0", "--rest", "gone", "--out", missing],
            "counted, free or absent",
        ),
        (&["solve", "grid:2:2 1,2,3,0", "--table", nothing], "too short"),
        (&["theorems", "--max-d", "9"], "9 is not in 1..=5"),
        (&["compare", "korf15/12", "--records", "/"], "for records: Is a directory"),
        (&["compare", "korf15/12", "--records", "/no/such/place"], "a directory that is there"),
        (
            &["solve", "korf15/12", "--algorithm", "staged", "--schedule", "1+2/2"],
            "token 2 is listed twice: name it once",
        ),
        (
            &["solve", "korf15/12", "--algorithm", "staged", "--schedule", "99"],
            "no token 99: name those that it has",
        ),
    ] {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        refuses(&output, words);
    }
    // A limit that is far too small leaves bounds.
    let output = run(&["census", "--board", "cube:4:2", "--empty", "7", "--limit-time", "1"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{error}");
    assert!(error.contains("use --checkpoint"), "{error}");
    refuses(
        &run(&["layers", "cube:3:2", "--start", "a=0,b=0"]),
        "in the start, vertex 0 holds tokens a and b\n",
    );
    refuses(&run(&["census", "-", "--empty", "4", "--format", "text"]), "leave --format text out");
    let start: Vec<String> = (1..23).map(|token| format!("{token}={token}")).collect();
    let crowded =
        ["layers", "graph:complete-44", "--limit-memory", "100M", "--start", &start.join(",")];
    refuses(&run(&crowded), "more than can be searched");
    let nothing_there = std::env::temp_dir();
    let resumed = ["census", "cube:3:2", "--empty", "4", "--resume", "--blocks"];
    refuses(&run(&[&resumed[..], &[path(&nothing_there)]].concat()), "has no census to resume");
    refuses(&run(&["census", "-", "--empty", "4", "--resume"]), "--resume is for one board");
    refuses(
        &run(&["solve", "grid:3:3 8,6,7,2,5,4,3,0,1", "--profile", "published"]),
        "auto takes no",
    );
    // A directory with another census, and with one that nobody asked to resume.
    let checkpoint = std::env::temp_dir().join(format!("hyperslide-other-{}", std::process::id()));
    let checkpoint = checkpoint.to_str().unwrap();
    let census = |arguments: &[&str]| {
        run(&[&["census", "--board", "cube:3:2", "--checkpoint", checkpoint], arguments].concat())
    };
    assert!(census(&["--empty", "4"]).status.success());
    refuses(&census(&["--empty", "4"]), "add --resume");
    refuses(&census(&["--empty", "5", "--resume"]), "choose another directory");
    let starts = format!("{checkpoint}/starts.jsonl");
    let text = std::fs::read_to_string(&starts).unwrap();
    std::fs::write(&starts, text.replacen("occupied", "occupier", 1)).unwrap();
    refuses(&census(&["--empty", "4", "--resume"]), "line 2");
    // Other layers with as many states: only the line's checksum tells.
    std::fs::write(&starts, text.replacen("[1,3,", "[1,4,", 1)).unwrap();
    refuses(&census(&["--empty", "4", "--resume"]), "its checksum is wrong");
    // Unlike the damaged line of a start, one that identifies the census cannot be left out.
    std::fs::write(&starts, text.replacen("board", "bored", 1)).unwrap();
    refuses(&census(&["--empty", "4", "--resume"]), "remove the directory and begin again");
    std::fs::remove_dir_all(checkpoint).unwrap();
}

#[test]
fn what_would_do_nothing_is_refused() {
    let folder = folder("does-nothing");
    for option in ["--starts", "--samples", "--seed"] {
        let census = ["census", "grid:3:3", "--empty", "1", option, "3"];
        refuses(&run(&census), "--verify");
    }
    refuses(&run(&["census", "--verify", "none.json", "--samples", "0"]), "from 1 on");
    refuses(
        &run_with(&["census", "-", "--tokens", "a,b"], b"grid:3:3\n"),
        "--tokens is for one board",
    );
    let puzzle = "grid:3:3 1,2,3,4,5,6,7,8,0";
    let out = folder.join("data.npz");
    let dataset =
        ["dataset", puzzle, "--count", "20000000", "--limit-memory", "100M", "--out", path(&out)];
    refuses(&run(&dataset), "20,000,000 states take");
    let large = "grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0";
    let dataset = ["dataset", large, "--limit-memory", "100M", "--out", path(&out)];
    refuses(&run(&dataset), "choose a puzzle with fewer states, or raise --limit-memory");
    assert!(!out.exists());
    // A table that does not reach the start is not used, and that is said.
    let table = folder.join("near.table");
    let near = ["table", "build", puzzle, "--max-states", "1000", "--out", path(&table)];
    assert!(run(&near).status.success());
    let far = "grid:3:3 8,6,7,2,5,4,3,0,1";
    let solved = run(&["solve", far, "--algorithm", "auto", "--table", path(&table)]);
    let told = String::from_utf8_lossy(&solved.stderr).into_owned();
    assert!(solved.status.success() && told.contains("only states nearer to the goal"), "{told}");
    // Nor is any table by an algorithm that looks nothing up.
    let solved = run(&["solve", far, "--algorithm", "astar", "--table", path(&table)]);
    let told = String::from_utf8_lossy(&solved.stderr).into_owned();
    assert!(solved.status.success() && told.contains("astar does not look puzzles up"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What never ends, or is something else, is refused before it is read.
#[test]
fn files_that_are_something_else_are_refused() {
    let folder = folder("something-else");
    let report = folder.join("r.html");
    refuses(&run(&["census", "--verify", "/dev/zero"]), "not a file: name one");
    refuses(
        &run(&["report", "--records", "/dev/zero", "--out", path(&report)]),
        "not a file: name one",
    );
    let text = folder.join("records.jsonl");
    std::fs::write(&text, "# Records\n\nThere are none.\n").unwrap();
    refuses(&run(&["report", "--records", path(&text), "--out", path(&report)]), "has no records");
    assert!(!report.exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn named_graphs_with_other_numbers_say_what_they_take() {
    for graph in ["cycle-2", "cycle-65", "star-64"] {
        let family = graph.split('-').next().unwrap();
        let board = format!("graph:{graph}");
        refuses(
            &run(&["boards", &board]),
            &format!("graph:{family}-N takes other numbers, for at most 64 vertices"),
        );
    }
}

#[test]
fn help_is_a_command_too() {
    let asked = run(&["help", "solve"]);
    assert!(asked.status.success());
    assert_eq!(asked.stdout, run(&["solve", "--help"]).stdout);
    refuses(&run(&["sovle", "x"]), "unrecognized subcommand 'sovle': ");
}

#[test]
fn labels_of_exact_distances_are_different() {
    let random = |tokens| {
        let drawn = ["random", "--board", "grid:3:3", "--tokens", tokens, "--distance", "31"];
        run(&[&drawn[..], &["--seed", "1"]].concat())
    };
    let drawn = random("a,b,c,d,e,f,g,h");
    assert!(drawn.status.success(), "{drawn:?}");
    let line = String::from_utf8(drawn.stdout).unwrap();
    let solved = run(&["solve", line.trim(), "--format", "json"]);
    assert!(String::from_utf8_lossy(&solved.stdout).contains("\"length\":31"), "{line}");
    refuses(&random("2xa,c,d,e,f,g,h"), "label each differently");
}
