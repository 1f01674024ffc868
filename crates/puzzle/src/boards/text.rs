//! The notation of boards: `grid:R:C`, `torus:R:C`, `cube:D:K`, `graph:...`, `faces:...`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{BoardSpec, FAMILIES, Graph6Error, named_graph, read_graph6_line};
use crate::text::{parse_number as number, quote};

/// Why a text does not describe a board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum BoardNotationError {
    #[error("board {} is unknown: write {}", quote(.0), board_syntaxes())]
    Unknown(String),
    #[error("board {} is malformed: write {syntax}", quote(.text))]
    Malformed { text: String, syntax: &'static str },
    #[error(
        "board {family}:{a}x{b} may have {a} rows or {a} columns: write {family}:{a}:{b} for {a} rows of \
         {b} vertices, or {family}:{b}:{a} for {b} rows of {a}"
    )]
    RowsOrColumns { family: &'static str, a: usize, b: usize },
    #[error("board {}: {error}", quote(.text))]
    Graph6 { text: String, error: Graph6Error },
}

fn board_syntaxes() -> String {
    let names: Vec<String> = FAMILIES.iter().map(|family| format!("{}:...", family.name)).collect();
    names.join(", ")
}

/// A board as written: its description, or the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardSource {
    /// The board is written out.
    Spec(BoardSpec),
    /// The board is a graph that is known by name: `graph:NAME`. The reader of files makes sure
    /// that no file has the name of the graph, so that neither hides the other.
    Named {
        /// The name.
        name: String,
        /// The graph.
        spec: BoardSpec,
    },
    /// The board is in a file: `graph:FILE` or `faces:FILE`. A file whose name is that of a graph
    /// is written with its directory, as in `graph:./petersen`.
    File {
        /// `graph` or `faces`.
        family: &'static str,
        /// The path as written.
        path: String,
    },
}

impl BoardSource {
    /// Returns the board if it is written out or named.
    ///
    /// # Errors
    ///
    /// Returns the path of the file that holds the board.
    pub fn into_spec(self) -> Result<BoardSpec, String> {
        match self {
            BoardSource::Spec(spec) | BoardSource::Named { spec, .. } => Ok(spec),
            BoardSource::File { path, .. } => Err(path),
        }
    }
}

impl FromStr for BoardSource {
    type Err = BoardNotationError;

    fn from_str(text: &str) -> Result<BoardSource, BoardNotationError> {
        let (family, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some(family) = FAMILIES.iter().find(|known| known.name == family) else {
            return Err(BoardNotationError::Unknown(text.to_owned()));
        };
        let malformed =
            || BoardNotationError::Malformed { text: text.to_owned(), syntax: family.syntax };
        let two_numbers = || -> Result<(usize, usize), BoardNotationError> {
            let (a, b) = rest.split_once(':').ok_or_else(malformed)?;
            Ok((number(a).ok_or_else(malformed)?, number(b).ok_or_else(malformed)?))
        };
        let spec = match family.name {
            "grid" | "cylinder" | "torus" => {
                let (rows, columns) = match rest.split_once(['x', '×']) {
                    None => two_numbers()?,
                    Some((a, b)) => {
                        let a = number(a).ok_or_else(malformed)?;
                        let b = number(b).ok_or_else(malformed)?;
                        if a != b {
                            let family = family.name;
                            return Err(BoardNotationError::RowsOrColumns { family, a, b });
                        }
                        (a, b)
                    }
                };
                match family.name {
                    "grid" => BoardSpec::Grid { rows, columns },
                    "cylinder" => BoardSpec::Cylinder { rows, columns },
                    _ => BoardSpec::Torus { rows, columns },
                }
            }
            "cube" => {
                let (d, k) = two_numbers()?;
                BoardSpec::Cube { d, k }
            }
            name @ ("graph6" | "sparse6") => {
                let graph6 = |error| BoardNotationError::Graph6 { text: text.to_owned(), error };
                if (name == "sparse6") != rest.starts_with(':') {
                    return Err(if name == "sparse6" {
                        graph6(Graph6Error::NoColon)
                    } else {
                        malformed()
                    });
                }
                read_graph6_line(rest).map_err(graph6)?
            }
            _ if rest.is_empty() => return Err(malformed()),
            _ if !is_inline(rest) => {
                if family.name == "graph"
                    && let Some(spec) = named_graph(rest)
                {
                    return Ok(BoardSource::Named { name: rest.to_owned(), spec });
                }
                return Ok(BoardSource::File { family: family.name, path: rest.to_owned() });
            }
            name => {
                let mut parts = rest.split(':');
                let vertices = parts.next().and_then(number).ok_or_else(malformed)?;
                let sets = parts.next().and_then(sets).ok_or_else(malformed)?;
                let edges = match parts.next() {
                    Some(text) => Some(self::sets(text).and_then(pairs).ok_or_else(malformed)?),
                    None => None,
                };
                if parts.next().is_some() {
                    return Err(malformed());
                }
                match (name, edges) {
                    ("graph", None) => {
                        BoardSpec::Graph { vertices, edges: pairs(sets).ok_or_else(malformed)? }
                    }
                    ("faces", edges) => BoardSpec::Faces { vertices, faces: sets, edges },
                    _ => return Err(malformed()),
                }
            }
        };
        Ok(BoardSource::Spec(spec))
    }
}

/// Returns whether the text after the family's name is a board written out rather than the name of
/// a file.
fn is_inline(rest: &str) -> bool {
    rest.split_once(':').is_some_and(|(count, _)| {
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn sets(text: &str) -> Option<Vec<Vec<usize>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|set| set.split('-').map(number).collect()).collect()
}

fn pairs(sets: Vec<Vec<usize>>) -> Option<Vec<[usize; 2]>> {
    sets.into_iter().map(|set| set.try_into().ok()).collect()
}

impl fmt::Display for BoardSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn write_sets<'a>(
            f: &mut fmt::Formatter<'_>,
            sets: impl Iterator<Item = &'a [usize]>,
        ) -> fmt::Result {
            f.write_str(":")?;
            for (number, set) in sets.enumerate() {
                for (place, vertex) in set.iter().enumerate() {
                    let before = if place > 0 {
                        "-"
                    } else if number > 0 {
                        ","
                    } else {
                        ""
                    };
                    write!(f, "{before}{vertex}")?;
                }
            }
            Ok(())
        }
        match self {
            BoardSpec::Grid { rows, columns } => write!(f, "grid:{rows}:{columns}"),
            BoardSpec::Cylinder { rows, columns } => write!(f, "cylinder:{rows}:{columns}"),
            BoardSpec::Torus { rows, columns } => write!(f, "torus:{rows}:{columns}"),
            BoardSpec::Cube { d, k } => write!(f, "cube:{d}:{k}"),
            BoardSpec::Graph { vertices, edges } => {
                write!(f, "graph:{vertices}")?;
                write_sets(f, edges.iter().map(<[usize; 2]>::as_slice))
            }
            BoardSpec::Faces { vertices, faces, edges } => {
                write!(f, "faces:{vertices}")?;
                write_sets(f, faces.iter().map(Vec::as_slice))?;
                match edges {
                    Some(edges) => write_sets(f, edges.iter().map(<[usize; 2]>::as_slice)),
                    None => Ok(()),
                }
            }
        }
    }
}
