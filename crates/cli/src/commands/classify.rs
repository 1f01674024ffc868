//! `hyperslide classify`: the regime and the component of one configuration.

use clap::Args;
use hyperslide_puzzle::{Puzzle, Regime, VertexSet, classify};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::{Format, PuzzleArguments};
use crate::picture;
use crate::terminal::{grouped, print, print_json, prose};

#[derive(Args)]
pub struct ClassifyArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The greatest number of occupied sets to explore
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    pub limit_sets: usize,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(arguments: &ClassifyArguments) -> Result<ExitStatus, Failure> {
    let puzzle =
        Source::open(&arguments.puzzle.puzzle)?.only()?.configuration(&arguments.puzzle)?;
    let found = classify(puzzle.board(), puzzle.start().occupied(), arguments.limit_sets);
    match arguments.format {
        Format::Json => print_json(&json!({
            "board": puzzle.board().spec().to_string(),
            "metric": puzzle.board().metric().name(),
            "start": puzzle.write_state(puzzle.start()),
            "regime": found.regime.map(|regime| regime.to_string()),
            "stuck": tokens(&puzzle, found.stuck),
            "undecided": tokens(&puzzle, found.undecided),
            "component": found.component.as_ref().map(|component| json!({
                "occupied_sets": component.occupied_sets,
                "arrangements": component.arrangements.to_string(),
                "size": component.size.to_string(),
                "count": component.count.to_string(),
                "even_permutations_only": component.even_only,
            })),
        }))?,
        Format::Text => {
            let picture: String = picture::draw(&puzzle, puzzle.start())
                .iter()
                .map(|line| format!("  {line}\n"))
                .collect();
            let mut text = String::new();
            let list = |set: VertexSet| {
                let tokens = tokens(&puzzle, set);
                let name = |(token, vertex): &(String, usize)| format!("{token} on {vertex}");
                tokens.iter().map(name).collect::<Vec<_>>().join(", ")
            };
            text.push_str(&match found.regime {
                Some(Regime::Isolated) => "isolated: no token can move\n".to_owned(),
                Some(Regime::SemiIsolated) => {
                    format!("semi-isolated: these tokens never move: {}\n", list(found.stuck))
                }
                Some(Regime::Mobile) => "mobile: every token can move sooner or later\n".to_owned(),
                None => "not decided within the limit\n".to_owned(),
            });
            if !found.undecided.is_empty() {
                text.push_str(&format!(
                    "not seen to move, not shown stuck: {}\n",
                    list(found.undecided)
                ));
            }
            match &found.component {
                Some(component) => text.push_str(&format!(
                    "component: {} configurations = {} occupied sets x {} arrangements{}; {} such \
                     components when all tokens are distinguishable\n",
                    component.size,
                    grouped(component.occupied_sets as u64),
                    component.arrangements,
                    if component.even_only { " (even permutations only)" } else { "" },
                    component.count,
                )),
                None => text.push_str(&format!(
                    "component: more than {} occupied sets; allow more with --limit-sets\n",
                    grouped(arguments.limit_sets as u64)
                )),
            }
            print(&format!("{}\n\n{picture}\n{}", puzzle.board(), prose(&text)))?;
        }
    }
    // The regime may be clear where the limit comes before the whole component.
    let is_whole = found.regime.is_some() && found.component.is_some();
    Ok(if is_whole { ExitStatus::Done } else { ExitStatus::LimitReached })
}

/// The tokens on these vertices with their labels.
fn tokens(puzzle: &Puzzle, set: VertexSet) -> Vec<(String, usize)> {
    let token = |(vertex, label): (hyperslide_puzzle::Vertex, hyperslide_puzzle::Label)| {
        (puzzle.labels().name(label).to_owned(), vertex.index())
    };
    puzzle.start().tokens().filter(|&(vertex, _)| set.contains(vertex)).map(token).collect()
}
