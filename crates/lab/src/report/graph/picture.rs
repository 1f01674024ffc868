//! A small component of a puzzle graph as a picture.

use hyperslide_census::ComponentGraph;
use hyperslide_puzzle::Puzzle;
use maud::html;

use super::layout::Layout;
use super::orbit;
use crate::report::svg::{Number, Picture};

/// The colours of a picture; with more orbits they come again.
const COLOURS: u32 = 8;
/// The height of the line above the picture.
const HEADING: f64 = 26.0;

/// A component in rows or rings by the distance to the goal, with a colour for each orbit. Every
/// state has a tooltip.
pub(super) fn graph_picture(puzzle: &Puzzle, graph: &ComponentGraph) -> Picture {
    let Layout { size: (width, height), points, rings } = Layout::new(graph);
    let summary = summary(graph);
    // Wide enough for the line.
    let width = width.max(340.0);
    let colour = |state| orbit(graph, state).map_or(COLOURS - 1, |orbit| orbit % COLOURS);
    let tooltip = |state: usize| {
        let (text, distance) = (puzzle.write_state(&graph.states[state]), graph.distances[state]);
        match orbit(graph, state) {
            Some(orbit) => format!("{text}: distance {distance}, orbit {orbit}"),
            None => format!("{text}: distance {distance}"),
        }
    };
    let body = html! {
        text class="heading" x="8" y="17" { (summary) }
        g transform={ "translate(0 " (Number(HEADING)) ")" } {
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
                    circle class="fill" cx=(Number(*x)) cy=(Number(*y)) r="4.5" { title { (tooltip(state)) } }
                }
            }
        }
    };
    let alt = format!("The component of {puzzle}: {summary}.");
    Picture { size: (width, height + HEADING), alt, body }
}

/// What there is to see, in words.
fn summary(graph: &ComponentGraph) -> String {
    let (states, moves) = (graph.states.len(), graph.edges.len());
    let farthest = graph.layers().len() - 1;
    let orbits = graph.orbits.as_ref().and_then(|orbits| orbits.iter().max());
    let orbits = orbits.map(|last| format!(", orbits: {}", last + 1)).unwrap_or_default();
    format!("states: {states}, moves: {moves}, greatest distance: {farthest}{orbits}")
}
