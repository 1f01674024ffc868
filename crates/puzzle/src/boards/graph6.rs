//! The formats graph6 and sparse6 of nauty, in which most collections of graphs are published.
//!
//! Source: B. D. McKay, formats.txt of nauty 2.8. A graph is a line of characters from `?` to `~`,
//! each of which stands for six bits.

use std::fmt;

use thiserror::Error;

use super::{BoardFamily, BoardSpec};
use crate::text::quote;
use crate::vertex::MAX_VERTICES;

pub(super) const GRAPH6: BoardFamily = BoardFamily {
    name: "graph6",
    syntax: "graph6:LINE",
    summary: "a graph in the format of nauty's geng, SageMath and the House of Graphs",
    example: "graph6:DQc",
};

pub(super) const SPARSE6: BoardFamily = BoardFamily {
    name: "sparse6",
    syntax: "sparse6::LINE",
    summary: "a graph in the format sparse6, which begins with a colon of its own",
    example: "sparse6::Fa@x^",
};

/// A format of graphs as lines of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graph6Format {
    /// One bit for each pair of vertices.
    Graph6,
    /// A list of edges, short for graphs with few.
    Sparse6,
}

impl Graph6Format {
    /// Returns the name, `graph6` or `sparse6`.
    pub fn name(self) -> &'static str {
        match self {
            Graph6Format::Graph6 => "graph6",
            Graph6Format::Sparse6 => "sparse6",
        }
    }
}

impl fmt::Display for Graph6Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a line is not a graph that a board can have. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum Graph6Error {
    #[error("the line is empty: a graph has at least one character")]
    Empty,
    #[error("column {column}: {} is not a character of {format}, which are ? to ~", quote(&.found.to_string()))]
    Character { format: Graph6Format, column: usize, found: char },
    #[error(
        "column {column}: the {format} line ends too soon: a graph of {vertices} vertices has {expected} characters"
    )]
    Short { format: Graph6Format, column: usize, vertices: u64, expected: usize },
    #[error("column {column}: the number of vertices is cut off")]
    CutOff { column: usize },
    #[error("column {column}: {} follows the end of the graph: a graph6 line of {vertices} vertices has {expected} characters", quote(.rest))]
    Long { column: usize, rest: String, vertices: u64, expected: usize },
    #[error("column {column}: the bits after the last pair of vertices must be 0, as in {}", quote(.expected))]
    Padding { column: usize, expected: String },
    #[error(
        "column {column}: the graph has {vertices} vertices: a board has at most {MAX_VERTICES}"
    )]
    TooManyVertices { column: usize, vertices: u64 },
    #[error("column {column}: vertex {vertex} has a loop, and a board has none")]
    Loop { column: usize, vertex: usize },
    #[error("column {column}: edge {a}-{b} is repeated, and a board has each edge once")]
    Repeated { column: usize, a: usize, b: usize },
    #[error("column 1: {found} is not read: write graph6 or sparse6")]
    OtherFormat { found: &'static str },
    #[error("a line of sparse6 begins with a colon")]
    NoColon,
}

/// What a file in one of these formats may begin with.
const HEADERS: [&str; 2] = [">>graph6<<", ">>sparse6<<"];

/// Reads a graph from a line of graph6 or, if it begins with a colon, of sparse6. The line may have
/// the header of a file before it.
///
/// # Errors
///
/// Returns the column and what is wrong there.
pub fn read_graph6_line(line: &str) -> Result<BoardSpec, Graph6Error> {
    let line = line.trim_end_matches(['\r', '\n']);
    let header = HEADERS.into_iter().find(|header| line.starts_with(header)).unwrap_or("");
    let text = &line[header.len()..];
    match text.chars().next() {
        None => Err(Graph6Error::Empty),
        Some('&') => Err(Graph6Error::OtherFormat { found: "digraph6" }),
        Some(';') => Err(Graph6Error::OtherFormat { found: "incremental sparse6" }),
        Some('>') => Err(Graph6Error::OtherFormat { found: "this header" }),
        Some(':') => {
            let sixes = Sixes::new(Graph6Format::Sparse6, &text[1..], header.len() + 1)?;
            read_sparse6(&sixes)
        }
        Some(_) => read_graph6(&Sixes::new(Graph6Format::Graph6, text, header.len())?),
    }
}

/// Reads a file with one graph in graph6 or sparse6.
///
/// # Errors
///
/// Returns one line that names the line and the column of the mistake, or says that the file does
/// not hold exactly one graph.
pub fn read_graph6_file(text: &str) -> Result<BoardSpec, String> {
    let is_header = |line: &str| HEADERS.contains(&line);
    let mut lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !is_header(line));
    let Some((number, line)) = lines.next() else { return Err("it holds no graph".to_owned()) };
    if let Some((more, _)) = lines.next() {
        return Err(format!(
            "line {more}: a second graph, but only one is expected: hyperslide census - reads many"
        ));
    }
    read_graph6_line(line.trim()).map_err(|error| format!("line {number}, {error}"))
}

/// The characters of a line as numbers of six bits.
struct Sixes {
    format: Graph6Format,
    values: Vec<u8>,
    /// The number of characters before the first value.
    before: usize,
}

impl Sixes {
    fn new(format: Graph6Format, text: &str, before: usize) -> Result<Sixes, Graph6Error> {
        let value = |(place, found): (usize, char)| match found {
            '?'..='~' => Ok(found as u8 - b'?'),
            _ => Err(Graph6Error::Character { format, column: before + place + 1, found }),
        };
        let values = text.chars().enumerate().map(value).collect::<Result<_, _>>()?;
        Ok(Sixes { format, values, before })
    }

    fn column(&self, place: usize) -> usize {
        self.before + place + 1
    }

    /// Returns the number of vertices, and the number of values that it takes.
    fn vertices(&self) -> Result<(usize, usize), Graph6Error> {
        let (from, to) = match self.values[..] {
            [] => return Err(Graph6Error::CutOff { column: self.column(0) }),
            [63, 63, ..] => (2, 8),
            [63, ..] => (1, 4),
            [_, ..] => (0, 1),
        };
        let Some(digits) = self.values.get(from..to) else {
            return Err(Graph6Error::CutOff { column: self.column(self.values.len()) });
        };
        let vertices = digits.iter().fold(0, |number, &digit| number << 6 | u64::from(digit));
        if vertices > MAX_VERTICES as u64 {
            return Err(Graph6Error::TooManyVertices { column: self.column(0), vertices });
        }
        Ok((vertices as usize, to))
    }

    /// Returns a bit after the first `from` values.
    fn bit(&self, from: usize, number: usize) -> bool {
        self.values[from + number / 6] >> (5 - number % 6) & 1 == 1
    }
}

fn read_graph6(sixes: &Sixes) -> Result<BoardSpec, Graph6Error> {
    let (vertices, from) = sixes.vertices()?;
    let pairs = vertices * vertices.saturating_sub(1) / 2;
    let expected = from + pairs.div_ceil(6);
    let found = sixes.values.len();
    let (format, count) = (sixes.format, vertices as u64);
    if found < expected {
        let column = sixes.column(found);
        return Err(Graph6Error::Short { format, column, vertices: count, expected });
    }
    if found > expected {
        let rest = sixes.values[expected..].iter().map(|value| (value + b'?') as char).collect();
        let column = sixes.column(expected);
        return Err(Graph6Error::Long { column, rest, vertices: count, expected });
    }
    let mut edges = Vec::new();
    let mut number = 0;
    for b in 0..vertices {
        for a in 0..b {
            if sixes.bit(from, number) {
                edges.push([a, b]);
            }
            number += 1;
        }
    }
    if (pairs..(expected - from) * 6).any(|number| sixes.bit(from, number)) {
        let expected = write_graph6(Graph6Format::Graph6, vertices, &edges);
        return Err(Graph6Error::Padding { column: sixes.column(found - 1), expected });
    }
    Ok(BoardSpec::Graph { vertices, edges })
}

/// Returns the number of bits that a vertex takes in sparse6.
fn vertex_bits(vertices: usize) -> usize {
    (usize::BITS - vertices.saturating_sub(1).leading_zeros()) as usize
}

fn read_sparse6(sixes: &Sixes) -> Result<BoardSpec, Graph6Error> {
    let (vertices, from) = sixes.vertices()?;
    let width = vertex_bits(vertices);
    let bits = (sixes.values.len() - from) * 6;
    let mut edges: Vec<[usize; 2]> = Vec::new();
    let (mut v, mut number) = (0, 0);
    while number + 1 + width <= bits {
        let column = sixes.column(from + (number + width) / 6);
        v += usize::from(sixes.bit(from, number));
        let digits = number + 1..number + 1 + width;
        let x = digits.fold(0, |x, place| x << 1 | usize::from(sixes.bit(from, place)));
        number += 1 + width;
        if x >= vertices || v >= vertices {
            break;
        }
        if x > v {
            v = x;
        } else if x == v {
            return Err(Graph6Error::Loop { column, vertex: v });
        } else if edges.contains(&[x, v]) {
            return Err(Graph6Error::Repeated { column, a: x, b: v });
        } else {
            edges.push([x, v]);
        }
    }
    Ok(BoardSpec::Graph { vertices, edges })
}

/// Writes a graph as a line without its end. Pairs of vertices may be in any order; none may be a
/// loop or repeated.
///
/// ```
/// use hyperslide_puzzle::{Graph6Format, write_graph6};
///
/// // The example of formats.txt.
/// let edges = [[0, 2], [0, 4], [1, 3], [3, 4]];
/// assert_eq!(write_graph6(Graph6Format::Graph6, 5, &edges), "DQc");
/// ```
pub fn write_graph6(format: Graph6Format, vertices: usize, edges: &[[usize; 2]]) -> String {
    let mut edges: Vec<[usize; 2]> =
        edges.iter().map(|&[a, b]| if a > b { [b, a] } else { [a, b] }).collect();
    // Both formats go through the edges by their greater vertex.
    edges.sort_unstable_by_key(|&[a, b]| (b, a));
    let mut values = written_number(vertices as u64);
    match format {
        Graph6Format::Graph6 => {
            let pairs = vertices * vertices.saturating_sub(1) / 2;
            let from = values.len();
            values.resize(from + pairs.div_ceil(6), 0);
            for [a, b] in edges {
                let number = b * (b - 1) / 2 + a;
                values[from + number / 6] |= 1 << (5 - number % 6);
            }
        }
        Graph6Format::Sparse6 => values.extend(sparse6_values(vertices, &edges)),
    }
    let before = if format == Graph6Format::Sparse6 { ":" } else { "" };
    let characters = values.into_iter().map(|value| (value + b'?') as char);
    before.chars().chain(characters).collect()
}

/// The edges of a graph in sparse6, which are in the order of their greater vertex.
fn sparse6_values(vertices: usize, edges: &[[usize; 2]]) -> Vec<u8> {
    let width = vertex_bits(vertices);
    let mut bits: Vec<bool> = Vec::new();
    let mut put = |advance: bool, x: usize| {
        bits.push(advance);
        bits.extend((0..width).rev().map(|place| x >> place & 1 == 1));
    };
    let mut v = 0;
    for &[a, b] in edges {
        if b > v + 1 {
            put(true, b);
            put(false, a);
        } else {
            put(b == v + 1, a);
        }
        v = b;
    }
    // Padding of ones could be read as an edge of the last vertex when that has none and the vertex
    // before it has one.
    let padding = bits.len().next_multiple_of(6) - bits.len();
    let is_doubtful = width < 6
        && vertices == 1 << width
        && padding > width
        && v + 2 == vertices
        && !edges.is_empty();
    if is_doubtful {
        bits.push(false);
    }
    bits.resize(bits.len().next_multiple_of(6), true);
    let value = |six: &[bool]| six.iter().fold(0, |value, &bit| value << 1 | u8::from(bit));
    bits.chunks(6).map(value).collect()
}

/// Returns N(n) of formats.txt as values of six bits.
fn written_number(number: u64) -> Vec<u8> {
    let digits = |count: u32| (0..count).rev().map(move |place| (number >> (6 * place) & 63) as u8);
    match number {
        0..=62 => digits(1).collect(),
        63..=258_047 => [63].into_iter().chain(digits(3)).collect(),
        _ => [63, 63].into_iter().chain(digits(6)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(vertices: usize, edges: &[[usize; 2]]) -> BoardSpec {
        BoardSpec::Graph { vertices, edges: edges.to_vec() }
    }

    #[test]
    fn the_examples_of_the_specification() {
        let bytes = |number| -> Vec<u8> {
            written_number(number).into_iter().map(|value| value + 63).collect()
        };
        assert_eq!(bytes(30), [93]);
        assert_eq!(bytes(12_345), [126, 66, 63, 120]);
        assert_eq!(bytes(460_175_067), [126, 126, 63, 90, 90, 90, 90, 90]);
        let (five, seven) = ([[0, 2], [0, 4], [1, 3], [3, 4]], [[0, 1], [0, 2], [1, 2], [5, 6]]);
        assert_eq!(read_graph6_line("DQc").unwrap().sorted(), graph(5, &five));
        assert_eq!(read_graph6_line(">>graph6<<DQc\n").unwrap().sorted(), graph(5, &five));
        assert_eq!(write_graph6(Graph6Format::Sparse6, 7, &seven), ":Fa@x^");
        assert_eq!(read_graph6_line(":Fa@x^").unwrap().sorted(), graph(7, &seven));
    }

    #[test]
    fn what_nauty_writes_for_known_graphs() {
        // The empty graphs, an edge, a path, a triangle, K4, and Petersen's graph.
        for (line, vertices, edges) in [
            ("@", 1, 0),
            ("A?", 2, 0),
            ("A_", 2, 1),
            ("Bg", 3, 2),
            ("Bw", 3, 3),
            ("C~", 4, 6),
            ("IheA@GUAo", 10, 15),
        ] {
            let BoardSpec::Graph { vertices: n, edges: found } = read_graph6_line(line).unwrap()
            else {
                panic!("{line}")
            };
            assert_eq!((n, found.len()), (vertices, edges), "{line}");
            assert_eq!(write_graph6(Graph6Format::Graph6, n, &found), line);
        }
    }

    #[test]
    fn mistakes_are_named_with_their_column() {
        for (line, expected) in [
            ("", "empty"),
            ("D Qc", "column 2: ' '"),
            ("DQ", "column 3: the graph6 line ends too soon: a graph of 5 vertices has 3"),
            ("DQcx", "column 4: 'x' follows"),
            (">>graph6<<DQ\u{e9}", "column 13: 'é'"),
            ("~?", "column 3: the number of vertices is cut off"),
            ("~~?ZZZZZ", "column 1: the graph has 460175067 vertices"),
            ("~?@@", "column 1: the graph has 65 vertices"),
            ("A`", "column 2: the bits after the last pair"),
            ("&DI?AO?", "digraph6"),
            (";Fa@x^", "incremental sparse6"),
            (":", "column 2: the number"),
            (":A?", "column 3: vertex 0 has a loop"),
            (":A_", "column 3: edge 0-1 is repeated"),
        ] {
            let error = read_graph6_line(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
        let file = |text: &str| read_graph6_file(text).unwrap_err();
        assert!(file("\n\nDQ\n").starts_with("line 3, column 3"), "{}", file("\n\nDQ\n"));
        assert!(file("DQc\nDQc\n").starts_with("line 2: a second graph"));
        assert_eq!(file(">>graph6<<\n"), "it holds no graph");
    }

    fn any_graph() -> impl Strategy<Value = (usize, Vec<[usize; 2]>)> {
        (1usize..=64, 0.0..1.0).prop_flat_map(|(vertices, density)| {
            let pairs: Vec<[usize; 2]> =
                (0..vertices).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
            let take = prop::collection::vec(prop::bool::weighted(density), pairs.len());
            take.prop_map(move |take| {
                let taken = pairs.iter().zip(take).filter(|&(_, take)| take);
                (vertices, taken.map(|(&pair, _)| pair).collect())
            })
        })
    }

    proptest! {
        #[test]
        fn reading_undoes_writing((vertices, edges) in any_graph()) {
            for format in [Graph6Format::Graph6, Graph6Format::Sparse6] {
                let line = write_graph6(format, vertices, &edges);
                let read = read_graph6_line(&line).unwrap().sorted();
                prop_assert_eq!(read, graph(vertices, &edges).sorted(), "{}", line);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(line in ".{0,30}") {
            let _ = read_graph6_line(&line);
        }
    }

    #[test]
    fn padding_is_never_an_edge() {
        // Every graph of 1 to 4 vertices, and 8 and 16 with few edges: the cases that formats.txt
        // names for its padding.
        for vertices in 1..=4usize {
            let pairs: Vec<[usize; 2]> =
                (0..vertices).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
            for chosen in 0..1u32 << pairs.len() {
                let edges: Vec<[usize; 2]> = pairs
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| chosen >> i & 1 == 1)
                    .map(|(_, &e)| e)
                    .collect();
                let line = write_graph6(Graph6Format::Sparse6, vertices, &edges);
                assert_eq!(
                    read_graph6_line(&line).unwrap().sorted(),
                    graph(vertices, &edges).sorted(),
                    "{line}"
                );
            }
        }
        for vertices in [8usize, 16] {
            for a in 0..vertices - 2 {
                let edges = [[a, vertices - 2]];
                let line = write_graph6(Graph6Format::Sparse6, vertices, &edges);
                assert_eq!(read_graph6_line(&line).unwrap(), graph(vertices, &edges), "{line}");
            }
        }
    }
}
