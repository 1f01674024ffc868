//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hyperslide_lab::Solver;
use hyperslide_puzzle::Metric;
use hyperslide_search::{
    ALGORITHMS, HeuristicChoice, Limits, Profile, Schedule, Settings, UnknownHeuristic, Weight,
};
use hyperslide_table::{Encoding, Rest};

use crate::input::memory_limit;

const PUZZLE_HELP: &str = "\
PUZZLE is one of
  an instance's name   cubical/d4-level4 (a cube's rule k by --rule, or cubical/d4-level4:3)
  a line               BOARD [face|edge] START [-> GOAL], see below
  a file               one puzzle in JSON or TOML, or one line or JSON object for each puzzle
  -                    lines or JSON objects from standard input
Several puzzles make a batch: one JSON object a line, in input order.

BOARD is grid:R:C, cube:D:K, graph:FILE, faces:FILE, graph:N:A-B,... or faces:N:A-B-C,...
START and GOAL give each vertex its label, 1,2,3,0, or each label its vertices, r=13,p=7,a=1+2.
0 is an empty vertex, * any: 1,*,0 leaves vertex 1 free; p=* leaves token p free, 0=3+4 wants
vertices 3 and 4 empty. A grid's usual goal is 1,2,...,0.";

/// Solves sliding puzzles on grids, cubes and any other board; without a command, runs the
/// experiment cubical-table-2.
#[derive(Parser)]
#[command(
    version,
    about,
    long_about = "Hyperslide solves sliding puzzles on grids, cubes up to dimension 6, graphs and any other \
                  board of at most 64 vertices, and repeats the experiments of the papers about them.\n\n\
                  The one rule: a token may slide from one vertex of a face to another when the face's \
                  other vertices are all empty.\n\n\
                  Without a command it runs the experiment cubical-table-2.",
    after_help = "Exit status: 0 solved or done, 2 bad input, 3 unsolvable, 4 limit reached, 1 anything else.",
    after_long_help = "Exit status: 0 solved or done, 2 bad input, 3 unsolvable, 4 limit reached, 1 anything \
                       else.\n\nExamples:\n  \
                       hyperslide\n  \
                       hyperslide solve cubical/d4-level4 --rule 3\n  \
                       hyperslide solve 'grid:4:4 3,6,4,8,2,11,7,1,5,9,12,15,10,13,14,0'\n  \
                       hyperslide classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'",
    disable_help_subcommand = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Solves one puzzle or many
    #[command(
        after_help = "Example:\n  hyperslide solve cubical/d4-level4 --rule 3",
        after_long_help = solve_help()
    )]
    Solve(SolveArguments),
    /// Tells whether a configuration is isolated, semi-isolated or mobile, and its component
    #[command(
        long_about = "Tells whether a configuration is isolated (no token can move), semi-isolated (some can, \
                      some never will) or mobile (Beyer et al. 2023, Definition 1.3), which tokens are stuck, \
                      and how large its component of the puzzle graph is.",
        after_help = "Example:\n  hyperslide classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'"
    )]
    Classify(ClassifyArguments),
    /// Counts the legal move sequences of a length
    #[command(
        long_about = "Counts the legal move sequences of a length from a puzzle's start. Two programs that agree \
                      on these numbers agree on the rules.",
        after_help = "Example:\n  hyperslide perft 'grid:3:3 1,2,3,4,5,6,7,8,0' 10"
    )]
    Perft(PerftArguments),
    /// Lets several solvers try the same puzzles and shows them in one table
    #[command(
        long_about = "Lets several solvers try the same puzzles and shows in one table what each solved and proved, how long \
                      its solutions are over the shortest ones known, and what it cost. Give suites, instances, \
                      files of puzzles, or lines.",
        after_help = "Examples:\n  \
                      hyperslide compare cubical --solver auto --solver greedy --limit-time 5\n  \
                      hyperslide compare korf15 --first 10 --solver 'idastar heuristic=patterns' --solver 'weighted-astar weight=2'\n  \
                      hyperslide random --board cube:4:2 --tokens 8 --count 20 > puzzles.txt && hyperslide compare puzzles.txt --format csv"
    )]
    Compare(CompareArguments),
    /// Draws random puzzles that can be solved
    #[command(
        long_about = "Draws random puzzles that can be solved, one line each, the same for the same seed: every solvable start as \
                      likely as any other, or by a random walk from the goal, or at an exact distance from it.",
        after_help = "Examples:\n  \
                      hyperslide random --board grid:4:4 --count 100 --seed 1\n  \
                      hyperslide random --board grid:3:3 --distance 31\n  \
                      hyperslide random --board cube:4:2 --tokens 8 --count 3"
    )]
    Random(RandomArguments),
    /// Lists the named puzzles with their sources and known lengths
    #[command(
        after_help = "Examples:\n  hyperslide instances\n  hyperslide instances cubical --format json"
    )]
    Instances(InstancesArguments),
    /// Lists the kinds of boards, or describes one board and its symmetries
    #[command(after_help = "Examples:\n  hyperslide boards\n  hyperslide boards cube:4:3")]
    Boards(BoardsArguments),
    /// Lists the algorithms and heuristics
    #[command(after_help = "Example:\n  hyperslide algorithms --format json")]
    Algorithms(ListArguments),
    /// Counts the states at every distance from a start, or to a goal
    #[command(
        long_about = "Counts the states at every distance from a start, or to a goal, by a breadth-first search \
                      over the whole component of the puzzle graph; with --goal over all states that lead to the goal \
                      on the occupied sets that slides from the start lead to.\n\nA grid with one empty vertex starts from \
                      its usual goal; elsewhere --start is required, because the first arrangement that comes \
                      to mind may be isolated.",
        after_help = "Examples:\n  \
                      hyperslide layers --board grid:3:4 --farthest\n  \
                      hyperslide layers --board cube:4:2 --start 1=0,2=3,3=5,4=6,5=9,6=10 --format csv\n  \
                      hyperslide layers --board grid:2:3 --start 1,1,2,2,0,0 --goal '1=*,2=0+1'"
    )]
    Layers(LayersArguments),
    /// Builds, describes and verifies tables of exact distances
    #[command(subcommand)]
    Table(TableCommand),
    /// Components, regimes and diameters of a whole puzzle graph
    #[command(
        long_about = "Surveys a whole puzzle graph, all tokens told apart: every type of component with its size \
                      and number, the regime, parity, and by a search from one start in every orbit the \
                      eccentricities, radius and diameter.\n\nA long census is kept in a directory with \
                      --checkpoint and goes on with --resume after a kill; --record writes what it found, \
                      and --verify searches one recorded start, drawn at random, again by other means.",
        after_help = "Examples:\n  \
                      hyperslide census --board cube:3:2 --empty 4\n  \
                      hyperslide census --board cube:4:2 --empty 7 --checkpoint census-4-2-7 --record 4-2-7.json\n  \
                      hyperslide census --verify records/census/cube-4-2-8.json"
    )]
    Census(CensusArguments),
    /// Checks the theorems of the cubical paper, and computes S(d, k)
    #[command(
        long_about = "Checks what the cubical paper (Beyer et al. 2023) says about puzzle graphs, case by case, on \
                      every (d, k, l) up to a dimension that has few enough occupied sets, and computes S(d, k), \
                      the least number of empty vertices with which tokens are mobile, by the recursion, by the \
                      sum as printed and put right, and by looking.",
        after_help = "Example:\n  hyperslide theorems --max-d 4"
    )]
    Theorems(TheoremsArguments),
    /// Counts the shortest solutions of a puzzle
    #[command(
        long_about = "Counts the shortest solutions of a puzzle, as paths through its states. A plain search that \
                      keeps every state: for small puzzles.",
        after_help = "Example (Example 1.15 of the cubical paper):\n  \
                      hyperslide paths 'cube:3:2 1=0,2=1,3=2,4=4 -> 1=1,2=2,3=0,4=4'"
    )]
    Paths(PathsArguments),
    /// Repeats a paper's table, our values beside the published ones
    #[command(
        long_about = "Repeats a paper's table: runs what the experiment declares, records every run, and prints \
                      our values beside the published ones with the reason for every difference.",
        after_help = "Examples:\n  \
                      hyperslide experiment cubical-table-2\n  \
                      hyperslide experiment cubical-table-2 --records runs.jsonl\n  \
                      hyperslide experiment cubical-table-2 --from runs.jsonl --format json"
    )]
    Experiment(ExperimentArguments),
    /// Prints a completion script for a shell
    #[command(
        after_help = "Example:\n  hyperslide completions bash > ~/.local/share/bash-completion/completions/hyperslide"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Whether the output is for programs.
    pub fn wants_json(&self) -> bool {
        let format = match self {
            Command::Solve(arguments) => arguments.format,
            Command::Classify(arguments) => arguments.format,
            Command::Perft(arguments) => arguments.format,
            Command::Instances(arguments) => arguments.list.format,
            Command::Boards(arguments) => arguments.list.format,
            Command::Algorithms(arguments) => arguments.format,
            Command::Layers(arguments) => {
                let is_json = arguments.format == TableFormat::Json;
                return is_json;
            }
            Command::Census(arguments) => arguments.format,
            Command::Theorems(arguments) => arguments.format,
            Command::Paths(arguments) => arguments.format,
            Command::Table(TableCommand::Build(arguments)) => arguments.format,
            Command::Table(TableCommand::Info(arguments)) => arguments.format,
            Command::Table(TableCommand::Verify(arguments)) => arguments.format,
            Command::Experiment(arguments) => arguments.list.format,
            Command::Compare(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Compare(_) | Command::Random(_) | Command::Completions { .. } => Format::Text,
        };
        format == Format::Json
    }
}

fn solve_help() -> String {
    format!(
        "{PUZZLE_HELP}\n\nExamples:\n  \
         hyperslide solve cubical/d4-level4 --rule 3\n  \
         hyperslide solve 'cube:4:3 r=13,p=7,g=4,b=5,y=1 -> r=5,p=7,g=13,b=4,y=1' --format json\n  \
         hyperslide solve korf15/12 --algorithm idastar --limit-time 60\n  \
         hyperslide solve - < puzzles.txt"
    )
}

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
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub limit_nodes: Option<u64>,
    /// Stops searches at this much memory (K, M, G allowed), shared by those at once; by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub limit_memory: Option<u64>,
}

impl LimitArguments {
    /// The limits of each of so many searches at once.
    pub fn limits(&self, at_once: usize) -> Limits {
        Limits {
            time: self.limit_time,
            memory: Some(memory_limit(self.limit_memory) / at_once.max(1) as u64),
            nodes: self.limit_nodes,
        }
    }
}

#[derive(Args)]
pub struct CompareArguments {
    /// Suites, instances, files of puzzles, or puzzle lines
    #[arg(required = true, value_name = "PUZZLES")]
    pub puzzles: Vec<String>,
    /// An algorithm with its parameters, as in 'weighted-astar weight=2 heuristic=patterns'; give several
    #[arg(long, value_name = "SOLVER", value_parser = |text: &str| text.parse::<Solver>())]
    pub solver: Vec<Solver>,
    /// Only the first N puzzles
    #[arg(long, value_name = "N")]
    pub first: Option<usize>,
    /// The rule k of cubical instances
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub rule: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// The seed of solvers that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Runs at once; with one their times are not disturbed by each other
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    pub jobs: usize,
    /// With --format csv a line for each run instead of one for each solver
    #[arg(long)]
    pub runs: bool,
    /// How to print the table
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    let jobs = text.parse().ok().filter(|jobs| (1..=1024).contains(jobs));
    jobs.ok_or_else(|| "write a number from 1 to 1024".to_owned())
}

#[derive(Args)]
pub struct RandomArguments {
    /// The board
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// How many tokens, all told apart; by default one vertex is left empty
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub tokens: Option<usize>,
    /// The goal; by default the usual one on grids with one empty vertex, elsewhere drawn for each puzzle
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    /// What counts as one move
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
    /// How many puzzles
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub count: usize,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// By a walk from the goal of N slides, or of N to M
    #[arg(long, value_name = "N..M", value_parser = parse_range, conflicts_with = "distance")]
    pub walk: Option<(u32, u32)>,
    /// At exactly this many moves from the goal; needs a table of all states
    #[arg(long, value_name = "MOVES", allow_negative_numbers = true)]
    pub distance: Option<u32>,
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok());
    range
        .filter(|&(least, most): &(u32, u32)| least <= most && most <= 10_000_000)
        .ok_or_else(|| "write a number of slides, or two as in 100..200, up to 10000000".to_owned())
}

/// What an algorithm can be told beside its heuristic.
#[derive(Args)]
pub struct SettingsArguments {
    /// The weight of the estimate in weighted-astar and staged
    #[arg(long, value_name = "W", default_value = "3", allow_negative_numbers = true)]
    pub weight: Weight,
    /// In which order staged puts tokens in place: rows, border, or the tokens of each stage as in 1+2/3
    #[arg(long, value_name = "ORDER", default_value = "border")]
    pub schedule: Schedule,
    /// Whether astar and staged search as published or improved
    #[arg(long, value_name = "published|improved", default_value = "improved")]
    pub profile: Profile,
    /// States that beam keeps of each layer
    #[arg(long, value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub width: u64,
    /// Tokens that local-value-iteration takes at a time, at first
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=63))]
    pub region: u64,
}

impl SettingsArguments {
    pub fn settings(&self) -> Settings {
        Settings {
            weight: self.weight,
            schedule: self.schedule.clone(),
            profile: self.profile,
            width: self.width as usize,
            region: self.region as usize,
        }
    }
}

#[derive(Args)]
pub struct SolveArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The algorithm
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm_names())]
    pub algorithm: String,
    /// The heuristic of algorithms that use one; of several with commas the greatest estimate [default: lone-token, and
    /// patterns where auto and anytime find them worth building]
    #[arg(long, value_name = "NAME", value_parser = parse_heuristic)]
    pub heuristic: Option<HeuristicChoice>,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Puzzles of a batch that are solved at once; by default one a core
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<usize>,
    /// A table for `table` and `auto`, instead of those in the tables' directory (see table --help)
    #[arg(long, value_name = "FILE", conflicts_with = "no_table")]
    pub table: Option<PathBuf>,
    /// Looks at no table
    #[arg(long)]
    pub no_table: bool,
    /// The seed of algorithms that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
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
pub struct ClassifyArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// How many occupied sets to explore at the most
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    pub limit_sets: usize,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct PerftArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The number of moves
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub length: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct LayersArguments {
    /// The board
    #[arg(long, value_name = "BOARD")]
    pub board: String,
    /// The number of empty vertices: of a grid without --start 1, else what the start has
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub empty: Option<usize>,
    /// Where the tokens start; with --goal, which tokens there are
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Counts the distances to this goal instead; 0 and * as in solve
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    /// What counts as one move
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
    /// Lists the farthest states, if they are at most N
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100", allow_negative_numbers = true)]
    pub farthest: Option<usize>,
    /// Does not begin when more memory is needed (K, M, G allowed); by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub limit_memory: Option<u64>,
    /// Stops after the layer in which these seconds are over
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// How to print the layers
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

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
    /// Does not begin when more memory is needed (K, M, G allowed); by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub limit_memory: Option<u64>,
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
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct TheoremsArguments {
    /// The greatest dimension
    #[arg(long, value_name = "D", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub max_d: u8,
    /// How to print the checks
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct PathsArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// How many states to keep at the most
    #[arg(long, value_name = "N", default_value_t = 2_000_000, allow_negative_numbers = true)]
    pub limit_states: usize,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct CensusArguments {
    /// The board
    #[arg(long, value_name = "BOARD", required_unless_present = "verify")]
    pub board: Option<String>,
    /// The number of empty vertices
    #[arg(
        long,
        value_name = "L",
        required_unless_present = "verify",
        allow_negative_numbers = true
    )]
    pub empty: Option<usize>,
    /// What counts as one move
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
    /// Surveys components and parity, and searches nothing: no diameters. For more than a hundred
    /// million occupied sets too, at four bits each
    #[arg(long, conflicts_with = "checkpoint")]
    pub survey_only: bool,
    /// Keeps the census in this directory while it runs
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Goes on with the census in the checkpoint's directory
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Keeps the blocks of the searches in files in this directory, for graphs larger than memory
    #[arg(long, value_name = "DIR")]
    pub blocks: Option<PathBuf>,
    /// Seconds between two checkpoints inside one search, at most 600
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_interval, allow_negative_numbers = true)]
    pub checkpoint_every: Duration,
    /// Writes the finished census to this file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Checks a record, and searches again from one of its starts
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["board", "empty", "metric", "checkpoint", "record", "survey_only"])]
    pub verify: Option<PathBuf>,
    /// Which start --verify draws, and in which order it takes the vertices; by default another one
    /// each time
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Does not begin when more memory is needed (K, M, G allowed); by default 80 % of the memory
    /// that is free
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub limit_memory: Option<u64>,
    /// Stops after the layer in which these seconds are over
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub limit_time: Option<Duration>,
    /// How to print the census
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct ListArguments {
    /// How to print the list
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
pub struct InstancesArguments {
    /// Only names that begin with this
    pub prefix: Option<String>,
    #[command(flatten)]
    pub list: ListArguments,
}

#[derive(Args)]
pub struct BoardsArguments {
    /// A board to describe
    pub board: Option<String>,
    /// What counts as one move; edges are part of the symmetries in the edge metric
    #[arg(long, value_name = "face|edge", default_value_t, value_parser = |text: &str| text.parse::<Metric>())]
    pub metric: Metric,
    #[command(flatten)]
    pub list: ListArguments,
}

#[derive(Args)]
pub struct ExperimentArguments {
    /// The experiment's name, or all
    pub name: String,
    /// Runs only the first algorithm with the first seed, and of random puzzles only the first few
    #[arg(long)]
    pub quick: bool,
    /// Adds the runs to this file of records; runs that it holds already are not repeated
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Runs nothing and reads this file of records instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "quick"])]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub list: ListArguments,
}

fn algorithm_names() -> clap::builder::PossibleValuesParser {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().into()
}

fn parse_heuristic(text: &str) -> Result<HeuristicChoice, UnknownHeuristic> {
    text.parse()
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.parse().map_err(|_| "write a number of seconds, as in 2.5".to_owned())?;
    if !seconds.is_finite() || seconds < 0.0 {
        return Err("write a number of seconds that is not negative, as in 2.5".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is longer than any run".to_owned())
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_seconds(text)?;
    if interval > Duration::from_secs(600) {
        return Err("write at most 600 seconds".to_owned());
    }
    Ok(interval)
}

fn parse_bytes(text: &str) -> Result<u64, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

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
