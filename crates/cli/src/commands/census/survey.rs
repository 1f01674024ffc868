//! `hyperslide census --survey-only` with very many occupied sets.

use std::path::Path;
use std::time::Instant;

use hyperslide_census::{ParityError, ParitySurvey};
use hyperslide_lab::{Provenance, SurveyRecord};
use hyperslide_puzzle::Board;
use hyperslide_table::{Watch, binomial};
use serde_json::json;

use super::verify::disagree;
use super::{CensusArguments, no_survey};
use crate::failure::{ExitStatus, Failure};
use crate::input::named_board;
use crate::options::Format;
use crate::terminal::{
    SearchProgress, cancellable, command_line, counted, duration, grouped, print, print_json,
    prose, render, seconds, table,
};

/// Surveys very many occupied sets.
pub fn run(
    board: &Board,
    empty: usize,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let began = Instant::now();
    let survey = survey_again(board, empty, arguments)?;
    let wall_s = began.elapsed().as_secs_f64();
    match arguments.format() {
        Format::Json => print_json(&survey)?,
        Format::Text => {
            let mut rows =
                table(&["#sets", "=regime", "#stuck", "=parity", "#arrangements", "#components"]);
            for (kind, count) in &survey.components {
                rows.add_row([
                    grouped(kind.occupied_sets),
                    kind.regime.clone(),
                    kind.stuck_tokens.to_string(),
                    if kind.even_permutations_only { "even only" } else { "both" }.to_owned(),
                    kind.arrangements.clone().unwrap_or_else(|| "-".to_owned()),
                    grouped(*count),
                ]);
            }
            let title = format!(
                "{board} with {}: {} occupied sets, {} of them isolated",
                counted(empty as u64, "empty vertex"),
                grouped(survey.occupied_sets),
                grouped(survey.isolated_sets),
            );
            let notes = format!(
                "sets and components are of the occupancy graph; mobile components with \
                 distinguishable tokens: {}\nstrong parity: {}, {}",
                survey.mobile_components,
                if survey.strong_parity { "yes" } else { "no" },
                seconds(wall_s),
            );
            print(&format!("{}\n{}\n{}", prose(&title), render(&rows), prose(&notes)))?;
        }
    }
    if let Some(path) = &arguments.record {
        let record = SurveyRecord { survey, wall_s, provenance: Provenance::now(&command_line()) };
        record.write(path)?;
    }
    Ok(ExitStatus::Done)
}

fn survey_again(
    board: &Board,
    empty: usize,
    arguments: &CensusArguments,
) -> Result<ParitySurvey, Failure> {
    let line = SearchProgress::new("");
    let sets = binomial(board.vertex_count(), empty);
    let began = Instant::now();
    let mut on_progress = |seen: u64| {
        let rate = seen as f64 / began.elapsed().as_secs_f64();
        line.say(&format!(
            "{:.1} % of {} occupied sets, about {} left",
            100.0 * seen as f64 / sets as f64,
            grouped(sets),
            duration(sets.saturating_sub(seen) as f64 / rate)
        ));
    };
    let threads = hyperslide_table::available_threads();
    let (memory, time) = (arguments.memory.limit(), arguments.limit_time);
    let survey = cancellable(|cancel| {
        let deadline = time.and_then(|time| began.checked_add(time));
        let watch = Watch::new(Some(cancel), deadline);
        ParitySurvey::new(board, empty, memory, threads, watch, &mut on_progress)
    });
    survey.map_err(|error| match error {
        ParityError::Survey(error) => no_survey(error, arguments),
        error => Failure::Other(error.to_string()),
    })
}

/// Surveys again what a record says was surveyed.
pub fn verify(
    path: &Path,
    record: &SurveyRecord,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    if arguments.starts.is_some() || arguments.samples.is_some() || arguments.seed.is_some() {
        return Err(Failure::Input(format!(
            "{} is the record of a survey, which is made again: leave out --starts, --samples and --seed",
            path.display()
        )));
    }
    let recorded = &record.survey;
    let metric = recorded.metric.parse().map_err(Failure::input)?;
    let board = named_board(&recorded.board, metric)?;
    if recorded.empty > board.vertex_count() {
        return Err(Failure::Input(format!(
            "{}: {}",
            path.display(),
            counted(recorded.empty as u64, "empty vertex")
        )));
    }
    let found = survey_again(&board, recorded.empty, arguments)?;
    let agrees = found == *recorded;
    match arguments.format() {
        Format::Json => {
            print_json(&json!({ "record": path.display().to_string(), "agrees": agrees }))?;
        }
        Format::Text if agrees => print("the survey was made again and agrees\n")?,
        Format::Text => {}
    }
    if agrees {
        Ok(ExitStatus::Done)
    } else {
        disagree(&format!("{}: a new survey finds something else", path.display()), arguments)
    }
}
