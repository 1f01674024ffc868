//! Manhattan distance with linear conflicts.

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, State, Vertex, VertexSet};

use super::placed_grid::PlacedGrid;
use super::{Heuristic, HeuristicEntry, HeuristicError, TokenCosts};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "linear-conflict",
    summary: "Manhattan, and 2 for every token that must leave its line to let others pass (Hansson, \
              Mayer and Yung 1992); grids with one empty vertex",
    admissible: true,
    consistent: true,
    parameter: None,
    build: |request| Ok(Box::new(LinearConflict::new(request.puzzle)?)),
};

/// Lower bound in moves: Manhattan distance, and for each row and column twice the least number of
/// its own tokens that must leave it so that the others stand in the goal's order.
///
/// A line's own tokens are those on it that the goal wants on it. The least number is how many
/// there are less their longest increasing subsequence: 2 for three tokens in reversed order,
/// though they are three pairs in conflict. Admissible and consistent for every goal: a move keeps
/// the order of the line it goes along; a token that crosses out of its own line goes away from its
/// goal, and only then may 2 be taken off; one that crosses into it comes nearer, and only then may
/// 2 be added. Source: Hansson, Mayer and Yung, Criticizing solutions to relaxed models yields
/// powerful admissible heuristics, Information Sciences 63 (1992). Time O(length of a line) a move,
/// and only when the token enters or leaves its own line; no allocation.
struct LinearConflict {
    manhattan: TokenCosts,
    /// The rows, then the columns.
    lines: Vec<Line>,
    /// The row and the column of each vertex in `lines`.
    lines_at: [[u8; 2]; MAX_VERTICES],
}

/// A row or a column. 520 bytes.
struct Line {
    /// In ascending order they lie along the line.
    vertices: VertexSet,
    /// For each label that the goal wants on the line, its place there as one bit; 0 for the
    /// others.
    places: [u64; MAX_VERTICES],
}

impl LinearConflict {
    fn new(puzzle: &Puzzle) -> Result<LinearConflict, HeuristicError> {
        let grid = PlacedGrid::one_empty(puzzle, ENTRY.name)?;
        let mut costs = Vec::new();
        for &target in &grid.targets {
            let mut row = [0; MAX_VERTICES];
            for vertex in grid.vertices() {
                let rows = grid.row(vertex).abs_diff(grid.row(target));
                let columns = grid.column(vertex).abs_diff(grid.column(target));
                row[vertex.index()] = (rows + columns) as u8;
            }
            costs.push(row);
        }
        let line = |vertices: VertexSet| {
            let mut places = [0; MAX_VERTICES];
            for (place, &target) in places.iter_mut().zip(&grid.targets) {
                // Where a vertex lies along the line, its bit in a set of vertices says too.
                *place = (VertexSet::single(target) & vertices).bits();
            }
            Line { vertices, places }
        };
        let row = |row| grid.vertices().filter(|&vertex| grid.row(vertex) == row).collect();
        let column =
            |column| grid.vertices().filter(|&vertex| grid.column(vertex) == column).collect();
        let lines = (0..grid.rows).map(row).chain((0..grid.columns).map(column)).map(line);
        let mut lines_at = [[0; 2]; MAX_VERTICES];
        for (at, vertex) in lines_at.iter_mut().zip(grid.vertices()) {
            *at = [grid.row(vertex) as u8, (grid.rows + grid.column(vertex)) as u8];
        }
        Ok(LinearConflict { manhattan: TokenCosts { costs }, lines: lines.collect(), lines_at })
    }
}

impl Line {
    /// How many more of the line's own tokens must leave it (0 or 1) when one of them is on
    /// `vertex`, where `state` may have it or not.
    fn leavers_more(&self, state: &State, vertex: Vertex, label: Label) -> u32 {
        let (mut with, mut without) = (0, 0);
        for at in self.vertices {
            if at == vertex {
                with = extended(with, self.places[label.index()]);
            } else if let Some(other) = state.label_at(at) {
                let place = self.places[other.index()];
                with = extended(with, place);
                without = extended(without, place);
            }
        }
        1 + without.count_ones() - with.count_ones()
    }
}

/// The longest increasing subsequences after one more item, as the set of the least items that
/// those of each length can end with: `item` takes the place of the next greater one. No item is 0.
///
/// Source: Fredman, On computing the length of longest increasing subsequences, Discrete
/// Mathematics 11 (1975), on a machine word.
#[inline]
fn extended(tails: u64, item: u64) -> u64 {
    let greater = tails & !(item | item.wrapping_sub(1));
    (tails | item) & !(greater & greater.wrapping_neg())
}

impl Heuristic for LinearConflict {
    fn estimate(&self, state: &State) -> Option<u32> {
        let mut estimate = 0;
        let mut tails = [0; MAX_VERTICES + 1];
        // Ascending by vertex, and so along every line.
        for (vertex, label) in state.tokens() {
            estimate += u32::from(self.manhattan.get(label, vertex));
            for line in self.lines_at[vertex.index()] {
                let place = self.lines[line as usize].places[label.index()];
                estimate += 2 * place.count_ones();
                tails[line as usize] = extended(tails[line as usize], place);
            }
        }
        Some(estimate - 2 * tails.iter().map(|tails| tails.count_ones()).sum::<u32>())
    }

    #[inline]
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let cost = |vertex| u32::from(self.manhattan.get(label, vertex));
        let [row_from, column_from] = self.lines_at[mv.from.index()];
        let [row_to, column_to] = self.lines_at[mv.to.index()];
        // The two lines that it crosses from and to: the order of the one it moves along stays.
        let (left, entered) =
            if row_from == row_to { (column_from, column_to) } else { (row_from, row_to) };
        let (left, entered) = (&self.lines[left as usize], &self.lines[entered as usize]);
        let mut estimate = before + cost(mv.to) - cost(mv.from);
        if left.places[label.index()] != 0 {
            estimate -= 2 * left.leavers_more(state, mv.from, label);
        } else if entered.places[label.index()] != 0 {
            estimate += 2 * entered.leavers_more(state, mv.to, label);
        }
        Some(estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_testkit::Random;

    fn check(line: &str, expected: u32) {
        let puzzle = Puzzle::from_line(line).unwrap();
        let heuristic = LinearConflict::new(&puzzle).unwrap();
        assert_eq!(heuristic.estimate(puzzle.start()), Some(expected), "{line}");
    }

    #[test]
    fn conflicts_are_counted_by_the_tokens_that_must_leave() {
        // Two tiles reversed: Manhattan 2, and 2. Three reversed: Manhattan 4, and 4, not 6.
        check("grid:3:3 2,1,3,4,5,6,7,8,0", 2 + 2);
        check("grid:3:3 3,2,1,4,5,6,7,8,0", 4 + 4);
        check("grid:4:4 4,3,2,1,5,6,7,8,9,10,11,12,13,14,15,0", 8 + 6);
        // 1 alone must leave: 2,3,1 has three tokens, two of them in order.
        check("grid:3:3 2,3,1,4,5,6,7,8,0", 4 + 2);
        // The same in a column, and in both.
        check("grid:3:3 7,2,3,4,5,6,1,8,0", 4 + 4);
        check("grid:2:2 0,1,2,3 -> 0,2,1,3", 4);
        check("grid:3:3 3,2,1,4,5,6,7,8,0 -> 3,2,1,4,5,6,7,8,0", 0);
        // 4 stands between 2 and 1 and belongs elsewhere: it is not an obstacle.
        check("grid:3:3 2,4,1,3,5,6,7,8,0", 8 + 2);
        // The goal's empty vertex is in the middle: its row is 4, empty, 5.
        check("grid:3:3 1,2,3,5,0,4,6,7,8 -> 1,2,3,4,0,5,6,7,8", 4 + 2);
    }

    #[test]
    fn leavers_are_the_fewest_whose_absence_leaves_order() {
        let mut random = Random::new(1992);
        for _ in 0..2000 {
            let length = 1 + random.below(9);
            let mut items: Vec<u32> = (0..length as u32).collect();
            random.shuffle(&mut items);
            let in_order = |kept: &usize| {
                let chosen: Vec<u32> =
                    (0..length).filter(|i| kept >> i & 1 == 1).map(|i| items[i]).collect();
                chosen.is_sorted()
            };
            let longest =
                (0..1usize << length).filter(in_order).map(|kept| kept.count_ones()).max();
            let tails = items.iter().fold(0, |tails, item| extended(tails, 1 << item));
            assert_eq!(Some(tails.count_ones()), longest, "{items:?}");
            assert_eq!(extended(tails, 0), tails);
        }
    }

    #[test]
    fn other_puzzles_are_refused() {
        for line in [
            "grid:3:3 1,2,3,4,5,6,7,0,0",
            "grid:2:2 1,1,2,0 -> 1,2,1,0",
            "grid:2:2 1,2,3,0 -> 1,2,*,*",
            "cube:2:1 a=0,b=1,c=2 -> a=0,b=1,c=3",
        ] {
            let error = LinearConflict::new(&Puzzle::from_line(line).unwrap()).err().unwrap();
            assert!(error.to_string().contains("grids with one empty vertex"), "{error}");
        }
    }
}
