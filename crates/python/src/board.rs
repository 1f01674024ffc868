//! Boards.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use hyperslide_lab::BoardDescription;
use hyperslide_lab::report::board_svg;
use hyperslide_puzzle::{Board as PlainBoard, Metric, Vertex, VertexSet};
use pyo3::prelude::*;

use crate::errors::{Kind, error};
use crate::numbers::argument;
use crate::reading::{read_board, read_metric};

/// A board with its metric: vertices and faces, of which a token may cross those whose other
/// vertices are all empty.
///
/// Parameters
/// ----------
/// text:
///     `grid:3:3`, `torus:4:4`, `cylinder:3:4`, `cube:4:2`, `graph:petersen` and other named
///     graphs, `graph6:LINE`, a graph or a board with faces written out, or `graph:FILE` and
///     `faces:FILE`.
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

    fn vertex(&self, vertex: i64) -> PyResult<Vertex> {
        let last = self.board.vertex_count() - 1;
        let found = usize::try_from(vertex).ok().and_then(Vertex::new);
        found.filter(|vertex| vertex.index() <= last).ok_or_else(|| {
            error(
                Kind::Board,
                format_args!("vertex {vertex} is not on the board: its vertices are 0 to {last}"),
            )
        })
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (text, *, metric = "face"))]
    fn new(#[pyo3(from_py_with = argument::text)] text: String, metric: &str) -> PyResult<Board> {
        Ok(Board::of(read_board(&text, read_metric(metric)?)?))
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
    fn destinations(&self, vertex: i64, occupied: Vec<i64>) -> PyResult<Vec<usize>> {
        let from = self.vertex(vertex)?;
        let mut set = VertexSet::single(from);
        for vertex in occupied {
            set.insert(self.vertex(vertex)?);
        }
        Ok(self.board.destinations(from, set).into_iter().map(Vertex::index).collect())
    }

    /// A picture of the board with the numbers of its vertices, in SVG.
    fn to_svg(&self) -> String {
        board_svg(&self.board)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        py.import("hyperslide._display")?.getattr("board")?.call1((slf,))?.extract()
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
