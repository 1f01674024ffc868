//! Tables for people that fit narrow terminals.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};

/// A table in text. Its columns are folded between words, or left out, where there is little room.
#[derive(Clone, Debug)]
pub struct TextTable {
    columns: Vec<TextColumn>,
    rows: Vec<Vec<String>>,
}

/// A column of a [`TextTable`].
#[derive(Clone, Debug)]
pub struct TextColumn {
    /// What stands above its cells.
    pub header: String,
    /// What its cells hold.
    pub kind: ColumnKind,
    /// Whether it is left out where there is no room for it.
    pub is_optional: bool,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text that may be folded.
    Text,
    /// Words that are never folded.
    Words,
    /// Numbers, which are never folded and stand to the right.
    Numbers,
}

/// Spaces between two columns.
const GAP: usize = 2;

impl TextColumn {
    /// The widest line of its cells, which are those with this number in each row.
    fn line_width(&self, cells: &[&str]) -> usize {
        widest(cells.iter().flat_map(|cell| cell.lines()).chain([self.header.as_str()]))
    }

    /// The width below which it would break a word, or fold what must not be folded.
    fn least_width(&self, cells: &[&str]) -> usize {
        let header = self.header.split_whitespace();
        match self.kind {
            ColumnKind::Text => {
                widest(cells.iter().flat_map(|cell| cell.split_whitespace()).chain(header))
            }
            _ => widest(cells.iter().flat_map(|cell| cell.lines()).chain(header)),
        }
    }

    /// The width below which it is hard to read.
    fn readable_width(&self, cells: &[&str]) -> usize {
        const READABLE: usize = 24;
        match self.kind {
            ColumnKind::Text => self.line_width(cells).min(READABLE).max(self.least_width(cells)),
            _ => self.least_width(cells),
        }
    }
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or_default()
}

/// The width of columns of these widths. A space comes behind the last one, too.
fn total(shown: &[usize], widths: &[usize]) -> usize {
    shown.iter().map(|&column| widths[column] + GAP).sum::<usize>().saturating_sub(1)
}

impl TextTable {
    /// A table with these headers. Columns whose header begins with `#` hold numbers, those with
    /// `=` words that are never folded. Columns whose header begins with `?`, before any of these,
    /// are left out where there is no room, the last ones first.
    pub fn new(headers: &[&str]) -> TextTable {
        TextTable::with_columns(headers.iter().map(|header| {
            let plain = header.trim_start_matches('?');
            let kind = match plain.chars().next() {
                Some('#') => ColumnKind::Numbers,
                Some('=') => ColumnKind::Words,
                _ => ColumnKind::Text,
            };
            let is_optional = header.starts_with('?');
            TextColumn {
                header: plain.trim_start_matches(['#', '=']).to_owned(),
                kind,
                is_optional,
            }
        }))
    }

    /// A table with these columns.
    pub fn with_columns(columns: impl IntoIterator<Item = TextColumn>) -> TextTable {
        TextTable { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn add_row<T: Into<String>>(&mut self, row: impl IntoIterator<Item = T>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in lines of at most this width, without spaces at their ends; of any width when it
    /// is `None`. Columns are folded between words or left out, and if that does not suffice every
    /// row becomes a list of its cells. Words are never broken.
    pub fn render(&self, width: Option<usize>) -> String {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let Some(width) = width else { return self.grid(&shown, None) };
        let widths = |width_of: fn(&TextColumn, &[&str]) -> usize| -> Vec<usize> {
            let columns = self.columns.iter().enumerate();
            columns.map(|(number, column)| width_of(column, &self.cells(number))).collect()
        };
        let (readable, least) =
            (widths(TextColumn::readable_width), widths(TextColumn::least_width));
        let mut left_out: Vec<&str> = Vec::new();
        while total(&shown, &readable) > width {
            let last = shown.iter().rposition(|&column| self.columns[column].is_optional);
            let Some(last) = last else { break };
            left_out.insert(0, &self.columns[shown.remove(last)].header);
        }
        if total(&shown, &least) > width {
            return self.as_lists(width);
        }
        let mut text = self.grid(&shown, Some((width, &least)));
        if !left_out.is_empty() {
            let columns = if left_out.len() == 1 { "column" } else { "columns" };
            let note = format!("{columns} left out for lack of room: {}", left_out.join(", "));
            text.push_str(&fold(&note, Some(width)));
        }
        text
    }

    /// The cells of a column.
    fn cells(&self, column: usize) -> Vec<&str> {
        self.rows.iter().filter_map(|row| row.get(column)).map(String::as_str).collect()
    }

    /// These columns side by side, in a width that suffices for the least widths of all.
    fn grid(&self, shown: &[usize], room: Option<(usize, &[usize])>) -> String {
        let mut table = Table::new();
        let rule = LineStyle::none().fill('─').junction('─');
        table.load_style(TableStyle::new().header_separator(rule));
        let lines: Vec<usize> =
            shown.iter().map(|&n| self.columns[n].line_width(&self.cells(n))).collect();
        let is_tight = room.is_some_and(|(width, _)| {
            lines.iter().map(|line| line + GAP).sum::<usize>() > width + 1
        });
        table.set_header(shown.iter().map(|&number| {
            let TextColumn { header, kind, .. } = &self.columns[number];
            match room {
                Some((_, least)) if is_tight && *kind != ColumnKind::Text => {
                    fold(header, Some(least[number])).trim_end().to_owned()
                }
                _ => header.clone(),
            }
        }));
        for row in &self.rows {
            table.add_row(shown.iter().map(|&number| row[number].as_str()));
        }
        for (column, &number) in table.column_iter_mut().zip(shown) {
            column.set_padding((0, 1));
            let kind = self.columns[number].kind;
            if kind == ColumnKind::Numbers {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if kind != ColumnKind::Text {
                column.set_constraint(ColumnConstraint::ContentWidth);
            } else if let Some((_, least)) = room {
                let least = Width::Fixed((least[number] + 1) as u16);
                column.set_constraint(ColumnConstraint::LowerBoundary(least));
            }
        }
        if let Some((width, _)) = room {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        }
        table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Every row as a list of its cells, one below the other.
    fn as_lists(&self, width: usize) -> String {
        let headers = || self.columns.iter().map(|column| column.header.as_str());
        let indent = widest(headers()) + GAP;
        let list = |row: &Vec<String>| -> String {
            let cells = headers().zip(row).filter(|(_, cell)| !cell.is_empty());
            let lines = cells.flat_map(|(header, cell)| {
                let folded = fold(cell, Some(width.saturating_sub(indent)));
                let lines: Vec<String> = folded.lines().map(str::to_owned).collect();
                lines.into_iter().enumerate().map(move |(number, line)| {
                    let header = if number == 0 { header } else { "" };
                    format!("{header:indent$}{line}\n")
                })
            });
            lines.collect()
        };
        self.rows.iter().map(list).collect::<Vec<_>>().join("\n")
    }
}

/// A paragraph in lines of at most this width, which may be any when it is `None`. A word that is
/// longer has a line of its own.
pub fn fold(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{text}\n") };
    let has_room =
        |line: &str, word: &str| line.chars().count() + 1 + word.chars().count() <= width;
    lines_of_words(text, has_room).into_iter().map(|line| line + "\n").collect()
}

/// The words of a text in lines, each in the last line if that has room for it.
pub(super) fn lines_of_words(text: &str, has_room: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if has_room(line, word) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> TextTable {
        let mut table =
            TextTable::new(&["=solver", "#solved", "#length", "?#gap", "what it is", "?#memory"]);
        let text = "a search that keeps every state in memory";
        table.add_row(["weighted-astar", "3 of 4", "12", "0.25", text, "123.4 MB"]);
        table.add_row(["auto", "4 of 4", "13", "0.00", "what fits best", "9.1 GB"]);
        table
    }

    #[test]
    fn tables_fit_narrow_terminals_and_break_no_word() {
        let table = example();
        let whole = table.render(None);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for width in 26..100 {
            let text = table.render(Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} in {width}:\n{text}");
            // Lists repeat the headers; nothing is ever cut.
            let known = words(&whole);
            let note = "columns column left out for lack of room: gap, memory";
            let strange = |word: &String| !known.contains(word) && !note.contains(word.as_str());
            let strange: Vec<String> =
                words(&text).into_iter().filter(|w| strange(w) && !w.starts_with('─')).collect();
            assert_eq!(strange, Vec::<String>::new(), "{width}:\n{text}");
        }
        let narrow = table.render(Some(45));
        assert!(narrow.ends_with("columns left out for lack of room: gap,\nmemory\n"), "{narrow}");
        assert!(
            table.render(Some(30)).starts_with("solver      weighted-astar\nsolved      3 of 4\n")
        );
        assert_eq!(table.render(Some(200)), whole);
    }

    /// The headers of columns of numbers are folded before a table becomes a list.
    #[test]
    fn long_headers_of_short_numbers_are_folded() {
        let mut table = TextTable::new(&["=a", "#difference explained", "#not reached"]);
        table.add_row(["x", "1", "2"]);
        let folded = "a  difference      not\n    explained  reached\n";
        assert!(table.render(Some(25)).starts_with(folded), "{}", table.render(Some(25)));
        assert!(table.render(Some(37)).starts_with("a  difference explained  not reached\n"));
    }
}
