//! Puzzle and board files in JSON or TOML, which hold what a puzzle line can hold.

use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::arrangement::Arrangement;
use crate::board::Board;
use crate::boards::{BoardSource, BoardSpec};
use crate::metric::Metric;
use crate::puzzle::{Puzzle, PuzzleError};
use crate::setup::Setup;

/// The format of a file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// JSON (RFC 8259).
    Json,
    /// TOML 1.
    Toml,
}

impl FileFormat {
    /// Returns the format that a text is meant in: only JSON begins with a brace.
    pub fn of_text(text: &str) -> FileFormat {
        if text.trim_start().starts_with('{') { FileFormat::Json } else { FileFormat::Toml }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileFormat::Json => "JSON",
            FileFormat::Toml => "TOML",
        })
    }
}

/// Why a text is not a puzzle file or a board file. The message is one line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a {what} in {format}: {message}")]
pub struct FileError {
    /// `puzzle` or `board`.
    pub what: &'static str,
    /// The format in which the text was read.
    pub format: FileFormat,
    /// The parser's message, with the position.
    pub message: String,
}

fn parse<T: for<'de> Deserialize<'de>>(
    what: &'static str,
    text: &str,
    format: FileFormat,
) -> Result<T, FileError> {
    let parsed = match format {
        FileFormat::Json => serde_json::from_str(text).map_err(|error| error.to_string()),
        FileFormat::Toml => toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map(|line| format!(" at line {line}")).unwrap_or_default();
            error.message().to_owned() + &place
        }),
    };
    parsed.map_err(|message| {
        let message = message.replace("expected usize", "expected a whole number");
        let mut line: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(300) {
            line.truncate(end);
            line.push('…');
        }
        FileError { what, format, message: line }
    })
}

/// The contents of a puzzle file. Start and goal may be texts in the notation, lists by vertex, or
/// maps from labels to vertices.
///
/// ```toml
/// board = "cube:4:3"              # or { graph = { vertices = 3, edges = [[0, 1], [1, 2]] } }
/// start = { r = 13, p = 7, g = 4, b = 5, y = 1 }
/// goal = "r=5,p=7,g=13,b=4,y=1"
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with board and start")]
pub struct PuzzleFile {
    /// A name for the puzzle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The board, written out or in a file of its own.
    pub board: BoardSource,
    /// The metric; face by default.
    #[serde(default, skip_serializing_if = "is_face")]
    pub metric: Metric,
    /// Where the tokens are.
    pub start: Arrangement,
    /// Where the goal wants them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Arrangement>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_face(metric: &Metric) -> bool {
    *metric == Metric::Face
}

impl PuzzleFile {
    /// Reads a file's text.
    ///
    /// # Errors
    ///
    /// Returns an error of one line that names the position where the text is not a puzzle in this
    /// format.
    pub fn parse(text: &str, format: FileFormat) -> Result<PuzzleFile, FileError> {
        parse("puzzle", text, format)
    }

    /// Returns the text of the file.
    ///
    /// # Panics
    ///
    /// Never panics, because both formats can hold every puzzle.
    pub fn to_text(&self, format: FileFormat) -> String {
        match format {
            FileFormat::Json => {
                serde_json::to_string_pretty(self).expect("a puzzle file is plain data") + "\n"
            }
            FileFormat::Toml => toml::to_string(self).expect("a puzzle file is plain data"),
        }
    }

    /// Builds the puzzle of a file whose board is written out.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the board, the start or the goal.
    pub fn build(self) -> Result<Puzzle, PuzzleError> {
        let spec = self.board.into_spec().map_err(PuzzleError::BoardInFile)?;
        let board = Board::new(spec, self.metric)?;
        Ok(Puzzle::new(board, &Setup { start: self.start, goal: self.goal })?)
    }
}

impl From<&Puzzle> for PuzzleFile {
    fn from(puzzle: &Puzzle) -> PuzzleFile {
        let Setup { start, goal } = puzzle.setup();
        let board = BoardSource::Spec(puzzle.board().spec().clone());
        PuzzleFile { name: None, board, metric: puzzle.board().metric(), start, goal }
    }
}

/// The contents of a board file, to which `graph:FILE` and `faces:FILE` refer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with vertices and edges or faces")]
pub struct BoardFile {
    /// Number of vertices, 1 to 64.
    pub vertices: usize,
    /// The vertices of each face (faces boards only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faces: Option<Vec<Vec<usize>>>,
    /// Pairs of vertices.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_edges")]
    pub edges: Option<Vec<[usize; 2]>>,
}

/// Reads edges, and names the first one that does not have two vertices.
fn read_edges<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<[usize; 2]>>, D::Error> {
    let pair = |(number, vertices): (usize, Vec<usize>)| {
        let count = vertices.len();
        vertices.try_into().map_err(|_| {
            de::Error::custom(format!(
                "edge {number} has {count} vertices: write two, as in [0, 1]"
            ))
        })
    };
    let lists = Option::<Vec<Vec<usize>>>::deserialize(deserializer)?;
    lists.map(|lists| lists.into_iter().enumerate().map(pair).collect()).transpose()
}

impl BoardFile {
    /// Reads the text of a board file of this family, `graph` or `faces`. Where none is given, the
    /// file has faces if it has such a field.
    ///
    /// # Errors
    ///
    /// Returns an error of one line that names the position where the text is not such a board.
    pub fn parse(
        text: &str,
        format: FileFormat,
        family: Option<&str>,
    ) -> Result<BoardSpec, FileError> {
        let file: BoardFile = parse("board", text, format)?;
        let family = family.unwrap_or(if file.faces.is_some() { "faces" } else { "graph" });
        file.into_spec(family).map_err(|message| FileError {
            what: "board",
            format,
            message: message.to_owned(),
        })
    }

    fn into_spec(self, family: &str) -> Result<BoardSpec, &'static str> {
        let vertices = self.vertices;
        match (family, self.faces, self.edges) {
            ("graph", None, Some(edges)) => Ok(BoardSpec::Graph { vertices, edges }),
            ("graph", Some(_), _) => Err("a graph has edges and no faces: call it faces:FILE"),
            ("graph", None, None) => Err("a graph needs \"edges\""),
            (_, Some(faces), edges) => Ok(BoardSpec::Faces { vertices, faces, edges }),
            (_, None, _) => Err("a faces board needs \"faces\""),
        }
    }
}

impl Serialize for BoardSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            BoardSource::Spec(spec) => serializer.collect_str(spec),
            BoardSource::Named { name, .. } => {
                serializer.collect_str(&format_args!("graph:{name}"))
            }
            BoardSource::File { family, path } => {
                serializer.collect_str(&format_args!("{family}:{path}"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for BoardSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoardSource, D::Error> {
        struct BoardVisitor;

        impl<'de> Visitor<'de> for BoardVisitor {
            type Value = BoardSource;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a board such as \"cube:4:3\", {\"graph\": {...}} or {\"faces\": {...}}",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BoardSource, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BoardSource, A::Error> {
                let Some(family) = map.next_key::<String>()? else {
                    return Err(de::Error::custom("an empty board: write graph or faces in it"));
                };
                if family != "graph" && family != "faces" {
                    return Err(de::Error::unknown_field(&family, &["graph", "faces"]));
                }
                let file: BoardFile = map.next_value()?;
                if let Some(more) = map.next_key::<String>()? {
                    return Err(de::Error::custom(format_args!(
                        "board {family} and {more}: one only"
                    )));
                }
                file.into_spec(&family).map(BoardSource::Spec).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(BoardVisitor)
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metric, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Arrangement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The entry of a vertex, or a vertex: a number or a word.
struct Entry(String);

/// One word or a list of them.
struct Entries(Vec<String>);

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a label, the number of a vertex, 0 or \"*\"")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Entry, E> {
        Ok(Entry(number.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Entry, E> {
        // All integers of TOML are signed.
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Entry, E> {
        Ok(Entry(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a vertex, \"*\", or a list of them")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Entries, E> {
        EntryVisitor.visit_u64(number).map(|word| Entries(vec![word.0]))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Entries, E> {
        EntryVisitor.visit_i64(number).map(|word| Entries(vec![word.0]))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Entries, E> {
        Ok(Entries(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries, A::Error> {
        let mut words = Vec::new();
        while let Some(Entry(word)) = list.next_element()? {
            words.push(word);
        }
        Ok(Entries(words))
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

impl<'de> Deserialize<'de> for Arrangement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arrangement, D::Error> {
        struct ArrangementVisitor;

        impl<'de> Visitor<'de> for ArrangementVisitor {
            type Value = Arrangement;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"r=13,p=7\", a list with one entry a vertex, or a map of labels")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Arrangement, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Arrangement, A::Error> {
                let mut entries = Vec::new();
                while let Some(Entry(word)) = list.next_element()? {
                    entries.push(word);
                }
                Arrangement::by_vertex(entries).map_err(de::Error::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arrangement, A::Error> {
                let mut entries = Vec::new();
                while let Some((label, Entries(places))) = map.next_entry::<String, Entries>()? {
                    entries.push(Ok((label, places)));
                }
                Arrangement::by_label(entries.into_iter()).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(ArrangementVisitor)
    }
}
