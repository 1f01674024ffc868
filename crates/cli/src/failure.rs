//! How commands fail, and the exit status that each failure leads to.

use std::fmt;
use std::io;

use hyperslide_lab::{ProofError, RecordError, Status};
use hyperslide_puzzle::one_line;

/// The exit status of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// Solved, or done.
    Done = 0,
    /// Any other failure.
    Other = 1,
    /// The input was wrong.
    BadInput = 2,
    /// The puzzle has no solution.
    Unsolvable = 3,
    /// A limit was reached first.
    LimitReached = 4,
}

impl ExitStatus {
    /// The worse of two: a batch ends with the worst of its lines. An answer is better than a
    /// limit, a limit better than a mistake.
    pub fn worse(self, other: ExitStatus) -> ExitStatus {
        const FROM_WORST: [ExitStatus; 5] = [
            ExitStatus::Other,
            ExitStatus::BadInput,
            ExitStatus::LimitReached,
            ExitStatus::Unsolvable,
            ExitStatus::Done,
        ];
        FROM_WORST.into_iter().find(|&status| status == self || status == other).unwrap_or(self)
    }
}

impl From<Status> for ExitStatus {
    fn from(status: Status) -> ExitStatus {
        match status {
            Status::Solved => ExitStatus::Done,
            Status::Unsolvable => ExitStatus::Unsolvable,
            Status::LimitReached => ExitStatus::LimitReached,
            Status::Error => ExitStatus::BadInput,
        }
    }
}

/// Why a command ended early. Prints as one line.
#[derive(Debug)]
pub enum Failure {
    /// The input was wrong; the text says what and how to repair it.
    Input(String),
    /// Standard output cannot be written.
    Output(io::Error),
    /// A limit, or Ctrl-C, came before there was anything to print.
    Limit(String),
    /// Something else.
    Other(String),
}

impl Failure {
    /// The exit status it leads to.
    pub fn status(&self) -> ExitStatus {
        match self {
            Failure::Input(_) => ExitStatus::BadInput,
            Failure::Limit(_) => ExitStatus::LimitReached,
            Failure::Output(_) | Failure::Other(_) => ExitStatus::Other,
        }
    }

    /// Returns whether the reader of standard output has gone away.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Bad input, from any error that says what is wrong.
    pub fn input(error: impl fmt::Display) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = match self {
            Failure::Input(message) | Failure::Limit(message) | Failure::Other(message) => {
                message.clone()
            }
            Failure::Output(error) => format!("cannot write the output: {error}"),
        };
        // Names and contents of files may be long.
        f.write_str(&one_line(&message, 1000))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<ProofError> for Failure {
    fn from(error: ProofError) -> Failure {
        match error {
            ProofError::Write { .. } => Failure::Other(error.to_string()),
            error => Failure::input(error),
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        match error {
            RecordError::Write { .. } => Failure::Other(error.to_string()),
            RecordError::Open { .. } | RecordError::Read { .. } | RecordError::Malformed { .. } => {
                Failure::input(error)
            }
        }
    }
}
