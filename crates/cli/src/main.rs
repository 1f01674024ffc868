//! The `hyperslide` command: a thin face over the other rooms.
//!
//! Reads arguments, files and standard input; prints text for people or JSON for programs. Exit
//! status: 0 solved or done, 2 bad input, 3 unsolvable, 4 limit reached, 1 anything else.

mod arguments;
mod commands;
mod failure;
mod input;
mod picture;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => commands::experiment::run_default(),
        Some(Command::Solve(arguments)) => commands::solve::run(&arguments),
        Some(Command::Classify(arguments)) => commands::classify::run(&arguments),
        Some(Command::Perft(arguments)) => commands::perft::run(&arguments),
        Some(Command::Instances(arguments)) => commands::instances::run(&arguments),
        Some(Command::Boards(arguments)) => commands::boards::run(&arguments),
        Some(Command::Algorithms(arguments)) => commands::algorithms::run(&arguments),
        Some(Command::Experiment(arguments)) => commands::experiment::run(&arguments),
        Some(Command::Completions { shell }) => commands::completions::run(shell),
    };
    match result {
        Ok(status) => ExitCode::from(status as u8),
        // Whoever reads our output has seen enough of it.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("hyperslide: {failure}");
            ExitCode::from(failure.status() as u8)
        }
    }
}
