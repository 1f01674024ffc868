use hyperslide_puzzle::{MAX_VERTICES, State, Vertex};

use super::super::one_empty_grid::OneEmptyGrid;
use super::weights::{
    ConflictWeights, LONGEST, OF_PAIRS, SPOTS, WEIGHTS, WeightNumber, kind, of_empty, of_home,
    of_token, spot,
};

/// The label on each vertex; what the empty one has means nothing.
pub(crate) type Cells = [u8; MAX_VERTICES];

/// A state's cells, and its one empty vertex.
pub(crate) fn cells_of(state: &State) -> (Cells, u8) {
    let mut cells = [0; MAX_VERTICES];
    state.tokens().for_each(|(vertex, label)| cells[vertex.index()] = label.index() as u8);
    (cells, state.occupied().bits().trailing_ones() as u8)
}

/// [`ConflictWeights`] as tables for one puzzle, a move being 64.
///
/// Memory: 74 KB for the pairs, of which a successor reads a few hundred bytes, and 336 bytes a token.
#[derive(Clone, Debug)]
pub struct LineWeights {
    lines: Lines,
    /// By label and vertex.
    tokens: Vec<[i32; MAX_VERTICES]>,
    /// Steps from home, by label and vertex.
    distances: Vec<[u8; MAX_VERTICES]>,
    /// By the empty vertex.
    empty: [i32; MAX_VERTICES],
    /// By the [`spot`]s of the two tokens, whichever comes first.
    pairs: Vec<i16>,
    /// The sum of the goal's weights.
    goal: i32,
}

/// Which weights count in a state of one puzzle.
pub(crate) struct LineNumbers {
    lines: Lines,
    /// By label and vertex; [`WEIGHTS`] at home.
    tokens: Vec<[[WeightNumber; 2]; MAX_VERTICES]>,
    /// By the empty vertex; [`WEIGHTS`] where the goal wants it.
    empty: [WeightNumber; MAX_VERTICES],
}

/// The lines of a grid: rows, and columns.
#[derive(Clone, Debug)]
struct Lines {
    directions: [Direction; 2],
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
    /// For each label and line its kind.
    kinds: Vec<[u8; LONGEST]>,
}

impl Direction {
    fn vertex(&self, line: usize, place: usize) -> usize {
        (line * self.to_next_line + place * self.to_next_place) % MAX_VERTICES
    }

    fn kind(&self, label: u8, line: usize) -> usize {
        self.kinds[label as usize % MAX_VERTICES][line % LONGEST] as usize
    }
}

impl Lines {
    fn new(grid: &OneEmptyGrid) -> Lines {
        let mut kinds = [vec![[0; LONGEST]; MAX_VERTICES], vec![[0; LONGEST]; MAX_VERTICES]];
        for (label, &home) in grid.targets.iter().enumerate() {
            let (row, column) = (grid.row(home), grid.column(home));
            for (kinds, (own, place)) in kinds.iter_mut().zip([(row, column), (column, row)]) {
                kinds[label] = std::array::from_fn(|line| kind(place, own.abs_diff(line)) as u8);
            }
        }
        let [in_rows, in_columns] = kinds;
        let rows = Direction {
            lines: grid.rows,
            length: grid.columns,
            to_next_line: grid.columns,
            to_next_place: 1,
            kinds: in_rows,
        };
        let columns = Direction {
            lines: grid.columns,
            length: grid.rows,
            to_next_line: 1,
            to_next_place: grid.columns,
            kinds: in_columns,
        };
        Lines { directions: [rows, columns] }
    }

    fn vertices(&self) -> usize {
        let [rows, _] = &self.directions;
        rows.lines * rows.length
    }

    /// Calls for each two tokens of each line with their [`spot`]s.
    fn each_pair(&self, cells: &Cells, empty: u8, mut call: impl FnMut(usize, usize)) {
        let mut spots = [0; LONGEST];
        for direction in &self.directions {
            for line in 0..direction.lines {
                let mut count = 0;
                for place in 0..direction.length {
                    let vertex = direction.vertex(line, place);
                    if vertex == empty as usize {
                        continue;
                    }
                    let spot = spot(direction.kind(cells[vertex], line), place);
                    spots[..count].iter().for_each(|&before| call(before, spot));
                    spots[count] = spot;
                    count += 1;
                }
            }
        }
    }
}

fn steps(grid: &OneEmptyGrid, a: Vertex, b: Vertex) -> (usize, usize) {
    (grid.row(a).abs_diff(grid.row(b)), grid.column(a).abs_diff(grid.column(b)))
}

impl LineNumbers {
    /// For a grid with at most [`LONGEST`] rows and columns.
    pub(super) fn new(grid: &OneEmptyGrid) -> LineNumbers {
        const NONE: WeightNumber = WEIGHTS as WeightNumber;

        let mut empty = [NONE; MAX_VERTICES];
        for vertex in grid.vertices().filter(|&vertex| vertex != grid.goal_empty) {
            let (rows, columns) = steps(grid, vertex, grid.goal_empty);
            empty[vertex.index()] = of_empty(rows, columns);
        }
        let token = |&home: &Vertex| {
            let (down, over) = steps(grid, home, grid.goal_empty);
            let mut numbers = [[NONE; 2]; MAX_VERTICES];
            for vertex in grid.vertices().filter(|&vertex| vertex != home) {
                let (rows, columns) = steps(grid, vertex, home);
                numbers[vertex.index()] = [of_token(rows, columns), of_home(down + over)];
            }
            numbers
        };
        LineNumbers {
            lines: Lines::new(grid),
            tokens: grid.targets.iter().map(token).collect(),
            empty,
        }
    }

    /// Calls with the number of each weight that counts in a state, as often as it does.
    pub fn each(&self, cells: &Cells, empty: u8, mut call: impl FnMut(WeightNumber)) {
        let mut call_some = |number| {
            if (number as usize) < WEIGHTS {
                call(number);
            }
        };
        call_some(self.empty[empty as usize]);
        for vertex in (0..self.lines.vertices()).filter(|&vertex| vertex != empty as usize) {
            self.tokens[cells[vertex] as usize][vertex].into_iter().for_each(&mut call_some);
        }
        self.lines.each_pair(cells, empty, |one, other| {
            call_some(OF_PAIRS[one * SPOTS + other]);
        });
    }
}

impl LineWeights {
    /// For a grid with at most [`LONGEST`] rows and columns.
    pub(super) fn new(grid: &OneEmptyGrid, weights: &ConflictWeights) -> LineWeights {
        let LineNumbers { lines, tokens, empty } = LineNumbers::new(grid);
        let fixed = |number| i32::from(weights.fixed(number));
        let token = |numbers: [[WeightNumber; 2]; MAX_VERTICES]| {
            numbers.map(|of| of.map(fixed).iter().sum())
        };
        let distances = |&home: &Vertex| {
            let mut distances = [0; MAX_VERTICES];
            for vertex in grid.vertices() {
                let (rows, columns) = steps(grid, vertex, home);
                distances[vertex.index()] = (rows + columns) as u8;
            }
            distances
        };
        let mut weights = LineWeights {
            lines,
            tokens: tokens.into_iter().map(token).collect(),
            distances: grid.targets.iter().map(distances).collect(),
            empty: empty.map(fixed),
            pairs: OF_PAIRS.iter().map(|&number| weights.fixed(number)).collect(),
            goal: 0,
        };
        let mut cells = [0; MAX_VERTICES];
        for (label, home) in grid.targets.iter().enumerate() {
            cells[home.index()] = label as u8;
        }
        weights.goal = weights.sum(&cells, grid.goal_empty.index() as u8);
        weights
    }

    /// The weight of two tokens of a line.
    #[inline]
    fn pair(&self, one: usize, other: usize) -> i32 {
        i32::from(self.pairs[one * SPOTS + other])
    }

    fn sum(&self, cells: &Cells, empty: u8) -> i32 {
        let mut sum = self.empty[empty as usize];
        for vertex in (0..self.lines.vertices()).filter(|&vertex| vertex != empty as usize) {
            sum += self.tokens[cells[vertex] as usize][vertex];
        }
        self.lines.each_pair(cells, empty, |one, other| sum += self.pair(one, other));
        sum
    }

    /// The sum of a state's weights less the goal's.
    pub(crate) fn value(&self, state: &State) -> i32 {
        let (cells, empty) = cells_of(state);
        self.sum(&cells, empty) - self.goal
    }

    /// By how much the sum changes when the token on `from` slides to the empty vertex beside it.
    #[inline]
    pub(crate) fn change(&self, cells: &Cells, empty: u8, from: u8) -> i32 {
        let (empty, from) = (empty as usize % MAX_VERTICES, from as usize % MAX_VERTICES);
        let label = cells[from];
        let costs = &self.tokens[label as usize % MAX_VERTICES];
        let mut sum = costs[empty] - costs[from] + self.empty[from] - self.empty[empty];
        let directions = &self.lines.directions;
        let rows = &directions[0];
        let at = (from / rows.length, from % rows.length);
        let to = (empty / rows.length, empty % rows.length);
        // The line that it slides along, its place there before and after, and the lines it leaves and enters.
        let (along, line, before, after) =
            if at.0 == to.0 { (0, at.0, at.1, to.1) } else { (1, at.1, at.0, to.0) };
        let (along, across) = (&directions[along], &directions[1 - along]);
        let kind = along.kind(label, line);
        let (now, then) = (spot(kind, before), spot(kind, after));
        for place in (0..along.length).filter(|&place| place != before && place != after) {
            let other = spot(along.kind(cells[along.vertex(line, place)], line), place);
            sum += self.pair(then, other) - self.pair(now, other);
        }
        // Across that line its place is the line's number.
        let left = spot(across.kind(label, before), line);
        let entered = spot(across.kind(label, after), line);
        for place in (0..across.length).filter(|&place| place != line) {
            let other = cells[across.vertex(before, place)];
            sum -= self.pair(left, spot(across.kind(other, before), place));
            let other = cells[across.vertex(after, place)];
            sum += self.pair(entered, spot(across.kind(other, after), place));
        }
        sum
    }

    /// The Manhattan distance of a state.
    pub(crate) fn manhattan(&self, state: &State) -> u32 {
        let steps = state.tokens().map(|(v, label)| self.distances[label.index()][v.index()]);
        steps.map(u32::from).sum()
    }

    /// By how much the Manhattan distance changes: 1 or -1.
    #[inline]
    pub(crate) fn manhattan_change(&self, label: u8, empty: u8, from: u8) -> i32 {
        let distances = &self.distances[label as usize % MAX_VERTICES];
        let at = |vertex: u8| i32::from(distances[vertex as usize % MAX_VERTICES]);
        at(empty) - at(from)
    }

    /// Bytes of its tables.
    pub(super) fn bytes(&self) -> u64 {
        let tokens = self.tokens.len() * (size_of::<[i32; MAX_VERTICES]>() + MAX_VERTICES);
        let kinds = 2 * MAX_VERTICES * LONGEST;
        (tokens + kinds + self.pairs.len() * size_of::<i16>()) as u64
    }
}
