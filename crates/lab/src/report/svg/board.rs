//! Pictures of states: grids as grids, cubes as squares within squares, other boards as rings.

use std::f64::consts::TAU;

use hyperslide_puzzle::{Board, BoardSpec, GoalCell, LabelTable, Metric, Puzzle};
use maud::{Markup, html};

use super::{Number, Picture};

/// A vertex of a picture: nothing, or a label that stands there or is wanted there.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Empty,
    /// The goal leaves it open.
    Open,
    /// A label with its number among all labels.
    Label(String, usize),
}

/// The start of a puzzle.
pub(crate) fn start(puzzle: &Puzzle) -> Picture {
    let place = |vertex| match puzzle.start().label_at(vertex) {
        Some(label) => labelled(puzzle.labels(), label),
        None => Place::Empty,
    };
    let places: Vec<Place> = puzzle.board().vertices().map(place).collect();
    picture(puzzle.board(), &places)
}

/// The goal of a puzzle.
pub(crate) fn goal(puzzle: &Puzzle) -> Picture {
    let place = |cell: &GoalCell| match cell {
        GoalCell::Any => Place::Open,
        GoalCell::Empty => Place::Empty,
        GoalCell::Label(label) => labelled(puzzle.labels(), *label),
    };
    let places: Vec<Place> = puzzle.goal().cells().iter().map(place).collect();
    picture(puzzle.board(), &places)
}

/// A board: the number of each vertex where states show a label.
pub(crate) fn vertices(board: &Board) -> Picture {
    let place = |vertex: hyperslide_puzzle::Vertex| Place::Label(vertex.index().to_string(), 0);
    let places: Vec<Place> = board.vertices().map(place).collect();
    Picture {
        alt: format!("{} with the numbers of its vertices.", board.spec()),
        ..picture(board, &places)
    }
}

fn labelled(labels: &LabelTable, label: hyperslide_puzzle::Label) -> Place {
    let number = labels.iter().position(|(known, _)| known == label).unwrap_or(0);
    Place::Label(labels.name(label).to_owned(), number)
}

fn picture(board: &Board, places: &[Place]) -> Picture {
    let (size, body) = match *board.spec() {
        BoardSpec::Grid { rows, columns }
        | BoardSpec::Cylinder { rows, columns }
        | BoardSpec::Torus { rows, columns } => grid((rows, columns), board.spec().wraps(), places),
        BoardSpec::Cube { d, .. } => network(&cube_layout(d), &edges(board), places),
        BoardSpec::Graph { vertices, .. } | BoardSpec::Faces { vertices, .. } => {
            network(&ring_layout(vertices), &edges(board), places)
        }
    };
    Picture { size, alt: describe(board, places), body }
}

/// Where the tokens stand, in a sentence.
fn describe(board: &Board, places: &[Place]) -> String {
    let tokens = places.iter().enumerate().filter_map(|(vertex, place)| match place {
        Place::Label(label, _) => Some(format!("{label} on {vertex}")),
        Place::Empty | Place::Open => None,
    });
    format!("{}: {}.", board.spec(), tokens.collect::<Vec<_>>().join(", "))
}

/// Tiles in a tray, whose sides are dashed where columns or rows wrap around.
fn grid(
    (rows, columns): (usize, usize),
    (columns_wrap, rows_wrap): (bool, bool),
    places: &[Place],
) -> ((f64, f64), Markup) {
    const CELL: f64 = 40.0;
    let (width, height) = (columns as f64 * CELL + 3.0, rows as f64 * CELL + 3.0);
    let dash = |wraps: bool, length: f64| {
        let count = (length / 11.0).round().max(1.0);
        let one = format!("{:.2} {:.2} ", 0.55 * length / count, 0.45 * length / count);
        if wraps { one.repeat(count as usize) } else { format!("{length} 0 ") }
    };
    let dashes = (rows_wrap || columns_wrap).then(|| {
        // The outline begins at the upper left corner: top, right side, bottom, left side.
        let (across, down) = (dash(columns_wrap, width), dash(rows_wrap, height));
        format!("{across}{down}{across}{down}")
    });
    let corners = if dashes.is_some() { "0" } else { "7" };
    let at = |vertex: usize| {
        ((vertex % columns) as f64 * CELL + 2.0, (vertex / columns) as f64 * CELL + 2.0)
    };
    let body = html! {
        rect class="tray" x="0.5" y="0.5" rx=(corners) width=(Number(width)) height=(Number(height)) stroke-dasharray=[dashes.as_deref().map(str::trim_end)] {}
        @for (vertex, place) in places.iter().enumerate() {
            @let (x, y) = at(vertex);
            @if let Place::Label(label, _) = place {
                rect class="tile-shape" x=(Number(x + 2.0)) y=(Number(y + 2.0)) rx="5" width=(Number(CELL - 4.0)) height=(Number(CELL - 4.0)) {}
                text class="tile-label" x=(Number(x + CELL / 2.0)) y=(Number(y + CELL / 2.0 + 5.0)) text-anchor="middle" { (label) }
            }
        }
    };
    ((columns as f64 * CELL + 4.0, rows as f64 * CELL + 4.0), body)
}

/// Vertices as circles, joined by edges.
fn network(points: &[(f64, f64)], edges: &[[usize; 2]], places: &[Place]) -> ((f64, f64), Markup) {
    const MARGIN: f64 = 18.0;
    let far = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(0.0, f64::max);
    let size = (far(|point| point.0) + 2.0 * MARGIN, far(|point| point.1) + 2.0 * MARGIN);
    let at = |vertex: usize| (points[vertex].0 + MARGIN, points[vertex].1 + MARGIN);
    let body = html! {
        @for &[a, b] in edges { (edge(at(a), at(b))) }
        @for (vertex, place) in places.iter().enumerate() {
            @let (x, y) = at(vertex);
            @match place {
                Place::Label(label, number) => g class={ "c" (number % 7) } {
                    circle class="fill" cx=(Number(x)) cy=(Number(y)) r="13" {}
                    text class="token-label" x=(Number(x)) y=(Number(y + 4.5)) text-anchor="middle" { (label) }
                },
                Place::Empty => circle class="vertex" cx=(Number(x)) cy=(Number(y)) r="6" {},
                Place::Open => circle class="vertex open" cx=(Number(x)) cy=(Number(y)) r="6" {},
            }
        }
    };
    (size, body)
}

/// An edge: straight where it is short, and a faint arc where it joins squares apart.
fn edge((ax, ay): (f64, f64), (bx, by): (f64, f64)) -> Markup {
    let length = (ax - bx).hypot(ay - by);
    let path = html! { "M" (Number(ax)) " " (Number(ay)) };
    if length <= SQUARE + 1.0 {
        return html! { path class="edge" d={ (path) "L" (Number(bx)) " " (Number(by)) } {} };
    }
    let bend = 0.09 * length;
    let (mx, my) =
        ((ax + bx) / 2.0 + bend * (by - ay) / length, (ay + by) / 2.0 - bend * (bx - ax) / length);
    html! { path class="edge far" d={ (path) "Q" (Number(mx)) " " (Number(my)) " " (Number(bx)) " " (Number(by)) } {} }
}

/// The side of the square that shows two dimensions.
const SQUARE: f64 = 132.0;

/// Bits 0 and 1 of a vertex are the corners of a square, bit 2 leads to the square within it, and
/// bits 3, 4 and 5 to other such pairs: to the right, below, and to the right of both.
fn cube_layout(d: usize) -> Vec<(f64, f64)> {
    const GAP: f64 = 48.0;
    let bit = |vertex: usize, place: usize| (vertex >> place & 1) as f64;
    let point = |vertex: usize| {
        let inner = bit(vertex, 2) * SQUARE * 0.27;
        let corner = |place: usize| inner + bit(vertex, place) * (SQUARE - 2.0 * inner);
        let step = SQUARE + GAP;
        let column = bit(vertex, 3) + 2.0 * bit(vertex, 5);
        (corner(0) + step * column, corner(1) + step * bit(vertex, 4))
    };
    let flat = |(x, y): (f64, f64)| if d == 1 { (x, 0.0) } else { (x, y) };
    (0..1 << d).map(point).map(flat).collect()
}

fn ring_layout(vertices: usize) -> Vec<(f64, f64)> {
    let radius = (vertices as f64 * 40.0 / TAU).max(60.0);
    let point = |vertex: usize| {
        let angle = TAU * vertex as f64 / vertices as f64;
        (radius + radius * angle.sin(), radius - radius * angle.cos())
    };
    (0..vertices).map(point).collect()
}

/// The pairs of neighbours, by the edge metric of the board where it has one.
fn edges(board: &Board) -> Vec<[usize; 2]> {
    let board = Board::new(board.spec().clone(), Metric::Edge).ok();
    board.as_ref().and_then(crate::describe::edges).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_and_edge_of_a_cube_is_drawn() {
        for (line, tokens, edges) in [
            ("cube:3:2 a=0,b=1,c=2 -> a=1,b=0,c=2", 3, 12),
            ("cube:4:3 a=0 -> a=15", 1, 32),
            ("cube:6:3 a=0 -> a=63", 1, 192),
        ] {
            let drawn = start(&Puzzle::from_line(line).unwrap()).element().into_string();
            assert_eq!(drawn.matches("token-label").count(), tokens, "{line}");
            assert_eq!(drawn.matches("\"edge").count(), edges, "{line}");
        }
    }

    #[test]
    fn no_two_vertices_of_a_cube_meet() {
        for d in 1..=6 {
            let points = cube_layout(d);
            for (number, a) in points.iter().enumerate() {
                for b in &points[..number] {
                    assert!((a.0 - b.0).hypot(a.1 - b.1) > 26.0, "dimension {d}");
                }
            }
        }
    }

    #[test]
    fn a_picture_says_where_tokens_stand() {
        let picture = start(&Puzzle::from_line("grid:2:2 1,2,3,0").unwrap());
        assert_eq!(picture.alt, "grid:2:2: 1 on 0, 2 on 1, 3 on 2.");
    }
}
