//! `hyperslide graph`: a small component of a puzzle graph, drawn or for other programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hyperslide_census::{ComponentGraph, ComponentGraphError};
use hyperslide_lab::report::{graph_dot, graph_graphml, graph_json, graph_svg};
use hyperslide_puzzle::{Graph6Format, write_graph6};

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, check_apart};
use crate::options::PuzzleArguments;
use crate::terminal::{cancellable, print, write_file};

#[derive(Args)]
pub struct GraphArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// How to write the graph
    #[arg(long, value_enum, default_value = "json")]
    pub format: GraphFormat,
    /// Writes to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For programs; the schema is in docs/json.md
    Json,
    /// A picture: a row or a ring for each distance, a colour for each orbit
    Svg,
    /// For Graphviz
    Dot,
    /// For Gephi, yEd, igraph and NetworkX
    Graphml,
    /// A line for nauty, SageMath and others; vertices are the states in the order of the JSON
    Graph6,
    /// The same graph as a list of its edges
    Sparse6,
}

/// The most states of a component: pictures of more show nothing.
const MAX_STATES: usize = 10_000;

pub fn run(arguments: &GraphArguments) -> Result<ExitStatus, Failure> {
    let puzzle =
        Source::open(&arguments.puzzle.puzzle)?.only()?.configuration(&arguments.puzzle)?;
    if let Some(out) = &arguments.out {
        check_apart(out, [&arguments.puzzle.puzzle])?;
    }
    let graph = cancellable(|cancel| ComponentGraph::new(&puzzle, MAX_STATES, cancel))?;
    let text = match arguments.format {
        GraphFormat::Json => format!("{}\n", graph_json(&puzzle, &graph)),
        GraphFormat::Svg => graph_svg(&puzzle, &graph),
        GraphFormat::Dot => graph_dot(&puzzle, &graph),
        GraphFormat::Graphml => graph_graphml(&puzzle, &graph),
        GraphFormat::Graph6 => line(Graph6Format::Graph6, &graph),
        GraphFormat::Sparse6 => line(Graph6Format::Sparse6, &graph),
    };
    match &arguments.out {
        Some(path) => write_file(path, &text)?,
        None => print(&text)?,
    }
    Ok(ExitStatus::Done)
}

fn line(format: Graph6Format, graph: &ComponentGraph) -> String {
    let edges: Vec<[usize; 2]> =
        graph.edges.iter().map(|edge| edge.map(|state| state as usize)).collect();
    write_graph6(format, graph.states.len(), &edges) + "\n"
}

impl From<ComponentGraphError> for Failure {
    fn from(error: ComponentGraphError) -> Failure {
        match error {
            ComponentGraphError::Cancelled => Failure::Limit(error.to_string()),
            _ => Failure::input(error),
        }
    }
}
