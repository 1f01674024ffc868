//! Wilson's theorem: on most 2-connected graphs all arrangements are reachable, or exactly half.

use crate::permutation::Permutation;
use crate::puzzle::Puzzle;
use crate::vertex::{Vertex, VertexSet};

/// Returns whether the goal can be reached, or `None` if the theorem does not apply.
///
/// On a 2-connected graph other than a cycle and theta0, slides with one empty vertex generate all
/// permutations of the tokens, or all even ones if the graph is bipartite (R. M. Wilson, J. Combin.
/// Theory B 16, 1974). In the bipartite case, two tokens that are interchangeable at the goal fix a
/// wrong parity, and so does a second empty vertex: at the goal, or one slide away from it, two
/// empty vertices have the same colour, and either can be regarded as a token.
///
/// Cost: one traversal of the edges.
pub(crate) fn is_reachable(puzzle: &Puzzle) -> Option<bool> {
    let (board, start) = (puzzle.board(), puzzle.start());
    let empty = board.vertex_set() - start.occupied();
    if empty.is_empty() || !board.is_graph() {
        return None;
    }
    let neighbours: Vec<VertexSet> =
        board.vertices().map(|vertex| board.lone_destinations(vertex)).collect();
    if may_be_exceptional(&neighbours) {
        return None;
    }
    let survey = Survey::of(&neighbours)?;
    let is_any_parity_right =
        empty.len() > 1 || !puzzle.has_distinct_labels() || puzzle.free_tokens() > 1;
    if is_any_parity_right || !survey.is_bipartite {
        return Some(true);
    }
    is_parity_right(puzzle, survey.coloured)
}

/// Returns whether the graph may be one of Wilson's exceptions: a cycle, which has no more edges
/// than vertices, or theta0, which has seven vertices and eight edges.
fn may_be_exceptional(neighbours: &[VertexSet]) -> bool {
    let ends: usize = neighbours.iter().map(|near| near.len()).sum();
    ends <= 2 * neighbours.len() || (neighbours.len(), ends) == (7, 16)
}

/// What a depth-first traversal finds out about a 2-connected graph.
struct Survey {
    is_bipartite: bool,
    /// One of its two colour classes, if it is bipartite.
    coloured: VertexSet,
}

impl Survey {
    /// `None` if the graph is not 2-connected.
    fn of(neighbours: &[VertexSet]) -> Option<Survey> {
        let mut traversal = Traversal {
            neighbours,
            numbers: vec![None; neighbours.len()],
            count: 0,
            survey: Survey { is_bipartite: true, coloured: VertexSet::EMPTY },
        };
        let root = Vertex::first(neighbours.len()).next()?;
        traversal.visit(root, None)?;
        (traversal.count == neighbours.len()).then_some(traversal.survey)
    }
}

/// A depth-first traversal.
struct Traversal<'a> {
    neighbours: &'a [VertexSet],
    /// The order in which the vertices were found.
    numbers: Vec<Option<usize>>,
    count: usize,
    survey: Survey,
}

impl Traversal<'_> {
    /// Visits a vertex and its descendants. Returns the lowpoint, the least number that an edge
    /// from any of them leads to, or `None` if one of them is a cut vertex (Hopcroft and Tarjan
    /// 1973).
    fn visit(&mut self, vertex: Vertex, parent: Option<Vertex>) -> Option<usize> {
        let number = self.count;
        self.numbers[vertex.index()] = Some(number);
        self.count += 1;
        let mut lowpoint = number;
        let is_coloured = self.survey.coloured.contains(vertex);
        for next in self.neighbours[vertex.index()] {
            match self.numbers[next.index()] {
                Some(found) => {
                    self.survey.is_bipartite &= is_coloured != self.survey.coloured.contains(next);
                    if Some(next) != parent {
                        lowpoint = lowpoint.min(found);
                    }
                }
                // A root with two children is a cut vertex.
                None if parent.is_none() && self.count > 1 => return None,
                None => {
                    if !is_coloured {
                        self.survey.coloured.insert(next);
                    }
                    let below = self.visit(next, Some(vertex))?;
                    if below >= number && parent.is_some() {
                        return None;
                    }
                    lowpoint = lowpoint.min(below);
                }
            }
        }
        Some(lowpoint)
    }
}

/// Returns whether the permutation of the vertices that takes the start to the goal is even if the
/// empty vertex has the same colour in both, and odd otherwise: each slide is a transposition, and
/// changes that colour. `None` unless all tokens are distinguishable and the goal places each of
/// them.
fn is_parity_right(puzzle: &Puzzle, coloured: VertexSet) -> Option<bool> {
    let (board, start, goal) = (puzzle.board(), puzzle.start(), puzzle.goal().labelled());
    let [from, to] = [start, goal].map(|state| board.vertex_set() - state.occupied());
    let image = |vertex| match start.label_at(vertex) {
        Some(label) => goal.vertices_of(label),
        None => to,
    };
    let images: Option<Vec<usize>> =
        board.vertices().map(|vertex| Some(image(vertex).lowest()?.index())).collect();
    let needed = Permutation::from_images(&images?)?;
    Some(needed.is_even() == ((from & coloured).is_empty() == (to & coloured).is_empty()))
}
