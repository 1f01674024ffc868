//! The report: every table and figure of experiments, ours next to the published ones, from records
//! alone.

mod exhibit;
mod html;
mod plain;

use std::collections::BTreeMap;

pub use exhibit::{Content, Exhibit};

use super::json::report_json;
use super::{CSV_HEADER, csv, figures};
use crate::compare::{Comparison, Finding, Verdict, VerdictCounts};
use crate::experiment::{Experiment, PAPERS, Paper, experiments};
use crate::record::{Provenance, RecordDirectory, Unread};

/// All that the report shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// The documents in order, and last what belongs to none.
    pub documents: Vec<Document>,
    /// The comparisons behind them, one for each experiment.
    pub comparisons: Vec<Comparison>,
    /// How often each verdict was given.
    pub verdicts: VerdictCounts,
    /// What in the records could not be read.
    pub unread: Vec<Unread>,
    /// The records that belong to none of the experiments: each file and experiment once, with the
    /// first line.
    pub foreign: Vec<Unread>,
}

/// A document and its exhibits.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The document; none for experiments of one's own.
    pub paper: Option<Paper>,
    /// What the records show, in sentences.
    pub findings: Vec<Finding>,
    /// Its tables, then its figures, as numbered; then what it does not print.
    pub exhibits: Vec<Exhibit>,
}

impl Report {
    /// What the report is called.
    pub fn title(&self) -> &'static str {
        if self.is_of_papers() {
            "Five publications on sliding puzzles, reproduced"
        } else {
            "Experiments on sliding puzzles"
        }
    }

    /// Returns whether any of the project's own experiments is in it.
    pub fn is_of_papers(&self) -> bool {
        self.documents.iter().any(Document::is_known)
    }

    /// Compares all experiments with the records.
    pub fn new(experiments: &[Experiment], directory: &RecordDirectory) -> Report {
        let mut documents: BTreeMap<_, Document> = BTreeMap::new();
        let mut verdicts = VerdictCounts::default();
        let mut comparisons = Vec::new();
        for experiment in experiments {
            let comparison = experiment.compare(&directory.records);
            verdicts.add(&comparison.verdicts);
            let paper = experiment.paper();
            // The five documents in their order, others by their keys, then those of no paper.
            let place = PAPERS.iter().position(|known| paper == Some(known));
            let key = (place.unwrap_or(PAPERS.len()), paper.is_none(), paper.map(|own| &*own.key));
            let figures = figures(experiment, &directory.records);
            let exhibits = exhibit::exhibits(experiment, &comparison, figures, &directory.records);
            let document = documents.entry(key).or_default();
            document.paper = paper.cloned();
            document.findings.extend(comparison.findings.iter().cloned());
            document.exhibits.extend(exhibits);
            comparisons.push(comparison);
        }
        for document in documents.values_mut() {
            document.exhibits.sort_by_key(Exhibit::order);
            say_notes_once(&mut document.exhibits);
        }
        let is_foreign =
            |name: &str| experiments.iter().all(|experiment| experiment.name() != name);
        Report {
            documents: documents.into_values().collect(),
            comparisons,
            verdicts,
            unread: directory.unread.clone(),
            foreign: foreign(directory, is_foreign),
        }
    }

    /// The report as one HTML page that needs no other file and no script.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The tables of the report as Markdown.
    pub fn markdown(&self) -> String {
        plain::markdown(self)
    }

    /// The tables of the report as a LaTeX document.
    pub fn latex(&self) -> String {
        plain::latex(self)
    }

    /// All values of the report as CSV, a line each.
    pub fn csv(&self) -> String {
        let comparisons: String = self.comparisons.iter().map(csv).collect();
        format!("{CSV_HEADER}\n{comparisons}")
    }

    /// All comparisons, and what could not be read, as one JSON object.
    pub fn json(&self) -> String {
        report_json(self)
    }

    /// All exhibits.
    pub fn exhibits(&self) -> impl Iterator<Item = &Exhibit> {
        self.documents.iter().flat_map(|document| &document.exhibits)
    }
}

/// The records of experiments that are foreign.
fn foreign(directory: &RecordDirectory, is_foreign: impl Fn(&str) -> bool) -> Vec<Unread> {
    let mut counts: Vec<(&str, &str, usize, u64)> = Vec::new();
    for (record, (file, line)) in directory.records.iter().zip(&directory.places) {
        let experiment = record.experiment.as_str();
        if !is_foreign(experiment) {
            continue;
        }
        match counts.iter_mut().find(|known| (known.0, known.1) == (file, experiment)) {
            Some((.., count)) => *count += 1,
            None => counts.push((file, experiment, *line, 1)),
        }
    }
    let unread = |(file, experiment, line, count): (&str, &str, usize, u64)| {
        let more = match count {
            1 => String::new(),
            count => format!(", the first of {count}"),
        };
        let reason = format!("a record of {experiment}{more}, which is not shown here");
        Unread { file: file.to_owned(), line: Some(line), reason }
    };
    counts.into_iter().map(unread).collect()
}

/// Keeps the notes of an experiment with the first of its exhibits.
fn say_notes_once(exhibits: &mut [Exhibit]) {
    let mut said: Vec<String> = Vec::new();
    for exhibit in exhibits {
        if said.contains(&exhibit.heading.experiment) {
            exhibit.notes.clear();
        }
        said.push(exhibit.heading.experiment.clone());
    }
}

impl Document {
    /// Returns whether it is one of the documents that Hyperslide was made to repeat.
    pub fn is_known(&self) -> bool {
        self.paper.as_ref().is_some_and(|paper| PAPERS.contains(paper))
    }

    /// What the page calls it.
    pub fn title(&self) -> &str {
        match &self.paper {
            Some(paper) => &paper.title,
            None if self.is_ours() => "Beyond the papers",
            None => "Experiments of one's own",
        }
    }

    /// Its name in the matrix.
    pub fn short_title(&self) -> &str {
        match &self.paper {
            Some(paper) => &paper.short,
            None if self.is_ours() => self.title(),
            None => "Own experiments",
        }
    }

    /// Returns whether its experiments are Hyperslide's own, not the user's.
    fn is_ours(&self) -> bool {
        self.exhibits.iter().all(|exhibit| is_ours(&exhibit.heading.experiment))
    }
}

/// The command that repeats an experiment: of a file of the reader's own, only they know the name.
fn repeat_command(experiment: &str) -> String {
    let command = format!("hyperslide experiment {}", as_argument(experiment));
    match is_ours(experiment) {
        true => command,
        false => format!("{command}, where FILE.toml is the file of {experiment}"),
    }
}

/// How the command line names an experiment.
fn as_argument(experiment: &str) -> &str {
    if is_ours(experiment) { experiment } else { "FILE.toml" }
}

fn is_ours(experiment: &str) -> bool {
    experiments().iter().any(|known| known.name() == experiment)
}
