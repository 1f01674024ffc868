//! `hyperslide census --tokens`: whole puzzle graphs of tokens of which several share a label.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use hyperslide_census::{
    LabelledComponent, LabelledError, LabelledReport, LabelledSurvey, Repetition, StartsToVerify,
    token_counts,
};
use hyperslide_lab::{LabelledRecord, Provenance};
use hyperslide_table::{Signals, Watch};
use serde_json::json;

use super::text::{component_legend, component_table, depths};
use super::verify::{disagree, undecided, unread};
use super::{CensusArguments, run_new, too_long};
use crate::failure::{ExitStatus, Failure};
use crate::input::{check_target, named_board};
use crate::options::Format;
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, counted, fact, grouped,
    is_cancelled, print, print_json, prose, render, seconds, with_noun,
};

pub fn run(
    board: &str,
    tokens: &str,
    empty: Option<usize>,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    let labels =
        token_counts(tokens).map_err(|wrong| Failure::Input(format!("--tokens: {wrong}")))?;
    let count: usize = labels.iter().sum();
    let named = named_board(board, arguments.metric.metric)?;
    let vertices = named.vertex_count();
    if count > vertices {
        let board = named.to_string();
        return Err(Failure::input(LabelledError::TooManyTokens {
            board,
            vertices,
            tokens: count,
        }));
    }
    if let Some(empty) = empty.filter(|&empty| empty != vertices - count) {
        return Err(Failure::Input(format!(
            "--empty {empty} does not agree with {count} tokens on {vertices} vertices: leave it out"
        )));
    }
    if labels.iter().all(|&count| count == 1) {
        return run_new(board, vertices - count, arguments);
    }
    let others = [
        (arguments.checkpoint.is_some(), "--checkpoint"),
        (arguments.resume, "--resume"),
        (arguments.blocks.blocks.is_some(), "--blocks"),
        (arguments.survey_only, "--survey-only"),
    ];
    if let Some((_, option)) = others.into_iter().find(|&(is_given, _)| is_given) {
        return Err(Failure::Input(format!(
            "{option} is for distinguishable tokens: leave it out, or give every token a label of its \
             own"
        )));
    }
    if let Some(path) = &arguments.record {
        check_target(path)?;
    }
    let began = Instant::now();
    let line = SearchProgress::new("");
    line.say("surveying the states");
    let deadline = arguments.limit_time.and_then(|limit| began.checked_add(limit));
    let found = cancellable(|cancel| {
        let memory = arguments.memory.limit();
        let watch = Watch::for_preparation(cancel, deadline);
        let survey = LabelledSurvey::new(&named, &labels, memory, watch)?;
        let all = survey.orbits();
        let watch = Watch::new(Some(cancel), deadline);
        let on_progress = &mut |done: usize| {
            line.say(&format!("search {} of {}", grouped(done as u64), grouped(all as u64)));
            if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // Some searches are always made, so that there are bounds.
        let least = Watch::for_preparation(cancel, deadline);
        let starts = least.during(|stop| survey.run(memory, &Signals::new(stop), on_progress))?;
        Ok::<_, LabelledError>((survey, starts))
    });
    drop(line);
    let (survey, starts) = found.map_err(|error| no_labelled_survey(error, arguments))?;
    let report = survey.report(&starts);
    match arguments.format() {
        Format::Json => print_json(&report)?,
        Format::Text => print(&describe(&report, began.elapsed().as_secs_f64()))?,
    }
    if let (Some(path), true) = (&arguments.record, report.complete) {
        let provenance = Provenance::now(&command_line());
        if let Some(record) = LabelledRecord::new(&survey, starts, began.elapsed(), provenance) {
            record.write(path)?;
        }
    }
    if report.complete && !is_cancelled() {
        return Ok(ExitStatus::Done);
    }
    let (searched, orbits) = (report.searched, report.orbits);
    complain(&format_args!("stopped with {searched} of {orbits} searches done"));
    Ok(ExitStatus::LimitReached)
}

/// Why the states were not surveyed, with what to do about it.
pub fn no_labelled_survey(error: LabelledError, arguments: &CensusArguments) -> Failure {
    match error {
        LabelledError::Stopped => too_long("the survey of the states", arguments.limit_time),
        error => error.into(),
    }
}

/// The number of labels, and on how many tokens each is, as in `2, on 5 and 3 tokens`.
fn label_text(labels: &[usize]) -> String {
    let counts: Vec<String> = labels.iter().map(usize::to_string).collect();
    match counts.as_slice() {
        [] => "none".to_owned(),
        [one] => format!("1, on {one} {}", if one == "1" { "token" } else { "tokens" }),
        [first @ .., last] => {
            format!("{}, on {} and {last} tokens", counts.len(), first.join(", "))
        }
    }
}

fn describe(report: &LabelledReport, wall_s: f64) -> String {
    let mut text = format!(
        "{} {}, {}, {}\n\n",
        report.board,
        report.metric,
        counted(report.tokens as u64, "token"),
        counted(report.empty as u64, "empty vertex"),
    );
    let orbits = format!(
        "{} of states under {} and the exchanges of labels",
        counted(report.orbits as u64, "orbit"),
        with_noun(&report.symmetries.to_string(), "symmetry"),
    );
    for (name, value) in [
        ("labels", label_text(&report.labels)),
        ("configurations", grouped(report.configurations)),
        ("searches", orbits),
    ] {
        text.push_str(&fact(name, &value));
    }
    text.push('\n');
    let mut rows = component_table();
    for component in &report.components {
        let eccentricities: Vec<String> = component
            .eccentricities
            .iter()
            .map(|entry| format!("{}: {}", entry.eccentricity, grouped(entry.states)))
            .collect();
        let LabelledComponent { diameter, radius, searched, orbits, .. } = *component;
        let [diameter, radius, searches] = depths(diameter, radius, (searched, orbits));
        rows.add_row([
            grouped(component.size),
            grouped(component.count),
            component.regime.to_string(),
            grouped(component.occupied_sets),
            component.stuck_tokens.to_string(),
            diameter,
            radius,
            searches,
            eccentricities.join(", "),
        ]);
    }
    let legend = component_legend("configurations", report.searched < report.orbits);
    let searches = counted(report.searched as u64, "search");
    text + &render(&rows) + &prose(&format!("{legend}\n{searches}, {}\n", seconds(wall_s)))
}

/// Checks a record of a census with repeated labels; `None` if the file is not one.
pub fn verify(
    path: &Path,
    seed: u64,
    deadline: Option<Instant>,
    arguments: &CensusArguments,
) -> Option<Result<ExitStatus, Failure>> {
    let read = cancellable(|cancel| {
        let watch = Watch::for_preparation(cancel, deadline);
        LabelledRecord::read(path, arguments.memory.limit(), watch)
    })?;
    Some(read.map_err(|error| unread(error, arguments)).and_then(|(record, survey)| {
        if arguments.samples.is_some() {
            return Err(Failure::Input(format!(
                "{} is the record of a census with repeated labels, whose searches are repeated: use \
                 --starts instead of --samples",
                path.display()
            )));
        }
        let which = arguments.starts.unwrap_or(StartsToVerify::Drawn(1));
        let asked = match which {
            StartsToVerify::All => record.starts.len(),
            StartsToVerify::Drawn(count) => count.min(record.starts.len()),
        };
        let repetition = Repetition { starts: which, seed, memory: arguments.memory.limit() };
        let (agreeing, wrong) = cancellable(|cancel| {
            Watch::new(Some(cancel), deadline)
                .during(|stop| survey.verify(&record.starts, repetition, &Signals::new(stop)))
        })?;
        if wrong.is_none() && agreeing < asked {
            return undecided(path, seed, "the searches were done", arguments);
        }
        let agrees = wrong.is_none();
        match arguments.format() {
            Format::Json => print_json(&json!({
                "record": path.display().to_string(),
                "agrees": agrees,
                "seed": seed,
                "starts": record.starts.len(),
                "searched": agreeing + usize::from(!agrees),
            }))?,
            Format::Text if agrees => print(&prose(&format!(
                "{} {}: the digest, the survey's orbits and the report agree\nsearched again from {} of \
                 {} (seed {seed}), portable code, vertices in another order, two arrays: all layers \
                 agree\n",
                record.labelled_census.board,
                record.labelled_census.metric,
                grouped(agreeing as u64),
                counted(record.starts.len() as u64, "start"),
            )))?,
            Format::Text => {}
        }
        match wrong {
            None => Ok(ExitStatus::Done),
            Some(start) => disagree(&format!(
                "{}: the layers from {:?} differ from those recorded, {:?}",
                path.display(),
                start.cells,
                start.layers
            ), arguments),
        }
    }))
}

impl From<LabelledError> for Failure {
    fn from(error: LabelledError) -> Failure {
        match error {
            LabelledError::Stopped => Failure::Limit(error.to_string()),
            LabelledError::Memory { needed, limit } => Failure::Input(format!(
                "the census needs {}, but only {} may be used: raise --limit-memory on a machine that \
                 has it, or choose fewer tokens",
                bytes(u64::try_from(needed).unwrap_or(u64::MAX)),
                bytes(limit)
            )),
            LabelledError::Allocation(_)
            | LabelledError::Contradiction { .. }
            | LabelledError::Starts(_) => Failure::Other(error.to_string()),
            _ => Failure::input(error),
        }
    }
}
