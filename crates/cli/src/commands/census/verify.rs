//! `hyperslide census --verify`: checking records.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hyperslide_census::{
    Again, BlockCounts, Repetition, StartResult, StartsToVerify, Survey, VerifyError, verify,
};
use hyperslide_lab::{
    CensusRecord, CensusRecordError, ChiSquared, SampleError, SampleOptions, SurveyRecord,
    sample_blocks, sample_census,
};
use hyperslide_puzzle::Board;
use hyperslide_search::Limits;
use hyperslide_table::{Layers, Signals, Watch};
use serde_json::json;

use super::labelled::no_labelled_survey;
use super::{CensusArguments, labelled, no_survey, survey};
use crate::failure::{ExitStatus, Failure};
use crate::options::Format;
use crate::terminal::{
    SearchProgress, bytes, cancellable, complain, counted, grouped, print, print_json, prose,
    seconds,
};

pub fn run(path: &Path, arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    if let Some(record) = SurveyRecord::read(path) {
        return survey::verify(path, &record, arguments);
    }
    let now = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |since| since.subsec_nanos().into())
    };
    let seed = arguments.seed.unwrap_or_else(now);
    let deadline = arguments.limit_time.and_then(|limit| Instant::now().checked_add(limit));
    if let Some(verified) = labelled::verify(path, seed, deadline, arguments) {
        return verified;
    }
    let read = cancellable(|cancel| {
        let watch = Watch::for_preparation(cancel, deadline);
        CensusRecord::read(path, arguments.memory.limit(), watch)
    });
    let (record, board, survey) = read.map_err(|error| unread(error, arguments))?;
    if record.starts.is_empty() {
        return match arguments.format() {
            Format::Json => print_json(
                &json!({ "record": path.display().to_string(), "agrees": true, "starts": 0 }),
            ),
            Format::Text => {
                print("the survey agrees; no token can move, so no search was recorded\n")
            }
        }
        .map(|()| ExitStatus::Done);
    }
    let counts = match &record.block_counts {
        Some(known) => Some(BlockCounts::read(known, path, &board, &survey, &record.starts)?),
        None => None,
    };
    let verification = Verification {
        path,
        record: &record,
        board: &board,
        survey: &survey,
        seed,
        deadline,
        arguments,
    };
    if arguments.samples.is_none() {
        let began = Instant::now();
        match verification.search_again() {
            Ok(found) => {
                return verification.show_again(&found, began.elapsed().as_secs_f64());
            }
            Err(VerifyError::Memory { needed, .. }) if arguments.starts.is_none() => {
                complain(&format_args!(
                    "repeating the search would need {}: random puzzles are solved instead",
                    bytes(u64::try_from(needed).unwrap_or(u64::MAX))
                ));
            }
            Err(error) => return Err(Failure::Other(error.to_string())),
        }
    }
    verification.sample(counts.as_ref())
}

/// The record of a census that is checked, and how.
struct Verification<'a> {
    path: &'a Path,
    record: &'a CensusRecord,
    board: &'a Board,
    survey: &'a Survey,
    seed: u64,
    deadline: Option<Instant>,
    arguments: &'a CensusArguments,
}

impl Verification<'_> {
    /// Repeats searches of a record.
    fn search_again(&self) -> Result<Vec<Again>, VerifyError> {
        let &Verification { record, board, survey, seed, deadline, arguments, .. } = self;
        let line = SearchProgress::new("");
        let mut on_progress = |start: &StartResult, layers: &Layers| {
            line.say(&format!(
                "searching again from {:?}: layer {} of {}",
                start.occupied,
                layers.depth(),
                start.eccentricity()
            ));
            ControlFlow::Continue(())
        };
        let starts = arguments.starts.unwrap_or(StartsToVerify::Drawn(1));
        let repetition = Repetition { starts, seed, memory: arguments.memory.limit() };
        cancellable(|cancel| {
            Watch::new(Some(cancel), deadline).during(|stop| {
                let signals = Signals::new(stop);
                verify(board, survey, &record.starts, repetition, &signals, &mut on_progress)
            })
        })
    }

    /// Says what the repeated searches found, and what share of the record they are.
    fn show_again(&self, found: &[Again], wall_s: f64) -> Result<ExitStatus, Failure> {
        let &Verification { path, record, seed, arguments, .. } = self;
        let is_stopped = found.iter().any(|again| !again.found.complete);
        if is_stopped {
            return undecided(path, seed, "the search was done", arguments);
        }
        let agrees = found.iter().all(Again::agrees);
        let visited = |starts: &mut dyn Iterator<Item = &StartResult>| -> u128 {
            starts.flat_map(|start| &start.layers).map(|&states| u128::from(states)).sum()
        };
        let share = visited(&mut found.iter().map(|again| &again.recorded)) as f64
            / visited(&mut record.starts.iter()) as f64;
        let Some(last) = found.last() else { return Ok(ExitStatus::Done) };
        match arguments.format() {
            Format::Json => print_json(&json!({
                "record": path.display().to_string(),
                "agrees": agrees,
                "seed": seed,
                "starts": last.drawn_from,
                "searched": found.len(),
                "share": share,
                "occupied": last.recorded.occupied,
                "recorded": last.recorded.layers,
                "found": last.found.states,
            }))?,
            Format::Text => {
                let mut text = format!(
                    "{} {} with {}: the digest, the survey's orbits and the report agree\n",
                    record.census.board,
                    record.census.metric,
                    counted(record.census.empty as u64, "empty vertex"),
                );
                for again in found {
                    let how = match again.is_stored {
                        true => "states stored one by one",
                        false => "portable code, vertices in another order, two arrays",
                    };
                    text.push_str(&format!(
                        "searched again from tokens on {:?}, {how}: {} layers, {} states: {}\n",
                        again.recorded.occupied,
                        again.found.states.len(),
                        grouped(again.found.total()),
                        if again.agrees() { "all layers agree" } else { "THE LAYERS DIFFER" },
                    ));
                }
                text.push_str(&format!(
                    "these are {} of {} recorded (seed {seed}), {:.3} % of the states that its searches \
                     visited, {}\n",
                    counted(found.len() as u64, "start"),
                    last.drawn_from,
                    100.0 * share,
                    seconds(wall_s),
                ));
                print(&prose(&text))?;
            }
        }
        if agrees {
            Ok(ExitStatus::Done)
        } else {
            disagree(
                &format!(
                    "{}: recorded layers {:?}, found {:?}",
                    path.display(),
                    last.recorded.layers,
                    last.found.states
                ),
                arguments,
            )
        }
    }

    /// Solves random puzzles and compares their lengths with a record.
    fn sample(&self, counts: Option<&BlockCounts>) -> Result<ExitStatus, Failure> {
        let &Verification { path, record, board, survey, seed, deadline, arguments } = self;
        let began = Instant::now();
        let puzzles = arguments.samples.unwrap_or(SAMPLES);
        let limits = Limits { memory: Some(arguments.memory.limit()), ..Limits::default() };
        let options = SampleOptions { puzzles, seed, limits };
        let line = SearchProgress::new("");
        let say = |message: String| {
            line.say(&message);
            ControlFlow::Continue(())
        };
        let sample_until = |cancel: &AtomicBool| {
            let sample = sample_census(record, board, survey, &options, cancel, &mut |solved| {
                say(format!("{} of {puzzles} random puzzles solved", grouped(solved as u64)))
            })?;
            let blocks = counts.map(|counts| {
                sample_blocks(record, board, survey, counts, &options, cancel, &mut |solved| {
                    say(format!("{} states of drawn blocks solved", grouped(solved as u64)))
                })
            });
            Ok((sample, blocks.transpose()?))
        };
        let sampled = cancellable(|cancel| {
            Watch::new(Some(cancel), deadline).during(|stop| sample_until(stop))
        });
        drop(line);
        let (sample, blocks) = match sampled {
            Err(SampleError::Cancelled) => {
                return undecided(path, seed, "all puzzles were solved", arguments);
            }
            Err(error @ SampleError::Components) => {
                let path = path.display();
                return Err(Failure::Input(format!("{path}: {error}: leave out --samples")));
            }
            sampled => {
                sampled.map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?
            }
        };
        let agrees = sample.agrees() && blocks.is_none_or(|blocks| blocks.agrees());
        let longest = sample.solved.iter().rposition(|&count| count > 0).unwrap_or(0);
        match arguments.format() {
            Format::Json => print_json(&json!({
                "record": path.display().to_string(),
                "agrees": agrees,
                "seed": seed,
                "counted_layers": sample.counted_layers,
                "solved": sample.solved,
                "inverses": sample.inverses,
                "chi_squared": sample.fit.statistic,
                "degrees": sample.fit.degrees,
                "p": sample.fit.p,
                "blocks": blocks.map(|sample| json!({
                    "blocks": sample.blocks,
                    "states": sample.states,
                    "chi_squared": sample.fit.statistic,
                    "degrees": sample.fit.degrees,
                    "p": sample.fit.p,
                })),
            }))?,
            Format::Text => {
                let inverses = match sample.inverses {
                    0 => String::new(),
                    count => format!(
                        "; {} of them also by their inverses, each of the same length",
                        grouped(count as u64)
                    ),
                };
                print(&prose(&format!(
                    "{} {} with {}: the digest, the survey's orbits and the report agree\n\
                     layers 0 to {} counted again from the rule alone: they agree\n\
                     {} random puzzles (seed {seed}) solved with proof, the longest of {longest} moves{inverses}\n\
                     their lengths against the recorded layers: {}\n{}{}\n",
                    record.census.board,
                    record.census.metric,
                    counted(record.census.empty as u64, "empty vertex"),
                    sample.counted_layers,
                    grouped(sample.solved.iter().sum::<u64>()),
                    verdict(sample.fit, sample.agrees()),
                    blocks.map_or_else(String::new, |sample| format!(
                        "the counts of all blocks add up to the layers\n\
                         {} states of {} drawn blocks solved with proof\n\
                         their lengths against the counts of their blocks: {}\n",
                        grouped(sample.states as u64),
                        sample.blocks,
                        verdict(sample.fit, sample.agrees()),
                    )),
                    seconds(began.elapsed().as_secs_f64()),
                )))?;
            }
        }
        if agrees {
            return Ok(ExitStatus::Done);
        }
        let what = match sample.agrees() {
            true => {
                "the lengths of states of drawn blocks do not fit the counts of blocks".to_owned()
            }
            false => format!("lengths of random puzzles {:?}", sample.solved),
        };
        disagree(&format!("{}: {what}", path.display()), arguments)
    }
}

/// Why a record was not read, with what to do about it.
pub fn unread(error: CensusRecordError, arguments: &CensusArguments) -> Failure {
    match error {
        CensusRecordError::Survey(error) => no_survey(error, arguments),
        CensusRecordError::Labelled(error) => no_labelled_survey(error, arguments),
        error => error.into(),
    }
}

/// Says that a record was neither confirmed nor refuted.
pub fn undecided(
    path: &Path,
    seed: u64,
    wanted: &str,
    arguments: &CensusArguments,
) -> Result<ExitStatus, Failure> {
    complain(&format!("stopped before {wanted}; nothing is decided"));
    if arguments.format() == Format::Json {
        print_json(&json!({ "record": path.display().to_string(), "agrees": null, "seed": seed }))?;
    }
    Ok(ExitStatus::LimitReached)
}

/// Random puzzles that are solved for a record whose search cannot be repeated.
const SAMPLES: usize = 10_000;

/// The end of a verification that found a mistake in a record. In JSON it is in the answer already.
pub fn disagree(what: &str, arguments: &CensusArguments) -> Result<ExitStatus, Failure> {
    match arguments.format() {
        Format::Json => {
            complain(&what);
            Ok(ExitStatus::Other)
        }
        Format::Text => Err(Failure::Other(what.to_owned())),
    }
}

/// How well lengths fit, in words.
fn verdict(fit: ChiSquared, agrees: bool) -> String {
    if fit.degrees == 0 {
        return "too few were solved to compare them".to_owned();
    }
    format!(
        "chi-squared {:.1} with {} degrees of freedom, p = {:.3}: {}",
        fit.statistic,
        fit.degrees,
        fit.p,
        if agrees { "they agree" } else { "THEY DIFFER" },
    )
}
