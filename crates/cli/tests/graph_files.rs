//! Components written state by state, read by parsers that share no code with the program.

use crate::common::{folder, json, path, run, text};
use serde_json::Value;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn layers_are_those_that_layers_counts() {
    for (board, start) in [
        ("grid:2:3", "1,2,3,4,5,0"),
        ("cube:3:2", "r=4,p=1,b=5,g=6"),
        ("cube:3:1", "a=0+1,b=2+4"),
        ("cube:3:2 edge", "a=0,b=3"),
    ] {
        let graph = json(&["graph", &format!("{board} {start}")]);
        let (name, metric) = board.split_once(' ').unwrap_or((board, "face"));
        let arguments = ["layers", "--board", name, "--start", start, "--metric", metric];
        let counted = json(&arguments);
        assert_eq!(graph["layers"], counted["layers"], "{board}");
        let nodes = list(&graph["nodes"]);
        assert_eq!(counted["states"], nodes.len());
        // Each state once, and the distances along edges differ by 1 at most.
        let states: std::collections::HashSet<&str> =
            nodes.iter().map(|node| node["state"].as_str().unwrap()).collect();
        assert_eq!(states.len(), nodes.len());
        let distance =
            |node: &Value| nodes[node.as_u64().unwrap() as usize]["distance"].as_u64().unwrap();
        for edge in list(&graph["edges"]) {
            assert!(distance(&edge[0]).abs_diff(distance(&edge[1])) <= 1);
        }
    }
}

#[test]
fn every_format_has_the_same_graph() {
    let puzzle = "cube:3:2 r=4,p=1,b=5 -> r=5,p=1,b=4";
    let graph = json(&["graph", puzzle]);
    let (nodes, edges) = (list(&graph["nodes"]).len(), list(&graph["edges"]).len());
    let xml = text(&["graph", puzzle, "--format", "graphml"]);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let name = "http://graphml.graphdrawing.org/xmlns";
    let named = |tag: &str| document.descendants().filter(|n| n.has_tag_name((name, tag))).count();
    assert_eq!((named("node"), named("edge")), (nodes, edges));
    let svg = text(&["graph", puzzle, "--format", "svg"]);
    let picture = roxmltree::Document::parse(&svg).unwrap();
    let drawn = |tag: &str| {
        let tags = picture.descendants().filter(|n| n.tag_name().name() == tag);
        tags.filter(|n| n.attribute("class") == Some("fill") || tag == "title").count()
    };
    assert_eq!((drawn("circle"), drawn("title")), (nodes, nodes));
    let lines = picture.descendants().find(|n| n.attribute("class") == Some("edge far")).unwrap();
    assert_eq!(lines.attribute("d").unwrap().matches('M').count(), edges);
    let dot = text(&["graph", puzzle, "--format", "dot"]);
    let lines = |pattern: &str| dot.lines().filter(|line| line.contains(pattern)).count();
    assert_eq!((lines("distance="), lines(" -- ")), (nodes, edges));
    assert_eq!(lines("rank=same"), list(&graph["layers"]).len());
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    let folder = folder("graph-files");
    let file = folder.join("graph.dot");
    assert_eq!(text(&["graph", puzzle, "--format", "dot", "--out", path(&file)]), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), dot);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn large_components_are_refused() {
    for (puzzle, words) in [
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "more than 10000 states"),
        ("grid:2:3 2,1,3,4,5,0 -> 1,2,3,4,5,0", "none of the 360 states"),
    ] {
        let refused = run(&["graph", puzzle]);
        assert_eq!(refused.status.code(), Some(2));
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.contains(words) && error.lines().count() == 1, "{error}");
    }
}
