//! `hyperslide boards`: lists the kinds of boards or the named graphs, or describes one board.

use clap::{Args, ValueEnum};
use hyperslide_puzzle::{
    FAMILIES, Graph6Format, LoneTokenDistances, NAMED_GRAPHS, UNREACHABLE, Vertex, symmetry_group,
    write_graph6,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::MetricArgument;
use crate::picture;
use crate::terminal::{counted, print, print_json, prose, render, table, width};

#[derive(Args)]
pub struct BoardsArguments {
    /// The board to describe, as in cube:4:3 [default: lists the kinds of boards]
    pub board: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    /// Lists the graphs that are known by name, each with its source
    #[arg(long, conflicts_with = "board")]
    pub graphs: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: BoardsFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BoardsFormat {
    /// For people
    Text,
    /// For programs; the schema is in docs/json.md
    Json,
    /// A line for nauty, SageMath and others; for boards whose faces are edges
    Graph6,
    /// The same graph as a list of its edges
    Sparse6,
}

pub fn run(arguments: &BoardsArguments) -> Result<ExitStatus, Failure> {
    match &arguments.board {
        Some(board) => describe(board, arguments)?,
        None if arguments.graphs => list_graphs(arguments.format)?,
        None => list(arguments.format)?,
    }
    Ok(ExitStatus::Done)
}

fn no_board() -> Failure {
    Failure::Input(
        "graph6 and sparse6 are formats of one graph: name a board, as in hyperslide boards \
         graph:petersen --format graph6"
            .to_owned(),
    )
}

fn list_graphs(format: BoardsFormat) -> Result<(), Failure> {
    match format {
        BoardsFormat::Graph6 | BoardsFormat::Sparse6 => Err(no_board()),
        BoardsFormat::Json => {
            let graph = |g: &hyperslide_puzzle::NamedGraph| json!({ "name": g.name, "summary": g.summary, "source": g.source, "example": format!("graph:{}", g.example) });
            print_json(&NAMED_GRAPHS.iter().map(graph).collect::<Vec<_>>())
        }
        BoardsFormat::Text => {
            let mut rows = table(&["graph:NAME", "what it is", "source"]);
            for graph in NAMED_GRAPHS {
                rows.add_row([graph.name, graph.summary, graph.source]);
            }
            let note = "Capital letters stand for numbers, as in graph:cycle-6. A file of one of \
                        these names is written with its directory, as in graph:./petersen.";
            print(&format!("{}\n{}", render(&rows), prose(note)))
        }
    }
}

fn list(format: BoardsFormat) -> Result<(), Failure> {
    match format {
        BoardsFormat::Graph6 | BoardsFormat::Sparse6 => Err(no_board()),
        BoardsFormat::Json => {
            let family = |f: &hyperslide_puzzle::BoardFamily| json!({ "name": f.name, "syntax": f.syntax, "summary": f.summary, "example": f.example });
            print_json(&FAMILIES.iter().map(family).collect::<Vec<_>>())
        }
        BoardsFormat::Text => {
            let mut rows = table(&["board", "what it is", "example"]);
            for family in &FAMILIES {
                rows.add_row([family.syntax, family.summary, family.example]);
            }
            print(&format!("{}\nDescribe one with: hyperslide boards cube:4:3\n", render(&rows)))
        }
    }
}

/// A new line, in the column of the facts about a board.
const FACT: &str = "\n              ";

/// A permutation as it fits the terminal, folded between its cycles.
fn cycles(permutation: &str) -> String {
    let room = width().map_or(usize::MAX, |width| width.saturating_sub(FACT.len() - 1));
    let (mut text, mut used) = (String::new(), 0);
    for cycle in permutation.split_inclusive(')') {
        if used > 0 && used + cycle.len() > room {
            text.push_str(FACT);
            used = 0;
        }
        text.push_str(cycle);
        used += cycle.len();
    }
    text
}

fn describe(text: &str, arguments: &BoardsArguments) -> Result<(), Failure> {
    let board = named_board(text, arguments.metric.metric)?;
    let symmetry = symmetry_group(&board);
    let distances = LoneTokenDistances::new(&board);
    let farthest = board
        .vertices()
        .flat_map(|from| board.vertices().map(move |to| (from, to)))
        .map(|(from, to)| distances.get(from, to))
        .max()
        .filter(|&moves| moves != UNREACHABLE);
    let edges = board.neighbours().map(|all| all.iter().map(|near| near.len()).sum::<usize>() / 2);
    let generators: Vec<String> = symmetry.generators.iter().map(ToString::to_string).collect();
    match arguments.format {
        BoardsFormat::Graph6 | BoardsFormat::Sparse6 => {
            let format = match arguments.format {
                BoardsFormat::Sparse6 => Graph6Format::Sparse6,
                _ => Graph6Format::Graph6,
            };
            if !board.is_graph() {
                return Err(Failure::Input(format!(
                    "{board} has faces of more than two vertices, and {format} is a format of graphs"
                )));
            }
            let ends = board.faces().iter().map(|face| {
                let ends: Vec<usize> = face.into_iter().map(Vertex::index).collect();
                [ends[0], ends[1]]
            });
            let line = write_graph6(format, board.vertex_count(), &ends.collect::<Vec<_>>());
            print(&(line + "\n"))
        }
        BoardsFormat::Json => print_json(&json!({
            "board": board.spec().to_string(),
            "metric": board.metric().name(),
            "vertices": board.vertex_count(),
            "faces": board.faces().len(),
            "edges": edges,
            "lone_token_diameter": farthest,
            "symmetries": symmetry.order.to_string(),
            "generators": generators,
        })),
        BoardsFormat::Text => {
            let farthest = farthest.map_or("not connected".to_owned(), |moves| {
                format!("{} at most", counted(moves.into(), "move"))
            });
            let edges = edges.map_or("not listed".to_owned(), |edges| edges.to_string());
            let shown = match generators.len() {
                0 => "none".to_owned(),
                _ => generators.iter().map(|text| cycles(text)).collect::<Vec<_>>().join(FACT),
            };
            let picture: String = picture::draw_vertices(board.spec())
                .iter()
                .map(|line| format!("  {line}\n"))
                .collect();
            print(&format!(
                "{board}\n\n{picture}\n\
                 vertices      {}\n\
                 faces         {}\n\
                 edges         {edges}\n\
                 lone token    {farthest}\n\
                 symmetries    {}\n\
                 generators    {shown}\n",
                board.vertex_count(),
                board.faces().len(),
                symmetry.order,
            ))
        }
    }
}
