use std::collections::BTreeMap;

use clap::Args;
use hyperslide_census::{
    KNOWN_TO_FAIL, Theorems, threshold, threshold_as_printed, threshold_by_search, threshold_by_sum,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::options::Format;
use crate::terminal::{SearchProgress, grouped, print, print_json, render, table};

#[derive(Args)]
pub struct TheoremsArguments {
    /// The greatest dimension
    #[arg(long, value_name = "D", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub max_d: u8,
    /// How to print the checks
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Occupied sets that S(d, k) is looked for among.
const MOST_SETS: u64 = 5_000_000;

pub fn run(arguments: &TheoremsArguments) -> Result<ExitStatus, Failure> {
    let max_d = usize::from(arguments.max_d);
    let line = SearchProgress::new("");
    let mut theorems = Theorems::default();
    let mut checks = Vec::new();
    let mut passed_over = 0;
    for d in 1..=max_d {
        for k in 1..=d {
            for l in 1..1 << d {
                line.say(format!("puz[{d},{k},{l}]"));
                let found = theorems.check(d, k, l);
                passed_over += usize::from(found.is_empty());
                checks.extend(found);
            }
        }
    }
    let mut thresholds = Vec::new();
    for d in 1..=max_d.max(6) {
        for k in 1..=d {
            line.say(format!("S({d}, {k})"));
            let searched = (d <= max_d).then(|| threshold_by_search(d, k, MOST_SETS)).flatten();
            thresholds.push((d, k, threshold_as_printed(d, k), threshold_by_sum(d, k), searched));
        }
    }
    drop(line);
    let is_news =
        checks.iter().any(|c| c.counterexample.is_some() && !KNOWN_TO_FAIL.contains(&c.statement));
    match arguments.format {
        Format::Json => {
            let threshold_entry = |&(d, k, printed, sum, searched): &_| {
                json!({ "d": d, "k": k, "recursion": threshold(d, k), "sum_as_printed": printed,
                        "sum_put_right": sum, "search": searched })
            };
            print_json(&json!({
                "checks": checks,
                "thresholds": thresholds.iter().map(threshold_entry).collect::<Vec<_>>(),
            }))?;
        }
        Format::Text => {
            let mut by_statement: BTreeMap<&str, (u64, u64, Vec<String>)> = BTreeMap::new();
            for check in &checks {
                let entry = by_statement.entry(check.statement).or_default();
                entry.0 += 1;
                entry.1 += check.cases;
                if let Some(counterexample) = &check.counterexample {
                    let (d, k, l) = (check.d, check.k, check.l);
                    entry.2.push(format!("puz[{d},{k},{l}]: {counterexample}"));
                }
            }
            let mut rows = table(&["=statement", "#graphs", "#cases", "=result"]);
            for (statement, (graphs, cases, failures)) in &by_statement {
                let result = match failures.len() {
                    0 => "holds".to_owned(),
                    count => format!("FAILS on {count}"),
                };
                rows.add_row([(*statement).to_owned(), grouped(*graphs), grouped(*cases), result]);
            }
            let mut text = render(&rows);
            for (statement, (.., failures)) in &by_statement {
                if let Some(first) = failures.first() {
                    text.push_str(&format!("\n{statement} fails, first at {first}\n"));
                }
            }
            if passed_over > 0 {
                text.push_str(&format!(
                    "\n{passed_over} graphs have too many occupied sets and were passed over\n"
                ));
            }
            let shown =
                |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
            let mut rows = table(&[
                "#d",
                "#k",
                "#S(d,k) recursion",
                "#sum put right",
                "#sum as printed",
                "#search",
            ]);
            for &(d, k, printed, sum, searched) in &thresholds {
                let recursion = threshold(d, k);
                let printed = match printed {
                    Some(wrong) if wrong != recursion => format!("{wrong} (wrong)"),
                    right => shown(right),
                };
                rows.add_row([
                    d.to_string(),
                    k.to_string(),
                    recursion.to_string(),
                    shown(sum),
                    printed,
                    shown(searched),
                ]);
            }
            text.push_str(&format!("\n{}", render(&rows)));
            print(&text)?;
        }
    }
    Ok(if is_news { ExitStatus::Other } else { ExitStatus::Done })
}
