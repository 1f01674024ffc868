//! Exact distances and shortest moves of many states, looked up in one table.

use hyperslide_puzzle::{
    Actions, Board, Goal, GoalCell, MAX_VERTICES, Puzzle, State, Vertex, VertexSet,
};
use hyperslide_table::{CellRanks, DistanceTable, Encoding};

/// The distances and the best moves of states that are given as cells
/// ([`State::from_cells`]), from a table of all distances.
///
/// ```
/// use std::ops::ControlFlow;
/// use hyperslide_lab::ExactDistances;
/// use hyperslide_puzzle::Puzzle;
/// use hyperslide_table::{Abstraction, BuildOptions, DistanceTable, Signals};
///
/// let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0")?;
/// let table = DistanceTable::build(
///     Abstraction::whole(&puzzle)?,
///     &BuildOptions::default(),
///     &Signals::default(),
///     &mut |_| ControlFlow::Continue(()),
/// )?;
/// let exact = ExactDistances::new(&table).unwrap();
/// // The tokens 1, 2 and 3 are the labels 0, 1 and 2.
/// assert_eq!(exact.distance(&[1, 2, 0, 3]), Some(1));
/// assert_eq!(exact.distance(&[2, 1, 3, 0]), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExactDistances<'a> {
    table: &'a DistanceTable,
    ranks: CellRanks<'a>,
    board: &'a Board,
    goal: &'a Goal,
    vertices: usize,
    one_empty: Option<OneEmpty>,
}

/// What descents on a board with one empty vertex look up, where the goal places every token.
struct OneEmpty {
    /// The vertices from which a token can slide to each empty vertex.
    sources: Vec<Vec<u8>>,
    /// The cells of the goal.
    goal: Vec<u8>,
}

impl OneEmpty {
    fn new(puzzle: &Puzzle) -> Option<OneEmpty> {
        let board = puzzle.board();
        let all = VertexSet::first(board.vertex_count());
        if puzzle.start().occupied().len() + 1 != board.vertex_count() {
            return None;
        }
        let cell = |cell: &GoalCell| match cell {
            GoalCell::Any => None,
            GoalCell::Empty => Some(0),
            GoalCell::Label(label) => Some(label.index() as u8 + 1),
        };
        let goal = puzzle.goal().cells().iter().map(cell).collect::<Option<Vec<u8>>>()?;
        let sources = all.into_iter().map(|empty| {
            let occupied = all - VertexSet::single(empty);
            let can_slide = |from: &Vertex| board.destinations(*from, occupied).contains(empty);
            occupied.into_iter().filter(can_slide).map(|from| from.index() as u8).collect()
        });
        Some(OneEmpty { sources: sources.collect(), goal })
    }
}

/// The states whose ranks are computed before their distances are read, so that the memory answers
/// several at once.
const AT_ONCE: usize = 32;

impl<'a> ExactDistances<'a> {
    /// Prepares the look-ups. Returns `None` for a table that does not keep all labels: it has
    /// distances of an abstraction only.
    pub fn new(table: &'a DistanceTable) -> Option<ExactDistances<'a>> {
        let (abstraction, ranks) = (table.abstraction(), CellRanks::new(table.space()));
        let puzzle = abstraction.puzzle();
        let (board, goal) = (puzzle.board(), puzzle.goal());
        let vertices = board.vertex_count();
        let one_empty = OneEmpty::new(puzzle);
        let exact = ExactDistances { table, ranks, board, goal, vertices, one_empty };
        abstraction.is_whole().then_some(exact)
    }

    /// Returns the number of moves from a state to the goal, or `None` if the table does not have
    /// the state. Takes time O(1) with whole distances, and O(distance x moves) with distances
    /// modulo 3.
    pub fn distance(&self, cells: &[u8]) -> Option<u32> {
        let here = self.stored(cells)?;
        match self.table.encoding() {
            Encoding::Byte => Some(here.into()),
            Encoding::Mod3 => self.descend(cells, here),
        }
    }

    /// Writes the distance of each state, -1 where the table does not have it. `cells` are those of
    /// all states in their order.
    ///
    /// # Panics
    ///
    /// Panics if there is not one distance for each state.
    pub fn distances(&self, cells: &[u8], distances: &mut [i16]) {
        assert_eq!(cells.len(), distances.len() * self.vertices, "one distance for each state");
        let states = cells.chunks(AT_ONCE * self.vertices);
        for (states, distances) in states.zip(distances.chunks_mut(AT_ONCE)) {
            let mut ranks = [None; AT_ONCE];
            for (rank, state) in ranks.iter_mut().zip(states.chunks_exact(self.vertices)) {
                *rank = self.ranks.rank(state);
            }
            for (number, distance) in distances.iter_mut().enumerate() {
                let here = ranks[number].and_then(|rank| self.table.stored_at(rank));
                *distance = match (here, self.table.encoding()) {
                    (None, _) => -1,
                    (Some(here), Encoding::Byte) => here.into(),
                    (Some(here), Encoding::Mod3) => {
                        let state = &states[number * self.vertices..][..self.vertices];
                        self.descend(state, here).map_or(-1, |distance| distance as i16)
                    }
                };
            }
        }
    }

    /// Calls `each` with the number of every action that leads one move closer to the goal; with
    /// none if the state meets the goal, or the table does not have it.
    pub fn optimal_actions(&self, actions: &Actions, cells: &[u8], mut each: impl FnMut(usize)) {
        let (Some(here), Some(state)) = (self.stored(cells), State::from_cells(cells)) else {
            return;
        };
        if self.goal.is_met(&state) {
            return;
        }
        let nearer = self.nearer(here);
        let mut child = cells.to_vec();
        actions.for_each_legal(self.board, &state, |action, mv| {
            child.swap(mv.from.index(), mv.to.index());
            if self.stored(&child) == Some(nearer) {
                each(action);
            }
            child.swap(mv.from.index(), mv.to.index());
        });
    }

    fn stored(&self, cells: &[u8]) -> Option<u8> {
        self.table.stored_at(self.ranks.rank(cells)?)
    }

    fn nearer(&self, here: u8) -> u8 {
        match self.table.encoding() {
            Encoding::Byte => here.wrapping_sub(1),
            Encoding::Mod3 => (here + 2) % 3,
        }
    }

    /// The number of moves of a descent to the goal, given the stored value of its first state.
    fn descend(&self, cells: &[u8], here: u8) -> Option<u32> {
        match &self.one_empty {
            Some(one_empty) => self.descend_with_one_empty(one_empty, cells, here),
            None => self.descend_by_moves(cells, here),
        }
    }

    /// A descent that follows the empty vertex. It never goes straight back, where it is farther.
    fn descend_with_one_empty(
        &self,
        one_empty: &OneEmpty,
        cells: &[u8],
        mut here: u8,
    ) -> Option<u32> {
        let OneEmpty { sources, goal } = one_empty;
        let mut all = [0; MAX_VERTICES];
        let state = &mut all[..self.vertices];
        state.copy_from_slice(cells);
        let mut empty = state.iter().position(|&cell| cell == 0)?;
        let (mut last, mut moves) = (usize::MAX, 0);
        while here != 0 || *state != goal[..] {
            let nearer = self.nearer(here);
            let from = sources[empty].iter().map(|&from| from as usize).find(|&from| {
                if from == last {
                    return false;
                }
                state.swap(empty, from);
                let is_nearer = self.stored(state) == Some(nearer);
                state.swap(empty, from);
                is_nearer
            })?;
            state.swap(empty, from);
            (last, empty, here, moves) = (empty, from, nearer, moves + 1);
        }
        Some(moves)
    }

    fn descend_by_moves(&self, cells: &[u8], mut here: u8) -> Option<u32> {
        let mut state = State::from_cells(cells)?;
        let mut cells = cells.to_vec();
        let mut moves = 0;
        while here != 0 || !self.goal.is_met(&state) {
            let nearer = self.nearer(here);
            let mv = self.board.legal_moves(&state).into_iter().find(|mv| {
                cells.swap(mv.from.index(), mv.to.index());
                let is_nearer = self.stored(&cells) == Some(nearer);
                cells.swap(mv.from.index(), mv.to.index());
                is_nearer
            })?;
            cells.swap(mv.from.index(), mv.to.index());
            state.slide(mv);
            (here, moves) = (nearer, moves + 1);
        }
        Some(moves)
    }
}
