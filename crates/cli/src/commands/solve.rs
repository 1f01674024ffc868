//! `hyperslide solve`: one puzzle with its picture, or a batch of them.

use std::io::IsTerminal;
use std::sync::Arc;

use clap::{Arg, Args, ValueEnum};
use hyperslide_lab::{Batch, BatchLine, BatchSummary, SolveResult, Status, WorkProgress};
use hyperslide_puzzle::{Puzzle, write_tile_moves};
use hyperslide_search::{
    ALGORITHMS, Algorithm, Config, HeuristicChoice, HeuristicChoiceError, Limit, Progress,
    Resources, TableCache,
};
use hyperslide_table::available_threads;
use serde::Serialize;

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, Text};
use crate::options::{
    Format, LimitArguments, ProofArguments, PuzzleArguments, SettingsArguments, StoredArguments,
    TableArguments, parse_jobs, parse_whole,
};
use crate::picture;
use crate::reserve::note_bound;
use crate::tables::{store, tables};
use crate::terminal::{
    SearchProgress, bytes, cancel_flag, cancellable, complain, counted, grouped, is_cancelled,
    print, print_json, prose, search_begins, search_ends, seconds, work_text,
};

#[derive(Args)]
pub struct SolveArguments {
    /// The algorithm; `hyperslide algorithms` lists them [default: auto]
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm_names(),
          hide_possible_values = true, hide_default_value = true)]
    pub algorithm: String,
    /// The heuristic, or several with commas between them, of which the greatest estimate counts
    /// [default: lone-token; auto, anytime and beam choose a stronger one where that pays]
    #[arg(long, value_name = "NAME", value_parser = parse_heuristic)]
    pub heuristic: Option<String>,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The seed of algorithms that draw random numbers [default: 0]
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole, hide_default_value = true)]
    pub seed: u64,
    /// The number of puzzles of a batch solved at the same time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<usize>,
    #[command(flatten, next_help_heading = "Limits")]
    pub limits: LimitArguments,
    #[command(flatten, next_help_heading = "Limits")]
    pub proofs: ProofArguments,
    /// How to print the results: text or json [default: text; json for a batch to no terminal]
    #[arg(long, value_enum, help_heading = "Output", hide_possible_values = true)]
    pub format: Option<Format>,
    /// How to write the moves: list, or on grids slidysim, as in URDL2UR2 [default: list]
    #[arg(
        long,
        value_enum,
        default_value = "list",
        help_heading = "Output",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub moves: MoveNotation,
    #[command(flatten, next_help_heading = "Tables")]
    pub tables: TableArguments,
    #[command(flatten, next_help_heading = "Tables")]
    pub stored: StoredArguments,
}

/// Keeps the short help of `solve` within a screen: what one puzzle needs, each in a line. The long
/// help says all.
pub fn in_short_help(argument: Arg) -> Arg {
    let help = match argument.get_id().as_str() {
        "puzzle" => "The name of an instance, a puzzle line, a file, or - for standard input",
        "algorithm" => "The algorithm; `hyperslide algorithms` lists them [default: auto]",
        "heuristic" => "The heuristic, or several with commas between them",
        "rule" => "The rule k of a cubical instance [default: d - 1]",
        "limit_time" => "Stops a search after this many seconds",
        "limit_memory" => "Stops a search when it has used this much memory, as in 512M",
        "format" => "How to print the results: text or json",
        _ => return argument.hide_short_help(true),
    };
    let long = argument.get_long_help().or(argument.get_help()).cloned().unwrap_or_default();
    argument.help(help).long_help(long)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MoveNotation {
    /// One line for each move: the token, the vertex it leaves and the vertex it goes to
    List,
    /// The directions in which tiles move, as in URDL2UR2
    Slidysim,
}

impl MoveNotation {
    /// Refuses a puzzle whose moves cannot be written in this notation.
    fn check(self, puzzle: &Puzzle) -> Result<(), Failure> {
        match self {
            MoveNotation::List => Ok(()),
            MoveNotation::Slidysim => write_tile_moves(puzzle.board(), puzzle.start(), &[])
                .map(|_| ())
                .map_err(Failure::input),
        }
    }

    /// The text of a solution in this notation, except for the list.
    fn write(self, result: &SolveResult) -> Option<String> {
        if self == MoveNotation::List {
            return None;
        }
        let puzzle = Puzzle::from_line(result.puzzle.as_ref()?).ok()?;
        write_tile_moves(puzzle.board(), puzzle.start(), &result.solution()?).ok()
    }
}

/// A result, with its moves in another notation as well.
#[derive(Serialize)]
struct Written<'a, R> {
    #[serde(flatten)]
    result: &'a R,
    /// The directions of tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    slidysim: Option<String>,
}

fn algorithm_names() -> clap::builder::PossibleValuesParser {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().into()
}

fn parse_heuristic(text: &str) -> Result<String, HeuristicChoiceError> {
    text.parse().map(|_: HeuristicChoice| text.to_owned())
}

pub fn run(arguments: &SolveArguments) -> Result<ExitStatus, Failure> {
    let config = configure(arguments)?;
    let tables = tables(&arguments.tables, config.algorithm)?;
    let proofs = arguments.proofs.open([&config])?;
    let line = SearchProgress::new("");
    let show = |progress: &Progress| line.show(progress);
    let batch = Batch {
        config,
        limits: arguments.limits.limits(),
        jobs: arguments.jobs.unwrap_or_else(available_threads),
        total: None,
        cancel: Some(cancel_flag()),
        tables: Some(&tables),
        progress: Some(&show),
        proofs: proofs.as_ref(),
    };
    let mut lines = match Source::open(&arguments.puzzle.puzzle)? {
        Source::One(text) => return solve_one(&text, arguments, &batch),
        Source::Many(lines) => lines,
    };
    let batch = Batch { total: lines.total(), ..batch };
    let mut ahead = vec![lines.next().ok_or_else(|| lines.no_puzzles_error())?];
    // In JSON one puzzle looks the same alone and in a batch, so nothing has to wait for the next.
    if arguments.format != Some(Format::Json) {
        ahead.extend(lines.next());
        if ahead.len() == 1 {
            return solve_one(&ahead.remove(0).1?, arguments, &batch);
        }
    }
    solve_many(ahead.into_iter().chain(lines), arguments, &batch, &line)
}

/// Prints the results of a batch as they come, in the order of its lines.
fn solve_many(
    lines: impl Iterator<Item = (usize, Result<Text, Failure>)> + Send,
    arguments: &SolveArguments,
    batch: &Batch<'_>,
    line: &SearchProgress,
) -> Result<ExitStatus, Failure> {
    let for_people = std::io::stdout().is_terminal();
    let format = arguments.format.unwrap_or(if for_people { Format::Text } else { Format::Json });
    let mut progress = WorkProgress { total: batch.total, ..WorkProgress::default() };
    let follow = |progress: &WorkProgress| {
        // Of several searches at once none is shown.
        let search = if batch.at_once() == 1 { ": " } else { "" };
        line.set_prefix(&(work_text(progress, "puzzles") + search));
    };
    follow(&progress);
    let mut worst = ExitStatus::Done;
    let read = |(number, text): (usize, Result<Text, Failure>)| {
        search_begins();
        let puzzle = text.and_then(|text| puzzle_of(&text, arguments));
        (number, puzzle.map_err(|failure| failure.to_string()))
    };
    let summary = batch.run(lines, read, |solved, now| {
        search_ends();
        progress = *now;
        worst = worst.worse(solved.result.status.into());
        if let (Status::Error, Some(explanation)) =
            (solved.result.status, &solved.result.explanation)
        {
            complain(explanation);
        }
        let printed = match format {
            Format::Json => {
                let slidysim = arguments.moves.write(&solved.result);
                print_json(&Written { result: solved, slidysim })
            }
            Format::Text => print(&batch_line(solved, arguments.moves)),
        };
        follow(now);
        printed
    })?;
    if format == Format::Text {
        print(&prose(&describe_batch(&summary, &progress)))?;
    }
    if is_cancelled() {
        let of_all =
            progress.total.map_or(String::new(), |total| format!(" of {}", grouped(total as u64)));
        let done = grouped(progress.done as u64);
        complain(&format_args!("cancelled after {done}{of_all} puzzles"));
        worst = worst.worse(ExitStatus::LimitReached);
    }
    Ok(worst)
}

/// One result of a batch for people.
fn batch_line(line: &BatchLine, moves: MoveNotation) -> String {
    let BatchLine { result, line } = line;
    let time = result.stats.map_or(String::new(), |stats| format!(", {}", seconds(stats.wall_s)));
    let verdict = match result.status {
        Status::Error => "not solved, bad input".to_owned(),
        Status::Unsolvable => {
            format!("unsolvable ({})", result.reason.as_deref().unwrap_or_default())
        }
        _ => verdict(result),
    };
    let moves = moves.write(result).map_or(String::new(), |moves| format!(": {moves}"));
    format!("{line:>5}. {verdict}{time}{moves}\n")
}

/// The results of a batch in one sentence.
fn describe_batch(summary: &BatchSummary, progress: &WorkProgress) -> String {
    let BatchSummary { puzzles, solved, optimal, unsolvable, limit_reached, errors, moves } =
        *summary;
    let number = |number: usize| grouped(number as u64);
    let proven = number(optimal);
    let parts = [
        (solved, format!("{} solved, {proven} of them proven optimal", number(solved))),
        (unsolvable, format!("{} unsolvable", number(unsolvable))),
        (limit_reached, format!("{} not solved within the limits", number(limit_reached))),
        (errors, format!("{} with bad input", number(errors))),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text).collect();
    format!(
        "\n{}: {}; {} in all, {}\n",
        counted(puzzles as u64, "puzzle"),
        parts.join("; "),
        counted(moves, "move"),
        seconds(progress.elapsed.as_secs_f64()),
    )
}

fn configure(arguments: &SolveArguments) -> Result<Config, Failure> {
    let heuristic = arguments.heuristic.as_deref();
    let settings = arguments.settings.given();
    let config = Config::new(&arguments.algorithm, heuristic, settings, arguments.seed);
    let cache = Arc::new(TableCache::new(store(&arguments.stored)));
    Ok(Config { cache, ..config.map_err(Failure::input)? })
}

/// The puzzle of a text, whose moves can be written in the notation that was chosen.
fn puzzle_of(text: &Text, arguments: &SolveArguments) -> Result<Puzzle, Failure> {
    let puzzle = text.puzzle(&arguments.puzzle)?;
    arguments.moves.check(&puzzle)?;
    Ok(puzzle)
}

fn solve_one(
    text: &Text,
    arguments: &SolveArguments,
    batch: &Batch<'_>,
) -> Result<ExitStatus, Failure> {
    let puzzle = puzzle_of(text, arguments)?;
    let lone_token = HeuristicChoice::default().build(&puzzle, &Resources::default());
    note_bound(lone_token.ok().and_then(|least| least.estimate(puzzle.start())).unwrap_or(0));
    let mut result = cancellable(|_| batch.solve_one(&puzzle))?;
    if arguments.format == Some(Format::Json) {
        let slidysim = arguments.moves.write(&result);
        print_json(&Written { result: &result, slidysim })?;
        return Ok(result.status.into());
    }
    let is_kept = batch.proofs.is_some_and(|proofs| proofs.has(&puzzle, &batch.config));
    let mut hint = match (batch.proofs, result.limit) {
        (Some(_), Some(_)) if is_kept => CONTINUES,
        (Some(_), Some(_)) => NOTHING_KEPT,
        (None, Some(limit)) => &settings_hint(batch.config.algorithm, limit),
        (_, None) => "",
    };
    if let Some(limit) = result.limit.filter(|_| batch.config.algorithm.name == "auto") {
        hint = KEEPS_A_SOLUTION;
        // People who press Ctrl-C have waited long enough to be given something. Scripts get what
        // they asked for.
        if limit == Limit::Cancelled
            && std::io::stdout().is_terminal()
            && let Some(found) = batch.any_solution(&puzzle, &result)
        {
            hint = FOUND_AFTERWARDS;
            result = found;
        }
    }
    print(&(describe(&puzzle, &result, arguments.moves) + &prose(hint)))?;
    Ok(result.status.into())
}

/// What to do when a proof that is kept reaches a limit.
const CONTINUES: &str = "\nthe same command continues this proof";

/// Why a proof is not continued.
const NOTHING_KEPT: &str =
    "\nnothing was kept: the limit was reached before the first long iteration began";

/// What to do when `auto`, which returns nothing but shortest solutions, reaches a limit.
const KEEPS_A_SOLUTION: &str =
    "\n--algorithm anytime keeps the best solution it has found when a limit is reached";

/// Which of the algorithm's settings may help when it could do no more.
fn settings_hint(algorithm: &Algorithm, limit: Limit) -> String {
    let names: &[&str] = match limit {
        Limit::Width => &["width"],
        Limit::Generations => &["generations", "population", "episodes", "attempts", "patience"],
        Limit::Length => {
            return "\n--algorithm breadth-first finds solutions of any length".to_owned();
        }
        Limit::Time | Limit::Memory | Limit::Nodes | Limit::Cancelled => &[],
    };
    let taken = algorithm.settings.iter().map(|setting| setting.name);
    let options: Vec<String> =
        taken.filter(|name| names.contains(name)).map(|name| format!("--{name}")).collect();
    match options.as_slice() {
        [] => String::new(),
        options => format!("\na greater {} may help", options.join(" or ")),
    }
}

/// Where the solution comes from when `auto` was cancelled on a terminal.
const FOUND_AFTERWARDS: &str = "\nThe search for a shortest solution was cancelled, and this one was found quickly afterwards; \
                                --algorithm anytime finds shorter ones for as long as it runs.";

/// The result for people.
fn describe(puzzle: &Puzzle, result: &SolveResult, notation: MoveNotation) -> String {
    let is_open = !puzzle.goal().free_vertices().is_empty();
    let goal_title = if is_open { "goal (* anything, · empty)" } else { "goal" };
    let mut text = format!("{puzzle}\n\n");
    text.push_str(&picture::side_by_side(
        ("start", picture::draw(puzzle, puzzle.start())),
        (goal_title, picture::draw_goal(puzzle)),
    ));
    text.push('\n');
    text.push_str(&prose(&verdict(result)));
    if let Some(moves) = notation.write(result) {
        text.push_str(&format!("{moves}\n"));
    } else if let Some(moves) = &result.moves {
        let width = moves.iter().map(|mv| mv.token.chars().count()).max().unwrap_or_default();
        for (number, mv) in moves.iter().enumerate() {
            text.push_str(&format!(
                "{:>4}. {:width$} {} -> {}\n",
                number + 1,
                mv.token,
                mv.from,
                mv.to
            ));
        }
    }
    if let (Some(stats), Some(algorithm)) = (&result.stats, &result.algorithm) {
        text.push_str(&format!(
            "\n{algorithm}: {} expanded, {} generated, {}, {}\n",
            grouped(stats.expanded),
            grouped(stats.generated),
            seconds(stats.wall_s),
            bytes(stats.peak_bytes),
        ));
        if let Some(choice) = &result.choice {
            text.push_str(&prose(&format!("auto chose {algorithm}: {choice}")));
        }
        if let Some(heuristic) = &result.heuristic {
            text.push_str(&format!("Best partitions found for this puzzle:\n  {heuristic}\n"));
        }
    }
    text
}

/// How solving ended, in one sentence.
fn verdict(result: &SolveResult) -> String {
    let count = |moves: Option<u32>| counted(u64::from(moves.unwrap_or_default()), "move");
    match result.status {
        Status::Solved if result.optimal == Some(true) => {
            let note = result.explanation.as_ref().map(|note| format!(": {note}"));
            format!("{}, proven optimal{}", count(result.length), note.unwrap_or_default())
        }
        Status::Solved => {
            let bound = result.lower_bound.unwrap_or_default();
            let gap = result.gap.unwrap_or_default();
            format!("{}, at least {bound} needed (gap {gap})", count(result.length))
        }
        Status::Unsolvable => format!(
            "unsolvable ({}): {}",
            result.reason.as_deref().unwrap_or_default(),
            result.explanation.as_deref().unwrap_or_default()
        ),
        Status::LimitReached | Status::Error => {
            let limit = result.limit.map(|limit| limit.to_string()).unwrap_or_default();
            let bound = count(result.lower_bound);
            format!("{limit}: no solution yet; any solution has at least {bound}")
        }
    }
}
