use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand};
use hyperslide_lab::{table_file, tables_directory};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Rest, Signals, TABLE_ENDING,
    TableDescription, TableError, VerifyOptions,
};
use serde_json::json;

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, check_target};
use crate::options::{Format, MemoryArgument, PuzzleArguments, parse_whole};
use crate::terminal::{
    SearchProgress, bytes, cancellable, grouped, print, print_json, render, seconds, table,
};

/// Tables of exact distances: optimal play by lookup, and pattern databases.
///
/// Without --out a table is kept in the directory $HYPERSLIDE_TABLES, else in hyperslide/tables under
/// $XDG_CACHE_HOME or ~/.cache. `solve` looks there for a table of its puzzle.
#[derive(Subcommand)]
pub enum TableCommand {
    /// Computes the distances of all states to a puzzle's goal, and writes them to a file
    #[command(after_help = "Examples:\n  \
                      hyperslide table build 'grid:3:3 1,2,3,4,5,6,7,8,0'\n  \
                      hyperslide table build 'grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0' --keep 1,2,3,4 --rest free --bits 8 --out 1234.table")]
    Build(TableBuildArguments),
    /// Says what a table is of; without a file, lists those in the tables' directory
    #[command(after_help = "Example:\n  hyperslide table info 1234.table")]
    Info(TableInfoArguments),
    /// Checks a table: checksums, local conditions, layers counted again, ways to the goal
    #[command(after_help = "Example:\n  hyperslide table verify 1234.table")]
    Verify(TableVerifyArguments),
}

#[derive(Args)]
pub struct TableBuildArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// Tokens that are kept apart; all when left out
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Tokens that stay on their goal vertices, which are then no part of the board
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    pub settle: Vec<String>,
    /// What becomes of the others: alike and counted, alike and free to slide at no cost, or absent
    #[arg(long, value_name = "counted|free|absent", default_value = "counted", value_parser = |text: &str| text.parse::<Rest>())]
    pub rest: Rest,
    /// Bits a state: 2 (the distance modulo 3) or 8
    #[arg(long, value_name = "2|8", default_value = "2", value_parser = |text: &str| text.parse::<Encoding>())]
    pub bits: Encoding,
    /// Stops after the layer in which so many states are reached
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_states: Option<u64>,
    /// The file; by default one in the tables' directory
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgument,
    /// How to print what was built
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct TableInfoArguments {
    /// The table
    pub file: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct TableVerifyArguments {
    /// The table
    pub file: PathBuf,
    /// States whose neighbours are looked at, at most
    #[arg(long, value_name = "N", default_value_t = 10_000_000, allow_negative_numbers = true)]
    pub states: u64,
    /// Which states are drawn when there are more
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole, allow_negative_numbers = true)]
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
    let built = cancellable(|cancel| {
        let signals = Signals::new(cancel);
        DistanceTable::build(abstraction, &options, &signals, &mut |layers| {
            let (depth, states) = (layers.depth(), grouped(layers.total()));
            line.say(format!("distance {depth}: {states} states"));
            ControlFlow::Continue(())
        })
    })?;
    line.say(format!("writing {}", path.display()));
    built.write(&path)?;
    drop(line);
    let description = built.description();
    match arguments.format {
        Format::Json => print_json(&json!({ "file": path, "table": description }))?,
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
    let found = tables_in(tables_directory().as_deref());
    match arguments.format {
        Format::Json => {
            let entry = |(path, found): &(PathBuf, Result<TableDescription, TableError>)| {
                let problem = found.as_ref().err().map(ToString::to_string);
                json!({ "file": path, "table": found.as_ref().ok(), "problem": problem })
            };
            print_json(&found.iter().map(entry).collect::<Vec<_>>())?;
        }
        Format::Text => {
            let Some(place) = tables_directory() else {
                print(
                    "no tables: no directory is named for them, set HYPERSLIDE_TABLES or HOME\n",
                )?;
                return Ok(ExitStatus::Done);
            };
            let place = place.display();
            if found.is_empty() {
                print(&format!("no tables in {place}\n"))?;
                return Ok(ExitStatus::Done);
            }
            let mut rows = table(&["=file", "#states", "#size", "goal of"]);
            for (path, found) in &found {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                rows.add_row(match found {
                    Ok(found) => [
                        name,
                        grouped(found.layers.iter().sum()),
                        bytes(found.payload_bytes),
                        found.puzzle.clone(),
                    ],
                    Err(error) => [name, "?".to_owned(), "?".to_owned(), error.to_string()],
                });
            }
            print(&format!("{}\nin {place}\n", render(&rows)))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// The tables in a directory by name, with what they say or what is wrong with them.
fn tables_in(directory: Option<&Path>) -> Vec<(PathBuf, Result<TableDescription, TableError>)> {
    let Some(Ok(entries)) = directory.map(std::fs::read_dir) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == TABLE_ENDING))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), DistanceTable::describe(&path))).collect()
}

fn verify(arguments: &TableVerifyArguments) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let line = SearchProgress::new("");
    line.say(format!("reading {}", arguments.file.display()));
    let table = DistanceTable::open(&arguments.file)?;
    line.say("verifying".to_owned());
    let options = VerifyOptions {
        states: arguments.states,
        seed: arguments.seed,
        ..VerifyOptions::default()
    };
    let verified =
        cancellable(|cancel| table.verify(&options, &Signals::new(cancel))).map_err(|problem| {
            Failure::Input(format!(
                "{} is wrong: {problem}: build it again with `hyperslide table build`",
                arguments.file.display()
            ))
        })?;
    drop(line);
    match arguments.format {
        Format::Json => print_json(&json!({
            "file": arguments.file,
            "verified": true,
            "states": verified.states,
            "all": verified.all,
            "descents": verified.descents,
            "layers": table.layers().states,
        }))?,
        Format::Text => print(&format!(
            "checksums and layers agree; {}{} numbered states and their neighbours; {} ways to the \
             goal walked: no contradiction, {}\n",
            if verified.all { "all " } else { "" },
            grouped(verified.states),
            grouped(verified.descents),
            seconds(began.elapsed().as_secs_f64()),
        ))?,
    }
    Ok(ExitStatus::Done)
}
