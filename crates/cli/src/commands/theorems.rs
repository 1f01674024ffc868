//! `hyperslide theorems`: the cubical paper's statements, checked case by case.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::Args;
use hyperslide_census::{TheoremsReport, ThresholdCheck};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::options::Format;
use crate::terminal::{
    SearchProgress, cancellable, complain, counted, duration, grouped, print, print_json, prose,
    render, table,
};

#[derive(Args)]
pub struct TheoremsArguments {
    /// The greatest dimension of the cubes, 1 to 5
    #[arg(long, value_name = "D", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub max_d: u8,
    /// How to print the checks
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(arguments: &TheoremsArguments) -> Result<ExitStatus, Failure> {
    let line = SearchProgress::new("");
    let began = Instant::now();
    let report = cancellable(|cancel| {
        TheoremsReport::new(usize::from(arguments.max_d), cancel, &mut |progress| {
            let done = progress.done as f64 / progress.total.max(1) as f64;
            // The first boards are so small that they say nothing about the rest.
            let elapsed = began.elapsed().as_secs_f64();
            let left = if elapsed < 1.0 || progress.done == 0 {
                String::new()
            } else {
                format!(", about {} left", duration(elapsed / done * (1.0 - done)))
            };
            line.say(&format!("{}: {:.1} % done{left}", progress.subject, 100.0 * done));
        })
    });
    drop(line);
    match arguments.format {
        Format::Json => print_json(&json!({
            "checks": report.checks,
            "thresholds": report.thresholds.iter().map(threshold_json).collect::<Vec<_>>(),
        }))?,
        Format::Text => print(&describe(&report))?,
    }
    if report.has_news() {
        return Ok(ExitStatus::Other);
    }
    if !report.complete {
        complain(&"cancelled: what is shown is what was checked until then");
        return Ok(ExitStatus::LimitReached);
    }
    Ok(ExitStatus::Done)
}

fn threshold_json(check: &ThresholdCheck) -> serde_json::Value {
    json!({
        "d": check.d,
        "k": check.k,
        "recursion": check.recursion,
        "sum_as_printed": check.as_printed,
        "sum_put_right": check.by_sum,
        "search": check.by_search,
    })
}

/// The checks for people.
fn describe(report: &TheoremsReport) -> String {
    let mut text = statements(report);
    if report.passed_over > 0 {
        let skipped = counted(report.passed_over as u64, "graph");
        text.push_str(&prose(&format!("\n{skipped} with too many occupied sets: skipped")));
    }
    text.push_str(&prose(
        "\nConjecture 1.12 is checked for k < d: where k = d, S leaves a single token, which has no odd \
         permutation, so that it fails as printed",
    ));
    text.push_str(&format!("\n{}", thresholds(&report.thresholds)));
    text
}

/// What became of one statement on all graphs.
#[derive(Default)]
struct Tally {
    graphs: u64,
    cases: u64,
    /// The graphs on which it fails, each with a counterexample.
    failures: Vec<String>,
}

fn statements(report: &TheoremsReport) -> String {
    let mut by_statement: BTreeMap<&str, Tally> = BTreeMap::new();
    for check in &report.checks {
        let tally = by_statement.entry(check.statement).or_default();
        tally.graphs += 1;
        tally.cases += check.cases;
        if let Some(counterexample) = &check.counterexample {
            let (d, k, l) = (check.d, check.k, check.l);
            tally.failures.push(format!("puz[{d},{k},{l}]: {counterexample}"));
        }
    }
    let mut rows = table(&["=statement", "#graphs", "#cases", "=result"]);
    for (statement, tally) in &by_statement {
        let result = match tally.failures.len() {
            0 => "holds".to_owned(),
            count => format!("FAILS on {count}"),
        };
        let (graphs, cases) = (grouped(tally.graphs), grouped(tally.cases));
        rows.add_row([(*statement).to_owned(), graphs, cases, result]);
    }
    let mut text = render(&rows);
    for (statement, tally) in &by_statement {
        if let Some(first) = tally.failures.first() {
            text.push_str(&prose(&format!("\n{statement} fails, first at {first}")));
        }
    }
    text
}

fn thresholds(thresholds: &[ThresholdCheck]) -> String {
    let shown = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    let mut rows =
        table(&["#d", "#k", "#S(d,k) recursion", "#sum put right", "#sum as printed", "#search"]);
    for check in thresholds {
        let printed = match check.as_printed {
            Some(wrong) if wrong != check.recursion => format!("{wrong} (wrong)"),
            right => shown(right),
        };
        rows.add_row([
            check.d.to_string(),
            check.k.to_string(),
            check.recursion.to_string(),
            shown(check.by_sum),
            printed,
            shown(check.by_search),
        ]);
    }
    render(&rows)
}
