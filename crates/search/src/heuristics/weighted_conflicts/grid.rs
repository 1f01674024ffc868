use std::ops::Range;

use hyperslide_puzzle::{MAX_VERTICES, State, Vertex};

use super::super::one_empty_grid::OneEmptyGrid;
use super::weights::{
    AROUND, BLOCKS, CONTENTS, ConflictWeights, EMPTY, LONGEST, NEEDS, OF_AROUND, OF_BLOCKS,
    OF_PAIRS, SPOTS, WEIGHTS, Way, WeightNumber, kind, of_empty, of_home, of_token, spot,
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
/// Memory: 99 KB for the pairs and 33 KB for the blocks, of which a successor reads some 200 bytes, and 576 bytes a token.
#[derive(Clone, Debug)]
pub struct GridWeights {
    views: Views,
    /// By label and vertex.
    tokens: Vec<[i32; MAX_VERTICES]>,
    /// Steps from home, by label and vertex.
    distances: Vec<[u8; MAX_VERTICES]>,
    /// By the empty vertex.
    empty: [i32; MAX_VERTICES],
    /// By the [`spot`]s of the two tokens, whichever comes first; [`NO_SPOT`] counts nothing.
    pairs: Vec<[i16; 256]>,
    /// By number.
    blocks: Box<[i16; MOST_BLOCKS]>,
    /// By [`Way::around`] and [`Way::need`].
    around: Box<[[i16; MOST_NEEDS]; MOST_AROUND]>,
    /// The sum of the goal's weights.
    goal: i32,
}

/// Which weights count in a state of one puzzle.
pub(crate) struct GridNumbers {
    views: Views,
    /// By label and vertex; [`WEIGHTS`] at home.
    tokens: Vec<[[WeightNumber; 2]; MAX_VERTICES]>,
    /// By the empty vertex; [`WEIGHTS`] where the goal wants it.
    empty: [WeightNumber; MAX_VERTICES],
}

/// Powers of two above the numbers, so that no index has to be checked.
const MOST_BLOCKS: usize = BLOCKS.next_power_of_two();
const MOST_NEEDS: usize = NEEDS.next_power_of_two();
const MOST_AROUND: usize = AROUND.next_power_of_two();

/// Where there is no token.
const NO_SPOT: u8 = SPOTS as u8;

/// What pairs, blocks and the empty vertex look at in a token on a vertex.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Its [`spot`] in the row and in the column.
    spots: [u8; 2],
    /// Its [`Way::wish`].
    wish: u8,
    /// Its [`Way::need`].
    need: u8,
}

impl View {
    /// Of the empty vertex.
    const EMPTY: View = View { spots: [NO_SPOT; 2], wish: EMPTY, need: 0 };
}

/// The place of a vertex where every row has [`LONGEST`], however long it is: no division tells its row and column.
type Place = usize;
const PLACES: usize = LONGEST * LONGEST;

fn row(place: Place) -> usize {
    place / LONGEST
}

fn column(place: Place) -> usize {
    place % LONGEST
}

/// The places of its row or its column.
#[inline]
fn line(direction: usize, of: Place) -> impl Iterator<Item = Place> {
    let (first, step) = match direction {
        0 => (of - column(of), 1),
        _ => (column(of), LONGEST),
    };
    (0..LONGEST).map(move |number| (first + number * step) % PLACES)
}

/// What is seen on each place in a state.
type Seen = [View; PLACES];

/// What is seen of each token on each place of a grid.
#[derive(Clone, Debug)]
struct Views {
    rows: usize,
    columns: usize,
    /// By vertex.
    places: [u8; MAX_VERTICES],
    /// By label and place.
    views: Vec<Seen>,
    /// For each place those near it, and their [`Way::around`].
    near: Vec<Vec<(u8, u8)>>,
}

impl Views {
    fn new(grid: &OneEmptyGrid) -> Views {
        let place = |vertex: Vertex| grid.row(vertex) * LONGEST + grid.column(vertex);
        let all: Vec<Place> = grid.vertices().map(place).collect();
        let way = |from: Place, to: Place| Way {
            rows: row(to) as i8 - row(from) as i8,
            columns: column(to) as i8 - column(from) as i8,
        };
        let view = |home: Place, at: Place| {
            let in_row = spot(kind(column(home), row(home).abs_diff(row(at))), column(at));
            let in_column = spot(kind(row(home), column(home).abs_diff(column(at))), row(at));
            let way = way(at, home);
            View { spots: [in_row as u8, in_column as u8], wish: way.wish(), need: way.need() }
        };
        let of_token = |&home: &Vertex| {
            let mut seen = [View::EMPTY; PLACES];
            all.iter().for_each(|&at| seen[at] = view(place(home), at));
            seen
        };
        let near = |empty: Place| {
            let ways = all.iter().map(|&at| (at, way(empty, at)));
            let near = ways.filter(|&(_, way)| way.is_near());
            near.map(|(at, way)| (at as u8, way.around() as u8)).collect()
        };
        let mut places = [0; MAX_VERTICES];
        grid.vertices().for_each(|vertex| places[vertex.index()] = place(vertex) as u8);
        Views {
            rows: grid.rows,
            columns: grid.columns,
            places,
            views: grid.targets.iter().map(of_token).collect(),
            near: (0..PLACES).map(near).collect(),
        }
    }

    fn vertices(&self) -> usize {
        self.rows * self.columns
    }

    #[inline]
    fn place(&self, vertex: u8) -> Place {
        self.places[vertex as usize % MAX_VERTICES] as Place % PLACES
    }

    #[inline]
    fn seen(&self, cells: &Cells, empty: u8) -> Seen {
        let mut seen = [View::EMPTY; PLACES];
        for (&place, &label) in self.places[..self.vertices()].iter().zip(cells) {
            let place = place as Place % PLACES;
            seen[place] = self.views[label as usize][place];
        }
        seen[self.place(empty)] = View::EMPTY;
        seen
    }

    /// Calls for each two tokens of each line with their [`spot`]s.
    fn each_pair(&self, seen: &Seen, mut call: impl FnMut(u8, u8)) {
        let rows = (0..self.rows).map(|row| (0, row * LONGEST));
        for (direction, first) in rows.chain((0..self.columns).map(|column| (1, column))) {
            let spots = || {
                let spots = line(direction, first).map(|place| seen[place].spots[direction]);
                spots.filter(|&spot| spot != NO_SPOT)
            };
            for (number, spot) in spots().enumerate() {
                spots().take(number).for_each(|before| call(before, spot));
            }
        }
    }

    /// Calls with the number of each block whose upper left vertex is in some rows and columns.
    #[inline]
    fn each_block(
        &self,
        seen: &Seen,
        rows: Range<usize>,
        columns: Range<usize>,
        mut call: impl FnMut(usize),
    ) {
        for row in rows {
            let two = |column: usize| {
                let upper = row * LONGEST + column;
                let [upper, lower] =
                    [upper, upper + LONGEST].map(|place| seen[place % PLACES].wish as usize);
                upper * CONTENTS + lower
            };
            let mut left = two(columns.start);
            for column in columns.clone() {
                let right = two(column + 1);
                call(left * CONTENTS.pow(2) + right);
                left = right;
            }
        }
    }

    /// As [`Self::each_block`], with all of them.
    fn all_blocks(&self, seen: &Seen, call: impl FnMut(usize)) {
        self.each_block(seen, 0..self.rows - 1, 0..self.columns - 1, call);
    }

    /// Calls with [`Way::around`] and [`Way::need`] of each token near the empty vertex, and once with the empty vertex.
    #[inline]
    fn each_around(&self, seen: &Seen, empty: Place, mut call: impl FnMut(u8, u8)) {
        for &(place, around) in &self.near[empty] {
            call(around, seen[place as Place % PLACES].need);
        }
    }
}

fn steps(grid: &OneEmptyGrid, a: Vertex, b: Vertex) -> (usize, usize) {
    (grid.row(a).abs_diff(grid.row(b)), grid.column(a).abs_diff(grid.column(b)))
}

impl GridNumbers {
    /// For a grid with at most [`LONGEST`] rows and columns.
    pub(super) fn new(grid: &OneEmptyGrid) -> GridNumbers {
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
        GridNumbers {
            views: Views::new(grid),
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
        let views = &self.views;
        for vertex in (0..views.vertices()).filter(|&vertex| vertex != empty as usize) {
            self.tokens[cells[vertex] as usize][vertex].into_iter().for_each(&mut call_some);
        }
        let seen = views.seen(cells, empty);
        views.each_pair(&seen, |one, other| {
            call_some(OF_PAIRS[one as usize * SPOTS + other as usize]);
        });
        views.all_blocks(&seen, |number| call_some(OF_BLOCKS[number]));
        views.each_around(&seen, views.place(empty), |around, need| {
            call_some(OF_AROUND[around as usize * NEEDS + need as usize]);
        });
    }
}

impl GridWeights {
    /// For a grid with at most [`LONGEST`] rows and columns.
    pub(super) fn new(grid: &OneEmptyGrid, weights: &ConflictWeights) -> GridWeights {
        let GridNumbers { views, tokens, empty } = GridNumbers::new(grid);
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
        let fill = |table: &mut [i16], numbers: &[WeightNumber]| {
            table.iter_mut().zip(numbers).for_each(|(to, &number)| *to = weights.fixed(number));
        };
        let mut pairs = vec![[0; 256]; SPOTS + 1];
        pairs.iter_mut().zip(OF_PAIRS.chunks(SPOTS)).for_each(|(row, of)| fill(row, of));
        let mut blocks = Box::new([0; MOST_BLOCKS]);
        fill(&mut *blocks, &OF_BLOCKS);
        let mut around = Box::new([[0; MOST_NEEDS]; MOST_AROUND]);
        around.iter_mut().zip(OF_AROUND.chunks(NEEDS)).for_each(|(row, of)| fill(row, of));
        let mut weights = GridWeights {
            views,
            tokens: tokens.into_iter().map(token).collect(),
            distances: grid.targets.iter().map(distances).collect(),
            empty: empty.map(fixed),
            pairs,
            blocks,
            around,
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
    fn pair(&self, one: u8, other: u8) -> i32 {
        i32::from(self.pairs[one as usize][other as usize])
    }

    #[inline]
    fn block(&self, number: usize) -> i32 {
        i32::from(self.blocks[number % MOST_BLOCKS])
    }

    /// The weights of the tokens near the empty vertex.
    #[inline]
    fn around(&self, seen: &Seen, empty: Place) -> i32 {
        let mut sum = 0;
        self.views.each_around(seen, empty, |around, need| {
            let row = &self.around[around as usize % MOST_AROUND];
            sum += i32::from(row[need as usize % MOST_NEEDS]);
        });
        sum
    }

    fn sum(&self, cells: &Cells, empty: u8) -> i32 {
        let views = &self.views;
        let mut sum = self.empty[empty as usize];
        for vertex in (0..views.vertices()).filter(|&vertex| vertex != empty as usize) {
            sum += self.tokens[cells[vertex] as usize][vertex];
        }
        let seen = views.seen(cells, empty);
        views.each_pair(&seen, |one, other| sum += self.pair(one, other));
        views.all_blocks(&seen, |number| sum += self.block(number));
        sum + self.around(&seen, views.place(empty))
    }

    /// The sum of a state's weights less the goal's.
    pub(crate) fn value(&self, state: &State) -> i32 {
        let (cells, empty) = cells_of(state);
        self.sum(&cells, empty) - self.goal
    }

    /// Ready for the changes by all slides in a state.
    pub(crate) fn changes<'w>(&'w self, cells: &'w Cells, empty: u8) -> Changes<'w> {
        let seen = self.views.seen(cells, empty);
        let around = self.around(&seen, self.views.place(empty));
        Changes { weights: self, cells, empty, seen, around }
    }

    /// The Manhattan distance of a state.
    pub(crate) fn manhattan(&self, state: &State) -> u32 {
        let steps = state.tokens().map(|(v, label)| self.distances[label.index()][v.index()]);
        steps.map(u32::from).sum()
    }

    /// Bytes of its tables.
    pub(super) fn bytes(&self) -> u64 {
        let tokens = self.tokens.len() * (size_of::<[i32; MAX_VERTICES]>() + MAX_VERTICES);
        let views = self.tokens.len() * size_of::<Seen>();
        let pairs = size_of_val(&self.pairs[..]);
        (tokens + views + pairs + size_of_val(&*self.blocks) + size_of_val(&*self.around)) as u64
    }
}

/// The changes of sum and Manhattan distance by the slides in one state.
pub(crate) struct Changes<'w> {
    weights: &'w GridWeights,
    cells: &'w Cells,
    empty: u8,
    seen: Seen,
    /// [`GridWeights::around`] the empty vertex.
    around: i32,
}

impl Changes<'_> {
    /// By how much the sum changes when the token on `from` slides to the empty vertex beside it.
    #[inline]
    pub fn sum(&mut self, from: u8) -> i32 {
        let Changes { weights, cells, empty, ref mut seen, around } = *self;
        let views = &weights.views;
        let label = cells[from as usize % MAX_VERTICES] as usize;
        let mut sum = {
            let (empty, from) = (empty as usize % MAX_VERTICES, from as usize % MAX_VERTICES);
            let costs = &weights.tokens[label];
            costs[empty] - costs[from] + weights.empty[from] - weights.empty[empty]
        };
        let (from, to) = (views.place(from), views.place(empty));
        let (now, then) = (seen[from], views.views[label][to]);
        // Blocks with one of the two vertices or both.
        let range = |a: usize, b: usize, blocks: usize| {
            a.min(b).saturating_sub(1)..(a.max(b) + 1).min(blocks)
        };
        let rows = range(row(from), row(to), views.rows - 1);
        let columns = range(column(from), column(to), views.columns - 1);
        views
            .each_block(seen, rows.clone(), columns.clone(), |number| sum -= weights.block(number));
        seen[from] = View::EMPTY;
        let (along, across) = if row(from) == row(to) { (0, 1) } else { (1, 0) };
        for place in line(along, from) {
            let other = seen[place].spots[along];
            sum += weights.pair(then.spots[along], other) - weights.pair(now.spots[along], other);
        }
        for (left, entered) in line(across, from).zip(line(across, to)) {
            sum -= weights.pair(now.spots[across], seen[left].spots[across]);
            sum += weights.pair(then.spots[across], seen[entered].spots[across]);
        }
        seen[to] = then;
        views.each_block(seen, rows, columns, |number| sum += weights.block(number));
        sum += weights.around(seen, from) - around;
        (seen[from], seen[to]) = (now, View::EMPTY);
        sum
    }

    /// By how much the Manhattan distance changes then: 1 or -1.
    #[inline]
    pub fn manhattan(&self, from: u8) -> i32 {
        let [empty, from] = [self.empty, from].map(|vertex| vertex as usize % MAX_VERTICES);
        let distances = &self.weights.distances[self.cells[from] as usize];
        i32::from(distances[empty]) - i32::from(distances[from])
    }
}
