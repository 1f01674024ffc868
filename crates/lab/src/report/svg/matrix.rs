//! Heat matrices: a count in every cell, and a colour for its share.

use maud::{Markup, html};

use super::{Number, Picture, text_width};
use crate::report::figure::Points;

/// A table of counts.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<MatrixRow>,
}

/// A row of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct MatrixRow {
    pub name: String,
    /// How many of how many, in each column; none where nothing is known.
    pub cells: Vec<Option<(u64, u64)>>,
}

const TEXT: f64 = 11.0;
const CELL: (f64, f64) = (32.0, 21.0);
/// The width of the column that says of how many.
const ALL: f64 = 44.0;

impl Matrix {
    /// The sums of the columns. None of a column with unknown cells, which has other puzzles.
    pub fn total(&self) -> MatrixRow {
        let sum = |column: usize| {
            let add = |(count, all): (u64, u64), (more, of): (u64, u64)| (count + more, all + of);
            let mut cells = self.rows.iter().map(|row| row.cells[column]);
            cells.try_fold((0, 0), |sum, cell| Some(add(sum, cell?)))
        };
        let cells = (0..self.columns.len()).map(sum).collect();
        MatrixRow { name: "all".to_owned(), cells }
    }

    /// What it shows, in sentences.
    pub fn describe(&self) -> String {
        let total = self.total();
        let sum = |(name, cell): (&String, &Option<(u64, u64)>)| {
            cell.map(|(count, all)| format!("{name} {count} of {all}"))
        };
        let sums: Vec<String> = self.columns.iter().zip(&total.cells).filter_map(sum).collect();
        format!("{}: {}.", self.title, sums.join(", "))
    }

    /// Its counts as a list.
    pub fn points(&self) -> Points {
        let mut rows = Vec::new();
        for row in &self.rows {
            for (column, cell) in self.columns.iter().zip(&row.cells) {
                let Some((count, all)) = cell else { continue };
                let (count, all) = (count.to_string(), all.to_string());
                rows.push(vec![row.name.clone(), column.clone(), count, all]);
            }
        }
        let columns = ["row", "solver", "puzzles", "of"].map(str::to_owned).to_vec();
        Points { columns, rows }
    }

    /// Draws it.
    pub fn draw(&self) -> Picture {
        let widest = |names: &mut dyn Iterator<Item = &String>| {
            names.map(|name| text_width(name, TEXT)).fold(0.0, f64::max) + 10.0
        };
        let left = widest(&mut self.rows.iter().map(|row| &row.name)) + ALL;
        let head = widest(&mut self.columns.iter());
        let total = self.total();
        let rows = self.rows.iter().chain([&total]).enumerate();
        let (width, height) = CELL;
        let at = |column: usize| left + width * column as f64;
        let size = (at(self.columns.len()), head + height * (self.rows.len() + 1) as f64 + 4.0);
        let body = html! {
            @for (number, name) in self.columns.iter().enumerate() {
                @let (x, y) = (Number(at(number) + width / 2.0 + 4.0), Number(head - 6.0));
                text x=(x) y=(y) transform={ "rotate(-90 " (x) " " (y) ")" } { (name) }
            }
            text x=(Number(left - 8.0)) y=(Number(head - 6.0)) text-anchor="end" { "of" }
            @for (number, row) in rows {
                @let gap = if number == self.rows.len() { 4.0 } else { 0.0 };
                @let top = head + height * number as f64 + gap;
                @let base = Number(top + height / 2.0 + 4.0);
                text class="name" x="0" y=(base) { (row.name) }
                text x=(Number(left - 8.0)) y=(base) text-anchor="end" { (row.all()) }
                @for (number, cell) in row.cells.iter().enumerate() {
                    (self.cell(row, number, *cell, (at(number), top)))
                }
            }
        };
        Picture { size, alt: self.describe(), body }
    }

    fn cell(
        &self,
        row: &MatrixRow,
        column: usize,
        cell: Option<(u64, u64)>,
        (x, y): (f64, f64),
    ) -> Markup {
        let (width, height) = CELL;
        html! {
            @if let Some((count, all)) = cell {
                @let share = share(count, all);
                g {
                    title { (self.columns[column]) ", " (row.name) ": " (count) " of " (all) }
                    rect class="heat" x=(Number(x + 0.5)) y=(Number(y + 0.5)) width=(Number(width - 1.0))
                        height=(Number(height - 1.0)) fill-opacity=(Number(strength(share))) {}
                    text class=(ink(share)) x=(Number(x + width / 2.0)) y=(Number(y + height / 2.0 + 4.0))
                        text-anchor="middle" { (row.write(count, all)) }
                }
            }
        }
    }
}

impl MatrixRow {
    /// Of how many its counts are, where that is the same for all.
    pub fn all(&self) -> String {
        self.common().map(|all| all.to_string()).unwrap_or_default()
    }

    /// A count as its cell shows it.
    pub fn write(&self, count: u64, all: u64) -> String {
        if self.common().is_some() { count.to_string() } else { format!("{count}/{all}") }
    }

    fn common(&self) -> Option<u64> {
        let mut all = self.cells.iter().flatten().map(|&(_, all)| all);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

/// The share that a cell shows.
pub(crate) fn share(count: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { count as f64 / all as f64 }
}

/// How strong the colour of a share is: full for all alone, and otherwise at most one half, on
/// which dark and light text can be read as well as on the ground.
pub(crate) fn strength(share: f64) -> f64 {
    if share >= 1.0 { 1.0 } else { share / 2.0 }
}

/// The class of the text on the colour of a share.
pub(crate) fn ink(share: f64) -> &'static str {
    match share {
        0.0 => "none",
        1.0.. => "all",
        _ => "some",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        let row = |name: &str, cells: &[Option<(u64, u64)>]| MatrixRow {
            name: name.to_owned(),
            cells: cells.to_vec(),
        };
        Matrix {
            title: "Solved".to_owned(),
            columns: vec!["astar".to_owned(), "<b>".to_owned()],
            rows: vec![
                row("3x3", &[Some((10, 10)), Some((0, 10))]),
                row("4x4", &[Some((1, 10)), Some((3, 5))]),
            ],
        }
    }

    #[test]
    fn every_cell_has_its_number_and_a_colour_by_its_share() {
        let drawn = matrix().draw().element().into_string();
        assert_eq!(drawn.matches("class=\"heat\"").count(), 6);
        assert!(drawn.contains("<title>astar, 4x4: 1 of 10</title>"), "{drawn}");
        assert!(drawn.contains("fill-opacity=\"0.05\"") && drawn.contains("fill-opacity=\"1\""));
        assert!(drawn.contains(">3/5</text>"), "other denominators are written: {drawn}");
        assert!(drawn.contains("&lt;b&gt;") && !drawn.contains("<b>"));
    }

    #[test]
    fn sums_are_of_whole_columns() {
        let mut matrix = matrix();
        assert_eq!(matrix.total().cells, [Some((11, 20)), Some((3, 15))]);
        assert_eq!(matrix.describe(), "Solved: astar 11 of 20, <b> 3 of 15.");
        matrix.rows[0].cells[1] = None;
        assert_eq!(matrix.total().cells, [Some((11, 20)), None]);
        assert_eq!(matrix.points().rows.len(), 3);
    }
}
