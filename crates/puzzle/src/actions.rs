//! A stable numbering of moves, for programs that choose a move by its number.

use std::fmt;

use crate::board::Board;
use crate::boards::BoardSpec;
use crate::label::Label;
use crate::puzzle::Puzzle;
use crate::state::{Move, State};
use crate::vertex::{Vertex, VertexSet};

/// What the number of an action means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionScheme {
    /// The direction in which the empty vertex of a grid moves: 0 up, 1 right, 2 down, 3 left.
    Blank,
    /// `label * vertices + to`: the token with this label, counted from 0, slides to the vertex
    /// `to`.
    Token,
    /// `from * vertices + to`: the token on `from` slides to `to`.
    Vertex,
}

impl ActionScheme {
    /// Returns `blank`, `token` or `vertex`.
    pub fn name(self) -> &'static str {
        match self {
            ActionScheme::Blank => "blank",
            ActionScheme::Token => "token",
            ActionScheme::Vertex => "vertex",
        }
    }
}

impl fmt::Display for ActionScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The numbering of the moves of a puzzle, the same for all its states.
///
/// Grids with one empty vertex have four actions, the directions of the empty vertex. Other puzzles
/// whose tokens all differ have one for each token and vertex. Where tokens share a label, no token
/// can be named, so that there is one for each pair of vertices.
///
/// ```
/// use hyperslide_puzzle::{Actions, Puzzle};
///
/// let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,0,8")?;
/// let actions = Actions::new(&puzzle);
/// let mv = actions.legal_move(puzzle.board(), puzzle.start(), 1).unwrap();
/// assert_eq!((actions.count(), mv.to_string()), (4, "8->7".to_owned()));
/// assert_eq!(actions.legal_move(puzzle.board(), puzzle.start(), 2), None);
/// # Ok::<(), hyperslide_puzzle::PuzzleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actions {
    scheme: ActionScheme,
    vertices: usize,
    tokens: usize,
    columns: usize,
}

impl Actions {
    /// Returns the numbering for a puzzle.
    pub fn new(puzzle: &Puzzle) -> Actions {
        let vertices = puzzle.board().vertex_count();
        let tokens = puzzle.start().occupied().len();
        let (scheme, columns) = match *puzzle.board().spec() {
            BoardSpec::Grid { columns, .. } if tokens + 1 == vertices => {
                (ActionScheme::Blank, columns)
            }
            _ if puzzle.has_distinct_labels() => (ActionScheme::Token, 0),
            _ => (ActionScheme::Vertex, 0),
        };
        Actions { scheme, vertices, tokens, columns }
    }

    /// Returns what the numbers mean.
    pub fn scheme(&self) -> ActionScheme {
        self.scheme
    }

    /// Returns the number of actions, legal or not: 4, tokens x vertices, or vertices squared.
    pub fn count(&self) -> usize {
        match self.scheme {
            ActionScheme::Blank => 4,
            ActionScheme::Token => self.tokens * self.vertices,
            ActionScheme::Vertex => self.vertices * self.vertices,
        }
    }

    /// Returns the vertex from which a token slides when the empty vertex of a grid moves in a
    /// direction, or `None` at the border. Only [`ActionScheme::Blank`] has directions.
    pub fn neighbour(&self, blank: Vertex, direction: usize) -> Option<Vertex> {
        let (blank, columns) = (blank.index(), self.columns);
        let vertex = match direction {
            0 => blank.checked_sub(columns)?,
            1 if (blank + 1) % columns != 0 => blank + 1,
            2 => blank + columns,
            3 if blank % columns != 0 => blank - 1,
            _ => return None,
        };
        Vertex::new(vertex).filter(|vertex| vertex.index() < self.vertices)
    }

    /// Returns the move that an action makes in a state, or `None` if it is not legal there.
    pub fn legal_move(&self, board: &Board, state: &State, action: usize) -> Option<Move> {
        if action >= self.count() {
            return None;
        }
        let mv = match self.scheme {
            ActionScheme::Blank => {
                let blank = (board.vertex_set() - state.occupied()).lowest()?;
                Move { from: self.neighbour(blank, action)?, to: blank }
            }
            ActionScheme::Token => {
                let label = Label::new(action / self.vertices)?;
                Move {
                    from: state.vertices_of(label).lowest()?,
                    to: Vertex::new(action % self.vertices)?,
                }
            }
            ActionScheme::Vertex => Move {
                from: Vertex::new(action / self.vertices)?,
                to: Vertex::new(action % self.vertices)?,
            },
        };
        board.check_move(state, mv).ok().map(|()| mv)
    }

    /// Returns the number of a legal move of the token with this label.
    pub fn number(&self, label: Label, mv: Move) -> usize {
        let Move { from, to } = mv;
        match self.scheme {
            ActionScheme::Blank => {
                let is_it = |&direction: &usize| self.neighbour(to, direction) == Some(from);
                (0..4).find(is_it).expect("a legal move on a grid is to a neighbour")
            }
            ActionScheme::Token => label.index() * self.vertices + to.index(),
            ActionScheme::Vertex => from.index() * self.vertices + to.index(),
        }
    }

    /// Calls `each` with every legal move of a state and its number, in the order of
    /// [`Board::legal_moves`].
    pub fn for_each_legal(&self, board: &Board, state: &State, mut each: impl FnMut(usize, Move)) {
        let occupied: VertexSet = state.occupied();
        for (from, label) in state.tokens() {
            for to in board.destinations(from, occupied) {
                let mv = Move { from, to };
                each(self.number(label, mv), mv);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_legal_moves_are_inverse() {
        for (line, scheme, count) in [
            ("grid:2:3 1,2,3,4,0,5", ActionScheme::Blank, 4),
            ("grid:2:3 1,2,0,3,0,4 -> 1,2,3,4,0,0", ActionScheme::Token, 24),
            ("cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4", ActionScheme::Token, 24),
            ("cube:3:2 a=0+3,c=5 -> a=1+0,c=4", ActionScheme::Vertex, 64),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let actions = Actions::new(&puzzle);
            assert_eq!((actions.scheme(), actions.count()), (scheme, count), "{line}");
            let (board, mut state) = (puzzle.board(), *puzzle.start());
            for step in 0..100 {
                let mut numbered = Vec::new();
                actions.for_each_legal(board, &state, |action, mv| numbered.push((action, mv)));
                let legal: Vec<Move> = numbered.iter().map(|&(_, mv)| mv).collect();
                assert_eq!(legal, board.legal_moves(&state));
                for action in 0..count + 3 {
                    let known = numbered.iter().find(|&&(number, _)| number == action);
                    let mv = actions.legal_move(board, &state, action);
                    assert_eq!(mv, known.map(|&(_, mv)| mv), "{line}: {action} in {state:?}");
                }
                state.slide(legal[step * 7 % legal.len()]);
            }
        }
    }

    #[test]
    fn directions_are_those_of_the_blank() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,0,5,6,7,8").unwrap();
        let actions = Actions::new(&puzzle);
        let from = |action| {
            actions.legal_move(puzzle.board(), puzzle.start(), action).map(|mv| mv.from.index())
        };
        assert_eq!([0, 1, 2, 3, 4].map(from), [Some(1), Some(5), Some(7), Some(3), None]);
    }
}
