//! Figures of experiments, drawn of their records.

mod caption;
mod distributions;
mod layers;
mod matrix;
mod profiles;
mod regions;
mod runtimes;

use maud::{Markup, html};
use serde::Deserialize;

use caption::equal_runs;
use distributions::Distributions;

use super::svg::{Chart, Mark, Matrix, Number, Picture, Scale, Series, colour_class, text_width};
use crate::experiment::Experiment;
use crate::experiment::file::{FigureSpec, File, SolverSpec};
use crate::measure::Quantity;
use crate::record::TaskRecord;
use crate::report::text_table::lines_of_words;

/// What a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// How often each length came: a row for each dimension and rule, a column for each level.
    Histograms,
    /// CPU seconds over the level.
    Times,
    /// Success and generations over c.
    Success,
    /// Runs of optimal length over c, and the lengths for two of its values.
    Optimal,
    /// Moves and training over the size of the region.
    Regions,
    /// The number of states at every distance.
    Layers,
    /// A count for each row and solver, with a colour for its share.
    Matrix,
    /// The share of puzzles solved over what a run costs, a chart for each row.
    Runtimes,
    /// Performance profiles over all rows.
    Profiles,
}

/// The colour of what belongs to no method.
const SOFT: usize = 7;

/// A figure: charts in rows, with all that a reader needs to know about them.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What its file is called, without an ending.
    pub name: String,
    /// What the paper calls it, as in `Figure 2`.
    pub label: String,
    /// What it shows.
    pub title: String,
    /// What was run and with which seeds, in sentences.
    pub run: String,
    /// How to read it, in sentences.
    pub reading: String,
    pub(crate) drawing: Drawing,
}

/// What a figure consists of.
#[derive(Clone, Debug)]
pub(crate) enum Drawing {
    /// Charts, row by row.
    Charts(Vec<ChartRow>),
    Matrix(Matrix),
}

/// Charts next to one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChartRow {
    pub charts: Vec<Chart>,
    /// The size of each in pixels.
    pub size: (f64, f64),
}

/// The numbers of a figure: a row for each point, or for each series of shares that grow.
pub(crate) struct Points {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The figures of an experiment.
pub fn figures(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Figure> {
    let draw = |spec: &FigureSpec| {
        let charts = |(rows, run)| (Drawing::Charts(rows), run);
        let levels = || Distributions::new(experiment, spec, records);
        let of_levels = |rows| charts((rows, distributions::runs(experiment)));
        let (drawing, run) = match spec.draw {
            FigureKind::Histograms => of_levels(levels().histograms()),
            FigureKind::Times => of_levels(levels().times()),
            FigureKind::Success => of_levels(levels().success()),
            FigureKind::Optimal => of_levels(levels().optimal()),
            FigureKind::Regions => charts(regions::charts(experiment, records)),
            FigureKind::Layers => charts(layers::charts(experiment, records)),
            FigureKind::Matrix => matrix::matrix(experiment, spec, records),
            FigureKind::Runtimes => charts(runtimes::charts(experiment, spec, records)),
            FigureKind::Profiles => charts(profiles::charts(experiment, spec, records)),
        };
        Figure {
            name: spec.name.clone(),
            label: spec.label.clone(),
            title: spec.title.clone(),
            run,
            reading: spec.reading.clone(),
            drawing,
        }
    };
    experiment.file.figure.iter().map(draw).collect()
}

/// The solvers that a figure shows, in its order.
fn shown_solvers<'a>(file: &'a File, spec: &'a FigureSpec) -> Vec<&'a SolverSpec> {
    match spec.solvers.as_slice() {
        [] => file.solver.iter().collect(),
        keys => keys.iter().map(|key| file.solver_of(key)).collect(),
    }
}

/// Costs of runs on a logarithmic axis, which has no 0.
fn positive(costs: Vec<f64>, cost: Quantity) -> Vec<f64> {
    costs.into_iter().map(|own| own.max(cost.least())).collect()
}

impl Figure {
    /// The figure as an SVG file that needs no font and no other file.
    pub fn svg(&self) -> String {
        self.picture().file()
    }

    /// `Figure 2. TITLE`, or the title alone.
    fn heading(&self) -> String {
        match self.label.as_str() {
            "" => self.title.clone(),
            label => format!("{label}. {}", self.title),
        }
    }

    /// What the figure shows, for readers who do not see it.
    pub(crate) fn describe(&self) -> String {
        let sentences: Vec<String> = match &self.drawing {
            Drawing::Charts(_) => self.charts().map(Chart::describe).collect(),
            Drawing::Matrix(matrix) => vec![matrix.describe()],
        };
        format!("{}. {}", self.title, sentences.join(" "))
    }

    /// Its charts, row by row.
    fn rows(&self) -> &[ChartRow] {
        match &self.drawing {
            Drawing::Charts(rows) => rows,
            Drawing::Matrix(_) => &[],
        }
    }

    fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.rows().iter().flat_map(|row| &row.charts)
    }

    /// The series of all charts, each with its chart.
    fn series(&self) -> impl Iterator<Item = (&Chart, &Series)> {
        self.charts().flat_map(|chart| chart.series.iter().map(move |series| (chart, series)))
    }

    /// What the first chart measures across and upwards, as all others do.
    fn axis_titles(&self) -> (&str, &str) {
        let titles = self.charts().next().map(|chart| (&*chart.x.title, &*chart.y.title));
        titles.unwrap_or_default()
    }

    /// What the axes of all charts are, where the charts do not say it themselves.
    pub(crate) fn axes(&self) -> Option<String> {
        let chart = self.charts().next().filter(|chart| chart.x.hides_title)?;
        let scale = match chart.x.scale {
            Scale::Linear => "",
            Scale::Logarithmic => ", on a logarithmic scale",
        };
        Some(format!("Across: {}{scale}. Up: {}.", chart.x.title, chart.y.title))
    }

    /// The names, colours and marks of all series, once each, and last what published values and
    /// spans look like. Lines with their names at their ends need none.
    pub(crate) fn legend(&self) -> Vec<(&str, usize, Mark)> {
        let mut legend: Vec<(&str, usize, Mark)> = Vec::new();
        let mut common: Vec<(&str, usize, Mark)> = Vec::new();
        let is_named =
            |(chart, series): &(&Chart, &Series)| !chart.names_lines && !series.points.is_empty();
        for (_, series) in self.series().filter(is_named) {
            let (list, entry) = match series.mark {
                Mark::Published => (&mut common, ("published", SOFT, series.mark)),
                Mark::Spans => (&mut common, ("least to greatest, or interval", SOFT, series.mark)),
                mark => (&mut legend, (series.name.as_str(), series.colour, mark)),
            };
            if !entry.0.is_empty() && !list.iter().any(|known| known.0 == entry.0) {
                list.push(entry);
            }
        }
        legend.extend(common);
        legend
    }

    /// The numbers that it shows.
    pub(crate) fn points(&self) -> Points {
        if let Drawing::Matrix(matrix) = &self.drawing {
            return matrix.points();
        }
        if self.series().all(|(_, series)| series.mark == Mark::Cumulative) {
            return self.quartiles();
        }
        let mut rows = Vec::new();
        for (chart, series) in self.series() {
            for (number, &(x, y)) in series.points.iter().enumerate() {
                let name = match (series.mark, series.name.as_str()) {
                    (Mark::Published, name) => format!("{name} (published)"),
                    (Mark::Spans, name) if number % 2 == 0 => format!("{name} (lower end)"),
                    (Mark::Spans, name) => format!("{name} (upper end)"),
                    (_, "") => chart.y.title.clone(),
                    (_, name) => name.to_owned(),
                };
                let y = match series.mark {
                    Mark::Optimum => String::new(),
                    _ => chart.y.write(y),
                };
                rows.push(vec![chart.title.clone(), name.trim().to_owned(), chart.x.write(x), y]);
            }
        }
        let (x, y) = self.axis_titles();
        Points { columns: ["chart", "series", x, y].map(str::to_owned).to_vec(), rows }
    }

    /// Where the series of shares reach a quarter, a half and three quarters, and how far they get.
    /// Empty where one never does.
    fn quartiles(&self) -> Points {
        const SHARES: [f64; 3] = [25.0, 50.0, 75.0];
        let row = |(chart, series): (&Chart, &Series)| {
            let reaches = |share: f64| series.points.iter().find(|(_, y)| *y >= share);
            let at = |share| reaches(share).map(|&(x, _)| chart.x.write(x)).unwrap_or_default();
            let last = series.points.last().map_or(0.0, |&(_, y)| y);
            let mut row = vec![chart.title.clone(), series.name.clone(), chart.y.write(last)];
            row.extend(SHARES.map(at));
            row
        };
        let (x, y) = self.axis_titles();
        let mut columns = ["chart", "series", y].map(str::to_owned).to_vec();
        columns.extend(SHARES.map(|share| format!("{share} % at: {x}")));
        Points { columns, rows: self.series().map(row).collect() }
    }

    /// All of it as one picture.
    fn picture(&self) -> Picture {
        const MARGIN: f64 = 16.0;
        const LINE: f64 = 16.0;
        let legend = self.legend();
        let parts = self.parts();
        let right = parts.iter().map(|(picture, (x, _))| x + picture.size.0);
        let width = right.fold(420.0, f64::max) + 2.0 * MARGIN;
        let axes = self.axes().unwrap_or_default();
        let has_room = |line: &str, word: &str| {
            text_width(line, 11.0) + text_width(word, 11.0) + 4.0 < width - 2.0 * MARGIN
        };
        let texts = [&self.run, &self.reading, &axes].into_iter();
        let lines: Vec<String> = texts.flat_map(|text| lines_of_words(text, has_room)).collect();
        let below_lines = MARGIN + 22.0 + LINE * lines.len() as f64;
        let mut names = Vec::new();
        let (mut x, mut y) = (MARGIN, below_lines + 8.0);
        for (name, colour, mark) in legend {
            let right = x + 40.0 + text_width(name, 11.0);
            if right > width && x > MARGIN {
                (x, y) = (MARGIN, y + LINE);
            }
            names.push((name, colour, mark, (x, y)));
            x += 40.0 + text_width(name, 11.0);
        }
        let head = if names.is_empty() { below_lines + 8.0 } else { y + LINE + 6.0 };
        let bottom = parts.iter().map(|(picture, (_, y))| y + picture.size.1);
        let height = head + bottom.fold(0.0, f64::max) + MARGIN;
        let body = html! {
            text class="title" x=(Number(MARGIN)) y=(Number(MARGIN + 12.0)) { (self.heading()) }
            @for (number, line) in lines.iter().enumerate() {
                text x=(Number(MARGIN)) y=(Number(MARGIN + 32.0 + LINE * number as f64)) { (line) }
            }
            @for (name, colour, mark, (x, y)) in names {
                (swatch(mark, colour, (x, y)))
                text x=(Number(x + 20.0)) y=(Number(y + 4.0)) { (name) }
            }
            @for (picture, (x, y)) in parts {
                g transform={ "translate(" (Number(MARGIN + x)) " " (Number(head + y)) ")" } { (picture.body) }
            }
        };
        Picture { size: (width, height), alt: self.describe(), body }
    }

    /// The pictures of which it consists and where they stand. Long rows are broken.
    fn parts(&self) -> Vec<(Picture, (f64, f64))> {
        const WIDEST: f64 = 1200.0;
        if let Drawing::Matrix(matrix) = &self.drawing {
            return vec![(matrix.draw(), (0.0, 0.0))];
        }
        let (mut parts, mut top) = (Vec::new(), 0.0);
        for row in self.rows() {
            let (width, height) = row.size;
            for line in row.charts.chunks((WIDEST / width).max(1.0) as usize) {
                let charts = line.iter().enumerate();
                parts.extend(
                    charts.map(|(nth, chart)| (chart.draw(row.size), (width * nth as f64, top))),
                );
                top += height;
            }
        }
        parts
    }
}

/// A sample of a mark in its colour, 14 pixels wide from a point on.
pub(crate) fn swatch(mark: Mark, colour: usize, (x, y): (f64, f64)) -> Markup {
    let (from, middle) = (Number(x), Number(x + 7.0));
    html! {
        g class=(colour_class(colour)) {
            @match mark {
                Mark::Bars(..) => rect class="fill" x=(from) y=(Number(y - 5.0)) width="14" height="10" {},
                Mark::Line => {
                    path class="line stroke" d={ "M" (from) " " (Number(y)) "h14" } {}
                    circle class="fill" cx=(middle) cy=(Number(y)) r="3" {}
                },
                Mark::Steps | Mark::Cumulative => path class="line stroke" d={ "M" (from) " " (Number(y + 3.0)) "h7v-6h7" } {},
                Mark::Spans => path class="span stroke" d={ "M" (middle) " " (Number(y - 6.0)) "v12" } {},
                Mark::Published => path class="published stroke"
                    d={ "M" (middle) " " (Number(y - 5.0)) "l5 9h-10z" } {},
                Mark::Optimum => path class="optimum" d={ "M" (middle) " " (Number(y - 6.0)) "v12" } {},
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::svg::Axis;

    #[test]
    fn the_numbers_of_growing_shares_are_where_they_reach_a_quarter_a_half_and_three_quarters() {
        let chart = Chart {
            title: "3x3".to_owned(),
            x: Axis::logarithmic("states"),
            y: Axis::percent("solved"),
            series: vec![Series {
                name: "astar".to_owned(),
                colour: 0,
                mark: Mark::Cumulative,
                points: vec![(5.0, 10.0), (7.0, 30.0), (90.0, 60.0)],
            }],
            ..Chart::default()
        };
        let figure = Figure {
            name: String::new(),
            label: String::new(),
            title: String::new(),
            run: String::new(),
            reading: String::new(),
            drawing: Drawing::Charts(vec![ChartRow { charts: vec![chart], size: (200.0, 100.0) }]),
        };
        let Points { columns, rows } = figure.points();
        assert_eq!(rows, [["3x3", "astar", "60 %", "7", "90", ""]]);
        assert_eq!(columns[2..4], ["solved", "25 % at: states"]);
    }
}
