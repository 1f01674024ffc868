//! `hyperslide report`: every table and figure from records, as one page.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hyperslide_lab::RecordDirectory;
use hyperslide_lab::report::Report;
use hyperslide_table::replace_unlocked_file;

use super::experiment::chosen;
use crate::failure::{ExitStatus, Failure};
use crate::input::{check_apart, check_target};
use crate::terminal::{bytes, complain, print, unwritten};

#[derive(Args)]
pub struct ReportArguments {
    /// Names of experiments, or files that declare them; all of the papers' when none is given
    #[arg(value_name = "NAME|FILE")]
    pub experiments: Vec<String>,
    /// The records: a file of JSON lines, or a directory of them
    #[arg(long, value_name = "FILE|DIR", default_value = "records")]
    pub records: PathBuf,
    /// The file to write; - writes to standard output [default: report.html, or the format's
    /// ending]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, default_value = "html")]
    pub format: ReportFormat,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page that needs no other file
    Html,
    /// The tables as Markdown
    Markdown,
    /// The tables as a LaTeX document
    Latex,
    /// All values, a line each
    Csv,
    /// All comparisons as one object
    Json,
}

impl ReportFormat {
    fn ending(self) -> &'static str {
        match self {
            ReportFormat::Html => "html",
            ReportFormat::Markdown => "md",
            ReportFormat::Latex => "tex",
            ReportFormat::Csv => "csv",
            ReportFormat::Json => "json",
        }
    }
}

impl ReportArguments {
    /// Returns whether programs read the standard output.
    pub fn is_json(&self) -> bool {
        self.format == ReportFormat::Json && self.out.as_deref() == Some(Path::new("-"))
    }
}

/// Refuses a file or directory in which no line is a record.
fn check_records(directory: &RecordDirectory, path: &Path) -> Result<(), Failure> {
    match (directory.unread.first(), directory.records.is_empty()) {
        (Some(first), true) => Err(Failure::Input(format!(
            "{} has no records ({first}): name a file or a directory that hyperslide experiment --records wrote",
            path.display()
        ))),
        _ => Ok(()),
    }
}

pub fn run(arguments: &ReportArguments) -> Result<ExitStatus, Failure> {
    let mut experiments = Vec::new();
    for name in &arguments.experiments {
        experiments.extend(chosen(name)?);
    }
    if arguments.experiments.is_empty() {
        experiments = chosen("all")?;
    }
    let records = &arguments.records;
    if !records.exists() {
        return Err(Failure::Input(format!(
            "there are no records at {}: name a file or a directory with --records, or make some \
             with hyperslide experiment NAME --records FILE",
            records.display()
        )));
    }
    let default = PathBuf::from(format!("report.{}", arguments.format.ending()));
    let out = arguments.out.as_ref().unwrap_or(&default);
    let is_printed = out == Path::new("-");
    if !is_printed {
        check_target(out)?;
        let files = arguments.experiments.iter().map(Path::new);
        check_apart(out, files.chain([records.as_path()]))?;
    }
    let directory = RecordDirectory::read(records)?;
    check_records(&directory, records)?;
    let report = Report::new(&experiments, &directory);
    for unread in &report.unread {
        complain(&format_args!("not read: {unread}"));
    }
    let text = match arguments.format {
        ReportFormat::Html => report.html(),
        ReportFormat::Markdown => report.markdown(),
        ReportFormat::Latex => report.latex(),
        ReportFormat::Csv => report.csv(),
        ReportFormat::Json => report.json() + "\n",
    };
    if is_printed {
        print(&text)?;
        return Ok(ExitStatus::Done);
    }
    // Whoever reads the file sees the old one or the new one.
    replace_unlocked_file(out, text.as_bytes()).map_err(|error| unwritten(out, &error))?;
    let judged = match report.verdicts.total() {
        0 => "nothing published to compare with".to_owned(),
        judged => format!("{judged} judged values ({})", report.verdicts),
    };
    print(&format!("{}: {judged}, {}\n", out.display(), bytes(text.len() as u64)))?;
    Ok(ExitStatus::Done)
}
