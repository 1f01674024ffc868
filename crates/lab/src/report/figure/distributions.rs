//! The figures of experiments that repeat randomised methods.

use std::collections::BTreeMap;

use super::ChartRow;
use crate::compare::Found;
use crate::experiment::Experiment;
use crate::experiment::file::{FigureSpec, SolverSpec, find_entry};
use crate::record::TaskRecord;
use crate::report::svg::{Axis, Chart, Mark, Series};
use crate::statistics::{median, quantile, sorted, wilson_interval};

/// What was run, in a sentence.
pub(super) fn runs(experiment: &Experiment) -> String {
    let (runs, seed) = (experiment.file.runs, experiment.file.seed);
    format!("{runs} runs for each distribution, seeds {seed} to {}.", seed + runs - 1)
}

/// What a figure shows of the levels of the study.
pub(super) struct Distributions<'a> {
    spec: &'a FigureSpec,
    cells: Vec<Distribution<'a>>,
    /// The titles of its methods, in order.
    methods: Vec<&'a str>,
}

/// What was found of a method on a level, and what is published.
struct Distribution<'a> {
    dimension: usize,
    rule: usize,
    level: usize,
    method: &'a str,
    optimum: Option<u32>,
    runs: u64,
    solved: u64,
    /// How often each length came.
    histogram: BTreeMap<u32, u64>,
    /// Least, median and greatest CPU seconds of a run.
    cpu_s: [f64; 3],
    /// Median of the states expanded.
    expanded: f64,
    published_median: Option<f64>,
    published_seconds: Option<f64>,
}

impl<'a> Distribution<'a> {
    /// `None` where the row is not a level of the study, or there are no runs.
    fn new(found: &Found<'a>, solver: &'a SolverSpec) -> Option<Distribution<'a>> {
        let row = found.spec;
        let (dimension, level) =
            row.instance.as_ref()?.strip_prefix("cubical/d")?.split_once("-level")?;
        let runs = found.runs(&solver.key);
        let (histogram, runs) = (runs.histogram(), runs.summaries);
        let cpu = sorted(runs.iter().map(|run| run.cpu_s));
        let published = |column: &str| {
            let print = find_entry(&row.published, Some(solver), column);
            print.or_else(|| find_entry(&row.data, Some(solver), column))?.number()
        };
        (!runs.is_empty()).then_some(Distribution {
            dimension: dimension.parse().ok()?,
            rule: row.rule?,
            level: level.parse().ok()?,
            method: &solver.title,
            optimum: found.optimum,
            runs: runs.len() as u64,
            solved: histogram.values().sum(),
            histogram,
            cpu_s: [0.0, 0.5, 1.0].map(|share| quantile(&cpu, share)),
            expanded: median(&sorted(runs.iter().map(|run| run.expanded as f64))),
            published_median: published("median"),
            published_seconds: published("CPU time"),
        })
    }
}

impl<'a> Distributions<'a> {
    pub fn new(
        experiment: &'a Experiment,
        spec: &'a FigureSpec,
        records: &'a [TaskRecord],
    ) -> Distributions<'a> {
        let file = &experiment.file;
        let is_shown =
            |solver: &&SolverSpec| spec.solvers.is_empty() || spec.solvers.contains(&solver.key);
        let mut cells = Vec::new();
        for found in Found::of_rows(experiment, records) {
            let solvers = file.solvers_of(found.spec).filter(is_shown);
            cells.extend(solvers.filter_map(|solver| Distribution::new(&found, solver)));
        }
        cells.retain(|cell| spec.rules.is_empty() || spec.rules.contains(&cell.rule));
        let methods = file.solver.iter().filter(is_shown).map(|method| method.title.as_str());
        Distributions { spec, cells, methods: methods.collect() }
    }

    /// Dimensions and rules in order.
    fn boards(&self) -> Vec<(usize, usize)> {
        let mut boards: Vec<(usize, usize)> =
            self.cells.iter().map(|cell| (cell.dimension, cell.rule)).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    pub fn histograms(&self) -> Vec<ChartRow> {
        let row = |board: (usize, usize)| {
            let here = |level| -> Vec<&Distribution<'_>> {
                let is_here = |cell: &&Distribution<'_>| {
                    (cell.dimension, cell.rule, cell.level) == (board.0, board.1, level)
                };
                self.cells.iter().filter(is_here).collect()
            };
            let levels = self.cells.iter().map(|cell| cell.level + 1).max().unwrap_or(0);
            let charts = (0..levels).map(here).filter(|here| !here.is_empty());
            ChartRow {
                charts: charts.map(|here| self.histogram(&here)).collect(),
                size: (236.0, 188.0),
            }
        };
        self.boards().into_iter().map(row).collect()
    }

    /// How often each length came on one puzzle.
    fn histogram(&self, here: &[&Distribution<'_>]) -> Chart {
        let (first, mut series) = (here[0], Vec::new());
        let counts = here.iter().flat_map(|cell| cell.histogram.values());
        let top = counts.max().copied().unwrap_or(0) as f64 * 1.06;
        for cell in here {
            series.push(self.bars(cell));
        }
        for cell in here {
            let colour = if self.methods.len() > 1 { self.number(cell) } else { 1 };
            series.extend(cell.published_median.map(|median| {
                Series::new("published median", colour, Mark::Published, [(median, top)])
            }));
        }
        if here.iter().any(|cell| cell.solved > 0) {
            series.extend(first.optimum.map(optimum));
        }
        let title = format!("d = {}, k = {}, level {}", first.dimension, first.rule, first.level);
        Chart::new(&title, Axis::whole("moves"), Axis::whole("runs"), series)
    }

    /// The number of a method among those shown.
    fn number(&self, cell: &Distribution<'_>) -> usize {
        self.methods.iter().position(|method| *method == cell.method).unwrap_or(0)
    }

    fn bars(&self, cell: &Distribution<'_>) -> Series {
        let points = cell.histogram.iter().map(|(&length, &n)| (f64::from(length), n as f64));
        let name = cell.method.trim_end_matches(" as published");
        let number = self.number(cell);
        Series::new(name, number, Mark::Bars(number, self.methods.len()), points)
    }

    /// A chart for each dimension and rule with a line for each method; of one method a chart for
    /// each dimension with a line for each rule.
    pub fn times(&self) -> Vec<ChartRow> {
        let is_one = self.methods.len() == 1;
        let mut rows: Vec<(usize, ChartRow)> = Vec::new();
        for (dimension, rule) in self.boards() {
            let mut series = Vec::new();
            for (nth, method) in self.methods.iter().enumerate() {
                let of = |cell: &&Distribution<'_>| {
                    (cell.dimension, cell.rule, cell.method) == (dimension, rule, *method)
                };
                let here: Vec<&Distribution<'_>> = self.cells.iter().filter(of).collect();
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
            let (level, time) = (Axis::whole("level"), Axis::seconds("time of a run"));
            let chart = Chart::new(&title, level, time, series);
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
        // Two charts share the width that three fill, and have larger ones rather than larger
        // letters.
        let sized = rows.into_iter().map(|(_, row)| match row.charts.len() {
            1 | 2 => ChartRow { size: (440.0, 300.0), ..row },
            _ => row,
        });
        sized.collect()
    }

    /// The cells whose method is `c = VALUE`, by that value.
    fn by_c<'c>(&'c self) -> Vec<(f64, &'c Distribution<'a>)> {
        let value = |cell: &'c Distribution<'a>| {
            let c = cell.method.strip_prefix("c = ")?.parse().ok()?;
            Some((c, cell))
        };
        self.cells.iter().filter_map(value).collect()
    }

    fn published(&self) -> Series {
        Series::new("published", 1, Mark::Published, self.spec.published.clone())
    }

    /// Figure 7: success, and generations, over c.
    pub fn success(&self) -> Vec<ChartRow> {
        let cells = self.by_c();
        let percent = |share: f64| 100.0 * share;
        let rates =
            cells.iter().map(|&(c, cell)| (c, percent(cell.solved as f64 / cell.runs as f64)));
        let intervals = cells.iter().flat_map(|&(c, cell)| {
            let (low, high) = wilson_interval(cell.solved, cell.runs);
            [(c, percent(low)), (c, percent(high))]
        });
        /// Mutations of a generation: of 1000 agents a tenth survives unchanged.
        const MUTATIONS: f64 = 900.0;
        let generations = cells.iter().map(|&(c, cell)| (c, cell.expanded / MUTATIONS));
        let over_c = |title: &str, y: Axis, series: Vec<Series>| {
            Chart::new(title, Axis::new("mutation parameter c"), y, series)
        };
        let success = vec![
            Series::new("95 % interval", 0, Mark::Spans, intervals),
            Series::new("ours", 0, Mark::Line, rates),
            self.published(),
        ];
        let generations = vec![Series::new("ours", 0, Mark::Line, generations)];
        let charts = vec![
            over_c("Success", Axis::percent("runs solved"), success),
            over_c("Generations", Axis::whole("median over all runs"), generations),
        ];
        vec![ChartRow { charts, size: (440.0, 300.0) }]
    }

    /// Figure 8: runs of optimal length over c, and the lengths for c = 1.8 and 7.
    pub fn optimal(&self) -> Vec<ChartRow> {
        let cells = self.by_c();
        let optimal = cells.iter().map(|&(c, cell)| {
            let optimum = cell.optimum.and_then(|optimum| cell.histogram.get(&optimum));
            (c, optimum.copied().unwrap_or(0) as f64)
        });
        let (c, runs) = (Axis::new("mutation parameter c"), || Axis::whole("runs"));
        let series = vec![Series::new("ours", 0, Mark::Line, optimal), self.published()];
        let over_c = Chart::new("(a) Runs with six moves", c, runs(), series);
        let lengths = |wanted: f64, letter: &str| {
            let &(_, cell) = cells.iter().find(|&&(c, _)| c == wanted)?;
            let bars = Series::new("ours", 0, Mark::Bars(0, 1), self.bars(cell).points);
            let series = std::iter::once(bars).chain(cell.optimum.map(optimum)).collect();
            let title = format!("({letter}) c = {wanted}");
            Some(Chart::new(&title, Axis::whole("moves"), runs(), series))
        };
        let insets = [lengths(1.8, "b"), lengths(7.0, "b, inset")];
        let charts = std::iter::once(over_c).chain(insets.into_iter().flatten()).collect();
        vec![ChartRow { charts, size: (320.0, 260.0) }]
    }
}

/// The times of a method on the levels of a board: median, least and greatest, and published.
fn times_of(here: &[&Distribution<'_>], name: &str, colour: usize) -> [Series; 3] {
    let at = |cell: &&Distribution<'_>| (cell.level as f64, cell.cpu_s[1]);
    let spans = here.iter().flat_map(|cell| {
        let [least, _, most] = cell.cpu_s;
        [(cell.level as f64, least), (cell.level as f64, most)]
    });
    let published =
        here.iter().filter_map(|cell| Some((cell.level as f64, cell.published_seconds?)));
    [
        Series::new(name, colour, Mark::Spans, spans),
        Series::new(name, colour, Mark::Line, here.iter().map(at)),
        Series::new(name, colour, Mark::Published, published),
    ]
}

fn optimum(optimum: u32) -> Series {
    Series::new("optimum", 7, Mark::Optimum, [(f64::from(optimum), 0.0)])
}
