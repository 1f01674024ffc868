//! Walking distance.

use std::sync::Arc;

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, State, Vertex};

use super::placed_grid::PlacedGrid;
use super::{Heuristic, HeuristicEntry, HeuristicError, Resources};
use crate::outcome::Limit;
use crate::table_cache::Remembered;

/// The number of matrices whose distances are remembered, of up to 64 MiB each.
const REMEMBERED: usize = 4;

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "walking-distance",
    summary: "moves between rows when tokens of equal goal rows are alike, and the same for columns \
              (Takahashi); grids with one empty vertex up to 4:5",
    admissible: true,
    consistent: true,
    parameter: None,
    build: |request| Ok(Box::new(WalkingDistance::new(request.puzzle, request.resources)?)),
};

/// How long the longer side may be when the shorter is 1, 2, 3 or 4. The tables of 4:5 have
/// 5,977,015 and 107,712 matrices and take seconds to build; that of 5:5 would have 65,650,495.
const LONGEST: [usize; 4] = [8, 6, 5, 5];
const WHAT: &str = "grids up to 1:8, 2:6, 3:5 and 4:5, whichever side is longer";

/// Lower bound in moves: the vertical moves that a puzzle needs in which only the row of a token,
/// its goal's row and the row of the empty vertex count, and the same for horizontal moves and
/// columns.
///
/// Admissible and consistent for every goal: a move is a move of one of the two puzzles. `None`
/// where that puzzle cannot be solved: on grids one vertex wide no token passes another. Source: K.
/// Takahashi, <http://www.ic-net.or.jp/home/takaken/nt/slide/solve15.html>. Time O(tokens) and two
/// look-ups a move; no allocation.
struct WalkingDistance {
    vertical: Walk,
    horizontal: Walk,
    columns: usize,
}

/// One of the two puzzles.
struct Walk {
    /// Shared by both puzzles when their matrices are the same.
    distances: Arc<Distances>,
    /// What a token adds to the matrix, by label and vertex; wraps around.
    weights: Vec<[u64; MAX_VERTICES]>,
    /// The matrix without any token.
    bare: u64,
}

impl WalkingDistance {
    fn new(puzzle: &Puzzle, resources: &Resources<'_>) -> Result<WalkingDistance, HeuristicError> {
        let grid = PlacedGrid::one_empty(puzzle, ENTRY.name)?;
        let (shorter, longer) = (grid.rows.min(grid.columns), grid.rows.max(grid.columns));
        if LONGEST.get(shorter - 1).is_none_or(|&longest| longer > longest) {
            return Err(HeuristicError::OtherPuzzles { heuristic: ENTRY.name, what: WHAT });
        }
        let goal_empty = grid.goal_empty.lowest().expect("one vertex is empty");
        let of_rows =
            Matrices { lines: grid.rows, width: grid.columns, goal_empty: grid.row(goal_empty) };
        let of_columns =
            Matrices { lines: grid.columns, width: grid.rows, goal_empty: grid.column(goal_empty) };
        let known = resources.cache.slot::<Remembered<Distances>>();
        let get = |matrices: Matrices, held: u64| {
            let build = || matrices.distances(resources, held);
            known.get_or_build(REMEMBERED, |known| known.are_of(matrices), build)
        };
        let vertical = get(of_rows, 0)?;
        let held = if of_rows == of_columns { 0 } else { vertical.bytes() };
        let horizontal = get(of_columns, held)?;
        if held + horizontal.bytes() > resources.memory {
            return Err(HeuristicError::Stopped(Limit::Memory));
        }
        Ok(WalkingDistance {
            vertical: Walk::new(&of_rows, vertical, &grid, |vertex| grid.row(vertex)),
            horizontal: Walk::new(&of_columns, horizontal, &grid, |vertex| grid.column(vertex)),
            columns: grid.columns,
        })
    }
}

impl Walk {
    fn new(
        matrices: &Matrices,
        distances: Arc<Distances>,
        grid: &PlacedGrid,
        line: impl Fn(Vertex) -> usize,
    ) -> Walk {
        // The lines of all vertices add up to those of the tokens and that of the empty vertex.
        let all: usize = grid.vertices().map(&line).sum();
        let bare = matrices.empty_on(all);
        let mut weights = Vec::new();
        for &target in &grid.targets {
            let mut row = [0; MAX_VERTICES];
            for (weight, vertex) in row.iter_mut().zip(grid.vertices()) {
                let token = matrices.token(line(vertex), line(target));
                *weight = token.wrapping_sub(matrices.empty_on(line(vertex)));
            }
            weights.push(row);
        }
        Walk { distances, weights, bare }
    }

    #[inline]
    fn matrix(&self, state: &State) -> u64 {
        state.tokens().fold(self.bare, |matrix, (vertex, label)| {
            matrix.wrapping_add(self.weights[label.index()][vertex.index()])
        })
    }

    fn estimate(&self, state: &State) -> Option<u32> {
        self.distances.get(self.matrix(state))
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let matrix = self.matrix(state);
        let weights = &self.weights[label.index()];
        let gone = matrix.wrapping_sub(weights[mv.from.index()]);
        let next = gone.wrapping_add(weights[mv.to.index()]);
        Some(before - self.distances.get(matrix)? + self.distances.get(next)?)
    }
}

impl Heuristic for WalkingDistance {
    fn estimate(&self, state: &State) -> Option<u32> {
        Some(self.vertical.estimate(state)? + self.horizontal.estimate(state)?)
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let is_vertical = mv.from.index().abs_diff(mv.to.index()) == self.columns;
        let walk = if is_vertical { &self.vertical } else { &self.horizontal };
        walk.after_move(before, state, label, mv)
    }

    fn bytes(&self) -> u64 {
        let (vertical, horizontal) = (&self.vertical.distances, &self.horizontal.distances);
        let both = if Arc::ptr_eq(vertical, horizontal) { 0 } else { horizontal.bytes() };
        vertical.bytes() + both
    }
}

/// The matrices that say how many tokens of each line the goal wants on each line, with the line of
/// the empty vertex.
///
/// A matrix is packed into at most 53 bits: the empty vertex's line, and a field for each pair of a
/// line and a goal line. The last line and the last goal line need no field: sums tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matrices {
    /// How many lines there are.
    lines: usize,
    /// Vertices of a line.
    width: usize,
    /// The empty vertex's line in the goal.
    goal_empty: usize,
}

/// Matrices between two looks at the limits while distances are searched.
const LOOK_INTERVAL: usize = 1 << 12;
/// A token of up to eight goal lines comes from one of two lines.
const MOST_SUCCESSORS: usize = 16;
/// Bits of the field for the empty vertex's line.
const LINE_BITS: u32 = 3;

impl Matrices {
    /// What the empty vertex adds to a matrix by its line.
    fn empty_on(&self, line: usize) -> u64 {
        line as u64
    }

    /// What a token adds to a matrix by its line and its goal's.
    fn token(&self, line: usize, goal: usize) -> u64 {
        let kept = self.lines - 1;
        if line == kept || goal == kept {
            return 0;
        }
        1 << (LINE_BITS + self.field_bits() * (line * kept + goal) as u32)
    }

    /// Bits of a field that counts up to the width.
    fn field_bits(&self) -> u32 {
        usize::BITS - self.width.leading_zeros()
    }

    /// Tokens on a line when the empty vertex is on the line `empty`.
    fn tokens_on(&self, line: usize, empty: usize) -> usize {
        self.width - usize::from(line == empty)
    }

    fn goal(&self) -> u64 {
        let tokens = (0..self.lines)
            .map(|line| self.tokens_on(line, self.goal_empty) as u64 * self.token(line, line));
        tokens.sum::<u64>() + self.empty_on(self.goal_empty)
    }

    /// How many tokens on the line the goal wants on the line `goal`.
    fn count(&self, matrix: u64, line: usize, goal: usize) -> usize {
        let kept = self.lines - 1;
        let field = |line, goal: usize| {
            let shift = self.token(line, goal).trailing_zeros();
            (matrix >> shift) as usize & ((1 << self.field_bits()) - 1)
        };
        let empty = matrix as usize & ((1 << LINE_BITS) - 1);
        match (line == kept, goal == kept) {
            (false, false) => field(line, goal),
            (false, true) => {
                let others: usize = (0..kept).map(|goal| field(line, goal)).sum();
                self.tokens_on(line, empty) - others
            }
            (true, false) => {
                let others: usize = (0..kept).map(|line| field(line, goal)).sum();
                self.tokens_on(goal, self.goal_empty) - others
            }
            (true, true) => {
                let others: usize = (0..kept).map(|goal| self.count(matrix, kept, goal)).sum();
                self.tokens_on(kept, empty) - others
            }
        }
    }

    /// Breadth-first search from the goal: a token of a neighbouring line moves to the empty one.
    /// Builds the distances, with the given number of bytes held already.
    fn distances(&self, resources: &Resources<'_>, held: u64) -> Result<Distances, HeuristicError> {
        let mut distances = Distances::new(*self);
        let mut frontier = vec![self.goal()];
        distances.insert(self.goal(), 0);
        let mut depth = 0;
        while !frontier.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for (number, matrix) in frontier.into_iter().enumerate() {
                if number % LOOK_INTERVAL == 0 {
                    if held + distances.bytes_to_come() > resources.memory {
                        return Err(HeuristicError::Stopped(Limit::Memory));
                    }
                    if let Some(reason) = resources.watch().reason() {
                        return Err(HeuristicError::Stopped(reason.into()));
                    }
                }
                let empty = matrix as usize & ((1 << LINE_BITS) - 1);
                let neighbours = [empty.wrapping_sub(1), empty + 1];
                for line in neighbours.into_iter().filter(|&line| line < self.lines) {
                    for goal in 0..self.lines {
                        if self.count(matrix, line, goal) == 0 {
                            continue;
                        }
                        let after = matrix
                            .wrapping_sub(self.token(line, goal) + self.empty_on(empty))
                            .wrapping_add(self.token(empty, goal) + self.empty_on(line));
                        if distances.insert(after, depth) {
                            next.push(after);
                        }
                    }
                }
            }
            frontier = next;
        }
        Ok(distances)
    }
}

/// Distances of matrices, hashed with linear probing: 8 bytes a slot, of which 3/8 to 3/4 are used.
/// 512 KiB for 4:4, 64 MiB for the larger table of 4:5.
pub(crate) struct Distances {
    of: Matrices,
    /// A matrix in the upper 56 bits and its distance below, or `VACANT`.
    slots: Vec<u64>,
    used: usize,
    /// The upper bits of a hash are the slot.
    shift: u32,
}

const VACANT: u64 = u64::MAX;
const DISTANCE_BITS: u32 = 8;

impl Distances {
    fn new(of: Matrices) -> Distances {
        const BITS: u32 = 4;
        Distances { of, slots: vec![VACANT; 1 << BITS], used: 0, shift: u64::BITS - BITS }
    }

    /// Returns whether they are those of such matrices.
    pub fn are_of(&self, matrices: Matrices) -> bool {
        self.of == matrices
    }

    fn bytes(&self) -> u64 {
        size_of_val(&self.slots[..]) as u64
    }

    /// Those held until the next look at the limits: while they grow the old slots exist next to
    /// twice as many new ones.
    fn bytes_to_come(&self) -> u64 {
        let grows = 4 * (self.used + LOOK_INTERVAL * MOST_SUCCESSORS) >= 3 * self.slots.len();
        if grows { 3 * self.bytes() } else { self.bytes() }
    }

    /// The slot that holds the matrix, or the vacant one where it belongs.
    #[inline]
    fn slot(&self, matrix: u64) -> usize {
        // Fibonacci hashing: 2^64 divided by the golden ratio.
        let mut slot = (matrix.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.slots[slot] != VACANT && self.slots[slot] >> DISTANCE_BITS != matrix {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    #[inline]
    fn get(&self, matrix: u64) -> Option<u32> {
        let slot = self.slots[self.slot(matrix)];
        (slot != VACANT).then_some(slot as u32 & ((1 << DISTANCE_BITS) - 1))
    }

    /// Returns whether the matrix is new.
    fn insert(&mut self, matrix: u64, distance: u64) -> bool {
        assert!(matrix >> (u64::BITS - DISTANCE_BITS) == 0 && distance < 0xFF);
        if 4 * self.used >= 3 * self.slots.len() {
            self.grow();
        }
        let slot = self.slot(matrix);
        let is_new = self.slots[slot] == VACANT;
        if is_new {
            self.slots[slot] = matrix << DISTANCE_BITS | distance;
            self.used += 1;
        }
        is_new
    }

    fn grow(&mut self) {
        let doubled = vec![VACANT; 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, doubled);
        self.shift -= 1;
        for entry in old.into_iter().filter(|&entry| entry != VACANT) {
            let slot = self.slot(entry >> DISTANCE_BITS);
            self.slots[slot] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_testkit::Random;
    use std::collections::{HashMap, VecDeque};

    /// For each line the goal lines of its tokens in ascending order; that of the empty vertex has
    /// one less.
    type PlainMatrix = Vec<Vec<usize>>;

    fn plain_matrix(
        puzzle: &Puzzle,
        state: &State,
        lines: usize,
        line: &dyn Fn(Vertex) -> usize,
    ) -> PlainMatrix {
        let mut matrix = vec![Vec::new(); lines];
        for (vertex, label) in state.tokens() {
            let target = puzzle.goal().labelled().vertices_of(label).lowest().unwrap();
            matrix[line(vertex)].push(line(target));
        }
        matrix.iter_mut().for_each(|tokens| tokens.sort_unstable());
        matrix
    }

    /// The same search over lists of tokens.
    fn plain_distances(goal: PlainMatrix, width: usize) -> HashMap<PlainMatrix, u32> {
        let mut distances = HashMap::from([(goal.clone(), 0)]);
        let mut open = VecDeque::from([goal]);
        while let Some(matrix) = open.pop_front() {
            let distance = distances[&matrix];
            let empty = matrix.iter().position(|tokens| tokens.len() < width).unwrap();
            for line in (0..matrix.len()).filter(|line| line.abs_diff(empty) == 1) {
                for place in 0..width {
                    let mut next = matrix.clone();
                    let token = next[line].remove(place);
                    next[empty].push(token);
                    next[empty].sort_unstable();
                    if !distances.contains_key(&next) {
                        distances.insert(next.clone(), distance + 1);
                        open.push_back(next);
                    }
                }
            }
        }
        distances
    }

    /// Compares with the plain search on a random walk from the goal; returns how many matrices of
    /// rows and of columns there are.
    fn check(rows: usize, columns: usize, goal_empty: usize, random: &mut Random) -> [usize; 2] {
        let count = rows * columns;
        let mut cells: Vec<String> = (1..count).map(|n| n.to_string()).collect();
        random.shuffle(&mut cells);
        cells.insert(goal_empty, "0".to_owned());
        let cells = cells.join(",");
        let puzzle =
            Puzzle::from_line(&format!("grid:{rows}:{columns} {cells} -> {cells}")).unwrap();
        let heuristic = WalkingDistance::new(&puzzle, &Resources::default()).unwrap();
        let row = |vertex: Vertex| vertex.index() / columns;
        let column = |vertex: Vertex| vertex.index() % columns;
        let mut state = *puzzle.start();
        let plain = [
            plain_distances(plain_matrix(&puzzle, &state, rows, &row), columns),
            plain_distances(plain_matrix(&puzzle, &state, columns, &column), rows),
        ];
        for _ in 0..20 * count * count {
            let moves = puzzle.board().legal_moves(&state);
            state.slide(moves[random.below(moves.len())]);
            let vertical = plain[0][&plain_matrix(&puzzle, &state, rows, &row)];
            let horizontal = plain[1][&plain_matrix(&puzzle, &state, columns, &column)];
            let state = puzzle.write_state(&state);
            let line = format!("grid:{rows}:{columns} {state} -> {cells}");
            let start = *Puzzle::from_line(&line).unwrap().start();
            assert_eq!(heuristic.estimate(&start), Some(vertical + horizontal), "{line}");
        }
        let used = [&heuristic.vertical, &heuristic.horizontal].map(|walk| walk.distances.used);
        assert_eq!(used, [plain[0].len(), plain[1].len()]);
        used
    }

    #[test]
    fn equals_a_plain_search() {
        let mut random = Random::new(15);
        for goal_empty in 0..9 {
            assert_eq!(check(3, 3, goal_empty, &mut random), [105, 105]);
        }
        assert_eq!(check(1, 8, 3, &mut random), [1, 8]);
        assert_eq!(check(5, 2, 4, &mut random), [11_010, 10]);
        assert_eq!(check(3, 4, 5, &mut random).len(), 2);
        // 24,964: Takahashi.
        for goal_empty in [0, 6, 15] {
            assert_eq!(check(4, 4, goal_empty, &mut random), [24_964, 24_964]);
        }
    }

    #[test]
    fn known_estimates() {
        let estimate = |line: &str| {
            let puzzle = Puzzle::from_line(line).unwrap();
            WalkingDistance::new(&puzzle, &Resources::default()).unwrap().estimate(puzzle.start())
        };
        // All five tokens change rows, in turns up and down; none needs another column.
        assert_eq!(estimate("grid:2:3 4,5,0,1,2,3 -> 1,2,3,4,5,0"), Some(5));
        // 4 goes down, 1 goes up.
        assert_eq!(estimate("grid:2:3 4,2,3,1,5,0"), Some(2));
        // 3 and 1 are in each other's row, and the empty vertex is in neither: first 4 goes down,
        // to come back when 3 went down and 1 up.
        assert_eq!(estimate("grid:3:2 3,2,1,4,5,0"), Some(4));
        // On a path no token passes another.
        assert_eq!(estimate("grid:1:4 2,1,3,0 -> 1,2,3,0"), None);
        assert_eq!(estimate("grid:1:4 0,1,2,3 -> 1,2,3,0"), Some(3));
    }

    #[test]
    fn a_table_is_shared_or_refused() {
        let build = |line: &str| {
            WalkingDistance::new(&Puzzle::from_line(line).unwrap(), &Resources::default())
        };
        let is_shared = |line: &str| {
            let built = build(line).unwrap();
            Arc::ptr_eq(&built.vertical.distances, &built.horizontal.distances)
        };
        assert!(is_shared("grid:3:3 1,2,3,4,5,6,7,8,0"));
        assert!(!is_shared("grid:3:3 1,2,3,4,5,6,7,0,8 -> 1,2,3,4,5,6,7,0,8"));
        let refused = |rows: usize, columns: usize| {
            let cells: Vec<String> = (0..rows * columns).map(|n| n.to_string()).collect();
            let error = build(&format!("grid:{rows}:{columns} {}", cells.join(","))).err().unwrap();
            assert!(error.to_string().contains("grids up to 1:8"), "{error}");
        };
        for (rows, columns) in [(1, 9), (2, 7), (6, 3), (4, 6), (5, 5), (8, 8)] {
            refused(rows, columns);
        }
        let error = build("grid:3:3 1,2,3,4,5,6,7,0,0").err().unwrap();
        assert!(error.to_string().contains("one empty vertex"), "{error}");
    }

    /// The longest grids that are taken: their matrices fit the fields, their distances too.
    #[test]
    fn largest_tables() {
        let largest = |lines: usize, width: usize| {
            let distances = Matrices { lines, width, goal_empty: lines - 1 };
            let distances = distances.distances(&Resources::default(), 0).unwrap();
            let known = distances.slots.iter().filter(|&&slot| slot != VACANT);
            let farthest = known.map(|slot| slot & 0xFF).max();
            (distances.used, farthest.unwrap())
        };
        assert_eq!(largest(8, 1), (8, 7));
        assert_eq!(largest(4, 4), (24_964, 35));
        assert_eq!(largest(6, 2), (367_560, 55));
        assert_eq!(largest(5, 3), (352_560, 46));
        assert_eq!(largest(4, 5), (107_712, 43));
        assert_eq!(largest(5, 4), (5_977_015, 58));
    }
}
