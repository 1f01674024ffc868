//! Exhibits: a published table or figure, ours and what is to be known about it.

use hyperslide_puzzle::{Metric, Puzzle};

use super::{Comparison, Experiment, Provenance, Verdict, VerdictCounts};
use crate::compare::{Heading, Row, Table, found_layers};
use crate::experiment::file::{BoardPicture, FigureSpec, PictureSpec, Shown};
use crate::record::{TaskRecord, programs};
use crate::report::Figure;
use crate::report::graph::{graph_counts, graph_in_page};
use crate::report::svg::{Picture, board};

/// One table or figure.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// Its name within the page.
    pub id: String,
    /// What the document calls it; empty where it prints nothing of the kind.
    pub label: String,
    /// Its name in the matrix where it has no label; may be empty.
    pub short: String,
    /// What it is.
    pub title: String,
    /// The experiment that repeats it, with the document's section.
    pub heading: Heading,
    /// What it shows.
    pub content: Content,
    /// What is to be known about it as a whole.
    pub notes: Vec<String>,
    /// How often each verdict was given.
    pub verdicts: VerdictCounts,
    /// What made the records, each program and machine once.
    pub records: Vec<Provenance>,
    /// CPU seconds that repeating it takes.
    pub cpu_s: Option<f64>,
    /// Whether there is a record of every task.
    pub complete: bool,
}

/// What an exhibit shows.
#[derive(Clone, Debug)]
pub enum Content {
    /// Tables.
    Tables(Vec<Table>),
    /// A figure.
    Figure(Figure),
    /// Pictures of puzzles, how to read them, and what is said of them.
    Pictures {
        /// The pictures.
        pictures: Vec<CaptionedPicture>,
        /// How to read them.
        reading: String,
        /// What is said of the puzzles.
        tables: Vec<Table>,
    },
}

/// A picture with a few words about it.
#[derive(Clone, Debug)]
pub struct CaptionedPicture {
    /// What it is.
    pub caption: String,
    /// The picture as an element of a page.
    pub(crate) picture: Picture,
}

/// The tables of an experiment by the labels that the document gives them, and its figures.
pub(super) fn exhibits(
    experiment: &Experiment,
    comparison: &Comparison,
    figures: Vec<Figure>,
    records: &[TaskRecord],
) -> Vec<Exhibit> {
    let file = &experiment.file;
    let template = Exhibit {
        id: experiment.name().to_owned(),
        label: String::new(),
        short: String::new(),
        title: comparison.heading.title.clone(),
        heading: comparison.heading.clone(),
        content: Content::Tables(Vec::new()),
        notes: comparison.notes.clone(),
        verdicts: VerdictCounts::default(),
        records: Vec::new(),
        cpu_s: experiment.cpu_s(),
        complete: comparison.complete,
    };
    let mut groups = by_label(comparison);
    let mut exhibits = Vec::new();
    for (figure, spec) in figures.into_iter().zip(&file.figure) {
        let tables: Vec<&Table> = groups.iter().flat_map(|(_, tables)| tables).collect();
        let (verdicts, records) = judged_in(experiment, spec, &tables);
        exhibits.push(Exhibit {
            id: figure.name.clone(),
            label: figure.label.clone(),
            short: spec.short.clone(),
            title: figure.title.clone(),
            content: Content::Figure(figure),
            verdicts,
            records,
            ..template.clone()
        });
    }
    for spec in &file.picture {
        // Pictures are judged by the rows that have their label.
        let is_of = |label: &str| label == spec.label && !label.is_empty();
        let place = groups.iter().position(|(label, _)| is_of(label));
        let tables = place.map(|place| groups.remove(place).1).unwrap_or_default();
        exhibits.push(Exhibit {
            id: spec.name.clone(),
            label: spec.label.clone(),
            short: spec.short.clone(),
            title: spec.title.clone(),
            verdicts: VerdictCounts::of_tables(&tables),
            records: programs_of(&tables),
            content: pictures(spec, file.metric, tables),
            ..template.clone()
        });
    }
    exhibits.extend(hardest(experiment, records, &template));
    for (number, (label, tables)) in groups.into_iter().enumerate() {
        let id = match number {
            0 => template.id.clone(),
            _ => format!("{}-{}", template.id, number + 1),
        };
        exhibits.push(Exhibit {
            id,
            title: file.titles.get(&label).unwrap_or(&template.title).clone(),
            label,
            short: file.short.clone(),
            verdicts: VerdictCounts::of_tables(&tables),
            records: programs_of(&tables),
            content: Content::Tables(tables),
            ..template.clone()
        });
    }
    exhibits
}

/// The tables of a comparison by the labels that the document gives them.
fn by_label(comparison: &Comparison) -> Vec<(String, Vec<Table>)> {
    let tables = &comparison.tables;
    // Where some tables have labels of their own, the others are not in the document.
    let is_labelled = tables.iter().any(|table| table.label.is_some());
    let common = if is_labelled { String::new() } else { own_label(&comparison.heading.table) };
    let mut groups: Vec<(String, Vec<Table>)> = Vec::new();
    for table in tables {
        let label = table.label.as_ref().unwrap_or(&common);
        match groups.iter_mut().find(|(known, _)| known == label) {
            Some((_, tables)) => tables.push(table.clone()),
            None => groups.push((label.clone(), vec![table.clone()])),
        }
    }
    groups
}

/// The label of the tables of an experiment, by what it says it is of: `Table 2, Figure 2` also
/// draws a figure, `Figures 2, 3 and 4` are drawn with the values behind them as a table, and
/// `none: ...` is not in the document.
fn own_label(of: &str) -> String {
    match of {
        _ if of.starts_with("none") || of.starts_with("nothing") => String::new(),
        _ if of.starts_with("Figure") => {
            format!("Values of {}", of.replacen("Figure", "figure", 1))
        }
        _ => of.split(", Figure").next().unwrap_or_default().to_owned(),
    }
}

/// Pictures of puzzles, and what is said of them.
fn pictures(spec: &PictureSpec, metric: Metric, tables: Vec<Table>) -> Content {
    let pictures = spec.boards.iter().map(|shown| {
        let puzzle = shown.puzzle(metric).expect("pictures were checked");
        let caption = shown.caption.clone();
        match shown.shows {
            Shown::Start => CaptionedPicture { caption, picture: board::start(&puzzle) },
            Shown::Goal => CaptionedPicture { caption, picture: board::goal(&puzzle) },
            Shown::Graph => {
                let graph = BoardPicture::graph(&puzzle).expect("pictures were checked");
                let (picture, counts) = (graph_in_page(&puzzle, &graph), graph_counts(&graph));
                CaptionedPicture { caption: format!("{caption}: {counts}"), picture }
            }
        }
    });
    Content::Pictures { pictures: pictures.collect(), reading: spec.reading.clone(), tables }
}

/// The states at the greatest distance, where they are recorded.
fn hardest(experiment: &Experiment, records: &[TaskRecord], template: &Exhibit) -> Option<Exhibit> {
    let published = experiment.file.layers.as_ref()?.layers.last().copied()?;
    let found = found_layers(experiment, records).filter(|found| !found.farthest.is_empty())?;
    let board = experiment.file.board.as_deref()?;
    let picture = |state: &String| {
        let puzzle = Puzzle::from_line(&format!("{board} {state}")).ok()?;
        Some(CaptionedPicture { caption: state.clone(), picture: board::start(&puzzle) })
    };
    let pictures: Vec<CaptionedPicture> = found.farthest.iter().filter_map(picture).collect();
    let verdict =
        if pictures.len() as u64 == published { Verdict::Equal } else { Verdict::Unexplained };
    let (count, moves) = (pictures.len(), found.states.len() - 1);
    let reading =
        format!("No other state is as far from the goal: each of these takes {moves} moves.");
    Some(Exhibit {
        id: format!("{}-hardest", experiment.name()),
        label: format!("The {count}"),
        title: format!("Hardest states, {moves} moves from the goal"),
        content: Content::Pictures { pictures, reading, tables: Vec::new() },
        verdicts: std::iter::once(verdict).collect(),
        ..template.clone()
    })
}

/// The verdicts on the rows that a figure shows, and what made their records.
fn judged_in(
    experiment: &Experiment,
    spec: &FigureSpec,
    tables: &[&Table],
) -> (VerdictCounts, Vec<Provenance>) {
    let solvers = experiment.file.solver.iter();
    let titles: Vec<String> = solvers
        .filter(|solver| spec.solvers.contains(&solver.key))
        .map(|solver| solver.title.clone())
        .collect();
    let rules: Vec<String> = spec.rules.iter().map(ToString::to_string).collect();
    let mut rows: Vec<&Row> = Vec::new();
    for table in tables {
        let place = |name: &str| table.keys.iter().position(|key| key == name);
        let (method, rule) = (place("method"), place("k"));
        let is_among = |wanted: &[String], place: Option<usize>, row: &Row| {
            wanted.is_empty() || place.is_none_or(|place| wanted.contains(&row.keys[place]))
        };
        rows.extend(
            table
                .rows
                .iter()
                .filter(|row| is_among(&titles, method, row) && is_among(&rules, rule, row)),
        );
    }
    let cells = rows.iter().flat_map(|row| &row.cells);
    let verdicts = cells.filter_map(|cell| cell.verdict).collect();
    (verdicts, programs(rows.iter().flat_map(|row| &row.records)))
}

/// What made the records of tables.
fn programs_of(tables: &[Table]) -> Vec<Provenance> {
    programs(tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.records))
}

impl Exhibit {
    /// The verdict that a reader should know first: what needs attention, then what is new, then
    /// what agrees. None where nothing is published.
    pub fn leading_verdict(&self) -> Option<Verdict> {
        const ORDER: [Verdict; 9] = [
            Verdict::Contradiction,
            Verdict::Unexplained,
            Verdict::Missing,
            Verdict::Settled,
            Verdict::PublishedWrong,
            Verdict::Better,
            Verdict::Explained,
            Verdict::Equal,
            Verdict::NotReached,
        ];
        ORDER.into_iter().find(|verdict| self.verdicts.of(*verdict) > 0)
    }

    /// A name of a few letters, such as `T2`, `F5` or `Th1`.
    pub fn short_label(&self) -> String {
        let number: String = self.label.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        let number =
            number.replace(" to ", "\u{2013}").replace(" and ", ", ").replace("Figure ", "F");
        match self.label.split([' ', 's']).next() {
            Some("Table") => format!("T{number}"),
            Some("Figure") => format!("F{number}"),
            Some("Theorem") if number.is_empty() => "Theorems".to_owned(),
            Some("Theorem") => format!("Th{number}"),
            Some("Value") => format!("F{number} data"),
            _ if self.label.is_empty() && !self.short.is_empty() => self.short.clone(),
            _ if self.label.is_empty() => self.id.replace('-', " "),
            _ => self.label.clone(),
        }
    }

    /// Where it stands among those of its document.
    pub(super) fn order(&self) -> (usize, String, bool, String) {
        let kind =
            ["Table", "Figure", "Theorem"].iter().position(|kind| self.label.starts_with(kind));
        let kind = if self.label.is_empty() { 4 } else { kind.unwrap_or(3) };
        // A figure is of what a table says.
        let is_drawn = !matches!(self.content, Content::Tables(_));
        (kind, self.label.clone(), is_drawn, self.id.clone())
    }
}
