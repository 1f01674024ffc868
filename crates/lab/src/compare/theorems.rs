//! The tables of a paper's statements, checked case by case.

use hyperslide_census::ThresholdCheck;

use super::draft::{Draft, DraftRow, DraftValue};
use super::{Claim, Table, Value};
use crate::experiment::Experiment;
use crate::experiment::file::TheoremsSpec;
use crate::record::TaskRecord;
use crate::task::{Statement, TaskData, TheoremsData};

/// The statements, and S(d, k) in several ways.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let Some(spec) = &experiment.file.theorems else { return Vec::new() };
    let record = experiment.find(&experiment.theorems_task(spec), records);
    let drafts = match record.map(|record| &record.data) {
        Some(TaskData::Theorems(found)) => {
            let title =
                format!("Statements, checked on every puzzle graph up to d = {}", spec.max_d);
            let (label, rows) = (Some(experiment.file.table.clone()), statements(found));
            let statements = Draft { label, title: Some(title), keys: &["statement"], rows };
            vec![statements, thresholds(found)]
        }
        _ => vec![missing(spec)],
    };
    let claim = |row: &str, column: &str| Claim {
        wrong: spec.wrong.get(row).and_then(|row| row.get(column)).cloned(),
        ..Claim::default()
    };
    let mut tables: Vec<Table> =
        drafts.into_iter().map(|draft| draft.table(record, claim)).collect();
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        if row.keys[0].starts_with("Conjecture") {
            row.cells[2].published = Some(Value::Text("conjectured".to_owned()));
        }
    }
    tables
}

/// What is found of a statement, all of which are published as true or conjectured to be.
fn result(ours: Option<&str>) -> DraftValue {
    let text = |text: &str| Value::Text(text.to_owned());
    DraftValue::new("result", "", ours.map(text)).in_text().next_to(text("holds"))
}

/// What a statement is judged by, when nothing was checked.
fn missing(spec: &TheoremsSpec) -> Draft {
    let key = format!("all up to d = {}", spec.max_d);
    Draft {
        keys: &["statement"],
        rows: vec![DraftRow::new(key, vec![result(None)])],
        ..Draft::default()
    }
}

fn statements(found: &TheoremsData) -> Vec<DraftRow> {
    let row = |statement: &Statement| {
        let ours = match statement.failures {
            0 => "holds".to_owned(),
            failures => format!("fails on {failures}"),
        };
        let values = vec![
            DraftValue::new("graphs", "", Value::Count(statement.graphs)),
            DraftValue::new("cases", "", Value::Count(statement.cases)),
            result(Some(&ours)),
        ];
        let note = statement.counterexample.as_ref().map(|case| format!("First at {case}."));
        DraftRow { note, ..DraftRow::new(&*statement.name, values) }
    };
    found.statements.iter().map(row).collect()
}

fn thresholds(found: &TheoremsData) -> Draft {
    let row = |threshold: &ThresholdCheck| {
        let right = threshold.by_search.unwrap_or(threshold.recursion);
        let judged = |column: &str, published: Option<u64>| {
            let ours = published.map(|_| Value::Count(right));
            DraftValue::new(column, "", ours).next_to(published.map(Value::Count))
        };
        let ours =
            |column: &str, value: Option<u64>| DraftValue::new(column, "", value.map(Value::Count));
        DraftRow {
            keys: vec![threshold.d.to_string(), threshold.k.to_string()],
            values: vec![
                judged("recursion", Some(threshold.recursion)),
                judged("sum", threshold.as_printed),
                ours("sum put right", threshold.by_sum),
                ours("by search", threshold.by_search),
            ],
            note: None,
        }
    };
    Draft {
        label: Some("Theorem 1.14".to_owned()),
        title: Some("S(d, k), the least number of empty vertices with mobile tokens".to_owned()),
        keys: &["d", "k"],
        rows: found.thresholds.iter().map(row).collect(),
    }
}
