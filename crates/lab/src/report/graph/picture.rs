//! A small component of a puzzle graph as a picture.

use hyperslide_census::ComponentGraph;
use hyperslide_puzzle::Puzzle;
use maud::{Markup, html};

use super::layout::Layout;
use super::orbit;
use crate::report::numbers::grouped;
use crate::report::svg::{Number, Picture};

/// The colours of a picture; with more orbits they come again.
const COLOURS: u32 = 8;
/// The height of the line above the picture.
const HEADING: f64 = 26.0;

/// The greatest width and height in a page, and the least width, for the line below.
const IN_PAGE: f64 = 310.0;
const NARROWEST: f64 = 150.0;

/// A component in rows or rings by the distance to the goal, with a colour for each orbit. Every
/// state has a tooltip. A line above it says what there is to see.
pub(super) fn graph_picture(puzzle: &Puzzle, graph: &ComponentGraph) -> Picture {
    let layout = Layout::new(graph);
    // Wide enough for the line.
    let (width, height) = (layout.size.0.max(340.0), layout.size.1 + HEADING);
    let counts = graph_counts(graph);
    let body = html! {
        text class="heading" x="8" y="17" { (counts) }
        g transform={ "translate(0 " (Number(HEADING)) ")" } { (marks(puzzle, graph, &layout, 1.0)) }
    };
    Picture { size: (width, height), alt: alt(puzzle, &counts), body }
}

/// The same for a page that has a line below it, at most as large as its neighbours.
pub(crate) fn graph_in_page(puzzle: &Puzzle, graph: &ComponentGraph) -> Picture {
    let layout = Layout::new(graph);
    let (width, height) = layout.size;
    let scale = (IN_PAGE / width.max(height)).min(1.0);
    let (width, height) = (width * scale, height * scale);
    let margin = (NARROWEST - width).max(0.0) / 2.0;
    let body = html! {
        g transform={ "translate(" (Number(margin)) " 0) scale(" (Number(scale)) ")" } {
            (marks(puzzle, graph, &layout, scale))
        }
    };
    let alt = alt(puzzle, &graph_counts(graph));
    Picture { size: (width + 2.0 * margin, height), alt, body }
}

fn alt(puzzle: &Puzzle, counts: &str) -> String {
    format!("The component of {puzzle}: {counts}.")
}

/// Rings, edges and states. Where the picture is made smaller, states become smaller by less.
fn marks(puzzle: &Puzzle, graph: &ComponentGraph, layout: &Layout, scale: f64) -> Markup {
    let Layout { size: (_, height), points, rings } = layout;
    let colour = |state| orbit(graph, state).map_or(COLOURS - 1, |orbit| orbit % COLOURS);
    let tooltip = |state: usize| {
        let (text, distance) = (puzzle.write_state(&graph.states[state]), graph.distances[state]);
        match orbit(graph, state) {
            Some(orbit) => format!("{text}: distance {distance}, orbit {orbit}"),
            None => format!("{text}: distance {distance}"),
        }
    };
    html! {
        @for radius in rings.iter().skip_while(|radius| **radius == 0.0) {
            circle class="grid" cx=(Number(height / 2.0)) cy=(Number(height / 2.0)) r=(Number(*radius)) {}
        }
        path class="edge far" d={
            @for &[from, to] in &graph.edges {
                @let ((x, y), (to_x, to_y)) = (points[from as usize], points[to as usize]);
                "M" (Number(x)) " " (Number(y)) "L" (Number(to_x)) " " (Number(to_y))
            }
        } {}
        @for (state, (x, y)) in points.iter().enumerate() {
            g class={ "c" (colour(state)) } {
                circle class="fill" cx=(Number(*x)) cy=(Number(*y)) r=(Number(4.5 / scale.sqrt())) {
                    title { (tooltip(state)) }
                }
            }
        }
    }
}

/// What there is to see, in words.
pub(crate) fn graph_counts(graph: &ComponentGraph) -> String {
    let [states, moves] = [graph.states.len(), graph.edges.len()].map(grouped);
    let farthest = graph.layers().len() - 1;
    let orbits = graph.orbits.as_ref().and_then(|orbits| orbits.iter().max());
    let orbits = orbits.map(|last| format!(", orbits: {}", last + 1)).unwrap_or_default();
    format!("states: {states}, moves: {moves}, greatest distance: {farthest}{orbits}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_picture_in_a_page_fits_and_shows_every_state() {
        for line in ["cube:2:1 a=0 -> a=0", "cube:3:2 a=0,b=1,c=2,d=4 -> a=0,b=1,c=2,d=4"] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let graph = ComponentGraph::new(&puzzle, 1000, &AtomicBool::new(false)).unwrap();
            let picture = graph_in_page(&puzzle, &graph);
            let (width, height) = picture.size;
            assert!((NARROWEST..=IN_PAGE).contains(&width) && height <= IN_PAGE, "{line}: {width}");
            let drawn = picture.element().into_string();
            assert_eq!(drawn.matches("class=\"fill\"").count(), graph.states.len());
        }
    }
}
