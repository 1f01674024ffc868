//! Experiments on whole puzzle graphs: published tables beside our searches.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use hyperslide_census::{
    CensusReport, Diameter, Ended, GraphRegime, Progress, RunError, RunOptions, Survey,
    run as run_census, starts,
};
use hyperslide_puzzle::{Board, BoardSource, Metric, Puzzle};
use hyperslide_table::{BreadthFirst, SearchOptions, Signals, Space, SpaceOptions};
use serde::{Deserialize, Serialize};

use crate::census_record::CensusRecord;
use crate::compare::Verdict;
use crate::experiment::declared;
use crate::heading::Heading;
use crate::papers::{Paper, find_paper};

/// Their files. A new one is a file and a line here.
const FILES: &[&str] = &[
    include_str!("../../../experiments/cubical-graphs-table-1.toml"),
    include_str!("../../../experiments/cubical-graphs-table-2.toml"),
    include_str!("../../../experiments/cubical-graphs-table-3.toml"),
    include_str!("../../../experiments/cubical-graphs-table-4.toml"),
    include_str!("../../../experiments/cubical-graphs-table-5.toml"),
    include_str!("../../../experiments/cubical-graphs-table-6.toml"),
    include_str!("../../../experiments/dynamic-programming-3x4.toml"),
];

/// Searches of more states than this are taken from the records.
const SEARCHED_NOW: u128 = 200_000_000;

/// A published table about whole puzzle graphs.
#[derive(Clone, Debug)]
pub struct GraphExperiment {
    /// Its name on the command line.
    pub name: String,
    /// What it is.
    pub title: String,
    /// The paper.
    pub paper: &'static Paper,
    /// The table.
    pub table: String,
    /// The section it stands in.
    pub section: String,
    /// The board.
    pub board: String,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
    /// What was printed.
    pub published: Published,
}

/// What a table about puzzle graphs prints.
#[derive(Clone, Debug)]
pub enum Published {
    /// Components for numbers of empty vertices.
    Census(Vec<CensusRow>),
    /// States at every distance from the usual goal.
    Layers(Distribution),
}

/// A published distribution of distances.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// The states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// The mean as printed.
    pub mean: String,
    /// The number of states in all.
    pub states: u64,
}

/// A row of Tables 1 to 6 of the cubical paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusRow {
    /// Empty vertices.
    pub empty: usize,
    /// Configurations in the largest component.
    pub size: String,
    /// As it is printed, when it is a formula.
    pub printed_size: Option<String>,
    /// The diameter of the largest component; none where it is printed as unknown.
    pub diameter: Option<Diameter>,
    /// The regime.
    pub regime: GraphRegime,
    /// Components of that size.
    pub components: String,
    /// As they are printed, when by a formula.
    pub printed_components: Option<String>,
    /// Why cells are wrong, by the cell's name.
    #[serde(default)]
    pub wrong: BTreeMap<String, String>,
    /// What else is to be known.
    pub note: Option<String>,
}

/// Where a value of ours comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Searched when asked.
    Searched,
    /// From a record, made by this revision.
    Record(String),
    /// Surveyed without a search: sizes and counts, no diameters.
    Surveyed,
}

/// One cell: a published value beside ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The column.
    pub column: String,
    /// The published value, as printed.
    pub published: String,
    /// Ours; none where it was not found out.
    pub ours: Option<String>,
    /// How they stand to each other.
    pub verdict: Verdict,
    /// Why the published value is wrong.
    pub reason: Option<String>,
}

/// A published row beside ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphRow {
    /// Empty vertices, or the distance, or `all`.
    pub key: String,
    /// The cells.
    pub cells: Vec<Cell>,
    /// Where ours come from.
    pub origin: Origin,
    /// The diameter in the edge metric, where that explains a printed value.
    pub edge_metric_diameter: Option<u32>,
    /// What else is to be known.
    pub note: Option<String>,
}

/// A published table beside ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphComparison {
    /// What it is of.
    #[serde(flatten)]
    pub heading: Heading,
    /// The board.
    pub board: String,
    /// What the rows are numbered by.
    pub key: String,
    /// The rows in the published order.
    pub rows: Vec<GraphRow>,
    /// What is to be known about the table as a whole.
    pub notes: Vec<String>,
}

/// All experiments on whole graphs, in order.
pub static GRAPH_EXPERIMENTS: LazyLock<Vec<GraphExperiment>> =
    LazyLock::new(|| declared(FILES, read));

/// The experiment with this name.
pub fn find_graph_experiment(name: &str) -> Option<&'static GraphExperiment> {
    GRAPH_EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}

/// An experiment's file: rows of a census, or one distribution of distances.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    name: String,
    title: String,
    paper: String,
    table: String,
    section: String,
    board: String,
    #[serde(default)]
    notes: Vec<String>,
    row: Option<Vec<CensusRow>>,
    distribution: Option<Distribution>,
}

fn read(text: &str) -> Result<GraphExperiment, String> {
    let file: ExperimentFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let published = match (file.row, file.distribution) {
        (Some(rows), None) => Published::Census(rows),
        (None, Some(distribution)) => Published::Layers(distribution),
        _ => return Err(format!("{}: either rows or a distribution", file.name)),
    };
    if let Published::Census(rows) = &published {
        let columns = ["size", "diameter", "regime", "components"];
        let mut said = rows.iter().flat_map(|row| row.wrong.keys());
        if let Some(cell) = said.find(|cell| !columns.contains(&cell.as_str())) {
            return Err(format!("{}: there is no column {cell}", file.name));
        }
    }
    Ok(GraphExperiment {
        paper: find_paper(&file.paper)?,
        name: file.name,
        title: file.title,
        table: file.table,
        section: file.section,
        board: file.board,
        notes: file.notes,
        published,
    })
}

/// Puts an experiment's table beside ours: small graphs are searched, large ones taken from the
/// records, and of the others only the survey is shown.
///
/// # Errors
///
/// When a search fails.
pub fn run_graph_experiment(
    experiment: &GraphExperiment,
    records: &[CensusRecord],
    signals: &Signals<'_>,
) -> Result<GraphComparison, RunError> {
    let (key, rows) = match &experiment.published {
        Published::Census(rows) => {
            let mut compared = Vec::new();
            for row in rows {
                compared.push(census_row(&experiment.board, row, records, signals)?);
            }
            ("empty", compared)
        }
        Published::Layers(distribution) => {
            ("distance", layer_rows(&experiment.board, distribution, signals)?)
        }
    };
    Ok(GraphComparison {
        heading: Heading::new(
            &experiment.name,
            &experiment.title,
            experiment.paper,
            &experiment.table,
            &experiment.section,
        ),
        board: experiment.board.clone(),
        key: key.to_owned(),
        rows,
        notes: experiment.notes.clone(),
    })
}

fn board_of(text: &str, metric: Metric) -> Board {
    let Ok(BoardSource::Spec(spec)) = text.parse() else {
        panic!("experiments: {text} is no board");
    };
    Board::new(spec, metric).unwrap_or_else(|error| panic!("experiments: {error}"))
}

fn report(
    board: &str,
    metric: Metric,
    empty: usize,
    records: &[CensusRecord],
    signals: &Signals<'_>,
) -> Result<(CensusReport, Origin), RunError> {
    let is_it = |record: &&CensusRecord| {
        let census = &record.census;
        census.board == board && census.metric == metric.name() && census.empty == empty
    };
    if let Some(record) = records.iter().find(is_it) {
        return Ok((record.report.clone(), Origin::Record(record.provenance.revision.clone())));
    }
    let board = board_of(board, metric);
    let survey = Survey::new(&board, empty).expect("the papers' boards can be surveyed");
    let states = starts(&survey).map(|(kind, _)| u128::try_from(kind.size()).unwrap_or(u128::MAX));
    let states = states.fold(0u128, u128::saturating_add);
    let mut done = Vec::new();
    let mut origin = Origin::Surveyed;
    if states <= SEARCHED_NOW {
        let mut tell = |_: &Progress<'_>| ControlFlow::Continue(());
        let options = RunOptions::default();
        let ended = run_census(&board, &survey, &options, &mut done, None, signals, &mut tell)?;
        if ended == Ended::Complete {
            origin = Origin::Searched;
        }
    }
    Ok((CensusReport::new(&board, &survey, &done, None), origin))
}

fn census_row(
    board: &str,
    row: &CensusRow,
    records: &[CensusRecord],
    signals: &Signals<'_>,
) -> Result<GraphRow, RunError> {
    let (report, origin) = report(board, Metric::Face, row.empty, records, signals)?;
    let largest = report.largest();
    let cell = |column: &str, published: String, printed: &Option<String>, ours: Option<String>| {
        let reason = row.wrong.get(column).cloned();
        let verdict = match &ours {
            None => Verdict::NotReached,
            Some(ours) if *ours == published => {
                // A reason for a difference that is not there is as wrong as the reverse.
                if reason.is_some() { Verdict::Unexplained } else { Verdict::Equal }
            }
            Some(_) if reason.is_some() => Verdict::PublishedWrong,
            Some(_) => Verdict::Unexplained,
        };
        let published = printed.clone().unwrap_or(published);
        Cell { column: column.to_owned(), published, ours, verdict, reason }
    };
    let exact = largest.and_then(|largest| match largest.diameter {
        Some(Diameter::Exact(diameter)) => Some(diameter),
        _ => None,
    });
    let ours = exact.map(|diameter| diameter.to_string());
    let diameter = match row.diameter {
        Some(Diameter::Exact(diameter)) => cell("diameter", diameter.to_string(), &None, ours),
        open => {
            // Unknown or between bounds: better when settled within them.
            let within = |diameter: u32| match open {
                Some(Diameter::Between { lower, upper }) => {
                    lower <= diameter && upper.is_none_or(|upper| diameter <= upper)
                }
                _ => true,
            };
            let verdict = match exact {
                None => Verdict::NotReached,
                Some(diameter) if within(diameter) => Verdict::Better,
                Some(_) => Verdict::Unexplained,
            };
            let published = open.map_or("unknown".to_owned(), |bounds| bounds.to_string());
            Cell { column: "diameter".to_owned(), published, ours, verdict, reason: None }
        }
    };
    let of_largest = |value: fn(&hyperslide_census::ComponentReport) -> String| largest.map(value);
    let count = largest.map(|largest| {
        // All components of that size, of whatever type.
        let same = report.components.iter().filter(|component| component.size == largest.size);
        let sum: num_bigint::BigUint = same
            .map(|component| component.count.parse::<num_bigint::BigUint>().unwrap_or_default())
            .sum();
        sum.to_string()
    });
    let cells = vec![
        cell(
            "size",
            row.size.clone(),
            &row.printed_size,
            of_largest(|largest| largest.size.clone()),
        ),
        diameter,
        cell("regime", row.regime.name().to_owned(), &None, Some(report.regime.name().to_owned())),
        cell("components", row.components.clone(), &row.printed_components, count),
    ];
    let edge_metric_diameter = if row.wrong.contains_key("diameter") {
        let (edge, _) = self::report(board, Metric::Edge, row.empty, records, signals)?;
        match edge.largest().and_then(|largest| largest.diameter) {
            Some(Diameter::Exact(diameter)) => Some(diameter),
            _ => None,
        }
    } else {
        None
    };
    let key = row.empty.to_string();
    Ok(GraphRow { key, cells, origin, edge_metric_diameter, note: row.note.clone() })
}

fn layer_rows(
    board: &str,
    published: &Distribution,
    signals: &Signals<'_>,
) -> Result<Vec<GraphRow>, RunError> {
    let Distribution { layers, mean, states } = published;
    let vertices = board_of(board, Metric::Face).vertex_count();
    let tokens: Vec<String> = (1..vertices).map(|token| token.to_string()).collect();
    let puzzle = Puzzle::from_line(&format!("{board} {},0", tokens.join(",")))
        .unwrap_or_else(|error| panic!("experiments: {error}"));
    let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default())?;
    let mut search =
        BreadthFirst::new(&space, SearchOptions::default()).map_err(RunError::Memory)?;
    search.start(&[*puzzle.start()]).expect("the start is in its own space");
    let found = search.run(signals, |_| ControlFlow::Continue(())).clone();
    let cell = |column: &str, published: String, ours: Option<String>| {
        let verdict = match &ours {
            None => Verdict::NotReached,
            Some(ours) if *ours == published => Verdict::Equal,
            Some(_) => Verdict::Unexplained,
        };
        Cell { column: column.to_owned(), published, ours, verdict, reason: None }
    };
    let row = |key: String, cells: Vec<Cell>| GraphRow {
        key,
        cells,
        origin: Origin::Searched,
        edge_metric_diameter: None,
        note: None,
    };
    let depths = layers.len().max(found.states.len());
    let mut rows: Vec<GraphRow> = (0..depths)
        .map(|depth| {
            let published = layers.get(depth).map_or("none".to_owned(), u64::to_string);
            let ours = match found.states.get(depth) {
                Some(states) => Some(states.to_string()),
                None if found.complete => Some("none".to_owned()),
                None => None,
            };
            row(depth.to_string(), vec![cell("states", published, ours)])
        })
        .collect();
    let whole = found.complete.then_some(&found);
    rows.push(row(
        "all".to_owned(),
        vec![
            cell("all states", states.to_string(), whole.map(|found| found.total().to_string())),
            cell("mean", mean.clone(), whole.map(|found| format!("{:.1}", found.mean()))),
        ],
    ));
    Ok(rows)
}
