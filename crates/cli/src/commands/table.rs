//! `hyperslide table`: building, listing and verifying tables of exact distances.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};
use hyperslide_lab::{table_file, tables_directory};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Rest, Signals, StoredContent, StoredFile,
    TableDescription, VerifyError, VerifyOptions, VerifyProgress, VerifyStep, stored_files,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, check_apart, check_target};
use crate::options::{Format, MemoryArgument, PuzzleArguments, parse_whole};
use crate::tables;
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, duration, grouped, print, print_json, prose,
    render, seconds, table,
};

/// Tables of exact distances: optimal play by lookup, and pattern databases.
///
/// Tables are kept in the directory $HYPERSLIDE_TABLES, or else in hyperslide/tables under
/// $XDG_CACHE_HOME or ~/.cache. `hyperslide solve` looks there for a table of its puzzle, and keeps
/// the pattern databases that it builds there.
#[derive(Subcommand)]
pub enum TableCommand {
    /// Computes the distances of all states to a puzzle's goal, and writes them to a file
    #[command(after_help = "Examples:\n  \
                      hyperslide table build 'grid:3:3 1,2,3,4,5,6,7,8,0'\n  \
                      hyperslide table build korf15/1 --keep 1,2,3,4 --rest free --bits 8 --out 1234.table")]
    Build(TableBuildArguments),
    /// Describes a table, or lists those in the directory of tables
    #[command(
        after_help = "Examples:\n  hyperslide table info\n  hyperslide table info 1234.table"
    )]
    Info(TableInfoArguments),
    /// Checks a table: its checksums, its layers, distances of neighbours, and descents to the goal
    #[command(after_help = "Example:\n  hyperslide table verify 1234.table")]
    Verify(TableVerifyArguments),
}

#[derive(Args)]
pub struct TableBuildArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The tokens that keep their labels [default: all]
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Tokens that stay on their goal vertices, which are then not part of the board
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    pub settle: Vec<String>,
    /// How all other tokens are treated: as alike, with slides that cost one move (counted) or none
    /// (free), or as absent
    #[arg(long, value_name = "counted|free|absent", default_value = "counted", value_parser = |text: &str| text.parse::<Rest>())]
    pub rest: Rest,
    /// The number of bits for each state: 2 (the distance modulo 3) or 8
    #[arg(long, value_name = "2|8", default_value = "2", value_parser = |text: &str| text.parse::<Encoding>())]
    pub bits: Encoding,
    /// Stops at the end of the layer in which this many states have been reached
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// The file to write [default: one in the directory of tables]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// How to print the description
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct TableInfoArguments {
    /// The table to describe [default: lists all in the directory of tables]
    pub file: Option<PathBuf>,
    /// How to print the description
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct TableVerifyArguments {
    /// The table to check
    pub file: PathBuf,
    /// The greatest number of states that are compared with their neighbours
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub states: u64,
    /// The seed by which states are drawn when there are more
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    pub seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn run(command: &TableCommand) -> Result<ExitStatus, Failure> {
    match command {
        TableCommand::Build(arguments) => build(arguments),
        TableCommand::Info(arguments) => info(arguments),
        TableCommand::Verify(arguments) => verify(arguments),
    }
}

fn build(arguments: &TableBuildArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let puzzle = Source::open(&arguments.puzzle.puzzle)?.only()?.puzzle(&arguments.puzzle)?;
    let abstraction = if arguments.keep.is_empty() && arguments.settle.is_empty() {
        Abstraction::whole(&puzzle)
    } else {
        Abstraction::new(&puzzle, &arguments.keep, &arguments.settle, arguments.rest)
    };
    let abstraction = abstraction.map_err(Failure::input)?;
    let path = match &arguments.out {
        Some(path) => {
            check_target(path)?;
            check_apart(path, [&arguments.puzzle.puzzle])?;
            path.clone()
        }
        None => {
            let directory = tables_directory().ok_or_else(|| {
                Failure::Input(
                    "there is no directory for tables: set HYPERSLIDE_TABLES, or name a file with --out"
                        .to_owned(),
                )
            })?;
            std::fs::create_dir_all(&directory).map_err(|error| {
                Failure::Other(format!("cannot make {}: {error}", directory.display()))
            })?;
            table_file(&directory, &puzzle, &abstraction.text())
        }
    };
    let options = BuildOptions {
        encoding: arguments.bits,
        max_states: arguments.max_states,
        memory: arguments.memory.limit(),
        ..BuildOptions::default()
    };
    let line = SearchProgress::new("");
    let built = tables::build(abstraction, &options, &line)?;
    line.say(&format!("writing {}", path.display()));
    built.write(&path)?;
    drop(line);
    let description = built.description();
    match arguments.format {
        Format::Json => {
            print_json(&json!({ "file": path.display().to_string(), "table": description }))?;
        }
        Format::Text => print(&format!(
            "{}built in {}, written to {}\n",
            describe(&description),
            seconds(began.elapsed().as_secs_f64()),
            path.display()
        ))?,
    }
    Ok(ExitStatus::Done)
}

/// A table for people.
fn describe(table: &TableDescription) -> String {
    let list = |names: &[String]| {
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let states: u64 = table.layers.iter().sum();
    format!(
        "goal of      {}\nkept apart   {}\nsettled      {}\nthe rest     {}\n\
         states       {}{}, the farthest at {}\nsize         {}, {} bits a state\n",
        table.puzzle,
        list(&table.kept),
        list(&table.settled),
        table.rest,
        grouped(states),
        if table.complete { "" } else { " (only the nearest)" },
        table.layers.len().saturating_sub(1),
        bytes(table.payload_bytes),
        table.bits,
    )
}

fn info(arguments: &TableInfoArguments) -> Result<ExitStatus, Failure> {
    if let Some(path) = &arguments.file {
        let description = DistanceTable::describe(path)?;
        match arguments.format {
            Format::Json => print_json(&description)?,
            Format::Text => print(&describe(&description))?,
        }
        return Ok(ExitStatus::Done);
    }
    list(arguments.format)
}

/// Lists the tables' directory.
fn list(format: Format) -> Result<ExitStatus, Failure> {
    let place = tables_directory();
    let found = place.as_deref().map(stored_files).unwrap_or_default();
    if format == Format::Json {
        let entry = |StoredFile { path, content }: &StoredFile| {
            let table = match content {
                StoredContent::Table(table) => Some(table),
                _ => None,
            };
            json!({ "file": path.display().to_string(), "table": table, "problem": problem(content) })
        };
        print_json(&found.iter().map(entry).collect::<Vec<_>>())?;
        return Ok(ExitStatus::Done);
    }
    let Some(place) = place else {
        print("no tables: no directory is named for them, set HYPERSLIDE_TABLES or HOME\n")?;
        return Ok(ExitStatus::Done);
    };
    let place = place.display();
    if found.is_empty() {
        print(&format!("no tables in {place}\n"))?;
        return Ok(ExitStatus::Done);
    }
    let mut rows = table(&["=file", "#states", "#size", "goal of"]);
    let unknown = || "?".to_owned();
    for StoredFile { path, content } in &found {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        rows.add_row(match content {
            StoredContent::Table(found) => [
                name,
                grouped(found.layers.iter().sum::<u64>()),
                bytes(found.payload_bytes),
                found.puzzle.clone(),
            ],
            _ => [name, unknown(), unknown(), problem(content).unwrap_or_default()],
        });
    }
    print(&format!("{}\nin {place}\n", render(&rows)))?;
    Ok(ExitStatus::Done)
}

/// Why a file in the tables' directory is not a table.
fn problem(content: &StoredContent) -> Option<String> {
    match content {
        StoredContent::Table(_) => None,
        StoredContent::Damaged(error) => Some(error.to_string()),
        StoredContent::BeingWritten => Some(
            "not finished: a build is writing it, or was killed less than a minute ago".to_owned(),
        ),
        StoredContent::LeftBehind => Some(
            "not finished: a build that was killed left it behind; the next build here removes it"
                .to_owned(),
        ),
    }
}

fn verify(arguments: &TableVerifyArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let line = SearchProgress::new("");
    line.say(&format!("reading {}", arguments.file.display()));
    let table = DistanceTable::open(&arguments.file)?;
    let options = VerifyOptions {
        states: arguments.states,
        seed: arguments.seed,
        ..VerifyOptions::default()
    };
    let mut step = (VerifyStep::Layers, Instant::now());
    let mut on_progress = |progress: VerifyProgress| {
        if step.0 != progress.step {
            step = (progress.step, Instant::now());
        }
        line.say(&describe_progress(progress, step.1.elapsed().as_secs_f64()));
    };
    let verified =
        cancellable(|cancel| table.verify(&options, &Signals::new(cancel), &mut on_progress));
    drop(line);
    let verified = match verified {
        Ok(verified) => verified,
        Err(VerifyError::Cancelled) => {
            complain(&VerifyError::Cancelled);
            if arguments.format == Format::Json {
                print_json(
                    &json!({ "file": arguments.file.display().to_string(), "verified": null }),
                )?;
            }
            return Ok(ExitStatus::LimitReached);
        }
        Err(error @ VerifyError::Memory(_)) => return Err(Failure::Other(error.to_string())),
        Err(VerifyError::Wrong(problem)) => {
            return Err(Failure::Input(format!(
                "{} is wrong: {problem}: build it again with `hyperslide table build`",
                arguments.file.display()
            )));
        }
    };
    match arguments.format {
        Format::Json => print_json(&json!({
            "file": arguments.file.display().to_string(),
            "verified": true,
            "states": verified.states,
            "all": verified.all,
            "descents": verified.descents,
            "layers": table.layers().states,
        }))?,
        Format::Text => print(&prose(&format!(
            "no contradiction: the checksums and the layers agree, and so do {}{} numbered states with \
             their neighbours, and {} descents to the goal, {}",
            if verified.all { "all " } else { "" },
            grouped(verified.states),
            grouped(verified.descents),
            seconds(began.elapsed().as_secs_f64()),
        )))?,
    }
    Ok(ExitStatus::Done)
}

/// What a verification is doing, and how much of the step is left after it has taken these seconds.
fn describe_progress(progress: VerifyProgress, elapsed_s: f64) -> String {
    let VerifyProgress { step, done, total } = progress;
    let what = match step {
        VerifyStep::Layers => "counting the layers again (1 of 3)",
        VerifyStep::States => "looking at states and their neighbours (2 of 3)",
        VerifyStep::Descents => "walking to the goal (3 of 3)",
    };
    let share = done as f64 / total.max(1) as f64;
    let left = match done {
        0 => String::new(),
        _ => format!(", about {} left", duration(elapsed_s * (1.0 - share) / share)),
    };
    format!("{what}: {:.1} %{left}", 100.0 * share)
}
