//! Boards drawn with characters: grids, cylinders and tori as grids, cubes as nested squares.

use hyperslide_puzzle::{ANY, BoardSpec, GoalCell, Puzzle, State, Vertex};

use crate::terminal;

const EMPTY: &str = "·";

/// A state drawn as lines of equal width.
pub fn draw(puzzle: &Puzzle, state: &State) -> Vec<String> {
    let text = |vertex: usize| {
        let label = Vertex::new(vertex).and_then(|v| state.label_at(v));
        label.map_or(EMPTY.to_owned(), |label| puzzle.labels().name(label).to_owned())
    };
    draw_cells(puzzle.board().spec(), &text, terminal::width())
}

/// A goal drawn in the same way; `*` stands on vertices that it leaves free.
pub fn draw_goal(puzzle: &Puzzle) -> Vec<String> {
    let text = |vertex: usize| match puzzle.goal().cells()[vertex] {
        GoalCell::Any => ANY.to_owned(),
        GoalCell::Empty => EMPTY.to_owned(),
        GoalCell::Label(label) => puzzle.labels().name(label).to_owned(),
    };
    draw_cells(puzzle.board().spec(), &text, terminal::width())
}

/// The numbers of a board's vertices, drawn where its states show labels.
pub fn draw_vertices(spec: &BoardSpec) -> Vec<String> {
    draw_cells(spec, &|vertex| vertex.to_string(), terminal::width())
}

fn draw_cells(
    spec: &BoardSpec,
    text: &dyn Fn(usize) -> String,
    width: Option<usize>,
) -> Vec<String> {
    match *spec {
        BoardSpec::Grid { rows, columns }
        | BoardSpec::Cylinder { rows, columns }
        | BoardSpec::Torus { rows, columns } => grid((rows, columns), spec.wraps(), text),
        BoardSpec::Cube { d, .. } => cube(d, text, width.unwrap_or(usize::MAX)),
        BoardSpec::Graph { vertices, .. } | BoardSpec::Faces { vertices, .. } => {
            list(vertices, text)
        }
    }
}

/// Two pictures under their titles, side by side where the terminal has room for both.
pub fn side_by_side(left: (&str, Vec<String>), right: (&str, Vec<String>)) -> String {
    side_by_side_within(terminal::width().unwrap_or(usize::MAX), left, right)
}

/// Spaces before a picture.
const INDENT: usize = 2;

fn side_by_side_within(
    width: usize,
    left: (&str, Vec<String>),
    right: (&str, Vec<String>),
) -> String {
    const GAP: usize = 6;
    let titled = |(title, lines): (&str, Vec<String>)| {
        let mut all = vec![title.to_owned()];
        all.extend(lines);
        all
    };
    let (mut left, right) = (titled(left), titled(right));
    let lines = if INDENT + width_of(&left) + GAP + width_of(&right) <= width {
        join(&[left, right], GAP)
    } else {
        left.push(String::new());
        [left, right].concat()
    };
    let indent = |line: &String| format!("{:INDENT$}{line}", "").trim_end().to_owned() + "\n";
    lines.iter().map(indent).collect()
}

fn width_of(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or_default()
}

/// Columns of lines put next to each other with the given number of spaces between them.
fn join(columns: &[Vec<String>], gap: usize) -> Vec<String> {
    let height = columns.iter().map(Vec::len).max().unwrap_or_default();
    (0..height)
        .map(|row| {
            let mut line = String::new();
            for (number, column) in columns.iter().enumerate() {
                let cell = column.get(row).map_or("", String::as_str);
                let width = if number + 1 < columns.len() { width_of(column) + gap } else { 0 };
                line.push_str(&format!("{cell:width$}"));
            }
            line
        })
        .collect()
}

/// A grid, whose sides are dashed where columns or rows wrap around.
fn grid(
    (rows, columns): (usize, usize),
    (columns_wrap, rows_wrap): (bool, bool),
    text: &dyn Fn(usize) -> String,
) -> Vec<String> {
    let cells: Vec<String> = (0..rows * columns).map(text).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(1);
    let rule = |line: &str, left: &str, middle: &str, right: &str| {
        let segments = vec![line.repeat(width + 2); columns];
        format!("{left}{}{right}", segments.join(middle))
    };
    let outer = if columns_wrap { "┄" } else { "─" };
    let side = if rows_wrap { "┆" } else { "│" };
    let mut lines = vec![rule(outer, "┌", "┬", "┐")];
    for (number, row) in cells.chunks(columns).enumerate() {
        if number > 0 {
            lines.push(rule("─", "├", "┼", "┤"));
        }
        let row: Vec<String> = row.iter().map(|cell| format!(" {cell:>width$} ")).collect();
        lines.push(format!("{side}{}{side}", row.join("│")));
    }
    lines.push(rule(outer, "└", "┴", "┘"));
    lines
}

/// A square for the first two coordinates, the inner of two nested squares for the third, and
/// panels for the others: the fourth goes right, the fifth down, the sixth right again, or down
/// where there is no room.
fn cube(d: usize, text: &dyn Fn(usize) -> String, most: usize) -> Vec<String> {
    let width = (0..1 << d).map(|v| text(v).chars().count()).max().unwrap_or(1);
    let panel = |first: usize| {
        let corner = |vertex: usize| text(first + vertex);
        let mut lines = match d {
            1 | 2 => square(d, width, &corner),
            _ => nested_squares(width, &corner),
        };
        if d > 3 {
            lines.push(format!("vertices {first}-{}", first + 7));
        }
        lines
    };
    const GAP: usize = 4;
    let across = |panels: usize| INDENT + panels * width_of(&panel(0)) + (panels - 1) * GAP;
    let rows: &[&[usize]] = match d {
        0..=3 => &[&[0]],
        4 if across(2) <= most => &[&[0, 8]],
        4 => &[&[0], &[8]],
        5 if across(2) <= most => &[&[0, 8], &[16, 24]],
        5 => &[&[0], &[8], &[16], &[24]],
        _ if across(4) <= most => &[&[0, 8, 32, 40], &[16, 24, 48, 56]],
        _ if across(2) <= most => &[&[0, 8], &[16, 24], &[32, 40], &[48, 56]],
        _ => &[&[0], &[8], &[16], &[24], &[32], &[40], &[48], &[56]],
    };
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(join(&row.iter().map(|&first| panel(first)).collect::<Vec<_>>(), GAP));
    }
    lines
}

fn square(d: usize, width: usize, corner: &dyn Fn(usize) -> String) -> Vec<String> {
    let edge = |a: usize, b: usize| {
        let (a, b) = (corner(a), corner(b));
        let line = "─".repeat(5 + 2 * width - a.chars().count() - b.chars().count());
        format!("{a}{line}{b}")
    };
    match d {
        1 => vec![edge(0, 1)],
        _ => {
            let side = format!("│{}│", " ".repeat(3 + 2 * width));
            vec![edge(0, 1), side.clone(), edge(2, 3)]
        }
    }
}

fn nested_squares(width: usize, corner: &dyn Fn(usize) -> String) -> Vec<String> {
    // Inset of the inner square: a diagonal of one character between the labels of two corners.
    let inset = width + 2;
    let total = 2 * inset + 2 * width + 3;
    let mut canvas = vec![vec![' '; total]; 7];
    let mut put = |row: usize, column: usize, c: char| canvas[row][column] = c;
    for (row, left) in [(0, 0), (2, inset), (4, inset), (6, 0)] {
        (left..total - left).for_each(|column| put(row, column, '─'));
    }
    (1..6).for_each(|row| {
        put(row, 0, '│');
        put(row, total - 1, '│');
    });
    put(3, inset, '│');
    put(3, total - 1 - inset, '│');
    for (row, left) in [(1, '╲'), (5, '╱')] {
        put(row, inset - 1, left);
        put(row, total - inset, if left == '╲' { '╱' } else { '╲' });
    }
    for vertex in 0..8 {
        let (row, left) = match (vertex >> 2 & 1, vertex >> 1 & 1) {
            (0, 0) => (0, 0),
            (0, _) => (6, 0),
            (_, 0) => (2, inset),
            _ => (4, inset),
        };
        let label: Vec<char> = corner(vertex).chars().collect();
        let start = if vertex & 1 == 0 { left } else { total - left - label.len() };
        label.iter().enumerate().for_each(|(place, &c)| put(row, start + place, c));
    }
    canvas.into_iter().map(|line| line.into_iter().collect()).collect()
}

fn list(vertices: usize, text: &dyn Fn(usize) -> String) -> Vec<String> {
    let digits = vertices.saturating_sub(1).to_string().len();
    (0..vertices).map(|vertex| format!("{vertex:>digits$}: {}", text(vertex))).collect()
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{Board, Metric};

    use super::*;

    #[test]
    fn pictures_fit_sixty_columns() {
        for spec in [
            BoardSpec::Grid { rows: 8, columns: 8 },
            BoardSpec::Cube { d: 4, k: 2 },
            BoardSpec::Cube { d: 5, k: 2 },
            BoardSpec::Cube { d: 6, k: 2 },
        ] {
            let drawn = draw_cells(&spec, &|vertex| vertex.to_string(), Some(60));
            let text = side_by_side_within(60, ("start", drawn.clone()), ("goal", drawn.clone()));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(60), "{spec}:\n{text}");
            let shown = |number: usize| {
                let names = text.split(|c: char| !c.is_ascii_digit());
                names.filter(|name| *name == number.to_string()).count()
            };
            let vertices = Board::new(spec, Metric::Face).unwrap().vertex_count();
            assert!((0..vertices).all(|vertex| shown(vertex) >= 2), "{text}");
        }
        // With room for them they stand side by side.
        let small = draw_cells(&BoardSpec::Grid { rows: 2, columns: 2 }, &|_| "1".to_owned(), None);
        let text = side_by_side_within(60, ("start", small.clone()), ("goal", small));
        assert_eq!(text.lines().count(), 6);
    }
}
