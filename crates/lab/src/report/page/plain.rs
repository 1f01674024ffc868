//! The report as Markdown and as LaTeX: the tables, for papers and wikis. Figures are files of their
//! own (`hyperslide experiment NAME --figures DIR`).

use std::fmt::Write;

use super::html::standard_error;
use super::{Content, Exhibit, Report};
use crate::compare::{Cell, Column, Row, Table, Value};
use crate::report::svg::short;
use crate::report::text::{published, shown};

/// How one of the two writes what both have.
struct Syntax {
    escape: fn(&str) -> String,
    heading: fn(usize, &str) -> String,
    paragraph: fn(&str) -> String,
    table: WriteTable,
}

/// Writes a table of the head, of whether each column is numeric, and of the rows.
type WriteTable = fn(&[String], &[bool], &[Vec<String>]) -> String;

const MARKDOWN: Syntax = Syntax {
    escape: escape_markdown,
    heading: |level, text| format!("{} {text}\n\n", "#".repeat(level)),
    paragraph: |text| format!("{text}\n\n"),
    table: markdown_table,
};

const LATEX: Syntax = Syntax {
    escape: escape_latex,
    heading: |level, text| {
        let command = ["section", "section", "subsection"][level.min(3) - 1];
        format!("\\{command}*{{{text}}}\n\n")
    },
    paragraph: |text| format!("{text}\n\n"),
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
            text += &(self.paragraph)(&(self.escape)(&counts));
        }
        for document in &report.documents {
            text += &(self.heading)(2, &(self.escape)(document.title()));
            for finding in &document.findings {
                text += &(self.paragraph)(&(self.escape)(&finding.to_string()));
            }
            for exhibit in &document.exhibits {
                text += &self.exhibit(exhibit);
            }
        }
        for unread in report.unread.iter().chain(&report.foreign) {
            let line = unread.line.map(|line| format!(", line {line}")).unwrap_or_default();
            let line = format!("Not read: {}{line}: {}", unread.file, unread.reason);
            text += &(self.paragraph)(&(self.escape)(&line));
        }
        text
    }

    fn exhibit(&self, exhibit: &Exhibit) -> String {
        let label =
            if exhibit.label.is_empty() { String::new() } else { format!("{}. ", exhibit.label) };
        let mut text = (self.heading)(3, &(self.escape)(&format!("{label}{}", exhibit.title)));
        match &exhibit.content {
            Content::Tables(tables) => {
                for table in tables {
                    if let Some(title) = &table.title {
                        text += &(self.paragraph)(&(self.escape)(title));
                    }
                    text += &self.table(table);
                }
            }
            Content::Figure(figure) => {
                let line = format!("A figure: {} {}", figure.run, figure.reading);
                text += &(self.paragraph)(&(self.escape)(&line));
            }
            Content::Pictures { pictures, reading, tables } => {
                let captions: Vec<&str> =
                    pictures.iter().map(|picture| picture.caption.as_str()).collect();
                let line = format!("Pictures: {}. {reading}", captions.join("; "));
                text += &(self.paragraph)(&(self.escape)(&line));
                text += &tables.iter().map(|table| self.table(table)).collect::<String>();
            }
        }
        for note in &exhibit.notes {
            text += &(self.paragraph)(&(self.escape)(&format!("Note: {note}")));
        }
        let command = format!("Repeat it: hyperslide experiment {}", exhibit.heading.experiment);
        text + &(self.paragraph)(&(self.escape)(&command))
    }

    fn table(&self, table: &Table) -> String {
        let has = |number: usize, is: fn(&Cell) -> bool| {
            table.rows.iter().any(|row| is(&row.cells[number]))
        };
        let mut head: Vec<String> = table.keys.clone();
        let mut is_number = vec![false; head.len()];
        let is_shown = |number: usize| has(number, |cell| !cell.is_empty());
        let columns = || table.columns.iter().enumerate().filter(|(number, _)| is_shown(*number));
        for (number, column) in columns() {
            if has(number, |cell| cell.published.is_some()) {
                head.push(format!("{}, published", column.name));
                is_number.push(true);
            }
            head.push(column.name.clone());
            is_number.push(column.is_numeric);
            if has(number, |cell| cell.verdict.is_some()) {
                head.push("verdict".to_owned());
                is_number.push(false);
            }
        }
        // As on the page, many columns leave no room for intervals.
        let has_intervals = columns().count() <= MANY;
        let has_remarks = table.rows.iter().any(|row| !remarks(table, row).is_empty());
        if has_remarks {
            head.push("why".to_owned());
            is_number.push(false);
        }
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| {
                let mut cells = row.keys.clone();
                for (number, column) in columns() {
                    let cell = &row.cells[number];
                    if has(number, |cell| cell.published.is_some()) {
                        cells.push(published(column, cell).unwrap_or_default());
                    }
                    cells.push(ours(column, cell, has_intervals));
                    if has(number, |cell| cell.verdict.is_some()) {
                        cells.push(verdict(cell));
                    }
                }
                if has_remarks {
                    cells.push(remarks(table, row));
                }
                cells.iter().map(|cell| (self.escape)(cell)).collect()
            })
            .collect();
        let head: Vec<String> = head.iter().map(|name| (self.escape)(name)).collect();
        (self.table)(&head, &is_number, &rows)
    }
}

fn ours(column: &Column, cell: &Cell, has_intervals: bool) -> String {
    let mut text = cell.ours.as_ref().map(|value| shown(column, value)).unwrap_or_default();
    if let Some(error) = cell.standard_error {
        // Writing to a text cannot fail.
        let _ = write!(text, " \u{b1} {}", standard_error(column, error));
    }
    if let Some((low, high)) = cell.interval.filter(|_| has_intervals) {
        let percent = |share: f64| short((share * 1000.0).round() / 10.0);
        let _ = match cell.ours {
            Some(Value::OutOf(..)) => write!(text, " [{}, {}] %", percent(low), percent(high)),
            _ => write!(text, " [{}, {}]", short(low), short(high)),
        };
    }
    text
}

fn verdict(cell: &Cell) -> String {
    match cell.verdict {
        Some(_) if cell.is_close() => "equal by a test".to_owned(),
        verdict => verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
    }
}

fn remarks(table: &Table, row: &Row) -> String {
    let mut remarks: Vec<&str> = Vec::new();
    let reasons =
        table.columns.iter().zip(&row.cells).filter_map(|(_, cell)| cell.reason.as_deref());
    for remark in reasons.chain(row.note.as_deref()) {
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks.join("; ")
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
