//! Puzzles as tasks for planning programs: the rule compiled to operators whose preconditions are
//! fixed.
//!
//! The rule asks for *some* free face. An operator asks for given vertices, so that a slide becomes
//! one operator for each smallest set of vertices that has to be empty. However far a slide goes,
//! it is one operator and costs 1: the length of an optimal plan is the optimal length of the
//! puzzle.

mod pddl;
mod sas;

pub use pddl::{PddlDomain, PddlProblem};
pub use sas::SasTask;

use crate::board::Board;
use crate::label::{Label, LabelTable};
use crate::puzzle::Puzzle;
use crate::vertex::{Vertex, VertexSet};

/// A slide by one way: whatever token is on `from` may go to `to` when that and all of `between`
/// are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slide {
    from: Vertex,
    to: Vertex,
    between: VertexSet,
    /// The number of this way among those from `from` to `to`, from 0.
    way: usize,
}

impl Slide {
    /// `slide-FROM-TO`, with the number of the way behind it from the second one.
    fn name(&self) -> String {
        let Slide { from, to, way, .. } = self;
        match way {
            0 => format!("slide-{from}-{to}"),
            _ => format!("slide-{from}-{to}-{}", way + 1),
        }
    }
}

/// All slides of a puzzle in ascending order. A way that needs all vertices of another one is left
/// out, and so is one that needs more empty vertices than there are: their number never changes.
///
/// Cost: one question to the rule for each face and each of its vertices.
fn slides(puzzle: &Puzzle) -> Vec<Slide> {
    let board = puzzle.board();
    let empty = board.vertex_count() - puzzle.start().occupied().len();
    let mut slides = Vec::new();
    for from in board.vertices() {
        for to in board.vertices() {
            let mut ways = ways(board, from, to);
            ways.retain(|between| between.len() < empty);
            let numbered = ways.into_iter().enumerate();
            slides.extend(numbered.map(|(way, between)| Slide { from, to, between, way }));
        }
    }
    slides
}

/// The smallest sets of vertices that have to be empty, in addition to `to`, for a slide.
fn ways(board: &Board, from: Vertex, to: Vertex) -> Vec<VertexSet> {
    let own = VertexSet::single(from);
    let ends = own | VertexSet::single(to);
    let through = board.faces().iter().filter(|face| ends.is_subset(**face) && from != to);
    // With tokens on all vertices off a face, the rule allows what the face alone allows.
    let allowed = through.filter(|&&face| {
        let occupied = (board.vertex_set() - face) | own;
        board.destinations(from, occupied).contains(to)
    });
    let all: Vec<VertexSet> = allowed.map(|&face| face - ends).collect();
    let is_least = |way: &VertexSet| !all.iter().any(|other| other != way && other.is_subset(*way));
    all.iter().copied().filter(is_least).collect()
}

/// The name of a label in a plan: `token-LABEL` where the label is of lower-case letters, digits
/// and underscores, and `label-N` otherwise, because planners do not distinguish upper from lower
/// case and read ASCII only. N counts the puzzle's labels from 1.
fn token_name(labels: &LabelTable, label: Label) -> String {
    let name = labels.name(label);
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) {
        format!("token-{name}")
    } else {
        format!("label-{}", label.index() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slide_count(line: &str) -> usize {
        slides(&Puzzle::from_line(line).unwrap()).len()
    }

    #[test]
    fn slides_are_counted_by_hand() {
        // A 2x2 grid has four edges, each slid along both ways.
        assert_eq!(slide_count("grid:2:2 1,2,3,0"), 8);
        // The 3-cube with k = 2: along an edge by either of its two squares, across a square by
        // that one; 24 edges with a direction and 24 diagonals.
        assert_eq!(slide_count("cube:3:2 a=0 -> a=7"), 2 * 24 + 24);
        // Two empty vertices are too few for a square, three suffice.
        assert_eq!(slide_count("cube:3:2 a=0,b=1,c=2,d=4,e=7,f=6 -> a=7,b=1,c=2,d=4,e=0,f=6"), 0);
        assert_eq!(slide_count("cube:3:2 a=0,b=1,c=2,d=4,e=7 -> a=7,b=1,c=2,d=4,e=0"), 72);
        // In the edge metric the diagonals are left out.
        assert_eq!(slide_count("cube:3:2 edge a=0 -> a=7"), 2 * 24);
        // The pair needs nothing that the triangle does not need, too.
        assert_eq!(slide_count("faces:3:0-1,0-1-2 a=0 -> a=2"), 2 + 4);
    }
}
