//! The tables about local value iteration: theorems, classes of puzzles, sizes of the region.

use std::collections::BTreeMap;

use super::judge::{ERRORS, UNLIKELY};
use super::{Cell, Claim, Column, Fraction, Judge, Row, Table, Value, Verdict};
use crate::experiment::Experiment;
use crate::experiment::file::{File, PublishedClass, PublishedRegion, StagesSpec};
use crate::record::TaskRecord;
use crate::statistics::fisher_exact;
use crate::task::{Analysis, RegionRun, Sample, StageShares, SubProblemRecord, TaskData};

/// A table whose rows may lack some of its columns.
struct Draft {
    /// What the paper calls it, where the experiment is of several of its tables.
    label: Option<&'static str>,
    title: String,
    key: &'static str,
    rows: Vec<DraftRow>,
}

/// The name of a row, and its cells, each with its column.
type DraftRow = (String, Vec<(Column, Cell)>);

impl Draft {
    fn table(self, record: &TaskRecord) -> Table {
        let mut columns: Vec<Column> = Vec::new();
        for (column, _) in self.rows.iter().flat_map(|(_, cells)| cells) {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        let rows = self.rows.into_iter().map(|(key, cells)| {
            let cell = |column: &Column| {
                let own = cells.iter().find(|(own, _)| own == column);
                own.map_or_else(Cell::default, |(_, cell)| cell.clone())
            };
            let cells = columns.iter().map(cell).collect();
            let mut row = Row { keys: vec![key], cells, ..Row::default() };
            row.note_record(record);
            row
        });
        let rows: Vec<Row> = rows.collect();
        // Boards of our own are shown next to the published one, and judged by nothing.
        let is_published =
            rows.iter().flat_map(|row| &row.cells).any(|cell| cell.published.is_some());
        let label = self.label.filter(|_| is_published).map(str::to_owned);
        Table { label, ..Table::new(Some(self.title), &[self.key], columns, rows) }
    }
}

/// A value that is not judged.
fn ours(column: &str, unit: &'static str, value: Value) -> (Column, Cell) {
    (Column::number(column, unit), Cell::ours(value))
}

/// A value next to the published one, if there is any.
fn judged(
    column: &str,
    unit: &'static str,
    judge: Judge,
    value: Value,
    published: Option<Value>,
    wrong: Option<&String>,
) -> (Column, Cell) {
    let claim = Claim { published, wrong: wrong.cloned(), ..Claim::default() };
    (Column::number(column, unit), Cell::judged(judge, value, claim))
}

/// The tables of the stages that there are records of.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let file = &experiment.file;
    let mut tables: Vec<Table> = Vec::new();
    for spec in &file.stages {
        let Some(record) = experiment.find(&experiment.stages_task(spec), records) else {
            continue;
        };
        let title = file.random(&spec.puzzles()).title();
        let drafts = match &record.data {
            TaskData::Analysis(analysis) => analysis_tables(spec, &title, analysis),
            TaskData::Sample(sample) if spec.class.is_empty() => {
                vec![region_table(file, spec, &title, sample)]
            }
            TaskData::Sample(sample) => vec![class_table(file, spec, &title, sample)],
            _ => Vec::new(),
        };
        for table in drafts.into_iter().map(|draft| draft.table(record)) {
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

/// Theorems 1 to 3 on one board.
fn analysis_tables(spec: &StagesSpec, title: &str, analysis: &Analysis) -> Vec<Draft> {
    let shares = Draft {
        label: Some("Theorem 1"),
        title: format!(
            "Theorem 1, {title}: shares of the puzzles that need 1, 2, ... tiles at once"
        ),
        key: "tile",
        rows: share_rows(spec, analysis),
    };
    let sub_problems = Draft {
        label: Some("Theorems 1 and 3"),
        title: format!("Theorems 1 and 3, {title}: the sub-problems that are played"),
        key: "G, R",
        rows: played(analysis).map(|(_, problem)| sub_problem_row(spec, problem)).collect(),
    };
    let classes = Draft {
        label: Some("Theorems 2 and 3"),
        title: format!("Theorems 2 and 3, {title}: classes by the tiles needed at once"),
        key: "tiles",
        rows: class_rows(spec, analysis),
    };
    vec![shares, sub_problems, classes]
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
    Fraction::new(part.into(), all.into()).expect("some places can be solved")
}

fn fraction(value: Fraction) -> Value {
    Value::Text(value.to_string())
}

fn share_rows(spec: &StagesSpec, analysis: &Analysis) -> Vec<DraftRow> {
    let stages = analysis.stages.iter().zip(1..);
    let rows = stages.map(|(stage, tile)| {
        let printed = spec.stage.iter().find(|printed| printed.tile == tile);
        let cells = (1..=most_tokens(analysis)).map(|tokens| {
            let own = share(stage, |needed| needed == tokens);
            let published = printed.and_then(|printed| printed.shares.get(tokens - 1));
            let column = format!("of {tokens}");
            if published.is_none() && own == Fraction::ZERO {
                return (Column::number(&column, ""), Cell::default());
            }
            let published = published.map(|text| Value::Text(text.clone()));
            judged(&column, "", Judge::Exact, fraction(own), published, None)
        });
        (tile.to_string(), cells.collect())
    });
    rows.collect()
}

fn sub_problem_row(spec: &StagesSpec, problem: &SubProblemRecord) -> DraftRow {
    let (tiles, settled) = (problem.kept.len(), problem.settled.len());
    let is_it = |printed: &&crate::experiment::file::PublishedSubProblem| {
        (printed.tile, printed.tiles) == (tiles + settled, tiles)
    };
    let printed = spec.sub_problem.iter().find(is_it);
    let cell = |column: &str, unit: &'static str, value: u64, published: Option<u64>| {
        let wrong = printed.and_then(|printed| printed.wrong.get(column));
        let published = published.map(Value::Count);
        judged(column, unit, Judge::Exact, Value::Count(value), published, wrong)
    };
    let states = printed.and_then(|printed| printed.states);
    let farthest = printed.and_then(|printed| printed.farthest);
    let mut cells = vec![
        cell("states", "states", problem.placements, states),
        ours("solvable", "states", Value::Count(problem.solvable)),
        cell("M", "moves", problem.farthest.into(), farthest),
    ];
    if let Some(found) = &problem.iterated {
        let text = format!("{} and {} sweeps", found.sweeps_moving_on, found.sweeps_absorbing);
        cells.push(ours("Algorithm 1", "", Value::Text(text)));
        let none = Some(Value::Count(0));
        let differences = Value::Count(found.differences);
        cells.push(judged("other distances", "states", Judge::Exact, differences, none, None));
    }
    (format!("{}, {}", set_text(&problem.kept), set_text(&problem.settled)), cells)
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

fn class_rows(spec: &StagesSpec, analysis: &Analysis) -> Vec<DraftRow> {
    let counted_all: u64 = analysis.counted.iter().flat_map(BTreeMap::values).sum();
    let rows = (1..=most_tokens(analysis)).map(|tokens| {
        let printed = spec.class.iter().find(|printed| printed.tiles == tokens);
        let share = class_share(analysis, tokens);
        let published = printed.and_then(|printed| printed.share.clone()).map(Value::Text);
        let mut cells = vec![
            judged("share", "", Judge::Exact, fraction(share), published, None),
            ours("percent", "%", Value::Number(100.0 * share.value(), 4)),
        ];
        if let Some(counted) = &analysis.counted {
            let own = counted.get(&tokens).copied().unwrap_or(0);
            let counted = Fraction::new(own.into(), counted_all.into()).unwrap_or(Fraction::ZERO);
            // The product that Theorem 2 rests on must be the share that is counted.
            let (column, product) = ("share of all, counted", Some(fraction(share)));
            cells.push(judged(column, "", Judge::Exact, fraction(counted), product, None));
            cells.push(ours("puzzles counted", "", Value::Count(own)));
        }
        let published = printed.and_then(|printed| printed.bound).map(Value::Count);
        let bound = Value::Count(bound(analysis, tokens).into());
        cells.push(judged("bound", "moves", Judge::Exact, bound, published, None));
        (tokens.to_string(), cells)
    });
    rows.collect()
}

/// The share of all puzzles whose hardest stage needs exactly this number of tokens (Theorem 2).
fn class_share(analysis: &Analysis, tokens: usize) -> Fraction {
    let at_most = |tokens: usize| {
        let shares = analysis.stages.iter().map(|stage| share(stage, |needed| needed <= tokens));
        shares.fold(Fraction::ONE, |all, share| all.times(share).expect("shares are short"))
    };
    at_most(tokens).minus(at_most(tokens - 1)).expect("shares grow with the tokens")
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

/// What there is to say of a distribution of lengths.
pub(crate) struct Lengths {
    pub puzzles: f64,
    pub mean: f64,
    deviation: f64,
    pub maximum: u32,
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

    /// The mean next to that of other puzzles, whose number is given.
    fn mean_cell(&self, file: &File, published: Option<(f64, f64)>) -> (Column, Cell) {
        let error = |others: f64| self.deviation * (1.0 / self.puzzles + 1.0 / others).sqrt();
        let estimate = Estimate {
            own: self.mean,
            error: self.deviation / self.puzzles.sqrt(),
            published: published.map(|(mean, others)| (mean, error(others))),
        };
        let cell = estimate.cell(self.puzzles, 2, file.differs.get("mean"));
        (Column::number("mean", "moves"), cell)
    }

    fn maximum_cell(&self, file: &File, published: Option<u32>) -> (Column, Cell) {
        let is_other = published.is_some_and(|published| published != self.maximum);
        let claim = Claim {
            published: published.map(|published| Value::Count(published.into())),
            differs: file.differs.get("maximum").filter(|_| is_other).cloned(),
            ..Claim::default()
        };
        let maximum = Value::Count(self.maximum.into());
        (Column::number("maximum", "moves"), Cell::judged(Judge::Exact, maximum, claim))
    }
}

/// An estimate from random puzzles.
struct Estimate {
    own: f64,
    /// Its standard error.
    error: f64,
    /// The published estimate, and the standard error of the difference.
    published: Option<(f64, f64)>,
}

impl Estimate {
    /// Next to the published one: equal when within three standard errors of the difference, or else
    /// explained by the reason, if there is any.
    fn cell(&self, puzzles: f64, decimals: u8, reason: Option<&String>) -> Cell {
        let verdict = self.published.map(|(published, error)| {
            if puzzles < 2.0 {
                Verdict::NotReached
            } else if (self.own - published).abs() <= ERRORS * error {
                Verdict::Equal
            } else if reason.is_some() {
                Verdict::Explained
            } else {
                Verdict::Unexplained
            }
        });
        Cell {
            ours: Some(Value::Number(self.own, decimals)),
            published: self.published.map(|(published, _)| Value::Number(published, decimals)),
            standard_error: Some(self.error),
            verdict,
            reason: reason.filter(|_| verdict == Some(Verdict::Explained)).cloned(),
            ..Cell::default()
        }
    }
}

/// Table 1: the classes of random puzzles, and all together.
fn class_table(file: &File, spec: &StagesSpec, title: &str, sample: &Sample) -> Draft {
    let run = &sample.runs[0];
    let counts = spec.class.iter().filter_map(|class| class.puzzles);
    let printed_puzzles: u64 = counts.sum();
    let none = BTreeMap::new();
    let rows = spec.class.iter().map(|class| {
        let lengths = Lengths::new(run.lengths.get(&class.tiles).unwrap_or(&none));
        let mut cells = vec![
            puzzles_cell(class.puzzles, (lengths.puzzles as u64, sample.count), printed_puzzles),
            share_cell(file, class, lengths.puzzles, sample.count as f64, printed_puzzles as f64),
        ];
        let printed = class.mean.zip(class.puzzles.map(|puzzles| puzzles as f64));
        if lengths.puzzles > 0.0 {
            cells.push(lengths.mean_cell(file, printed));
            cells.push(lengths.maximum_cell(file, class.maximum));
        }
        (class.tiles.to_string(), cells)
    });
    let mut rows: Vec<DraftRow> = rows.collect();
    let lengths = Lengths::new(&run.all_lengths());
    let printed = spec.region.first();
    let mean = printed.map(|printed| (printed.mean, printed_puzzles as f64));
    let cells = vec![
        ours("puzzles", "", Value::Count(sample.count)),
        lengths.mean_cell(file, mean),
        lengths.maximum_cell(file, printed.map(|printed| printed.maximum)),
    ];
    rows.push(("all".to_owned(), cells));
    let title = format!("{title}: random puzzles by the tiles that they need at once");
    Draft { label: None, title, key: "tiles", rows }
}

/// The number of puzzles in a class, of all of ours, next to the printed one, of all printed.
fn puzzles_cell(printed: Option<u64>, (own, all): (u64, u64), all_printed: u64) -> (Column, Cell) {
    let (column, cell) = ours("puzzles", "", Value::Count(own));
    let p = printed.map(|printed| fisher_exact((own, all), (printed, all_printed)));
    let verdict = p.map(|p| if p < UNLIKELY { Verdict::Unexplained } else { Verdict::Equal });
    (column, Cell { published: printed.map(Value::Count), verdict, p, ..cell })
}

/// The share of a class, in percent, next to the printed one.
fn share_cell(
    file: &File,
    class: &PublishedClass,
    own: f64,
    count: f64,
    printed_count: f64,
) -> (Column, Cell) {
    let share = own / count;
    let published = class.puzzles.map(|puzzles| {
        let printed = puzzles as f64 / printed_count;
        // Where none was found, the printed share tells how far one may be off.
        let spread = printed * (1.0 - printed);
        (100.0 * printed, 100.0 * (spread / count + spread / printed_count).sqrt())
    });
    let error = 100.0 * (share * (1.0 - share) / count).sqrt();
    let estimate = Estimate { own: 100.0 * share, error, published };
    (Column::number("percent", "%"), estimate.cell(count, 3, file.differs.get("share")))
}

/// Table 2: sizes of the region.
fn region_table(file: &File, spec: &StagesSpec, title: &str, sample: &Sample) -> Draft {
    /// Puzzles that the paper's means are over.
    const PRINTED_PUZZLES: f64 = 100_000.0;

    let rows = points(spec, sample).map(|point| {
        let RegionPoint { run, lengths, printed } = &point;
        let training = Value::Seconds(run.training_cpu_s());
        let published = point.published_training_s().map(Value::Seconds);
        let solving = Value::Seconds(run.solving_cpu_s / sample.count as f64);
        let states = run.sub_problems.iter().map(|problem| problem.placements).max();
        let most_tokens = run.lengths.keys().next_back().copied().unwrap_or(0);
        let cells = vec![
            lengths.mean_cell(file, printed.map(|printed| (printed.mean, PRINTED_PUZZLES))),
            lengths.maximum_cell(file, printed.map(|printed| printed.maximum)),
            judged("training", "s", Judge::Less, training, published, None),
            ours("solving", "s", solving),
            ours("tables", "", Value::Count(run.sub_problems.len() as u64)),
            ours("most states", "states", Value::Count(states.unwrap_or(0))),
            ours("most tokens", "", Value::Count(most_tokens as u64)),
        ];
        (run.region.to_string(), cells)
    });
    let title = format!("{title}: {} random puzzles", sample.count);
    Draft { label: None, title, key: "region", rows: rows.collect() }
}

/// Random puzzles of a board, solved with one size of the region, and what is printed of it.
pub(crate) struct RegionPoint<'a> {
    pub run: &'a RegionRun,
    pub lengths: Lengths,
    pub printed: Option<&'a PublishedRegion>,
}

impl RegionPoint<'_> {
    pub fn published_training_s(&self) -> Option<f64> {
        Some(60.0 * self.printed?.training_minutes?)
    }
}

fn points<'a>(spec: &'a StagesSpec, sample: &'a Sample) -> impl Iterator<Item = RegionPoint<'a>> {
    sample.runs.iter().map(|run| RegionPoint {
        run,
        lengths: Lengths::new(&run.all_lengths()),
        printed: spec.region.iter().find(|printed| printed.region == run.region),
    })
}

/// The title of the first board, and its points by the size of the region.
pub(crate) fn region_points<'a>(
    experiment: &'a Experiment,
    records: &'a [TaskRecord],
) -> (String, Vec<RegionPoint<'a>>) {
    let file = &experiment.file;
    let Some(first) = file.stages.first() else { return (String::new(), Vec::new()) };
    let puzzles = file.random(&first.puzzles());
    let mut all = Vec::new();
    for spec in file.stages.iter().filter(|spec| file.random(&spec.puzzles()) == puzzles) {
        let record = experiment.find(&experiment.stages_task(spec), records);
        if let Some(TaskData::Sample(sample)) = record.map(|record| &record.data) {
            all.extend(points(spec, sample));
        }
    }
    (puzzles.board, all)
}
