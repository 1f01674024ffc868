//! Charts: axes and series of points.

use maud::{Markup, html};

use super::axis::Placed;
use super::{Axis, Number, Picture, Scale, colour_class, text_width};

/// One chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Whether each line has its name at its right end, so that it needs no legend.
    pub names_lines: bool,
}

/// Points (x, y) that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Its name in legends and tooltips.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Bars from 0, the n-th of the given number next to one another.
    Bars(usize, usize),
    /// Points joined by lines.
    Line,
    /// A value that holds until the next point.
    Steps,
    /// A value that is 0 before the first point and holds until the next one or the end of the
    /// axis.
    Cumulative,
    /// From the least to the greatest value at each x: pairs of points.
    Spans,
    /// Triangles: published values.
    Published,
    /// A vertical line at each x: the optimum.
    Optimum,
}

const TEXT: f64 = 11.0;
const TOP: f64 = 24.0;
const RIGHT: f64 = 10.0;
/// The least distance between names at the ends of lines.
const NAME_HEIGHT: f64 = 12.5;
/// The width of what joins a line to its name.
const JOINT: f64 = 14.0;

impl Series {
    pub fn new(
        name: &str,
        colour: usize,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        Series { name: name.to_owned(), colour, mark, points: points.into_iter().collect() }
    }
}

impl Chart {
    pub fn new(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Chart {
        Chart { title: title.to_owned(), x, y, series, names_lines: false }
    }

    /// Draws the chart at a size in pixels.
    pub fn draw(&self, size: (f64, f64)) -> Picture {
        Picture { size, alt: self.describe(), body: self.body(size) }
    }

    /// What the chart shows, in sentences.
    pub fn describe(&self) -> String {
        let mut sentences = vec![format!("{}.", self.title)];
        for series in self.series.iter().filter(|series| series.mark != Mark::Spans) {
            let name = if series.name.is_empty() { &self.y.title } else { &series.name };
            let points = &series.points;
            let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
            let highest = points.iter().copied().fold(*first, |a, b| if b.1 > a.1 { b } else { a });
            let at = |(x, _): (f64, f64)| self.x.write(x);
            let of = |(_, y): (f64, f64)| self.y.write(y);
            sentences.push(match (series.mark, points.len()) {
                (Mark::Optimum, _) => format!("{name}: {}.", at(*first)),
                (_, 1) => format!("{name}: {} at {}.", of(*first), at(*first)),
                (Mark::Bars(..), _) => {
                    let (most, where_most) = (of(highest), at(highest));
                    format!(
                        "{name}: from {} to {}, most often {where_most} ({most}).",
                        at(*first),
                        at(*last)
                    )
                }
                _ => {
                    let ends = (of(*first), at(*first), of(*last), at(*last));
                    format!("{name}: from {} at {} to {} at {}.", ends.0, ends.1, ends.2, ends.3)
                }
            });
        }
        sentences.join(" ")
    }

    fn body(&self, (width, height): (f64, f64)) -> Markup {
        if self.series.iter().all(|series| series.points.is_empty()) {
            return html! {
                text class="heading" x="8" y="15" { (self.title) }
                text x=(Number(width / 2.0)) y=(Number(height / 2.0)) text-anchor="middle" { "no run solved it" }
            };
        }
        let (horizontal, vertical) = self.ranges();
        let is_titled = |axis: &Axis| !axis.hides_title && !axis.title.is_empty();
        let bottom = if is_titled(&self.x) { 38.0 } else { 22.0 };
        let below = if is_titled(&self.y) { TOP + 19.0 } else { TOP };
        let y = self.y.place(vertical, height - bottom, below);
        let y_ticks = y.ticks(((height - bottom - below) / 26.0) as usize + 1);
        let labels: Vec<String> = y_ticks.iter().map(|&tick| self.y.write(tick)).collect();
        let left = labels.iter().map(|label| text_width(label, TEXT)).fold(0.0, f64::max) + 14.0;
        let names = self.series.iter().map(|series| text_width(&series.name, TEXT));
        let right = match self.names_lines {
            true => width - JOINT - 4.0 - names.fold(0.0, f64::max),
            false => width - RIGHT,
        };
        let x = self.x.place(horizontal, left, right);
        let x_ticks = x.ticks(((right - left) / 44.0) as usize + 1);
        html! {
            text class="heading" x="8" y="15" { (self.title) }
            @if is_titled(&self.y) { text x="8" y="31" { (self.y.title) } }
            @for (tick, label) in y_ticks.iter().zip(&labels) {
                path class="grid" d={ "M" (Number(left)) " " (Number(y.at(*tick))) "H" (Number(right)) } {}
                text x=(Number(left - 6.0)) y=(Number(y.at(*tick) + 4.0)) text-anchor="end" { (label) }
            }
            path class="base" d={ "M" (Number(left)) " " (Number(height - bottom)) "H" (Number(right)) } {}
            @for tick in x_ticks {
                text x=(Number(x.at(tick))) y=(Number(height - bottom + 15.0)) text-anchor="middle" {
                    (self.x.write(tick))
                }
            }
            @if is_titled(&self.x) {
                text x=(Number((left + right) / 2.0)) y=(Number(height - 5.0)) text-anchor="middle" {
                    (self.x.title)
                }
            }
            @for series in &self.series { (self.marks(series, &x, &y)) }
            @if self.names_lines { (self.names(&x, &y)) }
        }
    }

    /// The names of the lines at their right ends, those that would overlap moved apart.
    fn names(&self, x: &Placed<'_>, y: &Placed<'_>) -> Markup {
        let ends = self.series.iter().filter_map(|series| {
            let &(_, last) = series.points.last()?;
            Some((series, y.at(last)))
        });
        let mut ends: Vec<(&Series, f64)> = ends.collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let heights: Vec<f64> = ends.iter().map(|&(_, end)| end).collect();
        let names = ends.iter().zip(spread(&heights, NAME_HEIGHT, (TOP, y.base())));
        html! {
            @for (&(series, end), at) in names {
                g class=(colour_class(series.colour)) {
                    path class="joint stroke" d={
                        "M" (Number(x.end())) " " (Number(end)) "L" (Number(x.end() + JOINT - 3.0)) " " (Number(at))
                    } {}
                }
                text class="name" x=(Number(x.end() + JOINT)) y=(Number(at + 4.0)) { (series.name) }
            }
        }
    }

    /// The ranges of both axes, with all points inside.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let points =
            || self.series.iter().flat_map(|series| series.points.iter().map(move |p| (series, p)));
        let extent = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (left, right) = extent(&mut points().map(|(_, &(x, _))| x));
        let heights = points().filter(|(series, _)| series.mark != Mark::Optimum);
        let (low, high) = extent(&mut heights.map(|(_, &(_, y))| y));
        let has_bars = points().any(|(series, _)| matches!(series.mark, Mark::Bars(..)));
        let horizontal = match self.x.scale {
            Scale::Logarithmic => (left / 1.1, right * 1.1),
            Scale::Linear => {
                // A single bar does not fill the chart.
                let narrow = if has_bars { 2.5 - (right - left) / 2.0 } else { 0.0 };
                let margin =
                    ((right - left) * 0.04).max(if has_bars { 0.6 } else { 0.0 }).max(narrow);
                (left - margin, right + margin)
            }
        };
        let horizontal =
            if horizontal.0 < horizontal.1 { horizontal } else { (left - 0.5, left + 0.5) };
        let vertical = match (low.is_finite(), self.y.scale) {
            (false, _) => (0.0, 1.0),
            (true, Scale::Logarithmic) => {
                let (from, to) = (low.log10().floor(), high.log10().ceil());
                (10f64.powf(from), 10f64.powf(to.max(from + 1.0)))
            }
            (true, Scale::Linear) => (low.min(0.0), if high > 0.0 { high * 1.08 } else { 1.0 }),
        };
        (horizontal, vertical)
    }

    fn marks(&self, series: &Series, x: &Placed<'_>, y: &Placed<'_>) -> Markup {
        let at = |&(px, py): &(f64, f64)| (x.at(px), y.at(py));
        let tip = |&(px, py): &(f64, f64)| {
            let value = format!("{}: {}", self.x.write(px), self.y.write(py));
            if series.name.is_empty() { value } else { format!("{}, {value}", series.name) }
        };
        let points = &series.points;
        html! {
            g class=(colour_class(series.colour)) {
                @match series.mark {
                    Mark::Bars(nth, of) => @for point in points {
                        (bar(x, y, *point, nth, of, &tip(point)))
                    },
                    Mark::Line => {
                        path class="line stroke" d=(path(points.iter().map(at))) {}
                        @for point in points { (dot(at(point), 3.0, &tip(point))) }
                    },
                    Mark::Steps => path class="line stroke" d=(steps(points.iter().map(at))) {
                        title { (series.name) }
                    },
                    Mark::Cumulative => @if let Some(&(first, _)) = points.first() {
                        path class="line stroke" d={
                            (steps(std::iter::once((x.at(first), y.base())).chain(points.iter().map(at))))
                            "H" (Number(x.end()))
                        } { title { (series.name) } }
                    },
                    Mark::Spans => @for ends in points.chunks(2) {
                        path class="span stroke" d=(path(ends.iter().map(at))) {}
                    },
                    Mark::Published => @for point in points { (triangle(at(point), &tip(point))) },
                    Mark::Optimum => @for &(px, _) in points {
                        path class="optimum" d={ "M" (Number(x.at(px))) " " (Number(y.end() - 4.0)) "V" (Number(y.base())) } {
                            title { (series.name) " " (self.x.write(px)) }
                        }
                    },
                }
            }
        }
    }
}

fn bar(
    x: &Placed<'_>,
    y: &Placed<'_>,
    (px, py): (f64, f64),
    nth: usize,
    of: usize,
    tip: &str,
) -> Markup {
    let width = 0.86 / of as f64;
    let from = px - 0.43 + width * nth as f64;
    let (left, right, top) = (x.at(from), x.at(from + width), y.at(py));
    html! {
        rect class="fill" x=(Number(left)) y=(Number(top)) width=(Number(right - left))
            height=(Number((y.base() - top).max(0.0))) { title { (tip) } }
    }
}

fn dot((x, y): (f64, f64), radius: f64, tip: &str) -> Markup {
    html! { circle class="fill" cx=(Number(x)) cy=(Number(y)) r=(Number(radius)) { title { (tip) } } }
}

fn triangle((x, y): (f64, f64), tip: &str) -> Markup {
    html! {
        path class="published stroke" d={ "M" (Number(x)) " " (Number(y - 5.0)) "l5 9h-10z" } {
            title { "published: " (tip) }
        }
    }
}

/// Heights at least a distance apart and within bounds, as near as can be to the given ones, which
/// ascend (least squares: those that would be too near make a group around their mean).
fn spread(heights: &[f64], apart: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    // Without the distances between them, heights have to be in order and nothing else.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (number, height) in heights.iter().enumerate() {
        let mut group = (height - number as f64 * apart, 1);
        while let Some((before, count)) = groups.pop_if(|(before, _)| *before > group.0) {
            let all = count + group.1;
            group = ((before * count as f64 + group.0 * group.1 as f64) / all as f64, all);
        }
        groups.push(group);
    }
    let last = bottom - apart * heights.len().saturating_sub(1) as f64;
    let starts = groups.iter().flat_map(|&(start, count)| std::iter::repeat_n(start, count));
    (0..)
        .zip(starts)
        .map(|(number, start)| start.min(last).max(top) + f64::from(number) * apart)
        .collect()
}

/// A path through points.
fn path(points: impl Iterator<Item = (f64, f64)>) -> Markup {
    html! {
        @for (number, (x, y)) in points.enumerate() {
            (if number == 0 { "M" } else { "L" }) (Number(x)) " " (Number(y))
        }
    }
}

/// A path that stays at the height of a point until the next one.
fn steps(points: impl Iterator<Item = (f64, f64)>) -> Markup {
    html! {
        @for (number, (x, y)) in points.enumerate() {
            @if number == 0 { "M" (Number(x)) " " (Number(y)) } @else { "H" (Number(x)) "V" (Number(y)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(mark: Mark, points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: "Lengths".to_owned(),
            x: Axis::new("moves"),
            y: Axis::new("runs"),
            series: vec![Series { name: "evolution".to_owned(), colour: 0, mark, points }],
            names_lines: false,
        }
    }

    #[test]
    fn names_at_the_ends_of_lines_do_not_overlap() {
        let mut chart = chart(Mark::Cumulative, Vec::new());
        let ends = [100.0, 99.0, 98.5, 40.0, 0.5, 0.0, 0.0];
        chart.series = (0..)
            .zip(ends)
            .map(|(colour, end)| Series {
                name: format!("solver {colour}"),
                colour,
                mark: Mark::Cumulative,
                points: vec![(1.0, end)],
            })
            .collect();
        chart.names_lines = true;
        let drawn = chart.draw((320.0, 240.0)).element().into_string();
        let mut heights: Vec<f64> = drawn
            .split("class=\"name\"")
            .skip(1)
            .map(|text| text.split(" y=\"").nth(1).unwrap().split('"').next().unwrap())
            .map(|height| height.parse().unwrap())
            .collect();
        assert_eq!(heights.len(), ends.len());
        assert!(heights.iter().all(|height| (TOP..240.0).contains(height)), "{heights:?}");
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 12.0), "{heights:?}");
        // Those that are alone stay where they are, and a group is around its mean.
        assert_eq!(
            spread(&[30.0, 100.0, 100.0, 100.0], 10.0, (0.0, 200.0)),
            [30.0, 90.0, 100.0, 110.0]
        );
        assert_eq!(spread(&[198.0, 199.0], 10.0, (0.0, 200.0)), [190.0, 200.0]);
    }

    #[test]
    fn every_point_is_drawn_inside_the_picture_with_its_tooltip() {
        let points = vec![(6.0, 10.0), (8.0, 90.0), (30.0, 1.0)];
        let drawn = chart(Mark::Bars(0, 1), points).draw((240.0, 170.0)).element().into_string();
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(drawn.contains("<title>evolution, 8: 90</title>"), "{drawn}");
        for rect in drawn.split("<rect").skip(1) {
            let attribute = |name: &str| -> f64 {
                let text = rect.split(&format!(" {name}=\"")).nth(1).unwrap();
                text.split('"').next().unwrap().parse().unwrap()
            };
            assert!(attribute("x") >= 0.0 && attribute("x") + attribute("width") <= 240.0);
            assert!(attribute("y") >= 0.0 && attribute("y") + attribute("height") <= 170.0);
        }
    }

    #[test]
    fn the_description_names_the_extremes() {
        let text = chart(Mark::Bars(0, 1), vec![(6.0, 10.0), (8.0, 90.0)]).describe();
        assert_eq!(text, "Lengths. evolution: from 6 to 8, most often 8 (90).");
        let text = chart(Mark::Line, vec![(1.0, 5.0), (3.0, 7.0)]).describe();
        assert_eq!(text, "Lengths. evolution: from 5 at 1 to 7 at 3.");
    }

    #[test]
    fn a_cumulative_share_rises_from_nothing_and_holds_to_the_end() {
        let mut chart = chart(Mark::Cumulative, vec![(1.0, 50.0), (10.0, 100.0)]);
        chart.x =
            Axis { range: Some((1.0, 100.0)), hides_title: true, ..Axis::logarithmic("cost") };
        chart.y = Axis::percent("solved");
        let drawn = chart.draw((240.0, 170.0)).element().into_string();
        let path = drawn.split("line stroke\" d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let (start, rest) = path.split_once('H').unwrap();
        assert!(start.ends_with("148"), "it starts at 0 %: {path}");
        assert!(rest.ends_with("H230"), "it ends at the right end: {path}");
        assert!(!drawn.contains(">cost<"), "{drawn}");
    }

    #[test]
    fn no_points_and_single_points_are_drawn() {
        let empty = chart(Mark::Line, Vec::new()).draw((240.0, 170.0)).element().into_string();
        assert!(empty.contains("no run solved it"));
        let drawn =
            chart(Mark::Line, vec![(1.0, 0.0)]).draw((240.0, 170.0)).element().into_string();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
    }
}
