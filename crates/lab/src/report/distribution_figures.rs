//! The figures of experiments that repeat randomised methods.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use super::FigureKind;
use super::figure::{COLOURS, Drawing, Figure, Panel, Series, Shape};
use crate::compare::{Found, median, quantile, wilson_interval};
use crate::experiment::Experiment;
use crate::experiment::file::{FigureSpec, File, find_entry};
use crate::record::TaskRecord;
use crate::task::RunSummary;

const OPTIMUM: RGBColor = RGBColor(0, 0, 0);

/// Draws a figure of an experiment's records.
pub(super) fn draw(experiment: &Experiment, spec: &FigureSpec, records: &[TaskRecord]) -> Figure {
    let cells = cells(experiment, records);
    Shown::new(&experiment.file, spec, &cells).drawing().draw()
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
    file: &'a File,
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
    /// None where the instance is no level of the study.
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
        Shown { file, spec, cells: cells.collect(), methods }
    }

    fn drawing(&self) -> Drawing {
        let (rows, panel, marks): (_, _, &[&str]) = match self.spec.draw {
            FigureKind::Histograms => (
                self.histograms(),
                (300, 200),
                &[
                    "Bars: solutions with so many moves. Black line: the optimum. Triangle: the published median.",
                ],
            ),
            FigureKind::Times => (
                self.times(),
                (420, 300),
                &[
                    "CPU time of a run by level, logarithmic: median, least and greatest.",
                    "Triangles: wall-clock medians of the files published with the study's code, undivided.",
                ],
            ),
            FigureKind::Success => (
                self.success(),
                (520, 360),
                &["Upright lines: 95 % intervals (Wilson). Triangles: published."],
            ),
            FigureKind::Regions => (Vec::new(), (0, 0), &[]),
            FigureKind::Optimal => {
                (self.optimal(), (440, 340), &["Triangles: published. Black line: the optimum."])
            }
        };
        let (runs, seed) = (self.file.runs, self.file.seed);
        let last = seed + runs - 1;
        let run =
            format!("{runs} runs a cell, seeds {seed} to {last}. Experiment {}.", self.file.name);
        Drawing {
            name: self.spec.name.clone(),
            title: self.spec.title.clone(),
            lines: std::iter::once(run).chain(marks.iter().map(|&line| line.to_owned())).collect(),
            rows,
            panel,
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

    fn histograms(&self) -> Vec<Vec<Option<Panel>>> {
        let levels = self.cells.iter().map(|place| place.level + 1).max().unwrap_or(0);
        let panel = |(dimension, rule): (usize, usize), level: usize| {
            let is_here = |place: &&Place<'_>| {
                (place.dimension, place.rule, place.level) == (dimension, rule, level)
            };
            let here: Vec<&Place<'_>> = self.cells.iter().filter(is_here).collect();
            let optimum = here.first()?.cell.optimum;
            let mut series = Vec::new();
            for place in &here {
                let nth = self.methods.iter().position(|method| *method == place.cell.method)?;
                series.push(self.bars(place.cell, nth));
            }
            let counts = here.iter().flat_map(|place| place.cell.histogram.values());
            let top = counts.max().copied().unwrap_or(0) as f64 * 1.06;
            for place in &here {
                let nth = self.methods.iter().position(|method| *method == place.cell.method)?;
                let median = place.cell.published_median;
                series.extend(median.map(|median| Series {
                    name: String::new(),
                    colour: if here.len() > 1 { COLOURS[nth] } else { COLOURS[1] },
                    shape: Shape::Published,
                    points: vec![(median, top)],
                }));
            }
            if here.iter().any(|place| place.cell.solved > 0) {
                series.extend(optimum.map(vertical));
            }
            let title = format!("d = {dimension}, k = {rule}, level {level}");
            Some(Panel { title, series, ..Panel::default() })
        };
        let boards = self.boards().into_iter();
        boards.map(|board| (0..levels).map(|level| panel(board, level)).collect()).collect()
    }

    /// How often each length came; named where several methods share a panel.
    fn bars(&self, cell: &Distribution, nth: usize) -> Series {
        let all = self.methods.len();
        let short = cell.method.trim_end_matches(" as published").to_owned();
        let points = cell.histogram.iter().map(|(&length, &n)| (f64::from(length), n as f64));
        Series {
            name: if all > 1 { short } else { String::new() },
            colour: COLOURS[nth],
            shape: Shape::Bars(nth, all),
            points: points.collect(),
        }
    }

    /// A panel for each dimension and rule with a line for each method; of one method a panel for each dimension with a
    /// line for each rule.
    fn times(&self) -> Vec<Vec<Option<Panel>>> {
        let mut panels: Vec<(usize, Option<Panel>)> = Vec::new();
        let boards = self.boards();
        let is_one = self.methods.len() == 1;
        for &(dimension, rule) in &boards {
            let mut series = Vec::new();
            for (nth, method) in self.methods.iter().enumerate() {
                let colour = COLOURS[if is_one { rule - 1 } else { nth }];
                let name = if is_one { format!("k = {rule}") } else { (*method).to_owned() };
                let of = |place: &&Place<'_>| {
                    (place.dimension, place.rule, place.cell.method.as_str())
                        == (dimension, rule, *method)
                };
                let here =
                    || self.cells.iter().filter(of).map(|place| (place.level as f64, place.cell));
                let spans = here().flat_map(|(level, cell)| {
                    let [least, _, most] = cell.cpu_s;
                    [(level, least), (level, most)]
                });
                let medians = here().map(|(level, cell)| (level, cell.cpu_s[1]));
                let published =
                    here().filter_map(|(level, cell)| Some((level, cell.published_seconds?)));
                let new = |name: String, shape: Shape, points: Vec<(f64, f64)>| Series {
                    name,
                    colour,
                    shape,
                    points,
                };
                series.push(new(String::new(), Shape::Spans, spans.collect()));
                series.push(new(name, Shape::Line, medians.collect()));
                series.push(new(String::new(), Shape::Published, published.collect()));
            }
            let title = match is_one {
                true => format!("d = {dimension}"),
                false => format!("d = {dimension}, k = {rule}"),
            };
            match panels
                .iter_mut()
                .find(|(_, known)| known.as_ref().is_some_and(|known| known.title == title))
            {
                Some((_, Some(known))) => known.series.extend(series),
                _ => {
                    let panel = Panel {
                        title,
                        x: "level".to_owned(),
                        y: "time of a run".to_owned(),
                        is_logarithmic: true,
                        series,
                    };
                    panels.push((dimension, Some(panel)));
                }
            }
        }
        if is_one {
            return vec![panels.into_iter().map(|(_, panel)| panel).collect()];
        }
        let mut rows: Vec<Vec<Option<Panel>>> = Vec::new();
        let mut last = None;
        for (dimension, panel) in panels {
            if last != Some(dimension) {
                rows.push(Vec::new());
            }
            last = Some(dimension);
            rows.last_mut().expect("there is a row").push(panel);
        }
        rows
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
        Series {
            name: String::new(),
            colour: COLOURS[1],
            shape: Shape::Published,
            points: self.spec.published.clone(),
        }
    }

    /// Figure 7: success, and generations, over c.
    fn success(&self) -> Vec<Vec<Option<Panel>>> {
        let cells = self.by_c();
        let percent = |share: f64| 100.0 * share;
        let rates =
            cells.iter().map(|&(c, cell)| (c, percent(cell.solved as f64 / cell.runs as f64)));
        let intervals = cells.iter().flat_map(|&(c, cell)| {
            let (low, high) = cell.success_interval;
            [(c, percent(low)), (c, percent(high))]
        });
        /// Mutations of a generation: of 1000 agents a tenth lives on unchanged.
        const MUTATIONS: f64 = 900.0;
        let generations = cells.iter().map(|&(c, cell)| (c, cell.expanded / MUTATIONS));
        let ours = |shape: Shape, points: Vec<(f64, f64)>| Series {
            name: String::new(),
            colour: COLOURS[0],
            shape,
            points,
        };
        let x = "mutation parameter c".to_owned();
        vec![vec![
            Some(Panel {
                title: "Success".to_owned(),
                x: x.clone(),
                y: "runs solved, %".to_owned(),
                series: vec![
                    ours(Shape::Spans, intervals.collect()),
                    ours(Shape::Line, rates.collect()),
                    self.published(),
                ],
                ..Panel::default()
            }),
            Some(Panel {
                title: "Generations".to_owned(),
                x,
                y: "median of all runs".to_owned(),
                series: vec![ours(Shape::Line, generations.collect())],
                ..Panel::default()
            }),
        ]]
    }

    /// Figure 8: runs of optimal length over c, and the lengths for c = 1.8 and 7.
    fn optimal(&self) -> Vec<Vec<Option<Panel>>> {
        let cells = self.by_c();
        let optimal = cells.iter().map(|&(c, cell)| {
            let optimum = cell.optimum.and_then(|optimum| cell.histogram.get(&optimum));
            (c, optimum.copied().unwrap_or(0) as f64)
        });
        let over_c = Panel {
            title: "(a) Runs with six moves".to_owned(),
            x: "mutation parameter c".to_owned(),
            y: "runs".to_owned(),
            series: vec![
                Series {
                    name: String::new(),
                    colour: COLOURS[0],
                    shape: Shape::Line,
                    points: optimal.collect(),
                },
                self.published(),
            ],
            ..Panel::default()
        };
        let lengths = |wanted: f64, letter: &str| {
            let &(_, cell) = cells.iter().find(|&&(c, _)| c == wanted)?;
            let mut bars = self.bars(cell, 0);
            bars.shape = Shape::Bars(0, 1);
            bars.name.clear();
            let mut series = vec![bars];
            series.extend(cell.optimum.map(vertical));
            Some(Panel {
                title: format!("({letter}) c = {wanted}"),
                x: "moves".to_owned(),
                y: "runs".to_owned(),
                series,
                ..Panel::default()
            })
        };
        vec![vec![Some(over_c), lengths(1.8, "b"), lengths(7.0, "b, inset")]]
    }
}

fn vertical(optimum: u32) -> Series {
    Series {
        name: String::new(),
        colour: OPTIMUM,
        shape: Shape::Vertical,
        points: vec![(f64::from(optimum), 0.0)],
    }
}
