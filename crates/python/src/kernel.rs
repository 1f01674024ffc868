//! The work on batches of states: plain functions over cells, without Python.

use hyperslide_puzzle::{ActionScheme, Actions, Board, Puzzle, State, Vertex};

/// Steps and legal moves of many states of one puzzle.
#[derive(Clone, Debug)]
pub struct Kernel {
    actions: Actions,
    vertices: usize,
    /// With [`ActionScheme::Blank`], the vertex from which a token slides for each empty vertex and
    /// direction, [`BORDER`] for none.
    from: Option<Vec<[u8; 4]>>,
}

const BORDER: u8 = u8::MAX;

impl Kernel {
    /// Prepares for the states of a puzzle.
    pub fn new(puzzle: &Puzzle) -> Kernel {
        let actions = Actions::new(puzzle);
        let vertices = puzzle.board().vertex_count();
        let from = (actions.scheme() == ActionScheme::Blank).then(|| {
            let neighbour = |blank, direction| {
                actions.neighbour(blank, direction).map_or(BORDER, |vertex| vertex.index() as u8)
            };
            let of = |blank: Vertex| [0, 1, 2, 3].map(|direction| neighbour(blank, direction));
            Vertex::first(vertices).map(of).collect()
        });
        Kernel { actions, vertices, from }
    }

    /// The numbering of the moves.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// Plays an action in a state, unless it is not legal there; returns whether it was.
    #[inline]
    pub fn step(&self, board: &Board, cells: &mut [u8], action: usize) -> bool {
        if let Some(from) = &self.from {
            let blank = blank(cells);
            let from = from[blank][action & 3];
            let is_legal = from != BORDER;
            // A slide of the empty vertex to itself does nothing, without a branch.
            let from = if is_legal { from as usize } else { blank };
            cells[blank] = cells[from];
            cells[from] = 0;
            return is_legal;
        }
        let state = State::from_cells(cells).expect("the cells were checked");
        match self.actions.legal_move(board, &state, action) {
            Some(mv) => {
                cells.swap(mv.from.index(), mv.to.index());
                true
            }
            None => false,
        }
    }

    /// Marks the legal actions of a state in a row of zeros.
    #[inline]
    pub fn mark_legal<T: Copy>(&self, board: &Board, cells: &[u8], row: &mut [T], mark: T) {
        if let Some(from) = &self.from {
            for (mark_of, &from) in row.iter_mut().zip(&from[blank(cells)]) {
                if from != BORDER {
                    *mark_of = mark;
                }
            }
            return;
        }
        let state = State::from_cells(cells).expect("the cells were checked");
        self.actions.for_each_legal(board, &state, |action, _| row[action] = mark);
    }

    /// Calls `each` with every legal action of a state, ascending, and the cells after it.
    pub fn children(&self, board: &Board, cells: &[u8], mut each: impl FnMut(usize, &[u8])) {
        let state = State::from_cells(cells).expect("the cells were checked");
        let mut legal = Vec::with_capacity(8);
        self.actions.for_each_legal(board, &state, |action, mv| legal.push((action, mv)));
        legal.sort_unstable_by_key(|&(action, _)| action);
        let mut child = cells.to_vec();
        for (action, mv) in legal {
            child.swap(mv.from.index(), mv.to.index());
            each(action, &child);
            child.swap(mv.from.index(), mv.to.index());
        }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }
}

/// The empty vertex of a state with one. There is no branch that depends on where it is.
#[inline(always)]
fn blank(cells: &[u8]) -> usize {
    let mut blank = 0u8;
    for (vertex, &cell) in (0u8..).zip(cells) {
        blank |= if cell == 0 { vertex } else { 0 };
    }
    blank as usize
}
