use hyperslide_search::{ALGORITHMS, HEURISTICS};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::options::{Format, ListArguments};
use crate::terminal::{print, print_json, render, table};

pub fn run(arguments: &ListArguments) -> Result<ExitStatus, Failure> {
    match arguments.format {
        Format::Json => {
            let algorithms = ALGORITHMS.iter().map(|algorithm| {
                json!({
                    "name": algorithm.name,
                    "summary": algorithm.summary,
                    "optimal": algorithm.optimal,
                    "uses_heuristic": algorithm.uses_heuristic,
                })
            });
            let heuristics = HEURISTICS.iter().map(|heuristic| {
                json!({
                    "name": heuristic.name,
                    "summary": heuristic.summary,
                    "admissible": heuristic.admissible,
                    "consistent": heuristic.consistent,
                })
            });
            let (algorithms, heuristics) =
                (algorithms.collect::<Vec<_>>(), heuristics.collect::<Vec<_>>());
            print_json(&json!({ "algorithms": algorithms, "heuristics": heuristics }))?;
        }
        Format::Text => {
            let word = |yes: bool| if yes { "yes" } else { "no" };
            let mut algorithms = table(&["=algorithm", "=optimal", "=heuristic", "what it is"]);
            for a in ALGORITHMS {
                algorithms.add_row([a.name, word(a.optimal), word(a.uses_heuristic), a.summary]);
            }
            let mut heuristics = table(&["=heuristic", "=admissible", "=consistent", "what it is"]);
            for h in HEURISTICS {
                heuristics.add_row([h.name, word(h.admissible), word(h.consistent), h.summary]);
            }
            print(&format!("{}\n{}", render(&algorithms), render(&heuristics)))?;
        }
    }
    Ok(ExitStatus::Done)
}
