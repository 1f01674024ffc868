//! The notation of boards: `grid:R:C`, `cube:D:K`, `graph:...`, `faces:...`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{BoardSpec, FAMILIES};
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
        "board grid:{a}x{b} may have {a} rows or {a} columns: write grid:{a}:{b} for {a} rows of {b} \
         vertices, or grid:{b}:{a} for {b} rows of {a}"
    )]
    RowsOrColumns { a: usize, b: usize },
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
    /// The board is in a file: `graph:FILE` or `faces:FILE`.
    File {
        /// `graph` or `faces`.
        family: &'static str,
        /// The path as written.
        path: String,
    },
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
            "grid" if rest.contains(['x', '×']) => {
                let (a, b) = rest.split_once(['x', '×']).ok_or_else(malformed)?;
                let (a, b) = (number(a).ok_or_else(malformed)?, number(b).ok_or_else(malformed)?);
                if a != b {
                    return Err(BoardNotationError::RowsOrColumns { a, b });
                }
                BoardSpec::Grid { rows: a, columns: b }
            }
            "grid" => {
                let (rows, columns) = two_numbers()?;
                BoardSpec::Grid { rows, columns }
            }
            "cube" => {
                let (d, k) = two_numbers()?;
                BoardSpec::Cube { d, k }
            }
            _ if rest.is_empty() => return Err(malformed()),
            _ if !is_inline(rest) => {
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
