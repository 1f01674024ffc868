//! Comparisons with published values, for people.

use hyperslide_lab::{
    Comparison, DiameterComparison, DistributionComparison, DistributionExperiment,
    GraphComparison, Heading, LocalCell, LocalComparison, LocalExperiment, LocalPart,
    MeanComparison, MeanExperiment, Origin, PartedExperiment, Show, Verdict,
};

use crate::terminal::{grouped, render, seconds, table};

/// Puzzle by puzzle.
pub fn of_runs(comparison: &Comparison) -> String {
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
    let section = format!("{}{page}", comparison.heading.section);
    let mut text = format!(
        "{}\n{}\n",
        heading(&Heading { section, ..comparison.heading.clone() }),
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

/// Of whole graphs: ours, and the published value where it is another.
pub fn of_graphs(comparison: &GraphComparison) -> String {
    let cells = || comparison.rows.iter().flat_map(|row| &row.cells);
    let columns = column_names(cells().map(|cell| cell.column.as_str()));
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
    let title = format!("{} ({})", comparison.heading.title, comparison.board);
    let mut text = format!(
        "{}\n{}\n",
        heading(&Heading { title, ..comparison.heading.clone() }),
        render(&rows)
    );
    text.push_str(&remarks.list(&comparison.notes));
    let counts = count_verdicts(cells().map(|cell| cell.verdict), "settled");
    text.push_str(&format!("\n{} cells: {counts}\n", cells().count()));
    text
}

/// Of means.
pub fn of_means(comparison: &MeanComparison) -> String {
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
    let judged = MeanExperiment::verdicts(comparison);
    let counts = count_verdicts(judged.iter().copied(), &Verdict::Better.to_string());
    format!(
        "{}\n{}\n{}\n{} judged cells: {counts}\n",
        heading(&comparison.heading),
        render(&rows),
        remarks.list(&comparison.notes),
        judged.len(),
    )
}

/// Of distributions.
pub fn of_distributions(comparison: &DistributionComparison) -> String {
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
    let judged = DistributionExperiment::verdicts(comparison);
    let mut text = format!(
        "{}\n{}\n{}",
        heading(&comparison.heading),
        render(&rows),
        remarks.list(&comparison.notes),
    );
    if !judged.is_empty() {
        let counts = count_verdicts(judged.iter().copied(), &Verdict::Better.to_string());
        text.push_str(&format!("\n{} judged cells: {counts}\n", judged.len()));
    }
    text
}

/// Of estimates of diameters: of each method the longest solution, and how many pairs it solved where not all.
pub fn of_diameters(comparison: &DiameterComparison) -> String {
    let first = comparison.rows.first();
    let methods: Vec<&str> =
        first.iter().flat_map(|row| &row.estimates).map(|own| own.method.as_str()).collect();
    let mut headers = vec!["=graph".to_owned(), "#exact".to_owned(), "#proven".to_owned()];
    headers.extend(methods.iter().map(|method| format!("#{method}")));
    headers.push("=exact by".to_owned());
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers);
    let mut costs = table(&["=graph", "=method", "#solved", "#mean excess", "#median CPU time"]);
    for row in &comparison.rows {
        let of = |count: usize| match count == row.pairs {
            true => String::new(),
            false => format!(" ({count} of {})", row.pairs),
        };
        let longest = |length: Option<u32>, count: usize| {
            let length = length.map_or("-".to_owned(), |length| grouped(length.into()));
            format!("{length}{}", of(count))
        };
        let wrong = row.verdict.map(|verdict| format!(" {verdict}")).unwrap_or_default();
        let mut cells = vec![
            row.graph.clone(),
            row.diameter.to_string(),
            format!("{}{wrong}", longest(row.lower_bound, row.proven)),
        ];
        for method in &methods {
            let own = row.estimates.iter().find(|own| own.method == *method);
            cells.push(own.map_or_else(String::new, |own| longest(own.longest, own.solved)));
        }
        cells.push(row.shown_by.clone());
        rows.add_row(cells);
        for own in &row.estimates {
            costs.add_row([
                row.graph.clone(),
                own.method.clone(),
                format!("{} of {}", own.solved, row.pairs),
                own.mean_excess.map_or_else(String::new, |moves| format!("{moves:.1}")),
                seconds(own.cpu_s),
            ]);
        }
    }
    format!(
        "{}\n{}\nMoves beyond the proven distance, and time\n{}\n{}",
        heading(&comparison.heading),
        render(&rows),
        render(&costs),
        Remarks::default().list(&comparison.notes),
    )
}

/// About local value iteration: ours, and the published value where it is another.
pub fn of_local(comparison: &LocalComparison) -> String {
    let mut remarks = Remarks::default();
    let parts = comparison.parts.iter();
    let parts: Vec<String> = parts.map(|part| describe_part(part, &mut remarks)).collect();
    let verdicts = LocalExperiment::verdicts(comparison);
    format!(
        "{}\n{}\n{}\n{} judged cells: {}\n",
        heading(&comparison.heading),
        parts.join("\n"),
        remarks.list(&comparison.notes),
        verdicts.len(),
        count_verdicts(verdicts.iter().copied(), &Verdict::Better.to_string()),
    )
}

fn describe_part(part: &LocalPart, remarks: &mut Remarks) -> String {
    let cells = part.rows.iter().flat_map(|row| &row.cells);
    let columns = column_names(cells.map(|cell| cell.column.as_str()));
    let mut headers = vec![format!("={}", part.key)];
    headers.extend(columns.iter().map(|column| format!("#{column}")));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers);
    for row in &part.rows {
        let cell = |column: &&str| row.cells.iter().find(|cell| cell.column == *column);
        let texts = columns.iter().map(|column| {
            cell(column).map_or_else(String::new, |cell| describe_cell(cell, remarks))
        });
        rows.add_row(std::iter::once(row.key.clone()).chain(texts));
    }
    format!("{}\n{}", part.title, render(&rows))
}

fn describe_cell(cell: &LocalCell, remarks: &mut Remarks) -> String {
    let number = |text: &String| text.parse().map_or(text.clone(), grouped);
    let mut text = number(&cell.ours);
    if let Some(error) = cell.standard_error {
        text.push_str(&format!(" \u{b1}{error:.2}"));
    }
    // A fraction that is printed in other terms is no other value.
    let is_same = cell.verdict == Some(Verdict::Equal) && cell.standard_error.is_none();
    if let Some(published) = cell.published.as_ref().filter(|_| !is_same) {
        text.push_str(&format!(" ({})", number(published)));
    }
    if let Some(reason) = &cell.reason {
        text.push_str(&remarks.mark(reason));
    }
    if cell.verdict == Some(Verdict::Unexplained) {
        text.push_str(" UNEXPLAINED");
    }
    text
}

/// What was compared with what: the lines above its table.
fn heading(heading: &Heading) -> String {
    let Heading { title, paper, table, section, .. } = heading;
    format!("{title}\n{table}, section {section}\n{paper}\n")
}

/// Each name once, in the order of their first cells.
fn column_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Remarks on the cells of a table, each written once under it.
#[derive(Default)]
struct Remarks {
    texts: Vec<String>,
}

impl Remarks {
    /// The mark of a remark, to stand in its cell.
    fn mark(&mut self, text: &str) -> String {
        let known = self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        });
        format!(" [{}]", known + 1)
    }

    /// The lines under the table: the remarks, and the notes on the whole.
    fn list(&self, notes: &[String]) -> String {
        let remarks = self.texts.iter().enumerate();
        let remarks = remarks.map(|(number, remark)| format!("[{}] {remark}\n", number + 1));
        remarks.chain(notes.iter().map(|note| format!("Note: {note}\n"))).collect()
    }
}

/// How many there are of each verdict; `better` names those where ours is better.
fn count_verdicts(verdicts: impl Iterator<Item = Verdict>, better: &str) -> String {
    let verdicts: Vec<Verdict> = verdicts.collect();
    let counts = Verdict::ALL.into_iter().filter_map(|verdict| {
        let count = verdicts.iter().filter(|&&other| other == verdict).count();
        let name = if verdict == Verdict::Better { better.to_owned() } else { verdict.to_string() };
        (count > 0).then(|| format!("{count} {name}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}
