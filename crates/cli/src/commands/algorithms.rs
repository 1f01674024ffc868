//! `hyperslide algorithms`: lists the algorithms and heuristics, or describes one.

use clap::Args;
use hyperslide_search::{
    ALGORITHMS, Algorithm, Domain, Guarantee, HEURISTICS, HeuristicEntry, Setting,
};
use serde_json::{Value, json};

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
            let algorithms: Vec<Value> = ALGORITHMS.iter().map(algorithm_json).collect();
            let heuristics: Vec<Value> = HEURISTICS.iter().map(heuristic_json).collect();
            print_json(&json!({ "algorithms": algorithms, "heuristics": heuristics }))?;
        }
        (None, Format::Text) => print(&lists())?,
        (Some(name), format) => {
            let algorithm = ALGORITHMS.iter().find(|known| known.name == name);
            let heuristic = HEURISTICS.iter().find(|known| known.name == name);
            match (algorithm, heuristic, format) {
                (Some(algorithm), _, Format::Json) => print_json(&algorithm_json(algorithm))?,
                (Some(algorithm), _, Format::Text) => print(&describe_algorithm(algorithm))?,
                (None, Some(heuristic), Format::Json) => print_json(&heuristic_json(heuristic))?,
                (None, Some(heuristic), Format::Text) => print(&describe_heuristic(heuristic))?,
                (None, None, _) => return Err(unknown(name)),
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn unknown(name: &str) -> Failure {
    let algorithms = ALGORITHMS.iter().map(|known| known.name);
    let names: Vec<&str> = algorithms.chain(HEURISTICS.iter().map(|known| known.name)).collect();
    let name: String = name.chars().take(40).collect();
    let names = names.join(", ");
    Failure::Input(format!("no algorithm or heuristic is called '{name}': write {names}"))
}

fn algorithm_json(algorithm: &Algorithm) -> Value {
    let settings: Vec<Value> =
        algorithm.settings.iter().map(|setting| setting_json(setting)).collect();
    let mut json = json!({
        "name": algorithm.name,
        "summary": algorithm.summary,
        "optimal": algorithm.is_optimal(),
        "guarantee": algorithm.guarantee.name(),
        "when": algorithm.when,
        "source": algorithm.source,
        "uses_heuristic": algorithm.uses_heuristic,
        "looks_up_tables": algorithm.looks_up_tables,
        "shows_expansions": algorithm.shows_expansions,
        "settings": settings,
    });
    if let Guarantee::Bounded(bound) = algorithm.guarantee {
        json["bound"] = bound.into();
    }
    json
}

fn heuristic_json(heuristic: &HeuristicEntry) -> Value {
    let mut json = json!({
        "name": heuristic.name,
        "summary": heuristic.summary,
        "admissible": heuristic.admissible,
        "consistent": heuristic.consistent,
    });
    if let Some(parameter) = heuristic.parameter {
        json["parameter"] = setting_json(parameter);
    }
    json
}

/// A setting with what a form needs: the type of its values and their range.
fn setting_json(setting: &Setting) -> Value {
    let mut json = json!({
        "name": setting.name,
        "value": setting.value,
        "default": setting.default,
        "summary": setting.summary,
        "allowed": setting.domain.to_string(),
    });
    let (kind, limits) = match setting.domain {
        Domain::Whole { least, most } => ("integer", json!({ "minimum": least, "maximum": most })),
        Domain::WholeOrAuto { least, most } => {
            ("integer-or-auto", json!({ "minimum": least, "maximum": most }))
        }
        Domain::Decimal { most, places } => {
            ("number", json!({ "minimum": 0, "maximum": most, "decimal_places": places }))
        }
        Domain::Choice(words) => ("choice", json!({ "choices": words })),
        Domain::Some(words) => ("subset", json!({ "choices": words })),
        Domain::Text(_) => ("text", json!({})),
    };
    json["type"] = kind.into();
    if let (Value::Object(json), Value::Object(limits)) = (&mut json, limits) {
        json.extend(limits);
    }
    json
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
        Guarantee::Optimal => "shortest solutions, with an admissible heuristic",
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
    let mut rows = table(&["=setting", "=default", "what it is, and what to write"]);
    for setting in settings {
        let written = match prefix {
            "--" => format!("--{} {}", setting.name, setting.value),
            _ => format!("{prefix}{}", setting.value),
        };
        let text = format!("{}. Write {}.", setting.summary, setting.domain);
        rows.add_row([written, setting.default.to_owned(), text]);
    }
    render(&rows)
}
