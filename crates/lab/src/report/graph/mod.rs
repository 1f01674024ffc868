//! A small component of a puzzle graph, as a picture and for programs that draw or analyse graphs.

mod layout;
mod picture;

use std::fmt::Write;

use hyperslide_census::ComponentGraph;
use hyperslide_puzzle::Puzzle;
use serde_json::{Value, json};

use picture::graph_picture;
pub(crate) use picture::{graph_counts, graph_in_page};

/// A component of the puzzle's graph as one JSON object: nodes with their state, distance to the
/// goal and orbit, in the order of the distances, and edges as pairs of node numbers from 0.
pub fn graph_json(puzzle: &Puzzle, graph: &ComponentGraph) -> Value {
    let node = |number: usize| {
        json!({
            "state": puzzle.write_state(&graph.states[number]),
            "distance": graph.distances[number],
            "orbit": orbit(graph, number),
        })
    };
    let nodes: Vec<Value> = (0..graph.states.len()).map(node).collect();
    json!({
        "format": "hyperslide-graph",
        "version": 1,
        "puzzle": puzzle.to_string(),
        "layers": graph.layers(),
        "nodes": nodes,
        "edges": graph.edges,
    })
}

/// The same for Graphviz: a rank for each distance, the goal at the top, a colour for each orbit.
pub fn graph_dot(puzzle: &Puzzle, graph: &ComponentGraph) -> String {
    let mut text = format!("graph {} {{\n", quoted(&puzzle.to_string()));
    text.push_str("  node [shape=circle, width=0.2, label=\"\", style=filled];\n");
    for number in 0..graph.states.len() {
        let state = quoted(&puzzle.write_state(&graph.states[number]));
        let mut attributes = format!("tooltip={state}, distance={}", graph.distances[number]);
        if let Some(orbit) = orbit(graph, number) {
            let hue = orbit_hue(orbit);
            let _ = write!(attributes, ", orbit={orbit}, fillcolor=\"{hue:.3} 0.55 0.90\"");
        }
        let _ = writeln!(text, "  n{number} [{attributes}];");
    }
    let mut first = 0;
    for states in graph.layers() {
        let names: Vec<String> = (first..first + states).map(|node| format!("n{node};")).collect();
        let _ = writeln!(text, "  {{ rank=same; {} }}", names.join(" "));
        first += states;
    }
    // From the goal outwards, so that ranks descend with the distance.
    graph.edges.iter().for_each(|[from, to]| {
        let _ = writeln!(text, "  n{from} -- n{to};");
    });
    text.push_str("}\n");
    text
}

/// The same as GraphML, which Gephi, yEd, igraph and NetworkX read.
pub fn graph_graphml(puzzle: &Puzzle, graph: &ComponentGraph) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         \x20 <key id=\"puzzle\" for=\"graph\" attr.name=\"puzzle\" attr.type=\"string\"/>\n\
         \x20 <key id=\"state\" for=\"node\" attr.name=\"state\" attr.type=\"string\"/>\n\
         \x20 <key id=\"distance\" for=\"node\" attr.name=\"distance\" attr.type=\"int\"/>\n\
         \x20 <key id=\"orbit\" for=\"node\" attr.name=\"orbit\" attr.type=\"int\"/>\n\
         \x20 <graph edgedefault=\"undirected\">\n",
    );
    let _ = writeln!(text, "    <data key=\"puzzle\">{}</data>", escaped(&puzzle.to_string()));
    for number in 0..graph.states.len() {
        let state = escaped(&puzzle.write_state(&graph.states[number]));
        let distance = graph.distances[number];
        let _ = write!(
            text,
            "    <node id=\"n{number}\"><data key=\"state\">{state}</data>\
             <data key=\"distance\">{distance}</data>"
        );
        if let Some(orbit) = orbit(graph, number) {
            let _ = write!(text, "<data key=\"orbit\">{orbit}</data>");
        }
        text.push_str("</node>\n");
    }
    graph.edges.iter().for_each(|[from, to]| {
        let _ = writeln!(text, "    <edge source=\"n{from}\" target=\"n{to}\"/>");
    });
    text.push_str("  </graph>\n</graphml>\n");
    text
}

/// The same as a picture in a file of its own, SVG that follows light and dark.
pub fn graph_svg(puzzle: &Puzzle, graph: &ComponentGraph) -> String {
    graph_picture(puzzle, graph).file()
}

fn orbit(graph: &ComponentGraph, state: usize) -> Option<u32> {
    graph.orbits.as_ref().map(|orbits| orbits[state])
}

/// The hue of an orbit, from 0 to 1: steps by the golden ratio keep any number of them apart.
fn orbit_hue(orbit: u32) -> f64 {
    const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;
    (0.6 + f64::from(orbit) * GOLDEN_RATIO).fract()
}

/// A text as an identifier of the DOT language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text between the tags of an XML document.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
