//! The tables of a paper's statements, checked case by case.

use hyperslide_census::ThresholdCheck;

use super::{Cell, Claim, Column, Judge, Row, Table, Value, Verdict};
use crate::experiment::Experiment;
use crate::experiment::file::TheoremsSpec;
use crate::record::TaskRecord;
use crate::task::{Statement, TaskData, TheoremsData};

/// The statements, and S(d, k) in several ways.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let Some(spec) = &experiment.file.theorems else { return Vec::new() };
    let record = experiment.find(&experiment.theorems_task(spec), records);
    let found = record.and_then(|record| match &record.data {
        TaskData::Theorems(found) => Some((record, found)),
        _ => None,
    });
    let Some((record, found)) = found else { return vec![missing(spec)] };
    let mut tables = vec![statements(spec, found), thresholds(spec, found)];
    tables[0].label = Some(experiment.file.table.clone());
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        row.note_record(record);
    }
    tables
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.to_owned()))
}

/// What a statement is judged by, when nothing was checked.
fn missing(spec: &TheoremsSpec) -> Table {
    let cell =
        Cell { published: text("holds"), verdict: Some(Verdict::Missing), ..Cell::default() };
    let key = format!("all up to d = {}", spec.max_d);
    let row = Row { keys: vec![key], cells: vec![cell], ..Row::default() };
    Table::new(None, &["statement"], vec![Column::text("result")], vec![row])
}

fn statements(spec: &TheoremsSpec, found: &TheoremsData) -> Table {
    let row = |statement: &Statement| {
        let wrong = spec.wrong.get(&statement.name);
        let (ours, verdict) = match (statement.failures, wrong) {
            (0, None) => ("holds".to_owned(), Verdict::Equal),
            (0, Some(_)) => ("holds".to_owned(), Verdict::Unexplained),
            (failures, wrong) => (
                format!("fails on {failures}"),
                if wrong.is_some() { Verdict::PublishedWrong } else { Verdict::Unexplained },
            ),
        };
        let is_conjecture = statement.name.starts_with("Conjecture");
        let cell = Cell {
            ours: Some(Value::Text(ours)),
            published: text(if is_conjecture { "conjectured" } else { "holds" }),
            verdict: Some(verdict),
            reason: wrong.filter(|_| statement.failures > 0).cloned(),
            ..Cell::default()
        };
        Row {
            keys: vec![statement.name.clone()],
            cells: vec![
                Cell::ours(Value::Count(statement.graphs)),
                Cell::ours(Value::Count(statement.cases)),
                cell,
            ],
            note: statement.counterexample.as_ref().map(|case| format!("First at {case}.")),
            ..Row::default()
        }
    };
    let columns =
        vec![Column::number("graphs", ""), Column::number("cases", ""), Column::text("result")];
    let title = format!("Statements, checked on every puzzle graph up to d = {}", spec.max_d);
    Table::new(Some(title), &["statement"], columns, found.statements.iter().map(row).collect())
}

fn thresholds(spec: &TheoremsSpec, found: &TheoremsData) -> Table {
    let optional = |value: Option<u64>| Cell::ours(value.map(Value::Count));
    let row = |threshold: &ThresholdCheck| {
        let right = threshold.by_search.unwrap_or(threshold.recursion);
        let judged = |published: u64, wrong: Option<&String>| {
            // The same reason is given of all rows, and not all of them are wrong.
            let wrong = wrong.filter(|_| published != right).cloned();
            let claim =
                Claim { published: Some(Value::Count(published)), wrong, ..Claim::default() };
            Cell::judged(Judge::Exact, Value::Count(right), claim)
        };
        let printed = threshold.as_printed.map(|printed| judged(printed, spec.wrong.get("sum")));
        Row {
            keys: vec![threshold.d.to_string(), threshold.k.to_string()],
            cells: vec![
                judged(threshold.recursion, None),
                printed.unwrap_or_default(),
                optional(threshold.by_sum),
                optional(threshold.by_search),
            ],
            ..Row::default()
        }
    };
    let title = "S(d, k), the least number of empty vertices with mobile tokens".to_owned();
    let columns = ["recursion", "sum", "sum put right", "by search"];
    let columns = columns.map(|name| Column::number(name, "")).to_vec();
    let rows = found.thresholds.iter().map(row).collect();
    let table = Table::new(Some(title), &["d", "k"], columns, rows);
    Table { label: Some("Theorem 1.14".to_owned()), ..table }
}
