//! Boards.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use hyperslide_lab::BoardDescription;
use hyperslide_puzzle::{
    Board as PlainBoard, BoardFile, BoardSource, FileFormat, MAX_PUZZLE_LENGTH, Metric, Vertex,
    VertexSet, read_graph6_file,
};
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// A board with its metric: vertices and faces, of which a token may cross those whose other
/// vertices are all empty.
///
/// Parameters
/// ----------
/// text:
///     `grid:3:3`, `torus:4:4`, `cylinder:3:4`, `cube:4:2`, `graph:petersen` and other named graphs,
///     `graph6:LINE`, a graph or a board with faces written out, or `graph:FILE` and `faces:FILE`.
/// metric:
///     `face` (any vertex of a free face is one move away) or `edge` (only a neighbour is).
///
/// Raises `BoardError` when the text does not describe a board.
#[pyclass(frozen, module = "hyperslide")]
pub struct Board {
    pub board: PlainBoard,
    description: BoardDescription,
}

impl Board {
    /// Wraps a board.
    pub fn of(board: PlainBoard) -> Board {
        Board { description: BoardDescription::new(&board), board }
    }

    fn vertex(&self, vertex: usize) -> PyResult<Vertex> {
        let last = self.board.vertex_count() - 1;
        Vertex::new(vertex).filter(|vertex| vertex.index() <= last).ok_or_else(|| {
            error(
                Kind::Board,
                format_args!("vertex {vertex} is not on the board: its vertices are 0 to {last}"),
            )
        })
    }
}

/// Reads the metric.
pub fn read_metric(metric: &str) -> PyResult<Metric> {
    metric.parse().map_err(|unknown| error(Kind::Setting, unknown))
}

/// Reads the text of a file that holds one thing.
pub fn read_file(path: &Path, kind: Kind) -> PyResult<String> {
    const MOST: u64 = 4 * MAX_PUZZLE_LENGTH as u64;
    let failed = |problem: &dyn std::fmt::Display| {
        error(kind, format_args!("cannot read {}: {problem}", path.display()))
    };
    let length = std::fs::metadata(path).map_err(|problem| failed(&problem))?.len();
    if length > MOST {
        return Err(failed(&format_args!("it has more than {MOST} bytes")));
    }
    std::fs::read_to_string(path).map_err(|problem| failed(&problem))
}

/// The format of a file's text.
pub fn format_of(path: &Path) -> FileFormat {
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json { FileFormat::Json } else { FileFormat::Toml }
}

/// Reads a board.
pub fn read_board(text: &str, metric: Metric) -> PyResult<PlainBoard> {
    let spec = match text.trim().parse().map_err(|problem| error(Kind::Board, problem))? {
        BoardSource::Spec(spec) => spec,
        BoardSource::Named { name, spec } => {
            if Path::new(&name).exists() {
                return Err(error(
                    Kind::Board,
                    format_args!(
                        "graph:{name} is the name of a graph, and there is a file {name}: write \
                         graph:./{name} for the file, or rename it for the graph"
                    ),
                ));
            }
            spec
        }
        BoardSource::File { path, family } => {
            let path = Path::new(&path);
            let text = read_file(path, Kind::Board)?;
            let is_line = path.extension().is_some_and(|ending| {
                ["g6", "s6", "graph6", "sparse6"]
                    .iter()
                    .any(|known| ending.eq_ignore_ascii_case(known))
            });
            if family == "graph" && is_line {
                read_graph6_file(&text).map_err(|problem| {
                    error(Kind::Board, format_args!("{}: {problem}", path.display()))
                })?
            } else {
                BoardFile::parse(&text, format_of(path), family)
                    .map_err(|problem| error(Kind::Board, problem))?
            }
        }
    };
    PlainBoard::new(spec, metric).map_err(|problem| error(Kind::Board, problem))
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (text, *, metric = "face"))]
    fn new(text: &str, metric: &str) -> PyResult<Board> {
        Ok(Board::of(read_board(text, read_metric(metric)?)?))
    }

    /// The board as it is written, as in `cube:4:2`.
    #[getter]
    fn text(&self) -> &str {
        &self.description.board
    }

    /// What counts as one move: `face` or `edge`.
    #[getter]
    fn metric(&self) -> &'static str {
        self.board.metric().name()
    }

    /// The kind of board: `grid`, `cylinder`, `torus`, `cube`, `graph` or `faces`.
    #[getter]
    fn family(&self) -> &'static str {
        self.description.family
    }

    /// The number of vertices, 1 to 64.
    #[getter]
    fn vertices(&self) -> usize {
        self.board.vertex_count()
    }

    /// The vertices of each face, ascending.
    #[getter]
    fn faces(&self) -> Vec<Vec<usize>> {
        self.description.faces.clone()
    }

    /// The pairs of neighbours, or `None` for a board with faces that lists none.
    #[getter]
    fn edges(&self) -> Option<Vec<(usize, usize)>> {
        let edges = self.description.edges.as_ref()?;
        Some(edges.iter().map(|&[a, b]| (a, b)).collect())
    }

    /// The number of rows of a grid, a cylinder or a torus, whose vertices are numbered row by row;
    /// `None` elsewhere.
    #[getter]
    fn rows(&self) -> Option<usize> {
        self.description.rows
    }

    /// The number of columns of a grid, a cylinder or a torus; `None` elsewhere.
    #[getter]
    fn columns(&self) -> Option<usize> {
        self.description.columns
    }

    /// The dimension of a cube, bit i of whose vertices is their i-th coordinate; `None` elsewhere.
    #[getter]
    fn dimension(&self) -> Option<usize> {
        self.description.dimension
    }

    /// The dimension k of the faces of a cube; `None` elsewhere.
    #[getter]
    fn k(&self) -> Option<usize> {
        self.description.k
    }

    /// The vertices to which the token on `vertex` may slide when `occupied` have tokens.
    fn destinations(&self, vertex: usize, occupied: Vec<usize>) -> PyResult<Vec<usize>> {
        let from = self.vertex(vertex)?;
        let mut set = VertexSet::single(from);
        for vertex in occupied {
            set.insert(self.vertex(vertex)?);
        }
        Ok(self.board.destinations(from, set).into_iter().map(Vertex::index).collect())
    }

    fn __str__(&self) -> String {
        self.board.to_string()
    }

    fn __repr__(&self) -> String {
        match self.board.metric() {
            Metric::Face => format!("Board({:?})", self.description.board),
            Metric::Edge => format!("Board({:?}, metric=\"edge\")", self.description.board),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Board>().is_ok_and(|other| other.get().board == self.board)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.board.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, &'static str))> {
        let restore = slf.py().import("hyperslide._restore")?.getattr("board")?;
        let board = slf.get();
        Ok((restore, (board.description.board.clone(), board.board.metric().name())))
    }
}
