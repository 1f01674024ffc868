//! Tables of what tasks found that are not runs of solvers, next to what is published of it.

use super::{Cell, Claim, Column, Judge, Row, Table, Value, provenances};
use crate::each_once::each_once;
use crate::measure::Measured;
use crate::record::TaskRecord;

/// A table before what is published stands next to it. Its rows may lack some of its columns.
#[derive(Default)]
pub(super) struct Draft {
    /// What the document calls it, where the experiment is of several of its tables.
    pub label: Option<String>,
    pub title: Option<String>,
    pub keys: &'static [&'static str],
    pub rows: Vec<DraftRow>,
}

#[derive(Default)]
pub(super) struct DraftRow {
    pub keys: Vec<String>,
    pub values: Vec<DraftValue>,
    pub note: Option<String>,
}

/// A value of ours in its column.
pub(super) struct DraftValue {
    column: Column,
    ours: Measured,
    judge: Judge,
    published: Option<Value>,
}

impl DraftRow {
    pub fn new(key: impl Into<String>, values: Vec<DraftValue>) -> DraftRow {
        DraftRow { keys: vec![key.into()], values, note: None }
    }
}

impl DraftValue {
    /// A value that must be the published one, if there is any.
    pub fn new(column: &str, unit: &'static str, ours: impl Into<Measured>) -> DraftValue {
        let column = Column::number(column, unit);
        DraftValue { column, ours: ours.into(), judge: Judge::Exact, published: None }
    }

    pub fn judged_by(self, judge: Judge) -> DraftValue {
        DraftValue { judge, ..self }
    }

    /// Next to what the document says, or what follows from something else that was found.
    pub fn next_to(self, published: impl Into<Option<Value>>) -> DraftValue {
        DraftValue { published: published.into(), ..self }
    }

    /// In a column of text.
    pub fn in_text(mut self) -> DraftValue {
        self.column.is_numeric = false;
        self
    }

    fn cell(self, is_recorded: bool, claim: Claim) -> Cell {
        let published = self.published.or(claim.published);
        // The same reason is given of a whole column, and not all of its values differ.
        let differs = claim.differs.filter(|_| self.ours.value != published);
        let claim = Claim { published, differs, ..claim };
        Cell::judged(Some(self.judge), is_recorded, self.ours, claim)
    }
}

impl Draft {
    /// The table. `claim` says what is published of a row, named as in CSV, and a column; without a
    /// record there are only the published values.
    pub fn table(self, record: Option<&TaskRecord>, claim: impl Fn(&str, &str) -> Claim) -> Table {
        let values = self.rows.iter().flat_map(|row| &row.values);
        let columns = each_once(values.map(|value| value.column.clone()));
        let mut table = Table::new(self.title, self.keys, columns, Vec::new());
        for DraftRow { keys, values, note } in self.rows {
            let name = table.row_name(&keys);
            let cells = vec![Cell::default(); table.columns.len()];
            let mut row = Row { keys, cells, note, records: provenances(record) };
            for value in values {
                let place = table.columns.iter().position(|column| *column == value.column);
                let claim = claim(&name, &value.column.name);
                let cell = value.cell(record.is_some(), claim);
                row.cells[place.expect("the columns are those of the values")] = cell;
            }
            table.rows.push(row);
        }
        // Boards of our own are shown next to the published one, and judged by nothing.
        table.label = self.label.filter(|_| table.cells().any(|cell| cell.published.is_some()));
        table
    }
}
