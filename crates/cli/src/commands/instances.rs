//! `hyperslide instances`: lists the named puzzles.

use clap::Args;
use hyperslide_lab::{Instance, KnownLength, instances, suites};
use serde_json::{Value, json};

use crate::failure::{ExitStatus, Failure};
use crate::options::{Format, ListArguments};
use crate::terminal::{print, print_json, prose, render, table};

#[derive(Args)]
pub struct InstancesArguments {
    /// Lists only the names that begin with this
    pub prefix: Option<String>,
    #[command(flatten)]
    pub list: ListArguments,
}

pub fn run(arguments: &InstancesArguments) -> Result<ExitStatus, Failure> {
    let prefix = arguments.prefix.as_deref().unwrap_or_default();
    let matching = |instance: &&Instance| instance.name.starts_with(prefix);
    if !instances().any(|instance| matching(&instance)) {
        let names: Vec<&str> = suites().map(|suite| suite.name.as_str()).collect();
        return Err(Failure::Input(format!(
            "no instance begins with '{prefix}': the suites are {}",
            names.join(", ")
        )));
    }
    match arguments.list.format {
        Format::Json => {
            let all = instances().filter(matching);
            print_json(&all.map(describe).collect::<Vec<_>>())?;
        }
        Format::Text => {
            for suite in suites() {
                let mut rows = table(&["=instance", "board", "shortest solution", "source"]);
                for instance in suite.instances.iter().filter(matching) {
                    rows.add_row([
                        &instance.name,
                        &instance.board(),
                        &known(instance),
                        &instance.source,
                    ]);
                }
                if !rows.is_empty() {
                    print(&format!("{}\n{}\n", prose(&suite.title), render(&rows)))?;
                }
            }
            let note = "Solve one with: hyperslide solve INSTANCE (a cube's rule k with --rule K)";
            print(&prose(note))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// The lengths for people: `57`, `? (published: 125)`, or `k=1: 4, k=2: 6`.
fn known(instance: &Instance) -> String {
    let word = |known: Option<KnownLength>| match known {
        Some(KnownLength::Moves(moves)) => moves.to_string(),
        Some(KnownLength::Unsolvable) => "unsolvable".to_owned(),
        None => "?".to_owned(),
    };
    if instance.default_rule().is_none() {
        let published = instance.published().map(|published| published.length);
        let published = published.map_or(String::new(), |length| format!(" (published: {length})"));
        return word(instance.known_length(None)) + &published;
    }
    let by_rule = |rule| {
        let length = instance.known_length(Some(rule))?;
        Some(format!("k={rule}: {}", word(Some(length))))
    };
    instance.rules().filter_map(by_rule).collect::<Vec<_>>().join(", ")
}

fn describe(instance: &Instance) -> Value {
    let optimal = match instance.default_rule() {
        None => json!(instance.known_length(None)),
        Some(_) => instance
            .rules()
            .filter_map(|rule| Some((rule.to_string(), json!(instance.known_length(Some(rule))?))))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    };
    let puzzle =
        instance.puzzle(None, hyperslide_puzzle::Metric::Face).map(|puzzle| puzzle.to_string());
    let mut described = json!({
        "name": instance.name,
        "board": instance.board(),
        "puzzle": puzzle.ok(),
        "optimal": optimal,
        "source": instance.source,
    });
    if let Some(published) = instance.published() {
        described["published"] = json!(published);
    }
    described
}
