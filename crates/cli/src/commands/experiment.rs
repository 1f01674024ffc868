use std::sync::Arc;

use hyperslide_lab::{
    Cell, CensusRecord, Comparison, DISTRIBUTION_EXPERIMENTS, DistributionComparison,
    DistributionExperiment, EXPERIMENTS, Experiment, GRAPH_EXPERIMENTS, GraphComparison,
    GraphExperiment, LOCAL_EXPERIMENTS, LocalExperiment, MEAN_EXPERIMENTS, MeanComparison,
    MeanExperiment, Origin, Record, RecordFile, Recorded, RunEvent, Show, Verdict, compare,
    find_experiment, find_graph_experiment, find_local_experiment, run_experiment,
    run_graph_experiment,
};
use hyperslide_search::{Control, Shared};
use hyperslide_table::{Signals, available_threads};

use super::local_experiment;
use crate::arguments::{ExperimentArguments, Format, ListArguments};
use crate::failure::{ExitStatus, Failure};
use crate::tables::store;
use crate::terminal::{
    SearchProgress, cancellable, command_line, complain, grouped, is_cancelled, print, print_json,
    render, seconds, table,
};

/// What runs without any argument.
const DEFAULT: &str = "cubical-table-2";

/// What to try after that, and what it shows.
const NEXT: [(&str, &str); 6] = [
    ("solve cubical/d4-level4 --rule 3", "the moves of one of these rows"),
    ("solve cubical/d3-level3 --rule 2", "an impossible level, and why"),
    ("solve 'grid:4:4 3,6,4,8,2,11,7,1,5,9,12,15,10,13,14,0'", "a 15-puzzle"),
    ("classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'", "which tokens can ever move"),
    ("instances", "all named puzzles"),
    ("--help", "everything else"),
];

pub fn run_default() -> Result<ExitStatus, Failure> {
    let status = run(&ExperimentArguments {
        name: DEFAULT.to_owned(),
        quick: false,
        records: None,
        from: None,
        list: ListArguments { format: Format::Text },
    })?;
    // Whoever ran this through cargo may not have the command on the path.
    let command = match std::env::var_os("CARGO") {
        Some(_) => "cargo run -q --release --",
        None => "hyperslide",
    };
    let lines = NEXT.map(|(arguments, what)| format!("  # {what}\n  {command} {arguments}\n"));
    print(&format!("\nTry next:\n{}", lines.concat()))?;
    Ok(status)
}

pub fn run(arguments: &ExperimentArguments) -> Result<ExitStatus, Failure> {
    if let Some(experiment) = find_graph_experiment(&arguments.name) {
        if arguments.records.is_some() || arguments.from.is_some() || arguments.quick {
            return Err(Failure::Input(format!(
                "{} makes no runs of solvers: leave out --records, --from and --quick. Its large \
                 searches are the records of hyperslide census",
                experiment.name
            )));
        }
        return run_graph(experiment, arguments.list.format);
    }
    if let Some(experiment) =
        MEAN_EXPERIMENTS.iter().find(|experiment| experiment.name() == arguments.name)
    {
        return run_means(experiment, arguments);
    }
    if let Some(experiment) =
        DISTRIBUTION_EXPERIMENTS.iter().find(|experiment| experiment.name() == arguments.name)
    {
        return run_distributions(experiment, arguments);
    }
    if let Some(experiment) = find_local_experiment(&arguments.name) {
        return local_experiment::run(experiment, arguments);
    }
    let experiments: Vec<&Experiment> = match arguments.name.as_str() {
        "all" => EXPERIMENTS.iter().collect(),
        name => vec![find_experiment(name).ok_or_else(|| unknown(name))?],
    };
    let mut file = match &arguments.records {
        Some(path) => Some(RecordFile::open(path)?),
        None => None,
    };
    let mut status = ExitStatus::Done;
    for experiment in experiments {
        let records = match &arguments.from {
            Some(path) => RecordFile::read(path)?,
            None => run_with_progress(experiment, arguments.quick, file.as_mut())?,
        };
        let comparison = compare(experiment, &records);
        let incomplete =
            |verdict: &Verdict| matches!(verdict, Verdict::Missing | Verdict::NotReached);
        if comparison.rows.iter().any(|row| incomplete(&row.verdict)) {
            status = status.worse(ExitStatus::LimitReached);
        }
        let is_news = |verdict| matches!(verdict, Verdict::Contradiction | Verdict::Unexplained);
        if comparison.rows.iter().any(|row| is_news(row.verdict)) {
            status = ExitStatus::Other;
        }
        match arguments.list.format {
            Format::Json => print_json(&comparison)?,
            Format::Text => print(&describe(&comparison))?,
        }
    }
    if arguments.name == "all" {
        for experiment in GRAPH_EXPERIMENTS.iter() {
            status = status.worse(run_graph(experiment, arguments.list.format)?);
        }
        for experiment in MEAN_EXPERIMENTS.iter() {
            status = status.worse(run_means(experiment, arguments)?);
        }
        for experiment in DISTRIBUTION_EXPERIMENTS.iter() {
            status = status.worse(run_distributions(experiment, arguments)?);
        }
        for experiment in LOCAL_EXPERIMENTS.iter() {
            status = status.worse(local_experiment::run(experiment, arguments)?);
        }
    }
    Ok(status)
}

fn run_graph(experiment: &GraphExperiment, format: Format) -> Result<ExitStatus, Failure> {
    let line = SearchProgress::new(&experiment.name);
    let comparison = cancellable(|cancel| {
        run_graph_experiment(experiment, CensusRecord::known(), &Signals::new(cancel))
    })?;
    drop(line);
    match format {
        Format::Json => print_json(&comparison)?,
        Format::Text => print(&describe_graph(&comparison))?,
    }
    let is_news = |cell: &Cell| cell.verdict == Verdict::Unexplained;
    let has_news = comparison.rows.iter().flat_map(|row| &row.cells).any(is_news);
    Ok(if is_cancelled() {
        ExitStatus::LimitReached
    } else if has_news {
        ExitStatus::Other
    } else {
        ExitStatus::Done
    })
}

/// The records of an experiment's parts: those that there are, and the others, made now and appended to the file as
/// each is ready.
fn make_records<R: Recorded>(
    arguments: &ExperimentArguments,
    name: &str,
    parts: usize,
    is_known: impl Fn(usize, &[R]) -> bool,
    title_of: impl Fn(usize) -> String,
    run: impl Fn(usize, &Arc<Shared>, &Control<'_>) -> Option<R>,
) -> Result<Vec<R>, Failure> {
    let mut file: Option<RecordFile<R>> = match &arguments.records {
        Some(path) => Some(RecordFile::open(path)?),
        None => None,
    };
    let mut records = match (&arguments.from, &file) {
        (Some(path), _) => RecordFile::read(path)?,
        (None, Some(file)) => file.records().to_vec(),
        (None, None) => Vec::new(),
    };
    let line = SearchProgress::new(name);
    let shared = Arc::new(Shared::new(store()));
    for number in 0..parts {
        if arguments.from.is_some() || is_known(number, &records) {
            continue;
        }
        line.say(format!(": {}", title_of(number)));
        let record = cancellable(|cancel| {
            let control = Control { cancel: Some(cancel), ..Control::default() };
            run(number, &shared, &control)
        });
        let Some(record) = record else { break };
        if let Some(file) = &mut file {
            file.append(&record)?;
        }
        records.push(record);
    }
    Ok(records)
}

/// The exit status of an experiment that has so many parts of all, with these verdicts.
fn status_of(
    arguments: &ExperimentArguments,
    is_whole: bool,
    mut verdicts: impl Iterator<Item = Verdict>,
) -> ExitStatus {
    if is_cancelled() || !is_whole {
        ExitStatus::LimitReached
    } else if !arguments.quick && verdicts.any(|verdict| verdict == Verdict::Unexplained) {
        ExitStatus::Other
    } else {
        ExitStatus::Done
    }
}

fn run_means(
    experiment: &MeanExperiment,
    arguments: &ExperimentArguments,
) -> Result<ExitStatus, Failure> {
    let shortened;
    let experiment = if arguments.quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let records = make_records(
        arguments,
        experiment.name(),
        experiment.rows(),
        |number, records| experiment.find(number, records).is_some(),
        |number| experiment.title_of(number),
        |number, shared, control| {
            experiment.run_row(number, available_threads(), shared, control, &command_line())
        },
    )?;
    let comparison = experiment.compare(&records);
    match arguments.list.format {
        Format::Json => print_json(&comparison)?,
        Format::Text => print(&describe_means(&comparison))?,
    }
    let cells = comparison.rows.iter().flat_map(|row| &row.cells);
    let is_whole = comparison.rows.len() == experiment.rows();
    Ok(status_of(arguments, is_whole, cells.map(|cell| cell.verdict)))
}

fn run_distributions(
    experiment: &DistributionExperiment,
    arguments: &ExperimentArguments,
) -> Result<ExitStatus, Failure> {
    let shortened;
    let experiment = if arguments.quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let records = make_records(
        arguments,
        experiment.name(),
        experiment.cells(),
        |number, records| experiment.find(number, records).is_some(),
        |number| experiment.title_of(number),
        |number, shared, control| {
            experiment.run_cell(number, available_threads(), shared, control, &command_line())
        },
    )?;
    let comparison = experiment.compare(&records);
    match arguments.list.format {
        Format::Json => print_json(&comparison)?,
        Format::Text => print(&describe_distributions(&comparison))?,
    }
    let is_whole = comparison.cells.len() == experiment.cells();
    let verdicts = comparison.cells.iter().filter_map(|cell| cell.verdict);
    Ok(status_of(arguments, is_whole, verdicts))
}

/// A comparison of distributions for people.
fn describe_distributions(comparison: &DistributionComparison) -> String {
    let mut headers =
        vec!["=instance", "#k", "=method", "#solved", "#min", "#median", "#max", "#optimum"];
    headers.extend(match comparison.show {
        Show::Summary => ["#printed solved", "#printed min/median/max", "verdict"].as_slice(),
        Show::Histogram => &["#printed", "=times each length came", "verdict"],
        Show::Cpu => &["#expanded", "#CPU time", "#up to", "#printed"],
    });
    let mut rows = table(&headers);
    let mut remarks = Remarks::default();
    for cell in &comparison.cells {
        let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
        let [_, median, most] = cell.cpu_s;
        let mut row = vec![
            cell.instance.clone(),
            cell.rule.map(|rule| rule.to_string()).unwrap_or_default(),
            cell.method.clone(),
            format!("{} of {}", cell.solved, cell.runs),
            whole(cell.min),
            cell.quartiles.map_or_else(String::new, |[_, median, _]| median.to_string()),
            whole(cell.max),
            whole(cell.optimum),
        ];
        let published = cell.published.or(cell.data).unwrap_or_default();
        let lengths = match (published.min, published.median, published.max) {
            (Some(min), Some(median), Some(max)) => format!("{min}/{median}/{max}"),
            (_, Some(median), _) => median.to_string(),
            _ => String::new(),
        };
        let solved = match (published.solved, published.runs) {
            (Some(solved), Some(runs)) => format!("{solved} of {runs}"),
            _ => String::new(),
        };
        let mark = cell.reason.as_ref().map(|reason| remarks.mark(reason)).unwrap_or_default();
        let verdict = cell.verdict.map_or_else(String::new, |verdict| verdict.to_string());
        let verdict = format!("{verdict}{mark}");
        match comparison.show {
            Show::Summary => row.extend([solved, lengths, verdict]),
            Show::Histogram => {
                let times = |(length, count): (&u32, &u64)| format!("{length}:{count}");
                let times: Vec<String> = cell.histogram.iter().map(times).collect();
                row.extend([format!("{solved} {lengths}"), times.join(" "), verdict]);
            }
            Show::Cpu => row.extend([
                grouped(cell.expanded.round() as u64),
                seconds(median),
                seconds(most),
                published.seconds.map_or_else(String::new, seconds),
            ]),
        }
        rows.add_row(row);
    }
    let judged = || comparison.cells.iter().filter_map(|cell| cell.verdict);
    let mut text = format!(
        "{}\n{}, section {}\n{}\n\n{}\n{}",
        comparison.title,
        comparison.table,
        comparison.section,
        comparison.paper,
        render(&rows),
        remarks.list(&comparison.notes),
    );
    if judged().next().is_some() {
        let counts = count_verdicts(judged(), &Verdict::Better.to_string());
        text.push_str(&format!("\n{} judged cells: {counts}\n", judged().count()));
    }
    text
}

/// A comparison of means for people.
fn describe_means(comparison: &MeanComparison) -> String {
    let mut rows = table(&[
        "=board",
        "=method",
        "=solver",
        "#solved",
        "#stored",
        "#generated",
        "#printed 'expanded'",
        "#expanded",
        "#printed 'explored'",
        "#moves",
        "#printed",
        "#time",
    ]);
    let mut remarks = Remarks::default();
    for row in &comparison.rows {
        let (puzzles, solved, _) = row.puzzles;
        let mut printed = |column: &str| {
            let Some(cell) = row.cells.iter().find(|cell| cell.column == column) else {
                return String::new();
            };
            let mark = match (&cell.reason, cell.verdict) {
                (Some(reason), _) => remarks.mark(reason),
                (None, Verdict::Unexplained) => " UNEXPLAINED".to_owned(),
                (None, _) => String::new(),
            };
            let number = cell.published.parse().map_or(cell.published.clone(), grouped);
            format!("{number}{mark}")
        };
        let mean = |value: f64| grouped(value.round() as u64);
        rows.add_row([
            row.board.clone(),
            row.method.clone(),
            row.solver.clone(),
            format!("{solved} of {puzzles}"),
            mean(row.stored),
            mean(row.generated),
            row.published_expanded.map_or_else(String::new, grouped),
            mean(row.expanded),
            printed("explored"),
            row.moves.map_or_else(String::new, |moves| format!("{moves:.1}")),
            printed("moves"),
            seconds(row.cpu_s),
        ]);
    }
    let cells = || comparison.rows.iter().flat_map(|row| &row.cells);
    let counts = count_verdicts(cells().map(|cell| cell.verdict), &Verdict::Better.to_string());
    format!(
        "{}\n{}, section {}\n{}\n\n{}\n{}\n{} judged cells: {counts}\n",
        comparison.title,
        comparison.table,
        comparison.section,
        comparison.paper,
        render(&rows),
        remarks.list(&comparison.notes),
        cells().count(),
    )
}

/// A comparison of whole graphs for people: ours, and the published value where it is another.
fn describe_graph(comparison: &GraphComparison) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for cell in comparison.rows.iter().flat_map(|row| &row.cells) {
        if !columns.contains(&cell.column.as_str()) {
            columns.push(&cell.column);
        }
    }
    let mut headers = vec![format!("#{}", comparison.key)];
    headers.extend(columns.iter().map(|column| format!("#{column}")));
    headers.push("=from".to_owned());
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers);
    let mut remarks = Remarks::default();
    for row in &comparison.rows {
        let mut cells = vec![row.key.clone()];
        for column in &columns {
            let Some(cell) = row.cells.iter().find(|cell| cell.column == *column) else {
                cells.push(String::new());
                continue;
            };
            let ours = cell.ours.clone().unwrap_or_else(|| "?".to_owned());
            let mut text = match cell.verdict {
                Verdict::Equal => ours,
                _ => format!("{ours} (printed {})", cell.published),
            };
            if let Some(reason) = &cell.reason {
                let edge = row.edge_metric_diameter.filter(|_| cell.column == "diameter");
                let edge = edge.map(|edge| format!(": {edge} there")).unwrap_or_default();
                text.push_str(&remarks.mark(&format!("{reason}{edge}")));
            }
            if cell.verdict == Verdict::Unexplained {
                text.push_str(" UNEXPLAINED");
            }
            cells.push(text);
        }
        let from = match &row.origin {
            Origin::Searched => "search".to_owned(),
            Origin::Surveyed => "survey".to_owned(),
            Origin::Record(revision) => format!("record {revision}"),
        };
        let note = row.note.as_ref().map(|note| remarks.mark(note)).unwrap_or_default();
        cells.push(format!("{from}{note}"));
        rows.add_row(cells);
    }
    let mut text = format!(
        "{} ({})\n{}, section {}\n{}\n\n{}\n",
        comparison.title,
        comparison.board,
        comparison.table,
        comparison.section,
        comparison.paper,
        render(&rows)
    );
    text.push_str(&remarks.list(&comparison.notes));
    let cells = || comparison.rows.iter().flat_map(|row| &row.cells);
    let counts = count_verdicts(cells().map(|cell| cell.verdict), "settled");
    text.push_str(&format!("\n{} cells: {counts}\n", cells().count()));
    text
}

/// Remarks on the cells of a table, each written once under it.
#[derive(Default)]
pub(super) struct Remarks {
    texts: Vec<String>,
}

impl Remarks {
    /// The mark of a remark, to stand in its cell.
    pub(super) fn mark(&mut self, text: &str) -> String {
        let known = self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        });
        format!(" [{}]", known + 1)
    }

    /// The lines under the table: the remarks, and the notes on the whole.
    pub(super) fn list(&self, notes: &[String]) -> String {
        let remarks = self.texts.iter().enumerate();
        let remarks = remarks.map(|(number, remark)| format!("[{}] {remark}\n", number + 1));
        remarks.chain(notes.iter().map(|note| format!("Note: {note}\n"))).collect()
    }
}

/// How many there are of each verdict; `better` names those where ours is better.
pub(super) fn count_verdicts(verdicts: impl Iterator<Item = Verdict>, better: &str) -> String {
    let verdicts: Vec<Verdict> = verdicts.collect();
    let counts = Verdict::ALL.into_iter().filter_map(|verdict| {
        let count = verdicts.iter().filter(|&&other| other == verdict).count();
        let name = if verdict == Verdict::Better { better.to_owned() } else { verdict.to_string() };
        (count > 0).then(|| format!("{count} {name}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str) -> Failure {
    let solved = EXPERIMENTS.iter().map(|experiment| experiment.name.as_str());
    let graphs = GRAPH_EXPERIMENTS.iter().map(|experiment| experiment.name.as_str());
    let means = MEAN_EXPERIMENTS.iter().map(MeanExperiment::name);
    let distributions = DISTRIBUTION_EXPERIMENTS.iter().map(DistributionExperiment::name);
    let local = LOCAL_EXPERIMENTS.iter().map(LocalExperiment::name);
    let names: Vec<&str> =
        solved.chain(graphs).chain(means).chain(distributions).chain(local).collect();
    let shown: String = name.chars().take(60).collect();
    Failure::Input(format!("no experiment is called '{shown}': write {} or all", names.join(", ")))
}

fn run_with_progress(
    experiment: &Experiment,
    quick: bool,
    file: Option<&mut RecordFile>,
) -> Result<Vec<Record>, Failure> {
    let line = SearchProgress::new(&experiment.name);
    let show = |progress: &hyperslide_search::Progress| line.show(progress);
    let shortened;
    let experiment = if quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let mut known = 0;
    let mut tell = |event: RunEvent<'_>| match event {
        RunEvent::Begin(number, all, key) => {
            let rule = key.rule.map(|rule| format!(" k={rule}")).unwrap_or_default();
            let algorithm = &key.solver.algorithm;
            line.set_prefix(&format!("{}/{all} {}{rule} {algorithm}: ", number + 1, key.instance));
        }
        RunEvent::Known(_) => known += 1,
    };
    let records = cancellable(|cancel| {
        let control = Control { cancel: Some(cancel), progress: Some(&show), ..Control::default() };
        run_experiment(experiment, file, &control, &command_line(), &mut tell)
    })?;
    if known > 0 {
        complain(&format_args!("{known} runs were in the records already and were not repeated"));
    }
    if is_cancelled() {
        complain(&"cancelled; the rows below are those that were finished");
    }
    Ok(records)
}

/// The comparison for people.
fn describe(comparison: &Comparison) -> String {
    // The first solver's cost; the others confirm the length, and JSON has theirs too.
    let solvers: Vec<&str> = comparison
        .rows
        .iter()
        .max_by_key(|row| row.records.len())
        .map(|row| row.records.iter().map(|record| record.key.solver.algorithm.as_str()).collect())
        .unwrap_or_default();
    let nodes = format!("#{} nodes", solvers.first().unwrap_or(&"no"));
    let headers =
        ["#row", "=instance", "#k", "#published", "#ours", "=proven", &nodes, "#time", "verdict"];
    let mut rows = table(&headers);
    let mut remarks = Remarks::default();
    for row in &comparison.rows {
        let marks: String = row.remarks.iter().map(|remark| remarks.mark(remark)).collect();
        let stats = row.records.first().and_then(|record| record.result.stats).unwrap_or_default();
        let cells = [
            row.row.to_string(),
            row.instance.clone(),
            row.rule.map(|rule| rule.to_string()).unwrap_or_default(),
            row.published.map_or("failed".to_owned(), |moves| moves.to_string()),
            match (row.ours, row.proven) {
                (Some(moves), _) => moves.to_string(),
                (None, true) => "unsolvable".to_owned(),
                (None, false) => "-".to_owned(),
            },
            if row.proven { "yes" } else { "no" }.to_owned(),
            grouped(stats.expanded),
            seconds(stats.wall_s),
            format!("{}{marks}", row.verdict),
        ];
        rows.add_row(cells);
    }
    let page = comparison.page.map(|page| format!(", page {page}")).unwrap_or_default();
    let mut text = format!(
        "{}\n{}, section {}{page}\n{}\n\n{}\n",
        comparison.title,
        comparison.table,
        comparison.section,
        comparison.paper,
        render(&rows)
    );
    text.push_str(&remarks.list(&comparison.notes));
    let counts =
        count_verdicts(comparison.rows.iter().map(|row| row.verdict), &Verdict::Better.to_string());
    let proven = comparison.rows.iter().filter(|row| row.proven).count();
    text.push_str(&format!(
        "\n{proven} of {} rows proven by {}: {}\n",
        comparison.rows.len(),
        solvers.join(" and "),
        counts
    ));
    text
}
