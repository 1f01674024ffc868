//! The puzzle of one stage.

use hyperslide_puzzle::{
    Arrangement, EMPTY, Label, LabelPositions, LoneTokenDistances, Move, Puzzle, Setup, State,
    Vertex, VertexSet,
};

use crate::algorithm::Task;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicError};

/// A puzzle of which only some tokens are wanted, in a state.
pub(super) struct Part<'a> {
    whole: &'a Puzzle,
    state: State,
    /// The goal's vertices whose tokens are wanted.
    wanted: VertexSet,
    is_narrow: bool,
    /// Empty vertices that are treated as tokens.
    filling: VertexSet,
    puzzle: Puzzle,
}

impl<'a> Part<'a> {
    /// The part of a puzzle from a state in which only the tokens of these goal vertices are
    /// wanted; unless it is published, tokens with other labels are alike.
    pub fn new(
        whole: &'a Puzzle,
        state: &State,
        wanted: VertexSet,
        is_published: bool,
    ) -> Part<'a> {
        let placed = whole.goal().labelled();
        let is_last = placed.occupied().is_subset(wanted);
        let kept = |label: Label| {
            let is_wanted = !(placed.vertices_of(label) & wanted).is_empty();
            let keeps = is_published || is_last || is_wanted;
            if keeps { state.vertices_of(label) } else { VertexSet::EMPTY }
        };
        let puzzle = part(whole, state, wanted, kept, VertexSet::EMPTY);
        let filling = VertexSet::EMPTY;
        Part { whole, state: *state, wanted, is_narrow: false, filling, puzzle }
    }

    /// A narrower version of this part, with far fewer states: only the tokens nearest to the
    /// wanted vertices keep their labels, and all empty vertices but one are treated as if they
    /// held tokens.
    ///
    /// `None` in the last stage, and on boards with faces of more than two vertices, where such an
    /// imaginary token could permanently block real ones.
    pub fn narrow(&self) -> Option<Part<'a>> {
        let (whole, state) = (self.whole, &self.state);
        let (board, placed) = (whole.board(), whole.goal().labelled());
        let mut filling = board.vertex_set() - state.occupied();
        filling.remove(filling.lowest()?);
        let is_last = placed.occupied().is_subset(self.wanted);
        let is_graph = board.is_graph();
        if is_last || !is_graph || filling.is_empty() && whole.has_distinct_labels() {
            return None;
        }
        let distances = LoneTokenDistances::new(board);
        let kept = |label| {
            let homes = placed.vertices_of(label) & self.wanted;
            nearest(&distances, state.vertices_of(label), homes)
        };
        let puzzle = part(whole, state, self.wanted, kept, filling);
        Some(Part { is_narrow: true, filling, puzzle, ..*self })
    }

    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    pub fn is_met(&self) -> bool {
        self.puzzle.goal().is_met(self.puzzle.start())
    }

    pub fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// The task's heuristic for it.
    pub fn heuristic(&self, task: &Task<'_>) -> Result<Box<dyn Heuristic>, SolveError> {
        const WHAT: &str =
            "goals that say where every token goes, unlike those of the stages of staged search";

        let built = task.heuristic.build(&self.puzzle, &task.resources);
        Ok(built.map_err(|error| match error {
            // A heuristic for the whole puzzle may not be for its stages.
            HeuristicError::OtherPuzzles { heuristic, .. } => {
                HeuristicError::OtherPuzzles { heuristic, what: WHAT }
            }
            error => error,
        })?)
    }

    /// The moves of a solution, without those of imaginary tokens.
    pub fn real_moves(&self, mut moves: Vec<Move>) -> Vec<Move> {
        let mut filling = self.filling;
        moves.retain(|mv| {
            let is_real = !filling.contains(mv.from);
            if !is_real {
                filling = filling.moved(mv.from, mv.to);
            }
            is_real
        });
        moves
    }
}

/// As many of the vertices as there are homes: those that are homes, and the nearest to each of the
/// others.
fn nearest(distances: &LoneTokenDistances, vertices: VertexSet, homes: VertexSet) -> VertexSet {
    let mut chosen = vertices & homes;
    for home in homes - chosen {
        let others = (vertices - chosen).into_iter();
        let nearest = others.min_by_key(|&vertex| distances.get(vertex, home));
        nearest.into_iter().for_each(|vertex| chosen.insert(vertex));
    }
    chosen
}

/// The puzzle from a state in which only the tokens of some goal vertices are wanted. The tokens
/// that `kept` returns for a label keep it; all others are alike, including imaginary ones on
/// `filling`.
fn part(
    puzzle: &Puzzle,
    state: &State,
    wanted: VertexSet,
    kept: impl Fn(Label) -> VertexSet,
    filling: VertexSet,
) -> Puzzle {
    let (labels, placed) = (puzzle.labels(), puzzle.goal().labelled());
    let mut rest = "rest".to_owned();
    while labels.find(&rest).is_some() {
        rest.push('_');
    }
    let mut start = Vec::new();
    let mut end = Vec::new();
    let mut others = filling;
    for (label, name) in labels.iter() {
        let kept = kept(label);
        others = others | (state.vertices_of(label) - kept);
        if !kept.is_empty() {
            start.push((name, kept));
            end.push((name, placed.vertices_of(label) & wanted));
        }
    }
    if !others.is_empty() {
        start.push((&rest, others));
        end.push((&rest, VertexSet::EMPTY));
    }
    derived(puzzle, &start, &end, placed.occupied().is_subset(wanted))
}

/// A puzzle with the same board: the labels with their vertices at the start and at the goal, in
/// the same order, where tokens without a vertex may be anywhere. Whether what the goal wants empty
/// is to be empty.
pub(crate) fn derived(
    puzzle: &Puzzle,
    start: &[(&str, VertexSet)],
    goal: &[(&str, VertexSet)],
    keeps_empty: bool,
) -> Puzzle {
    let places = |&(label, vertices): &(&str, VertexSet), tokens: usize| LabelPositions {
        label: label.to_owned(),
        vertices: vertices.into_iter().map(Vertex::index).collect(),
        others_anywhere: vertices.len() < tokens,
    };
    let mut end: Vec<LabelPositions> =
        goal.iter().zip(start).map(|(entry, (_, before))| places(entry, before.len())).collect();
    let empty = puzzle.goal().empty();
    if keeps_empty && !empty.is_empty() && !puzzle.goal().free_vertices().is_empty() {
        end.push(places(&(EMPTY, empty), 0));
    }
    let start = start.iter().map(|entry| places(entry, 0)).collect();
    let setup = Setup { start: Arrangement::ByLabel(start), goal: Some(Arrangement::ByLabel(end)) };
    Puzzle::new(puzzle.board().clone(), &setup).expect("what is derived from a puzzle is one")
}
