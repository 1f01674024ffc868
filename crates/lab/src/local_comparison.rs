//! What is printed about local value iteration beside our records. Reads records only.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::Verdict;
use crate::fraction::Fraction;
use crate::heading::Heading;
use crate::local_experiment::{
    Analysis, File, LocalExperiment, LocalRecord, PublishedClass, RegionRun, Row, Sample,
    SubProblemRecord,
};
use crate::parted_experiment::PartedExperiment;

/// Published tables beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalComparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// The tables in order.
    pub parts: Vec<LocalPart>,
    /// Means by the size of the region, as numbers: the lines of Figure 2.
    pub series: Vec<RegionPoint>,
    /// What is to be known about all of it.
    pub notes: Vec<String>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalPart {
    /// What it is of.
    pub title: String,
    /// What its rows are numbered by.
    pub key: String,
    /// Its rows.
    pub rows: Vec<LocalRow>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalRow {
    /// Its name.
    pub key: String,
    /// Its cells; others have no value.
    pub cells: Vec<LocalCell>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalCell {
    /// The column.
    pub column: String,
    /// The published value, as printed, or what ours is held against.
    pub published: Option<String>,
    /// Ours.
    pub ours: String,
    /// The standard error of ours, when it is a mean over random puzzles.
    pub standard_error: Option<f64>,
    /// How they stand to each other, when there is a published one.
    pub verdict: Option<Verdict>,
    /// Why they differ.
    pub reason: Option<String>,
}

/// Random puzzles of a board, solved with one size of the region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionPoint {
    /// The board.
    pub board: String,
    /// Tokens, where one vertex is not all that is left empty.
    pub tokens: Option<usize>,
    /// The size.
    pub region: usize,
    /// How many puzzles.
    pub puzzles: u64,
    /// Mean number of moves.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The most moves.
    pub maximum: u32,
    /// The most tokens that had to be considered at once.
    pub most_tokens: usize,
    /// CPU seconds of training all sub-problems.
    pub training_cpu_s: f64,
    /// CPU seconds of solving a puzzle.
    pub solving_cpu_s: f64,
    /// How many sub-problems were trained.
    pub sub_problems: usize,
    /// States of all of them from which they can be solved.
    pub states: u64,
    /// Bytes of their tables.
    pub bytes: u64,
    /// The published mean.
    pub published_mean: Option<f64>,
    /// The published maximum.
    pub published_maximum: Option<u32>,
    /// The published training time in seconds.
    pub published_training_s: Option<f64>,
}

impl LocalCell {
    fn ours(column: &str, ours: String) -> LocalCell {
        let column = column.to_owned();
        LocalCell {
            column,
            published: None,
            ours,
            standard_error: None,
            verdict: None,
            reason: None,
        }
    }

    /// A value that is what it is, beside a printed one if there is any; `reason` says why that is wrong.
    fn exact(
        column: &str,
        ours: String,
        published: Option<String>,
        reason: Option<&String>,
    ) -> LocalCell {
        let is_equal = |published: &String| match (published.parse::<Fraction>(), ours.parse()) {
            (Ok(published), Ok(ours)) => published == ours,
            _ => *published == ours,
        };
        let verdict = published.as_ref().map(|published| match (is_equal(published), reason) {
            (true, None) => Verdict::Equal,
            (false, Some(_)) => Verdict::PublishedWrong,
            // A reason for a difference that is not there is as wrong as the reverse.
            _ => Verdict::Unexplained,
        });
        LocalCell { published, verdict, reason: reason.cloned(), ..LocalCell::ours(column, ours) }
    }
}

/// Puts the rows that there are records of beside what is printed.
pub(crate) fn compare(experiment: &LocalExperiment, records: &[LocalRecord]) -> LocalComparison {
    let (mut parts, mut series) = (Vec::new(), Vec::new());
    for number in 0..experiment.parts() {
        let Some(record) = experiment.find(number, records) else { continue };
        let row = &experiment.file.row[number];
        let title = row.title();
        if let Some(analysis) = &record.analysis {
            parts.extend(analysis_parts(row, &title, analysis));
        }
        if let Some(sample) = &record.sample {
            let part = if row.class.is_empty() {
                region_part(&experiment.file, row, &title, sample)
            } else {
                class_part(&experiment.file, row, &title, sample)
            };
            // Other regions of the same puzzles.
            match parts.iter_mut().find(|known: &&mut LocalPart| known.title == part.title) {
                Some(known) => known.rows.extend(part.rows),
                None => parts.push(part),
            }
            series.extend(sample.runs.iter().map(|run| point(row, record, sample, run)));
        }
    }
    LocalComparison {
        heading: Heading::new(
            &experiment.file.name,
            &experiment.file.title,
            experiment.paper,
            &experiment.file.table,
            &experiment.file.section,
        ),
        parts,
        series,
        notes: experiment.file.notes.clone(),
    }
}

/// Theorems 1 to 3 on one board.
fn analysis_parts(row: &Row, title: &str, analysis: &Analysis) -> [LocalPart; 3] {
    let shares = LocalPart {
        title: format!(
            "Theorem 1, {title}: shares of the puzzles that need 1, 2, ... tiles at once"
        ),
        key: "tile".to_owned(),
        rows: share_rows(row, analysis),
    };
    let sub_problems = LocalPart {
        title: format!("Theorems 1 and 3, {title}: the sub-problems that are played"),
        key: "G, R".to_owned(),
        rows: played(analysis).map(|(_, problem)| sub_problem_row(row, problem)).collect(),
    };
    let classes = LocalPart {
        title: format!("Theorems 2 and 3, {title}: classes by the tiles needed at once"),
        key: "tiles".to_owned(),
        rows: class_rows(row, analysis),
    };
    [shares, sub_problems, classes]
}

/// The most tokens that any stage needs.
fn most_tokens(analysis: &Analysis) -> usize {
    let needs = analysis.stages.iter().flat_map(|stage| stage.needs.keys());
    needs.copied().max().unwrap_or(0)
}

/// The sub-problems whose policy some puzzle follows, each with its stage, from 0.
fn played(analysis: &Analysis) -> impl Iterator<Item = (usize, &SubProblemRecord)> {
    analysis.sub_problems.iter().filter_map(|problem| {
        let stage = (problem.kept.len() + problem.settled.len()).checked_sub(1)?;
        let stages = analysis.stages.get(stage)?;
        stages.needs.contains_key(&problem.kept.len()).then_some((stage, problem))
    })
}

fn share_rows(row: &Row, analysis: &Analysis) -> Vec<LocalRow> {
    let stages = analysis.stages.iter().zip(1..);
    let rows = stages.map(|(stage, tile)| {
        let printed = row.stage.iter().find(|printed| printed.tile == tile);
        let cells = (1..=most_tokens(analysis)).filter_map(|tokens| {
            let ours = stage.exactly(tokens);
            let published = printed.and_then(|printed| printed.shares.get(tokens - 1));
            let is_there = published.is_some() || ours != Fraction::ZERO;
            let column = format!("of {tokens}");
            is_there.then(|| LocalCell::exact(&column, ours.to_string(), published.cloned(), None))
        });
        LocalRow { key: tile.to_string(), cells: cells.collect() }
    });
    rows.collect()
}

fn sub_problem_row(row: &Row, problem: &SubProblemRecord) -> LocalRow {
    let (tiles, settled) = (problem.kept.len(), problem.settled.len());
    let printed = row.sub_problem.iter();
    let mut printed =
        printed.filter(|printed| (printed.tile, printed.tiles) == (tiles + settled, tiles));
    let printed = printed.next();
    let cell = |column: &str, ours: u64, published: Option<u64>| {
        let reason = printed.and_then(|printed| printed.wrong.get(column));
        LocalCell::exact(column, ours.to_string(), published.map(|n| n.to_string()), reason)
    };
    let mut cells = vec![
        cell("states", problem.placements, printed.and_then(|printed| printed.states)),
        LocalCell::ours("solvable", problem.solvable.to_string()),
        cell(
            "M",
            problem.farthest.into(),
            printed.and_then(|printed| printed.farthest.map(u64::from)),
        ),
    ];
    if let Some(found) = &problem.iterated {
        let text = format!("{} and {} sweeps", found.sweeps_moving_on, found.sweeps_absorbing);
        cells.push(LocalCell::ours("Algorithm 1", text));
        let differences = found.differences.to_string();
        cells.push(LocalCell::exact("other distances", differences, Some("0".to_owned()), None));
    }
    let last = &problem.settled[..];
    LocalRow { key: format!("{}, {}", set_text(&problem.kept), set_text(last)), cells }
}

/// `{9..13}`: the first and the last of tokens in a row.
fn set_text(tokens: &[String]) -> String {
    match tokens {
        [] => "{}".to_owned(),
        [only] => format!("{{{only}}}"),
        [first, last] => format!("{{{first},{last}}}"),
        [first, .., last] => format!("{{{first}..{last}}}"),
    }
}

fn class_rows(row: &Row, analysis: &Analysis) -> Vec<LocalRow> {
    let counted_all: u64 = analysis.counted.iter().flat_map(BTreeMap::values).sum();
    let rows = (1..=most_tokens(analysis)).map(|tokens| {
        let printed = row.class.iter().find(|printed| printed.tiles == tokens);
        let share = class_share(analysis, tokens);
        let published = printed.and_then(|printed| printed.share.clone());
        let mut cells = vec![
            LocalCell::exact("share", share.to_string(), published, None),
            LocalCell::ours("percent", format!("{:.4}", 100.0 * share.value())),
        ];
        if let Some(counted) = &analysis.counted {
            let own = counted.get(&tokens).copied().unwrap_or(0);
            let counted = Fraction::new(own.into(), counted_all.into()).unwrap_or(Fraction::ZERO);
            let product = Some(share.to_string());
            cells.push(LocalCell::exact(
                "share of all, counted",
                counted.to_string(),
                product,
                None,
            ));
            cells.push(LocalCell::ours("puzzles counted", own.to_string()));
        }
        let bound = bound(analysis, tokens).to_string();
        let published = printed.and_then(|printed| printed.bound);
        cells.push(LocalCell::exact("bound", bound, published.map(|n| n.to_string()), None));
        LocalRow { key: tokens.to_string(), cells }
    });
    rows.collect()
}

/// The share of all puzzles whose hardest stage needs exactly so many tokens (Theorem 2).
fn class_share(analysis: &Analysis, tokens: usize) -> Fraction {
    let at_most = |tokens: usize| {
        let shares = analysis.stages.iter().map(|stage| stage.at_most(tokens));
        shares.fold(Fraction::ONE, |all, share| all.times(share).expect("shares are short"))
    };
    at_most(tokens).minus(at_most(tokens - 1)).expect("shares grow with the tokens")
}

/// No puzzle that needs at most so many tokens at once takes more moves (Theorem 3).
fn bound(analysis: &Analysis, tokens: usize) -> u32 {
    let stages = (0..analysis.stages.len()).map(|stage| {
        let own =
            played(analysis).filter(|&(of, problem)| of == stage && problem.kept.len() <= tokens);
        own.map(|(_, problem)| problem.farthest).max().unwrap_or(0)
    });
    stages.sum()
}

/// What there is to say of a distribution of lengths.
struct Lengths {
    puzzles: f64,
    mean: f64,
    deviation: f64,
    maximum: u32,
}

impl Lengths {
    fn new(lengths: &BTreeMap<u32, u64>) -> Lengths {
        let all = || lengths.iter().map(|(&length, &n)| (f64::from(length), n as f64));
        let puzzles: f64 = all().map(|(_, n)| n).sum();
        let mean = all().map(|(length, n)| length * n).sum::<f64>() / puzzles;
        let squares: f64 = all().map(|(length, n)| n * (length - mean).powi(2)).sum();
        let deviation = (squares / (puzzles - 1.0).max(1.0)).sqrt();
        let maximum = lengths.keys().next_back().copied().unwrap_or(0);
        Lengths { puzzles, mean, deviation, maximum }
    }

    fn standard_error(&self) -> f64 {
        self.deviation / self.puzzles.sqrt()
    }

    /// The mean beside that of so many other puzzles: equal when within three standard errors of the difference.
    fn mean_cell(&self, file: &File, published: Option<(f64, f64)>) -> LocalCell {
        let error = self.standard_error();
        let of_difference =
            |others: f64| self.deviation * (1.0 / self.puzzles + 1.0 / others).sqrt();
        let verdict = published.map(|(mean, others)| {
            judge(file, "mean", self.puzzles, self.mean - mean, of_difference(others))
        });
        LocalCell {
            published: published.map(|(mean, _)| format!("{mean:.2}")),
            standard_error: Some(error),
            verdict,
            reason: reason(file, "mean", verdict),
            ..LocalCell::ours("mean", format!("{:.2}", self.mean))
        }
    }

    fn maximum_cell(&self, file: &File, published: Option<u32>) -> LocalCell {
        let verdict = published.map(|published| match file.differs.contains_key("maximum") {
            _ if published == self.maximum => Verdict::Equal,
            true => Verdict::Explained,
            false => Verdict::Unexplained,
        });
        LocalCell {
            published: published.map(|maximum| maximum.to_string()),
            verdict,
            reason: reason(file, "maximum", verdict),
            ..LocalCell::ours("maximum", self.maximum.to_string())
        }
    }
}

/// How a difference of two estimates stands to its standard error.
fn judge(file: &File, column: &str, puzzles: f64, difference: f64, error: f64) -> Verdict {
    /// Standard errors within which two estimates are called equal.
    const ERRORS: f64 = 3.0;

    if puzzles < 2.0 {
        Verdict::NotReached
    } else if difference.abs() <= ERRORS * error {
        Verdict::Equal
    } else if file.differs.contains_key(column) {
        Verdict::Explained
    } else {
        Verdict::Unexplained
    }
}

fn reason(file: &File, column: &str, verdict: Option<Verdict>) -> Option<String> {
    file.differs.get(column).filter(|_| verdict == Some(Verdict::Explained)).cloned()
}

/// Table 1: the classes of random puzzles, and all together.
fn class_part(file: &File, row: &Row, title: &str, sample: &Sample) -> LocalPart {
    let run = &sample.runs[0];
    let counts = row.class.iter().filter_map(|class| class.puzzles);
    let printed_puzzles: u64 = counts.sum();
    let none = BTreeMap::new();
    let rows = row.class.iter().map(|class| {
        let lengths = Lengths::new(run.lengths.get(&class.tiles).unwrap_or(&none));
        let share =
            share_cell(file, class, lengths.puzzles, sample.count as f64, printed_puzzles as f64);
        let puzzles = LocalCell {
            published: class.puzzles.map(|puzzles| puzzles.to_string()),
            ..LocalCell::ours("puzzles", format!("{}", lengths.puzzles))
        };
        let printed = class.mean.zip(class.puzzles.map(|puzzles| puzzles as f64));
        let mut cells = vec![puzzles, share];
        if lengths.puzzles > 0.0 {
            cells.push(lengths.mean_cell(file, printed));
            cells.push(lengths.maximum_cell(file, class.maximum));
        }
        LocalRow { key: class.tiles.to_string(), cells }
    });
    let mut rows: Vec<LocalRow> = rows.collect();
    let lengths = Lengths::new(&run.all_lengths());
    let printed = row.region.first();
    let mean = printed.map(|printed| (printed.mean, printed_puzzles as f64));
    rows.push(LocalRow {
        key: "all".to_owned(),
        cells: vec![
            LocalCell::ours("puzzles", sample.count.to_string()),
            lengths.mean_cell(file, mean),
            lengths.maximum_cell(file, printed.map(|printed| printed.maximum)),
        ],
    });
    let title = format!("{title}: random puzzles by the tiles that they need at once");
    LocalPart { title, key: "tiles".to_owned(), rows }
}

/// The share of a class, in percent, beside the printed one.
fn share_cell(
    file: &File,
    class: &PublishedClass,
    own: f64,
    count: f64,
    printed_count: f64,
) -> LocalCell {
    let ours = own / count;
    let variance = |of: f64| ours * (1.0 - ours) / of;
    let judged = class.puzzles.map(|puzzles| {
        let printed = puzzles as f64 / printed_count;
        // Where none was found, the printed share tells how far one may be off.
        let spread = printed * (1.0 - printed);
        let error = (spread / count + spread / printed_count).sqrt();
        (printed, judge(file, "share", count, ours - printed, error))
    });
    let verdict = judged.map(|(_, verdict)| verdict);
    LocalCell {
        published: judged.map(|(printed, _)| format!("{:.3}", 100.0 * printed)),
        standard_error: Some(100.0 * variance(count).sqrt()),
        verdict,
        reason: reason(file, "share", verdict),
        ..LocalCell::ours("percent", format!("{:.3}", 100.0 * ours))
    }
}

/// Table 2: sizes of the region.
fn region_part(file: &File, row: &Row, title: &str, sample: &Sample) -> LocalPart {
    /// Puzzles that the paper's means are over.
    const PRINTED_PUZZLES: f64 = 100_000.0;

    let rows = sample.runs.iter().map(|run| {
        let printed = row.region.iter().find(|printed| printed.region == run.region);
        let lengths = Lengths::new(&run.all_lengths());
        let training = run.training_cpu_s();
        let printed_training = printed.and_then(|printed| printed.training_minutes);
        let verdict = printed_training.map(|minutes| {
            if training < 60.0 * minutes { Verdict::Better } else { Verdict::NotReached }
        });
        let states = run.sub_problems.iter().map(|problem| problem.placements).max();
        LocalRow {
            key: run.region.to_string(),
            cells: vec![
                lengths.mean_cell(file, printed.map(|printed| (printed.mean, PRINTED_PUZZLES))),
                lengths.maximum_cell(file, printed.map(|printed| printed.maximum)),
                LocalCell {
                    published: printed_training.map(|minutes| format!("{:.1}", 60.0 * minutes)),
                    verdict,
                    ..LocalCell::ours("training s", format!("{training:.3}"))
                },
                LocalCell::ours(
                    "solving \u{b5}s",
                    format!("{:.1}", 1e6 * run.solving_cpu_s / sample.count as f64),
                ),
                LocalCell::ours("tables", run.sub_problems.len().to_string()),
                LocalCell::ours("most states", states.unwrap_or(0).to_string()),
                LocalCell::ours("most tokens", most_at_once(run).to_string()),
            ],
        }
    });
    let rows = rows.collect();
    let title = format!("{title}: {} random puzzles", sample.count);
    LocalPart { title, key: "region".to_owned(), rows }
}

fn most_at_once(run: &RegionRun) -> usize {
    run.lengths.keys().next_back().copied().unwrap_or(0)
}

fn point(row: &Row, record: &LocalRecord, sample: &Sample, run: &RegionRun) -> RegionPoint {
    let lengths = Lengths::new(&run.all_lengths());
    let printed = row.region.iter().find(|printed| printed.region == run.region);
    RegionPoint {
        board: record.board.clone(),
        tokens: record.tokens,
        region: run.region,
        puzzles: sample.count,
        mean: lengths.mean,
        standard_error: lengths.standard_error(),
        maximum: lengths.maximum,
        most_tokens: most_at_once(run),
        training_cpu_s: run.training_cpu_s(),
        solving_cpu_s: run.solving_cpu_s / sample.count as f64,
        sub_problems: run.sub_problems.len(),
        states: run.sub_problems.iter().map(|problem| problem.solvable).sum(),
        bytes: run.sub_problems.iter().map(|problem| problem.bytes).sum(),
        published_mean: printed.map(|printed| printed.mean),
        published_maximum: printed.map(|printed| printed.maximum),
        published_training_s: printed.and_then(|printed| Some(60.0 * printed.training_minutes?)),
    }
}
