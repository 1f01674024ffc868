//! The command line: the name and help of each command. The options of a command are declared in
//! its own file.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use hyperslide_lab::report::fold;
use hyperslide_search::all_settings;

use crate::commands::algorithms::AlgorithmsArguments;
use crate::commands::boards::{BoardsArguments, BoardsFormat};
use crate::commands::census::CensusArguments;
use crate::commands::classify::{ClassifyArguments, ClassifyFormat};
use crate::commands::compare::CompareArguments;
use crate::commands::dataset::DatasetArguments;
use crate::commands::experiment::ExperimentArguments;
use crate::commands::export::ExportArguments;
use crate::commands::graph::{GraphArguments, GraphFormat};
use crate::commands::instances::InstancesArguments;
use crate::commands::layers::LayersArguments;
use crate::commands::paths::PathsArguments;
use crate::commands::perft::PerftArguments;
#[cfg(feature = "server")]
use crate::commands::plays::PlaysCommand;
use crate::commands::random::RandomArguments;
use crate::commands::replay::ReplayArguments;
use crate::commands::report::ReportArguments;
#[cfg(feature = "server")]
use crate::commands::serve::ServeArguments;
#[cfg(feature = "server")]
use crate::commands::site::SiteArguments;
use crate::commands::solve::{SolveArguments, in_short_help};
use crate::commands::table::TableCommand;
use crate::commands::theorems::TheoremsArguments;
use crate::options::{Format, TableFormat, parse_jobs};

const PUZZLE_HELP: &str = "\
PUZZLE is one of
  the name of an instance  cubical/d4-level4, with the cube's rule k as --rule 3 or
                           as cubical/d4-level4:3; `hyperslide instances` lists them
  a line                   BOARD [face|edge] START [-> GOAL], explained below
  a file                   one puzzle in TOML or JSON, or one puzzle on each line
  -                        lines or JSON objects on standard input
Several puzzles make a batch, whose results are printed in the order of the input.

BOARD is grid:ROWS:COLUMNS, cylinder:ROWS:COLUMNS, torus:ROWS:COLUMNS, cube:D:K,
graph:NAME, graph:FILE, faces:FILE, graph:N:A-B,..., graph6:LINE or
faces:N:A-B-C,...; `hyperslide boards` explains them.
START and GOAL give each vertex its label (1,2,3,0) or each label its vertices
(r=13,p=7,a=1+2). 0 is an empty vertex, and * in a goal means anything: 1,*,0 leaves
vertex 1 free, p=* lets token p end anywhere, and 0=3+4 requires that vertices 3 and 4
are empty. A grid's usual goal, 1,2,...,0, may be left out.";

const EXIT_STATUS: &str = "\
Exit status: 0 solved or done, 1 any other failure, 2 bad input, 3 unsolvable,
4 a limit was reached or a search was interrupted, 130 interrupted otherwise.";

/// Solves sliding puzzles on grids, cubes and other boards, and reproduces published experiments
#[derive(Parser)]
#[command(
    version,
    about,
    long_about = "Hyperslide solves sliding puzzles on grids, cubes up to dimension 6, graphs and any other \
                  board of at most 64 vertices, and reproduces the experiments published about them.\n\n\
                  The one rule: a token may slide from one vertex of a face to another when all other \
                  vertices of that face are empty.\n\n\
                  Without a command it runs the experiment cubical-table-2, which takes about a second.",
    after_help = format!("{EXIT_STATUS}\n\n`hyperslide COMMAND --help` explains a command and gives examples."),
    after_long_help = format!("{EXIT_STATUS}\n\nExamples:\n  \
                       hyperslide\n  \
                       hyperslide solve cubical/d4-level4 --rule 3\n  \
                       hyperslide solve 'grid:4:4 3,6,4,8,2,11,7,1,5,9,12,15,10,13,14,0'\n  \
                       hyperslide classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'"),
    disable_help_subcommand = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Uses this many threads [default: the number of cores]
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = parse_jobs,
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub threads: Option<usize>,
}

impl Arguments {
    /// Reads the command line of this process.
    pub fn read() -> Result<Arguments, clap::Error> {
        let mut command = with_negative_numbers(Arguments::command());
        let matches =
            command.try_get_matches_from_mut(with_help_at_the_end(std::env::args_os()))?;
        Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// Reads `hyperslide help COMMAND` as `hyperslide COMMAND --help`.
fn with_help_at_the_end(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_some_and(|first| first == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

/// Reads a negative number after an option as its value, so that the option says what may be
/// written there.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let options = command.mut_args(|argument| match argument.get_action().takes_values() {
        true if !argument.is_positional() => argument.allow_negative_numbers(true),
        _ => argument,
    });
    options.mut_subcommands(with_negative_numbers)
}

#[derive(Subcommand)]
pub enum Command {
    /// Solves one puzzle or many
    #[command(
        long_about = "Solves one puzzle or many: finds a shortest solution, or proves that there is none, unless an \
                      algorithm that promises less is chosen. A search that reaches a limit reports a lower bound on the \
                      length of any solution. Ctrl-C ends a search in the same way.",
        mut_args(in_short_help),
        after_help = SOLVE_HELP,
        after_long_help = solve_long_help()
    )]
    Solve(SolveArguments),
    /// Checks a solution by the rules and shows where it ends
    #[command(
        long_about = "Checks a solution by the rules and shows where it ends. The moves are pairs of vertices (the one \
                      that a token leaves and the one that it goes to), the directions of tiles as other sliding-tile \
                      programs write them, the JSON of a solution, or the plan that a planning program found for the task that \
                      export wrote.\n\nExit status: 0 when the goal is reached, 1 when it is not, 2 when a move is illegal.",
        after_help = "Examples:\n  \
                      hyperslide replay 'grid:3:3 1,2,3,0,5,6,4,7,8' UL2\n  \
                      hyperslide replay 'grid:3:3 1,2,3,0,5,6,4,7,8' '6-3 7-6 8-7'\n  \
                      hyperslide solve korf15/12 --format json | hyperslide replay korf15/12 -"
    )]
    Replay(ReplayArguments),
    /// Compares solvers on the same puzzles in one table
    #[command(
        long_about = "Runs several solvers on the same puzzles and shows in one table how many each solved and proved, \
                      how much longer its solutions are than the shortest ones known, and what they cost.",
        after_help = "Examples:\n  \
                      hyperslide compare cubical --solver auto --solver greedy --limit-time 5\n  \
                      hyperslide compare korf15 --first 3 --solver auto --solver 'beam width=100'\n  \
                      hyperslide compare korf24/1 --solver anytime --limit-time 2 --records runs.jsonl\n  \
                      hyperslide random --board cube:4:2 --tokens 8 --count 5 > puzzles.txt\n  \
                      hyperslide compare puzzles.txt --limit-time 1 --format csv"
    )]
    Compare(CompareArguments),
    /// Draws random puzzles that can be solved
    #[command(
        long_about = "Draws random puzzles that can be solved and prints one on each line. The same seed gives the same \
                      puzzles. By default every solvable start is equally likely; --walk and --attempts draw by a \
                      random walk from the goal, and --distance draws starts at an exact distance from it.",
        after_help = "Examples:\n  \
                      hyperslide random --board grid:4:4 --count 100 --seed 1\n  \
                      hyperslide random --board grid:3:3 --distance 31\n  \
                      hyperslide random --board grid:7:7 --attempts 1000..10000\n  \
                      hyperslide random --board cube:4:2 --tokens 8 --count 3\n  \
                      hyperslide random --board grid:5:5 --tokens 12xa,12xb"
    )]
    Random(RandomArguments),
    /// Writes random states with their exact distances and best moves, as arrays
    #[command(
        long_about = "Draws random states of a puzzle and writes them to a file for NumPy: states (0 on empty vertices, \
                      otherwise 1 plus the index of the label), cost_to_go (moves to the goal), optimal_actions (the \
                      moves that lead closer, by the numbers of the Python package) and puzzle (its line). Builds a \
                      table of all states first.",
        after_help = "Example:\n  hyperslide dataset 'grid:3:3 1,2,3,4,5,6,7,8,0' --count 100000 --by distance --out 8-puzzle.npz"
    )]
    Dataset(DatasetArguments),
    /// Lists the named puzzles with their sources and known lengths
    #[command(
        after_help = "Examples:\n  hyperslide instances\n  hyperslide instances cubical --format json"
    )]
    Instances(InstancesArguments),
    /// Lists the kinds of boards and the named graphs, or describes one board with its symmetries
    #[command(
        long_about = "Lists the kinds of boards, with --graphs the graphs that are known by name, or describes one \
                      board: its picture, its numbers of vertices, faces and edges, and its symmetries, which in the \
                      edge metric keep the edges, too. With --format graph6 or sparse6 it writes a graph as other \
                      programs read it.",
        after_help = "Examples:\n  \
                      hyperslide boards\n  \
                      hyperslide boards --graphs\n  \
                      hyperslide boards cube:4:3\n  \
                      hyperslide boards graph:petersen --format graph6"
    )]
    Boards(BoardsArguments),
    /// Lists the algorithms and heuristics, or describes one with its settings
    #[command(
        after_help = "Examples:\n  hyperslide algorithms\n  hyperslide algorithms weighted-astar\n  \
                      hyperslide algorithms evolution --format json"
    )]
    Algorithms(AlgorithmsArguments),
    /// Says which tokens can ever move, and how large the component is
    #[command(
        long_about = "Says whether a configuration is isolated (no token can move), semi-isolated (some tokens can \
                      move, others never will) or mobile (Beyer et al. 2023, Definition 1.3), which tokens are stuck, \
                      and how large its component of the puzzle graph is. With --group it shows the group of closed \
                      walks, which are the rearrangements of the tokens on the start's own vertices: its order, its \
                      generators as cycles of tokens and, where a theorem proves one, its name. --format gap writes \
                      the group as input of GAP.",
        after_help = "Examples:\n  \
                      hyperslide classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'\n  \
                      hyperslide classify 'graph:theta0 1,2,3,4,5,6,0' --group\n  \
                      hyperslide classify 'graph:theta0 1,2,3,4,5,6,0' --format gap"
    )]
    Classify(ClassifyArguments),
    /// Counts the legal move sequences of each length
    #[command(
        long_about = "Counts the legal move sequences of each length from a puzzle's start. Two programs that agree \
                      on these numbers agree on the rules.",
        after_help = "Example:\n  hyperslide perft 'grid:3:3 1,2,3,4,5,6,7,8,0' 10"
    )]
    Perft(PerftArguments),
    /// Counts the shortest solutions of a puzzle
    #[command(
        long_about = "Counts the shortest solutions of a puzzle by a plain search that keeps every state, and \
                      is therefore for small puzzles only.",
        after_help = "Example (Example 1.15 of the cubical paper):\n  \
                      hyperslide paths 'cube:3:2 1=0,2=1,3=2,4=4 -> 1=1,2=2,3=0,4=4'"
    )]
    Paths(PathsArguments),
    /// Counts the states at every distance from a start, or to a goal
    #[command(
        long_about = "Counts the states at every distance from a start by a breadth-first search over its whole \
                      component of the puzzle graph. With --goal it counts the distances to that goal, of all states \
                      that lead to it and whose occupied set can be reached from the start's.\n\nA grid with one empty \
                      vertex starts from its usual goal. On other boards --start is required, because an arbitrary \
                      arrangement may be isolated.",
        after_help = "Examples:\n  \
                      hyperslide layers grid:3:3 --farthest\n  \
                      hyperslide layers cube:4:2 --start 1=0,2=3,3=5,4=6,5=9,6=10 --format csv\n  \
                      hyperslide layers grid:2:3 --start 1,1,2,2,0,0 --goal '1=*,2=0+1'"
    )]
    Layers(LayersArguments),
    /// Builds, describes and verifies tables of exact distances
    #[command(subcommand)]
    Table(TableCommand),
    /// Finds the components, regimes and diameters of a whole puzzle graph
    #[command(
        long_about = "Surveys a whole puzzle graph with distinguishable tokens. It reports the number and size of the \
                      components of every type, the regime and the parity; breadth-first searches, one from every \
                      orbit of starts, then find the eccentricities, radius and diameter.\n\nWith --tokens several tokens may \
                      have the same label; one state of every orbit is then searched. For - as the board, every line \
                      of standard input is a board, in graph6, in sparse6 or as in torus:3:4, and its census is one \
                      JSON object on a line with its number and text; a line that holds no board has an error \
                      instead, and the exit status is then 2.\n\nWith --checkpoint a long \
                      census is kept in a directory, and --resume continues it after it was stopped or killed. \
                      --record writes the finished census to a file. --verify checks such a record: it repeats the \
                      search from one of its starts, drawn at random, by portable code with another order of the vertices.",
        after_help = "Examples:\n  \
                      hyperslide census cube:3:2 --empty 4\n  \
                      hyperslide census cube:4:2 --empty 11 --checkpoint census-4-2-11 --record 4-2-11.json\n  \
                      hyperslide census --verify 4-2-11.json\n  \
                      hyperslide census torus:3:3 --tokens 5xa,3xb\n  \
                      hyperslide boards graph:petersen --format graph6 | hyperslide census - --empty 9"
    )]
    Census(CensusArguments),
    /// Checks the theorems of Beyer et al. (2023), and computes S(d, k)
    #[command(
        long_about = "Checks what Beyer et al. (2023) state about puzzle graphs, case by case, for \
                      every (d, k, l) up to a dimension; graphs with too many occupied sets are skipped. It also \
                      computes S(d, k), the least number of empty vertices with which every token is mobile, in four \
                      ways: by the recursion, by the sum as printed, by the corrected sum, and by a search.",
        after_help = "Example:\n  hyperslide theorems --max-d 3"
    )]
    Theorems(TheoremsArguments),
    /// Reproduces a published table and compares our values with it
    #[command(
        long_about = "Reproduces a published table: runs what the experiment declares, and prints our values next to the \
                      published ones with the reason for every difference. Without a name it lists the experiments.",
        after_help = "Examples:\n  \
                      hyperslide experiment\n  \
                      hyperslide experiment cubical-table-2\n  \
                      hyperslide experiment cubical-table-2 --records runs.jsonl\n  \
                      hyperslide experiment cubical-table-2 --from runs.jsonl --format json"
    )]
    Experiment(ExperimentArguments),
    /// Writes the report: every table and figure of the papers, ours next to the published ones
    #[command(
        long_about = "Writes one page with every table and figure of the papers, our values next to the published \
                      ones, from records alone: nothing is run. The page needs no other file, no network and no \
                      script. The file of an experiment of your own can be named as well.",
        after_help = "Examples:\n  \
                      hyperslide report --out report.html\n  \
                      hyperslide report --format latex --out tables.tex\n  \
                      hyperslide report cubical-table-2 --records runs.jsonl --out mine.html"
    )]
    Report(ReportArguments),
    /// Serves the web application: play, watch, solve and learn in a browser
    #[command(
        long_about = "Serves the web application on this machine: boards in two to six dimensions to play, with hints and \
                      exact distances, searches to watch, lessons, and the report. Nothing else needs to be installed. \
                      Only browsers on this machine reach it unless --listen says otherwise.\n\nThe interface behind \
                      the pages is described at /api/openapi.json, /health says that the server is up, \
                      /health?ready that its database answers, too, and /metrics has counters for Prometheus, for \
                      this machine only. Logs name no addresses.",
        after_help = "Examples:\n  \
                      hyperslide serve\n  \
                      hyperslide serve --port 9000 --log info\n  \
                      hyperslide serve --listen 0.0.0.0 --host puzzles.example.org --trust-proxy"
    )]
    #[cfg(feature = "server")]
    Serve(ServeArguments),
    /// Exports, imports, backs up, restores and simulates people's plays
    #[cfg(feature = "server")]
    #[command(subcommand)]
    Plays(PlaysCommand),
    /// Writes a copy of the web application for any file host
    #[command(
        long_about = "Writes the web application as files that any file host can serve, and that work offline once \
                      they have been opened: play on every board, share links, the levels with the exact distances of small \
                      puzzles, a year of daily puzzles, lessons, and the report. What needs a search needs \
                      `hyperslide serve`.",
        after_help = "Examples:\n  \
                      hyperslide site --out site\n  \
                      hyperslide site --out site --from 2027-01-01"
    )]
    #[cfg(feature = "server")]
    Site(SiteArguments),
    /// Writes a puzzle for planning programs such as Fast Downward
    #[command(
        long_about = "Writes a puzzle as a planning task: in the format of Fast Downward's translator (sas, version 3, \
                      what its search reads), or as a domain and a problem in PDDL (STRIPS without types). A slide of \
                      any length is one operator of cost 1, so that an optimal plan has as many steps as a shortest \
                      solution has moves.\n\nreplay reads the plans that such programs write.",
        after_help = "Examples:\n  \
                      hyperslide export cubical/d4-level4 --rule 3 --out output.sas\n  \
                      hyperslide export 'grid:3:3 8,6,7,2,5,4,3,0,1' --format pddl --out eight"
    )]
    Export(ExportArguments),
    /// Draws a small component of a puzzle graph, or writes it state by state
    #[command(
        long_about = "Writes the component of a puzzle graph that a start belongs to, state by state: every state with its \
                      distance to the goal and its orbit, and the moves between them. Without a goal, distances are \
                      those from the start. Two states are in one orbit when a symmetry of the board, followed by an \
                      exchange of labels that the same number of tokens carry, takes one to the other.\n\nA component of more \
                      than 10,000 states is refused; layers counts the states of large ones.",
        after_help = "Examples:\n  \
                      hyperslide graph 'cube:3:2 a=0,b=1,c=2,d=4' --format svg --out graph.svg\n  \
                      hyperslide graph 'grid:2:3 4,1,2,5,0,3' --goal 1,2,3,4,5,0"
    )]
    Graph(GraphArguments),
    /// Prints a completion script for a shell
    #[command(after_help = "Example:\n  \
                      mkdir -p ~/.local/share/bash-completion/completions\n  \
                      hyperslide completions bash > ~/.local/share/bash-completion/completions/hyperslide")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Returns whether the output is for programs.
    pub fn wants_json(&self) -> bool {
        let format = match self {
            Command::Solve(arguments) => arguments.format.unwrap_or(Format::Text),
            Command::Replay(arguments) => arguments.format,
            Command::Classify(arguments) if arguments.format == ClassifyFormat::Json => {
                Format::Json
            }
            Command::Perft(arguments) => arguments.format,
            Command::Instances(arguments) => arguments.list.format,
            Command::Boards(arguments) if arguments.format == BoardsFormat::Json => Format::Json,
            Command::Algorithms(arguments) => arguments.format,
            Command::Layers(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Census(arguments) => arguments.format(),
            Command::Theorems(arguments) => arguments.format,
            Command::Paths(arguments) => arguments.format,
            Command::Table(TableCommand::Build(arguments)) => arguments.format,
            Command::Table(TableCommand::Info(arguments)) => arguments.format,
            Command::Table(TableCommand::Verify(arguments)) => arguments.format,
            #[cfg(feature = "server")]
            Command::Plays(PlaysCommand::Learn(arguments)) => arguments.format,
            Command::Experiment(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Compare(arguments) if arguments.format == TableFormat::Json => Format::Json,
            Command::Report(arguments) if arguments.is_json() => Format::Json,
            Command::Graph(arguments) if arguments.format == GraphFormat::Json => Format::Json,
            Command::Layers(_)
            | Command::Experiment(_)
            | Command::Report(_)
            | Command::Compare(_)
            | Command::Random(_)
            | Command::Dataset(_)
            | Command::Boards(_)
            | Command::Classify(_)
            | Command::Export(_)
            | Command::Graph(_)
            | Command::Completions { .. } => Format::Text,
            #[cfg(feature = "server")]
            Command::Serve(_) | Command::Plays(_) | Command::Site(_) => Format::Text,
        };
        format == Format::Json
    }
}

const SOLVE_HELP: &str = "\
`hyperslide solve --help` has more options, and `hyperslide algorithms NAME` the settings of one.

Example:
  hyperslide solve cubical/d4-level4 --rule 3";

fn solve_long_help() -> String {
    let settings = all_settings().into_iter().map(|setting| format!("--{}", setting.name));
    let settings = fold(&settings.collect::<Vec<_>>().join(" "), Some(88));
    let settings = settings.trim_end().replace('\n', "\n  ");
    format!(
        "Settings, each for some algorithms; `hyperslide algorithms NAME` explains those of one:\n  \
         {settings}\n\n{PUZZLE_HELP}\n\n{EXIT_STATUS}\n\nExamples:\n  \
         hyperslide solve cubical/d4-level4 --rule 3\n  \
         hyperslide solve 'cube:4:3 r=13,p=7,g=4,b=5,y=1 -> r=5,p=7,g=13,b=4,y=1' --format json\n  \
         hyperslide solve korf15/12 --algorithm idastar --limit-time 60\n  \
         hyperslide random --board grid:3:3 --count 10 | hyperslide solve -"
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
