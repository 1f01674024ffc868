//! Options that several commands have.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hyperslide_lab::{Machine, Proofs, RunLimits, read_seconds};
use hyperslide_puzzle::Metric;
use hyperslide_search::{Config, Limits, all_settings, check_kept};

use crate::failure::Failure;
use crate::terminal::complain;

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

const LIMIT_MEMORY_HELP: &str = "\
Stops a search at this much memory, as in 512M, 2GiB or 1.5GB (K and KiB are 1024 bytes, kB 1000); \
searches at the same time share it [default: 80 % of the free memory]";

/// What one search may use.
#[derive(Args)]
pub struct LimitArguments {
    /// Stops a search after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub limit_time: Option<Duration>,
    /// Stops a search after it has generated this many states
    #[arg(long, value_name = "N", value_parser = parse_whole)]
    pub limit_nodes: Option<u64>,
    /// Stops a search when it has used this much memory, as in 512M or 2GiB; searches that run at
    /// the same time share it [default: 80 % of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, long_help = LIMIT_MEMORY_HELP)]
    pub limit_memory: Option<u64>,
}

impl LimitArguments {
    /// The limits that were given, as they are recorded.
    pub fn asked(&self) -> RunLimits {
        RunLimits {
            time_s: self.limit_time.map(|time| time.as_secs_f64()),
            memory_bytes: self.limit_memory,
            nodes: self.limit_nodes,
        }
    }

    /// The limits of a search that runs alone.
    pub fn limits(&self) -> Limits {
        Limits {
            time: self.limit_time,
            memory: Some(Machine::memory_limit(self.limit_memory)),
            nodes: self.limit_nodes,
        }
    }
}

/// Where proofs are kept while they are searched.
#[derive(Args)]
pub struct ProofArguments {
    /// Saves the progress of IDA* over pattern databases here, and continues from it
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
}

impl ProofArguments {
    /// The proofs in the directory that was named, unless nothing can be kept of one of the
    /// solvers.
    pub fn open<'a>(
        &self,
        solvers: impl IntoIterator<Item = &'a Config>,
    ) -> Result<Option<Proofs>, Failure> {
        let Some(directory) = &self.checkpoint else { return Ok(None) };
        solvers.into_iter().try_for_each(check_kept).map_err(Failure::input)?;
        let proofs = Proofs::open(directory)?;
        Ok(Some(proofs.reporting(|error| {
            complain(&format_args!("{error}: the proof is found again next time"));
        })))
    }
}

/// Whether pattern databases that are kept in files may be built.
#[derive(Args, Default)]
pub struct StoredArguments {
    /// Builds no pattern database of 1 MB or more; one that is missing or damaged is an error
    #[arg(long)]
    pub no_build: bool,
}

/// Which tables of exact distances are used.
#[derive(Args)]
pub struct TableArguments {
    /// Answers from this table of distances, not from those that `hyperslide table build` keeps
    #[arg(long, value_name = "FILE", conflicts_with = "no_table")]
    pub table: Option<PathBuf>,
    /// Does not look the puzzle up in tables of distances
    #[arg(long)]
    pub no_table: bool,
}

/// The board of a command about a whole graph, as an argument or as an option.
#[derive(Args)]
pub struct BoardArgument {
    /// The board, as in grid:3:3, torus:3:4, cube:4:2 or graph:petersen
    #[arg(value_name = "BOARD", conflicts_with = "board")]
    named: Option<String>,
    /// The same as BOARD
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
}

impl BoardArgument {
    /// The board as it was written. `example` is what else the command needs, for the message when
    /// there is none.
    pub fn get(&self, command: &str, example: &str) -> Result<&str, Failure> {
        self.named.as_deref().or(self.board.as_deref()).ok_or_else(|| {
            Failure::Input(format!(
                "name a board, as in hyperslide {command} cube:3:2{example}; hyperslide boards lists \
                 the kinds of boards"
            ))
        })
    }
}

/// What counts as one move on a board that is named alone.
#[derive(Args)]
pub struct MetricArgument {
    /// What counts as one move: a slide to any vertex of a free face, or along an edge
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
}

/// What is built in memory as a whole, or not at all.
#[derive(Args)]
pub struct MemoryArgument {
    /// Refuses to begin when more memory than this is needed, as in 512M or 2GiB [default: 80 % of
    /// the free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    limit_memory: Option<u64>,
}

impl MemoryArgument {
    /// Bytes that may be used.
    pub fn limit(&self) -> u64 {
        Machine::memory_limit(self.limit_memory)
    }
}

/// Where the blocks of a whole graph are kept if not in memory.
#[derive(Args, Default)]
pub struct BlocksArguments {
    /// Keeps the blocks of the search in files in this directory, for graphs larger than memory;
    /// creates the directory if necessary, and removes the blocks when the search is done
    #[arg(long, value_name = "DIR")]
    pub blocks: Option<PathBuf>,
    /// Keeps as many bytes of the blocks in a second directory, such as one in memory, as in
    /// /dev/shm/blocks=8G
    #[arg(long, value_name = "DIR=BYTES", value_parser = parse_directory_bytes, requires = "blocks")]
    blocks_also: Option<DirectoryBytes>,
}

impl BlocksArguments {
    /// The second directory and the number of bytes in it.
    pub fn also(&self) -> Option<(PathBuf, u64)> {
        self.blocks_also.clone().map(|DirectoryBytes(directory, bytes)| (directory, bytes))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct DirectoryBytes(PathBuf, u64);

fn parse_directory_bytes(text: &str) -> Result<DirectoryBytes, String> {
    let (directory, bytes) =
        text.rsplit_once('=')
            .filter(|(directory, _)| !directory.is_empty())
            .ok_or("write a directory and a number of bytes, as in /dev/shm/blocks=8G")?;
    Ok(DirectoryBytes(PathBuf::from(directory), parse_bytes(bytes)?))
}

/// The settings of the algorithms: an option for each of [`all_settings`], whose values are given
/// to the algorithm that was chosen.
#[derive(Default)]
pub struct SettingsArguments {
    given: Vec<(&'static str, String)>,
}

impl SettingsArguments {
    /// The settings that were given, by their names.
    pub fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.given.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

impl Args for SettingsArguments {
    fn augment_args(command: clap::Command) -> clap::Command {
        all_settings().into_iter().fold(command, |command, setting| {
            let check = |text: &str| setting.check(text).map(|()| text.to_owned());
            let argument = clap::Arg::new(setting.name)
                .long(setting.name)
                .value_name(setting.value)
                .help(format!("{} [default: {}]", setting.summary, setting.default))
                // `hyperslide algorithms NAME` describes those of each algorithm.
                .hide_short_help(true)
                .hide_long_help(true)
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
        let mut arguments = SettingsArguments::default();
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        let value = |name: &'static str| Some((name, matches.get_one::<String>(name)?.clone()));
        self.given = all_settings().iter().filter_map(|setting| value(setting.name)).collect();
        Ok(())
    }
}

/// Which puzzle, and how it is played.
#[derive(Args)]
pub struct PuzzleArguments {
    /// The name of an instance, a puzzle line, a file, or - for standard input
    pub puzzle: String,
    /// The k of the k-rule of a cubical instance, whose faces have k dimensions [default: d - 1]
    #[arg(long, value_name = "K")]
    pub rule: Option<usize>,
    /// What counts as one move: a slide to any vertex of a free face, or along an edge [default: as
    /// the puzzle says, otherwise face]
    #[arg(long, value_name = "face|edge", value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Option<Metric>,
    /// The goal, in place of the puzzle's own
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
}

#[derive(Args)]
pub struct ListArguments {
    /// How to print the result
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
    read_seconds(seconds).map_err(str::to_owned)
}

/// How bytes are written, for help texts.
const BYTES_HELP: &str = "512M, 2GiB or 1.5GB: K, M, G and KiB, MiB, GiB are powers of 1024, \
                          and k, kB, MB, GB are powers of 1000";

/// A number of bytes. kB, MB and GB are powers of 1000, as they are where numbers are printed.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim_start() {
        "" | "B" | "bytes" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "k" | "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err(format!("write a number of bytes, as in {BYTES_HELP}")),
    };
    let too_many = || "that is more than any machine has".to_owned();
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(too_many);
    }
    match number.parse::<f64>() {
        Ok(_) if number.bytes().all(|byte| byte.is_ascii_digit()) => Err(too_many()),
        Ok(parts) if factor > 1 && parts * factor as f64 >= u64::MAX as f64 => Err(too_many()),
        Ok(parts) if factor > 1 => Ok((parts * factor as f64) as u64),
        _ => Err(format!("write a number of bytes, as in {BYTES_HELP}")),
    }
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
        for (text, bytes) in [
            ("0", 0),
            ("12B", 12),
            ("3K", 3 << 10),
            ("3KiB", 3 << 10),
            ("3kB", 3000),
            ("3KB", 3000),
            ("30 MB", 30_000_000),
            ("30MiB", 30 << 20),
            ("1.5GB", 1_500_000_000),
            ("1.5G", 3 << 29),
            ("2GiB", 2 << 30),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        // What is printed can be typed, and means the same.
        for bytes in [12, 999, 3_000, 2_500_000, 30_000_000, 1_500_000_000, 64_000_000_000] {
            assert_eq!(parse_bytes(&crate::terminal::bytes(bytes)), Ok(bytes));
        }
        for bad in [
            "",
            "G",
            "2GG",
            "2KM",
            "-1",
            "1e9",
            "99999999999999999999",
            "99999999999G",
            "1.5",
            ".",
            "1.5.5M",
            "2mb",
            "9e9GB",
        ] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        for bad in ["", "NaN", "inf", "-1", "soon", "1e300"] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }
}
