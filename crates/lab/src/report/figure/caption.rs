//! What was run for a figure, in a sentence.

use std::collections::BTreeMap;

use crate::each_once::each_once;
use crate::experiment::Experiment;
use crate::experiment::file::{File, RowSpec, SolverSpec};
use crate::report::numbers::grouped;

/// The puzzles, the seed and the limits of the runs of these solvers.
pub(super) fn equal_runs(experiment: &Experiment, solvers: &[&SolverSpec]) -> String {
    let file = &experiment.file;
    let limits = limits(file, solvers);
    format!("Each solver on {}, seed {}{limits}.", puzzles(file), file.seed)
}

fn puzzles(file: &File) -> String {
    let runs = file.runs;
    let count = |is: fn(&&RowSpec) -> bool| file.row.iter().filter(is).count() as u64;
    let drawn = count(|row| row.random.is_some());
    let named = count(|row| row.instance.is_some() || row.puzzle.is_some());
    let lists = file.row.iter().filter_map(|row| row.listed(file.metric)?.ok());
    let listed = lists.map(|list| list.puzzles.len() as u64).sum();
    let from_each = format!(", {runs} from each of {drawn} rows");
    let of_each = format!(", {runs} runs of each");
    let kinds = [
        (runs * drawn, "drawn", if drawn == 1 { "" } else { &from_each }),
        (listed, "listed", ""),
        (named, "named", if runs == 1 { "" } else { &of_each }),
    ];
    let kinds: Vec<_> = kinds.into_iter().filter(|&(count, ..)| count > 0).collect();
    match kinds[..] {
        [(count, _, rest)] => format!("the same {} puzzles{rest}", grouped(count)),
        _ => {
            let part = |&(count, kind, rest): &(u64, &str, &str)| {
                format!("{} {kind} puzzles{rest}", grouped(count))
            };
            format!("the same {}", kinds.iter().map(part).collect::<Vec<_>>().join(", and "))
        }
    }
}

/// The limits that most runs have, and which have others.
fn limits(file: &File, solvers: &[&SolverSpec]) -> String {
    let mut runs_of: BTreeMap<Option<String>, Vec<(&SolverSpec, usize)>> = BTreeMap::new();
    for (number, row) in file.row.iter().enumerate() {
        let shown = |solver: &&SolverSpec| solvers.iter().any(|other| other.key == solver.key);
        for solver in file.solvers_of(row).filter(shown) {
            let limits = file.limits_of(row, solver).words();
            runs_of.entry(limits).or_default().push((solver, number));
        }
    }
    // Where several are as frequent, those that the file gives to all.
    let of_all = file.limits.words();
    let usual = runs_of.iter().max_by_key(|(limits, runs)| (runs.len(), **limits == of_all));
    let Some(usual) = usual.map(|(limits, _)| limits.clone()) else { return String::new() };
    runs_of.remove(&usual);
    let mut others = Vec::new();
    for (limits, runs) in &runs_of {
        let limits = limits.as_deref().unwrap_or("no limit");
        for key in each_once(runs.iter().map(|(solver, _)| solver.key.as_str())) {
            let own = runs.iter().filter(|(solver, _)| solver.key == key);
            let rows: Vec<usize> = own.map(|&(_, number)| number).collect();
            others.push(format!("{}: {limits}", name(file, key, &rows)));
        }
    }
    match (usual, others.is_empty()) {
        (None, true) => String::new(),
        (None, false) => format!(", without a limit but for {}", others.join("; ")),
        (Some(usual), true) => format!(", within {usual}"),
        (Some(usual), false) => format!(", within {usual} ({})", others.join("; ")),
    }
}

/// A solver, and on which rows where that is not all of its own.
fn name(file: &File, key: &str, rows: &[usize]) -> String {
    let title = &file.solver_of(key).title;
    let is_own = |row: &&RowSpec| file.solvers_of(row).any(|solver| solver.key == key);
    if rows.len() == file.row.iter().filter(is_own).count() {
        return title.clone();
    }
    let row = |&number: &usize| {
        let row = &file.row[number];
        row.name().cloned().unwrap_or_else(|| format!("row {}", number + 1))
    };
    format!("{title} on {}", rows.iter().map(row).collect::<Vec<_>>().join(", "))
}
