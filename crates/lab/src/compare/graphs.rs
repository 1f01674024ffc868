//! The table of a published distribution of distances.

use super::draft::{Draft, DraftRow, DraftValue};
use super::{Claim, Table, Value};
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
    let count = |layers: &[u64], depth: usize| match layers.get(depth) {
        Some(&states) => Value::Count(states),
        None => Value::Text("none".to_owned()),
    };
    let depths = published.layers.len().max(found.map_or(0, |found| found.states.len()));
    let layer = |depth: usize| {
        let ours = found.map(|found| count(&found.states, depth));
        let states = DraftValue::new("states", "states", ours);
        DraftRow::new(depth.to_string(), vec![states.next_to(count(&published.layers, depth))])
    };
    let decimals = match published.mean {
        Value::Number(_, decimals) => decimals,
        _ => 0,
    };
    let all =
        found.map(|found| Value::Count(found.states.iter().copied().fold(0, u64::saturating_add)));
    let mean = found.map(|found| Value::Number(found.mean, decimals));
    let values = vec![
        DraftValue::new("all states", "states", all).next_to(Value::Count(published.states)),
        DraftValue::new("mean", "moves", mean).next_to(published.mean.clone()),
    ];
    let board = experiment.file.board.as_deref().unwrap_or_default();
    let title = Some("All states".to_owned());
    let drafts = [
        Draft { keys: &["distance"], rows: (0..depths).map(layer).collect(), ..Draft::default() },
        Draft { title, keys: &["board"], rows: vec![DraftRow::new(board, values)], label: None },
    ];
    drafts.map(|draft| draft.table(record, |_, _| Claim::default())).into()
}
