//! `hyperslide classify`: the regime, the component and the group of one configuration.

use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use hyperslide_lab::{ClassifiedPuzzle, WalkGroup};
use hyperslide_puzzle::{Component, GroupName, Regime, VertexSet};

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::PuzzleArguments;
use crate::picture;
use crate::terminal::{
    cancellable, complain, counted, grouped, is_cancelled, print, print_json, prose, with_noun,
};

#[derive(Args)]
pub struct ClassifyArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The greatest number of occupied sets to explore
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    pub limit_sets: usize,
    /// Shows the group of closed walks, too: its order, its generators and, where it is recognised,
    /// its name
    #[arg(long)]
    pub group: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: ClassifyFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClassifyFormat {
    /// For people
    Text,
    /// For programs; the schema is in docs/json.md
    Json,
    /// The group of closed walks as input of GAP
    Gap,
}

pub fn run(arguments: &ClassifyArguments) -> Result<ExitStatus, Failure> {
    let puzzle =
        Source::open(&arguments.puzzle.puzzle)?.only()?.configuration(&arguments.puzzle)?;
    let classified = cancellable(|cancel| {
        let stop = || cancel.load(Ordering::Relaxed);
        ClassifiedPuzzle::new(puzzle, arguments.limit_sets, &stop)
    });
    let sets = counted(arguments.limit_sets as u64, "occupied set");
    let cancelled = "cancelled before the whole component was explored";
    let more = format!("more than {sets}; allow more with --limit-sets");
    let ClassifiedPuzzle { puzzle, found, group } = &classified;
    match arguments.format {
        ClassifyFormat::Gap => match classified.gap() {
            Some(text) => print(&text)?,
            None => {
                let why = match is_cancelled() {
                    true => cancelled.to_owned(),
                    false => format!("the component has {more}"),
                };
                complain(&format_args!("the group is not known: {why}"));
            }
        },
        ClassifyFormat::Json if arguments.group => print_json(&classified.json_with_group())?,
        ClassifyFormat::Json => print_json(&classified.json())?,
        ClassifyFormat::Text => {
            let picture: String = picture::draw(puzzle, puzzle.start())
                .iter()
                .map(|line| format!("  {line}\n"))
                .collect();
            let mut text = String::new();
            let list = |set: VertexSet| {
                let tokens = classified.tokens(set);
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
                Some(component) => text.push_str(&describe_component(&classified, component)),
                None => {
                    let size = if is_cancelled() { cancelled } else { &more };
                    text.push_str(&format!("component: {size}\n"));
                }
            }
            if let (true, Some(group)) = (arguments.group, group) {
                text.push_str(&describe(group));
            }
            print(&format!("{}\n\n{picture}\n{}", puzzle.board(), prose(&text)))?;
        }
    }
    // The regime may be clear where the limit comes before the whole component.
    let is_whole = found.regime.is_some() && found.component.is_some();
    Ok(if is_whole { ExitStatus::Done } else { ExitStatus::LimitReached })
}

/// The component for people: of the puzzle, and where labels are repeated also of distinguishable
/// tokens.
fn describe_component(classified: &ClassifiedPuzzle, component: &Component) -> String {
    let number =
        |number: &dyn ToString, thing: &str| with_noun(&grouped(number.to_string()), thing);
    let sets = counted(component.occupied_sets as u64, "occupied set");
    let product = |size: &dyn ToString, arrangements: &dyn ToString| {
        let (size, arrangements) =
            (number(size, "configuration"), number(arrangements, "arrangement"));
        format!("{size} = {sets} x {arrangements}")
    };
    let even = if component.even_only { " (even permutations only)" } else { "" };
    let such = number(&component.count, "such component");
    let distinguishable = product(&component.size, &component.arrangements);
    if classified.puzzle.has_distinct_labels() {
        return format!("component: {distinguishable}{even}; {such} with the same occupied sets\n");
    }
    let alike = match classified.alike() {
        Some(alike) => product(&alike.size, &alike.arrangements),
        None => "too many configurations to count".to_owned(),
    };
    format!(
        "component: {alike}\nif all tokens were distinguishable: {distinguishable}{even}; {such} with the \
         same occupied sets\n"
    )
}

/// The group of closed walks for people.
fn describe(walks: &WalkGroup) -> String {
    let WalkGroup { group, name, .. } = walks;
    let orbits = group.nontrivial_orbits();
    let moved: usize = orbits.iter().map(Vec::len).sum();
    let on = match orbits.len() {
        0 => String::new(),
        1 => format!(", transitive on the {moved} tokens that it moves"),
        count => format!(", with {count} orbits on the {moved} tokens that it moves"),
    };
    let name = match name {
        Some(GroupName { name, reason }) => format!("{name}, because {reason}"),
        None => "not recognised; --format gap writes it for GAP".to_owned(),
    };
    let mut text = format!("group of closed walks: order {}{on}\nname: {name}\n", group.order());
    for generator in group.generators() {
        text.push_str(&format!("generator: {}\n", walks.cycles(generator)));
    }
    text
}
