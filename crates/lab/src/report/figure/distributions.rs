//! The figures of experiments that repeat randomised methods.

use std::collections::BTreeMap;

use super::{ChartRow, FigureKind};
use crate::compare::{Found, median, quantile, wilson_interval};
use crate::experiment::Experiment;
use crate::experiment::file::{FigureSpec, File, find_entry};
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};
use crate::task::RunSummary;

/// The charts of a figure, and what was run.
pub(super) fn charts(
    experiment: &Experiment,
    spec: &FigureSpec,
    records: &[TaskRecord],
) -> (Vec<ChartRow>, String) {
    let cells = cells(experiment, records);
    let file = &experiment.file;
    let (runs, seed) = (file.runs, file.seed);
    let run = format!("{runs} runs for each distribution, seeds {seed} to {}.", seed + runs - 1);
    (Shown::new(file, spec, &cells).charts(), run)
}

/// What was found of a solver on a named puzzle, and what is published.
struct Distribution {
    instance: String,
    rule: Option<usize>,
    method: String,
    optimum: Option<u32>,
    runs: u64,
    solved: u64,
    /// The 95 % interval of the success rate.
    success_interval: (f64, f64),
    /// How often each length came.
    histogram: BTreeMap<u32, u64>,
    /// Least, median and greatest CPU seconds of a run.
    cpu_s: [f64; 3],
    /// Median of the states expanded.
    expanded: f64,
    published_median: Option<f64>,
    published_seconds: Option<f64>,
}

fn cells(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Distribution> {
    let file = &experiment.file;
    let mut cells = Vec::new();
    for row in &file.row {
        let found = Found::new(experiment, row, records);
        for solver in file.solvers_of(row) {
            let runs = found.runs(&solver.key).summaries;
            if runs.is_empty() {
                continue;
            }
            let sorted = |value: &dyn Fn(&RunSummary) -> f64| -> Vec<f64> {
                let mut values: Vec<f64> = runs.iter().map(value).collect();
                values.sort_unstable_by(f64::total_cmp);
                values
            };
            let mut histogram = BTreeMap::new();
            for length in runs.iter().filter_map(|run| run.length) {
                *histogram.entry(length).or_default() += 1;
            }
            let (solved, all) = (histogram.values().sum(), runs.len() as u64);
            let cpu = sorted(&|run| run.cpu_s);
            let published = |column: &str| {
                let print = find_entry(&row.published, Some(solver), column);
                print.or_else(|| find_entry(&row.data, Some(solver), column))?.number()
            };
            cells.push(Distribution {
                instance: row.instance.clone().unwrap_or_default(),
                rule: row.rule,
                method: solver.title.clone(),
                optimum: found.optimum,
                runs: all,
                solved,
                success_interval: wilson_interval(solved, all),
                histogram,
                cpu_s: [0.0, 0.5, 1.0].map(|share| quantile(&cpu, share)),
                expanded: median(&sorted(&|run| run.expanded as f64)),
                published_median: published("median"),
                published_seconds: published("CPU time"),
            });
        }
    }
    cells
}

/// What a figure shows.
struct Shown<'a> {
    spec: &'a FigureSpec,
    cells: Vec<Place<'a>>,
    /// The titles of its methods, in order.
    methods: Vec<&'a str>,
}

/// A cell and where it belongs.
struct Place<'a> {
    cell: &'a Distribution,
    dimension: usize,
    rule: usize,
    level: usize,
}

impl<'a> Place<'a> {
    /// `None` where the instance is not a level of the study.
    fn of(cell: &'a Distribution) -> Option<Place<'a>> {
        let (dimension, level) = cell.instance.strip_prefix("cubical/d")?.split_once("-level")?;
        let (dimension, level) = (dimension.parse().ok()?, level.parse().ok()?);
        Some(Place { cell, dimension, rule: cell.rule?, level })
    }
}

impl<'a> Shown<'a> {
    fn new(file: &'a File, spec: &'a FigureSpec, cells: &'a [Distribution]) -> Shown<'a> {
        let is_shown = |key: &String| spec.solvers.is_empty() || spec.solvers.contains(key);
        let methods = file.solver.iter().filter(|method| is_shown(&method.key));
        let methods: Vec<&str> = methods.map(|method| method.title.as_str()).collect();
        let cells = cells.iter().filter_map(Place::of).filter(|place| {
            methods.contains(&place.cell.method.as_str())
                && (spec.rules.is_empty() || spec.rules.contains(&place.rule))
        });
        Shown { spec, cells: cells.collect(), methods }
    }

    fn charts(&self) -> Vec<ChartRow> {
        match self.spec.draw {
            FigureKind::Histograms => self.histograms(),
            FigureKind::Times => self.times(),
            FigureKind::Success => self.success(),
            FigureKind::Optimal => self.optimal(),
            FigureKind::Regions
            | FigureKind::Layers
            | FigureKind::Matrix
            | FigureKind::Runtimes
            | FigureKind::Profiles => Vec::new(),
        }
    }

    /// Dimensions and rules in order.
    fn boards(&self) -> Vec<(usize, usize)> {
        let mut boards: Vec<(usize, usize)> =
            self.cells.iter().map(|place| (place.dimension, place.rule)).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    fn histograms(&self) -> Vec<ChartRow> {
        let row = |board: (usize, usize)| {
            let here = |level| -> Vec<&Place<'_>> {
                let place = |place: &&Place<'_>| {
                    (place.dimension, place.rule, place.level) == (board.0, board.1, level)
                };
                self.cells.iter().filter(place).collect()
            };
            let levels = self.cells.iter().map(|place| place.level + 1).max().unwrap_or(0);
            let charts = (0..levels).map(here).filter(|here| !here.is_empty());
            ChartRow {
                charts: charts.map(|here| self.histogram(&here)).collect(),
                size: (236.0, 188.0),
            }
        };
        self.boards().into_iter().map(row).collect()
    }

    /// How often each length came on one puzzle.
    fn histogram(&self, here: &[&Place<'_>]) -> Chart {
        let (first, mut series) = (here[0], Vec::new());
        let counts = here.iter().flat_map(|place| place.cell.histogram.values());
        let top = counts.max().copied().unwrap_or(0) as f64 * 1.06;
        for place in here {
            series.push(self.bars(place.cell));
        }
        for place in here {
            series.extend(place.cell.published_median.map(|median| Series {
                name: "published median".to_owned(),
                colour: if self.methods.len() > 1 { self.number(place.cell) } else { 1 },
                mark: Mark::Published,
                points: vec![(median, top)],
            }));
        }
        if here.iter().any(|place| place.cell.solved > 0) {
            series.extend(first.cell.optimum.map(optimum));
        }
        Chart {
            title: format!("d = {}, k = {}, level {}", first.dimension, first.rule, first.level),
            x: Axis::whole("moves"),
            y: Axis::whole("runs"),
            series,
            ..Chart::default()
        }
    }

    /// The number of a method among those shown.
    fn number(&self, cell: &Distribution) -> usize {
        self.methods.iter().position(|method| *method == cell.method).unwrap_or(0)
    }

    fn bars(&self, cell: &Distribution) -> Series {
        let points = cell.histogram.iter().map(|(&length, &n)| (f64::from(length), n as f64));
        Series {
            name: cell.method.trim_end_matches(" as published").to_owned(),
            colour: self.number(cell),
            mark: Mark::Bars(self.number(cell), self.methods.len()),
            points: points.collect(),
        }
    }

    /// A chart for each dimension and rule with a line for each method; of one method a chart for
    /// each dimension with a line for each rule.
    fn times(&self) -> Vec<ChartRow> {
        let is_one = self.methods.len() == 1;
        let mut rows: Vec<(usize, ChartRow)> = Vec::new();
        for (dimension, rule) in self.boards() {
            let mut series = Vec::new();
            for (nth, method) in self.methods.iter().enumerate() {
                let of = |place: &&Place<'_>| {
                    (place.dimension, place.rule, place.cell.method.as_str())
                        == (dimension, rule, *method)
                };
                let here: Vec<&Place<'_>> = self.cells.iter().filter(of).collect();
                let (name, colour) = if is_one {
                    (format!("k = {rule}"), rule - 1)
                } else {
                    ((*method).to_owned(), nth)
                };
                series.extend(times_of(&here, &name, colour));
            }
            let title = match is_one {
                true => format!("d = {dimension}"),
                false => format!("d = {dimension}, k = {rule}"),
            };
            let chart = Chart {
                title,
                x: Axis::whole("level"),
                y: Axis::seconds("time of a run"),
                series,
                ..Chart::default()
            };
            let row = match rows.last_mut() {
                Some((last, row)) if is_one || *last == dimension => row,
                _ => {
                    rows.push((dimension, ChartRow { charts: Vec::new(), size: (320.0, 260.0) }));
                    &mut rows.last_mut().expect("a row was added").1
                }
            };
            match row.charts.iter_mut().find(|known| known.title == chart.title) {
                Some(known) => known.series.extend(chart.series),
                None => row.charts.push(chart),
            }
        }
        // Two charts share the width that three fill, and have larger ones rather than larger letters.
        let sized = rows.into_iter().map(|(_, row)| match row.charts.len() {
            1 | 2 => ChartRow { size: (440.0, 300.0), ..row },
            _ => row,
        });
        sized.collect()
    }

    /// The cells whose method is `c = VALUE`, by that value.
    fn by_c(&self) -> Vec<(f64, &'a Distribution)> {
        let value = |place: &Place<'a>| {
            let c = place.cell.method.strip_prefix("c = ")?.parse().ok()?;
            Some((c, place.cell))
        };
        self.cells.iter().filter_map(value).collect()
    }

    fn published(&self) -> Series {
        let points = self.spec.published.clone();
        Series { name: "published".to_owned(), colour: 1, mark: Mark::Published, points }
    }

    /// Figure 7: success, and generations, over c.
    fn success(&self) -> Vec<ChartRow> {
        let cells = self.by_c();
        let percent = |share: f64| 100.0 * share;
        let rates =
            cells.iter().map(|&(c, cell)| (c, percent(cell.solved as f64 / cell.runs as f64)));
        let intervals = cells.iter().flat_map(|&(c, cell)| {
            let (low, high) = cell.success_interval;
            [(c, percent(low)), (c, percent(high))]
        });
        /// Mutations of a generation: of 1000 agents a tenth survives unchanged.
        const MUTATIONS: f64 = 900.0;
        let generations = cells.iter().map(|&(c, cell)| (c, cell.expanded / MUTATIONS));
        let ours = |name: &str, mark: Mark, points: Vec<(f64, f64)>| Series {
            name: name.to_owned(),
            colour: 0,
            mark,
            points,
        };
        let success = Chart {
            title: "Success".to_owned(),
            x: Axis::new("mutation parameter c"),
            y: Axis::percent("runs solved"),
            series: vec![
                ours("95 % interval", Mark::Spans, intervals.collect()),
                ours("ours", Mark::Line, rates.collect()),
                self.published(),
            ],
            ..Chart::default()
        };
        let generations = Chart {
            title: "Generations".to_owned(),
            x: Axis::new("mutation parameter c"),
            y: Axis::whole("median over all runs"),
            series: vec![ours("ours", Mark::Line, generations.collect())],
            ..Chart::default()
        };
        vec![ChartRow { charts: vec![success, generations], size: (440.0, 300.0) }]
    }

    /// Figure 8: runs of optimal length over c, and the lengths for c = 1.8 and 7.
    fn optimal(&self) -> Vec<ChartRow> {
        let cells = self.by_c();
        let optimal = cells.iter().map(|&(c, cell)| {
            let optimum = cell.optimum.and_then(|optimum| cell.histogram.get(&optimum));
            (c, optimum.copied().unwrap_or(0) as f64)
        });
        let ours = Series {
            name: "ours".to_owned(),
            colour: 0,
            mark: Mark::Line,
            points: optimal.collect(),
        };
        let over_c = Chart {
            title: "(a) Runs with six moves".to_owned(),
            x: Axis::new("mutation parameter c"),
            y: Axis::whole("runs"),
            series: vec![ours, self.published()],
            ..Chart::default()
        };
        let lengths = |wanted: f64, letter: &str| {
            let &(_, cell) = cells.iter().find(|&&(c, _)| c == wanted)?;
            let bars = Series {
                name: "ours".to_owned(),
                colour: 0,
                mark: Mark::Bars(0, 1),
                ..self.bars(cell)
            };
            Some(Chart {
                title: format!("({letter}) c = {wanted}"),
                x: Axis::whole("moves"),
                y: Axis::whole("runs"),
                series: std::iter::once(bars).chain(cell.optimum.map(optimum)).collect(),
                ..Chart::default()
            })
        };
        let insets = [lengths(1.8, "b"), lengths(7.0, "b, inset")];
        let charts = std::iter::once(over_c).chain(insets.into_iter().flatten()).collect();
        vec![ChartRow { charts, size: (320.0, 260.0) }]
    }
}

/// The times of a method on the levels of a board: median, least and greatest, and published.
fn times_of(here: &[&Place<'_>], name: &str, colour: usize) -> [Series; 3] {
    let at = |place: &&Place<'_>| (place.level as f64, place.cell.cpu_s[1]);
    let spans = here.iter().flat_map(|place| {
        let [least, _, most] = place.cell.cpu_s;
        [(place.level as f64, least), (place.level as f64, most)]
    });
    let published =
        here.iter().filter_map(|place| Some((place.level as f64, place.cell.published_seconds?)));
    let new = |mark: Mark, points: Vec<(f64, f64)>| Series {
        name: name.to_owned(),
        colour,
        mark,
        points,
    };
    [
        new(Mark::Spans, spans.collect()),
        new(Mark::Line, here.iter().map(at).collect()),
        new(Mark::Published, published.collect()),
    ]
}

fn optimum(optimum: u32) -> Series {
    Series {
        name: "optimum".to_owned(),
        colour: 7,
        mark: Mark::Optimum,
        points: vec![(f64::from(optimum), 0.0)],
    }
}
