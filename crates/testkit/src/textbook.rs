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
