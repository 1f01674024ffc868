//! Textbook algorithms that tests and benches compare with.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use hyperslide_puzzle::{Board, BoardSpec, GoalCell, Metric, Puzzle, State, Vertex};

/// What [`textbook_astar`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextbookResult {
    /// The solution's length, or `None` when there is none.
    pub length: Option<usize>,
    /// States taken from the open list and not thrown away as stale.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
}

/// A* as in the textbooks: a binary heap, a hash map of costs, states as they are, the estimate by
/// its formula. Ties as in the real engine: larger g first, then last in, first out.
///
/// For cubes and grids with distinct labels that all have their vertex.
pub fn textbook_astar(puzzle: &Puzzle) -> TextbookResult {
    let board = puzzle.board();
    let mut cost: HashMap<State, u32> = HashMap::from([(*puzzle.start(), 0)]);
    let mut open = BinaryHeap::new();
    let mut pushed = 0u64;
    let h = formula(board, puzzle, puzzle.start());
    open.push((Reverse(h), 0u32, pushed, StateByBits(*puzzle.start())));
    let mut result = TextbookResult { length: None, expanded: 0, generated: 0 };
    while let Some((_, g, _, StateByBits(state))) = open.pop() {
        if cost[&state] < g {
            continue;
        }
        if puzzle.goal().is_met(&state) {
            result.length = Some(g as usize);
            return result;
        }
        result.expanded += 1;
        for mv in board.legal_moves(&state) {
            result.generated += 1;
            let next = board.play(&state, mv).expect("listed moves are legal");
            if cost.get(&next).is_none_or(|&known| g + 1 < known) {
                cost.insert(next, g + 1);
                pushed += 1;
                let f = g + 1 + formula(board, puzzle, &next);
                open.push((Reverse(f), g + 1, pushed, StateByBits(next)));
            }
        }
    }
    result
}

/// Entries differ by their number before this is ever compared.
#[derive(PartialEq, Eq)]
struct StateByBits(State);

impl PartialOrd for StateByBits {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for StateByBits {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.occupied().bits().cmp(&other.0.occupied().bits())
    }
}

fn formula(board: &Board, puzzle: &Puzzle, state: &State) -> u32 {
    let distance = |a: Vertex, b: Vertex| match (board.spec(), board.metric()) {
        (BoardSpec::Grid { columns, .. }, _) => {
            let (a, b) = (a.index(), b.index());
            (a / columns).abs_diff(b / columns) + (a % columns).abs_diff(b % columns)
        }
        (BoardSpec::Cube { k, .. }, metric) => {
            let hamming = (a.index() ^ b.index()).count_ones() as usize;
            if metric == Metric::Face { hamming.div_ceil(*k) } else { hamming }
        }
        _ => panic!("the textbook knows grids and cubes"),
    };
    let target =
        |label| puzzle.goal().cells().iter().position(|&cell| cell == GoalCell::Label(label));
    state
        .tokens()
        .filter_map(|(vertex, label)| Some(distance(vertex, Vertex::new(target(label)?)?) as u32))
        .sum()
}

/// IDA* on the 15-puzzle as fast C++ solvers write it (Burns et al. 2012): tiles in an array, moved
/// in place, Manhattan distance updated by a table, operators listed by cell, each node visited
/// before its f is looked at. Goal 0, 1, ..., 15; the empty cell goes up, left, right, down.
///
/// Returns the solution's length, and the number of states generated, roots not included.
pub fn textbook_idastar_15(start: [u8; 16]) -> (u32, u64) {
    struct Search {
        tiles: [u8; 16],
        neighbours: [Vec<usize>; 16],
        /// Manhattan distance of each tile on each cell.
        distance: [[u8; 16]; 16],
        generated: u64,
        bound: u32,
        beyond: u32,
    }

    impl Search {
        fn visit(&mut self, empty: usize, before: usize, g: u32, h: u32) -> Option<u32> {
            let f = g + h;
            if f > self.bound {
                self.beyond = self.beyond.min(f);
                return None;
            }
            if h == 0 {
                return Some(g);
            }
            for number in 0..self.neighbours[empty].len() {
                let cell = self.neighbours[empty][number];
                if cell == before {
                    continue;
                }
                self.generated += 1;
                let tile = self.tiles[cell] as usize;
                let h = h + u32::from(self.distance[tile][empty])
                    - u32::from(self.distance[tile][cell]);
                self.tiles[empty] = tile as u8;
                let found = self.visit(cell, empty, g + 1, h);
                self.tiles[cell] = tile as u8;
                if found.is_some() {
                    return found;
                }
            }
            None
        }
    }

    let manhattan = |a: usize, b: usize| ((a / 4).abs_diff(b / 4) + (a % 4).abs_diff(b % 4)) as u8;
    let distance: [[u8; 16]; 16] =
        std::array::from_fn(|tile| std::array::from_fn(|cell| manhattan(tile, cell)));
    let near = |cell: usize| {
        let up = cell.checked_sub(4);
        let left = (!cell.is_multiple_of(4)).then(|| cell - 1);
        let right = (cell % 4 < 3).then_some(cell + 1);
        let down = Some(cell + 4).filter(|&below| below < 16);
        [up, left, right, down].into_iter().flatten().collect()
    };
    let empty = start.iter().position(|&tile| tile == 0).expect("one cell is empty");
    let tiles = start.iter().enumerate().filter(|&(_, &tile)| tile != 0);
    let h = tiles.map(|(cell, &tile)| u32::from(distance[tile as usize][cell])).sum();
    let mut search = Search {
        tiles: start,
        neighbours: std::array::from_fn(near),
        distance,
        generated: 0,
        bound: h,
        beyond: u32::MAX,
    };
    loop {
        if let Some(length) = search.visit(empty, usize::MAX, 0, h) {
            return (length, search.generated);
        }
        search.bound = std::mem::replace(&mut search.beyond, u32::MAX);
    }
}
