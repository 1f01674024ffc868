//! The report as Markdown and as LaTeX: the tables, for papers and wikis. Figures are files of
//! their own (`hyperslide experiment NAME --figures DIR`).

use super::{Content, Exhibit, Report, repeat_command};
use crate::compare::{Cell, Column, Row, Table};
use crate::report::text::{ERRORS, interval, partial_sample, published, shown, standard_error};

/// How one of the two writes what both have.
struct Syntax {
    escape: fn(&str) -> String,
    heading: fn(usize, &str) -> String,
    table: WriteTable,
}

/// Writes a table of the head, of whether each column is numeric, and of the rows.
type WriteTable = fn(&[String], &[bool], &[Vec<String>]) -> String;

const MARKDOWN: Syntax = Syntax {
    escape: escape_markdown,
    heading: |level, text| format!("{} {text}\n\n", "#".repeat(level)),
    table: markdown_table,
};

const LATEX: Syntax = Syntax {
    escape: escape_latex,
    heading: |level, text| {
        let command = ["section", "section", "subsection"][level.min(3) - 1];
        format!("\\{command}*{{{text}}}\n\n")
    },
    table: latex_table,
};

pub(super) fn markdown(report: &Report) -> String {
    MARKDOWN.write(report)
}

pub(super) fn latex(report: &Report) -> String {
    let body = LATEX.write(report);
    format!(
        "\\documentclass{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage{{booktabs,graphicx,longtable}}\n\
         \\usepackage[landscape,margin=15mm]{{geometry}}\n\\begin{{document}}\n\\footnotesize\n\n{body}\\end{{document}}\n"
    )
}

impl Syntax {
    fn write(&self, report: &Report) -> String {
        let mut text = (self.heading)(1, report.title());
        if report.verdicts.total() > 0 {
            let counts = format!("{} judged values: {}.", report.verdicts.total(), report.verdicts);
            text += &self.paragraph(&counts);
        }
        for document in &report.documents {
            text += &(self.heading)(2, &(self.escape)(document.title()));
            for finding in &document.findings {
                text += &self.paragraph(&finding.to_string());
            }
            for exhibit in &document.exhibits {
                text += &self.exhibit(exhibit);
            }
        }
        for unread in report.unread.iter().chain(&report.foreign) {
            text += &self.paragraph(&format!("Not read: {unread}"));
        }
        text
    }

    fn paragraph(&self, text: &str) -> String {
        format!("{}\n\n", (self.escape)(text))
    }

    fn exhibit(&self, exhibit: &Exhibit) -> String {
        let label =
            if exhibit.label.is_empty() { String::new() } else { format!("{}. ", exhibit.label) };
        let mut text = (self.heading)(3, &(self.escape)(&format!("{label}{}", exhibit.title)));
        match &exhibit.content {
            Content::Tables(tables) => {
                for table in tables {
                    if let Some(title) = &table.title {
                        text += &self.paragraph(title);
                    }
                    text += &self.table(table);
                }
            }
            Content::Figure(figure) => {
                let line = format!("A figure: {} {}", figure.run, figure.reading);
                text += &self.paragraph(&line);
            }
            Content::Pictures { pictures, reading, tables } => {
                let captions: Vec<&str> =
                    pictures.iter().map(|picture| picture.caption.as_str()).collect();
                let line = format!("Pictures: {}. {reading}", captions.join("; "));
                text += &self.paragraph(&line);
                text += &tables.iter().map(|table| self.table(table)).collect::<String>();
            }
        }
        let tables = match &exhibit.content {
            Content::Tables(tables) => &tables[..],
            _ => &[],
        };
        if tables.iter().flat_map(Table::cells).any(|cell| cell.standard_error.is_some()) {
            text += &self.paragraph(ERRORS);
        }
        for note in &exhibit.notes {
            text += &self.paragraph(&format!("Note: {note}"));
        }
        let command = repeat_command(&exhibit.heading.experiment);
        text + &self.paragraph(&format!("Repeat it: {command}"))
    }

    fn table(&self, table: &Table) -> String {
        let columns = columns(table);
        let escape = |text: &String| (self.escape)(text);
        let head: Vec<String> = columns.iter().map(|column| escape(&column.head)).collect();
        let is_number: Vec<bool> = columns.iter().map(|column| column.is_number).collect();
        let row = |row: &Row| columns.iter().map(|column| escape(&(column.cell)(row))).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
        (self.table)(&head, &is_number, &rows)
    }
}

/// A column as it is written.
struct Written<'a> {
    head: String,
    is_number: bool,
    /// Its cell in a row.
    cell: Box<dyn Fn(&Row) -> String + 'a>,
}

impl<'a> Written<'a> {
    fn new(head: &str, is_number: bool, cell: impl Fn(&Row) -> String + 'a) -> Written<'a> {
        Written { head: head.to_owned(), is_number, cell: Box::new(cell) }
    }
}

/// The columns of a table: what is published and how it compares have columns of their own.
fn columns(table: &Table) -> Vec<Written<'_>> {
    let is_shown = |number: &usize| table.rows.iter().any(|row| !row.cells[*number].is_empty());
    let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
    // As on the page, many columns leave no room for intervals.
    let has_intervals = shown.len() <= MANY;
    let keys = table.keys.iter().enumerate();
    let key = |(number, key): (usize, &String)| {
        Written::new(key, false, move |row| row.keys[number].clone())
    };
    let mut columns: Vec<Written<'_>> = keys.map(key).collect();
    for number in shown {
        let column = &table.columns[number];
        let has = |is: fn(&Cell) -> bool| table.rows.iter().any(|row| is(&row.cells[number]));
        if has(|cell| cell.published.is_some()) {
            let head = format!("{}, published", column.name);
            let cell = move |row: &Row| published(column, &row.cells[number]).unwrap_or_default();
            columns.push(Written::new(&head, true, cell));
        }
        let cell = move |row: &Row| ours(row, column, &row.cells[number], has_intervals);
        columns.push(Written::new(&column.name, column.is_numeric, cell));
        if has(|cell| cell.verdict.is_some()) {
            columns.push(Written::new("verdict", false, move |row| verdict(&row.cells[number])));
        }
    }
    if table.rows.iter().any(|row| !row.remarks().concat().is_empty()) {
        columns.push(Written::new("why", false, |row| row.remarks().join("; ")));
    }
    columns
}

fn ours(row: &Row, column: &Column, cell: &Cell, has_intervals: bool) -> String {
    let mut text = cell.ours.as_ref().map(|value| shown(column, value)).unwrap_or_default();
    if let Some(error) = cell.standard_error {
        text += &format!(" \u{b1} {}", standard_error(column, error));
    }
    if let Some(size) = partial_sample(row, cell) {
        text += &format!(", n = {size}");
    }
    if let Some(interval) = interval(cell).filter(|_| has_intervals) {
        text += &format!(" {interval}");
    }
    text
}

fn verdict(cell: &Cell) -> String {
    match cell.verdict {
        Some(_) if cell.is_close() => "equal by a test".to_owned(),
        verdict => verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
    }
}

fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#') {
            escaped.push('\\');
        }
        escaped.push(if c == '\n' { ' ' } else { c });
    }
    escaped
}

fn markdown_table(head: &[String], is_number: &[bool], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = is_number.iter().map(|&is| if is { "---:|" } else { "---|" }).collect::<String>();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}|{rule}\n{rows}\n", line(head))
}

fn escape_latex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            // Two in a row would become a dash.
            '-' if escaped.ends_with('-') => escaped.push_str("{}-"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '<' | '>' => escaped.extend(['$', c, '$']),
            '\u{b1}' => escaped.push_str("$\\pm$"),
            '\u{b5}' => escaped.push_str("$\\mu$"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Tables with more columns have small letters and upright headings.
const MANY: usize = 10;

fn latex_table(head: &[String], is_number: &[bool], rows: &[Vec<String>]) -> String {
    let is_wide = head.len() > MANY;
    // Columns with longer texts fold them, the sooner the more columns there are.
    let (longest, fold) = match head.len() {
        ..=MANY => (40, "p{70mm}"),
        11..=14 => (40, "p{40mm}"),
        _ => (16, "p{17mm}"),
    };
    let is_long = |number: usize| rows.iter().any(|row| row[number].chars().count() > longest);
    let layout: String = (0..head.len())
        .map(|number| match (is_number[number], is_long(number)) {
            (_, true) if head[number] == "why" && is_wide => "p{40mm}",
            (_, true) => fold,
            (true, false) => "r",
            (false, false) => "l",
        })
        .collect();
    let heading = |(number, name): (usize, &String)| match is_wide && number > 0 && !is_long(number)
    {
        true => format!("\\rotatebox{{90}}{{{name}}}"),
        false => name.clone(),
    };
    let head: Vec<String> = head.iter().enumerate().map(heading).collect();
    let (before, after) = match is_wide {
        true => ("{\\tiny\\setlength{\\tabcolsep}{1.5pt}\n", "}\n"),
        false => ("", ""),
    };
    let line = |cells: &[String]| format!("{} \\\\\n", cells.join(" & "));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!(
        "{before}\\begin{{longtable}}{{{layout}}}\n\\toprule\n{}\\midrule\n\\endhead\n{rows}\\bottomrule\n\\end{{longtable}}\n{after}\n",
        line(&head)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out() {
        assert_eq!(escape_markdown("a|b *c*\n<d>"), "a\\|b \\*c\\* \\<d\\>");
        assert_eq!(
            escape_latex("50 % of a_b & {c}\\"),
            "50 \\% of a\\_b \\& \\{c\\}\\textbackslash{}"
        );
        assert_eq!(escape_latex("solve a-b --rule"), "solve a-b -{}-rule");
    }
}
