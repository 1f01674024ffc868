//! The command line: what each command is called, and its help; its options stand in its file.

use clap::{Parser, Subcommand};

use crate::commands::algorithms::AlgorithmsArguments;
use crate::commands::boards::BoardsArguments;
use crate::commands::census::CensusArguments;
use crate::commands::classify::ClassifyArguments;
use crate::commands::compare::CompareArguments;
use crate::commands::experiment::ExperimentArguments;
use crate::commands::instances::InstancesArguments;
use crate::commands::layers::LayersArguments;
use crate::commands::paths::PathsArguments;
use crate::commands::perft::PerftArguments;
use crate::commands::random::RandomArguments;
use crate::commands::replay::ReplayArguments;
use crate::commands::report::ReportArguments;
use crate::commands::solve::SolveArguments;
use crate::commands::table::TableCommand;
use crate::commands::theorems::TheoremsArguments;
use crate::options::{Format, TableFormat};

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
    /// Checks a solution by the rules and shows where it ends
    #[command(
        long_about = "Checks a solution by the rules and shows where it ends. The moves are pairs of vertices (the one a token \
                      leaves and the one it goes to), the directions of tiles as other sliding-tile programs write them, \
                      or the JSON of a solution.\n\nExit status: 0 when the goal is reached, 1 when it is not, 2 when a \
                      move is illegal.",
        after_help = "Examples:\n  \
                      hyperslide replay 'grid:3:3 1,2,3,0,5,6,4,7,8' UL2\n  \
                      hyperslide replay 'grid:3:3 1,2,3,0,5,6,4,7,8' '6-3 7-6 8-7'\n  \
                      hyperslide solve korf15/12 --format json | hyperslide replay korf15/12 -"
    )]
    Replay(ReplayArguments),
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
                      hyperslide compare korf24 --solver anytime --limit-time 20 --records korf24.jsonl\n  \
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
                      hyperslide random --board grid:7:7 --attempts 1000..10000\n  \
                      hyperslide random --board cube:4:2 --tokens 8 --count 3"
    )]
    Random(RandomArguments),
    /// Lists the named puzzles with their sources and known lengths
    #[command(
        after_help = "Examples:\n  hyperslide instances\n  hyperslide instances cubical --format json"
    )]
    Instances(InstancesArguments),
    /// Lists the kinds of boards, or describes one board and its symmetries, which keep edges too in the edge metric
    #[command(after_help = "Examples:\n  hyperslide boards\n  hyperslide boards cube:4:3")]
    Boards(BoardsArguments),
    /// Lists the algorithms and heuristics, or describes one with its settings
    #[command(
        after_help = "Examples:\n  hyperslide algorithms\n  hyperslide algorithms weighted-astar\n  \
                      hyperslide algorithms evolution --format json"
    )]
    Algorithms(AlgorithmsArguments),
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
    /// Writes the report: every table and figure of the papers, ours next to the published ones
    #[command(
        long_about = "Writes one page with every table and figure of the papers, our values next to the published \
                      ones, from records alone: nothing is run. The page needs no other file, no network and no \
                      script. Experiments of one's own get the same report.",
        after_help = "Examples:\n  \
                      hyperslide report --out report.html\n  \
                      hyperslide report --format latex --out tables.tex\n  \
                      hyperslide report my-experiment.toml --records my-records.jsonl --out mine.html"
    )]
    Report(ReportArguments),
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
            Command::Solve(arguments) => arguments.format.unwrap_or(Format::Text),
            Command::Replay(arguments) => arguments.format,
            Command::Classify(arguments) => arguments.format,
            Command::Perft(arguments) => arguments.format,
            Command::Instances(arguments) => arguments.list.format,
            Command::Boards(arguments) => arguments.list.format,
            Command::Algorithms(arguments) => arguments.format,
            Command::Layers(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Census(arguments) => arguments.format,
            Command::Theorems(arguments) => arguments.format,
            Command::Paths(arguments) => arguments.format,
            Command::Table(TableCommand::Build(arguments)) => arguments.format,
            Command::Table(TableCommand::Info(arguments)) => arguments.format,
            Command::Table(TableCommand::Verify(arguments)) => arguments.format,
            Command::Experiment(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Compare(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Report(arguments) if arguments.is_json() => Format::Json,
            Command::Layers(_)
            | Command::Experiment(_)
            | Command::Report(_)
            | Command::Compare(_)
            | Command::Random(_)
            | Command::Completions { .. } => Format::Text,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
