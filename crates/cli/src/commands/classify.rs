//! `hyperslide classify`: the regime, the component and the group of one configuration.

use clap::{Args, ValueEnum};
use hyperslide_puzzle::{
    GroupName, Permutation, PermutationGroup, Puzzle, Regime, VertexSet, classify_with_group,
    group_name,
};
use serde_json::{Value, json};

use crate::failure::{ExitStatus, Failure};
use crate::input::Source;
use crate::options::PuzzleArguments;
use crate::picture;
use crate::terminal::{complain, grouped, print, print_json, prose};

#[derive(Args)]
pub struct ClassifyArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The greatest number of occupied sets to explore
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    pub limit_sets: usize,
    /// Shows the group of closed walks, too: its order, its generators and, where it is recognised, its name
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
    let (found, group) =
        classify_with_group(puzzle.board(), puzzle.start().occupied(), arguments.limit_sets);
    let group = group.map(|group| WalkGroup::new(&puzzle, group));
    match arguments.format {
        ClassifyFormat::Gap => match &group {
            Some(group) => print(&group.gap(&puzzle))?,
            None => {
                complain(&format_args!(
                    "the group is not known: there are more than {} occupied sets; allow more with \
                     --limit-sets",
                    grouped(arguments.limit_sets as u64)
                ));
            }
        },
        ClassifyFormat::Json => {
            let mut answer = json!({
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
            });
            if arguments.group {
                answer["group"] = group.as_ref().map_or(Value::Null, WalkGroup::json);
            }
            print_json(&answer)?;
        }
        ClassifyFormat::Text => {
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
            if let (true, Some(group)) = (arguments.group, &group) {
                text.push_str(&group.text());
            }
            print(&format!("{}\n\n{picture}\n{}", puzzle.board(), prose(&text)))?;
        }
    }
    // The regime may be clear where the limit comes before the whole component.
    let is_whole = found.regime.is_some() && found.component.is_some();
    Ok(if is_whole { ExitStatus::Done } else { ExitStatus::LimitReached })
}

/// The group of closed walks with the names of the tokens on which it acts.
struct WalkGroup {
    group: PermutationGroup,
    name: Option<GroupName>,
    /// The label of each token, with its vertex where another token has the same label.
    tokens: Vec<String>,
}

impl WalkGroup {
    fn new(puzzle: &Puzzle, group: PermutationGroup) -> WalkGroup {
        let token = |(vertex, label): (hyperslide_puzzle::Vertex, hyperslide_puzzle::Label)| {
            let name = puzzle.labels().name(label);
            match puzzle.start().vertices_of(label).len() {
                1 => name.to_owned(),
                _ => format!("{name}@{vertex}"),
            }
        };
        let mut tokens: Vec<(hyperslide_puzzle::Vertex, hyperslide_puzzle::Label)> =
            puzzle.start().tokens().collect();
        tokens.sort_unstable_by_key(|&(vertex, _)| vertex);
        let tokens = tokens.into_iter().map(token).collect();
        WalkGroup { name: group_name(&group), group, tokens }
    }

    /// A permutation of tokens, in cycles of their names.
    fn cycles(&self, permutation: &Permutation) -> String {
        let cycle = |cycle: &Vec<usize>| {
            let names: Vec<&str> = cycle.iter().map(|&token| self.tokens[token].as_str()).collect();
            format!("({})", names.join(" "))
        };
        permutation.cycles().iter().map(cycle).collect()
    }

    fn text(&self) -> String {
        let orbits = self.group.nontrivial_orbits();
        let moved: usize = orbits.iter().map(Vec::len).sum();
        let on = match orbits.len() {
            0 => String::new(),
            1 => format!(", transitive on the {moved} tokens that it moves"),
            count => format!(", with {count} orbits on the {moved} tokens that it moves"),
        };
        let name = match &self.name {
            Some(GroupName { name, reason }) => format!("{name}, because {reason}"),
            None => "not recognised; --format gap writes it for GAP".to_owned(),
        };
        let mut text =
            format!("group of closed walks: order {}{on}\nname: {name}\n", self.group.order());
        for generator in self.group.generators() {
            text.push_str(&format!("generator: {}\n", self.cycles(generator)));
        }
        text
    }

    fn json(&self) -> Value {
        let orbits = self.group.nontrivial_orbits();
        let names = |orbit: &Vec<usize>| -> Vec<&str> {
            orbit.iter().map(|&token| self.tokens[token].as_str()).collect()
        };
        let generators = self.group.generators();
        json!({
            "order": self.group.order().to_string(),
            "tokens": self.tokens,
            "orbits": orbits.iter().map(names).collect::<Vec<_>>(),
            "generators": generators.iter().map(|one| self.cycles(one)).collect::<Vec<_>>(),
            "name": self.name.as_ref().map(|found| &found.name),
            "reason": self.name.as_ref().map(|found| &found.reason),
        })
    }

    /// A text that GAP reads: it defines `G`, which acts on 1, 2, ...
    fn gap(&self, puzzle: &Puzzle) -> String {
        let mut text = format!(
            "# The group of closed walks of {} {}\n",
            puzzle.board(),
            puzzle.write_state(puzzle.start())
        );
        for (point, token) in (1..).zip(&self.tokens) {
            text.push_str(&format!("# {point}: token {token}\n"));
        }
        if let Some(GroupName { name, .. }) = &self.name {
            text.push_str(&format!("# Hyperslide recognises it as {name}.\n"));
        }
        let generator = |permutation: &Permutation| -> String {
            let cycle = |cycle: &Vec<usize>| {
                let points: Vec<String> =
                    cycle.iter().map(|point| (point + 1).to_string()).collect();
                format!("({})", points.join(","))
            };
            permutation.cycles().iter().map(cycle).collect()
        };
        let generators: Vec<String> = self.group.generators().iter().map(generator).collect();
        let all = if generators.is_empty() { "()".to_owned() } else { generators.join(",\n  ") };
        text + &format!("G := Group(\n  {all});;\nSize(G) = {};\n", self.group.order())
    }
}

/// The tokens on these vertices with their labels.
fn tokens(puzzle: &Puzzle, set: VertexSet) -> Vec<(String, usize)> {
    let token = |(vertex, label): (hyperslide_puzzle::Vertex, hyperslide_puzzle::Label)| {
        (puzzle.labels().name(label).to_owned(), vertex.index())
    };
    puzzle.start().tokens().filter(|&(vertex, _)| set.contains(vertex)).map(token).collect()
}
