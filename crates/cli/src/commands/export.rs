//! `hyperslide export`: a puzzle as a planning task for other programs.

use std::fmt::Display;
use std::fs::create_dir_all;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hyperslide_puzzle::{PddlDomain, PddlProblem, SasTask};

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, check_apart};
use crate::options::PuzzleArguments;
use crate::terminal::{unwritten, write_file};

#[derive(Args)]
pub struct ExportArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The language of the task
    #[arg(long, value_enum, default_value = "sas")]
    pub format: PlanningFormat,
    /// Writes to this file instead of standard output; for pddl domain.pddl and problem.pddl into
    /// this directory
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanningFormat {
    /// What the search of Fast Downward reads: finite-domain variables, version 3
    Sas,
    /// A domain and a problem in PDDL, STRIPS without types
    Pddl,
}

pub fn run(arguments: &ExportArguments) -> Result<ExitStatus, Failure> {
    let puzzle = Source::open(&arguments.puzzle.puzzle)?.only()?.puzzle(&arguments.puzzle)?;
    let sas = SasTask::new(&puzzle);
    let (domain, problem) = (PddlDomain(&puzzle), PddlProblem(&puzzle));
    if let Some(out) = &arguments.out {
        check_apart(out, [&arguments.puzzle.puzzle])?;
    }
    match (arguments.format, &arguments.out) {
        (PlanningFormat::Sas, None) => stream(&[&sas])?,
        (PlanningFormat::Pddl, None) => stream(&[&domain, &problem])?,
        (PlanningFormat::Sas, Some(path)) => write_file(path, &sas)?,
        (PlanningFormat::Pddl, Some(folder)) => {
            create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
            write_file(&folder.join("domain.pddl"), &domain)?;
            write_file(&folder.join("problem.pddl"), &problem)?;
        }
    }
    Ok(ExitStatus::Done)
}

/// Prints the texts as they are made: those of a large cube have tens of megabytes.
fn stream(texts: &[&dyn Display]) -> Result<(), Failure> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    texts.iter().try_for_each(|text| write!(output, "{text}"))?;
    Ok(output.flush()?)
}
