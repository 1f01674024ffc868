//! Exhibits: a published table or figure, ours and what is to be known about it.

use std::collections::BTreeMap;

use hyperslide_puzzle::Puzzle;

use super::{Comparison, Experiment, Provenance, Verdict, VerdictCounts};
use crate::compare::{Cell, Heading, Table, found_layers};
use crate::experiment::file::{BoardPicture, FigureSpec, PictureSpec, Shown};
use crate::record::TaskRecord;
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
    let Comparison { heading, tables, notes, complete, .. } = comparison.clone();
    let specs = &experiment.file.figure;
    // Where some tables have labels of their own, the others are not in the document.
    let is_labelled = tables.iter().any(|table| table.label.is_some());
    let label = if is_labelled { String::new() } else { own_label(&heading.table) };
    let mut groups: Vec<(String, Vec<Table>)> = Vec::new();
    for table in tables {
        let label = table.label.clone().unwrap_or_else(|| label.clone());
        match groups.iter_mut().find(|(known, _)| *known == label) {
            Some((_, tables)) => tables.push(table),
            None => groups.push((label, vec![table])),
        }
    }
    let (titles, short) = (experiment.file.titles.clone(), experiment.file.short.clone());
    let shared = Shared { heading, notes, complete, cpu_s: experiment.cpu_s(), titles, short };
    let mut exhibits = Vec::new();
    for (figure, spec) in figures.into_iter().zip(specs) {
        let tables: Vec<&Table> = groups.iter().flat_map(|(_, tables)| tables).collect();
        let exhibit = shared.figure(figure, judged_in(experiment, spec, &tables));
        exhibits.push(Exhibit { short: spec.short.clone(), ..exhibit });
    }
    for spec in &experiment.file.picture {
        exhibits.push(shared.pictures(experiment, spec, &mut groups));
    }
    exhibits.extend(shared.hardest(experiment, records));
    for (number, (label, tables)) in groups.into_iter().enumerate() {
        exhibits.push(shared.tables(number, label, tables));
    }
    exhibits
}

/// The label of the tables of an experiment, by what it says it is of: `Table 2, Figure 2` also draws
/// a figure, `Figures 2, 3 and 4` are drawn with the values behind them as a table, and `none: ...` is
/// not in the document.
fn own_label(of: &str) -> String {
    match of {
        _ if of.starts_with("none") || of.starts_with("nothing") => String::new(),
        _ if of.starts_with("Figure") => {
            format!("Values of {}", of.replacen("Figure", "figure", 1))
        }
        _ => of.split(", Figure").next().unwrap_or_default().to_owned(),
    }
}

/// What all exhibits of an experiment have in common.
struct Shared {
    heading: Heading,
    notes: Vec<String>,
    complete: bool,
    cpu_s: Option<f64>,
    /// The titles of tables with labels, where they are not the experiment's.
    titles: BTreeMap<String, String>,
    /// The name of tables without a label in the matrix.
    short: String,
}

impl Shared {
    fn tables(&self, number: usize, label: String, tables: Vec<Table>) -> Exhibit {
        let title = self.titles.get(&label).unwrap_or(&self.heading.title).clone();
        let (verdicts, records) = (verdicts(&tables), programs(&tables));
        let id = match number {
            0 => self.heading.experiment.clone(),
            _ => format!("{}-{}", self.heading.experiment, number + 1),
        };
        let exhibit = self.exhibit(id, label, title, Content::Tables(tables), verdicts, records);
        Exhibit { short: self.short.clone(), ..exhibit }
    }

    fn figure(
        &self,
        figure: Figure,
        (verdicts, records): (VerdictCounts, Vec<Provenance>),
    ) -> Exhibit {
        let (id, label, title) = (figure.name.clone(), figure.label.clone(), figure.title.clone());
        self.exhibit(id, label, title, Content::Figure(figure), verdicts, records)
    }

    /// Pictures, judged by the rows that have their label.
    fn pictures(
        &self,
        experiment: &Experiment,
        spec: &PictureSpec,
        groups: &mut Vec<(String, Vec<Table>)>,
    ) -> Exhibit {
        let is_of = |label: &str| label == spec.label && !label.is_empty();
        let place = groups.iter().position(|(label, _)| is_of(label));
        let tables = place.map(|place| groups.remove(place).1).unwrap_or_default();
        let verdicts = verdicts(&tables);
        let records = programs(&tables);
        let pictures = spec.boards.iter().map(|shown| {
            let puzzle = shown.puzzle(experiment.file.metric).expect("pictures were checked");
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
        let (pictures, reading) = (pictures.collect(), spec.reading.clone());
        let content = Content::Pictures { pictures, reading, tables };
        let (id, label, title) = (spec.name.clone(), spec.label.clone(), spec.title.clone());
        let exhibit = self.exhibit(id, label, title, content, verdicts, records);
        Exhibit { short: spec.short.clone(), ..exhibit }
    }

    /// The states at the greatest distance, where they are recorded.
    fn hardest(&self, experiment: &Experiment, records: &[TaskRecord]) -> Option<Exhibit> {
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
        let title = format!("Hardest states, {moves} moves from the goal");
        let reading =
            format!("No other state is as far from the goal: each of these takes {moves} moves.");
        let id = format!("{}-hardest", experiment.name());
        let content = Content::Pictures { pictures, reading, tables: Vec::new() };
        let verdicts = std::iter::once(verdict).collect();
        Some(self.exhibit(id, format!("The {count}"), title, content, verdicts, Vec::new()))
    }

    fn exhibit(
        &self,
        id: String,
        label: String,
        title: String,
        content: Content,
        verdicts: VerdictCounts,
        records: Vec<Provenance>,
    ) -> Exhibit {
        let (heading, notes) = (self.heading.clone(), self.notes.clone());
        let (cpu_s, complete, short) = (self.cpu_s, self.complete, String::new());
        Exhibit {
            id,
            label,
            short,
            title,
            heading,
            content,
            notes,
            verdicts,
            records,
            cpu_s,
            complete,
        }
    }
}

/// The verdicts on the rows that a figure shows, and what made their records.
fn judged_in(
    experiment: &Experiment,
    spec: &FigureSpec,
    tables: &[&Table],
) -> (VerdictCounts, Vec<Provenance>) {
    let solvers = experiment.file.solver.iter();
    let titles: Vec<&str> = solvers
        .filter(|solver| spec.solvers.contains(&solver.key))
        .map(|solver| solver.title.as_str())
        .collect();
    let rules: Vec<String> = spec.rules.iter().map(ToString::to_string).collect();
    let (mut verdicts, mut records) = (Vec::new(), Vec::new());
    for table in tables {
        let place = |name: &str| table.keys.iter().position(|key| key == name);
        let (method, rule) = (place("method"), place("k"));
        for row in &table.rows {
            let has = |place: Option<usize>, wanted: &dyn Fn(&str) -> bool| {
                place.is_none_or(|place| wanted(&row.keys[place]))
            };
            let is_shown = (titles.is_empty() || has(method, &|key| titles.contains(&key)))
                && (rules.is_empty() || has(rule, &|key| rules.iter().any(|rule| rule == key)));
            if is_shown {
                verdicts.extend(row.cells.iter().filter_map(|cell: &Cell| cell.verdict));
                row.records.iter().for_each(|record| note_program(&mut records, record));
            }
        }
    }
    (verdicts.into_iter().collect(), records)
}

/// How often each verdict was given.
fn verdicts(tables: &[Table]) -> VerdictCounts {
    let cells = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    cells.filter_map(|cell| cell.verdict).collect()
}

/// What made the records of tables, each program and machine once.
fn programs(tables: &[Table]) -> Vec<Provenance> {
    let mut programs = Vec::new();
    for record in tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.records) {
        note_program(&mut programs, record);
    }
    programs
}

/// Adds what made a record, unless the same program on the same machine is there.
fn note_program(records: &mut Vec<Provenance>, record: &Provenance) {
    let is_same = |known: &Provenance| {
        (&known.revision, &known.machine, &known.command)
            == (&record.revision, &record.machine, &record.command)
    };
    if !records.iter().any(is_same) {
        records.push(record.clone());
    }
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
    pub(super) fn order(&self) -> (usize, String, String) {
        let kind =
            ["Table", "Figure", "Theorem"].iter().position(|kind| self.label.starts_with(kind));
        let kind = if self.label.is_empty() { 4 } else { kind.unwrap_or(3) };
        (kind, self.label.clone(), self.id.clone())
    }
}
