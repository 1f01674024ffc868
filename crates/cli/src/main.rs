//! The `hyperslide` command: a thin face over the other rooms.
//!
//! Reads arguments, files and standard input; prints text for people or JSON for programs. Exit
//! status: 0 solved or done, 2 bad input, 3 unsolvable, 4 limit reached, 1 anything else.

mod arguments;
mod commands;
mod failure;
mod input;
mod options;
mod picture;
mod processes;
mod reserve;
mod tables;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use hyperslide_lab::SolveResult;

use arguments::{Arguments, Command};
use terminal::{complain, print_json};

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    if let Some(threads) = arguments.threads {
        hyperslide_table::limit_threads(threads);
    }
    let wants_json = arguments.command.as_ref().is_some_and(Command::wants_json);
    let result = tables::check_directory().and_then(|()| match &arguments.command {
        None => commands::experiment::run_default(),
        Some(Command::Solve(arguments)) => commands::solve::run(arguments),
        Some(Command::Replay(arguments)) => commands::replay::run(arguments),
        Some(Command::Classify(arguments)) => commands::classify::run(arguments),
        Some(Command::Perft(arguments)) => commands::perft::run(arguments),
        Some(Command::Instances(arguments)) => commands::instances::run(arguments),
        Some(Command::Boards(arguments)) => commands::boards::run(arguments),
        Some(Command::Algorithms(arguments)) => commands::algorithms::run(arguments),
        Some(Command::Layers(arguments)) => commands::layers::run(arguments),
        Some(Command::Table(command)) => commands::table::run(command),
        Some(Command::Census(arguments)) => commands::census::run(arguments),
        Some(Command::Theorems(arguments)) => commands::theorems::run(arguments),
        Some(Command::Paths(arguments)) => commands::paths::run(arguments),
        Some(Command::Compare(arguments)) => commands::compare::run(arguments),
        Some(Command::Random(arguments)) => commands::random::run(arguments),
        Some(Command::Dataset(arguments)) => commands::dataset::run(arguments),
        Some(Command::Experiment(arguments)) => commands::experiment::run(arguments),
        Some(Command::Report(arguments)) => commands::report::run(arguments),
        #[cfg(feature = "server")]
        Some(Command::Serve(arguments)) => commands::serve::run(arguments),
        #[cfg(feature = "server")]
        Some(Command::Plays(command)) => commands::plays::run(command),
        #[cfg(feature = "server")]
        Some(Command::Site(arguments)) => commands::site::run(arguments),
        Some(Command::Export(arguments)) => commands::export::run(arguments),
        Some(Command::Graph(arguments)) => commands::graph::run(arguments),
        Some(Command::Completions { shell }) => commands::completions::run(*shell),
    });
    let status = match result {
        Ok(status) => status,
        // The reader of our output has seen enough of it.
        Err(failure) if failure.is_broken_pipe() => failure::ExitStatus::Done,
        Err(failure) => {
            complain(&failure);
            if wants_json && !matches!(failure, failure::Failure::Output(_)) {
                // Programs that read the output get an object in any case. If it cannot be written,
                // the exit status still shows the failure.
                let _ = print_json(&SolveResult::error(&failure.to_string()));
            }
            failure.status()
        }
    };
    ExitCode::from(status as u8)
}

/// What the standard library says of a text that is not a number of some type, and what users need
/// to know.
const NUMBERS: [(&str, &str); 3] = [
    (": invalid digit found in string", ": write a whole number that is not negative"),
    (": cannot parse integer from empty string", ": write a whole number that is not negative"),
    (": number too large to fit in target type", ": that number is too large"),
];

/// Says in one line what is wrong with the command line. Help and version, which are not mistakes,
/// are printed.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        let status = match printed.map_err(failure::Failure::Output) {
            Err(failure) if !failure.is_broken_pipe() => {
                complain(&failure);
                failure.status()
            }
            _ => failure::ExitStatus::Done,
        };
        return ExitCode::from(status as u8);
    }
    let text = error.render().to_string();
    let words =
        |line: &str| !(line.starts_with("Usage:") || line.starts_with("For more information"));
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| words(line))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let line = lines.join(" ").replace(" found tip: ", " found: ").replace("' tip: ", "': ");
    let line = NUMBERS.iter().fold(line, |line, (theirs, ours)| line.replace(theirs, ours));
    let message = line.strip_prefix("error: ").unwrap_or(&line);
    let failure = failure::Failure::Input(format!("{message} (see --help)"));
    complain(&failure);
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let wants_json = arguments.iter().any(|argument| argument == "--format=json")
        || arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    if wants_json {
        let _ = print_json(&SolveResult::error(&failure.to_string()));
    }
    ExitCode::from(failure.status() as u8)
}
