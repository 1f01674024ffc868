//! Figures of experiments, drawn of their records.

mod distributions;
mod layers;
mod regions;

use maud::{Markup, html};
use serde::Deserialize;

use super::svg::{Chart, Mark, Number, Picture, text_width};
use crate::experiment::Experiment;
use crate::experiment::file::FigureSpec;
use crate::record::TaskRecord;

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
    /// The charts, row by row.
    pub(crate) rows: Vec<ChartRow>,
}

/// Charts next to one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChartRow {
    pub charts: Vec<Chart>,
    /// The size of each in pixels.
    pub size: (f64, f64),
}

/// The numbers of a figure: a row for each point.
pub(crate) struct Points {
    /// The charts' title, the series, and what the axes show.
    pub columns: [String; 4],
    pub rows: Vec<[String; 4]>,
}

/// The figures of an experiment.
pub fn figures(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Figure> {
    let draw = |spec: &FigureSpec| {
        let (rows, run) = match spec.draw {
            FigureKind::Regions => regions::charts(experiment, records),
            FigureKind::Layers => layers::charts(experiment, records),
            _ => distributions::charts(experiment, spec, records),
        };
        Figure {
            name: spec.name.clone(),
            label: spec.label.clone(),
            title: spec.title.clone(),
            run,
            reading: spec.reading.clone(),
            rows,
        }
    };
    experiment.file.figure.iter().map(draw).collect()
}

impl Figure {
    /// The figure as an SVG file that needs no font and no other file.
    pub fn svg(&self) -> String {
        self.picture().file()
    }

    /// What the figure shows, for readers who do not see it.
    pub(crate) fn describe(&self) -> String {
        let charts = self.rows.iter().flat_map(|row| &row.charts);
        let sentences = charts.map(Chart::describe);
        format!("{}. {}", self.title, sentences.collect::<Vec<_>>().join(" "))
    }

    /// The names, colours and marks of all series, once each, and last what published values and
    /// spans look like.
    pub(crate) fn legend(&self) -> Vec<(&str, usize, Mark)> {
        let mut legend: Vec<(&str, usize, Mark)> = Vec::new();
        let mut common: Vec<(&str, usize, Mark)> = Vec::new();
        let series = self.rows.iter().flat_map(|row| &row.charts).flat_map(|chart| &chart.series);
        for series in series.filter(|series| !series.points.is_empty()) {
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
        let mut rows = Vec::new();
        let charts = || self.rows.iter().flat_map(|row| &row.charts);
        for chart in charts() {
            for series in &chart.series {
                for &(x, y) in &series.points {
                    let name = match (series.mark, series.name.as_str()) {
                        (Mark::Published, name) => format!("{name} (published)"),
                        (_, "") => chart.y.title.clone(),
                        (_, name) => name.to_owned(),
                    };
                    let y =
                        if series.mark == Mark::Optimum { String::new() } else { chart.y.write(y) };
                    rows.push([chart.title.clone(), name.trim().to_owned(), chart.x.write(x), y]);
                }
            }
        }
        let (x, y) = charts()
            .next()
            .map(|chart| (chart.x.title.clone(), chart.y.title.clone()))
            .unwrap_or_default();
        Points { columns: ["chart".to_owned(), "series".to_owned(), x, y], rows }
    }

    /// All of it as one picture.
    fn picture(&self) -> Picture {
        const MARGIN: f64 = 16.0;
        const LINE: f64 = 16.0;
        let legend = self.legend();
        let width_of = |row: &ChartRow| row.size.0 * row.charts.len() as f64;
        let width = self.rows.iter().map(width_of).fold(420.0, f64::max) + 2.0 * MARGIN;
        let lines: Vec<String> = [&self.run, &self.reading]
            .into_iter()
            .flat_map(|text| wrapped(text, width - 2.0 * MARGIN))
            .collect();
        let below_lines = MARGIN + 22.0 + LINE * lines.len() as f64;
        let head = below_lines + if legend.is_empty() { 8.0 } else { LINE + 14.0 };
        let height = head + self.rows.iter().map(|row| row.size.1).sum::<f64>() + MARGIN;
        let mut names_from = MARGIN;
        let mut top = head;
        let body = html! {
            text class="title" x=(Number(MARGIN)) y=(Number(MARGIN + 12.0)) { (self.label) ". " (self.title) }
            @for (number, line) in lines.iter().enumerate() {
                text x=(Number(MARGIN)) y=(Number(MARGIN + 32.0 + LINE * number as f64)) { (line) }
            }
            @for (name, colour, mark) in legend {
                (swatch(mark, colour, (names_from, below_lines + 8.0)))
                text x=(Number(names_from + 20.0)) y=(Number(below_lines + 12.0)) { (name) }
                ({ names_from += 40.0 + text_width(name, 11.0); "" })
            }
            @for row in &self.rows {
                @for (number, chart) in row.charts.iter().enumerate() {
                    g transform={ "translate(" (Number(MARGIN + row.size.0 * number as f64)) " " (Number(top)) ")" } {
                        (chart.draw(row.size).body)
                    }
                }
                ({ top += row.size.1; "" })
            }
        };
        Picture { size: (width, height), alt: self.describe(), body }
    }
}

/// A sample of a mark in its colour, 14 pixels wide from a point on.
pub(crate) fn swatch(mark: Mark, colour: usize, (x, y): (f64, f64)) -> Markup {
    let (from, middle) = (Number(x), Number(x + 7.0));
    html! {
        g class={ "c" (colour) } {
            @match mark {
                Mark::Bars(..) => rect class="fill" x=(from) y=(Number(y - 5.0)) width="14" height="10" {},
                Mark::Line => {
                    path class="line stroke" d={ "M" (from) " " (Number(y)) "h14" } {}
                    circle class="fill" cx=(middle) cy=(Number(y)) r="3" {}
                },
                Mark::Steps => path class="line stroke" d={ "M" (from) " " (Number(y + 3.0)) "h7v-6h7" } {},
                Mark::Spans => path class="span stroke" d={ "M" (middle) " " (Number(y - 6.0)) "v12" } {},
                Mark::Published => path class="published stroke"
                    d={ "M" (middle) " " (Number(y - 5.0)) "l5 9h-10z" } {},
                Mark::Optimum => path class="optimum" d={ "M" (middle) " " (Number(y - 6.0)) "v12" } {},
            }
        }
    }
}

/// A text in lines of at most the given number of pixels.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, 11.0) + text_width(word, 11.0) + 4.0 < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
