//! Comparisons as comma-separated values: a line for each cell.

use crate::compare::{Cell, Column, Comparison, Heading, Row, Table, Value};

/// The names of the fields.
pub const CSV_HEADER: &str = "experiment,document,source,table,row,column,unit,ours,published,\
                              verdict,reason,standard_error,sample,runs";

/// The cells of a comparison, a line each, without the header.
pub fn csv(comparison: &Comparison) -> String {
    let places = comparison.tables.iter().flat_map(|table| {
        table.places().map(move |(row, column, cell)| (table, row, column, cell))
    });
    let line = |(table, row, column, cell)| line(&comparison.heading, table, row, column, cell);
    places.map(line).collect()
}

fn line(heading: &Heading, table: &Table, row: &Row, column: &Column, cell: &Cell) -> String {
    let Cell { ours, published, printed, verdict, reason, sample, standard_error, .. } = cell;
    let shown = |value: &Option<Value>| value.as_ref().map(Value::to_string).unwrap_or_default();
    let fields = [
        heading.experiment.clone(),
        heading.document.clone(),
        heading.table.clone(),
        table.title.clone().unwrap_or_default(),
        table.row_name(&row.keys),
        column.name.clone(),
        column.unit.to_owned(),
        shown(ours),
        printed.clone().unwrap_or_else(|| shown(published)),
        verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
        reason.clone().unwrap_or_default(),
        standard_error.map(|error| error.to_string()).unwrap_or_default(),
        sample.map(|sample| sample.count.to_string()).unwrap_or_default(),
        sample.map(|sample| sample.of.to_string()).unwrap_or_default(),
    ];
    fields.map(|field| quoted(&field)).join(",") + "\n"
}

/// A field of a line (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
