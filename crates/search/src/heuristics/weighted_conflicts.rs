use std::fmt::Write;

use hyperslide_puzzle::{Label, MAX_VERTICES, Puzzle, State, Vertex};

use super::one_empty_grid::OneEmptyGrid;
use super::{Heuristic, HeuristicEntry, HeuristicError};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "weighted-conflicts",
    summary: "Manhattan, more for tokens far from home, and weights on pairs of tokens of a line that are in each \
              other's way, tuned so that beams find short solutions; not a lower bound; grids with one empty vertex \
              up to 8:8",
    admissible: false,
    consistent: false,
    argument: Some("weights, as conflict=5+cube=0.03"),
    build: |request| Ok(Box::new(WeightedConflicts::new(request.puzzle, request.argument)?)),
};

/// Vertices of the longest line.
const LONGEST: usize = 8;
const WHAT: &str =
    "grids up to 8:8 with one empty vertex, distinct labels and a goal that places every token";
/// Numbers of a line's tokens: a place on the line, and whether the goal wants the token on the line.
const KINDS: usize = 2 * LONGEST;

/// What counts for how much, in moves but for a common factor.
///
/// Distances are to the goal's vertex of the token. Two tokens of a line are in conflict when each has to pass
/// the other, or come to the place along the line that the other has to come to, as far as the line's direction goes.
/// How the values were found: docs/decisions/0009-near-optimal.md.
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    values: [f64; NAMES.len()],
}

/// The weights' names, in order.
const NAMES: [&str; 13] = [
    "square",
    "cube",
    "line-cube",
    "away",
    "away-late",
    "conflict",
    "next",
    "half-conflict",
    "guest-conflict",
    "head-on",
    "blocked",
    "following",
    "empty",
];

impl Weights {
    const TUNED: Weights = Weights {
        values: [
            0.129, 0.028, 0.028, 0.42, -1.15, 5.22, 1.54, 0.91, 0.37, 1.27, 1.28, -0.42, -0.38,
        ],
    };
    /// No weight may be greater.
    const GREATEST: f64 = 100.0;

    fn parse(text: &str) -> Result<Weights, String> {
        let mut weights = Weights::TUNED;
        for part in text.split('+').filter(|part| !part.is_empty()) {
            let known = part.split_once('=').and_then(|(name, value)| {
                let place = NAMES.iter().position(|known| *known == name)?;
                let value = value.parse().ok().filter(|v: &f64| v.abs() <= Weights::GREATEST)?;
                Some((place, value))
            });
            let Some((place, value)) = known else {
                let mut names = String::new();
                for (name, value) in NAMES.iter().zip(Weights::TUNED.values) {
                    let plus = if names.is_empty() { "" } else { "+" };
                    write!(names, "{plus}{name}={value}").expect("a string grows");
                }
                return Err(format!(
                    "'{}' is no weight of at most {}: write some of {names}",
                    part.chars().take(40).collect::<String>(),
                    Weights::GREATEST,
                ));
            };
            weights.values[place] = value;
        }
        Ok(weights)
    }

    /// What a token counts `along` and `across` steps from home, not at home; `late` is 1 for one whose home is the goal's
    /// empty vertex, and 0 for one whose home is farthest from it.
    fn token(&self, along: usize, across: usize, late: f64) -> f64 {
        let [square, cube, line_cube, away, away_late, ..] = self.values;
        let [along, across] = [along as f64, across as f64];
        let distance = along + across;
        distance
            + square * distance.powi(2)
            + cube * distance.powi(3)
            + line_cube * (along.powi(3) + across.powi(3))
            + away
            + away_late * late
    }

    /// What two tokens of a line count, at different places.
    fn pair(&self, one: OnLine, other: OnLine) -> f64 {
        let [.., conflict, next, half_conflict, guest_conflict, head_on, blocked, following, _] =
            self.values;
        let (one, other) = if one.at < other.at { (one, other) } else { (other, one) };
        let is_next = one.at + 1 == other.at;
        let mut sum = 0.0;
        match (one.is_own, other.is_own) {
            (true, true) if one.target > other.target => {
                sum += conflict + if is_next { next } else { 0.0 };
            }
            (true, true) => {}
            (false, false) if one.target >= other.target => sum += guest_conflict,
            (false, false) => {}
            _ if one.target >= other.target => sum += half_conflict,
            _ => {}
        }
        if is_next {
            let (goes_on, comes_back) = (one.target > one.at, other.target < other.at);
            if goes_on && comes_back {
                sum += head_on;
            } else if goes_on && other.is_home() || comes_back && one.is_home() {
                sum += blocked;
            }
            if one.target.cmp(&one.at) == other.target.cmp(&other.at) && one.target != one.at {
                sum += following;
            }
        }
        sum
    }

    /// What each step of the empty vertex from where the goal wants it counts.
    fn empty(&self) -> f64 {
        self.values[NAMES.len() - 1]
    }
}

/// A token of a line, all along the line.
#[derive(Clone, Copy)]
struct OnLine {
    at: usize,
    /// The place of its vertex at the goal, which is on the line only for a token that is the line's own.
    target: usize,
    is_own: bool,
}

impl OnLine {
    fn is_home(self) -> bool {
        self.is_own && self.at == self.target
    }
}

/// Weights on tokens, on pairs of tokens of one line and on the place of the empty vertex, a move being 32 but for a common factor.
///
/// Memory: 32 KB for the pairs, which a first-level cache holds, and 336 bytes a token.
#[derive(Clone, Debug)]
pub struct LineWeights {
    /// Rows, and columns.
    directions: [Direction; 2],
    /// By label and vertex.
    tokens: Vec<[i32; MAX_VERTICES]>,
    /// Steps from home, by label and vertex.
    distances: Vec<[u8; MAX_VERTICES]>,
    /// By the empty vertex.
    empty: [i32; MAX_VERTICES],
    /// By the two places on the line and the two kinds, whichever of the two tokens comes first.
    pairs: Vec<i16>,
}

/// The lines of one direction.
#[derive(Clone, Debug)]
struct Direction {
    lines: usize,
    /// Places of a line.
    length: usize,
    /// From a vertex to that at the same place of the next line.
    to_next_line: usize,
    /// From a vertex to the next on its line.
    to_next_place: usize,
    /// For each label and line its kind: its place at the goal along the line, and [`LONGEST`] more when the line is its
    /// own.
    kinds: Vec<[u8; LONGEST]>,
}

impl Direction {
    fn vertex(&self, line: usize, place: usize) -> usize {
        line * self.to_next_line + place * self.to_next_place
    }

    fn kind(&self, label: u8, line: usize) -> usize {
        self.kinds[label as usize % MAX_VERTICES][line % LONGEST] as usize
    }
}

impl LineWeights {
    /// The binary logarithm of a move, but for the common factor.
    pub(crate) const UNIT_BITS: u32 = 5;
    const UNIT: f64 = (1 << LineWeights::UNIT_BITS) as f64;

    fn new(grid: &OneEmptyGrid, weights: &Weights) -> LineWeights {
        let fixed = |value: f64| (value * LineWeights::UNIT).round();
        let steps =
            |a, b| (grid.row(a).abs_diff(grid.row(b)), grid.column(a).abs_diff(grid.column(b)));
        let most = (grid.rows + grid.columns - 2).max(1) as f64;
        let mut empty = [0; MAX_VERTICES];
        for vertex in grid.vertices() {
            let (rows, columns) = steps(vertex, grid.goal_empty);
            empty[vertex.index()] = fixed(weights.empty() * (rows + columns) as f64) as i32;
        }
        let (mut tokens, mut all_distances) = (Vec::new(), Vec::new());
        let mut kinds = [vec![[0; LONGEST]; MAX_VERTICES], vec![[0; LONGEST]; MAX_VERTICES]];
        for (label, &target) in grid.targets.iter().enumerate() {
            let from_empty = steps(target, grid.goal_empty);
            let late = 1.0 - (from_empty.0 + from_empty.1) as f64 / most;
            let (mut costs, mut distances) = ([0; MAX_VERTICES], [0; MAX_VERTICES]);
            for vertex in grid.vertices().filter(|&vertex| vertex != target) {
                let (rows, columns) = steps(vertex, target);
                costs[vertex.index()] = fixed(weights.token(rows, columns, late)) as i32;
                distances[vertex.index()] = (rows + columns) as u8;
            }
            tokens.push(costs);
            all_distances.push(distances);
            let (row, column) = (grid.row(target), grid.column(target));
            for (kinds, (line, place)) in kinds.iter_mut().zip([(row, column), (column, row)]) {
                kinds[label] = [place as u8; LONGEST];
                kinds[label][line] += LONGEST as u8;
            }
        }
        let [in_rows, in_columns] = kinds;
        let directions = [
            Direction {
                lines: grid.rows,
                length: grid.columns,
                to_next_line: grid.columns,
                to_next_place: 1,
                kinds: in_rows,
            },
            Direction {
                lines: grid.columns,
                length: grid.rows,
                to_next_line: 1,
                to_next_place: grid.columns,
                kinds: in_columns,
            },
        ];
        let on_line = |at, kind| OnLine { at, target: kind % LONGEST, is_own: kind >= LONGEST };
        let pair = |index: usize| {
            let (places, kinds) = (index / (KINDS * KINDS), index % (KINDS * KINDS));
            let one = on_line(places / LONGEST, kinds / KINDS);
            let other = on_line(places % LONGEST, kinds % KINDS);
            if one.at == other.at { 0 } else { fixed(weights.pair(one, other)) as i16 }
        };
        LineWeights {
            directions,
            tokens,
            distances: all_distances,
            empty,
            pairs: (0..PAIRS).map(pair).collect(),
        }
    }

    /// The weight of two tokens of a line, each given by its place and its kind.
    #[inline]
    fn pair(&self, at: usize, kind: usize, other_at: usize, other_kind: usize) -> i32 {
        let index = ((at * LONGEST + other_at) * KINDS + kind) * KINDS + other_kind;
        i32::from(self.pairs[index % PAIRS])
    }

    /// The sum of a state's weights.
    pub(crate) fn value(&self, state: &State) -> i32 {
        let token = |(vertex, label): (Vertex, Label)| self.tokens[label.index()][vertex.index()];
        let mut sum = self.empty[state.occupied().bits().trailing_ones() as usize];
        sum += state.tokens().map(token).sum::<i32>();
        for direction in &self.directions {
            for line in 0..direction.lines {
                let kind = |place| {
                    let vertex = Vertex::new(direction.vertex(line, place))?;
                    let label = state.label_at(vertex)?;
                    Some((place, direction.kind(label.index() as u8, line)))
                };
                let tokens: Vec<_> = (0..direction.length).filter_map(kind).collect();
                for (number, &(place, kind)) in tokens.iter().enumerate() {
                    let before = tokens[..number].iter();
                    sum +=
                        before.map(|&(at, other)| self.pair(place, kind, at, other)).sum::<i32>();
                }
            }
        }
        sum
    }

    /// By how much the sum changes when the token on `from` slides to the empty vertex beside it. What `cells`, the label
    /// on each vertex, says of the empty one means nothing.
    #[inline]
    pub(crate) fn change(&self, cells: &[u8; MAX_VERTICES], empty: u8, from: u8) -> i32 {
        let (empty, from) = (empty as usize % MAX_VERTICES, from as usize % MAX_VERTICES);
        let label = cells[from];
        let costs = &self.tokens[label as usize % MAX_VERTICES];
        let mut sum = costs[empty] - costs[from] + self.empty[from] - self.empty[empty];
        let [rows, _] = &self.directions;
        let at = (from / rows.length, from % rows.length);
        let to = (empty / rows.length, empty % rows.length);
        // The line that it slides along, its place there before and after, and the lines it leaves and enters.
        let (along, line, before, after) =
            if at.0 == to.0 { (0, at.0, at.1, to.1) } else { (1, at.1, at.0, to.0) };
        let across = &self.directions[1 - along];
        let along = &self.directions[along];
        let kind = along.kind(label, line);
        for place in (0..along.length).filter(|&place| place != before && place != after) {
            let other = along.kind(cells[along.vertex(line, place) % MAX_VERTICES], line);
            sum += self.pair(after, kind, place, other) - self.pair(before, kind, place, other);
        }
        // Across that line its place is the line's number.
        let (left, entered) = (across.kind(label, before), across.kind(label, after));
        for place in (0..across.length).filter(|&place| place != line) {
            let other = cells[across.vertex(before, place) % MAX_VERTICES];
            sum -= self.pair(line, left, place, across.kind(other, before));
            let other = cells[across.vertex(after, place) % MAX_VERTICES];
            sum += self.pair(line, entered, place, across.kind(other, after));
        }
        sum
    }

    /// The Manhattan distance of a state.
    pub(crate) fn manhattan(&self, state: &State) -> u32 {
        let steps = |(vertex, label): (Vertex, Label)| {
            u32::from(self.distances[label.index()][vertex.index()])
        };
        state.tokens().map(steps).sum()
    }

    /// By how much the Manhattan distance changes: 1 or -1.
    #[inline]
    pub(crate) fn manhattan_change(&self, label: u8, empty: u8, from: u8) -> i32 {
        let distances = &self.distances[label as usize % MAX_VERTICES];
        let at = |vertex: u8| i32::from(distances[vertex as usize % MAX_VERTICES]);
        at(empty) - at(from)
    }
}

/// Bound of the indices of [`LineWeights::pairs`].
const PAIRS: usize = LONGEST * LONGEST * KINDS * KINDS;

/// An estimate that is no lower bound: the sum of [`LineWeights`] times [`WeightedConflicts::FACTOR`], or the Manhattan
/// distance where that is more.
///
/// Time O(tokens times the length of a line). Beam search follows the weights slide by slide instead.
struct WeightedConflicts {
    weights: LineWeights,
}

impl WeightedConflicts {
    /// Moves a unit: what the 48-puzzle's solutions have on average.
    const FACTOR: f64 = 0.35 / LineWeights::UNIT;
    /// Above all estimates.
    const BOUND: u32 = 8_192;

    fn new(puzzle: &Puzzle, argument: &str) -> Result<WeightedConflicts, HeuristicError> {
        let heuristic = ENTRY.name;
        let grid = OneEmptyGrid::new(puzzle, heuristic)?;
        if grid.rows.max(grid.columns) > LONGEST {
            return Err(HeuristicError::OtherPuzzles { heuristic, what: WHAT });
        }
        let weights = Weights::parse(argument).map_err(|problem| HeuristicError::Argument {
            heuristic,
            argument: argument.to_owned(),
            problem,
        })?;
        Ok(WeightedConflicts { weights: LineWeights::new(&grid, &weights) })
    }
}

impl Heuristic for WeightedConflicts {
    fn estimate(&self, state: &State) -> Option<u32> {
        let manhattan = self.weights.manhattan(state);
        if manhattan == 0 {
            return Some(0);
        }
        let sum = f64::from(self.weights.value(state)) * WeightedConflicts::FACTOR;
        Some((sum.round() as u32).clamp(manhattan, WeightedConflicts::BOUND - 1))
    }

    fn line_weights(&self) -> Option<&LineWeights> {
        Some(&self.weights)
    }

    fn bytes(&self) -> u64 {
        let tokens = self.weights.tokens.len() * (size_of::<[i32; MAX_VERTICES]>() + MAX_VERTICES);
        let kinds = 2 * MAX_VERTICES * LONGEST;
        (tokens + kinds + PAIRS * size_of::<i16>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_testkit::Random;

    use super::*;

    /// Goals with the empty vertex in a corner, on an edge and inside, on boards of all shapes.
    const GOALS: [&str; 5] = [
        "grid:2:3 1,2,3,4,5,0",
        "grid:3:3 5,0,7,2,8,1,6,4,3",
        "grid:4:3 3,7,11,1,0,9,8,2,5,10,4,6",
        "grid:8:2 0,15,1,14,2,13,3,12,4,11,5,10,6,9,7,8",
        "grid:1:8 1,2,3,4,5,6,0,7",
    ];

    fn weights(line: &str) -> (Puzzle, LineWeights) {
        let puzzle = Puzzle::from_line(line).unwrap();
        let grid = OneEmptyGrid::new(&puzzle, ENTRY.name).unwrap();
        let weights = LineWeights::new(&grid, &Weights::TUNED);
        (puzzle, weights)
    }

    fn line(goal: &str) -> String {
        let (_, cells) = goal.split_once(' ').unwrap();
        format!("{goal} -> {cells}")
    }

    #[test]
    fn changes_add_up_to_the_value() {
        let mut random = Random::new(5);
        for goal in GOALS {
            let (puzzle, weights) = weights(&line(goal));
            let mut state = *puzzle.start();
            let (mut sum, mut distance) = (weights.value(&state), 0);
            assert_eq!((sum, weights.manhattan(&state)), (0, 0), "the goal counts nothing");
            let mut greatest = 0;
            for _ in 0..2_000 {
                let moves: Vec<_> = puzzle.board().legal_moves(&state).into_iter().collect();
                let mv = moves[random.below(moves.len())];
                let mut cells = [0; MAX_VERTICES];
                state.tokens().for_each(|(v, label)| cells[v.index()] = label.index() as u8);
                let (empty, from) = (mv.to.index() as u8, mv.from.index() as u8);
                sum += weights.change(&cells, empty, from);
                distance += weights.manhattan_change(cells[mv.from.index()], empty, from);
                state.slide(mv);
                assert_eq!(weights.value(&state), sum, "{}", puzzle.write_state(&state));
                assert_eq!(weights.manhattan(&state), distance as u32);
                greatest = greatest.max(sum);
            }
            assert!(greatest > 0);
        }
    }

    /// The value of a puzzle whose goal and start are written cell by cell.
    fn value(rows: usize, columns: usize, start: &[usize], goal: &[usize]) -> i32 {
        let write =
            |cells: &[usize]| cells.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let (puzzle, weights) =
            weights(&format!("grid:{rows}:{columns} {} -> {}", write(start), write(goal)));
        weights.value(puzzle.start())
    }

    #[test]
    fn mirrored_puzzles_have_one_value() {
        let mut random = Random::new(6);
        let (rows, columns) = (3, 4);
        for _ in 0..200 {
            let mut draw = || {
                let mut cells: Vec<usize> = (0..rows * columns).collect();
                random.shuffle(&mut cells);
                cells
            };
            let (start, goal) = (draw(), draw());
            let transposed = |cells: &[usize]| -> Vec<usize> {
                (0..rows * columns).map(|v| cells[v % rows * columns + v / rows]).collect()
            };
            let reversed = |cells: &[usize]| cells.iter().rev().copied().collect::<Vec<_>>();
            let expected = value(rows, columns, &start, &goal);
            assert_eq!(value(columns, rows, &transposed(&start), &transposed(&goal)), expected);
            assert_eq!(value(rows, columns, &reversed(&start), &reversed(&goal)), expected);
        }
    }

    /// Every pair of tokens by the definition, without tables.
    #[test]
    fn the_value_is_the_sum_over_tokens_and_pairs() {
        let mut random = Random::new(7);
        let (rows, columns) = (3, 5);
        for _ in 0..50 {
            let mut goal: Vec<usize> = (0..rows * columns).collect();
            let mut start = goal.clone();
            random.shuffle(&mut goal);
            random.shuffle(&mut start);
            let place = |vertex: usize| (vertex / columns, vertex % columns);
            let home = |token: usize| place(goal.iter().position(|&t| t == token).unwrap());
            let token_at = |vertex: usize| (start[vertex], place(vertex), home(start[vertex]));
            let tokens: Vec<_> = (0..rows * columns).map(token_at).filter(|t| t.0 > 0).collect();
            let steps =
                |a: (usize, usize), b: (usize, usize)| (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
            let empty = start.iter().position(|&token| token == 0).unwrap();
            let (down, over) = steps(place(empty), home(0));
            let mut sum = Weights::TUNED.empty() * (down + over) as f64;
            for &(_, at, home_at) in &tokens {
                let (down, over) = steps(at, home_at);
                let apart = steps(home_at, home(0));
                let late = 1.0 - (apart.0 + apart.1) as f64 / (rows + columns - 2) as f64;
                if at != home_at {
                    sum += Weights::TUNED.token(down, over, late);
                }
            }
            for (number, &(_, at, to)) in tokens.iter().enumerate() {
                for &(_, other_at, other_to) in &tokens[..number] {
                    let pair = |at, target, is_own, other_at, other_target, other_is_own| {
                        let one = OnLine { at, target, is_own };
                        let other =
                            OnLine { at: other_at, target: other_target, is_own: other_is_own };
                        Weights::TUNED.pair(one, other)
                    };
                    if at.0 == other_at.0 {
                        let (own, other_own) = (to.0 == at.0, other_to.0 == at.0);
                        sum += pair(at.1, to.1, own, other_at.1, other_to.1, other_own);
                    }
                    if at.1 == other_at.1 {
                        let (own, other_own) = (to.1 == at.1, other_to.1 == at.1);
                        sum += pair(at.0, to.0, own, other_at.0, other_to.0, other_own);
                    }
                }
            }
            let value = f64::from(value(rows, columns, &start, &goal)) / LineWeights::UNIT;
            // Each of the at most 14 + 44 weights is rounded.
            assert!((value - sum).abs() < 58.0 / LineWeights::UNIT, "{value}, {sum}");
        }
    }

    #[test]
    fn weights_are_read_and_refused() {
        let weights = Weights::parse("conflict=7.5+empty=-2").unwrap();
        assert_eq!((weights.values[5], weights.values[12]), (7.5, -2.0));
        assert_eq!(Weights::parse(""), Ok(Weights::TUNED));
        for wrong in ["conflict", "conflict=", "conflict=x", "conflict=101", "empty=NaN", "cubes=1"]
        {
            let error = Weights::parse(wrong).unwrap_err();
            assert!(error.contains(wrong) && error.contains("half-conflict="), "{error}");
        }
    }
}
