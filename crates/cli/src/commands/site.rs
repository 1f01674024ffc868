//! `hyperslide site`: a copy of the web application for any file host.

use std::path::PathBuf;

use clap::Args;
use hyperslide_server::{Date, SiteError, today, write_site};

use crate::failure::{ExitStatus, Failure};
use crate::terminal::{bytes, counted, print, unwritten};

#[derive(Args)]
pub struct SiteArguments {
    /// The directory to write, which is new or holds an earlier copy
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The day of the first of its daily puzzles, as in 2026-11-24, from 2026-01-01 on [default:
    /// today]
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    from: Option<Date>,
}

fn parse_date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "write a day, as in 2026-11-24".to_owned())
}

pub fn run(arguments: &SiteArguments) -> Result<ExitStatus, Failure> {
    let from = arguments.from.unwrap_or_else(today);
    let summary = write_site(&arguments.out, from).map_err(|error| match error {
        SiteError::NotEmpty(_) | SiteError::TooEarly(_) => Failure::input(error),
        SiteError::Io(path, error) => unwritten(&path, &error),
        SiteError::NoFrontEnd => Failure::Other(error.to_string()),
    })?;
    let days = summary.days.map(|(first, last)| format!(", daily puzzles from {first} to {last}"));
    print(&format!(
        "{} of {} in {}, with the exact distances of {} and {}{}\n",
        counted(summary.files as u64, "file"),
        bytes(summary.bytes),
        arguments.out.display(),
        counted(summary.tables as u64, "puzzle"),
        counted(summary.lessons as u64, "lesson"),
        days.unwrap_or_default(),
    ))?;
    Ok(ExitStatus::Done)
}
