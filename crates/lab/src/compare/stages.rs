//! The tables about local value iteration: theorems, classes of puzzles, sizes of the region.

use std::collections::BTreeMap;

use super::draft::{Draft, DraftRow, DraftValue};
use super::{Claim, Fraction, Judge, Table, Value};
use crate::experiment::Experiment;
use crate::experiment::file::StagesSpec;
use crate::measure::Measured;
use crate::record::TaskRecord;
use crate::task::{Analysis, RegionRun, Sample, StageShares, SubProblemRecord, TaskData};

/// The tables of the stages that there are records of.
pub(crate) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let file = &experiment.file;
    let mut tables: Vec<Table> = Vec::new();
    for spec in &file.stages {
        let Some(record) = experiment.find(&experiment.stages_task(spec), records) else {
            continue;
        };
        let title = file.random(&spec.random).title();
        let drafts = match &record.data {
            TaskData::Analysis(analysis) => analysis_tables(spec, &title, analysis),
            TaskData::Sample(sample) if spec.by_tokens => vec![class_table(&title, sample)],
            TaskData::Sample(sample) => vec![region_table(&title, sample)],
            _ => Vec::new(),
        };
        for draft in drafts {
            let table = draft.table(Some(record), |row, column| Claim {
                differs: file.differs.get(column).cloned(),
                ..spec.claim(row, column)
            });
            // Other regions of the same puzzles.
            let is_same =
                |known: &&mut Table| known.title == table.title && known.columns == table.columns;
            match tables.iter_mut().find(is_same) {
                Some(known) => known.rows.extend(table.rows),
                None => tables.push(table),
            }
        }
    }
    tables
}

impl StagesSpec {
    /// What is published of a row and a column.
    fn claim(&self, row: &str, column: &str) -> Claim {
        let published = self.published.get(row);
        // The mean of a class is that of its puzzles.
        let class = published.filter(|_| column == "mean").and_then(|row| row.get("puzzles"));
        let class = class.and_then(Value::number).map(|puzzles| puzzles as u64);
        Claim {
            published: published.and_then(|row| row.get(column)).cloned(),
            wrong: self.wrong.get(row).and_then(|row| row.get(column)).cloned(),
            of: class.or(self.puzzles),
            ..Claim::default()
        }
    }
}

/// Returns whether some table of stages has a column with this name.
pub(crate) fn is_stages_column(name: &str) -> bool {
    const COLUMNS: &str = "states, solvable, M, Algorithm 1, other distances, share, percent, bound, \
        puzzles, mean, maximum, training, solving, tables, most states, most tokens";
    let is_share = |tokens: &str| tokens.parse::<u8>().is_ok();
    COLUMNS.split(", ").any(|known| known == name) || name.strip_prefix("of ").is_some_and(is_share)
}

/// Theorems 1 to 3 on one board.
fn analysis_tables(spec: &StagesSpec, title: &str, analysis: &Analysis) -> Vec<Draft> {
    let draft = |label: &str, what: &str, key: &'static [&'static str], rows| Draft {
        label: Some(label.to_owned()),
        title: Some(format!("{label}, {title}: {what}")),
        keys: key,
        rows,
    };
    let needs = "shares of the puzzles that need 1, 2, ... tiles at once";
    let played = played(analysis).map(|(_, problem)| sub_problem_row(problem)).collect();
    vec![
        draft("Theorem 1", needs, &["tile"], share_rows(spec, analysis)),
        draft("Theorems 1 and 3", "the sub-problems that are played", &["G, R"], played),
        draft(
            "Theorems 2 and 3",
            "classes by the tiles needed at once",
            &["tiles"],
            class_rows(analysis),
        ),
    ]
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

/// The share of a stage's places whose number of needed tokens counts.
fn share(stage: &StageShares, counts: impl Fn(usize) -> bool) -> Fraction {
    let part = stage.needs.iter().filter(|&(&needed, _)| counts(needed));
    let part: u64 = part.map(|(_, &places)| places).sum();
    let all: u64 = stage.needs.values().sum();
    Fraction::new(part.into(), all.into())
}

fn fraction(value: Fraction) -> Value {
    Value::Text(value.to_string())
}

fn share_rows(spec: &StagesSpec, analysis: &Analysis) -> Vec<DraftRow> {
    let row = |(tile, stage): (usize, &StageShares)| {
        let value = |tokens: usize| {
            let (column, own) = (format!("of {tokens}"), share(stage, |needed| needed == tokens));
            // No share is left out, unless somebody says so.
            let is_said = spec.claim(&format!("tile={tile}"), &column).published.is_some();
            let own = (is_said || *own.numer() > 0).then(|| fraction(own));
            DraftValue::new(&column, "", own)
        };
        DraftRow::new(tile.to_string(), (1..=most_tokens(analysis)).map(value).collect())
    };
    (1..).zip(&analysis.stages).map(row).collect()
}

fn sub_problem_row(problem: &SubProblemRecord) -> DraftRow {
    let mut values = vec![
        DraftValue::new("states", "states", Value::Count(problem.placements)),
        DraftValue::new("solvable", "states", Value::Count(problem.solvable)),
        DraftValue::new("M", "moves", Value::Count(problem.farthest.into())),
    ];
    if let Some(found) = &problem.iterated {
        let text = format!("{} and {} sweeps", found.sweeps_moving_on, found.sweeps_absorbing);
        let differences = Value::Count(found.differences);
        values.push(DraftValue::new("Algorithm 1", "", Value::Text(text)));
        values.push(
            DraftValue::new("other distances", "states", differences).next_to(Value::Count(0)),
        );
    }
    DraftRow::new(format!("{}, {}", set_text(&problem.kept), set_text(&problem.settled)), values)
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

fn class_rows(analysis: &Analysis) -> Vec<DraftRow> {
    let counted_all: u64 = analysis.counted.iter().flat_map(BTreeMap::values).sum();
    let row = |tokens: usize| {
        let share = class_share(analysis, tokens);
        let percent = fraction(share).number().map(|share| Value::Number(100.0 * share, 4));
        let mut values = vec![
            DraftValue::new("share", "", fraction(share)),
            DraftValue::new("percent", "%", percent),
        ];
        if let Some(counted) = &analysis.counted {
            let own = counted.get(&tokens).copied().unwrap_or(0);
            let counted = Fraction::new(own.into(), counted_all.max(1).into());
            // The product that Theorem 2 rests on must be the share that is counted.
            let counted = DraftValue::new("share of all, counted", "", fraction(counted));
            values.push(counted.next_to(fraction(share)));
            values.push(DraftValue::new("puzzles counted", "", Value::Count(own)));
        }
        let bound = Value::Count(bound(analysis, tokens).into());
        values.push(DraftValue::new("bound", "moves", bound));
        DraftRow::new(tokens.to_string(), values)
    };
    (1..=most_tokens(analysis)).map(row).collect()
}

/// The share of all puzzles whose hardest stage needs exactly this number of tokens (Theorem 2).
fn class_share(analysis: &Analysis, tokens: usize) -> Fraction {
    let at_most = |tokens: usize| {
        let shares = analysis.stages.iter().map(|stage| share(stage, |needed| needed <= tokens));
        shares.fold(Fraction::from(1), |all, share| all * share)
    };
    at_most(tokens) - at_most(tokens - 1)
}

/// No puzzle that needs at most this number of tokens at once takes more moves (Theorem 3).
fn bound(analysis: &Analysis, tokens: usize) -> u32 {
    let stages = (0..analysis.stages.len()).map(|stage| {
        let own =
            played(analysis).filter(|&(of, problem)| of == stage && problem.kept.len() <= tokens);
        own.map(|(_, problem)| problem.farthest).max().unwrap_or(0)
    });
    stages.sum()
}

/// The mean and the greatest of lengths that come with their counts; nothing where there are none.
fn length_values(lengths: &BTreeMap<u32, u64>) -> Vec<DraftValue> {
    let Some(&most) = lengths.keys().next_back() else { return Vec::new() };
    let all = || lengths.iter().map(|(&length, &puzzles)| (f64::from(length), puzzles as f64));
    let puzzles: f64 = all().map(|(_, n)| n).sum();
    let mean = all().map(|(length, n)| length * n).sum::<f64>() / puzzles;
    let squares: f64 = all().map(|(length, n)| n * (length - mean).powi(2)).sum();
    let deviation = (squares / (puzzles - 1.0).max(1.0)).sqrt();
    let mean = Measured {
        value: Some(Value::Number(mean, 2)),
        error: Some(deviation / puzzles.sqrt()),
        of: Some(puzzles as u64),
        ..Measured::default()
    };
    vec![
        DraftValue::new("mean", "moves", mean).judged_by(Judge::Means),
        DraftValue::new("maximum", "moves", Value::Count(most.into())),
    ]
}

/// Table 1: the classes of random puzzles, and all together.
fn class_table(title: &str, sample: &Sample) -> Draft {
    let run = &sample.runs[0];
    let (none, of) = (BTreeMap::new(), Some(sample.count));
    let class = |tokens: usize| {
        let lengths = run.lengths.get(&tokens).unwrap_or(&none);
        let puzzles: u64 = lengths.values().sum();
        let share = puzzles as f64 / sample.count as f64;
        let error = Some(100.0 * (share * (1.0 - share) / sample.count as f64).sqrt());
        let percent = Some(Value::Number(100.0 * share, 3));
        let percent = Measured { value: percent, error, of, ..Measured::default() };
        let puzzles = Measured { of, ..Value::Count(puzzles).into() };
        let mut values = vec![
            DraftValue::new("puzzles", "", puzzles).judged_by(Judge::Fisher),
            DraftValue::new("percent", "%", percent).judged_by(Judge::Means),
        ];
        values.extend(length_values(lengths));
        DraftRow::new(tokens.to_string(), values)
    };
    let most = run.lengths.keys().next_back().copied().unwrap_or(0);
    let mut rows: Vec<DraftRow> = (1..=most).map(class).collect();
    let mut all = vec![DraftValue::new("puzzles", "", Value::Count(sample.count))];
    all.extend(length_values(&run.all_lengths()));
    rows.push(DraftRow::new("all", all));
    let title = format!("{title}: random puzzles by the tiles that they need at once");
    Draft { label: None, title: Some(title), keys: &["tiles"], rows }
}

/// Table 2: sizes of the region.
fn region_table(title: &str, sample: &Sample) -> Draft {
    let row = |run: &RegionRun| {
        let training = Value::Seconds(run.training_cpu_s());
        let solving = Value::Seconds(run.solving_cpu_s / sample.count as f64);
        let states = run.sub_problems.iter().map(|problem| problem.placements).max();
        let most_tokens = run.lengths.keys().next_back().copied().unwrap_or(0);
        let mut values = length_values(&run.all_lengths());
        values.extend([
            DraftValue::new("training", "s", training).judged_by(Judge::Less),
            DraftValue::new("solving", "s", solving),
            DraftValue::new("tables", "", Value::Count(run.sub_problems.len() as u64)),
            DraftValue::new("most states", "states", Value::Count(states.unwrap_or(0))),
            DraftValue::new("most tokens", "", Value::Count(most_tokens as u64)),
        ]);
        DraftRow::new(run.region.to_string(), values)
    };
    let rows = sample.runs.iter().map(row).collect();
    let title = format!("{title}: {} random puzzles", sample.count);
    Draft { label: None, title: Some(title), keys: &["region"], rows }
}
