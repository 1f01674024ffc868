//! The table of a published distribution of distances.

use super::{Cell, Claim, Column, Judge, Row, Table, Value, Verdict};
use crate::experiment::Experiment;
use crate::record::TaskRecord;
use crate::task::{LayersData, TaskData};

/// The recorded distribution, if there is one.
pub(crate) fn found_layers<'r>(
    experiment: &Experiment,
    records: &'r [TaskRecord],
) -> Option<&'r LayersData> {
    match &experiment.find(&experiment.layers_task(), records)?.data {
        TaskData::Layers(found) => Some(found),
        _ => None,
    }
}

/// The states at every distance, and all of them.
pub(super) fn layers_table(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let Some(published) = &experiment.file.layers else { return Vec::new() };
    let record = experiment.find(&experiment.layers_task(), records);
    let found = found_layers(experiment, records);
    let cell = |published: Value, ours: Option<Value>| match ours {
        Some(ours) => {
            let claim = Claim { published: Some(published), ..Claim::default() };
            Cell::judged(Judge::Exact, ours, claim)
        }
        None => {
            Cell { published: Some(published), verdict: Some(Verdict::Missing), ..Cell::default() }
        }
    };
    let row = |keys: Vec<String>, cells: Vec<Cell>| {
        let mut row = Row { keys, cells, ..Row::default() };
        record.into_iter().for_each(|record| row.note_record(record));
        row
    };
    let count = |layers: &[u64], depth: usize| match layers.get(depth) {
        Some(&states) => Value::Count(states),
        None => Value::Text("none".to_owned()),
    };
    let depths = published.layers.len().max(found.map_or(0, |found| found.states.len()));
    let layers = (0..depths).map(|depth| {
        let ours = found.map(|found| count(&found.states, depth));
        row(vec![depth.to_string()], vec![cell(count(&published.layers, depth), ours)])
    });
    let decimals = match published.mean {
        Value::Number(_, decimals) => decimals,
        _ => 0,
    };
    let whole = row(
        vec![experiment.file.board.clone().unwrap_or_default()],
        vec![
            cell(
                Value::Count(published.states),
                found.map(|found| Value::Count(found.states.iter().sum())),
            ),
            cell(published.mean.clone(), found.map(|found| Value::Number(found.mean, decimals))),
        ],
    );
    vec![
        Table::new(None, &["distance"], vec![Column::number("states", "states")], layers.collect()),
        Table::new(
            Some("All states".to_owned()),
            &["board"],
            vec![Column::number("all states", "states"), Column::number("mean", "moves")],
            vec![whole],
        ),
    ]
}
