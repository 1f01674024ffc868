//! `hyperslide completions`: a script by which a shell completes commands, options and names.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use hyperslide_lab::{experiments, instances, suites};
use hyperslide_puzzle::FAMILIES;
use hyperslide_search::{ALGORITHMS, HEURISTICS};

use crate::arguments::Arguments;
use crate::failure::{ExitStatus, Failure};
use crate::terminal::print;

pub fn run(shell: Shell) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    let mut command = with_names(Arguments::command());
    clap_complete::generate(shell, &mut command, "hyperslide", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        script.push_str(&positional_for_fish(&command));
    }
    print(&script)?;
    Ok(ExitStatus::Done)
}

/// The same command line, whose arguments know the names that may be written. Whatever else may be written, such as
/// files and lines, does not matter here: this command line only serves to write the script.
fn with_names(command: Command) -> Command {
    let of = command.get_name().to_owned();
    command
        .mut_args(|argument| match names(&of, &argument) {
            Some(names) => argument.value_parser(PossibleValuesParser::new(names)),
            None => argument,
        })
        .mut_subcommands(with_names)
}

fn names(command: &str, argument: &Arg) -> Option<Vec<String>> {
    let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let of_suites = || suites().iter().map(|suite| suite.name.clone());
    let of_instances = || instances().map(|instance| instance.name.clone());
    let of_algorithms = || ALGORITHMS.iter().map(|known| known.name.to_owned());
    let of_heuristics = || HEURISTICS.iter().map(|known| known.name.to_owned());
    Some(match (command, argument.get_id().as_str()) {
        (_, "puzzle") => of_instances().collect(),
        (_, "puzzles") => of_suites().chain(of_instances()).collect(),
        ("instances", "prefix") => of_suites().collect(),
        (_, "board" | "named") => FAMILIES.iter().map(|family| family.example.to_owned()).collect(),
        (_, "metric") => own(&["face", "edge"]),
        (_, "heuristic") => of_heuristics().collect(),
        (_, "solver") => of_algorithms().collect(),
        ("algorithms", "name") => of_algorithms().chain(of_heuristics()).collect(),
        ("experiment", "name") | ("report", "experiments") => experiments()
            .iter()
            .map(|known| known.name().to_owned())
            .chain(["all".to_owned()])
            .collect(),
        _ => return None,
    })
}

/// Lines for the arguments without a name, which the generator leaves out for this shell.
fn positional_for_fish(command: &Command) -> String {
    let lines = command.get_subcommands().flat_map(|subcommand| {
        subcommand.get_positionals().filter_map(move |argument| {
            let names = names(subcommand.get_name(), argument)?;
            let seen = format!("__fish_seen_subcommand_from {}", subcommand.get_name());
            Some(format!("complete -c hyperslide -n \"{seen}\" -a \"{}\"\n", names.join(" ")))
        })
    });
    lines.collect()
}
