//! `hyperslide algorithms`: lists the algorithms and heuristics, or describes one.

use clap::Args;
use hyperslide_lab::{AlgorithmDescription, HeuristicDescription, Registry, near};
use hyperslide_puzzle::shorten;
use hyperslide_search::{ALGORITHMS, Algorithm, Guarantee, HEURISTICS, HeuristicEntry, Setting};

use crate::failure::{ExitStatus, Failure};
use crate::options::Format;
use crate::terminal::{print, print_json, render, table};

#[derive(Args)]
pub struct AlgorithmsArguments {
    /// The algorithm or heuristic to describe [default: lists all]
    name: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(arguments: &AlgorithmsArguments) -> Result<ExitStatus, Failure> {
    match (&arguments.name, arguments.format) {
        (None, Format::Json) => {
            print_json(&Registry::all())?;
        }
        (None, Format::Text) => print(&lists())?,
        (Some(name), format) => {
            let algorithm = ALGORITHMS.iter().find(|known| known.name == name);
            let heuristic = HEURISTICS.iter().find(|known| known.name == name);
            match (algorithm, heuristic, format) {
                (Some(algorithm), _, Format::Json) => {
                    print_json(&AlgorithmDescription::new(algorithm))?;
                }
                (Some(algorithm), _, Format::Text) => print(&describe_algorithm(algorithm))?,
                (None, Some(heuristic), Format::Json) => {
                    print_json(&HeuristicDescription::new(heuristic))?;
                }
                (None, Some(heuristic), Format::Text) => print(&describe_heuristic(heuristic))?,
                (None, None, _) => return Err(unknown(name)),
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn unknown(name: &str) -> Failure {
    let algorithms = ALGORITHMS.iter().map(|known| known.name);
    let names = algorithms.chain(HEURISTICS.iter().map(|known| known.name));
    let shown = shorten(name);
    Failure::Input(match near(name, names.clone()) {
        Some(near) => format!(
            "no algorithm or heuristic is called '{shown}'. Did you mean {near}? hyperslide algorithms \
             lists them"
        ),
        None => format!(
            "no algorithm or heuristic is called '{shown}': choose one of {}",
            names.collect::<Vec<_>>().join(", ")
        ),
    })
}

fn lists() -> String {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let mut algorithms = table(&["=algorithm", "=optimal", "=heuristic", "what it is"]);
    for a in ALGORITHMS {
        algorithms.add_row([a.name, word(a.is_optimal()), word(a.uses_heuristic), a.summary]);
    }
    let mut heuristics = table(&["=heuristic", "=admissible", "=consistent", "what it is"]);
    for h in HEURISTICS {
        heuristics.add_row([h.name, word(h.admissible), word(h.consistent), h.summary]);
    }
    format!("{}\n{}", render(&algorithms), render(&heuristics))
}

fn describe_algorithm(algorithm: &Algorithm) -> String {
    let guarantee = match algorithm.guarantee {
        Guarantee::Optimal if algorithm.uses_heuristic => {
            "shortest solutions, with an admissible heuristic"
        }
        Guarantee::Optimal => "shortest solutions",
        Guarantee::Bounded(bound) => bound,
        Guarantee::None => "the length of the solution is not bounded",
    };
    let heuristic = match (algorithm.uses_heuristic, algorithm.looks_up_tables) {
        (true, true) => "yes, and a table of all distances where there is one",
        (true, false) => "yes",
        (false, true) => "no, but a table of all distances",
        (false, false) => "no",
    };
    let mut facts = table(&["=about", "what"]);
    for (name, text) in [
        ("algorithm", algorithm.name),
        ("what it does", algorithm.summary),
        ("choose it when", algorithm.when),
        ("guarantee", guarantee),
        ("heuristic", heuristic),
        ("source", algorithm.source),
    ] {
        facts.add_row([name, text]);
    }
    format!("{}\n{}", render(&facts), settings_text(algorithm.settings, "--"))
}

fn describe_heuristic(heuristic: &HeuristicEntry) -> String {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let mut facts = table(&["=about", "what"]);
    for (name, text) in [
        ("heuristic", heuristic.name),
        ("what it does", heuristic.summary),
        ("admissible", word(heuristic.admissible)),
        ("consistent", word(heuristic.consistent)),
    ] {
        facts.add_row([name, text]);
    }
    let prefix = format!("{}:", heuristic.name);
    format!("{}\n{}", render(&facts), settings_text(heuristic.parameter.as_slice(), &prefix))
}

fn settings_text(settings: &[&Setting], prefix: &str) -> String {
    if settings.is_empty() {
        return "It has no settings.\n".to_owned();
    }
    let mut rows = table(&["=setting", "=default", "meaning and allowed values"]);
    for setting in settings {
        let written = match prefix {
            "--" => format!("--{} {}", setting.name, setting.value),
            _ => format!("{prefix}{}", setting.value),
        };
        let text = format!("{}. Allowed: {}.", setting.summary, setting.domain);
        rows.add_row([written, setting.default.to_owned(), text]);
    }
    render(&rows)
}
