//! `hyperslide boards`: lists the kinds of boards, or describes one board.

use clap::Args;
use hyperslide_puzzle::{FAMILIES, LoneTokenDistances, UNREACHABLE, symmetry_group};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::{Format, ListArguments, MetricArgument};
use crate::picture;
use crate::terminal::{print, print_json, render, table, width};

#[derive(Args)]
pub struct BoardsArguments {
    /// The board to describe, as in cube:4:3 [default: lists the kinds of boards]
    pub board: Option<String>,
    #[command(flatten)]
    pub metric: MetricArgument,
    #[command(flatten)]
    pub list: ListArguments,
}

pub fn run(arguments: &BoardsArguments) -> Result<ExitStatus, Failure> {
    match &arguments.board {
        Some(board) => describe(board, arguments)?,
        None => list(arguments.list.format)?,
    }
    Ok(ExitStatus::Done)
}

fn list(format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let family = |f: &hyperslide_puzzle::BoardFamily| json!({ "name": f.name, "syntax": f.syntax, "summary": f.summary, "example": f.example });
            print_json(&FAMILIES.iter().map(family).collect::<Vec<_>>())
        }
        Format::Text => {
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
    match arguments.list.format {
        Format::Json => print_json(&json!({
            "board": board.spec().to_string(),
            "metric": board.metric().name(),
            "vertices": board.vertex_count(),
            "faces": board.faces().len(),
            "edges": edges,
            "lone_token_diameter": farthest,
            "symmetries": symmetry.order.to_string(),
            "generators": generators,
        })),
        Format::Text => {
            let farthest =
                farthest.map_or("not connected".to_owned(), |moves| format!("{moves} moves"));
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
                 lone token    {farthest} at most\n\
                 symmetries    {}\n\
                 generators    {shown}\n",
                board.vertex_count(),
                board.faces().len(),
                symmetry.order,
            ))
        }
    }
}
