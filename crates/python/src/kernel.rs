//! The work on batches of states: plain functions over cells, without Python.

use hyperslide_puzzle::{
    ActionScheme, Actions, Board, MAX_VERTICES, Puzzle, State, Vertex, VertexSet,
};

/// Steps and legal moves of many states of one puzzle.
#[derive(Clone, Debug)]
pub struct Kernel {
    actions: Actions,
    vertices: usize,
    blank: Option<BlankMoves>,
    /// Where one vertex is empty and all tokens differ: for each empty vertex, the vertices from
    /// which a token can slide there, each with its direction where these are the actions, in their
    /// order.
    sources: Option<Vec<Vec<(u8, u8)>>>,
}

/// The moves on a grid with one empty vertex ([`ActionScheme::Blank`]), for each empty vertex. The
/// tables are as long as the index of a vertex can be, so that no look-up has to be checked.
#[derive(Clone, Debug)]
pub struct BlankMoves {
    /// The vertex from which a token slides for each direction; the empty vertex itself at a
    /// border, so that a slide there does nothing.
    pub from: [[u8; 4]; MAX_VERTICES],
    /// Whether each direction is not towards a border.
    pub legal: [[bool; 4]; MAX_VERTICES],
}

impl BlankMoves {
    fn new(actions: &Actions, vertices: usize) -> BlankMoves {
        let mut moves = BlankMoves { from: [[0; 4]; _], legal: [[false; 4]; _] };
        for blank in Vertex::first(vertices) {
            let at = blank.index();
            for direction in 0..4 {
                let neighbour = actions.neighbour(blank, direction);
                moves.from[at][direction] = neighbour.unwrap_or(blank).index() as u8;
                moves.legal[at][direction] = neighbour.is_some();
            }
        }
        moves
    }

    /// The legal directions as marks and zeros, for each empty vertex.
    pub fn marks<T: Copy + Default>(&self, mark: T) -> [[T; 4]; MAX_VERTICES] {
        self.legal.map(|row| row.map(|is_legal| if is_legal { mark } else { T::default() }))
    }

    /// Moves the empty vertex in a direction. Returns where it is then, and the token that moved;
    /// the same vertex and 0 if the border is there.
    #[inline(always)]
    pub fn slide(&self, cells: &mut [u8], blank: u8, direction: usize) -> (u8, u8) {
        let from = self.from[blank as usize % MAX_VERTICES][direction % 4];
        let token = cells[from as usize];
        cells[from as usize] = 0;
        cells[blank as usize] = token;
        (from, token)
    }
}

/// The cells of all children, where those of each state begin, and the actions.
pub type Children = (Vec<u8>, Vec<i64>, Vec<i64>);

impl Kernel {
    /// Prepares for the states of a puzzle.
    pub fn new(puzzle: &Puzzle) -> Kernel {
        let actions = Actions::new(puzzle);
        let vertices = puzzle.board().vertex_count();
        let is_blank = actions.scheme() == ActionScheme::Blank;
        let blank = is_blank.then(|| BlankMoves::new(&actions, vertices));
        let has_one = puzzle.start().occupied().len() + 1 == vertices;
        let suits = has_one && puzzle.has_distinct_labels() && vertices > 1;
        let sources = suits.then(|| {
            let all = VertexSet::first(vertices);
            let of = |empty: Vertex| -> Vec<(u8, u8)> {
                let occupied = all - VertexSet::single(empty);
                let slides =
                    |from: &Vertex| puzzle.board().destinations(*from, occupied).contains(empty);
                if is_blank {
                    let from =
                        |way| Some((actions.neighbour(empty, way)?.index() as u8, way as u8));
                    (0..4).filter_map(from).collect()
                } else {
                    let from = occupied.into_iter().filter(slides);
                    from.map(|from| (from.index() as u8, 0)).collect()
                }
            };
            all.into_iter().map(of).collect()
        });
        Kernel { actions, vertices, blank, sources }
    }

    /// The numbering of the moves.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// The moves of the empty vertex, where the actions are its directions.
    pub fn blank_moves(&self) -> Option<&BlankMoves> {
        self.blank.as_ref()
    }

    /// Plays an action in a state, unless it is not legal there; returns whether it was.
    #[inline]
    pub fn step(&self, board: &Board, cells: &mut [u8], action: usize) -> bool {
        if let Some(moves) = &self.blank {
            let blank = blank(cells);
            return moves.slide(cells, blank, action).0 != blank;
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

    /// Plays an action in each of many states; returns where it was legal.
    pub fn step_all(&self, board: &Board, states: &mut [u8], actions: &[i64]) -> Vec<bool> {
        match (&self.blank, self.vertices) {
            (Some(moves), 9) => step_blanks::<9>(moves, states, actions),
            (Some(moves), 12) => step_blanks::<12>(moves, states, actions),
            (Some(moves), 16) => step_blanks::<16>(moves, states, actions),
            (Some(moves), 25) => step_blanks::<25>(moves, states, actions),
            _ => {
                let states = states.chunks_exact_mut(self.vertices).zip(actions);
                states.map(|(cells, &action)| self.step(board, cells, action as usize)).collect()
            }
        }
    }

    /// Returns a mark for each legal action of many states, and zeros, `states x actions`.
    pub fn legal_all<T: Copy + Default>(&self, board: &Board, states: &[u8], mark: T) -> Vec<T> {
        match (&self.blank, self.vertices) {
            (Some(moves), 9) => legal_blanks::<9, T>(moves, states, mark),
            (Some(moves), 12) => legal_blanks::<12, T>(moves, states, mark),
            (Some(moves), 16) => legal_blanks::<16, T>(moves, states, mark),
            (Some(moves), 25) => legal_blanks::<25, T>(moves, states, mark),
            _ => {
                let all = self.actions.count();
                let mut mask = vec![T::default(); states.len() / self.vertices * all];
                let rows = states.chunks_exact(self.vertices).zip(mask.chunks_exact_mut(all));
                rows.for_each(|(cells, row)| self.mark_legal(board, cells, row, mark));
                mask
            }
        }
    }

    /// Marks the legal actions of a state in a row of zeros.
    #[inline]
    pub fn mark_legal<T: Copy>(&self, board: &Board, cells: &[u8], row: &mut [T], mark: T) {
        if let Some(moves) = &self.blank {
            for (mark_of, &is_legal) in row.iter_mut().zip(&moves.legal[blank(cells) as usize]) {
                if is_legal {
                    *mark_of = mark;
                }
            }
            return;
        }
        let state = State::from_cells(cells).expect("the cells were checked");
        self.actions.for_each_legal(board, &state, |action, _| row[action] = mark);
    }

    /// Returns all children of many states, where those of each begin, and the actions that lead to
    /// them, ascending for each state.
    pub fn expand_all(&self, board: &Board, states: &[u8]) -> Children {
        match (&self.sources, self.vertices) {
            (Some(sources), 9) => self.expand_one_empty(sources, states, 9),
            (Some(sources), 12) => self.expand_one_empty(sources, states, 12),
            (Some(sources), 16) => self.expand_one_empty(sources, states, 16),
            (Some(sources), 25) => self.expand_one_empty(sources, states, 25),
            (Some(sources), vertices) => self.expand_one_empty(sources, states, vertices),
            (None, _) => self.expand_each(board, states),
        }
    }

    /// [`Kernel::expand_all`] where one vertex is empty, compiled once more for each number of
    /// vertices that is written where it is called.
    #[inline(always)]
    fn expand_one_empty(
        &self,
        sources: &[Vec<(u8, u8)>],
        states: &[u8],
        vertices: usize,
    ) -> Children {
        let blanks: Vec<u8> = states.chunks_exact(vertices).map(blank).collect();
        let mut offsets = Vec::with_capacity(blanks.len() + 1);
        let mut count = 0;
        offsets.push(0);
        offsets.extend(blanks.iter().map(|&empty| {
            count += sources[empty as usize].len() as i64;
            count
        }));
        let mut children = vec![0; count as usize * vertices];
        let mut rest = children.chunks_exact_mut(vertices);
        let mut actions = Vec::with_capacity(count as usize);
        let mut push = |cells: &[u8], from: u8, empty: u8, action: usize| {
            if let Some(child) = rest.next() {
                // Changed where it lies: what was written byte by byte is slow to read as a whole.
                child.copy_from_slice(cells);
                child[empty as usize] = cells[from as usize];
                child[from as usize] = 0;
            }
            actions.push(action as i64);
        };
        let is_blank = self.blank.is_some();
        let mut ways = [u16::MAX; MAX_VERTICES];
        for (cells, &empty) in states.chunks_exact(vertices).zip(&blanks) {
            let sources = &sources[empty as usize];
            if is_blank {
                sources.iter().for_each(|&(from, way)| push(cells, from, empty, way.into()));
                continue;
            }
            // Tokens in ascending order, each with the vertex on which it is.
            for (way, &(from, _)) in ways.iter_mut().zip(sources) {
                *way = u16::from(cells[from as usize]) << 8 | u16::from(from);
            }
            match sources.len() {
                ..=4 => sort_four(&mut ways, sources.len()),
                count => ways[..count].sort_unstable(),
            }
            for way in &ways[..sources.len()] {
                let [token, from] = way.to_be_bytes();
                push(cells, from, empty, (token as usize - 1) * vertices + empty as usize);
            }
        }
        (children, offsets, actions)
    }

    /// [`Kernel::expand_all`] for any puzzle.
    fn expand_each(&self, board: &Board, states: &[u8]) -> Children {
        let count = states.len() / self.vertices;
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let mut children = Vec::with_capacity(states.len() * 3);
        let mut actions = Vec::with_capacity(count * 3);
        let mut legal = Vec::new();
        for cells in states.chunks_exact(self.vertices) {
            let state = State::from_cells(cells).expect("the cells were checked");
            legal.clear();
            self.actions.for_each_legal(board, &state, |action, mv| {
                legal.push((action, mv.from.index(), mv.to.index()));
            });
            legal.sort_unstable();
            for &(action, from, to) in &legal {
                let first = children.len();
                children.extend_from_slice(cells);
                children[first..].swap(from, to);
                actions.push(action as i64);
            }
            offsets.push(actions.len() as i64);
        }
        (children, offsets, actions)
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }
}

/// Sorts the first numbers, at most four, without a branch that depends on them.
#[inline(always)]
fn sort_four(numbers: &mut [u16; MAX_VERTICES], count: usize) {
    numbers[count..4].fill(u16::MAX);
    for (low, high) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let (one, other) = (numbers[low], numbers[high]);
        (numbers[low], numbers[high]) = (one.min(other), one.max(other));
    }
}

/// [`Kernel::step_all`] for boards of a size that is known when this is compiled, whose loops over
/// the vertices are unrolled.
fn step_blanks<const V: usize>(
    moves: &BlankMoves,
    states: &mut [u8],
    actions: &[i64],
) -> Vec<bool> {
    let states = states.as_chunks_mut::<V>().0.iter_mut().zip(actions);
    states
        .map(|(cells, &action)| {
            let blank = blank(cells);
            moves.slide(cells, blank, action as usize).0 != blank
        })
        .collect()
}

fn legal_blanks<const V: usize, T: Copy + Default>(
    moves: &BlankMoves,
    states: &[u8],
    mark: T,
) -> Vec<T> {
    let marks = moves.marks(mark);
    let states = states.as_chunks::<V>().0.iter();
    let rows: Vec<[T; 4]> =
        states.map(|cells| marks[blank(cells) as usize % MAX_VERTICES]).collect();
    rows.into_flattened()
}

/// The empty vertex of a state with one. There is no branch that depends on where it is.
#[inline(always)]
pub fn blank(cells: &[u8]) -> u8 {
    (0u8..).zip(cells).fold(0, |blank, (vertex, &cell)| blank | if cell == 0 { vertex } else { 0 })
}
