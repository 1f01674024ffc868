use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hyperslide_lab::{SolveResult, Status, ordered_parallel_map};
use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    ALGORITHMS, Config, Control, HeuristicChoice, TableCache, UnknownHeuristic, solve,
};
use hyperslide_table::available_threads;
use serde::Serialize;

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, Text};
use crate::options::{
    Format, LimitArguments, PuzzleArguments, SettingsArguments, StoredArguments, parse_jobs,
    parse_whole,
};
use crate::picture;
use crate::tables::{Tables, store};
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, grouped, is_cancelled, print, print_json, seconds,
};

#[derive(Args)]
pub struct SolveArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The algorithm
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm_names())]
    pub algorithm: String,
    /// The heuristic of algorithms that use one; of several with commas the greatest estimate [default: lone-token;
    /// patterns where auto and anytime find them worth building, weighted-conflicts where they can lead beams]
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
    #[command(flatten)]
    pub stored: StoredArguments,
    /// The seed of algorithms that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole, allow_negative_numbers = true)]
    pub seed: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

fn algorithm_names() -> clap::builder::PossibleValuesParser {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().into()
}

fn parse_heuristic(text: &str) -> Result<HeuristicChoice, UnknownHeuristic> {
    text.parse()
}

pub fn run(arguments: &SolveArguments) -> Result<ExitStatus, Failure> {
    let config = configure(arguments)?;
    let tables = Tables::new(arguments)?;
    let mut lines = match Source::open(&arguments.puzzle.puzzle)? {
        Source::One(text) => return solve_one(&text, arguments, &config, &tables),
        Source::Many(lines) => lines,
    };
    let first = lines.next().ok_or_else(|| lines.is_empty())?;
    let mut ahead = vec![first];
    // In JSON one puzzle looks the same alone and in a batch, so nothing has to wait for the next.
    if arguments.format == Format::Text {
        ahead.extend(lines.next());
        if ahead.len() == 1 {
            return solve_one(&ahead.remove(0).1?, arguments, &config, &tables);
        }
    }
    let mut jobs = arguments.jobs.unwrap_or_else(available_threads);
    if lines.is_at_hand() {
        // Fewer puzzles than that share cores and memory among themselves.
        let wanted = jobs.saturating_sub(ahead.len());
        ahead.extend(lines.by_ref().take(wanted));
        jobs = jobs.min(ahead.len());
    }
    let threads = (config.threads / jobs).max(1);
    let config = Config { threads, ..config };
    let mut worst = ExitStatus::Done;
    // Once cancelled no line is begun; what those before it found is still told.
    let lines = ahead.into_iter().chain(&mut lines);
    let lines = lines.take_while(|_| !is_cancelled());
    let solve_line = |(line, text): (usize, Result<Text, Failure>)| {
        let solved = text
            .and_then(|text| text.puzzle(&arguments.puzzle))
            .and_then(|puzzle| run_search(&puzzle, arguments, &config, &tables, jobs));
        let result = match solved {
            Ok(result) => result,
            Err(failure) => {
                complain(&failure);
                SolveResult::error(&failure.to_string())
            }
        };
        BatchLine { line, result }
    };
    let failed = ordered_parallel_map(jobs, lines, solve_line, |solved| {
        worst = worst.worse(solved.result.status.into());
        match print_json(&solved) {
            Err(failure) => ControlFlow::Break(failure),
            Ok(()) => ControlFlow::Continue(()),
        }
    });
    match failed {
        Some(failure) => Err(failure),
        None => Ok(worst),
    }
}

/// One line of a batch: the result and the input line it belongs to.
#[derive(Serialize)]
struct BatchLine {
    #[serde(flatten)]
    result: SolveResult,
    line: usize,
}

fn configure(arguments: &SolveArguments) -> Result<Config, Failure> {
    let unknown = || Failure::Other("the command line let an unknown name pass".to_owned());
    let config = Config::named(&arguments.algorithm).ok_or_else(unknown)?;
    Ok(Config {
        heuristic: arguments.heuristic.clone().unwrap_or_default(),
        settings: arguments.settings.settings.clone(),
        seed: arguments.seed,
        cache: Arc::new(TableCache::new(store(&arguments.stored))),
        ..config
    })
}

fn solve_one(
    text: &Text,
    arguments: &SolveArguments,
    config: &Config,
    tables: &Tables,
) -> Result<ExitStatus, Failure> {
    let puzzle = text.puzzle(&arguments.puzzle)?;
    let result = run_search(&puzzle, arguments, config, tables, 1)?;
    match arguments.format {
        Format::Json => print_json(&result)?,
        Format::Text => print(&describe(&puzzle, &result))?,
    }
    Ok(result.status.into())
}

fn run_search(
    puzzle: &Puzzle,
    arguments: &SolveArguments,
    config: &Config,
    tables: &Tables,
    jobs: usize,
) -> Result<SolveResult, Failure> {
    let config = Config { table: tables.find(puzzle), ..config.clone() };
    // Of several searches at once none is shown.
    let line = (jobs == 1).then(|| SearchProgress::new(""));
    let show = |progress: &hyperslide_search::Progress| {
        line.iter().for_each(|line| line.show(progress));
    };
    let limits = arguments.limits.limits(jobs);
    let report = cancellable(|cancel| {
        let control = Control { limits, cancel: Some(cancel), progress: Some(&show) };
        solve(puzzle, &config, &control)
    });
    let report = report.map_err(Failure::input)?;
    Ok(SolveResult::new(puzzle, &report))
}

/// The result for people.
fn describe(puzzle: &Puzzle, result: &SolveResult) -> String {
    let is_open = !puzzle.goal().free_vertices().is_empty();
    let goal_title = if is_open { "goal (* anything, · empty)" } else { "goal" };
    let mut text = format!("{puzzle}\n\n");
    text.push_str(&picture::beside(
        ("start", picture::draw(puzzle, puzzle.start())),
        (goal_title, picture::draw_goal(puzzle)),
    ));
    text.push('\n');
    let count =
        |length: u32| if length == 1 { "1 move".to_owned() } else { format!("{length} moves") };
    let length = result.length.map(count).unwrap_or_default();
    let bound = result.lower_bound.unwrap_or_default();
    text.push_str(&match result.status {
        Status::Solved if result.optimal == Some(true) => format!("{length}, proven optimal"),
        Status::Solved => {
            let gap = result.gap.unwrap_or_default();
            format!("{length}, at least {bound} needed (gap {gap})")
        }
        Status::Unsolvable => format!(
            "unsolvable ({}): {}",
            result.reason.as_deref().unwrap_or_default(),
            result.explanation.as_deref().unwrap_or_default()
        ),
        Status::LimitReached | Status::Error => {
            let limit = result.limit.map(|limit| limit.to_string()).unwrap_or_default();
            format!("{limit}: no solution yet; any solution has at least {}", count(bound))
        }
    });
    text.push('\n');
    if let Some(moves) = &result.moves {
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
    }
    text
}
