//! Options that several commands have.

use std::time::Duration;

use clap::{Args, ValueEnum};
use hyperslide_lab::{Machine, RunLimits};
use hyperslide_puzzle::Metric;
use hyperslide_search::{Limits, SETTINGS, SettingError, Settings};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs; the schema is in docs/json.md
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people
    Text,
    /// For programs; the schema is in docs/json.md
    Json,
    /// Comma-separated values under a header
    Csv,
}

/// What one search may use.
#[derive(Args)]
pub struct LimitArguments {
    /// Stops a search after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// Stops a search after generating this many states
    #[arg(long, value_name = "N", value_parser = parse_whole, allow_negative_numbers = true)]
    pub limit_nodes: Option<u64>,
    /// Stops searches at this much memory (K, M, G allowed), shared by those at once; by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub limit_memory: Option<u64>,
}

impl LimitArguments {
    /// What was asked for, as it is recorded.
    pub fn asked(&self) -> RunLimits {
        RunLimits {
            time_s: self.limit_time.map(|time| time.as_secs_f64()),
            memory_bytes: self.limit_memory,
            nodes: self.limit_nodes,
        }
    }

    /// The limits of each of so many searches at once.
    pub fn limits(&self, at_once: usize) -> Limits {
        Limits {
            time: self.limit_time,
            memory: Some(memory_limit(self.limit_memory) / at_once.max(1) as u64),
            nodes: self.limit_nodes,
        }
    }
}

/// Bytes that a command may use: what it was told, or most of what is free.
fn memory_limit(said: Option<u64>) -> u64 {
    said.unwrap_or_else(Machine::memory_to_use)
}

/// What is done about pattern databases that are kept in files.
#[derive(Args, Default)]
pub struct StoredArguments {
    /// Refuses a pattern database of 1 MB or more that is missing or damaged, instead of building it
    #[arg(long)]
    pub no_build: bool,
}

/// What counts as one move on a board that is named alone.
#[derive(Args)]
pub struct MetricArgument {
    /// What counts as one move
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
}

/// What is built in memory as a whole, or not at all.
#[derive(Args)]
pub struct MemoryArgument {
    /// Does not begin when more memory is needed (K, M, G allowed); by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    limit_memory: Option<u64>,
}

impl MemoryArgument {
    /// Bytes that may be used.
    pub fn limit(&self) -> u64 {
        memory_limit(self.limit_memory)
    }
}

/// What an algorithm can be told beside its heuristic: an option for each of [`SETTINGS`].
pub struct SettingsArguments {
    pub settings: Settings,
}

impl Args for SettingsArguments {
    fn augment_args(command: clap::Command) -> clap::Command {
        let defaults = Settings::default();
        SETTINGS.iter().fold(command, |command, setting| {
            // Read once here to be refused with the option's name, and once more below.
            let check = move |text: &str| -> Result<String, SettingError> {
                setting.set(&mut Settings::default(), text).map(|()| text.to_owned())
            };
            let argument = clap::Arg::new(setting.name)
                .long(setting.name)
                .value_name(setting.value)
                .help(setting.summary)
                .default_value(setting.get(&defaults))
                .allow_negative_numbers(true)
                .value_parser(check);
            command.arg(argument)
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        SettingsArguments::augment_args(command)
    }
}

impl clap::FromArgMatches for SettingsArguments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<SettingsArguments, clap::Error> {
        let mut arguments = SettingsArguments { settings: Settings::default() };
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        for setting in SETTINGS {
            if let Some(value) = matches.get_one::<String>(setting.name) {
                let wrong =
                    |error| clap::Error::raw(clap::error::ErrorKind::ValueValidation, error);
                setting.set(&mut self.settings, value).map_err(wrong)?;
            }
        }
        Ok(())
    }
}

/// Which puzzle, and how it is played.
#[derive(Args)]
pub struct PuzzleArguments {
    /// An instance's name, a line, a file, or - for standard input
    pub puzzle: String,
    /// The rule k of a cubical instance; d - 1 when left out
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub rule: Option<usize>,
    /// What counts as one move [default: what the puzzle says, or face]
    #[arg(long, value_name = "face|edge", value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Option<Metric>,
    /// The goal, instead of the puzzle's own
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
}

#[derive(Args)]
pub struct ListArguments {
    /// How to print the list
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// A number of states, or a seed.
pub fn parse_whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.parse().map_err(|_| "write a number of seconds, as in 2.5".to_owned())?;
    if !seconds.is_finite() || seconds < 0.0 {
        return Err("write a number of seconds that is not negative, as in 2.5".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is longer than any run".to_owned())
}

pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.trim_end_matches(['K', 'M', 'G']) {
        digits if digits.len() == text.len() => (digits, 0),
        digits if digits.len() + 1 == text.len() => match &text[digits.len()..] {
            "K" => (digits, 10),
            "M" => (digits, 20),
            _ => (digits, 30),
        },
        _ => ("", 0),
    };
    let number: u64 =
        digits.parse().map_err(|_| "write a number of bytes, as in 512M or 2G".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than any machine has".to_owned())
}

pub fn parse_jobs(text: &str) -> Result<usize, String> {
    let jobs = text.parse().ok().filter(|jobs| (1..=1024).contains(jobs));
    jobs.ok_or_else(|| "write a number from 1 to 1024".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_or_refused() {
        assert_eq!(parse_bytes("1500"), Ok(1500));
        assert_eq!(parse_bytes("2G"), Ok(2 << 30));
        for bad in ["", "G", "2GG", "2KM", "-1", "1e9", "99999999999999999999", "99999999999G"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        for bad in ["", "NaN", "inf", "-1", "soon", "1e300"] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }
}
