//! Boards that mathematicians bring: tori, named graphs, graph6, streams of graphs, groups,
//! repeated labels.

use std::process::{Command, Output};

use crate::common::{folder, json, path, run, run_with, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_torus_of_4_by_4_has_the_census_of_the_tesseract() {
    let census = |board: &str| json(&["census", board, "--empty", "12"])["components"].clone();
    assert_eq!(census("torus:4:4"), census("cube:4:1"));
    let layers =
        |board: &str, start: &str| json(&["layers", board, "--start", start])["layers"].clone();
    // The tokens stand on one square of each.
    assert_eq!(layers("torus:4:4", "1=0,2=1,3=4,4=5"), layers("cube:4:1", "1=0,2=1,3=4,4=5"));
}

/// The limits hold for each line, and its error says what to do.
#[test]
fn a_stream_of_boards_keeps_its_limits() {
    let census = |more: &[&str]| {
        let stream = ["census", "-", "--empty", "8"];
        run_with(&[&stream[..], more].concat(), b"cube:5:2\n")
    };
    // Ten million occupied sets.
    for (limit, status, words) in [
        (["--limit-time", "0.01"], 4, "the survey takes longer than the limit of 10"),
        (["--limit-memory", "100M"], 2, "raise --limit-memory"),
    ] {
        let output = census(&limit);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{error}");
        assert!(error.contains(words), "{error}");
        assert!(lines(&output)[0]["error"].as_str().unwrap().contains(words), "{error}");
    }
}

#[test]
fn wilsons_theorem_on_all_graphs_of_up_to_7_vertices() {
    // Wilson 1974: with one empty vertex, a 2-connected graph that is not a cycle has one
    // component, or two when it is bipartite, except theta0, which has six.
    let graphs = include_str!("data/two-connected.g6");
    let output = run_with(&["census", "-", "--empty", "1", "--survey-only"], graphs.as_bytes());
    assert!(output.status.success());
    let found = lines(&output);
    assert_eq!(found.len(), 3 + 10 + 56 + 468);
    let mut exceptions = Vec::new();
    for (number, graph) in (2..).zip(&found) {
        assert_eq!(graph["line"], number);
        let board = graph["board"].as_str().unwrap();
        let (vertices, edges) = board["graph:".len()..].split_once(':').unwrap();
        let vertices: usize = vertices.parse().unwrap();
        let edges: Vec<(usize, usize)> = edges
            .split(',')
            .map(|edge| edge.split_once('-').unwrap())
            .map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap()))
            .collect();
        if edges.len() == vertices {
            continue;
        }
        // Two colours, by trying all colourings.
        let is_bipartite = (0..1u32 << vertices)
            .any(|colours| edges.iter().all(|(a, b)| (colours >> a ^ colours >> b) & 1 == 1));
        let components: u64 = graph["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| component["count"].as_str().unwrap().parse::<u64>().unwrap())
            .sum();
        if components != 1 + u64::from(is_bipartite) {
            exceptions.push((graph["input"].clone(), components, vertices, edges.len()));
        }
    }
    let [(input, 6, 7, 8)] = &exceptions[..] else { panic!("{exceptions:?}") };
    let line = format!("graph6:{} a=0,b=1,c=2,d=3,e=4,f=5", input.as_str().unwrap());
    assert_eq!(json(&["classify", &line, "--group"])["group"]["name"], "PGL(2,5)");
}

#[test]
fn a_bad_line_of_a_stream_does_not_stop_it() {
    let input = ">>graph6<<\nCz\n\n# a remark\nDQ\ntorus:2:3\n:CcLV\ngraph:petersn\n";
    let output = run_with(&["census", "-", "--empty", "1"], input.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let found = lines(&output);
    let numbers: Vec<u64> = found.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 5, 6, 7, 8]);
    let error = |line: usize| found[line]["error"].as_str().unwrap_or_default();
    assert!(error(1).starts_with("column 3"), "{}", error(1));
    assert!(error(4).contains("graph:petersen"), "{}", error(4));
    // The same schema as the census of one board.
    let mut alone = json(&["census", "torus:2:3", "--empty", "1"]);
    alone["line"] = 6.into();
    alone["input"] = "torus:2:3".into();
    assert_eq!(found[2], alone);
    assert_eq!(found[0]["components"], found[3]["components"]);
    for (arguments, input) in [
        (&["census", "-", "--empty", "1"][..], ""),
        (&["census", "-", "--empty", "1", "--record", "x.json"], "Cz\n"),
    ] {
        assert_eq!(run_with(arguments, input.as_bytes()).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn graphs_are_written_as_they_are_read() {
    let petersen = text(&["boards", "graph:petersen", "--format", "graph6"]);
    let line = format!("graph6:{}", petersen.trim());
    assert_eq!(text(&["boards", &line, "--format", "graph6"]), petersen);
    let sparse = text(&["boards", &line, "--format", "sparse6"]);
    assert_eq!(
        text(&["boards", &format!("sparse6:{}", sparse.trim()), "--format", "graph6"]),
        petersen
    );
    assert_eq!(run(&["boards", "cube:3:2", "--format", "graph6"]).status.code(), Some(2));
    // The component of one token is the board itself.
    let component = text(&["graph", "graph:cycle-5 a=0", "--format", "graph6"]);
    let symmetries = |board: &str| json(&["boards", board])["symmetries"].clone();
    assert_eq!(symmetries(&format!("graph6:{}", component.trim())), "10");
}

#[test]
fn a_name_never_hides_a_file() {
    let folder = folder("named");
    let graph = |arguments: &[&str]| {
        let mut command = Command::new(cargo_bin!("hyperslide"));
        command.current_dir(&folder).arg("boards").args(arguments).output().unwrap()
    };
    assert!(graph(&["graph:petersen"]).status.success());
    std::fs::write(folder.join("petersen"), r#"{"vertices": 2, "edges": [[0, 1]]}"#).unwrap();
    let refused = graph(&["graph:petersen"]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(message.contains("graph:./petersen"), "{message}");
    let file = String::from_utf8(graph(&["graph:./petersen"]).stdout).unwrap();
    assert!(file.starts_with("graph:2:0-1"), "{file}");
    std::fs::write(folder.join("one.g6"), ">>graph6<<\nCz\n").unwrap();
    std::fs::write(folder.join("bad.g6"), "\nC z\n").unwrap();
    let one = String::from_utf8(graph(&["graph:one.g6"]).stdout).unwrap();
    assert!(one.starts_with("graph:4:0-1,0-2,1-2,1-3,2-3"), "{one}");
    let bad = String::from_utf8(graph(&["graph:bad.g6"]).stderr).unwrap();
    assert!(bad.contains("line 2, column 2"), "{bad}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn groups_are_written_for_people_and_for_gap() {
    let puzzle = "graph:theta0 1,2,3,4,5,6,0";
    let found = json(&["classify", puzzle, "--group"]);
    assert_eq!(
        (&found["group"]["order"], &found["group"]["name"]),
        (&"120".into(), &"PGL(2,5)".into())
    );
    assert_eq!(json(&["classify", puzzle]).get("group"), None);
    let gap = text(&["classify", puzzle, "--format", "gap"]);
    assert!(gap.contains("G := Group(") && gap.contains("Size(G) = 120,"), "{gap}");
    for (puzzle, name) in [
        ("grid:2:3 1,2,3,4,5,0", "A_5"),
        ("torus:3:3 1,2,3,4,5,6,7,8,0", "S_8"),
        ("graph:cycle-6 1,2,3,4,5,0", "C_5"),
        ("graph:path-4 1,2,3,0", "trivial"),
        ("graph:butterfly 0,1,2,3,4", "C_2 x C_2"),
    ] {
        assert_eq!(json(&["classify", puzzle, "--group"])["group"]["name"], name, "{puzzle}");
    }
}

/// GAP computes the orders itself. `cargo xtask test` installs it.
#[test]
fn gap_reads_groups_and_agrees_on_their_orders() {
    let folder = folder("gap");
    for (puzzle, order) in [
        ("graph:theta0 1,2,3,4,5,6,0", "120"),
        ("torus:3:3 1,2,3,4,5,6,7,8,0", "40320"),
        ("cube:4:1 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0", "653837184000"),
        ("graph:petersen 1,2,3,4,5,6,7,8,0,0", "40320"),
        ("graph:path-4 1,2,3,0", "1"),
    ] {
        let file = folder.join("group.g");
        std::fs::write(&file, text(&["classify", puzzle, "--format", "gap"])).unwrap();
        let gap = Command::new("gap")
            .args(["-q", path(&file)])
            .stdin(std::process::Stdio::null())
            .output()
            .expect("GAP is there (Debian: apt-get install gap-core)");
        let printed = String::from_utf8(gap.stdout).unwrap();
        assert_eq!(printed, format!("The order is {order}: true\n"), "{puzzle}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn censuses_with_repeated_labels() {
    let folder = folder("labels");
    let record = folder.join("record.json");
    let found = json(&["census", "torus:3:3", "--tokens", "5xa,3xb", "--record", path(&record)]);
    assert_eq!((&found["configurations"], &found["empty"]), (&504.into(), &1.into()));
    let again = json(&["census", "--verify", path(&record), "--starts", "all"]);
    assert_eq!((&again["agrees"], &again["searched"]), (&true.into(), &found["orbits"]));
    // Labels that all differ are the census of distinguishable tokens.
    let distinct = json(&["census", "grid:2:3", "--tokens", "a,b,c,d,e"]);
    assert_eq!(distinct, json(&["census", "grid:2:3", "--empty", "1"]));
    for wrong in [
        &["--tokens", "2xa", "--empty", "1"][..],
        &["--tokens", "70xa"],
        &["--tokens", "0xa"],
        &["--tokens", "a,,b"],
        &["--tokens", "10xa"],
        &["--tokens", "2xa", "--checkpoint", "x"],
    ] {
        let output = run(&[&["census", "grid:2:3"][..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
