//! Graphs on which all arrangements are reachable, or exactly half of them, by Wilson's theorem.

use crate::permutation::Permutation;
use crate::puzzle::Puzzle;
use crate::vertex::{Vertex, VertexSet};

/// Returns whether the goal can be reached, where a theorem says so without any exploration; `None`
/// where it does not apply.
///
/// On a graph that no single vertex separates, other than a cycle and theta0, slides with one empty
/// vertex make all arrangements of the tokens, or all even ones where the graph is bipartite (R. M.
/// Wilson, J. Combin. Theory B 16, 1974). In the latter case, two tokens that may be exchanged at
/// the goal make up for a wrong parity, and so does a second empty vertex: at the goal or one slide
/// away from it two empty vertices have the same colour, and either may be thought of as a token.
///
/// Cost: one walk over the edges.
pub(crate) fn is_reachable(puzzle: &Puzzle) -> Option<bool> {
    let (board, start) = (puzzle.board(), puzzle.start());
    let empty = board.vertex_set() - start.occupied();
    if empty.is_empty() || !board.is_graph() {
        return None;
    }
    let lone = |vertex| board.destinations(vertex, VertexSet::single(vertex));
    let neighbours: Vec<VertexSet> = board.vertices().map(lone).collect();
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

/// Returns whether the graph may be one of Wilson's exceptions: a cycle, which has no more edges than
/// vertices, or theta0, which has seven vertices and eight edges.
fn may_be_exceptional(neighbours: &[VertexSet]) -> bool {
    let ends: usize = neighbours.iter().map(|near| near.len()).sum();
    ends <= 2 * neighbours.len() || (neighbours.len(), ends) == (7, 16)
}

/// What a depth-first walk finds out about a graph that no single vertex separates.
struct Survey {
    is_bipartite: bool,
    /// The vertices of one of its two classes, where it is bipartite.
    coloured: VertexSet,
}

impl Survey {
    /// `None` where a vertex separates the graph, or it is not connected.
    fn of(neighbours: &[VertexSet]) -> Option<Survey> {
        let mut walk = Walk {
            neighbours,
            numbers: vec![None; neighbours.len()],
            count: 0,
            survey: Survey { is_bipartite: true, coloured: VertexSet::EMPTY },
        };
        let root = Vertex::first(neighbours.len()).next()?;
        walk.visit(root, None)?;
        (walk.count == neighbours.len()).then_some(walk.survey)
    }
}

/// A depth-first walk.
struct Walk<'a> {
    neighbours: &'a [VertexSet],
    /// In which order the vertices were found.
    numbers: Vec<Option<usize>>,
    count: usize,
    survey: Survey,
}

impl Walk<'_> {
    /// Visits a vertex and all that is found from it. Returns the least number that an edge leads
    /// to from there, or `None` where the vertex, or one below it, separates the graph (Hopcroft and
    /// Tarjan 1973).
    fn visit(&mut self, vertex: Vertex, parent: Option<Vertex>) -> Option<usize> {
        let number = self.count;
        self.numbers[vertex.index()] = Some(number);
        self.count += 1;
        let mut least = number;
        let is_coloured = self.survey.coloured.contains(vertex);
        for next in self.neighbours[vertex.index()] {
            match self.numbers[next.index()] {
                Some(found) => {
                    self.survey.is_bipartite &= is_coloured != self.survey.coloured.contains(next);
                    if Some(next) != parent {
                        least = least.min(found);
                    }
                }
                // The root has one child unless it separates the graph.
                None if parent.is_none() && self.count > 1 => return None,
                None => {
                    if !is_coloured {
                        self.survey.coloured.insert(next);
                    }
                    let below = self.visit(next, Some(vertex))?;
                    if below >= number && parent.is_some() {
                        return None;
                    }
                    least = least.min(below);
                }
            }
        }
        Some(least)
    }
}

/// Returns whether a goal that places all tokens, which are distinguishable, asks for an even
/// permutation of the vertices if the empty vertex has the same colour at the start and at the
/// goal, and otherwise for an odd one: each slide is a transposition, and changes its colour. `None`
/// for any other goal.
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
