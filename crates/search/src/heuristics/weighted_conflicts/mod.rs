//! Weights on tokens, pairs of tokens of one line, blocks and what is near the empty vertex,
//! learned from what beams keep.

mod grid;
mod weights;

use std::sync::LazyLock;

use hyperslide_puzzle::Puzzle;

use super::learned_weights::{Built, LearnedWeights, Numbers, WeightFamily, Weighted};
use super::placed_grid::PlacedGrid;
use super::token_homes::build_on;
use super::{Heuristic, HeuristicEntry, HeuristicError};

use self::grid::GridNumbers;
use self::weights::Boards;

pub use self::grid::GridWeights;

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: FAMILY.name,
    summary: "learned weights: what tokens usually cost by their paths home, with others \
              on their line, in their block and near empty vertices; leads beams to short solutions; not a lower bound; grids, up to 8:8 with several empty \
              vertices, and tori up to 8:8 with one",
    admissible: false,
    consistent: false,
    parameter: None,
    build: |request| {
        build_on(request.puzzle, |puzzle| {
            let learned = learned(puzzle)?;
            (learned.family.build)(puzzle, learned)
        })
    },
};

/// The weights of the heuristic `weighted-conflicts` on grids with one empty vertex: one set for
/// all of them up to 8:8.
///
/// A token away from home counts by its steps from there along and across, whichever are which, and
/// by the steps of its home from the goal's empty vertex; the empty vertex by its steps from there.
/// Two tokens of one row or column count by how far apart they are, how far each of them has to go
/// along the line, and whether the goal wants each of them on that line, on one next to it or
/// farther off. Two rows of two vertices count by whether the token on each has to go up, down or
/// neither, and left, right or neither, or which of them is empty. A token near the empty vertex
/// counts by where it is from there, and by its steps home, two at most each way. What is mirrored
/// or turned is one.
pub static FAMILY: WeightFamily = WeightFamily {
    name: "weighted-conflicts",
    count: weights::WEIGHTS,
    used: || weights::used(Boards { most_empty: 1, are_long: false }),
    row: weights::row,
    plain: weights::plain,
    numbers: |puzzle| numbers(puzzle, &FAMILY),
    build: |puzzle, weights| build(puzzle, &FAMILY, weights),
};

/// The weights of the same heuristic on tori with one empty vertex. Distances and ways are the
/// shorter ones.
pub static TORUS: WeightFamily = WeightFamily {
    name: "weighted-conflicts-on-tori",
    numbers: |puzzle| numbers(puzzle, &TORUS),
    build: |puzzle, weights| build(puzzle, &TORUS, weights),
    ..FAMILY
};

/// The weights of the same heuristic on grids with several empty vertices. Each of these counts by
/// its steps from the nearest that the goal leaves empty, and what is near each of them counts.
pub static SEVERAL_EMPTY: WeightFamily = WeightFamily {
    name: "weighted-conflicts-several-empty",
    used: || weights::used(Boards { most_empty: usize::MAX, are_long: false }),
    numbers: |puzzle| numbers(puzzle, &SEVERAL_EMPTY),
    build: |puzzle, weights| build(puzzle, &SEVERAL_EMPTY, weights),
    ..FAMILY
};

/// The weights of the same heuristic on grids with one empty vertex and more than eight rows or
/// columns. Pairs of tokens in a row or column count if they are at most seven steps apart. Up to
/// seven steps of a token, or of the empty vertex, have weights of their own; all steps beyond
/// share one weight each.
pub static LONG: WeightFamily = WeightFamily {
    name: "weighted-conflicts-on-long-grids",
    used: || weights::used(Boards { most_empty: 1, are_long: true }),
    numbers: |puzzle| numbers(puzzle, &LONG),
    build: |puzzle, weights| build(puzzle, &LONG, weights),
    ..FAMILY
};

fn numbers(puzzle: &Puzzle, family: &'static WeightFamily) -> Built<dyn Numbers> {
    Ok(Box::new(GridNumbers::new(&board(puzzle, family)?)))
}

fn build(
    puzzle: &Puzzle,
    family: &'static WeightFamily,
    weights: &LearnedWeights,
) -> Built<dyn Heuristic> {
    Ok(Box::new(Weighted(GridWeights::new(&board(puzzle, family)?, weights))))
}

/// Each family's weights, which are read when a puzzle needs them.
static LEARNED: [(&WeightFamily, LazyLock<LearnedWeights>); 4] = [
    (&FAMILY, LazyLock::new(|| read(&FAMILY, include_str!("weights.txt")))),
    (&TORUS, LazyLock::new(|| read(&TORUS, include_str!("torus_weights.txt")))),
    (
        &SEVERAL_EMPTY,
        LazyLock::new(|| read(&SEVERAL_EMPTY, include_str!("several_empty_weights.txt"))),
    ),
    (&LONG, LazyLock::new(|| read(&LONG, include_str!("long_weights.txt")))),
];

fn read(family: &'static WeightFamily, text: &str) -> LearnedWeights {
    LearnedWeights::read(family, text).expect("a test reads them")
}

const WHAT: &str = "grids, up to 8:8 with several empty vertices, and tori up to 8:8 with one, whose goal places every token";

/// The grid of a puzzle, or its torus, and the family of the weights for it.
fn find(puzzle: &Puzzle) -> Option<(PlacedGrid, &'static WeightFamily)> {
    let grid = PlacedGrid::find(puzzle)?;
    let is_long = grid.rows.max(grid.columns) > weights::LONGEST;
    match (grid.wraps, is_long, grid.has_one_empty()) {
        (false, false, true) => Some((grid, &FAMILY)),
        (false, false, false) => Some((grid, &SEVERAL_EMPTY)),
        (false, true, true) => Some((grid.upright(), &LONG)),
        (true, false, true) => Some((grid, &TORUS)),
        (true, _, false) | (_, true, _) => None,
    }
}

const OTHER: HeuristicError = HeuristicError::OtherPuzzles { heuristic: ENTRY.name, what: WHAT };

/// The grid or torus of a puzzle that a family is for.
fn board(puzzle: &Puzzle, wanted: &'static WeightFamily) -> Result<PlacedGrid, HeuristicError> {
    let found = find(puzzle).filter(|(_, family)| std::ptr::eq(*family, wanted));
    Ok(found.ok_or(OTHER)?.0)
}

/// The weights for a puzzle.
fn learned(puzzle: &Puzzle) -> Result<&'static LearnedWeights, HeuristicError> {
    let (_, family) = find(puzzle).ok_or(OTHER)?;
    let learned = LEARNED.iter().find(|(of, _)| std::ptr::eq(*of, family));
    let (_, learned) = learned.expect("all families were learned");
    Ok(learned)
}

/// Returns whether the heuristic is for the puzzle.
pub(super) fn fits(puzzle: &Puzzle) -> bool {
    find(puzzle).is_some()
}

#[cfg(test)]
mod tests {
    use hyperslide_testkit::Random;

    use super::super::learned_weights::tests::{check_changes, check_numbers};
    use super::super::learned_weights::{Followed, WeightNumber, cells_on};
    use super::*;

    fn weights(line: &str) -> (Puzzle, GridWeights) {
        let puzzle = Puzzle::from_line(line).unwrap();
        let (grid, _) = find(&puzzle).unwrap();
        let weights = GridWeights::new(&grid, learned(&puzzle).unwrap());
        (puzzle, weights)
    }

    #[test]
    fn changes_and_numbers_add_up_to_the_value() {
        // Goals with empty vertices in a corner, on an edge and inside, on boards of all shapes.
        for goal in [
            "grid:2:3 1,2,3,4,5,0",
            "grid:3:3 5,0,7,2,8,1,6,4,3",
            "grid:4:3 3,7,11,1,0,9,8,2,5,10,4,6",
            "grid:8:2 0,15,1,14,2,13,3,12,4,11,5,10,6,9,7,8",
            "grid:1:8 1,2,3,4,5,6,0,7",
            "torus:3:3 5,0,7,2,8,1,6,4,3",
            "torus:4:3 3,7,11,1,0,9,8,2,5,10,4,6",
            "torus:5:6 3,7,11,1,0,9,8,2,5,10,4,6,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12",
            "grid:2:3 1,2,0,3,4,0",
            "grid:4:4 1,0,2,3,0,0,4,5,6,0,7,8,9,10,11,0",
            "grid:5:6 3,7,11,1,0,9,8,2,5,10,4,6,0,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12",
            "grid:10:2 3,7,11,1,0,9,8,2,5,10,4,6,19,18,17,16,15,14,13,12",
            "grid:3:12 3,7,11,1,9,8,2,5,10,4,6,19,18,17,16,15,14,13,12,20,35,21,34,22,33,0,32,24,31,25,30,26,29,27,28,23",
        ] {
            let (_, cells) = goal.split_once(' ').unwrap();
            let (puzzle, weights) = weights(&format!("{goal} -> {cells}"));
            check_changes(&puzzle, &weights);
            check_numbers(&puzzle, learned(&puzzle).unwrap(), &weights);
        }
        let texts = [
            include_str!("weights.txt"),
            include_str!("torus_weights.txt"),
            include_str!("several_empty_weights.txt"),
            include_str!("long_weights.txt"),
        ];
        for ((family, learned), text) in LEARNED.iter().zip(texts) {
            assert!(learned.to_text() == text, "{}", family.name);
        }
    }

    /// Cells in random order.
    fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
        let mut cells: Vec<usize> = (0..count).collect();
        random.shuffle(&mut cells);
        cells
    }

    /// The value of a puzzle whose goal and start are written cell by cell.
    fn value(board: &str, start: &[usize], goal: &[usize]) -> i32 {
        let write =
            |cells: &[usize]| cells.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let (puzzle, weights) = weights(&format!("{board} {} -> {}", write(start), write(goal)));
        weights.value(puzzle.start())
    }

    #[test]
    fn mirrored_puzzles_have_one_value() {
        let mut random = Random::new(6);
        let (rows, columns) = (3, 4);
        let value = |rows: usize, columns: usize, start: &[usize], goal: &[usize]| {
            value(&format!("grid:{rows}:{columns}"), start, goal)
        };
        for _ in 0..200 {
            let [start, goal] = [0; 2].map(|_| shuffled(rows * columns, &mut random));
            let transposed = |cells: &[usize]| -> Vec<usize> {
                (0..rows * columns).map(|v| cells[v % rows * columns + v / rows]).collect()
            };
            let reversed = |cells: &[usize]| cells.iter().rev().copied().collect::<Vec<_>>();
            let expected = value(rows, columns, &start, &goal);
            assert_eq!(value(columns, rows, &transposed(&start), &transposed(&goal)), expected);
            assert_eq!(value(rows, columns, &reversed(&start), &reversed(&goal)), expected);
            let mirrored = |cells: &[usize]| -> Vec<usize> {
                cells.chunks(columns).flat_map(|row| row.iter().rev()).copied().collect()
            };
            assert_eq!(value(rows, columns, &mirrored(&start), &mirrored(&goal)), expected);
        }
    }

    #[test]
    fn puzzles_on_a_torus_that_are_moved_have_one_value() {
        let mut random = Random::new(8);
        for (rows, columns) in [(3, 4), (5, 5), (6, 4)] {
            let board = format!("torus:{rows}:{columns}");
            for _ in 0..50 {
                let [start, goal] = [0; 2].map(|_| shuffled(rows * columns, &mut random));
                let expected = value(&board, &start, &goal);
                let moved = |cells: &[usize], down: usize, over: usize| -> Vec<usize> {
                    let from = |vertex: usize| {
                        let (row, column) = (vertex / columns + down, vertex % columns + over);
                        row % rows * columns + column % columns
                    };
                    (0..rows * columns).map(|vertex| cells[from(vertex)]).collect()
                };
                for (down, over) in [(1, 0), (0, 1), (2, 3)] {
                    let [start, goal] = [&start, &goal].map(|cells| moved(cells, down, over));
                    assert_eq!(value(&board, &start, &goal), expected);
                }
                // Where both ways are as long, one of them is taken, and mirrored it is the other.
                if rows % 2 == 1 && columns % 2 == 1 {
                    let reversed =
                        |cells: &[usize]| cells.iter().rev().copied().collect::<Vec<_>>();
                    assert_eq!(value(&board, &reversed(&start), &reversed(&goal)), expected);
                }
            }
        }
    }

    /// The weights that count for blocks and around the empty vertex, by the definition.
    fn near(
        rows: usize,
        columns: usize,
        cells: &[usize],
        home: impl Fn(usize) -> (usize, usize),
    ) -> Vec<WeightNumber> {
        let sign = |from: usize, to: usize| (to as isize - from as isize).clamp(-1, 1);
        let short = |from: usize, to: usize| (to as isize - from as isize).clamp(-2, 2);
        let content = |row: usize, column: usize| match cells[row * columns + column] {
            0 => 9,
            token => {
                let (home_row, home_column) = home(token);
                (3 * sign(row, home_row) + sign(column, home_column) + 4) as usize
            }
        };
        let mut numbers = Vec::new();
        for (row, column) in (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |c| (row, c))) {
            let left = 11 * content(row, column) + content(row + 1, column);
            let right = 11 * content(row, column + 1) + content(row + 1, column + 1);
            numbers.push(weights::OF_BLOCKS[121 * left + right]);
        }
        let empty = cells.iter().position(|&token| token == 0).unwrap();
        let (empty_row, empty_column) = (empty / columns, empty % columns);
        for (vertex, &token) in cells.iter().enumerate().filter(|&(_, &token)| token != 0) {
            let (row, column) = (vertex / columns, vertex % columns);
            if row.abs_diff(empty_row) <= 2 && column.abs_diff(empty_column) <= 2 {
                let around = 5 * short(empty_row, row) + short(empty_column, column) + 12;
                let (home_row, home_column) = home(token);
                let need = 5 * short(row, home_row) + short(column, home_column) + 12;
                numbers.push(weights::OF_AROUND[25 * around as usize + need as usize]);
            }
        }
        numbers.retain(|&number| (number as usize) < weights::WEIGHTS);
        numbers
    }

    /// Every token, pair and block by the definition, without tables of views.
    #[test]
    fn the_value_is_the_sum_of_all_weights_that_count() {
        let mut random = Random::new(7);
        let boards = [(3, 5, 0), (3, 11, 3), (12, 2, 3)];
        for (rows, columns, family) in boards.into_iter().flat_map(|board| [board; 30]) {
            let weights = &*LEARNED[family].1;
            let [goal, start] = [0; 2].map(|_| shuffled(rows * columns, &mut random));
            let place = |vertex: usize| (vertex / columns, vertex % columns);
            let home = |token: usize| place(goal.iter().position(|&t| t == token).unwrap());
            let steps =
                |a: (usize, usize), b: (usize, usize)| (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
            let mut numbers = near(rows, columns, &start, home);
            let mut tokens = Vec::new();
            for (vertex, &token) in start.iter().enumerate() {
                let (at, to) = (place(vertex), home(token));
                let (down, over) = steps(at, to);
                if token == 0 {
                    if at != to {
                        numbers.extend(weights::of_empty(down, over));
                    }
                    continue;
                }
                let apart = steps(to, home(0));
                if at != to {
                    numbers.extend(weights::of_token(down, over));
                    numbers.extend(weights::of_home(apart.0 + apart.1));
                }
                for &(other_at, other_to) in &tokens {
                    let mut pair = |line: usize,
                                    at: usize,
                                    to: (usize, usize),
                                    other_at: usize,
                                    other_to: (_, _)| {
                        let side = |at: usize, to: (usize, usize)| {
                            let way = to.1 as i8 - at as i8;
                            weights::side(way, line.abs_diff(to.0) as u8) as usize
                        };
                        if at.abs_diff(other_at) < 8 {
                            let row = weights::pair_row(side(at, to), other_at + 7 - at);
                            let pairs = weights::pairs_of(columns, false);
                            numbers.push(pairs[row * weights::SIDES + side(other_at, other_to)]);
                        }
                    };
                    let turned = |(row, column): (usize, usize)| (column, row);
                    let (other_at, other_to): ((usize, usize), _) = (other_at, other_to);
                    if at.0 == other_at.0 {
                        pair(at.0, at.1, to, other_at.1, other_to);
                    }
                    if at.1 == other_at.1 {
                        pair(at.1, at.0, turned(to), other_at.0, turned(other_to));
                    }
                }
                tokens.push((at, to));
            }
            let sum = |numbers: &[WeightNumber]| -> i32 {
                numbers.iter().map(|&number| i32::from(weights.fixed(number))).sum()
            };
            let line =
                |cells: &[usize]| cells.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let line = format!("grid:{rows}:{columns} {} -> {}", line(&start), line(&goal));
            let puzzle = Puzzle::from_line(&line).unwrap();
            let counted = (weights.family.numbers)(&puzzle).unwrap();
            let counts = |state: &hyperslide_puzzle::State| {
                let (cells, empty) = cells_on(puzzle.board().vertex_set(), state);
                let mut numbers = Vec::new();
                counted.each(&cells, empty, &mut |number| numbers.push(number));
                numbers.sort_unstable();
                numbers
            };
            numbers.sort_unstable();
            assert_eq!(counts(puzzle.start()), numbers);
            let of_goal = counts(puzzle.goal().labelled());
            let board = format!("grid:{rows}:{columns}");
            assert_eq!(value(&board, &start, &goal), sum(&numbers) - sum(&of_goal));
        }
    }
}
