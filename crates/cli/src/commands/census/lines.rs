//! `hyperslide census -`: the census of every board on standard input, one JSON object a line.

use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;

use hyperslide_census::{CensusEvent, CensusJob, CensusReport};
use hyperslide_puzzle::{Board, MAX_PUZZLE_LENGTH, read_graph6_line};
use serde::Serialize;

use super::{CensusArguments, no_census, options};
use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::Format;
use crate::terminal::{
    SearchProgress, cancellable, complain, grouped, is_cancelled, print_json, search_begins,
    search_ends,
};

/// What is printed for a line.
#[derive(Serialize)]
struct Answer<'a> {
    /// The number of the line, from 1.
    line: usize,
    /// The line without its end.
    input: &'a str,
    #[serde(flatten)]
    report: Option<CensusReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Lines of these kinds hold no graph.
fn is_passed_over(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || matches!(line, ">>graph6<<" | ">>sparse6<<")
}

/// Runs the census of every line, in their order, and prints what it finds at once. A line that
/// holds no board is answered by an error; the rest goes on.
pub fn run(empty: usize, arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    let single = [
        (arguments.record.is_some(), "--record"),
        (arguments.checkpoint.is_some(), "--checkpoint"),
        (arguments.resume, "--resume"),
        (arguments.blocks.blocks.is_some(), "--blocks"),
        (arguments.tokens.is_some(), "--tokens"),
    ];
    if let Some((_, option)) = single.into_iter().find(|&(is_given, _)| is_given) {
        return Err(Failure::Input(format!(
            "{option} is for one board: name it in place of -, or leave {option} out"
        )));
    }
    if arguments.format == Some(Format::Text) {
        return Err(Failure::Input(
            "boards from standard input are answered in JSON: leave --format text out, or name one board"
                .to_owned(),
        ));
    }
    let mut input = BufReader::new(std::io::stdin());
    let progress = SearchProgress::new("");
    let mut worst = ExitStatus::Done;
    let (mut number, mut answered, mut bytes) = (0, 0u64, Vec::new());
    loop {
        bytes.clear();
        let most = MAX_PUZZLE_LENGTH as u64 + 1;
        let read = input.by_ref().take(most).read_until(b'\n', &mut bytes);
        if read.map_err(|error| Failure::Other(format!("standard input: {error}")))? == 0 {
            break;
        }
        number += 1;
        if bytes.len() > MAX_PUZZLE_LENGTH {
            return Err(Failure::Input(format!(
                "standard input, line {number}: a board has at most {MAX_PUZZLE_LENGTH} bytes, and this \
                 line has more"
            )));
        }
        let text = String::from_utf8_lossy(&bytes);
        let line = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
        if is_passed_over(line) {
            continue;
        }
        progress.say(&format!("line {}: {line}", grouped(number as u64)));
        let mut answer = Answer { line: number, input: line, report: None, error: None };
        search_begins();
        match census(line, empty, arguments, &progress, number) {
            Ok((report, is_finished)) => {
                if !is_finished {
                    worst = worst.worse(ExitStatus::LimitReached);
                }
                answer.report = Some(report);
            }
            Err(failure) => {
                worst = worst.worse(failure.status());
                complain(&format_args!("standard input, line {number}: {failure}"));
                answer.error = Some(failure.to_string());
            }
        }
        search_ends();
        answered += 1;
        print_json(&answer)?;
        if is_cancelled() {
            return Ok(worst.worse(ExitStatus::LimitReached));
        }
    }
    if answered == 0 {
        return Err(Failure::Input(
            "standard input holds no board: write one on each line, in graph6, sparse6 or as in \
             torus:3:4"
                .to_owned(),
        ));
    }
    Ok(worst)
}

/// The census of one line, and whether it ran to its end.
fn census(
    line: &str,
    empty: usize,
    arguments: &CensusArguments,
    progress: &SearchProgress,
    number: usize,
) -> Result<(CensusReport, bool), Failure> {
    let metric = arguments.metric.metric;
    // No line of graph6 has a colon, and only one of sparse6 begins with it.
    let board = match line.find(':') {
        Some(place) if place > 0 && !line.starts_with(">>") => named_board(line, metric)?,
        _ => {
            let spec = read_graph6_line(line).map_err(Failure::input)?;
            Board::new(spec, metric).map_err(Failure::input)?
        }
    };
    let job = CensusJob::new(board, empty, options(arguments))?;
    let census = cancellable(|cancel| {
        job.run(cancel, &mut |event| {
            if let CensusEvent::Searching(now) = event {
                let (done, all) = now.starts;
                progress.say(&format!(
                    "line {}: {line}, search {} of {}",
                    grouped(number as u64),
                    done + 1,
                    grouped(all as u64)
                ));
            }
            ControlFlow::Continue(())
        })
    });
    let census = census.map_err(|error| no_census(error, arguments))?;
    Ok((census.report, census.is_finished && !is_cancelled()))
}
