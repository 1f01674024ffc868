//! Figures of experiments as SVG pictures, without any font or library of the system.

use plotters::coord::Shift;
use plotters::prelude::*;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What its file is called, without an ending.
    pub name: String,
    /// The picture in SVG.
    pub svg: String,
}

/// A picture before it is drawn: panels in rows.
pub(crate) struct Drawing {
    /// What its file is called.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What was run, with which seeds, and what the marks are, a line each.
    pub lines: Vec<String>,
    /// The panels, row by row; a place can be left free.
    pub rows: Vec<Vec<Option<Panel>>>,
    /// Width and height of a panel in pixels.
    pub panel: (u32, u32),
}

/// One diagram.
#[derive(Default)]
pub(crate) struct Panel {
    pub title: String,
    pub x: String,
    pub y: String,
    /// Whether the values are shown by their logarithms; they are positive then.
    pub is_logarithmic: bool,
    pub series: Vec<Series>,
}

/// Points (x, y) that belong together.
pub(crate) struct Series {
    /// Its name in the legend; empty where it is not listed.
    pub name: String,
    pub colour: RGBColor,
    pub shape: Shape,
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Bars from 0, the n-th of so many beside each other.
    Bars(usize, usize),
    /// Points joined by lines.
    Line,
    /// From the least to the greatest value at each x: pairs of points.
    Spans,
    /// Triangles: what is published.
    Published,
    /// A vertical line at each x: the optimum.
    Vertical,
}

/// Colours that are told apart by the colour-blind too (Okabe and Ito 2008).
pub(crate) const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

const FONT: &str = "sans-serif";
const TITLE: i32 = 20;
const LINE: i32 = 14;
const MARGIN: i32 = 16;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

impl Drawing {
    /// Draws it.
    pub fn draw(&self) -> Figure {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(1).max(1) as u32;
        let lines = self.lines.len() + usize::from(!self.legend().is_empty());
        let head = MARGIN + TITLE + (LINE + 4) * lines as i32 + MARGIN;
        let size = (
            columns * self.panel.0 + 2 * MARGIN as u32,
            self.rows.len() as u32 * self.panel.1 + head as u32 + MARGIN as u32,
        );
        let mut svg = String::new();
        self.draw_on(&mut svg, size, head).expect("a text can be written to");
        svg.push('\n');
        Figure { name: self.name.clone(), svg }
    }

    /// The names of all series, once each.
    fn legend(&self) -> Vec<(&str, RGBColor)> {
        let panels = self.rows.iter().flatten().flatten();
        let named = panels.flat_map(|panel| &panel.series).filter(|series| !series.name.is_empty());
        let mut legend: Vec<(&str, RGBColor)> = Vec::new();
        for series in named {
            if !legend.contains(&(series.name.as_str(), series.colour)) {
                legend.push((&series.name, series.colour));
            }
        }
        legend
    }

    fn draw_on(&self, svg: &mut String, size: (u32, u32), head: i32) -> Drawn {
        let root = SVGBackend::with_string(svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw(&Text::new(self.title.clone(), (MARGIN, MARGIN), (FONT, TITLE)))?;
        for (number, line) in self.lines.iter().enumerate() {
            let y = MARGIN + TITLE + 6 + (LINE + 4) * number as i32;
            root.draw(&Text::new(line.clone(), (MARGIN, y), (FONT, LINE)))?;
        }
        // Beside each other, each name as wide as its letters may be.
        let (mut x, y) = (MARGIN, MARGIN + TITLE + 6 + (LINE + 4) * self.lines.len() as i32);
        for (name, colour) in self.legend() {
            root.draw(&Rectangle::new([(x, y + 2), (x + 18, y + 12)], colour.filled()))?;
            root.draw(&Text::new(name.to_owned(), (x + 24, y), (FONT, LINE)))?;
            x += 44 + name.chars().count() as i32 * LINE * 6 / 10;
        }
        for (row, panels) in self.rows.iter().enumerate() {
            for (column, panel) in panels.iter().enumerate() {
                let Some(panel) = panel else { continue };
                let x = MARGIN + column as i32 * self.panel.0 as i32;
                let y = head + row as i32 * self.panel.1 as i32;
                panel.draw(&root.clone().shrink((x, y), self.panel))?;
            }
        }
        root.present()
    }
}

impl Panel {
    fn place(&self, y: f64) -> f64 {
        if self.is_logarithmic { y.log10() } else { y }
    }

    /// The ranges of both axes, with all points inside.
    fn ranges(&self) -> [(f64, f64); 2] {
        let points =
            || self.series.iter().flat_map(|series| series.points.iter().map(move |p| (series, p)));
        let of = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (left, right) = of(&mut points().map(|(_, &(x, _))| x));
        let heights = points().filter(|(series, _)| series.shape != Shape::Vertical);
        let (low, high) = of(&mut heights.map(|(_, &(_, y))| self.place(y)));
        // A bar alone is not to fill the panel.
        let has_bars = points().any(|(series, _)| matches!(series.shape, Shape::Bars(..)));
        let aside = ((right - left) * 0.04).max(0.6).max(if has_bars {
            2.5 - (right - left) / 2.0
        } else {
            0.0
        });
        let y = match (low.is_finite(), self.is_logarithmic) {
            (false, _) => (0.0, 1.0),
            (true, true) => (low.floor(), high.ceil().max(low.floor() + 1.0)),
            (true, false) => (0.0, high * 1.12),
        };
        [(left - aside, right + aside), y]
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let [(left, right), (low, high)] = self.ranges();
        let is_empty = self.series.iter().all(|series| series.points.is_empty());
        let title = (FONT, 13).into_font();
        if is_empty {
            let text = format!("{}: no run solved it", self.title);
            return area.draw(&Text::new(text, (40, 8), title));
        }
        let mut chart = ChartBuilder::on(area)
            .margin(6)
            .caption(&self.title, title)
            .x_label_area_size(if self.x.is_empty() { 22 } else { 38 })
            .y_label_area_size(if self.y.is_empty() { 34 } else { 58 })
            .build_cartesian_2d(left..right, low..high)?;
        let whole = |value: &f64| {
            if value.fract().abs() < 1e-6 { format!("{value:.0}") } else { String::new() }
        };
        let number = |value: &f64| {
            if self.is_logarithmic {
                power(*value)
            } else {
                format!("{}", (value * 1e6).round() / 1e6)
            }
        };
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .x_labels(8)
            .y_labels(if self.is_logarithmic { (high - low) as usize + 1 } else { 6 })
            .x_label_formatter(&whole)
            .y_label_formatter(&number)
            .label_style((FONT, 11))
            .axis_desc_style((FONT, 12));
        if !self.x.is_empty() {
            mesh.x_desc(&self.x);
        }
        if !self.y.is_empty() {
            mesh.y_desc(&self.y);
        }
        mesh.draw()?;
        for series in &self.series {
            let colour = series.colour;
            let points = || series.points.iter().map(|&(x, y)| (x, self.place(y)));
            match series.shape {
                Shape::Bars(nth, of) => {
                    let width = 0.9 / of as f64;
                    chart.draw_series(points().map(|(x, y)| {
                        let from = x - 0.45 + width * nth as f64;
                        Rectangle::new([(from, 0.0), (from + width, y)], colour.filled())
                    }))?;
                }
                Shape::Line => {
                    chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
                    chart.draw_series(points().map(|at| Circle::new(at, 3, colour.filled())))?;
                }
                Shape::Spans => {
                    let ends: Vec<(f64, f64)> = points().collect();
                    let spans =
                        ends.chunks(2).map(|ends| PathElement::new(ends.to_vec(), colour.mix(0.6)));
                    chart.draw_series(spans)?;
                }
                Shape::Published => {
                    chart.draw_series(points().map(|at| TriangleMarker::new(at, 6, colour)))?;
                }
                Shape::Vertical => {
                    let lines = points().map(|(x, _)| {
                        PathElement::new(vec![(x, low), (x, high)], colour.stroke_width(1))
                    });
                    chart.draw_series(lines)?;
                }
            }
        }
        Ok(())
    }
}

/// A power of ten of seconds.
fn power(exponent: f64) -> String {
    if (exponent - exponent.round()).abs() > 1e-6 {
        return String::new();
    }
    match exponent.round() as i32 {
        exponent @ ..=-7 => format!("1e{exponent}"),
        exponent @ -6..=-4 => format!("{} \u{b5}s", 10i64.pow((exponent + 6) as u32)),
        exponent @ -3..=-1 => format!("{} ms", 10i64.pow((exponent + 3) as u32)),
        exponent @ 0..=6 => format!("{} s", 10i64.pow(exponent as u32)),
        exponent => format!("1e{exponent} s"),
    }
}
