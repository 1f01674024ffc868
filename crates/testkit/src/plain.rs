//! The rules of motion written a second time, as plainly as possible.

use std::collections::VecDeque;

use hyperslide_puzzle::{BoardSpec, GoalCell, Metric, Puzzle, State, Vertex};
use rustc_hash::FxHashMap;

/// The labels by vertex; the plain solver's state.
pub type Cells = Vec<Option<usize>>;

/// A puzzle as the rule's words describe it: faces as lists of vertices.
pub struct PlainPuzzle {
    /// For each vertex, the faces that contain it.
    faces: Vec<Vec<Vec<usize>>>,
    edges: Vec<(usize, usize)>,
    metric: Metric,
    start: Cells,
    goal: Vec<GoalCell>,
}

impl PlainPuzzle {
    /// Reads a puzzle, building its faces anew from the specification.
    pub fn new(puzzle: &Puzzle) -> PlainPuzzle {
        let (faces, edges): (Vec<Vec<usize>>, Vec<(usize, usize)>) = match puzzle.board().spec() {
            BoardSpec::Grid { rows, columns } => {
                let mut edges = Vec::new();
                for row in 0..*rows {
                    for column in 0..*columns {
                        let here = row * columns + column;
                        if column + 1 < *columns {
                            edges.push((here, here + 1));
                        }
                        if row + 1 < *rows {
                            edges.push((here, here + columns));
                        }
                    }
                }
                (edges.iter().map(|&(a, b)| vec![a, b]).collect(), edges)
            }
            spec @ (BoardSpec::Cylinder { rows, columns } | BoardSpec::Torus { rows, columns }) => {
                // Two vertices are neighbours if they agree in one coordinate and are one step
                // apart in the other, where the last step leads back to 0.
                let step = |a: usize, b: usize, around: Option<usize>| {
                    b == a + 1
                        || a == b + 1
                        || around.is_some_and(|n| a != b && ((a + 1) % n == b || (b + 1) % n == a))
                };
                let rows_around = matches!(spec, BoardSpec::Torus { .. }).then_some(*rows);
                let mut edges = Vec::new();
                for a in 0..rows * columns {
                    for b in a + 1..rows * columns {
                        let ((ar, ac), (br, bc)) =
                            ((a / columns, a % columns), (b / columns, b % columns));
                        if (ar == br && step(ac, bc, Some(*columns)))
                            || (ac == bc && step(ar, br, rows_around))
                        {
                            edges.push((a, b));
                        }
                    }
                }
                (edges.iter().map(|&(a, b)| vec![a, b]).collect(), edges)
            }
            BoardSpec::Cube { d, k } => {
                // Each face is a word of 0, 1 and * with k stars.
                let mut faces: Vec<Vec<usize>> = Vec::new();
                for word in 0..3usize.pow(*d as u32) {
                    let letters: Vec<usize> =
                        (0..*d).map(|i| word / 3usize.pow(i as u32) % 3).collect();
                    if letters.iter().filter(|&&letter| letter == 2).count() == *k {
                        let on = |v: &usize| {
                            (0..*d).all(|i| letters[i] == 2 || letters[i] == v >> i & 1)
                        };
                        faces.push((0..1 << d).filter(on).collect());
                    }
                }
                let mut edges = Vec::new();
                for a in 0..1usize << d {
                    edges.extend(
                        (a + 1..1 << d).filter(|b| (a ^ b).count_ones() == 1).map(|b| (a, b)),
                    );
                }
                (faces, edges)
            }
            BoardSpec::Graph { edges, .. } => (
                edges.iter().map(|edge| edge.to_vec()).collect(),
                edges.iter().map(|e| (e[0], e[1])).collect(),
            ),
            BoardSpec::Faces { faces, edges, .. } => {
                (faces.clone(), edges.iter().flatten().map(|e| (e[0], e[1])).collect())
            }
        };
        let start = Self::cells(puzzle.start(), puzzle.board().vertex_count());
        let goal = puzzle.goal().cells().to_vec();
        let of_vertex = |vertex: usize| {
            faces.iter().filter(|face| face.contains(&vertex)).cloned().collect::<Vec<_>>()
        };
        let faces = (0..puzzle.board().vertex_count()).map(of_vertex).collect();
        PlainPuzzle { faces, edges, metric: puzzle.board().metric(), start, goal }
    }

    /// The labels of a state by vertex.
    pub fn cells(state: &State, count: usize) -> Cells {
        Vertex::first(count)
            .map(|v| state.label_at(v).map(hyperslide_puzzle::Label::index))
            .collect()
    }

    /// Legal moves `(from, to)`, ascending.
    pub fn moves(&self, cells: &Cells) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        for from in (0..cells.len()).filter(|&v| cells[v].is_some()) {
            for to in (0..cells.len()).filter(|&v| cells[v].is_none()) {
                let free = self.faces[from].iter().any(|face| {
                    face.contains(&to) && face.iter().all(|&v| v == from || cells[v].is_none())
                });
                let near = match self.metric {
                    Metric::Face => true,
                    Metric::Edge => {
                        self.edges.contains(&(from, to)) || self.edges.contains(&(to, from))
                    }
                };
                if free && near {
                    moves.push((from, to));
                }
            }
        }
        moves
    }

    fn is_goal(&self, cells: &Cells) -> bool {
        self.goal.iter().zip(cells).all(|(asked, cell)| match asked {
            GoalCell::Any => true,
            GoalCell::Empty => cell.is_none(),
            GoalCell::Label(label) => *cell == Some(label.index()),
        })
    }

    /// Depth of every state that the start leads to.
    pub fn depths(&self) -> FxHashMap<Cells, usize> {
        let mut depths = FxHashMap::from_iter([(self.start.clone(), 0)]);
        let mut open = VecDeque::from([(self.start.clone(), 0)]);
        while let Some((cells, depth)) = open.pop_front() {
            for (from, to) in self.moves(&cells) {
                let mut next = cells.clone();
                next[to] = next[from].take();
                if !depths.contains_key(&next) {
                    depths.insert(next.clone(), depth + 1);
                    open.push_back((next, depth + 1));
                }
            }
        }
        depths
    }

    /// The length of a shortest solution, or `None` when there is none.
    pub fn shortest(&self) -> Option<usize> {
        self.depths().iter().filter(|(cells, _)| self.is_goal(cells)).map(|(_, &depth)| depth).min()
    }
}
