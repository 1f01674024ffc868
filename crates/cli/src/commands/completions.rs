//! `hyperslide completions`: a script by which a shell completes commands, options and names.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use hyperslide_lab::{experiments, instances, suites};
use hyperslide_puzzle::{FAMILIES, NAMED_GRAPHS};
use hyperslide_search::{ALGORITHMS, HEURISTICS};

use crate::arguments::Arguments;
use crate::failure::{ExitStatus, Failure};
use crate::terminal::print;

pub fn run(shell: Shell) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    let mut command = with_names(Arguments::command());
    clap_complete::generate(shell, &mut command, "hyperslide", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script.push_str(COLONS_FOR_BASH),
        Shell::Fish => script.push_str(&positional_for_fish(&command)),
        _ => {}
    }
    print(&script)?;
    Ok(ExitStatus::Done)
}

/// Bash breaks words at colons, which names of boards contain: the words are joined before the
/// generated function sees them, and what is typed already is cut from its answers.
const COLONS_FOR_BASH: &str = r#"
_hyperslide_with_colons() {
    local words=() word joins="" before=""
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ $joins || $word == :* ]] && (( ${#words[@]} > 1 )); then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        [[ $word == *: ]] && joins=1 || joins=""
    done
    COMP_WORDS=("${words[@]}")
    COMP_CWORD=$(( ${#words[@]} - 1 ))
    word=${words[COMP_CWORD]}
    _hyperslide "$1" "$word" "${words[COMP_CWORD-1]}"
    if [[ $COMP_WORDBREAKS == *:* && $word == *:* ]]; then
        before=${word%"${word##*:}"}
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    fi
}
complete -F _hyperslide_with_colons -o bashdefault -o default hyperslide
"#;

/// The same command line, whose arguments know the names that may be written. Whatever else may be
/// written, such as files and lines, does not matter here: this command line only serves to write
/// the script.
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
    let of_suites = || suites().map(|suite| suite.name.clone());
    let of_instances = || instances().map(|instance| instance.name.clone());
    let of_algorithms = || ALGORITHMS.iter().map(|known| known.name.to_owned());
    let of_heuristics = || HEURISTICS.iter().map(|known| known.name.to_owned());
    Some(match (command, argument.get_id().as_str()) {
        (_, "puzzle") => of_instances().collect(),
        (_, "puzzles") => of_suites().chain(of_instances()).collect(),
        ("instances", "prefix") => of_suites().collect(),
        (_, "board" | "named") => FAMILIES
            .iter()
            .map(|family| family.example.to_owned())
            .chain(NAMED_GRAPHS.iter().map(|graph| format!("graph:{}", graph.example)))
            .collect(),
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
